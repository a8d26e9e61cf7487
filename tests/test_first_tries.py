"""Common first attempts either work or name the right call."""

import re
from contextlib import nullcontext

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot as plt

import howsure as hs
from howsure.metrics.registry import REGISTRY
from howsure.namespaces import ELSEWHERE, FUNCTIONS

TABLE = hs.from_counts([[50, 3], [5, 42]])
TWO, DRAWS = np.ones(2), [0.1, 0.2, 0.4]
TRUTH, MODELS = [1, 0, 1, 1, 0, 0, 1, 0], {"A": [1, 0, 0, 1, 0, 1, 1, 0], "B": [0, 1, 0, 0, 1, 1, 0, 1]}


@pytest.fixture(autouse=True)
def _closed():
    mpl.use("Agg")
    yield
    plt.close("all")


def test_counts_serve_as_a_table():
    """A matrix of counts is drawn, estimated and reported on as the table of it."""
    counts = TABLE.counts.astype(int).tolist()
    assert hs.estimate(counts, "f1").low == hs.estimate(TABLE, "f1").low
    texts = [[each.get_text() for each in hs.plots.confusion_matrix(given).texts] for given in (counts, TABLE)]
    assert texts[0] == texts[1]
    dots = [hs.plots.intervals(given).containers[0][0].get_xydata() for given in (counts, TABLE)]
    np.testing.assert_array_equal(*dots)


def test_a_paired_table_has_the_report_of_its_models():
    """Several models' predictions on the same cases are reported on model by model."""
    report = hs.report_of(hs.paired(TRUTH, MODELS), metrics=["accuracy"])
    assert report["Metrics"].sheets[0].headers == ("metric", "A", "B")
    assert report.to_dict()["estimates"][0]["value"] == 6 / 8


