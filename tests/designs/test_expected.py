"""Designs of expected counts: their variances and draws against enumeration and simulation."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from scipy import stats

import howsure as hs
from howsure.curves.thresholds import confusion_along, errors_along, on_counts
from howsure.designs.cases import Cases
from howsure.designs.expected import Batch, Population
from howsure.designs.independent import Independent
from howsure.designs.known import Known
from howsure.designs.variance_details import VarianceDetails
from howsure.methods.core.standard_errors import standard_error
from howsure.metrics.binding import resolve
from howsure.tables.counts import ConfusionCounts
from howsure.tables.protocols import effective_sample_size


def probabilities(seed, n, classes):
    return np.random.default_rng(seed).dirichlet(np.arange(1.0, classes + 1), n)


def tables_of_labels(probability, predicted):
    """Return every table that the labels may make, and its probability."""
    n, size = probability.shape
    labels = np.array(list(product(range(size), repeat=n)))
    chances = np.take_along_axis(probability[None], labels[..., None], 2)[..., 0].prod(1)
    tables = np.zeros((len(labels), size, size))
    for case in range(n):
        np.add.at(tables, (np.arange(len(labels)), labels[:, case], predicted[case]), 1)
    return tables, chances


def test_the_batch_has_the_variance_of_its_labels():
    """For three classes, mean and variance of any linear form are those over all 3⁶ labellings."""
    probability = probabilities(3, 6, 3)
    predicted = np.array([0, 2, 1, 1, 2, 0])
    table = hs.calibrated(probability, y_pred=predicted)
    tables, chances = tables_of_labels(probability, predicted)
    assert table.counts == pytest.approx(np.einsum("t,tij->ij", chances, tables), abs=1e-12)
    form = np.random.default_rng(0).normal(size=(3, 3))
    values = (tables * form).sum((1, 2))
    expected = chances @ (values - chances @ values) ** 2
    assert table.variance(form) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("metric", ["roc_auc", "average_precision", "f1", "mcc"])
def test_the_two_uncertainties_add_up_to_that_of_labelled_cases(metric):
    """Labels given the scores, and scores alone: together they vary as labelled cases do."""
    score = np.random.default_rng(1).beta(1, 2, 300).round(2)
    errors = []
    for target in ("batch", "population"):
        table = hs.calibrated(score, target=target)
        table = table if metric in {"roc_auc", "average_precision"} else table.at(0.3)
        errors.append(standard_error(resolve(metric, table), table))
    labelled = standard_error(resolve(metric, table), replace(table, design=Independent()))
    assert np.hypot(*errors) == pytest.approx(labelled, rel=1e-10)


@pytest.mark.parametrize("target", ["batch", "population"])
def test_draws_have_mean_and_variance_of_the_design(target):
    """Resampled tables of scores with ties, at a threshold, and of many classes, have the stated variance."""
    rng = np.random.default_rng(2)
    score = rng.beta(2, 3, 90).round(1)
    tables = [
        hs.calibrated(score, target=target),
        hs.calibrated(score, target=target).at(0.4),
        hs.calibrated(probabilities(4, 60, 3), target=target),
    ]
    size = 4000
    for table in tables:
        drawn = table.design.resample(table.cells, size, np.random.default_rng(0))
        form = rng.normal(size=table.counts.shape)
        form -= (table.counts * form).sum() / table.counts.sum()  # as gradients are
        values = drawn @ form.ravel()
        variance = table.variance(form)
        assert drawn.sum(1) == pytest.approx(np.full(size, table.rows))
        assert values.mean() == pytest.approx((table.counts * form).sum(), abs=4 * np.sqrt(variance / size))
        assert values.var() == pytest.approx(variance, rel=4 * np.sqrt(2 / size))


def test_cases_of_the_same_probabilities_are_drawn_each_on_its_own():
    """For 40, 1 and 200 cases of three kinds, classes are drawn with mean ``n p`` and variance ``n p (1 - p)``."""
    probability, number = probabilities(6, 3, 3), np.array([40.0, 1.0, 200.0])
    table = hs.calibrated(probability, y_pred=[0, 1, 2], labels=[0, 1, 2])
    design = Batch(replace(table.design.cases, number=number))
    size = 500
    drawn = design.resample(table.cells, size, np.random.default_rng(0)).reshape(size, 3, 3)
    assert (drawn.sum(1) == number).all()
    mean, variance = (number[:, None] * probability).T, (number[:, None] * probability * (1 - probability)).T
    assert (np.abs(drawn.mean(0) - mean) < 4.5 * np.sqrt(variance / size)).all()
    assert drawn.var(0) == pytest.approx(variance, rel=0.35)


@pytest.mark.thorough
def test_the_bayesian_bootstrap_of_the_population_agrees():
    """Posterior draws of the population spread as its resamples do."""
    table = hs.calibrated(np.random.default_rng(5).beta(2, 3, 400), target="population").at(0.4)
    spread = [
        hs.estimate(table, "f1", method=method, random_state=0).standard_error
        for method in ("bayes", "bootstrap_percentile", "bootstrap_bca", "delta")
    ]
    assert spread == pytest.approx([spread[-1]] * 4, rel=0.05)


def test_a_table_at_a_threshold_keeps_the_cases_variance():
    """The error at each threshold of the curves is that of the table taken there."""
    score = np.random.default_rng(3).beta(2, 2, 200).round(2)
    for target in ("batch", "population"):
        table = hs.calibrated(score, target=target)
        metric = on_counts("f1", table)
        thresholds, cells = confusion_along(table)
        errors = errors_along(metric, table, cells)
        for index in (3, 40, len(thresholds) - 4):
            small = table.at(thresholds[index])
            assert errors[index] == pytest.approx(standard_error(resolve("f1", small), small), rel=1e-9)


def test_one_class_of_many_is_a_table_of_two():
    """A class against the rest has the exact interval of the table whose score is that class's probability."""
    probability = probabilities(8, 80, 4)
    table = hs.calibrated(probability)
    predicted = probability.argmax(1)
    binary = hs.calibrated(np.stack([1 - probability[:, 2], probability[:, 2]], 1), y_pred=(predicted == 2).astype(int))
    for metric in ("recall", "precision", "f1"):
        of_many = hs.estimate(table, f"{metric}@binary+positive_class=2")
        of_two = hs.estimate(binary, metric)
        assert of_many.method == of_two.method == "predictive"
        assert (of_many.value, of_many.low, of_many.high) == pytest.approx((of_two.value, of_two.low, of_two.high))


