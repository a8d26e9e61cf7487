"""Drawn tables follow the stated distribution, and depend only on the seed."""

import os

import numpy as np
import pytest

import howsure as hs
from howsure.methods.core.draws import group_seed

COUNTS = np.array([[50.0, 3.0, 2.0], [5.0, 42.0, 0.0], [1.0, 4.0, 30.0]])
TABLE = hs.from_counts(COUNTS)
SIZE = 4000
RNG = np.random.default_rng(3)
N = 120
TRUE = RNG.integers(0, 2, N)
SAID, OTHER = (np.where(RNG.random(N) < share, TRUE, 1 - TRUE) for share in (0.8, 0.7))
SCORE = np.round(0.5 * RNG.random(N) + 0.4 * TRUE, 1)
WEIGHT, CLUSTER = RNG.gamma(2, 0.5, N), np.arange(N) // 4
SOURCES = ("posterior", "prior", "random", "sampling", "truth")


def drawn(table=TABLE, n=SIZE, **settings):
    return hs.methods.draw_tables(table, n, random_state=0, **settings)


def dirichlet(parameters):
    """Return mean and standard deviation of each share of a Dirichlet distribution."""
    total = parameters.sum()
    mean = parameters / total
    return mean, np.sqrt(mean * (1 - mean) / (total + 1))


def assert_moments(tables, mean, deviation):
    """Compare means with their Monte Carlo error, and standard deviations within 10 %."""
    assert np.abs(tables.mean(0) - mean).max() <= 5 * np.max(deviation) / np.sqrt(len(tables))
    assert tables.std(0) == pytest.approx(deviation, rel=0.1, abs=1e-9)


@pytest.mark.parametrize("prior, cell", [(0.0, 0.0), (1.0, 1.0), ("jeffreys", 0.5)])
def test_posterior_shares_are_counts_and_prior_over_their_total(prior, cell):
    """The posterior is a Dirichlet of the counts plus the prior: its mean is (counts + prior) / total."""
    found = drawn(prior=prior)
    assert found.shape == (SIZE, 3, 3)
    assert found.sum((1, 2)) == pytest.approx(1)
    assert_moments(found, *dirichlet(COUNTS + cell))


def test_default_posterior_is_a_mixture_over_two_unseen_cases():
    """Each draw is of a Dirichlet of the counts and two cases, each of any class, right or wrong with equal chance."""
    found = drawn(n=4 * SIZE)  # of an empty cell, that few draws fill, the deviation is known to 2.4 %
    right = np.eye(3, dtype=bool)
    chance = np.where(right, 1 / 6, 1 / 12)  # of a case: three right cells, six wrong ones
    total = COUNTS.sum() + 2
    parameters = COUNTS + 2 * chance
    # Within a place Dirichlet, and between the places twice a Bernoulli variable of one unseen case.
    squares = (COUNTS + COUNTS**2) + 2 * chance * (1 + 2 * COUNTS + 1) + 2 * chance**2
    deviation = np.sqrt(squares / total / (total + 1) - (parameters / total) ** 2)
    assert_moments(found, parameters / total, deviation)


def test_prior_shares_do_not_look_at_the_counts():
    """The prior alone is a Dirichlet of its pseudo-cases, by cell."""
    prior = np.array([[5.0, 1, 1], [1, 5, 1], [1, 1, 5]])
    assert_moments(drawn(source="prior", prior=prior), *dirichlet(prior))


def test_a_random_classifier_predicts_the_same_whatever_the_truth():
    """For a random classifier, predictions of each true class are one flat Dirichlet; the prevalence is observed."""
    found = drawn(source="random")
    rows = found.sum(2)
    assert_moments(rows, *dirichlet(COUNTS.sum(1) + 2 / 3))
    assert_moments(found[:, 0] / rows[:, :1], *dirichlet(np.ones(3)))


@pytest.mark.parametrize("prevalence", [[0.2, 0.3, 0.5], [20, 30, 50]])
def test_prevalence_of_another_population(prevalence):
    """Shares fix the true classes' totals, parameters draw them; predictions within a class stay the posterior's."""
    found = drawn(prevalence=prevalence)
    rows, share = found.sum(2), np.array(prevalence, dtype=float)
    if share.sum() == 1:
        assert rows == pytest.approx(np.tile(share, (SIZE, 1)))
    else:
        assert_moments(rows, *dirichlet(share))
    assert_moments(found[:, 0] / rows[:, :1], *dirichlet(COUNTS[0] + np.array([1 / 3, 1 / 6, 1 / 6])))


