"""Decision curves: net benefits along risks, their bands and differences, and the value of information."""

import csv
import itertools
import pickle
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import stats

import howsure as hs
from howsure.estimates.batched_intervals import batched_intervals
from howsure.methods.flow.intervals import BatchPaths
from howsure.metrics.binding import resolve
from howsure.report.decisions import report_of_decisions

DATA = Path(__file__).parents[1] / "data"
MODELS = ["famhistory", "cancerpredmarker", "marker_risk"]
with (DATA / "dcurves.csv").open() as file:
    ROWS = list(csv.DictReader(file))
TRUTH = np.array([row["cancer"] == "True" for row in ROWS])
RISKS = {name: np.array([float(row[name]) for row in ROWS]) for name in MODELS}
POINTS = [0.05, 0.1, 0.15, 0.2, 0.3, 0.5]
ONE = hs.decision_curve(TRUTH, RISKS["marker_risk"], thresholds=POINTS, random_state=1)
ALL = hs.decision_curve(TRUTH, RISKS, thresholds=POINTS, random_state=1)


def gains(model, thresholds, risks=RISKS, truth=TRUTH):
    """Return what each case contributes to the net benefit of a model, ``(T, n)``."""
    t = np.asarray(thresholds)[:, None]
    treated = np.ones((len(t), len(truth))) if model == "treat all" else risks[model] >= t
    return treated * np.where(truth, 1.0, -t / (1 - t))


