"""How far metrics move under miscalibration, against brute force."""

import numpy as np
import pytest

import howsure as hs
from howsure.imperfect_labels.unlabelled.miscalibration import _together
from howsure.metrics.binding import resolve

SCORE = np.random.default_rng(0).beta(2, 3, 60)


def shifted(score, a, b):
    return 1 / (1 + np.exp(-(a + b * np.log(score / (1 - score)))))


def expected_table(score, true, threshold):
    above = score >= threshold
    return np.array([[(1 - true)[~above].sum(), (1 - true)[above].sum()], [true[~above].sum(), true[above].sum()]])


@pytest.mark.parametrize("metric", ["precision", "recall", "f1", "accuracy", "mcc"])
def test_shift_and_slope_reach_their_extremes(metric):
    """No shift and slope in the box exceeds the limits beyond the resolution of the grid, and some reach them."""
    scores = hs.calibrated(SCORE)
    found = hs.shift.miscalibration(scores, metric, threshold=0.4, shift=0.5, slope=1.5)
    bound, rng = resolve(metric, scores.at(0.4)), np.random.default_rng(1)
    values = [
        float(bound(expected_table(SCORE, shifted(SCORE, rng.uniform(-0.5, 0.5), rng.uniform(1 / 1.5, 1.5)), 0.4)))
        for _ in range(400)
    ]
    reach = found.high - found.low
    assert found.low - 0.01 * reach <= min(values)
    assert max(values) <= found.high + 0.01 * reach
    for limit, place in ((found.low, found.low_at), (found.high, found.high_at)):
        assert float(bound(expected_table(SCORE, shifted(SCORE, *place), 0.4))) == pytest.approx(limit)
    assert found.value == pytest.approx(hs.estimate(scores, metric, threshold=0.4).value)


@pytest.mark.parametrize("metric", ["precision", "recall", "f1", "accuracy", "mcc"])
def test_no_probabilities_within_the_distance_go_further(metric):
    """Any true probabilities within the distance give a value within the limits."""
    scores = hs.calibrated(SCORE)
    found = hs.shift.miscalibration(scores, metric, threshold=0.4, distance=0.1)
    bound, rng = resolve(metric, scores.at(0.4)), np.random.default_rng(2)
    for _ in range(300):
        weight = rng.choice([0.0, 1.0], 2)[(SCORE >= 0.4).astype(int)] if rng.random() < 0.5 else rng.random(60)
        true = np.clip(SCORE + 0.1 * (2 * weight - 1), 0, 1)
        value = float(bound(expected_table(SCORE, true, 0.4)))
        assert found.low - 1e-12 <= value <= found.high + 1e-12


def test_areas_move_with_slope():
    """Scores that are overconfident have a lower ROC AUC than they promise, and none at all changes nothing."""
    scores = hs.calibrated(SCORE)
    found = hs.shift.miscalibration(scores, "roc_auc", slope=1.5)
    assert found.low < found.value < found.high
    assert found.low_at == pytest.approx((0.0, 1 / 1.5))
    nothing = hs.shift.miscalibration(scores, "roc_auc")
    assert (nothing.low, nothing.high) == pytest.approx((nothing.value, nothing.value), rel=1e-12)


def test_certain_scores_stay_certain():
    """Scores of 0 and 1 are not moved by shift and slope."""
    found = hs.shift.miscalibration(hs.calibrated([0.0, 1.0, 1.0]), "accuracy", threshold=0.5, shift=1.0, slope=2.0)
    assert (found.low, found.high) == (1.0, 1.0)


@pytest.mark.parametrize(
    "arguments, words",
    [
        ({"shift": -1}, "at least 0"),
        ({"slope": 0.5}, "at least 1"),
        ({"distance": 2}, "between 0 and 1"),
        ({"distance": 0.1, "threshold": None}, "give a `threshold`"),
        ({"shift": np.nan}, "at least 0"),
    ],
)
def test_amounts_are_checked(arguments, words):
    """Each amount that means nothing is named."""
    settings = {"threshold": 0.5} | arguments
    metric = "f1" if settings["threshold"] is not None else "roc_auc"
    with pytest.raises(hs.HowsureError, match=words):
        hs.shift.miscalibration(hs.calibrated(SCORE), metric, **settings)


def test_labelled_scores_are_refused():
    """Labelled cases have nothing that rests on calibration."""
    with pytest.raises(hs.HowsureError, match="scores without labels"):
        hs.shift.miscalibration(hs.scores([0, 1], [0.2, 0.7]), "f1", threshold=0.5, shift=0.2)


def test_scores_at_the_threshold_are_called_positive():
    """As for predictions: of scores from 0.5 upwards the precision is their mean, give or take the distance."""
    table = hs.calibrated([0.2, 0.5, 0.9])
    found = hs.shift.miscalibration(table, "precision", threshold=0.5, distance=0.05)
    assert (found.value, found.low, found.high) == pytest.approx(((0.5 + 0.9) / 2, 0.65, 0.75))


