"""User-defined metrics: all forms have the features of built-in ones, and a function that breaks a law is refused."""

import numpy as np
import pytest

import howsure as hs
from howsure.methods.core.standard_errors import standard_error
from howsure.metrics.binding import resolve
from howsure.metrics.define import stepped
from howsure.metrics.registry import REGISTRY
from howsure.metrics.roc import average_precision, average_precision_slopes, roc_auc, roc_auc_slopes
from howsure.tables.table import select_table
from howsure.testing import check_metric

TABLE = hs.from_counts([[44, 6, 3], [7, 29, 5], [2, 8, 21]])


def own_recall(tp, fn, fp, tn, weight=1.0):  # noqa: ARG001 - the form's signature
    """Return the share of the class that is found."""
    return tp / (tp + weight * fn)


def test_outcomes_have_every_average():
    """A function of the four outcomes has howsure's averages, classes and standard errors, of many labels too."""
    hs.define_metric(form="outcomes", name="own_recall")(own_recall)
    truth = np.random.default_rng(0).integers(0, 2, (60, 3))
    labels = hs.confusion(truth, np.where(np.arange(180).reshape(60, 3) % 4 == 0, 1 - truth, truth))
    for average in ("macro", "weighted", "micro", "harmonic", "min", "binary+positive_class=2"):
        for table in (TABLE, labels):
            ours, shipped = (
                hs.estimate(table, f"{name}@{average}", method="delta") for name in ("own_recall", "recall")
            )
            assert (ours.value, ours.low, ours.high) == pytest.approx((shipped.value, shipped.low, shipped.high))
        check_metric(f"own_recall@{average}")
    tp, rows = np.diag(TABLE.counts), TABLE.counts.sum(1)
    assert hs.estimate(TABLE, "own_recall+weight=3@macro").value == pytest.approx((tp / (tp + 3 * (rows - tp))).mean())
    scores = hs.scores([0, 1, 0, 1, 1], [0.1, 0.4, 0.6, 0.8, 0.9])
    assert hs.estimate(scores, "own_recall", threshold=0.5).value == pytest.approx(2 / 3)


def test_a_class_without_a_value_is_left_out():
    """Division by zero is undefined, as for howsure's metrics: no warning, and a reason."""
    hs.define_metric(form="outcomes", name="own_recall")(own_recall)
    table = hs.from_counts([[5, 1, 0], [2, 6, 0], [0, 0, 0]])
    ours, shipped = (hs.estimate(table, f"{name}@macro", method="delta") for name in ("own_recall", "recall"))
    assert (ours.value, ours.reason) == (pytest.approx(shipped.value), shipped.reason)
    assert "1 of 3 classes" in ours.reason


def test_cells_of_one_size():
    """A function made for three classes is checked on three classes."""
    costs = np.array([[0, 1, 5], [1, 0, 1], [2, 1, 0]])
    hs.define_metric(name="own_cost", range=(0, 5), better="lower")(
        lambda counts: (counts * costs).sum((-2, -1)) / counts.sum((-2, -1))
    )
    estimate = hs.estimate(TABLE, "own_cost", method="wald")
    share = TABLE.counts / TABLE.counts.sum()
    mean = (share * costs).sum()
    assert estimate.value == pytest.approx(mean)
    assert estimate.standard_error == pytest.approx(np.sqrt(((share * costs**2).sum() - mean**2) / TABLE.rows))
    check_metric("own_cost")


