"""What the plots show: data, limits, labels; on any ground."""

import math
import subprocess
import sys
from types import SimpleNamespace

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.colors import to_rgb

import howsure as hs
from howsure.methods.numerics.binomial import wilson
from howsure.plots.style import BAND, FILL, PALETTE


@pytest.fixture(autouse=True)
def _closed():
    mpl.use("Agg")
    yield
    plt.close("all")


TABLE = hs.from_counts([[50, 3], [5, 42]], labels=["healthy", "ill"])


@pytest.fixture
def scored():
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, 300)
    return hs.scores(truth, np.clip(rng.normal(0.35 + 0.3 * truth, 0.2), 0, 1).round(2))


def whiskers_of(ax):
    """Return the whiskers' ends, one array of segments a series."""
    return [np.array(each.get_segments()) for container in ax.containers for each in container[2]]


def tick_names(axis):
    return [label.get_text() for label in axis.get_ticklabels()]


def test_intervals_show_each_value_with_its_limits():
    """A dot is at each metric's value, with whiskers to the limits; rows are named in words."""
    evaluation = hs.evaluate(TABLE, ["accuracy", "f1@macro", "recall"])
    ax = hs.plots.intervals(evaluation)
    dots = ax.containers[0][0].get_xydata()
    assert dots[:, 0] == pytest.approx([each.value for each in evaluation.values()])
    ends = whiskers_of(ax)[0][:, :, 0]
    assert ends == pytest.approx(np.array([[each.low, each.high] for each in evaluation.values()]))
    assert tick_names(ax.yaxis) == ["accuracy", "F1, macro average", "recall"]
    assert "95 %" in ax.get_xlabel()
    assert ax.get_ylim()[0] > ax.get_ylim()[1], "the first row is on top"


def test_intervals_take_single_estimates_and_mappings_of_them():
    """An estimate alone is one row; by name, one series each."""
    ax = hs.plots.intervals(hs.estimate(TABLE, "f1"))
    assert tick_names(ax.yaxis) == ["F1"]
    ax = hs.plots.intervals({"A": hs.estimate(TABLE, "f1"), "B": hs.estimate(TABLE, "recall")})
    assert tick_names(ax.yaxis) == ["F1", "recall"]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["A", "B"]


def test_intervals_of_several_models_are_told_apart_by_colour_and_marker():
    """Each model has its own colour, marker, height and legend entry."""
    other = hs.from_counts([[45, 8], [9, 38]], labels=["healthy", "ill"])
    ax = hs.plots.intervals({"A": hs.evaluate(TABLE, ["f1"]), "B": hs.evaluate(other, ["f1"])})
    first, second = (container[0] for container in ax.containers)
    assert first.get_color() != second.get_color()
    assert first.get_marker() != second.get_marker()
    assert first.get_ydata()[0] < second.get_ydata()[0]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["A", "B"]


def test_intervals_say_what_is_undefined_and_what_is_endless():
    """An undefined metric has the word for it in its row; an interval without end has an arrow."""
    perfect = hs.from_counts([[50, 0], [5, 42]], labels=["healthy", "ill"])
    empty = hs.from_counts([[50, 0], [5, 0]], labels=["healthy", "ill"])
    ax = hs.plots.intervals(hs.evaluate(empty, ["precision", "accuracy"]))
    assert [text.get_text() for text in ax.texts] == ["undefined"]
    likelihood = hs.evaluate(perfect, ["specificity", "accuracy"])
    endless = [SimpleNamespace(label="ratio", value=3.0, low=-math.inf, high=math.inf, confidence_level=0.9)]
    ax = hs.plots.intervals({"": [*likelihood.values(), *endless]})
    assert {line.get_marker() for line in ax.lines} >= {">", "<"}
    unknown = SimpleNamespace(label="ratio", value=3.0, low=math.nan, high=math.nan, confidence_level=0.9)
    ax = hs.plots.intervals([unknown])
    segments = ax.containers[0][2][0].get_segments()
    assert not any(len(each) and np.isfinite(each).all() for each in segments), "an unknown interval is no point"
    assert np.isfinite(ax.get_xlim()).all()


def test_axes_that_are_given_are_used_and_returned():
    """Each plot draws on the axes that it is given, and opens no figure of its own."""
    ax = plt.subplots()[1]
    open_before = plt.get_fignums()
    assert hs.plots.intervals(hs.evaluate(TABLE), ax=ax) is ax
    assert hs.plots.confusion_matrix(TABLE, ax=ax) is ax
    assert hs.plots.ranks({"A": [1.0, 0.0], "B": [0.0, 1.0]}, ax=ax) is ax
    assert plt.get_fignums() == open_before


