"""Probability metrics equal scikit-learn's and their own definitions."""

import numpy as np
import pytest
from scipy import stats
from sklearn import metrics as sk

import howsure as hs
from howsure.methods.core.standard_errors import standard_error
from howsure.metrics.binding import resolve
from howsure.metrics.registry import REGISTRY
from howsure.tables.counts import Counts


def sample(seed, size=None):
    """Return truth, tied probabilities (0 and 1 among them) and, for odd seeds, weights."""
    rng = np.random.default_rng(seed)
    size = size or int(rng.integers(5, 200))
    score = np.round(rng.beta(0.8, 1.2, size), int(rng.integers(1, 5)))
    truth = (rng.random(size) < score**1.3).astype(int)
    truth[:2] = 0, 1
    return truth, score, rng.exponential(size=size) if seed % 2 else None


def value(spec, truth, score, weight=None):
    """Return a metric's value."""
    table = hs.scores(truth, score, sample_weight=weight)
    return float(resolve(spec, table)(table.counts))


def test_values_equal_scikit_learns():
    """Brier score and log loss equal scikit-learn's on 100 data sets with ties, weights and probabilities 0 and 1."""
    for seed in range(100):
        truth, score, weight = sample(seed)
        expected = sk.brier_score_loss(truth, score, sample_weight=weight)
        assert value("brier_score", truth, score, weight) == pytest.approx(expected, abs=1e-12)
        expected = sk.log_loss(truth, score, sample_weight=weight)
        assert value("log_loss", truth, score, weight) == pytest.approx(expected, rel=1e-10)


def by_hand(truth, score, edges):
    """Return each bin's share of cases, distance of observed share and mean probability, and cases."""
    index = np.searchsorted(edges[1:-1], score)
    parts = [(truth[index == b], score[index == b]) for b in np.unique(index)]
    share = np.array([len(t) / len(truth) for t, _ in parts])
    gap = np.array([t.mean() - s.mean() for t, s in parts])
    rate = np.array([t.mean() for t, _ in parts])
    return share, gap, rate


@pytest.mark.parametrize("bins", [3, 10])
def test_calibration_errors_are_their_definitions(bins):
    """Every form of calibration error equals a plain computation over bins of equal width."""
    for seed in range(0, 40, 2):
        truth, score, _ = sample(seed)
        share, gap, rate = by_hand(truth, score, np.linspace(0, 1, bins + 1))
        number = share * len(truth)
        assert value(f"ece+bins={bins}", truth, score) == pytest.approx((share * np.abs(gap)).sum())
        assert value(f"ece+bins={bins}+norm=l2", truth, score) == pytest.approx(np.sqrt((share * gap**2).sum()))
        assert value(f"ece+bins={bins}+norm=max", truth, score) == pytest.approx(np.abs(gap).max())
        several = number > 1
        less = (share * (gap**2 - rate * (1 - rate) / np.maximum(number - 1, 1)))[several].sum()
        alone = (share * gap**2)[~several].sum()
        corrected = np.sqrt(max(less + alone, 0.0))
        if several.all():
            assert value(f"ece+bins={bins}+norm=l2+debiased=true", truth, score) == pytest.approx(corrected)


def test_bins_of_equal_mass():
    """Quantile bins contain equal numbers of cases without ties."""
    rng = np.random.default_rng(0)
    score = np.sort(rng.random(100))
    truth = (rng.random(100) < score).astype(int)
    expected = np.mean([abs(truth[i : i + 25].mean() - score[i : i + 25].mean()) for i in range(0, 100, 25)])
    assert value("ece+bins=4+strategy=quantile", truth, score) == pytest.approx(expected)


def test_debiased_error_of_calibrated_scores_is_smaller():
    """Chance alone gives a calibrated classifier an error; the debiased form takes much of it off."""
    plain, debiased = [], []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        score = rng.random(400)
        truth = (rng.random(400) < score).astype(int)
        plain.append(value("ece", truth, score))
        debiased.append(value("ece+debiased=true", truth, score))
    assert np.mean(plain) > 0.05
    assert np.mean(debiased) < 0.65 * np.mean(plain)


