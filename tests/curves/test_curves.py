"""Curves equal scikit-learn's, and their bands cover: at each point, or the whole curve."""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn import calibration, metrics as sk

import howsure as hs
from howsure.curves import along
from howsure.curves.calibration import calibration_curve
from howsure.curves.curves import det_curve, precision_recall_curve, roc_curve
from support.optional import optional

pl = optional("polars")


def sample(seed, size=80):
    """Return truth, tied scores and, for odd seeds, weights."""
    rng = np.random.default_rng(seed)
    truth = (rng.random(size) < 0.4).astype(int)
    truth[:2] = 0, 1
    score = np.round(rng.normal(truth), 1)
    return truth, score, rng.exponential(size=size) if seed % 2 else None


def test_points_equal_scikit_learns():
    """ROC and precision–recall points equal scikit-learn's, with ties and weights."""
    for seed in range(60):
        truth, score, weight = sample(seed)
        table = hs.scores(truth, score, sample_weight=weight)
        fpr, tpr, thresholds = sk.roc_curve(truth, score, sample_weight=weight, drop_intermediate=False)
        curve = roc_curve(table, band="none")
        assert curve["fpr"] == pytest.approx(fpr)
        assert curve["tpr"] == pytest.approx(tpr)
        assert np.array_equal(curve["threshold"], thresholds)
        precision, recall, thresholds = sk.precision_recall_curve(truth, score, sample_weight=weight)
        curve = precision_recall_curve(table, band="none")
        assert curve["precision"][::-1] == pytest.approx(precision)
        assert curve["recall"][::-1] == pytest.approx(recall)
        assert np.array_equal(curve["threshold"][:0:-1], thresholds)


@pytest.mark.parametrize("strategy", ["uniform", "quantile"])
def test_calibration_equals_scikit_learns(strategy):
    """The reliability diagram's points equal scikit-learn's."""
    rng = np.random.default_rng(4)
    score = rng.random(200)
    truth = (rng.random(200) < score).astype(int)
    share, mean = calibration.calibration_curve(truth, score, n_bins=5, strategy=strategy)
    curve = calibration_curve(hs.scores(truth, score), bins=5, strategy=strategy)
    assert curve["share_positive"] == pytest.approx(share)
    assert curve["mean_predicted"] == pytest.approx(mean)
    assert curve["cases"].sum() == 200


DESIGNS = {
    "simple": lambda _: {},
    "weighted": lambda rng: {"sample_weight": rng.exponential(size=80)},
    "clusters": lambda rng: {"groups": rng.integers(0, 25, 80)},
}


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("band", ["pointwise", "simultaneous"])
@pytest.mark.parametrize("function", [roc_curve, precision_recall_curve])
def test_bands_hold_the_curve_inside_the_range(function, band, design):
    """In every design 0 ≤ low ≤ curve ≤ high ≤ 1, and a higher level gives a wider band.

    Above the largest score nothing is called positive: the precision at recall 0 has no pointwise limits.
    """
    truth, score, _ = sample(2)
    table = hs.scores(truth, score, **DESIGNS[design](np.random.default_rng(1)))
    curve, wider = function(table, band=band), function(table, band=band, confidence_level=0.99)
    is_unknown = (function, band) == (precision_recall_curve, "pointwise")
    assert np.isnan(curve.low[0]) == np.isnan(curve.high[0]) == is_unknown
    low, y, high = curve.low[1:], curve.y[1:], curve.high[1:]  # the first point is by convention
    assert ((low >= 0) & (high <= 1) & (low <= high)).all()
    assert ((low <= y + 1e-12) & (y <= high + 1e-12)).all()
    assert ((wider.low[1:] <= low + 1e-12) & (high <= wider.high[1:] + 1e-12)).all()


@pytest.mark.parametrize("target", ["batch", "population"])
@pytest.mark.parametrize("function", [roc_curve, precision_recall_curve])
def test_bands_of_scores_without_labels_have_no_cliffs(function, target):
    """Where nearly all is certain the limits are close to the curve: they do not jump from there to 0 and 1.

    The precision of cases with a probability of 1 is certain: it has no limits.
    """
    score = np.concatenate([np.full(50, 1.0), np.full(5, 1 - 1e-7), np.linspace(0.95, 0.05, 40), np.full(60, 1e-9)])
    curve = function(hs.calibrated(score, target=target))
    known = np.isfinite(curve.low)
    assert known[2:].all()
    low, y, high = curve.low[known], curve.y[known], curve.high[known]
    assert ((low <= y + 1e-12) & (y <= high + 1e-12) & (low >= 0) & (high <= 1)).all()
    assert (high - low)[y > 1 - 1e-6].max() < 0.2