def test_posterior_shades_the_interval():
    """The shading spans the estimate's interval, a line marks the median, the area below the curve is 1."""
    estimate = hs.estimate(TABLE, "recall", method="bayes", random_state=1, confidence_level=0.9)
    ax = hs.plots.posterior(estimate, rope=(0.85, 1.0))
    shaded = ax.collections[0].get_paths()[0].get_extents()
    assert (shaded.x0, shaded.x1) == pytest.approx((estimate.low, estimate.high), abs=2e-3)
    x, y = ax.lines[0].get_data()
    assert np.diff(x).mean() * y.sum() == pytest.approx(1, abs=0.01)
    assert ax.lines[1].get_xdata()[0] == np.median(estimate.draws)
    legend = [text.get_text() for text in ax.get_legend().get_texts()]
    share = 100 * ((estimate.draws >= 0.85) & (estimate.draws <= 1)).mean()
    assert legend[0] == f"no practical difference [0.85, 1]: {share:.1f} % of draws"
    assert legend[1].startswith("90 % interval")


def test_posterior_needs_draws():
    """An estimate without draws is refused, with the methods that make some."""
    with pytest.raises(hs.HowsureError, match="bayes"):
        hs.plots.posterior(hs.estimate(TABLE, "recall"))


def test_confusion_matrix_has_share_interval_and_count_in_each_cell():
    """Each cell reads share of its row, Wilson's limits and cases; shading follows the share."""
    ax = hs.plots.confusion_matrix(TABLE, confidence_level=0.9)
    low, high = wilson(5, 47, 0.9)
    assert ax.texts[2].get_text() == f"{5 / 47:.2f}\n[{low:.2f}, {high:.2f}]\n5"
    assert np.asarray(ax.images[0].get_array()) == pytest.approx(np.array([[50 / 53, 3 / 53], [5 / 47, 42 / 47]]))
    assert tick_names(ax.xaxis) == tick_names(ax.yaxis) == ["healthy", "ill"]
    assert (ax.get_xlabel().split("\n")[0], ax.get_ylabel()) == ("predicted class", "true class")


def test_cells_of_clustered_cases_have_wider_intervals():
    """Where the cases come in clusters of identical copies, a cell's interval is that of the clusters' number."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 80)
    predicted = np.where(rng.random(80) < 0.8, truth, 1 - truth)
    once = hs.confusion(truth, predicted)
    copies = hs.confusion(np.repeat(truth, 5), np.repeat(predicted, 5), groups=np.repeat(np.arange(80), 5))
    from howsure.methods.proportions.proportion import row_shares

    alone, copied = row_shares(once, 0.95), row_shares(copies, 0.95)
    assert copied[0] == pytest.approx(alone[0])
    assert copied[2] - copied[1] == pytest.approx(alone[2] - alone[1], rel=0.05)


def test_confusion_matrix_of_an_absent_class_and_of_many_classes():
    """A class without cases has dashes; with too many classes for texts there are only shades."""
    ax = hs.plots.confusion_matrix(hs.from_counts([[0, 0], [5, 42]]))
    assert ax.texts[0].get_text() == "–\n0"
    assert not hs.plots.confusion_matrix(hs.from_counts(np.eye(30) * 4 + 1)).texts


def test_confusion_matrix_refuses_other_tables(scored):
    """A table of scores is refused, with the way to a confusion table."""
    with pytest.raises(hs.HowsureError, match="at\\(threshold\\)"):
        hs.plots.confusion_matrix(scored)


@pytest.mark.parametrize("curve_of", [hs.roc_curve, hs.precision_recall_curve])
def test_curve_and_band_are_drawn_as_computed(scored, curve_of):
    """The line passes through the curve's points, and the band has its limits."""
    curve = curve_of(scored, band="simultaneous")
    ax = hs.plots.curve(curve, name="model")
    line = next(line for line in ax.lines if line.get_gid() == "howsure")
    known = curve.x > 0 if curve.name == "precision_recall" else np.isfinite(curve.x)
    assert line.get_xydata() == pytest.approx(np.column_stack([curve.x, curve.y])[known])
    corners = ax.collections[0].get_paths()[0].vertices
    assert corners[:, 1].min() == pytest.approx(curve.low[known].min())
    assert corners[:, 1].max() == pytest.approx(curve.high[known].max())
    label, _, notes = ax.get_xlabel().partition("\n")
    assert (label, ax.get_ylabel()) == (curve.x_name, curve.y_name)
    assert notes.startswith("band: 95 %, along the whole curve")