def test_leaving_out_a_case_takes_its_expected_cells():
    """The jackknife's tables are the expected tables of the other cases."""
    score = np.array([0.2, 0.2, 0.7, 0.9])
    table = hs.calibrated(score, target="population").at(0.5)
    ((tables, number),) = table.design.leave_one_out(table.cells)
    assert number.tolist() == [2, 1, 1]
    for left, kept in zip(tables, ([0.2, 0.7, 0.9], [0.2, 0.2, 0.9], [0.2, 0.2, 0.7]), strict=True):
        assert left.reshape(2, 2) == pytest.approx(hs.calibrated(kept).at(0.5).counts)


def covered(estimate, values):
    """Return the share of defined values in the interval."""
    values = values[~np.isnan(values)]
    return np.mean((estimate.low <= values) & (values <= estimate.high))


def labelled_tables(score, threshold, repeats, rng):
    """Return confusion tables of labels drawn from the scores."""
    called = score >= threshold
    label = rng.random((repeats, len(score))) < score
    cells = [(label[:, called == j] == i).sum(1) for i, j in np.ndindex(2, 2)]
    return np.stack(cells, -1).reshape(-1, 2, 2).astype(float)


def test_realised_metrics_fall_in_their_prediction_intervals():
    """In 20 000 labellings of 2000 scores, 95 % of the realised metrics are in the interval, within a point."""
    rng = np.random.default_rng(11)
    score = rng.beta(2, 3, 2000)
    table = hs.calibrated(score).at(0.4)
    tables = np.concatenate([labelled_tables(score, 0.4, 2000, rng) for _ in range(10)])
    for metric in ("accuracy", "precision", "recall", "specificity", "f1", "mcc"):
        share = covered(hs.estimate(table, metric), resolve(metric, table)(ConfusionCounts(tables)))
        assert share == pytest.approx(0.95, abs=0.01)


