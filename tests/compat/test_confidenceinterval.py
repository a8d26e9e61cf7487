"""The interface of the package `confidenceinterval`: same calls, same results where they are right."""

import inspect
import warnings

import numpy as np
import pytest

import howsure as hs
from howsure.compat import differences
from howsure.compat.confidenceinterval import (
    accuracy_score,
    bootstrap,
    classification_report_with_ci,
    f1_score,
    precision_score,
    recall_score,
    roc_auc_score,
    tpr_score,
)
from howsure.compat.confidenceinterval.bootstrap import bootstrap_ci
from howsure.compat.differences import DifferentNumbersWarning

theirs = pytest.importorskip("confidenceinterval")
ours = __import__("howsure.compat.confidenceinterval", fromlist=["confidenceinterval"])
RANDOM = np.random.default_rng(3)
TRUE = RANDOM.integers(0, 2, 200)
SAID = np.where(RANDOM.random(200) < 0.8, TRUE, 1 - TRUE)
THREE = RANDOM.integers(0, 3, 300)
GUESS = np.where(RANDOM.random(300) < 0.7, THREE, RANDOM.integers(0, 3, 300))
RATES = ("accuracy_score", "ppv_score", "npv_score", "tpr_score", "fpr_score", "tnr_score")
PROPORTION = ("wilson", "normal", "agresti_coull", "beta", "jeffreys", "binom_test")
RIGHT = "ignore::howsure.compat.differences.DifferentNumbersWarning"


def flat(result):
    value, (low, high) = result
    return value, low, high


@pytest.fixture(autouse=True)
def nothing_said(monkeypatch):
    monkeypatch.setattr(differences, "_said", set())


@pytest.mark.parametrize("name", [*RATES, "precision_score", "recall_score", "f1_score", "roc_auc_score"])
def test_arguments_and_defaults_are_theirs(name):
    """The package's arguments are in its order, with its defaults."""
    there, here = (list(inspect.signature(getattr(module, name)).parameters.values()) for module in (theirs, ours))
    there = [each for each in there if each.kind == each.POSITIONAL_OR_KEYWORD]
    assert [(each.name, each.default) for each in here[: len(there)]] == [(each.name, each.default) for each in there]


@pytest.mark.parametrize("method", PROPORTION)
@pytest.mark.parametrize("name", RATES)
def test_rates_equal_theirs(name, method):
    """Rates and their limits by position equal the package's, whose values are biased by up to 1e-7."""
    expected = getattr(theirs, name)(TRUE, SAID, 0.9, method)
    assert flat(getattr(ours, name)(TRUE, SAID, 0.9, method)) == pytest.approx(flat(expected), abs=1e-7)


@pytest.mark.parametrize("name", ["precision_score", "recall_score", "f1_score"])
def test_micro_averages_equal_theirs(name):
    """Micro averages, the default there, have the package's limits."""
    expected = flat(getattr(theirs, name)(THREE, GUESS, 0.99))
    assert flat(getattr(ours, name)(THREE, GUESS, 0.99)) == pytest.approx(expected, abs=1e-9)


def test_area_equals_theirs():
    """The area under the curve has the package's limits, which it works out in single precision."""
    score = TRUE + np.random.default_rng(1).normal(size=200)
    assert flat(roc_auc_score(TRUE, score)) == pytest.approx(flat(theirs.roc_auc_score(TRUE, score)), abs=1e-6)


def test_right_limits_where_theirs_are_wrong():
    """Macro F1 has the standard error of a bootstrap, within its error, and one warning about this."""
    with pytest.warns(DifferentNumbersWarning, match="wrong variance for macro averages") as said:
        found = [flat(score(THREE, GUESS, average="macro")) for score in (f1_score, precision_score, recall_score)]
    value, low, high = found[0]
    assert len(said) == 1
    assert said[0].filename == __file__
    draws = hs.estimate(hs.confusion(THREE, GUESS), "f1@macro", method="bootstrap", random_state=0).draws
    assert (high - low) / 2 / 1.959964 == pytest.approx(draws.std(), rel=0.03)  # 9,999 draws: 0.7 % is one error
    there = flat(theirs.f1_score(THREE, GUESS, average="macro"))
    assert value == pytest.approx(there[0])
    assert (there[2] - there[1]) / 2 / 1.959964 != pytest.approx(draws.std(), rel=0.1)


def test_limits_stay_inside_and_are_no_point():
    """A perfect classifier has an interval of positive width inside [0, 1], unlike the normal interval."""
    with pytest.warns(DifferentNumbersWarning, match="leaves .0, 1. here or shrinks to a point"):
        value, (low, high) = f1_score([0, 1, 1, 0] * 10, [0, 1, 1, 0] * 10)
    assert (value, high) == (1, 1)
    assert low < 1