@pytest.mark.parametrize("band", ["pointwise", "simultaneous"])
def test_precision_is_not_drawn_where_no_positive_case_is_found(band):
    """Where many cases share the highest score, nothing leads from a precision of 1 at recall 0 to the first threshold."""
    truth, score = [1] * 40 + [0] * 2 + [1] * 60 + [0] * 98, [1.0] * 42 + list(np.linspace(0.9, 0.1, 158))
    ax = hs.plots.curve(hs.precision_recall_curve(truth, score, band=band))
    line = next(line for line in ax.lines if line.get_gid() == "howsure")
    assert line.get_xydata()[0] == pytest.approx([0.4, 40 / 42])
    assert ax.collections[0].get_paths()[0].vertices[:, 0].min() == pytest.approx(0.4)


def figure_size(ax):
    """Return the size of a plot's figure in inches."""
    return tuple(ax.figure.get_size_inches().tolist())


def test_new_figures_have_a_size_of_their_kind(scored):
    """Two shares make a square, other plots are 3:2, rows and cells have room for their names; one's own size counts."""
    assert figure_size(hs.plots.curve(hs.roc_curve(scored))) == (4.8, 4.8)
    assert figure_size(hs.plots.curve(hs.threshold_curves(scored, "f1"))) == (6.0, 4.0)
    long = {"the model that was trained last month": hs.evaluate(TABLE)["f1"]}
    assert figure_size(hs.plots.differences(long))[0] > 7 > figure_size(hs.plots.intervals(hs.evaluate(TABLE)))[0]
    with plt.rc_context({"figure.figsize": (3.0, 2.0)}):
        assert figure_size(hs.plots.curve(hs.roc_curve(scored))) == (3.0, 2.0)


@pytest.mark.parametrize("ground", ["default", pytest.param("dark_background", marks=pytest.mark.thorough)])
def test_no_word_leaves_the_figure(scored, ground):
    """Names, titles and labels are within the figure, on both backgrounds, for names of any length."""
    name = "a model with a name that is long, and then longer still"
    table = hs.from_counts([[50, 3], [5, 42]], labels=[name, f"another, {name}"])
    right = {f"{name} {i}": [1, 0, 1, 1] * 5 for i in range(3)}
    with plt.style.context(ground):
        drawn = [
            hs.plots.confusion_matrix(table),
            hs.plots.intervals({name: hs.evaluate(TABLE), "other": hs.evaluate(TABLE)}),
            hs.plots.differences({f"{name} − {name}": hs.evaluate(TABLE)["f1"]}),
            hs.plots.leaderboard(hs.leaderboard(hs.values(right, bounds=(0, 1)), "mean", random_state=0)),
            hs.plots.review_plan(hs.labels.review_plan(table, "f1", budget=20)),
            hs.plots.curve(hs.roc_curve(scored), name="forest"),
            hs.plots.curve(hs.threshold_curves(scored, ["f1", "mcc"])),
        ]
        for ax in drawn:
            ax.figure.draw_without_rendering()
            whole = ax.figure.bbox.padded(1)
            ticks = [
                label
                for axis in (ax.xaxis, ax.yaxis)
                for place, label in zip(axis.get_ticklocs(), axis.get_ticklabels(), strict=True)
                if min(axis.get_view_interval()) <= place <= max(axis.get_view_interval())
            ]
            for each in [ax.title, ax._left_title, ax.xaxis.label, ax.yaxis.label, *ticks]:
                (x0, y0), (x1, y1) = each.get_window_extent().get_points()
                assert not each.get_text() or (whole.contains(x0, y0) and whole.contains(x1, y1)), each.get_text()


def test_calibration_has_an_interval_in_each_bin(scored):
    """Each bin's whisker spans its limits; the diagonal is perfect calibration."""
    curve = hs.calibration_curve(scored, bins=5)
    ax = hs.plots.curve(curve)
    segments = np.array(ax.collections[0].get_segments())
    assert segments[:, :, 1] == pytest.approx(np.column_stack([curve.low, curve.high]))


def test_a_metric_holds_down_to_the_next_score(scored):
    """A metric against the threshold is a step function, with the value at a score valid from the score below it."""
    curve = hs.threshold_curves(scored, "recall")["recall"]
    ax = hs.plots.curve(curve)
    line = ax.lines[0]
    x, y = line.get_data()
    assert line.get_drawstyle() == "steps-pre"
    assert (np.diff(x) > 0).all()
    between = (x[3] + x[4]) / 2
    assert y[4] == pytest.approx(hs.estimate(scored.at(between), "recall").value)


