"""Metrics of repeated runs: by enumeration, and by the analysis of variance."""

from itertools import combinations

import numpy as np
import pytest

import howsure as hs
from howsure.metrics.binding import resolve

RUNS = [[1, 0, 1, 1], [0, 0, 0, 0], [1, 1, 1, 1], [0, 1, 0, 0], [1, 1, 0, 0, 1], [0, 0, 1, 0, 0, 0]]
TASK = np.repeat(np.arange(len(RUNS)), [len(each) for each in RUNS])
TABLE = hs.trials(np.concatenate(RUNS), task=TASK)


def value(spec, table=TABLE):
    return float(resolve(spec, table)(table.counts))


def over_choices(k, of):
    """Return the mean over tasks of a function of k runs, over all choices of the runs."""
    return np.mean([np.mean([of(chosen) for chosen in combinations(each, k)]) for each in RUNS])


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_choices_of_runs_are_enumerated(k):
    """pass@k and pass^k are the shares of choices of k runs in which at least one, or each, succeeds."""
    assert value(f"pass_at+k={k}") == pytest.approx(over_choices(k, any), rel=1e-12)
    assert value(f"pass_all+k={k}") == pytest.approx(over_choices(k, all), rel=1e-12)


def test_pass_at_is_the_estimator_of_chen():
    """It is the mean of 1 − C(n − c, k) / C(n, k), as the HumanEval harness multiplies it out (Chen et al. 2021)."""
    n, c, k = 200, np.array([0, 1, 17, 150, 199, 200]), 10
    harness = [1.0 if n - x < k else 1 - np.prod(1 - k / np.arange(n - x + 1, n + 1)) for x in c]
    passed = (np.arange(n) < c[:, None]).ravel()
    table = hs.trials(passed, task=np.repeat(np.arange(6), n))
    assert value(f"pass_at+k={k}", table) == pytest.approx(np.mean(harness), rel=1e-12)


def test_flips_are_pairs_that_disagree():
    """The flip rate is the share of the pairs of runs of a task that disagree, and twice the variance within."""
    assert value("flip_rate") == pytest.approx(over_choices(2, lambda pair: pair[0] != pair[1]), rel=1e-12)
    assert value("run_variance") == pytest.approx(np.mean([np.var(each, ddof=1) for each in RUNS]), rel=1e-12)


def test_mean_is_over_tasks():
    """Each task has the same weight for any number of runs; the standard error is that of tasks."""
    shares = [np.mean(each) for each in RUNS]
    found = hs.estimate(TABLE, "mean")
    assert found.value == pytest.approx(np.mean(shares), rel=1e-12)
    assert found.standard_error == pytest.approx(np.std(shares, ddof=1) / np.sqrt(6), rel=1e-12)


def test_variance_is_split_as_by_the_analysis_of_variance():
    """With equal runs per task the parts are those of the mean squares, with the number of tasks, not one less."""
    passed = np.random.default_rng(3).random((30, 5)) < np.linspace(0.1, 0.95, 30)[:, None]
    table = hs.trials(passed.ravel(), task=np.repeat(np.arange(30), 5))
    shares = passed.mean(1)
    within = ((passed - shares[:, None]) ** 2).sum() / (30 * 4)  # mean square within
    between = 5 * ((shares - shares.mean()) ** 2).sum() / 30
    assert value("run_variance", table) == pytest.approx(within, rel=1e-12)
    assert value("task_variance", table) == pytest.approx((between - within) / 5, rel=1e-12)
    assert value("icc", table) == pytest.approx((between - within) / (between + 4 * within), rel=1e-12)


def test_more_runs_than_there_are_is_refused():
    """The message names the metric, the required number and the available one."""
    with pytest.raises(hs.HowsureError, match="`pass_at` needs 5 runs of each task, and some have 4"):
        hs.estimate(TABLE, "pass_at+k=5")
    with pytest.raises(hs.HowsureError, match="`flip_rate` needs 2 runs of each task, and some have 1"):
        hs.estimate(hs.trials([1, 0], task=["a", "b"]), "flip_rate")
    with pytest.raises(hs.HowsureError, match="`k` of `pass_all` is at least 1"):
        hs.estimate(TABLE, "pass_all+k=0")


def test_shares_of_tasks_are_values():
    """Metrics of values read each task's share of successes."""
    shares = np.array([np.mean(each) for each in RUNS])
    assert value("median") == pytest.approx(np.median(shares), rel=1e-12)
    assert value("share+at_least=0.5") == pytest.approx((shares >= 0.5).mean(), rel=1e-12)
    assert value("std") == pytest.approx(shares.std(), rel=1e-12)


def test_models_on_the_same_tasks_are_compared_by_task():
    """The standard error of a difference of pass@k is that of the tasks' differences."""
    rng = np.random.default_rng(0)
    p = rng.random(40)
    passed = {name: rng.random((40, 4)) < (p**power)[:, None] for name, power in {"a": 1.0, "b": 2.0}.items()}
    task = np.repeat(np.arange(40), 4)
    columns = {
        "passed": np.concatenate([each.ravel() for each in passed.values()]),
        "task": np.tile(task, 2),
        "model": np.repeat(["a", "b"], 160),
    }
    found = hs.compare(hs.trials("passed", task="task", model="model", data=columns), "pass_at+k=4")
    gap = passed["a"].any(1) * 1.0 - passed["b"].any(1)
    assert found.value == pytest.approx(gap.mean(), rel=1e-12)
    assert found.standard_error == pytest.approx(gap.std(ddof=1) / np.sqrt(40), rel=1e-12)
