"""Metrics as data: the registry, the decorators that fill it, and the spec string that names one.

A metric is declared once, in one of these forms:

- of the four outcomes of each class against the rest, ``(tp, fn, fp, tn)``, to be averaged over the classes;
- of the diagonal and the margins, ``(hits, rows, columns)``;
- of the whole table, by its cells or by the coefficients that a ratio of linear forms gives to each cell.

From the declaration follow its value on any number of tables at once, its gradient (complex step, with the
chain rule through the one-against-rest tables, so that K = 1000 stays cheap), and, where it is a ratio of
linear forms in the counts, whether it is a proportion in disguise.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from howsure.tables.counts import Counts
from howsure.tables.table import Table

if TYPE_CHECKING:
    from howsure.metrics.contrast import Contrast

Array = NDArray[Any]
Better = Literal["higher", "lower", "neither"]
Form = Literal["outcomes", "margins", "cells", "coefficients"]
Function = TypeVar("Function", bound=Callable[..., Any])

NUDGED = 2**17  # entries of the nudged tables evaluated at once in a gradient: bounds its memory
STEP = 1e-20  # of the complex-step derivative: exact to rounding, for no difference is taken


def divide(part: Array, whole: Array) -> Array:
    """``part / whole``; nan where ``whole`` is zero."""
    part, whole = np.asarray(part), np.asarray(whole)
    out = np.full(np.broadcast_shapes(part.shape, whole.shape), np.nan, np.result_type(part, whole, float))
    return np.divide(part, whole, out=out, where=whole != 0)


def complex_step(function: Callable[[Array], Array], flat: Array) -> Array:
    """Return the derivatives of a function of the last axis by each of its entries, in the shape of ``flat``.

    Parameters
    ----------
    function : callable
        ``(..., m) -> (...)``, analytic: it must take complex numbers.
    flat : ndarray of shape (..., m)
        Where the derivatives are taken.
    """
    size = flat.shape[-1]
    step = max(1, NUDGED // max(flat.size, 1))
    slopes = np.empty((size, *flat.shape[:-1]))
    for start in range(0, size, step):
        index = np.arange(start, min(start + step, size))
        nudged = np.broadcast_to(flat + 0j, (len(index), *flat.shape)).copy()
        nudged[np.arange(len(index)), ..., index] += STEP * 1j
        with np.errstate(all="ignore"):
            slopes[index] = np.imag(function(nudged)) / STEP
    return np.moveaxis(slopes, 0, -1)


@dataclass(frozen=True, slots=True)
class Ratio:
    """``sum(numerator * counts) / sum(denominator * counts)``, with coefficients in the shape of the cells."""

    numerator: Array
    denominator: Array

    def proportion(self) -> Proportion | None:
        """Return the binomial proportion that this ratio is a monotone function of, if it is one.

        It is one when the cells it looks at fall into two groups with equal coefficients: F1 gives true
        positives ``(2, 2)`` and errors ``(0, 1)``, so it is ``2p / (1 + p)`` with ``p`` the share of true
        positives among the cases that are not true negatives.
        """
        pairs = self.numerator + 1j * self.denominator
        seen = pairs != 0
        if not seen.any():
            return None
        first = pairs[seen][0]
        others = seen & (pairs != first)
        if not others.any():
            return None
        second = pairs[others][0]
        if (pairs[others] != second).any():
            return None
        high, low = sorted((first, second), key=_best, reverse=True)
        return Proportion(pairs == high, seen, (high.real, high.imag), (low.real, low.imag))


def _best(pair: complex) -> float:
    return pair.real / pair.imag if pair.imag else np.inf


@dataclass(frozen=True, slots=True)
class Proportion:
    """A share of the cells ``trials`` that fall in ``successes``, and how the metric follows from the share."""

    successes: Array
    trials: Array
    success_coefficients: tuple[float, float]
    failure_coefficients: tuple[float, float]

    def metric(self, share: Array) -> Array:
        """Return the metric's value at a share; increasing."""
        (a, b), (c, d) = self.success_coefficients, self.failure_coefficients
        return np.asarray((a * share + c * (1 - share)) / (b * share + d * (1 - share)))


@dataclass(frozen=True, slots=True)
class Parts:
    """A metric as a weighted sum of proportions, one for each class in ``classes`` and each of ``terms``.

    ``terms`` holds ``(weight, ratio of the four outcomes)``; ``classes`` is None for all.
    """

    terms: tuple[tuple[float, Ratio], ...]
    classes: Array | None


