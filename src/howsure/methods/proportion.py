"""Binomial intervals, for every metric that is a proportion or a monotone function of one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from howsure.designs.counted import Simple
from howsure.errors import HowsureError
from howsure.methods import binomial
from howsure.methods.interval import CONSTANT, Interval, effective_counts, refuse_estimated_counts, standard_error
from howsure.metrics.metric import Metric, Proportion
from howsure.tables.table import Table

Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Binomial:
    """An interval for a proportion, carried over to every metric that is a monotone function of one.

    Recall, precision or accuracy are proportions; binary F1 is ``2p / (1 + p)`` and Jaccard's index is ``p``,
    with ``p`` the share of true positives among the cases that are not true negatives. Weighted and clustered
    data enter with their effective counts (Korn and Graubard 1998).
    """

    name: ClassVar[str] = "binomial"
    limits: ClassVar[Any] = staticmethod(binomial.wilson)

    def interval(
        self,
        metric: Metric,
        table: Table,
        confidence_level: float,
        rng: Any = None,  # noqa: ARG002 - the protocol's signature
    ) -> Interval:
        """Return the interval; see the class."""
        share = metric.proportion(table.counts.shape)
        if share is None:
            others = "`Fieller()`, `Delta()`" if metric.ratio is not None else "`Delta()`"
            message = (
                f"`{type(self).__name__}` needs a proportion, and `{metric.name}` is not one. "
                f"Use {others} or `Bootstrap()`."
            )
            raise HowsureError(message)
        refuse_estimated_counts(type(self).__name__, table)
        successes, trials = effective_counts(share, table, confidence_level)
        if trials == 0:
            return Interval(np.nan, np.nan, reason="its denominator is zero")
        if np.isinf(trials):
            return Interval(np.nan, np.nan, 0.0, reason=CONSTANT)
        if np.isnan(trials):
            return Interval(np.nan, np.nan, reason="a single cluster shows no variation between clusters")
        low, high = (float(share.metric(limit)) for limit in type(self).limits(successes, trials, confidence_level))
        return Interval(low, high, standard_error(metric, table))


@dataclass(frozen=True, slots=True)
class Wilson(Binomial):
    """Wilson's score interval (1927)."""

    name: ClassVar[str] = "wilson"
    limits = staticmethod(binomial.wilson)


@dataclass(frozen=True, slots=True)
class WilsonCC(Binomial):
    """Wilson's score interval with continuity correction (Newcombe 1998)."""

    name: ClassVar[str] = "wilson_cc"
    limits = staticmethod(binomial.wilson_cc)


@dataclass(frozen=True, slots=True)
class ClopperPearson(Binomial):
    """The exact interval of Clopper and Pearson (1934): never covers too little."""

    name: ClassVar[str] = "clopper_pearson"
    limits = staticmethod(binomial.clopper_pearson)


@dataclass(frozen=True, slots=True)
class MidP(Binomial):
    """The exact interval with half the weight on the observed count."""

    name: ClassVar[str] = "mid_p"
    limits = staticmethod(binomial.mid_p)


@dataclass(frozen=True, slots=True)
class AgrestiCoull(Binomial):
    """Wald's interval around Wilson's centre (Agresti and Coull 1998)."""

    name: ClassVar[str] = "agresti_coull"
    limits = staticmethod(binomial.agresti_coull)


@dataclass(frozen=True, slots=True)
class Jeffreys(Binomial):
    """Equal-tailed posterior interval under Jeffreys' prior, Beta(1/2, 1/2)."""

    name: ClassVar[str] = "jeffreys"
    limits = staticmethod(binomial.jeffreys)


@dataclass(frozen=True, slots=True)
class Logit(Binomial):
    """Normal interval of the log odds."""

    name: ClassVar[str] = "logit"
    limits = staticmethod(binomial.logit)


@dataclass(frozen=True, slots=True)
class Arcsine(Binomial):
    """Normal interval of the variance-stabilised share."""

    name: ClassVar[str] = "arcsine"
    limits = staticmethod(binomial.arcsine)


@dataclass(frozen=True, slots=True)
class LikelihoodRatio(Binomial):
    """The shares whose deviance from the observed one is not significant."""

    name: ClassVar[str] = "likelihood_ratio"
    limits = staticmethod(binomial.likelihood_ratio)


@dataclass(frozen=True, slots=True)
class BinomTest(Binomial):
    """The shares that the two-sided exact test does not reject."""

    name: ClassVar[str] = "binom_test"
    limits = staticmethod(binomial.binom_test)


BINOMIAL_METHODS: tuple[type[Binomial], ...] = (
    Wilson,
    WilsonCC,
    ClopperPearson,
    MidP,
    AgrestiCoull,
    Jeffreys,
    Logit,
    Arcsine,
    LikelihoodRatio,
    BinomTest,
)


def row_shares(table: Table, confidence_level: float) -> tuple[Array, Array, Array]:
    """Return the share of each true class that is predicted as each class, with Wilson's limits; three ``(K, K)``.

    Weighted and clustered cases enter with their effective number. A class without cases has nan, and a known share
    has no limits.

    Examples
    --------
    >>> from howsure.tables.table import from_counts
    >>> share, low, high = row_shares(from_counts([[50, 3], [5, 42]]), 0.95)
    >>> share.round(2).tolist(), low.round(2).tolist()
    ([[0.94, 0.06], [0.11, 0.89]], [[0.85, 0.02], [0.05, 0.77]])
    """
    totals = table.counts.sum(1, keepdims=True)
    share = np.divide(table.counts, totals, out=np.full(table.counts.shape, np.nan), where=totals > 0)
    if isinstance(table.design, Simple):
        return share, *binomial.wilson(table.counts, totals, confidence_level)
    worth = np.empty((2, *share.shape))
    for cell in np.ndindex(*share.shape):
        row, one = np.zeros(share.shape, dtype=bool), np.zeros(share.shape, dtype=bool)
        row[cell[0]] = one[cell] = True
        worth[(slice(None), *cell)] = effective_counts(
            Proportion(one, row, (1.0, 1.0), (0.0, 1.0)), table, confidence_level
        )
    uncertain = np.isfinite(worth[1])
    successes, trials = np.where(uncertain, worth, 0.0)
    low, high = binomial.wilson(successes, trials, confidence_level)
    return share, np.where(uncertain, low, np.nan), np.where(uncertain, high, np.nan)
