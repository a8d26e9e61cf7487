"""What a spec string says: ``name+argument=value@average+argument=value``. Nothing else reads one."""

from __future__ import annotations

import math
import re
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import numpy as np

import howsure.metrics.confusion  # noqa: F401 - the usual metrics; the registry finds the others
from howsure.cached import cached_property
from howsure.errors import MOST_LISTED, HowsureError, listed, one_of
from howsure.metrics.averages import canonical_average
from howsure.metrics.other_names import SIGNS, meant, unknown
from howsure.metrics.registry import REGISTRY, Definition
from howsure.names import canonical

PASSES = re.compile(r"^\s*pass\s*@\s*(?=\d)", re.IGNORECASE)  # the @ of pass@2 names no average
REMEMBERED = 4096  # parsed strings


@dataclass(frozen=True)
class Spec:
    """What a spec string says; its text, made here alone, is the name of the metric.

    Parameters
    ----------
    definition : Definition
        The metric.
    arguments : dict of str to float, int, bool or str
        Its arguments that differ from their defaults. Not to be changed in place.
    average : str, optional
        Name of the average over classes; ``"binary"`` for one class, ``"none"`` for each class.
    positive_class : str, optional
        The one class of the average ``"binary"``.
    zero_division : float
        The value of a class on which the metric is undefined; nan leaves it out.
    pairs : bool
        Whether classes are compared in pairs (``multi_class=ovo``), and not against the rest.
    asked : str
        The name that was given, such as ``"sensitivity"``, if any. Specs that differ in it alone are equal.
    implied : tuple of str
        The arguments that this name stands for (``"beta"`` of ``"f2"``), and ``"average"`` where it names one.
    """

    definition: Definition
    arguments: dict[str, Any] = field(default_factory=dict)
    average: str | None = None
    positive_class: str | None = None
    zero_division: float = np.nan
    pairs: bool = False
    asked: str = field(default="", compare=False)
    implied: tuple[str, ...] = field(default=(), compare=False)

    @cached_property
    def text(self) -> str:
        """The spec string in its shortest, canonical form."""
        return self.head + ("" if self.average is None else f"@{self.average}") + self._tail

    @cached_property
    def label(self) -> str:
        """The spec string by the name that was given, with every argument of an operating point.

        Examples
        --------
        >>> parse("PPV").label, parse("f2").label, parse("f1_macro").label, parse("tpr_at").label
        ('ppv', 'f2', 'f1_macro', 'tpr_at+specificity=0.9')
        """
        name = self.asked or self.definition.name
        head = "+".join((name, *self.stated))
        if self.average is None or "average" in self.implied:
            return head
        return f"{head}@{self.average}{self._tail}"

    @property
    def is_each_class(self) -> bool:
        """Whether there is a value of each class against the rest, and no average of them."""
        return self.average == "none" and not self.pairs

    @property
    def head(self) -> str:
        """The part before the average."""
        return "+".join((self.definition.name, *self.settings))

    @property
    def settings(self) -> list[str]:
        """The arguments as the text has them, ``["beta=2"]``."""
        return self._settings(self.arguments)

    @property
    def stated(self) -> list[str]:
        """The arguments as the label has them."""
        return self._settings(self._stated)

    @property
    def _stated(self) -> dict[str, Any]:
        """Return the arguments of the label: with defaults of an operating point, without those implied by the name."""
        always = {name: self.definition.parameters[name].default for name in self.definition.always_stated}
        return {name: value for name, value in (always | self.arguments).items() if name not in self.implied}

    def _settings(self, arguments: dict[str, Any]) -> list[str]:
        filled = {} if math.isnan(self.zero_division) else {"zero_division": float(self.zero_division)}
        return [f"{name}={_shown(value)}" for name, value in (arguments | filled).items()]

    @property
    def _tail(self) -> str:
        positive = "" if self.positive_class is None else f"+positive_class={self.positive_class}"
        return positive + ("+multi_class=ovo" if self.pairs else "")


def of_class(spec: Spec, label: object) -> Spec:
    """Return the spec of the metric of one class against the rest."""
    return replace(spec, average="binary", positive_class=str(label))


def of_two_classes(spec: Spec) -> Spec:
    """Return the spec of a metric of one of many classes on the table of it against the rest."""
    return replace(spec, average="binary", positive_class=None)


