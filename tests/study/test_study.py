"""Studies in memory: accepted input, reports, and refused input."""

import json
import math

import numpy as np
import pytest
from scipy import special

import howsure as hs

FIRST, SECOND, THIRD = [[50, 3], [5, 42]], [[46, 7], [9, 38]], [[40, 13], [12, 35]]


@pytest.fixture
def study():
    made = hs.Study(seed=3, n_draws=2000)
    for name, counts in {"a/0": FIRST, "a/1": SECOND, "b/0": THIRD, "b/1": SECOND}.items():
        made.add(name, counts)
    made.add_metric("f1", aggregation="dl")
    made.add_metric("mcc", aggregation="fixed")
    return made


def test_study_says_what_it_holds(study):
    """The repr counts experiments, groups and metrics."""
    assert repr(study) == "<Study: 4 experiments in 2 groups, 2 metrics, seed 3, 2,000 draws>"


def test_bars_do_not_nest(study, monkeypatch, capsys):
    """In a terminal the bar of the study is shown alone, and drawing within it shows none."""
    import howsure.running.progress as module

    shown = []
    monkeypatch.setattr(module, "_is_watched", lambda: True)
    monkeypatch.setattr(module, "PATIENCE", -1.0)
    monkeypatch.setattr(module, "_bar", lambda title, steps: shown.append((title, steps)) or module._NoBar())
    study.summaries("f1")
    assert shown == [("summarising", 4)]
    assert capsys.readouterr().err == ""


def test_evidence_in_every_form(tmp_path):
    """A table, a matrix, predictions, a matrix's file and a predictions' file all are the same experiment."""
    true, predicted = [0, 0, 1, 1, 1], [0, 1, 1, 1, 0]
    (tmp_path / "matrix.csv").write_text("1,1\n1,2\n", encoding="utf-8")
    rows = "\n".join(f"{t},{p}" for t, p in zip(true, predicted, strict=True))
    (tmp_path / "cases.csv").write_text(f"label,guess\n{rows}\n", encoding="utf-8")
    study = hs.Study(n_draws=10)
    study.add("table", hs.confusion(true, predicted))
    study.add("matrix", np.array([[1, 1], [1, 2]]))
    study.add("pair", (true, predicted))
    study.add("file", tmp_path / "matrix.csv")
    study.add("mapping", {"counts": [[1, 1], [1, 2]], "labels": [0, 1]})
    study.add("cases", {"predictions": "cases.csv", "y_true": "label", "y_pred": "guess"}, folder=tmp_path)
    for one in study.experiments.values():
        assert one.table.counts.tolist() == [[1, 1], [1, 2]], one.name


def test_draws_are_those_of_the_method(study):
    """A study's draws are those of `Dirichlet` under the experiment's own seed."""
    one = study.experiments["a/0"]
    method = hs.methods.Dirichlet(n_draws=2000)
    estimate = hs.estimate(one.table, "f1", method=method, random_state=one.seed(3))
    assert np.array_equal(study.draws("f1", "a/0"), estimate.draws)
    assert not study.draws("f1", "a/0").flags.writeable


def test_metrics_share_tables(study):
    """All metrics of an experiment come from the same tables: MCC and F1 are then almost a function of each other."""
    assert np.corrcoef(study.draws("f1", "a/0"), study.draws("mcc", "a/0"))[0, 1] > 0.9
    assert abs(np.corrcoef(study.draws("f1", "a/0"), study.draws("f1", "a/1"))[0, 1]) < 0.1


def test_summaries_of_all_metrics(study):
    """Without a metric there is one line for each metric and experiment, with both as keys."""
    report = study.summaries()
    assert len(report) == 8
    assert report["mcc", "b/0"].median == np.median(study.draws("mcc", "b/0"))
    assert [each["observed"] for each in report.records()][:2] == [
        hs.estimate(hs.from_counts(counts), "f1").value for counts in (FIRST, SECOND)
    ]
    with pytest.raises(hs.HowsureError, match="Did you mean 'mcc, b/0'"):
        report["mcc", "b/00"]


