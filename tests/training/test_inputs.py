"""What predictions by fold and by run look like, and contradictions that are refused."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, RepeatedKFold, cross_val_predict

import howsure as hs

RNG = np.random.default_rng(1)
N = 60
Y = RNG.integers(0, 2, N)
SAID = np.where(RNG.random(N) < 0.8, Y, 1 - Y)
OF_FOLDS = {"model": ["a"] * 3 + ["b"] * 3, "fold": [1, 2, 3] * 2, "auc": [0.8, 0.9, 0.7, 0.9, 0.9, 0.8]}
OTHER = np.where(RNG.random(N) < 0.7, Y, 1 - Y)
FOLD = RNG.permutation(np.arange(N) % 4)


def long(**changes):
    """Two algorithms in two runs, a row each."""
    columns = {
        "y": np.tile(Y, 4),
        "said": np.concatenate([SAID, OTHER, OTHER, SAID]),
        "model": np.repeat(["a", "a", "b", "b"], N),
        "run": np.repeat([1, 2, 1, 2], N),
        "case": np.tile([f"c{i}" for i in range(N)], 4),
        "fold": np.tile(FOLD, 4),
    } | changes
    return {name: each.copy() for name, each in columns.items()}


LONG = {"fold": "fold", "run": "run", "case": "case", "model": "model"}


@pytest.mark.parametrize(
    "fold",
    [
        [["a"]] * 5 + [["b"]] * 5,
        [[0.5]] * 10,
        [[0, 1, 2, 3, 4], [5, 6, 7, 8, 10]],
        [[-1, 0, 1, 2, 3, 4], [5, 6, 7, 8]],
        [np.array([True, False]), np.array([False, True])],
        [(np.arange(10), np.arange(30))],
    ],
)
def test_lists_that_are_no_positions_are_refused(fold):
    """Names in lists, fractions, positions outside of the cases and short masks get one line."""
    with pytest.raises(hs.HowsureError, match="no positions of test cases"):
        hs.cross_validated(np.arange(10) % 2, np.arange(10) % 3 % 2, fold=fold)


def test_the_test_cases_of_folds_may_be_masks():
    """A mask of each fold's test cases is the column of folds."""
    column = np.arange(len(Y)) % 5
    masks = [column == each for each in range(5)]
    found, wanted = (hs.cross_validated(Y, SAID, fold=each).estimate("f1") for each in (masks, column))
    assert str(found) == str(wanted)


def test_scores_of_folds_are_no_predictions():
    """One number a fold is refused with the remedy, as an array and as the result of `cross_validate`."""
    for given in ({"test_score": [0.9, 0.8], "fit_time": [1.0, 1.0]}, [0.9, 0.8, 0.7]):
        with pytest.raises(hs.HowsureError, match="cross_val_predict"):
            hs.cross_validated(given)


def test_forms_of_one_cross_validation_agree():
    """A column of folds, a splitter's splits, lists of arrays by fold and pairs give the same estimate."""
    cv = KFold(4, shuffle=True, random_state=0)
    x = RNG.normal(size=(N, 2))
    fold = np.empty(N, dtype=int)
    splits = list(cv.split(x))
    for place, (_, test) in enumerate(splits):
        fold[test] = place
    wanted = str(hs.cross_validated(Y, SAID, fold=fold).estimate("f1"))
    truths, said = ([each[test] for _, test in splits] for each in (Y, SAID))
    assert str(hs.cross_validated(Y, SAID, fold=cv.split(x)).estimate("f1")) == wanted
    assert str(hs.cross_validated(Y, SAID, fold=splits).estimate("f1")) == wanted
    indices = {"train": [train for train, _ in splits], "test": [test for _, test in splits]}  # of cross_validate
    assert str(hs.cross_validated(Y, SAID, fold=indices).estimate("f1")) == wanted
    assert str(hs.cross_validated(Y, SAID, fold=indices["test"]).estimate("f1")) == wanted
    assert str(hs.cross_validated(truths, said).estimate("f1")) == wanted
    assert str(hs.cross_validated(list(zip(truths, said, strict=True))).estimate("f1")) == wanted
    assert str(hs.cross_validated(Y, SAID, fold=fold.tolist()).estimate("f1")) == wanted
    frame = {"y": Y, "said": SAID, "where": fold.astype(str)}
    assert str(hs.cross_validated("y", "said", data=frame, fold="where").estimate("f1")) == wanted


