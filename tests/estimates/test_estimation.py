"""Estimates and evaluations as objects: unpacking, looking up, frames and text."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import howsure as hs
from support.optional import optional

pl = optional("polars")

TABLE = hs.from_counts([[50, 3], [5, 42]], labels=["a|b", "<i>c</i>"])


def test_estimate_unpacks_and_is_a_number():
    """An estimate unpacks as value and interval, and converts to a float."""
    estimate = hs.estimate(TABLE, "accuracy")
    value, (low, high) = estimate
    assert (value, low, high) == (estimate.value, estimate.low, estimate.high)
    assert float(estimate) == pytest.approx(0.92)
    assert str(estimate) == f"0.920 [{low:.3f}, {high:.3f}]"


def test_text_shows_what_a_narrow_interval_needs():
    """The decimals shown follow the interval's width."""
    estimate = hs.estimate(hs.from_counts([[10**8, 10**4], [10**4, 10**8]]), "accuracy")
    assert len(str(estimate).split()[0]) >= 8


def test_evaluation_is_looked_up_by_any_name():
    """A metric is found by its spec, an alias, or with blanks; an unknown one has the nearest names."""
    evaluation = hs.evaluate(TABLE, ["f1@macro", "recall", "mcc"])
    assert evaluation["f1_score@mean"] is evaluation["f1@macro"]
    assert evaluation["sensitivity"] is evaluation["recall"]
    assert list(evaluation) == ["f1@macro", "recall", "mcc"]
    with pytest.raises(hs.HowsureError, match="metric of this evaluation"):
        evaluation["kappa"]


def test_frames_hold_the_estimates():
    """pandas, Polars and dictionaries have one row a metric, with full precision."""
    pytest.importorskip("polars")
    evaluation = hs.evaluate(TABLE)
    pandas, polars = evaluation.to_pandas(), evaluation.to_polars()
    assert isinstance(pandas, pd.DataFrame)
    assert isinstance(polars, pl.DataFrame)
    assert pandas["low"].tolist() == polars["low"].to_list() == [each.low for each in evaluation.values()]
    assert json.loads(json.dumps(evaluation.to_dict()))["mcc"]["high"] == evaluation["mcc"].high


def test_labels_are_escaped_in_every_format():
    """Markup in labels is text in Markdown, HTML and LaTeX."""
    report = hs.classification_report(TABLE)
    assert "a\\|b" in report.to_markdown()
    assert "&lt;i&gt;c&lt;/i&gt;" in report.to_html()
    assert "<i>" not in report.to_html()
    latex = hs.classification_report(hs.from_counts([[5, 1], [2, 7]], labels=["50 % & more", "a_b"])).to_latex()
    assert r"50 \% \& more" in latex
    assert r"a\_b" in latex
    html = hs.evaluate(TABLE, ["f1@none"])._repr_html_()
    assert "positive_class=&lt;i&gt;" in html


def test_text_aligns_wide_characters():
    """Labels in East Asian scripts and with combining marks keep the columns aligned."""
    report = hs.classification_report(hs.from_counts([[5, 1], [2, 7]], labels=["猫", "e\u0301mu"]))
    cat, emu = str(report).splitlines()[2:4]
    assert cat.index("0.") == 14 - 1  # one character that takes two columns
    assert emu.index("0.") == 14 + 1  # four characters that take three


def test_report_holds_estimates_and_support():
    """The report's numbers are those of single estimates; support adds up; unknown rows are named."""
    table = hs.from_counts([[40, 5, 2], [6, 25, 4], [1, 3, 14]], labels=["x", "y", "z"])
    report = hs.classification_report(table, digits=2)
    alone = hs.estimate(table, "f1@binary+positive_class=y")
    assert report["y"]["f1"].low == pytest.approx(alone.low, rel=1e-12)
    assert report["macro avg"]["recall"].high == hs.estimate(table, "recall@macro").high
    frame = report.to_pandas()
    assert frame["support"].tolist() == [47, 35, 18, 100, 100, 100]
    assert list(frame["class"]) == ["x", "y", "z", "accuracy", "macro avg", "weighted avg"]
    with pytest.raises(hs.HowsureError, match="Did you mean 'macro avg'"):
        report["macro av"]
    with pytest.raises(hs.HowsureError, match="2 names for 3 classes"):
        hs.classification_report(table, target_names=["a", "b"])


