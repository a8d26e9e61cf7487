"""Names, order and index that the input states: matched, or refused in one line."""

import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import xarray as xr

import howsure as hs
from howsure.sources.matrices import matrix_table
from howsure.sources.matrix_words import axis_kind
from support.optional import optional
from support.shell import run

pl = optional("polars")

PREDICTED_IN_ROWS = pd.DataFrame(
    [[50, 5], [3, 42]], pd.Index(["no", "yes"], name="pred"), pd.Index(["no", "yes"], name="true")
)
SHARES = pd.DataFrame(np.eye(3)[[0, 1, 2] * 10] * 0.8 + 0.2 / 3, columns=["cat", "dog", "horse"])
ANIMAL = pd.Series(["cat", "dog", "horse"] * 10)


@pytest.mark.parametrize(
    "make",
    [
        hs.from_counts,
        lambda matrix: hs.from_counts([matrix, matrix]).overall,
        lambda matrix: hs.from_counts(xr.DataArray(matrix)),
    ],
    ids=["frame", "list of frames", "xarray"],
)
def test_names_of_axes_are_read_in_every_container(make):
    """42 of 47 cases of the class yes are found: the rows are the predictions."""
    assert hs.estimate(make(PREDICTED_IN_ROWS), "sensitivity").value == pytest.approx(42 / 47)


def test_matrices_with_other_classes_are_refused():
    other = PREDICTED_IN_ROWS.rename(index={"yes": "ill"}, columns={"yes": "ill"})
    with pytest.raises(hs.HowsureError, match="name their classes differently"):
        hs.from_counts([PREDICTED_IN_ROWS, other])


@pytest.mark.parametrize("order", [["Total", "a", "b"], ["a", "Total", "b"], ["a", "b", "Total"]])
def test_totals_are_left_out_wherever_they_stand(order):
    whole = pd.DataFrame([[50, 3, 53], [5, 42, 47], [55, 45, 100]], ["a", "b", "Total"], ["a", "b", "Total"])
    with pytest.warns(hs.HowsureWarning, match="Totals"):
        table = hs.from_counts(whole.loc[order, order])
    assert hs.estimate(table, "accuracy").value == pytest.approx(0.92)


def test_columns_of_outcomes_are_matched_by_their_index():
    outcomes = {
        "tp": pd.Series({"a": 42, "b": 10}), "fp": pd.Series({"b": 3, "a": 1}),
        "fn": pd.Series({"a": 5, "b": 2}), "tn": pd.Series({"b": 9, "a": 50}),
    }  # fmt: skip
    found = [hs.estimate(each, "precision").value for each in hs.from_counts(**outcomes).values()]
    assert found == pytest.approx([42 / 43, 10 / 13])
    with pytest.raises(hs.HowsureError, match="`tn` has another index"):
        hs.from_counts(**outcomes | {"tn": pd.Series({"c": 9, "a": 50})})


@pytest.mark.parametrize("container", [dict, pd.Series])
def test_four_named_numbers_are_a_table(container):
    table = hs.from_counts(container({"tp": 42, "fp": 3, "fn": 5, "tn": 50}))
    assert hs.estimate(table, "sensitivity").value == pytest.approx(42 / 47)


def test_a_column_of_pairs_leads_to_counts():
    pairs = pd.DataFrame({"a": [0, 0, 1], "b": [0, 1, 1]}).groupby(["a", "b"]).size()
    with pytest.raises(hs.HowsureError, match=r"confusion\(true, predicted, counts=numbers\)"):
        hs.from_counts(pairs)


@pytest.mark.parametrize(
    "rows, columns, expected",
    [
        ("Test", "Disease", 670 / 744), ("test result", "diagnosis", 670 / 744), ("Screening", "Condition", 670 / 744),
        ("Predicted condition", "Condition", 670 / 744), ("Vorhersage", "Tatsächlich", 670 / 744),
        ("Disease", "Test", 670 / 872), ("RDT", "PCR", 670 / 744),
    ],
)  # fmt: skip
def test_axes_of_clinical_tables(rows, columns, expected):
    signs = ["+", "-"]
    matrix = pd.DataFrame([[670, 202], [74, 640]], pd.Index(signs, name=rows), pd.Index(signs, name=columns))
    assert hs.estimate(hs.from_counts(matrix, pos_label="+"), "sensitivity").value == pytest.approx(expected)


