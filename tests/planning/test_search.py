"""The simulated check of a plan: means over studies against exact sums, and the search against roots that are known."""

import math
from statistics import NormalDist

import numpy as np
import pytest
from scipy import optimize, stats

import howsure as hs
from howsure.metrics.contrast import EFFECTS
from howsure.planning import search
from howsure.planning.goals import Shown, Width
from howsure.planning.pilots import Pilot
from howsure.planning.search import Reached, corrected, corrected_cases, simulated, whole

TABLE = hs.from_counts([[50, 3], [5, 42]])
SHARE = 0.92  # its accuracy
SEED = np.random.SeedSequence(3)
QUANTILE = NormalDist().inv_cdf(0.975)
ABOVE = Shown(target=0.8, level=0.95, regions=((0.85, math.inf),))


def pilot_of(method, metric="accuracy", table=TABLE):
    return Pilot.of((table,), metric, effect=EFFECTS["difference"], method=method)


def wilson(n):
    """Return the limits of all Wilson intervals of n cases, and the chance of each."""
    k = np.arange(n + 1)
    centre = (k + QUANTILE**2 / 2) / (n + QUANTILE**2)
    half = QUANTILE * np.sqrt(k * (n - k) / n + QUANTILE**2 / 4) / (n + QUANTILE**2)
    return centre - half, centre + half, stats.binom(n, SHARE).pmf(k)


def width_of(n):
    """Return mean and standard deviation of the width of a Wilson interval of n cases."""
    low, high, chance = wilson(n)
    mean = (chance * (high - low)).sum()
    return mean, math.sqrt((chance * (high - low - mean) ** 2).sum())


def power_of(n):
    """Return the chance that the lower limit of n cases is above 0.85."""
    low, _, chance = wilson(n)
    return chance[low > 0.85].sum()


class Recorded:
    """A goal that keeps the studies that it sees."""

    def __init__(self):
        self.tables, self.intervals = [], []

    def seen(self, table, interval):
        """Return the upper limits."""
        self.tables.append(np.asarray(table.counts))
        self.intervals.append(np.stack([interval.low, interval.high]))
        return np.asarray(interval.high)


# ------------------------------------------------------------------------------------------- simulated studies


@pytest.mark.parametrize("n", [30, 200])
def test_means_are_those_of_all_outcomes(n):
    """Mean width and chance are the sums over all binomial outcomes, and so is the Monte Carlo error."""
    width, shown = simulated(pilot_of(hs.methods.Wilson()), [Width(target=0.1, level=0.95), ABOVE], 0.95, n, SEED)
    mean, deviation = width_of(n)
    assert width.studies == shown.studies == 4000
    assert width.mean == pytest.approx(mean, abs=4 * deviation / math.sqrt(4000))
    assert width.error == pytest.approx(deviation / math.sqrt(4000), rel=0.1)
    chance = power_of(n)
    assert shown.mean == pytest.approx(chance, abs=4 * math.sqrt(chance * (1 - chance) / 4000) + 1e-12)
    assert shown.error == pytest.approx(math.sqrt(shown.mean * (1 - shown.mean) / 4000), rel=1e-9)


def test_each_study_has_its_cases_and_its_interval(monkeypatch):
    """Studies come in blocks that fit memory: other studies in each, of n cases, with their own Wilson intervals."""
    monkeypatch.setattr(search, "AT_ONCE", 4 * 1500)
    recorded = Recorded()
    found = simulated(pilot_of(hs.methods.Wilson()), [recorded], 0.95, 40, SEED)[0]
    assert [len(each) for each in recorded.tables] == [1500, 1500, 1000]
    assert all((each.sum((1, 2)) == 40).all() for each in recorded.tables)
    assert not np.array_equal(recorded.tables[0], recorded.tables[1])
    assert not np.array_equal(recorded.tables[0][:1000], recorded.tables[2])
    low, high, _ = wilson(40)
    right = np.trunc(np.concatenate([each[:, 0, 0] + each[:, 1, 1] for each in recorded.tables])).astype(int)
    np.testing.assert_allclose(np.concatenate(recorded.intervals, axis=1), [low[right], high[right]], rtol=1e-9)
    assert found.mean == pytest.approx(high[right].mean(), rel=1e-12)


