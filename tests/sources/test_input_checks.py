"""Data of an unexpected kind: every source refuses them, and accepts them with `check=False`."""

import inspect

import numpy as np
import pandas as pd
import pytest

import howsure as hs
from howsure.errors import DoubtfulDataError
from support.optional import optional

pl = optional("polars")

N = 40
TRUTH = ["cat", "dog"] * (N // 2)
SAID = ["cat", "dog", "dog", "cat"] * (N // 4)
OTHER = ["cat", "cat", "dog", "dog"] * (N // 4)
SCORE = np.random.default_rng(0).random(N).round(3).tolist()

LABELS = {  # source, and the columns that its arguments name
    "confusion": (hs.confusion, {"y_true": "truth", "y_pred": "said"}),
    "paired": (hs.paired, {"y_true": "truth", "y_pred": ["other", "said"]}),
    "reviewed": (hs.reviewed, {"y_true": "truth", "y_pred": "said", "y_reviewed": "checked"}),
    "prediction_powered": (hs.labels.prediction_powered, {"y_true": "trusted", "y_made": "other", "y_pred": "said"}),
    "annotated": (hs.labels.annotated, {"annotations": ["truth", "other"], "y_pred": "said"}),
}
SCORES = {
    "scores": (hs.scores, {"y_true": "truth", "y_score": "score"}),
    "paired_scores": (hs.paired_scores, {"y_true": "truth", "y_score": ["score", "third"]}),
    "multiclass_scores": (hs.multiclass_scores, {"y_true": "truth", "y_score": ["score", "second"]}),
    "calibrate": (hs.calibrate, {"y_true": "truth", "y_score": "score"}),
}
MORE = {"plain": {}, "by": {"by": "site"}, "weights": {"sample_weight": "weight"}, "groups": {"groups": "site"}}
CASES = [
    (name, more)
    for name, (source, _) in (LABELS | SCORES).items()
    for more, arguments in MORE.items()
    if set(arguments) <= set(inspect.signature(source).parameters)
]
ALTERED = {  # fault → the columns that cause it, and words of the message
    "scores": (
        {"truth": [0, 1] * (N // 2), "other": [0, 0, 1, 1] * (N // 4), "said": [0.2, 0.9, 0.9, 0.7] * (N // 4)},
        "holds fractions",
    ),
    "blanks": ({"said": [f" {label}" for label in SAID]}, "written alike"),
    "codes": ({"said": [label[0] for label in SAID]}, "share no label"),
    "missing": ({"said": ["NA", *SAID[1:]]}, "stands for a missing value"),
}


def columns(**altered):
    """Return all columns; the corrected and the trusted labels are some of the true ones."""
    found = {"truth": TRUTH, "said": SAID, "other": OTHER, "score": SCORE, "second": [1 - each for each in SCORE]}
    found["third"] = [each / 2 for each in SCORE]
    found |= {"site": ["a", "b", "b", "a", "c"] * (N // 5), "weight": [1.0, 2.0] * (N // 2)} | altered
    found["checked"] = [each if case % 3 else None for case, each in enumerate(found["truth"])]
    found["trusted"] = [each if case < 20 else None for case, each in enumerate(found["truth"])]
    return found


def as_arrays(arguments, found):
    """Return the arguments with the columns themselves."""
    return {
        role: found[name] if isinstance(name, str) else {each: found[each] for each in name}
        for role, name in arguments.items()
    }


def given(kind, arguments, found, tmp_path):
    """Return the arguments of a call, with the columns in arrays, frames or a file."""
    names = dict.fromkeys(each for name in arguments.values() for each in ([name] if isinstance(name, str) else name))
    found = {name: found[name] for name in names}
    if kind == "arrays":
        return as_arrays(arguments, found)
    if kind == "mapping":
        return {**arguments, "data": found}
    if kind == "polars":
        return {**arguments, "data": pl.DataFrame(found)}
    if kind == "lazy":
        return {**arguments, "data": pl.LazyFrame(found)}
    frame = pd.DataFrame(found)
    if kind == "pandas":
        return {**arguments, "data": frame}
    frame.to_csv(tmp_path / "cases.csv", index=False)
    return {**arguments, "data": tmp_path / "cases.csv"}


def refused(words, source, **arguments):
    """Assert that a source refuses the data in one line with the remedy, and accepts them with it."""
    with pytest.raises(DoubtfulDataError, match=words) as caught:
        source(**arguments)
    assert "\n" not in str(caught.value)
    assert str(caught.value).endswith("pass `check=False`.")
    assert source(**arguments, check=False) is not None


@pytest.mark.parametrize(
    "kind, name, wrong",
    [
        (kind, name, wrong)
        for row, kind in enumerate(["arrays", "mapping", "pandas", "polars", "lazy", "csv"])
        for column, name in enumerate(LABELS)
        for place, wrong in enumerate(ALTERED)
        if kind == "arrays" or (row + column + place) % 3 == 0  # every fault of each source, and of each container
    ],
)
def test_labels_that_cannot_be_right_are_refused(kind, name, wrong, tmp_path):
    """Scores for predictions, blanks, other codes and words for missing values are refused, wherever they come from."""
    source, arguments = LABELS[name]
    altered, words = ALTERED[wrong]
    if (kind, wrong) == ("csv", "missing"):
        words = "missing"  # pandas writes missing values as nothing
    refused(words, source, **given(kind, arguments, columns(**altered), tmp_path))


@pytest.mark.parametrize("name, more", CASES)
def test_no_source_judges_a_column_by_itself(name, more):
    """One column in two roles is refused as an array, as a Series, and by its name; also by groups and weights."""
    source, arguments = (LABELS | SCORES)[name]
    arguments = arguments | MORE[more]
    found = columns(truth=[0, 1] * (N // 2))
    judged = next(role for role, each in arguments.items() if role.startswith(("y_pred", "y_score")))
    first = next(role for role in arguments if role != judged)
    taken = arguments[first] if isinstance(arguments[first], str) else arguments[first][0]
    twice = [taken, "score"] if isinstance(arguments[judged], list) else taken
    arguments = {role: twice if role == judged else each for role, each in arguments.items()}
    frames = [pd.DataFrame(found), pl.DataFrame(found), *([] if name == "multiclass_scores" else [None])]
    for frame in frames:
        given_by = as_arrays(arguments, found) if frame is None else {**arguments, "data": frame}
        with pytest.raises(DoubtfulDataError, match="same column"):
            source(**given_by)


def test_an_array_is_known_by_its_place():
    """Two Series or views of the same numbers are one column; an equal copy is another, and a perfect model."""
    truth = np.array([0, 1, 1, 0])
    refused("same column", hs.confusion, y_true=pd.Series(truth, copy=False), y_pred=truth)
    refused("same column", hs.confusion, y_true=truth[:], y_pred=truth)
    assert hs.estimate(hs.confusion(truth, truth.copy()), "accuracy") == 1
    matrix = np.array([[0, 0], [1, 1], [1, 0]])
    assert hs.estimate(hs.confusion(matrix[:, 0], matrix[:, 1]), "accuracy") == pytest.approx(2 / 3)


@pytest.mark.parametrize("name, more", [each for each in CASES if each[0] != "multiclass_scores"])
def test_series_of_other_cases_are_refused(name, more):
    """Series with the same index in another order are refused: cases are matched by position."""
    source, arguments = (LABELS | SCORES)[name]
    found = {name: pd.Series(each, index=range(100, 100 + N)) for name, each in columns().items()}
    arguments = arguments | MORE[more]
    assert source(**as_arrays(arguments, found)) is not None
    found["truth"], found["trusted"] = found["truth"][::-1], found["trusted"][::-1]
    refused("different indices", source, **as_arrays(arguments, found))


def test_scores_in_a_matrix_have_no_index():
    """Scores of many classes are an array; true classes and weights must still have the same index."""
    arguments = {"y_true": pd.Series(TRUTH, index=range(5, N + 5)), "y_score": np.random.default_rng(0).random((N, 2))}
    refused("different indices", hs.multiclass_scores, **arguments, sample_weight=pd.Series(1, index=range(9, N + 9)))


def test_cases_without_labels_are_of_one_index():
    """Also without labels, columns with different indices are refused."""
    score = pd.Series(SCORE, index=range(5, N + 5))
    refused("different indices", hs.calibrated, y_score=score, by=pd.Series(SAID, index=range(N, 0, -1)))


def test_multilabel_arrays_are_doubted_too():
    """An indicator array is not a prediction of itself."""
    truth = np.array([[0, 1], [1, 1], [1, 0]])
    refused("same column", hs.confusion, y_true=truth, y_pred=truth)


@pytest.mark.parametrize(
    "index", [[7, 3, 9, 1], [0, 1, 2, 3], None], ids=["of a sample", "equal", "an array without one"]
)
def test_indices_that_agree_with_positions(index):
    """A Series cut from a frame can be combined with an array, or with a Series with a default index."""
    truth = pd.Series([0, 1, 1, 0], index=[7, 3, 9, 1] if index != [0, 1, 2, 3] else index)
    predicted = np.array([0, 1, 0, 0])
    assert hs.confusion(truth, predicted if index is None else pd.Series(predicted, index=index)).rows == 4
    assert hs.confusion(truth, pd.Series(predicted)).rows == 4


def test_text_beside_numbers_of_the_same_digits():
    """Within one column, too, a number and its text are two labels that would never agree."""
    refused("written alike", hs.confusion, y_true=[0, 1] * 5, y_pred=[0, "1"] * 5)
    refused("written alike", hs.confusion, y_true=["a", b"b"] * 5, y_pred=["a", "b"] * 5)


@pytest.mark.parametrize("wrong", [["ill", "ill "], ["ill", "NA"]])
@pytest.mark.parametrize("name", SCORES)
def test_true_classes_beside_scores_are_looked_at(name, wrong):
    """Blanks and words for missing values make no class of their own where scores are judged."""
    source, arguments = SCORES[name]
    found = columns(truth=wrong * (N // 2))
    refused("written alike|missing value", source, **as_arrays(arguments | {"y_score": "score"}, found)) if name in {
        "scores",
        "calibrate",
    } else refused("written alike|missing value", source, **arguments, data=found)


@pytest.mark.parametrize("metric", [hs.accuracy_score, hs.f1_score, hs.roc_auc_score, hs.brier_score_loss])
def test_names_of_scikit_learn_have_the_way_out(metric):
    """The functions with scikit-learn's names refuse the truth as its own prediction, and take it with the keyword."""
    truth = np.array([0, 1, 1, 0])
    with pytest.raises(DoubtfulDataError, match="same column"):
        metric(truth, truth)
    assert metric(truth, truth, check=False) == (0 if metric is hs.brier_score_loss else 1)


def test_identifiers_are_no_classes():
    """More than 2,000 classes are treated as identifiers; a table of a hundred thousand is always refused."""
    ids = np.arange(2001)
    refused("2,001 classes", hs.confusion, y_true=ids, y_pred=ids[::-1].copy())
    assert len(hs.confusion(ids, ids[::-1].copy(), labels=ids).labels) == 2001
    many = np.arange(100_000)
    with pytest.raises(hs.HowsureError, match="does not fit into memory"):
        hs.confusion(many, many, check=False)


def test_named_classes_are_meant():
    """A class named with `labels=` is accepted, for any name."""
    table = hs.confusion(["NA", "EU", "NA"], ["NA", "EU", "EU"], labels=["EU", "NA"])
    assert table.counts.tolist() == [[1, 0], [1, 1]]


def test_all_wrong_is_no_doubt():
    """Few cases of one class, all of them wrong, are data like others."""
    assert hs.estimate(hs.confusion([1, 1, 1], [0, 0, 0]), "accuracy") == 0


def test_ordinal_halves_are_labels():
    """Labels with fractions on both sides, such as half stars, are not scores."""
    table = hs.confusion([0.5, 1, 1.5, 2], [0.5, 1.5, 1.5, 2])
    assert table.labels.tolist() == [0.5, 1.0, 1.5, 2.0]


def test_a_long_row_is_no_case_of_many_labels():
    """MATLAB's files hold vectors as arrays of one row; one case of a few labels, or of named ones, is read."""
    rng = np.random.default_rng(4)
    true, predicted = rng.integers(0, 2, (2, 1, 300))
    with pytest.raises(DoubtfulDataError, match=r"one case with 300 labels.*y_true\.ravel\(\)"):
        hs.confusion(true, predicted)
    assert hs.confusion(true, predicted, labels=[f"tag {number}" for number in range(300)]).rows == 1
    assert hs.confusion(true, predicted, check=False).rows == 1
    assert hs.confusion(true[:, :3], predicted[:, :3]).rows == 1
    matches = int((true == predicted).sum())
    assert hs.estimate(hs.confusion(true.ravel(), predicted.ravel()), "accuracy").value == matches / 300


@pytest.mark.parametrize("name", ["confusion", "paired"])
def test_lines_with_unread_frequencies_are_refused(name):
    """A table with a line for each combination of labels and a column of frequencies needs `counts`."""
    lines = pd.DataFrame(
        [(true, one, two, 3 + number) for number, (true, one, two) in enumerate(np.ndindex(3, 3, 3))],
        columns=["truth", "one", "two", "Freq"],
    )
    if name == "confusion":
        lines = lines.groupby(["truth", "one"], as_index=False).Freq.sum()
    ask = {"confusion": lambda **more: hs.confusion("truth", "one", data=lines, **more)}.get(
        name, lambda **more: hs.paired("truth", ["one", "two"], data=lines, **more)
    )
    with pytest.raises(DoubtfulDataError, match="'Freq' seems to hold numbers of cases"):
        ask()
    assert ask(counts="Freq").rows == lines.Freq.sum()
    assert ask(check=False).rows == len(lines)


def test_each_models_codes_are_compared_with_the_true_ones():
    """The second model's −1 and 1 beside 0 and 1 are refused, as the first one's are."""
    rng = np.random.default_rng(8)
    true, one, two = rng.integers(0, 2, (3, 60))
    assert hs.paired(true, {"A": one, "B": two}).rows == 60
    for said in ({"A": one, "B": 2 * two - 1}, {"A": 2 * two - 1, "B": one}):
        with pytest.raises(DoubtfulDataError, match="the same classes in other codes"):
            hs.paired(true, said)


@pytest.mark.parametrize(
    "codes",
    [("no", "yes", 0, 1), ("0", "1", "no", "yes"), ("0", "1", "False", "True"), ("Negative", "Positive", "N", "Y")],
)
def test_two_codes_of_the_same_classes_are_refused(codes):
    """Half of the files say 0 and 1 and the others "no" and "yes", which would count as four classes."""
    y_true = [each for each in codes for _ in range(5)]
    with pytest.raises(hs.HowsureError, match="two codes of the same classes"):
        hs.confusion(y_true, y_true[::-1])
    assert len(hs.confusion(y_true, y_true[::-1], check=False).labels) == 4


def test_four_classes_that_share_a_word_are_classes():
    """Only four words that are two known pairs are refused."""
    y_true = ["yes", "no", "maybe", "never"] * 5
    assert len(hs.confusion(y_true, y_true[::-1]).labels) == 4
    numbers = np.array([0, 1] * 10)
    assert len(hs.confusion(numbers, numbers[::-1] > 0).labels) == 2  # False equals 0


def test_a_last_row_of_averages_is_refused():
    """The mean of right and wrong answers below their column is no answer; grades may end in their mean."""
    answers = [1, 0, 1, 1, 0, 1, 0, 1, 1, 0]
    with pytest.raises(hs.HowsureError, match="0.6, is the mean of the others"):
        hs.values({"one": [*answers, 0.6], "two": [*answers, 0.6]})
    assert hs.values([*answers, 0.5]).rows == 11
    assert hs.values([1, 3, 1, 3, 1, 3, 2, 2, 2, 2, 2]).rows == 11
    thirds = [1, 0, 1, 1, 0, 1, 0, 1, 1]
    with pytest.raises(hs.HowsureError, match="is the mean of the others"):
        hs.values([*thirds, 0.667])


@pytest.mark.parametrize("one, other", [("a;b", "b;a"), ("a, b", "b,a"), ("{a, b}", "{b, a}")])
def test_labels_with_the_same_parts_are_refused(one, other):
    """Several labels in one text are equal in any order, which two texts are not."""
    with pytest.raises(hs.HowsureError, match="same parts in another order"):
        hs.confusion([one, "a"] * 5, [other, "a"] * 5)
    assert hs.confusion([one, "a"] * 5, [one, "a"] * 5).rows == 10
    assert hs.confusion(["big cell, small", "a"] * 5, ["small cell, big", "a"] * 5).rows == 10


def test_counts_in_a_file_that_are_no_numbers(tmp_path):
    """The message names the column, which may hold weights or counts."""
    path = tmp_path / "counts.csv"
    path.write_text('true,said,n\na,a,"1,200"\na,b,100\nb,b,"2,000"\n')
    with pytest.raises(hs.HowsureError, match=r"`counts` \(column 'n'\) is not numeric"):
        hs.confusion("true", "said", counts="n", data=path)


def test_labels_that_are_one_number_are_refused():
    """Text with other zeros at its ends is the same number."""
    for one, other in (("01", "1"), ("1.0", "1"), ("0.50", "0.5"), ("-1", "-01")):
        with pytest.raises(hs.HowsureError, match="are one number, and would never agree"):
            hs.confusion([one, "2", "3"] * 5, [other, "2", one] * 5)
    assert hs.confusion(["01", "02"] * 5, ["01", "01"] * 5).rows == 10


def test_a_nullable_float_agrees_with_the_equal_integer():
    """Numbers of two types are one class where they are equal: 1.0 of pandas' Float64 and 1."""
    truth = pd.Series([1.0, 0.0, 0.0, 1.0, 1.0], dtype="Float64")
    assert hs.confusion(truth, np.array([1, 0, 1, 1, 0])).counts.tolist() == [[1, 1], [1, 2]]


@pytest.mark.parametrize(
    "mark, others",
    [
        ("?", ["a", "b"]),
        ("-", ["no", "yes"]),
        (".", ["a", "b", "c"]),
        (999, [0, 1]),
        (9, [1, 2, 3]),
        (-1, [0, 1]),
        (255, [0, 1, 2]),
        ("99", ["1", "2"]),
        ("unlabelled", ["a", "b"]),
    ],
)
def test_a_mark_among_the_true_labels_is_refused(mark, others):
    """Cases without a label would count as errors; a label that is also predicted, or is named, is a class."""
    true, said = [*others * 10, mark, mark], [*others * 10, others[0], others[1]]
    with pytest.raises(DoubtfulDataError, match="which is never predicted: a mark for a missing label"):
        hs.confusion(true, said)
    assert hs.confusion(true, said, check=False).rows == len(true)
    assert hs.confusion(true, said, labels=[*others, mark]).rows == len(true)
    assert hs.confusion(true, [*said[:-1], mark]).rows == len(true)
    assert hs.confusion(true, said, labels=others).rows == len(true) - 2


@pytest.mark.parametrize(
    "true", [["unknown", "a", "b"], ["-", "+"], [-1, 0, 1], [1, 2, 3], ["c", "a", "b"]], ids=lambda true: str(true[0])
)
def test_a_class_that_is_never_predicted_is_no_mark(true):
    """A model may never predict a class, such as the unknown or the first of three grades."""
    assert hs.confusion(true * 4, [true[-1]] * (4 * len(true))).rows == 4 * len(true)


def test_a_second_header_is_refused():
    """A line of units or of descriptions below the header is no case."""
    true, said = ["(gold)", *["no", "yes"] * 12], ["(model)", *["no", "no", "yes", "yes"] * 6]
    with pytest.raises(DoubtfulDataError, match="second header, it seems"):
        hs.confusion(true, said)
    with pytest.raises(DoubtfulDataError, match="second header, it seems"):
        hs.paired(true, {"a": said, "b": ["(other)", *said[:0:-1]]})
    assert hs.confusion(true[1:], said[1:]).rows == 24
    assert hs.confusion(["no", *true[1:]], said).rows == 25  # a rare prediction
    assert hs.confusion([*true, "no"], [*said, "(gold)"]).rows == 26  # two rare classes that occur on both sides
    assert hs.confusion(true, said, check=False).rows == 25


def test_an_error_of_a_formula_is_refused():
    """A cell of a spreadsheet that could not be computed has no label."""
    with pytest.raises(DoubtfulDataError, match="'#N/A' stands for a missing value"):
        hs.confusion(["a", "b", "#N/A"] * 4, ["a", "b", "a"] * 4)
    with pytest.raises(DoubtfulDataError, match="'#DIV/0!' stands for a missing value"):
        hs.confusion(["a", "b", "#DIV/0!"] * 4, ["a", "b", "a"] * 4)


def test_what_a_table_cautions_of_is_printed_with_its_metrics():
    """A reader of the metrics sees the cautions of the table, in Python as in the shell."""
    found = hs.evaluate(hs.confusion(["a", "b"] * 10, ["a", "b"] * 9 + ["a", "c"]), ["accuracy"])
    assert "Class “c” is predicted and never occurs" in str(found)


def test_a_caution_is_printed_once():
    """The caution about the positive class is one of the table's too."""
    found = str(hs.evaluate(hs.confusion(["ja", "nein"] * 10, ["ja", "nein"] * 9 + ["ja", "ja"]), ["sensitivity"]))
    assert found.count("looks like the positive one") == 1


@pytest.mark.parametrize("function", [hs.confusion, hs.accuracy_score, hs.zero_one_loss, hs.hamming_loss])
def test_one_long_row_is_doubted(function):
    """Arrays of shape (1, 80) are a vector, as in files of MATLAB, rather than one case with 80 labels."""
    row = [[0, 1] * 40]
    with pytest.raises(DoubtfulDataError, match=r"one case with 80 labels. For 80 cases give columns"):
        function(np.array(row), np.array(row))
    function(np.array(row), np.array(row), check=False)


def test_an_iterator_is_refused_with_the_list():
    """Its values could be read once only."""
    with pytest.raises(hs.HowsureError, match=r"Give `list\(y_true\)`"):
        hs.confusion(iter([0, 1, 1]), [0, 1, 1])
