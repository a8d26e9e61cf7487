"""Displays of estimates, comparisons and pooled values, with the interface of scikit-learn."""

from __future__ import annotations

from abc import ABC
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

from matplotlib.axes import Axes

from howsure.arrays import Seed
from howsure.comparison.compare import compare
from howsure.comparison.models import compare_all
from howsure.estimates.estimation import estimate
from howsure.methods.core.method import Method
from howsure.methods.core.names import MethodName
from howsure.metrics.metric import Metric
from howsure.plots.dots import differences, intervals
from howsure.plots.forests import forest
from howsure.plots.posteriors import posterior
from howsure.plots.series import evaluated
from howsure.sources.confusion import confusion
from howsure.sources.paired import paired


@dataclass(slots=True, eq=False)
class EstimateDisplay(ABC):
    """An estimate, its plotting function with arguments, and the axes of the last plot.

    Parameters
    ----------
    estimate : object
        First argument of the plotting function.
    settings : mapping of str to object
        Further arguments of the plotting function.

    Attributes
    ----------
    ax_, figure_
        Axes and figure of the last plot.
    """

    estimate: Any
    settings: Mapping[str, Any] = field(default_factory=dict)
    ax_: Any = field(default=None, init=False, repr=False)
    figure_: Any = field(default=None, init=False, repr=False)
    draw: ClassVar[Callable[..., Axes]]

    @classmethod
    def from_estimate(cls, estimate: object, *, ax: Axes | None = None, **settings: object) -> Self:
        """Draw an existing estimate; further arguments are those of the plotting function."""
        return cls(estimate, settings).plot(ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw on the given axes, or on new ones."""
        self.ax_ = type(self).draw(self.estimate, ax=ax, **self.settings)
        self.figure_ = self.ax_.figure
        return self


class IntervalDisplay(EstimateDisplay):
    """Metrics with their intervals: see `intervals`.

    Examples
    --------
    >>> import howsure as hs
    >>> display = hs.plots.IntervalDisplay.from_predictions([0, 1, 1, 0], [0, 1, 0, 0], metrics=["accuracy", "f1"])
    >>> [label.get_text() for label in display.ax_.get_yticklabels()]
    ['accuracy', 'F1']
    """

    __slots__ = ()
    draw = staticmethod(intervals)

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_pred: Any,
        *,
        metrics: Sequence[str | Metric] | None = None,
        method: MethodName | Method | None = None,
        confidence_level: float = 0.95,
        random_state: Seed = None,
        ax: Axes | None = None,
        **columns: Any,
    ) -> Self:
        """Evaluate predicted labels and draw the metrics; see `evaluate` and `confusion` for the arguments."""
        table = confusion(y_true, y_pred, **columns)
        settings: dict[str, Any] = {"confidence_level": confidence_level, "random_state": random_state}
        found = evaluated(table, metrics, method=method, **settings)
        return cls.from_estimate(found.get("", found), ax=ax)

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any, **settings: Any) -> Self:  # noqa: N803 - scikit-learn's name
        """Evaluate a fitted classifier on held-out cases and draw the metrics."""
        return cls.from_predictions(y, estimator.predict(X), **settings)


class PosteriorDisplay(EstimateDisplay):
    """Density of the draws of an estimate, a comparison or a pooled value: see `posterior`.

    Examples
    --------
    >>> import howsure as hs
    >>> display = hs.plots.PosteriorDisplay.from_predictions([0, 1, 1, 0] * 9, [0, 1, 0, 0] * 9, random_state=0)
    >>> display.ax_.get_xlabel()
    'accuracy'
    """

    __slots__ = ()
    draw = staticmethod(posterior)

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_pred: Any,
        *,
        metric: str | Metric = "accuracy",
        method: MethodName | Method = "bayes",
        confidence_level: float = 0.95,
        random_state: Seed = None,
        rope: tuple[float, float] | None = None,
        ax: Axes | None = None,
        **columns: Any,
    ) -> Self:
        """Estimate a metric and draw its density; see `estimate` and `confusion` for the arguments."""
        table = confusion(y_true, y_pred, **columns)
        found = estimate(table, metric, method=method, confidence_level=confidence_level, random_state=random_state)
        return cls.from_estimate(found, rope=rope, ax=ax)

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any, **settings: Any) -> Self:  # noqa: N803 - scikit-learn's name
        """Estimate a metric of a fitted classifier on held-out cases and draw its density."""
        return cls.from_predictions(y, estimator.predict(X), **settings)


class DifferenceDisplay(EstimateDisplay):
    """Differences between models with their intervals: see `differences`.

    Examples
    --------
    >>> import howsure as hs
    >>> said = {"A": [0, 1, 0, 0] * 9, "B": [0, 0, 1, 1] * 9}
    >>> display = hs.plots.DifferenceDisplay.from_predictions([0, 1, 1, 0] * 9, said)
    >>> [label.get_text() for label in display.ax_.get_yticklabels()]
    ['A − B']
    """

    __slots__ = ()
    draw = staticmethod(differences)

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_preds: Any,
        *,
        metric: str | Metric = "accuracy",
        method: MethodName | Method | None = None,
        confidence_level: float = 0.95,
        random_state: Seed = None,
        rope: tuple[float, float] | None = None,
        ax: Axes | None = None,
        **columns: Any,
    ) -> Self:
        """Compare all pairs of models on the same cases; see `compare_all` and `paired` for the arguments."""
        table = paired(y_true, y_preds, **columns)
        settings: dict[str, Any] = {"confidence_level": confidence_level, "random_state": random_state}
        two = len(table.models) == 2
        found = (compare if two else compare_all)(table, metric, method=method, **settings)
        return cls.from_estimate(found, rope=rope, ax=ax)

    @classmethod
    def from_estimator(cls, estimators: Mapping[str, Any], X: Any, y: Any, **settings: Any) -> Self:  # noqa: N803
        """Compare fitted classifiers, by name, on held-out cases."""
        return cls.from_predictions(y, {name: each.predict(X) for name, each in estimators.items()}, **settings)


class ForestDisplay(EstimateDisplay):
    """Experiments and their pooled value: see `forest`.

    Examples
    --------
    >>> import howsure as hs
    >>> pooled = hs.pool([0.91, 0.88, 0.93], [0.01, 0.02, 0.015], names=["Ulm", "Bern", "Graz"])
    >>> display = hs.plots.ForestDisplay(pooled).plot()
    >>> [label.get_text() for label in display.ax_.get_yticklabels()]
    ['Ulm', 'Bern', 'Graz', 'pooled']
    """

    __slots__ = ()
    draw = staticmethod(forest)
