"""A study of ten digit classifiers against prob_conf_mat 0.4 on the same matrices and priors, and where the two differ."""

import math
import warnings
from pathlib import Path

import numpy as np
import pytest

import howsure as hs

prob_conf_mat = pytest.importorskip("prob_conf_mat")
FOLDER = Path(__file__).parents[1] / "data" / "mnist_digits"
NAMES = [f"{model}/fold_{fold}" for model in ("mlp", "svm") for fold in range(5)]
DRAWS = 10_000
PAIRS = {"accuracy": ("acc", 0), "f1@macro": ("f1@macro", 0), "mcc": ("mcc", 0)} | {
    f"recall@binary+positive_class={label}": ("recall", label) for label in range(10)
}
FEW = ["accuracy", "f1@macro", "mcc", "recall@binary+positive_class=3"]


def matrix(name):
    return np.loadtxt(FOLDER / f"{name.replace('/fold', '')}.csv", delimiter=",", dtype=int)


def theirs_with(aggregations, names=NAMES):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        study = prob_conf_mat.Study(seed=1, num_samples=DRAWS, ci_probability=0.95)
        for name in names:
            study.add_experiment(name, matrix(name), prevalence_prior=1, confusion_prior=1)
        for metric, settings in aggregations.items():
            study.add_metric(metric, **settings)
    return study


def ours_with(aggregation, names=NAMES, **settings):
    study = hs.Study(seed=2, n_draws=DRAWS)
    for name in names:
        study.add(name, matrix(name), prior=1, prevalence_prior=1)
    for metric in PAIRS:
        study.add_metric(metric, aggregation=aggregation, **settings)
    return study


@pytest.fixture(scope="module")
def theirs():
    return theirs_with({metric: {"aggregation": "fe"} for metric in ("acc", "f1@macro", "mcc", "recall")})


@pytest.fixture(scope="module")
def ours():
    return ours_with("fixed", scale="identity")


def their_draws(study, metric, name, source="posterior"):
    spec, label = PAIRS[metric]
    return study.get_metric_samples(spec, name, source).values[:, label]


def within(found, expected, error, times=5.5):
    """Return whether two runs agree within a number of Monte Carlo errors of their difference."""
    return abs(found - expected) < times * math.sqrt(2) * error + 1e-12


@pytest.mark.thorough
@pytest.mark.parametrize("metric", PAIRS)
def test_summaries_agree(theirs, ours, metric):
    """Observed value, median, interval, its width, skewness and kurtosis of each experiment agree; the mode roughly."""
    spec, label = PAIRS[metric]
    rows = theirs.report_metric_summaries(spec, class_label=label, table_fmt="records", precision=9)
    report = ours.summaries(metric)
    for row, name in zip(rows, NAMES, strict=True):
        _, _, observed, median, mode, interval, width, skewness, kurtosis = row
        low, high = (float(end) for end in interval.strip("[]").split(","))
        summary = report[name]
        assert ours.observed(metric, name) == pytest.approx(observed, rel=1e-12)
        for field, value in {
            "median": median, "low": low, "high": high, "uncertainty": width, "skewness": skewness, "kurtosis": kurtosis,
        }.items():  # fmt: skip
            # The ends of the densest interval move together where the density is flat: farther than normal errors do.
            times = 9 if field in {"low", "high"} else 5.5
            assert within(getattr(summary, field), value, summary.errors[field], times), (name, field)
        assert abs(summary.mode - mode) < summary.standard_deviation


