"""Curves and operating points of scores of many classes are those of each class against the rest."""

import numpy as np
import pytest

import howsure as hs

CURVES = (hs.roc_curve, hs.det_curve, hs.precision_recall_curve, hs.calibration_curve)
RNG = np.random.default_rng(0)
SCORES = RNG.dirichlet([2.0, 1.0, 1.5], 150).round(2)
NAMES = np.array(["ant", "bee", "cat"])
TRUTH = NAMES[[RNG.choice(3, p=(row + 0.02) / (row + 0.02).sum()) for row in SCORES]]
LABELS = np.column_stack([name == TRUTH for name in NAMES]).astype(int)
LABELS[::7, 0] = 1
DESIGNS = {
    "plain": {},
    "weights": {"sample_weight": np.linspace(0.5, 2, 150)},
    "clusters": {"groups": np.arange(150) // 3},
    "crossed": {"groups": {"reader": np.arange(150) % 10, "case": np.arange(150) // 10}},
    "strata": {"strata": np.arange(150) % 2, "stratum_sizes": {0: 900, 1: 300}},
}


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("name", NAMES)
def test_one_class_is_the_table_of_its_column(design, name):
    """One class against the rest has the numbers of `scores` on its own column, under every design."""
    settings, column = DESIGNS[design], int(np.flatnonzero(name == NAMES)[0])
    view = hs.multiclass_scores(TRUTH, SCORES, **settings).against_rest(name)
    alone = hs.scores(name == TRUTH, SCORES[:, column], **settings)
    assert view.labels.tolist() == [f"not {name}", name]
    assert view.rows == 150
    assert np.array_equal(view.scores, alone.scores)
    assert view.counts == pytest.approx(alone.counts)
    for metric, more in (
        ("roc_auc", {}),
        ("sensitivity_at+specificity=0.8", {}),
        ("f1", {"threshold": 0.4}),
        ("observed_expected", {}),
    ):
        found, expected = hs.estimate(view, metric, **more), hs.estimate(alone, metric, **more)
        assert (found.value, found.low, found.high) == pytest.approx((expected.value, expected.low, expected.high))


@pytest.mark.parametrize(
    "truth, curve",
    [
        *((TRUTH, each) for each in CURVES),
        *(pytest.param(LABELS, each, marks=pytest.mark.thorough if place else ()) for place, each in enumerate(CURVES)),
    ],
)
def test_curves_by_class(curve, truth):
    """A curve of scores of classes, or of labels, is one for each; each equals that of its own column."""
    labels = {} if truth is TRUTH else {"labels": NAMES}
    found = curve(hs.multiclass_scores(truth, SCORES, **labels))
    assert list(found) == list(NAMES)
    for column, name in enumerate(NAMES):
        own = (truth == name) if truth is TRUTH else truth[:, column]
        expected = curve(hs.scores(own, SCORES[:, column], **({} if truth is TRUTH else {"groups": np.arange(150)})))
        for part in ("x", "y", "low", "high"):
            assert getattr(found[name], part) == pytest.approx(getattr(expected, part), nan_ok=True)
    assert {row["class"] for row in found.records()} == set(NAMES)


def test_groups_of_many_classes():
    """Groups keep their tables: a curve for each group and class, and the view of one class in each group."""
    site = np.array(["x", "y"])[np.arange(150) % 2]
    tables = hs.multiclass_scores(TRUTH, SCORES, by=site)
    alone = hs.multiclass_scores(TRUTH[site == "y"], SCORES[site == "y"]).against_rest("bee")
    assert hs.estimate(tables.against_rest("bee")["y"], "roc_auc").value == hs.estimate(alone, "roc_auc").value
    assert hs.roc_curve(tables)["y"]["bee"]["tpr"] == pytest.approx(hs.roc_curve(alone)["tpr"])


def test_thresholds_by_class():
    """The chosen threshold of each class is that of its own column."""
    found = hs.optimal_threshold(hs.multiclass_scores(TRUTH, SCORES), random_state=1)
    expected = hs.optimal_threshold(hs.scores(TRUTH == "cat", SCORES[:, 2]), random_state=1)
    assert found["cat"].threshold.value == expected.threshold.value
    assert found["cat"].value.low == pytest.approx(expected.value.low, abs=0.02)


def test_curves_by_class_are_drawn():
    """The curves by class are drawn on the same axes, with a legend of the classes."""
    ax = hs.plots.curve(hs.roc_curve(hs.multiclass_scores(TRUTH, SCORES)))
    assert [text.get_text() for text in ax.get_legend().get_texts()] == list(NAMES)


def test_refusals():
    """Unknown classes, and tables without classes, are refused in one line."""
    with pytest.raises(hs.HowsureError, match="'dog'"):
        hs.multiclass_scores(TRUTH, SCORES).against_rest("dog")
    with pytest.raises(hs.HowsureError, match="one column per class"):
        hs.scores(TRUTH == "cat", SCORES[:, 2], by=TRUTH).against_rest("cat")
    with pytest.raises(hs.HowsureError, match="against_rest"):
        hs.threshold_curves(hs.multiclass_scores(TRUTH, SCORES), ["f1"])
