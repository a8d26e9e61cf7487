"""Weights are relative, and intervals are no narrower than the number of cases or clusters allows."""

import tracemalloc
from dataclasses import dataclass

import numpy as np
import pytest
from scipy import stats

import howsure as hs
from howsure.designs.clusters import Clusters
from howsure.designs.independent import Weighted
from howsure.methods.numerics.binomial import wilson

RNG = np.random.default_rng(0)
N = 90
TRUE = RNG.integers(0, 3, N)
SAID = np.where(RNG.random(N) < 0.8, TRUE, RNG.integers(0, 3, N))
GROUP, WEIGHT = RNG.integers(0, 20, N), RNG.gamma(1, 1, N) + 0.1
ILL = (TRUE > 0) * 1
SCORE = np.round(0.6 * RNG.random(N) + 0.4 * ILL, 2)
QUICK = {
    "bayes": hs.methods.Dirichlet(n_draws=200),
    "percentile": hs.methods.Bootstrap("percentile", 100),
    "bca": hs.methods.Bootstrap("bca", 100),
}
PROPORTIONS = ("accuracy", "recall@binary+positive_class=1")


def limits(found):
    return [found.low, found.high]


def asked(weight, **groups):
    """Yield tables of every kind with the metrics and methods to try."""
    sides, calls = {"labels": [0, 1], "sample_weight": weight, **groups}, ("auto", "delta", "fieller", *QUICK)
    confused = hs.confusion(TRUE, SAID, sample_weight=weight, **groups)
    yield confused, "accuracy", (*calls, "wilson", "logit", "clopper_pearson")
    yield confused, "f1@macro", ("auto", "delta", "bayes")
    yield confused, "recall@macro", ("auto", "mover")
    yield hs.confusion(ILL, ILL.copy(), **sides), "accuracy", (*calls, "wilson", "logit")
    yield hs.confusion(ILL, ILL.copy(), **sides), "informedness", ("auto", "mover", "delta", "bca")
    two = np.stack([ILL, SAID > 1], 1) * 1
    labels = hs.confusion(two, two[::-1], sample_weight=weight, **groups)
    yield labels, "f1@macro", ("auto", "bayes", "percentile")
    yield labels, "f1@micro", ("auto", "wilson")
    scored = hs.scores(ILL, SCORE, sample_weight=weight, **groups)
    for metric in ("roc_auc", "average_precision", "brier_score", "sensitivity_at+specificity=0.8"):
        yield scored, metric, ("auto", "bayes", "percentile")


@pytest.mark.parametrize("groups", [{}, {"groups": GROUP}], ids=["cases", "clusters"])
@pytest.mark.parametrize("scale", [1e-6, 37.3, 1e-200, 1e200])
def test_no_interval_depends_on_the_scale_of_the_weights(groups, scale):
    """Weights multiplied by any number give the same intervals by every method."""
    for own, other in zip(asked(WEIGHT, **groups), asked(scale * WEIGHT, **groups), strict=True):
        table, metric, methods = own
        for method in methods:
            settings = {"method": QUICK.get(method, method), "random_state": 1}
            one, two = hs.estimate(table, metric, **settings), hs.estimate(other[0], metric, **settings)
            assert [two.value, *limits(two)] == pytest.approx([one.value, *limits(one)], rel=1e-6, abs=1e-9), method


@pytest.mark.parametrize("method", ["auto", "delta", "fieller", "bayes"])
def test_no_comparison_depends_on_the_scale_of_the_weights(method):
    """Two models on weighted clusters have the same interval for any scale of the weights."""
    for said in ({"a": SAID, "b": SAID[::-1]}, {"a": TRUE.copy(), "b": TRUE.copy()}):
        one, two = (
            hs.compare(
                hs.paired(TRUE, said, sample_weight=scale * WEIGHT, groups=GROUP),
                "accuracy",
                method=QUICK.get(method, "auto" if method == "fieller" else method),
                random_state=0,
            )
            for scale in (1.0, 1e-7)
        )
        assert limits(two) == pytest.approx(limits(one), rel=1e-6, abs=1e-9)


def test_test_sets_may_have_weights_of_different_scale():
    """Two perfect models on separate weighted test sets have the same interval for any scale of either."""
    first, second, scaled = (
        hs.confusion(ILL, ILL.copy(), sample_weight=scale * weight)
        for scale, weight in ((1, WEIGHT), (1, WEIGHT[::-1]), (1e7, WEIGHT[::-1]))
    )
    one, two = (hs.compare(first, other, "mcc", method="delta") for other in (second, scaled))
    assert limits(two) == pytest.approx(limits(one), rel=1e-6)


@pytest.mark.parametrize("scale", [1e-200, 1e200])
def test_weights_of_a_lazy_frame_may_be_of_any_scale(scale):
    """Also where the data's own engine adds up squares of the weights, they do not vanish or overflow."""
    polars = pytest.importorskip("polars")
    columns = {"y": TRUE, "p": SAID, "w": WEIGHT, "g": GROUP}
    for groups in (None, "g"):
        one, two = (
            hs.confusion("y", "p", data=polars.LazyFrame(data), sample_weight="w", groups=groups)
            for data in (columns, {**columns, "w": scale * WEIGHT})
        )
        assert limits(hs.estimate(two, "mcc")) == pytest.approx(limits(hs.estimate(one, "mcc")))


