"""The metrics of scores by name, and how a spec string binds one to a table."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howsure.errors import HowsureError
from howsure.metrics.metric import REGISTRY, Better, Metric, canonical
from howsure.tables.counts import Counts
from howsure.tables.scores import ScoresTable as Table

Array = NDArray[Any]
Build = Callable[..., dict[str, Any]]


@dataclass(frozen=True, slots=True)
class ScoreDefinition:
    """A metric of scores: how it is built for a table, its names and arguments.

    ``build(table, **arguments)`` returns ``value`` (cells ``(..., S, 2)`` → values), ``slopes`` (one table's cells →
    derivatives), and where it is not (0, 1) the ``range``.
    """

    name: str
    aliases: tuple[str, ...]
    build: Build
    parameters: Mapping[str, inspect.Parameter]
    better: Better = "higher"
    sklearn: str | None = None

    @property
    def summary(self) -> str:
        """First line of the function's docstring."""
        return (inspect.getdoc(self.build) or "").split("\n", 1)[0]


class ScoreRegistry:
    """The metrics of scores by name and alias."""

    def __init__(self) -> None:
        self._names: dict[str, ScoreDefinition] = {}

    def add(self, definition: ScoreDefinition) -> None:
        """Register a definition under its name and aliases."""
        for name in (definition.name, *definition.aliases):
            self._names[canonical(name)] = definition

    def find(self, name: str) -> ScoreDefinition | None:
        """Return the definition with this name or alias, or None."""
        return self._names.get(canonical(name))

    @property
    def names(self) -> list[str]:
        """Every name and alias."""
        return list(self._names)

    def __iter__(self) -> Iterator[ScoreDefinition]:
        return iter(dict.fromkeys(self._names.values()))

    def __len__(self) -> int:
        return len(set(self._names.values()))


SCORE_METRICS = ScoreRegistry()


def score_metric(
    *, name: str, aliases: tuple[str, ...] = (), better: Better = "higher", sklearn: str | None = None
) -> Callable[[Build], Build]:
    """Register the function that builds a metric of scores; its keyword arguments are the spec string's."""

    def register(build: Build) -> Build:
        parameters = dict(list(inspect.signature(build).parameters.items())[1:])
        SCORE_METRICS.add(ScoreDefinition(name, aliases, build, parameters, better, sklearn))
        return build

    return register


def bound(spec: str, table: Table) -> Metric:
    """Return the metric that a spec string names on a table of scores."""
    name, *pairs = spec.split("+")
    definition = SCORE_METRICS.find(name)
    if definition is None:
        raise _unknown(spec, name)
    arguments = dict(_argument(definition, pair, spec) for pair in pairs)
    arguments = {key: arguments[key] for key in definition.parameters if key in arguments}
    changed = {key: value for key, value in arguments.items() if value != definition.parameters[key].default}
    built = definition.build(table, **changed)
    value, slopes = built["value"], built["slopes"]
    beyond = 0.0 if changed else _beyond_the_rows(definition.name, value, table)
    return Metric(
        name=definition.name + "".join(f"+{key}={_shown(each)}" for key, each in changed.items()),
        counts_class=Counts,
        value=lambda counts: value(counts.cells) + beyond,
        gradient=lambda counts: per_table(slopes, np.asarray(counts.cells, dtype=float)),
        range=built.get("range", (0.0, 1.0)),
        better=definition.better,
    )


def _beyond_the_rows(name: str, value: Callable[[Array], Array], table: Table) -> float:
    """Return what the rows of a table lack of the exact value, where they stand for a known distribution."""
    known = table.design.exact_values
    return known[name] - float(value(table.counts)) if name in known else 0.0


def per_table(slopes: Callable[[Array], Array], cells: Array) -> Array:
    """Return a derivative that is written for one table, ``(S, 2)``, of tables on leading axes."""
    if cells.ndim == 2:  # noqa: PLR2004 - scores and classes
        return slopes(cells)
    return np.stack([slopes(each) for each in cells.reshape(-1, *cells.shape[-2:])]).reshape(cells.shape)


def _unknown(spec: str, name: str) -> HowsureError:
    if REGISTRY.find(name.partition("@")[0]) is not None:
        message = (
            f"`{spec.strip()}` counts the cases at a threshold: give `threshold=0.5` to `estimate` or `evaluate`, "
            "or take the confusion table there, `table.at(0.5)`."
        )
        return HowsureError(message)
    return HowsureError.unknown("metric of scores", name.strip(), SCORE_METRICS.names)


def _argument(definition: ScoreDefinition, pair: str, spec: str) -> tuple[str, Any]:
    name, equals, text = (part.strip() for part in pair.partition("="))
    if not equals:
        message = f"'{pair.strip()}' in '{spec}' is not of the form argument=value."
        raise HowsureError(message)
    if name not in definition.parameters:
        raise HowsureError.unknown(f"argument of `{definition.name}`", name, definition.parameters)
    default = definition.parameters[name].default
    if isinstance(default, str):
        return name, text
    if isinstance(default, bool):
        if text.lower() not in {"true", "false", "1", "0"}:
            message = f"`{name}` of `{definition.name}` is true or false, not '{text}'."
            raise HowsureError(message)
        return name, text.lower() in {"true", "1"}
    try:
        number = float(text)
        if isinstance(default, int) and number != int(number):
            raise ValueError  # noqa: TRY301 - the same message serves
    except (ValueError, OverflowError):
        what = "a whole number" if isinstance(default, int) else "a number"
        message = f"`{name}` of `{definition.name}` takes {what}, not '{text}'."
        raise HowsureError(message) from None
    return name, int(number) if isinstance(default, int) else number


def _shown(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value).lower()