@pytest.mark.filterwarnings(RIGHT)
@pytest.mark.parametrize("average", ["micro", "macro", "binary"])
def test_defaults_that_fail_there_work(average):
    """`average="binary"` needs no other method, and no average fails."""
    value, low, high = flat(precision_score(TRUE, SAID, average=average))
    assert 0 < low < value < high < 1


def test_results_are_tuples():
    """A call returns a tuple of value and limits, or the value alone, which also has the interval."""
    found = accuracy_score(TRUE, SAID)
    assert isinstance(found, tuple)
    assert found[1] == (found[0].low, found[0].high)
    assert accuracy_score(TRUE, SAID, compute_ci=False) == found[0] == (TRUE == SAID).mean()
    assert found[0].method == "wilson"


def test_bootstrap_has_an_equal_path():
    """`from howsure.compat.confidenceinterval.bootstrap import bootstrap_ci` works, with positions as there."""

    def share(y_true, y_pred):
        return float(np.mean(y_true == y_pred))

    value, (low, high) = bootstrap_ci(TRUE, SAID, share, 0.9, 500, "bootstrap_percentile", 7)
    assert low < value < high
    assert bootstrap.bootstrap_ci is bootstrap_ci
    names = list(inspect.signature(theirs.bootstrap.bootstrap_ci).parameters)
    assert list(inspect.signature(bootstrap_ci).parameters) == names
    with pytest.raises(hs.HowsureError, match="no method 'bca'"):
        bootstrap_ci(TRUE, SAID, share, method="bca")


@pytest.mark.parametrize("method", bootstrap.bootstrap_methods)
def test_metrics_by_the_bootstrap(method):
    """The bootstraps, their size and their seed are named as there, and a seed repeats the draws."""
    settings = {"method": method, "n_resamples": 300, "random_state": np.random.RandomState(0)}
    value, low, high = flat(recall_score(THREE, GUESS, average="macro", **settings))
    assert low < value < high
    again = recall_score(THREE, GUESS, average="macro", **settings | {"random_state": np.random.RandomState(0)})
    assert flat(again) == (value, low, high)


def test_nothing_is_swallowed():
    """Weights are used, and a wrong method, average, level or keyword is refused."""
    weights = np.where(TRUE == SAID, 3.0, 1.0)
    assert accuracy_score(TRUE, SAID, sample_weight=weights)[0] == pytest.approx(
        np.average(TRUE == SAID, weights=weights)
    )
    with pytest.raises(hs.HowsureError, match="no method 'wilsn'. Did you mean 'wilson'"):
        tpr_score(TRUE, SAID, method="wilsn")
    with pytest.raises(hs.HowsureError, match="no average 'weighted'"):
        f1_score(TRUE, SAID, average="weighted")
    with pytest.raises(hs.HowsureError, match="Did you mean 0.95"):
        accuracy_score(TRUE, SAID, 95)
    with pytest.raises(TypeError, match="n_resample"):
        accuracy_score(TRUE, SAID, n_resample=9)


@pytest.mark.parametrize("labels", [(1, 2), (-1, 1), (0, 1000)])
def test_labels_of_any_kind(labels):
    """Rates of class 1, or of the named class, are right for any labels."""
    coded, guessed = np.take(labels, TRUE), np.take(labels, SAID)
    found = tpr_score(coded, guessed, pos_label=labels[1])[0]
    assert found == ((TRUE == 1) & (SAID == 1)).sum() / (TRUE == 1).sum()


def test_the_report_by_position():
    """The report takes its arguments in the package's order and has its columns; an unnamed label is refused."""
    names = {0: "no", 1: "yes"}
    here = classification_report_with_ci(TRUE, SAID, "jeffreys", 4, names, 0.9)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        there = theirs.classification_report_with_ci(TRUE, SAID, "jeffreys", 4, names, 0.9)
    assert list(here.columns) == list(there.columns)
    for column in ("Class", "Precision", "Recall", "F1-Score", "Support"):
        assert here[column].tolist() == there[column].tolist()
    assert here.loc[0, "Precision CI"] == tuple(
        round(each, 4) for each in ours.npv_score(TRUE, SAID, 0.9, "jeffreys")[1]
    )
    with pytest.raises(hs.HowsureError, match="no label in `numerical_to_label_map` '1'"):
        classification_report_with_ci(TRUE, SAID, numerical_to_label_map={0: "no"})


@pytest.mark.parametrize("digits", [float("nan"), -1, "two"])
def test_digits_of_a_report_are_a_whole_number(digits):
    """Digits that are not a whole number are refused, and the argument is named."""
    with pytest.raises(hs.HowsureError, match="round_ndigits"):
        classification_report_with_ci([0, 1, 1], [0, 1, 0], round_ndigits=digits)