@pytest.mark.parametrize(
    "attempt, words",
    [
        (lambda: hs.plots.curve(TABLE), "draws what `roc_curve`.* returns, not ConfusionTable"),
        (lambda: hs.plots.curve([1, 2]), "draws what `roc_curve`.* returns, not list"),
        (lambda: hs.plots.differences(hs.estimate(TABLE, "f1")), "Give what `compare`.*, not Estimate"),
        (lambda: hs.plots.forest(hs.estimate(TABLE, "f1")), "draws what `pool`.* returns, not Estimate"),
        (lambda: hs.plots.ranks(TABLE), "draws what `ranks` returns, not ConfusionTable"),
        (lambda: hs.plots.review_plan(TABLE), "draws what `review_plan` returns"),
        (lambda: hs.plots.intervals("x.csv"), "Make one from the columns"),
        (lambda: hs.plots.intervals(3), "Make one first"),
        (lambda: hs.report_of(TABLE, comparisons=3), "Give what `compare`.*, not int"),
        (lambda: hs.methods.draw_tables(3), "takes a table.*not int"),
        (lambda: hs.monitor({"a": 3}), "needs chunks"),
        (lambda: hs.monitor({"a": TABLE}, np.zeros((2, 2))), "named by a spec string.*not by "),
        (lambda: hs.pool("x", "y"), "`values` must be numbers, not 'x'"),
        (lambda: hs.comparison.adjusted_p_values("x"), "`p_values` must be numbers, not 'x'"),
        (lambda: hs.ranks({"a": "x", "b": "y"}), "`draws` must be numbers, not 'x'"),
        (lambda: hs.ranks([TABLE, TABLE]), "by name"),
        (lambda: hs.estimate(TABLE, "mcc", method="bayes", random_state="x"), "`random_state` is a whole.*'x'"),
        (lambda: hs.estimate(TABLE, "mcc", method="bayes", random_state=-1), "`random_state` is a whole.*-1"),
        (lambda: hs.methods.draw_tables(TABLE, random_state=1.5), "`random_state` is a whole.*1.5"),
        (lambda: hs.bootstrap(np.mean, TRUTH, n_resamples=0), "`n_resamples` must be .* at least 39 .*, not 0"),
        (
            lambda: hs.bootstrap(np.mean, TRUTH, n_resamples=1e20),
            "`n_resamples` must be .* at most 100,000,000, not 1e",
        ),
        (
            lambda: hs.evaluate(hs.calibrated([0.1, 0.9, 0.4]), random_state=np.array([0.1, 0.9])),
            "`random_state` is a whole",
        ),
        (
            lambda: hs.optimal_threshold(hs.scores(TRUTH, np.linspace(0.1, 0.9, 8)), criterion=np.ones(2)),
            "named by a spec string",
        ),
        (
            lambda: hs.optimal_threshold(
                hs.scores(TRUTH, np.linspace(0.1, 0.9, 8)), criterion="cost", false_positive_cost="x"
            ),
            "not a numb",
        ),
        (lambda: hs.methods.Bootstrap("bca", 0), "`n_resamples` must be"),
        (lambda: hs.methods.Bootstrap(9999), r"kind of bootstrap '9999'.*n_resamples=9999"),
        (lambda: hs.estimate(TABLE, "f1@macro", classes=[7]), r"from 0 to 1, not \[7\]"),
        (lambda: hs.estimate(TABLE, "f1@macro", classes="a"), "from 0 to 1, not 'a'"),
        # A name that is not a text
        (lambda: hs.pool([0.5, 0.6], [0.1, 0.1], method=TWO), r"no pooling method '\[1. 1.\]'"),
        (lambda: hs.pool([0.5, 0.6], [0.1, 0.1], scale=TWO), r"no scale '\[1. 1.\]'"),
        (lambda: hs.mcnemar(hs.paired(TRUTH, MODELS), method=2.5), "no test of McNemar's '2.5'"),
        (lambda: hs.cohen_kappa_score(TRUTH, MODELS["A"], weights={}), "no weighting of kappa '{}'"),
        (lambda: hs.confusion_matrix(TRUTH, MODELS["A"], normalize=TWO), "no value of `normalize`"),
        (lambda: hs.calibrated([0.1, 0.9], kind=["binary"]), "no kind of table"),
        (lambda: hs.estimate(TABLE, "f1", alternative=TWO), "no alternative"),
        (lambda: hs.f1_score(TRUTH, MODELS["A"], average=["macro"]), r"a name such as 'macro', not \['macro'\]"),
        (
            lambda: hs.f1_score(TRUTH, MODELS["A"], average="macro", pos_label=TWO),
            "`pos_label` must be one class, not array",
        ),
        (lambda: hs.suitable_methods(TABLE, 3), "named by a spec string .* not by int"),
        # Something else where a list belongs
        (lambda: hs.f1_score(TRUTH, MODELS["A"], average=None, labels=3), "`labels` must be a list of classes, not 3"),
        (
            lambda: hs.f1_score(TRUTH, MODELS["A"], average=None, labels="01"),
            "`labels` must be a list of classes, not '01'",
        ),
        (
            lambda: hs.labels.prediction_powered(hs.paired(TRUTH, MODELS), TRUTH, MODELS["A"]),
            "`y_true` is a PairedTable",
        ),
        (lambda: hs.paired(TRUTH, TABLE), "Give the models as a mapping"),
        (lambda: hs.scores(None, [0.1, 0.2]), "`y_true` is None, not a column of values"),
        (
            lambda: hs.labels.annotated(3, "a", data={"a": [1, 2]}),
            "`annotations` must be a list of column names, not 3",
        ),
        (lambda: hs.evaluate(TABLE, 3), "`metrics` must be a list of metrics, not 3"),
        (lambda: hs.evaluate(TABLE, []), "`metrics` is empty"),
        (lambda: hs.pool_tables(TABLE), "`tables` must be a list of tables, not <ConfusionTable"),
        (lambda: hs.pool_tables([[[1, 2], [3, 4]]]), "`pool_tables` takes tables"),
        (lambda: hs.pooling.conflate(3), "`draws` must be a list of draws of each experiment, not 3"),
        (lambda: hs.pooling.conflate([DRAWS, DRAWS], names=["a"]), "`names` has 1 entries for 2"),
        (
            lambda: hs.pooling.conflate([DRAWS, DRAWS], density="beta", bounds=3),
            "two ends of the metric's range.* not 3",
        ),
        (lambda: hs.suitable_methods([[1, 2], [3, 4]], "f1"), "`suitable_methods` takes a table"),
        # Neither True nor False
        (lambda: hs.confusion(TRUTH, MODELS["A"], check=TWO), "`check` must be True or False, not array"),
        (lambda: hs.confusion(TRUTH, MODELS["A"], check="no"), "`check` must be True or False, not 'no'"),
        (lambda: hs.balanced_accuracy_score(TRUTH, MODELS["A"], adjusted=TWO), "`adjusted` must be True or False"),
        (lambda: hs.accuracy_score(TRUTH, MODELS["A"], normalize=TWO), "`normalize` must be True or False"),
        (lambda: hs.pool([0.5, 0.6], [0.1, 0.1], test=True), "no test 'True'"),
        # No number, or several
        (lambda: hs.proportion(np.ones(3, dtype=int), 4), r"`k` must be a whole.*not array\(\[1, 1, 1\]\)"),
        (lambda: hs.proportion(int, 4), "`k` must be a whole number of at least 0, not <class 'int'>"),
        (lambda: hs.proportion(1, np.inf), "`n` must be a whole number of at least 1, not inf"),
        (lambda: hs.fbeta_score(TRUTH, MODELS["A"], beta=TWO), "`beta` is array.*, not a number"),
        (lambda: hs.scores(TRUTH, MODELS["A"]).at(TABLE), "`threshold` is <ConfusionTable.*, not a number"),
        (
            lambda: hs.shift.miscalibration(hs.calibrated([0.1, 0.9]), "f1", shift=[1]),
            r"`shift` is \[1\], not a number",
        ),
        (lambda: hs.estimate(np.array([[5 + 2j, 1], [2, 3]]), "f1"), "`estimate` takes a table of counts"),
        (lambda: hs.from_counts(np.array([[5 + 2j, 1], [2, 3]])), "`counts` is not a matrix of numbers"),
        (lambda: hs.comparison.adjusted_p_values(np.array([0.1 + 1j])), "`p_values` must be numbers, not array"),
    ],
)
def test_what_cannot_be_used_is_refused_in_words(attempt, words):
    """One line of our own error, which names the given and the expected argument."""
    with pytest.raises(hs.HowsureError, match=words) as caught:
        attempt()
    assert len(str(caught.value).splitlines()) == 1


