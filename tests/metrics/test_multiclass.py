"""Metrics of scores of many classes equal scikit-learn's; intervals account for the cases that classes share."""

from functools import partial

import numpy as np
import pytest
from sklearn import metrics as sk

import howsure as hs
from howsure.methods.areas.delong import placement_error
from howsure.methods.core.standard_errors import standard_error
from howsure.metrics.binding import resolve


def sample(seed, *, size=None, classes=None):
    """Return true classes, rows of probabilities with ties, and weights."""
    rng = np.random.default_rng(seed)
    classes = classes or int(rng.integers(3, 6))
    size = size or int(rng.integers(30, 120))
    true = rng.choice(classes, size, p=rng.dirichlet(np.full(classes, 8.0)))
    true[: 2 * classes] = np.tile(np.arange(classes), 2)
    odds = np.exp(rng.normal(size=(size, classes)) + 1.3 * np.eye(classes)[true])
    share = np.round(odds / odds.sum(1, keepdims=True), 2)
    share[:, 0] = 1 - share[:, 1:].sum(1)
    return true, np.abs(share) / np.abs(share).sum(1, keepdims=True), rng.integers(1, 5, size).astype(float)


def indicator(seed, size=80, labels=4):
    """Return an indicator array, and scores with ties."""
    rng = np.random.default_rng(seed)
    true = (rng.random((size, labels)) < rng.uniform(0.2, 0.7, labels)).astype(int)
    return true, np.round(rng.normal(true + rng.normal(size=(size, 1)), 1.0), 1)


@pytest.mark.parametrize("seeds", [range(2), pytest.param(range(2, 8), marks=pytest.mark.thorough)])
def test_values_equal_scikit_learns(seeds):
    """Against the rest and in pairs, by every average, with ties and weights: scikit-learn's numbers."""
    for seed in seeds:
        true, score, weight = sample(seed)
        for given in (None, weight):
            table = hs.multiclass_scores(true, score, sample_weight=given)
            for average in ("macro", "weighted", "micro"):
                settings = {"average": average, "sample_weight": given}
                expected = sk.roc_auc_score(true, score, multi_class="ovr", **settings)
                assert hs.estimate(table, f"roc_auc@{average}").value == pytest.approx(expected, abs=1e-12)
                expected = sk.average_precision_score(true, score, **settings)
                assert hs.estimate(table, f"ap@{average}").value == pytest.approx(expected, abs=1e-12)
            assert hs.estimate(table, "log_loss").value == pytest.approx(sk.log_loss(true, score, sample_weight=given))
            squares = ((score - np.eye(score.shape[1])[true]) ** 2).sum(1)
            assert hs.estimate(table, "brier_score").value == pytest.approx(np.average(squares, weights=given))
        table = hs.multiclass_scores(true, score)
        for average in ("macro", "weighted"):
            expected = sk.roc_auc_score(true, score, multi_class="ovo", average=average)
            ours = hs.estimate(table, f"roc_auc@{average}+multi_class=ovo").value
            assert ours == pytest.approx(expected, abs=1e-12)


def test_multilabel_values_equal_scikit_learns():
    """For labels that do not exclude one another as well."""
    for seed in range(4):
        true, score = indicator(seed)
        weight = np.random.default_rng(seed).integers(1, 4, len(true))
        table = hs.multiclass_scores(true, score, sample_weight=weight)
        for average in ("macro", "weighted", "micro"):
            for spec, expected in (("roc_auc", sk.roc_auc_score), ("ap", sk.average_precision_score)):
                value = expected(true, score, average=average, sample_weight=weight)
                assert hs.estimate(table, f"{spec}@{average}").value == pytest.approx(value, abs=1e-12)


def test_one_class_is_scores_of_two():
    """A named class has the estimate of its own column of scores, by every method, under its full name."""
    true, score, weight = sample(3)
    groups = np.arange(len(true)) // 2
    for extra in ({}, {"sample_weight": weight}, {"groups": groups}):
        table = hs.multiclass_scores(true, score, **extra)
        for method in (None, "newcombe", "bootstrap_bca"):
            ours = hs.estimate(table, "roc_auc@binary+positive_class=1", method=method, random_state=1)
            alone = hs.estimate(hs.scores(true == 1, score[:, 1], **extra), "roc_auc", method=method, random_state=1)
            assert ours.metric == "roc_auc@binary+positive_class=1"
            assert (ours.value, ours.low, ours.high) == pytest.approx((alone.value, alone.low, alone.high))
    every = hs.evaluate(table, ["roc_auc@none", "ece+bins=5@none"])
    assert len(every) == 2 * len(table.labels)
    assert every["roc_auc@binary+positive_class=1"].value == pytest.approx(ours.value)
    true, score = indicator(1)
    ours = hs.estimate(hs.multiclass_scores(true, score), "roc_auc@binary+positive_class=2")
    alone = hs.estimate(hs.scores(true[:, 2], score[:, 2], groups=np.arange(len(true))), "roc_auc")
    assert (ours.low, ours.high) == pytest.approx((alone.low, alone.high))


