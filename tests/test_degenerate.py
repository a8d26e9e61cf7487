"""Thousands of degenerate tables: no interval leaves its range, none is a point, and nan has a reason."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import howsure as hs
from howsure.metrics.binding import resolve
from howsure.metrics.registry import REGISTRY
from support.arguments import spec_of

OVER_CLASSES = ("binary+positive_class=1", "macro", "weighted", "micro", "min", "max", "geometric", "harmonic")
SPECS = [
    spec
    for definition in REGISTRY.shipped
    if definition.of_predictions and definition.name != "expected_utility"
    for spec in (
        [f"{spec_of(definition)}@{average}" for average in OVER_CLASSES]
        if definition.form.name == "outcomes"
        else [definition.name]
    )
]
SPECS += ["balanced_accuracy+adjusted=true", "weighted_kappa+power=0", "fbeta+beta=2@macro", "f1+zero_division=0@macro"]


@st.composite
def tables(draw):
    """Draw a table that is likely to be perfect, or to have empty rows, columns, or few cases."""
    classes = draw(st.integers(2, 4))
    cell = draw(st.sampled_from([st.just(0), st.integers(0, 1), st.integers(0, 3), st.integers(0, 60)]))
    off_diagonal = draw(st.sampled_from([st.just(0), st.integers(0, 1), st.integers(0, 20)]))
    counts = np.array(draw(st.lists(off_diagonal, min_size=classes**2, max_size=classes**2))).reshape(classes, classes)
    np.fill_diagonal(counts, draw(st.lists(cell, min_size=classes, max_size=classes)))
    if not counts.any():
        counts[0, draw(st.integers(0, classes - 1))] = draw(st.integers(1, 5))
    table = hs.from_counts(counts, check=False)
    design = draw(st.sampled_from(["simple", "fixed", "weighted", "clusters"]))
    if design == "fixed":
        return table.with_design(hs.designs.FixedMargins())
    true, predicted = np.nonzero(counts)
    rows = np.repeat(np.arange(len(true)), counts[true, predicted])
    if design == "simple":
        return table
    extra = {"sample_weight": 0.5 + rows % 3} if design == "weighted" else {"groups": np.arange(len(rows)) // 2}
    return hs.confusion(true[rows], predicted[rows], labels=np.arange(classes), check=False, **extra)


def several(specs, number):
    """Draw some of these metrics: a table is made once for all of them."""
    return st.lists(st.sampled_from(specs), min_size=number, max_size=number, unique=True)


def check_all(table, specs, **settings):
    """Check the interval of each metric."""
    for spec, estimate in zip(specs, hs.evaluate(table, specs, **settings).values(), strict=True):
        check(estimate, resolve(spec, table).range)


def check(estimate, bounds):
    """Check properties of the intervals of a method that keeps the range."""
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


@pytest.mark.thorough
@pytest.mark.parametrize("method", [None, "delta"])
@given(table=tables(), specs=several(SPECS, 10), level=st.sampled_from([0.5, 0.95, 0.999]))
@settings(max_examples=150)
def test_automatic_and_delta(method, table, specs, level):
    """The default and the delta method keep the range, have positive width, and explain undefined results."""
    check_all(table, specs, method=method, confidence_level=level)


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


@pytest.mark.thorough
@given(table=tables(), specs=several(SUMS, 5), level=st.sampled_from([0.5, 0.95, 0.999]))
@settings(max_examples=120)
def test_mover(table, specs, level):
    """MOVER keeps the range, has positive width, and explains undefined results."""
    check_all(table, specs, method="mover", confidence_level=level)


RATIOS = ["accuracy", "error_rate", "f1@binary+positive_class=1", "fbeta+beta=2@binary+positive_class=0", "jaccard@micro", "recall@micro", "mae"]  # fmt: skip


@pytest.mark.thorough
@given(table=tables())
@settings(max_examples=115)
def test_fieller(table):
    """Fieller's interval keeps the range, has positive width, and explains undefined results."""
    check_all(table, RATIOS, method="fieller")


SHARES = ["accuracy", "recall@binary+positive_class=1", "f1@binary+positive_class=0", "jaccard@binary+positive_class=1"]
PROPORTIONS = ["wilson", "wilson_cc", "clopper_pearson", "mid_p", "agresti_coull", "jeffreys", "logit", "arcsine", "likelihood_ratio"]  # fmt: skip


@pytest.mark.thorough
@given(table=tables(), methods=several(PROPORTIONS, 3))
@settings(max_examples=70)
def test_proportions(table, methods):
    """Every binomial method keeps the range and has positive width, for proportions and functions of one."""
    for method in methods:
        for estimate in hs.evaluate(table, SHARES, method=method).values():
            if method in ("jeffreys", "agresti_coull", "arcsine"):  # these may leave out an observed 0 or 1
                assert np.isnan(estimate.low) or 0 <= estimate.low < estimate.high <= 1
            else:
                check(estimate, (0, 1))


DRAWN = ["accuracy", "f1@macro", "mcc", "recall@binary+positive_class=1", "plr@macro"]


@given(
    table=tables(),
    method=st.sampled_from(
        [hs.methods.Bootstrap("percentile", 60), hs.methods.Bootstrap("bca", 60), hs.methods.Dirichlet(n_draws=200)]
    ),
)
@settings(max_examples=100)
def test_drawing_methods(table, method):
    """Resamples and posterior draws keep the range; bootstrap intervals have width."""
    for spec, estimate in zip(DRAWN, hs.evaluate(table, DRAWN, method=method, random_state=0).values(), strict=True):
        low, high = resolve(spec, table).range
        if np.isnan(estimate.low):
            assert estimate.reason
        else:
            assert low - 1e-12 <= estimate.low < estimate.high <= high + 1e-12