def test_a_metric_of_each_class():
    """The average `none` is one metric a class, in summaries and aggregates."""
    study = hs.Study(n_draws=200)
    study.add("a", hs.from_counts([[5, 1, 0], [2, 6, 1], [0, 1, 7]], labels=["x", "y", "z"]))
    study.add_metric("recall@none")
    assert study.wanted() == [f"recall@binary+positive_class={label}" for label in "xyz"]
    assert len(study.summaries("recall@none")) == 3
    assert study.aggregate()["recall@binary+positive_class=y", "a"].value == pytest.approx(6 / 9, abs=0.05)


def test_difference_from_draws(study):
    """A difference has the draws' own numbers, and reads as a sentence."""
    found = study.compare("f1", "a/0", "b/0", rope=0.05)
    drawn = study.draws("f1", "a/0") - study.draws("f1", "b/0")
    assert np.array_equal(found.draws, drawn)
    assert found.probability_greater.value == (drawn > 0).mean()
    assert found.rope.inside.value == (np.abs(drawn) <= 0.05).mean()
    assert sum(part.value for part in (found.rope.below, found.rope.inside, found.rope.above)) == pytest.approx(1)
    swapped = study.compare("f1", "b/0", "a/0", rope=0.05)
    assert swapped.rope.below == found.rope.above
    assert swapped.probability_of_direction == found.probability_of_direction
    assert str(found).startswith("f1: a/0 − b/0 = 0.1")
    assert "It lies within [-0.05, 0.05] with probability" in found.sentence()
    assert study.comparisons("f1").records()[1]["median"] == found.summary().median
    assert (found.low, found.high) == (found.summary().low, found.summary().high)
    lopsided = study.compare("f1", "a/0", "b/0", rope=(-0.02, 0.1)).rope
    assert lopsided.inside.value == ((drawn >= -0.02) & (drawn <= 0.1)).mean()


def test_groups_are_compared_by_their_aggregates(study):
    """A group's name refers to its aggregate, in comparisons and ranks."""
    found = study.compare("f1", "a", "b")
    first, second = study.aggregate("f1")["a"], study.aggregate("f1")["b"]
    assert found.value == pytest.approx(first.value - second.value)
    assert found.summary().standard_deviation == pytest.approx(np.std(first.draws - second.draws, ddof=1))
    assert list(study.ranks("f1", among=["a", "b"])) == ["a", "b"]
    assert len(study.comparisons("f1", among=["a", "b", "b/0"])) == 3


def test_ranks_know_which_way_is_better(study):
    """For a metric where lower is better the ranks turn round."""
    up, down = study.ranks("accuracy"), study.ranks("error_rate")
    assert up.best == pytest.approx(down.best)


@pytest.mark.parametrize("model", ["fixed", "dl", "pm", "reml"])
@pytest.mark.parametrize("test", ["z", "knha", "adhoc"])
def test_aggregates_are_pool_of_the_draws_moments(study, model, test):
    """An aggregate from draws pools their means and standard deviations on the scale of the metric's range."""
    study.add_metric("accuracy", aggregation=model if test == "z" else f"{model}_{test}")
    draws = [special.logit(study.draws("accuracy", name)) for name in ("a/0", "a/1")]
    expected = hs.pool([each.mean() for each in draws], [each.std(ddof=1) for each in draws], method=model, test=test)
    found = study.aggregate("accuracy")["a"]
    limits = [float(special.expit(each)) for each in (expected.value, expected.low, expected.high)]
    assert (found.value, found.low, found.high, found.tau2) == pytest.approx((*limits, expected.tau2))
    low, high = np.quantile(found.draws, [0.025, 0.975])
    assert (low, high) == pytest.approx((found.low, found.high), abs=0.15 * (found.high - found.low))


def test_the_default_aggregate_is_pool_of_the_tables(study):
    """By default a group's aggregate is `pool` of its tables, with draws whose quantiles are the limits."""
    study.add_metric("accuracy")
    found = study.aggregate("accuracy")["a"]
    expected = hs.pool([hs.from_counts(FIRST), hs.from_counts(SECOND)], "accuracy")
    assert (found.value, found.low, found.high) == (expected.value, expected.low, expected.high)
    assert (found.method, found.estimand, found.metric) == ("binomial_normal", "typical_site", "accuracy")
    assert np.mean(found.draws < found.low) == pytest.approx(0.025, abs=0.01)
    assert np.mean(found.draws > found.high) == pytest.approx(0.025, abs=0.01)
    assert study.aggregate("accuracy", basis="delta")["a"].low == found.low
    study.add_metric("accuracy", estimand="mean_of_sites")
    assert study.aggregate("accuracy")["a"].estimand == "mean_of_sites"
    study.add_metric("accuracy", scale="logit")
    assert study.aggregate("accuracy")["a"].method == "reml_adhoc"
    assert study.aggregate("log_dor")["a"].method == "reml_adhoc"