SPECS = (
    "roc_auc@macro",
    "roc_auc@weighted",
    "roc_auc@micro",
    "roc_auc@geometric+multi_class=ovo",
    "roc_auc@weighted+multi_class=ovo",
    "roc_auc+max_fpr=0.37@macro",
    "ap@weighted",
    "ap@micro",
    "ap@macro+multi_class=ovo",
    "brier_score@macro",
    "brier_score",
    "log_loss",
    "roc_auc@binary+positive_class=1",
)


@pytest.mark.parametrize("spec", SPECS)
def test_gradients_are_derivatives(spec):
    """The slopes by every cell, empty ones too, are those of central differences; they cancel with the counts."""
    true, score, weight = sample(8, size=25, classes=3)
    table = hs.multiclass_scores(true, score, sample_weight=weight)
    metric = resolve(spec, table)
    gradient = metric.gradient(table.counted)
    step = 1e-6
    for cell in np.ndindex(*table.counts.shape):
        nudge = np.zeros(table.counts.shape)
        nudge[cell] = step
        if table.counts[cell] == 0 and spec.startswith(("roc_auc+max", "ap")):
            continue  # kinks where a case would be the first
        difference = (metric(table.counts + nudge) - metric(table.counts - nudge)) / (2 * step)
        assert gradient[cell] == pytest.approx(float(difference), rel=1e-4, abs=1e-8)
    assert (gradient * table.counts).sum() == pytest.approx(0, abs=1e-10)


def test_multilabel_gradients_are_derivatives():
    """The same by label and truth."""
    true, score = indicator(4, size=20, labels=3)
    table = hs.multiclass_scores(true, score)
    for spec in ("roc_auc@macro", "roc_auc@weighted", "roc_auc@micro", "brier_score@macro"):
        if spec.startswith("brier"):
            table = hs.multiclass_scores(true, 1 / (1 + np.exp(-score)))
        metric = resolve(spec, table)
        gradient = metric.gradient(table.counted)
        for cell in [(0, 0, 0), (3, 2, 1), (7, 1, 0), (19, 1, 1)]:
            nudge = np.zeros(table.counts.shape)
            nudge[cell] = 1e-6
            difference = (metric(table.counts + nudge) - metric(table.counts - nudge)) / 2e-6
            assert gradient[cell] == pytest.approx(float(difference), rel=1e-4, abs=1e-8)


def test_pairs_have_delongs_covariance():
    """The variance of the mean over pairs is DeLong's, written out: placements of each pair added up over the cases."""
    true, score, _ = sample(5, size=60, classes=3)
    numbers = np.bincount(true)
    influence = np.zeros(len(true))
    for a in range(3):
        for b in range(3):
            if a == b:
                continue
            first, second = score[true == a, a], score[true == b, a]
            wins = (first[:, None] > second) + 0.5 * (first[:, None] == second)
            influence[true == a] += (wins.mean(1) - wins.mean()) / numbers[a] / 6
            influence[true == b] += (wins.mean(0) - wins.mean()) / numbers[b] / 6
    expected = sum(numbers[c] / (numbers[c] - 1) * (influence[true == c] ** 2).sum() for c in range(3))
    table = hs.multiclass_scores(true, score)
    metric = resolve("roc_auc@macro+multi_class=ovo", table)
    assert placement_error(metric, table) ** 2 == pytest.approx(expected, rel=1e-10)
    # Singleton clusters, constant weights and fixed class totals give the same result.
    alike = [
        hs.multiclass_scores(true, score, groups=np.arange(len(true))),
        hs.multiclass_scores(true, score, sample_weight=np.full(len(true), 2.0)),
        table.with_design(hs.designs.FixedMargins()),
    ]
    for each in alike:
        assert placement_error(metric, each) ** 2 == pytest.approx(expected, rel=1e-9)