def test_counts_by_names_of_classes_are_a_matrix():
    """A mapping of true classes to counts of predicted ones, as PyCM has it, is the table of that matrix.

    A frame's ``to_dict()`` has its columns outside, so a full mapping has a warning, unless both readings are equal.
    """
    counts = {"L1": {"L1": 3, "L2": 2}, "L2": {"L1": 1, "L2": 7}}
    with pytest.warns(hs.HowsureWarning, match=r"outer ones were taken as the true classes"):
        table = hs.from_counts(counts)
    assert (table.labels.tolist(), table.counts.tolist()) == (["L1", "L2"], [[3, 2], [1, 7]])
    assert hs.from_counts({"a": {"a": 4, "b": 2}, "b": {"a": 2, "b": 5}}).counts.tolist() == [[4, 2], [2, 5]]
    turned = hs.from_counts(counts, labels=["L2", "L1"], check=False)
    assert turned.counts.tolist() == [[7, 1], [2, 3]]
    assert hs.from_counts({"a": {"a": 4}, "b": {"a": 1, "b": 5}}).counts.tolist() == [[4, 0], [1, 5]]
    with pytest.raises(hs.HowsureError, match="`labels` .* are not the classes of `counts`"):
        hs.from_counts(counts, labels=["L1", "L3"])
    with pytest.raises(hs.HowsureError, match="further names, as a report does"):
        hs.from_counts({"L1": {"precision": 0.5}, "L2": {"precision": 0.7}})


@pytest.mark.parametrize(
    "name, use",
    {
        "ConfusionMatrix": "confusion",
        "CI": "estimate",
        "CBPE": "calibrated",
        "dca": "decision_curve",
        "proportion_confint": "proportion",
        "multipletests": "comparison.adjusted_p_values",
        "model_card": "report_of",
        "samplesize": "plan",
        "crossValScore": "cross_validated",
        "autorank": "compare_all",
        "cutpointr": "optimal_threshold",
        "reliability_diagram": "calibration_curve",
    }.items(),
)
def test_names_of_other_packages_lead_to_ours(name, use):
    """A name of PyCM, NannyML, dcurves, statsmodels or R is answered with the name here, which exists."""
    with pytest.raises(AttributeError, match=f"Use `howsure.{use}`"):
        getattr(hs, name)
    found = hs
    for part in use.split("."):
        found = getattr(found, part)
    assert callable(found)