def test_realised_areas_fall_in_their_prediction_intervals():
    """The same for ROC AUC and average precision of 60 scores, which a normal interval would miss too often."""
    rng = np.random.default_rng(12)
    score = np.sort(rng.beta(0.3, 0.4, 60))
    table = hs.calibrated(score)
    label = rng.random((20_000, 60)) < score
    tables = np.stack([~label, label], -1).astype(float)
    for metric in ("roc_auc", "average_precision"):
        share = covered(hs.estimate(table, metric), resolve(metric, table)(ConfusionCounts(tables)))
        assert 0.94 <= share <= 0.975


def test_metrics_of_many_classes_fall_in_their_prediction_intervals():
    """The delta method's intervals of macro-F1, kappa and MCC for 400 cases of three classes cover at their level."""
    rng = np.random.default_rng(13)
    probability = rng.dirichlet([0.4, 0.6, 0.8], 400)
    table = hs.calibrated(probability)
    tables = table.design.resample(table.cells, 6000, rng).reshape(-1, 3, 3)
    for metric in ("accuracy", "f1@macro", "kappa", "mcc"):
        share = covered(hs.estimate(table, metric), resolve(metric, table)(ConfusionCounts(tables)))
        assert share == pytest.approx(0.95, abs=0.015)


def population_coverage(n, repeats, seed):
    """Return the coverage of the population's metrics by intervals from samples of scores."""
    rng, distribution = np.random.default_rng(seed), stats.beta(2, 3)
    known = hs.calibrated(distribution)
    hits = dict.fromkeys(("accuracy", "recall", "f1", "mcc"), 0)
    exact = {metric: hs.estimate(known, metric, threshold=0.4).value for metric in hits}
    for _ in range(repeats):
        table = hs.calibrated(distribution.rvs(n, random_state=rng), target="population").at(0.4)
        for metric, value in exact.items():
            estimate = hs.estimate(table, metric)
            hits[metric] += estimate.low <= value <= estimate.high
    return {metric: number / repeats for metric, number in hits.items()}


@pytest.mark.thorough
def test_population_metrics_fall_in_their_confidence_intervals():
    """In 600 samples of 500 scores, 95 % of the intervals cover the population's metric, within 3 errors."""
    for share in population_coverage(500, 600, 17).values():
        assert share == pytest.approx(0.95, abs=3 * np.sqrt(0.95 * 0.05 / 600))


@pytest.mark.slow
@pytest.mark.parametrize("n", [300, 2000])
def test_population_coverage_at_length(n):
    """The same over 10 000 samples, within a point."""
    for share in population_coverage(n, 10_000, n).values():
        assert share == pytest.approx(0.95, abs=0.01)


