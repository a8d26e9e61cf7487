"""Averages over many classes, and geometric and harmonic means: bias, cautions, and limits that follow the hits."""

import numpy as np
import pytest
from scipy import stats

import howsure as hs
from howsure.methods.drawn.jackknife import jackknife
from howsure.methods.flow.class_bias import LeftOut
from howsure.methods.flow.contrasts import ContrastOfAverages
from howsure.methods.flow.flow import Flow
from howsure.metrics.binding import resolve
from howsure.metrics.class_shares import filled_cells
from howsure.metrics.contrast import EFFECTS, contrast_metric
from howsure.metrics.metric import Side
from howsure.native.averages import ClassShares
from howsure.native.products import ProductTables
from howsure.tables.confusion import ConfusionTable


def many(classes, cases, seed, *, fixed):
    """Return a table of classes that are right three times of four, and otherwise predicted as one of the next two."""
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
    cells = np.diag(table.counts), table.counts[layout.true_class, layout.prediction]
    return LeftOut(ClassShares.beside([resolve(spec, table).class_shares]), layout, np.concatenate(cells)[None])


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
    biased = hs.estimate(many(1000, 10, 0, fixed=False), "precision@weighted")
    assert "bias of +0.0" in biased.reason
    assert "exceeds half" in biased.reason
    assert "fewer than 4 cases" in hs.estimate(many(60, 2, 0, fixed=True), "f1@macro").reason
    assert not hs.estimate(many(60, 2, 0, fixed=True), "recall@weighted").reason
    assert not hs.estimate(many(60, 20, 0, fixed=True), "f1@macro").reason


@pytest.mark.parametrize("spec", ["recall@geometric", "recall@harmonic", "f1@geometric"])
@pytest.mark.parametrize("classes", [3, 5, 8, 9, 15])
def test_more_hits_never_lower_a_limit(spec, classes):
    """With eight cases per class, one class has zero to eight hits, and then a second one."""
    limits = []
    for hits in [(0, 0), (0, 1), (0, 3), (0, 6), (1, 6), (2, 6), (4, 6), (6, 6), (8, 6)]:
        right = np.array([*hits, *[6] * (classes - 2)])
        cells = np.diag(right) + np.roll(np.diag(8 - right), 1, axis=1)
        found = hs.estimate(hs.from_counts(cells), spec)
        limits.append((found.low, found.high))
    assert (np.diff(limits, axis=0) >= -1e-9).all()


@pytest.mark.parametrize("classes, upper", [(5, 0.665), (8, 0.711), (10, 0.727)])
def test_the_geometric_mean_has_the_limit_of_the_profile_likelihood(classes, upper):
    """With half a hit added in each class, by maximising the likelihood over all recalls with the same mean."""
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


def two_models(classes, cases, seed, *, fixed):
    """Return cases of classes, and two models that are right three times of four, often on the same cases."""
    rng = np.random.default_rng(seed)
    number = classes * cases
    truth = np.repeat(np.arange(classes), cases) if fixed else rng.integers(0, classes, number)
    first, own = ((truth + rng.choice(3, number, p=[0.75, 0.15, 0.1])) % classes for _ in range(2))
    return hs.paired(truth, {"a": first, "b": np.where(rng.random(number) < 0.6, first, own)}, labels=range(classes))


def difference(table, spec):
    """Return the difference of an average of two models, as a metric of their table."""
    sides = [Side(name, resolve(spec, table.model(name)), table.view(name)) for name in table.models]
    return contrast_metric(EFFECTS["difference"], *sides)


@pytest.mark.parametrize("rate", ["precision", "recall", "f1", "jaccard"])
@pytest.mark.parametrize("average", ["macro", "weighted"])
def test_changes_are_those_of_the_table_without_one_case(rate, average):
    """Brute force: the metric of each table that lacks one case; those of weighted averages are times (n − 1) / n."""
    table, spec = many(9, 4, 3, fixed=False), f"{rate}@{average}"
    metric, found = resolve(spec, table), left_out(table, spec)
    layout, every = found.layout, np.arange(9)
    truth, prediction = np.r_[every, layout.true_class], np.r_[every, layout.prediction]
    np.testing.assert_allclose(found.slopes()[0], metric.finite_gradient(table.counted)[truth, prediction], atol=1e-12)
    for place in np.flatnonzero(found.cases[0]):
        counts = table.counts.copy()
        counts[truth[place], prediction[place]] -= 1
        change = float(metric(ConfusionTable(counts=counts, labels=every).counted) - metric(table.counted))
        assert found.changes()[0, place] == pytest.approx(change, abs=1e-12 if average == "macro" else 2e-3)


