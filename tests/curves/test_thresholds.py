"""Metrics at thresholds equal those of the thresholded tables, including limits; chosen thresholds have intervals."""

import numpy as np
import pytest
from scipy import stats

import howsure as hs
from howsure.curves.optimal_threshold import optimal_threshold
from howsure.curves.thresholds import confusion_along, errors_along, on_counts, threshold_curves
from howsure.designs.base import Design
from howsure.methods.core.draws import group_seed
from howsure.methods.core.standard_errors import standard_error
from howsure.metrics.binding import from_split, resolve


def data(seed=0, size=120, **extra):
    """Return a table of scores."""
    rng = np.random.default_rng(seed)
    truth = (rng.random(size) < 0.4).astype(int)
    score = np.round(rng.normal(truth * 1.2), 1)
    return hs.scores(truth, score, **{name: make(rng, size) for name, make in extra.items()})


WEIGHTS = {"sample_weight": lambda rng, size: rng.exponential(size=size)}
GROUPS = {"groups": lambda rng, size: rng.integers(0, 30, size)}


@pytest.mark.thorough
def test_simultaneous_bands_are_wider_and_hold():
    """The simultaneous band covers the true curve between the outer deciles in about 95 % of 100 samples."""
    rng = np.random.default_rng(3)
    held, pointwise = 0, 0
    truth = np.repeat([0, 1], [120, 80])
    for repeat in range(100):
        table = hs.scores(truth, rng.normal(truth * 1.2))
        for band in ("pointwise", "simultaneous"):
            curve = threshold_curves(table, "f1", band=band, random_state=repeat, n_resamples=300)["f1"]
            inner = slice(len(curve.x) // 10, -(len(curve.x) // 10))
            at = curve["threshold"][inner]
            tp, fp = 0.4 * stats.norm.sf(at - 1.2), 0.6 * stats.norm.sf(at)
            true = 2 * tp / (tp + fp + 0.4)
            inside = bool(((curve.low[inner] <= true) & (true <= curve.high[inner])).all())
            held += inside * (band == "simultaneous")
            pointwise += inside * (band == "pointwise")
    assert held / 100 >= 0.91
    assert pointwise / 100 < 0.85


def test_bands_of_any_design_and_no_band():
    """Simultaneous bands exist in every design; without a band there are only values."""
    for extra in (WEIGHTS, GROUPS):
        table = data(**extra)
        narrow, wide = (threshold_curves(table, "mcc", band=each, random_state=0)["mcc"] for each in ("pointwise", "simultaneous"))  # fmt: skip
        known = np.isfinite(narrow["value"])
        assert (wide.low[known] <= narrow.low[known] + 1e-12).all()
    assert list(threshold_curves(data(), "f1", band="none")["f1"].columns) == ["threshold", "value"]


class TestChoice:
    """A threshold chosen on the data: where, how sure, and how much too good it looks."""

    @pytest.mark.parametrize("criterion", ["youden", "cost", "f1", "error_rate"])
    def test_choice_is_the_best_threshold(self, criterion):
        """The chosen threshold is the best of all by search; the apparent value is the metric there."""
        table = data(2)
        chosen = optimal_threshold(table, criterion, n_resamples=50, random_state=0)
        metric = {"youden": "informedness", "cost": "error_rate"}.get(criterion, criterion)
        curve = threshold_curves(table, metric, band="none")
        values = next(iter(curve.values()))["value"]
        best = np.nanmin(values) if metric == "error_rate" else np.nanmax(values)
        assert chosen.apparent == pytest.approx(best)
        assert hs.estimate(table.at(chosen.threshold.value), metric).value == pytest.approx(best)

    @pytest.mark.thorough
    def test_optimism_is_taken_off(self):
        """Over many samples the apparent Youden index is too good, and the corrected one nearly right."""
        rng = np.random.default_rng(1)
        truth = np.repeat([0, 1], 40)
        apparent, corrected, inside = [], [], 0
        best = 2 * stats.norm.cdf(0.5) - 1
        for repeat in range(150):
            table = hs.scores(truth, rng.normal(truth))
            chosen = optimal_threshold(table, n_resamples=390, random_state=repeat)
            apparent.append(chosen.apparent)
            corrected.append(chosen.value.value)
            inside += chosen.threshold.low <= 0.5 <= chosen.threshold.high
        assert np.mean(apparent) > best + 0.04
        assert abs(np.mean(corrected) - best) < 0.04
        assert inside / 150 > 0.9

    def test_costs_move_the_threshold(self):
        """Where misses cost more the threshold is lower; so it is where positives are more common."""
        table = data(3, 2000)

        def place(**costs):
            chosen = optimal_threshold(table, "cost", n_resamples=39, random_state=0, **costs)
            return chosen.threshold.value

        assert place(false_negative_cost=10) < place() < place(false_positive_cost=10)
        assert place(prevalence=0.9) < place(prevalence=0.1)

    def test_resamples_are_seeded(self):
        """The same seed gives the same intervals."""
        first, second = (optimal_threshold(data(), random_state=4, n_resamples=50) for _ in range(2))
        assert first.threshold.low == second.threshold.low
        assert np.array_equal(first.value.draws, second.value.draws)

    @pytest.mark.parametrize(
        "arguments, words",
        [
            ({"criterion": "yuden"}, "no metric 'yuden'"),
            ({"criterion": "cost", "false_positive_cost": -1}, "non-negative"),
            ({"criterion": "cost", "prevalence": 1.5}, "between 0 and 1"),
            ({"false_negative_cost": 2}, "`false_negative_cost` belongs to the criterion 'cost'.* is 'youden'"),
            ({"criterion": "f1", "prevalence": 0.2}, "`prevalence` belongs to the criterion 'cost'"),
        ],
    )
    def test_bad_requests_are_refused(self, arguments, words):
        """Unknown criteria, negative costs and impossible prevalences are errors."""
        with pytest.raises(hs.HowsureError, match=words):
            optimal_threshold(data(), **arguments)

    @pytest.mark.parametrize("number", [1, 38])
    def test_too_few_resamples_are_refused(self, number):
        """Fewer than 39 resamples have no 2.5 % quantile: a choice and the other bootstraps refuse them alike."""
        calls = [
            lambda: optimal_threshold(data(), n_resamples=number),
            lambda: threshold_curves(data(), "f1", band="simultaneous", n_resamples=number),
            lambda: hs.decision_curve([0, 1] * 20, np.linspace(0.01, 0.99, 40), n_resamples=number),
            lambda: hs.methods.Bootstrap("bca", number),
            lambda: hs.bootstrap(np.mean, np.arange(9.0), n_resamples=number),
        ]
        for call in calls:
            with pytest.raises(hs.HowsureError, match=f"`n_resamples` must be .* at least 39 .*, not {number}"):
                call()

    def test_one_class(self):
        """With a single class no threshold can be chosen."""
        with pytest.raises(hs.HowsureError, match="no case"):
            optimal_threshold(hs.scores([1, 1], [0.1, 0.2], pos_label=1))


@pytest.mark.parametrize("criterion", ["youden", "f1", "accuracy", "hamming_loss", "cost"])
@pytest.mark.parametrize(
    "truth, score",
    [([0, 1], [0.2, 0.8]), ([0] * 8 + [1] * 8, range(16)), ([1] * 8 + [0] * 8, range(16)), ([0, 1], [0.5, 0.5])],
)
def test_a_choice_on_degenerate_scores_is_no_point_and_stays_in_range(criterion, truth, score):
    """Separated, reversed or constant scores leave an interval inside the range, or nan with a reason."""
    chosen = optimal_threshold(hs.scores(truth, list(score)), criterion, n_resamples=390, random_state=0)
    lowest = -1.0 if criterion == "youden" else 0.0
    for each, least in ((chosen.value, lowest), (chosen.sensitivity, 0.0), (chosen.specificity, 0.0)):
        assert least <= each.value <= 1
        assert least <= each.low < each.high <= 1 or (np.isnan(each.low) and each.reason)
        assert np.isnan(each.low) or each.low <= each.value <= each.high


def test_a_number_of_resamples_that_is_none_is_named():
    """Zero resamples, or a fraction of one, are refused by name."""
    for wrong in (0, 2.5):
        with pytest.raises(hs.HowsureError, match="n_resamples"):
            optimal_threshold(data(), n_resamples=wrong)
        with pytest.raises(hs.HowsureError, match="n_resamples"):
            threshold_curves(data(), "f1", band="simultaneous", n_resamples=wrong)


@pytest.mark.parametrize("metric", ["recall", "precision", "f1", "mcc"])
def test_errors_of_clusters_are_those_of_each_thresholds_table(metric):
    """The standard errors of clustered cases, also weighted ones, equal those of the table at each threshold."""
    rng = np.random.default_rng(6)
    truth = (rng.random(90) < 0.4).astype(int)
    more = {"groups": rng.integers(0, 25, 90), "sample_weight": rng.gamma(2, 1, 90)}
    table = hs.scores(truth, np.round(rng.normal(truth * 1.2), 1), **more)
    thresholds, cells = confusion_along(table)
    index = np.arange(3, len(cells) - 3)
    tables = [table.at(threshold) for threshold in thresholds[index]]
    expected = [standard_error(resolve(metric, each), each) for each in tables]
    bound = on_counts(metric, table)
    np.testing.assert_allclose(errors_along(bound, table, cells)[index], expected, rtol=1e-9, atol=1e-15)
    np.testing.assert_allclose(errors_along(bound, table, cells[index], index), expected, rtol=1e-9, atol=1e-15)


class Overdispersed(Design):
    """A design from outside the package: cases that vary as if there were only a third of them."""

    def variance(self, counts, gradient):
        """Return three times the multinomial variance."""
        return 3 * (counts * gradient**2).sum(-1)

    def collapse_cells(self, codes, size):  # noqa: ARG002 - as of every design
        """Return the design itself: merged cells have the same variance."""
        return self


class Unmerged(Design):
    """A user-defined design for its own cells only."""

    def variance(self, counts, gradient):
        """Return the multinomial variance."""
        return (counts * gradient**2).sum(-1)


@pytest.mark.parametrize(
    "metric", ["mcc", *(pytest.param(each, marks=pytest.mark.thorough) for each in ("balanced_accuracy", "f1@macro"))]
)
def test_a_design_from_outside_has_its_own_band(metric):
    """With three times the variance the band is about √3 times as wide, and its limits are those of estimates."""
    table = data(size=4000)
    own = table.with_design(Overdispersed())
    narrow, wide = (next(iter(threshold_curves(each, metric).values())) for each in (table, own))
    inner = slice(len(wide.x) // 3, 2 * len(wide.x) // 3)  # away from thresholds of few cases
    ratio = (wide.high - wide.low)[inner] / (narrow.high - narrow.low)[inner]
    assert ratio == pytest.approx(np.full(len(ratio), np.sqrt(3)), rel=0.05)
    for index in (1, 3, len(wide.x) - 2):
        expected = hs.estimate(own.at(wide["threshold"][index]), metric)
        assert (wide.low[index], wide.high[index]) == pytest.approx((expected.low, expected.high), rel=1e-9)


def test_a_design_from_outside_has_its_own_roc_band():
    """In a large sample the ROC band of three times the variance is about the root of three as wide, and an estimate."""
    table = data(size=4000)
    narrow, wide = (hs.roc_curve(each) for each in (table, table.with_design(Overdispersed())))
    inner = (narrow.y > 0.1) & (narrow.y < 0.95)
    ratio = (wide.high - wide.low)[inner] / (narrow.high - narrow.low)[inner]
    assert np.median(ratio) == pytest.approx(np.sqrt(3), rel=0.1)  # the curve is steeper in places
    table = data(size=80).with_design(Overdispersed())
    curve = hs.roc_curve(table)
    rate = float(curve.x[len(curve.x) // 2])
    expected = hs.estimate(table, f"recall_at+fpr={rate!r}")
    place = np.flatnonzero(curve.x == rate)[-1]
    assert (curve.low[place], curve.high[place]) == pytest.approx((expected.low, expected.high), rel=1e-9)


def test_a_design_that_does_not_know_merged_cells_is_refused_in_words():
    """A design without merged cells gives an error, not the band of independent cases, also for bands without draws."""
    with pytest.raises(hs.HowsureError, match="`Unmerged` is not defined for merged cells"):
        threshold_curves(data().with_design(Unmerged()), "f1")
    with pytest.raises(hs.HowsureError, match="`Overdispersed` is not defined for resampled tables"):
        threshold_curves(data().with_design(Overdispersed()), "f1", band="simultaneous")


def test_tables_by_group_are_followed_one_by_one():
    """For `Tables`, curves equal those of the single tables; resamples of groups have their own streams."""
    rng = np.random.default_rng(0)
    truth, site = rng.integers(0, 2, 200), np.repeat(["x", "y"], 100)
    tables = hs.scores(truth, rng.normal(truth), by=site)
    found = threshold_curves(tables, ["f1", "mcc"])
    assert str(found.overall) == str(threshold_curves(tables.overall, ["f1", "mcc"]))
    assert str(found["y"]["mcc"]) == str(threshold_curves(tables["y"], "mcc")["mcc"])
    assert {each["metric"] for each in found.records()} == {"f1", "mcc"}
    chosen = optimal_threshold(tables, n_resamples=50, random_state=0)
    assert (
        chosen.overall.threshold.low == optimal_threshold(tables.overall, n_resamples=50, random_state=0).threshold.low
    )
    alone = optimal_threshold(tables["y"], n_resamples=50, random_state=group_seed(0, "y"))
    assert np.array_equal(chosen["y"].value.draws, alone.value.draws)


def test_a_criterion_that_is_undefined_everywhere_is_refused():
    """If all cases have the same score, every threshold predicts one class, and MCC is undefined."""
    with pytest.raises(hs.HowsureError, match="'mcc' is undefined at all of them. Use 'youden'"):
        hs.optimal_threshold(hs.scores([0, 0, 1, 1], [0.1] * 4), "mcc")


@pytest.mark.parametrize("spec", ["precision", "recall", "mcc", "f1"])
def test_a_metric_of_split_scores_is_that_of_the_table_there(spec):
    """Value and standard error of a metric at a split of the scores are those of the table at its threshold."""
    rng = np.random.default_rng(7)
    truth = (rng.random(120) < 0.3).astype(int)
    table = hs.scores(truth, np.round(rng.normal(truth), 1))
    for split in (5, 17, 30):
        small = table.at(table.scores[split])
        metric = from_split(resolve(spec, small), split)
        assert float(metric(table.counts)) == pytest.approx(float(resolve(spec, small)(small.counts)), rel=1e-12)
        expected = standard_error(resolve(spec, small), small)
        assert standard_error(metric, table) == pytest.approx(expected, rel=1e-9)


def test_long_tables_choose_among_thresholds_as_among_all():
    """With 12,000 scores, resamples that choose among some thresholds vary like those that choose among all."""
    rng = np.random.default_rng(8)
    size, repeats = 12_000, 300
    truth = rng.integers(0, 2, size)
    score = rng.normal(truth)
    chosen = optimal_threshold(hs.scores(truth, score), n_resamples=repeats, random_state=0)
    truth = truth[np.argsort(-score)]
    step = np.where(truth == 1, 1 / truth.sum(), -1 / (size - truth.sum()))
    own, optimism = np.empty(repeats), np.empty(repeats)
    for repeat in range(repeats):
        times = rng.multinomial(size, np.full(size, 1 / size))
        gains = np.cumsum(np.where(truth == 1, times / (times @ truth), -times / (times @ (1 - truth))))
        own[repeat] = gains.max()
        optimism[repeat] = gains.max() - np.cumsum(step)[gains.argmax()]
    error = 4 * np.sqrt(2 / repeats) * optimism.std()
    assert chosen.optimism == pytest.approx(optimism.mean(), abs=error)
    assert chosen.value.standard_error == pytest.approx(own.std(), rel=4 / np.sqrt(repeats))
