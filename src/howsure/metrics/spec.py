"""What a spec string says: ``name+argument=value@average+argument=value``."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

import howsure.metrics.library  # noqa: F401 - fills the registry
from howsure.errors import HowsureError
from howsure.metrics import averages
from howsure.metrics.metric import REGISTRY, Definition

Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Spec:
    """A parsed spec string."""

    definition: Definition
    arguments: dict[str, Any] = field(default_factory=dict)
    average: str | None = None
    positive_class: str | None = None
    zero_division: float = np.nan

    @property
    def text(self) -> str:
        """The spec string in its shortest, canonical form."""
        arguments = "".join(f"+{name}={_shown(value)}" for name, value in self.arguments.items())
        if not np.isnan(self.zero_division):
            arguments += f"+zero_division={self.zero_division:g}"
        average = "" if self.average is None else f"@{self.average}"
        positive = "" if self.positive_class is None else f"+positive_class={self.positive_class}"
        return self.definition.name + arguments + average + positive


def parse(text: str) -> Spec:
    """Parse a spec string; unknown names, arguments and averages are refused with the nearest known ones.

    Parameters
    ----------
    text
        ``"mcc"``, ``"f1@macro"``, ``"fbeta+beta=2@weighted"``, ``"dor@binary+positive_class=2"``.

    Examples
    --------
    >>> parse("f_beta + beta=2 @ mean").text
    'fbeta+beta=2@macro'
    """
    if not isinstance(text, str):
        message = f"A metric is named by a spec string such as 'f1@macro', not by {type(text).__name__}."
        raise HowsureError(message)
    head, at, tail = text.partition("@")
    name, *pairs = head.split("+")
    definition = REGISTRY.find(name)
    if definition is None:
        raise HowsureError.unknown("metric", name.strip(), REGISTRY.names)
    given: dict[str, str] = {}
    for key, value in (_pair(each, text) for each in pairs):
        if key in given:
            message = f"'{text}' gives `{key}` twice."
            raise HowsureError(message)
        given[key] = value
    zero_division = _zero_division(definition, given.pop("zero_division", "nan"))
    arguments = {key: _typed(definition, key, value) for key, value in given.items()}
    spec = Spec(definition, _non_default(definition, arguments), zero_division=zero_division)
    return _with_average(spec, tail, text) if at else spec


def _with_average(spec: Spec, tail: str, text: str) -> Spec:
    name, plus, rest = tail.partition("+")  # a class's name may hold a plus: "ER+"
    word = name.strip().lower()
    if spec.definition.form != "outcomes":
        message = f"`{spec.definition.name}` is one number for the whole table and takes no average: drop '@{word}'."
        raise HowsureError(message)
    canonical = averages.canonical_average(word)
    given = dict([_pair(rest, text)]) if plus else {}
    positive = given.pop("positive_class", None)
    if positive is not None and canonical != "binary":
        message = f"`positive_class` goes with the average 'binary', not with '{word}'."
        raise HowsureError(message)
    if given:
        raise HowsureError.unknown("argument of an average", next(iter(given)), ["positive_class"])
    return replace(spec, average=canonical, positive_class=positive)


def _pair(text: str, whole: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        message = f"'{text.strip()}' in '{whole}' is not of the form argument=value."
        raise HowsureError(message)
    return name.strip(), value.strip()


def _number(name: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        message = f"`{name}` takes a number, not '{text}'."
        raise HowsureError(message) from None


def _zero_division(definition: Definition, text: str) -> float:
    value = _number("zero_division", text)
    if np.isnan(value):
        return value
    if definition.form != "outcomes":
        message = f"`{definition.name}` takes no `zero_division`: where its denominator is zero it is nan."
        raise HowsureError(message)
    lowest, highest = definition.bounds(2, {})
    if not (np.isfinite(value) and lowest <= value <= highest):
        message = f"`zero_division` of `{definition.name}` lies in [{lowest:g}, {highest:g}] or is nan, not {text}."
        raise HowsureError(message)
    return value


def _typed(definition: Definition, name: str, text: str) -> Any:
    if name not in definition.parameters:
        known = [*definition.parameters, *(["zero_division"] if definition.form == "outcomes" else [])]
        raise HowsureError.unknown(f"argument of `{definition.name}`", name, known)
    default = definition.parameters[name].default
    if isinstance(default, bool):
        if text.lower() not in {"true", "false", "1", "0"}:
            message = f"`{name}` of `{definition.name}` is true or false, not '{text}'."
            raise HowsureError(message)
        return text.lower() in {"true", "1"}
    if isinstance(default, int | float):
        value = _number(f"{name}` of `{definition.name}", text)
        if not np.isfinite(value):
            message = f"`{name}` of `{definition.name}` takes a finite number, not '{text}'."
            raise HowsureError(message)
        return value
    return text


def _non_default(definition: Definition, arguments: dict[str, Any]) -> dict[str, Any]:
    parameters = definition.parameters
    order = sorted(arguments, key=list(parameters).index)
    return {name: arguments[name] for name in order if arguments[name] != parameters[name].default}


def _shown(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value).lower()


def signature(definition: Definition) -> str:
    """Return the arguments that a spec string may give, ``"+beta=1"``."""
    shown = (
        f"+{name}={_shown(parameter.default)}"
        for name, parameter in definition.parameters.items()
        if parameter.default is not inspect.Parameter.empty
    )
    return "".join(shown)
