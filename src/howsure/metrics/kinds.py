"""Kinds of evidence and the forms of their metrics: each is defined once, beside its metrics, and looked up here."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from howsure.errors import HowsureError
from howsure.metrics.registry import LIBRARY, REGISTRY, Definition, Function, parameters_of
from howsure.tables.table import Table

FORMS: dict[str, Form] = {}  # by name


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Form:
    """A form of metrics: the arguments of their functions, and the kind of evidence that these describe.

    Its methods `metric` and `ratio` are the decorators that register a metric.

    Parameters
    ----------
    name : str
        Name of the form. For a kind of evidence: the name in `Table.holds` of the tables that contain it.
    reads : str
        The contents of tables that its metrics are defined for, one of `Table.holds`.
    by_class : bool
        Whether its functions are evaluated for each class against the rest.
    takes : tuple of str
        Arguments of its functions before those of the spec string. ``("table",)`` for functions of a table that return
        `Scored`.
    maker : str
        The functions that create such tables, for messages.
    examples : callable
        Returns tables with cases in every cell, on which the laws of metrics and methods are checked.
    tried : tuple of str
        Metrics for which the laws of interval methods are checked.
    counterparts : mapping of str to str
        Metrics of predictions, by name → spec string of the corresponding metric of this kind.
    flow : bool
        Whether the default interval of its metrics is `Flow`, for which simulations must show coverage.
    own : bool
        Whether `define_evidence` made it.

    Examples
    --------
    >>> import howsure as hs
    >>> form = form_of("ratings")
    >>> form.reads, form.takes, next(iter(form.examples())).noun
    ('ratings', ('table',), 'table of ratings')
    """

    name: str
    reads: str
    by_class: bool = False
    takes: tuple[str, ...] = ("table",)
    maker: str = ""
    examples: Callable[[], Iterable[Table]] = tuple
    tried: tuple[str, ...] = ()
    counterparts: Mapping[str, str] = field(default_factory=dict)
    flow: bool = False
    own: bool = False

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy by name."""
        return form_of, (self.name,)

    @property
    def takes_table(self) -> bool:
        """Whether its functions take a table and return `Scored`."""
        return self.takes == ("table",)

    @property
    def contents(self) -> str:
        """The contents of tables that its metrics are defined for, as text."""
        return f"{self.reads}, by class" if self.by_class else self.reads

    def metric(self, **facts: Any) -> Callable[[Function], Function]:
        """Register a metric by decorating its function, which is returned unchanged.

        Parameters
        ----------
        **facts : object
            ``name`` (the function's by default), ``aliases``, ``range`` (0 to 1 by default), ``better`` and the other
            parameters of `Definition`.

        Returns
        -------
        callable
            The decorator.

        Raises
        ------
        HowsureError
            If another metric has the name.
        """
        return self._register(facts, linear=False)

    def ratio(self, **facts: Any) -> Callable[[Function], Function]:
        """Register a metric whose function returns numerator and denominator, which are linear in the counts."""
        return self._register(facts, linear=True)

    def _register(self, facts: dict[str, Any], *, linear: bool) -> Callable[[Function], Function]:
        def register(function: Function) -> Function:
            parameters = parameters_of(function, len(self.takes))
            for kind, other in facts.get("also", {}).items():
                parameters |= parameters_of(other, len(FORMS[kind].takes))
            named: dict[str, Any] = {"name": function.__name__, "own": self.own} | facts
            REGISTRY.add(Definition(form=self, function=function, parameters=parameters, linear=linear, **named))
            return function

        return register


def add_form(form: Form) -> Form:
    """Register a form, and return it.

    Examples
    --------
    >>> add_form(form_of("values")) is FORMS["values"]
    True
    """
    FORMS[form.name] = form
    return form


def form_of(name: str) -> Form | None:
    """Return the form of a name, or None; howsure's own kinds are imported first if the name is unknown."""
    if name not in FORMS:
        import_module(LIBRARY)
    return FORMS.get(name)


def has_flow(table: Table) -> bool:
    """Whether the default interval of all metrics of the table's kind of evidence is `Flow`."""
    form = FORMS.get(table.holds[-1])  # defined once a metric of it is bound
    return form is not None and form.flow


