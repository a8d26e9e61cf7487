"""The call of a public function: arguments that it does not take are refused with what to write instead."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import wraps
from numbers import Real
from typing import Any, TypeVar

from howsure.errors import HowsureError, did_you_mean

Function = TypeVar("Function", bound=Callable[..., Any])
LEVELS = ("ci", "level", "conf", "conf_level", "conf_int", "confidence", "coverage", "cl")  # other packages' words
NAMES = {  # other packages' arguments → our names, of which a function accepts at most one
    "seed": ("random_state",),
    "rng": ("random_state",),
    "random_seed": ("random_state",),
    "weights": ("sample_weight",),
    "weight": ("sample_weight",),
    "cluster": ("groups", "cluster"),
    "clusters": ("groups", "cluster"),
    "group": ("groups", "by"),
    "metric": ("metrics", "metric"),
    "metrics": ("metric", "metrics"),
    "treatment": ("modality",),
    "rater": ("reader",),
    "df": ("data",),
    "n_boot": ("n_resamples",),
    "n_bootstrap": ("n_resamples",),
    "positive": ("pos_label",),
    "positive_class": ("pos_label",),
    "labels": ("pos_label",),
    "actual_vector": ("y_true",),
    "predict_vector": ("y_pred",),
    "sensitive_features": ("by",),
    "count": ("k",),
    "nobs": ("n",),
}
COUNTS = {  # functions that are given numbers of successes and of trials, and what to write instead
    "leaderboard": (
        ("k", "n", "count", "nobs"),
        " Give a table of these: `leaderboard(hs.proportions({'A': 85, 'B': 80}, 100), 'mean')`.",
    ),
    "trials": (
        ("k", "n", "c"),
        " For k successes in n runs of each task give two rows: `trials([1, 0, …], task=[…], counts=[k, n - k, …])`.",
    ),
}
OF_SOURCES = ("pos_label", "labels", "sample_weight", "groups", "by", "data", "counts", "strata")  # state them there
FIRST_WORDS = ("method", "average")  # parameters that a text without a name is meant for, where they come first


class CallError(HowsureError, TypeError):
    """A call that does not fit a function's parameters; the message says what to write."""


def public(function: Function, namespace: str = "howsure") -> Function:
    """Return a function that refuses arguments it does not take with what to write instead.

    Parameters
    ----------
    function : callable
        A public function.
    namespace : str
        Module in which users find it.

    Examples
    --------
    >>> import howsure as hs
    >>> try:
    ...     hs.f1_score([0, 1, 1, 0], [0, 1, 0, 0], alpha=0.1)
    ... except hs.HowsureError as error:
    ...     print(error)
    `f1_score` takes no `alpha`. Write `confidence_level=0.9`.
    """

    @wraps(function)
    def called(*args: object, **kwargs: object) -> Any:
        try:
            return function(*args, **kwargs)
        except TypeError:
            message = _misuse(function, args, kwargs)
            if not message:
                raise
            raise CallError(message) from None

    called.__module__ = namespace  # where it is found again, as by pickle
    return called  # type: ignore[return-value]  # of the same signature


def refuse_unknown(verb: str, given: Mapping[str, object], known: Mapping[str, object]) -> None:
    """Refuse arguments that a function passes on to another which does not take them, with what to write instead.

    Parameters
    ----------
    verb : str
        The called function.
    given : mapping of str to object
        The arguments that it passes on.
    known : mapping of str to object
        The parameters of both functions.
    """
    for name, value in given.items():
        if name not in known:
            message = f"`{verb}` takes no `{name}`.{_instead(verb, name, value, known)}"
            raise CallError(message)


def _misuse(function: Callable[..., Any], args: tuple[object, ...], kwargs: Mapping[str, object]) -> str:
    """Return an error text for the arguments of a call, with the remedy; "" if they are valid."""
    signature = inspect.signature(function)
    try:
        signature.bind(*args, **kwargs)
    except TypeError as error:
        known = signature.parameters
        unknown = next((name for name in kwargs if name not in known), "")
        name = function.__name__
        if unknown:
            return f"`{name}` takes no `{unknown}`.{_instead(name, unknown, kwargs[unknown], known)}"
        return _of_places(name, signature, args) or f"`{name}`: {error}."
    return ""


def _instead(function: str, name: str, value: object, known: Mapping[str, object]) -> str:
    """Return the argument to give to a function in place of one that it does not take."""
    if "confidence_level" in known and name in {"alpha", *LEVELS}:
        return f" Write `confidence_level={_level(name, value)}`."
    for ours in NAMES.get(name, ()):
        if ours in known:
            return f" Write `{ours}={value!r}`." if isinstance(value, str | int | float) else f" Write `{ours}=…`."
    stated = next((each for each in (name, *NAMES.get(name, ())) if each in OF_SOURCES), "")
    if stated and "table" in known:
        return f" Give it where the table is made, such as `hs.confusion(y_true, y_pred, {stated}=…)`."
    if name in {"metric", "metrics"} and "table" in known:
        return f" Give it after the table, as in `{function}(table, {value!r})`."
    if name in COUNTS.get(function, ((), ""))[0]:
        return COUNTS[function][1]
    elsewhere = {"average": f" Name the average in the metric, such as 'f1@{value}'."} if "table" in known else {}
    if function == "compare":
        of_result = f"`compare(…).non_inferiority({value!r})`, or `.equivalence({value!r})`"
        elsewhere["margin"] = f" Test it on the result: {of_result}."
    return elsewhere.get(name) or did_you_mean(name, known)


def _level(name: str, value: object) -> str:
    if not isinstance(value, Real) or isinstance(value, bool):
        return "0.95"
    share = float(value) / 100 if float(value) > 1 else float(value)
    return f"{1 - share if name == 'alpha' else share:g}"


def _of_places(name: str, signature: inspect.Signature, args: tuple[object, ...]) -> str:
    """Return an error text for too many or too few positional arguments."""
    kinds = inspect.Parameter
    placed = [
        each
        for each in signature.parameters.values()
        if each.kind in {kinds.POSITIONAL_OR_KEYWORD, kinds.POSITIONAL_ONLY}
    ]
    if args and hasattr(args[0], "predict"):  # called by scikit-learn as (estimator, X, y)
        return (
            f"`{name}` takes labels and predictions. For `scoring=` write `hs.scorer({name.removesuffix('_score')!r})`."
        )
    if len(args) <= len(placed):
        missing = [each.name for each in placed[len(args) :] if each.default is kinds.empty]
        return f"`{name}` needs `{missing[0]}`: `{name}({', '.join(each.name for each in placed)})`." if missing else ""
    if placed and placed[0].name == "table" and not any(isinstance(each, str) for each in args[:2]):
        metric = next((each for each in args[2:] if isinstance(each, str)), "f1")
        return f"`{name}` takes a table. Make one first: `hs.{name}(hs.confusion(y_true, y_pred), {metric!r})`."
    named = [each.name for each in signature.parameters.values() if each.kind is kinds.KEYWORD_ONLY]
    takes = f"{len(placed)} argument{'' if len(placed) == 1 else 's'} without a name"
    extra, rest = args[len(placed)], f" Give the others by name: {', '.join(named)}." if named else ""
    if isinstance(extra, str) and named and named[0] in FIRST_WORDS:
        rest = f" Give {extra!r} by name, such as `{named[0]}={extra!r}`; names: {', '.join(named)}."
    return f"`{name}` takes {takes} ({', '.join(each.name for each in placed)}), not {len(args)}.{rest}"