def test_a_det_curve_has_its_own_axes_and_diagonal(scored):
    """A DET curve is false negatives against false positives; guessing runs from the top left to the bottom right."""
    ax = hs.plots.curve(hs.det_curve(scored))
    assert (ax.get_xlabel().splitlines()[0], ax.get_ylabel()) == ("false positive rate", "false negative rate")
    assert (ax.lines[0].get_xy1(), ax.lines[0].get_xy2()) == ((0, 1), (1, 0))
    assert ax.lines[1].get_drawstyle() == "default"


def test_a_second_curve_takes_another_colour_and_line(scored):
    """Curves on the same axes differ in colour and in line style, and one reference line serves both."""
    first = hs.plots.RocCurveDisplay.from_scores(scored, name="A")
    second = hs.plots.RocCurveDisplay.from_scores(scored, name="B", ax=first.ax_)
    assert first.line_.get_color() != second.line_.get_color()
    assert first.line_.get_linestyle() != second.line_.get_linestyle()
    assert len(second.ax_.lines) == 3


class Separator:
    """A fitted classifier of two classes that has a decision function only."""

    classes_ = np.array(["no", "yes"])

    def decision_function(self, X):
        """Return the one column."""
        return X[:, 0]

    def predict(self, X):
        """Return the class by the sign of it."""
        return self.classes_[(X[:, 0] > 0).astype(int)]


@pytest.mark.parametrize("positive", ["no", "yes"])
def test_displays_read_an_estimator(positive):
    """From an estimator a display has the curve of its scores for the positive class, and its class name."""
    rng = np.random.default_rng(5)
    y = np.where(rng.random(120) < 0.5, "yes", "no")
    X = rng.normal((y == "yes")[:, None] * 1.5, 1.0)
    display = hs.plots.RocCurveDisplay.from_estimator(Separator(), X, y, pos_label=positive)
    direct = hs.scores(y, X[:, 0] if positive == "yes" else -X[:, 0], pos_label=positive)
    assert display.summary.value == pytest.approx(hs.estimate(direct, "roc_auc").value)
    assert display.line_.get_label().startswith("Separator: AUC ")
    matrix = hs.plots.ConfusionMatrixDisplay.from_estimator(Separator(), X, y)
    assert matrix.table.counts.tolist() == hs.confusion(y, Separator().predict(X)).counts.tolist()


def test_displays_have_scikit_learn_s_attributes():
    """A display keeps its axes, figure and line, and plots again on request."""
    from sklearn.linear_model import LogisticRegression

    rng = np.random.default_rng(6)
    y = rng.integers(0, 2, 150)
    X = rng.normal(y[:, None] + np.zeros(2), 1.0)
    model = LogisticRegression().fit(X, y)
    for kind in (hs.plots.PrecisionRecallDisplay, hs.plots.CalibrationDisplay, hs.plots.ThresholdDisplay):
        display = kind.from_estimator(model, X, y)
        assert display.figure_ is display.ax_.figure
        assert display.line_ in display.ax_.lines
        ax = plt.subplots()[1]
        assert display.plot(ax).ax_ is ax
    area = hs.plots.PrecisionRecallDisplay.from_estimator(model, X, y).summary
    assert area.value == pytest.approx(hs.average_precision_score(y, model.predict_proba(X)[:, 1]).value)


def test_displays_refuse_more_than_two_classes():
    """An estimator of three classes has no one curve; an unknown positive class is named."""
    three = SimpleNamespace(classes_=np.array([0, 1, 2]))
    with pytest.raises(hs.HowsureError, match="3 classes"):
        hs.plots.RocCurveDisplay.from_estimator(three, np.zeros((2, 1)), [0, 1])
    with pytest.raises(hs.HowsureError, match="maybe"):
        hs.plots.RocCurveDisplay.from_estimator(Separator(), np.zeros((2, 1)), ["no", "yes"], pos_label="maybe")


@pytest.fixture(scope="module")
def models():
    """Three models on the same 200 cases."""
    rng = np.random.default_rng(8)
    truth = rng.integers(0, 2, 200)
    shares = {"forest": 0.92, "logistic": 0.85, "bayes": 0.75}
    return hs.paired(
        truth, {name: np.where(rng.random(200) < share, truth, 1 - truth) for name, share in shares.items()}
    )


def ends_of(ax):
    return whiskers_of(ax)[0][:, :, 0]


