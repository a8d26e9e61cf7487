"""Smooth calibration curves equal R's glm with natural splines, and their bands cover."""

import numpy as np
import pytest
from scipy import special, stats

import howsure as hs
from support.files import rows_of

CASES, FITTED = rows_of("recalibration.csv"), rows_of("recalibration_curves.csv")
TRUTH, SCORE = (np.array([float(row[name]) for row in CASES]) for name in ("y", "p"))


@pytest.mark.parametrize("knots", [3, 4, 5])
def test_curves_equal_glm(knots):
    """Fitted shares equal `glm(y ~ ns(qlogis(p)))`, and limits those of R's sandwich on the logit scale."""
    rows = sorted((row for row in FITTED if int(row["knots"]) == knots), key=lambda row: float(row["p"]))
    share, error = (np.array([float(row[name]) for row in rows]) for name in ("fitted", "robust"))
    curve = hs.calibration_curve(TRUTH, SCORE, method="spline", knots=knots)
    assert curve["predicted"] == pytest.approx(np.sort(SCORE))
    assert curve["share_positive"] == pytest.approx(share, abs=1e-7)
    half = stats.norm.ppf(0.975) * error
    assert curve.low == pytest.approx(special.expit(special.logit(share) - half), abs=1e-6)
    assert curve.high == pytest.approx(special.expit(special.logit(share) + half), abs=1e-6)


def test_the_logistic_curve_has_the_slope_and_the_intercept():
    """The straight curve is the logistic recalibration, with the slope and intercept of the metrics."""
    table = hs.scores(TRUTH, SCORE)
    curve = hs.calibration_curve(table, method="logistic")
    slope, intercept = (
        hs.estimate(table, each).value for each in ("calibration_slope", "calibration_intercept+slope=free")
    )
    assert special.logit(curve.y) == pytest.approx(intercept + slope * special.logit(curve.x))


def test_bands_are_nested_and_weights_and_clusters_enter():
    """Simultaneous bands contain pointwise ones; each case twice in a cluster changes only the small-sample factor."""
    table = hs.scores(TRUTH, SCORE)
    point, whole, none = (
        hs.calibration_curve(table, method="spline", band=each) for each in ("pointwise", "simultaneous", "none")
    )
    assert "low" not in none
    assert (whole.low < point.low).all()
    assert (whole.high > point.high).all()
    twice = hs.scores(np.tile(TRUTH, 2), np.tile(SCORE, 2), groups=np.tile(np.arange(100), 2))
    same = hs.calibration_curve(twice, method="spline")
    assert same.y == pytest.approx(point.y)
    wider = (special.logit(same.high) - special.logit(same.y)) / (special.logit(point.high) - special.logit(point.y))
    assert wider == pytest.approx(np.sqrt(100 / 99) * stats.t.ppf(0.975, 99) / stats.norm.ppf(0.975), rel=1e-6)
    weighted = hs.calibration_curve(hs.scores(TRUTH, SCORE, sample_weight=np.full(100, 3.0)), method="spline")
    assert weighted.y == pytest.approx(point.y)


@pytest.mark.thorough
def test_bands_cover():
    """Pointwise limits cover in 95 % and simultaneous bands in 95 % of samples from a curve of the model's form."""
    rng, inside, along = np.random.default_rng(1), 0.0, 0
    for _ in range(200):
        score = special.expit(rng.normal(0, 1.3, 300))
        truth = rng.random(300) < special.expit(0.2 + 0.8 * special.logit(score))
        table = hs.scores(truth, score)
        point, whole = (
            hs.calibration_curve(table, method="spline", band=each) for each in ("pointwise", "simultaneous")
        )
        true = special.expit(0.2 + 0.8 * special.logit(point.x))
        inside += np.mean((point.low <= true) & (true <= point.high)) / 200
        along += bool(((whole.low <= true) & (true <= whole.high)).all())
    assert inside > 0.92
    assert along >= stats.binom(200, 0.94).ppf(0.001)


@pytest.mark.parametrize("method", ["spline", "logistic"])
def test_certain_scores_leave_the_curve(method):
    """Right scores of 0 and 1 change neither the curve nor, with the same number of cases, its band."""
    certain, right = np.r_[SCORE, np.repeat([0.0, 1.0], 20)], np.r_[TRUTH, np.repeat([0, 1], 20)]
    alone, found = (hs.calibration_curve(*data, method=method) for data in ((TRUTH, SCORE), (right, certain)))
    assert found["predicted"].tolist() == alone["predicted"].tolist()
    assert found["share_positive"] == pytest.approx(alone["share_positive"], abs=1e-9)
    assert found["low"] == pytest.approx(alone["low"], abs=0.002)


REFUSED = {
    "certain": (([1, 1, 0, 1], [0.0, 0.3, 0.4, 0.9]), {"method": "logistic"}, "exactly 0 or 1 is of the other class"),
    "all certain": (([0, 1, 0, 1], [0.0, 1.0, 0.0, 1.0]), {}, "method='logistic'"),
    "all certain, no spline": (([0, 1, 0, 1], [0.0, 1.0, 0.0, 1.0]), {"method": "logistic"}, "method='bins'"),
    "few values": (([0, 1, 0, 1], [0.2, 0.2, 0.4, 0.4]), {}, "method='logistic'"),
    "separated": (([0, 0, 0, 1, 1, 1], [0.1, 0.2, 0.3, 0.6, 0.7, 0.8]), {"method": "logistic"}, "method='bins'"),
    "one class": (([0, 0, 0, 0], [0.1, 0.2, 0.3, 0.6]), {"method": "logistic", "pos_label": 1}, "method='bins'"),
    "constant": (([0, 1, 0, 1], [0.3, 0.3, 0.3, 0.3]), {"method": "logistic"}, "method='bins'"),
    "knots": ((TRUTH, SCORE), {"knots": 7}, "3, 4 or 5"),
    "method": ((TRUTH, SCORE), {"method": "loess"}, "bins, spline, logistic"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refusals(name):
    """What has no smooth curve is refused in one line with another way."""
    data, settings, message = REFUSED[name]
    with pytest.raises(hs.HowsureError, match=message):
        hs.calibration_curve(*data, **({"method": "spline"} | settings))
