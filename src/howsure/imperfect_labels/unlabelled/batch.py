"""Design of a batch of unlabelled scores with a calibrator: distribution of its future table of counts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, final

import numpy as np

from howsure.arrays import Array
from howsure.designs import invariants
from howsure.designs.cell_sums import dot
from howsure.designs.independent import Independent
from howsure.designs.resampling import Resampling
from howsure.designs.sampling import Blocks
from howsure.designs.traits import EXPECTED, Description, Traits
from howsure.designs.variance_details import VarianceDetails
from howsure.errors import HowsureError
from howsure.imperfect_labels.calibration.calibrator import Calibrator
from howsure.imperfect_labels.calibration.isotonic import MOST_SCORES, grouped_scores
from howsure.tables.scores import ScoresTable

BLOCK = 2**20  # probabilities kept in memory at once
DRAWN_SCORES = 5_000  # most scores for which "bayes" is the default; for more, the delta method is as good
FINE = 2 * MOST_SCORES  # with more scores, the calibrator's part of a variance uses groups of neighbouring scores
FEW_CELLS = 64  # up to this number of cells, draws are summed by a dense matrix
KEPT = 2**22  # largest number of values of draws that are cached for the next table


@final
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CalibratedBatch(VarianceDetails, Resampling):
    """Cases with known scores and unknown classes; both the classes and the calibrator are uncertain.

    A draw of the table takes one draw of the calibrator, and then draws the class of each case with the calibrated
    probability.

    Parameters
    ----------
    calibrator : Calibrator
        Calibrator whose draws express the uncertainty of the probabilities.
    scores, number : ndarray of shape (S,)
        Distinct scores, or means of neighbouring scores, and the number of cases of each.
    cells : ndarray of shape (S, 2)
        Flat cells of the table in which a negative and a positive case of each score are counted.
    """

    calibrator: Calibrator
    scores: Array
    number: Array
    cells: Array
    description: ClassVar[Description] = Description(
        estimate_caveat="prediction for these cases; assumes that the labelled cases are like them"
    )

    def check(self, shape: tuple[int, ...]) -> None:
        """Check the parts of the design, and that it fits counts of this shape: batch and cells."""
        invariants.instance("calibrator", self.calibrator, Calibrator)
        self.calibrator.check()
        invariants.numbers("scores", self.scores, (None,), -invariants.LARGEST)
        invariants.numbers("number", self.number, self.scores.shape, 0.0, invariants.MOST_CASES)
        invariants.positions("cells", self.cells, (len(self.scores), 2), shape[-1])

    def check_sums(self, counts: Array) -> None:
        """Check that the expected counts of the cases equal those of the table."""
        positive = self.number * self.calibrator.mean(self.scores)
        found = np.bincount(self.cells.T.ravel(), np.concatenate([self.number - positive, positive]), counts.size)
        invariants.sums("number", found, counts)

    @property
    def traits(self) -> Traits:
        """The default method is ``"bayes"``, which is exact, for up to 5,000 scores; for more it would be slow."""
        return EXPECTED if len(self.scores) > DRAWN_SCORES else replace(EXPECTED, default_method="bayes")

    def effective_sample_size(self, counts: Array, cells: Array) -> Array:
        """Return the expected number of cases in the selected cells."""
        return dot(counts, cells)

    def variance(self, counts: Array, gradient: Array) -> Array:
        """Return the variance of the classes given the calibrator plus the variance of their mean over its draws."""
        slopes = gradient[self.cells]
        form = slopes[:, 1] - slopes[:, 0]
        share = self.calibrator.mean(self.scores)
        starts, known = self._neighbours()
        weights = np.add.reduceat(self.number * form, starts)
        means = np.concatenate([block @ weights for block in self._blocks(known)])
        return np.asarray((self.number * share * (1 - share)) @ form**2 + means.var(ddof=1))

    def threshold_variances(self, counts: Array, gradients: Array, thresholds: Array | None = None) -> Array:
        """Return the variance of a linear form of the confusion table at each threshold of a table of scores."""
        rows = len(counts)
        place = rows - 1 - self.cells[:, 1] // 2
        share = self.calibrator.mean(self.scores)
        classes, cases = (
            _cumulated(np.bincount(place, each, rows)) for each in (self.number * share * (1 - share), self.number)
        )
        edges, own, shared = self._drawn_from_top()
        above, both = np.interp(cases, edges, own), np.interp(cases, edges, shared)
        whole, every = classes[-1], above[-1]
        if thresholds is not None:
            classes, above, both = classes[thresholds], above[thresholds], both[thresholds]
        low, high = (gradients[:, 1] - gradients[:, 0]).T  # positive minus negative, below and above the threshold
        step = high - low
        drawn = low**2 * every + 2 * low * step * both + step**2 * above
        return np.asarray(low**2 * (whole - classes) + high**2 * classes + np.maximum(drawn, 0.0))

    def collapse_cells(self, codes: Array, size: int) -> CalibratedBatch:
        """Return the design after merging cells; with very many scores, neighbours in the same cells are merged too."""
        relabelled = codes[self.cells]
        order = np.lexsort((self.scores, relabelled[:, 1], relabelled[:, 0]))
        scores, number, relabelled = self.scores[order], self.number[order], relabelled[order]
        starts = grouped_scores(number)
        if len(starts) == len(scores):
            return replace(self, scores=scores, number=number, cells=relabelled)
        changes = np.flatnonzero((np.diff(relabelled, axis=0) != 0).any(1)) + 1
        starts = np.union1d(starts, changes)
        total = np.add.reduceat(number, starts)
        return replace(
            self, scores=np.add.reduceat(scores * number, starts) / total, number=total, cells=relabelled[starts]
        )

    def resample(self, counts: Array, size: int, rng: np.random.Generator) -> Array:
        """Draw tables: for each, a draw of the calibrator, and then the classes."""
        positive, (negative_cell, positive_cell) = self._positive(size, rng), self.cells.T
        if counts.size <= FEW_CELLS:
            every = np.eye(counts.size)
            all_negative = self.number @ every[negative_cell]
            return np.asarray(all_negative + positive @ (every[positive_cell] - every[negative_cell]))
        from scipy import sparse

        drawn = np.concatenate([self.number - positive, positive], axis=1)
        entries = (np.ones(self.cells.size), (np.arange(self.cells.size), self.cells.T.ravel()))
        return np.asarray(drawn @ sparse.csr_array(entries, shape=(self.cells.size, counts.size)))

    def _positive(self, size: int, rng: np.random.Generator) -> Array:
        """Return the number of positive cases at each score in each draw, ``(size, S)``.

        The last draws are cached: the tables at all thresholds of one table of scores have the same random stream,
        scores and numbers, and therefore the same draws.
        """
        key = self.calibrator, size, self.scores.tobytes(), self.number.tobytes(), _state(rng)
        kept = _LAST.get("draws")
        if kept is not None and key[-1] is not None and kept[0] == key:
            rng.bit_generator.state = kept[1]
            return kept[2]
        share = self.calibrator.curves(self.scores, rng.integers(self.calibrator.n_draws, size=size))
        positive: Array = rng.binomial(self.number.astype(np.int64), np.clip(share, 0.0, 1.0)).astype(float)
        if positive.size <= KEPT:
            positive.flags.writeable = False
            _LAST["draws"] = key, rng.bit_generator.state, positive
        return positive

    def posterior(self, counts: Array, prior: Array, size: int, rng: np.random.Generator) -> Array:
        """Return the same as `resample`; the prior is not used, because only the classes are unknown."""
        return self.resample(counts, size, rng)

    def leave_one_out(self, counts: Array) -> Blocks:
        """Return the tables without one case of each non-empty cell."""
        return Independent().leave_one_out(counts)

    def _neighbours(self) -> tuple[Array, Array]:
        """Return the starts of groups of neighbouring scores, and their means; with few scores, one group each."""
        if len(self.scores) <= FINE:
            return np.arange(len(self.scores)), self.scores
        starts = grouped_scores(self.number)
        total = np.add.reduceat(self.number, starts)
        return starts, np.add.reduceat(self.scores * self.number, starts) / total

    def _drawn_from_top(self) -> tuple[Array, Array, Array]:
        """Return cumulated cases from the top, the variance of their positives, and the covariance with the total."""
        starts, known = self._neighbours()
        number = np.add.reduceat(self.number, starts)
        sums = np.concatenate([np.cumsum((block * number)[:, ::-1], axis=1) for block in self._blocks(known)])
        sums -= sums.mean(0)
        degrees = len(sums) - 1
        own, shared = (sums**2).sum(0) / degrees, sums.T @ sums[:, -1] / degrees
        return _cumulated(number[::-1]), np.concatenate([[0.0], own]), np.concatenate([[0.0], shared])

    def _blocks(self, scores: Array) -> list[Array]:
        step = max(1, BLOCK // len(scores))
        starts = range(0, self.calibrator.n_draws, step)
        return [self.calibrator.curves(scores, slice(start, start + step)) for start in starts]


_LAST: dict[str, tuple[tuple[Any, ...], Any, Array]] = {}  # key, later state of the stream, and draws


def _state(rng: np.random.Generator) -> Any:
    """Return the state of a stream as numbers; None if it contains arrays."""
    return rng.bit_generator.state if isinstance(rng.bit_generator, np.random.PCG64) else None


def _cumulated(values: Array) -> Array:
    return np.concatenate([[0.0], np.cumsum(values)])


def calibrated_batch(score: Array, number: Array, calibrator: Calibrator) -> ScoresTable:
    """Return the table of unlabelled scores, with the expected classes by a calibrator and their uncertainty.

    Parameters
    ----------
    score, number : ndarray of shape (n,)
        Checked scores, and the number of cases of each.
    calibrator : Calibrator
        The calibrator that converts scores to probabilities.
    """
    if not score.size:
        raise HowsureError("`y_score` is empty: there is no case to evaluate.")
    scores, place = np.unique(score, return_inverse=True)
    number = np.bincount(place, number)
    share = calibrator.mean(scores)
    counts = np.stack([number * (1 - share), number * share], -1)
    design = CalibratedBatch(calibrator, scores, number, np.arange(counts.size).reshape(counts.shape))
    return ScoresTable(
        counts=counts, scores=scores, labels=calibrator.table.labels, design=design, rows=round(float(number.sum()))
    )