def parse(text: str) -> Spec:
    """Parse a spec string; unknown names, arguments and averages are refused with the nearest known ones.

    Parameters
    ----------
    text : str
        ``"mcc"``, ``"f1@macro"``, ``"fbeta+beta=2@weighted"``, ``"dor@binary+positive_class=2"``,
        ``"roc_auc+max_fpr=0.1"``, ``"roc_auc@macro+multi_class=ovo"``.

    Raises
    ------
    HowsureError
        If the text names no metric, argument or average, or they do not go together.

    Examples
    --------
    >>> parse("f_beta + beta=2 @ mean").text
    'fbeta+beta=2@macro'
    >>> parse("auc @ mean + multi_class = ovo").text
    'roc_auc@macro+multi_class=ovo'
    """
    return _read(text, REGISTRY.edition) if isinstance(text, str) else _parsed(text, named(text))


@lru_cache(REMEMBERED)
def _read(text: str, edition: int) -> Spec:
    """Return the spec of a text; it is read again in another edition of the registry, with other metrics."""
    return _parsed(text, named(text))


def named(text: str) -> Definition | None:
    """Return the definition that a spec string names, whatever else it says, or None."""
    if not isinstance(text, str):
        several = isinstance(text, list | tuple) and text and all(isinstance(each, str) for each in text)
        remedy = f" Several metrics are for `evaluate`: `evaluate(table, {list(text)!r})`." if several else ""
        raise HowsureError(
            f"A metric is named by a spec string such as 'f1@macro', not by {type(text).__name__}.{remedy}"
        )
    name = _split(text)[0]
    return REGISTRY.find(name) or REGISTRY.find(meant(canonical(name))[0].partition("+")[0])


def _split(text: str) -> tuple[str, list[str], str | None]:
    """Return the name at the start of a spec string, its arguments, and the text after the @, if any."""
    head, at, tail = PASSES.sub("pass_at_", text).partition("@")
    name, *settings = head.split("+")
    if canonical(name) == "lr" and settings and not settings[0].strip():  # the plus of "LR+"
        name, settings = f"{name}+", settings[1:]
    return name, settings, tail if at else None


def range_named(text: str) -> tuple[float, float]:
    """Return the range of the metric that a spec string names, for two classes; infinite if it names none."""
    definition = named(text)
    with suppress(HowsureError):
        return (
            (-math.inf, math.inf) if definition is None else definition.bounds(2, _parsed(text, definition).arguments)
        )
    return -math.inf, math.inf


def _parsed(text: str, definition: Definition | None) -> Spec:
    head, settings, tail = _split(text)
    if definition is None:
        raise unknown(head.strip())
    asked = head.strip().lower() if canonical(head) in SIGNS else canonical(head)
    given = dict[str, str]()
    own, average = ("", "") if REGISTRY.find(head) else meant(canonical(head))
    implied = dict(_pair(each, text) for each in own.split("+")[1:])
    if average and tail is not None:
        raise HowsureError(f"'{text}' names two averages: '{average}' and '{tail}'. Drop one.")
    for key, value in (*implied.items(), *(_pair(each, text) for each in settings)):
        if key in given:
            raise HowsureError(f"'{text}' gives `{key}` twice.")
        given[key] = value
    positive = given.pop("positive_class", None) if definition.has_averages else None
    zero_division = np.nan
    if definition.of_predictions or definition.has_outcomes:
        zero_division = _zero_division(definition, given.pop("zero_division", "nan"))
    arguments = {key: _typed(definition, key, value) for key, value in given.items()}
    if missing := [name for name in definition.required if name not in arguments]:
        full = "+".join(
            (head.strip(), *(f"{name}={value}" for name, value in given.items()), *map("{}=…".format, missing))
        )
        raise HowsureError(f"`{definition.name}` needs {listed(missing)}. Write '{full}'.")
    spec = Spec(
        definition,
        _non_default(definition, arguments),
        zero_division=zero_division,
        asked=asked,
        implied=(*implied, *(["average"] if average else [])),
    )
    written = average or tail
    if positive is not None:
        written = f"{written or 'binary'}+positive_class={positive}"
    return spec if written is None else _with_average(spec, written, text)