def test_brier_score_decomposes():
    """Reliability − resolution + uncertainty is the Brier score of the scores moved to their bins' means (Murphy)."""
    for seed in range(0, 30, 2):
        truth, score, _ = sample(seed)
        table = hs.scores(truth, score)
        index = np.searchsorted(np.linspace(0, 1, 11)[1:-1], score)
        moved = np.array([score[index == b].mean() for b in range(10) if (index == b).any()])
        moved = moved[np.unique(index, return_inverse=True)[1]]
        parts = [float(resolve(f"brier_{p}", table)(table.counts)) for p in ("reliability", "resolution", "uncertainty")]  # fmt: skip
        assert parts[0] - parts[1] + parts[2] == pytest.approx(np.mean((moved - truth) ** 2))
        skill = 1 - np.mean((score - truth) ** 2) / (truth.mean() * (1 - truth.mean()))
        assert value("brier_skill", truth, score) == pytest.approx(skill)


SPECS = (
    "brier_score",
    "brier_skill",
    "log_loss",
    "ece",
    "ece+norm=l2",
    "ece+norm=max",
    "ece+debiased=true",
    "ece+norm=l2+debiased=true+bins=3",
    "ece+strategy=quantile+bins=4",
    "brier_reliability",
    "brier_resolution",
    "brier_uncertainty",
)


@pytest.mark.parametrize("spec", SPECS)
def test_gradients_are_complex_step_derivatives(spec):
    """Gradients are the derivatives of the values to rounding, and sum to zero with the counts."""
    for seed in range(10):
        truth, score, _ = sample(seed)
        table = hs.scores(truth, score)
        metric = resolve(spec, table)
        cells = table.counts + np.random.default_rng(seed).uniform(0.5, 1, table.counts.shape)
        gradient = metric.gradient(Counts(cells))
        nudged = cells + 1e-20j * np.eye(cells.size).reshape(-1, *cells.shape)
        assert gradient.ravel() == pytest.approx(metric(nudged).imag / 1e-20, rel=1e-8, abs=1e-11)
        assert (cells * gradient).sum() == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("spec", ["brier_score", "brier_skill", "log_loss"])
def test_delta_agrees_with_the_bootstrap(spec):
    """The delta method's standard error is the bootstrap's, and intervals stay inside the range."""
    truth, score, _ = sample(2, 1500)
    table = hs.scores(truth, np.clip(score, 0.01, 0.99))
    drawn = hs.estimate(table, spec, method=hs.methods.Bootstrap("percentile", 1500), random_state=1)
    assert standard_error(resolve(spec, table), table) == pytest.approx(drawn.standard_error, rel=0.08)
    delta = hs.estimate(table, spec)
    low, high = resolve(spec, table).range
    assert low <= delta.low < delta.value < delta.high <= high


def test_perfect_probabilities_have_an_interval():
    """A Brier score of 0 in the sample does not prove perfection."""
    estimate = hs.estimate(hs.scores([0] * 10 + [1] * 10, [0.0] * 10 + [1.0] * 10), "brier_score")
    assert (estimate.value, estimate.low) == (0, 0)
    assert 0 < estimate.high < 0.8


@pytest.mark.parametrize(
    "spec, words",
    [
        ("ece+norm=l3", "norm of `ece` 'l3'"),
        ("ece+strategy=unifrom", "'uniform'"),
        ("ece+bins=0", "at least 1"),
        ("ece+bins=2.5", "whole number"),
        ("ece+debiased=maybe", "true or false"),
        ("ece+norm=max+debiased=true", "no debiased form"),
    ],
)
def test_bad_arguments_are_refused(spec, words):
    """Errors name the argument and the allowed values."""
    with pytest.raises(hs.HowsureError, match=words):
        resolve(spec, hs.scores([0, 1], [0.1, 0.9]))