@dataclass(frozen=True, slots=True, eq=False)
class Metric:
    """A function from a table of counts to a number, with what the methods need to know of it.

    Parameters
    ----------
    name
        Its spec string, ``"f1@macro"``.
    counts_class
        The counts that it reads.
    value
        Counts with any leading axes → values in the shape of those axes.
    gradient
        Counts with any leading axes → the derivative by each cell, in the cells' shape.
    range
        Smallest and largest possible value.
    better
        Whether higher or lower values are better.
    ratio
        Cells' shape → the ratio of linear forms that it is, or None.
    parts
        The sum of proportions that it is, or None.
    positive
        Index of the one class that it looks at against all others, or None.
    definition
        The definition that it was bound from.
    per_class
        The values that it is an average of, ``(..., classes)``, or None.
    smaller
        Table → a smaller one with all that the metric looks at, and the metric of that one; None if there is none.
    contrast
        The two models' metrics that it compares, or None.
    """

    name: str
    counts_class: type[Counts]
    value: Callable[[Counts], Array]
    gradient: Callable[[Counts], Array]
    range: tuple[float, float] = (0.0, 1.0)
    better: Better = "higher"
    ratio: Callable[[tuple[int, ...]], Ratio] | None = None
    parts: Parts | None = None
    positive: int | None = None
    definition: Definition | None = None
    per_class: Callable[[Counts], Array] | None = None
    smaller: Callable[[Table], tuple[Table, Metric]] | None = None
    contrast: Contrast | None = None

    def __call__(self, counts: Any) -> Array:
        """Return the value on counts, shape ``(..., *cells)``."""
        return self.value(counts if isinstance(counts, Counts) else self.counts_class(counts))

    def proportion(self, shape: tuple[int, ...]) -> Proportion | None:
        """Return the binomial proportion that the metric follows from on tables of this shape, if any."""
        ratio = None if self.ratio is None else self.ratio(shape)
        return None if ratio is None else ratio.proportion()


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """What one decorated function declares of a metric; `spec.resolve` binds it to labels and an average."""

    name: str
    form: Form
    function: Callable[..., Any]
    aliases: tuple[str, ...] = ()
    range: tuple[float, float] | Callable[..., tuple[float, float]] = (0.0, 1.0)  # or of (number of classes, arguments)
    better: Better = "higher"
    linear: bool = False  # the function returns numerator and denominator, linear in the counts
    terms: tuple[str, ...] = ()  # names of the proportions that it is the sum of, up to a constant
    derivative: Callable[..., Any] | None = None
    random: float | None = None
    sklearn: str | None = None
    parameters: Mapping[str, inspect.Parameter] = field(default_factory=dict)

    @property
    def summary(self) -> str:
        """First line of the function's docstring."""
        return (inspect.getdoc(self.function) or "").split("\n", 1)[0]

    def outcome_ratio(self, **arguments: Any) -> Ratio | None:
        """Coefficients of the four outcomes in numerator and denominator, when the metric is a ratio."""
        if not (self.linear and self.form == "outcomes"):
            return None
        numerator, denominator = self.function(*np.eye(4), **arguments)
        return Ratio(np.broadcast_to(numerator, 4) * 1.0, np.broadcast_to(denominator, 4) * 1.0)

    def evaluate(self, *parts: Array, **arguments: Any) -> Array:
        """Return the value from the parts of a table that the form names."""
        result = self.function(*parts, **arguments)
        return divide(*result) if self.linear else np.asarray(result)

    def bounds(self, classes: int, arguments: Mapping[str, Any]) -> tuple[float, float]:
        """Return the range for so many classes and these arguments."""
        return self.range(classes, **arguments) if callable(self.range) else self.range

    def slopes(self, *parts: Array, **arguments: Any) -> Array:
        """Return the derivatives by each of the four outcomes, shape ``(4, ..., *classes)``; nan becomes 0."""
        nudged = [[part + (STEP * 1j if i == j else 0.0) for j, part in enumerate(parts)] for i in range(len(parts))]
        with np.errstate(all="ignore"):
            slopes = np.stack([self.evaluate(*each, **arguments).imag / STEP for each in nudged])
        return np.where(np.isnan(slopes), 0.0, slopes)


