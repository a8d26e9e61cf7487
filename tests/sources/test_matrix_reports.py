"""Printouts in reports and notebooks: marks of comments, numbered rows, lines of JSON, and several matrices."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import howsure as hs
from howsure.errors import HowsureError, HowsureWarning
from howsure.sources.matrices import matrix_table

pytestmark = pytest.mark.filterwarnings("ignore::howsure.errors.HowsureWarning")
COUNTS = [[50, 3], [5, 42]]  # rows are the true classes no and yes
CARET = """Confusion Matrix and Statistics

          Reference
Prediction no yes
       no  50   5
       yes  3  42

               Accuracy : 0.92
                 95% CI : (0.8484, 0.9648)

       'Positive' Class : no
"""
PYCM = "Predict          no               yes\nActual\nno               50               3\n\nyes              5                42\n\nACC Macro        0.92\n"
H2O = """Confusion Matrix: Extract with `h2o.confusionMatrix(<model>,train = TRUE)`)
=========================================================================
Confusion Matrix: Row labels: Actual class; Column labels: Predicted class
         no  yes  Error       Rate
no       50    3 0.0566 =   3 / 53
yes       5   42 0.1064 =   5 / 47
Totals   55   45 0.0800 =  8 / 100

Hit Ratio Table: Extract with `h2o.hit_ratio_table(<model>,train = TRUE)`
Top-2 Hit Ratios:
  k hit_ratio
1 1  0.920000
2 2  1.000000
"""
FOREST = """Call:
 randomForest(formula = y ~ ., data = train)
               Type of random forest: classification
No. of variables tried at each split: 2

        OOB estimate of  error rate: 8%
Confusion matrix:
    no yes class.error
no  50   3  0.05660377
yes  5  42  0.10638298
"""


def table_of(text: str, folder: Path, name: str = "matrix.txt") -> tuple[list[list[float]], list[object]]:
    """Return the counts and classes of a text in a file."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    table = matrix_table(path)
    return table.counts.tolist(), table.labels.tolist()


@pytest.mark.parametrize("mark", ["## ", "    ## ", "#> ", "# "])
@pytest.mark.parametrize("text", [CARET, FOREST, H2O])
def test_whole_printouts_of_r_with_marks_of_comments(text: str, mark: str, tmp_path: Path) -> None:
    """Reports of knitr, reprex and scripts mark each printed line; their code has a fence."""
    marked = "".join(f"{mark}{line}\n" for line in text.splitlines())
    assert table_of(f"```\n{marked}```\n", tmp_path)[0] == COUNTS


def test_rows_with_blank_lines_between_them(tmp_path: Path) -> None:
    """PyCM prints an empty line after each row."""
    assert table_of(PYCM, tmp_path) == (COUNTS, ["no", "yes"])


def test_a_table_of_h2o_in_a_notebook(tmp_path: Path) -> None:
    """Its rows have no names, and its last ones are totals and rates."""
    cells = [["no", "yes", "Error", "Rate"], ["50.0", "3.0", "0.0566", "3 / 53"], ["5.0", "42.0", "0.1064", "5 / 47"]]
    cells.append(["55.0", "45.0", "0.08", "8 / 100"])
    rows = "".join("<tr>" + "".join(f"<td><b>{cell}</b></td>" for cell in row) + "</tr>\n" for row in cells)
    for name in ("matrix.txt", "matrix.xls", "matrix.csv"):  # programs save tables of HTML under any name
        assert table_of(f"<table>{rows}</table>", tmp_path, name) == (COUNTS, ["no", "yes"])


@pytest.mark.parametrize(
    "header, rows",
    [
        (",,no,yes,Error,Rate", ["0,no,50,3,0.0566, (3.0/53.0)", "1,yes,5,42,0.1064, (5.0/47.0)"]),
        (",Unnamed: 0,Unnamed: 1,no,yes", ["0,0,no,50,3", "1,1,yes,5,42"]),
        ("row,expected_label,no,yes", ["1,no,50,3", "2,yes,5,42"]),
        ("actual,predicted.as.no,predicted.as.yes", ["no,50,3", "yes,5,42"]),
    ],
)
def test_columns_that_number_the_rows(header: str, rows: list[str], tmp_path: Path) -> None:
    """Saved frames have one or two numberings before the names of the classes."""
    assert table_of("\n".join([header, *rows]), tmp_path) == (COUNTS, ["no", "yes"])