def test_words_before_yes_and_no():
    """Labels repeat the name of their axis, of one word or two."""
    rows = pd.Index(["Test result yes", "Test result no"])
    columns = pd.Index(["Gold standard yes", "Gold standard no"])
    table = hs.from_counts(pd.DataFrame([[670, 202], [74, 640]], rows, columns), pos_label="yes")
    assert hs.estimate(table, "sensitivity").value == pytest.approx(670 / 744)


def test_words_of_both_kinds():
    assert axis_kind("predicted condition") == "predicted"
    assert axis_kind("true disease") == "true"
    assert axis_kind("predicted vs actual") == ""


@pytest.mark.parametrize(
    "truth, names",
    [
        (ANIMAL, ["p_dog", "p_cat", "p_hors"]),
        (ANIMAL, ["LABEL_0", "LABEL_10", "LABEL_1"]),
        (pd.Series(["Iris-setosa", "Iris-versicolor", "Iris-virginica"] * 10), ["virginica", "setosa", "versicolor"]),
        (pd.Series([0, 1, 2] * 10), ["prob_3", "prob_1", "prob_2"]),
    ],
    ids=["abbreviated", "out of order", "short", "other numbers"],
)
def test_columns_that_name_other_classes_are_refused(truth, names):
    with pytest.raises(hs.HowsureError, match=r"not named after the classes.*`labels=`"):
        hs.multiclass_scores(truth, SHARES.set_axis(names, axis=1))


@pytest.mark.parametrize(
    "truth, names",
    [
        (ANIMAL, ["LABEL_0", "LABEL_1", "LABEL_2"]),
        (pd.Series(["a-b", "c", "d"] * 10), ["prob.a.b", "prob.c", "prob.d"]),
        (pd.Series([0, 1, 2] * 10), ["cat", "dog", "horse"]),
    ],
    ids=["positions", "names of R", "codes"],
)
def test_columns_that_count_up_or_fit_are_taken(truth, names):
    assert hs.estimate(hs.multiclass_scores(truth, SHARES.set_axis(names, axis=1)), "roc_auc@macro").value == 1


def test_frames_with_another_index_are_refused():
    with pytest.raises(hs.HowsureError, match="have different indices"):
        hs.multiclass_scores(ANIMAL, SHARES.sample(frac=1, random_state=0))


def test_categories_in_another_order_than_the_alphabet_are_two_orders():
    """Codes and the alphabet give different columns; an ordered category states which."""
    truth = pd.Categorical.from_codes([0, 1, 2] * 10, ["low", "mid", "high"])
    with pytest.raises(hs.HowsureError, match=r"'low', 'mid', 'high' or 'high', 'low', 'mid'"):
        hs.multiclass_scores(truth, SHARES.to_numpy())
    assert hs.estimate(hs.multiclass_scores(truth.as_ordered(), SHARES.to_numpy()), "roc_auc@macro").value == 1


@pytest.mark.parametrize("labels", [[False, True], [0, 1], ["wrong", "right"], ["incorrect", "correct"]])
def test_a_labelled_table_of_two_models_says_which_answers_are_right(labels):
    """Model A is right in 15 of 57 cases and B in 22."""
    counts = pd.DataFrame([[30, 12], [5, 10]], pd.Index(labels, name="old"), pd.Index(labels, name="new"))
    found = hs.compare(hs.paired_counts(counts), "accuracy")
    assert (found.names, found.value) == (("old", "new"), pytest.approx(-7 / 57))
    with pytest.raises(hs.HowsureError, match="do not say which answers are right"):
        hs.paired_counts(counts.set_axis(["x", "y"], axis=0))