def test_ordinary_weights_are_counted_as_they_are():
    """The table of weights contains their sums, as scikit-learn's does."""
    table = hs.confusion([0, 0, 1], [0, 1, 1], sample_weight=[1e6, 2.5, 1e-6])
    assert table.counts.tolist() == [[1e6, 2.5], [0, 1e-6]]


def test_an_error_of_little_weight_is_no_proof():
    """If one of 20 cases is wrong with a tiny weight, the interval is Wilson's for 20 cases, not for thousands."""
    weight = np.r_[np.ones(19), 1e-3]
    table = hs.confusion(np.ones(20, int), np.r_[np.ones(19, int), 0], labels=[0, 1], sample_weight=weight)
    size = weight.sum() ** 2 / (weight**2).sum()
    expected = [float(limit) for limit in wilson(size * 19 / weight.sum(), size, 0.95)]
    assert limits(hs.estimate(table, "recall", method="wilson")) == pytest.approx(expected)
    assert limits(hs.estimate(table, "recall@macro", method="mover"))[0] == pytest.approx(expected[0], abs=1e-3)


@pytest.mark.thorough
def test_weights_that_vary_much_cover():
    """At n = 50 with weights of a coefficient of variation of 1.5 the interval of accuracy covers 95 % or more."""
    rng = np.random.default_rng(1)
    sizes = rng.gamma(1 / 1.5**2, 1.5**2, (400, 50)) + 1e-9
    right = rng.random((400, 50)) < 0.85
    ones = np.ones(50, int)
    found = [
        hs.estimate(hs.confusion(ones, hit * 1, labels=[0, 1], sample_weight=weight), "recall")
        for hit, weight in zip(right, sizes, strict=True)
    ]
    inside = np.mean([each.low <= 0.85 <= each.high for each in found])
    assert inside > 0.95 - 2 * np.sqrt(0.95 * 0.05 / 400)