@pytest.mark.parametrize("cases", [4, 10])
def test_the_variance_of_a_paired_difference_of_recalls_has_the_degrees_of_freedom_of_its_classes(cases):
    """With m cases in each class it is inflated by m / (m − 1), less if fewer classes contribute."""
    table = two_models(30, cases, 0, fixed=True)
    metric = difference(table, "recall@macro")
    found = ContrastOfAverages(metric, table, table.cells[None]).second_order()[1]
    right = [table.codes[:, 0] == table.codes[:, side] for side in (1, 2)]
    gap = 1.0 * right[0] - right[1]
    mean = np.bincount(table.codes[:, 0], table.cells * gap, 30) / cases
    each = np.bincount(table.codes[:, 0], table.cells * (gap - mean[table.codes[:, 0]]) ** 2, 30)
    share = (each**2).sum() / each.sum() ** 2
    assert found == pytest.approx([1 + (1 - share) * (cases / (cases - 1) - 1)])


@pytest.mark.thorough
def test_paired_differences_of_averages_over_classes_cover():
    """Twenty classes of five cases, two models of equal quality: 92 % of these intervals contained 0."""
    tables = [two_models(20, 5, seed, fixed=False) for seed in range(100)]
    found = [Flow().interval(difference(each, "precision@macro"), each, 0.95) for each in tables]
    assert np.mean([each.low <= 0 <= each.high for each in found]) >= 0.94


@pytest.mark.parametrize("seed", range(4))
def test_p_values_of_paired_differences_invert_their_intervals(seed):
    """At the level of 1 − p one limit is 0."""
    table = two_models(20, 5, seed, fixed=False)
    p = hs.compare(table, "f1@macro").p_value
    found = hs.compare(table, "f1@macro", confidence_level=1 - p)
    assert min(abs(found.low), abs(found.high)) < 1e-4


