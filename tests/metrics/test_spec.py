"""Spec strings: accepted metrics on a table, and refused ones."""

import numpy as np
import pytest

import howsure as hs
from howsure.metrics.binding import resolve
from howsure.metrics.registry import REGISTRY
from howsure.metrics.spec import parse, signature

TABLE = hs.from_counts([[44, 6, 3], [7, 29, 5], [2, 8, 21]], labels=["ER+", "a=b", "c@d"])


@pytest.mark.parametrize(
    "text, shortest",
    [
        ("F1-Score", "f1"),
        (" f1 @ mean ", "f1@macro"),
        ("fbeta+beta=1@macro", "fbeta@macro"),
        ("fbeta + beta = 2 @ Weighted", "fbeta+beta=2@weighted"),
        ("fbeta+beta=0.50@micro", "fbeta+beta=0.5@micro"),
        ("balanced_accuracy+adjusted=1", "balanced_accuracy+adjusted=true"),
        ("ba+adjusted=false", "balanced_accuracy"),
        ("recall+zero_division=0.0@macro", "recall+zero_division=0@macro"),
        ("recall+zero_division=nan@macro", "recall@macro"),
        ("sensitivity@select_positive+positive_class=ER+", "recall@binary+positive_class=ER+"),
        ("tpr@binary+positive_class= c@d", "recall@binary+positive_class=c@d"),
        ("tpr@binary+positive_class=a=b", "recall@binary+positive_class=a=b"),
        ("iou@worst", "jaccard@min"),
        ("AUC + max_fpr = 0.20 @ Mean", "roc_auc+max_fpr=0.2@macro"),
        ("auc@weighted+multi_class=ovo", "roc_auc@weighted+multi_class=ovo"),
        ("auc@macro+multi_class=ovr", "roc_auc@macro"),
        ("ece+debiased=TRUE+bins=15.0", "ece+bins=15+debiased=true"),
        ("roc_auc+max_fpr=0.12345678", "roc_auc+max_fpr=0.12345678"),
    ],
)
def test_shortest_form(text, shortest):
    """Aliases, blanks, case and defaults fall away; the shortest form parses to itself."""
    assert parse(text).text == shortest
    assert parse(shortest).text == shortest


@pytest.mark.parametrize(
    "text, label, shortest",
    [
        ("Sensitivity", "sensitivity", "recall"),
        ("sens@none", "sens@none", "recall@none"),
        ("PPV @ mean", "ppv@macro", "precision@macro"),
        ("LR+", "lr+", "plr"),
        ("LR-@macro", "lr-@macro", "nlr@macro"),
        ("lr++zero_division=1", "lr++zero_division=1", "plr+zero_division=1"),
        ("f2", "f2", "fbeta+beta=2"),
        ("F0.5-score@macro", "f0.5_score@macro", "fbeta+beta=0.5@macro"),
        ("f1_macro", "f1_macro", "f1@macro"),
        ("weighted_precision", "weighted_precision", "precision@weighted"),
        ("roc_auc_ovo_weighted", "roc_auc_ovo_weighted", "roc_auc@weighted+multi_class=ovo"),
        ("roc_auc_ovr", "roc_auc_ovr", "roc_auc@macro"),
        ("mcc@macro", "mcc@macro", "class_mcc@macro"),
        ("sensitivity_at", "sensitivity_at+specificity=0.9", "sensitivity_at"),
        ("tpr_at + specificity = 0.95", "tpr_at+specificity=0.95", "sensitivity_at+specificity=0.95"),
        ("pass@k", None, "no metric 'pass'"),
        ("pass_at_k", "pass_at_k+k=1", "pass_at"),
        ("neg_brier_score", None, "Ask for 'brier_score'"),
        ("f1_macro@weighted", None, "two averages"),
    ],
)
def test_the_name_that_was_given_is_kept(text, label, shortest):
    """Short names and those of other packages are read; they stay in the label, which can be read again."""
    if label is None:
        with pytest.raises(hs.HowsureError, match=shortest):
            parse(text)
        return
    assert (parse(text).label, parse(text).text) == (label, shortest)
    assert (parse(label).label, parse(label).text) == (label, shortest)