class Registry:
    """The metrics by name; aliases lead to the same definition."""

    def __init__(self) -> None:
        self._definitions: dict[str, Definition] = {}
        self._names: dict[str, str] = {}

    def add(self, definition: Definition) -> None:
        """Register a definition under its name and aliases."""
        self._definitions[definition.name] = definition
        for name in (definition.name, *definition.aliases):
            self._names[canonical(name)] = definition.name

    def find(self, name: str) -> Definition | None:
        """Return the definition with this name or alias, or None."""
        found = self._names.get(canonical(name))
        return None if found is None else self._definitions[found]

    @property
    def names(self) -> list[str]:
        """Every name and alias."""
        return list(self._names)

    def __iter__(self) -> Any:
        return iter(self._definitions.values())

    def __len__(self) -> int:
        return len(self._definitions)


def canonical(name: str) -> str:
    """Lower case, with underscores for blanks and hyphens."""
    return name.strip().lower().replace("-", "_").replace(" ", "_")


REGISTRY = Registry()


def declare(form: Form, *, own_parameters_from: int, **facts: Any) -> Callable[[Function], Function]:
    """Return a decorator that registers a metric's function and leaves the function as it is."""

    def register(function: Function) -> Function:
        parameters = dict(list(inspect.signature(function).parameters.items())[own_parameters_from:])
        name = facts.pop("name", function.__name__)
        REGISTRY.add(Definition(name=name, form=form, function=function, parameters=parameters, **facts))
        return function

    return register


def outcomes_metric(**facts: Any) -> Callable[[Function], Function]:
    """Declare a metric of ``(tp, fn, fp, tn)``, each class against the rest."""
    return declare("outcomes", own_parameters_from=4, **facts)


def outcomes_ratio(**facts: Any) -> Callable[[Function], Function]:
    """Declare a metric whose function returns a numerator and a denominator linear in ``(tp, fn, fp, tn)``."""
    return declare("outcomes", own_parameters_from=4, linear=True, **facts)


def margins_metric(**facts: Any) -> Callable[[Function], Function]:
    """Declare a metric of the diagonal and the margins, ``(hits, rows, columns)``, each ``(..., K)``."""
    return declare("margins", own_parameters_from=3, **facts)


def margins_ratio(**facts: Any) -> Callable[[Function], Function]:
    """Declare a metric whose function returns a numerator and a denominator linear in ``(hits, rows, columns)``."""
    return declare("margins", own_parameters_from=3, linear=True, **facts)


def cells_metric(**facts: Any) -> Callable[[Function], Function]:
    """Declare a metric of the whole table, ``(..., K, K)``."""
    return declare("cells", own_parameters_from=1, **facts)


def cells_ratio(**facts: Any) -> Callable[[Function], Function]:
    """Declare a ratio of linear forms by its coefficients: K → (numerator, denominator), each K×K."""
    return declare("coefficients", own_parameters_from=1, linear=True, **facts)


def define_metric(
    *,
    name: str | None = None,
    aliases: tuple[str, ...] = (),
    range: tuple[float, float] = (0.0, 1.0),  # noqa: A002 - the field's word, and the attribute's
    better: Better = "higher",
) -> Callable[[Function], Function]:
    """Register a metric of your own: a function of K×K counts that works on leading axes.

    Parameters
    ----------
    name
        Its name in spec strings; the function's own by default.
    aliases
        Other names.
    range
        Smallest and largest possible value; intervals stay inside.
    better
        ``"higher"``, ``"lower"`` or ``"neither"``.

    Notes
    -----
    The function must not change when the counts are multiplied by a constant, and must accept complex counts
    (no ``abs``, ``max`` or comparison of counts on the way): its gradient is taken by complex step.

    Examples
    --------
    >>> import howsure as hs
    >>> @hs.define_metric(name="first_class_share")
    ... def first_class_share(counts):
    ...     '''Share of the first true class.'''
    ...     return counts[..., 0, :].sum(-1) / counts.sum((-2, -1))
    >>> table = hs.from_counts([[50, 3], [5, 42]])
    >>> round(hs.estimate(table, "first_class_share").value, 3)
    0.53
    """
    facts: dict[str, Any] = {"aliases": aliases, "range": range, "better": better}
    return cells_metric(**facts) if name is None else cells_metric(name=name, **facts)
