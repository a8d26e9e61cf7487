"""The source of trial tables: repeated runs of tasks."""

from __future__ import annotations

from collections.abc import Mapping, Sized
from dataclasses import replace
from typing import Any, Unpack, overload

import numpy as np

from howsure.arrays import Array
from howsure.errors import HowsureError, listed
from howsure.sources.columns import checked_weight, refuse_other_lengths
from howsure.sources.counted_values import counted_units
from howsure.sources.crossed import drawn_anew
from howsure.sources.encoding import Column, encoded
from howsure.sources.frames import columns, expanded, weight_or_counts
from howsure.sources.groups import Tally, by_columns, groups_of_columns, roles
from howsure.sources.keywords import Sampled
from howsure.sources.repeated import as_met, first_rows, names_of_models
from howsure.sources.strata import ROLE, AnyStrata, stratum_role
from howsure.sources.to_numpy import numbers_of, plain
from howsure.tables.batch import Tables
from howsure.tables.paired_values import PairedValuesTable
from howsure.tables.values import TrialsTable, by_share, spread_successes


class _Keywords(Sampled, total=False):
    """Keyword arguments that do not decide the type of the result."""

    run: object


@overload
def trials(
    success: object, *, task: object, model: None = None, by: None = None, **keywords: Unpack[_Keywords]
) -> TrialsTable: ...


@overload
def trials(
    success: object, *, task: object, model: Sized, by: None = None, **keywords: Unpack[_Keywords]
) -> PairedValuesTable: ...


@overload
def trials(
    success: object, *, task: object, model: Sized | None = ..., by: Sized, **keywords: Unpack[_Keywords]
) -> Tables[Any]: ...


