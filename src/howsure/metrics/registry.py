"""The registry: every metric is declared once, by a function that is decorated with its form (`kinds.Form`).

The declaration determines the value on any number of tables at once, the gradient, the averages over classes and every
interval. The gradient uses the complex step, with the chain rule through the one-against-rest tables, so that it is
fast for K = 1000 classes.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import Any, TypeVar

import numpy as np

from howsure.arrays import Array
from howsure.errors import HowsureError
from howsure.metrics.forms import STEP, Better, Distance, OperatingPoint, Rank, Ratio, Undefined, divide
from howsure.metrics.kinds import CELLS, COEFFICIENTS, FORMS, LIBRARY, MARGINS, OUTCOMES, SCORES, Form
from howsure.names import canonical
from howsure.native.losses import CellLosses
from howsure.native.resampling import Ranked

Bounds = tuple[float, float]
STEEP = 1e6  # relative change of a metric for that of a count, from which on it is looked at again
Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Scored:
    """A metric of the scores or the values of one table, as a function of the counts.

    Parameters
    ----------
    value : callable
        Counts ``(..., S, 2)``, or ``(..., cells)`` of values → values ``(...)``.
    gradient : callable
        Such counts → the derivative with respect to each, in their shape; see `per_table` for that of a single table.
    takes_batches : bool
        False if the function depends on the table's own counts in addition to the scores.
    population : Scored, optional
        The metric that it estimates, if its value is corrected for the sample size.
    range : tuple of float, optional
        Its range on this table, if narrower than the declared one.
    structure : Ratio, Rank, Ranked, MeanLoss, OperatingPoint, Distance or Undefined, optional
        A property that some interval methods use: the metric as a ratio of linear forms in the counts, the rank of a
        quantile, the statistic of ranks that determines it, a mean loss, the stated rate that determines its
        threshold, or a distance from calibration. Or the reason for its undefined values.

    Examples
    --------
    >>> hours = np.array([1.0, 2.0, 4.0])
    >>> def mean(counts):
    ...     return counts @ hours / counts.sum(-1)
    >>> found = Scored(mean, lambda counts: (hours - mean(counts)[..., None]) / counts.sum(-1)[..., None])
    >>> found.value(np.array([3.0, 1.0, 1.0])).tolist()
    1.8
    """

    value: Callable[[Array], Array]
    gradient: Callable[[Array], Array]
    takes_batches: bool = True
    population: Scored | None = None
    range: Bounds | None = None
    structure: Ratio | Rank | Ranked | MeanLoss | OperatingPoint | Distance | Undefined | None = None


@dataclass(frozen=True, slots=True, eq=False)
class MeanLoss:
    """A mean of the losses of the cases, or the fraction by which the scores reduce the mean loss of a null model.

    Parameters
    ----------
    on_subset : callable
        Positions of some cells, an array for each axis → the metric as a function of their counts, ``(..., cells)``,
        for a table without cases in other cells.
    cells : CellLosses, optional
        The loss of each cell, for a mean of losses.
    """

    on_subset: Callable[[tuple[Array, ...]], Scored]
    cells: CellLosses | None = None


@dataclass(frozen=True, slots=True)
class RowLoss:
    """The form of a loss for rows of probabilities, one for each class or label.

    Parameters
    ----------
    losses : callable
        Probabilities of labels ``(n, K)`` → the loss of each without and with the label, ``(n, K, 2)``; a row's loss is
        the sum over its columns.
    by_class : callable
        Probabilities of classes, which sum to 1 in each row, ``(n, K)`` → the row's loss if that is the true class.
    range : tuple of float
        Smallest and largest value of the metric.
    null : callable, optional
        Class frequencies ``(..., K)`` → the mean loss of always predicting these ``(...)``, and its derivatives
        ``(..., K)``. If given, the metric is the fraction by which the probabilities reduce that loss.
    """

    losses: Callable[[Array], Array]
    by_class: Callable[[Array], CellLosses]
    range: Bounds
    null: Callable[[Array], tuple[Array, Array]] | None = None


@dataclass(frozen=True, slots=True)
class RowShare:
    """The form of a proportion of rows of scores.

    Parameters
    ----------
    marks : callable
        Table of scores with one column per class, and the arguments of the metric → whether each row with each true
        class belongs to the proportion, ``(n, K)``.
    """

    marks: Callable[..., Array]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Definition:
    """Declaration of a metric by a decorated function; `binding.resolve` binds it to a table.

    Parameters
    ----------
    name, aliases : str, tuple of str
        Names in spec strings.
    form : Form
        The arguments of the function, and the contents of the tables that it is defined for.
    function : callable
        The function; its keyword parameters are the arguments of the spec string.
    range : tuple of float, or callable
        Smallest and largest value; or a function (number of classes, arguments) → those.
    better : {"higher", "lower", "neither"}
        Whether higher or lower values are better.
    linear : bool
        Whether the function returns numerator and denominator, linear in the counts.
    each_class : str, optional
        Name of its form for each class against the rest, which averages use, if it is one number for the whole table.
    terms : tuple of str
        Names of the proportions whose sum it is, up to a constant.
    derivative : callable, optional
        Gradient with respect to the cells, on any leading axes, if it is not computed by the complex step.
    rows : RowLoss or RowShare, optional
        For a metric of scores: its form for whole rows of scores. A share of rows has no averages over classes.
    also : mapping of str to callable
        Its forms for other tables, such as predicted numbers in place of ordered classes: functions of the table, like
        those of values.
    is_area, is_step : bool
        Whether it is the area under the ROC curve; whether its value moves in steps, so that the gradient is an
        estimate and not the derivative.
    is_steep_at_zero : bool
        Whether it changes fastest where a rate is near zero.
    is_ordinal : bool
        Whether it depends on the order of the classes.
    always_stated : tuple of str
        Arguments without which the number is ambiguous: labels state them even if they have their default values.
    cuts_scores : bool
        Whether its argument ``threshold`` is also the threshold at which it predicts the positive class on scores.
    disagreement : callable, optional
        Number of cases → the factor of 1 minus the function's value in a sample of that size.
    random : float, optional
        Its value for predictions that do not depend on the truth.
    sklearn : str, optional
        The equal function of scikit-learn.
    parameters : mapping of str to inspect.Parameter
        The arguments, with their defaults.
    own : bool
        Whether `define_metric` registered it.
    """

    name: str
    form: Form
    function: Callable[..., Any]
    aliases: tuple[str, ...] = ()
    range: Bounds | Callable[..., Bounds] = (0.0, 1.0)
    better: Better = "higher"
    linear: bool = False
    each_class: str | None = None
    terms: tuple[str, ...] = ()
    derivative: Callable[..., Any] | None = None
    rows: RowLoss | RowShare | None = None
    also: Mapping[str, Callable[..., Scored]] = field(default_factory=dict)
    is_area: bool = False
    is_step: bool = False
    is_steep_at_zero: bool = False
    is_ordinal: bool = False
    always_stated: tuple[str, ...] = ()
    cuts_scores: bool = False
    disagreement: Callable[[Any], Any] | None = None
    random: float | None = None
    sklearn: str | None = None
    parameters: Mapping[str, inspect.Parameter] = field(default_factory=dict)
    own: bool = False

    @property
    def summary(self) -> str:
        """First line of the function's docstring."""
        return (inspect.getdoc(self.function) or "").split("\n", 1)[0]

    @property
    def required(self) -> tuple[str, ...]:
        """Names of the arguments without a default, which a spec string must give."""
        return tuple(name for name, each in self.parameters.items() if each.default is inspect.Parameter.empty)

    @property
    def of_scores(self) -> bool:
        """Whether it depends on scores, not on predictions."""
        return self.form.name == "scores"

    @property
    def of_predictions(self) -> bool:
        """Whether it depends on predictions."""
        return self.form.reads == "predictions"

    def reads_any(self, held: Collection[str]) -> bool:
        """Whether one of its forms is defined for the contents of a table."""
        return self.form.reads in held or not self.also.keys().isdisjoint(held)

    def takes_table(self, held: Collection[str]) -> bool:
        """Whether its form for the contents of a table is a function of the table that returns `Scored`."""
        return self.form.takes == ("table",) or self.form.reads not in held

    def form_for(self, held: Collection[str]) -> Callable[..., Any]:
        """Return the function for the contents of a table, for which it must be defined."""
        if self.form.reads in held:
            return self.function
        return next(function for what, function in self.also.items() if what in held)

    @property
    def has_averages(self) -> bool:
        """Whether it is defined for one class, so that classes can be averaged."""
        return self.has_outcomes or (self.of_scores and not isinstance(self.rows, RowShare))

    @property
    def has_outcomes(self) -> bool:
        """Whether it is a function of four outcomes of a class."""
        return self.form.name in {"outcomes", "events"}

    @property
    def reads_negatives(self) -> bool:
        """Whether it depends on true negatives."""
        if self.form.name != "outcomes":
            return self.of_predictions
        with np.errstate(all="ignore"):
            given = dict.fromkeys(self.required, 0.5)  # any numbers
            return bool(np.isnan(self.evaluate(*np.array([5.0, 3.0, 2.0, np.nan]), **given)))

    @property
    def reads(self) -> str:
        """The contents of the tables that it is defined for, in words."""
        return self.form.contents

    def outcome_ratio(self, **arguments: object) -> Ratio | None:
        """Coefficients of the four outcomes in numerator and denominator, when the metric is a ratio."""
        return _outcome_ratio(self, tuple(arguments.items())) if self.linear and self.has_outcomes else None

    def share_ratio(self, **arguments: object) -> Ratio | None:
        """Return `outcome_ratio` where it is a binomial proportion, or follows from one."""
        return _share_ratio(self, tuple(arguments.items())) if self.linear and self.has_outcomes else None

    def evaluate(self, *parts: Array, **arguments: object) -> Array:
        """Return the value from the parts of a table that the form names."""
        result = self.function(*parts, **arguments)
        return divide(*result) if self.linear else np.asarray(result)

    def bounds(self, classes: int, arguments: Mapping[str, object]) -> Bounds:
        """Return the range for a number of classes and these arguments."""
        return self.range(classes, **arguments) if callable(self.range) else self.range

    def slopes(self, *parts: Array, **arguments: object) -> Array:
        """Return the derivatives with respect to the four outcomes, shape ``(4, ..., *classes)``; 0 if undefined."""
        with np.errstate(all="ignore"):
            if self.derivative is not None:
                slopes = np.stack(np.broadcast_arrays(*self.derivative(*parts, **arguments)))
            elif (ratio := self.outcome_ratio(**arguments)) is not None:  # both forms move by their coefficients
                by_outcome = (slice(None), *[None] * parts[0].ndim)
                part, whole = self.function(*parts, **arguments)
                share = divide(np.ones_like(whole), whole)
                moved = ratio.numerator[by_outcome] * whole - ratio.denominator[by_outcome] * part
                slopes = moved * share * share
            else:
                slopes = self._stepped(STEP, parts, arguments)
                steep = np.abs(slopes) * sum(parts) > STEEP
                if steep.any():  # a root at 0 has no derivative, and the step's own size shows
                    slopes[steep & (np.abs(slopes) > 2 * np.abs(self._stepped(16 * STEP, parts, arguments)))] = 0.0
        return np.where(np.isnan(slopes), 0.0, slopes)

    def _stepped(self, step: float, parts: Sequence[Array], arguments: Mapping[str, object]) -> Array:
        nudged = ((*parts[:i], part + step * 1j, *parts[i + 1 :]) for i, part in enumerate(parts))
        return np.stack([self.evaluate(*each, **arguments).imag / step for each in nudged])