@pytest.mark.parametrize("spec", ["brier", "log_loss", "ece", "brier_reliability"])
def test_scores_outside_the_unit_interval_are_no_probabilities(spec):
    """Scores outside [0, 1] are refused, with the first of them."""
    with pytest.raises(hs.HowsureError, match=r"needs probabilities, and `y_score` holds 1\.5"):
        resolve(spec, hs.scores([0, 1], [0.1, 1.5]))


@pytest.mark.parametrize("spec", ["log_loss_skill@max", "brier_skill@min"])
def test_skill_among_cases_of_one_class_is_undefined(spec):
    """The prevalence predicts cases of one class without loss, up to rounding of their weights."""
    rng = np.random.default_rng(0)
    for _ in range(50):
        share = rng.dirichlet(np.ones(3), 5)
        weight = rng.lognormal(0, 2, 5)
        table = hs.multiclass_scores(["a"] * 5, share, labels=["a", "b", "c"], sample_weight=weight)
        found = hs.estimate(table, spec)
        assert np.isnan(found.value)
        assert found.reason


def test_a_group_of_weight_0_has_no_value_and_warns_of_nothing():
    """One of two groups has only cases of weight 0: its skill is nan with a reason, and the other has its own."""
    scores = [[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.2, 0.2, 0.6], [0.5, 0.3, 0.2]]
    table = hs.multiclass_scores(
        ["a", "b", "c", "a"], scores, labels=["a", "b", "c"], sample_weight=[1, 2, 3, 0], by=["u", "u", "u", "v"]
    )
    found = hs.estimate(table, "brier_skill", method="anytime")
    alone = hs.estimate(
        hs.multiclass_scores(["a", "b", "c"], scores[:3], labels=["a", "b", "c"], sample_weight=[1, 2, 3]),
        "brier_skill",
        method="anytime",
    )
    assert np.isnan(found["v"].value)
    assert "undefined" in found["v"].reason
    assert found["u"].value == pytest.approx(alone.value)
    assert found["u"].low == pytest.approx(alone.low)


@pytest.mark.parametrize("spec", [each.name for each in REGISTRY.shipped if each.reads_any({"scores"})])
@pytest.mark.parametrize("method", [None, pytest.param("wald", marks=pytest.mark.thorough)])
def test_a_group_without_weight_has_no_value_and_no_warning(spec, method):
    """Cases of weight zero are not cases: metrics are undefined, in the same words, for two classes or five."""
    rng = np.random.default_rng(5)
    truth, probability = np.arange(20) % 5, rng.dirichlet(np.ones(5), 20)
    roles = {"sample_weight": np.repeat([0.0, 1.0], 10), "by": np.repeat(["empty", "full"], 10)}
    two = hs.scores(truth > 1, probability[:, 1], **roles)
    many = hs.multiclass_scores(truth, probability, **roles)
    for table, name in ((two, spec), (many, spec), (many, f"{spec}@weighted")):
        try:
            found = hs.estimate(table, name, method=method)["empty"]
        except hs.HowsureError:
            continue  # not of such tables, or not by this method
        assert np.isnan(found.value)
        assert found.reason


def test_bins_of_equal_mass_hold_the_scores_whose_middle_lies_in_them():
    """For nine cases, two scores are in the first bin, because the middle of the third score is above the half."""
    score, truth = np.repeat([0.1, 0.3, 0.8], [2, 4, 3]), np.array([0, 1, 0, 0, 1, 0, 1, 1, 0])
    gaps = [abs(truth[:6].mean() - score[:6].mean()) * 6 / 9, abs(truth[6:].mean() - 0.8) * 3 / 9]
    assert value("ece+bins=2+strategy=quantile", truth, score) == pytest.approx(sum(gaps))