def trials(
    success: object,
    *,
    task: object,
    run: object = None,
    model: Sized | None = None,
    data: object = None,
    sample_weight: object = None,
    counts: object = None,
    groups: object = None,
    fixed: str | None = None,
    strata: object = None,
    stratum_sizes: Mapping[Any, float] | None = None,
    by: Sized | None = None,
    check: bool = True,
) -> TrialsTable | PairedValuesTable | Tables[Any]:
    """Count tasks by their numbers of runs and successes, if each task was run several times.

    The sampling unit is the task: runs of one task are correlated, and more runs do not increase the number of tasks.

    Parameters
    ----------
    success : array-like of shape (n,) or str
        Whether each run succeeds, 0 or 1; or, with ``data``, the name of its column.
    task : array-like of shape (n,) or str
        The task of each run.
    run : array-like of shape (n,) or str, optional
        Identifier of the run within its task (a number, a seed). If given, duplicate runs raise an error.
    model : array-like of shape (n,) or str, optional
        The model of each run, where several were run on the same tasks.
    data : frame, mapping, path or None
        A frame (pandas, Polars, Arrow …), a lazy frame or relation, a mapping of columns, or the path of a file.
    sample_weight : array-like of shape (n,) or str, optional
        Non-negative weight of each run's task: the same in all its runs.
    counts : array-like of shape (n,) or str, optional
        Number of identical cases in each row, as in a table of frequencies; 1 by default.
    groups : array-like of shape (n,), str, or two of them, optional
        Cluster of each run's task (passage, repository): tasks of one cluster may be correlated. Two crossed factors,
        such as readers and cases or models and items, are a list of two columns or a mapping of them by name.
    fixed : str, optional
        One of two factors, whose levels a new study would keep: only those of the other are drawn anew.
    strata : array-like of shape (n,) or str, optional
        Stratum of each task, for samples whose tasks, or ``groups``, were drawn stratum by stratum.
    stratum_sizes : mapping, optional
        Number of tasks of each stratum in a finite population; or, for a large population, the proportion of each
        stratum (they sum to 1). Without it the sizes are unknown, and tasks count by ``sample_weight``.
    by : array-like of shape (n,), str, list of str, mapping or frame, optional
        One column, or several, to split by: one table for each value, or combination of values.
    check : bool
        Whether to raise an error for implausible input; False skips these checks.

    Returns
    -------
    TrialsTable, PairedValuesTable or Tables
        The counts of tasks by runs and successes; with ``model`` a joint table, where ``table.model("A")`` is the table
        of one. If ``by`` is given, a mapping of the group tables, where ``overall`` is the table of all tasks.

    Raises
    ------
    HowsureError
        If columns differ in length, are empty or have missing values; if a success is not 0 or 1; if a run occurs
        twice; or if a task has two groups or weights, or lacks a model.

    Examples
    --------
    >>> import howsure as hs
    >>> passed = [1, 1, 1, 0, 0, 0, 1, 0, 1, 1, 1, 1]
    >>> table = hs.trials(passed, task=["a", "a", "b", "b", "c", "c", "d", "d", "e", "e", "f", "f"])
    >>> {name: round(found.value, 3) for name, found in hs.evaluate(table).items()}
    {'mean': 0.667, 'pass_at+k=2': 0.833, 'pass_all+k=2': 0.5, 'flip_rate': 0.333}
    """
    if data is not None and isinstance(success, list | tuple):
        raise HowsureError(
            "With `data`, `success` is the name of one column, with a row for each run. Of a column for each run write "
            f"`trials(np.ravel(data[{list(success)}]), task=np.repeat(data[{task!r}], {len(success)}))`."
        )
    groups = drawn_anew(groups, fixed, data)
    named = by_columns(by, data)
    weight_or_counts(sample_weight, counts)
    others = {"run": run, "model": model, "sample_weight": sample_weight, "counts": counts, "groups": groups}
    others |= roles(named)
    others |= stratum_role(strata, stratum_sizes)
    wanted = {"success": success, "task": task}
    given = columns(data, wanted | {role: each for role, each in others.items() if each is not None}, check=check)
    given = expanded(given)
    passed = _successes(given["success"])
    coded: dict[str, Column] = {
        role: encoded(role, given[role]) for role in ("task", "run", "model", "groups", ROLE) if role in given
    }
    split = [encoded(role, given[role]) for role in roles(named)]
    weight = checked_weight(given["sample_weight"]) if "sample_weight" in given else None
    beside = {each.name: each for each in (*coded.values(), *split)}
    refuse_other_lengths({"success": passed} | beside | {"sample_weight": weight})
    if not len(passed):
        raise HowsureError("`success` is empty: there is no run to evaluate.")

    drawn = _drawn(coded, weight, stratum_sizes) if ROLE in coded else None

    def table(some: Any) -> Any:
        of_some = {role: replace(each, codes=each.codes[some]) for role, each in coded.items()}
        own = {role: as_met(each) if role == "model" else each.used() for role, each in of_some.items()}
        tasks = None if drawn is None else drawn.of(np.unique(coded["task"].used()[0][some]))
        return _counted(passed[some], own, None if weight is None else weight[some], tasks)

    return groups_of_columns(list(named), split).each(table) if named else table(slice(None))


def _successes(given: object) -> Array:
    if isinstance(given, Mapping):
        raise HowsureError(
            "`success` is a mapping. Of several models give a row for each run: "
            "`trials('success', task='task', model='model', data=…)`."
        )
    remedy = "Give 1 for each run that succeeds, else 0: of words, such as `[each == 'pass' for each in success]`."
    found = numbers_of("success", plain("success", given), remedy)
    if found.ndim == 2:
        tasks = f"np.repeat(np.arange({len(found)}), {found.shape[1]})"
        raise HowsureError(
            f"`success` has shape {found.shape}. For a row per task write `trials(np.ravel(success), task={tasks})`."
        )
    wrong = ~np.isin(found, (0, 1))
    if found.ndim != 1 or wrong.any():
        what = f"has shape {found.shape}" if found.ndim != 1 else f"holds {found[wrong][0]:g}"
        numbers = ""
        if np.all((found >= 0) & (found % 1 == 0)):
            numbers = (
                " Of numbers, c right of n runs, give two rows a task: `trials([1] * len(c) + [0] * len(c), "
                "task=[*task, *task], counts=[*c, *(n - c)])`."
            )
        raise HowsureError(
            f"`success` {what}. Give 1 for each run that succeeds, else 0; for grades see `values`.{numbers}"
        )
    return found


