"""Binomial intervals, for every metric that is a proportion or a monotone function of one."""

from __future__ import annotations

import abc
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import repeat
from operator import attrgetter
from typing import Any, ClassVar, final

import numpy as np

from howsure.arrays import Array
from howsure.methods.core.interval import CONSTANT, NO_TRIALS, ONE_CLUSTER, AllAtLevels, Interval, interval_with_reasons
from howsure.methods.core.method import JointMethod, needs_counted_cases, needs_labels
from howsure.methods.core.standard_errors import effective_counts, standard_error
from howsure.methods.numerics import binomial
from howsure.metrics.forms import Proportion
from howsure.metrics.metric import Metric
from howsure.tables.table import Table


@dataclass(frozen=True, slots=True)
class Binomial(JointMethod, abc.ABC):
    """Base class of intervals for a proportion, also used for metrics that are monotone functions of one.

    Recall, precision and accuracy are proportions. Binary F1 is ``2p / (1 + p)`` and Jaccard's index is ``p``, with
    ``p`` the proportion of true positives among the cases that are not true negatives. Weighted and clustered data use
    effective counts (Korn and Graubard 1998).
    """

    limits: ClassVar[Any]
    takes_batches: ClassVar[bool] = True

    def unsupported_reason(self, metric: Metric, table: Table) -> str:
        """Return "" for proportions of counted cases, otherwise the reason why not."""
        if refusal := needs_labels(self, table):
            return refusal
        if metric.proportion is None:
            is_difference = metric.contrast is not None and metric.contrast.effect.name == "difference"
            further = "`Mover()`, " if is_difference else "`Fieller()`, " if metric.ratio is not None else ""
            others = f"{further}`Delta()`"
            return (
                f"`{type(self).__name__}` needs a proportion, and `{metric.name}` is not one. "
                f"Use {others} or `Bootstrap()`."
            )
        return needs_counted_cases(self, table)

    def all_at_levels(self, metrics: Sequence[Metric], table: Table) -> AllAtLevels:
        """Return the intervals as a function of their level, with all limits computed at once."""
        shares = list(filter(None, map(attrgetter("proportion"), metrics)))  # all of them: see `unsupported_reason`
        counts = _counts(shares, table, 0.0) if table.design.traits.is_independent else None  # the same at all levels
        if counts is None or table.kind.has_sample_variance:
            errors = np.array([standard_error(each, table) for each in metrics])
        else:
            errors = _errors(shares, counts)

        def intervals(confidence_level: float) -> list[Interval]:
            successes, trials = _counts(shares, table, confidence_level) if counts is None else counts
            usable, constant = (trials > 0) & (trials < np.inf), np.isinf(trials)
            with np.errstate(all="ignore"):
                ends = type(self).limits(
                    np.where(usable, successes, 0.0), np.where(usable, trials, 0.0), confidence_level
                )
                low, high = np.array(list(map(Proportion.metric, shares, np.array(ends).swapaxes(0, 1)))).swapaxes(0, 1)
            found = np.where(usable, errors, np.where(constant, 0.0, np.nan))
            refusals = (trials == 0, NO_TRIALS), (constant, CONSTANT), (np.isnan(trials), ONE_CLUSTER)
            return interval_with_reasons(low, high, found, *refusals).parts()

        return intervals


def _counts(shares: Sequence[Proportion], table: Table, confidence_level: float) -> Array:
    """Return successes and trials of each proportion, ``(2, proportions, ...)``."""
    each = map(effective_counts, shares, repeat(table), repeat(confidence_level))
    return np.array(list(each)).swapaxes(0, 1)


def _errors(shares: Sequence[Proportion], counts: Array) -> Array:
    """Return the standard errors of functions of proportions of independent cases; nan if undefined."""
    successes, trials = counts
    with np.errstate(all="ignore"):
        observed = successes / trials
        errors = np.sqrt(observed * (1 - observed) / trials)
        errors = errors * np.array(list(map(Proportion.slope, shares, observed)))
    return np.where(np.isfinite(errors), errors, np.nan)