@pytest.mark.parametrize(
    "good, bad", [("CORRECT", "INCORRECT"), ("safe", "unsafe"), ("right", "wrong"), ("accept", "reject"), ("Y", "N")]
)
def test_the_word_for_a_pass_is_what_a_judge_counts(good, bad, tmp_path):
    """Eighty of a hundred pass, whichever word comes last in the alphabet; the shell names the word."""
    said = [good] * 80 + [bad] * 20
    assert hs.estimate(hs.judged(said, said, check=False), "pass_rate").value == pytest.approx(0.8)
    assert hs.estimate(hs.judged(said, said, pos_label=bad, check=False), "pass_rate").value == pytest.approx(0.2)
    path = tmp_path / "run.jsonl"
    lines = [json.dumps({"verdict": each, "human": each if place % 3 else None}) for place, each in enumerate(said)]
    path.write_text("\n".join(lines))
    printed = run("judge", path, "--judge", "verdict", "--human", "human").stdout
    assert f"positive class: {good}" in printed


@pytest.mark.parametrize(
    "words, message", [("YN", None), ("ABC", "has 'A', 'B', and words with a value"), ("PF", "has 'F', and words")]
)
def test_words_of_which_some_have_no_value_are_refused(words, message, tmp_path):
    """Grades A, B and C are not one correct answer in three."""
    path = tmp_path / "graded.csv"
    path.write_text("item,grade\n" + "".join(f"{place},{words[place % len(words)]}\n" for place in range(12)))
    if message is None:
        found = hs.evaluate_log(hs.read_log(path, score="grade", item="item"))
        assert [each.value for each in found.values()] == [0.5]
        return
    with pytest.raises(hs.HowsureError, match=message):
        hs.read_log(path, score="grade", item="item")


def test_ratings_by_name_are_columns_of_raters():
    """Records of items and a mapping of each rater's items are the same ratings as columns."""
    columns = {"ann": [1, 0, 1, 1], "bob": [1, 0, 0, None]}
    records = [{"ann": 1, "bob": 1}, {"ann": 0, "bob": 0}, {"ann": 1, "bob": 0}, {"ann": 1}]
    items = {"ann": {"q1": 1, "q2": 0, "q3": 1, "q4": 1}, "bob": {"q3": 0, "q2": 0, "q1": 1}}
    values = [
        hs.estimate(hs.ratings(each, check=False), "krippendorff_alpha").value for each in (columns, records, items)
    ]
    assert values == pytest.approx([values[0]] * 3)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table], ids=["pandas", "polars", "arrow"])
@pytest.mark.parametrize("name, expected", [("true", 42 / 45), ("pred", 42 / 47), ("", 42 / 45)])
def test_a_first_column_of_labels_names_the_rows(frame, name, expected):
    """As in a file: the column's own name says whether they are true or predicted classes."""
    matrix = frame({name: ["no", "yes"], "no": [50, 3], "yes": [5, 42]})
    assert hs.estimate(hs.from_counts(matrix), "sensitivity").value == pytest.approx(expected)


def test_numbers_in_text_are_values():
    """A list of numbers as text is one column, and names of models are refused as before."""
    assert hs.estimate(hs.values(["0.5", "0.75", "1"]), "mean").value == 0.75
    with pytest.raises(hs.HowsureError):
        hs.values(["gpt", "claude"])


NUMBERED = {
    "0 and 1": ([0, 0, 0, 1, 1, 1, 1, 0], [0, 1, 1, 1, 1, 1, 0, 0]),
    "three": ([0, 0, 1, 2, 2, 1, 1], [0, 1, 1, 2, 0, 1, 2]),
    "from 1": ([1, 1, 1, 2, 2], [1, 2, 2, 2, 1]),
    "apart": ([7, 3, 3, 5], [3, 3, 5, 5]),
    "one class never predicted": ([0, 1, 2, 1, 0], [0, 1, 1, 1, 1]),
    "one class never true": ([0, 1, 0, 1, 0], [0, 1, 2, 1, 1]),
    "decimals": ([0.0, 1.0, 1.0, 0.0, 0.0], [1.0, 1.0, 0.0, 0.0, 0.0]),
    "truth values": ([True, False, False, True], [True, True, False, True]),
}