def test_a_pseudo_case_of_clusters_is_a_cluster():
    """60 clusters of 5 without an error: the posterior is that of 60 cases and two more, and not of 300."""
    case = np.arange(300)
    table = hs.confusion(case // 5 % 2, case // 5 % 2, groups=case // 5)
    low = hs.estimate(table, "accuracy", method="bayes", random_state=0).low
    below = 0.25 * stats.beta(60, 2).cdf(low) + 0.5 * stats.beta(61, 1).cdf(low)  # both wrong, one of them, or none
    assert below == pytest.approx(0.025, abs=0.006)


def test_a_prior_of_multilabel_data_is_of_each_label():
    """With one pseudo-case in each cell of a label, the label's posterior mean is (hits + 1) / (n + 2)."""
    truth = np.ones((30, 2), int)
    said = truth.copy()
    said[:6, 0] = 0
    drawn = hs.evaluate(
        hs.confusion(truth, said),
        ["recall@binary+positive_class=0"],
        method=hs.methods.Dirichlet(1.0, n_draws=4000),
        random_state=0,
    )
    mean = drawn["recall@binary+positive_class=0"].draws.mean()
    assert mean == pytest.approx(25 / 32, abs=4 * 0.075 / np.sqrt(4000))


def test_clusters_without_weight_are_none():
    """Clusters all of whose cases have weight zero change neither their number nor the interval."""
    table = hs.confusion(TRUE, SAID, groups=GROUP, sample_weight=WEIGHT)
    more = {"groups": np.r_[GROUP, 91, 92, 93], "sample_weight": np.r_[WEIGHT, 0, 0, 0]}
    longer = hs.confusion(np.r_[TRUE, 0, 1, 2], np.r_[SAID, 0, 1, 1], **more)
    assert longer.design.number == table.design.number
    for metric in ("mcc", "kappa"):
        assert limits(hs.estimate(longer, metric)) == pytest.approx(limits(hs.estimate(table, metric)), rel=1e-12)
    scored = hs.scores(np.r_[ILL, 0, 1, 0], np.r_[SCORE, 0.5, 0.5, 0.5], **more)
    assert scored.design.number == table.design.number


class Census(hs.designs.Design):
    """Every case of the population was counted."""

    def variance(self, counts, gradient):
        """Nothing varies."""
        return 0 * (counts * gradient).sum(-1)


@pytest.mark.parametrize("counts", [[[50, 3], [5, 42]], [[50, 0], [0, 42]]])
@pytest.mark.parametrize("method", ["auto", "wilson", "delta", "fieller", "clopper_pearson"])
def test_of_a_census_nothing_varies(counts, method):
    """If a design has no variance there is no interval, but a reason, for any accuracy, including a perfect one."""
    estimate = hs.estimate(hs.from_counts(counts).with_design(Census()), "accuracy", method=method)
    assert np.isnan(limits(estimate)).all()
    assert estimate.reason == "the metric does not vary between samples of this design"


@dataclass(frozen=True, repr=False)
class Noted(Census):
    """A census with a remark."""

    remark: str


def test_a_design_says_of_a_long_setting_a_hundred_characters():
    """The text of a design keeps the start and end of a long setting, in a hundred characters."""
    said = repr(Noted("a" * 300)).removeprefix("Noted(remark=").removesuffix(")")
    assert len(said) == 100
    assert repr(Noted("a" * 98)) == f"Noted(remark='{'a' * 98}')"


@pytest.mark.parametrize("given", [{"sample_weight": WEIGHT}, {"groups": GROUP}])
def test_weights_and_clusters_are_not_thrown_away(given):
    """A design of counted cases is refused on weighted or clustered counts."""
    with pytest.raises(hs.HowsureError, match="weights or clusters"):
        hs.confusion(TRUE, SAID, **given).with_design(hs.designs.FixedMargins())


def test_very_small_p_values_are_told_apart():
    """A normal interval's p-value is the two-sided tail of its z, down to 1e-197; that of shares McNemar's own."""
    ones, hit = np.ones(800, int), np.repeat([1, 0], [500, 300])
    table = hs.paired(ones, {"a": hit, "b": np.repeat([0, 1, 0], [400, 100, 300])}, labels=[0, 1])
    score = hs.compare(table, "accuracy").p_value
    assert score == pytest.approx(hs.mcnemar(table, method="asymptotic").p_value, rel=1e-6)
    wald = hs.compare(table, "accuracy", method="wald")
    from scipy import stats

    assert wald.p_value == pytest.approx(2 * stats.norm.sf(wald.value / wald.standard_error), rel=1e-5)
    assert wald.p_value < 1e-100


def test_no_p_value_is_zero():
    """P-values below the numerical resolution are the smallest resolvable value, not 0."""
    table = hs.from_counts([[10**6, 1], [1, 10**6]])
    other = hs.from_counts([[1, 10**6], [10**6, 1]])
    for method in ("wald", "delta", "auto"):
        assert 0 < hs.compare(table, other, "accuracy", method=method).p_value < 1e-100


@pytest.mark.thorough
@pytest.mark.parametrize("draw", ["resample", "posterior"])
def test_many_clusters_are_drawn_in_bounded_memory(draw):
    """300 draws of 100,000 clusters, which as single numbers would need 240 MB, use less than 100 MB."""
    number = 100_000
    design = Clusters(np.arange(number), np.arange(number) % 4, np.ones(number), np.ones(number))
    counts, prior = np.full(4, number / 4), [np.ones(4)] if draw == "posterior" else []
    tracemalloc.start()
    drawn = getattr(design, draw)(counts, *prior, 300, np.random.default_rng(0))
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 1e8
    shares = drawn / drawn.sum(1, keepdims=True)
    assert shares[:, 0].std() == pytest.approx(np.sqrt(0.25 * 0.75 / number), rel=0.2)


def test_blocks_of_clusters_do_not_change_the_resamples():
    """Resamples are the same in one block and in many: the numbers are drawn in one order."""
    number = 3000
    design = Clusters(np.arange(number), np.arange(number) % 4, np.ones(number), np.ones(number))
    together = design.resample(np.full(4, 750.0), 1000, np.random.default_rng(0))
    rng = np.random.default_rng(0)
    apart = np.concatenate([design.resample(np.full(4, 750.0), 250, rng) for _ in range(4)])
    assert np.array_equal(together, apart)


def test_joined_weights_are_resampled_as_they_are():
    """The sum of two tables keeps the distinct weights of both, or the mean if one table has too many."""
    first, second = (
        hs.confusion(ILL[part], (SAID[part] > 0) * 1, sample_weight=np.where(TRUE[part] == 2, heavy, 1.0))
        for part, heavy in ((slice(45), 100.0), (slice(45, N), 1000.0))
    )
    counts = first.cells + second.cells
    drawn = first.design.add_tables([second.design]).resample(counts, 2000, np.random.default_rng(0))
    assert drawn == pytest.approx(np.round(drawn))
    assert drawn.mean(0) == pytest.approx(counts, abs=4 * drawn.std(0).max() / np.sqrt(2000))
    many = Weighted(second.design.weight_squared)
    drawn = first.design.add_tables([many]).resample(counts, 2000, np.random.default_rng(0))
    assert drawn.mean(0) == pytest.approx(counts, abs=4 * drawn.std(0).max() / np.sqrt(2000))


def test_pseudo_cases_have_the_unit_of_the_weights_where_nothing_varies():
    """Each stratum has one case, so neither sample nor smoothed table shows variation."""
    found = []
    for unit in (1.0, 0.1, 1e-6):
        weight = unit * np.array([1.3, 13.7])
        strata = {"strata": [0, 1], "stratum_sizes": {0: 6000.0, 1: 7000.0}}
        table = hs.confusion([1, 0], [0, 0], sample_weight=weight, labels=[0, 1], **strata)
        one = hs.estimate(table, "precision_gain@harmonic", method="flow", confidence_level=0.8)
        found.append([one.low, one.high])
    np.testing.assert_allclose(found, [found[0]] * 3, rtol=1e-9)