@cache
def _outcome_ratio(definition: Definition, arguments: tuple[tuple[str, object], ...]) -> Ratio:
    numerator, denominator = definition.function(*np.eye(4), **dict(arguments))
    return Ratio(np.broadcast_to(numerator, 4) * 1.0, np.broadcast_to(denominator, 4) * 1.0)


@cache
def _share_ratio(definition: Definition, arguments: tuple[tuple[str, object], ...]) -> Ratio | None:
    ratio = _outcome_ratio(definition, arguments)
    return None if ratio.proportion is None else ratio


class Registry:
    """The metrics by name; aliases lead to the same definition.

    All shipped ones are imported, `LIBRARY`, before they are listed, and before a name counts as unknown or as free.
    """

    def __init__(self) -> None:
        self._names: dict[str, Definition] = {}
        self.edition = 0  # number of changes so far

    def add(self, definition: Definition) -> None:
        """Register a definition under its name and aliases; one's own of the same name is replaced.

        Raises
        ------
        HowsureError
            If another metric has one of the names.
        """
        find = self.find if definition.own else self._registered
        before = find(definition.name)
        for name in (definition.name, *definition.aliases):
            taken = find(name)
            if taken is not None and not (taken is before and taken.own and taken.name == definition.name):
                raise HowsureError(f"There is a metric '{name}' already, `{taken.name}`. Take another name.")
        if before is not None:
            self.remove(before.name)
        self._names |= {canonical(name): definition for name in (definition.name, *definition.aliases)}
        self.edition += 1

    def remove(self, name: str) -> None:
        """Forget a metric of one's own, under all its names.

        Raises
        ------
        HowsureError
            If there is no such metric, or it is one of howsure's.
        """
        found = self.find(name)
        if found is None or not found.own:
            raise HowsureError.unknown("metric of your own", name, (each.name for each in self if each.own))
        self._names = {each: definition for each, definition in self._names.items() if definition is not found}
        self.edition += 1

    def find(self, name: str) -> Definition | None:
        """Return the definition with this name or alias, or None."""
        found = self._registered(name)
        for module in (REPORTED, LIBRARY):
            if found is None:
                import_module(module)
                found = self._registered(name)
        return found

    def _registered(self, name: str) -> Definition | None:
        return self._names.get(canonical(name))

    @property
    def names(self) -> list[str]:
        """Every name and alias."""
        import_module(LIBRARY)
        return list(self._names)

    def put_in_order(self) -> None:
        """List the metrics by their modules, whichever of these was needed first."""
        self._names = dict(sorted(self._names.items(), key=lambda item: item[1].function.__module__))

    @property
    def shipped(self) -> list[Definition]:
        """The definitions that come with howsure, whatever else was registered."""
        return [definition for definition in self if not definition.own]

    def __iter__(self) -> Iterator[Definition]:
        import_module(LIBRARY)
        return iter(dict.fromkeys(self._names.values()))

    def __len__(self) -> int:
        return len(list(iter(self)))