class TestScores:
    """Metrics of scores."""

    def test_values_errors_and_averages_are_those_of_the_shipped(self):
        """An area written as a function of counts and scores has the area's interval, and its averages over classes."""
        hs.define_metric(form="scores", name="own_area")(lambda counts, scores: roc_auc(counts))
        rng = np.random.default_rng(1)
        truth = rng.integers(0, 3, 90)
        rows = hs.multiclass_scores(truth, rng.normal(size=(90, 3)) + np.eye(3)[truth])
        pair = hs.scores(truth == 1, rng.normal(size=90) + truth)
        for table, average in ((pair, ""), (rows, "@macro"), (rows, "@weighted+multi_class=ovo"), (rows, "@micro")):
            ours, shipped = (hs.estimate(table, name + average, method="delta") for name in ("own_area", "roc_auc"))
            assert (ours.value, ours.low, ours.high) == pytest.approx((shipped.value, shipped.low, shipped.high))
        check_metric("own_area@macro")

    def test_a_gradient_is_taken_as_given(self):
        """With `gradient` the function need not accept complex counts; both get the arguments."""

        def closeness(counts, scores, power=1.0):
            return (np.real(counts) * losses(scores, power)).sum((-2, -1)) / np.real(counts).sum((-2, -1))

        def losses(scores, power):
            return np.stack([1 - scores**power, scores**power], -1)

        def gradient(counts, scores, power=1.0):
            total = counts.sum((-2, -1))[..., None, None]
            return (losses(scores, power) - closeness(counts, scores, power)[..., None, None]) / total

        with pytest.raises(hs.HowsureError, match="not the derivative"):
            hs.define_metric(form="scores", name="closeness")(closeness)
        hs.define_metric(form="scores", name="closeness", gradient=gradient)(closeness)
        check_metric("closeness+power=2")
        score = np.array([0.1, 0.4, 0.35, 0.8])
        estimate = hs.estimate(hs.scores([0, 0, 1, 1], score), "closeness+power=2", method="wald")
        hit = np.where([0, 0, 1, 1], score**2, 1 - score**2)
        assert (estimate.value, estimate.standard_error) == pytest.approx((hit.mean(), hit.std() / 2))

    @pytest.mark.thorough
    @pytest.mark.parametrize(
        "value, slopes", [(roc_auc, roc_auc_slopes), (average_precision, average_precision_slopes)]
    )
    def test_gradients_of_long_tables_are_taken_by_blocks(self, value, slopes):
        """For 20,000 scores the gradient's mean in each block is exact, and a standard error is right to 3 digits."""
        rng = np.random.default_rng(2)
        truth = rng.random(20_000) < 0.3
        table = hs.scores(truth, rng.normal(truth * 1.5))
        ours, exact = stepped(value, table.counts), slopes(table.counts)
        assert (ours * table.counts).sum() == pytest.approx(0, abs=1e-9)
        assert np.sqrt((table.counts * ours**2).sum()) == pytest.approx(
            np.sqrt((table.counts * exact**2).sum()), rel=3e-4
        )
        batch = np.stack([table.counts, table.counts * rng.uniform(0.5, 2, table.counts.shape)])
        assert np.sqrt((batch[0] * stepped(value, batch)[0] ** 2).sum()) == pytest.approx(
            np.sqrt((table.counts * exact**2).sum()), rel=1e-3
        )

    def test_short_tables_have_the_exact_gradient(self):
        """Up to 512 scores each count is perturbed separately."""
        cells = np.random.default_rng(3).integers(1, 9, (2, 300, 2)) * 1.0
        assert stepped(roc_auc, cells) == pytest.approx(roc_auc_slopes(cells), rel=1e-9, abs=1e-12)


def share(counts):
    """Return the share of the first cell."""
    return counts[..., 0, 0] / counts.sum((-2, -1))


@pytest.mark.parametrize(
    "function, facts, words",
    [
        (lambda counts: np.abs(counts[..., 0, 1] - counts[..., 1, 0]) / counts.sum((-2, -1)), {}, "abs, max"),
        (lambda counts: 5.5 * share(counts), {}, r"is .*, beyond its range \[0, 1\]"),
        (lambda counts: counts[..., 0, 1], {"range": (0, np.inf)}, "depends on the number of cases"),
        (lambda counts: counts[0, 0] / counts.sum(), {}, "leading axes"),
        (lambda counts: counts.true_positives, {}, "raises AttributeError"),
        (lambda counts: 0 * share(counts) / 0, {}, "undefined on a table with cases"),
        (share, {"range": (1, 0)}, "smallest and the largest"),
        (share, {"range": 1}, "smallest and the largest"),
        (share, {"name": "f1"}, "already"),
        (share, {"name": "own", "aliases": ["Sensitivity"]}, "already, `recall`"),
        (share, {"name": "a+b"}, "letters, digits"),
        (share, {"name": "own", "better": "up"}, "Known: higher, lower, neither"),
        (share, {"name": "own", "form": "cels"}, "Did you mean 'cells'"),
        (share, {"name": "own", "form": "outcomes"}, r"does not take \(tp, fn, fp, tn\)"),
        (lambda counts, weight: share(counts), {}, "`weight` of `own` needs a default"),
        (lambda counts, scores: counts[0, 0] / counts.sum(), {"form": "scores"}, "leading axes"),
        (share, {"gradient": lambda counts: 0 * counts + 1}, "not the derivative"),
    ],
)  # fmt: skip
def test_what_breaks_a_law_is_refused(function, facts, words):
    """A metric for which no interval could be valid is refused at registration, in one line with the reason."""
    with pytest.raises(hs.HowsureError, match=words):
        hs.define_metric(**({"name": "own"} | facts))(function)
    assert REGISTRY.find("own") is None


