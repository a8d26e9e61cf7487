"""The table of scores: ties, weights, clusters, thresholds and bad input."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st

import howsure as hs
from support.optional import optional

pl = optional("polars")

TRUTH = np.array([0, 1, 1, 0, 1, 0])
SCORE = np.array([0.2, 0.7, 0.2, 0.5, 0.9, 0.7])


def test_distinct_scores_ascend_with_the_counts_of_each_class():
    """Equal scores share one row: negatives in the first column, positives in the second."""
    table = hs.scores(TRUTH, SCORE)
    assert isinstance(table, hs.tables.ScoresTable)
    assert table.scores.tolist() == [0.2, 0.5, 0.7, 0.9]
    assert table.counts.tolist() == [[1, 1], [1, 0], [1, 1], [0, 1]]
    assert table.rows == 6


@given(st.lists(st.tuples(st.booleans(), st.sampled_from([-2.5, 0.0, 0.1, 0.3, 7.0])), min_size=2, max_size=40))
def test_counts_equal_counting_by_hand(pairs):
    """For any labels and tied scores, the counts are those of a plain loop, with and without unit weights."""
    truth, score = (np.array(part) for part in zip(*pairs, strict=True))
    table = hs.scores(truth, score, pos_label=True)
    expected = {(s, t): sum(a == t and b == s for a, b in pairs) for s in set(score) for t in (False, True)}
    assert {(s, bool(t)): table.counts[i, t] for i, s in enumerate(table.scores) for t in (0, 1)} == expected
    weighted = hs.scores(truth, score, pos_label=True, sample_weight=np.ones(len(score)))
    assert np.array_equal(weighted.counts, table.counts)


def test_weights_and_their_squares_are_summed_by_cell():
    """Counts contain the sums of the weights, the design the sums of their squares."""
    weight = np.arange(1.0, 7.0)
    table = hs.scores(TRUTH, SCORE, sample_weight=weight)
    assert table.counts.tolist() == [[1, 3], [4, 0], [6, 2], [0, 5]]
    assert table.design.weight_squared.reshape(-1, 2).tolist() == [[1, 9], [16, 0], [36, 4], [0, 25]]


def test_clusters_keep_their_cases():
    """With groups the design stores the cells of each cluster's cases."""
    table = hs.scores(TRUTH, SCORE, groups=["a", "a", "b", "b", "c", "c"])
    assert table.design.number == 3
    assert table.design.totals(np.arange(8.0).reshape(4, 2)).tolist() == [0 + 5, 1 + 2, 7 + 4]


@pytest.mark.parametrize(
    "classes, given_label, positive",
    [
        ((0, 1), None, 1),
        ((-1, 1), None, 1),
        ((1, 2), None, 2),
        (("ill", "well"), None, "well"),
        (("ill", "well"), "ill", "ill"),
        ((0, 1), 0, 0),
        ((False, True), None, True),
    ],
)
def test_positive_class(classes, given_label, positive):
    """The positive class is the one named, or 1, or the last in order."""
    table = hs.scores(np.array(classes)[TRUTH], SCORE, pos_label=given_label)
    assert table.labels.tolist()[1] == positive
    number = (np.array(classes)[TRUTH] == positive).sum()
    assert table.counts[:, 1].sum() == number


@pytest.mark.parametrize(
    "frame",
    [pd.DataFrame, pl.DataFrame, lambda columns: pl.DataFrame(columns).lazy(), dict],
    ids=["pandas", "polars", "lazy", "mapping"],
)
def test_frames_give_the_same_table(frame):
    """Columns of frames, lazy frames and mappings give the table of the arrays; `by` splits it."""
    data = frame({"t": TRUTH.tolist(), "s": SCORE.tolist(), "g": ["x"] * 4 + ["y"] * 2})
    table = hs.scores("t", "s", data=data)
    assert np.array_equal(table.counts, hs.scores(TRUTH, SCORE).counts)
    parts = hs.scores("t", "s", data=data, by="g")
    assert list(parts) == ["x", "y"]
    assert np.array_equal(parts["x"].counts, hs.scores(TRUTH[:4], SCORE[:4]).counts)
    assert parts["y"].scores.tolist() == [0.7, 0.9]


