"""Tables and counts: outcomes, labels, one class against the rest, thresholds, and invalid confusion matrices."""

import pickle

import numpy as np
import pytest

import howsure as hs
from howsure.tables.counts import ConfusionCounts

COUNTS = np.array([[44, 6, 3], [7, 29, 5], [2, 8, 21]])


def test_outcomes_as_arithmetic():
    """True positives, false negatives, false positives and true negatives of each class are counted by hand."""
    tp, fn, fp, tn = ConfusionCounts(COUNTS).outcomes()
    assert tp.tolist() == [44, 29, 21]
    assert fn.tolist() == [9, 12, 10]
    assert fp.tolist() == [9, 14, 8]
    assert tn.tolist() == [63, 70, 86]
    assert [float(part) for part in ConfusionCounts(COUNTS).outcomes(2)] == [21, 10, 8, 86]


def test_leading_axes_are_tables():
    """Margins and outcomes of a batch are those of each table."""
    batch = np.random.default_rng(0).integers(0, 30, (4, 2, 3, 3))
    counts = ConfusionCounts(batch)
    assert counts.total.shape == (4, 2)
    for where in np.ndindex(4, 2):
        one = ConfusionCounts(batch[where])
        for whole, part in zip(counts.outcomes(), one.outcomes(), strict=True):
            assert whole[where].tolist() == part.tolist()
        assert counts.columns[where].tolist() == one.columns.tolist() == batch[where].sum(0).tolist()


def test_nothing_is_left_of_nothing():
    """Sums of weights do not cancel exactly in floating point; outcomes that are none are exactly 0."""
    rng = np.random.default_rng(1)
    true = rng.integers(0, 4, 5000)
    predicted = np.where(rng.random(5000) < 0.7, true, rng.integers(0, 4, 5000))
    keep = (true != 2) | (predicted == 2)  # class 2 is never missed
    table = hs.confusion(true[keep], predicted[keep], sample_weight=rng.exponential(size=int(keep.sum())) * 1e3)
    _, fn, _, _ = ConfusionCounts(table.counts).outcomes()
    assert fn[2] == 0
    assert (np.delete(fn, 2) > 1).all()


def test_counts_and_their_transpose_are_not_confused():
    """Rows are the true class: recall reads along rows, precision along columns."""
    table = hs.from_counts(COUNTS, labels=["x", "y", "z"])
    recall, precision = (hs.evaluate(table, f"{name}@none") for name in ("recall", "precision"))
    assert list(recall.values()) == pytest.approx([44 / 53, 29 / 41, 21 / 31])
    assert list(precision.values()) == pytest.approx([44 / 53, 29 / 43, 21 / 29])
    assert (table.rows, table.labels.tolist()) == (125, ["x", "y", "z"])


@pytest.mark.parametrize("labels", [["x", "y", "z"], [3, 1, 2], [0.5, 1.5, -2.0], [True, False, None]])
def test_position_of_a_label_and_of_its_text(labels):
    """A class is found by its label and by the label's text."""
    table = hs.from_counts(COUNTS, labels=labels)
    for index, label in enumerate(labels):
        assert table.position(label) == table.position(str(label)) == index


def test_unknown_and_ambiguous_labels():
    """For an unknown class the nearest names are listed; classes with equal names cannot be selected."""
    table = hs.from_counts(COUNTS, labels=["cat", "dog", "horse"])
    with pytest.raises(hs.HowsureError, match=r"no class 'dgo'\. Did you mean 'dog'"):
        table.position("dgo")
    mixed = hs.from_counts(COUNTS, labels=[1, "1", 2])
    with pytest.raises(hs.HowsureError, match="2 classes read '1'"):
        hs.evaluate(mixed, "recall@none")
    assert hs.estimate(mixed, "recall@binary+positive_class=2").value == pytest.approx(21 / 31)