def _drawn(coded: dict[str, Column], weight: Array | None, sizes: object) -> AnyStrata | None:
    """Return the strata of the tasks, in the order of the tasks."""
    task, tasks = coded["task"].used()
    stratum, names = coded[ROLE].used()
    cluster, clusters_named = coded["groups"].used() if "groups" in coded else (None, None)
    first = first_rows("task", task, tasks, {ROLE: stratum, "groups": cluster, "sample_weight": weight})
    tally = Tally.of_cases(len(tasks)) if weight is None else Tally.of_weights(weight[first])
    of_tasks = None if cluster is None else cluster[first]
    return tally.stratified(stratum[first], names, sizes, of_tasks, clusters_named).strata


def _counted(
    passed: Array,
    coded: dict[str, tuple[Array, Array]],
    weight: Array | None,
    strata: AnyStrata | None = None,
) -> Any:
    """Return the table of some rows; each column consists of codes and distinct values."""
    task, tasks = coded["task"]
    model, models = coded.get("model", (np.zeros(len(task), dtype=np.intp), np.array(["all"])))
    if "run" in coded:
        _refuse_repeated(tasks, np.stack([task, coded["run"][0], model], 1))
    of_task = {"groups": coded["groups"][0] if "groups" in coded else None, "sample_weight": weight}
    first = first_rows("task", task, tasks, of_task)
    size = (len(models), len(tasks))
    place = model * len(tasks) + task
    runs = np.bincount(place, minlength=size[0] * size[1]).reshape(size)
    successes = np.bincount(place, passed, size[0] * size[1]).reshape(size).astype(np.intp)
    if (runs == 0).any():
        which, missing = (int(each[0]) for each in np.nonzero(runs == 0))
        raise HowsureError(
            f"The task {tasks.tolist()[missing]!r} has no run of the model {str(models[which])!r}. Leave it out of all."
        )
    names = names_of_models(models) if "model" in coded else ()
    cluster, named = coded.get("groups", (None, None))
    beside = None if weight is None else weight[first], None if cluster is None else cluster[first], named
    return counted_tasks(names, successes, runs, *beside, strata=strata)


def counted_tasks(
    names: tuple[str, ...],
    successes: Array,
    runs: Array,
    weight: Array | None,
    cluster: Array | None,
    clusters_named: Array | None,
    *,
    strata: AnyStrata | None = None,
) -> Any:
    """Return the table of tasks by their numbers of runs and successes.

    Parameters
    ----------
    names : tuple of str
        The models; empty for a single model.
    successes, runs : ndarray of shape (models, tasks)
        Numbers for each model and task; every model has run every task.
    weight, cluster : ndarray of shape (tasks,), optional
        Weight and cluster of each task.
    clusters_named : ndarray, optional
        Names of the clusters.
    strata : Strata, optional
        The strata of the tasks.
    """
    own, codes = zip(*(_cells(*each) for each in zip(runs, successes, strict=True)), strict=True)
    return counted_units(names, own, codes, weight, cluster, clusters_named=clusters_named, strata=strata)


def _refuse_repeated(tasks: Array, rows: Array) -> None:
    distinct, number = np.unique(rows, axis=0, return_counts=True)
    if (number > 1).any():
        again = distinct[number > 1][:, 0]
        named = listed(list(dict.fromkeys(tasks[again].tolist())))
        raise HowsureError(
            f"Some runs occur more than once, of the tasks {named}. Give each run a value of `run` of its own."
        )


def _cells(runs: Array, successes: Array) -> tuple[TrialsTable, Array]:
    """Return an empty table of the cells that occur or have prior weight, by proportion, and each task's cell."""
    spread = [(n, passed) for n in np.unique(runs) for passed in spread_successes(int(n))]
    pairs, place = np.unique(
        np.vstack([np.column_stack([runs, successes]), np.array(spread)]), axis=0, return_inverse=True
    )
    position = np.argsort(by_share(pairs))
    return TrialsTable.of_pairs(pairs), position[place.ravel()[: len(runs)]]