def test_small_and_perfect_sites_are_not_moved():
    """Twelve sites of 42 in 45 have the value of all their cases, and twelve without an error include 1."""
    for counts, value in (([[21, 0], [3, 21]], 42 / 45), ([[21, 0], [0, 24]], 1.0)):
        study = hs.Study(n_draws=500)
        for site in range(12):
            study.add(f"a/{site}", counts)
        found = study.aggregate("accuracy")["a"]
        assert found.value == pytest.approx(value, abs=1e-7)
        assert found.low < value <= found.high <= 1
        assert found.draws.max() <= 1


ZERO_CELLS = ([[90, 1], [0, 9]], [[80, 2], [1, 17]], [[95, 0], [0, 5]])


def _aggregate(metric, how):
    study = hs.Study(seed=1, n_draws=2000)
    for index, counts in enumerate(ZERO_CELLS):
        study.add(f"a/{index}", counts)
    study.add_metric(metric, aggregation=how)
    return study.aggregate(metric)["a"]


@pytest.mark.parametrize("how", ["fixed", "dl", "reml_knha"])
def test_odds_ratios_are_pooled_as_their_logarithms(how):
    """Draws of an odds ratio have no mean where a cell is empty; on the log scale they are pooled like `log_dor`."""
    ratio, logarithm = _aggregate("dor", how), _aggregate("log_dor", how)
    found = np.log([ratio.value, ratio.low, ratio.high])
    assert found == pytest.approx((logarithm.value, logarithm.low, logarithm.high), rel=1e-6)


@pytest.mark.parametrize("how", ["fixed", "reml_knha", "nadeau_bengio"])
def test_aggregates_keep_the_metrics_range(how):
    """Costs from 0 to 10 and gains from -inf to 1 are pooled on scales of their own; limits and draws stay inside."""

    @hs.define_metric(form="cells", range=(0.0, 10.0), better="lower")
    def cost(counts):
        return (10 * counts[..., 1, 0] + counts[..., 0, 1]) / counts.sum((-2, -1))

    for metric, (lowest, highest) in {"cost": (0, 10), "f1_gain@macro": (-np.inf, 1), "dor": (0, np.inf)}.items():
        found = _aggregate(metric, how)
        if found.draws is None:  # a fold without a value
            continue
        assert lowest <= found.low < found.value < found.high <= highest
        assert lowest <= found.draws.min() < found.draws.max() <= highest
        for each in found.experiments.values() if how != "nadeau_bengio" else ():  # a perfect fold has no scale
            assert not each.low < lowest
            assert not each.high > highest


def test_aggregates_by_the_delta_method(study):
    """With `basis="delta"` they pool the observed values and their standard errors."""
    estimates = [hs.estimate(hs.from_counts(counts), "f1", method="delta") for counts in (FIRST, SECOND)]
    expected = hs.pool([e.value for e in estimates], [e.standard_error for e in estimates], method="dl", scale="logit")
    assert study.aggregate("f1", basis="delta")["a"].value == pytest.approx(expected.value)
    with pytest.raises(hs.HowsureError, match="Did you mean 'delta'"):
        study.aggregate("f1", basis="dleta")


def test_aggregate_by_the_sum_of_tables(study):
    """`tables` draws from the sum of the tables, whose interval is narrower than either's."""
    study.add_metric("accuracy", aggregation="tables")
    found = study.aggregate("accuracy")["a"]
    total = hs.pool_tables([hs.from_counts(FIRST), hs.from_counts(SECOND)])
    expected = hs.estimate(total, "accuracy", method="bayes", random_state=0)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=0.01)
    assert found.weights == pytest.approx([0.5, 0.5])
    assert found.q > 0