@pytest.mark.parametrize("design", ["simple", "weighted", "clusters"])
def test_one_class_against_the_rest(design):
    """The 2×2 table of a class is the table of the relabelled cases, design and all."""
    rng = np.random.default_rng(2)
    true = rng.integers(0, 4, 300)
    predicted = np.where(rng.random(300) < 0.6, true, rng.integers(0, 4, 300))
    settings = {
        "simple": {},
        "weighted": {"sample_weight": rng.exponential(size=300)},
        "clusters": {"groups": np.arange(300) // 5},
    }[design]
    small = hs.confusion(true, predicted, **settings).one_against_rest(2)
    direct = hs.confusion((true == 2).astype(int), (predicted == 2).astype(int), **settings)
    assert small.counts == pytest.approx(direct.counts)
    slopes = np.array([[0.3, -1.2], [0.8, 2.0]])
    assert small.variance(slopes) == pytest.approx(direct.variance(slopes))
    assert [str(each) for each in small.labels] == ["not 2", "2"]


def test_fixed_margins_do_not_survive_merging():
    """The rest merges classes of fixed size, which two rows cannot represent; estimates keep the full table."""
    table = hs.from_counts(COUNTS).with_design(hs.designs.FixedMargins())
    assert table.one_against_rest(1) is None
    estimate = hs.estimate(table, "precision@binary+positive_class=1", method="wald")
    rows, hit = COUNTS.sum(1), 29 / 43
    share = COUNTS[:, 1] / rows
    slope = np.where(np.arange(3) == 1, 1 - hit, -hit) / 43
    assert estimate.standard_error == pytest.approx(np.sqrt((slope**2 * rows * share * (1 - share)).sum()), rel=1e-12)


@pytest.mark.parametrize(
    "counts, words",
    [
        (5, "square"),
        ([1, 2, 3], "square"),
        (np.ones((2, 2, 2, 2)), "square"),
        ([], "square"),
        ([[1, 2], [3]], "not a matrix of numbers"),
        ([[1, np.inf], [2, 3]], "not finite"),
        ([[1, None], [2, 3]], "not finite|not a matrix"),
        ([[1, 2], [3, -1e-9]], r"counts\[1\]\[1\]"),
        ([[1, 2], [0.5, 3]], r"counts\[1\]\[0\]` = 0.5 is not a whole number"),
    ],
)
def test_what_is_no_confusion_matrix(counts, words):
    """Each refusal states the fault and its place, in one line."""
    with pytest.raises(hs.HowsureError, match=words):
        hs.from_counts(counts)


@pytest.mark.parametrize("labels", [["a", "a", "b"], [1, 1.0, 2], ["a", "b"], ["a", "b", "c", "d"]])
def test_labels_are_one_a_class(labels):
    """Repeated labels, also as 1 and 1.0, and wrong numbers of them are refused."""
    with pytest.raises(hs.HowsureError, match=r"more than once|entries for a 3×3"):
        hs.from_counts(COUNTS, labels=labels)


def test_whole_numbers_of_any_type():
    """Booleans, unsigned integers and whole floats are counts."""
    expected = hs.estimate(hs.from_counts(COUNTS), "mcc").value
    for kind in (np.uint8, np.int16, np.float32, object):
        assert hs.estimate(hs.from_counts(COUNTS.astype(kind)), "mcc").value == expected
    assert hs.from_counts([[True, False], [True, True]]).rows == 3


def test_estimated_counts_keep_their_design():
    """A review's counts are estimates: taking them for counted cases of another design is refused."""
    table = hs.reviewed([[50, 5], [4, 41]], [[[9, 1], [2, 3]], [[3, 1], [0, 10]]])
    with pytest.raises(hs.HowsureError, match="estimates"):
        table.with_design(hs.designs.FixedMargins())


def test_views_of_one_table_are_not_mixed_up():
    """Comparing metric after metric on one paired table gives the results of a fresh table each time."""
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, 60)
    models = {name: np.where(rng.random(60) < 0.8, truth, 1 - truth) for name in "ABC"}
    table = hs.paired(truth, models)
    for first, second in (("A", "B"), ("B", "A"), ("C", "A"), ("A", "C"), ("B", "C"), ("A", "B")):
        for metric in ("accuracy", "f1", "mcc"):
            ours = hs.compare(table, metric, a=first, b=second)
            fresh = hs.compare(hs.paired(truth, models), metric, a=first, b=second)
            assert (ours.value, ours.low, ours.high) == (fresh.value, fresh.low, fresh.high)


def test_a_kept_table_does_not_keep_what_was_worked_out():
    """A pickled copy has the same size before and after requests, and gives equal results."""
    rng = np.random.default_rng(0)
    table = hs.scores(rng.integers(0, 2, 500), rng.random(500))
    before = pickle.dumps(table)
    value = hs.estimate(table, "brier_score")
    assert table.cells.shape == (1000,)
    assert len(pickle.dumps(table)) == len(before)
    assert hs.estimate(pickle.loads(before), "brier_score") == value


@pytest.mark.parametrize(
    "table",
    [
        hs.from_counts([[50, 3], [5, 42]]),
        hs.scores([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.6]),
        hs.paired([0, 1, 0, 1], {"A": [0, 1, 1, 1], "B": [0, 0, 0, 1]}),
        hs.values([0.1, 0.9, 0.4]),
        hs.ratings([[0, 1, 1], [1, 1, 1], [0, 0, 1]]),
    ],
    ids=lambda table: type(table).__name__,
)
def test_dir_names_what_users_call(table):
    """Completion shows fields and methods for users, which exist, and not the members for metrics and methods."""
    names = [name for name in dir(table) if not name.startswith("_")]
    assert {"counts", "labels", "design", "rows", "cautions", "save"} <= set(names)
    assert len(names) <= 30
    assert "priors" not in names
    assert all(hasattr(type(table), name) or name in vars(table) for name in names)