def test_calibration_bands():
    """Wilson's interval in each bin; the simultaneous band is wider, and no bin is a point."""
    truth, score = [0, 0, 0, 1, 1, 1, 0, 1], [0.1, 0.2, 0.3, 0.2, 0.8, 0.9, 0.7, 0.95]
    table = hs.scores(truth, score)
    pointwise, simultaneous = (calibration_curve(table, bins=2, band=band) for band in ("pointwise", "simultaneous"))
    expected = stats.binomtest(1, 4).proportion_ci(method="wilson")
    assert (pointwise.low[0], pointwise.high[0]) == pytest.approx((expected.low, expected.high))
    exact = stats.binomtest(1, 4).proportion_ci(0.95**0.5, method="exact")
    assert (simultaneous.low[0], simultaneous.high[0]) == pytest.approx((exact.low, exact.high))


def truths(x):
    """Return the true ROC height at x for normal scores one apart."""
    return stats.norm.sf(stats.norm.isf(x) - 1.0)


def coverage(sizes, repeats, seed):
    """Return the coverage of the bands: ROC and PR simultaneously, and ROC pointwise at three places."""
    rng = np.random.default_rng(seed)
    share = sizes[1] / sum(sizes)
    places = np.array([0.1, 0.3, 0.6])
    held, precise, points = 0, 0, np.zeros(3)
    for _ in range(repeats):
        labels = (rng.random(sum(sizes)) < share).astype(int)
        table = hs.scores(labels, rng.normal(labels), pos_label=1)
        band = roc_curve(table, band="simultaneous")
        height = truths(band.x)
        held += bool(((band.low <= height) & (height <= band.high)).all())
        band = precision_recall_curve(table, band="simultaneous")
        known = band.x > 0
        recall, low, high = band.x[known], band.low[known], band.high[known]
        false = stats.norm.sf(stats.norm.isf(recall) + 1.0)
        precision = share * recall / (share * recall + (1 - share) * false)
        precise += bool(((low <= precision) & (precision <= high)).all())
        band = roc_curve(table)
        index = np.searchsorted(band.x, places)
        points += (band.low[index] <= truths(band.x[index])) & (truths(band.x[index]) <= band.high[index])
    return held / repeats, precise / repeats, points / repeats


@pytest.mark.thorough
def test_bands_cover():
    """Simultaneous bands cover in at least 95 % of 250 seeded samples; pointwise ones in about 95 %."""
    held, precise, points = coverage((60, 40), 250, 5)
    assert held >= 0.95
    assert precise >= 0.95
    assert points == pytest.approx([0.95] * 3, abs=0.045)


@pytest.mark.slow
@pytest.mark.parametrize("sizes", [(40, 10), (60, 40), (500, 500)])
def test_bands_cover_at_length(sizes):
    """The same with 4 000 samples, for small and large ones."""
    held, precise, points = coverage(sizes, 4000, 6)
    assert held >= 0.945
    assert precise >= 0.945
    assert points == pytest.approx([0.95] * 3, abs=0.03)


@pytest.mark.thorough
def test_calibration_band_holds_simultaneously():
    """For calibrated scores the simultaneous band covers all bins in at least 95 % of 300 seeded samples."""
    rng = np.random.default_rng(8)
    held = 0
    for _ in range(300):
        score = rng.random(150)
        truth = (rng.random(150) < score).astype(int)
        curve = calibration_curve(hs.scores(truth, score), bins=6, band="simultaneous")
        held += bool(((curve.low <= curve.x) & (curve.x <= curve.high)).all())
    assert held / 300 >= 0.95


def test_frames_and_columns():
    """A curve is its columns: by name, as a dictionary and as frames."""
    pytest.importorskip("polars")
    curve = roc_curve(hs.scores([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]))
    assert list(curve.to_pandas().columns) == list(curve.to_dict()) == ["fpr", "tpr", "threshold", "low", "high"]
    assert isinstance(curve.to_pandas(), pd.DataFrame)
    assert isinstance(curve.to_polars(), pl.DataFrame)
    assert len(curve.x) == len(curve.to_polars()) == 5
    with pytest.raises(hs.HowsureError, match=r"no column of this curve 'tprr'\. Did you mean 'tpr'"):
        curve["tprr"]


def test_bad_requests_are_refused():
    """Curves need scores, a known band, a level, and for calibration probabilities."""
    table = hs.scores([0, 1], [0.1, 2.0])
    with pytest.raises(hs.HowsureError, match="needs a table of scores"):
        roc_curve(hs.from_counts([[3, 1], [1, 3]]))
    with pytest.raises(hs.HowsureError, match=r"no band 'simultanous'\. Did you mean 'simultaneous'"):
        roc_curve(table, band="simultanous")
    with pytest.raises(hs.HowsureError, match="confidence_level"):
        roc_curve(table, confidence_level=95)
    with pytest.raises(hs.HowsureError, match="needs probabilities"):
        calibration_curve(table)


