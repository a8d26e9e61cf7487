"""Counts of identical cases are the cases written out, and the layouts of other packages are read or refused."""

import inspect
from functools import partial

import numpy as np
import pandas as pd
import pytest

import howsure as hs
from howsure.tables.cautions import of_positive
from support.optional import optional
from support.public import NAMES
from support.shell import run

pl = optional("polars")

LINES = {
    "truth": ["n", "n", "p", "p"],
    "said": ["n", "p", "n", "p"],
    "other": ["n", "n", "p", "n"],
    "n": [50, 3, 5, 42],
}
SCORED = {"truth": [0, 0, 1, 1, 1], "score": [0.1, 0.4, 0.4, 0.9, 0.2], "other": [0.3, 0.1, 0.8, 0.7, 0.9]}
SCORED |= {"n": [7, 3, 2, 9, 0], "site": ["a", "b", "a", "b", "a"]}


def written_out(lines):
    """Return the columns with each line repeated by its number."""
    number = lines["n"]
    return {name: list(np.repeat(column, number)) for name, column in lines.items() if name != "n"}


SOURCES = {
    "confusion": (lambda data, **more: hs.confusion("truth", "said", data=data, **more), LINES, "f1"),
    "paired": (
        lambda data, **more: hs.paired("truth", ["said", "other"], data=data, **more).model("other"),
        LINES,
        "f1",
    ),
    "scores": (lambda data, **more: hs.scores("truth", "score", data=data, **more), SCORED, "roc_auc"),
    "paired scores": (
        lambda data, **more: hs.paired_scores("truth", ["score", "other"], data=data, **more).model("other"),
        SCORED,
        "roc_auc",
    ),
    "values": (lambda data, **more: hs.values("score", data=data, **more), SCORED, "mean"),
    "clusters": (
        lambda data, **more: hs.confusion("truth", "truth", data=data, groups="site", check=False, **more),
        SCORED,
        "accuracy",
    ),
    "columns of classes": (
        lambda data, **more: hs.multiclass_scores("truth", ["score", "other"], data=data, labels=[0, 1], **more),
        SCORED,
        "log_loss",
    ),
}


@pytest.mark.parametrize("kind", ["mapping", "pandas", "polars", "lazy", "csv"])
@pytest.mark.parametrize("source", SOURCES)
def test_counts_are_the_cases_written_out(source, kind, tmp_path):
    """Value and limits are those of the file with a row for each case."""
    make, lines, metric = SOURCES[source]
    if source == "columns of classes":
        lines = {**lines, "other": [1 - each for each in lines["score"]]}
    pd.DataFrame(lines).to_csv(tmp_path / "lines.csv", index=False)
    data = {
        "mapping": lines,
        "pandas": pd.DataFrame(lines),
        "polars": pl.DataFrame(lines),
        "lazy": pl.LazyFrame(lines),
        "csv": tmp_path / "lines.csv",
    }[kind]
    found, right = make(data, counts="n"), make(written_out(lines))
    assert found.rows == right.rows
    one, other = (hs.estimate(table, metric) for table in (found, right))
    assert (one.value, one.low, one.high) == pytest.approx((other.value, other.low, other.high))


@pytest.mark.parametrize("command", ["report", "compare", "leaderboard"])
def test_the_shell_takes_counts(command, tmp_path):
    """Each command that reads labels has `--counts`."""
    path = tmp_path / "lines.csv"
    pd.DataFrame(LINES).to_csv(path, index=False)
    models = ["said"] if command == "report" else ["said", "other"]
    found = run(command, path, "--y-true", "truth", "--y-pred", *models, "--counts", "n", "--format", "csv")
    assert found.returncode == 0, found.stderr


@pytest.mark.parametrize(
    "given, words",
    [
        ({"counts": [0.4, 0.1, 0.1, 0.4]}, "whole numbers of identical cases"),
        ({"counts": [1, 2, -3, 4]}, "is negative"),
        ({"counts": [1, 2, 3, 4], "sample_weight": [1, 1, 1, 1]}, "and not both"),
        ({"sample_weight": LINES["n"]}, "Give them as `counts`"),
        ({"counts": [0, 0, 0, 0]}, "all zeros"),
    ],
)
def test_what_are_no_counts(given, words):
    """Fractions, and weights that look like counts, are refused with the remedy."""
    with pytest.raises(hs.HowsureError, match=words):
        hs.confusion(LINES["truth"], LINES["said"], **given)