@pytest.mark.slow
@pytest.mark.parametrize("shape", [(1, 1), (2, 3), (0.2, 0.3), (1, 9)])
@pytest.mark.parametrize("n", [300, 2000])
def test_batch_coverage_at_length(n, shape):
    """Over 20 sets of scores and 20 000 labellings of each, never below the level by a point; lattices give more."""
    rng = np.random.default_rng(n)
    threshold = 0.5 if shape != (1, 9) else 0.2
    shares = {metric: [] for metric in ("accuracy", "precision", "recall", "f1", "mcc")}
    for _ in range(20):
        score = rng.beta(*shape, n)
        table = hs.calibrated(score).at(threshold)
        tables = np.concatenate([labelled_tables(score, threshold, 2000, rng) for _ in range(10)])
        for metric, found in shares.items():
            found.append(covered(hs.estimate(table, metric), resolve(metric, table)(ConfusionCounts(tables))))
    for metric, found in shares.items():
        assert 0.945 <= np.mean(found) <= (0.96 if metric in {"recall", "f1", "mcc"} else 0.975)


@pytest.mark.parametrize("index", [None, np.array([0, 3, 9])])
def test_variance_along_thresholds_is_that_of_each_table(index):
    """The one-pass result equals that of merging the cells at each threshold."""
    rng = np.random.default_rng(7)
    score = np.repeat(np.linspace(0.05, 0.95, 10), 6)
    table = hs.calibrated(score)
    thresholds = 11 if index is None else len(index)
    slopes = rng.normal(size=(thresholds, 2, 2))
    for counts in (table.counts, rng.uniform(0.5, 8.0, table.counts.shape)):
        found = table.design.threshold_variances(counts, slopes, index)
        assert found == pytest.approx(VarianceDetails.threshold_variances(table.design, counts, slopes, index))


@pytest.mark.parametrize("weight", [None, np.random.default_rng(8).uniform(0.2, 3.0, 60)])
def test_expected_cases_are_worth_what_their_weights_say(weight):
    """The effective size of all cells is the number of cases, or Kish's number with weights."""
    table = hs.calibrated(np.random.default_rng(9).beta(1, 2, 60), sample_weight=weight)
    own = np.ones(60) if weight is None else weight
    worth = effective_sample_size(table, np.ones(table.shape))
    assert float(worth) == pytest.approx(own.sum() ** 2 / (own**2).sum())


@pytest.mark.parametrize("weight", [None, np.random.default_rng(8).uniform(0.2, 3.0, 40)])
def test_cases_that_are_left_out_take_their_expected_cells_along(weight):
    """Without one case the table lacks that case's weighted probabilities; each kind has its number of cases."""
    score = np.random.default_rng(9).uniform(0.05, 0.95, 40)
    table = hs.calibrated(score, sample_weight=weight)
    own = np.ones(40) if weight is None else weight
    at = table.at(0.5)
    tables, number = (np.concatenate(part) for part in zip(*at.design.leave_one_out(at.counts.ravel()), strict=True))
    assert number.sum() == 40
    lost = at.counts.ravel() - tables
    expected = np.zeros((40, 4))
    positive = (score >= 0.5).astype(int)
    expected[np.arange(40), positive] = own * (1 - score)
    expected[np.arange(40), 2 + positive] = own * score
    assert lost[np.lexsort(lost.T)] == pytest.approx(expected[np.lexsort(expected.T)], abs=1e-9)


def test_scores_on_one_side_of_a_threshold_are_still_cases():
    """If no score, or every score, reaches the threshold, the effective size is the number of cases."""
    score = np.random.default_rng(9).uniform(0.3, 0.6, 40)
    for threshold, column in ((0.1, 1), (0.9, 0)):
        at = hs.calibrated(score).at(threshold)
        expected = np.zeros((2, 2))
        expected[:, column] = [40 - score.sum(), score.sum()]
        assert at.counts == pytest.approx(expected)
        assert float(effective_sample_size(at, np.ones((2, 2)))) == pytest.approx(40)
        (tables, number) = next(iter(at.design.leave_one_out(at.counts.ravel())))
        assert number.sum() == 40
        assert tables.sum(1) == pytest.approx(np.full(len(tables), 39.0))