def test_results_are_printed_and_found_by_the_name_that_was_given():
    """Rows, keys and records have the requested name, the metric is the canonical one, and both find the result."""
    table = hs.from_counts([[50, 3], [5, 42]])
    found = hs.evaluate(table, ["sensitivity", "ppv"])
    assert list(found) == [each["metric"] for each in found.records()] == ["sensitivity", "ppv"]
    assert found["recall"].metric == found["sensitivity"].metric == "recall"
    assert "sensitivity" in str(found)
    assert "recall" not in str(found)
    groups = hs.evaluate(hs.from_counts([[[50, 3], [5, 42]], [[40, 5], [3, 30]]]), ["sensitivity", "youden_j"])
    assert {each["metric"] for each in groups.records()} == {"sensitivity", "youden_j"}
    models = hs.paired([1, 1, 0, 0, 1, 0], {"A": [1, 1, 0, 1, 1, 0], "B": [1, 0, 0, 1, 0, 1]})
    compared = hs.compare(models, "sensitivity")
    assert (compared.metric, str(compared).partition(":")[0]) == ("recall", "sensitivity")
    assert hs.compare_all(models, ["sens", "ppv"])["recall", "A", "B"].label == "sens"
    assert list(hs.evaluate_models(models, ["sens"])["A"]) == ["sens"]
    assert "sensitivity" in hs.leaderboard(models, "sensitivity", random_state=0).grid().headers
    assert hs.plan(table, "sensitivity", width=0.1).metric == "sensitivity"


def test_class_names_may_hold_every_sign_of_the_syntax():
    """Classes called 'ER+', 'a=b' and 'c@d' are named, and give their own recall."""
    values = [hs.estimate(TABLE, f"recall@binary+positive_class={label}").value for label in TABLE.labels]
    assert values == pytest.approx([44 / 53, 29 / 41, 21 / 31])


def test_two_classes_mean_the_second():
    """On two classes a metric of one class needs no average and uses the second label."""
    table = hs.from_counts([[50, 3], [5, 42]], labels=["zebra", "ant"])
    assert hs.estimate(table, "recall").value == pytest.approx(42 / 47)
    assert hs.estimate(table, "recall@binary+positive_class=zebra").value == pytest.approx(50 / 53)
    assert hs.estimate(table, "recall").low == hs.estimate(table, "recall@binary+positive_class=ant").low


def test_zero_division_is_the_value_of_an_undefined_class():
    """A class that is never predicted has precision nan (left out), 0, 1 or a half, as requested."""
    table = hs.from_counts([[10, 5, 0], [4, 20, 0], [2, 1, 0]])
    defined = 10 / 16 + 20 / 26
    for asked, expected in (("nan", defined / 2), ("0", defined / 3), ("1", (defined + 1) / 3), ("0.5", (defined + 0.5) / 3)):  # fmt: skip
        assert hs.estimate(table, f"precision+zero_division={asked}@macro").value == pytest.approx(expected)
    single = "precision@binary+positive_class=2"
    assert np.isnan(hs.estimate(table, single).value)
    assert "no prediction of the class" in hs.estimate(table, single).reason
    filled = hs.estimate(table, "precision+zero_division=1@binary+positive_class=2")
    assert filled.value == 1
    assert np.isnan(filled.low)
    assert filled.reason


def test_classes_to_average_over():
    """`classes` restricts an average, and keeps the errors with the other classes."""
    counts = TABLE.counts
    tp, rows, columns = np.diag(counts), counts.sum(1), counts.sum(0)
    f1 = 2 * tp / (rows + columns)
    for average, expected in (
        ("macro", f1[[2, 0]].mean()),
        ("weighted", np.average(f1[[2, 0]], weights=rows[[2, 0]])),
        ("micro", 2 * tp[[2, 0]].sum() / (rows + columns)[[2, 0]].sum()),
        ("min", f1[[2, 0]].min()),
    ):
        for method in ("wald", None):
            estimate = hs.estimate(TABLE, f"f1@{average}", classes=[2, 0], method=method)
            assert estimate.value == pytest.approx(expected, rel=1e-12)
            assert estimate.low < expected < estimate.high


