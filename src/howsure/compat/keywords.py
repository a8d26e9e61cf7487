"""The keywords shared by all functions named as in scikit-learn: types, defaults and descriptions."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from functools import wraps
from typing import Any, Literal, TypedDict, TypeVar, cast, final

import numpy as np
from numpy.typing import ArrayLike

from howsure.compat.targets import classes, is_matrix
from howsure.errors import HowsureError, OneClassError, boolean, one_label, several
from howsure.estimates.estimate import Estimate
from howsure.estimates.estimation import evaluate
from howsure.methods.core.lookup import named
from howsure.methods.core.method import Method
from howsure.methods.core.names import MethodName
from howsure.methods.drawn.bootstrap import Bootstrap
from howsure.metrics.averages import canonical_average
from howsure.metrics.binding import labels_to_expand
from howsure.metrics.metric import Metric
from howsure.metrics.spec import Spec
from howsure.sources.confusion import confusion
from howsure.sources.encoding import sort_order
from howsure.sources.layout import aligned_columns, dense
from howsure.tables.confusion import ConfusionTable
from howsure.tables.labels import as_labels, numbers_in_text
from howsure.tables.multilabel import MultilabelTable
from howsure.tables.table import Table

Function = TypeVar("Function", bound=Callable[..., Any])
Seed = int | Sequence[int] | np.random.Generator | np.random.RandomState | np.random.SeedSequence | None
MeanName = Literal["macro", "micro", "weighted", "geometric", "harmonic", "min", "max"]
AverageName = Literal["binary", "samples"] | MeanName


class Keywords(TypedDict, total=False):
    """The fields of `Settings`, as keywords for type checkers."""

    sample_weight: ArrayLike | None
    groups: Any
    confidence_level: float
    confidence_interval: float | None
    method: MethodName | Method | None
    n_resamples: int
    random_state: Seed
    data: Any
    check: bool
    compute_ci: bool


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Settings for counting cases and for the intervals of their metrics.

    Parameters
    ----------
    sample_weight : array-like of shape (n,) or str, optional
        Non-negative weight of each case.
    groups : array-like of shape (n,) or str, optional
        Cluster of each case (patient, document, user): cases of one cluster may be correlated.
    confidence_level : float
        Confidence level of the interval, between 0 and 1.
    confidence_interval : float, optional
        A synonym of ``confidence_level``, as in the package ``confidenceinterval``.
    method : str or Method, optional
        A method or its name; the default depends on the metric.
    n_resamples : int
        Number of resamples of a bootstrap passed by name, at least 39.
    random_state : int, Generator, SeedSequence or None
        Seed of methods that draw.
    data : frame, mapping, path or None
        A frame or file with the columns, which are then given by name.
    check : bool
        Whether to raise an error for implausible input; False skips these checks.
    compute_ci : bool
        Accepted as in the package ``confidenceinterval``; the result is an `Estimate` in any case.
    """

    sample_weight: ArrayLike | None = None
    groups: Any = None
    confidence_level: float = 0.95
    confidence_interval: float | None = None
    method: MethodName | Method | None = None
    n_resamples: int = 9999
    random_state: Seed = None
    data: Any = None
    check: bool = True
    compute_ci: bool = True

    @property
    def level(self) -> float:
        """The confidence level, under either of its names."""
        return self.confidence_level if self.confidence_interval is None else self.confidence_interval

    @property
    def chosen_method(self) -> Method | None:
        """The method; a bootstrap passed by name gets the number of resamples."""
        chosen = named(self.method)
        if isinstance(chosen, Bootstrap) and isinstance(self.method, str):
            return replace(chosen, n_resamples=self.n_resamples)
        return chosen

    def table(
        self, y_true: object, y_pred: object, *, also: ArrayLike | None = None, positive: object = None
    ) -> ConfusionTable | MultilabelTable:
        """Return the table of all classes that occur, and of further named classes.

        Parameters
        ----------
        y_true, y_pred : array-like of shape (n,) or (n, L), or str
            True and predicted labels.
        also : array-like, optional
            Classes that need not occur, if one of them does.
        positive : object, optional
            One of the two classes, if only one may occur.
        """
        try:
            table = self.counted(y_true, y_pred)
        except OneClassError as error:
            both = as_labels([error.label, _other(error.label, positive)])
            table = self.counted(y_true, y_pred, both[sort_order(both)])
        if also is None:
            return table
        known = {str(label) for label in table.labels}
        absent = [label for label in some_classes(also) if str(label) not in known]
        if not absent:
            return table
        if len(absent) == len(listed(also)):
            table.position(absent[0])  # raises an error with the nearest class
        return self.counted(y_true, y_pred, as_labels([*table.labels.tolist(), *absent]))

    def counted(
        self, y_true: object, y_pred: object, labels: ArrayLike | None = None
    ) -> ConfusionTable | MultilabelTable:
        """Return the table of the named classes; all that occur by default."""
        true, predicted = self.labels(y_true, y_pred)
        if labels is not None:
            some_classes(labels)
        facts: dict[str, Any] = {"sample_weight": self.sample_weight, "groups": self.groups, "check": self.check}
        table: ConfusionTable | MultilabelTable = confusion(true, predicted, labels=labels, data=self.data, **facts)
        if labels is not None or numbers_in_text(known := table.labels.tolist()) is None or known == sorted(known):
            return table
        # scikit-learn sorts numbers in text as text.
        ordered: ConfusionTable = confusion(true, predicted, labels=sorted(known), data=self.data, **facts)
        return replace(ordered, is_ordered=False)

    def labels(self, y_true: object, y_pred: object) -> tuple[Any, Any]:
        """Return true and predicted labels as columns or as indicator arrays, or as the names of columns."""
        if self.data is not None:
            return y_true, y_pred
        true, predicted = classes("y_true", y_true), classes("y_pred", y_pred)
        if is_matrix(true) and is_matrix(predicted):
            true, predicted, names = aligned_columns(true, predicted, "y_true", "y_pred")
            return (true, predicted) if names is None else (dense(true), dense(predicted))
        return true, predicted

    def estimates(self, table: Table, metrics: Sequence[Metric | Spec | str]) -> list[Estimate]:
        """Return the estimate of each metric, all of them in one pass."""
        found = evaluate(
            table, metrics, method=self.chosen_method, confidence_level=self.level, random_state=self.random_state
        )
        each = sum(isinstance(metric, Spec) and metric.is_each_class for metric in metrics)
        number = len(metrics) + each * (len(table.labels) - 1)
        if len(found) == number:
            return list(found.estimates.values())
        return [found[name] for metric in metrics for name in _names(metric, table)]

    def estimated(self, table: Table, metric: Metric | str, *, normalize: bool = True) -> Estimate:
        """Return the estimate of a mean over the cases, or with ``normalize=False`` of the sum."""
        found = self.estimates(table, [metric])[0]
        return (
            found
            if boolean("normalize", normalize)
            else scaled(found, float(table.counts.sum()), "summed over the cases")
        )