@pytest.mark.parametrize("order", [[0, 1, 2], [2, 0, 1], [1, 1, 0]])
def test_cases_lie_on_the_side_of_their_score_in_any_order(order):
    """Cut at the second of three scores, cases are counted by class on either side, in any order."""
    chance, number = np.array([0.2, 0.5, 0.9]), np.array([1.0, 3.0, 2.0])
    cells = np.arange(6).reshape(-1, 2)
    cases = Cases(np.stack([1 - chance, chance], 1), number, np.array(order), cells).cut(1)
    below = np.array(order) < 1
    expected = [[(number * share)[side].sum() for side in (below, ~below)] for share in (1 - chance, chance)]
    np.testing.assert_allclose(cases.counts((2, 2)), expected)


@pytest.mark.parametrize("weight", [1.0, np.array([0.5, 2.0, 1.0, 1.5])])
@pytest.mark.parametrize("group", [[0, 0, 1, 1], [1, 0, 1, 0], [0, 1, 2, 3]])
@pytest.mark.parametrize("design", [Batch, Population])
def test_two_classes_need_one_probability(design, group, weight):
    """Cases with the probability of the second class alone have the counts, variances and draws of both columns."""
    chance, number = np.array([0.2, 0.5, 0.9, 0.3]), np.array([1.0, 3.0, 2.0, 1.0])
    groups = max(group) + 1
    cells = np.stack([np.arange(groups), groups + np.arange(groups)], 1)
    one, both = (
        design(Cases(shares, number, np.array(group), cells, weight))
        for shares in (chance, np.stack([1 - chance, chance], 1))
    )
    counts, form = both.cases.counts((2, groups)), np.random.default_rng(0).normal(size=(2, groups))
    one.check(counts.ravel().shape)
    one.check_sums(counts)
    assert one.variance(counts, form) == pytest.approx(both.variance(counts, form), rel=1e-14)
    ones = np.ones(2 * groups)
    sizes = (each.effective_sample_size(counts.ravel(), ones) for each in (one, both))
    assert next(sizes) == pytest.approx(next(sizes), rel=1e-14)
    drawn = (each.resample(counts.ravel(), 5, np.random.default_rng(1)) for each in (one, both))
    np.testing.assert_allclose(next(drawn), next(drawn), rtol=1e-14)
    left = (next(each.leave_one_out(counts.ravel()))[0] for each in (one, both))
    np.testing.assert_allclose(next(left), next(left), rtol=1e-14)
    merged = (each.collapse_cells(np.zeros(2 * groups, int), 1).cases.counts((1,)) for each in (one, both))
    assert next(merged) == pytest.approx(next(merged), rel=1e-14)
    joined = one.add_tables([both]).cases
    assert joined.counts((2, groups)) == pytest.approx(2 * counts, rel=1e-14)
    with pytest.raises(hs.HowsureError, match="probability"):
        design(replace(one.cases, probability=chance + 0.2)).check((2 * groups,))


@pytest.mark.parametrize("design", [Batch, Population])
def test_cells_in_order_need_not_be_stored(design):
    """Cases in the cells of a table of scores have the same variances and draws whether their cells are stored or not."""
    chance, number = np.array([0.2, 0.5, 0.9]), np.array([1.0, 3.0, 2.0])
    own = np.arange(3)
    short, long = design(Cases(chance, number)), design(Cases(chance, number, own, np.arange(6).reshape(3, 2)))
    counts, form = long.cases.counts((3, 2)), np.random.default_rng(0).normal(size=6)
    short.check((6,))
    short.check_sums(counts)
    assert short.variance(counts, form) == pytest.approx(long.variance(counts, form), rel=1e-14)
    for row in range(4):
        cut = [each.at_threshold(row, 3) for each in (short, long)]
        assert cut[0].cases.counts((2, 2)).tolist() == cut[1].cases.counts((2, 2)).tolist()
    drawn = [each.resample(counts.ravel(), 5, np.random.default_rng(1)) for each in (short, long)]
    assert drawn[0].tolist() == drawn[1].tolist()
    for wrong in (Cases(chance, number, own), Cases(chance, number, own, np.arange(4).reshape(2, 2))):
        with pytest.raises(hs.HowsureError, match="`cells`|`group`"):
            design(wrong).check((4,))
    with pytest.raises(hs.HowsureError, match="`group` must be given"):
        design(Cases(chance, number, cells=np.arange(4).reshape(2, 2))).check((4,))


