"""Intervals of one cross-validation, against formulas of the paper written out here."""

import numpy as np
import pytest
from scipy import stats

import howsure as hs
from howsure.training.linear import Question

Z = stats.norm.ppf(0.975)


def bayle(loss, fold, *, within):
    """Bayle and others (2020), section 4: the estimate and its interval, from n losses in k folds of n / k cases."""
    n, k = len(loss), len(set(fold.tolist()))
    estimate = loss.mean()
    if within:
        variance = np.mean([((loss[fold == j] - loss[fold == j].mean()) ** 2).sum() / (n / k - 1) for j in range(k)])
    else:
        variance = ((loss - estimate) ** 2).mean()
    half = Z * np.sqrt(variance) / np.sqrt(n)
    return estimate, estimate - half, estimate + half


@pytest.fixture
def study():
    rng = np.random.default_rng(7)
    fold = rng.permutation(np.repeat(np.arange(5), 24))
    y = rng.integers(0, 2, 120)
    score = y + rng.normal(0, 1.2, 120) + 0.3 * (fold == 2)
    return y, (score > 0.5).astype(int), score, fold


@pytest.mark.parametrize("within", [False, True])
def test_intervals_of_a_mean_loss_are_those_of_the_paper(study, within):
    """Accuracy, a loss and the Brier score have the intervals of Bayle and others, by either variance."""
    y, said, score, fold = study
    chance = 1 / (1 + np.exp(-score))
    method = "within_folds" if within else "all_pairs"
    cases = [
        (hs.cross_validated(y, said, fold=fold), "accuracy", (said == y) * 1.0),
        (hs.cross_validated(None, value=np.exp(score), fold=fold), "mean", np.exp(score)),
        (hs.cross_validated(y, y_score=chance, fold=fold), "brier_score", (chance - y) ** 2),
    ]
    for folds, metric, loss in cases:
        found = folds.estimate(metric, method=method, scale="identity")
        wanted = bayle(loss, fold, within=within)
        np.testing.assert_allclose([found.value, found.low, found.high], wanted, rtol=1e-12, atol=1e-12)
        assert (found.method, found.folds, found.runs, found.cases) == (method, 5, 1, 120)


@pytest.mark.parametrize("within", [False, True])
def test_a_comparison_is_the_interval_of_the_differences_of_losses(study, within):
    """The interval of a difference is that of the paper for the difference of the two losses of each case."""
    y, said, score, fold = study
    other = (score > 0.9).astype(int)
    folds = hs.cross_validated(y, {"a": said, "b": other}, fold=fold)
    found = folds.compare("accuracy", method="within_folds" if within else None)
    value, low, high = bayle((said == y) * 1.0 - (other == y) * 1.0, fold, within=within)
    np.testing.assert_allclose([found.value, found.low, found.high], [value, low, high], rtol=1e-12, atol=1e-12)
    error = (high - low) / (2 * Z)
    assert found.p_value == pytest.approx(2 * stats.norm.sf(abs(value) / error), rel=1e-9)
    assert found.a.value == pytest.approx((said == y).mean())


def test_folds_of_unequal_size_are_weighted_by_their_cases(study):
    """The within-fold variance of unequal folds is the sum of their shares squared times the variance of their mean."""
    y, said, _, _ = study
    fold = np.repeat([0, 1, 2], [20, 40, 60])
    loss = (said == y) * 1.0
    found = hs.cross_validated(y, said, fold=fold).estimate("accuracy", method="within_folds")
    parts = [(len(each) / 120) ** 2 * each.var(ddof=1) / len(each) for each in np.split(loss, [20, 60])]
    assert found.standard_error == pytest.approx(np.sqrt(sum(parts)), rel=1e-12)


def placements(y, score):
    """DeLong's two sets of placements, by a double loop over the definition."""
    positive, negative = score[y == 1], score[y == 0]
    wins = (positive[:, None] > negative) + 0.5 * (positive[:, None] == negative)
    return wins.mean(1), wins.mean(0)


def test_areas_are_averaged_over_folds_with_delongs_variance_in_each(study):
    """ROC AUC is the mean over folds; the within-fold variance is the mean of DeLong's over the folds, over k."""
    y, _, score, fold = study
    found = hs.cross_validated(y, y_score=score, fold=fold).estimate("roc_auc", method="within_folds")
    areas, variances, sizes = [], [], []
    for j in range(5):
        ill, well = placements(y[fold == j], score[fold == j])
        areas.append(ill.mean())
        variances.append(ill.var(ddof=1) / len(ill) + well.var(ddof=1) / len(well))
        sizes.append((fold == j).mean())
    assert found.value == pytest.approx(np.dot(sizes, areas), abs=1e-12)
    assert found.standard_error == pytest.approx(np.sqrt(np.dot(np.square(sizes), variances)), rel=1e-12)