def test_summary_and_probability_of_draws():
    """Draws are summarised with Monte Carlo errors; a probability equals the Beta's."""
    method = hs.methods.Dirichlet(prior=1, n_draws=50_000)
    estimate = hs.estimate(TABLE, "recall", method=method, random_state=0)
    beta = stats.beta(43, 6)
    probability, error = estimate.probability_above(0.85)
    assert probability == pytest.approx(beta.sf(0.85), abs=4 * error)
    summary = estimate.summary()
    assert summary.mean == pytest.approx(beta.mean(), abs=4 * summary.errors["mean"])
    assert summary.mode == pytest.approx(42 / 47, abs=0.015)
    assert summary.uncertainty == pytest.approx(summary.high - summary.low)
    assert estimate.probability_above(0).error > 0
    with pytest.raises(hs.HowsureError, match="makes no draws"):
        hs.estimate(TABLE, "recall").summary()


@pytest.mark.parametrize("level", [95, 0, 1, -0.5, "high", None, float("nan")])
def test_levels_outside_zero_and_one_are_refused(level):
    """A level outside (0, 1) is refused; a percentage is recognised."""
    words = r"Did you mean 0\.95" if level == 95 else "confidence_level"
    with pytest.raises(hs.HowsureError, match=words):
        hs.estimate(TABLE, "f1", confidence_level=level)


@pytest.mark.parametrize(
    "counts, words",
    [
        ([[1, -2], [3, 4]], r"counts\[0\]\[1\]` = -2 is negative"),
        ([[1, 2.5], [3, 4]], "sample_weight"),
        ([[1, float("nan")], [3, 4]], "not finite"),
        ([[1, 2, 3], [4, 5, 6]], "square"),
        ([[0, 0], [0, 0]], "all zeros"),
        ([["a", "b"], ["c", "d"]], "not a matrix of numbers"),
        ([[3]], "K ≥ 2"),
    ],
)
def test_bad_matrices_are_refused(counts, words):
    """Invalid confusion matrices are refused, with the cell if there is one."""
    with pytest.raises(hs.HowsureError, match=words):
        hs.from_counts(counts)


def test_matrix_labels_from_a_frame_and_their_checks():
    """A frame brings its labels; wrong numbers of labels and repeated ones are refused."""
    frame = pd.DataFrame([[5, 1], [2, 7]], index=["no", "yes"], columns=["no", "yes"])
    assert hs.from_counts(frame).labels.tolist() == ["no", "yes"]
    with pytest.raises(hs.HowsureError, match="3 entries for a 2×2"):
        hs.from_counts([[5, 1], [2, 7]], labels=["a", "b", "c"])
    with pytest.raises(hs.HowsureError, match="more than once"):
        hs.from_counts([[5, 1], [2, 7]], labels=["a", "a"])


def test_a_thousand_classes():
    """Macro F1 of a thousand classes has its closed-form variance, in a moment."""
    rng = np.random.default_rng(0)
    counts = rng.poisson(np.full((1000, 1000), 0.02) + 30 * np.eye(1000))
    estimate = hs.estimate(hs.from_counts(counts), "f1@macro", method="wald")
    rows, columns, hits = counts.sum(1), counts.sum(0), np.diag(counts)
    f1, total = 2 * hits / (rows + columns), rows + columns
    slopes = -(f1 / total)[:, None] - (f1 / total)
    np.fill_diagonal(slopes, 2 * (1 - f1) / total)
    assert estimate.standard_error == pytest.approx(np.sqrt((counts * slopes**2).sum()) / 1000, rel=1e-10)


def test_a_metric_of_ones_own():
    """A function of counts becomes a metric with intervals, by name."""

    @hs.define_metric(name="test_cost", range=(0, 10), better="lower")
    def test_cost(counts):
        """Missed cases cost ten, false alarms one."""
        return (10 * counts[..., 1, 0] + counts[..., 0, 1]) / counts.sum((-2, -1))

    estimate = hs.estimate(TABLE, "test_cost", method="wald")
    variance = (np.array([10, 1, 0]) ** 2 @ [5, 3, 92] / 100 - 0.53**2) / 100
    assert (estimate.value, estimate.standard_error) == pytest.approx((0.53, np.sqrt(variance)))


def scored(**extra):
    rng = np.random.default_rng(11)
    truth = (rng.random(200) < 0.4).astype(int)
    extra = {name: values(rng) for name, values in extra.items()}
    return hs.scores(truth, np.round(rng.normal(truth), 1), **extra)