@pytest.mark.parametrize(
    "text",
    [
        "Train confusion matrix:\n[[150  3]\n [ 5 142]]\nTest confusion matrix:\n[[50  3]\n [ 5 42]]\n",
        "=== forest ===\nConfusion Matrix:\n[[50, 3], [5, 42]]\n=== SVM ===\nConfusion Matrix:\n[[48, 5], [5, 42]]\n",
        f"{FOREST}\n{CARET}",
    ],
)
def test_several_matrices_are_counted(text: str, tmp_path: Path) -> None:
    """The last of two matrices is not the only one, whatever headings stand between them."""
    with pytest.raises(HowsureError, match="holds 2 matrices. Keep one"):
        table_of(text, tmp_path)


@pytest.mark.parametrize(
    "header, rows",
    [(",no,yes,n", ["no,94,6,53", "yes,11,89,47"]), (",n,no,yes", ["no,53,94,6", "yes,47,11,89"])],
)
def test_percentages_beside_their_numbers_of_cases(header: str, rows: list[str], tmp_path: Path) -> None:
    """A column of numbers of cases beside rows that add up to 100 is no predicted class."""
    with pytest.raises(HowsureError, match="'n' seems to hold the numbers of cases of percentages"):
        table_of("\n".join([header, *rows]), tmp_path)
    shares = np.array([[94, 6], [11, 89]])
    assert (shares / 100 * np.array([[53], [47]])).round().tolist() == COUNTS


def test_a_crosstab_of_a_test_by_the_response(tmp_path: Path) -> None:
    """PROC FREQ names the outcome Response, beside a test, as statisticians do."""
    text = (
        "Table of Test by Response\nTest      Response\nFrequency|       1|       0|  Total\n"
        "---------+--------+--------+\n       1 |     42 |      3 |     45\n---------+--------+--------+\n"
        "       0 |      5 |     50 |     55\n---------+--------+--------+\nTotal          47       53      100\n"
    )
    assert table_of(text, tmp_path) == (COUNTS, ["0", "1"])


def test_lines_of_json(tmp_path: Path) -> None:
    """An export of BigQuery has an object for each true class."""
    text = '{"expected_label": "no", "no": "50", "yes": "3"}\n{"expected_label": "yes", "no": "5", "yes": "42"}\n'
    assert table_of(text, tmp_path) == (COUNTS, ["no", "yes"])


def test_thresholds_of_the_same_cases_are_no_batch(tmp_path: Path) -> None:
    """Rows of several thresholds would count each case several times; rows of several sites are different cases."""
    rows = "0.9,24,1,52,23\n0.5,42,3,50,5\n"
    with pytest.raises(HowsureError, match="2 rows by 'threshold', each of 47 positive and 53 negative cases"):
        table_of(f"threshold,true_positives,false_positives,true_negatives,false_negatives\n{rows}", tmp_path)
    for name in ("reader", "modality", "test"):
        with pytest.raises(HowsureError, match=f"2 rows by '{name}'"):
            table_of(f"{name},tp,fp,tn,fn\n{rows}", tmp_path)
    (tmp_path / "sites.csv").write_text(f"site,tp,fp,tn,fn\n{rows}")
    assert len(matrix_table(tmp_path / "sites.csv")) == 2


def test_rows_of_classes_against_the_rest_are_no_batch(tmp_path: Path) -> None:
    """One row for each class has the same cases in each; rows without names may have them, and are cautioned."""
    rows = "42,3,5,50\n12,3,5,80\n12,3,15,70\n"
    named = "class,tp,fp,fn,tn\n" + "".join(f"{name},{row}\n" for name, row in zip("abc", rows.split(), strict=True))
    with pytest.raises(HowsureError, match="3 rows by 'class', each of 100 cases, a class against the rest"):
        table_of(named, tmp_path)
    averages = "| Clase | F1 | TP | FP | FN | TN |\n|---|---|---|---|---|---|\n| a | 0.9 | 42 | 3 | 5 | 50 |\n"
    averages += "| b | 0.7 | 12 | 3 | 5 | 80 |\n| **MACRO** | 0.8 | - | - | - | - |\n"
    with pytest.raises(HowsureError, match="2 rows by 'Clase', each of 100 cases, a class against the rest"):
        table_of(f"# Results of the test set\n\n{averages}", tmp_path)
    (tmp_path / "rows.csv").write_text(f"tp,fp,fn,tn\n{rows}")
    with pytest.warns(HowsureWarning, match="their sum counts a case several times"):
        assert matrix_table(tmp_path / "rows.csv").overall.rows == 300


