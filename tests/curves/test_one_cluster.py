"""Curves and thresholds of scores in a single cluster have values, no limits, and the reason in every form."""

import numpy as np
import pytest

import howsure as hs

RNG = np.random.default_rng(7)
SCORE = RNG.beta(2, 3, 120).round(3)
TRUTH = (RNG.random(120) < SCORE) * 1
LINK = np.zeros(120, dtype=int)
TABLE = hs.scores(TRUTH, SCORE, groups=LINK)
PLAIN = hs.scores(TRUTH, SCORE)
REASON = "a single cluster shows no variation between clusters"
CURVES = {
    "roc": hs.roc_curve,
    "det": hs.det_curve,
    "precision–recall": hs.precision_recall_curve,
    "bins": hs.calibration_curve,
    "spline": lambda table, **band: hs.calibration_curve(table, method="spline", **band),
    "logistic": lambda table, **band: hs.calibration_curve(table, method="logistic", **band),
    "f1": lambda table, **band: hs.threshold_curves(table, ["f1"], **band)["f1"],
    "recall": lambda table, **band: hs.threshold_curves(table, ["recall"], **band)["recall"],
}


@pytest.mark.parametrize("band", ["pointwise", "simultaneous"])
@pytest.mark.parametrize("name", CURVES)
def test_curves_have_the_points_without_limits(name, band):
    """The points are those of independent cases, all limits are nan, and the reason is in print and in frames."""
    found, plain = CURVES[name](TABLE, band=band), CURVES[name](PLAIN, band=band)
    assert found.y == pytest.approx(plain.y, nan_ok=True)
    assert np.isnan(found.low).all()
    assert np.isnan(found.high).all()
    assert found.reason == REASON
    assert REASON in str(found)
    assert set(found.to_pandas()["reason"]) == {REASON}
    assert plain.reason == ""
    assert "reason" not in plain.to_pandas()
    assert CURVES[name](TABLE, band="none").reason == ""


def test_one_level_of_a_crossed_factor_is_one_cluster():
    """Two crossed factors, one of which has a single level."""
    table = hs.scores(TRUTH, SCORE, groups={"site": LINK, "case": np.arange(120) // 4})
    assert hs.calibration_curve(table, method="spline").reason == REASON


def test_a_group_of_one_cluster_has_the_reason_and_others_have_none():
    """Of two groups, the first is one cluster and the second twenty."""
    by = np.arange(120) < 60
    grouped = hs.roc_curve(hs.scores(TRUTH, SCORE, groups=np.where(by, 0, np.arange(120) // 3), by=by))
    assert grouped[True].reason == REASON
    assert grouped[False].reason == ""


@pytest.mark.parametrize("criterion", ["youden", "cost", "f1"])
def test_a_chosen_threshold_is_not_corrected(criterion):
    """The choice and its apparent values are those of independent cases, without limits, errors and optimism."""
    found, plain = (hs.optimal_threshold(each, criterion, n_resamples=50, random_state=0) for each in (TABLE, PLAIN))
    assert (found.threshold.value, found.apparent) == (plain.threshold.value, plain.apparent)
    assert found.value.value == found.apparent
    there = PLAIN.at(plain.threshold.value).counts
    assert found.sensitivity.value == pytest.approx(there[1, 1] / there[1].sum())
    assert found.specificity.value == pytest.approx(there[0, 0] / there[0].sum())
    assert np.isnan(found.optimism)
    for each in found.estimates:
        assert np.isnan([each.low, each.high, each.standard_error]).all()
        assert each.reason.startswith(REASON)


def test_no_threshold_is_certified_and_the_reason_is_the_cluster():
    found = hs.certified_threshold(TABLE, "recall>0.01")
    assert not found.is_certified
    assert found.reason == REASON


def test_joint_regions_need_three_clusters():
    """With one or two clusters the correlation is unknown: it is nan, and the reason names the clusters."""
    for number, words in ((1, "a single cluster"), (2, "at least three clusters")):
        table = hs.confusion(TRUTH, SCORE > 0.4, groups=np.arange(120) % number)
        found = hs.joint_region(table, "sensitivity", "specificity")
        assert np.isnan([found.correlation, found.area]).all()
        assert words in found.reason


def test_reports_are_written(monkeypatch):
    """The report of scores in one cluster has the charts, and each names the reason."""
    monkeypatch.setattr("howsure.report.measured.LEVELS", ())  # curves are drawn at each
    page = hs.report_of(TABLE).to_html()
    assert page.count(f"without bands: {REASON}") >= 5