def test_weights_of_many_cases_are_weights():
    """Integer weights of cases with repeated labels are not a table of frequencies."""
    table = hs.confusion(["a", "b", "a", "b", "a"], ["a", "b", "b", "b", "a"], sample_weight=[3, 5, 4, 4, 7])
    assert type(table.design).__name__ == "Weighted"


# --- positive class -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words",
    [
        ("case", "control"),
        ("disease", "healthy"),
        ("+", "-"),
        ("ER+", "ER-"),
        ("fraud", "legit"),
        ("abnormal", "normal"),
        ("attack", "benign"),
        ("event", "no event"),
        ("churned", "retained"),
        ("diabetes", "not diabetes"),
    ],
)
def test_words_that_suggest_the_other_class_are_a_caution(words):
    """The alphabet makes the wrong one positive; a stated one has no caution."""
    positive, negative = words
    table = hs.confusion([*words] * 5, [*words] * 4 + [negative, positive])
    said = [each for each in table.cautions if "pos_label" in each]
    assert len(said) == (max(words) == negative)
    assert not [each for each in hs.confusion([*words], [*words], pos_label=positive).cautions if "pos_label" in each]


@pytest.mark.parametrize("words", [("no", "yes"), ("benign", "malignant"), ("ham", "spam"), ("cat", "dog"), ("a", "b")])
def test_other_words_are_no_caution(words):
    """The last word is the positive one, or neither suggests it."""
    assert not [*of_positive(*words)]


@pytest.mark.parametrize(
    "labels, named", [((0, 1), False), ((False, True), False), (("0", "1"), False), ((1, 2), True)]
)
def test_the_positive_class_is_printed_where_labels_do_not_say_it(labels, named):
    """Zero and one, and truth values, need no name; all others are named in print, repr and records."""
    table = hs.confusion([labels[i % 2] for i in range(20)], [labels[i % 3 > 0] for i in range(20)])
    found = hs.estimate(table, "f1")
    assert ("positive: 2" in str(found)) is named
    assert ("positive: 2" in repr(table)) is named
    assert found.to_dict()["positive"] == "2" * named
    assert "positive" not in str(hs.estimate(table, "accuracy"))


def test_every_result_names_the_positive_class():
    """Estimates, evaluations, groups, comparisons and leaderboards name it; a stated one is not in the number."""
    words = ["case", "control"] * 20
    said = ["case", "control", "control", "control"] * 10
    table = hs.confusion(words, said)
    pair = hs.paired(words, {"a": said, "b": words[::-1]})
    groups = hs.evaluate(hs.confusion(words, said, by=["x"] * 20 + ["y"] * 20), ["recall"])
    for each in (
        hs.estimate(table, "f1"),
        hs.evaluate(table, ["f1"]),
        groups,
        hs.compare(pair, "f1"),
        hs.leaderboard(pair, "f1"),
    ):
        assert "control" in str(each)
    stated = hs.estimate(hs.confusion(words, said, pos_label="case"), "f1")
    assert "case" not in str(stated)
    assert "case" in repr(stated)
    assert stated.positive == "case"


def test_an_area_of_zero_gives_that_of_the_other_class():
    """Scores that are high for the other class have an area below one half: the result states this."""
    found = hs.estimate(hs.scores(["control", "case"] * 10, [0.1, 0.9, 0.4, 0.6] * 5), "roc_auc")
    assert found.value == 0
    assert "of the other class, case, it is 1.000" in found.reason


def test_scikit_learns_functions_ask_for_the_positive_class():
    """They list the classes, and the code to write."""
    with pytest.raises(hs.HowsureError, match="'benign' and 'malignant'.*pos_label='malignant'"):
        hs.f1_score(["benign", "malignant"] * 3, ["benign"] * 6)


# --- layouts --------------------------------------------------------------------------------------------------------

TALLIES = [[0, 0, 14], [2, 6, 6], [0, 8, 6], [3, 9, 2], [7, 7, 0], [3, 5, 6]]


