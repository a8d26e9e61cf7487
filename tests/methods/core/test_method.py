"""Base classes of methods: batches, joint metrics, draws and refusals."""

import abc
from dataclasses import replace
from typing import ClassVar

import numpy as np
import pytest
from scipy import stats

import howsure as hs
from howsure.methods.core.interval import Interval
from howsure.methods.core.method import (
    DrawingMethod,
    JointMethod,
    Method,
    needs_counted_cases,
    needs_labels,
    needs_no_distance,
    tests_by,
)
from howsure.metrics.binding import resolve
from howsure.tables.table import select_table

COUNTS = np.array([[[50, 3], [5, 42]], [[20, 10], [7, 30]], [[9, 1], [0, 6]]])
ONE = hs.from_counts(COUNTS[0])
BATCH = replace(ONE, counts=COUNTS * 1.0)


class Plain(Method, abc.ABC):  # so that it is not registered
    """Normal limits of a share, one table at a time; a drawn number shows the seed."""

    name: ClassVar[str] = "plain_of_test"

    def at_levels(self, metric, table, rng=None):
        """Return value ± z · error, with a number of the stream as the standard error if there is a seed."""
        value = float(metric(table.counted))
        error = np.sqrt(value * (1 - value) / table.cells.sum())
        mark = error if rng is None else np.random.default_rng(rng).random()

        def interval(level):
            half = stats.norm.isf((1 - level) / 2) * error
            return Interval(value - half, value + half, mark, reason="" if value < 1 else "one")

        return interval


class Together(JointMethod, abc.ABC):
    """The limits of several metrics as their values less and plus what the level leaves."""

    name: ClassVar[str] = "together_of_test"
    asked: ClassVar[list] = []

    def all_at_levels(self, metrics, table):
        """Return value ± (1 − level), and store what was asked."""
        self.asked.append(len(metrics))
        values = [np.asarray(each(table.counted)) for each in metrics]
        return lambda level: [Interval(each - (1 - level), each + (1 - level), each) for each in values]


class TogetherOfBatches(Together, abc.ABC):
    """The same for batches."""

    name: ClassVar[str] = "together_of_batches_of_test"
    takes_batches: ClassVar[bool] = True


class Drawn(DrawingMethod, abc.ABC):
    """Extremes of the draws of tables with a number of cases of each cell."""

    name: ClassVar[str] = "drawn_of_test"

    @property
    def size(self):
        """Return the number of draws."""
        return 40

    def drawer(self, table):
        """Return the function that draws Poisson counts."""
        return lambda size, rng: rng.poisson(table.cells, (size, table.cells.size)) * 1.0

    def levels_of(self, draws, *_):
        """Return the least and the largest draw."""
        return lambda level: Interval(draws.min(), draws.max(), level, draws)


def test_tables_of_a_batch_are_taken_one_by_one():
    """Each has its own limits, reason and stream, whose seed is no other's; one table has plain numbers."""
    metric = resolve("accuracy", BATCH)
    found = Plain().interval(metric, BATCH, 0.9)
    values = np.trace(COUNTS, axis1=1, axis2=2) / COUNTS.sum((1, 2))
    half = stats.norm.isf(0.05) * np.sqrt(values * (1 - values) / COUNTS.sum((1, 2)))
    assert np.asarray(found.low) == pytest.approx(values - half)
    assert np.asarray(found.high) == pytest.approx(values + half)
    alone = Plain().interval(resolve("accuracy", ONE), ONE, 0.9)
    assert (type(alone.low), alone.low) == (float, pytest.approx(found.low[0]))
    marks = [Plain().interval(metric, BATCH, 0.9, seed).standard_error for seed in (1, 1, 2)]
    assert len({*marks[0].tolist(), *marks[2].tolist()}) == 6
    assert marks[0].tolist() == marks[1].tolist()
    both = Plain().intervals([metric, resolve("error_rate", BATCH)], BATCH, 0.9)
    assert both[1].low == pytest.approx(1 - np.asarray(found.high))


