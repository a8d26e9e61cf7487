"""Averages over classes move along their paths in parallel, with the results of each alone from all cells."""

import numpy as np
import pytest

import howsure as hs
from howsure.methods.core.standard_errors import design_sample
from howsure.methods.flow.all_cells import AllCells, TooSteepError
from howsure.methods.flow.class_averages import FewClasses, ManyClasses
from howsure.methods.flow.flow import flow_intervals
from howsure.metrics.binding import resolve
from howsure.metrics.class_shares import variance_of_independent
from howsure.native.averages import ClassShares

SPECS = ["precision@macro", "recall@weighted", "f1@macro", "jaccard@weighted", "fdr@macro", "fbeta+beta=2@weighted"]


def table_of(classes, cases, seed, accuracy=0.8):
    """Return a table of classes of unequal frequency, some of which may not occur."""
    rng = np.random.default_rng(seed)
    truth = rng.choice(classes, cases, p=rng.dirichlet(np.full(classes, 0.7)))
    said = np.where(rng.random(cases) < accuracy, truth, rng.integers(0, classes, cases))
    return hs.confusion(truth, said, labels=np.arange(classes))


def walked(tables, strides):
    """Return value, variance and third moment at the start and after each of a number of strides, down and up."""
    found = [tables.start()]
    for _ in range(strides):
        found.append(tables.ahead(found[-1], slice(None)))
    both = found[-1].value.shape  # at the start the ways are one
    return np.array(
        [[np.broadcast_to(part, both) for part in (each.value, each.variance, each.third)] for each in found]
    )


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("told_by, classes", [(FewClasses, 2), (FewClasses, 5), (ManyClasses, 24)])
def test_tables_told_by_less_have_the_moments_the_score_and_the_bias_of_tables_told_by_all_cells(
    told_by, classes, seed
):
    """The generic path evaluates each metric's value and gradient, and perturbs every cell for the bias."""
    table = table_of(classes, 200 * classes, seed)
    metrics = [resolve(spec, table) for spec in SPECS]
    averages = ClassShares.beside([each.class_shares for each in metrics])
    together = told_by(averages, table.counted, np.ones(len(SPECS)))
    alone = [AllCells(each, table, table.cells[None]) for each in metrics]
    of_each = np.concatenate([walked(each, 2) for each in alone], -1)
    np.testing.assert_allclose(walked(together, 2), of_each, rtol=1e-9, atol=1e-15)
    here, apart = together.start(), [each.start() for each in alone]
    scores = np.concatenate([each.score(point, slice(None)) for each, point in zip(alone, apart, strict=True)], -1)
    np.testing.assert_allclose(together.score(here, slice(None)), scores, rtol=1e-9, atol=1e-12)
    for metric, own, each in zip(metrics, together.bias(), alone, strict=True):
        step = 1e-9 if metric.class_average.class_terms else 1e-4  # by cell steps are longer than by class
        np.testing.assert_allclose([own], each.bias(), rtol=1e-6, atol=step)


@pytest.mark.parametrize("classes", [2, 4, 23])
@pytest.mark.parametrize("roles", ["", "sample_weight", "groups"])
def test_metrics_together_have_the_intervals_of_each_alone(classes, roles):
    """Also with weights and clusters, together with metrics of other kinds, and in any order."""
    rng = np.random.default_rng(classes)
    truth = rng.integers(0, classes, 400)
    said = np.where(rng.random(400) < 0.7, truth, rng.integers(0, classes, 400))
    given = {"sample_weight": rng.gamma(2, size=400), "groups": np.arange(400) // 4}
    table = hs.confusion(truth, said, **({roles: given[roles]} if roles else {}))
    specs = ["mcc", *SPECS, "accuracy", "specificity@macro", *SPECS[:2], "kappa"]
    for spec, found in hs.evaluate(table, specs).items():
        alone = hs.estimate(table, spec)
        np.testing.assert_allclose((found.low, found.high), (alone.low, alone.high), rtol=1e-9)
        assert (found.method, found.reason) == (alone.method, alone.reason)


@pytest.mark.parametrize("classes", [3, 22])
def test_groups_have_the_intervals_of_each_table(classes):
    """A batch of tables is processed like the metrics."""
    rng = np.random.default_rng(classes)
    truth, by = rng.integers(0, classes, 600), rng.integers(0, 3, 600)
    said = np.where(rng.random(600) < 0.7, truth, rng.integers(0, classes, 600))
    tables = hs.confusion(truth, said, by=by)
    found = hs.evaluate(tables, SPECS)
    for key, table in tables.items():
        for spec in SPECS:
            alone = hs.estimate(table, spec)
            one = found[key][spec]
            np.testing.assert_allclose((one.low, one.high), (alone.low, alone.high), rtol=1e-9)


def test_a_stride_too_steep_for_products_is_taken_by_all_cells():
    """If an error vanishes within a stride its factor is cut, and cells are no longer products."""
    counts = np.diag(np.full(22, 500.0))
    counts[0, 1] = 1
    table = hs.from_counts(counts.astype(int))
    metric = resolve("f1@macro", table)
    paths = ManyClasses(ClassShares.beside([metric.class_shares]), table.counted, np.ones(1))
    with pytest.raises(TooSteepError):
        walked(paths, 80)
    found = hs.estimate(table, metric, confidence_level=0.9999999)
    by_cells = flow_intervals(metric, table, *design_sample(metric, table))(0.9999999)
    assert (found.low, found.high) == pytest.approx((float(by_cells.low), float(by_cells.high)), rel=1e-12)


@pytest.mark.parametrize("spec", SPECS)
def test_averages_have_the_value_and_the_slopes_of_their_metric(spec):
    """Evaluated by hits and margins, as by the outcomes of each class and the chain rule."""
    table = table_of(6, 60, 3)
    metric = resolve(spec, table)
    counts = table.counted
    with np.errstate(all="ignore"):  # as of the callers: a class may not occur
        value, by_hit, by_row, by_column = metric.class_shares.slopes(counts.hits, counts.rows, counts.columns)
        variance = float(variance_of_independent(metric.class_shares, counts))
    slopes = by_row[:, None] + by_column + np.diag(by_hit)
    assert float(value) == pytest.approx(float(metric(counts)), rel=1e-12)
    np.testing.assert_allclose(slopes, metric.finite_gradient(counts), rtol=1e-9, atol=1e-12)
    assert variance == pytest.approx(float(table.variance(slopes.ravel())), rel=1e-9)


@pytest.mark.parametrize("spec", ["f1@weighted", "jaccard@macro", "recall@weighted"])
@pytest.mark.parametrize("classes", [3, 7, 24])
def test_limits_of_very_many_cases_are_a_few_standard_errors_away(spec, classes):
    """Second differences are not of nearly equal numbers: with almost no variance there is no bias."""
    counts = np.random.default_rng(classes).dirichlet(np.ones(classes**2)).reshape(classes, classes)
    found = hs.estimate(hs.from_counts(np.floor(1e12 * counts)), spec)
    z = (np.array([found.low, found.high]) - found.value) / found.standard_error
    assert z == pytest.approx([-1.96, 1.96], abs=1e-3)
