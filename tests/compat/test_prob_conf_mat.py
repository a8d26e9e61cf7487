"""The names of the package `prob_conf_mat`: called as there, with the draws of `howsure.Study`."""

import inspect
import warnings

import numpy as np
import pytest

import howsure as hs
from howsure.compat import differences
from howsure.compat.differences import DifferentNumbersWarning
from howsure.compat.prob_conf_mat import Study
from howsure.compat.prob_conf_mat.config import ConfigError, ConfigWarning
from howsure.compat.prob_conf_mat.experiment_aggregation import AGGREGATION_REGISTRY, get_experiment_aggregator
from howsure.compat.prob_conf_mat.experiment_aggregation.abc import ExperimentAggregator
from howsure.compat.prob_conf_mat.io import (
    ConfMatIOError,
    confusion_matrix_to_pred_cond,
    load_csv,
    pred_cond_to_confusion_matrix,
)
from howsure.compat.prob_conf_mat.metrics import AVERAGING_REGISTRY, METRIC_REGISTRY, get_metric
from howsure.compat.prob_conf_mat.metrics.abc import Averaging, Metric
from howsure.compat.prob_conf_mat.utils import RNG

theirs = pytest.importorskip("prob_conf_mat")
TABLES = {"a/0": [[50, 3], [5, 42]], "a/1": [[46, 7], [6, 41]], "b/0": [[44, 9], [8, 39]]}
THREE = [[44, 6, 3], [7, 29, 5], [2, 8, 21]]
DRAWS = 10_000


@pytest.fixture(autouse=True)
def nothing_said(monkeypatch):
    monkeypatch.setattr(differences, "_said", set())


@pytest.fixture
def registries():
    kept = [(each, dict(each)) for each in (METRIC_REGISTRY, AVERAGING_REGISTRY, AGGREGATION_REGISTRY)]
    yield
    for each, before in kept:
        each.clear()
        each.update(before)


def made(study_class=Study, metrics=("acc", "f1", "f1@macro"), **settings):
    study = study_class(seed=0, num_samples=DRAWS, ci_probability=0.95, **settings)
    for name, table in TABLES.items():
        study.add_experiment(name, table, 1, 1)
    for metric in metrics:
        study.add_metric(metric, "fe")
    return study


@pytest.fixture(scope="module")
def study():
    return made()


def test_every_public_method_is_there():
    """Every public method and property of their study is one of ours, with its positional arguments in order."""
    for name in [each for each in dir(theirs.Study) if not each.startswith("_")]:
        there, here = getattr(theirs.Study, name), getattr(Study, name, None)
        if name in {"fingerprint", "cache"}:
            continue  # of their cache: our draws follow from the seed and the name
        assert here is not None or name in {"seed", "num_samples", "ci_probability"}, name
        if callable(there) and here is not None:
            places = [
                [
                    each.name
                    for each in inspect.signature(one).parameters.values()
                    if each.kind == each.POSITIONAL_OR_KEYWORD
                ]
                for one in (there, here)
            ]
            assert places[0] == places[1], name


def test_every_metric_has_its_names():
    """Every name of a metric there names a metric here, of the same kind."""
    for name in {alias for cls in theirs.metrics.METRIC_REGISTRY.values() for alias in cls.aliases}:
        assert get_metric(name).is_multiclass == theirs.metrics.get_metric(name).is_multiclass, name


@pytest.mark.parametrize("name", sorted(theirs.metrics.AVERAGING_REGISTRY))
def test_every_average_has_its_names(name):
    """Every name of an average there names one here."""
    assert get_metric(f"f1@{name}").is_multiclass


def test_draws_are_those_of_a_study(study):
    """Draws from every source are those of `howsure.Study` with the same seed and priors, to rounding."""
    own = hs.Study(seed=0, n_draws=DRAWS)
    own.add("a/0", TABLES["a/0"], prior=1.0, prevalence_prior=1.0)
    for source in ("posterior", "prior", "random"):
        here = study.get_metric_samples("f1", "a/0", source).values
        assert here.shape == (DRAWS, 2)
        np.testing.assert_allclose(here[:, 1], own.draws("f1", "a/0", source=source), rtol=1e-12)
    assert study.get_metric_samples("acc", "a/0", "input").values == pytest.approx(0.92)


