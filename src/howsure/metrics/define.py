"""Metrics of one's own: functions that become metrics with every average and interval, once they keep the laws."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import wraps
from itertools import pairwise
from typing import Any, Literal, get_args

import numpy as np

from howsure.arrays import Array
from howsure.errors import HowsureError, boolean, one_of
from howsure.metrics.forms import STEP, Better, complex_step
from howsure.metrics.kinds import FORMS, Form, all_forms
from howsure.metrics.laws import NEEDED, violations
from howsure.metrics.registry import REGISTRY, Definition, Function, Scored, declare, parameters_of
from howsure.metrics.spec import Spec
from howsure.tables.scores import ScoresTable
from howsure.tables.table import Table

TAKES = {"outcomes": ("tp", "fn", "fp", "tn"), "cells": ("counts",), "scores": ("counts", "scores")}
EXACT = 512  # distinct scores up to which a gradient is taken by each count
BLOCKS = 256  # blocks of adjacent scores; the gradient of longer tables is averaged in each


def define_metric(
    *,
    form: Literal["cells", "outcomes", "scores"] = "cells",
    name: str | None = None,
    aliases: Sequence[str] = (),
    range: tuple[float, float] = (0.0, 1.0),  # noqa: A002 - the field's word, and the attribute's
    better: Better = "higher",
    gradient: Callable[..., Any] | None = None,
) -> Callable[[Function], Function]:
    """Register a metric of your own by decorating a function of counts; all averages and intervals then support it.

    Further parameters of the function, which need defaults, become arguments of the spec string:
    ``"mine+weight=2@macro"``.

    Parameters
    ----------
    form : {"cells", "outcomes", "scores"}
        Arguments of the function. All may have leading axes, which the result keeps:

        - ``"cells"``: ``(counts)``, the K×K table, shape ``(..., K, K)``, rows true and columns predicted;
        - ``"outcomes"``: ``(tp, fn, fp, tn)`` of one class against the rest. The metric supports all averages,
          ``@macro``, ``@weighted``, ``@micro`` …, and multilabel data;
        - ``"scores"``: ``(counts, scores)``, the negative and positive cases at each distinct score, shape
          ``(..., S, 2)``, and these scores, ascending, shape ``(S,)``. It supports all averages over the classes of
          `multiclass_scores`.
    name : str, optional
        Its name in spec strings; the function's own by default.
    aliases : sequence of str
        Other names.
    range : tuple of float
        Smallest and largest possible value; intervals stay inside. Infinite ends are allowed.
    better : {"higher", "lower", "neither"}
        Whether higher or lower values are better.
    gradient : callable, optional
        Takes the same arguments and returns the derivative with respect to each count, in the counts' shape (for
        outcomes, four arrays). The default is the complex step.

    Returns
    -------
    callable
        A decorator that returns the function unchanged.

    Raises
    ------
    HowsureError
        If the function violates a requirement on generic tables. It must accept leading axes, not change when all
        counts are multiplied by a constant, stay in its range, and accept complex counts (no ``abs``, ``max`` or
        comparison of counts) unless ``gradient`` is given. Also if the name is that of a metric of howsure.

    Notes
    -----
    The metric is undefined if its value is not finite. For tables with more than 512 distinct scores the complex step
    uses 256 blocks of adjacent scores with equal numbers of cases, separately for each class. The derivative is
    averaged within a block; the effect on the standard error of a smooth metric is far smaller than its own error.

    Examples
    --------
    A cost per case, as a metric of the whole table:

    >>> import howsure as hs
    >>> @hs.define_metric(range=(0, 10), better="lower")
    ... def cost_per_case(counts, miss=10.0):
    ...     '''A missed case costs ten, a false alarm one.'''
    ...     return (miss * counts[..., 1, 0] + counts[..., 0, 1]) / counts.sum((-2, -1))
    >>> table = hs.from_counts([[50, 3], [5, 42]])
    >>> print(hs.estimate(table, "cost_per_case"))
    0.530 [0.220, 1.094]
    >>> round(hs.estimate(table, "cost_per_case+miss=4").value, 3)
    0.23

    A metric of one class against the rest, with its average over classes:

    >>> @hs.define_metric(form="outcomes")
    ... def tversky(tp, fn, fp, tn, missed=0.7):
    ...     '''Overlap with false negatives weighted against false positives.'''
    ...     return tp / (tp + missed * fn + (1 - missed) * fp)
    >>> three = hs.from_counts([[44, 6, 3], [7, 29, 5], [2, 8, 21]])
    >>> print(hs.estimate(three, "tversky@macro"))
    0.739 [0.657, 0.813]

    A metric of scores:

    >>> @hs.define_metric(form="scores", better="lower")
    ... def absolute_error(counts, scores):
    ...     '''Mean distance between the probability and the truth.'''
    ...     off = counts[..., 0] * scores + counts[..., 1] * (1 - scores)
    ...     return off.sum(-1) / counts.sum((-2, -1))
    >>> scores = hs.scores([0, 0, 1, 1, 0, 1], [0.1, 0.4, 0.35, 0.8, 0.3, 0.6])
    >>> print(hs.estimate(scores, "absolute_error"))
    0.342 [0.173, 0.563]
    """
    one_of("form of metrics", form, TAKES)

    def register(function: Function) -> Function:
        called = getattr(function, "__name__", "") if name is None else name
        _check_facts(called, tuple(aliases), range, better)
        guarded = _guarded(function, called, range)
        definition = Definition(
            name=called,
            form=FORMS[form],
            function=_build(guarded, gradient) if form == "scores" else guarded,
            aliases=tuple(aliases),
            range=range,
            better=better,
            derivative=None if form == "scores" else gradient,
            parameters=_parameters(function, called, form),
            own=True,
        )
        if words := _broken(definition):
            raise HowsureError(f"`{called}` {words}.")
        REGISTRY.add(definition)
        return function

    return register


def _check_facts(name: str, aliases: tuple[str, ...], bounds: Any, better: str) -> None:
    for each in (name, *aliases):
        if not (isinstance(each, str) and re.fullmatch(r"[^\W\d][\w .-]*", each)):
            raise HowsureError(
                f"A metric cannot be called {each!r}: give it a `name` of letters, digits and underscores."
            )
    one_of("value of `better`", better, get_args(Better))
    try:
        low, high = (float(end) for end in bounds)
    except (TypeError, ValueError):
        low, high = np.nan, np.nan
    if not low < high:
        raise HowsureError(f"`range` of `{name}` is the smallest and the largest value, in this order, not {bounds!r}.")


def _parameters(function: Callable[..., Any], name: str, form: str) -> dict[str, inspect.Parameter]:
    """Return the parameters that a spec string may set; raise an error for unsupported ones."""
    taken = TAKES[form]
    try:
        found = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        found = []
    if sum(each.kind <= each.POSITIONAL_OR_KEYWORD for each in found[: len(taken)]) < len(taken):
        raise HowsureError(f"`{name}` does not take ({', '.join(taken)}), as metrics of the form '{form}' do.")
    for each in found[len(taken) :]:
        if not isinstance(each.default, bool | int | float | str):
            raise HowsureError(
                f"`{each.name}` of `{name}` needs a default that a spec string can replace: a number or a text."
            )
    return parameters_of(function, len(taken))


def _guarded(function: Callable[..., Any], name: str, bounds: tuple[float, float]) -> Callable[..., Array]:
    """Return the function with nan where it is not finite; a value beyond its range is refused."""
    low, high = bounds
    slack = 1e-9 * max([1.0, *(abs(end) for end in bounds if np.isfinite(end))])

    @wraps(function)
    def guarded(*parts: object, **arguments: object) -> Array:
        with np.errstate(all="ignore"):
            values = np.asarray(function(*parts, **arguments)) * 1.0
            found = np.where(np.isfinite(values), values, np.nan)
            beyond = found[(found.real < low - slack) | (found.real > high + slack)]
        if beyond.size:
            worst = beyond[0].real
            raise HowsureError(f"`{name}` is {worst:g}, beyond its range [{low:g}, {high:g}]: give the right `range`.")
        return found

    return guarded


def _broken(definition: Definition) -> str:
    """Return the first law that a definition breaks, in words."""
    average = "macro" if definition.form.name == "outcomes" else None
    try:
        return next((words for _, words in violations(Spec(definition, average=average), NEEDED)), "")
    except HowsureError as error:
        return str(error).partition("` ")[2].removesuffix(".") or str(error)
    except Exception as error:  # noqa: BLE001 - whatever a function of somebody else's raises
        words = " ".join(str(error).split())
        takes = ", ".join(TAKES[definition.form.name])
        return f"raises {type(error).__name__} ({words[:120]}): it must take arrays ({takes}) with leading axes"


def _build(function: Callable[..., Array], gradient: Callable[..., Any] | None) -> Callable[..., Scored]:
    """Return what binds a function of counts and scores to a table."""

    @wraps(function)
    def build(table: ScoresTable, **arguments: object) -> Scored:
        def value(cells: Array) -> Array:
            return function(cells, table.scores, **arguments)

        def slopes(cells: Array) -> Array:
            if gradient is None:
                return stepped(value, cells)
            return np.asarray(gradient(cells, table.scores, **arguments), dtype=float)

        return Scored(value, slopes)

    return build


def stepped(value: Callable[[Array], Array], cells: Array) -> Array:
    """Return the complex-step gradient of a function of ``(..., S, 2)`` counts, of long tables by blocks of scores."""
    size = cells.shape[-2]
    if size <= EXACT:
        flat = cells.reshape(*cells.shape[:-2], -1)
        slopes = complex_step(lambda nudged: value(nudged.reshape(*nudged.shape[:-1], size, 2)), flat)
        return slopes.reshape(cells.shape)
    mass = cells.reshape(-1, size, 2).sum((0, 2))
    middle = (np.cumsum(mass) - mass / 2) / mass.sum()
    starts = np.flatnonzero(np.diff(np.minimum(middle * BLOCKS, BLOCKS - 1).astype(np.intp), prepend=-1))
    slopes, nudged = np.empty(cells.shape), cells.astype(complex)
    for block in (slice(*ends) for ends in pairwise((*starts, size))):
        for side in (0, 1):
            own = cells[..., block, side]
            total = own.sum(-1, keepdims=True)
            # More cases of the block's own kind; of a kind that it lacks, evenly over its scores.
            direction = np.where(total > 0, own / np.where(total > 0, total, 1), 1 / own.shape[-1])
            nudged[..., block, side] = own + STEP * 1j * direction
            slopes[..., block, side] = (np.imag(value(nudged)) / STEP)[..., None]
            nudged[..., block, side] = own
    return slopes


def define_evidence(
    name: str,
    *,
    examples: Callable[[], Iterable[Table]],
    maker: str = "",
    tried: Collection[str] = (),
    counterparts: Mapping[str, str] | None = None,
    flow: bool = False,
) -> Callable[..., Callable[[Function], Function]]:
    """Define a kind of evidence, and return the decorator that registers its metrics.

    The tables are a subclass of `CasesTable` with ``data_kinds = (name,)``. Metrics are functions of such a table that
    return `Scored`. Estimates, comparisons, groups, reports and files then
    support the kind. ``howsure.testing.check_evidence`` tests it.

    Parameters
    ----------
    name : str
        Name of the kind, in small letters.
    examples : callable
        Returns an iterable of tables with cases in every cell, on which `howsure.testing` checks the laws.
    maker : str
        The function that creates its tables, for messages: ``"a table of visits: `visits(number)`"``.
    tried : collection of str
        Metrics for which the laws of interval methods are checked on these tables.
    counterparts : mapping of str to str
        Metrics of predictions, by name → spec string of the corresponding metric of this kind, for messages.
    flow : bool
        Whether the default interval is `Flow`, a score interval for smooth metrics. Show its coverage by simulation
        before you choose it.

    Returns
    -------
    callable
        The decorator of its metrics. Its keyword arguments are ``name`` (the function's by default), ``aliases``,
        ``range`` (0 to 1 by default), ``better``, ``random`` and the other parameters of `Definition`.

    Raises
    ------
    HowsureError
        If the name is not valid, or one of howsure's.

    Examples
    --------
    >>> import numpy as np
    >>> import howsure as hs
    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True, eq=False, kw_only=True, repr=False)
    ... class VisitsTable(hs.kinds.CasesTable):
    ...     '''Patients by number of visits.'''
    ...     visits: np.ndarray
    ...     data_kinds = ("visits",)
    >>> def visits(number, **more):
    ...     return hs.kinds.count_cases(VisitsTable, {"visits": number}, **more)
    >>> visits_metric = hs.kinds.define_evidence("visits", examples=lambda: [visits([1, 4, 2, 2, 3, 7])])
    >>> @visits_metric(range=(0, np.inf), better="neither")
    ... def mean_visits(table):
    ...     '''Mean number of visits of a patient.'''
    ...     def value(counts):
    ...         return counts @ table.visits / counts.sum(-1)
    ...     def gradient(counts):
    ...         return (table.visits - value(counts)[..., None]) / counts.sum(-1)[..., None]
    ...     return hs.kinds.Scored(value, gradient)
    >>> print(hs.estimate(visits([1, 4, 2, 2, 3, 7, 1, 5]), "mean_visits"))
    3.125 [2.021, 4.831]
    """
    taken = [each for form in all_forms() if not form.own for each in (form.name, form.reads)]
    if not callable(examples):
        raise HowsureError(
            "`examples` is no function. Give one that returns tables, such as `lambda: [visits([1, 4, 2])]`."
        )
    if not isinstance(name, str) or name in taken or not re.fullmatch(r"[a-z]\w*", name):
        why = "is one of howsure's" if isinstance(name, str) and name in taken else "is not a word in small letters"
        raise HowsureError(
            f"A kind of evidence cannot be called {name!r}: the name {why}. Choose another, such as 'survival'."
        )
    if not isinstance(tried, list | tuple | set | frozenset) or not all(isinstance(each, str) for each in tried):
        raise HowsureError(f"`tried` is {tried!r}. Give a list of names of metrics.")
    if not isinstance(counterparts, Mapping | None):
        raise HowsureError(
            f"`counterparts` is {counterparts!r}. Give a mapping from other metrics to those of this kind."
        )
    facts: dict[str, Any] = {"tried": tuple(tried), "counterparts": counterparts or {}, "flow": boolean("flow", flow)}
    return declare(Form(name=name, maker=maker, examples=examples, own=True, **facts))