def test_aggregate_of_folds(study):
    """`nadeau_bengio` is the mean of the observed values with the corrected interval."""
    study.add_metric("accuracy", aggregation="nadeau_bengio", test_share=0.2)
    expected = hs.pool_folds([0.92, 0.84], test_share=0.2, scale="logit")
    found = study.aggregate("accuracy")["a"]
    assert (found.value, found.low, found.high) == pytest.approx((expected.value, expected.low, expected.high))


def test_level_changes_only_intervals(study):
    """Another level gives other intervals from the same draws."""
    wide = study.summaries("f1")["a/0"]
    study.confidence_level = 0.5
    narrow = study.summaries("f1")["a/0"]
    assert narrow.uncertainty < wide.uncertainty
    assert narrow.median == wide.median


def test_report_in_every_form(study, tmp_path):
    """A report is text, Markdown, HTML, frames and files, all with the same numbers."""
    pl = pytest.importorskip("polars")
    report = study.aggregate("f1")
    assert str(report).splitlines()[2].startswith("a")
    assert report.to_markdown().startswith("| group")
    assert "<table" in report._repr_html_()
    value = report["a"].value
    assert report.to_pandas()["value"].tolist()[0] == value
    assert report.to_polars()["value"].to_list()[0] == value
    assert json.loads(report.save(tmp_path / "a.json").read_text(encoding="utf-8"))[0]["value"] == value
    assert f"{value!r}" in report.save(tmp_path / "a.csv").read_text(encoding="utf-8")

    assert pl.read_parquet(report.save(tmp_path / "a.parquet"))["value"][0] == value
    assert report.save(tmp_path / "a.md").read_text(encoding="utf-8").startswith("| group")
    assert r"\toprule" in report.save(tmp_path / "a.tex").read_text(encoding="utf-8")
    with pytest.raises(hs.HowsureError, match="Did you mean '.json'"):
        report.save(tmp_path / "a.jsn")


def test_undefined_is_null_in_json(tmp_path):
    """JSON has null where a number is undefined, and CSV nothing."""
    study = hs.Study(n_draws=200)
    study.add("a", FIRST)
    report = study.aggregate("f1")
    assert json.loads(report.save(tmp_path / "a.json").read_text(encoding="utf-8"))[0]["i2"] is None
    assert math.isnan(report.records()[0]["i2"])
    assert ",nan," not in report.save(tmp_path / "a.csv").read_text(encoding="utf-8")


def test_weights_and_clusters_keep_their_design():
    """Clustered cases give wider draws than the same cases as independent ones."""
    rng = np.random.default_rng(1)
    true = rng.integers(2, size=400)
    right = np.repeat(rng.random(40) < 0.8, 10)
    predicted = np.where(right, true, 1 - true)
    study = hs.Study(n_draws=1000)
    study.add("independent", (true, predicted))
    study.add("clustered", hs.confusion(true, predicted, groups=np.repeat(np.arange(40), 10)))
    report = study.summaries("accuracy")
    assert report["clustered"].uncertainty > 2 * report["independent"].uncertainty


@pytest.mark.parametrize(
    "name, evidence, words",
    [
        ("a/0", FIRST, "an experiment 'a/0' already"),
        ("a", FIRST, "'a' would name an experiment and a group"),
        ("", FIRST, "named 'group/experiment'"),
        ("a/", FIRST, "named 'group/experiment'"),
        ("c/random", FIRST, "stands for a classifier that guesses"),
        ("c", [[1, 2, 3], [4, 5, 6]], "Experiment 'c': `counts` has shape"),
        ("c", [[1, -2], [3, 4]], "Experiment 'c': .*is negative"),
        ("c", [[1, 2.5], [3, 4]], "Experiment 'c': .*not a whole number"),
        ("c", [[1, math.nan], [3, 4]], "Experiment 'c': .*not finite"),
        ("c", ([0, 1], [0, 1], [1, 1]), "this one has 3 parts"),
        ("c", {"counts": FIRST, "matrix": "x.csv"}, "give one of `counts`"),
        ("c", {"counts": FIRST, "lables": ["x", "y"]}, "Did you mean 'labels'"),
        ("c", {"matrix": 3}, "`matrix` is the path of a file"),
        ("c", {"predictions": "x.csv", "y_true": "t"}, "name the column of `x.csv` with `y_pred`"),
        ("c", "missing.csv", "There is no file 'missing.csv'"),
        ("c", hs.scores([0, 1], [0.2, 0.7]), "Experiment 'c': this is a table of scores"),
        ("c", [[5, 1, 0], [2, 6, 1], [0, 1, 7]], "Experiment 'c': `f1` is a metric of one class"),
        (
            "a/2",
            [[5, 1, 0], [2, 6, 1], [0, 1, 7]],
            "'a/2' has the classes 0, 1, 2, and 'a/0' of the same group has 0, 1",
        ),
    ],
)
def test_refused_experiments(study, name, evidence, words):
    """Invalid experiments are refused by name, with the remedy, and the study is unchanged."""
    with pytest.raises(hs.HowsureError, match=words):
        study.add(name, evidence)
    assert list(study.experiments) == ["a/0", "a/1", "b/0", "b/1"]