REPORTED = "howsure.metrics.agreement"  # module of metrics that reports show with the usual ones
REGISTRY = Registry()


def declare(form: Form, *, linear: bool = False) -> Callable[..., Callable[[Function], Function]]:
    """Register a form, and return the decorator that registers a function as its metric and returns it unchanged."""
    FORMS[form.name] = form

    def decorator(**facts: Any) -> Callable[[Function], Function]:
        def register(function: Function) -> Function:
            named: dict[str, Any] = {"name": function.__name__, "own": form.own} | facts
            parameters = parameters_of(function, len(form.takes))
            for kind, other in facts.get("also", {}).items():
                parameters |= parameters_of(other, len(FORMS[kind].takes))
            REGISTRY.add(Definition(form=form, function=function, parameters=parameters, linear=linear, **named))
            return function

        return register

    return decorator


def parameters_of(function: Callable[..., Any], first: int) -> dict[str, inspect.Parameter]:
    """Return the parameters that a spec string may set: those after the table's parts."""
    return dict(list(inspect.signature(function).parameters.items())[first:])


outcomes_metric = declare(OUTCOMES)  # of (tp, fn, fp, tn), each class against the rest
outcomes_ratio = declare(OUTCOMES, linear=True)  # (numerator, denominator) linear in (tp, fn, fp, tn)
margins_metric = declare(MARGINS)  # of the diagonal and the margins, (hits, rows, columns), each (..., K)
margins_ratio = declare(MARGINS, linear=True)  # (numerator, denominator) linear in (hits, rows, columns)
cells_metric = declare(CELLS)  # of the whole table, (..., K, K)
cells_ratio = declare(COEFFICIENTS, linear=True)  # K → (numerator, denominator), each K×K
score_metric = declare(SCORES)  # (table of scores, arguments) → Scored
