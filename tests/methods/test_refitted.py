"""Limits of a metric of an estimated table, from those of the samples behind it."""

import pytest

import howsure as hs
from howsure.methods.refitted import Refitted
from howsure.metrics.binding import resolve

SOURCE = hs.from_counts([[90_000, 10_000], [5_000, 45_000]])


@pytest.mark.parametrize("metric", ["accuracy", "f1", "recall"])
@pytest.mark.parametrize("z", [1.0, 1.959963984540054, 4.0])
def test_many_cases_have_the_normal_interval_of_any_quantile(metric, z):
    """With many cases the limits are z standard errors away on both sides, for any level."""
    table = hs.transported(SOURCE, {0: 40_000, 1: 60_000})
    bound = resolve(metric, table)
    fitted = Refitted.of(bound, table, table.design.refit, bound.slopes(table.counted).ravel())
    found = hs.estimate(table, metric, method="delta")
    low, high = fitted.limits(found.value, fitted.gradients(fitted.refit.observed), z, 0.95)
    assert (found.value - low, high - found.value) == pytest.approx((z * found.standard_error,) * 2, rel=0.03)
