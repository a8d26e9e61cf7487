"""Each reader's metric, and the contributions of the cases to it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from howsure.arrays import Booleans, Floats, Positions
from howsure.designs.crossed import POWER
from howsure.errors import HowsureError
from howsure.metrics.metric import Metric
from howsure.native.placements import case_placements
from howsure.readers.dominance import products_of_wins
from howsure.readers.reads import HILLIS, Reads

OUTCOMES = 4  # cells of a 2×2 table


@dataclass(frozen=True, slots=True, eq=False)
class Areas:
    """Empirical areas under the ROC curves.

    Parameters
    ----------
    reads : Reads
        The ratings.
    placements : ndarray of shape (N, G)
        For a positive case the proportion of the group's negative cases with lower ratings, for a negative case the
        proportion of positive cases with higher ones; ties count half. nan if the case was not read.
    sizes : ndarray of shape (2, G)
        Number of negative and positive cases of each group.
    values : ndarray of shape (G,)
        The areas.
    """

    reads: Reads
    placements: Floats
    sizes: Floats
    values: Floats

    @classmethod
    def of(cls, reads: Reads) -> Areas:
        """Return the areas of the groups; refuse a group without a positive or without a negative case."""
        sizes = _sizes(reads)
        placements = np.full(reads.values.shape, np.nan)
        for group, values in enumerate(reads.values.T):
            read = ~np.isnan(values)
            placements[read, group] = case_placements(values[read], reads.positive[read])
        areas = np.nanmean(placements[reads.positive], axis=0)
        return cls(reads, placements, sizes, areas)

    def _distances(self) -> Floats:
        """Return the placements minus the area; 0 if the case was not read."""
        return np.nan_to_num(self.placements - self.values, nan=0.0)

    def _of_cases(self, of_sizes: Floats) -> Floats:
        """Return one number per class and group as one per case and group."""
        return of_sizes[self.reads.positive.astype(np.intp)]

    def covariance(self, name: str) -> Floats:
        """Return the covariance of the areas over samples of cases, by DeLong's formula, jackknife or without bias."""
        if name == "delong":
            contributions = self.contributions()
            return np.asarray(contributions.T @ contributions)
        return self.jackknife() if name == "jackknife" else self.unbiased()

    def contributions(self) -> Floats:
        """Return the placements' distances from the area, divided by ``sqrt(n (n − 1))`` of their class."""
        _refuse_single(self.reads, self.sizes)
        return self._distances() / self._of_cases(np.sqrt(self.sizes * (self.sizes - 1)))

    def jackknife(self) -> Floats:
        """Return the jackknife covariance of the areas."""
        _refuse_single(self.reads, self.sizes)
        return jackknife_covariance(-self._distances() / self._of_cases(self.sizes - 1))

    def unbiased(self) -> Floats:
        """Return the unbiased covariance of the areas (Gallas).

        A win is 1 if the positive case of a pair has the higher rating, 1/2 for a tie. The mean product of wins in two
        groups, over pairs of pairs that share no case, is an unbiased estimate of the product of their expected areas.
        The product of the observed areas minus this mean is the covariance.
        """
        _refuse_single(self.reads, self.sizes)
        is_read, positive = self.reads.is_read, self.reads.positive
        wins = np.nan_to_num(self.placements) * self._of_cases(self.sizes[::-1])
        total = self.values * self.sizes.prod(0)
        shared = {side: is_read[positive == side].T.astype(float) @ is_read[positive == side] for side in (False, True)}
        products = np.outer(total, total) - wins.T @ wins + products_of_wins(self.reads)
        negatives, positives = self.sizes
        pairs = (
            np.outer(self.sizes.prod(0), self.sizes.prod(0))
            - np.outer(positives, positives) * shared[False]
            - np.outer(negatives, negatives) * shared[True]
            + shared[False] * shared[True]
        )
        return np.asarray(np.outer(self.values, self.values) - products / pairs)