@pytest.mark.parametrize("prevalence", [None, 0.05])
def test_values_are_those_of_dcurves(prevalence):
    """All strategies of a curve at 54 thresholds, with the sample's and a stated prevalence (dcurves 1.1.7)."""
    with (DATA / "dcurves_reference.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["package"] == "Python"]
    rows = [row for row in rows if row["prevalence"] == ("" if prevalence is None else str(prevalence))]
    points = sorted({float(row["threshold"]) for row in rows})
    curve = hs.decision_curve(TRUTH, RISKS, thresholds=points[::-1], prevalence=prevalence)
    assert curve.thresholds.tolist() == points
    values = dict(zip(curve.strategies, curve._values, strict=True))
    assert not values["treat none"].any()
    for row in rows:
        name = {"all": "treat all"}.get(row["model"], row["model"])
        found = values[name][points.index(float(row["threshold"]))]
        assert found == pytest.approx(float(row["net_benefit"]), abs=1e-12)


def test_pointwise_limits_are_those_of_estimate_and_compare():
    """At each threshold they are the default intervals, for two models those of MOVER, and the simultaneous ones those at the level 2Φ(c) - 1."""
    pair = hs.paired_scores(TRUTH, RISKS)
    table = hs.scores(TRUTH, RISKS["marker_risk"])
    apart, over_all = ALL.difference("cancerpredmarker", "marker_risk"), ONE.difference("model")
    level = 1 - 2 * stats.norm.sf(ONE["model"].critical)
    for at, t in enumerate(POINTS):
        spec = f"net_benefit+threshold={t}"
        for curve, name in ((ONE["model"], table), (ALL["marker_risk"], pair.model("marker_risk"))):
            alone = hs.estimate(name, spec)
            assert (curve.low[at], curve.high[at]) == pytest.approx((alone.low, alone.high), abs=1e-9)
        wide = hs.estimate(table, spec, confidence_level=level)
        assert ONE["model"].simultaneous_low[at] == pytest.approx(wide.low, abs=1e-9)
        assert ONE["model"].simultaneous_high[at] == pytest.approx(wide.high, abs=1e-9)
        both = hs.compare(pair, spec, a="cancerpredmarker", b="marker_risk", method="mover")
        assert (apart.low[at], apart.high[at]) == pytest.approx((both.low, both.high), abs=1e-9)
        avoided = hs.estimate(table, f"interventions_avoided+threshold={t}")
        assert over_all.low[at] == pytest.approx(avoided.low * t / (1 - t), abs=1e-9)
        assert ONE.interventions_avoided(per=100).high[at] == pytest.approx(100 * avoided.high, abs=1e-7)
        share = hs.estimate(table.at(-np.inf), "prevalence")
        assert ONE["treat all"].low[at] == pytest.approx(share.low - t / (1 - t) * (1 - share.low), abs=1e-9)


DESIGNS = {
    "independent": {},
    "weights": {"sample_weight": np.tile([0.5, 1.5, 1.0], 100)},
    "clusters": {"groups": np.arange(300) // 4},
    "crossed": {"groups": [np.arange(300) // 4, np.arange(300) % 17]},
    "strata": {"strata": np.arange(300) % 3, "stratum_sizes": {0: 400, 1: 800, 2: 1200}},
}


@pytest.mark.parametrize(
    "design", [pytest.param(each, marks=pytest.mark.thorough if each == "crossed" else ()) for each in DESIGNS]
)
def test_limits_of_many_thresholds_are_those_of_each_alone(design):
    """The paths of all thresholds are walked together, and give the limits of `estimate` and `compare`, which find the bias, 0, by differences."""
    points = np.r_[np.arange(1, 41) / 50, 0.99]
    risks = {name: RISKS[name][:300] for name in ("marker_risk", "cancerpredmarker")}
    curve = hs.decision_curve(TRUTH[:300], risks, thresholds=points, random_state=0, **DESIGNS[design])
    table = hs.scores(TRUTH[:300], risks["marker_risk"], **DESIGNS[design])
    pair = hs.paired_scores(TRUTH[:300], risks, **DESIGNS[design])
    odds = points / (1 - points)
    some = slice(None, None, 5)  # 0.02, 0.12, … 0.72, 0.99
    alone = [hs.estimate(table, f"net_benefit+threshold={t!r}") for t in points[some].tolist()]
    avoided = [hs.estimate(table, f"interventions_avoided+threshold={t!r}") for t in points[some].tolist()]
    specs = [f"net_benefit+threshold={t!r}" for t in points[5:20:5].tolist()]
    both = [hs.compare(pair, each, a="marker_risk", b="cancerpredmarker", method="mover") for each in specs]
    apart = curve.difference("marker_risk", "cancerpredmarker")
    for end in ("low", "high"):
        one = (getattr(curve["marker_risk"], end) / (1 + odds))[some]
        assert one == pytest.approx([getattr(each, end) for each in alone] / (1 + odds[some]), abs=5e-12, nan_ok=True)
        of_all = getattr(curve.interventions_avoided("marker_risk"), end)[some]
        assert of_all == pytest.approx([getattr(each, end) for each in avoided], abs=5e-12, nan_ok=True)
        assert getattr(apart, end)[5:20:5] == pytest.approx([getattr(each, end) for each in both], abs=5e-12)


@pytest.mark.parametrize("design", ["independent", pytest.param("clusters", marks=pytest.mark.thorough)])
def test_more_thresholds_walk_no_more_paths(monkeypatch, design):
    """The intervals of 100 thresholds are found in one walk, as those of 3 are."""
    walks = []
    of = BatchPaths.of.__func__
    monkeypatch.setattr(BatchPaths, "of", classmethod(lambda cls, *given: walks.append(1) or of(cls, *given)))
    for number in (3, 100):
        walks.clear()
        hs.decision_curve(
            TRUTH[:300], RISKS["marker_risk"][:300], thresholds=np.linspace(0.01, 0.9, number), **DESIGNS[design]
        ).difference("model")
        assert len(walks) == 1


def test_standard_errors_are_those_of_the_cases_gains():
    """For differences as for strategies, the standard error is that of the mean of what each case contributes."""
    for first, second in (("marker_risk", None), ("treat all", None), ("marker_risk", "treat all"), ("cancerpredmarker", "famhistory")):  # fmt: skip
        each = gains(first, POINTS) - (0 if second is None else gains(second, POINTS))
        found = ALL[first] if second is None else ALL.difference(first, second)
        assert found.value == pytest.approx(each.mean(1), abs=1e-12)
        assert found.standard_error == pytest.approx(each.std(1) / np.sqrt(len(TRUTH)), rel=1e-9)
    stated = hs.decision_curve(TRUTH, RISKS, thresholds=POINTS, prevalence=0.05).difference("marker_risk", "treat all")
    each = gains("marker_risk", POINTS) - gains("treat all", POINTS)
    variance = sum(share**2 * each[:, part].var(1) / part.sum() for part, share in ((~TRUTH, 0.95), (TRUTH, 0.05)))
    assert stated.standard_error == pytest.approx(np.sqrt(variance), rel=1e-9)


def test_the_critical_value_agrees_with_draws():
    """It is the quantile of the largest error along the curve, from the covariance of the cases' gains."""
    points, rng = np.arange(1, 41) / 100, np.random.default_rng(11)
    curve = hs.decision_curve(TRUTH, RISKS, thresholds=points, random_state=3)
    for found, each in (
        (curve["cancerpredmarker"], gains("cancerpredmarker", points)),
        (curve.difference("cancerpredmarker", "marker_risk"), gains("cancerpredmarker", points) - gains("marker_risk", points)),
    ):  # fmt: skip
        root = np.linalg.svd(np.corrcoef(each[each.std(1) > 0]))
        factor = root[0] * np.sqrt(root[1])
        largest = [np.abs(rng.standard_normal((50_000, len(factor))) @ factor.T).max(1) for _ in range(5)]
        assert found.critical == pytest.approx(np.quantile(np.concatenate(largest), 0.95), abs=0.02)
    assert hs.decision_curve(TRUTH, RISKS, thresholds=[0.1])["marker_risk"].critical == pytest.approx(1.96, abs=0.02)
    assert curve["treat all"].critical == pytest.approx(1.96, abs=0.02)  # one error at all thresholds


def test_probabilities_and_the_value_of_information_are_those_of_the_bayesian_bootstrap():
    """Exponential weights of the cases, drawn here, give the same numbers (Sadatsafavi and others 2023)."""
    curve = hs.decision_curve(TRUTH[:200], {name: risk[:200] for name, risk in RISKS.items()}, thresholds=POINTS, n_resamples=40_000, random_state=5)  # fmt: skip
    weights = np.random.default_rng(0).dirichlet(np.ones(200), 40_000)
    part = {name: risk[:200] for name, risk in RISKS.items()}
    names = ["treat all", *MODELS]
    each = np.stack([weights @ gains(name, POINTS, part, TRUTH[:200]).T for name in names], 1)
    each = np.concatenate([np.zeros_like(each[:, :1]), each], 1)
    expected = each.max(1).mean(0) - each.mean(0).max(0)
    assert curve.evpi == pytest.approx(expected, abs=1e-4)
    assert curve.evpi.max() > 1e-3
    for place, name in enumerate(MODELS, 2):
        useful = (each[:, place] > each[:, :2].max(1) + 1e-12).mean(0)
        assert curve.probability_useful[name] == pytest.approx(useful, abs=0.02)
    assert sum(curve.probability_best.values()) == pytest.approx(np.ones(len(POINTS)))


def test_the_value_of_information_of_two_strategies_is_that_of_a_normal_difference():
    """With one model that treats all at once, EVPI is the unit normal loss of NB / SE, times SE (Sadatsafavi 2023)."""
    rng = np.random.default_rng(2)
    truth, risk = rng.random(3_000) < 0.2, np.full(3_000, 0.9)
    curve = hs.decision_curve(truth, risk, thresholds=[0.2], n_resamples=100_000, random_state=0)
    value, error = float(curve["model"].value[0]), float(curve["model"].standard_error[0])
    ratio = abs(value) / error
    loss = error * (stats.norm.pdf(ratio) - ratio * stats.norm.sf(ratio))
    assert curve.evpi[0] == pytest.approx(loss, rel=0.03)
    assert curve.probability_useful["model"].tolist() == [0.0]  # it is treating all


def test_the_best_strategy_has_the_largest_net_benefit_and_ties_are_the_simplest():
    """Runs of thresholds follow from the values; a model that treats everybody is treating all."""
    points = np.arange(1, 100) / 100
    curve = hs.decision_curve(TRUTH, RISKS, thresholds=points)
    names = ["treat none", "treat all", *MODELS]
    values = np.stack([np.zeros(99), *(gains(name, points).mean(1) for name in names[1:])])
    expected = [names[int(np.argmax(column > column.max() - 1e-12))] for column in values.T]
    assert list(curve.best) == expected
    assert [name for name, low, high in curve.ranges for _ in range(round(100 * (high - low)) + 1)] == expected
    everyone = hs.decision_curve(TRUTH, np.full(len(TRUTH), 0.9), thresholds=[0.05, 0.1, 0.3])
    assert everyone.ranges == (("treat all", 0.05, 0.1), ("treat none", 0.3, 0.3))


def test_a_case_whose_risk_is_the_threshold_is_treated():
    """At least, as in dcurves: 0.2 reaches 0.2."""
    curve = hs.decision_curve([1, 0, 1, 0], [0.2, 0.1, 0.3, 0.05], thresholds=[0.2])
    assert curve._values.ravel().tolist() == pytest.approx([0, 0.5 - 0.25 * 0.5, 0.5])


def test_directions_and_names():
    """A difference the other way round is its negative; treating none is 0, and a stated prevalence has no error."""
    one, other = ALL.difference("famhistory", "treat all"), ALL.difference("treat all", "famhistory")
    assert (-one.high).tolist() == other.low.tolist()
    assert ALL.difference("marker_risk", "treat none").low.tolist() == ALL["marker_risk"].low.tolist()
    assert not np.array([row["high"] for row in ALL["treat none"].records()]).any()
    stated = hs.decision_curve(TRUTH, RISKS["marker_risk"], thresholds=[0.02, 0.1], prevalence=0.02)["treat all"]
    assert stated.low.tolist() == stated.high.tolist() == stated.value.tolist()
    assert stated.value.tolist() == pytest.approx([0.0, 0.02 - 0.98 / 9], abs=1e-12)
    assert np.isnan(stated.critical)


ROLES = {
    "weights": {"sample_weight": 1.0 + np.arange(len(TRUTH)) % 3},
    "clusters": {"groups": np.arange(len(TRUTH)) // 5},
    "crossed": {"groups": [np.arange(len(TRUTH)) // 5, np.arange(len(TRUTH)) % 25]},
    "strata": {"strata": np.arange(len(TRUTH)) % 3, "stratum_sizes": {0: 0.5, 1: 0.3, 2: 0.2}},
    "weighted clusters": {"groups": np.arange(len(TRUTH)) // 5, "sample_weight": 1.0 + np.arange(len(TRUTH)) % 3},
}


@pytest.mark.parametrize("roles", ROLES.values(), ids=ROLES)
@pytest.mark.parametrize("models", ["one", "several"])
def test_every_design_has_its_own_standard_errors_and_draws(roles, models):
    """Values, standard errors and limits are those of `estimate` under the design; draws have the same spread."""
    given = RISKS["marker_risk"] if models == "one" else RISKS
    curve = hs.decision_curve(TRUTH, given, thresholds=[0.1, 0.2], n_resamples=2_000, random_state=0, **roles)
    name = "model" if models == "one" else "marker_risk"
    table = hs.scores(TRUTH, RISKS["marker_risk"], **roles)
    for at, t in enumerate([0.1, 0.2]):
        plain = hs.estimate(table, f"net_benefit+threshold={t}", method="delta")
        usual = hs.estimate(table, f"net_benefit+threshold={t}")
        band = curve[name]
        assert band.value[at] == pytest.approx(plain.value, abs=1e-12)
        assert band.standard_error[at] == pytest.approx(plain.standard_error, rel=1e-9)
        assert (band.low[at], band.high[at]) == pytest.approx((usual.low, usual.high), abs=1e-6)
        drawn = curve._draws[:, curve.strategies.index(name), at].std() / plain.standard_error
        # Products of the weights of two factors have up to three times the variance (Owen 2007).
        assert 0.9 < drawn < (np.sqrt(3) * 1.05 if isinstance(roles.get("groups"), list) else 1.1)
    assert 1.9 < curve[name].critical < 2.3
    assert np.isfinite(curve.difference(name).simultaneous_low).all()


def test_groups_files_and_copies():
    """Groups have curves of their own; saved tables and copies of a curve have the same numbers."""
    by = np.arange(len(TRUTH)) % 2
    grouped = hs.decision_curve(hs.paired_scores(TRUTH, RISKS, by=by), thresholds=[0.1, 0.2], random_state=0)
    alone = hs.decision_curve(TRUTH[by == 1], {name: risk[by == 1] for name, risk in RISKS.items()}, thresholds=[0.1, 0.2])  # fmt: skip
    assert grouped[1]["marker_risk"].value.tolist() == pytest.approx(alone["marker_risk"].value.tolist())
    copy = pickle.loads(pickle.dumps(ONE))
    assert copy.records() == ONE.records()
    assert hs.decision_curve(TRUTH, RISKS["marker_risk"], thresholds=POINTS, random_state=1).records() == ONE.records()
    assert {"strategy", "threshold", "net_benefit", "low", "simultaneous_low", "probability_best"} <= set(
        ONE.records()[0]
    )
    assert len(ONE.to_pandas()) == 3 * len(POINTS)
    assert "0.05" in str(ONE)


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: hs.decision_curve(TRUTH, 100 * RISKS["marker_risk"]), "needs probabilities"),
        (
            lambda: hs.decision_curve(TRUTH, {"A": RISKS["famhistory"], "B": -RISKS["marker_risk"]}),
            "needs probabilities",
        ),
        (lambda: hs.decision_curve(TRUTH, RISKS["marker_risk"], thresholds=[0, 0.1]), "both excluded, not 0"),
        (lambda: hs.decision_curve(TRUTH, RISKS["marker_risk"], thresholds=[0.5, 1]), "both excluded, not 1"),
        (lambda: hs.decision_curve(TRUTH, RISKS["marker_risk"], thresholds=[5, 10]), r"Did you mean 0\.05"),
        (lambda: hs.decision_curve(TRUTH, RISKS["marker_risk"], thresholds=[0.1, np.nan]), "contains nan"),
        (lambda: hs.decision_curve(TRUTH, RISKS["marker_risk"], thresholds=[]), "Give a list of risks"),
        (lambda: hs.decision_curve(TRUTH, RISKS["marker_risk"], thresholds="high"), "Give a list of risks"),
        (lambda: hs.decision_curve(TRUTH, RISKS["marker_risk"], prevalence=14), "`prevalence` lies between 0 and 1"),
        (lambda: hs.decision_curve(TRUTH, RISKS["marker_risk"], prevalence=0), "`prevalence` lies between 0 and 1"),
        (lambda: hs.decision_curve(TRUTH, RISKS["marker_risk"], time=12), "survival outcomes"),
        (lambda: hs.decision_curve(TRUTH, {"treat all": RISKS["famhistory"], "B": RISKS["marker_risk"]}), "Rename it"),
        (lambda: hs.decision_curve(hs.calibrated(RISKS["marker_risk"])), "needs labelled cases"),
        (lambda: hs.decision_curve([0, 0, 0], [0.1, 0.2, 0.3], pos_label=1), "cases of both classes"),
        (lambda: hs.decision_curve(hs.from_counts([[5, 2], [1, 9]])), "needs a table of scores"),
        (lambda: ONE["other"], "no strategy 'other'"),
        (lambda: ONE.difference("model", "model"), "Name two"),
        (ALL.interventions_avoided, "There are several models"),
        (lambda: ONE.interventions_avoided(per=0), "`per` is a number of cases"),
        (lambda: ONE.interventions_avoided(per="100"), "`per` is '100', not a number"),
        (lambda: hs.decision_curve(TRUTH, pd.DataFrame({"A": RISKS["marker_risk"], "B": "x"})), "is not numeric"),
        (lambda: hs.decision_curve("cancer", data={"cancer": TRUTH}), "give `y_score` with it"),
        (lambda: hs.decision_curve(TRUTH, RISKS["marker_risk"], n_resamples=0), "n_resamples"),
        (
            lambda: hs.decision_curve(TRUTH, RISKS["marker_risk"], labels=[False, True]),
            "no `labels`. Write `pos_label=",
        ),
        (lambda: hs.decision_curve(TRUTH, RISKS["marker_risk"], weights=np.ones(len(TRUTH))), "Write `sample_weight="),
        (lambda: hs.decision_curve(TRUTH, np.c_[RISKS["famhistory"], RISKS["marker_risk"]]), "several models by name"),
        (
            lambda: hs.decision_curve(
                TRUTH, pd.DataFrame({"no": 1 - RISKS["marker_risk"], "yes": RISKS["marker_risk"]})
            ),
            "the column of the positive class",
        ),
        (lambda: hs.decision_curve(TRUTH, RISKS["marker_risk"], confidence_level=95), "confidence_level"),
    ],
    ids=itertools.count(),
)
def test_refusals_are_one_line(call, words):
    """Percentages, the ends 0 and 1, survival outcomes, one class, unlabelled risks and unknown strategies."""
    with pytest.raises((hs.HowsureError, KeyError), match=words) as refused:
        call()
    assert "\n" not in str(refused.value)


def test_a_single_cluster_has_no_limits_and_no_probabilities():
    """Net benefits are those of independent cases; limits, probabilities and information are nan with a reason."""
    link, few = np.zeros(len(TRUTH)), [0.1, 0.2]
    words = "a single cluster shows no variation between clusters"
    for risks in (RISKS["marker_risk"], RISKS):
        found = hs.decision_curve(TRUTH, risks, thresholds=few, groups=link, random_state=0)
        plain = hs.decision_curve(TRUTH, risks, thresholds=few, random_state=0)
        assert found.best == plain.best
        assert np.isnan(found.evpi).all()
        assert np.isnan([*found.probability_best.values(), *found.probability_useful.values()]).all()
        for name in found.models:
            assert found[name].value == pytest.approx(plain[name].value)
            apart = found.difference(name, "treat all")
            assert np.isnan([found[name].low, found[name].simultaneous_high, apart.low, apart.standard_error]).all()
            assert found[name].reason == apart.reason == words
            assert not found.useful(name).size
        assert words in str(found)
        assert {record["reason"] for record in found.records()} == {"", words}  # treating none is 0 in every sample
        assert plain.reason == ""
        page = report_of_decisions(found).to_markdown()
        assert f"unknown, as {words}" in page
        assert "no threshold shows" not in page
        assert hs.plots.decision_curve(found).get_ylim()[1] >= max(found[name].value.max() for name in found.models)


def test_models_come_by_name():
    """A mapping of one model, frames and lists of columns are models by name, as a mapping of two is."""
    columns = {"cancer": TRUTH, **RISKS}
    two = {name: RISKS[name] for name in MODELS[1:]}
    expected = hs.decision_curve(TRUTH, two, thresholds=POINTS, random_state=1)
    for frame in (pd.DataFrame(two), pl.DataFrame(two)):
        assert hs.decision_curve(TRUTH, frame, thresholds=POINTS, random_state=1).records() == expected.records()
    listed = hs.decision_curve("cancer", MODELS[1:], data=columns, thresholds=POINTS, random_state=1)
    assert listed.records() == expected.records()
    for one in (
        hs.decision_curve(TRUTH, {"A": RISKS["marker_risk"]}, thresholds=POINTS, random_state=1),
        hs.decision_curve("cancer", ["marker_risk"], data=columns, thresholds=POINTS, random_state=1),
    ):
        (name,) = one.models
        assert name in {"A", "marker_risk"}
        assert one[name].low == pytest.approx(ONE["model"].low)
        assert one.difference(name).simultaneous_high == pytest.approx(ONE.difference("model").simultaneous_high)
        assert one.evpi == pytest.approx(ONE.evpi)


def test_curves_by_group_follow_from_cases():
    """`by=` with true classes gives the curves of the tables of groups, of one model and of several."""
    by = np.arange(len(TRUTH)) % 2
    for risks in (RISKS["marker_risk"], {"A": RISKS["marker_risk"]}, RISKS):
        found = hs.decision_curve(TRUTH, risks, by=by, thresholds=[0.1, 0.2], random_state=0)
        assert [*found] == [0, 1]
        models = {"model": risks} if isinstance(risks, np.ndarray) else risks
        for name, risk in models.items():
            alone = hs.decision_curve(TRUTH[by == 1], risk[by == 1], thresholds=[0.1, 0.2])
            assert found[1][name].value == pytest.approx(alone["model"].value)


@pytest.mark.parametrize("threshold", [0.2, 0.9])
def test_models_that_treat_the_same_cases_have_the_default_interval(threshold):
    """Where two models agree on every case the difference is 0, with limits around it, also where neither treats any."""
    risk = np.array([0.1, 0.3, 0.6, 0.8] * 10)
    pair = hs.paired_scores(np.arange(40) % 3 == 0, {"a": risk, "b": risk * 0.9})
    found = hs.decision_curve(pair, thresholds=[threshold]).difference("a", "b")
    both = hs.compare(pair, f"net_benefit+threshold={threshold}", a="a", b="b")
    assert found.value[0] == 0
    assert (found.low[0], found.high[0]) == pytest.approx((both.low, both.high))
    assert found.low[0] < 0 < found.high[0]


RARELY_UNTREATED = [
    (100, 0.05, 0.024, 0.0008),
    (100, 0.1, 0.067, 0.0043),
    (500, 0.05, 0.024, 0.0008),
    (60, 0.5, 0.02, 0.01),
]


@pytest.mark.parametrize("n, threshold, negative, positive", RARELY_UNTREATED)
def test_avoided_interventions_cover_if_few_cases_are_untreated(n, threshold, negative, positive):
    """The exact coverage is 93 % or more, also if most samples have no untreated positive case, and some none at all."""
    rows = [(tn, fn) for tn in range(60) for fn in range(30) if tn + fn <= n]
    tn, fn = np.array(rows, dtype=float).T
    chance = stats.multinomial.pmf(
        np.stack([tn, fn, n - tn - fn], -1), n, [negative, positive, 1 - negative - positive]
    )
    treated = n - tn - fn
    counts = np.stack([tn, treated - treated // 2, fn, treated // 2], -1).reshape(-1, 2, 2)
    tables = replace(hs.from_counts([[1, 1], [1, 1]]), counts=counts, rows=np.full(len(rows), n))
    metric = resolve(f"interventions_avoided+threshold={threshold}", tables)
    ((_, found),) = batched_intervals(tables, [metric], None, 0.95).values()
    true = negative - positive * (1 - threshold) / threshold
    assert chance.sum() == pytest.approx(1)
    assert chance[(found.low <= true) & (true <= found.high)].sum() > 0.93