def test_prior_of_the_prevalence():
    """With its own prior the prevalence is a Dirichlet of the class totals plus that prior."""
    rows = drawn(prior=1.0, prevalence_prior=[10.0, 20.0, 30.0]).sum(2)
    assert_moments(rows, *dirichlet(np.add(COUNTS.sum(1), [10, 20, 30])))


def test_truth_is_a_multinomial_sample():
    """Whole tables of the table's own number of cases, with a multinomial's mean and variance."""
    found = drawn(source="truth")
    total, shares = COUNTS.sum(), COUNTS / COUNTS.sum()
    assert (found == np.rint(found)).all()
    assert (found.sum((1, 2)) == total).all()
    assert_moments(found, COUNTS, np.sqrt(total * shares * (1 - shares)))


@pytest.mark.parametrize("cases", [20, 400])
def test_truth_of_another_number_of_cases(cases):
    """`cases` is the size of each drawn test set."""
    found = drawn(source="truth", cases=cases)
    shares = COUNTS / COUNTS.sum()
    assert_moments(found, cases * shares, np.sqrt(cases * shares * (1 - shares)))


def test_cases_from_the_posterior_are_predictive():
    """Whole counts from the posterior vary as a Dirichlet-multinomial: as m (m + a) / (a + 1) of the binomial's share."""
    cases, parameters = 60, COUNTS + 1
    found = drawn(prior=1.0, cases=cases)
    total, share = parameters.sum(), parameters / parameters.sum()
    assert (found == np.rint(found)).all()
    assert (found.sum((1, 2)) == cases).all()
    assert_moments(found, cases * share, np.sqrt(cases * share * (1 - share) * (cases + total) / (1 + total)))


def tables_of_every_kind():
    """Yield tables of each kind of evidence by name."""
    pair = {"A": SAID, "B": OTHER}
    two = np.stack([TRUE, SAID], 1)
    reviews = np.array([[[8.0, 1.0], [3.0, 5.0]], [[6.0, 4.0], [0.0, 9.0]]])
    return {
        "counted": hs.confusion(TRUE, SAID),
        "weighted": hs.confusion(TRUE, SAID, sample_weight=WEIGHT),
        "clustered": hs.confusion(TRUE, SAID, groups=CLUSTER),
        "both": hs.confusion(TRUE, SAID, sample_weight=WEIGHT, groups=CLUSTER),
        "fixed": hs.confusion(TRUE, SAID).with_design(hs.designs.FixedMargins()),
        "scores": hs.scores(TRUE, SCORE),
        "paired": hs.paired(TRUE, pair),
        "paired scores": hs.paired_scores(TRUE, {"A": SCORE, "B": np.round(SCORE * OTHER, 1)}),
        "multilabel": hs.confusion(two, two[:, ::-1]),
        "calibrated": hs.calibrated(SCORE).at(0.5),
        "reviewed": hs.reviewed([[90, 10], [20, 80]], reviews),
    }


KINDS = tables_of_every_kind()


@pytest.mark.parametrize("kind", KINDS)
def test_samples_vary_as_the_design_says(kind):
    """Repetitions of the study have the table's mean, and a linear form the variance of the design."""
    table = KINDS[kind]
    found = drawn(table, source="sampling")
    assert found.shape == (SIZE, *table.shape)
    form = np.random.default_rng(1).normal(size=table.shape)
    form -= (form * table.counts).sum() / table.counts.sum()
    values = (found * form).sum(tuple(range(1, found.ndim)))
    variance = float(table.variance(form))
    slack = 0.15 if kind == "reviewed" else 0.1  # a first-order variance, of draws cut at zero
    assert values.var() == pytest.approx(variance, rel=slack)
    assert abs(values.mean()) <= (30 if kind == "reviewed" else 5) * np.sqrt(variance / SIZE)


@pytest.mark.parametrize("kind", KINDS)
def test_posterior_of_every_kind(kind):
    """Posterior tables are shares in the table's shape, about those of the table."""
    table = KINDS[kind]
    found = drawn(table, 1000)
    assert found.shape == (1000, *table.shape)
    axes = tuple(range(1, found.ndim))
    assert found.sum(axes) == pytest.approx(1)
    assert np.abs(found.mean(0) - table.counts / table.counts.sum()).max() < 0.06


@pytest.mark.parametrize("kind", [kind for kind, table in KINDS.items() if table.kind.has_one_cell_per_case])
def test_truth_of_every_kind_is_whole(kind):
    """Cases drawn from the table's own frequencies are integers that add up to the number of cases."""
    table = KINDS[kind]
    found = drawn(table, 20, source="truth")
    assert (found == np.rint(found)).all()
    assert (found.sum(tuple(range(1, found.ndim))) == table.rows).all()


