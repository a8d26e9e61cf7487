"""Strengths from battles: against published fits of BradleyTerry2 and Agresti, and against statsmodels."""

import numpy as np
import pytest
import statsmodels.api as sm

import howsure as hs
from howsure.comparison.contenders import contenders
from howsure.errors import HowsureError
from howsure.metrics.binding import resolve
from howsure.tables.table import with_pseudo_counts

# Citations between journals in 1987–88, cited by citing (Stigler 1994; data `citations` of BradleyTerry2).
JOURNALS = ["Biometrika", "Comm Statist", "JASA", "JRSS-B"]
CITED = [[0, 730, 498, 221], [33, 0, 68, 17], [320, 813, 0, 142], [284, 276, 325, 0]]
# Baseball, American League East 1987: row beat column (Agresti 2002, Categorical Data Analysis, table 10.10).
TEAMS = ["Milwaukee", "Detroit", "Toronto", "New York", "Boston", "Cleveland", "Baltimore"]
BEATEN = [
    [0, 7, 9, 7, 7, 9, 11],
    [6, 0, 7, 5, 11, 9, 9],
    [4, 6, 0, 7, 7, 8, 12],
    [6, 8, 6, 0, 6, 7, 10],
    [6, 2, 6, 7, 0, 7, 12],
    [4, 4, 5, 6, 6, 0, 6],
    [2, 4, 1, 3, 1, 7, 0],
]


def of_matrix(names, won, tied=None):
    """Return the table of battles that each row won against each column, and of ties above the diagonal."""
    rows = [(names[i], names[j], names[i], int(won[i][j])) for i in range(len(names)) for j in range(len(names))]
    if tied is not None:
        rows += [(names[i], names[j], "tie", int(tied[i][j])) for i in range(len(names)) for j in range(i)]
    a, b, winner, times = zip(*[row for row in rows if row[3]], strict=True)
    return hs.preferences(*(np.repeat(np.array(each, dtype=object), times) for each in (a, b, winner)))


def strengths(table, metric="bradley_terry"):
    """Return the strengths of all models."""
    return np.array([hs.estimate(table.model(name), metric, method="delta").value for name in table.models])