def test_numbers_by_category_are_read_or_refused():
    """Fleiss' kappa of the numbers equals that of the ratings; Conger's needs the individual raters."""
    with pytest.raises(hs.HowsureError, match="layout='category_counts'"):
        hs.ratings(TALLIES)
    table = hs.ratings(TALLIES, layout="category_counts")
    each = [[place for place, number in enumerate(row) for _ in range(number)] for row in TALLIES]
    share = np.array(TALLIES) / 14
    agreeing = ((np.array(TALLIES) * (np.array(TALLIES) - 1)).sum(1) / (14 * 13)).mean()
    chance = (share.mean(0) ** 2).sum()
    assert hs.estimate(table, "fleiss_kappa").value == pytest.approx((agreeing - chance) / (1 - chance))
    assert hs.estimate(hs.ratings(each, check=False), "fleiss_kappa").value == pytest.approx(
        (agreeing - chance) / (1 - chance)
    )
    with pytest.raises(hs.HowsureError, match="the rater of each rating"):
        hs.estimate(table, "conger_kappa")
    with pytest.raises(hs.HowsureError, match="the rater of each rating"):
        hs.estimate(table, "fleiss_kappa", method="raters")


def test_raters_in_rows_are_read_or_refused():
    """Four observers in rows, of twelve units, are not twelve raters of four items."""
    rows = [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, 5, 1, 3],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, 2, 3],
        [1, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, 3],
    ]
    with pytest.raises(hs.HowsureError, match="layout='raters_by_items'"):
        hs.ratings(rows)
    found, right = hs.ratings(rows, layout="raters_by_items"), hs.ratings(np.array(rows).T)
    assert hs.estimate(found, "fleiss_kappa").value == hs.estimate(right, "fleiss_kappa").value


@pytest.mark.parametrize(
    "winner, more, share",
    [
        (["left", "right", "right"], {}, 1 / 3),
        (["first", "first", "second"], {}, 2 / 3),
        ([1, 2, 2], {}, 1 / 3),
        ([1, 0, 0.5], {}, 1 / 2),
        ([1, 0, 0], {"numbers": "score"}, 1 / 3),
        ([1, 0, 0], {"numbers": "index"}, 2 / 3),
        ([True, True, False], {}, 2 / 3),
    ],
)
def test_winners_in_words_and_numbers(winner, more, share):
    """The share of the first model follows from the meaning of the words."""
    table = hs.preferences(["A"] * 3, ["B"] * 3, winner, **more)
    assert hs.estimate(table.model("A"), "win_rate").value == pytest.approx(share)


def test_zero_and_one_are_a_score_or_an_index():
    """The data are ambiguous: refused with both interpretations."""
    with pytest.raises(hs.HowsureError, match="numbers='score'.*numbers='index'"):
        hs.preferences(["A", "B"], ["B", "A"], [0, 1])


def test_blank_groups_and_marks_of_ignored_cases():
    """A blank is not a cluster; labels that are never predicted may mark cases to be left out."""
    for role in ({"groups": ["", "a", "", "b"]}, {"by": ["x", "", "x", "x"]}):
        with pytest.raises(hs.HowsureError, match="blank"):
            hs.confusion([0, 1, 0, 1], [0, 1, 1, 1], **role)
    for mark in (255, -1):
        assert [each for each in hs.confusion([0, 1, mark] * 5, [0, 1, 1] * 5).cautions if "left out" in each]
    printed = str(hs.evaluate(hs.confusion([0, 1] * 8, [0, 1] * 8, by=["all"] * 8 + ["b"] * 8), "accuracy"))
    assert "all cases" in printed


# --- every source ---------------------------------------------------------------------------------------------------

RNG = np.random.default_rng(11)
ROWS = 14
NUMBER = np.array([3, 0, 2, 5, 4, 1, 6, 2, 3, 4, 5, 2, 1, 7])
HUMAN = ["no", "no", "no", "no", "no", "no", "no", "yes", "yes", "yes", "yes", "yes", None, None]
JUDGE = ["no", "no", "yes", "no", "no", "yes", "no", "yes", "yes", "no", "yes", "yes", "no", "yes"]
SAID = ["no", "yes", "no", "no", "no", "no", "yes", "yes", "no", "yes", "yes", "yes", "no", "yes"]
PROBABILITY = [0.1, 0.2, 0.3, 0.15, 0.25, 0.4, 0.35, 0.9, 0.7, 0.6, 0.8, 0.95, 0.3, 0.7]
DOCUMENTS = [["B-X", "O"], ["O", "B-Y"], ["B-X", "I-X"], ["O", "O"]] * 3 + [["B-Y", "O"], ["B-X", "B-Y"]]
FOUND = [["B-X", "O"], ["O", "B-X"], ["B-X", "O"], ["O", "B-Y"]] * 3 + [["B-Y", "O"], ["B-X", "O"]]
BOXES = [{"scores": [0.9, 0.3], "hits": [[place % 2], [0]]} for place in range(ROWS)]
SOURCE = hs.from_counts([[90, 10], [5, 45]], labels=["no", "yes"])
BY_SCORE = hs.scores(RNG.integers(0, 2, 400), RNG.random(400))