@pytest.mark.parametrize("metric, label", [("acc", 0), ("f1", 0), ("f1", 1), ("f1@macro", 0)])
def test_reports_agree_with_theirs(study, metric, label):
    """Medians, intervals and aggregates agree within Monte Carlo error, in reports of the same columns."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        other = made(theirs.Study)
        frames = [each.report_metric_summaries(metric, label, table_fmt="pd") for each in (study, other)]
        pooled = [each.report_aggregated_metric_summaries(metric, label, table_fmt="pd") for each in (study, other)]
        compared = [
            each.get_pairwise_comparison(metric, label, experiment_a="a/0", experiment_b="b/0", min_sig_diff=0.02)
            for each in (study, other)
        ]
        random = [each.report_pairwise_comparison_to_random(metric, label, table_fmt="pd") for each in (study, other)]
    for here, there in (frames, pooled, random):
        assert list(here.columns) == list(there.columns)
    # A median's Monte Carlo error is 1.25 sd / 100, below 0.0006 here; 0.003 is five of them.
    assert frames[0]["Median"].tolist() == pytest.approx(frames[1]["Median"].tolist(), abs=0.003)
    assert frames[0]["Observed"].tolist() == pytest.approx(frames[1]["Observed"].tolist())
    # Theirs takes a group of one for a normal distribution; here its draws stay as they are.
    assert pooled[0]["Median"][0] == pytest.approx(pooled[1]["Median"][0], abs=0.003)
    for name in ("p_direction", "p_rope", "p_sig_pos", "p_sig_neg", "p_bi_sig", "p_uni_sig"):
        assert getattr(compared[0], name) == pytest.approx(getattr(compared[1], name), abs=0.025), name
    assert compared[0].direction == compared[1].direction == "positive"


def test_ranks_and_rewards(study):
    """Rows of the listwise report are experiments and sum to 1; theirs swaps both, which a warning states."""
    with pytest.warns(DifferentNumbersWarning, match="exchanges experiments and ranks"):
        rows = study.report_listwise_comparison("acc", table_fmt="records", precision=9)
    assert [sum(row[2:]) for row in rows] == pytest.approx([1, 1, 1])
    assert rows[0][:2] == ["a", "0"]
    rewards = study.report_expected_reward("acc", rewards=[3, 2], table_fmt="records")
    assert sum(each["E[Reward]"] for each in rewards) == pytest.approx(5)
    with pytest.raises(ValueError, match="at most 3 ranks"):
        study.report_expected_reward("acc", rewards=[1, 1, 1, 1])


def test_the_smallest_error_ranks_first():
    """For a metric where lower is better, the smallest value has rank 1."""
    study = made(metrics=("fpr",))
    with pytest.warns(DifferentNumbersWarning, match="the smallest is the best"):
        found = study.get_listwise_comparsion_result("fpr", 1)
    assert found.experiment_names[0] == "a/0"
    assert found.p_experiment_given_rank[0].tolist() == found.p_rank_given_experiment[:, 0].tolist()


@pytest.mark.parametrize("average, words", [("harmonic", "geometric mean"), ("micro", "weighted mean")])
def test_right_averages_where_theirs_are_wrong(average, words):
    """`@harmonic` and `@micro` are the true averages, and one warning states that prob_conf_mat's are not."""
    study = Study(seed=0, num_samples=DRAWS, ci_probability=0.95)
    study.add_experiment("a/0", THREE, 1, 1)
    study.add_metric(f"recall@{average}")
    with pytest.warns(DifferentNumbersWarning, match=words) as said:
        value = study.get_metric_samples(f"recall@{average}", "a/0", "input").values[0, 0]
    assert len(said) == 1
    recalls = [44 / 53, 29 / 41, 21 / 31]
    assert value == pytest.approx({"harmonic": 3 / sum(1 / each for each in recalls), "micro": 94 / 125}[average])