@pytest.mark.thorough
@pytest.mark.parametrize("metric", FEW)
def test_pairwise_comparisons_agree(theirs, ours, metric):
    """Drawn differences, their direction, the region of practical equivalence and its Bayes factor agree."""
    spec, label = PAIRS[metric]
    for first, second in (("mlp/fold_0", "svm/fold_0"), ("mlp/fold_4", "svm/fold_1"), ("mlp/fold_2", "svm/fold_2")):
        expected = theirs.get_pairwise_comparison(
            spec, label, experiment_a=first, experiment_b=second, min_sig_diff=0.02
        )
        found = ours.compare(metric, first, second, rope=0.02)
        assert found.value == pytest.approx(expected.observed_diff, abs=1e-12)
        summary = found.summary()
        assert within(summary.median, expected.diff_dist_summary.median, summary.errors["median"])
        assert within(summary.low, expected.diff_dist_summary.hdi[0], summary.errors["low"])
        assert within(summary.high, expected.diff_dist_summary.hdi[1], summary.errors["high"])
        error = found.probability_greater.error
        assert within(found.probability_of_direction.value, expected.p_direction, error)
        for region, value in (
            ("below", expected.p_sig_neg),
            ("inside", expected.p_rope),
            ("above", expected.p_sig_pos),
        ):
            assert within(getattr(found.rope, region).value, value, getattr(found.rope, region).error), region
        assert within(found.rope.bayes_factor.value, expected.bf_rope, found.rope.bayes_factor.error)


@pytest.mark.thorough
@pytest.mark.parametrize("metric", FEW)
def test_comparisons_to_a_classifier_that_guesses_agree(theirs, ours, metric):
    """The baseline that guesses all classes equally often has the same distribution."""
    for name in NAMES[:3]:
        expected = their_draws(theirs, metric, name, "random")
        summary = ours.summaries(metric, source="random")[name]
        for field, value in {"median": np.median(expected), "mean": expected.mean()}.items():
            assert within(getattr(summary, field), value, summary.errors[field]), (name, field)
        assert summary.standard_deviation == pytest.approx(expected.std(), rel=0.05)
        assert ours.compare(metric, name, "random").probability_greater.value == 1


@pytest.mark.thorough
@pytest.mark.parametrize("metric", FEW)
def test_listwise_comparisons_agree(theirs, ours, metric):
    """Rank probabilities agree experiment by experiment, and so do expected rewards."""
    spec, label = PAIRS[metric]
    expected = theirs.get_listwise_comparsion_result(spec, label)
    found = ours.ranks(metric)
    for name, row in zip(expected.experiment_names, expected.p_rank_given_experiment, strict=True):
        mine, errors = found.probabilities[found.names.index(name)], found.errors[found.names.index(name)]
        assert (np.abs(mine - row) < 5.5 * math.sqrt(2) * errors + 1e-12).all()
        rewards = [10, 5, 2]
        assert ours.expected_rewards(metric, rewards)[name] == pytest.approx(row[:3] @ rewards, abs=0.4)


@pytest.mark.thorough
@pytest.mark.parametrize("metric", FEW)
def test_fixed_effects_agree(theirs, ours, metric):
    """The fixed effect of each group agrees, on the scale of the metric itself, as they pool."""
    for group in ("mlp", "svm"):
        expected = their_draws(theirs, metric, f"{group}/aggregated")
        pooled = ours.aggregate(metric)[group]
        assert within(pooled.value, np.median(expected), 1.25 * expected.std() / math.sqrt(DRAWS) * 2)
        assert pooled.standard_error == pytest.approx(expected.std(), rel=0.05)
        assert (pooled.low, pooled.high) == pytest.approx(
            tuple(np.quantile(expected, [0.025, 0.975])), abs=0.15 * expected.std()
        )
        spread = np.std(pooled.draws)
        assert spread == pytest.approx(expected.std(), rel=0.05)


@pytest.mark.thorough
def test_random_effects_and_conflations_agree():
    """Paule–Mandel's random effect, its Hartung–Knapp form, and conflation by Beta and Gamma densities agree."""
    chosen = {
        "pm": ("re", {}),
        "beta": ("beta", {}),
        "gamma": ("gamma", {}),
        "pm_knha": ("re", {"hksj_sampling_distribution": True}),
    }
    metric = "recall@binary+positive_class=3"
    for mine, (name, settings) in chosen.items():
        study = theirs_with({"recall": {"aggregation": name, **settings}}, NAMES[5:])
        scale = {"scale": "identity"} if mine.startswith("pm") else {}
        pooled = ours_with(mine, NAMES[5:], **scale).aggregate(metric)["svm"]
        expected = their_draws(study, metric, "svm/aggregated")
        spread = np.subtract(*np.quantile(expected, [0.975, 0.025]))
        assert pooled.value == pytest.approx(np.median(expected), abs=0.03 * spread), mine
        assert pooled.high - pooled.low == pytest.approx(spread, rel=0.08), mine
        if mine == "pm":
            theirs = study.get_metric_samples("recall", "svm/aggregated", "posterior").heterogeneity_results[3]
            assert pooled.tau2 == pytest.approx(theirs.between_experiment_variance, rel=0.15)
            assert pooled.i2 == pytest.approx(theirs.i2, abs=0.05)
            assert pooled.within_variance == pytest.approx(theirs.within_experiment_variance, rel=0.05)


