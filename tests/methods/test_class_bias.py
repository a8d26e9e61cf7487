"""Averages over many classes, and geometric and harmonic means: bias, cautions, and limits that follow the hits."""

import numpy as np
import pytest

import howsure as hs
from howsure.methods.class_bias import LeftOut
from howsure.methods.jackknife import jackknife
from howsure.metrics.binding import resolve
from howsure.metrics.class_shares import filled_cells
from howsure.native.averages import ClassShares
from howsure.native.products import ProductTables
from howsure.tables.confusion import ConfusionTable


def many(classes, cases, seed, *, fixed):
    """Return a table of classes that are right three times of four, and taken for the next two."""
    rng = np.random.default_rng(seed)
    sizes = np.full(classes, cases) if fixed else rng.poisson(cases, classes)
    outcomes, every = rng.multinomial(sizes, [0.75, 0.15, 0.1]), np.arange(classes)
    cells = np.zeros((classes, classes))
    for step, number in enumerate(outcomes.T):
        cells[every, (every + step) % classes] += number
    return ConfusionTable(counts=cells, labels=every)


def left_out(table, spec):
    """Return the tables of an average without one case."""
    truth, prediction = table.counted.once(filled_cells)
    apart = truth != prediction
    layout = ProductTables(truth[apart], prediction[apart], len(table.labels))
    cells = np.diag(table.counts), table.counts[layout.truth, layout.prediction]
    return LeftOut(ClassShares.beside([resolve(spec, table).shares]), layout, np.concatenate(cells)[None])


@pytest.mark.parametrize("spec", ["precision@macro", "f1@macro", "jaccard@macro", "precision@weighted", "f1@weighted"])
def test_the_bias_is_that_of_the_jackknife(spec):
    """It is found from class totals, and equals the sum over the tables without one case."""
    table = many(9, 12, 0, fixed=False)
    metric = resolve(spec, table)
    values, number = jackknife(metric, table)
    n = number.sum()
    found = float(left_out(table, spec).bias()[0])
    plain = float((number * (values - float(metric(table.counted)))).sum())
    assert found == pytest.approx(plain * (n - 1) / n, rel=0.02, abs=2e-5)


@pytest.mark.parametrize("fixed", [True, False])
@pytest.mark.parametrize("spec", ["precision@macro", "f1@macro", "jaccard@macro", "precision@weighted"])
def test_intervals_of_many_classes_are_centred_where_the_bias_is(spec, fixed):
    """The mean of 40 middles of intervals is nearer to the truth than the mean of the values, or as near."""
    true = {"precision": 0.75, "f1": 0.75, "jaccard": 0.6}[spec.partition("@")[0]]
    found = [hs.estimate(many(150, 5, seed, fixed=fixed), spec) for seed in range(40)]
    values, middles = (np.array([getter(each) for each in found]) for getter in (float, lambda e: (e.low + e.high) / 2))
    off = abs(middles.mean() - true)
    assert off < max(0.5 * abs(values.mean() - true), 3 * middles.std() / np.sqrt(40))
    assert np.mean([each.low <= true <= each.high for each in found]) >= 0.8


def test_cautions_name_the_bias_and_few_cases():
    """A bias that exceeds half the width is printed, and so is that classes have too few cases."""
    biased = hs.estimate(many(1000, 5, 0, fixed=True), "precision@macro")
    assert "bias of +0.0" in biased.reason
    assert "exceeds half" in biased.reason
    assert "fewer than 4 cases" in hs.estimate(many(60, 2, 0, fixed=True), "f1@macro").reason
    assert not hs.estimate(many(60, 2, 0, fixed=True), "recall@weighted").reason
    assert not hs.estimate(many(60, 20, 0, fixed=True), "f1@macro").reason


@pytest.mark.parametrize("spec", ["recall@geometric", "recall@harmonic", "f1@geometric"])
@pytest.mark.parametrize("classes", [3, 5, 8, 9, 15])
def test_more_hits_never_lower_a_limit(spec, classes):
    """Of eight cases a class one class has from no to eight hits, and then a second one."""
    limits = []
    for hits in [(0, 0), (0, 1), (0, 3), (0, 6), (1, 6), (2, 6), (4, 6), (6, 6), (8, 6)]:
        right = np.array([*hits, *[6] * (classes - 2)])
        cells = np.diag(right) + np.roll(np.diag(8 - right), 1, axis=1)
        found = hs.estimate(hs.from_counts(cells), spec)
        limits.append((found.low, found.high))
    assert (np.diff(limits, axis=0) >= -1e-9).all()


@pytest.mark.parametrize("classes, upper", [(5, 0.665), (8, 0.711), (10, 0.727)])
def test_the_geometric_mean_has_the_limit_of_the_profile_likelihood(classes, upper):
    """With half a hit more in each class, found by maximising the likelihood over all recalls of one mean."""
    right = np.array([0, *[6] * (classes - 1)])
    cells = np.diag(right) + np.roll(np.diag(8 - right), 1, axis=1)
    found = hs.estimate(hs.from_counts(cells), "recall@geometric")
    assert found.low == 0
    assert found.high == pytest.approx(upper, abs=0.004)


@pytest.mark.thorough
@pytest.mark.parametrize("fixed", [True, False])
def test_intervals_of_many_classes_cover(fixed):
    """200 classes with five and ten cases."""
    for cases in (5, 10):
        for spec, true in (("precision@macro", 0.75), ("f1@macro", 0.75), ("precision@weighted", 0.75)):
            found = [hs.estimate(many(200, cases, seed, fixed=fixed), spec) for seed in range(300)]
            assert np.mean([each.low <= true <= each.high for each in found]) >= 0.88


@pytest.mark.parametrize("spec", ["precision@macro", "recall@macro", "f1@macro", "jaccard@macro"])
def test_changes_are_those_of_the_average_without_a_case(spec):
    """Without one case of a cell the macro average changes by so much; a class of one case then leaves it."""
    cells = np.array([[7.0, 2, 1, 0], [1, 5, 2, 0], [3, 0, 6, 0], [0, 0, 0, 1]])
    table = ConfusionTable(counts=cells, labels=np.arange(4))

    def average(cells):
        hits, rows, columns = np.diag(cells), cells.sum(1), cells.sum(0)
        wholes = {"precision": columns, "recall": rows, "f1": (rows + columns) / 2, "jaccard": rows + columns - hits}
        whole = wholes[spec.partition("@")[0]]
        return (hits[whole > 0] / whole[whole > 0]).mean()

    found = left_out(table, spec)
    changes = found._by_cell(found._changes())[0]
    layout = found.layout
    place = [*((each, each) for each in range(4)), *zip(layout.truth, layout.prediction, strict=True)]
    assert len(place) == len(changes)
    for (true, predicted), change in zip(place, changes, strict=True):
        if cells[true, predicted]:
            fewer = cells.copy()
            fewer[true, predicted] -= 1
            assert change == pytest.approx(average(fewer) - average(cells), abs=1e-12)