def test_p_values_are_what_the_level_leaves_at_the_null():
    """For one table and for each of a batch: twice the normal tail of the distance in standard errors."""
    metric = resolve("accuracy", BATCH)
    values, cases = np.trace(COUNTS, axis1=1, axis2=2) / COUNTS.sum((1, 2)), COUNTS.sum((1, 2))
    expected = 2 * stats.norm.sf(np.abs(values - 0.7) / np.sqrt(values * (1 - values) / cases))
    assert Plain().p_values(metric, BATCH, 0.7) == pytest.approx(expected, rel=1e-6)
    assert Plain().p_value(resolve("accuracy", ONE), ONE, 0.7) == pytest.approx(expected[0], rel=1e-6)
    interval, tested = Plain().intervals_and_p_values(metric, BATCH, 0.9, 0.7)
    assert tested == pytest.approx(expected, rel=1e-6)
    assert np.asarray(interval.low) == pytest.approx(np.asarray(Plain().interval(metric, BATCH, 0.9).low))

    def limits(levels):
        half = stats.norm.isf(np.asarray(levels.tail) / 2) * np.sqrt(values * (1 - values) / cases)
        return Interval(values - half, values + half)

    assert tests_by(limits, values, 0.7) == pytest.approx(expected, rel=1e-6)
    delta = hs.methods.Delta()
    assert delta.takes_levels
    alone = [delta.p_value(metric, select_table(BATCH, index), 0.7) for index in range(3)]
    assert delta.p_values(metric, BATCH, 0.7) == pytest.approx(alone, rel=1e-6)
    assert np.isnan(Plain().e_value(metric, ONE, 0.7))
    assert Plain().one_sided().name == "plain_of_test"


@pytest.mark.parametrize("method, asked", [(Together(), [1, 1, 1, 1, 1, 1]), (TogetherOfBatches(), [2])])
def test_metrics_of_a_batch_are_taken_in_one_pass_where_that_is_possible(method, asked):
    """Otherwise one table after another; for one table all metrics are taken at once, with plain numbers."""
    metrics = [resolve(each, BATCH) for each in ("accuracy", "error_rate")]
    Together.asked.clear()
    found = method.intervals(metrics, BATCH, 0.9)
    assert Together.asked == asked
    for metric, each in zip(metrics, found, strict=True):
        value = np.asarray(metric(BATCH.counted))
        assert np.asarray(each.low) == pytest.approx(value - 0.1)
        assert np.asarray(each.high) == pytest.approx(value + 0.1)
    Together.asked.clear()
    first, second = method.intervals([resolve(each, ONE) for each in ("accuracy", "error_rate")], ONE, 0.8)
    assert Together.asked == [2]
    assert (type(first.low), first.low, second.high) == (float, pytest.approx(0.72), pytest.approx(0.28))


def test_metrics_of_drawn_tables_share_one_stream():
    """Their draws are of the same tables, and say so; another seed is another stream."""
    accuracy, error = resolve("accuracy", ONE), resolve("error_rate", ONE)
    first, second = Drawn().intervals([accuracy, error], ONE, 0.9, 3)
    assert first.draws + second.draws == pytest.approx(np.ones(40))
    assert (first.low, first.high) == (first.draws.min(), first.draws.max())
    assert first.standard_error == 0.9
    assert first.stream == second.stream
    assert Drawn().interval(accuracy, ONE, 0.9, 3).draws.tolist() == first.draws.tolist()
    assert Drawn().draws([accuracy, error], ONE, 3)[1].tolist() == second.draws.tolist()
    other = Drawn().interval(accuracy, ONE, 0.9, 4)
    assert other.stream != first.stream
    assert Drawn().interval_of(np.array([0.2, 0.4]), accuracy, ONE, 0.5).high == 0.4
    batch = Drawn().intervals([accuracy, error], BATCH, 0.9, 3)
    assert batch[0].draws + batch[1].draws == pytest.approx(np.ones((3, 40)))


def test_refusals_name_what_to_use():
    """Scores without labels, distances from calibration and estimated counts each have their alternatives."""
    method, scores = hs.methods.Wilson(), hs.scores([0, 1, 1, 0, 1], [0.2, 0.7, 0.6, 0.4, 0.9])
    chances = hs.calibrated(np.linspace(0.1, 0.9, 9))
    assert needs_labels(method, scores) == needs_labels(method, ONE) == ""
    assert "'predictive'" in needs_labels(method, chances)
    assert "`Wilson`" in needs_labels(method, chances)
    ece, brier = resolve("ece", scores), resolve("brier_score", scores)
    assert "Use 'gap_test'" in needs_no_distance(method, ece, scores)
    assert needs_no_distance(method, brier, scores) == ""
    assert needs_no_distance(method, resolve("ece", chances), chances) == ""  # which has another refusal
    assert needs_counted_cases(method, ONE) == ""
    transported = hs.transported(ONE, {0: 0.4, 1: 0.6})
    assert "were counted" in needs_counted_cases(method, transported)
    assert needs_counted_cases(method, chances) == needs_labels(method, chances)
