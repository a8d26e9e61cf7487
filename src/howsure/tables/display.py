"""Display of tables: one line as text, and contents and caveats in notebooks."""

from __future__ import annotations

import re
from dataclasses import fields
from typing import Any, cast

import numpy as np

from howsure.arrays import Array
from howsure.attributes import AdvisedAttributes
from howsure.designs.base import Design
from howsure.grids import Grid
from howsure.numbers import count_text
from howsure.tables.kind import ORDINARY, Kind

MOST_SHOWN = 20  # classes that a notebook names
MOST_COUNTED = 5  # classes whose cases a line counts
CALLED = frozenset(  # what users call, besides the fields
    ("at", "at_prevalence", "cautions", "is_binary", "model", "models", "pair", "position", "positive", "rater", "save")
) | {"shape", "true_class", "variance", "with_design"}


class Displayed(AdvisedAttributes):
    """Display of a table, whose attributes it uses."""

    labels: Array
    design: Design
    rows: Any
    cautions: Any
    positive: Any
    class_totals: Any
    batch: Any

    @property
    def kind(self) -> Kind:
        """Facts about the kind of table that select metrics and methods, and its nouns in messages."""
        return ORDINARY

    def __dir__(self) -> list[str]:
        """Return the names that users need; the other public ones serve metrics and methods."""
        shown = CALLED | {each.name for each in fields(cast("Any", self))}
        return [name for name in super().__dir__() if name.startswith("_") or name in shown]

    def _repr_html_(self) -> str:
        return self._overview().for_notebook()

    def _overview(self) -> Grid:
        """Return the display of the table in notebooks: contents and caveats."""
        what, _, held = repr(self).strip("<>").partition(": ")
        return Grid((what, ""), (("holds", held), *self._held().items()), "\n".join(self.cautions))

    def _held(self) -> dict[str, str]:
        """Return texts on the other contents of the table, by name."""
        if self.batch:
            return {}
        shown = zip(self.labels[:MOST_SHOWN].tolist(), self.class_totals[:MOST_SHOWN].tolist(), strict=True)
        more = ["…"] if len(self.labels) > MOST_SHOWN else []
        return {
            self.kind.classes_noun: ", ".join([*(f"{label}: {count_text(total)}" for label, total in shown), *more])
        }

    def __repr__(self) -> str:
        many = f"{int(np.prod(self.batch)):,} tables, " if self.batch else ""
        return f"<{type(self).__name__}: {many}{self._contents()}{self._design_text}>"

    @property
    def _design_text(self) -> str:
        """The design as text, printed after the contents; empty for independent cases."""
        words = re.sub(r"(?<=[a-z])([A-Z])", r" \1", type(self.design).__name__).lower()
        return "" if self.design.traits.is_independent else f"; design: {words}"

    def _contents(self) -> str:
        """Return the contents as text, with the number of cases of each class if there are few classes."""
        cases, positive = f"{int(np.sum(self.rows)):,} cases", f"; positive: {self.positive}" if self.positive else ""
        if self.batch or len(self.labels) > MOST_COUNTED or not self.kind.has_one_label_per_case:
            return f"{cases}, {len(self.labels):,} {self.kind.classes_noun}{positive}"
        totals = zip(map(count_text, self.class_totals.tolist()), self.labels.tolist(), strict=True)
        each = (
            f"{total} {label}" if isinstance(label, str) else f"{total} of class {label}" for total, label in totals
        )
        return f"{cases}: {', '.join(each)}{positive}"

    def __str__(self) -> str:
        return repr(self)