def all_forms() -> list[Form]:
    """Return all forms; howsure's own kinds are imported first."""
    import_module(LIBRARY)
    return list(FORMS.values())


def define_evidence(
    name: str,
    *,
    maker: str = "",
    examples: Callable[[], Iterable[Table]] = tuple,
    tried: Collection[str] = (),
    counterparts: Mapping[str, str] | None = None,
    flow: bool = False,
) -> Form:
    """Define a kind of evidence; the result registers its metrics.

    The tables are a subclass of `CasesTable` with ``holds = (name,)``. Metrics are functions of such a table that
    return `Scored`, decorated by the form's method ``metric``. Estimates, comparisons, groups, reports and files then
    support the kind. ``howsure.testing.check_evidence`` tests it.

    Parameters
    ----------
    name : str
        Name of the kind, in small letters.
    maker : str
        The function that creates its tables, for messages: ``"`survival(time, event, risk)`"``.
    examples : callable
        Returns an iterable of tables with cases in every cell, on which `howsure.testing` checks the laws.
    tried : collection of str
        Metrics for which the laws of interval methods are checked on these tables.
    counterparts : mapping of str to str
        Metrics of predictions, by name → spec string of the corresponding metric of this kind, for messages.
    flow : bool
        Whether the default interval is `Flow`, a score interval for smooth metrics. Show its coverage by simulation
        before you choose it.

    Returns
    -------
    Form

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
    ... class VisitsTable(hs.tables.CasesTable):
    ...     '''Patients by number of visits.'''
    ...     visits: np.ndarray
    ...     holds = ("visits",)
    >>> visits = hs.define_evidence("visits")
    >>> @visits.metric(range=(0, np.inf), better="neither")
    ... def mean_visits(table):
    ...     '''Mean number of visits of a patient.'''
    ...     def value(counts):
    ...         return counts @ table.visits / counts.sum(-1)
    ...     def gradient(counts):
    ...         return (table.visits - value(counts)[..., None]) / counts.sum(-1)[..., None]
    ...     return hs.tables.Scored(value, gradient)
    >>> table = hs.tables.count_cases(VisitsTable, {"visits": [1, 4, 2, 2, 3, 7, 1, 5]})
    >>> print(hs.estimate(table, "mean_visits"))
    3.13 [1.75, 4.50]
    """
    import_module(LIBRARY)  # all of howsure's, whose names are taken
    taken = {each for form in FORMS.values() if not form.own for each in (form.name, form.reads)}
    if name in taken or not re.fullmatch(r"[a-z]\w*", name):
        why = "is one of howsure's" if name in taken else "is not a word in small letters"
        message = f"A kind of evidence cannot be called {name!r}: the name {why}. Choose another, such as 'survival'."
        raise HowsureError(message)
    return add_form(
        Form(
            name=name,
            reads=name,
            maker=maker,
            examples=examples,
            tried=tuple(tried),
            counterparts=counterparts or {},
            flow=flow,
            own=True,
        )
    )


OUTCOMES = add_form(Form(name="outcomes", reads="predictions", by_class=True, takes=("tp", "fn", "fp", "tn")))
MARGINS = add_form(Form(name="margins", reads="predictions", takes=("hits", "rows", "columns")))
CELLS = add_form(Form(name="cells", reads="predictions", takes=("counts",)))
COEFFICIENTS = add_form(Form(name="coefficients", reads="predictions", takes=("classes",)))
SCORES = add_form(
    Form(
        name="scores",
        reads="scores",
        maker=(
            "a table of scores: `scores(y_true, y_score)`, for several models `paired_scores`, for many classes "
            "`multiclass_scores`"
        ),
    )
)
outcomes_metric = OUTCOMES.metric  # of (tp, fn, fp, tn), each class against the rest
outcomes_ratio = OUTCOMES.ratio  # (numerator, denominator), linear in (tp, fn, fp, tn)
margins_metric = MARGINS.metric  # of the diagonal and the margins, (hits, rows, columns), each (..., K)
margins_ratio = MARGINS.ratio  # (numerator, denominator), linear in (hits, rows, columns)
cells_metric = CELLS.metric  # of the whole table, (..., K, K)
cells_ratio = COEFFICIENTS.ratio  # K → (numerator, denominator), each K×K
score_metric = SCORES.metric  # (table of scores, arguments) → Scored