class TestThreshold:
    """Metrics of counts on a table of scores, at a threshold."""

    @pytest.mark.parametrize("method", [None, "delta", "bootstrap_bca", "bayes"])
    @pytest.mark.parametrize("extra", [{}, {"groups": lambda rng: rng.integers(0, 40, 200)}])
    def test_threshold_means_the_confusion_table_there(self, method, extra):
        """`estimate` at a threshold is the estimate of the confusion table there, by any method."""
        table = scored(**extra)
        for spec in ("f1", "recall", "mcc", "f1@macro"):
            settings = {"method": method, "random_state": 3}
            ours = hs.estimate(table, spec, threshold=0.4, **settings)
            assert ours.to_dict() == hs.estimate(table.at(0.4), spec, **settings).to_dict()

    def test_both_kinds_of_metrics_stand_together(self):
        """`evaluate` accepts metrics of scores and of counts in one call; aliases also find them."""
        table = scored()
        both = hs.evaluate(table, ["auc", "f1", "precision@none"], threshold=0.4)
        assert list(both)[:2] == ["auc", "f1"]
        assert len(both) == 4
        assert str(both["f1_score"]) == str(hs.estimate(table.at(0.4), "f1"))
        assert str(both["roc_auc"]) == str(hs.estimate(table, "roc_auc"))
        every = list(hs.evaluate(table, threshold=0.4))
        assert {"roc_auc", "average_precision", "accuracy", "f1"} <= set(every)

    def test_one_stream_of_draws_serves_both(self):
        """Drawn together, the area and a metric at a threshold are correlated as their resamples are."""
        table = scored()
        drawn = hs.evaluate(table, ["roc_auc", "balanced_accuracy"], threshold=0.4, method=hs.methods.Bootstrap(n_resamples=2000), random_state=1)  # fmt: skip
        assert drawn.correlations()["roc_auc"]["balanced_accuracy"] > 0.5
        alone = hs.estimate(table.at(0.4), "balanced_accuracy", method="delta")
        assert drawn["balanced_accuracy"].standard_error == pytest.approx(alone.standard_error, rel=0.06)
        studentized = hs.evaluate(table, ["roc_auc", "f1"], threshold=0.4, method=hs.methods.Bootstrap("studentized", 200), random_state=1)  # fmt: skip
        reference = hs.estimate(table.at(0.4), "f1")
        assert studentized["f1"].low == pytest.approx(reference.low, abs=0.03)

    @pytest.mark.parametrize(
        "table, metrics, threshold, words",
        [
            ("scores", "f1", None, "give `threshold=0.5`"),
            ("scores", ["roc_auc", "f1"], None, "give `threshold=0.5`"),
            ("scores", "roc_auc", 0.5, "`roc_auc` uses all scores"),
            ("scores", "f1", float("nan"), "not a number"),
            ("confusion", "f1", 0.5, "for tables of scores"),
        ],
    )
    def test_threshold_is_never_ignored(self, table, metrics, threshold, words):
        """A missing threshold and an unused one are refused."""
        table = scored() if table == "scores" else scored().at(0)
        with pytest.raises(hs.HowsureError, match=words):
            hs.evaluate(table, metrics, threshold=threshold)


@pytest.mark.parametrize("design", ["plain", "weights", "clusters", "margins"])
@pytest.mark.parametrize("method", [None, "wilson", "delta", "fieller", "clopper_pearson"])
def test_all_classes_at_once_are_one_class_at_a_time(design, method):
    """`@none` and many named classes give the intervals of each class alone, in every design."""
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 5, 300)
    said = np.where(rng.random(300) < 0.7, truth, rng.integers(0, 5, 300))
    settings = {"weights": {"sample_weight": rng.exponential(size=300)}, "clusters": {"groups": np.arange(300) // 7}}
    table = hs.confusion(truth, said, **settings.get(design, {}))
    table = table.with_design(hs.designs.FixedMargins()) if design == "margins" else table
    is_share = method in {"wilson", "clopper_pearson"}
    for metric in ("precision", "recall", "f1", *(() if is_share else ("fbeta+beta=2", "informedness"))):
        if method == "fieller" and metric == "informedness":
            continue
        every = hs.evaluate(table, f"{metric}@none", method=method)
        for name, each in every.items():
            alone = hs.estimate(table, name, method=method)
            assert (each.value, each.low, each.high) == pytest.approx((alone.value, alone.low, alone.high), nan_ok=True)
            assert each.standard_error == pytest.approx(alone.standard_error, nan_ok=True)
            assert (each.method, each.reason) == (alone.method, alone.reason)
