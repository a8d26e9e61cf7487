"""Sets of ranks against csranks: its published figures, and its procedure written out from the paper."""

import numpy as np
import pytest

import howsure as hs
from howsure.comparison.contenders import contenders
from howsure.comparison.rank_sets import Estimated, rank_sets

# OECD, PISA 2018 in mathematics: mean score and standard error, and the first and last rank that csranks 1.2 draws for
# each country (github.com/danielwilhelm/R-CS-ranks, examples/mathsimul.jpg, made by examples/pisaexample_math.R:
# csranks(math_score, math_se, coverage=0.95, simul=TRUE, R=1000, seed=101)).
PISA = """
Japan 526.9732502 2.471475318 1 6; Korea 525.933002 3.121394315 1 7; Estonia 523.4145802 1.743602224 1 6
Netherlands 519.2309824 2.632277885 1 11; Poland 515.6478747 2.602085176 1 12; Switzerland 515.3147131 2.908003898 1 13
Canada 512.0169429 2.357475749 3 17; Denmark 509.3983746 1.735002337 4 18; Slovenia 508.8975441 1.363877596 4 18
Belgium 508.0703063 2.262662011 4 18; Finland 507.3013618 1.967920411 4 18; Sweden 502.3877022 2.654250935 5 24
UK 501.7698992 2.564428111 6 24; Norway 500.9637885 2.219044878 7 24; Germany 500.0437805 2.647083096 7 25
Ireland 499.632894 2.198621128 8 25; Czechia 499.4676508 2.460661531 7 25; Austria 498.9423138 2.970998694 7 26
Latvia 496.1263306 1.962766789 12 26; France 495.4075794 2.320214487 12 26; Iceland 495.1873762 1.953082603 12 26
NewZealand 494.489676 1.705942856 12 26; Portugal 492.4874062 2.684570081 12 31; Australia 491.3600252 1.939833031 12 30
Italy 486.5898573 2.780045867 15 31; Slovakia 486.1648542 2.555595707 18 31; Luxembourg 483.421485 1.097632409 23 31
Spain 481.3926126 1.462417763 24 31; Lithuania 481.1911884 1.953282039 23 31; Hungary 481.0826364 2.319596741 23 31
US 478.2447174 3.235444099 23 32; Israel 463.0345488 3.498563228 31 34; Turkey 453.5077774 2.260406789 32 34
Greece 451.3703438 3.091228197 32 34; Chile 417.4065563 2.41588757 35 36; Mexico 408.8014734 2.493225544 35 36
Colombia 390.9322732 2.989559274 37 37
"""


def independent(values, errors):
    """Return independent normal estimates."""
    return Estimated(np.asarray(values), np.diag(np.square(errors)), np.full((len(values),) * 2, np.inf))


def sets_of(given, level=0.95, seed=0):
    """Return the sets of ranks, from seeded draws."""
    return rank_sets(given, given.deviations(np.random.default_rng(seed)), level)


@pytest.fixture(scope="module")
def pisa():
    """Return names, estimates and published ranks."""
    rows = [row.split() for row in PISA.replace("\n", ";").split(";") if row.strip()]
    numbers = np.array([row[1:] for row in rows], dtype=float)
    return [row[0] for row in rows], independent(*numbers[:, :2].T), numbers[:, 2:].astype(int)


def test_published_simultaneous_sets(pisa):
    """The simultaneous sets of ranks of 37 countries equal those of csranks."""
    _, given, published = pisa
    assert sets_of(given).simultaneous.tolist() == published.tolist()


def test_published_marginal_and_best_sets(pisa):
    """12 countries may be among the first five, Sweden not at 90 %; the UK alone is 7th or 8th to 23rd (vignette)."""
    names, given, _ = pisa
    first_five = [np.array(names)[sets_of(given, level).simultaneous[:, 0] <= 5].tolist() for level in (0.95, 0.9)]
    assert len(first_five[0]) == 12
    assert set(first_five[0]) - set(first_five[1]) == {"Sweden"}
    low, high = sets_of(given).marginal[names.index("UK")]
    assert (low, high) in {(7, 23), (8, 23)}  # of 1,000 draws there, and of 10,000 here