def test_scikit_learns_cross_val_predict_is_taken_as_it_is():
    """Predictions and probabilities of `cross_val_predict` with the splits of its splitter."""
    x = RNG.normal(size=(N, 2)) + Y[:, None]
    cv = KFold(5, shuffle=True, random_state=1)
    said = cross_val_predict(LogisticRegression(), x, Y, cv=cv)
    chance = cross_val_predict(LogisticRegression(), x, Y, cv=cv, method="predict_proba")
    folds = hs.cross_validated(Y, said, fold=cv.split(x))
    assert folds.estimate("accuracy").value == pytest.approx((said == Y).mean())
    areas = hs.cross_validated(Y, y_score=chance[:, 1], fold=cv.split(x)).estimate("roc_auc")
    each = [hs.estimate(hs.scores(Y[test], chance[test, 1]), "roc_auc").value for _, test in cv.split(x)]
    assert areas.value == pytest.approx(np.mean(each))


def test_long_rows_are_joined_by_case_in_any_order():
    """Rows in another order give the same estimates and comparisons."""
    order = RNG.permutation(4 * N)
    first, second = (
        hs.cross_validated("y", "said", data={name: each[some] for name, each in long().items()}, **LONG)
        for some in (slice(None), order)
    )
    assert first.names == second.names == ("a", "b")
    assert str(first.compare("accuracy")) == str(second.compare("accuracy"))
    assert str(first.estimate("f1", model="b")) == str(second.estimate("f1", model="b"))


def test_columns_and_rows_of_runs_agree():
    """A column for each run, an array of runs and rows that name their run give the same estimate."""
    wanted = str(hs.training_runs(Y, [SAID, OTHER]).estimate("mcc"))
    rows = {name: each[: 2 * N] for name, each in long().items()}
    assert str(hs.training_runs("y", "said", data=rows, run="run", case="case").estimate("mcc")) == wanted
    frame = {"y": Y, "one": SAID, "two": OTHER}
    assert str(hs.training_runs("y", ["one", "two"], data=frame).estimate("mcc")) == wanted
    both = hs.training_runs("y", {"a": ["one", "two"], "b": ["two", "one"]}, data=frame)
    assert both.compare("mcc").value == pytest.approx(0)
    assert both.predictions.runs == {"a": ("one", "two"), "b": ("two", "one")}
    assert str(hs.training_runs(Y, y_score=np.stack([SAID, OTHER])).estimate("roc_auc")).startswith("0.")


def test_algorithms_may_have_different_numbers_of_runs():
    """Runs of two algorithms are independent, so that their numbers may differ."""
    found = hs.training_runs(Y, {"a": [SAID, OTHER], "b": [OTHER, SAID, OTHER]}).compare("accuracy")
    assert found.runs == 2
    assert np.isfinite(found.p_value)


def changed(name, row, value):
    columns = long()
    columns[name] = columns[name].astype(object)
    columns[name][row] = value
    return columns