def test_all_pairs_adds_the_spread_between_the_folds_to_delongs_variance(study):
    """The all-pairs variance of an area has the squared deviations of the folds, each case having its share."""
    y, _, score, fold = study
    found = hs.cross_validated(y, y_score=score, fold=fold).estimate("roc_auc")
    areas, variances = [], []
    for j in range(5):
        ill, well = placements(y[fold == j], score[fold == j])
        areas.append(ill.mean())
        variances.append(ill.var(ddof=1) / len(ill) + well.var(ddof=1) / len(well))
    between = sum(24 * ((area - np.mean(areas)) / 120) ** 2 for area in areas)
    assert found.standard_error**2 == pytest.approx(sum(variances) / 25 + between, rel=1e-12)


def test_scores_of_folds_are_not_ranked_against_each_other(study):
    """A shift of the scores of one fold changes the area of all cases together, and not the mean over folds."""
    y, _, score, fold = study
    folds, shifted = (hs.cross_validated(y, y_score=each, fold=fold) for each in (score, score + 9.0 * (fold == 1)))
    assert shifted.estimate("roc_auc").value == pytest.approx(folds.estimate("roc_auc").value, abs=1e-12)
    together = [each.estimate("roc_auc", average="cases").value for each in (folds, shifted)]
    assert together[0] - together[1] > 0.05
    assert together[0] == pytest.approx(hs.estimate(hs.scores(y, score), "roc_auc").value)


@pytest.mark.parametrize("metric", ["f1", "mcc", "balanced_accuracy", "kappa"])
def test_other_metrics_use_influence_values_of_all_cases(study, metric):
    """The variance of a metric of counts is the sum of its squared influences, by numerical derivatives."""
    y, said, _, fold = study
    table, scale = hs.confusion(y, said), 10**6  # whole numbers of cases, of which one is a small step
    influence = np.zeros((2, 2))
    for cell in np.ndindex(2, 2):
        step = np.arange(4).reshape(2, 2) == 2 * cell[0] + cell[1]
        more, less = (
            hs.estimate(hs.from_counts(scale * table.counts + each), metric) for each in (1 * step, -1 * step)
        )
        influence[cell] = (more.value - less.value) * scale / 2
    found = hs.cross_validated(y, said, fold=fold).estimate(metric)
    assert found.value == pytest.approx(hs.estimate(table, metric).value, abs=1e-12)
    assert found.standard_error**2 == pytest.approx((table.counts * influence**2).sum(), rel=1e-6)


def test_the_all_pairs_variance_of_counts_is_that_of_one_test_set(study):
    """Metrics of counts have the standard error of all predictions as one test set."""
    y, said, _, fold = study
    found = hs.cross_validated(y, said, fold=fold).estimate("mcc", scale="identity")
    plain = hs.estimate(hs.confusion(y, said), "mcc", method="wald")
    assert tuple(found)[1] == pytest.approx((plain.low, plain.high), rel=1e-12)


def test_means_over_folds_of_metrics_of_counts(study):
    """`average="folds"` is the mean over folds of F1, with the influence values of each fold."""
    y, said, _, fold = study
    found = hs.cross_validated(y, said, fold=fold).estimate("f1", average="folds")
    each = [hs.estimate(hs.confusion(y[fold == j], said[fold == j]), "f1", method="wald") for j in range(5)]
    mean = np.mean([one.value for one in each])
    between = sum(24 * ((one.value - mean) / 120) ** 2 for one in each)
    assert found.value == pytest.approx(mean)
    assert found.standard_error**2 == pytest.approx(sum(one.standard_error**2 for one in each) / 25 + between, rel=1e-9)


def test_clusters_are_the_units_of_the_variance(study):
    """The all-pairs variance of clustered cases sums the deviations of each cluster before squaring."""
    y, said, _, _ = study
    groups, fold = np.repeat(np.arange(40), 3), np.repeat(np.arange(40) % 4, 3)
    found = hs.cross_validated(y, said, fold=fold, groups=groups).estimate("accuracy")
    deviation = ((said == y) - (said == y).mean()) / 120
    assert found.standard_error**2 == pytest.approx((deviation.reshape(40, 3).sum(1) ** 2).sum(), rel=1e-12)


def test_many_classes_and_rows_of_scores():
    """Averages over classes are over the same classes for all algorithms; rows of scores give areas by fold."""
    rng = np.random.default_rng(3)
    y, fold = rng.integers(0, 3, 150), np.arange(150) % 3
    rows = rng.dirichlet(np.ones(3), 150) + np.eye(3)[y]
    rows /= rows.sum(1, keepdims=True)
    found = hs.cross_validated(y, y_score=rows, fold=fold).estimate("roc_auc@macro")
    each = [hs.estimate(hs.multiclass_scores(y[fold == j], rows[fold == j]), "roc_auc@macro").value for j in range(3)]
    assert found.value == pytest.approx(np.mean(each))
    said = hs.cross_validated(y, {"best": rows.argmax(1), "zero or one": rows[:, :2].argmax(1)}, fold=fold)
    compared = said.compare("f1@macro")
    assert compared.value == pytest.approx(compared.a.value - compared.b.value)