def test_refused_priors_and_settings(study):
    """Priors, metrics, aggregations and settings are checked when they are given."""
    for call, words in (
        (lambda: study.add("c", FIRST, prior="jefreys"), "Did you mean 'jeffreys'"),
        (lambda: study.add("c", FIRST, prior=[[1, 2]]), "has shape"),
        (lambda: study.add("c", FIRST, prevalence_prior=-1), "negative"),
        (lambda: study.add_metric("acuracy"), "Did you mean .accuracy."),
        (lambda: study.add_metric("f1", aggregation="rmel"), "Did you mean 'reml'"),
        (lambda: study.add_metric("f1", aggregation="beta", scale="logit"), "takes no `scale`"),
        (lambda: study.add_metric("f1", aggregation="dl", test_share=0.2), "takes no `test_share`"),
        (lambda: study.add_metric("f1", aggregation="dl", estimand="typical_site"), "takes no `estimand`"),
        (lambda: study.add_metric("f1", estimand="typical"), "Did you mean 'typical_site'"),
        (lambda: study.add_metric("f1", aggregation="nadeau_bengio", test_share=2), "between 0 and 1, not 2"),
        (lambda: study.add_metric("f1", aggregation="nadeau_bengio", test_share="a fifth"), "between 0 and 1"),
        (lambda: study.compare("f1", "a/0", "c"), "no experiment or group 'c'"),
        (lambda: study.draws("f1", "a/0", source="posteriro"), "Did you mean 'posterior'"),
        (lambda: study.draws("f1", "a", source="random"), "is a group"),
        (lambda: hs.Study(seed=-1), "`seed` must be a whole number"),
        (lambda: hs.Study(n_draws=0), "`n_draws`"),
        (lambda: hs.Study(confidence_level=95), "Did you mean 0.95"),
        (lambda: hs.Study().summaries("f1"), "no experiment"),
    ):
        with pytest.raises(hs.HowsureError, match=words):
            call()
    empty = hs.Study()
    empty.add("a", FIRST)
    with pytest.raises(hs.HowsureError, match="no metric"):
        empty.summaries()


def test_identity_needs_a_single_experiment(study):
    """`identity` on a group of two gives an error."""
    study.add_metric("f1", aggregation="identity")
    assert "applies to one experiment, and there are 2" in study.aggregate("f1")["a"].reason


def test_draws_for_arviz(study):
    """The DataTree has a variable for each metric, with chain, draw and experiment, and the observed values."""
    pytest.importorskip("xarray")
    tree = study.to_arviz()
    posterior = tree["posterior"]
    assert posterior["f1"].dims == ("chain", "draw", "experiment")
    assert posterior["f1"].shape == (1, 2000, 4)
    assert np.array_equal(posterior["f1"].sel(experiment="b/0").values[0], study.draws("f1", "b/0"))
    assert float(tree["observed_data"]["mcc"].sel(experiment="a/1")) == study.observed("mcc", "a/1")
    assert set(tree.children) == {"posterior", "prior", "observed_data"}


def test_one_metric_per_class_needs_the_same_classes():
    """A metric of each class is refused where experiments have other numbers of classes: none is dropped."""
    study = hs.Study()
    study.add("two/0", [[5, 1], [2, 7]])
    study.add("three/0", [[5, 1, 1], [2, 7, 1], [1, 1, 4]])
    with pytest.raises(hs.HowsureError, match="'two/0' has the classes 0, 1, 'three/0' 0, 1, 2"):
        study.summaries("recall@none")
    assert list(study.summaries("recall@macro")) == ["two/0", "three/0"]