WEIGHT = np.array([0.5, 2.0, 1.0, 3.0, 1.5, 1.0])


@pytest.mark.parametrize("classes", [2, 3])
def test_weighted_batches_have_the_variance_of_their_labels(classes):
    """With weights, mean, variance and draws are those over all labellings of the weighted cases."""
    probability = probabilities(3, 6, classes)
    predicted = np.array([0, 1, 1, 0, 1, 0])
    table = hs.calibrated(probability, y_pred=predicted, sample_weight=WEIGHT)
    labels = np.array(list(product(range(classes), repeat=6)))
    chances = np.take_along_axis(probability[None], labels[..., None], 2)[..., 0].prod(1)
    form = np.random.default_rng(0).normal(size=(classes, classes))
    unit = table.counts.sum() / WEIGHT.sum()
    values = unit * (WEIGHT * form[labels, predicted]).sum(1)
    mean = chances @ values
    variance = chances @ (values - mean) ** 2
    assert (table.counts * form).sum() == pytest.approx(mean)
    assert table.variance(form) == pytest.approx(variance)
    drawn = table.design.resample(table.cells, 4000, np.random.default_rng(1)) @ form.ravel()
    assert drawn.mean() == pytest.approx(mean, abs=5 * np.sqrt(variance / 4000))
    assert drawn.var() == pytest.approx(variance, rel=0.12)
    assert table.design.minimum_unit_size == pytest.approx(unit * (WEIGHT**2).sum() / WEIGHT.sum())
    population = hs.calibrated(probability, y_pred=predicted, sample_weight=WEIGHT, target="population")
    each = unit * WEIGHT * (probability * form[:, predicted].T).sum(1)
    assert population.variance(form) == pytest.approx((each**2).sum())
    values = population.design.resample(population.cells, 4000, np.random.default_rng(1)) @ form.ravel()
    assert values.var() == pytest.approx((each**2).sum() - each.sum() ** 2 / 6, rel=0.12)
    posterior = population.design.posterior(population.cells, np.zeros(form.size), 4000, np.random.default_rng(2))
    assert (posterior @ form.ravel()).mean() == pytest.approx(mean, abs=5 * np.sqrt((each**2).sum() / 4000))
    assert (posterior @ form.ravel()).var() == pytest.approx((each**2).sum(), rel=0.12)


@pytest.mark.parametrize("target", ["batch", "population"])
@pytest.mark.parametrize("weighted", [False, True])
def test_cases_of_two_tables_are_those_of_their_sum(target, weighted):
    """Counts and variances of two tables' cases together are the sums of theirs."""
    probability, form = probabilities(5, 8, 3), np.random.default_rng(0).normal(size=9)
    predicted = np.array([0, 2, 1, 1, 2, 0, 0, 1])
    weight = np.array([1.0, 0.5, 2.0, 0.5]) if weighted else None
    halves = [
        hs.calibrated(probability[part], y_pred=predicted[part], labels=[0, 1, 2], sample_weight=weight, target=target)
        for part in (slice(4), slice(4, 8))
    ]
    joined = halves[0].design.add_tables([halves[1].design])
    whole = halves[0].cells + halves[1].cells
    joined.check((9,))
    joined.check_sums(whole)
    assert joined.variance(whole, form) == pytest.approx(sum(each.design.variance(None, form) for each in halves))
    with pytest.raises(hs.HowsureError):
        joined.check_sums(whole + np.eye(9)[4])
    with pytest.raises(hs.HowsureError):
        joined.check((8,))