@pytest.mark.filterwarnings("ignore:The last")
@pytest.mark.parametrize("margins", [False, True])
@pytest.mark.parametrize("is_reversed", [False, True])
@pytest.mark.parametrize("is_turned", [False, True])
@pytest.mark.parametrize("cases", NUMBERED)
def test_numbers_on_named_axes_are_classes(cases, is_turned, is_reversed, margins):
    """A cross-table of numbered classes is read by its names, whichever axis is first and in any order."""
    true, predicted = (
        pd.Series(each, name=name) for each, name in zip(NUMBERED[cases], ("true", "predicted"), strict=True)
    )
    axes = (predicted, true) if is_turned else (true, predicted)
    matrix = pd.crosstab(*axes, margins=margins)
    if is_reversed:
        classes = len(matrix.columns) - margins
        matrix = matrix.iloc[:, [*range(classes)[::-1], *range(classes, classes + margins)]]
    expected = hs.confusion(true, predicted)
    found = hs.from_counts(matrix, labels=expected.labels)
    np.testing.assert_array_equal(found.counts, expected.counts)
    assert hs.from_counts(matrix).counts.sum() == len(true)


@pytest.mark.parametrize(
    "frame, labels, counts",
    [
        (pd.DataFrame([[5, 2], [3, 4]]), [0, 1], [[5, 2], [3, 4]]),
        (pd.DataFrame([[5, 2], [3, 4]], columns=[1, 2]), [1, 2], [[5, 2], [3, 4]]),
        (pd.DataFrame([[5, 2], [3, 4]], index=["dog", "cat"]), ["dog", "cat"], [[5, 2], [3, 4]]),
        (pd.DataFrame([[5, 2], [3, 4]], columns=["V1", "V2"]), [0, 1], [[5, 2], [3, 4]]),
        (pd.DataFrame([[5, 2], [3, 4]]).rename_axis("predicted"), [0, 1], [[5, 3], [2, 4]]),
        (pd.DataFrame([["dog", 5, 2], ["cat", 3, 4]], columns=["predicted", 0, 1]), ["dog", "cat"], [[5, 3], [2, 4]]),
        (pl.DataFrame({"column_0": [5, 3], "column_1": [2, 4]}), [0, 1], [[5, 2], [3, 4]]),
        (xr.DataArray([[5, 2], [3, 4]], dims=("predicted", "true")), [0, 1], [[5, 3], [2, 4]]),
    ],
)
def test_default_numbers_are_no_names(frame, labels, counts):
    """The default labels of a library name no classes; those of the other axis do, and the name of an axis counts."""
    table = hs.from_counts(frame)
    assert table.labels.tolist() == labels
    assert table.counts.tolist() == counts


def test_numbers_of_other_classes_are_refused():
    """Predictions of classes 2 and 3 for true classes 0 and 1 are no matrix, whatever its shape."""
    matrix = pd.crosstab(pd.Series([0, 1, 1], name="true"), pd.Series([2, 3, 3], name="predicted"))
    with pytest.raises(hs.HowsureError, match="labelled 0, 1 and its columns 2, 3"):
        hs.from_counts(matrix)


@pytest.mark.parametrize("classes", [[1, 0], [True, False], ["1", "0"], [3, 1, 2]])
def test_numbers_of_a_matrix_are_in_ascending_order(classes):
    """Classes that are numbers have the order of the numbers, in a matrix as in cases; `labels=` states another."""
    true, predicted = ([*classes, classes[0], classes[0]], [*classes, classes[-1], classes[0]])
    expected = hs.confusion(true, predicted)
    counts = hs.confusion(true, predicted, labels=classes).counts
    frame = pd.DataFrame(counts, index=classes, columns=classes)
    found = hs.from_counts(frame)
    assert found.labels.tolist() == expected.labels.tolist()
    np.testing.assert_array_equal(found.counts, expected.counts)
    assert found.is_ordered
    assert hs.from_counts(counts, labels=classes).labels.tolist() == classes


def test_zero_as_the_positive_class_has_a_caution():
    """A matrix with class 1 first and `labels=[1, 0]` has 0 as its positive class, which is seldom meant."""
    assert any(
        "“1” looks like the positive one" in each for each in hs.from_counts([[42, 5], [3, 50]], [1, 0]).cautions
    )


