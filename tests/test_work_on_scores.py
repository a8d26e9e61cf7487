"""Work on scores grows with the cases as expected: sorts, passes and draws are counted, not seconds."""

from collections import Counter

import numpy as np
import pytest

import howsure as hs
from howsure.designs.independent import Independent
from howsure.designs.poisson_binomial import poisson_binomial
from howsure.tables.rankings import Ranking
from howsure.tables.scores import ScoresTable


@pytest.fixture
def counted(monkeypatch):
    """Return a function that counts the input size of each call of a method, by the method's name."""
    found = Counter()

    def count(owner, name, size=lambda *_: 1):
        original = getattr(owner, name)

        def counting(*arguments, **keywords):
            found[name] += size(*arguments)
            return original(*arguments, **keywords)

        monkeypatch.setattr(owner, name, counting)
        return found

    return count


def rows_of_probabilities(size, classes):
    """Return true classes, all of which occur, and informative rows of probabilities."""
    rng = np.random.default_rng(0)
    true = np.concatenate([np.arange(classes), rng.integers(classes, size=size - classes)])
    odds = np.exp(rng.normal(size=(size, classes)) + np.eye(classes)[true])
    return true, odds / odds.sum(1, keepdims=True)


def exponent(work, sizes):
    """Return by which power of the size the work grows."""
    return float(np.polyfit(np.log(sizes), np.log(work), 1)[0])


def test_columns_are_sorted_once_for_all_metrics(monkeypatch):
    """Areas against the rest and of pairs and average precision of K classes sort K columns, each once."""
    sorts = []
    original = Ranking.of.__func__
    monkeypatch.setattr(Ranking, "of", classmethod(lambda cls, values: sorts.append(1) or original(cls, values)))
    table = hs.multiclass_scores(*rows_of_probabilities(100, 7))
    hs.evaluate(table)
    assert len(sorts) == 7


@pytest.mark.parametrize("metric", ["roc_auc@macro", "roc_auc@macro+multi_class=ovo", "average_precision@macro"])
def test_work_of_many_classes_grows_with_their_number(counted, metric):
    """The number of cases sorted by score is cases × classes, also for all pairs of classes."""
    found = counted(Ranking, "collected", lambda _, values: values.size)
    work, classes = [], [4, 8, 16]
    for number in classes:
        found.clear()
        hs.estimate(hs.multiclass_scores(*rows_of_probabilities(200, number)), metric)
        work.append(found["collected"])
    assert exponent(work, classes) == pytest.approx(1.0, abs=0.01)
    assert work[0] <= 8 * 200 * 4


def test_resampled_choices_of_a_threshold_do_not_grow_with_the_cases(counted):
    """Each resample draws the counts between some thousands of thresholds, for any number of scores."""
    found = counted(Independent, "resample", lambda _, counts, number, __: counts.size * number)
    rng = np.random.default_rng(1)
    work = []
    for size in (20_000, 80_000):
        found.clear()
        true = rng.integers(0, 2, size)
        hs.optimal_threshold(hs.scores(true, rng.normal(true)), n_resamples=39, random_state=0)
        work.append(found["resample"])
    assert max(work) <= 39 * 2 * 5000


def test_metrics_at_one_threshold_share_the_table_there(counted):
    """Five metrics at a threshold count the cases on either side of it once."""
    found = counted(ScoresTable, "_at")
    for table in (hs.calibrated(np.linspace(0.01, 0.99, 50)), hs.scores([0, 1] * 25, np.linspace(0.01, 0.99, 50))):
        found.clear()
        hs.evaluate(table, ["accuracy", "precision", "recall", "f1", "mcc"], threshold=0.5)
        assert found["_at"] == 1


def test_metrics_at_one_threshold_share_the_tables_that_labels_may_make(monkeypatch):
    """Five metrics of cases without labels use one joint distribution, with the results of each alone."""
    from howsure.methods.drawn import predictive as module

    made = []
    original = module.joint_distribution
    monkeypatch.setattr(module, "joint_distribution", lambda *given: made.append(given) or original(*given))
    table = hs.calibrated(np.linspace(0.01, 0.99, 50))
    metrics = ["accuracy", "precision", "recall", "f1", "mcc"]
    together = hs.evaluate(table, metrics, threshold=0.5)
    assert len(made) == 1
    for name in metrics:
        assert together[name].to_dict() == hs.estimate(table, name, threshold=0.5).to_dict()


def test_sums_of_many_trials_need_fewer_terms(monkeypatch):
    """The distribution of the successes of more trials takes no more passes over them, but fewer."""
    from howsure.designs import poisson_binomial as module

    passes = []
    original = module.chance_sums
    monkeypatch.setattr(module, "chance_sums", lambda p, n, most: passes.append(most) or original(p, n, most))
    rng, most = np.random.default_rng(2), []
    for size in (10_000, 100_000, 400_000):
        passes.clear()
        poisson_binomial(rng.beta(0.8, 1.4, size))
        most.append(max(passes))
    assert most == sorted(most, reverse=True)
    assert most[-1] < 20


def test_sums_of_scores_for_counts_serve_the_distribution_of_labels_too(monkeypatch):
    """Half a million scores with predictions are read once for their counts and the sums of their powers."""
    from howsure.designs import cases, poisson_binomial as distribution

    read = []
    for module in (cases, distribution):
        original = module.chance_sums
        monkeypatch.setattr(module, "chance_sums", lambda p, n, most: read.append(len(p)) or original(p, n, most))  # noqa: B023
    score = np.random.default_rng(2).beta(0.8, 1.4, 2_000_000)
    hs.evaluate(hs.calibrated(score, y_pred=(score >= 0.5).astype(int)), ["f1", "recall"])
    assert sum(read) == len(score)


@pytest.mark.parametrize("target", [None, "batch", "population"])
def test_areas_of_scores_do_not_copy_the_counts(target):
    """The default interval of an area reads the counts of each class in their memory, with labels and without."""
    rng = np.random.default_rng(3)
    score, true = rng.random(5000), rng.integers(0, 2, 5000)
    table = hs.scores(true, score) if target is None else hs.calibrated(score, target=target)
    hs.estimate(table, "roc_auc")
    assert "cells" not in vars(table)
