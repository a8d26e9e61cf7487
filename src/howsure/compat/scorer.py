"""A scorer for scikit-learn's model selection: any metric by its spec, by value or by the worse limit."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal, final

import numpy as np

from howsure.arrays import Seed
from howsure.compat.keywords import Settings
from howsure.compat.score_tables import table_of
from howsure.errors import HowsureError, one_of
from howsure.estimates.estimate import Estimate
from howsure.methods.core.lookup import named
from howsure.methods.core.method import Method
from howsure.methods.core.names import MethodName
from howsure.metrics.spec import Spec, parse
from howsure.tables.table import Table

SELECTIONS = ("value", "lower_limit")


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Scorer:
    """Function of estimator, features and truth that returns a number; higher is better.

    Parameters
    ----------
    metric : str
        The spec string.
    select_by : {"value", "lower_limit"}
        The returned number.
    pos_label : object
        The positive one of two classes, or None.
    settings : Settings
        Method, level and seed.

    Examples
    --------
    >>> import howsure as hs
    >>> hs.scorer("f1@macro", select_by="lower_limit")
    Scorer(f1@macro, select_by=lower_limit)
    """

    metric: str
    select_by: str
    pos_label: Any
    settings: Settings

    def __repr__(self) -> str:
        return f"Scorer({self.metric}, select_by={self.select_by})"

    def __call__(
        self,
        estimator: object,
        features: object,
        y_true: object,
        sample_weight: object = None,
        groups: object = None,
    ) -> float:
        """Return the score of an estimator's predictions.

        Parameters
        ----------
        estimator : object
            A fitted classifier with ``predict``, or for metrics of scores ``predict_proba`` or ``decision_function``.
        features : array-like
            Features of the cases.
        y_true : array-like
            Their true classes.
        sample_weight : array-like of shape (n,), optional
            Non-negative weight of each case.
        groups : array-like of shape (n,), optional
            Cluster of each case.

        Returns
        -------
        float
            The value or the limit, with its sign turned where lower values of the metric are better.
        """
        found = self.estimate(estimator, features, y_true, sample_weight, groups)
        if parse(self.metric).definition.better == "lower":
            return -(found.value if self.select_by == "value" else found.high)
        return found if self.select_by == "value" else found.low

    def estimate(
        self,
        estimator: Any,
        features: Any,
        y_true: Any,
        sample_weight: Any = None,
        groups: Any = None,
    ) -> Estimate:
        """Return the metric of an estimator's predictions with its interval; the arguments are those of a call."""
        settings = replace(self.settings, sample_weight=sample_weight, groups=groups)
        spec = parse(self.metric)
        known = np.asarray(getattr(estimator, "classes_", np.unique(np.asarray(y_true))))
        if spec.definition.of_scores:
            return settings.estimated(self._scored(settings, estimator, features, y_true, known), spec.text)
        table = settings.table(y_true, estimator.predict(features), also=known if known.ndim == 1 else None)
        return settings.estimated(table, self._of_class(spec, table).text)

    def _of_class(self, spec: Spec, table: Table) -> Spec:
        if self.pos_label is None or spec.average not in {None, "binary"} or not spec.definition.has_averages:
            return spec
        return replace(spec, average="binary", positive_class=str(table.labels[table.position(self.pos_label)]))

    def _scored(self, settings: Settings, estimator: object, features: object, y_true: Any, known: Any) -> Table:
        if hasattr(estimator, "predict_proba"):
            score = np.asarray(estimator.predict_proba(features))
        elif hasattr(estimator, "decision_function"):
            score = np.asarray(estimator.decision_function(features))
        else:
            raise HowsureError(
                f"`{self.metric}` is a metric of scores, and {type(estimator).__name__} has neither `predict_proba` "
                "nor `decision_function`. Choose a metric of predictions, such as 'f1@macro'."
            )
        if len(known) != 2:
            return table_of(settings, y_true, score, known, None)
        positive = known.tolist()[1] if self.pos_label is None else self.pos_label
        if positive not in known.tolist():
            raise HowsureError.unknown("class (`pos_label`)", str(positive), map(str, known.tolist()))
        if score.ndim == 1:  # of the second class
            return table_of(settings, y_true, score if positive == known.tolist()[1] else -score, None, positive)
        return table_of(settings, y_true, score[:, known.tolist().index(positive)], None, positive)


def scorer(
    metric: str,
    *,
    select_by: Literal["value", "lower_limit"] = "value",
    method: MethodName | Method | None = None,
    confidence_level: float = 0.95,
    random_state: Seed = None,
    pos_label: object = None,
) -> Scorer:
    """Return a scorer for ``cross_val_score``, ``GridSearchCV`` and other functions with ``scoring=``.

    Parameters
    ----------
    metric : str
        A spec string such as ``"f1@macro"``, ``"mcc"`` or ``"roc_auc"``.
    select_by : {"value", "lower_limit"}
        The score: the metric's value, or the worse limit of its interval. If two models have equal values, the limit
        favours the more precise one.
    method : str or Method, optional
        A method or its name; the default depends on the metric.
    confidence_level : float
        Confidence level of the interval, between 0 and 1.
    random_state : int, Generator, SeedSequence or None
        Seed of methods that draw.
    pos_label : object, optional
        The positive one of two classes; the second by default.

    Returns
    -------
    Scorer
        Called with estimator, features and truth; higher is better, so that losses have their sign turned, as
        scikit-learn's ``neg_log_loss``. ``estimate`` of the same arguments gives the `Estimate`.

    Raises
    ------
    HowsureError
        If there is no such metric, or neither higher nor lower values of it are better.

    Examples
    --------
    >>> import howsure as hs
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import GridSearchCV
    >>> X, y = [[x] for x in range(30)], [0] * 10 + [0, 1] * 5 + [1] * 10
    >>> scoring = hs.scorer("f1@macro", select_by="lower_limit")
    >>> search = GridSearchCV(LogisticRegression(), {"C": [0.1, 1.0]}, scoring=scoring).fit(X, y)
    >>> bool(0 < search.best_score_ < hs.scorer("f1@macro")(search, X, y))
    True
    """
    definition = parse(metric).definition
    one_of("value of `select_by`", select_by, SELECTIONS)
    if definition.better == "neither":
        raise HowsureError(
            f"Neither higher nor lower values of `{definition.name}` are better: there is nothing to select by."
        )
    named(method)  # refuses an unknown one now, and not in every fold
    settings = Settings(method=method, confidence_level=confidence_level, random_state=random_state)
    return Scorer(metric=metric, select_by=select_by, pos_label=pos_label, settings=settings)
