"""The `Algorithms` class: predictions by learning algorithms, and the estimates about these."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, cast, get_args

from howsure.comparison.models import Comparisons
from howsure.comparison.multiplicity import Correction
from howsure.errors import HowsureError, checked_level, listed, one_of
from howsure.estimates.estimate import Quantity
from howsure.estimates.estimation import asked_metrics, default_metrics, estimate
from howsure.methods.core.scales import Scale
from howsure.metrics.binding import listed_metrics
from howsure.training.inference import Method, answer, checked_method, corrected, forms_by_fold, word
from howsure.training.linear import AnyMetric, Average, Form, Question
from howsure.training.predictions import Predictions
from howsure.training.result import AlgorithmComparison, AlgorithmEstimate, AlgorithmEvaluation
from howsure.training.words import Fixed, Scope, cautions

NO_VARIATION = "the cases show no variation: limits of the first run's cases as one test set"
EQUAL = "the two algorithms do not differ on any case"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Algorithms:
    """Predictions of models that learning algorithms trained: by fold of a cross-validation, or by training run.

    `cross_validated` and `training_runs` make it.

    Parameters
    ----------
    predictions : Predictions
        The predictions, joined by case.

    Examples
    --------
    >>> import howsure as hs
    >>> data = hs.load_example("breast_cancer")
    >>> hs.cross_validated("label", ["logistic", "forest"], data=data, fold="fold")
    <Algorithms: logistic, forest: 569 cases in 5 folds>
    """

    predictions: Predictions

    def __repr__(self) -> str:
        names = ", ".join(filter(None, self.names))
        scope, _ = self._scope(self.names, None, None)
        runs = f", {scope.runs} runs" if scope.runs > 1 else ""
        folds = f" in {scope.folds} folds" if scope.folds else ""
        return f"<Algorithms: {f'{names}: ' if names else ''}{scope.cases:,} cases{folds}{runs}>"

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the algorithms; an empty name for a single one."""
        return tuple(self.predictions.said)

    def estimate(
        self,
        metric: AnyMetric,
        *,
        model: str | None = None,
        method: Method | None = None,
        fixed: Fixed | None = None,
        average: Average | None = None,
        scale: Scale = "auto",
        threshold: float | None = None,
        confidence_level: float = 0.95,
    ) -> AlgorithmEstimate:
        """Estimate a metric of one algorithm.

        Parameters
        ----------
        metric : str or Metric
            A spec string such as ``"accuracy"``, ``"f1@macro"`` or ``"roc_auc"``.
        model : str, optional
            The algorithm, if there are several.
        method : {"all_pairs", "within_folds", "corrected_t"}, optional
            Variance of one cross-validation: by default ``"all_pairs"``. ``"corrected_t"``, for repeated
            cross-validation, is the corrected resampled t of Nadeau and Bengio.
        fixed : {"runs", "cases"}, optional
            The factor that is not drawn anew: the trained models, or the test cases. By default both vary, if there are
            several runs.
        average : {"folds", "cases"}, optional
            Whether the metric is the mean over folds, or that of all cases of a run together. By default metrics that
            rank cases by scores, such as ROC AUC, are averaged over folds, and others are of all cases.
        scale : {"auto", "identity", "logit", "log"}
            Scale of the interval; ``"auto"`` keeps it within the metric's range, ``"identity"`` is that of the paper.
        threshold : float, optional
            Threshold for a metric of counts on scores.
        confidence_level : float
            Confidence level of the interval, between 0 and 1.

        Returns
        -------
        AlgorithmEstimate

        Raises
        ------
        HowsureError
            If the metric, the algorithm, the method or the level is invalid, or they do not match.

        Notes
        -----
        One cross-validation of n cases: ``σ̂ / sqrt(n)`` is the standard error, with the variance of case losses about
        their mean (``"all_pairs"``) or about the mean of their fold (``"within_folds"``). Metrics that are no mean of
        losses use their influence values instead. Several runs: the variance of crossed random factors, see the guide.

        References
        ----------
        Bayle, Bayle, Janson, Mackey (2020), NeurIPS 33; Nadeau, Bengio (2003), Machine Learning 52; Forman, Scholz
        (2010), SIGKDD Explorations 12.

        Examples
        --------
        >>> import howsure as hs
        >>> data = hs.load_example("breast_cancer")
        >>> folds = hs.cross_validated("label", y_score="score_forest", data=data, fold="fold")
        >>> print(folds.estimate("roc_auc"))
        0.991 [0.981, 0.996] (positive: malignant)
        >>> print(folds.estimate("roc_auc", method="within_folds", scale="identity"))
        0.991 [0.984, 0.998] (positive: malignant)
        """
        name, level = self._named(model), checked_level(confidence_level)
        scope, chosen = self._scope((name,), method, fixed)
        question = Question(metric=metric, threshold=threshold, average=self._average(chosen, average))
        form = question.forms(self.predictions, (name,))[name]
        return self._of_form(name, form, scope, chosen, scale, level)

    def evaluate(
        self, metrics: AnyMetric | Sequence[AnyMetric] | None = None, *, model: str | None = None, **settings: Any
    ) -> AlgorithmEvaluation:
        """Estimate several metrics of one algorithm.

        Parameters
        ----------
        metrics : str, Metric or sequence of them, optional
            Spec strings or metrics; by default accuracy, or those that suit scores or values.
        model : str, optional
            The algorithm, if there are several.
        **settings
            The other arguments of `estimate`.

        Returns
        -------
        AlgorithmEvaluation
            A mapping of metrics to estimates.

        Raises
        ------
        HowsureError
            As `estimate` does.

        Examples
        --------
        >>> import howsure as hs
        >>> data = hs.load_example("breast_cancer")
        >>> print(hs.cross_validated("label", "forest", data=data, fold="fold").evaluate(["accuracy", "f1"]))
        metric    value   95 % interval  std. error     method
        ──────────────────────────────────────────────────────
        accuracy  0.965  [0.946, 0.977]      0.0077  all_pairs
        f1        0.952  [0.926, 0.969]      0.0107  all_pairs
        ...
        """
        name = self._named(model)
        table = self.predictions.table(name, 0)
        listed = default_metrics(table, settings.get("threshold")) if metrics is None else listed_metrics(metrics)
        asked = asked_metrics(table, listed)
        found = [self.estimate(each, model=name, **settings) for each in asked]
        return AlgorithmEvaluation({each.label: each for each in found})

    def compare(
        self,
        metric: AnyMetric,
        *,
        a: str | None = None,
        b: str | None = None,
        method: Method | None = None,
        fixed: Fixed | None = None,
        average: Average | None = None,
        paired_runs: bool = False,
        threshold: float | None = None,
        confidence_level: float = 0.95,
    ) -> AlgorithmComparison:
        """Compare a metric of two algorithms on the same cases.

        Parameters
        ----------
        metric : str or Metric
            A spec string such as ``"accuracy"``.
        a, b : str, optional
            Names of the algorithms; needed if there are more than two.
        method, fixed, average, threshold, confidence_level
            As in `estimate`.
        paired_runs : bool
            Whether runs of the same name share their training data or seed, such as bootstrap samples on which both
            algorithms were trained. The default treats the runs of the two as independent. Repeats of a
            cross-validation are always paired, because both algorithms have the same folds.

        Returns
        -------
        AlgorithmComparison
            The difference, first − second.

        Raises
        ------
        HowsureError
            If the metric, an algorithm, the method or the level is invalid; or if paired runs have different names.

        Examples
        --------
        >>> import howsure as hs
        >>> data = hs.load_example("breast_cancer")
        >>> folds = hs.cross_validated("label", ["logistic", "forest"], data=data, fold="fold")
        >>> print(folds.compare("f1").question)
        How much do logistic and forest differ, on new cases, as the average of 5 models each, each trained on 80 % of
        these cases?
        """
        names, level = self._pair(a, b), checked_level(confidence_level)
        scope, chosen = self._scope(names, method, fixed)
        average = self._average(chosen, average)
        forms = Question(metric=metric, threshold=threshold, average=average).forms(self.predictions, names)
        first, second = (forms[name] for name in names)
        if chosen == "corrected_t":
            found = corrected(forms_by_fold(first) - forms_by_fold(second), scope.folds)
        else:
            paired = self._are_paired(names, paired=paired_runs)
            sides = [first.minus(second)] if paired else [first, second.negative]
            found = answer(chosen, scope, self.predictions, sides)
        lowest, highest = first.metric.range
        reason = first.reason or second.reason or ("" if math.isfinite(found.value) else "undefined for a run")
        own = [replace(scope, runs=len(forms[name].values)) for name in names]
        each = [
            self._of_form(name, forms[name], of_one, chosen, "auto", level).as_estimate()
            for name, of_one in zip(names, own, strict=True)
        ]
        low, high = found.limits(level, "identity", (lowest - highest, highest - lowest))
        return AlgorithmComparison(
            metric=first.metric.name,
            contrast="difference",
            a=each[0],
            b=each[1],
            names=names,
            value=found.value,
            low=max(low, lowest - highest),
            high=min(high, highest - lowest),
            p_value=found.p_value(),
            standard_error=found.standard_error,
            confidence_level=level,
            method=word(chosen, scope),
            better=first.metric.better,
            reason=reason or ("" if found.varies else EQUAL),
            question=scope.question(names),
            parts=found.parts(),
            degrees_of_freedom=found.components.degrees_of_freedom,
            cases=scope.cases,
            folds=scope.folds,
            runs=scope.runs,
            cautions=cautions(self.predictions, scope, names),
        )

    def compare_all(
        self, metrics: AnyMetric | Sequence[AnyMetric], *, correction: Correction = "holm", **settings: Any
    ) -> Comparisons:
        """Compare all pairs of algorithms on the same cases.

        Parameters
        ----------
        metrics : str, Metric or sequence of them
            One metric, or several.
        correction : {"holm", "fdr_bh", "fdr_by", "bonferroni", "none"}
            How p-values are adjusted for the number of comparisons; intervals are those of a single comparison.
        **settings
            The other arguments of `compare`.

        Returns
        -------
        Comparisons
            A mapping of pairs to comparisons, as of `howsure.compare_all`.

        Raises
        ------
        HowsureError
            If there is a single algorithm, the correction is unknown, or as `compare` does.

        Examples
        --------
        >>> import howsure as hs
        >>> data = hs.load_example("breast_cancer")
        >>> folds = hs.cross_validated("label", ["logistic", "forest", "naive_bayes"], data=data, fold="fold")
        >>> found = folds.compare_all("accuracy")
        >>> found["logistic", "naive_bayes"].p_value < 0.05 < found["logistic", "forest"].p_value
        True
        """
        if len(self.names) < 2:
            raise HowsureError(
                "There is a single algorithm, and a comparison needs two: give `y_pred` a mapping of several."
            )
        pairs = list(combinations(self.names, 2))
        found = [self.compare(each, a=a, b=b, **settings) for each in listed_metrics(metrics) for a, b in pairs]
        return Comparisons.adjusted(found, correction)

    def _of_form(
        self, name: str, form: Form, scope: Scope, method: Method, scale: Scale, level: float
    ) -> AlgorithmEstimate:
        """Return the estimate of one algorithm from its linear form."""
        if method == "corrected_t":
            found = corrected(forms_by_fold(form), scope.folds)
        else:
            found = answer(method, scope, self.predictions, [form])
        value, bounds = found.value, form.metric.range
        quantity = Quantity.of(form.metric, form.table)
        low, high = found.limits(level, scale, bounds)
        reason = form.reason or ("" if math.isfinite(value) else "undefined: a run gives no value")
        if not reason and not found.varies:
            low, high, reason = _without_variation(form, level)
        return AlgorithmEstimate(
            value=value,
            low=low,
            high=high,
            standard_error=found.standard_error,
            confidence_level=level,
            metric=form.metric.name,
            label=form.metric.label,
            method=word(method, scope),
            question=scope.question(),
            parts=found.parts(),
            degrees_of_freedom=found.components.degrees_of_freedom,
            cases=scope.cases,
            folds=scope.folds,
            runs=scope.runs,
            model=name,
            bounds=bounds,
            positive=quantity.positive,
            is_positive_stated=quantity.is_positive_stated,
            cautions=cautions(self.predictions, scope, [name]),
            reason=reason,
        )

    def _named(self, model: str | None) -> str:
        if model is None and len(self.names) > 1:
            raise HowsureError(
                f"There are {len(self.names)} algorithms, {listed(self.names)}: name one, model={self.names[0]!r}."
            )
        return self.names[0] if model is None else one_of("model", model, self.names)

    def _pair(self, a: str | None, b: str | None) -> tuple[str, str]:
        """Return the names of the two algorithms to compare."""
        if a is None and b is None and len(self.names) == 2:
            return self.names[0], self.names[1]
        if a is None or b is None:
            raise HowsureError(f"`compare` takes two algorithms by name, a= and b=, of {listed(self.names)}.")
        if a == b:
            raise HowsureError(f"`a` and `b` are both {a!r}: an algorithm does not differ from itself.")
        return one_of("model", a, self.names), one_of("model", b, self.names)

    def _scope(self, names: Sequence[str], method: object, fixed: Any) -> tuple[Scope, Method]:
        """Return the factors that vary and the method; several algorithms have the fewest of their runs."""
        given = self.predictions
        runs = min(len(given.runs[name]) for name in names)
        chosen = checked_method(method, given, runs, fixed)
        folds = 0 if given.folds is None else given.number_of_folds()
        return Scope(folds, runs, given.cases, fixed, resampled=chosen == "corrected_t"), chosen

    def _average(self, method: Method, average: object) -> Average | None:
        """Return whether a metric is averaged over folds; None if the metric decides."""
        if average is None:
            return "folds" if method == "corrected_t" else None
        chosen = cast("Average", one_of("average", average, get_args(Average)))
        if self.predictions.folds is None or (chosen == "cases" and method == "corrected_t"):
            raise HowsureError(f"average={average!r} has no meaning here: drop it.")
        return chosen

    def _are_paired(self, names: tuple[str, str], *, paired: bool) -> bool:
        """Return whether the runs of two algorithms are pairs; refuse pairs of different names."""
        if self.predictions.folds is not None:
            return True
        first, second = (self.predictions.runs[name] for name in names)
        if paired and first != second:
            raise HowsureError(f"Paired runs need the same names, and these are {listed(first)} and {listed(second)}.")
        return paired


def _without_variation(form: Form, level: float) -> tuple[float, float, str]:
    """Return the limits if no case deviates: those of the first run's cases as one test set, if there are any."""
    if form.by_fold is not None:
        return math.nan, math.nan, "the cases show no variation, so that there is no interval"
    own = estimate(form.table, form.metric, confidence_level=level)
    return own.low, own.high, NO_VARIATION