def test_a_comparison_is_drawn_with_its_region_and_its_draws(models):
    """There is a line at zero, the comparison's region is shaded, whiskers end at its limits; draws have a density."""
    found = hs.compare(models, "f1", a="forest", b="logistic", method="bayes", rope=(-0.03, 0.02), random_state=0)
    ax = hs.plots.differences(found)
    assert ax.lines[0].get_xdata()[0] == 0
    assert (ax.patches[0].get_x(), ax.patches[0].get_width()) == pytest.approx((-0.03, 0.05))
    assert ends_of(ax)[0] == pytest.approx([found.low, found.high])
    assert tick_names(ax.yaxis) == ["forest − logistic"]
    assert ax.get_xlabel() == "difference in F1 with 95 % interval"
    density = hs.plots.posterior(found)
    assert density.get_xlabel() == "difference in F1: forest − logistic"
    legend = [text.get_text() for text in density.get_legend().get_texts()]
    assert legend[0] == f"no practical difference [-0.03, 0.02]: {100 * found.rope.inside.value:.1f} % of draws"
    assert any(list(line.get_xdata()) == [0, 0] for line in density.lines)


def test_ratios_have_their_line_at_one(models):
    """For a ratio the line of no difference is at 1."""
    ax = hs.plots.differences(hs.compare(models, "accuracy", a="forest", b="logistic", contrast="ratio"))
    assert ax.lines[0].get_xdata()[0] == 1
    assert ax.get_xlabel() == "ratio in accuracy with 95 % interval"


def test_all_pairs_are_drawn_from_any_of_their_objects(models):
    """`compare_all`, its simultaneous kind, `simultaneous_differences` and a study all have a row a pair."""
    pairs = ["forest − logistic", "forest − bayes", "logistic − bayes"]
    holm = hs.compare_all(models, "accuracy")
    assert tick_names(hs.plots.differences(holm).yaxis) == pairs
    assert ends_of(hs.plots.differences(holm)) == pytest.approx(
        np.array([[each.low, each.high] for each in holm.values()])
    )
    joint = hs.compare_all(models, "accuracy", correction="max_t", random_state=0)
    assert "simultaneous 95 % interval" in hs.plots.differences(joint).get_xlabel()
    drawn = hs.evaluate_models(models, "accuracy", method="bayes", random_state=0)
    matrix = hs.comparison.simultaneous_differences({name: each["accuracy"] for name, each in drawn.items()})
    ax = hs.plots.differences(matrix)
    assert tick_names(ax.yaxis) == pairs
    assert ends_of(ax)[1] == pytest.approx([matrix.low[0, 2], matrix.high[0, 2]])
    assert ax.get_xlabel() == "difference in accuracy with simultaneous 95 % interval"
    several = hs.compare_all(models, ["accuracy", "f1"])
    assert tick_names(hs.plots.differences(several).yaxis)[3] == "f1: forest − logistic"


@pytest.fixture(scope="module")
def study():
    made = hs.Study(seed=1, n_draws=500)
    for name, hits in {"a/0": 45, "a/1": 41, "b/0": 37, "b/1": 30}.items():
        made.add(name, [[hits, 50 - hits], [52 - hits, hits]])
    made.add_metric("accuracy", aggregation="dl")
    return made


def test_a_study_is_drawn(study):
    """Its differences, ranks and aggregates are drawn by the same functions as those of single tables."""
    ax = hs.plots.differences(study.comparisons("accuracy", rope=0.02, among=["a", "b", "b/1"]))
    assert tick_names(ax.yaxis) == ["a − b", "a − b/1", "b − b/1"]
    assert (ax.patches[0].get_x(), ax.patches[0].get_width()) == pytest.approx((-0.02, 0.04))
    found = study.compare("accuracy", "a", "b")
    assert ends_of(ax)[0] == pytest.approx([found.low, found.high])
    assert len(hs.plots.ranks(study.ranks("accuracy")).texts) == 16
    pooled = study.aggregate("accuracy")["a"]
    assert tick_names(hs.plots.forest(pooled, metric="accuracy").yaxis) == ["a/0", "a/1", "pooled"]
    assert hs.plots.posterior(pooled, metric="accuracy").get_xlabel() == "accuracy"


def test_forest_has_a_diamond_and_says_how_studies_differ():
    """The diamond spans the pooled interval, a dashed line the prediction interval; I² and τ² are in words."""
    values, errors = [0.91, 0.84, 0.93, 0.88], np.array([0.02, 0.03, 0.02, 0.025])
    pooled = hs.pool(values, errors, method="dl", names=list("wxyz"))
    ax = hs.plots.forest(pooled, metric="accuracy")
    diamond = ax.patches[0].get_xy()
    assert (diamond[:, 0].min(), diamond[:, 0].max()) == (pooled.low, pooled.high)
    assert any(tuple(line.get_xdata()) == pooled.prediction_interval for line in ax.lines)
    half = 1.959964 * errors
    assert ends_of(ax) == pytest.approx(np.column_stack([values - half, values + half]), abs=1e-6)
    assert tick_names(ax.yaxis) == ["w", "x", "y", "z", "pooled"]
    label, notes = ax.get_xlabel().split("\n")
    assert label == "accuracy with 95 % interval"
    assert notes.startswith(f"I² = {100 * pooled.i2:.0f} %")
    single = hs.plots.forest(hs.pool([0.9], [0.02]))
    assert not any(line.get_linestyle() == "--" for line in single.lines), "one experiment foretells no other"