def test_number_of_studies_falls_with_the_size_of_their_tables(monkeypatch):
    """The size of all tables is bounded, with at least a hundred studies; a part is a fraction of these."""
    pilot, goal = pilot_of(hs.methods.Wilson()), Width(target=0.1, level=0.95)
    assert simulated(pilot, [goal], 0.95, 40, SEED, 4)[0].studies == 1000
    monkeypatch.setattr(search, "NUMBERS", 4 * 700)
    assert simulated(pilot, [goal], 0.95, 40, SEED)[0].studies == 700
    monkeypatch.setattr(search, "NUMBERS", 4)
    assert simulated(pilot, [goal], 0.95, 40, SEED)[0].studies == 100
    monkeypatch.setattr(search, "AT_ONCE", 1)
    assert simulated(pilot, [goal], 0.95, 40, SEED, 20)[0].studies == 5


def test_studies_one_by_one_have_the_intervals_of_their_tables(monkeypatch):
    """Intervals that are computed one by one are those of each drawn table alone."""
    monkeypatch.setattr(Pilot, "takes_batches", False)
    monkeypatch.setattr(search, "LONE_STUDIES", 7)
    recorded = Recorded()
    found = simulated(pilot_of(None, "f1"), [recorded], 0.9, 60, SEED)[0]
    assert found.studies == 7
    tables, limits = np.concatenate(recorded.tables), np.concatenate(recorded.intervals, axis=1)
    assert len(np.unique(tables, axis=0)) > 1
    for table, low, high in zip(tables, *limits, strict=True):
        alone = hs.estimate(hs.from_counts(table), "f1", confidence_level=0.9)
        assert (low, high) == pytest.approx((alone.low, alone.high), rel=1e-9)


def test_methods_that_draw_take_fewer_studies(monkeypatch):
    """Bootstrap intervals are drawn for sixty studies; each has a stream of its own."""
    assert search.DRAWN_STUDIES < search.LONE_STUDIES < search.STUDIES
    monkeypatch.setattr(search, "DRAWN_STUDIES", 6)
    recorded = Recorded()
    found = simulated(pilot_of(hs.methods.Bootstrap(n_resamples=200), "f1"), [recorded], 0.95, 60, SEED)[0]
    assert found.studies == 6
    assert len(np.unique(np.concatenate(recorded.intervals, axis=1)[0])) > 1


@pytest.mark.parametrize(
    "values, expected",
    [
        ([1.0, math.nan, 3.0, math.inf], (2.0, 1 / math.sqrt(2), 2)),
        ([5.0], (5.0, 0.0, 1)),
        ([math.nan, math.nan], (math.nan, math.nan, 0)),
    ],
)
def test_studies_without_an_interval_are_left_out(values, expected):
    """Mean, standard error and number are those of the finite values."""
    found = search._mean(np.array(values))
    assert (found.mean, found.error, found.studies) == pytest.approx(expected, nan_ok=True)


# ------------------------------------------------------------------------------------------- search for a place