def estimated(metric, **more):
    """Return a function that estimates a metric."""
    return lambda table: list(hs.estimate(table, metric, **more).to_dict().values())


DISPARITIES = [
    f"{criterion}_{kind}"
    for criterion in ("demographic_parity", "equalized_odds", "equal_opportunity")
    for kind in ("difference", "ratio")
]


def disparity(name, r, **options):
    """Return a disparity of two groups, by Fairlearn's name."""
    groups = r(["x", "y"] * 7)
    return getattr(hs.compat, name)(r(SAID), r(JUDGE), sensitive_features=groups, random_state=0, **options)


COUNTED = {  # source → its call with rows, and the compared metric
    "confusion": (lambda r, **k: hs.confusion(r(SAID), r(JUDGE), **k), estimated("f1")),
    "count_cases": (
        lambda r, **k: hs.kinds.count_cases(hs.tables.ValuesTable, {"values": r(PROBABILITY)}, **k),
        estimated("mean"),
    ),
    "confusion of indicators": (
        lambda r, **k: hs.confusion(
            r(np.eye(3, dtype=int)[np.arange(ROWS) % 3]), r(np.eye(3, dtype=int)[[0] * 9 + [1] * 5]), **k
        ),
        estimated("f1@micro"),
    ),
    "paired": (lambda r, **k: hs.paired(r(SAID), {"a": r(JUDGE), "b": r(SAID[::-1])}, **k).model("a"), estimated("f1")),
    "scores": (lambda r, **k: hs.scores(r(SAID), r(PROBABILITY), **k), estimated("roc_auc")),
    "paired_scores": (
        lambda r, **k: hs.paired_scores(r(SAID), {"a": r(PROBABILITY), "b": r(PROBABILITY[::-1])}, **k).model("b"),
        estimated("roc_auc"),
    ),
    "multiclass_scores": (
        lambda r, **k: hs.multiclass_scores(r(SAID), r(np.stack([1 - np.array(PROBABILITY), PROBABILITY], 1)), **k),
        estimated("log_loss"),
    ),
    "values": (lambda r, **k: hs.values(r(PROBABILITY), **k), estimated("mean")),
    "values with a truth": (
        lambda r, **k: hs.values(r(PROBABILITY), truth=r(PROBABILITY[::-1]), **k),
        estimated("mae"),
    ),
    "trials": (
        lambda r, **k: hs.trials(r([1, 0] * 7), task=r([1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7]), **k),
        estimated("mean"),
    ),
    "preferences": (
        lambda r, **k: hs.preferences(
            r(["a"] * 14), r(["b"] * 14), r(["model_a", "model_b", "tie", "model_b"] * 3 + ["tie", "model_a"]), **k
        ),
        lambda table: [hs.leaderboard(table, "bradley_terry", random_state=0).records()[0]["value"]],
    ),
    "ratings": (lambda r, **k: hs.ratings({"a": r(SAID), "b": r(JUDGE)}, **k), estimated("krippendorff_alpha")),
    "events": (
        lambda r, **k: hs.events(r([1, 2] * 7), r([0, 1] * 7), r([1, 0, 2, 0, 1, 1, 0] * 2), **k),
        estimated("f1"),
    ),
    "entities": (lambda r, **k: hs.entities(r(DOCUMENTS), r(FOUND), **k), estimated("f1@micro")),
    "detections": (lambda r, **k: hs.detections(r(BOXES), r([1] * ROWS), iou=0.5, **k), estimated("map")),
    "annotated": (
        lambda r, **k: hs.labels.annotated({"x": r(SAID), "y": r(JUDGE), "z": r(SAID[::-1])}, r(JUDGE[::-1]), **k),
        estimated("f1"),
    ),
    "consensus": (
        lambda r, **k: hs.labels.consensus({"x": r(SAID), "y": r(JUDGE)}, random_state=0, **k),
        lambda found: [float(each) for one in found.annotators.values() for each in one.values()],
    ),
    "judged": (lambda r, **k: hs.judged(r(HUMAN), r(JUDGE), **k), estimated("pass_rate")),
    "judged_values": (
        lambda r, **k: hs.judged_values(
            r([None if each is None else 1.0 * (each == "yes") for each in HUMAN]), r(PROBABILITY), bounds=(0, 1), **k
        ),
        estimated("mean"),
    ),
    "judge_bias": (
        lambda r, **k: hs.labels.judge_bias(r(HUMAN), r(JUDGE), r(PROBABILITY), **k),
        lambda found: [found.value],
    ),
    "partly_labelled": (
        lambda r, **k: hs.partly_labelled(r(HUMAN), r(JUDGE), r(PROBABILITY), **k),
        estimated("recall"),
    ),
    "prediction_powered": (
        lambda r, **k: hs.labels.prediction_powered(r(HUMAN), r(JUDGE), r(SAID), **k),
        estimated("f1"),
    ),
    "reviewed": (
        lambda r, **k: hs.reviewed(y_true=r(JUDGE), y_pred=r(SAID), y_reviewed=r(HUMAN), **k),
        estimated("f1", method="delta"),
    ),
    "calibrated": (lambda r, **k: hs.calibrated(r(PROBABILITY), **k), estimated("roc_auc")),
    "calibrated predictions": (
        lambda r, **k: hs.calibrated(r(PROBABILITY), y_pred=r([each == "yes" for each in SAID]), **k),
        estimated("f1"),
    ),
    "calibrate": (
        lambda r, **k: hs.calibrate(r(PROBABILITY), r(SAID), method="platt", random_state=0, **k),
        lambda found: found.predict([0.2, 0.5]).tolist(),
    ),
    "transported": (lambda r, **k: hs.transported(SOURCE, r(SAID), **k), estimated("precision")),
    "label_shift_test": (
        lambda r, **k: hs.shift.label_shift_test(
            BY_SCORE, np.tile(r(np.array(PROBABILITY)), 20), **{n: np.tile(v, 20) for n, v in k.items()}
        ),
        lambda found: [found.statistic],
    ),
    **{name: (partial(disparity, name), lambda found: [found.value, found.low, found.high]) for name in DISPARITIES},
}
WITHOUT = {
    "importance_weights": lambda **k: hs.shift.importance_weights([1.0, 2.0], **k),
    "sample_to_label": lambda **k: hs.labels.sample_to_label("f1", 2, y_pred=SAID, y_score=PROBABILITY, **k),
    "cross_validated": lambda **k: hs.cross_validated(SAID, JUDGE, fold=[0, 1], **k),
    "training_runs": lambda **k: hs.training_runs(SAID, [JUDGE, SAID], **k),
    "reader_study": lambda **k: hs.reader_study(PROBABILITY, truth=SAID, reader=SAID, case=SAID, **k),
    "proportions": lambda **k: hs.proportions({"a": 3}, 5, **k),
    "bootstrap": lambda **k: hs.bootstrap(np.mean, PROBABILITY, **k),
    "confusion_matrix": lambda **k: hs.confusion_matrix(SAID, JUDGE, **k),
    "multilabel_confusion_matrix": lambda **k: hs.multilabel_confusion_matrix(SAID, JUDGE, **k),
}


