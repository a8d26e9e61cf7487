"""Kinds of evidence and the forms of their metrics, each defined once in its own folder and looked up here."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from howsure.tables.table import Table

LIBRARY = "howsure.metrics.library"  # module that imports all metrics
FORMS: dict[str, Form] = {}  # by name


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Form:
    """A form of metrics: the arguments of their functions, and the kind of evidence that these describe.

    `registry.declare` returns the decorator that registers a metric.

    Parameters
    ----------
    name : str
        Name of the form. For a kind of evidence: the name in `Table.data_kinds` of the tables that contain it.
    reads : str
        The contents of tables that its metrics are defined for, one of `Table.data_kinds`; the name by default.
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
    >>> form.reads, form.takes, next(iter(form.examples())).kind.noun
    ('ratings', ('table',), 'table of ratings')
    """

    name: str
    reads: str = ""
    by_class: bool = False
    takes: tuple[str, ...] = ("table",)
    maker: str = ""
    examples: Callable[[], Iterable[Table]] = tuple
    tried: tuple[str, ...] = ()
    counterparts: Mapping[str, str] = field(default_factory=dict)
    flow: bool = False
    own: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "reads", self.reads or self.name)

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy by name."""
        return form_of, (self.name,)

    @property
    def call(self) -> str:
        """The call that makes such a table, for messages."""
        if self.reads == "predictions":
            return "confusion(y_true, y_pred)"
        found = re.search(r"`(\w+\(.*?\))`", self.maker)
        return found[1] if found else "table"

    @property
    def takes_table(self) -> bool:
        """Whether its functions take a table and return `Scored`."""
        return self.takes == ("table",)

    @property
    def contents(self) -> str:
        """The contents of tables that its metrics are defined for, as text."""
        return f"{self.reads}, by class" if self.by_class else self.reads


def form_of(name: str) -> Form | None:
    """Return the form of a name, or None; howsure's own kinds are imported first if the name is unknown."""
    if name not in FORMS:
        import_module(LIBRARY)
    return FORMS.get(name)


def has_flow(table: Table) -> bool:
    """Whether the default interval of all metrics of the table's kind of evidence is `Flow`."""
    form = FORMS.get(table.data_kinds[-1])  # defined once a metric of it is bound
    return form is not None and form.flow


def all_forms() -> list[Form]:
    """Return all forms; howsure's own kinds are imported first."""
    import_module(LIBRARY)
    return list(FORMS.values())


OUTCOMES = Form(name="outcomes", reads="predictions", by_class=True, takes=("tp", "fn", "fp", "tn"))
MARGINS = Form(name="margins", reads="predictions", takes=("hits", "rows", "columns"))
CELLS = Form(name="cells", reads="predictions", takes=("counts",))
COEFFICIENTS = Form(name="coefficients", reads="predictions", takes=("classes",))
SCORES = Form(
    name="scores",
    maker=(
        "a table of scores: `scores(y_true, y_score)`, for several models `paired_scores`, for many classes "
        "`multiclass_scores`"
    ),
)
