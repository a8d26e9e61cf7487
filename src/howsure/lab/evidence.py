"""Populations for simulations of unlabelled scores, and of label noise with a review."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from howsure.errors import HowsureError, whole_number
from howsure.imperfect_labels.review.reviewed import reviewed
from howsure.imperfect_labels.unlabelled.calibrated import calibrated
from howsure.lab.truths import Cells, Truth
from howsure.tables.confusion import ConfusionTable


@dataclass(frozen=True, slots=True)
class UnlabelledScores(Truth):
    """Calibrated scores without labels from a beta distribution; the true values are those of the population.

    Parameters
    ----------
    a, b : float
        Parameters of the distribution of the scores.
    threshold : float
        Score from which a case is predicted positive.
    n : int
        Number of cases of each study.

    Examples
    --------
    >>> import howsure as hs
    >>> round(hs.lab.UnlabelledScores(1, 1, 0.5, n=100).value("precision"), 6)  # uniform scores
    0.75
    """

    a: float
    b: float
    threshold: float
    n: int

    def __post_init__(self) -> None:
        whole_number("n", self.n)
        if not (self.a > 0 and self.b > 0 and 0 < self.threshold < 1):
            raise HowsureError("`a` and `b` are positive, and `threshold` lies between 0 and 1.")

    @property
    def expected(self) -> ConfusionTable:
        """The expected table of the population."""
        from scipy import stats

        return calibrated(stats.beta(self.a, self.b)).at(self.threshold)

    def tables(self, size: int, rng: np.random.Generator) -> list[ConfusionTable]:
        """Return the table of each study, as a sample of scores from the population."""
        drawn = rng.beta(self.a, self.b, (size, self.n))
        return [calibrated(scores, target="population").at(self.threshold) for scores in drawn]


@dataclass(frozen=True, slots=True, eq=False)
class ReviewedLabels(Truth):
    """Recorded labels with errors that are independent of the prediction, and a random sample of reviewed cases.

    Parameters
    ----------
    cells : Cells
        Probabilities of true × predicted classes, and the number of cases.
    wrong : float
        Share of wrong labels; all other classes are equally likely.
    reviews : int
        Number of reviewed cases.

    Examples
    --------
    >>> import howsure as hs
    >>> truth = hs.lab.ReviewedLabels(hs.lab.Cells([[50, 5], [5, 40]], 200), wrong=0.1, reviews=80)
    >>> round(truth.value("accuracy"), 6), len(truth.tables(3, np.random.default_rng(0)))
    (0.9, 3)
    """

    cells: Cells
    wrong: float
    reviews: int

    def __post_init__(self) -> None:
        whole_number("reviews", self.reviews, most=self.cells.n)
        if not 0 <= self.wrong < 1:
            raise HowsureError(f"`wrong` is a share from 0 to below 1, not {self.wrong!r}.")

    @property
    def expected(self) -> ConfusionTable:
        """The expected table of true labels, scaled to very many cases."""
        return self.cells.expected

    @property
    def numbers(self) -> int:
        """Number of values in memory while one table is drawn."""
        return 4 * self.cells.classes**3

    def tables(self, size: int, rng: np.random.Generator) -> list[ConfusionTable]:
        """Return the corrected table of each study."""
        classes = self.cells.classes
        recorded = np.full((classes, classes), self.wrong / (classes - 1))
        np.fill_diagonal(recorded, 1 - self.wrong)
        shares = np.einsum("tp,tr->rpt", np.asarray(self.cells.shares), recorded)  # recorded × predicted × true
        cases = rng.multinomial(self.cells.n, shares.ravel(), size)
        seen = rng.multivariate_hypergeometric
        return [
            reviewed(each.reshape(shares.shape).sum(-1), seen(each, self.reviews).reshape(shares.shape))
            for each in cases
        ]