def test_rounding_beyond_a_wide_range_is_no_fault():
    """A value that leaves its range by as little as rounding does, relative to the range, is taken."""
    hs.define_metric(name="percent", range=(0, 100))(lambda counts: 100 * (1 + 1e-11) * (share(counts) * 0 + 1))
    assert hs.estimate(hs.from_counts([[50, 3], [5, 42]]), "percent").value == pytest.approx(100)


def test_a_value_beyond_the_range_is_refused_later_too():
    """A function may leave its range on this table but on no generic one: the estimate states this."""
    hs.define_metric(name="rare")(lambda counts: (counts.shape[-1] - 1) * share(counts))
    assert hs.estimate(hs.from_counts([[50, 3], [5, 42]]), "rare").value == 0.5
    with pytest.raises(hs.HowsureError, match=r"`rare` is 1.9.*, beyond its range \[0, 1\]"):
        hs.estimate(hs.from_counts([[98, 1, 1], [0, 1, 0], [0, 0, 1]]), "rare")


def test_ones_own_may_be_defined_again():
    """Running a cell of a notebook twice replaces the metric: texts that were read before mean the new one."""
    hs.define_metric(name="own")(share)
    assert hs.estimate(TABLE, "own").value == pytest.approx(44 / 125)
    hs.define_metric(name="own", aliases=["mine"])(lambda counts: counts[..., 1, 1] / counts.sum((-2, -1)))
    assert hs.estimate(TABLE, "own").value == hs.estimate(TABLE, "mine").value == pytest.approx(29 / 125)
    assert REGISTRY.find("own") not in REGISTRY.shipped
    REGISTRY.remove("own")
    with pytest.raises(hs.HowsureError, match="no metric 'mine'"):
        hs.estimate(TABLE, "mine")
    with pytest.raises(hs.HowsureError, match="of your own"):
        REGISTRY.remove("f1")


def test_check_metric_names_the_law():
    """If a metric breaks a law that registration does not check, the law is named."""
    hs.define_metric(name="own")(lambda counts: np.where(counts.sum((-2, -1)) == 0, 0.0, share(counts)))
    with pytest.raises(AssertionError, match=r"`own` is 0 on a table without a case.*is_undefined_on_nothing"):
        check_metric("own")
    check_metric(resolve("f1@macro", TABLE))
    with pytest.raises(hs.HowsureError, match="no metric"):
        check_metric("nothing")


def test_gradients_take_leading_axes():
    """The delta method's standard errors of a batch of tables of scores are those of each table."""
    rng = np.random.default_rng(4)
    tables = [hs.scores(np.arange(40) % 2, np.arange(40) / 40, sample_weight=rng.integers(1, 5, 40)) for _ in range(3)]
    counts = np.stack([table.counts for table in tables])
    batch = hs.tables.ScoresTable(counts=counts, scores=tables[0].scores, labels=tables[0].labels)
    for spec in ("roc_auc", "average_precision", "brier_score", "brier_skill", "log_loss", "roc_auc+max_fpr=0.3"):
        alone = [
            standard_error(resolve(spec, each), each) for each in (select_table(batch, index) for index in range(3))
        ]
        assert standard_error(resolve(spec, batch), batch) == pytest.approx(np.array(alone), rel=1e-10)


@pytest.mark.parametrize("side", [0, 1])
def test_blocks_of_long_tables_move_the_class_of_their_own(side):
    """For 600 scores, slopes of a rate that depends on one class are those of each class, block by block."""
    counts = np.random.default_rng(1).integers(1, 5, (600, 2)) * 1.0
    counts[:100, 0] *= 30  # so that ranks are not positions
    share = lambda cells: cells[..., 400:, side].sum(-1) / cells[..., side].sum(-1)  # noqa: E731
    found, total = stepped(share, counts), counts[:, side].sum()
    above = np.arange(600) >= 400
    expected = (above - counts[above, side].sum() / total) / total
    assert found[:, 1 - side] == pytest.approx(0, abs=1e-15)
    assert np.abs(found[:, side] - expected).sum() < 0.02 * np.abs(expected).sum()  # but for the block that is cut
    assert found[0, side] == pytest.approx(expected[0], rel=1e-9)