class TestThreshold:
    """`at` gives the confusion table, a case being positive when its score is at least the threshold."""

    @pytest.mark.parametrize("threshold", [-np.inf, 0.2, 0.5, 0.6, 0.9, np.inf])
    @pytest.mark.parametrize("extra", [{}, {"sample_weight": np.arange(1, 7)}, {"groups": [1, 1, 2, 2, 3, 3]}])
    def test_equals_confusion(self, threshold, extra):
        """Counts and variances equal those of the thresholded predictions, in every design."""
        ours = hs.scores(TRUTH, SCORE, **extra).at(threshold)
        theirs = hs.confusion(TRUTH, np.greater_equal(SCORE, threshold).astype(int), labels=[0, 1], **extra)
        assert np.array_equal(ours.counts, theirs.counts)
        gradient = np.array([[0.3, -1.0], [0.7, 2.0]])
        variances = [each.variance(gradient) for each in (ours, theirs)]
        assert variances[0] == pytest.approx(variances[1], rel=1e-12)

    def test_fixed_margins_stay_those_of_the_truth(self):
        """A test set sampled by class stays one at a threshold, and in resamples."""
        table = hs.scores(TRUTH, SCORE).with_design(hs.designs.FixedMargins())
        assert table.at(0.5).design.traits.has_fixed_class_totals
        drawn = table.design.resample(table.cells, 50, np.random.default_rng(0)).reshape(50, 4, 2)
        assert (drawn.sum(1) == 3).all()
        drawn = table.design.posterior(table.cells, np.ones(8), 50, np.random.default_rng(0)).reshape(50, 4, 2)
        assert np.allclose(drawn.sum(1), 3)

    @pytest.mark.parametrize("threshold", [np.nan, "high"])
    def test_threshold_is_a_number(self, threshold):
        """Objects that are not numbers are refused."""
        with pytest.raises(hs.HowsureError, match="not a number"):
            hs.scores(TRUTH, SCORE).at(threshold)


@pytest.mark.parametrize(
    "arguments, words",
    [
        (([0, 1, 1], [0.1, np.nan, 0.2]), r"`y_score` has 1 missing or infinite values \(first at row 1\)"),
        (([0, 1, 1], [0.1, 0.2, -np.inf]), r"first at row 2"),
        (([0, 1, 1], [0.1, 0.2]), "`y_true` has 3, `y_score` has 2"),
        (([0, 0, 0], [0.1, 0.2, 0.3]), "Only the class 0 occurs"),
        (([0, 1, 2], [0.1, 0.2, 0.3]), "`y_true` has 3 classes"),
        (([0, 1, 1], ["a", "b", "c"]), "`y_score` is not numeric"),
        (([0, 1], [[0.1, 0.9], [0.4, 0.6]]), r"`y_score\[:, 1\]`"),
        (([], []), "empty"),
        (([0, None, 1], [0.1, 0.2, 0.3]), "`y_true` has 1 missing value"),
    ],
)
def test_bad_input_is_refused(arguments, words):
    """Errors name the column and the remedy."""
    with pytest.raises(hs.HowsureError, match=words):
        hs.scores(*arguments)


def test_unknown_positive_class_is_refused():
    """A positive class that does not occur is an error with the nearest names; weights and groups are checked too."""
    with pytest.raises(hs.HowsureError, match=r"no class 'il'.*Did you mean 'ill'"):
        hs.scores(["ill", "well"], [0.1, 0.2], pos_label="il")
    with pytest.raises(hs.HowsureError, match="negative"):
        hs.scores(TRUTH, SCORE, sample_weight=[-1, 1, 1, 1, 1, 1])
    with pytest.raises(hs.HowsureError, match="differ in length"):
        hs.scores(TRUTH, SCORE, groups=[1, 2])


