"""Areas and average precisions of resampled scores."""

import numpy as np
import pytest
from sklearn import metrics as sk

import howsure as hs
from howsure.metrics.roc import average_precision, roc_auc
from howsure.native.ranks import cases_of, rank_sums, ranked_units
from howsure.native.resampling import Ranked, Resamples
from howsure.running import threads


def table_of(cases, scores, share, rng):
    """Return counts of a number of cases by score and class, including scores without a case."""
    counts = np.zeros((scores, 2), dtype=int)
    np.add.at(counts, (rng.integers(scores, size=cases), (rng.random(cases) < share) * 1), 1)
    return counts


def tables_of(counts, resamples):
    """Return the resampled tables that the weights of cases add up to."""
    weights = np.concatenate([resamples.weights(eight) for eight in range(8)], axis=1)
    tables = np.zeros((counts.size, 64))
    np.add.at(tables, np.repeat(np.arange(counts.size), counts.ravel()), weights.astype(float))
    return tables.T.reshape(64, -1, 2)


SIZES = [(1, 1), (2, 2), (9, 3), (300, 300), (300, 4), (4097, 4097), (9_000, 3), (9_000, 3_000), (13_000, 13_000)]


@pytest.mark.parametrize("share", [0.01, 0.5, 0.97])
@pytest.mark.parametrize("cases, scores", SIZES)
def test_sums_are_the_metrics_of_the_resampled_tables(cases, scores, share, by_numpy):
    """Areas and average precisions are those of the tables, with ties within and across blocks, compiled or not."""
    rng = np.random.default_rng([cases, scores])
    counts = table_of(cases, scores, share, rng)
    resamples, kind = Resamples.drawn(cases, 64, rng), cases_of(counts)
    tables = tables_of(counts, resamples)
    with np.errstate(all="ignore"):
        area, precision = roc_auc(tables), average_precision(tables)
    for what in (Ranked.AREA, Ranked.PRECISION, Ranked.AREA | Ranked.PRECISION):
        for sums in (rank_sums(resamples, kind, what), by_numpy(lambda what=what: rank_sums(resamples, kind, what))):
            if Ranked.AREA in what:
                np.testing.assert_array_equal(sums.value(Ranked.AREA), area)
            if Ranked.PRECISION in what:
                np.testing.assert_allclose(sums.value(Ranked.PRECISION), precision, rtol=1e-12)


@pytest.mark.parametrize(
    "cases, scores, units", [(1, 1, 1), (9, 3, 4), (300, 4, 300), (5_000, 5_000, 20), (5_000, 7, 90)]
)
def test_ranks_of_units_are_those_of_their_cases(cases, scores, units, by_numpy):
    """Cases of a resampled unit share its weight, also where one unit has very many of the cases."""
    rng = np.random.default_rng([cases, units])
    counts = table_of(cases, scores, 0.4, rng)
    unit = np.minimum(rng.geometric(min(1, 3 / units), size=cases) - 1, units - 1)
    weights = Resamples.drawn(units, 64, rng).weights(0, 8)
    tables = np.zeros((counts.size, 64))
    np.add.at(tables, np.repeat(np.arange(counts.size), counts.ravel()), weights[unit].astype(float))
    tables = tables.T.reshape(64, -1, 2)
    with np.errstate(all="ignore"):
        area, precision = roc_auc(tables), average_precision(tables)
    for what in (Ranked.AREA, Ranked.PRECISION, Ranked.AREA | Ranked.PRECISION):

        def asked(what=what):
            return ranked_units(weights, unit, cases_of(counts), what)

        for sums in (asked(), by_numpy(asked)):
            if Ranked.AREA in what:
                np.testing.assert_allclose(sums.value(Ranked.AREA), area, rtol=1e-14)
            if Ranked.PRECISION in what:
                np.testing.assert_allclose(sums.value(Ranked.PRECISION), precision, rtol=1e-12)


def test_cases_say_where_scores_begin_and_what_they_hold():
    """Negative cases come before the positive ones of their score; a score starts after one with positive cases."""
    counts = np.array([[2, 0], [1, 1], [0, 2], [0, 0], [1, 0]])
    assert cases_of(counts).tolist() == [0, 0, 2 | 4, 1 | 2, 1 | 4, 1, 0]


def test_a_resample_without_a_class_is_undefined():
    """A resample that lacks a class has no area, and one without positive cases no average precision."""
    counts = np.array([[1, 0], [0, 1]])
    resamples = Resamples.drawn(2, 64, np.random.default_rng(0))
    sums = rank_sums(resamples, cases_of(counts), Ranked.AREA | Ranked.PRECISION)
    positives = np.concatenate([resamples.weights(eight) for eight in range(8)], axis=1)[1]
    assert set(positives.tolist()) == {0, 1, 2}
    np.testing.assert_array_equal(np.isnan(sums.value(Ranked.AREA)), positives != 1)
    np.testing.assert_array_equal(np.isnan(sums.value(Ranked.PRECISION)), positives == 0)


@pytest.mark.thorough
def test_the_bootstrap_agrees_with_resampled_rows():
    """The spread of resampled areas and average precisions is scikit-learn's on resampled rows.

    With 2,000 and 300 resamples the standard deviations have errors of 1.6 and 4 %.
    """
    rng = np.random.default_rng(1)
    true = rng.integers(0, 2, 400)
    score = rng.normal(true)
    picks = rng.integers(400, size=(300, 400))
    found = hs.evaluate(hs.scores(true, score), method=hs.methods.Bootstrap(n_resamples=2_000), random_state=0)
    for name, function in (("roc_auc", sk.roc_auc_score), ("average_precision", sk.average_precision_score)):
        rows = np.array([function(true[each], score[each]) for each in picks])
        assert abs(np.log(found[name].draws.std() / rows.std())) < 4 * 0.045
        assert abs(found[name].draws.mean() - rows.mean()) < 4 * rows.std() / np.sqrt(300)


def test_draws_do_not_depend_on_threads_or_on_other_metrics(monkeypatch):
    """A metric's draws are the same in one thread and in several, alone and with others."""
    rng = np.random.default_rng(2)
    true = rng.integers(0, 2, 500)
    table, method = hs.scores(true, rng.random(500)), hs.methods.Bootstrap(n_resamples=300)
    alone = hs.estimate(table, "roc_auc", method=method, random_state=0)
    monkeypatch.setattr(threads, "cores", lambda: 3)
    beside = hs.evaluate(table, ["brier_score", "roc_auc", "average_precision"], method=method, random_state=0)
    np.testing.assert_array_equal(beside["roc_auc"].draws, alone.draws)
    assert beside["roc_auc"].stream == beside["brier_score"].stream == alone.stream


def test_metrics_of_one_resample_belong_together():
    """Draw d of every metric is of the same resample: an area, and a standardised area up to 1 that is the same."""
    rng = np.random.default_rng(3)
    true = rng.integers(0, 2, 500)
    table, method = hs.scores(true, rng.normal(true)), hs.methods.Bootstrap(n_resamples=100)
    found = hs.evaluate(table, ["roc_auc", "roc_auc+max_fpr=0.999999999"], method=method, random_state=0)
    first, second = (each.draws for each in found.values())
    np.testing.assert_allclose(first, second, atol=1e-6)