@pytest.mark.usefixtures("registries")
def test_a_metric_an_average_and_an_aggregator_of_ones_own():
    """Subclasses of the bases are found by their aliases in every report; wrong use is refused."""

    class Root(Metric):
        full_name = "root of precision times recall"
        is_multiclass = False
        bounds = (0.0, 1.0)
        dependencies = ("ppv", "tpr")
        sklearn_equivalent = None
        aliases = ("fowlkes_mallows", "root")

        def compute_metric(self, ppv, tpr):
            return np.sqrt(ppv * tpr)

    class Second(Averaging):
        full_name = "second class"
        dependencies = ()
        aliases = ("second",)

        def compute_average(self, metric_values):
            return metric_values[:, 1]

    class First(ExperimentAggregator):
        full_name = "the first"
        aliases = ("first",)

        def aggregate(self, experiment_samples, bounds):
            assert bounds == (0, 1)
            return experiment_samples[:, 0]

    study = made(metrics=())
    for metric in ("root", "root@second", "root@micro", "f1@second", "root@macro"):
        study.add_metric(metric, "first")
    table = hs.from_counts(TABLES["a/0"])
    values = {metric: study.get_metric_samples(metric, "a/0", "input").values[0] for metric in study.metrics}
    expected = hs.estimate(table, "fowlkes_mallows").value
    assert values["root"][1] == values["root@second"][0] == pytest.approx(expected)
    assert values["f1@second"][0] == pytest.approx(hs.estimate(table, "f1").value)
    assert values["root@micro"][0] == pytest.approx(hs.estimate(table, "fowlkes_mallows@micro").value)
    assert values["root@macro"][0] == pytest.approx(values["root"].mean())
    pooled = study.get_metric_samples("root", "a/aggregated", "posterior").values
    assert np.array_equal(pooled, study.get_metric_samples("root", "a/0", "posterior").values)
    assert study.ranks("root", 1).best["a/0"] > 0.5
    with pytest.raises(hs.HowsureError, match="The name 'root' of Other is taken by Root"):
        type("Other", (Averaging,), {"aliases": ("root",)})
    with pytest.raises(TypeError, match="of Other takes ppv, and its `dependencies` are tpr"):
        type("Other", (Metric,), {"dependencies": ("tpr",), "compute_metric": lambda self, ppv: ppv})


def test_roots_are_what_metrics_are_made_of(study):
    """The drawn tables, their margins and their conditional shares are metrics by the names that they have there."""
    roots = made(metrics=("norm_confusion_matrix", "p_condition", "p_pred_given_condition"))
    tables = roots.get_metric_samples("norm_confusion_matrix", "a/0", "posterior").values
    assert tables.shape == (DRAWS, 2, 2)
    np.testing.assert_allclose(tables.sum((1, 2)), 1)
    accuracy = study.get_metric_samples("acc", "a/0", "posterior").values[:, 0]
    np.testing.assert_allclose(np.trace(tables, axis1=1, axis2=2), accuracy)
    shares = roots.get_metric_samples("p_pred_given_condition", "a/0", "posterior").values
    margin = roots.get_metric_samples("p_condition", "a/0", "posterior").values
    np.testing.assert_allclose(shares * margin[..., None], tables)


@pytest.mark.parametrize("name", ["plr", "log_plr", "nlr", "log_nlr"])
def test_clamped_ratios(name):
    """`clamp` gives a rate of 0 the smallest positive one, so that a perfect class has a ratio."""
    study = Study(seed=0, num_samples=DRAWS, ci_probability=0.95)
    study.add_experiment("a/0", [[10, 0, 0], [0, 8, 2], [4, 0, 6]], 0, 0)
    study.add_metric(f"{name}+clamp=True")
    ratio = {"plr": 0.8 / 0.1, "nlr": 0.2 / 0.8}[name.removeprefix("log_")]
    value = study.get_metric_samples(f"{name}+clamp=True", "a/0", "input").values[0, 1]
    # Class 1 has recall 8 / 10 and no false alarm, and specificity 1; the smallest positive fpr is 2 / 20, of class 2.
    expected = {"plr": ratio, "nlr": 0.2}[name.removeprefix("log_")]
    assert value == pytest.approx(np.log(expected) if name.startswith("log") else expected)