def test_displays_are_made_from_estimates_predictions_and_estimators(models):
    """The displays of estimates draw the same as the functions, and plot again on request."""
    evaluation = hs.evaluate(TABLE, ["accuracy", "f1"])
    assert tick_names(hs.plots.IntervalDisplay.from_estimate(evaluation).ax_.yaxis) == ["accuracy", "F1"]
    pooled = hs.pool([0.9, 0.8], [0.02, 0.03])
    label = hs.plots.ForestDisplay.from_estimate(pooled, metric="f1").ax_.get_xlabel()
    assert label.startswith("F1 with 95 % interval\nI² = ")
    display = hs.plots.DifferenceDisplay.from_estimate(
        hs.compare(models, "f1", a="forest", b="bayes"), rope=(-0.1, 0.1)
    )
    ax = plt.subplots()[1]
    assert display.plot(ax).ax_ is ax
    assert ax.patches
    rng = np.random.default_rng(5)
    y = np.where(rng.random(120) < 0.5, "yes", "no")
    X = rng.normal((y == "yes")[:, None] * 1.5, 1.0)
    table = hs.confusion(y, Separator().predict(X))
    shown = hs.plots.IntervalDisplay.from_estimator(Separator(), X, y, metrics=["recall"], confidence_level=0.9)
    assert shown.estimate["recall"].low == hs.estimate(table, "recall", confidence_level=0.9).low
    drawn = hs.plots.PosteriorDisplay.from_estimator(Separator(), X, y, metric="mcc", random_state=2, rope=(0.3, 0.5))
    assert np.array_equal(drawn.estimate.draws, hs.estimate(table, "mcc", method="bayes", random_state=2).draws)
    two = hs.plots.DifferenceDisplay.from_estimator({"A": Separator(), "B": Separator()}, X, y)
    assert two.estimate.value == 0
    three = hs.plots.DifferenceDisplay.from_predictions(y, {name: rng.permutation(y) for name in "ABC"}, metric="mcc")
    assert len(tick_names(three.ax_.yaxis)) == 3


def test_ranks_do_not_round_doubt_away():
    """A probability that is neither 0 nor 1 is never shown as one of them."""
    ax = hs.plots.ranks({"A": [0.999, 0.001], "B": [0.001, 0.999]})
    assert [text.get_text() for text in ax.texts] == [">0.99", "<0.01", "<0.01", ">0.99"]
    drawn = hs.ranks({"A": [0.9, 0.8, 0.7, 0.6], "B": [0.1, 0.9, 0.1, 0.1]})
    assert [text.get_text() for text in hs.plots.ranks(drawn).texts] == ["0.75", "0.25", "0.25", "0.75"]
    with pytest.raises(hs.HowsureError, match="unequal"):
        hs.plots.ranks({"A": [1.0], "B": [0.5, 0.5]})


def test_review_plan_lists_the_most_needed_first():
    """Bars are as long as the plan's reviews, the longest on top; cells without any are left out."""
    plan = hs.labels.review_plan(TABLE, "precision", budget=40)
    ax = hs.plots.review_plan(plan)
    wanted = sorted((number for number in plan.reviews.ravel().tolist() if number), reverse=True)
    assert [bar.get_width() for bar in ax.patches] == wanted
    i, j = np.unravel_index(plan.reviews.argmax(), (2, 2))
    assert tick_names(ax.yaxis)[0] == f"recorded {plan.labels[i]}, predicted {plan.labels[j]}"
    assert len(ax.patches) < 4


def test_labels_are_shown_as_they_are():
    """A dollar sign in a label starts no formula, and other scripts and signs are kept."""
    strange = hs.from_counts([[5, 1], [2, 9]], labels=["$\\frac{1}{", "<b>שלום</b>"])
    ax = hs.plots.confusion_matrix(strange)
    assert tick_names(ax.yaxis)[0] == "\\$\\frac{1}{"
    with mpl.rc_context({"font.family": ["DejaVu Sans"]}):
        ax.figure.canvas.draw()


def luminance(colour):
    """Relative luminance of WCAG 2."""
    parts = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in to_rgb(colour)]
    return float(np.dot(parts, (0.2126, 0.7152, 0.0722)))