def test_arrays_serve_as_well_as_a_table():
    """True classes and scores, with the arguments of `scores`, give the curve of their table."""
    rng = np.random.default_rng(4)
    truth = rng.integers(0, 2, 80)
    score, weight = np.round(rng.random(80), 2), rng.random(80)
    for curve in (roc_curve, det_curve, precision_recall_curve, calibration_curve):
        direct = curve(np.where(truth, "ill", "well"), score, pos_label="ill", sample_weight=weight)
        table = hs.scores(truth, score, sample_weight=weight)
        for name, column in curve(table).columns.items():
            assert direct[name] == pytest.approx(column, nan_ok=True)
        with pytest.raises(hs.HowsureError, match="sample_weight.*`scores`"):
            curve(table, sample_weight=weight)
        with pytest.raises(hs.HowsureError, match="y_true, y_score"):
            curve(truth)


CASE_CURVES = [hs.roc_curve, hs.det_curve, hs.precision_recall_curve, hs.calibration_curve]


@pytest.mark.parametrize("function", CASE_CURVES)
def test_cases_by_group_are_those_of_tables_by_group(function):
    """`by=` with true classes and scores, in arrays or in columns, gives the curves of `scores(…, by=…)`."""
    truth, score, site = [0, 1, 1, 0, 1, 0, 0, 1], [0.2, 0.6, 0.4, 0.1, 0.9, 0.5, 0.3, 0.7], list("aabbaabb")
    expected = function(hs.scores(truth, score, by=site)).records()
    assert str(function(truth, score, by=site).records()) == str(expected)
    columns = {"y": truth, "p": score, "site": site}
    found = function("y", y_score="p", data=columns, by="site", band="none")
    assert [*found] == ["a", "b"]


@pytest.mark.parametrize("function", CASE_CURVES)
@pytest.mark.parametrize(
    "arguments, words",
    [
        ({"labels": [0, 1]}, "takes no `labels`. Write `pos_label=…`"),
        ({"weights": [1, 1]}, "Write `sample_weight=…`"),
        ({"colour": "red"}, "takes no `colour`"),
        ({"y_score": {"A": [0.2, 0.4]}}, "the scores of one model"),
    ],
)
def test_what_a_curve_does_not_take_is_named(function, arguments, words):
    """Arguments that neither the curve nor `scores` takes, and several models, are refused in one line."""
    with pytest.raises(hs.HowsureError, match=words) as refused:
        function([0, 1], **{"y_score": [0.2, 0.4], **arguments})
    if "y_score" not in arguments:
        assert function.__name__ in str(refused.value)


@pytest.mark.parametrize(
    "method, name, value",
    [
        ("spline", "bins", 10),
        ("spline", "strategy", "uniform"),
        ("logistic", "knots", 4),
        ("logistic", "bins", 5),
        ("bins", "knots", 4),
    ],
)
def test_settings_of_another_calibration_method_are_refused(method, name, value):
    """Also if the value is the default of the method that has the setting."""
    with pytest.raises(hs.HowsureError, match=f"`{name}` belongs to method="):
        hs.calibration_curve([0, 1, 0, 1, 1, 0], [0.1, 0.8, 0.6, 0.4, 0.9, 0.2], method=method, **{name: value})


def test_more_bins_than_scores_have_are_refused():
    """A number of bins beyond a million is a mistake, and not a lack of memory."""
    with pytest.raises(hs.HowsureError, match="at most 1,000,000"):
        hs.calibration_curve([0, 1], [0.2, 0.7], bins=10**10)


def test_error_tradeoff_is_scikit_learns():
    """It contains the points of scikit-learn's `det_curve`; the band is the ROC band upside down."""
    rng = np.random.default_rng(7)
    truth = rng.integers(0, 2, 60)
    score = np.round(rng.normal(truth), 1)
    ours = det_curve(truth, score, band="simultaneous")
    points = set(zip(ours["threshold"].tolist(), ours["fpr"].round(12), ours["fnr"].round(12), strict=True))
    false, missed, thresholds = sk.det_curve(truth, score)
    assert set(zip(thresholds[1:].tolist(), false[1:].round(12), missed[1:].round(12), strict=True)) <= points
    assert ours.low == pytest.approx(1 - roc_curve(truth, score, band="simultaneous").high)
    assert (ours.low <= ours["fnr"]).all()
    assert (ours["fnr"] <= ours.high).all()
    assert list(det_curve(truth, score, band="none").columns) == ["fpr", "fnr", "threshold"]