def repeated(column):
    """Return a column with each row repeated by its number."""
    return [each for each, number in zip(column, NUMBER.tolist(), strict=True) for _ in range(number)]


@pytest.mark.parametrize("source", COUNTED)
def test_every_source_counts_identical_cases(source):
    """A row with a number is as many rows; together with weights it is refused."""
    make, shown = COUNTED[source]
    found, right = shown(make(lambda column: column, counts=NUMBER)), shown(make(repeated))
    assert len(found) == len(right)
    for one, other in zip(found, right, strict=True):
        assert one == (pytest.approx(other, nan_ok=True) if isinstance(other, float) else other)
    with pytest.raises(hs.HowsureError, match="whole numbers of identical cases"):
        make(lambda column: column, counts=NUMBER + 0.5)


@pytest.mark.parametrize("source", WITHOUT)
def test_where_numbers_of_cases_mean_nothing_they_are_refused(source):
    with pytest.raises(hs.HowsureError, match=f"`{source}` has no `counts`. "):
        WITHOUT[source](counts=NUMBER)


def test_no_source_is_without_counts_but_those_that_refuse_them():
    """A public function of columns accepts counts, refuses them, or has a name of scikit-learn's, and refuses them."""
    known = {name.partition(" ")[0] for name in COUNTED} | {*WITHOUT, "from_counts"}
    for name, each in NAMES.items():
        parameters = getattr(each, "__signature__", None) or _signature(each)
        if parameters is None or not {"sample_weight", "data"} & {*parameters.parameters}:
            continue
        if {"confidence_interval"} & {*parameters.parameters}:
            with pytest.raises(hs.HowsureError, match="has no `counts`"):
                each(SAID, JUDGE, counts=NUMBER)
        else:
            assert name in known, name