@pytest.mark.thorough
@pytest.mark.parametrize("design", ["simple", "weighted", "clusters", "fixed", "multilabel"])
def test_errors_agree_with_the_bootstrap(design):
    """In every design the analytic standard error is that of resampling, within its Monte Carlo error."""
    true, score, weight = sample(6, size=400, classes=3)
    extra = {"weighted": {"sample_weight": weight}, "clusters": {"groups": np.arange(400) // 4}}.get(design, {})
    table = hs.multiclass_scores(true, score, **extra)
    if design == "fixed":
        table = table.with_design(hs.designs.FixedMargins())
    if design == "multilabel":
        table = hs.multiclass_scores(*indicator(2, size=400, labels=3))
    specs = ["roc_auc@macro", "roc_auc@micro", "ap@weighted"]
    drawn = hs.evaluate(table, specs, method=hs.methods.Bootstrap("percentile", 1200), random_state=1)
    for spec, each in zip(specs, drawn.values(), strict=True):
        assert standard_error(resolve(spec, table), table) == pytest.approx(each.standard_error, rel=0.08)
        if design == "fixed":
            continue
        # The bootstrap has no prior, of which a pseudo-case of clusters would be a whole cluster.
        bayes = hs.estimate(table, spec, method=hs.methods.Dirichlet(prior=0, n_draws=1200), random_state=2)
        assert bayes.standard_error == pytest.approx(each.standard_error, rel=0.1)


def coverage(repeats, size, seed):
    """Return the coverage of the default intervals for areas of normal scores of three classes."""
    rng = np.random.default_rng(seed)
    specs = ["roc_auc@macro", "roc_auc@macro+multi_class=ovo", "ap@macro"]

    def draw(number):
        true = rng.choice(3, number, p=[0.5, 0.3, 0.2])
        return true, rng.normal(size=(number, 3)) + 1.2 * np.eye(3)[true]

    large = hs.multiclass_scores(*draw(100_000))
    truth = [float(resolve(spec, large)(large.counts)) for spec in specs]
    inside = np.zeros(3)
    for _ in range(repeats):
        estimates = hs.evaluate(hs.multiclass_scores(*draw(size)), specs)
        inside += [each.low <= value <= each.high for each, value in zip(estimates.values(), truth, strict=True)]
    return inside / repeats


@pytest.mark.thorough
def test_intervals_cover():
    """Macro AUC, in both schemes, and macro AP cover at about 95 % with 100 cases of three classes (400 samples)."""
    assert coverage(400, 100, 3) == pytest.approx([0.95] * 3, abs=0.03)


@pytest.mark.slow
def test_intervals_cover_at_length():
    """With 60 cases, 12 of the rarest class, and 6 000 samples, areas cover; average precision falls to 91.5 %."""
    *areas, precision = coverage(6000, 60, 4)
    assert areas == pytest.approx([0.95, 0.95], abs=0.02)
    assert precision == pytest.approx(0.915, abs=0.015)


class TestDegenerate:
    """An honest interval, or nan with a reason."""

    def test_separated_classes(self):
        """Where every class is perfectly separated the interval is one-sided, and not a point."""
        true = np.repeat([0, 1, 2], 5)
        estimate = hs.estimate(hs.multiclass_scores(true, np.eye(3)[true]), "roc_auc@macro")
        assert estimate.value == estimate.high == 1
        assert 0.2 < estimate.low < 0.9
        precision = hs.estimate(hs.multiclass_scores(true, np.eye(3)[true]), "ap@macro")
        assert precision.low < 0.99

    def test_a_class_without_cases_is_left_out(self):
        """The mean is over the others, and the reason states this; the same for pairs."""
        true = np.array([0, 1] * 10)
        score = np.random.default_rng(1).random((20, 3))
        table = hs.multiclass_scores(true, score, labels=[0, 1, 2])
        estimate = hs.estimate(table, "roc_auc@macro")
        assert "1 of 3 classes" in estimate.reason
        assert estimate.low < estimate.value < estimate.high
        assert "4 of 6 pairs" in hs.estimate(table, "roc_auc@macro+multi_class=ovo").reason

    def test_a_class_of_a_single_case(self):
        """It has no sample variance: the interval is the delta method's, with a note."""
        true = np.array([0, 1] * 10 + [2])
        estimate = hs.estimate(hs.multiclass_scores(true, np.random.default_rng(2).random((21, 3))), "roc_auc@macro")
        assert "single case" in estimate.reason
        assert estimate.low < estimate.value < estimate.high

    def test_constant_scores(self):
        """All scores equal: one half, and nan limits with the reason."""
        estimate = hs.estimate(hs.multiclass_scores([0, 1, 2, 0, 1, 2], np.full((6, 3), 1 / 3)), "roc_auc@macro")
        assert estimate.value == 0.5
        assert np.isnan(estimate.low)
        assert "equal" in estimate.reason


@pytest.mark.parametrize(
    "spec, words",
    [
        ("roc_auc", "'roc_auc@macro'.*positive_class=2"),
        ("roc_auc@makro", "no average 'makro'. Did you mean 'macro'"),
        ("roc_acu@macro", "no metric 'roc_acu'"),
        ("roc_auc@macro+multi_class=pairs", "scheme"),
        ("roc_auc@macro+multi_clas=ovo", "multi_class"),
        ("roc_auc@micro+multi_class=ovo", "no form for pairs"),
        ("roc_auc@binary", r"positive_class=2"),
        ("roc_auc@binary+positive_class=7", "no class '7'"),
        ("roc_auc@macro+ovo", "argument=value"),
        ("roc_auc@none", "evaluate"),
        ("log_loss", "sum to"),
    ],
)
def test_bad_specs_are_refused(spec, words):
    """Unknown or unfit names are refused with a hint."""
    table = hs.multiclass_scores([0, 1, 2], [[0.2, 0.4, 0.9], [0.1, 0.4, 0.3], [0.5, 0.5, 0.5]])
    with pytest.raises(hs.HowsureError, match=words):
        hs.estimate(table, spec)


def test_labels_have_no_pairs():
    """Multilabel data have no pairs, and no loss of a whole row."""
    table = hs.multiclass_scores(*indicator(0))
    for spec, words in (("roc_auc@macro+multi_class=ovo", "no pairs"), ("log_loss", "log_loss@macro")):
        with pytest.raises(hs.HowsureError, match=words):
            hs.estimate(table, spec)
    with pytest.raises(hs.HowsureError, match="DeLong"):
        hs.estimate(table, "roc_auc@macro", method="delong")


@pytest.mark.parametrize("average", ["macro", "weighted", "geometric"])
def test_gradients_of_areas_of_pairs_are_finite_differences(average):
    """Their closed form, a product of matrices, is the change of the average by a count, with ties and weights."""
    true, score, weight = sample(11, size=40, classes=4)
    table = hs.multiclass_scores(true, score, sample_weight=weight)
    metric = resolve(f"roc_auc@{average}+multi_class=ovo", table)
    gradient, step = metric.gradient(table.counted), 1e-5
    for case, column in np.random.default_rng(0).integers((40, 4), size=(25, 2)):
        nudge = np.zeros(table.shape)
        nudge[case, column] = step
        change = float(metric(table.counts + nudge) - metric(table.counts - nudge)) / (2 * step)
        assert gradient[case, column] == pytest.approx(change, abs=1e-8)


def test_areas_of_pairs_are_those_of_their_cases_alone():
    """Each is scikit-learn's area of the cases of two classes by the scores of the first, on any leading axes."""
    true, score, weight = sample(12, size=90, classes=17)
    table = hs.multiclass_scores(true, score, sample_weight=weight)
    stack = np.stack([table.counts, 2 * table.counts])
    found = resolve("roc_auc@macro+multi_class=ovo", table).per_class(table.make_counts(stack.reshape(2, -1)))
    couples = [(first, second) for first in range(17) for second in range(17) if first != second]
    expected = []
    for first, second in couples[::7]:
        both = (true == first) | (true == second)
        expected.append(sk.roc_auc_score(true[both] == first, score[both, first], sample_weight=weight[both]))
    assert found[:, ::7] == pytest.approx(np.stack([expected, expected]), abs=1e-12)


@pytest.mark.parametrize("door", [partial(hs.roc_auc_score, multi_class="ovr"), hs.log_loss], ids=["area", "loss"])
def test_rows_that_are_no_probabilities(door):
    """The remedy depends on the numbers, and works."""
    from scipy import special

    logits = np.array([[2.0, -1.0, 0.0], [0.0, 3.0, 1.0], [1.0, 1.0, 4.0], [1.0, 0.0, -1.0]])
    truth, probabilities = [0, 1, 2, 0], special.softmax(logits, axis=1)
    for scores, remedy in (
        (logits, "For logits give scipy.special.softmax"),
        (np.log(probabilities), "For logarithms of probabilities give numpy.exp"),
        (probabilities * 100, "Divide each row by its sum"),
    ):
        with pytest.raises(hs.HowsureError, match=remedy):
            door(truth, scores)
    assert door(truth, probabilities) is not None