def test_whole_table_metrics_are_refused_for_multilabel_data():
    """Accuracy of cases with many labels is not defined by the labels' 2×2 tables."""
    rng = np.random.default_rng(0)
    true = rng.integers(0, 2, (50, 3))
    table = hs.confusion(true, np.where(rng.random((50, 3)) < 0.8, true, 1 - true))
    assert isinstance(table, hs.tables.MultilabelTable)
    with pytest.raises(hs.HowsureError, match="f1@macro"):
        hs.estimate(table, "accuracy")
    with pytest.raises(hs.HowsureError, match="3 labels"):
        hs.estimate(table, "f1")
    assert 0 < hs.estimate(table, "f1@macro").low < 1


@pytest.mark.parametrize(
    "text, words",
    [
        ("", "no metric"),
        ("@macro", "no metric"),
        ("f1@", "no average"),
        ("f1@macro@micro", "no average"),
        ("f1@macro+", "argument=value"),
        ("fbeta+beta=nan@macro", "finite"),
        ("fbeta+beta=inf@macro", "finite"),
        ("fbeta+beta=1+beta=2@macro", "`beta` twice"),
        ("f1+zero_division=7@macro", r"lies in \[0, 1\]"),
        ("f1+zero_division=inf@macro", r"lies in \[0, 1\]"),
        ("f1+zero_division=warn@macro", "takes a number"),
        ("mcc+zero_division=0", "takes no `zero_division`"),
        ("weighted_kappa+power=-1", "at least 0"),
        ("f1+beta=2@macro", "no argument of `f1`"),
        ("f1@binary+positive_class=7", "no class"),
        ("f1@binary+positive_clas=a=b", "positive_class"),
    ],
)
def test_nothing_is_swallowed(text, words):
    """What a spec string cannot mean is an error that names it, not a default."""
    with pytest.raises(hs.HowsureError, match=words):
        hs.estimate(TABLE, text)


def test_a_metric_carries_what_it_was_bound_from():
    """Definition, arguments, average and class are data of the metric, its name their text."""
    metric = resolve("f_beta+beta=2@binary+positive_class=c@d", TABLE)
    assert metric.spec.definition is REGISTRY.find("fbeta")
    assert (metric.spec.arguments, metric.average, metric.positive) == ({"beta": 2.0}, "binary", 2)
    assert metric.name == metric.spec.text == "fbeta+beta=2@binary+positive_class=c@d"
    assert not metric.of_scores
    scores = hs.scores([0, 1, 1, 0], [0.1, 0.4, 0.2, 0.3])
    assert [resolve(spec, scores).is_area for spec in ("auc", "auc+max_fpr=1", "auc+max_fpr=0.5", "ap")] == [
        True,
        True,
        False,
        False,
    ]
    assert resolve("auc", scores).of_scores


def test_metrics_of_scores_and_of_labels_are_told_apart():
    """A metric on a table without its input states which table to make, or to give a threshold."""
    rows = hs.multiclass_scores([0, 1, 2], np.eye(3) / 2 + 1 / 6)
    paired = hs.paired([0, 1, 1], {"A": [0, 1, 0], "B": [1, 1, 0]})
    scores = hs.scores([0, 1], [0.1, 0.4])
    for call, words in (
        (lambda: hs.estimate(scores, "f1"), r"threshold=0\.5.*table\.at"),
        (lambda: hs.estimate(rows, "f1@macro"), r"metric of predictions.*confusion\(y_true, y_pred\)"),
        (lambda: hs.compare(paired, "roc_auc"), "metric of scores.*`paired_scores`"),
        (lambda: hs.estimate(scores, "roc_auc@macro"), "Drop '@macro'"),
    ):
        with pytest.raises(hs.HowsureError, match=words):
            call()