def test_neighbours_are_taken_together_on_their_side_of_the_threshold():
    """Nearly equal scores become one, at their mean, but only on the same side of the threshold."""
    rng = np.random.default_rng(5)
    score, mass = np.sort(rng.random(300_000)), rng.uniform(0.5, 2, 300_000)
    above = score >= 0.37
    number, mean, side = _together(mass, score, above)
    assert len(number) < 20_000
    for some, chosen in ((above, side), (~above, ~side)):
        assert number[chosen].sum() == pytest.approx(mass[some].sum())
        assert number[chosen] @ mean[chosen] == pytest.approx(mass[some] @ score[some])
    assert mean[side].min() >= 0.37 > mean[~side].max()


def test_many_scores_have_bounds_with_a_threshold_or_without():
    """Scores are binned on either side of a threshold; a metric of scores takes them as they are."""
    scores = hs.calibrated(np.linspace(0.001, 0.999, 9_999))
    found = hs.shift.miscalibration(scores, "accuracy", threshold=0.5, shift=0.2)
    assert found.low < found.value - 1e-4
    assert found.high == pytest.approx(found.value)  # 0.5 is the best threshold for calibrated scores
    whole = hs.shift.miscalibration(scores, "brier_score", shift=0.2)
    assert whole.low <= whole.value < whole.high


@pytest.mark.parametrize("distance", [0.0, 0.1])
def test_true_positives_within_the_distance_are_sums(distance):
    """Precision and recall have their extremes at sums of scores plus or minus the distance, within 0 and 1."""
    above = SCORE >= 0.4
    found = {
        name: hs.shift.miscalibration(hs.calibrated(SCORE), name, threshold=0.4, distance=distance)
        for name in ("precision", "recall", "accuracy")
    }
    low, high = (np.clip(SCORE + sign * distance, 0, 1) for sign in (-1, 1))
    assert (found["precision"].low, found["precision"].high) == pytest.approx((low[above].mean(), high[above].mean()))
    ends = [
        hits / (hits + misses)
        for hits, misses in ((low[above].sum(), high[~above].sum()), (high[above].sum(), low[~above].sum()))
    ]
    assert (found["recall"].low, found["recall"].high) == pytest.approx(tuple(ends))
    right = [(one[above].sum() + (1 - other[~above]).sum()) / 60 for one, other in ((low, high), (high, low))]
    assert (found["accuracy"].low, found["accuracy"].high) == pytest.approx(tuple(right))
    assert (found["accuracy"].low_at, found["accuracy"].high_at) == ((0.0, 1.0), (0.0, 1.0))


def test_a_mean_of_the_scores_moves_with_each_of_them():
    """The Brier score is linear in the true probabilities: its extremes are at those of the grid, with weights too."""
    weight = np.random.default_rng(3).choice([0.5, 2.0], 60)
    shift, slope = 0.6, 2.0

    def brier(a, b):
        true = shifted(SCORE, a, b)
        return np.average(true * (1 - SCORE) ** 2 + (1 - true) * SCORE**2, weights=weight)

    found = hs.shift.miscalibration(hs.calibrated(SCORE, sample_weight=weight), "brier_score", shift=shift, slope=slope)
    grid = {(a, b): brier(a, b) for a in np.linspace(-shift, shift, 11) for b in slope ** np.linspace(-1, 1, 11)}
    assert found.value == pytest.approx(brier(0, 1))
    assert (found.low, found.high) == pytest.approx((min(grid.values()), max(grid.values())))
    assert brier(*found.low_at) == pytest.approx(found.low)
    assert brier(*found.high_at) == pytest.approx(found.high)
    record = found.to_dict()
    assert (record["low_at_shift"], record["low_at_slope"]) == found.low_at
    assert (record["high_at_shift"], record["high_at_slope"]) == found.high_at
    assert str(found).startswith(f"{found.value:.3f} ({found.low:.3f} to {found.high:.3f} ")


@pytest.mark.parametrize("amounts", [{"shift": 0.0}, {"slope": 1.0}, {"distance": 0.0}, {"distance": 1.0}])
def test_amounts_at_their_ends_are_taken(amounts):
    """No shift, a slope of 1 and distances of 0 and 1 mean something: nothing, or any probability at all."""
    found = hs.shift.miscalibration(hs.calibrated(SCORE), "accuracy", threshold=0.4, **amounts)
    expected = (0, 1) if amounts == {"distance": 1.0} else (found.value, found.value)
    assert (found.low, found.high) == pytest.approx(expected)
    for wrong in (-1e-9, 1 + 1e-9):
        with pytest.raises(hs.HowsureError, match="between 0 and 1"):
            hs.shift.miscalibration(hs.calibrated(SCORE), "accuracy", threshold=0.4, distance=wrong)