def _with_average(spec: Spec, tail: str, text: str) -> Spec:
    name, plus, rest = tail.partition("+")  # a class's name may contain a plus: "ER+"
    word, definition = name.strip().lower(), spec.definition
    if definition.each_class is not None:
        definition = REGISTRY.find(definition.each_class) or definition
        spec = replace(spec, definition=definition)
    if not definition.has_averages:
        remedy = f"drop '@{word}'"
        if {"label", "iou"} <= definition.parameters.keys():  # of detections
            remedy = f"write '{definition.name}+iou=0.5' for one overlap, and '+label=…' for one class"
        raise HowsureError(f"`{definition.name}` is one number for the whole table and takes no average: {remedy}.")
    average = canonical_average(word)
    given = dict([_pair(rest, text)]) if plus else {}
    positive = given.pop("positive_class", None)
    if positive is not None and average != "binary":
        raise HowsureError(f"`positive_class` goes with the average 'binary', not with '{word}'.")
    scheme = given.pop("multi_class", "ovr") if definition.of_scores else "ovr"
    one_of("scheme (`multi_class`)", scheme, ("ovr", "ovo"))
    if given:
        known = ["positive_class", *(["multi_class"] if definition.of_scores else [])]
        (name, value), *_ = given.items()
        if name == "zero_division" or name in definition.parameters:
            raise HowsureError(f"`{name}` goes before the average: '{definition.name}+{name}={value}@{word}'.")
        raise HowsureError.unknown("argument of an average", name, known)
    if scheme == "ovo" and average in {"micro", "binary"}:
        raise HowsureError(
            f"`{average}` is of classes against the rest, and has no form for pairs: use 'macro' or 'weighted'."
        )
    return replace(spec, average=average, positive_class=positive, pairs=scheme == "ovo")


def _pair(text: str, whole: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise HowsureError(f"'{text.strip()}' in '{whole}' is not of the form argument=value.")
    return name.strip(), value.strip()


def _number(name: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise HowsureError(f"`{name}` takes a number, not '{text}'.") from None


def _zero_division(definition: Definition, text: str) -> float:
    value = _number("zero_division", text)
    if np.isnan(value):
        return value
    if not definition.has_outcomes:
        raise HowsureError(f"`{definition.name}` takes no `zero_division`: where its denominator is zero it is nan.")
    lowest, highest = (-math.inf, math.inf) if definition.required else definition.bounds(2, {})
    if not (np.isfinite(value) and lowest <= value <= highest):
        raise HowsureError(
            f"`zero_division` of `{definition.name}` lies in [{lowest:g}, {highest:g}] or is nan, not {text}."
        )
    return value


def _typed(definition: Definition, name: str, text: str) -> Any:
    if name not in definition.parameters:
        known = [*definition.parameters, *(["zero_division"] if definition.has_outcomes else [])]
        error = HowsureError.unknown(f"argument of `{definition.name}`", name, known)
        others = [
            f"`{each.name}`"
            for each in REGISTRY.shipped
            if name in each.parameters and each.form.reads == definition.form.reads
        ]
        shown = [*others[:MOST_LISTED], *(["…"] if len(others) > MOST_LISTED else [])]
        raise HowsureError(f"{error} It is one of {', '.join(shown)}.") if others else error
    parameter, what = definition.parameters[name], f"{name}` of `{definition.name}"
    if isinstance(parameter.default, bool):
        if text.lower() not in {"true", "false", "1", "0"}:
            raise HowsureError(f"`{what}` is true or false, not '{text}'.")
        return text.lower() in {"true", "1"}
    if not (isinstance(parameter.default, int | float) or parameter.annotation in (float, "float")):
        return text
    value = _number(what, text)
    whole = parameter.annotation in (int, "int")
    if not np.isfinite(value) or (whole and not value.is_integer()):
        raise HowsureError(f"`{what}` takes a {'whole' if whole else 'finite'} number, not '{text}'.")
    return int(value) if whole else value


def _non_default(definition: Definition, arguments: dict[str, Any]) -> dict[str, Any]:
    defaults = {name: parameter.default for name, parameter in definition.parameters.items()}
    return {name: arguments[name] for name in defaults if name in arguments and arguments[name] != defaults[name]}


def _shown(value: object) -> str:
    if not isinstance(value, float):
        return str(value).lower() if isinstance(value, bool) else str(value)
    return short if float(short := f"{value:g}") == value else repr(value)


def signature(definition: Definition) -> str:
    """Return the arguments that a spec string may give, ``"+beta=1"``."""
    shown = (
        f"+{name}={'…' if name in definition.required or each.default != each.default else _shown(each.default)}"
        for name, each in definition.parameters.items()
    )
    return "".join(shown)