def test_the_simultaneous_precision_band_says_nothing_where_nothing_is_known():
    """At recall 0 the precision can have any value; if any false positive rate is possible, it is at least the base rate's.

    The distance of Dvoretzky, Kiefer, Wolfowitz and Massart, at the third root of the level, is ``sqrt(ln(2 / (1 -
    0.95^(1/3))) / 2 n)``; for a recall above one minus the distance, the threshold may be below every score.
    """
    rng = np.random.default_rng(8)
    truth = np.repeat([0, 1], [300, 200])
    curve = precision_recall_curve(truth, rng.normal(truth * 1.5), band="simultaneous")
    assert (curve.low[0], curve.high[0]) == (0.0, 1.0)
    each = 0.95 ** (1 / 3)
    distance = np.sqrt(np.log(2 / (1 - each)) / (2 * 200))
    open_end = curve.x + distance > 1
    share = stats.beta.ppf((1 - each) / 2, 200, 301)
    expected = share * curve.x / (share * curve.x + 1 - share)
    np.testing.assert_allclose(curve.low[open_end], expected[open_end], rtol=1e-9)
    assert (curve.low[~open_end][-20:] > expected[~open_end][-20:]).all()


def test_curves_of_groups_are_those_of_their_tables():
    """For `Tables`, every curve function returns the overall curve and those of groups, which can be pickled."""
    rng = np.random.default_rng(3)
    truth, score, site = rng.integers(0, 2, 90), np.round(rng.random(90), 2), np.repeat(["x", "y", "z"], 30)
    tables = hs.scores(truth, score, by=site)
    for function in (roc_curve, det_curve, precision_recall_curve, calibration_curve):
        found = pickle.loads(pickle.dumps(function(tables, band="simultaneous")))
        assert list(found) == ["x", "y", "z"]
        assert found.overall.to_dict() == function(truth, score, band="simultaneous").to_dict()
        assert found["y"].to_dict() == function(truth[30:60], score[30:60], band="simultaneous").to_dict()
        assert found.records()[-1]["group"] == "z"


@pytest.mark.parametrize("strategy", ["uniform", "quantile"])
@pytest.mark.parametrize("band", ["pointwise", "simultaneous"])
def test_bins_of_cases_without_weight_are_left_out(strategy, band):
    """A case of weight 0 fills no bin: the curve is that of the other cases."""
    truth, score = [0, 0, 1, 1, 0], [0.1, 0.25, 0.7, 0.85, 0.95]
    with_none = hs.calibration_curve(truth, score, sample_weight=[0, 1, 1, 1, 0], strategy=strategy, band=band)
    without = hs.calibration_curve(truth[1:4], score[1:4], sample_weight=[1, 1, 1], strategy=strategy, band=band)
    assert with_none["cases"].tolist() == [1, 1, 1]
    for column in ("share_positive", "mean_predicted", "low", "high"):
        assert with_none[column] == pytest.approx(without[column])


def test_a_strategy_of_bins_is_one_of_two_words():
    """An array in its place is refused in words, as is any other word."""
    table = hs.scores([0, 1, 1, 0], [0.1, 0.7, 0.8, 0.3])
    for strategy in (np.array([0.1, 0.9]), "mass"):
        with pytest.raises(hs.HowsureError, match="strategy of bins"):
            calibration_curve(table, strategy=strategy)


def test_bands_of_methods_that_draw_are_the_same_from_call_to_call():
    """The band of unlabelled scores under a calibrator, which is drawn, is the same each time."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 120)
    score = np.round(0.6 * rng.random(120) + 0.3 * truth, 1)
    table = hs.calibrated(score[:40], calibrator=hs.calibrate(score, truth, random_state=0))
    first, again = (hs.precision_recall_curve(table) for _ in range(2))
    np.testing.assert_array_equal(first.low, again.low)
    np.testing.assert_array_equal(first.high, again.high)


def test_curves_along_the_same_thresholds_share_their_tables(monkeypatch):
    """The tables along one curve are those of the next, with the same band as where none is kept."""
    scores = np.round(np.random.default_rng(1).random(40), 2)
    kept = hs.calibrated(scores)
    curves = [hs.precision_recall_curve(kept, confidence_level=level) for level in (0.8, 0.95)]
    tables = kept.of_last_curve
    first = tables.at(np.arange(len(kept.scores) + 1).tobytes(), lambda: None)
    assert first is not None
    assert [each.counts.sum() for each in first] == pytest.approx([40] * len(first))
    hs.threshold_curves(kept, "f1")
    assert tables.at(np.arange(len(kept.scores) + 1).tobytes(), lambda: None) is first
    monkeypatch.setattr(along, "KEPT", 0)
    for level, curve in zip((0.8, 0.95), curves, strict=True):
        again = hs.precision_recall_curve(hs.calibrated(scores), confidence_level=level)
        np.testing.assert_array_equal(np.stack([again.low, again.high]), np.stack([curve.low, curve.high]))
