"""Variances of an average over trained models: of one cross-validation, and of training runs crossed with cases.

The input is a linear form: each unit (a case, or a cluster of cases) contributes a deviation to the estimate, and the
deviations of a run sum to zero.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from howsure.arrays import Floats, Positions
from howsure.designs.crossed import degrees_of_freedom


@dataclass(frozen=True, slots=True)
class Components:
    """Variance of an estimate by its sources.

    Parameters
    ----------
    runs, cases, interaction : float
        Contribution of the training runs, of the test cases, and of their interaction; nan for a factor that does not
        vary.
    degrees_of_freedom : float
        Degrees of freedom of the total; infinite if normal quantiles are valid.
    """

    runs: float
    cases: float
    interaction: float
    degrees_of_freedom: float

    @property
    def total(self) -> float:
        """Sum of the contributions that are known; nan stands for a factor that does not vary."""
        known = [each for each in (self.runs, self.cases, self.interaction) if not math.isnan(each)]
        return sum(known) if known else math.nan


def all_pairs(deviations: Floats) -> float:
    """Return the all-pairs variance of the mean of n losses, ``sum((loss - mean)**2) / n**2``.

    Parameters
    ----------
    deviations : ndarray of shape (units,)
        Deviation that each unit contributes to the estimate; ``(loss - mean) / n`` for a mean of losses.

    References
    ----------
    Bayle, Bayle, Janson, Mackey (2020), Advances in Neural Information Processing Systems 33, equation of
    ``σ²_out``.

    Examples
    --------
    >>> loss = np.array([0.0, 1.0, 0.0, 1.0])
    >>> all_pairs((loss - loss.mean()) / 4)
    0.0625
    """
    return float(deviations @ deviations)


def centred(deviations: Floats, fold: Positions, size: Floats, *, is_unbiased: bool = False) -> Floats:
    """Return deviations about the mean of their fold, times the root of n / (n - 1).

    The sum of their squares is the within-fold variance; equal folds give ``σ²_in / n`` of the paper. A fold of one
    unit has no such variance, and its deviation is nan.

    Parameters
    ----------
    deviations : ndarray of shape (units,)
        Deviation that each unit contributes to the estimate.
    fold : ndarray of shape (units,)
        Fold of each unit, from 0.
    size : ndarray of shape (units,)
        Number of cases of each unit.
    is_unbiased : bool
        Whether the squares have the factors of small samples already.

    References
    ----------
    Bayle, Bayle, Janson, Mackey (2020), equation of ``σ²_in``.

    Examples
    --------
    >>> loss = np.array([0.0, 1.0, 0.0, 1.0])
    >>> round(all_pairs(centred((loss - loss.mean()) / 4, np.array([0, 0, 1, 1]), np.ones(4))), 12)
    0.125
    """
    units = np.bincount(fold).astype(float)
    mean = np.bincount(fold, deviations) / np.bincount(fold, size)
    with np.errstate(all="ignore"):
        factor = np.where(units > 1, 1.0 if is_unbiased else units / (units - 1), np.nan)
    return np.asarray((deviations - mean[fold] * size) * np.sqrt(factor)[fold])


def crossed(values: Sequence[Floats], deviations: Sequence[Floats]) -> Components:
    """Return the variance of an average over training runs that share the test cases.

    The variance components are those of two crossed random factors without replication. The variance between runs,
    ``R``, is that of their values. The variance between cases, ``C``, is that of their mean deviations over the runs.
    The interaction, ``I``, is that of the deviations after both means are removed. The variance of the average is
    ``V = R + max(C - I, 0)``. Its degrees of freedom follow from those of R, the runs minus 1, and of C − I, the units
    minus 1, as for two crossed factors of a table. R of two independent sets of runs has Welch's degrees of freedom.

    A contrast has one entry for each algorithm whose runs are independent; the deviations of the second algorithm have
    a negative sign.

    Parameters
    ----------
    values : sequence of ndarray of shape (runs,)
        Value of each run, for each independent set of runs.
    deviations : sequence of ndarray of shape (runs, units)
        Deviation that each unit contributes to the value of each run.

    References
    ----------
    Dorfman, Berbaum, Metz (1992), Investigative Radiology 27, for pseudovalues of readers and cases; Bouthillier and
    others (2021), Proceedings of Machine Learning and Systems 3, for the sources of variation of training.

    Examples
    --------
    >>> runs = np.array([[0.0, 1.0, 1.0, 1.0], [0.0, 0.0, 1.0, 1.0]])
    >>> found = crossed([runs.mean(1)], [(runs - runs.mean(1, keepdims=True)) / 4])
    >>> round(found.total, 4), round(found.degrees_of_freedom, 2)
    (0.0573, 2.38)
    """
    units = deviations[0].shape[1]
    correction = units / (units - 1)
    means = sum(each.mean(0) for each in deviations)
    between, interaction, squares = 0.0, 0.0, 0.0
    for value, each in zip(values, deviations, strict=True):
        number = len(value)
        own = float(value.var(ddof=1)) / number
        residual = each - each.mean(0)
        between += own
        interaction += correction * float((residual**2).sum()) / (number * (number - 1))
        squares += own**2 / (number - 1)
    cases = max(correction * float(means @ means) - interaction, 0.0)
    welch = between**2 / squares if squares > 0 else np.inf
    degrees = float(degrees_of_freedom([between, cases], [welch, units - 1], between + cases))
    return Components(max(between - interaction, 0.0), cases, min(between, interaction), degrees)