def test_the_debiased_error_takes_off_the_excess_of_a_folded_normal():
    """Chance enlarges a gap by the mean of a folded normal variable with the bin's variance, minus the gap."""
    rng = np.random.default_rng(4)
    score = rng.random(150)
    truth = (rng.random(150) < score**2).astype(int)
    share, gap, rate = by_hand(truth, score, np.linspace(0, 1, 4))
    spread = np.sqrt(rate * (1 - rate) / (share * 150))
    excess = stats.foldnorm.mean(np.abs(gap) / spread, scale=spread) - np.abs(gap)
    expected = (share * (np.abs(gap) - excess)).sum()
    assert value("ece+bins=3+debiased=true", truth, score) == pytest.approx(expected)


@pytest.mark.parametrize("spec", ["ece+debiased=true+bins=3", "ece+strategy=quantile+bins=3", "ece+norm=l2+debiased=1"])
def test_each_group_has_bins_and_a_correction_of_its_own(spec):
    """What a metric takes from the observed counts, groups of other sizes and scores take from theirs."""
    rng = np.random.default_rng(8)
    by = np.repeat(["many", "few"], [90, 30])
    score = np.where(by == "many", rng.random(120), rng.random(120) ** 3)
    truth = (rng.random(120) < score**0.5).astype(int)
    found = hs.estimate(hs.scores(truth, score, by=by), spec, method="delta")
    for group in ("many", "few"):
        alone = hs.estimate(hs.scores(truth[by == group], score[by == group]), spec, method="delta")
        assert found[group].value == pytest.approx(alone.value, rel=1e-12)
        assert found[group].standard_error == pytest.approx(alone.standard_error, rel=1e-9)


@pytest.mark.parametrize("spec", [each for each in SPECS if "quantile" not in each and "debiased" not in each])
def test_a_bin_that_a_resample_leaves_empty_counts_for_nothing(spec):
    """Counts without the cases of low scores have the value of the other cases alone."""
    truth, score, _ = sample(6, 120)
    table, kept = hs.scores(truth, score), score > 0.4
    emptied = table.counts * (table.scores > 0.4)[:, None]
    assert float(resolve(spec, table)(emptied)) == pytest.approx(value(spec, truth[kept], score[kept]), rel=1e-12)


DISTANCES = ("ece", "ece+norm=l2", "ece+norm=max", "ece+strategy=quantile+bins=4", "brier_reliability")


@pytest.mark.parametrize("spec", [*DISTANCES, "brier_resolution", "smooth_ece"])
def test_the_distance_of_a_metric_is_the_metric(spec):
    """The norm of the sums of residuals, to its power, is the value; for the resolution at any share of positives."""
    truth, score, _ = sample(8, 150)
    table = hs.scores(truth, score)
    metric = resolve(spec, table)
    counts = table.counts
    if spec == "brier_resolution":  # of other positive cases with the same scores: its overall share is theirs
        hits = np.random.default_rng(2).binomial(counts.sum(1).astype(int), 0.3 + 0.6 * table.scores)
        counts = np.stack([counts.sum(1) - hits, hits], 1) * 1.0
    distance = metric.structure
    found = distance.norm(*distance.sums(counts)) ** distance.power
    assert float(found) == pytest.approx(float(metric(counts)), rel=1e-9)


def test_the_loss_of_certain_and_right_probabilities_is_scikit_learns():
    """Both clip a probability of 1 by as little as rounding."""
    expected = sk.log_loss([0, 1, 1], [0.0, 1.0, 1.0])
    assert value("log_loss", np.array([0, 1, 1]), np.array([0.0, 1.0, 1.0])) == pytest.approx(expected, rel=1e-6, abs=0)


@pytest.mark.parametrize("spec", ["ece", "ece+norm=l2", "ece+debiased=true", "ece+strategy=quantile", "smooth_ece"])
def test_what_the_observed_counts_shape_is_bound_to_each_table_by_itself(spec):
    """Bins of equal width alone do not depend on the counts, where nothing is taken off for their number."""
    truth, score, _ = sample(2, 50)
    assert resolve(spec, hs.scores(truth, score)).takes_batches == (spec in {"ece", "ece+norm=l2"})
