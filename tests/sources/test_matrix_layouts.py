"""One matrix in many layouts: captions, names of the axes, separators, totals, rates and notes change no count."""

import itertools

import numpy as np
import pytest

import howsure as hs
from howsure.sources.matrices import matrix_table

COUNTS = np.array([[1520, 31, 4], [7, 44, 12], [9, 2, 36]])
CLASSES = ["cat", "big dog", "bird"]
CAPTIONS = [
    "",
    "Confusion matrix",
    "Model: logistic",
    "Table 3. Confusion matrix of model B (n = 1665)",
    "Fold 1, test set",
]
SEPARATORS = {",": ".csv", ";": ".csv", "\t": ".tsv", "|": ".txt", "bars": ".md", "blanks": ".txt"}
STATED = ["corner", "words", "words after", "line above", "caption"]
NOTES = ["", "Accuracy: 0.96", "\nAccuracy : 0.9610\nKappa : 0.81"]


def cells_of(stated, rows, columns, *, is_turned, has_totals, has_rates):
    """Return the cells of the matrix, and its caption where that states the axes."""
    counts = COUNTS.T if is_turned else COUNTS
    names = [list(CLASSES), list(CLASSES)]
    if stated == "words":
        names = [[f"{axis} {name}" for name in CLASSES] for axis in (rows, columns)]
    if stated == "words after":
        names = [[f"{name} ({axis.lower()})" for name in CLASSES] for axis in (rows, columns)]
    body = [[name, *row] for name, row in zip(names[0], counts.tolist(), strict=True)]
    header = [{"corner": f"{rows}/{columns}", "line above": rows}.get(stated, ""), *names[1]]
    if has_totals:
        header = [*header, "Total"]
        body = [[*row, sum(row[1:])] for row in body]
        body.append(["Total", *(sum(column) for column in list(zip(*body, strict=True))[1:])])
    if has_rates:
        header, body = [*header, "Recall"], [[*row, "91.2%"] for row in body]
    above = [["", columns, *[""] * (len(header) - 2)]] if stated == "line above" else []
    caption = f"rows: {rows.lower()}, columns: {columns.lower()}" if stated == "caption" else None
    return [*above, header, *body], caption


def text_of(cells, separator, thousands):
    """Return the text of cells, with a mark between thousands."""
    rows = [[f"{cell:,}".replace(",", thousands) if isinstance(cell, int) else cell for cell in row] for row in cells]
    if separator == "bars":
        lines = ["| " + " | ".join(row) + " |" for row in rows]
        return "\n".join([lines[0], "|---" * len(rows[0]) + "|", *lines[1:]])
    if separator == "blanks":
        rows = [[cell.replace(" ", "_") for cell in row] for row in rows]
        width = max(len(cell) for row in rows for cell in row) + 1
        return "\n".join(row[0].ljust(width) + "".join(cell.rjust(width) for cell in row[1:]).rstrip() for row in rows)
    return "\n".join(separator.join(f'"{cell}"' if separator in cell else cell for cell in row) for row in rows)


@pytest.mark.parametrize("stated", STATED)
@pytest.mark.parametrize("separator", SEPARATORS)
@pytest.mark.parametrize("is_turned", [False, True], ids=["true rows", "predicted rows"])
@pytest.mark.filterwarnings("ignore::howsure.HowsureWarning")
def test_counts_do_not_depend_on_the_layout(stated, separator, is_turned, tmp_path):
    """The classes, their order and the orientation are those that the text states."""
    for number, (caption, has_totals, has_rates, note) in enumerate(
        itertools.product(CAPTIONS, [False, True], [False, True], NOTES)
    ):
        rows, columns = [("Actual", "Predicted"), ("Reference", "Pred"), ("True label", "Predicted label")][number % 3]
        if is_turned:
            rows, columns = columns, rows
        cells, own = cells_of(stated, rows, columns, is_turned=is_turned, has_totals=has_totals, has_rates=has_rates)
        parts = [own or caption, text_of(cells, separator, ["", "'", ","][number % 3]), note]
        path = tmp_path / f"m{SEPARATORS[separator]}"
        path.write_text("\n".join(part for part in parts if part) + "\n")
        table = matrix_table(path)
        assert [label.replace("_", " ") for label in table.labels] == CLASSES, path.read_text()
        assert np.array_equal(table.counts, COUNTS), path.read_text()


def test_a_second_matrix_is_no_caption(tmp_path):
    """Lines of numbers above a matrix are those of another one."""
    (tmp_path / "m.txt").write_text("first\na b\na 5 1\nb 2 4\n\na b\na 3 1\nb 2 9")
    with pytest.raises(hs.HowsureError, match="holds 2 matrices. Keep one"):
        matrix_table(tmp_path / "m.txt")


LONG = {"predicted": ["b", "a", "b"], "actual": ["b", "a", "a"], "n": [40, 50, 3]}
NUMERIC = {"model": [1, 0, 1], "truth": [1, 0, 0], "count": [40, 50, 3]}


@pytest.mark.parametrize("package", ["pandas", "polars", "pyarrow"])
@pytest.mark.parametrize("columns", [LONG, NUMERIC], ids=["text", "numbers"])
def test_lines_of_combinations_are_read_by_the_names_of_the_columns(columns, package):
    """A frame of true class, predicted class and number is no 3×3 matrix, and its columns may have any order."""
    frame = pytest.importorskip("pandas").DataFrame(columns)
    if package != "pandas":
        frame = pytest.importorskip("narwhals").from_dict(columns, backend=package).to_native()
    table = hs.from_counts(frame)
    assert table.counts.tolist() == [[50, 3], [0, 40]]
    assert len(table.labels) == 2


@pytest.mark.parametrize("names", [["true", "predicted", "n"], ["model", "truth", "count"], ["low", "mid", "n"]])
def test_classes_with_the_words_of_columns_are_classes(names):
    """Rows and columns of the same names are those of a matrix."""
    frame = pytest.importorskip("pandas").DataFrame(COUNTS, names, names)
    assert hs.from_counts(frame, check=False).counts.tolist() == COUNTS.tolist()


def test_lines_of_combinations_without_roles_are_refused_with_the_call():
    """Which of two columns holds the true classes is not stated."""
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"first": [1, 0, 1], "second": [1, 0, 0], "n": [40, 50, 3]})
    with pytest.raises(hs.HowsureError, match=r"the true classes first: confusion\(true, predicted, data=frame, cou"):
        hs.from_counts(frame)


@pytest.mark.parametrize("transposed", [False, True])
def test_a_total_beside_the_only_class_is_no_class(transposed):
    """A model that predicts one class has one column, and its sum."""
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(
        [[107, 107], [93, 93], [200, 200]],
        index=pandas.Index(["no", "yes", "All"], name="actual"),
        columns=pandas.Index(["no", "All"], name="model"),
    )
    with pytest.warns(hs.HowsureWarning, match="sums of the others"):
        table = hs.from_counts(frame.T if transposed else frame)
    assert table.counts.tolist() == [[107, 0], [93, 0]]