@pytest.mark.parametrize("name", ["fe", "re", "beta", "gamma", "hist"])
@pytest.mark.filterwarnings("ignore::howsure.compat.differences.DifferentNumbersWarning")
def test_aggregators(name):
    """Each aggregator makes draws within the range that vary less than any experiment's."""
    samples = np.random.default_rng(0).beta(40, 20, (4000, 2))
    found = get_experiment_aggregator(name, rng=RNG(0)).aggregate(experiment_samples=samples, bounds=(0, 1))
    assert found.min() >= 0
    assert found.max() <= 1
    assert found.var() < samples.var(axis=0).min()
    with pytest.raises(ValueError, match="no aggregation 'fx'"):
        get_experiment_aggregator("fx", rng=RNG(0))


def test_draws_do_not_depend_on_what_else_is_there(study):
    """Another metric, another order of experiments or another level changes no draw, aggregates included."""
    other = Study(seed=0, num_samples=DRAWS, ci_probability=0.8)
    for name in reversed(TABLES):
        other.add_experiment(name, TABLES[name], 1, 1)
    other.add_metric("mcc", "re")
    other.add_metric("acc", "fe")
    for name in ("a/0", "b/aggregated"):
        here, there = (each.get_metric_samples("acc", name, "posterior").values for each in (study, other))
        assert np.array_equal(here, there)


def test_a_study_as_a_dict(study):
    """`from_dict` of `to_dict` gives the same study; missing or unknown settings are reported."""
    again = Study.from_dict(study.to_dict())
    assert again.to_dict() == study.to_dict()
    assert again.num_experiments == 3
    with pytest.warns(ConfigWarning, match="`ci_probability` is not given"):
        Study(seed=0, num_samples=DRAWS)
    with pytest.raises(ConfigError, match="`seed` is out of its range: -1"):
        Study(seed=-1, num_samples=DRAWS, ci_probability=0.95)
    with pytest.raises(TypeError, match="`num_samples` is a number, not 'x'"):
        Study(seed=0, num_samples="x", ci_probability=0.95)
    with pytest.warns(ConfigWarning, match=r"`prevalence_prior` is not given: 0 \(Haldane\)"):
        again.add_experiment("c/0", TABLES["a/0"], confusion_prior=0)
    with pytest.warns(ConfigWarning, match="is there already: replaced"):
        again.add_experiment("c/0", TABLES["a/1"], 0, 0)
    assert again["c/0"].confusion_matrix.tolist() == TABLES["a/1"]
    with pytest.raises(ConfigError, match="c/1' has the classes 0, 1, 2, and 'c/0' of the same group has 0, 1"):
        again.add_experiment("c/1", THREE, 0, 0)


def test_matrices_from_files_and_pairs(tmp_path):
    """A matrix is restored from its pairs in any order, which theirs ignores; an invalid file is refused."""
    pairs = confusion_matrix_to_pred_cond(THREE, pred_first=False)
    assert pred_cond_to_confusion_matrix(pairs, pred_first=False).tolist() == THREE
    assert pred_cond_to_confusion_matrix(pairs).tolist() == np.transpose(THREE).tolist()
    (tmp_path / "good.csv").write_text("44,6,3\n7,29,5\n2,8,21\n", encoding="utf-8")
    (tmp_path / "bad.csv").write_text("44,6,3\n7,29,5\n", encoding="utf-8")
    assert load_csv(tmp_path / "good.csv").tolist() == THREE
    with pytest.raises(ConfMatIOError):
        load_csv(tmp_path / "bad.csv")


def test_figures(study):
    """Each figure has the expected axes."""
    pytest.importorskip("matplotlib").use("agg")
    from matplotlib import pyplot as plt

    assert len(study.plot_metric_summaries("f1", 1).axes) == 3
    assert len(study.plot_experiment_aggregation("f1", 1, experiment_group="a").axes) == 3
    assert len(study.plot_forest_plot("acc").axes) == 2
    with pytest.warns(DifferentNumbersWarning, match="take no arguments of style"):
        study.plot_pairwise_comparison("acc", experiment_a="a/0", experiment_b="b/0", fontsize=9)
    plt.close("all")
