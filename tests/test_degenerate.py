"""Thousands of degenerate tables: no interval leaves its range, none is a point, and nan has a reason."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import howsure as hs
from howsure.metrics.binding import resolve
from howsure.metrics.registry import REGISTRY

OVER_CLASSES = ("binary+positive_class=1", "macro", "weighted", "micro", "min", "max", "geometric", "harmonic")
SPECS = [
    spec
    for definition in REGISTRY.shipped
    if not definition.of_scores
    for spec in (
        [f"{definition.name}@{average}" for average in OVER_CLASSES]
        if definition.form == "outcomes"
        else [definition.name]
    )
]
SPECS += ["balanced_accuracy+adjusted=true", "weighted_kappa+power=0", "fbeta+beta=2@macro", "f1+zero_division=0@macro"]


@st.composite
def tables(draw):
    """Draw a table that is likely to be perfect, or to have empty rows, columns, or hardly any case."""
    classes = draw(st.integers(2, 4))
    cell = draw(st.sampled_from([st.just(0), st.integers(0, 1), st.integers(0, 3), st.integers(0, 60)]))
    off_diagonal = draw(st.sampled_from([st.just(0), st.integers(0, 1), st.integers(0, 20)]))
    counts = np.array([[draw(cell if i == j else off_diagonal) for j in range(classes)] for i in range(classes)])
    if not counts.any():
        counts[0, draw(st.integers(0, classes - 1))] = draw(st.integers(1, 5))
    table = hs.from_counts(counts)
    design = draw(st.sampled_from(["simple", "fixed", "weighted", "clusters"]))
    if design == "fixed":
        return table.with_design(hs.FixedMargins())
    true, predicted = np.nonzero(counts)
    rows = np.repeat(np.arange(len(true)), counts[true, predicted])
    if design == "simple":
        return table
    extra = {"sample_weight": 0.5 + rows % 3} if design == "weighted" else {"groups": np.arange(len(rows)) // 2}
    return hs.confusion(true[rows], predicted[rows], labels=np.arange(classes), **extra)


def check(estimate, bounds):
    """Check what must hold of every interval of a method that keeps the range."""
    low, high = estimate.low, estimate.high
    if np.isnan(estimate.value):
        assert estimate.reason, estimate
        assert np.isnan(low)
        assert np.isnan(high)
    elif np.isnan(low) or np.isnan(high):
        assert estimate.reason, estimate
    else:
        slack = 1e-9 * max(1, abs(estimate.value))
        assert bounds[0] - 1e-12 <= low < high <= bounds[1] + 1e-12, estimate
        assert low - slack <= estimate.value <= high + slack, estimate


@pytest.mark.parametrize("method", [None, "delta"])
@given(table=tables(), spec=st.sampled_from(SPECS), level=st.sampled_from([0.5, 0.95, 0.999]))
@settings(max_examples=1500, deadline=None)
def test_automatic_and_delta(method, table, spec, level):
    """The default and the delta method keep the range, have width, and explain what is undefined."""
    estimate = hs.estimate(table, spec, method=method, confidence_level=level)
    check(estimate, resolve(spec, table).range)


SUMS = [
    "recall@macro",
    "precision@macro",
    "f1@macro",
    "npv@macro",
    "balanced_accuracy",
    "balanced_accuracy+adjusted=true",
    "informedness@binary+positive_class=1",
    "informedness@macro",
    "markedness@macro",
    "jaccard@macro",
]


@given(table=tables(), spec=st.sampled_from(SUMS), level=st.sampled_from([0.5, 0.95, 0.999]))
@settings(max_examples=600, deadline=None)
def test_mover(table, spec, level):
    """MOVER keeps the range, has width, and explains what is undefined."""
    check(hs.estimate(table, spec, method="mover", confidence_level=level), resolve(spec, table).range)


RATIOS = ["accuracy", "error_rate", "f1@binary+positive_class=1", "fbeta+beta=2@binary+positive_class=0", "jaccard@micro", "recall@micro", "mae"]  # fmt: skip


@given(table=tables(), spec=st.sampled_from(RATIOS))
@settings(max_examples=800, deadline=None)
def test_fieller(table, spec):
    """Fieller's interval keeps the range, has width, and explains what is undefined."""
    check(hs.estimate(table, spec, method="fieller"), resolve(spec, table).range)


@given(
    table=tables(),
    spec=st.sampled_from(["accuracy", "recall@binary+positive_class=1", "f1@binary+positive_class=0", "jaccard@binary+positive_class=1"]),
    method=st.sampled_from(["wilson", "wilson_cc", "clopper_pearson", "mid_p", "agresti_coull", "jeffreys", "logit", "arcsine", "likelihood_ratio"]),
)  # fmt: skip
@settings(max_examples=800, deadline=None)
def test_proportions(table, spec, method):
    """Every binomial method keeps the range and has width, for proportions and what follows from one."""
    estimate = hs.estimate(table, spec, method=method)
    if method in ("jeffreys", "agresti_coull", "arcsine"):  # these may leave out an observed 0 or 1
        assert np.isnan(estimate.low) or 0 <= estimate.low < estimate.high <= 1
    else:
        check(estimate, (0, 1))


@given(
    table=tables(),
    spec=st.sampled_from(["accuracy", "f1@macro", "mcc", "recall@binary+positive_class=1", "plr@macro"]),
    method=st.sampled_from([hs.Bootstrap("percentile", 60), hs.Bootstrap("bca", 60), hs.Dirichlet(n_draws=200)]),
)
@settings(max_examples=500, deadline=None)
def test_drawing_methods(table, spec, method):
    """Resamples and posterior draws keep the range; bootstrap intervals have width."""
    estimate = hs.estimate(table, spec, method=method, random_state=0)
    bounds = resolve(spec, table).range
    if np.isnan(estimate.low):
        assert estimate.reason
    else:
        assert bounds[0] - 1e-12 <= estimate.low < estimate.high <= bounds[1] + 1e-12
