"""The path of one mean loss equals that of a batch of tables, which uses their cells."""

import numpy as np
import pytest

import howsure as hs
from howsure.methods import tilting
from howsure.methods.loss_grid import Losses

LEVELS = (0.05, 0.5, 0.95, 0.9999, 1 - 1e-12)


@pytest.mark.parametrize("metric", ["brier_score", "log_loss"])
@pytest.mark.parametrize("rows", [1, 2, 3, 5, 12, 150])
@pytest.mark.parametrize("kind", ["usual", "sharp", "rounded"])
def test_a_table_has_the_limits_that_it_has_in_a_batch(kind, rows, metric):
    """At levels low and high, of one case and of many, where a step of the path is cut short and where none is."""
    rng = np.random.default_rng(rows)
    truth, group = rng.integers(0, 2, 4 * rows), np.repeat(np.arange(4), rows)
    score = 1 / (1 + np.exp(-rng.normal((2.0 * truth - 1) * (20 if kind == "sharp" else 1), 2)))
    score = np.round(score, 1) if kind == "rounded" else score
    groups = hs.scores(truth, score, by=group, pos_label=1)
    for level in LEVELS:
        found = hs.estimate(groups, metric, method="flow", confidence_level=level)
        width = np.asarray(found.high) - np.asarray(found.low)
        for name, wide in zip(groups, width, strict=True):
            alone = hs.estimate(groups[name], metric, method="flow", confidence_level=level)
            assert alone.reason == found[name].reason
            if not alone.reason:
                assert (alone.low, alone.high) == pytest.approx((found[name].low, found[name].high), abs=1e-8 * wide)


def test_losses_that_do_not_vary_have_no_limits():
    """Equal losses show no variation; with bounds, limits beyond the end of the path are the bounds."""
    rng = np.random.default_rng(2)
    equal = Losses(np.array([0.25]), np.array([9.0]), np.array([1.0]))
    assert np.isnan(tilting.Tilting(equal, 0.25, (0.0, np.inf)).limits(1.96)).all()
    losses = rng.random(9)
    varied = tilting.Tilting(Losses(losses, np.ones(9), np.full(9, 1 / 9)), losses.mean(), (0.0, 1.0))
    assert varied.limits(2 * tilting.HOPELESS) == (0.0, 1.0)
    inner = varied.limits(1.0)
    assert 0 < inner[0] < losses.mean() < inner[1] < 1