def _names(metric: Metric | Spec | str, table: Table) -> list[str]:
    if isinstance(metric, Spec):
        return labels_to_expand(metric, table) or [metric.text]
    return [metric if isinstance(metric, str) else metric.name]


def scaled(estimate: Estimate, factor: float, reason: str = "") -> Estimate:
    """Return an estimate times a known number, with a note."""
    return estimate.replace(
        value=factor * estimate.value,
        low=factor * estimate.low,
        high=factor * estimate.high,
        standard_error=factor * estimate.standard_error,
        draws=None if estimate.draws is None else factor * estimate.draws,
        stream=None,
        reason="; ".join(filter(None, (estimate.reason, reason))),
    )


def checked_average(average: Any) -> None:
    """Refuse values other than an average, "samples" or None."""
    if average is not None and str(average) != "samples":
        canonical_average(average)


def listed(labels: object) -> list[Any]:
    """Return class labels as a list of plain values."""
    plain = labels.tolist() if hasattr(labels, "tolist") else labels
    return [one_label("labels", each) for each in several("labels", plain, "classes")]


def some_classes(labels: object) -> list[Any]:
    """Return class labels as a list; refuse an empty one."""
    every = listed(labels)
    if not every:
        raise HowsureError("`labels` is empty: name the classes, or leave it out for all.")
    return every


def _other(label: object, positive: object) -> Any:
    """Return the class other than the only one that occurs: the positive one, or its absence."""
    if isinstance(label, bool):
        return not label
    if one_label("pos_label", positive) not in (None, label):
        return positive
    if isinstance(label, str):
        return f"not {label}"
    return 0 if label else 1


COUNTED = "Give them to a source: hs.estimate(hs.confusion(y_true, y_pred, counts=…), 'f1')."
ESTIMATE = "Estimate\n    The value, a float, with its interval."


def with_keywords(parameters: str, returns: str = ESTIMATE) -> Callable[[Function], Function]:
    """Return a decorator for functions that take ``**keywords: Unpack[Keywords]``.

    The decorator adds the keywords to the function's signature, refuses others like Python, and completes the
    docstring.

    Parameters
    ----------
    parameters : str
        Description of the parameters shared by a family of functions.
    returns : str
        Description of the result.
    """

    def decorated(function: Function) -> Function:
        shown = _signature(function)

        @wraps(function)
        def checked(*args: object, **keywords: object) -> Any:
            for name in keywords:
                if name == "counts":
                    raise HowsureError(f"`{function.__name__}` has no `counts`. {COUNTED}")
                if name not in shown.parameters:
                    raise TypeError(f"{function.__qualname__}() got an unexpected keyword argument {name!r}")
            return function(*args, **keywords)

        checked.__signature__ = shown  # type: ignore[attr-defined]  # what `inspect.signature` looks for
        checked.__doc__ = _documented(function.__doc__, parameters, returns)
        return cast("Function", checked)

    return decorated


def _signature(function: Callable[..., Any]) -> inspect.Signature:
    own = inspect.signature(function)
    named_ones = [each for each in own.parameters.values() if each.kind is not inspect.Parameter.VAR_KEYWORD]
    shared = [
        inspect.Parameter(each.name, inspect.Parameter.KEYWORD_ONLY, default=each.default, annotation=each.type)
        for each in fields(Settings)
    ]
    return own.replace(parameters=[*named_ones, *shared])


def _sections(doc: str | None) -> dict[str, str]:
    """Return the numpydoc sections of a docstring by title; the text before them has the title ``""``."""
    parts = re.split(r"\n+([A-Z]\w+)\n-{3,}\n", inspect.cleandoc(doc or ""))
    return {"": parts[0], **dict(zip(parts[1::2], parts[2::2], strict=True))}


def _documented(doc: str | None, parameters: str, returns: str) -> str:
    own = _sections(doc)
    every = [parameters, own.get("Parameters"), _sections(Settings.__doc__)["Parameters"]]
    sections = own | {
        "Parameters": "\n".join(each.strip() for each in every if each),
        "Returns": returns.strip(),
        "Raises": "HowsureError\n    If the input or an argument is not valid; the message says what to do.",
    }
    order = ["Parameters", "Returns", "Raises", *(title for title in ("Warns", "Notes", "Examples") if title in own)]
    texts = [f"{title}\n{'-' * len(title)}\n{sections[title]}" for title in order]
    return "\n\n".join([own[""], *texts]) + "\n"