def test_a_frame_of_runs_has_a_run_in_each_column():
    """Frames of pandas and Polars alike; more runs than cases are taken if the caller insists."""
    expected = hs.training_runs(Y, [SAID, OTHER]).estimate("accuracy")
    for frame in (pd.DataFrame({"a": SAID, "b": OTHER}), pl.DataFrame({"a": SAID, "b": OTHER})):
        found = hs.training_runs(Y, frame).estimate("accuracy")
        assert (found.value, found.low, found.high) == (expected.value, expected.low, expected.high)
    few = hs.training_runs(None, value=np.arange(12.0).reshape(4, 3), check=False)
    assert few.estimate("mean").value == pytest.approx(np.arange(12).mean())


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: hs.cross_validated(Y, SAID), "Name the fold of each case"),
        (lambda: hs.cross_validated(Y, fold=FOLD), "Give one of `y_pred`"),
        (lambda: hs.cross_validated(Y, SAID, y_score=SAID, fold=FOLD), "not 2 of them"),
        (lambda: hs.cross_validated(Y, SAID, fold=np.arange(N)), "leave-one-out"),
        (lambda: hs.cross_validated(None, value=[0.8, 0.9, 0.7], fold=[1, 2, 3]), r"`hs\.pool_folds\(values\)`"),
        (lambda: hs.cross_validated(None, value="auc", fold="fold", data=OF_FOLDS), "'model' has 2 values"),
        (lambda: hs.cross_validated(Y, SAID, fold=np.zeros(N)), "two folds or more"),
        (lambda: hs.cross_validated(Y, SAID[:-1], fold=FOLD), "60.*59|59.*60"),
        (lambda: hs.cross_validated(Y, SAID, fold=FOLD[:-1]), "fold.*59|59.*fold"),
        (lambda: hs.cross_validated(None, SAID, fold=FOLD), "`y_true` is needed"),
        (lambda: hs.cross_validated(Y, value=SAID, fold=FOLD), "is None with `value`"),
        (lambda: hs.cross_validated(Y, SAID, fold=FOLD, run=FOLD), "need `case`"),
        (lambda: hs.cross_validated(Y, {}, fold=FOLD), "`y_pred` is empty"),
        (lambda: hs.cross_validated(Y, y_score=np.where(np.arange(N) == 3, np.nan, 0.5), fold=FOLD), "1 missing"),
        (
            lambda: hs.cross_validated(Y, SAID, fold=RepeatedKFold(n_splits=4, n_repeats=2).split(Y)),
            "in 2 test parts of `fold`",
        ),
        (
            lambda: hs.cross_validated(Y, SAID, fold=FOLD, groups=np.arange(N) // 6),
            "clusters have cases in several folds",
        ),
        (
            lambda: hs.cross_validated("y", "said", data=changed("case", 1, "c0"), **LONG),
            "Case 'c0' occurs 2 times among the predictions of model 'a' of run '1'",
        ),
        (
            lambda: hs.cross_validated("y", "said", data=changed("y", N + 5, 1 - Y[5]), **LONG),
            "Case 'c5' has different values of `y_true`",
        ),
        (
            lambda: hs.cross_validated("y", "said", data=changed("fold", 2 * N + 3, (FOLD[3] + 1) % 4), **LONG),
            "a and b have different folds, such as of case 'c3'",
        ),
        (
            lambda: hs.cross_validated("y", "said", data={name: each[1:] for name, each in long().items()}, **LONG),
            "1 of 60 cases lack a prediction of model 'a' of run '1', such as case 'c0'",
        ),
        (
            lambda: hs.cross_validated("y", "said", data=long(run=np.repeat([1, 2, 1, 3], N)), **LONG),
            "Give both the same runs",
        ),
        (lambda: hs.cross_validated(Y, np.stack([SAID, OTHER], 1), fold=FOLD), "y_pred"),
        (lambda: hs.cross_validated(None, value=np.ones((N, 2)), fold=FOLD), "value"),
        (lambda: hs.cross_validated(Y, SAID, fold=KFold(4)), r"cv.split\(X, y\)"),
        (lambda: hs.training_runs(Y, []), "not the predictions of several runs"),
        (lambda: hs.training_runs(Y, np.uint64(3)), "`y_pred` of the algorithm has not"),
        (lambda: hs.training_runs(Y, np.array(3)), "Give a list with one array"),
        (lambda: hs.training_runs(Y, {}), "is empty"),
        (lambda: hs.training_runs(Y, SAID), "not the predictions of several runs. Give"),
        (lambda: hs.training_runs(Y, [SAID]), "single training run"),
        (lambda: hs.training_runs(Y, {"a": [SAID, OTHER], "b": [SAID]}), "single training run of b"),
        (lambda: hs.training_runs(Y, [SAID, OTHER], run=FOLD), "`run` and `case` go together"),
        (lambda: hs.training_runs(Y, [SAID, OTHER[:-1]]), "1.*59|59"),
        (lambda: hs.training_runs(Y, np.stack([SAID, OTHER], 1)), r"transpose it: `y_pred\.T`"),
        (lambda: hs.training_runs(Y, {"a": [SAID] * 2, "b": np.stack([SAID, OTHER], 1)}), "`y_pred` of b has 60 rows"),
        (lambda: hs.training_runs(Y, y_score=np.ones((N, 2, 3)) / 3), r"`y_score\.swapaxes\(0, 1\)`"),
        (lambda: hs.training_runs(None, value=np.stack([SAID, OTHER], 1)), "60 training runs on 2 cases.*check=False"),
        (lambda: hs.training_runs(Y, [SAID, OTHER], labels=[1, 2]), "not among `labels`"),
    ],
)
def test_contradictions_are_refused_in_one_line(call, message):
    """Each refusal names the culprit and the remedy in one line."""
    with pytest.raises(hs.HowsureError, match=message):
        call()