def test_reading_and_binding_are_quick():
    """A spec string is parsed once: the same text gives the same object, until its metric is redefined."""
    assert parse("f1@macro") is parse("f1@macro")


def test_metric_objects_are_taken_as_they_are():
    """A bound metric can be given again, and is callable on counts of any leading shape."""
    metric = resolve("f1@macro", TABLE)
    assert resolve(metric, TABLE) is metric
    assert hs.estimate(TABLE, metric).low == hs.estimate(TABLE, "f1@macro").low
    batch = np.stack([TABLE.counts, TABLE.counts.T])
    assert metric(batch) == pytest.approx(np.repeat(hs.estimate(TABLE, "f1@macro").value, 2))


def test_signatures_show_the_arguments():
    """What a spec string may set is shown with its default."""
    assert signature(REGISTRY.find("fbeta")) == "+beta=1"
    assert signature(REGISTRY.find("balanced_accuracy")) == "+adjusted=false"
    assert signature(REGISTRY.find("mcc")) == ""


def test_names_do_not_collide():
    """Names and aliases are unique, and contain no character of the syntax."""
    seen = {}
    for definition in REGISTRY.shipped:
        for name in (definition.name, *definition.aliases):
            assert seen.setdefault(name.lower(), definition) is definition
            assert not set(name) & set("+@= ")


@pytest.mark.parametrize("spec, known", [("fbeta+bta=2", "'beta'"), ("f1+zero_divison=0", "'zero_division'")])
def test_the_nearest_argument_is_named(spec, known):
    """What is written almost right is answered by the name that was meant, `zero_division` of metrics of outcomes too."""
    with pytest.raises(hs.HowsureError, match=f"Did you mean {known}"):
        hs.estimate(hs.from_counts([[5, 2], [1, 9]]), spec)
    with pytest.raises(hs.HowsureError) as error:
        hs.estimate(hs.from_counts([[5, 2], [1, 9]]), "mcc+zero_divison=0")
    assert "zero_division" not in str(error.value).replace("zero_divison", "")


DEFAULTS = {
    "fbeta@macro": "beta=1",
    "fbeta_gain@macro": "beta=1",
    "precision_at": "recall=0.9",
    "recall_at": "fpr=0.1",
    "sensitivity_at": "specificity=0.9",
    "specificity_at": "sensitivity=0.9",
    "roc_auc": "max_fpr=1",
    "ece": "bins=10",
    "brier_reliability": "bins=10",
    "brier_resolution": "bins=10",
    "share": "at_least=0.5",
    "quantile": "q=0.9",
    "cvar": "q=0.9",
    "trimmed_mean": "cut=0.1",
    "weighted_kappa": "power=1",
    "froc": "fp_per_unit=1",
    "top_k_accuracy": "k=2",
}


@pytest.mark.parametrize("text", DEFAULTS)
def test_a_metric_without_an_argument_has_the_one_that_is_documented(text):
    """The value without the argument is that of the usual one, and another argument gives another value."""
    rng = np.random.default_rng(6)
    truth, score = np.arange(90) % 3 == 0, np.clip(rng.normal(0.5 + 0.2 * (np.arange(90) % 3 == 0), 0.2), 0, 1)
    preds = [{"scores": rng.random(4), "hits": rng.random(4) < 0.5} for _ in range(12)]
    tables = {
        "scores": hs.scores(truth, score),
        "values": hs.values(score),
        "detections": hs.detections(preds, [5] * 12, iou=0.5),
    }
    name, _, average = text.partition("@")
    table = tables.get(REGISTRY.find(name).form.reads, TABLE)
    argument, _, usual = DEFAULTS[text].partition("=")
    other = {"bins": 3, "power": 2, "k": 1}.get(argument, 0.3)

    def read(given):
        spec = f"{name}+{argument}={given}" + f"@{average}" * bool(average)
        return float(resolve(spec, table)(table.counts))

    assert float(resolve(text, table)(table.counts)) == read(usual) != read(other)