def test_documented_example():
    """``csranks(seq(1, 3, length=10), rep(0.2, 10))`` has these limits in its reference."""
    found = sets_of(independent(np.linspace(1, 3, 10), np.full(10, 0.2)), seed=1).simultaneous
    assert found[:, 0].tolist() == [7, 6, 5, 4, 3, 2, 1, 1, 1, 1]
    assert found[:, 1].tolist() == [10, 10, 10, 10, 9, 8, 7, 6, 5, 4]


def written_out(values, spread, deviations, level, pairs):
    """Return which pairs are decided, one ordered pair after the other, step by step."""
    open_, decided = set(pairs), set()
    while open_:
        largest = np.max([(deviations[i] - deviations[j]) / spread[i, j] for i, j in open_], axis=0)
        critical = np.quantile(np.maximum(largest, 0), level)
        new = {(i, j) for i, j in open_ if values[i] - values[j] > critical * spread[i, j]}
        if not new:
            break
        decided |= new
        open_ -= new
    return decided


@pytest.mark.parametrize("seed", range(6))
def test_equals_the_procedure_written_out(seed):
    """Correlated estimates have the sets of the procedure written out pair by pair."""
    rng = np.random.default_rng(seed)
    root = rng.normal(0, 0.5, (7, 7))
    given = Estimated(rng.normal(0, 1.6, 7), root @ root.T, np.full((7, 7), np.inf))
    deviations = given.deviations(rng)
    found = rank_sets(given, deviations, 0.9)
    every = [(i, j) for i in range(7) for j in range(7) if i != j]
    decided = written_out(given.values, given.spread, deviations, 0.9, every)
    assert {(i, j) for i, j in every if found.above[i, j]} == decided
    for one in range(7):
        own = written_out(given.values, given.spread, deviations, 0.9, [pair for pair in every if one in pair])
        low = 1 + sum(j == one for _, j in own)
        assert found.marginal[one].tolist() == [low, 7 - sum(i == one for i, _ in own)]


def test_models_that_never_differ_are_never_told_apart():
    """Two models with the same errors on the same cases share all draws, and neither is above the other."""
    given = Estimated(
        np.array([0.5, 0.5, 0.1]), 0.01 * np.array([[1, 1, 0], [1, 1, 0], [0, 0, 1]]), np.full((3, 3), 99)
    )
    deviations = given.deviations(np.random.default_rng(0))
    assert (deviations[0] == deviations[1]).all()
    found = rank_sets(given, deviations, 0.95)
    assert found.simultaneous.tolist() == [[1, 2], [1, 2], [3, 3]]


def test_few_cases_decide_nothing():
    """One case that the first model gets right and the second wrong has no variance, and still decides nothing."""
    given = Estimated(np.array([1.0, 0.0]), np.zeros((2, 2)), np.ones((2, 2)))
    assert sets_of(given).simultaneous.tolist() == [[1, 2], [1, 2]]


@pytest.mark.thorough
def test_sets_hold_together_among_equals():
    """Among six equal, correlated models, at most about one study in twenty claims a difference."""
    rng = np.random.default_rng(0)
    covariance = 0.4 + 0.6 * np.eye(6)
    drawn = rng.multivariate_normal(np.zeros(6), covariance, 120)
    deviations = Estimated(drawn[0], covariance, np.full((6, 6), np.inf)).deviations(rng)
    found = [
        rank_sets(Estimated(each, covariance, np.full((6, 6), np.inf)), deviations, 0.95).above.any() for each in drawn
    ]
    assert np.mean(found) == pytest.approx(0.05, abs=3 * 0.02)


@pytest.mark.slow
@pytest.mark.parametrize("models, items", [(2, 50), (5, 500), (20, 100)])
def test_sets_of_answers_hold_together(models, items):
    """Equally good models on the same binary items are distinguished in at most one study in twenty."""
    rng, studies = np.random.default_rng(models), 1000
    held = 0
    for _ in range(studies):
        hard = rng.normal(0, 1.5, items)
        right = (rng.random((models, items)) < 1 / (1 + np.exp(hard))) * 1
        given = contenders(hs.values(dict(zip(map(str, range(models)), right, strict=True)), bounds=(0, 1)), "mean")
        held += not sets_of(given.estimated(np.arange(models), 1.0), seed=rng.integers(2**31)).above.any()
    assert held / studies >= 0.95 - 3 * 0.0069