@pytest.mark.parametrize("spec", ["recall@macro", "f1@macro", "precision@weighted"])
@pytest.mark.parametrize("roles", ["sample_weight", "groups"])
def test_paired_differences_of_weighted_and_clustered_cases_are_finite(spec, roles):
    """Weights of one size and clusters of one case change nothing."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 6, 60)
    models = {name: np.where(rng.random(60) < 0.7, truth, rng.integers(0, 6, 60)) for name in "ab"}
    given = {"sample_weight": np.full(60, 2.0), "groups": np.arange(60)}[roles]
    plain, designed = hs.paired(truth, models), hs.paired(truth, models, **{roles: given})
    one, other = hs.compare(plain, spec), hs.compare(designed, spec)
    assert (other.low, other.high) == pytest.approx((one.low, one.high), abs=0.04)


def few(classes, cases, right, seed, *, fixed):
    """Return a table of classes that are all right equally often, and otherwise predicted as any other."""
    rng = np.random.default_rng(seed)
    truth = np.repeat(np.arange(classes), cases) if fixed else rng.integers(0, classes, classes * cases)
    wrong = (truth + rng.integers(1, classes, len(truth))) % classes
    predicted = np.where(rng.random(len(truth)) < right, truth, wrong)
    return hs.confusion(truth, predicted, labels=range(classes), check=False)


@pytest.mark.parametrize("hits", [15, 40, 57])
def test_macro_recall_of_classes_with_one_case_has_the_interval_of_a_proportion(hits):
    """Each class is right or wrong as a whole; the interval was three times too narrow."""
    cells = np.diag(np.r_[np.ones(hits), np.zeros(60 - hits)])
    wrong = np.arange(hits, 60)
    cells[wrong, np.arange(60 - hits)] = 1
    found = hs.estimate(hs.from_counts(cells), "recall@macro")
    wilson = stats.binomtest(hits, 60).proportion_ci(method="wilson")
    assert (found.low, found.high) == pytest.approx((wilson.low, wilson.high), abs=0.01)


def test_the_variance_of_a_macro_recall_is_unbiased_also_with_single_cases():
    """Binomial variances h m / (r² (r − 1)) of classes with r cases, and the spread of the classes with one case."""
    sizes, hits = np.repeat([1, 3], 20), np.r_[np.arange(20) % 4 > 0, np.arange(20) % 3 + 1]
    cells, every = np.diag(hits * 1.0), np.arange(40)
    cells[every, (every + 1) % 40] = sizes - hits
    found = left_out(ConfusionTable(counts=cells, labels=every), "recall@macro").variances[1]
    several = (hits * (sizes - hits) / (sizes**2 * np.maximum(sizes - 1, 1)))[20:].sum()
    singles = ((hits[:20] - (hits / sizes).mean()) ** 2).sum() * (40 / 39) ** 2
    assert found * 40**2 == pytest.approx([several + singles], rel=0.05)  # of 29 effective classes


@pytest.mark.parametrize(
    "spec, pooled", [("precision@macro", 18 / 24), ("jaccard@macro", 18 / 30), ("f1@macro", 36 / 48)]
)
def test_the_bias_of_single_cases_is_the_distance_from_their_pooled_metric(spec, pooled):
    """Eighteen classes with a hit, six with a miss and six with a false alarm: the mean of their values is known."""
    cells = np.diag(np.r_[np.ones(18), np.zeros(12), np.full(6, 9.0)])
    cells[np.arange(18, 24), np.arange(30, 36)] = 1  # missed, taken for classes with ten cases
    cells[np.arange(30, 36), np.arange(24, 30)] = 1
    found = float(left_out(ConfusionTable(counts=cells, labels=np.arange(36)), spec).of_singles()[0])
    value = {"precision@macro": (18, 30), "jaccard@macro": (18, 36), "f1@macro": (18, 36)}[spec]
    members = 24 if spec == "precision@macro" else 30
    assert found == pytest.approx((18 - members * pooled) / value[1], abs=1e-12)


@pytest.mark.parametrize("right", [0.5, 0.9])
@pytest.mark.parametrize("classes", [21, 60])
def test_intervals_of_classes_with_hardly_one_case_are_ordered_and_not_empty(classes, right):
    """Such tables were refused with an error of NumPy if no class had both a right and a wrong prediction."""
    for seed in range(20):
        table = few(classes, 1, right, seed, fixed=False)
        for rate in ("precision", "recall", "f1", "jaccard"):
            for average in ("macro", "weighted"):
                found = hs.estimate(table, f"{rate}@{average}")
                assert 0 <= found.low <= float(found) <= found.high <= 1
                assert found.high - found.low > 1 / table.rows


def test_a_group_of_one_case_and_many_classes_has_the_interval_of_its_table():
    """The path is too steep for products, and cells of groups were collapsed as those of one table."""
    alone, grouped = (hs.confusion([3], [3], labels=range(25), check=False, **by) for by in ({}, {"by": ["all"]}))
    (found,) = {(each.low, each.high) for each in hs.estimate(grouped, "recall@macro").values()}
    expected = hs.estimate(alone, "recall@macro")
    assert found == pytest.approx((expected.low, expected.high), abs=1e-6)


def test_a_perfect_sample_of_some_of_many_classes_has_an_interval():
    """Classes without cases count as 0, and no case is wrong."""
    found = hs.estimate(few(30, 1, 1.0, 0, fixed=False), "f1+zero_division=0@macro")
    assert found.low < float(found) < 1


@pytest.mark.thorough
@pytest.mark.parametrize("fixed", [True, False])
@pytest.mark.parametrize("cases", [1, 2])
@pytest.mark.parametrize("right", [0.5, 0.9])
def test_intervals_of_classes_with_one_or_two_cases_cover(cases, right, fixed):
    """Of 60 intervals of 500 classes, 51 or more contain the truth; there were settings without any."""
    metrics = ["precision@macro", "recall@macro", "f1@macro", "precision@weighted"]
    inside = np.zeros(len(metrics))
    for seed in range(60):
        found = hs.evaluate(few(500, cases, right, seed, fixed=fixed), metrics)
        inside += [each.low <= right <= each.high for each in found.values()]
    assert (inside >= 51).all(), inside