def test_every_answer_to_a_name_of_another_package_exists():
    """Each function that is advised exists, and no name is listed twice."""
    known = {"hs": hs, "y_true": TRUTH, "score_a": [0.1, 0.3, 0.2, 0.9, 0.4, 0.6, 0.7, 0.5]}
    known["score_b"] = known["score_a"][::-1]
    known |= {"y_score": known["score_a"], "score": known["score_a"], "cluster": [0, 0, 1, 1, 2, 2, 3, 3]}
    known |= {"y_pred": MODELS["A"], "weight": np.ones(8), "psu": range(8), "stratum": ["a", "b"] * 4}
    known |= {"sizes": {"a": 90, "b": 40}, "items_by_raters": np.arange(12).reshape(4, 3) % 3}
    known |= {"tables": [TABLE, TABLE]}
    for use in FUNCTIONS:
        assert eval(f"hs.{use}", known) is not None, use  # noqa: S307 - our own text
    assert len(ELSEWHERE) == sum(len(names.split()) for names in FUNCTIONS.values())


@pytest.mark.parametrize(
    "attempt, words",
    [
        (lambda: hs.confusion(actual_vector=TRUTH, predict_vector=TRUTH), "takes no `actual_vector`. Write `y_true=…`"),
        (lambda: hs.confusion(TRUTH, TRUTH, sensitive_features=TRUTH), "Write `by=…`"),
        (lambda: hs.gaps(TABLE, sensitive_features=TRUTH), r"where the table is made, such as .*by=…\)"),
        (lambda: hs.proportion(count=8, nobs=10), "takes no `count`. Write `k=8`"),
        (
            lambda: hs.gaps(hs.confusion(TRUTH, MODELS["A"], by=[0, 1] * 4), "demographic_parity_ratio"),
            "differences and ratios: write 'demographic_parity'",
        ),
    ],
)
def test_arguments_of_other_packages_lead_to_ours(attempt, words):
    """An argument of Fairlearn, PyCM or statsmodels is answered with the argument here."""
    with pytest.raises(hs.HowsureError, match=words):
        attempt()


def test_each_metric_as_a_function_is_answered_with_a_call_that_runs():
    """`hs.<metric>` names the table that the metric is defined for, and the metric."""
    known = {"hs": hs, "y_true": TRUTH, "y_pred": MODELS["A"], "y_score": [0.9, 0.2, 0.4, 0.8, 0.3, 0.6, 0.7, 0.1]}
    known |= {
        "a": ["x", "y", "z"] * 4,
        "b": ["y", "z", "x"] * 4,
        "winner": ["model_a", "model_b", "tie", "model_a"] * 3,
    }
    known |= {
        "success": [1, 0, 1, 1] * 3,
        "tasks": [0, 1, 2] * 4,
        "score": [0.5, 0.7, 0.6, 0.9],
        "tp": [3, 2],
        "fp": [1, 1],
    }
    known |= {
        "fn": [0, 1],
        "images": [0, 1],
        "items_by_raters": [[0, 0, 1], [1, 1, 1], [1, 0, 0]] * 4,
        "prediction": [0.4, 0.7, 0.5, 1.0],
    }
    filled = {"task=…": "task=tasks", "unit=…": "unit=images", "truth=…": "truth=score", "threshold=…": "threshold=0.2"}
    tried = 0
    for name in filter(str.isidentifier, REGISTRY.names):
        with pytest.raises(AttributeError) if name not in dir(hs) else nullcontext() as caught:
            getattr(hs, name)
        if caught is None or not (found := re.search(r"Write `(hs\.(?:estimate|leaderboard).*)`", str(caught.value))):
            continue
        call = found[1]
        for old, new in filled.items():
            call = call.replace(old, new)
        if "…" not in call and "detections" not in call:  # costs, and images
            assert eval(call, known) is not None, name  # noqa: S307 - our own text
            tried += 1
    assert tried > 250