FOLDS = hs.cross_validated(Y, {"a": SAID, "b": OTHER}, fold=FOLD)
RUNS = hs.training_runs(Y, {"a": [SAID, OTHER], "b": [OTHER, SAID]})


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: FOLDS.estimate("accuracy"), "name one, model='a'"),
        (lambda: hs.estimate(FOLDS, "accuracy"), r"algorithms.estimate\(metric\)"),
        (lambda: hs.compare(FOLDS, "accuracy"), r"algorithms.compare\(metric\)"),
        (lambda: FOLDS.estimate("accuracy", model="c"), "no model 'c'"),
        (lambda: FOLDS.estimate("recall@min", model="a"), "a class that the data select"),
        (lambda: hs.cross_validated(Y, y_score=SAID * 0.8, fold=FOLD).estimate("ece"), "a distance from calibration"),
        (lambda: FOLDS.estimate("roc_auc", model="a"), "scores"),
        (lambda: FOLDS.estimate("accuracy", model="a", method="bayle"), "no method 'bayle'"),
        (lambda: FOLDS.estimate("accuracy", model="a", method="corrected_t"), "repeated cross-validation"),
        (lambda: FOLDS.estimate("accuracy", model="a", fixed="runs"), "there is one"),
        (lambda: FOLDS.estimate("accuracy", model="a", average="macro"), "no average 'macro'"),
        (lambda: FOLDS.estimate("accuracy", model="a", confidence_level=95), "between 0 and 1"),
        (lambda: FOLDS.compare("accuracy", a="a"), "two algorithms by name"),
        (lambda: FOLDS.compare("accuracy", a="a", b="a"), "does not differ from itself"),
        (lambda: RUNS.estimate("accuracy", model="a", method="all_pairs"), "for folds of a cross-validation"),
        (lambda: RUNS.estimate("accuracy", model="a", average="folds"), "no meaning"),
        (lambda: RUNS.estimate("accuracy", model="a", fixed="seeds"), "no `fixed` 'seeds'"),
        (
            lambda: hs.training_runs(Y, {"a": [SAID, OTHER], "b": [OTHER, SAID, Y * 1]}, check=False).compare(
                "accuracy", paired_runs=True
            ),
            "the same names",
        ),
    ],
)
def test_questions_that_do_not_fit_are_refused(call, message):
    """A method, factor, average or name that does not fit is refused with a remedy."""
    with pytest.raises(hs.HowsureError, match=message):
        call()


def test_a_method_within_folds_needs_fixed_runs():
    """Several runs have the within-fold variance for the trained models alone."""
    repeats = hs.cross_validated("y", "said", data=long(), **LONG)
    with pytest.raises(hs.HowsureError, match="fixed='runs'"):
        repeats.estimate("accuracy", model="a", method="within_folds")
    assert repeats.estimate("accuracy", model="a", method="within_folds", fixed="runs").standard_error > 0