def test_a_misspelled_zero_division_is_understood_where_there_is_one():
    """Metrics of one class accept `zero_division`, and their errors mention it; metrics of the whole table do not."""
    with pytest.raises(hs.HowsureError, match="Did you mean 'zero_division'"):
        parse("f1+zero_divison=0@macro")
    with pytest.raises(hs.HowsureError) as caught:
        parse("mcc+zero_divison=0")
    assert "zero_division" not in str(caught.value)


@pytest.mark.parametrize("classes", [[-1, 1], [1, 3], [3], [-1], [], [0.5]])
def test_positions_of_classes_that_are_none_are_refused(classes):
    """A position below 0 or beyond the last is named, also together with a valid position."""
    with pytest.raises(hs.HowsureError, match=r"whole numbers from 0 to 2, not \["):
        resolve("f1@macro", TABLE, classes=classes)


@pytest.mark.parametrize(
    "spec, words",
    [
        ("ppv+prevalence=0.01", "'prevalence'.* one of `ppv_at`, `npv_at`"),
        ("recall+beta=2", "'beta'.* one of `fbeta`"),
        ("f1@samples", r"hs\.f1_score\(…, average='samples'\)"),
        ("recall+k=3", "Known: zero_division.$"),
    ],
)
def test_arguments_and_averages_of_other_metrics_are_named(spec, words):
    """An argument that other metrics of the same data have, and the average over cases, are refused with these."""
    with pytest.raises(hs.HowsureError, match=words):
        hs.estimate(hs.from_counts([[50, 3], [5, 42]]), spec)


def test_label_sets_have_functions_of_their_own():
    """A metric of whole sets of labels is refused with the functions that have it."""
    truth, answer = [[1, 0, 1], [0, 1, 0], [1, 1, 0]], [[1, 0, 0], [0, 1, 0], [1, 1, 0]]
    for name in ("accuracy", "hamming_loss"):
        with pytest.raises(hs.HowsureError, match=r"hs\.accuracy_score`, `hs\.hamming_loss"):
            hs.estimate(hs.confusion(truth, answer), name)
    assert float(hs.accuracy_score(truth, answer)) == pytest.approx(2 / 3)
    assert float(hs.hamming_loss(truth, answer)) == pytest.approx(1 / 9)


def test_short_names_of_everyday_metrics():
    """Sens, spec, the C index and Fairlearn's rate of selection are names of metrics, too."""
    table = hs.from_counts([[50, 3], [5, 42]])
    values = {name: float(hs.estimate(table, name)) for name in ("sens", "spec", "cohens_kappa", "selection_rate")}
    # 42/47, 50/53, (0.92 - (53 * 55 + 47 * 45) / 100²) / (1 - the same), 45/100
    chance = (53 * 55 + 47 * 45) / 100**2
    assert values == pytest.approx(
        {"sens": 42 / 47, "spec": 50 / 53, "cohens_kappa": (0.92 - chance) / (1 - chance), "selection_rate": 0.45}
    )
    assert float(hs.estimate(hs.scores([0, 1, 0, 1], [1, 2, 3, 4]), "c_index")) == 0.75


@pytest.mark.parametrize(
    "text, spec",
    [
        ("pass@2", "pass_at+k=2"),
        ("Pass@10", "pass_at+k=10"),
        ("pass_at_3", "pass_at+k=3"),
        ("pass^2", "pass_all+k=2"),
        ("pass_all_2", "pass_all+k=2"),
        ("f1+positive_class=b", "f1@binary+positive_class=b"),
    ],
)
def test_names_as_papers_write_them(text, spec):
    """The @ of pass@2 names no average, and one class needs no word for the average over one."""
    assert parse(text).text == parse(spec).text


def test_a_class_and_an_average_over_classes():
    """They contradict each other."""
    with pytest.raises(hs.HowsureError, match="`positive_class` goes with the average 'binary'"):
        parse("f1+positive_class=b@macro")
    with pytest.raises(hs.HowsureError, match="no argument of `mcc` 'positive_class'"):
        parse("mcc+positive_class=b")