@final
@dataclass(frozen=True, slots=True)
class Wilson(Binomial):
    """Wilson's score interval (1927).

    References
    ----------
    Wilson (1927), Journal of the American Statistical Association 22:209–212.

    Examples
    --------
    >>> import howsure as hs
    >>> print(hs.estimate(hs.from_counts([[50, 3], [5, 42]]), "recall", method=hs.methods.Wilson()))
    0.894 [0.774, 0.954]
    """

    name: ClassVar[str] = "wilson"
    synonyms: ClassVar[tuple[str, ...]] = ("score",)
    limits = staticmethod(binomial.wilson)


@final
@dataclass(frozen=True, slots=True)
class WilsonCC(Binomial):
    """Wilson's score interval with continuity correction (Newcombe 1998).

    References
    ----------
    Newcombe (1998), Statistics in Medicine 17:857–872.

    Examples
    --------
    >>> import howsure as hs
    >>> print(hs.estimate(hs.from_counts([[50, 3], [5, 42]]), "recall", method=hs.methods.WilsonCC()))
    0.894 [0.761, 0.960]
    """

    name: ClassVar[str] = "wilson_cc"
    synonyms: ClassVar[tuple[str, ...]] = ("wilsoncc",)
    limits = staticmethod(binomial.wilson_cc)


@final
@dataclass(frozen=True, slots=True)
class ClopperPearson(Binomial):
    """Clopper and Pearson's exact interval (1934): coverage is never below nominal.

    References
    ----------
    Clopper, Pearson (1934), Biometrika 26:404–413.

    Examples
    --------
    >>> import howsure as hs
    >>> print(hs.estimate(hs.from_counts([[50, 3], [5, 42]]), "recall", method=hs.methods.ClopperPearson()))
    0.894 [0.769, 0.965]
    """

    name: ClassVar[str] = "clopper_pearson"
    synonyms: ClassVar[tuple[str, ...]] = ("beta", "exact")
    limits = staticmethod(binomial.clopper_pearson)


@final
@dataclass(frozen=True, slots=True)
class MidP(Binomial):
    """Mid-p interval: exact, with half the probability of the observed count in each tail.

    References
    ----------
    Lancaster (1961), Journal of the American Statistical Association 56:223–234.

    Examples
    --------
    >>> import howsure as hs
    >>> print(hs.estimate(hs.from_counts([[50, 3], [5, 42]]), "recall", method=hs.methods.MidP()))
    0.894 [0.780, 0.960]
    """

    name: ClassVar[str] = "mid_p"
    synonyms: ClassVar[tuple[str, ...]] = ("midp",)
    limits = staticmethod(binomial.mid_p)


@final
@dataclass(frozen=True, slots=True)
class AgrestiCoull(Binomial):
    """Wald's interval around Wilson's centre (Agresti and Coull 1998).

    References
    ----------
    Agresti, Coull (1998), The American Statistician 52:119–126.

    Examples
    --------
    >>> import howsure as hs
    >>> print(hs.estimate(hs.from_counts([[50, 3], [5, 42]]), "recall", method=hs.methods.AgrestiCoull()))
    0.894 [0.770, 0.958]
    """

    name: ClassVar[str] = "agresti_coull"
    synonyms: ClassVar[tuple[str, ...]] = ("agresti",)
    limits = staticmethod(binomial.agresti_coull)


@final
@dataclass(frozen=True, slots=True)
class Jeffreys(Binomial):
    """Equal-tailed posterior interval under Jeffreys' prior, Beta(1/2, 1/2).

    References
    ----------
    Brown, Cai, DasGupta (2001), Statistical Science 16:101–133.

    Examples
    --------
    >>> import howsure as hs
    >>> print(hs.estimate(hs.from_counts([[50, 3], [5, 42]]), "recall", method=hs.methods.Jeffreys()))
    0.894 [0.782, 0.958]
    """

    name: ClassVar[str] = "jeffreys"
    limits = staticmethod(binomial.jeffreys)