class Simulation:
    """What is reached at each place, by a known function, and which calls there were."""

    def __init__(self, goal, function, error=0.0, studies=4000, noise=None):
        self.goal, self.function, self.error, self.studies = goal, function, error, studies
        self.noise, self.calls = noise, []

    def __call__(self, place, turn, part):
        """Return the reached value."""
        self.calls.append((place, turn, part))
        scaled = self.function(place)
        if not math.isfinite(scaled):
            return Reached(math.nan, math.nan, 0)
        if self.noise is not None:
            scaled += self.noise.normal() * self.error * math.sqrt(part)
        error = self.error * math.sqrt(part) * self.goal.unscaled(scaled)
        return Reached(self.goal.unscaled(scaled), error, self.studies // part)


GOAL = Width(target=0.1, level=0.95)
AIM = math.log(0.1)


def same(place):
    return place


@pytest.mark.parametrize("wrong", [0.5, 0.8, 1.0, 1.3, 2.0])
@pytest.mark.parametrize("start", [3.0, 5.5, 6.0, 6.5, 9.0])
def test_a_line_is_followed_to_the_target(start, wrong):
    """For a linear result its root is found, also if the slope differs from the expected one."""
    simulation = Simulation(GOAL, lambda place: AIM - 0.5 * (place - 6.0))
    found = corrected(GOAL, start, -0.5 * wrong, same, simulation)
    assert found == pytest.approx(6.0, abs=0.01 if wrong == 1 else 0.25)
    assert simulation.calls[0][0] == start
    assert len(simulation.calls) <= 6


@pytest.mark.parametrize("start", [5.0, 6.0, 7.0, 8.0])
def test_a_power_is_followed_to_its_chance(start):
    """Probabilities use their normal quantile: the place with the target power is found, for either curvature."""
    simulation = Simulation(ABOVE, lambda place: 0.9 * (place - 5.0) - 0.05 * (place - 5.0) ** 2, studies=10**9)
    found = corrected(ABOVE, start, 0.8, same, simulation)
    root = optimize.brentq(lambda place: simulation.function(place) - NormalDist().inv_cdf(0.8), 5, 7)
    assert found == pytest.approx(root, abs=0.05)


def test_first_rounds_are_quarters_and_each_round_is_another():
    """Two rounds have a quarter of the studies, later ones all; each has a number of its own."""
    simulation = Simulation(GOAL, lambda place: AIM - 0.5 * (place - 6.0), error=1.0)
    corrected(GOAL, 6.1, -0.5, same, simulation)
    assert [part for _, _, part in simulation.calls] == [4, 4, 1, 1, 1, 1]
    assert [turn for _, turn, _ in simulation.calls] == list(range(6))


def test_search_ends_with_as_many_studies_as_the_precision_takes():
    """An error of e at m studies requires m (e / 0.3 %)² of them: the search ends with that many near the target."""
    exact = Simulation(GOAL, lambda place: AIM - 0.5 * (place - 6.0), error=1e-6)
    corrected(GOAL, 6.001, -0.5, same, exact)
    assert len(exact.calls) == 2
    near = Simulation(GOAL, lambda place: AIM - 0.5 * (place - 6.0), error=0.0035)
    corrected(GOAL, 6.001, -0.5, same, near)  # 4000 (3.5 / 3)² = 5444, between 2 × 1000 and 2 × 1000 + 4000
    assert len(near.calls) == 3
    rough = Simulation(GOAL, lambda place: AIM - 0.5 * (place - 6.0), error=0.004)
    corrected(GOAL, 6.001, -0.5, same, rough)  # 4000 (4 / 3)² = 7111, between 6000 and 10 000
    assert len(rough.calls) == 4


def test_simulations_near_the_target_are_averaged():
    """Implied places of all rounds are averaged with their studies as weights: the error is that of all together."""
    rng, found = np.random.default_rng(1), []
    for _ in range(300):
        simulation = Simulation(GOAL, lambda place: AIM - 0.5 * (place - 6.0), error=0.02, noise=rng)
        found.append(corrected(GOAL, 6.0, -0.5, same, simulation))
    studies = sum(4000 / part for _, _, part in simulation.calls)
    assert np.mean(found) == pytest.approx(6.0, abs=0.01)
    assert np.std(found) == pytest.approx(0.02 / 0.5 * math.sqrt(4000 / studies), rel=0.15)


@pytest.mark.parametrize("start", [2.0, 4.0, 8.0, 12.0])
@pytest.mark.parametrize("edge", [5.0, 7.0])
def test_a_step_is_found_by_halving(start, edge):
    """If the result jumps over the target, the place of the jump is bracketed by two neighbouring places."""
    simulation = Simulation(GOAL, lambda place: AIM + (1.0 if place < edge else -1.0))
    found = corrected(GOAL, start, -0.5, same, simulation)
    places = [place for place, _, _ in simulation.calls]
    low = max(place for place in places if place < edge)
    high = min(place for place in places if place >= edge)
    assert low <= found <= high
    assert high - low < 0.5
    assert len(places) == 12


def test_places_without_an_interval_are_left_for_twice_the_cases():
    """Too few cases for any interval: the number of cases doubles until there is one."""
    simulation = Simulation(GOAL, lambda place: AIM - 0.5 * (place - 6.0) if place > 5.7 else math.nan)
    found = corrected(GOAL, 4.0, -0.5, same, simulation)
    places = [place for place, _, _ in simulation.calls]
    assert places[:4] == pytest.approx([4 + math.log(2) * each for each in range(4)])
    assert found == pytest.approx(6.0, abs=0.01)


def test_every_simulated_place_is_one_at_which_there_is_a_study():
    """Places are rounded before the simulation; the result need not be."""
    simulation = Simulation(GOAL, lambda place: AIM - 0.5 * (place - 6.03))
    found = corrected(GOAL, 4.98, -0.5, lambda place: round(place, 1), simulation)
    assert all(place == round(place, 1) for place, _, _ in simulation.calls)
    assert found == pytest.approx(6.03, abs=0.01)


# --------------------------------------------------------------------------------------------- number of cases


@pytest.mark.parametrize("unit", [1.0, 2.5, 7.0])
@pytest.mark.parametrize("n", [0.1, 1.0, 2.0, 6.9999, 7.0, 7.0 + 1e-10, 7.1, 50.0])
def test_whole_units_are_the_fewest_that_are_enough(unit, n):
    """The smallest multiple of the unit that is at least n, and two cases."""

    class Units:
        """As a pilot."""

    Units.unit = unit
    fewest = next(unit * each for each in range(1, 99) if unit * each >= max(n, 2.0) - 1e-6)
    assert whole(Units, n) == pytest.approx(fewest)


def cases_for(goal, start, expected):
    return corrected_cases(pilot_of(hs.methods.Wilson()), goal, 0.95, start, expected, SEED)


@pytest.mark.parametrize("start", [40.0, 90.0, 300.0])
@pytest.mark.parametrize("target", [0.15, 0.1])
def test_number_of_cases_has_the_mean_width(target, start):
    """At the number found the mean width over all outcomes is the target, within a percent."""
    n = cases_for(Width(target=target, level=0.95), start, lambda n: 2 * QUANTILE * math.sqrt(SHARE * 0.08 / n))
    assert n == round(n)
    assert width_of(int(n))[0] == pytest.approx(target, rel=0.01)


@pytest.mark.parametrize("start", [80.0, 150.0])
def test_number_of_cases_has_the_power_of_its_neighbours_nearest_to_the_target(start):
    """Among neighbouring numbers, whose powers are not monotone, the one nearest to 0.8 is chosen."""

    def expected(n):
        return NormalDist().cdf((SHARE - 0.85) / math.sqrt(SHARE * 0.08 / n) - QUANTILE)

    n = int(cases_for(ABOVE, start, expected))
    near = min(abs(power_of(n + each) - 0.8) for each in range(-6, 7))
    error = 3 * math.sqrt(0.8 * 0.2 / 4000)
    assert abs(power_of(n) - 0.8) <= near + error


def test_no_neighbours_are_looked_at_for_many_units_or_values(monkeypatch):
    """Seven neighbours are simulated after the search; none for many units, or without counts."""
    looked = []

    def noted(pilot, goals, level, n, seed, part=1):
        looked.append((n, tuple(seed.spawn_key)))
        return simulated(pilot, goals, level, n, seed, part)

    monkeypatch.setattr(search, "simulated", noted)
    n = cases_for(ABOVE, 150.0, lambda n: NormalDist().cdf(0.258 * math.sqrt(n) - QUANTILE))
    around = [each for each, key in looked if key[-1] >= 2 * search.ROUNDS]
    assert len(around) == 7
    assert np.diff(around).tolist() == [1.0] * 6
    assert n in around
    assert len({key for _, key in looked}) == len(looked)  # no stream twice
    looked.clear()
    monkeypatch.setattr(search, "STEPS", 20)
    cases_for(ABOVE, 150.0, lambda n: NormalDist().cdf(0.258 * math.sqrt(n) - QUANTILE))
    assert max(key[-1] for _, key in looked) < 2 * search.ROUNDS