def contrast(one, other):
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("ground", ["white", "black"])
def test_colours_stand_out_on_paper_and_on_a_dark_ground(ground):
    """Each colour has a contrast of 3 with white and with black, and text on the fullest cell one of 4.5."""
    assert min(contrast(each, ground) for each in PALETTE) >= 3
    text = "black" if ground == "white" else "white"
    fullest = FILL * np.array(to_rgb(PALETTE[0])) + (1 - FILL) * np.array(to_rgb(ground))
    assert contrast(text, fullest) >= 4.5
    assert 0 < BAND < 0.5


def test_text_and_frames_follow_the_ground(scored):
    """On a dark ground no text or reference line is black."""
    with plt.style.context("dark_background"):
        axes = [
            hs.plots.confusion_matrix(TABLE),
            hs.plots.curve(hs.roc_curve(scored)),
            hs.plots.differences({"A − B": SimpleNamespace(value=0.0, low=-0.1, high=0.1)}),
            hs.plots.posterior(hs.estimate(TABLE, "f1", method="bayes", random_state=0)),
        ]
    for ax in axes:
        drawn = [*ax.texts, *ax.lines, ax.xaxis.label, ax.title]
        assert all(luminance(each.get_color()) > 0.1 for each in drawn)


@pytest.mark.thorough
def test_plots_are_imported_when_they_are_used():
    """`import howsure` does not import Matplotlib; `howsure.plots` does, and without it the error names the extra."""
    light = (
        "import howsure, sys; assert 'matplotlib' not in sys.modules; howsure.plots; assert 'matplotlib' in sys.modules"
    )
    absent = (
        "import sys; sys.modules['matplotlib'] = None; import howsure\n"
        "try: howsure.plots\nexcept howsure.HowsureError as error: assert 'howsure[plots]' in str(error)\n"
        "else: raise SystemExit(1)"
    )
    for code in (light, absent):
        subprocess.run([sys.executable, "-c", code], check=True)


BY_SITE = {"site": ["a", "b", "b"] * 40}


@pytest.fixture(scope="module")
def grouped():
    """Return tables of predictions and of scores by site."""
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, 120)
    score = np.clip(rng.normal(0.3 + 0.4 * truth, 0.3), 0, 1).round(2)
    return hs.confusion(truth, (score >= 0.5).astype(int), by=BY_SITE), hs.scores(truth, score, by=BY_SITE)


def test_intervals_of_groups_begin_with_all_cases(grouped):
    """Tables by groups are evaluated and drawn whole: all cases first, then each group, model by model."""
    tables, _ = grouped
    ax = hs.plots.intervals(tables)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["all cases", "a", "b"]
    middle = ax.containers[0].lines[0].get_xdata()
    assert list(middle) == [each.value for each in hs.evaluate(tables.overall).values()]
    both = hs.plots.intervals({"forest": tables, "tree": hs.evaluate(tables.overall, "f1")})
    names = [text.get_text() for text in both.get_legend().get_texts()]
    assert names == ["forest, all cases", "forest, a", "forest, b", "tree"]


def test_matrices_of_groups_have_a_panel_each(grouped):
    """For groups there are axes by name, all cases first, in one figure; each shows its own table."""
    tables, _ = grouped
    drawn = hs.plots.confusion_matrix(tables)
    assert list(drawn) == ["all cases", "a", "b"]
    assert len({each.figure for each in drawn.values()}) == 1
    assert drawn["b"].texts[0].get_text().endswith(f"\n{tables['b'].counts[0, 0]:g}")
    display = hs.plots.ConfusionMatrixDisplay(tables).plot()
    assert display.ax_["a"].figure is display.figure_


def test_curves_of_groups_share_their_axes(grouped):
    """A display of groups has the curve of all cases and each group's, with their areas in the legend."""
    _, scored = grouped
    display = hs.plots.RocCurveDisplay.from_scores(scored, name="forest")
    texts = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert [text.partition(":")[0] for text in texts] == ["forest, all cases", "forest, a", "forest, b"]
    assert display.summary.value == hs.estimate(scored.overall, "roc_auc").value
    assert display.groups[1].summary.value == hs.estimate(scored["b"], "roc_auc").value
    ax = hs.plots.curve({name: hs.roc_curve(each) for name, each in scored.items()})
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["a", "b"]


def test_leaderboard_shows_ranks_with_their_sets():
    """A dot is at each model's rank, with whiskers to its first and last possible rank."""
    right = {"new": [1] * 36 + [0] * 4, "old": [1] * 35 + [0] * 5, "tiny": [0, 0, 0, 1] * 10}
    board = hs.leaderboard(hs.values(right, bounds=(0, 1)), "mean", random_state=0)
    ax = hs.plots.leaderboard(board)
    assert tick_names(ax.yaxis) == ["new", "old", "tiny"]
    dots = [each[0].get_xydata().tolist() for each in ax.containers]
    assert dots == [[[1, 0], [2, 1]], [[3, 2]]]
    ends = [each[:, :, 0].tolist() for each in whiskers_of(ax)]
    assert ends == [[[1, 2], [1, 2]], [[3, 3]]]