@pytest.mark.parametrize(
    "rows, columns",
    [
        (["T+", "T-"], ["D+", "D-"]),
        (["Test positive", "Test negative"], ["Disease present", "Disease absent"]),
        (
            ["Index test positive", "Index test negative"],
            ["Reference standard positive", "Reference standard negative"],
        ),
        (["Rapid test positive", "Rapid test negative"], ["PCR positive", "PCR negative"]),
        (["Predicted +", "Predicted -"], ["ill", "healthy"]),
    ],
)
def test_two_names_of_a_class_are_one_class(rows, columns, tmp_path):
    """A test is positive or negative, and a disease present or absent: one axis is known, and the other follows."""
    printed = [["", *columns], [rows[0], "42", "3"], [rows[1], "5", "50"]]
    (tmp_path / "m.csv").write_text("\n".join(map(",".join, printed)))
    for table in (
        hs.from_counts(pd.DataFrame([[42, 3], [5, 50]], rows, columns)),
        matrix_table(tmp_path / "m.csv"),
        hs.from_counts(pd.DataFrame([[50, 5], [3, 42]], rows[::-1], columns[::-1])),
    ):
        assert table.labels.tolist() == ["negative", "positive"]
        assert table.counts.tolist() == [[50, 3], [5, 42]]
    turned = pd.DataFrame([[42, 5], [3, 50]], columns, rows)
    assert hs.from_counts(turned).counts.tolist() == [[50, 3], [5, 42]]


@pytest.mark.parametrize(
    "rows, columns",
    [
        (["positive", "negative"], ["present", "absent"]),
        (["Test 1", "Test 2"], ["ill", "well"]),
        (["T+", "T-"], ["E+", "E-"]),
    ],
)
def test_two_names_whose_axes_are_unknown_are_refused(rows, columns):
    """Nothing says which axis is true, so the table may be turned."""
    with pytest.raises(hs.HowsureError, match="name the axes 'true' and 'predicted'"):
        hs.from_counts(pd.DataFrame([[42, 3], [5, 50]], rows, columns))


@pytest.mark.parametrize("package", ["pandas", "polars", "pyarrow"])
def test_columns_of_a_frame_are_models(package):
    """A frame names its models, as a mapping does."""
    frames = pytest.importorskip("narwhals")
    truth = [0, 1, 1, 0, 1, 0, 1, 1]
    said = {"A": [0, 1, 1, 0, 1, 0, 0, 1], "B": [0, 1, 0, 1, 1, 0, 0, 1]}
    scores = {"A": [0.1, 0.9, 0.6, 0.4, 0.8, 0.3, 0.2, 0.7], "B": [0.3, 0.7, 0.2, 0.6, 0.9, 0.5, 0.4, 0.8]}
    for source, columns, metric in ((hs.paired, said, "accuracy"), (hs.paired_scores, scores, "roc_auc")):
        frame = frames.from_dict(columns, backend=package).to_native()
        found, expected = hs.compare(source(truth, frame), metric), hs.compare(source(truth, columns), metric)
        assert (found.value, found.low, found.a) == (expected.value, expected.low, expected.a)


def test_probabilities_of_two_classes_are_no_two_models():
    """Their scores sum to 1 in each case, and one has the area of the other turned around."""
    risk = [0.1, 0.9, 0.6, 0.4, 0.8, 0.3]
    both = {"no": [1 - each for each in risk], "yes": risk}
    with pytest.raises(hs.HowsureError, match="two classes of one model. For this use `scores`"):
        hs.paired_scores([0, 1, 1, 0, 1, 0], both)
    assert hs.paired_scores([0, 1, 1, 0, 1, 0], both, check=False).names == ("no", "yes")


def test_several_models_of_runs_are_a_column():
    """A mapping has no place for the runs of a task."""
    with pytest.raises(hs.HowsureError, match="model='model', data"):
        hs.trials({"A": [1, 0], "B": [1, 1]}, task=["t", "u"])


def test_a_column_of_scores_without_labels_is_one_score_per_case():
    """An array of shape (n, 1) is no probability of each class."""
    column = [[0.2], [0.7], [0.9], [0.4]]
    assert hs.estimate(hs.calibrated(column), "accuracy", threshold=0.5).value == pytest.approx(
        (0.8 + 0.7 + 0.9 + 0.6) / 4
    )