@dataclass(frozen=True, slots=True, eq=False)
class Proportions:
    """Metrics of counts: sensitivity, specificity or any other function of a 2×2 table.

    Parameters
    ----------
    reads : Reads
        The ratings; those of at least the threshold are positive calls.
    cells : ndarray of int of shape (N, G)
        Cell of each read in the 2×2 table: 2 × truth + call, or −1 if the case was not read.
    values : ndarray of shape (G,)
        The metric of each group.
    changes : ndarray of shape (G, 4)
        Change of the metric without one case of a cell; 0 if there is none.
    """

    reads: Reads
    cells: Positions
    values: Floats
    changes: Floats

    @classmethod
    def of(cls, reads: Reads, metric: Metric, threshold: float) -> Proportions:
        """Return the metric of the groups; refuse groups in which it is undefined."""
        with np.errstate(invalid="ignore"):
            cells = np.where(reads.is_read, 2 * reads.positive[:, None] + (reads.values >= threshold), -1)
        counts = np.stack([(cells == cell).sum(0) for cell in range(OUTCOMES)], -1).astype(float)
        values = _values(metric, counts)
        if np.isnan(values).any():
            group = int(np.argmax(np.isnan(values)))
            raise HowsureError(
                f"`{metric.label}` is undefined: {_lack(reads, group)}. Leave the reader out, or choose another."
            )
        without = np.maximum(counts[:, None] - np.eye(OUTCOMES), 0.0)
        changes = np.where(counts > 0, _values(metric, without) - values[:, None], 0.0)
        return cls(reads, cells, values, changes)

    @property
    def classes(self) -> Booleans:
        """Whether the negative and the positive cases enter the metric."""
        return np.asarray(np.any(self.changes.reshape(-1, 2, 2) != 0, axis=(0, 2)))

    @property
    def freedom_power(self) -> float:
        """Power in the degrees of freedom of a difference: Hillis' for rates of one class, otherwise a smaller one."""
        return POWER if self.classes.all() else HILLIS

    def jackknife(self) -> Floats:
        """Return the jackknife covariance; a class whose cases do not enter the metric is left out."""
        if np.isnan(self.changes).any():
            group = int(np.argmax(np.isnan(self.changes).any(1)))
            raise HowsureError(
                f"{self.reads.name(group)} has a single case on which the metric depends, so its error cannot be "
                "estimated. Read more cases, or take the cases as fixed: fixed='case'."
            )
        changes = self._of_cases(self.changes)
        some = self.classes if self.classes.any() else np.array([True, True])
        return jackknife_covariance(changes[some[self.reads.positive.astype(np.intp)]])

    def _of_cases(self, of_cells: Floats) -> Floats:
        groups = np.arange(self.cells.shape[1])
        return np.where(self.cells >= 0, of_cells[groups, self.cells], 0.0)


def jackknife_covariance(changes: Floats) -> Floats:
    """Return ``(N − 1) / N`` times the sum of products of the centred changes without each of N cases.

    Parameters
    ----------
    changes : ndarray of shape (N, G)
        Change of each group's metric without the case; 0 if the group lacks the case.
    """
    number = len(changes)
    centred = changes - changes.mean(0)
    return np.asarray((number - 1) / number * (centred.T @ centred))


def _values(metric: Metric, cells: Floats) -> Floats:
    with np.errstate(all="ignore"):
        return np.asarray(metric(cells.reshape(*cells.shape[:-1], 2, 2)), dtype=float)


def _sizes(reads: Reads) -> Floats:
    """Return the number of negative and positive cases of each group; refuse a group that lacks a class."""
    is_read = reads.is_read
    sizes = np.stack([is_read[~reads.positive].sum(0), is_read[reads.positive].sum(0)]).astype(float)
    lacking = (sizes == 0).any(0)
    if lacking.any():
        raise HowsureError(f"{_lack(reads, int(np.argmax(lacking)))}, and an area needs both. Leave the reader out.")
    return sizes


def _lack(reads: Reads, group: int) -> str:
    read = reads.is_read[:, group]
    positives = int(reads.positive[read].sum())
    kind = "positive (diseased)" if positives == 0 else "negative (non-diseased)"
    if 0 < positives < read.sum():
        return f"{reads.name(group)} has calls of one kind only"
    return f"{reads.name(group)} read no {kind} case"


def _refuse_single(reads: Reads, sizes: Floats) -> None:
    single = (sizes < 2).any(0)
    if single.any():
        raise HowsureError(
            f"{reads.name(int(np.argmax(single)))} read a single case of one class, so the error of the area cannot be "
            "estimated. Read more cases, or take the cases as fixed: fixed='case'."
        )