@pytest.mark.parametrize(
    "text",
    [
        '{"accuracy": 0.92, "tp": 42, "fp": 3, "fn": 5, "tn": 50, "auc": 0.95, "n": 100}',
        '{"model": "x", "metrics": {"TruePositives": 42, "FalsePositives": 3, "FalseNegatives": 5, "TrueNegatives": 50}}',
        "Metric,Value\nTrue Positives (TP),42\nFalse Positives (FP),3\nTrue Negatives (TN),50\nFalse Negatives (FN),5\nF1,0.9",
    ],
)
def test_outcomes_among_metrics(text: str, tmp_path: Path) -> None:
    """The four numbers by name are read, whatever else is stated."""
    assert table_of(text, tmp_path) == (COUNTS, ["negative", "positive"])


def test_outcomes_of_several_objects_are_no_matrix(tmp_path: Path) -> None:
    """Parts of the data, models and classes are not told apart by their names."""
    numbers = {"tp": 42, "fp": 3, "fn": 5, "tn": 50}
    with pytest.raises(HowsureError, match="2 matrices"):
        table_of(json.dumps({"train": numbers, "test": numbers}), tmp_path)


def test_quoted_classes_without_a_corner(tmp_path: Path) -> None:
    """R's write.table leaves out the corner, also where the classes are numbers; its quotes are no part of a class."""
    assert table_of('"no case" "case"\n"no case" 50 3\n"case" 5 42\n', tmp_path) == (COUNTS, ["no case", "case"])
    assert table_of('"1" "2"\n"1" 50 3\n"2" 5 42\n', tmp_path) == (COUNTS, ["1", "2"])


TIBBLE = """# A tibble: 4 × 3
  Prediction Truth     n
  <fct>      <fct> <int>
1 no         no       50
2 yes        no        3
3 no         yes       5
4 yes        yes      42
"""


@pytest.mark.parametrize(
    "text, labels",
    [
        (TIBBLE, ["no", "yes"]),
        ("".join(f"#> {line}\n" for line in TIBBLE.splitlines()), ["no", "yes"]),
        (
            "Confusion Matrix:\n              Predicted\n              0     1\nActual 0      50    3\nActual 1      5    42\n",
            [0, 1],
        ),
    ],
)
def test_tables_of_tibbles_and_of_hand(text: str, labels: list[object], tmp_path: Path) -> None:
    """Numbers of rows and types of columns are no cells; a title above numbers is none either."""
    found = table_of(text, tmp_path)
    assert (found[0], list(map(str, found[1]))) == (COUNTS, list(map(str, labels)))


@pytest.mark.parametrize("names", [("Positive", "Negative"), ("+", "-")])
def test_the_words_positive_and_negative_state_the_positive_class(names: tuple[str, str], tmp_path: Path) -> None:
    """A table with the positive class first, as textbooks print it, has that class as the positive one."""
    positive, negative = names
    rows = f",Disease {positive},Disease {negative}\nTest {positive},42,3\nTest {negative},5,50\n"
    assert table_of(rows, tmp_path, "m.csv") == (COUNTS, [negative, positive])


@pytest.mark.parametrize(
    "text, remedy",
    [
        ("species,Precision,Recall\na,0.9,0.8\nb,0.7,0.9\nc,0.6,0.5\nd,0.8,0.7\n", "a table of metrics, it seems"),
        (
            ",Unnamed: 0,no,yes\n0,no,50,3\n1,yes,5,42\n0,no,40,9\n1,yes,2,52\n0,no,41,8\n1,yes,3,51\n",
            "several matrices, one below another",
        ),
        (
            "true no said no,50\ntrue no said yes,3\ntrue yes said no,5\ntrue yes said yes,42\n",
            "named true, predicted and n",
        ),
    ],
)
def test_tables_that_are_no_matrix_have_a_remedy(text: str, remedy: str, tmp_path: Path) -> None:
    """A table of metrics, stacked matrices and one column of numbers are told apart."""
    with pytest.raises(HowsureError, match=remedy):
        table_of(text, tmp_path, "m.csv")