@pytest.mark.parametrize("index", [None, np.array([0, 2, 5])])
def test_cases_still_to_be_drawn_are_multinomial(index):
    """Of n cases from a known distribution: multinomial cells, in any unit of the counts; without end, certain."""
    rng = np.random.default_rng(3)
    counts, form = rng.uniform(0.1, 2, (6, 2)), rng.normal(size=12)
    share, total = counts.ravel() / counts.sum(), counts.sum()
    design, exact = Known(None, 50.0), Known(None)
    assert design.variance(counts.ravel(), form) == pytest.approx(total**2 / 50 * share @ form**2)
    assert design.squared_weights(counts.ravel()) == pytest.approx(total**2 / 50 * share)
    marked = np.arange(12) % 3 == 0
    assert design.effective_sample_size(counts.ravel(), marked) == pytest.approx(50 * share[marked].sum())
    thresholds = np.arange(7) if index is None else index
    slopes = rng.normal(size=(len(thresholds), 2, 2))
    expected = []
    for threshold, slope in zip(thresholds, slopes, strict=True):
        at = counts.copy()
        above = np.arange(6) >= 6 - threshold
        expected.append(sum((at[above == side, k].sum() * slope[k, int(side)] ** 2) for side in (0, 1) for k in (0, 1)))
    found = design.threshold_variances(counts, slopes, index)
    assert found == pytest.approx(np.array(expected) * total / 50)
    drawn = design.resample(counts, 6000, np.random.default_rng(0))
    assert set(drawn.sum(1)) == {50}
    assert drawn.mean(0) == pytest.approx(50 * share, abs=0.15)
    assert drawn.var(0) == pytest.approx(50 * share * (1 - share), rel=0.12)
    assert (exact.traits.is_exact, design.traits.is_exact) == (True, False)
    assert exact.variance(counts.ravel(), form) == 0
    assert exact.resample(counts, 3, rng).tolist() == [counts.ravel().tolist()] * 3
    assert design.description.estimate_caveat.startswith("prediction for 50 new cases")
    assert exact.description.estimate_caveat.startswith("exact")
    for n in (-1.0, np.nan):
        with pytest.raises(hs.HowsureError):
            Known(None, n).check((12,))
    exact.check((12,))


def test_draws_of_many_cases_in_blocks_are_as_many(monkeypatch):
    """Labels are drawn in blocks that fit in memory: as many tables, of all cases, whatever the size of a block."""
    probability = probabilities(7, 30, 2)
    table = hs.calibrated(probability, y_pred=np.arange(30) % 2, sample_weight=np.arange(30) % 3 + 1.0)
    whole = table.design.resample(table.cells, 101, np.random.default_rng(0))
    for at_once in (1, 30 * 7, 30 * 101):
        monkeypatch.setattr("howsure.designs.expected.BLOCK_CELLS", at_once)
        found = table.design.resample(table.cells, 101, np.random.default_rng(0))
        assert found == pytest.approx(whole)
        population = hs.calibrated(probability, y_pred=np.arange(30) % 2, target="population")
        drawn = population.design.resample(population.cells, 101, np.random.default_rng(0))
        assert drawn.sum(1) == pytest.approx(np.full(101, 30.0))


@pytest.mark.parametrize("chance", [0.02, 0.9])
def test_few_cases_are_drawn_up_to_the_last_one(chance):
    """The positives of two cases of one probability are binomial, from none to both."""
    table = hs.calibrated([chance, chance]).at(0.5)
    drawn = table.design.resample(table.cells, 4000, np.random.default_rng(0)).reshape(-1, 2, 2)[:, 1].sum(1)
    expected = stats.binom(2, chance).pmf([0, 1, 2])
    found = np.bincount(drawn.astype(int), minlength=3) / 4000
    assert found == pytest.approx(expected, abs=0.025)
