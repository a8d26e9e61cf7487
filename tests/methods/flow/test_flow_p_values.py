"""p-values read directly from the paths of the flow."""

import numpy as np
import pytest
from scipy import stats

import howsure as hs
from howsure.methods.core.method import tests_by
from howsure.methods.flow.flow import Flow
from howsure.methods.numerics.student_t import share_beyond
from howsure.metrics.binding import resolve_each
from howsure.metrics.contrast import EFFECTS, contrast_metric
from howsure.metrics.metric import Side

RNG = np.random.default_rng(3)
N = 240
TRUTH = RNG.integers(0, 3, N)
ANSWERS = {
    name: np.where(RNG.random(N) < right, TRUTH, RNG.integers(0, 3, N)) for name, right in (("A", 0.8), ("B", 0.7))
}


def contrast_of(spec, effect="difference", cases=N, **more):
    """Return a contrast of the two models, and its joint table."""
    models = hs.paired(TRUTH[:cases], {name: said[:cases] for name, said in ANSWERS.items()}, **more)
    sides = [
        Side(name, metric, models.view(name))
        for name, metric in zip("AB", resolve_each(spec, [models.model(each) for each in "AB"]), strict=True)
    ]
    return contrast_metric(EFFECTS[effect], *sides), models


@pytest.mark.parametrize(
    "spec, effect", [("mcc", "difference"), ("f1@macro", "difference"), ("precision@macro", "ratio")]
)
@pytest.mark.parametrize("more", [{}, {"groups": np.arange(N) // 8}], ids=["cases", "clusters"])
def test_the_p_value_is_what_the_level_leaves_at_which_a_limit_is_the_null(spec, effect, more):
    """The direct p-value equals that of the search over levels, on either side and far from the value."""
    metric, table = contrast_of(spec, effect, **more)
    at_level = Flow().at_levels(metric, table)
    value = np.asarray(metric(table.counted))
    for null in value + np.array([-1.5, -0.3, -0.05, 1e-9, 0.02, 0.4]):
        searched = tests_by(at_level.__call__, value, null)
        assert at_level.p_values(value, null) == pytest.approx(float(searched), rel=1e-7)
        assert Flow().p_value(metric, table, null) == pytest.approx(float(searched), rel=1e-7)
    assert Flow().p_value(metric, table, float(value)) == 1.0


def test_a_null_beyond_the_range_has_the_smallest_p_value():
    """A difference of proportions is never 2; a single cluster tests nothing."""
    metric, table = contrast_of("mcc")
    assert 0 < Flow().p_value(metric, table, 2.5) < 1e-190
    metric, table = contrast_of("mcc", groups=np.zeros(N, dtype=int))
    assert np.isnan(Flow().p_value(metric, table, 0.1))


@pytest.mark.parametrize("t, freedom", [(0.3, 2.5), (2.0, 7), (6.0, 30.0), (40.0, 3.0), (1.0, 1e5)])
def test_students_tail_is_that_of_scipy(t, freedom):
    """Both tails together."""
    assert share_beyond(t, freedom) == pytest.approx(2 * stats.t.sf(t, freedom), rel=1e-12)