def test_leaderboard_says_what_is_undefined():
    """A model without a value has no dot, but a label."""
    table = hs.paired([1, 1, 0, 0] * 5, {"a": [1, 1, 0, 0] * 5, "b": [0, 0, 0, 0] * 5})
    ax = hs.plots.leaderboard(hs.leaderboard(table, "precision", random_state=0))
    assert "undefined" in [text.get_text() for text in ax.texts]


def test_looks_show_both_intervals_of_all_cases_so_far():
    """The band at each number of cases so far has the limits of the sequence, and within it those of one look."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 300)
    said = np.where(rng.random(300) < 0.8, truth, 1 - truth)
    batches = [hs.confusion(truth[start : start + 100], said[start : start + 100]) for start in (0, 100, 200)]
    ax = hs.plots.looks(batches, "f1")
    low, high, low_once, high_once, value = (line.get_xydata() for line in ax.lines)
    assert low[:, 0].tolist() == [100, 200, 300]
    found = hs.estimate(sum(batches), "f1", method="anytime")
    assert (low[-1, 1], high[-1, 1], value[-1, 1]) == pytest.approx((found.low, found.high, found.value))
    assert (low[:, 1] <= low_once[:, 1]).all()
    assert (high_once[:, 1] <= high[:, 1]).all()
    joint = hs.paired(truth, {"A": said, "B": 1 - said})
    assert hs.plots.looks([joint], "f1").get_ylabel() == "difference in F1"
    with pytest.raises(hs.HowsureError, match="no batch"):
        hs.plots.looks([], "f1")


def test_shares_of_rows_of_weighted_cases_have_wilsons_limits_of_their_worth():
    """Weighted cases enter with Kish's effective number, row by row; a class without cases has no share."""
    from howsure.methods.numerics import binomial
    from howsure.methods.proportions.proportion import row_shares

    rng = np.random.default_rng(4)
    truth, said, weight = rng.integers(0, 2, 90), rng.integers(0, 3, 90), rng.uniform(0.3, 3, 90)
    share, low, high = row_shares(hs.confusion(truth, said, labels=[0, 1, 2], sample_weight=weight), 0.9)
    for row in (0, 1):
        own = weight[truth == row]
        worth = own.sum() ** 2 / (own**2).sum()
        for column in range(3):
            expected = weight[(truth == row) & (said == column)].sum() / own.sum()
            limits = binomial.wilson(expected * worth, worth, 0.9)
            assert share[row, column] == pytest.approx(expected)
            found = low[row, column], high[row, column]
            assert found == pytest.approx(tuple(map(float, limits)), rel=0.1)
            assert found[0] < expected < found[1]
    assert np.isnan([share[2], low[2], high[2]]).all()


def test_dots_name_a_positive_class_that_nobody_named():
    """Below the axis, for metrics that depend on it."""
    true, said = ["cat", "dog"] * 20, ["cat", "dog", "dog", "dog"] * 10
    table, named = hs.confusion(true, said), hs.confusion(true, said, pos_label="dog")
    assert hs.plots.intervals(hs.evaluate(table, ["recall"])).get_xlabel().endswith("interval\npositive class: dog")
    assert hs.plots.intervals(hs.evaluate(table, ["accuracy"])).get_xlabel().endswith("interval")
    assert hs.plots.intervals(hs.evaluate(named, ["recall"])).get_xlabel().endswith("interval")
    both = hs.paired(true, {"A": said, "B": ["cat"] * 40})
    assert hs.plots.differences(hs.compare(both, "recall")).get_xlabel().endswith("interval\npositive class: dog")


def test_a_display_is_one_line():
    """A cell of a notebook that ends in a display shows its picture, and not the table of its points."""
    display = hs.plots.RocCurveDisplay.from_predictions([0, 1, 1, 0, 1], [0.1, 0.9, 0.4, 0.3, 0.2])
    assert "\n" not in repr(display)
    assert repr(display).startswith("<RocCurveDisplay: AUC ")
    matrix = hs.plots.ConfusionMatrixDisplay.from_predictions([0, 1, 1, 0], [0, 1, 0, 0])
    assert repr(matrix) == "<ConfusionMatrixDisplay of <ConfusionTable: 4 cases: 2 of class 0, 2 of class 1>>"
    assert dir(hs.plots) == sorted(hs.plots.__all__)