@final
@dataclass(frozen=True, slots=True)
class Logit(Binomial):
    """Normal interval of the log odds.

    References
    ----------
    Brown, Cai, DasGupta (2001), Statistical Science 16:101–133.

    Examples
    --------
    >>> import howsure as hs
    >>> print(hs.estimate(hs.from_counts([[50, 3], [5, 42]]), "recall", method=hs.methods.Logit()))
    0.894 [0.769, 0.955]
    """

    name: ClassVar[str] = "logit"
    limits = staticmethod(binomial.logit)


@final
@dataclass(frozen=True, slots=True)
class Arcsine(Binomial):
    """Normal interval of the variance-stabilised (arcsine) proportion.

    References
    ----------
    Anscombe (1948), Biometrika 35:246–254; Brown, Cai, DasGupta (2001), Statistical Science 16:101–133.

    Examples
    --------
    >>> import howsure as hs
    >>> print(hs.estimate(hs.from_counts([[50, 3], [5, 42]]), "recall", method=hs.methods.Arcsine()))
    0.894 [0.783, 0.961]
    """

    name: ClassVar[str] = "arcsine"
    limits = staticmethod(binomial.arcsine)


@final
@dataclass(frozen=True, slots=True)
class LikelihoodRatio(Binomial):
    """Likelihood-ratio interval: the proportions whose deviance from the observed one is not significant.

    References
    ----------
    Brown, Cai, DasGupta (2001), Statistical Science 16:101–133.

    Examples
    --------
    >>> import howsure as hs
    >>> print(hs.estimate(hs.from_counts([[50, 3], [5, 42]]), "recall", method=hs.methods.LikelihoodRatio()))
    0.894 [0.785, 0.960]
    """

    name: ClassVar[str] = "likelihood_ratio"
    synonyms: ClassVar[tuple[str, ...]] = ("lr",)
    limits = staticmethod(binomial.likelihood_ratio)


@final
@dataclass(frozen=True, slots=True)
class BinomTest(Binomial):
    """Interval of the proportions that the two-sided exact test does not reject.

    References
    ----------
    Sterne (1954), Biometrika 41:275–278.

    Examples
    --------
    >>> import howsure as hs
    >>> print(hs.estimate(hs.from_counts([[50, 3], [5, 42]]), "recall", method=hs.methods.BinomTest()))
    0.894 [0.768, 0.957]
    """

    name: ClassVar[str] = "binom_test"
    limits = staticmethod(binomial.binom_test)

    def one_sided(self) -> ClopperPearson:
        """Return the method that inverts the one-sided exact test."""
        return ClopperPearson()


def row_shares(table: Table, confidence_level: float) -> tuple[Array, Array, Array]:
    """Return the proportion of each true class that is predicted as each class, with Wilson's limits; three ``(K, K)``.

    Weighted and clustered cases are counted by their effective number. A class without cases has nan; a known
    proportion has no limits.

    Examples
    --------
    >>> from howsure.sources.matrices import from_counts
    >>> share, low, high = row_shares(from_counts([[50, 3], [5, 42]]), 0.95)
    >>> share.round(2).tolist(), low.round(2).tolist()
    ([[0.94, 0.06], [0.11, 0.89]], [[0.85, 0.02], [0.05, 0.77]])
    """
    totals = table.counts.sum(1, keepdims=True)
    share = np.divide(table.counts, totals, out=np.full(table.counts.shape, np.nan), where=totals > 0)
    if table.design.traits.is_independent:
        return share, *binomial.wilson(table.counts, totals, confidence_level)
    n_effective = np.empty((2, *share.shape))
    for cell in np.ndindex(*share.shape):
        row, one = np.zeros(share.shape, dtype=bool), np.zeros(share.shape, dtype=bool)
        row[cell[0]] = one[cell] = True
        n_effective[(slice(None), *cell)] = effective_counts(
            Proportion(one, row, (1.0, 1.0), (0.0, 1.0)), table, confidence_level
        )
    uncertain = np.isfinite(n_effective[1])
    successes, trials = np.where(uncertain, n_effective, 0.0)
    low, high = binomial.wilson(successes, trials, confidence_level)
    return share, np.where(uncertain, low, np.nan), np.where(uncertain, high, np.nan)