def test_one_value_per_class_makes_several_estimates():
    """`evaluate` takes an average of none, which is an estimate for each class."""
    y = np.tile(["cat", "dog", "eel"], 30)
    said = np.roll(y, 1)
    said[:60] = y[:60]
    found = hs.cross_validated(y, said, fold=np.arange(90) // 3 % 3).evaluate("recall@none")
    assert [each.value for each in found.values()] == pytest.approx(
        [(said == y)[y == one].mean() for one in ("cat", "dog", "eel")]
    )


def test_a_threshold_makes_predictions_of_scores(study):
    """A metric of counts on scores is that of the predictions at the threshold."""
    y, said, score, fold = study
    at = hs.cross_validated(y, y_score=score, fold=fold).estimate("f1", threshold=np.nextafter(0.5, 1))
    assert str(at) == str(hs.cross_validated(y, said, fold=fold).estimate("f1"))


def test_perfect_predictions_have_an_interval_that_is_no_point():
    """Without an error the limits are those of all cases as one test set; areas of 1 have a reason instead."""
    y, fold = np.arange(100) % 2, np.arange(100) % 5
    found = hs.cross_validated(y, list(y), fold=fold).estimate("accuracy")
    assert found.value == found.high == 1
    assert 0.9 < found.low < 0.99
    assert "no variation" in found.reason
    areas = hs.cross_validated(y, y_score=y + 0.0, fold=fold, check=False).estimate("roc_auc")
    assert areas.value == 1
    assert np.isnan(areas.low)
    assert areas.reason


def test_a_fold_without_a_class_has_a_caution_and_no_area(study):
    """Areas are undefined with the number of the fold; counts of all cases stay defined, with a caution."""
    y, said, score, _ = study
    order = np.argsort(y, kind="stable")
    fold = np.empty(120, dtype=int)
    fold[order] = np.arange(120) // 24
    area = hs.cross_validated(y, y_score=score, fold=fold).estimate("roc_auc")
    assert np.isnan(area.value)
    assert "fold 1 has fewer than two cases of class 1" in area.reason
    counted = hs.cross_validated(y, said, fold=fold).estimate("f1")
    assert counted.value == pytest.approx(hs.estimate(hs.confusion(y, said), "f1").value)
    assert any("lack a class" in caution for caution in counted.cautions)


def test_tiny_folds_and_few_cases_have_cautions(study):
    """Folds below ten cases, and fewer than fifty cases, are cautioned about."""
    y, said, _, _ = study
    found = hs.cross_validated(y[:40], said[:40], fold=np.arange(40) % 8).estimate("accuracy")
    assert [caution[:17] for caution in found.cautions] == ["The smallest fold", "There are only 40"]
    assert hs.cross_validated(y, said, fold=np.arange(120) % 5).estimate("accuracy").cautions == ()


def test_models_near_chance_have_a_caution(study):
    """Predictions without signal are cautioned about, by name in a comparison."""
    y, said, score, fold = study
    noise = np.random.default_rng(2).random(120)
    folds = hs.cross_validated(y, {"good": said, "noise": (noise > 0.5).astype(int)}, fold=fold)
    assert folds.estimate("f1", model="good").cautions == ()
    assert folds.compare("f1").cautions[0].startswith("Models of noise are hardly better than chance")
    assert "hardly better" in hs.cross_validated(y, y_score=noise, fold=fold).estimate("brier_score").cautions[0]
    assert hs.cross_validated(y, y_score=score, fold=fold).estimate("roc_auc").cautions == ()


def test_limits_stay_within_the_range_on_the_default_scale():
    """One error in sixty: the paper's interval passes 1, that on the automatic scale does not."""
    y = np.arange(60) % 2
    said = np.where(np.arange(60) == 7, 1 - y, y)
    folds = hs.cross_validated(y, said, fold=np.arange(60) % 5)
    assert folds.estimate("accuracy", scale="identity").high > 1
    assert folds.estimate("accuracy").high < 1


@pytest.mark.parametrize("metric", ["f1", "accuracy", "mcc"])
def test_deviations_sum_to_zero(study, metric):
    """Deviations sum to zero, as those of a metric of counts that are all multiplied by a constant."""
    y, said, _, fold = study
    folds = hs.cross_validated(y, said, fold=fold)
    (form,) = Question(metric=metric, threshold=None, average=None).forms(folds.predictions, ("",)).values()
    assert abs(form.deviations.sum()) < 1e-12