@pytest.mark.parametrize("source", SOURCES)
def test_draws_depend_on_the_seed_alone(source, monkeypatch):
    """One seed gives one set of draws with any number of threads, its beginning among more of them; another others."""
    table = hs.from_counts(np.random.default_rng(0).poisson(np.full((12, 12), 2.0) + 30 * np.eye(12)))
    first = hs.methods.draw_tables(table, 3000, source=source, random_state=7)
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    assert np.array_equal(hs.methods.draw_tables(table, 3000, source=source, random_state=7), first)
    assert not np.array_equal(hs.methods.draw_tables(table, 3000, source=source, random_state=8), first)
    generator = np.random.default_rng(0)
    again = [hs.methods.draw_tables(table, 2, source=source, random_state=generator) for _ in range(2)]
    assert not np.array_equal(*again)


@pytest.mark.parametrize("source", SOURCES)
def test_draws_of_a_group_are_its_own(source):
    """A group's draws equal those of its table alone from the seed of its key, for any other groups."""
    place = np.array(["a", "b", "c"])[np.arange(N) % 3]
    tables = hs.confusion(TRUE, SAID, by=place)
    every = hs.methods.draw_tables(tables, 5, source=source, random_state=4)
    assert list(every) == ["a", "b", "c"]
    two = place != "b"
    fewer = hs.methods.draw_tables(hs.confusion(TRUE[two], SAID[two], by=place[two]), 5, source=source, random_state=4)
    for key, table in tables.items():
        alone = hs.methods.draw_tables(table, 5, source=source, random_state=group_seed(4, key))
        assert np.array_equal(every[key], alone)
        assert key == "b" or np.array_equal(every[key], fewer[key])
    assert not np.array_equal(every["a"], every["c"])


@pytest.mark.parametrize(
    "table, settings, words",
    [
        (TABLE, {"source": "bootstrap"}, "There is no source of draws 'bootstrap'"),
        (TABLE, {"n": 0}, "`n` must be a whole number of at least 1 and at most 100,000,000, not 0"),
        (TABLE, {"n": 2.5}, "`n` must be a whole number of at least 1 and at most 100,000,000, not 2.5"),
        (TABLE, {"cases": 0}, "`cases` must be a whole number of at least 1, not 0"),
        (TABLE, {"source": "truth", "prior": 1.0}, "are for draws of a posterior, not for source='truth'"),
        (TABLE, {"source": "sampling", "prevalence": [0.2, 0.3, 0.5]}, "not for source='sampling'"),
        (TABLE, {"source": "sampling", "cases": 9}, "source='sampling' repeats the study as it was"),
        (TABLE, {"prior": -1.0}, "`prior` holds a negative or non-finite number"),
        (TABLE, {"prior": "flat"}, "There is no prior 'flat'"),
        (TABLE, {"prior": [1.0, 2.0]}, "`prior` has shape (2,) where the table needs (3, 3)"),
        (TABLE, {"prevalence": 0.3}, "`prevalence` needs one share for each of the 3 classes"),
        (KINDS["multilabel"], {"cases": 9}, "this is a multilabel table"),
        (KINDS["multilabel"], {"source": "truth"}, "this is a multilabel table"),
        (KINDS["paired"], {"prevalence": [0.5, 0.5]}, "are for the confusion table of one model"),
        (KINDS["calibrated"], {"prior": 1.0}, "no prior to add to scores without labels"),
    ],
)
def test_what_cannot_be_drawn_is_refused(table, settings, words):
    """The message names the argument, its value, and the remedy."""
    with pytest.raises(hs.HowsureError) as error:
        hs.methods.draw_tables(table, **{"n": 5, **settings})
    assert words in str(error.value)


def test_a_design_without_draws_says_so():
    """A design with only a variance has neither posterior nor resamples, but an expected table."""

    class Twice(hs.designs.Design):
        """Each case was counted twice."""

        def variance(self, counts, gradient):
            return 2 * (counts * gradient**2).sum(-1)

    table = hs.from_counts([[50, 3], [5, 42]]).with_design(Twice())
    for source in ("posterior", "sampling"):
        with pytest.raises(hs.HowsureError, match="Twice"):
            hs.methods.draw_tables(table, 5, source=source)
    assert hs.methods.draw_tables(table, 5, source="truth").shape == (5, 2, 2)
