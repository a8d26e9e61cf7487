"""`decision_curve`: the net benefit of models along the risk thresholds of a decision."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence, Sized
from typing import Any, Protocol, TypedDict, Unpack, cast, overload

import numpy as np

from howsure.arrays import Floats, Seed
from howsure.curves.from_cases import takes_cases
from howsure.decisions.result import DecisionCurve
from howsure.decisions.risks import KNOWN, checked_risks, risk_table
from howsure.errors import HowsureError, checked_level, of_per_cent, real_number
from howsure.estimates.grouped import Grouped, apply_by_group
from howsure.methods.core.draws import seed_sequence
from howsure.methods.drawn.bootstrap import Bootstrap
from howsure.metrics.decisions import odds
from howsure.sources.keywords import ScoredModels
from howsure.tables.batch import Tables

USUAL = tuple(percent / 100 for percent in range(1, 100))


class _Keywords(TypedDict, total=False):
    """Keyword arguments that do not decide the type of the result."""

    thresholds: Sequence[float] | Floats | None
    prevalence: float | None
    confidence_level: float
    n_resamples: int
    random_state: Seed


class _OfCases(_Keywords, ScoredModels, total=False):
    """As `_Keywords`, and those of the cases."""


class OfRisks(Protocol):
    """`decision_curve`: the result of all cases, or those of groups."""

    @overload
    def __call__(  # type: ignore[overload-overlap]  # tables are objects too: the narrower comes first
        self, table: Tables[Any], /, **keywords: Unpack[_Keywords]
    ) -> Grouped[DecisionCurve]: ...
    @overload
    def __call__(
        self, table: object, /, y_score: object = ..., *, by: None = ..., **keywords: Unpack[_OfCases]
    ) -> DecisionCurve: ...
    @overload
    def __call__(
        self, table: object, /, y_score: object = ..., *, by: Sized, **keywords: Unpack[_OfCases]
    ) -> Grouped[DecisionCurve]: ...


def of_risks(function: Callable[..., Any]) -> OfRisks:
    """Return the function, with the type of its results by its input."""
    return cast("OfRisks", function)


@of_risks
@takes_cases(risk_table, KNOWN)
@apply_by_group
def decision_curve(
    table: object,
    /,
    y_score: object = None,
    *,
    thresholds: Sequence[float] | Floats | None = None,
    prevalence: float | None = None,
    confidence_level: float = 0.95,
    n_resamples: int = 4_000,
    random_state: Seed = None,
    **cases: object,
) -> DecisionCurve:
    """Return the net benefit of models along risk thresholds, with bands, differences and the value of information.

    Parameters
    ----------
    table : ScoresTable, PairedScoresTable or Tables, or array-like of shape (n,) or str
        A table of risks made by `scores` or `paired_scores`, also by group; or the true classes.
    y_score : array-like of shape (n,) or str, mapping of str to these, frame, or list of str, optional
        The predicted risks of the positive class, or those of models by name, if ``table`` contains true classes: a
        mapping, a frame of their columns, or with ``data`` a list of columns.
    thresholds : array-like of shape (T,), optional
        Risks at which a decision maker is indifferent, between 0 and 1, both excluded. By default 0.01, 0.02, …, 0.99.
        The simultaneous bands cover at these: give the range that decisions are made in.
    prevalence : float, optional
        Prevalence where the model will be used, for case-control data; by default that of the sample.
    confidence_level : float
        Confidence level of each band, between 0 and 1.
    n_resamples : int
        Number of draws of the Bayesian bootstrap, at least 39, for probabilities and the value of information.
    random_state : int, Generator or SeedSequence, optional
        Seed of the draws; each group has its own stream.
    **cases
        Further arguments of `scores` or `paired_scores`, for true classes and risks: ``pos_label``, ``sample_weight``,
        ``groups``, ``data``, and ``by`` for the curves of groups.

    Returns
    -------
    DecisionCurve
        A mapping of strategies to their `NetBenefit`. For `Tables`, a `Grouped` of decision curves.

    Raises
    ------
    HowsureError
        If the table does not contain risks between 0 and 1 with labels, a class has no case, a threshold is not between
        0 and 1, or a setting is invalid.

    Notes
    -----
    At a threshold t, a model treats the cases with a risk of at least t, and its net benefit is

    ``NB(t) = tp / n − w fp / n,  w = t / (1 − t)``,

    or with a stated prevalence p, ``p tpr − w (1 − p) fpr``. Treating all has NB = prevalence − w (1 − prevalence),
    treating none 0.

    Pointwise limits are those of ``estimate(table, "net_benefit+threshold=t")``. Those of a difference of models are
    those of ``compare`` with ``method="mover"``, or its default method where both treat the same cases. Those of a
    difference to treating all are w times those of ``interventions_avoided``. The interval of treating all follows from
    that of the prevalence, and with a stated prevalence has no width.

    A simultaneous band has the same intervals at the level 2Φ(c) − 1. The critical value c is the quantile of the
    largest of the errors along the thresholds, in 100,000 draws from the normal distribution with their covariance
    under the design (sup-t). Each band covers its own curve at all thresholds.

    Probabilities and the expected value of perfect information are those of the Bayesian bootstrap of cases or
    clusters, without a prior. With two crossed factors its draws vary more than the estimates (Owen 2007).

    References
    ----------
    Vickers, Elkin (2006), Medical Decision Making 26; Vickers, Van Calster, Wynants, Steyerberg (2023), Diagnostic and
    Prognostic Research 7:11; Sadatsafavi, Lee, Gustafson (2023), Medical Decision Making 43; Montiel Olea,
    Plagborg-Møller (2019), Journal of Applied Econometrics 34, for sup-t bands.

    Examples
    --------
    >>> import numpy as np
    >>> import howsure as hs
    >>> rng = np.random.default_rng(0)
    >>> risk = rng.beta(1, 4, 400)
    >>> curve = hs.decision_curve(rng.random(400) < risk, risk, thresholds=[0.1, 0.2, 0.3], random_state=0)
    >>> curve["model"].value.round(3).tolist()
    [0.129, 0.072, 0.029]
    >>> curve.best
    ('model', 'model', 'model')
    """
    risks = checked_risks(table, y_score, cases)
    level = checked_level(confidence_level)
    points = _thresholds(thresholds)
    stated = math.nan if prevalence is None else real_number("prevalence", prevalence)
    if prevalence is not None and not 0 < stated < 1:
        hint = of_per_cent(prevalence)
        raise HowsureError(f"`prevalence` lies between 0 and 1, both excluded, not {prevalence!r}.{hint}")
    return DecisionCurve(
        table=risks,
        thresholds=points,
        prevalence=stated,
        confidence_level=level,
        n_resamples=Bootstrap("percentile", n_resamples).n_resamples,
        seed=seed_sequence(random_state),
    )


def _thresholds(given: Any) -> Floats:
    try:
        points = np.unique(np.asarray(USUAL if given is None else given, dtype=float))
    except (TypeError, ValueError):
        points = np.array([])
    if not points.size or np.ndim(given) > 1:
        raise HowsureError(
            f"`thresholds` is {given!r}. Give a list of risks between 0 and 1, such as [0.05, 0.1, 0.2]."
        )
    for each in points.tolist():
        if math.isnan(each):
            raise HowsureError("`thresholds` contains nan. Give risks between 0 and 1.")
        odds(each)
    return points
