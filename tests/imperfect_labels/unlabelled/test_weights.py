"""Weighted scores without labels: each case counts its weight, and varies by its square."""

import numpy as np
import pytest

import howsure as hs

RNG = np.random.default_rng(5)
SIZE = 60
SCORE = RNG.beta(1, 1, SIZE)
ROWS = RNG.dirichlet(np.ones(3), SIZE)
WEIGHT = RNG.lognormal(0, 0.8, SIZE)
KINDS = [
    (SCORE, {}, "roc_auc"),
    (SCORE, {"y_pred": (SCORE > 0.5).astype(int)}, "f1"),
    (ROWS, {}, "f1@macro"),
    (ROWS, {"kind": "scores"}, "log_loss"),
]


def made(kind, weight, target="batch"):
    """Return the table of one of the kinds."""
    score, settings, _ = kind
    return hs.calibrated(score, sample_weight=weight, target=target, **settings)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind[2])
@pytest.mark.parametrize("target", ["batch", "population"])
def test_equal_weights_are_none_and_units_do_not_matter(kind, target):
    """Constant weights change nothing, and their unit changes no value and no limit."""
    numbers = [
        hs.estimate(made(kind, weight, target), kind[2], random_state=1)
        for weight in (None, np.full(SIZE, 3.0), WEIGHT, 1e-3 * WEIGHT)
    ]
    plain, equal, one, other = [(each.value, each.low, each.high) for each in numbers]
    assert equal == plain
    assert other == pytest.approx(one, rel=1e-9)
    assert one[0] != pytest.approx(plain[0], rel=1e-6)


@pytest.mark.thorough
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind[2])
@pytest.mark.parametrize("target", ["batch", "population"])
def test_draws_vary_as_the_formula_says(kind, target):
    """Resampled tables have the delta method's standard error, within 8 % and 3 standard errors of 4,000 draws.

    F1 and macro F1 are not linear in the counts: by 40,000 draws their standard errors are 5 and 7 % larger.
    """
    table = made(kind, WEIGHT, target)
    formula = hs.estimate(table, kind[2], method="delta").standard_error
    drawn = hs.estimate(table, kind[2], method=hs.methods.Bootstrap("percentile", 4000), random_state=0).standard_error
    assert drawn == pytest.approx(formula, rel=0.08 + 3 / np.sqrt(2 * 4000))


def test_standard_errors_of_a_weighted_precision():
    """With weights w of predicted positives: for the batch sum w² p (1 - p), for the population sum w² (p - mean)²."""
    above = SCORE >= 0.5
    share, weight = SCORE[above], WEIGHT[above]
    mean = (weight * share).sum() / weight.sum()
    squares = {"batch": weight**2 * share * (1 - share), "population": weight**2 * (share - mean) ** 2}
    for target, parts in squares.items():
        table = hs.calibrated(SCORE, sample_weight=WEIGHT, target=target)
        found = hs.estimate(table, "precision", threshold=0.5, method="delta")
        assert found.value == pytest.approx(mean)
        assert found.standard_error == pytest.approx(np.sqrt(parts.sum()) / weight.sum())


@pytest.mark.parametrize("method, size", [("predictive", 60), ("delta", 600)])
def test_intervals_hold_the_metric_of_hidden_labels(method, size):
    """95 % intervals cover the weighted precision of 4,000 drawn sets of labels at about that rate: 93 to 97 %."""
    rng = np.random.default_rng(1)
    score, weight = rng.random(size), rng.lognormal(0, 0.8, size)
    table = hs.calibrated(score, sample_weight=weight)
    found = hs.estimate(table, "precision", threshold=0.5, method=method, random_state=0)
    above = score >= 0.5
    labels = rng.random((4000, above.sum())) < score[above]
    truth = labels @ weight[above] / weight[above].sum()
    assert 0.93 <= ((found.low <= truth) & (truth <= found.high)).mean() <= 0.97


def test_bands_and_chunks_take_weights():
    """At thresholds and by chunk, weighted cases have the limits of separate tables."""
    table = hs.calibrated(SCORE, sample_weight=WEIGHT)
    curve = hs.threshold_curves(table, "precision")["precision"]
    place = int(np.flatnonzero(curve["threshold"] <= 0.5)[0])
    alone = hs.estimate(table, "precision", threshold=float(curve["threshold"][place]))
    assert (curve["low"][place], curve["high"][place]) == pytest.approx((alone.low, alone.high), rel=1e-6)
    chunks = hs.calibrated(SCORE, sample_weight=WEIGHT, every=30)
    first = hs.calibrated(SCORE[:30], sample_weight=WEIGHT[:30])
    np.testing.assert_allclose(next(iter(chunks.values())).counts, first.counts)


@pytest.mark.parametrize(
    "arguments, words",
    [
        ({"sample_weight": WEIGHT[:-1]}, "`y_score` has 60, `sample_weight` has 59"),
        ({"sample_weight": -WEIGHT}, "is negative"),
        ({"sample_weight": np.zeros(SIZE)}, "all zeros"),
        (
            {"sample_weight": WEIGHT, "calibrator": hs.calibrate(SCORE, SCORE > 0.4, random_state=0)},
            "leave out `sample",
        ),
    ],
)
def test_weights_that_cannot_be_used_are_named(arguments, words):
    """Wrong lengths, negative weights, zero weights, and weights with a calibrator give a one-line error."""
    with pytest.raises(hs.HowsureError, match=words):
        hs.calibrated(SCORE, **arguments)