@pytest.mark.parametrize("names", [("a;b", "c;d"), ("1/2", "3/4"), ("a,b", "c,d")])
def test_names_of_classes_hold_marks_that_separate_elsewhere(names: tuple[str, str], tmp_path: Path) -> None:
    """A mark in each name, and a fraction at the start of a line, are no columns."""
    frame = pytest.importorskip("pandas").DataFrame(COUNTS, names, names)
    assert table_of(frame.to_csv(), tmp_path, "matrix.csv") == (COUNTS, list(names))
    for caption in ("", "Confusion matrix\n", "2024 test set\n"):
        for note in ("", "\nn = 100\n", "Accuracy: 0.92\n"):
            assert table_of(f"{caption}{frame}\n{note}", tmp_path) == (COUNTS, list(names)), (caption, note)


def test_a_matrix_beside_outcomes_of_its_classes_or_of_other_data(tmp_path: Path) -> None:
    """A matrix has the names of the classes; outcomes are read where there is none."""
    whole = {"labels": ["no", "yes"], "confusion_matrix": COUNTS}
    classes = {"no": {"tp": 50, "fp": 5, "fn": 3, "tn": 42}, "yes": {"tp": 42, "fp": 3, "fn": 5, "tn": 50}}
    for more in ({"per_class": classes}, {"train": {"tp": 9, "fp": 1, "fn": 2, "tn": 8}}, classes["yes"]):
        assert table_of(json.dumps(more | whole, indent=1), tmp_path) == (COUNTS, ["no", "yes"])
    limits = {"intervals": [[0.8, 0.95], [0.83, 0.98]]}
    assert table_of(json.dumps(classes["yes"] | limits), tmp_path) == (COUNTS, ["negative", "positive"])


def test_the_names_of_rows_in_json(tmp_path: Path) -> None:
    """They may have another order than the columns."""
    frame = pytest.importorskip("pandas").DataFrame(COUNTS, ["no", "yes"], ["no", "yes"])
    text = frame.iloc[::-1].to_json(orient="split")
    assert table_of(text, tmp_path, "matrix.json") == ([[42, 5], [3, 50]], ["yes", "no"])


def test_outcomes_in_per_cent_are_no_counts(tmp_path: Path) -> None:
    """Shares stand beside the counts; alone they do not state the number of cases."""
    text = "Model,TP (n),FP (n),FN (n),TN (n),TP (%),FP (%),FN (%),TN (%)\nx,84,6,10,100,42,3,5,50\n"
    assert table_of(text, tmp_path)[0] == [[100, 6], [10, 84]]
    with pytest.raises(HowsureError, match="not a square matrix"):
        table_of("TP (%),FP (%),FN (%),TN (%)\n42,3,5,50\n", tmp_path)


@pytest.mark.parametrize("name", ["stage", "percentage", "classroom"])
def test_rows_of_equal_size_by_other_columns_are_a_batch(name: str, tmp_path: Path) -> None:
    """A word within the name of a column is no word for a class."""
    (tmp_path / "rows.csv").write_text(f"{name},tp,fp,fn,tn\na,42,3,5,50\nb,12,3,5,80\n")
    assert matrix_table(tmp_path / "rows.csv").overall.rows == 200


def test_another_answer_beside_rows_of_100_cases_is_counted_without_the_check() -> None:
    """Rows of exactly 100 cases and an answer of no class look like percentages and their numbers of cases."""
    rows = pd.DataFrame([[90, 10, 7], [20, 80, 9]], ["no", "yes"], ["no", "yes", "unsure"])
    with pytest.raises(HowsureError, match="pass `check=False`"):
        hs.from_counts(rows)
    assert hs.from_counts(rows, check=False).rows == 216


def test_a_predicted_class_that_no_mapping_of_true_classes_names() -> None:
    """An answer that is no true class is added without cases, as the error says; a report of rates is none."""
    counts = {"no": {"no": 90, "yes": 10, "unsure": 7}, "yes": {"no": 20, "yes": 81}}
    with pytest.raises(HowsureError, match=r"`from_counts\({\*\*counts, 'unsure': {}}\)`"):
        hs.from_counts(counts)
    assert hs.from_counts({**counts, "unsure": {}}).rows == 208
    with pytest.raises(HowsureError, match="from_rates"):
        hs.from_counts({"no": {"precision": 0.8}, "yes": {"precision": 0.9}})