def _signature(each):
    try:
        return inspect.signature(each)
    except (TypeError, ValueError):
        return None


@pytest.mark.parametrize("counts", [[1, 0, 2], [1], range(3)])
def test_counts_of_other_rows_are_refused(counts):
    """Numbers of identical cases are one for each row, also where rows without cases are dropped."""
    for make in (
        lambda: hs.confusion([0, 1], [0, 1], counts=counts),
        lambda: hs.scores([0, 1], [0.2, 0.9], counts=counts),
    ):
        with pytest.raises(hs.HowsureError, match="differ in length"):
            make()


def test_counts_of_another_length_are_named():
    """Counts that do not fit the columns are refused under their own name."""
    for make in (
        lambda: hs.confusion([0, 1, 1], [0, 1, 0], counts=[1, 2]),
        lambda: hs.scores([0, 1, 1], [0.1, 0.9, 0.4], counts=[1, 2]),
    ):
        with pytest.raises(hs.HowsureError, match="counts"):
            make()


@pytest.mark.parametrize(
    "more",
    [
        {"truth": ["all"], "said": ["all"], "n": [100]},
        {"truth": ["n", "p"], "said": ["Total", "Total"], "n": [53, 47]},
        {"truth": ["n", "p", "sum", "sum", "sum"], "said": ["sum", "sum", "n", "p", "sum"], "n": [53, 47, 55, 45, 100]},
    ],
)
def test_lines_of_totals_are_refused(more):
    """Totals among lines with frequencies are no class, whether of rows, of columns or of all."""
    lines = {name: LINES[name] + more[name] for name in more}
    with pytest.raises(hs.HowsureError, match="row of totals"):
        hs.confusion("truth", "said", data=lines, counts="n")
    plain = {name: LINES[name] for name in more}
    assert hs.confusion("truth", "said", data=plain, counts="n").counts.sum() == 100


@pytest.mark.parametrize("order", [["true", "pred"], ["pred", "true"]])
def test_numbers_of_cases_by_two_columns(order):
    """Numbers as pandas counts them have the names of both axes."""
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"true": [0] * 53 + [1] * 47, "pred": [0] * 50 + [1] * 3 + [0] * 5 + [1] * 42})
    for numbers in (frame.groupby(order).size(), frame.value_counts(order)):
        assert hs.from_counts(numbers).counts.tolist() == [[50, 3], [5, 42]]
    unnamed = frame.groupby(order).size().rename_axis(["a", "b"])
    with pytest.raises(hs.HowsureError, match="one column of numbers"):
        hs.from_counts(unnamed)
    absent = frame.query("true == 1 or pred == 0").groupby(order).size()
    assert hs.from_counts(absent).counts.tolist() == [[50, 0], [5, 42]]


def test_pairs_of_classes():
    """Which of a pair is the true class is not known, and the remedy works."""
    counts = {("a", "a"): 50, ("a", "b"): 3, ("b", "a"): 5, ("b", "b"): 42}
    with pytest.raises(hs.HowsureError, match="maps pairs of classes.* Say it: confusion") as refused:
        hs.from_counts(counts)
    remedy = str(refused.value).partition("Say it: ")[2].removesuffix(".")
    table = eval(f"hs.{remedy}", {"hs": hs, "counts": counts})  # noqa: S307
    assert table.counts.tolist() == [[50, 3], [5, 42]]


@pytest.mark.parametrize("number, why", [(-42, "is negative"), (0.42, "is not a whole number")])
def test_outcomes_that_are_no_counts(number, why):
    """The message has the name that the caller wrote."""
    with pytest.raises(hs.HowsureError, match=f"`tp` = {number} {why}"):
        hs.from_counts(tp=number, fp=3, fn=5, tn=50)