@pytest.mark.thorough
def test_histogram_conflation_is_no_wider_than_the_product():
    """Their histograms add a tenth of flat pseudo-counts; ours keeps the width of the product of the densities."""
    metric = "accuracy"
    study = theirs_with({"acc": {"aggregation": "histogram"}}, NAMES[:5])
    expected = their_draws(study, metric, "mlp/aggregated")
    pooled = ours_with("histogram", NAMES[:5]).aggregate(metric)["mlp"]
    exact = ours_with("beta", NAMES[:5]).aggregate(metric)["mlp"]  # accuracy's draws are Beta
    assert pooled.value == pytest.approx(np.median(expected), abs=expected.std())
    assert pooled.standard_error == pytest.approx(exact.standard_error, rel=0.06)


class TestDefectsOfThePeer:
    """Defects of prob_conf_mat 0.4 in a study, and the corresponding tests of howsure."""

    def test_adding_changes_nothing_else(self):
        """Another metric, experiment, order or level changes no draw, where theirs all change with one seed."""
        first = hs.Study(seed=5, n_draws=500)
        for name in ("a/0", "a/1"):
            first.add(name, matrix("mlp/fold_0"))
        first.add_metric("accuracy")
        kept = first.draws("accuracy", "a/0")
        second = hs.Study(seed=5, n_draws=500, confidence_level=0.8)
        for name in ("b/7", "a/1", "a/0"):
            second.add(name, matrix("mlp/fold_0"))
        for metric in ("mcc", "f1@macro", "accuracy"):
            second.add_metric(metric)
        assert np.array_equal(second.draws("accuracy", "a/0"), kept)
        second.add("c/1", matrix("svm/fold_0"))
        second.add_metric("kappa")
        second.draws("kappa", "a/0")
        assert np.array_equal(second.draws("accuracy", "a/0"), kept)
        assert not np.array_equal(second.draws("accuracy", "a/1"), kept), "equal tables are independent experiments"
        third = hs.Study(seed=6, n_draws=500)
        third.add("a/0", matrix("mlp/fold_0"))
        assert not np.array_equal(third.draws("accuracy", "a/0"), kept)

    def test_single_experiment_has_no_heterogeneity(self):
        """A group of one has an I² of nan with a reason; theirs is 100 %."""
        study = hs.Study(seed=0, n_draws=1000)
        study.add("alone/0", matrix("mlp/fold_0"))
        pooled = study.aggregate("accuracy")["alone"]
        assert math.isnan(pooled.i2)
        assert "one experiment" in pooled.reason
        summary = study.summaries("accuracy")["alone/0"]
        assert (pooled.value, pooled.low, pooled.high) == (summary.mean, summary.low, summary.high)

    def test_perfect_tables_have_width(self):
        """Perfect tables under the default prior have intervals of positive width, and every report works."""
        study = hs.Study(seed=0, n_draws=2000)
        for fold in range(3):
            study.add(f"perfect/{fold}", [[20 + fold, 0], [0, 15]])
        for metric in ("f1", "mcc"):
            study.add_metric(metric, aggregation="dl")
            assert all(summary.uncertainty > 0.005 for summary in study.summaries(metric).objects.values())
            pooled = study.aggregate(metric)["perfect"]
            assert pooled.low < pooled.value < pooled.high <= 1
            assert study.compare(metric, "perfect/0", "perfect/1", rope=0.01).summary().uncertainty > 0
            assert study.ranks(metric).probabilities.sum() == pytest.approx(3)

    def test_constant_draws_are_no_crash(self):
        """With a prior of 0 perfect tables give constant draws: their aggregate is nan, with the remedy."""
        study = hs.Study(seed=0, n_draws=200)
        for fold in range(3):
            study.add(f"perfect/{fold}", [[20, 0], [0, 15]], prior=0)
        for aggregation in ("fixed", "dl", "reml_knha", "beta", "gamma", "histogram", "nadeau_bengio"):
            study.add_metric("f1", aggregation=aggregation)
            pooled = study.aggregate("f1")["perfect"]
            assert math.isnan(pooled.low), aggregation
            assert pooled.reason, aggregation
        study.add_metric("f1", aggregation="dl")
        assert "prior of more than 0" in study.aggregate("f1")["perfect"].reason

    def test_many_classes_are_not_swamped(self):
        """With 50 classes and 1,000 cases the posterior median of accuracy stays near the observed 0.88."""
        rng = np.random.default_rng(0)
        true = rng.integers(50, size=1000)
        predicted = np.where(rng.random(1000) < 0.88, true, rng.integers(50, size=1000))
        study = hs.Study(seed=0, n_draws=1000)
        study.add("many", (true, predicted))
        assert study.summaries("accuracy")["many"].median == pytest.approx(study.observed("accuracy", "many"), abs=0.01)

    def test_ranks_are_not_transposed(self):
        """Rows are experiments and columns ranks: the better one has rank 1, with three of them of unequal spread."""
        study = hs.Study(seed=0, n_draws=2000)
        for name, hits in (("good", 95), ("middle", 80), ("wide", 16)):
            study.add(name, [[hits, 100 - hits], [100 - hits, hits]] if name != "wide" else [[hits, 4], [4, hits]])
        found = study.ranks("accuracy")
        assert found["good"][1] > 0.99
        assert found.probabilities[0, 0] > 0.99
        assert found["wide"][2] == pytest.approx(1 - found["wide"][1] - found["wide"][3])

    def test_no_region_of_equivalence_by_default(self):
        """Without `rope` there is no verdict of equivalence, while theirs uses a tenth of the spread of the draws."""
        study = hs.Study(seed=0, n_draws=500)
        study.add("a", matrix("mlp/fold_0"))
        study.add("b", matrix("svm/fold_0"))
        found = study.compare("accuracy", "a", "b")
        assert found.rope is None
        assert "rope_inside" not in found.to_dict()
        with pytest.raises(hs.HowsureError, match="largest difference that does not matter"):
            study.compare("accuracy", "a", "b", rope=0)

    def test_monte_carlo_error_of_a_probability(self):
        """The error of P(A > B) is the binomial one; theirs mixes a limit of Wilson's interval with its centre."""
        study = hs.Study(seed=0, n_draws=4000)
        study.add("a", matrix("mlp/fold_0"))
        study.add("b", matrix("mlp/fold_1"))
        probability, error = study.compare("accuracy", "a", "b").probability_greater
        assert error == pytest.approx(math.sqrt(probability * (1 - probability) / 4000), rel=0.01)

    def test_labels_need_not_be_numbers_nor_all_occur(self):
        """Labels may be text, and a class may be absent from the truth."""
        study = hs.Study(seed=0, n_draws=500)
        table = hs.confusion(["a", "b", "a", "b"], ["a", "b", "b", "b"], labels=["a", "b", "c"])
        study.add("text", table)
        assert study.observed("recall@binary+positive_class=a", "text") == 0.5
        assert 0 < study.summaries("accuracy")["text"].median < 1

    def test_truth_comes_first(self):
        """A pair is (y_true, y_pred): the other order gives the transposed table."""
        study = hs.Study(n_draws=10)
        study.add("right", ([1, 1, 1, 0], [1, 0, 0, 0]))
        study.add("swapped", ([1, 0, 0, 0], [1, 1, 1, 0]))
        assert study.observed("recall", "right") == study.observed("precision", "swapped") == pytest.approx(1 / 3)

    def test_metric_strings_are_parsed_not_evaluated(self):
        """A spec string is data: code in it is a name that is not known."""
        with pytest.raises(hs.HowsureError, match="no metric"):
            hs.Study().add_metric("__import__('os').getcwd()")