def test_one_class_is_allowed_where_the_other_is_named():
    """With `pos_label` one class is enough; metrics that need two are nan with a reason."""
    table = hs.scores([1, 1, 1], [0.2, 0.3, 0.9], pos_label=1)
    assert table.counts.sum(0).tolist() == [0, 3]
    estimate = hs.estimate(table, "roc_auc")
    assert np.isnan([estimate.value, estimate.low]).all()
    assert "no case" in estimate.reason


PAIRS = [(*pair, kind) for pair in ((0, 1), (7, 9), (3, 200)) for kind in (np.uint8, np.int64)]


@pytest.mark.parametrize("negative, positive, kind", [*PAIRS, (-100, 100, np.int8)])
def test_whole_numbers_between_two_labels_are_no_classes(negative, positive, kind):
    """Two integers as labels are two classes, for any distance and type."""
    truth = np.array([negative, positive], dtype=kind)[[0, 1, 1, 0, 1]]
    table = hs.scores(truth, [0.1, 0.4, 0.4, 0.4, 0.9])
    assert table.labels.tolist() == [negative, positive]
    assert table.counts.tolist() == [[1, 0], [1, 2], [0, 1]]


def test_probabilities_of_the_predicted_class_have_a_caution():
    """Scores none of which is below one half are probably of the predicted class, not of the positive one."""
    true, score = [0, 1] * 30, np.random.default_rng(0).random(60)
    folded = hs.scores(true, np.maximum(score, 1 - score))
    assert any("probabilities of the predicted class" in each for each in folded.cautions)
    assert not any("probabilities of the predicted class" in each for each in hs.scores(true, score).cautions)


@pytest.mark.parametrize(
    "name, labels",
    [
        ("no", ["no", "yes"]),
        ("p_no", ["no", "yes"]),
        (".pred_Class1", ["Class1", "Class2"]),
        ("Probability of class a", ["a", "b"]),
        ("p0", [0, 1]),
        ("prob_0", ["0", "1"]),
    ],
)
def test_scores_named_after_the_negative_class(name, labels):
    """Probabilities of the other class turn every metric round; the name of their column says so."""
    data = {"y": labels * 5, name: [0.9, 0.2] * 5}
    with pytest.raises(hs.HowsureError, match=f"named after the class {labels[0]!r}.*say pos_label={labels[0]!r}"):
        hs.scores("y", name, data=data)
    own = hs.estimate(hs.scores("y", name, data=data, pos_label=labels[0]), "brier_score")
    other = hs.estimate(hs.scores("y", name, data=data, check=False), "brier_score")
    assert [float(own), float(other)] == pytest.approx([(0.1**2 + 0.2**2) / 2, (0.9**2 + 0.8**2) / 2])


@pytest.mark.parametrize(
    "name, labels", [("score_0", [0, 1]), ("score", ["no", "yes"]), ("p", ["n", "p"]), ("yes_model", ["no", "yes"])]
)
def test_scores_named_after_a_model_or_the_positive_class(name, labels):
    """A numbered score may be a model's."""
    data = {"y": labels * 5, name: [0.1, 0.8] * 5}
    assert hs.estimate(hs.scores("y", name, data=data), "roc_auc") == 1


def test_a_named_column_of_the_negative_class():
    """The name of a column of pandas counts, and the default name 0 does not."""
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"no": [0.9, 0.2] * 5, 0: [0.1, 0.8] * 5})
    with pytest.raises(hs.HowsureError, match="named after the class 'no'"):
        hs.roc_auc_score(["no", "yes"] * 5, frame["no"])
    assert hs.roc_auc_score([0, 1] * 5, frame[0]) == 1
