"""Plots of a whole study."""

import matplotlib as mpl
import numpy as np
import pytest

import howsure as hs

mpl.use("Agg")
COUNTS = {
    "mlp/1": [[50, 3], [5, 42]],
    "mlp/2": [[47, 6], [4, 43]],
    "tree": [[44, 9], [8, 39]],
    "svm/1": [[40, 13], [9, 38]],
    "svm/2": [[45, 8], [9, 38]],
}


def study(aggregation=None):
    """Return a study of three groups, one of a single experiment."""
    made = hs.Study(n_draws=500)
    for name, counts in COUNTS.items():
        made.add(name, counts)
    made.add_metric("f1", aggregation=aggregation)
    made.add_metric("mcc")
    return made


@pytest.mark.parametrize("aggregation", [None, "fixed", "nadeau_bengio", "tables", "histogram", "identity"])
def test_a_study_has_a_row_for_each_experiment_and_each_group(aggregation):
    """Experiments are at their medians with the limits of their draws, groups below theirs as diamonds."""
    made = study(aggregation)
    ax = hs.plots.experiments(made)
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert names == ["mlp/1", "mlp/2", "mlp", "tree", "svm/1", "svm/2", "svm"]
    summaries, together = made.summaries("f1"), made.aggregate("f1")
    points, _, (whisker,) = ax.containers[0].lines
    np.testing.assert_allclose(points.get_xdata(), [summaries[name].median for name in COUNTS])
    np.testing.assert_allclose(whisker.get_segments()[2][:, 0], [summaries["tree"].low, summaries["tree"].high])
    corners = [patch.get_xy() for patch in ax.patches]
    assert [each[0, 1] for each in corners] == [2, 6]
    np.testing.assert_allclose(corners[0][:3, 0], [together["mlp"].low, together["mlp"].value, together["mlp"].high])
    assert "F1" in ax.get_xlabel()


def test_another_metric_of_a_study():
    """A metric is named by its spec string, whether it was added or not, and given axes are drawn on."""
    ax = mpl.figure.Figure().subplots()
    assert hs.plots.experiments(study(), "accuracy", ax=ax) is ax
    assert "ccuracy" in ax.get_xlabel()


def test_an_empty_study_is_refused():
    """Without experiments or a metric an error is raised."""
    empty, unasked = hs.Study(), hs.Study()
    unasked.add("tree", COUNTS["tree"])
    for each in (empty, unasked):
        with pytest.raises(hs.HowsureError, match="nothing to draw"):
            hs.plots.experiments(each)