def test_what_is_removed_is_forgotten():
    """Removing an experiment or a group leaves the draws of all others as they were, and frees the name."""
    study = hs.Study(n_draws=50)
    for name in ("a/0", "a/1", "b/0"):
        study.add(name, [[5, 1], [2, 7]])
    before = study.draws("f1", "a/1"), study.draws("f1", "a/0")
    study.remove("a/0")
    study.remove("b")
    assert list(study.experiments) == ["a/1"]
    assert np.array_equal(study.draws("f1", "a/1"), before[0])
    study.add("a/0", [[5, 1], [2, 70]])
    assert not np.array_equal(study.draws("f1", "a/0"), before[1])
    with pytest.raises(hs.HowsureError, match="no experiment or group 'b'"):
        study.remove("b")


@pytest.mark.parametrize(
    "one, other",
    [
        ("f1@macro_average", "f1@macro"),
        ("f1@weighted_average", "f1@weighted"),
        ("f1@micro_average", "f1@micro"),
        ("f1@minimum", "f1@min"),
        ("f1@maximum", "f1@max"),
        ("f1@select+positive_class=0", "f1@binary+positive_class=0"),
    ],
)
def test_other_names_of_averages(one, other):
    """Averages have the names that prob_conf_mat gives them, too."""
    table = hs.from_counts([[44, 6, 3], [7, 29, 5], [2, 8, 21]])
    assert hs.estimate(table, one).metric == hs.estimate(table, other).metric == other


def test_what_only_rounding_varies_is_not_pooled():
    """A metric that is the same on every draw but for rounding is not pooled: the aggregate is nan with the reason."""
    study = hs.Study(n_draws=200)
    for fold in range(3):
        study.add(f"a/{fold}", [[5, 0], [0, 7]], prior=0)
    study.add_metric("mcc", aggregation="pm")
    found = study.aggregate("mcc")["a"]
    assert np.isnan(found.value)
    assert "does not vary" in found.reason


def test_a_name_that_no_system_has_is_no_study_file():
    """A text that is far too long for a file's name is refused as a file that is not there."""
    with pytest.raises(hs.HowsureError, match="There is no study file"):
        hs.Study.load("a" * 5000 + ".toml")


def words_of_two_classes():
    """Return a study of four spam filters in two groups."""
    study, rng = hs.Study(n_draws=200), np.random.default_rng(0)
    for name in ("a/1", "a/2", "b/1", "b/2"):
        truth = rng.choice(["ham", "spam"], 80)
        said = np.where(rng.random(80) < 0.8, truth, rng.choice(["ham", "spam"], 80))
        study.add(name, hs.confusion(truth, said))
    return study


ASKED = {
    "summaries": lambda study, metric: study.summaries(metric),
    "compare": lambda study, metric: study.compare(metric, "a/1", "b/1"),
    "compare groups": lambda study, metric: study.compare(metric, "a", "b"),
    "comparisons": lambda study, metric: study.comparisons(metric),
    "against random": lambda study, metric: study.against_random(metric),
    "aggregates": lambda study, metric: study.aggregate(metric),
    "an aggregate": lambda study, metric: study.aggregate(metric)["a"],
    "ranks": lambda study, metric: study.ranks(metric),
}


@pytest.mark.parametrize("result", ASKED)
def test_every_result_names_the_positive_class(result):
    """It is the last word in the alphabet, and a metric of all classes has none."""
    study = words_of_two_classes()
    study.add_metric("f1", aggregation="reml_knha")
    assert "spam" in str(ASKED[result](study, "f1"))
    assert "spam" not in str(ASKED[result](study, "f1@macro"))


def test_records_name_the_positive_class():
    """So do the rows of data frames and files."""
    study = words_of_two_classes()
    assert {row["positive"] for row in study.summaries("f1").records()} == {"spam"}
    assert {row["positive"] for row in study.comparisons("f1").records()} == {"spam"}
    assert {row["positive"] for row in study.summaries("accuracy").records()} == {""}