def random_battles(seed=0, models=5, battles=400):
    """Return names, and matrices of wins and ties."""
    rng = np.random.default_rng(seed)
    won, tied = rng.integers(1, battles // models**2 * 2, (2, models, models))
    return [f"m{index}" for index in range(models)], won * (1 - np.eye(models, dtype=int)), np.tril(tied, -1)


def test_citations_as_published():
    """The fit of `citations` has the coefficients printed in the vignette of BradleyTerry2 (Turner, Firth 2012)."""
    found = strengths(of_matrix(JOURNALS, CITED))
    assert (found - found[0]).round(4).tolist() == [0.0, -2.9491, -0.4796, 0.2690]


def test_baseball_as_published():
    """The fit of the baseball league has the coefficients of Agresti (2002, table 10.11), Baltimore being 0."""
    table = of_matrix(TEAMS, BEATEN)
    found = dict(zip(table.models, strengths(table), strict=True))
    shown = [round(found[name] - found["Baltimore"], 2) for name in TEAMS]
    assert shown == [1.58, 1.44, 1.29, 1.25, 1.11, 0.68, 0.0]


@pytest.mark.parametrize("seed", range(3))
def test_bradley_terry_is_a_logistic_regression(seed):
    """Strengths are the coefficients of statsmodels' binomial model; their errors its robust ones."""
    names, won, _ = random_battles(seed)
    table = of_matrix(names, won)
    pairs = [(i, j) for i in range(5) for j in range(5) if i != j]
    design = np.array([np.eye(5)[i] - np.eye(5)[j] for i, j in pairs for _ in range(won[i][j])])
    turned = np.arange(len(design)) % 2 == 0  # the winner is written first in every other battle
    design[turned] *= -1
    fit = sm.GLM((~turned) * 1.0, design[:, 1:], sm.families.Binomial()).fit(cov_type="HC0", tol=1e-14)
    found = strengths(table)
    np.testing.assert_allclose(found[1:] - found[0], fit.params, atol=1e-10)
    for index, name in enumerate(names[1:]):
        compared = hs.compare(table, "bradley_terry", a=name, b="m0", method="delta")
        assert compared.standard_error == pytest.approx(fit.bse[index], rel=1e-8)


def test_elo_is_on_the_scale_of_elo():
    """400 points more than another model are odds of 10 to 1, and the mean of all models is 1,000, or as stated."""
    table = of_matrix(*random_battles(4)[:2])
    elo, odds = strengths(table, "elo"), np.exp(strengths(table))
    assert elo.mean() == pytest.approx(1000)
    assert strengths(table, "elo+mean=1500").mean() == pytest.approx(1500)
    np.testing.assert_allclose(10 ** ((elo[:, None] - elo) / 400), odds[:, None] / odds)
    by_elo, by_odds = (hs.compare(table, name, a="m0", b="m1") for name in ("elo", "bradley_terry"))
    np.testing.assert_allclose([by_elo.low, by_elo.high], 400 / np.log(10) * np.array([by_odds.low, by_odds.high]))


@pytest.mark.parametrize("seed", range(3))
def test_davidson_is_a_log_linear_model(seed):
    """With ties the strengths are those of the Poisson model equivalent to Davidson's, by Fienberg (1979)."""
    names, won, tied = random_battles(seed)
    rows, response = [], []
    for at, (i, j) in enumerate(zip(*np.tril_indices(5, -1), strict=True)):
        for count, share, tie in ((won[i][j], (1, 0), 0), (won[j][i], (0, 1), 0), (tied[i][j], (0.5, 0.5), 1)):
            own = share[0] * np.eye(5)[i] + share[1] * np.eye(5)[j]
            rows.append([*own[1:], tie, *(np.arange(10) == at)])
            response.append(count)
    fit = sm.GLM(response, np.array(rows, dtype=float), sm.families.Poisson()).fit(tol=1e-14)
    found = strengths(of_matrix(names, won, tied), "davidson")
    np.testing.assert_allclose(found[1:] - found[0], fit.params[:4], atol=1e-9)


def test_without_ties_both_models_agree():
    """Davidson's strengths are Bradley and Terry's without ties."""
    table = of_matrix(TEAMS, BEATEN)
    np.testing.assert_allclose(strengths(table, "davidson"), strengths(table), atol=1e-10)


def test_two_models_by_hand():
    """With 30 battles won, 10 lost and 8 tied the log odds are log(34 / 14), half of it on each side of 0."""
    table = of_matrix(["x", "y"], [[0, 30], [10, 0]], [[0, 0], [8, 0]])
    assert strengths(table) == pytest.approx([np.log(34 / 14) / 2, -np.log(34 / 14) / 2])
    assert strengths(table, "davidson") == pytest.approx([np.log(30 / 10) / 2, -np.log(30 / 10) / 2])
    assert hs.estimate(table.model("x"), "win_rate").value == pytest.approx(34 / 48)
    assert hs.estimate(table.model("x"), "win_probability+against=y").value == pytest.approx(34 / 48)


def test_win_probability_is_of_the_difference():
    """The chance to win follows from the difference of strengths, and by default is the mean over the others."""
    table = of_matrix(JOURNALS, CITED)
    found = strengths(table)
    chances = 1 / (1 + np.exp(np.delete(found, 2) - found[2]))
    own = table.model("JASA")
    assert hs.estimate(own, "win_probability+against=JRSS-B").value == pytest.approx(chances[2])
    assert hs.estimate(own, "win_probability").value == pytest.approx(chances.mean())


@pytest.mark.parametrize("metric", ["bradley_terry", "davidson", "win_probability", "win_probability+against=m3"])
def test_gradients_are_those_of_refits(metric):
    """The implicit derivative is the change that a refit shows."""
    names, won, tied = random_battles(1)
    own = of_matrix(names, won, tied).model("m1")
    bound, counts = resolve(metric, own), own.counts.astype(float)
    steps = 1e-4 * np.eye(len(counts))
    refits = (bound(counts + steps) - bound(counts - steps)) / 2e-4
    np.testing.assert_allclose(bound.gradient(own.counted), refits, atol=1e-9)


def test_tables_at_once_are_tables_alone():
    """A stack of tables has the strengths of each, also if wins of some do not connect all models."""
    names, won, tied = random_battles(2)
    own = of_matrix(names, won, tied).model("m0")
    bound, rng = resolve("davidson", own), np.random.default_rng(0)
    stack = rng.poisson(0.7, (20, own.counts.size)).astype(float)
    with np.errstate(all="ignore"):
        together, alone = bound(stack), [float(bound(each)) for each in stack]
    np.testing.assert_allclose(together, alone, rtol=1e-9, atol=1e-12)
    assert np.isnan(together).any()
    assert np.isfinite(together).any()


def test_a_model_that_always_wins_has_no_strength():
    """A model that won everything is reported as stronger than any number, and the others are compared."""
    won = [[0, 3, 3, 3], [0, 0, 5, 2], [0, 4, 0, 3], [0, 3, 3, 0]]
    table = of_matrix(["best", "b", "c", "d"], won)
    alone = of_matrix(["b", "c", "d"], np.array(won)[1:, 1:])
    found = hs.evaluate_models(table, "bradley_terry")
    assert "won all its battles" in found["best"]["bradley_terry"].reason
    others = [found[name]["bradley_terry"].value for name in "bcd"]
    np.testing.assert_allclose(others, strengths(alone), atol=1e-12)
    assert 0 < hs.estimate(table.model("best"), "win_rate").value == 1


def test_models_that_never_met_are_not_compared():
    """With two leagues without a battle between them, the one with more battles has strengths."""
    won = np.zeros((4, 4), dtype=int)
    won[:2, :2], won[2:, 2:] = [[0, 9], [5, 0]], [[0, 3], [2, 0]]
    table = of_matrix(["a", "b", "c", "d"], won)
    found = strengths(table)
    assert found[:2] == pytest.approx([np.log(9 / 5) / 2, -np.log(9 / 5) / 2])
    assert np.isnan(found[2:]).all()
    compared = hs.compare(table, "bradley_terry", a="a", b="c")
    assert np.isnan(compared.value)
    assert "no wins lead" in compared.reason


def test_only_ties_leave_davidson_undefined():
    """If all battles are ties, the distance of the models is undefined; half wins make them equal."""
    table = of_matrix(["A", "B"], [[0, 0], [0, 0]], [[0, 0], [8, 0]])
    assert np.isnan(strengths(table, "davidson")).all()
    assert strengths(table).tolist() == [0.0, 0.0]


def test_posterior_of_a_perfect_record_is_finite():
    """With pseudo-cases the draws of a model that won everything have an interval; its strength is infinite."""
    table = of_matrix(["A", "B"], [[0, 6], [0, 0]])
    found = hs.estimate(table.model("A"), "bradley_terry", method="bayes", random_state=0)
    assert np.isnan(found.value)
    assert 0 < hs.estimate(with_pseudo_counts(table).model("A"), "bradley_terry", method="delta").value < 5


@pytest.mark.parametrize("against", ["nobody", "Biometrika"])
def test_win_probability_is_against_another(against):
    """An unknown name is refused, with the names of the other models."""
    own = of_matrix(JOURNALS, CITED).model("Biometrika")
    with pytest.raises(HowsureError, match="other model"):
        hs.estimate(own, f"win_probability+against={against}")


def test_strengths_rank():
    """A leaderboard of strengths distinguishes the four journals, as the published errors of 0.06 to 0.1 do."""
    board = hs.leaderboard(of_matrix(JOURNALS, CITED), "bradley_terry", random_state=0)
    assert [(each.model, each.rank_low, each.rank_high) for each in board.places] == [
        ("JRSS-B", 1, 1),
        ("Biometrika", 2, 2),
        ("JASA", 3, 3),
        ("Comm Statist", 4, 4),
    ]


def test_standard_errors_are_those_of_resampling():
    """A bootstrap of battles in clusters has the spread that the delta method gives."""
    rng = np.random.default_rng(0)
    prompt = rng.integers(0, 60, 900)
    leaning = rng.normal(0, 1, (60, 3))[prompt]
    a, b = rng.integers(0, 3, 900), rng.integers(1, 3, 900)
    b = (a + b) % 3
    better = leaning[np.arange(900), a] + 0.4 * (a == 0) > leaning[np.arange(900), b] + rng.logistic(size=900)
    table = hs.preferences(a, b, np.where(rng.random(900) < 0.2, "tie", np.where(better, "a", "b")), groups=prompt)
    for metric in ("bradley_terry", "davidson", "win_rate"):
        own = table.model("0")
        delta = hs.estimate(own, metric, method="delta").standard_error
        drawn = hs.estimate(own, metric, method=hs.methods.Bootstrap("percentile", n_resamples=2000), random_state=0)
        assert delta == pytest.approx(drawn.standard_error, rel=0.08)


@pytest.mark.thorough
def test_intervals_of_strengths_cover():
    """After 300 battles of four models 95 % intervals cover the true strengths in about 95 of 100 studies."""
    rng, true = np.random.default_rng(0), np.array([0.9, 0.3, -0.3, -0.9])
    held = []
    for _ in range(120):
        first = rng.integers(0, 4, 300)
        second = (first + rng.integers(1, 4, 300)) % 4
        won = rng.random(300) < 1 / (1 + np.exp(true[second] - true[first]))
        found = contenders(hs.preferences(first, second, np.where(won, "a", "b")), "bradley_terry")
        held.append(np.abs(found.values - true) <= 1.96 * np.sqrt(np.diag(found.covariance)))
    assert np.mean(held) == pytest.approx(0.95, abs=3 * 0.01)
