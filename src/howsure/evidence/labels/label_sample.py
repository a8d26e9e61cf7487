"""Which cases of a pool to label next, so that a metric's interval is as narrow as so many labels can make it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from howsure.designs.base import quotient
from howsure.errors import HowsureError, whole_number, without_counts
from howsure.evidence.labels.partly_labelled import Pool
from howsure.grids import Grid, Tabular
from howsure.methods.draws import seed_sequence
from howsure.metrics.binding import resolve
from howsure.metrics.metric import Metric
from howsure.metrics.spec import Spec
from howsure.tables.confusion import ConfusionTable

Array = NDArray[Any]
LEAST = 2  # labels of each stratum: fewer show no variation
GUESS_WORTH = 10.0  # labels that the scores of a stratum are taken to be worth
SURPRISE = (
    2.3  # (3.0 / 1.96)**2: of m cases that all agree mid-p's limit is 3.0 / m, where a normal one has 1.96 s / √m
)
BISECTIONS = 60
STEPS = 10
NEVER = 1e-30  # of the steepest gain: a stratum of which nothing is to be learnt


@final
@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class LabelSample(Tabular):
    """Which cases of a pool to label next.

    Parameters
    ----------
    metric : str
        The spec string of the metric whose interval is to be narrow.
    rows : ndarray of shape (n,)
        Positions of the cases in the pool, in random order: whoever stops early has a random sample of each stratum.
    stratum : ndarray of shape (n,)
        Stratum of each of these cases, a position in ``strata``.
    inclusion_probability : ndarray of shape (n,)
        Share of its stratum that is labelled once these cases are: its inverse is the weight of Horvitz and Thompson.
    strata : tuple of str
        Predicted class and scores of each stratum.
    cases, labelled, labels : ndarray of shape (strata,)
        Cases of each, those of them with a label, and how many more to label.

    Examples
    --------
    >>> import howsure as hs
    >>> sample = hs.sample_to_label([0, 0, 0, 0, 1, 1, 1, 1], [0.1, 0.2, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9], n=8)
    >>> sorted(sample.rows.tolist())
    [0, 1, 2, 3, 4, 5, 6, 7]
    """

    metric: str
    rows: Array
    stratum: Array
    inclusion_probability: Array
    strata: tuple[str, ...]
    cases: Array
    labelled: Array
    labels: Array

    def records(self) -> list[dict[str, Any]]:
        """Return one flat dict for each stratum."""
        columns = zip(self.strata, self.cases, self.labelled, self.labels, strict=True)
        return [
            {"stratum": name, "cases": int(cases), "labelled": int(labelled), "label": int(more)}
            for name, cases, labelled, more in columns
        ]

    def rows_to_label(self) -> list[dict[str, Any]]:
        """Return one flat dict for each case to label, in order."""
        columns = zip(self.rows, self.stratum, self.inclusion_probability, strict=True)
        return [
            {"row": int(row), "stratum": self.strata[place], "inclusion_probability": float(share)}
            for row, place, share in columns
        ]

    def grid(self) -> Grid:
        """Return the strata as a table of strings."""
        rows = tuple(
            (each["stratum"], f"{each['cases']:,}", f"{each['labelled']:,}", f"{each['label']:,}")
            for each in self.records()
        )
        note = f"{len(self.rows):,} of {int(self.cases.sum() - self.labelled.sum()):,} cases to label for {self.metric}"
        return Grid(("predicted, score", "cases", "labelled", "label next"), rows, note)


@without_counts("People label single cases: give one row for each.")
def sample_to_label(
    y_pred: Any,
    y_score: Any,
    metric: str | Spec | Metric = "f1",
    *,
    n: int,
    y_true: Any = None,
    data: Any = None,
    labels: ArrayLike | None = None,
    pos_label: Any = None,
    random_state: Any = None,
) -> LabelSample:
    """Draw the cases of a pool of predictions that people should label next: those that tell most of a metric.

    The pool is put into strata by predicted class and score. Each gets labels by how many cases it has, how much they
    matter to the metric, and how uncertain they are; within a stratum cases are drawn at random. Once they are
    labelled, `partly_labelled` makes the table of the whole pool.

    Parameters
    ----------
    y_pred : array-like of shape (n_cases,) or str
        Predicted class of every case.
    y_score : array-like of shape (n_cases,) or str
        Score of every case, from 0 to 1: of two classes the probability of the last one, of more that of the
        predicted one. It says where to look; what is found there does not rest on it.
    metric : str or Metric
        The metric whose interval is to be narrow.
    n : int
        How many cases to label.
    y_true : array-like of shape (n_cases,) or str, optional
        True class of those cases that are labelled already; missing (None, nan) of all others. They correct what
        the scores say.
    data : frame, mapping, path or None
        A frame (pandas, Polars, Arrow …), a lazy frame or relation, a mapping of columns, or the path of a file. The
        arguments above then name its columns.
    labels : array-like of shape (K,), optional
        The classes, in order; by default all classes that occur, sorted.
    pos_label : object, optional
        The positive class of two; by default the last in order.
    random_state : int, Generator, SeedSequence or None
        Seed of the draw.

    Returns
    -------
    LabelSample
        The rows to label, with their strata and inclusion probabilities.

    Raises
    ------
    HowsureError
        If columns differ in length, a prediction or score is missing, a score is outside [0, 1], or `n` is more
        than there are cases without a label or too few for two of each stratum.

    Notes
    -----
    With m of its N cases labelled, a stratum adds ``N**2 (v / m + c r**2 / m**2)`` to the squared width: v is the
    variance of what a case adds to the metric (its gradient), as scores and labels have it, and r the range. The
    second term is for what scores miss: m cases that all agree leave a share of about 3 / m possible. The sum is
    least for numbers in proportion to N times the standard deviation where this is large (Neyman 1934).

    References
    ----------
    Neyman (1934), Journal of the Royal Statistical Society 97; Sawade, Landwehr, Scheffer (2010), Active estimation of
    F-measures; Kossen, Farquhar, Gal, Rainforth (2021), Active testing.

    Examples
    --------
    >>> import numpy as np, howsure as hs
    >>> rng = np.random.default_rng(0)
    >>> score = rng.beta(0.2, 1.8, 2000)
    >>> print(hs.sample_to_label(score > 0.5, score, "f1", n=200, random_state=0))
    predicted, score           cases  labelled  label next
    ──────────────────────────────────────────────────────
    False, 2.97e-18 to 0.0721  1,383         0          82
    False, 0.0726 to 0.221       301         0          35
    False, 0.221 to 0.496        216         0          30
    True, 0.502 to 0.574          31         0          17
    True, 0.582 to 0.699          31         0          17
    True, 0.704 to 0.958          38         0          19
    200 of 2,000 cases to label for f1
    """
    pool = Pool.of(y_true, y_pred, y_score, data, labels, pos_label)
    number = whole_number("n", n, least=1)
    strata, size = len(pool.column), len(pool.axis)
    cases = np.bincount(pool.stratum, minlength=strata)
    known = pool.truth >= 0
    seen = np.zeros((strata, size))
    np.add.at(seen, (pool.stratum[known], pool.truth[known]), 1.0)
    labelled = seen.sum(1).astype(int)
    left = int((cases - labelled).sum())
    least = int(np.maximum(np.minimum(LEAST, cases) - labelled, 0).sum())
    if not least <= number <= left:
        message = (
            f"`n` is {number}: there are {left:,} cases without a label."
            if number > left
            else f"`n` is {number}: {LEAST} labels of each stratum take {least}."
        )
        raise HowsureError(message)
    shares = (GUESS_WORTH * _guessed(pool) + seen) / (GUESS_WORTH + seen.sum(1, keepdims=True))
    form, name = _slopes(pool, cases[:, None] * shares, metric)
    variance = (shares * form**2).sum(1) - (shares * form).sum(1) ** 2
    span = np.ptp(form, axis=1)
    more = _allocated(cases, labelled, np.maximum(variance, 0.0), SURPRISE * span**2, number)
    stream = np.random.default_rng(seed_sequence(random_state))
    rows = np.concatenate(
        [
            stream.choice(np.flatnonzero((pool.stratum == place) & ~known), many, replace=False)
            for place, many in enumerate(more.tolist())
        ]
    )
    rows = stream.permutation(rows)
    stratum = pool.stratum[rows]
    return LabelSample(
        metric=name,
        rows=rows,
        stratum=stratum,
        inclusion_probability=((labelled + more) / cases)[stratum],
        strata=pool.names,
        cases=cases,
        labelled=labelled,
        labels=more,
    )


def _guessed(pool: Pool) -> Array:
    """Return the shares of the true classes in each stratum, as the scores have them."""
    strata, size = len(pool.column), len(pool.axis)
    mean = np.bincount(pool.stratum, pool.score, strata) / np.bincount(pool.stratum, minlength=strata)
    if size == 2:
        return np.column_stack([1 - mean, mean])
    predicted = np.bincount(pool.predicted, minlength=size) + 1.0
    others = np.repeat(predicted[None], strata, 0)
    others[np.arange(strata), pool.column] = 0.0
    shares = (1 - mean)[:, None] * others / others.sum(1, keepdims=True)
    shares[np.arange(strata), pool.column] = mean
    return np.asarray(shares)


def _slopes(pool: Pool, expected: Array, metric: str | Spec | Metric) -> tuple[Array, str]:
    """Return what a case of each stratum and true class adds to the metric, and the metric's name."""
    size = len(pool.axis)
    counts = np.zeros((size, size))
    np.add.at(counts.T, pool.column, expected)
    table = ConfusionTable(counts=counts, labels=pool.axis, rows=len(pool.truth))
    bound = resolve(metric, table)
    with np.errstate(all="ignore"):
        value = float(bound(table.counted))
    if not math.isfinite(value):
        message = (
            f"`{bound.name}` is undefined on the table that the scores let expect, so no label can be chosen for it."
        )
        raise HowsureError(message)
    return bound.slopes(table.counted).reshape(size, size).T[pool.column], bound.name


def _allocated(cases: Array, labelled: Array, variance: Array, surprise: Array, number: int) -> Array:
    """Return how many more labels each stratum gets, whole numbers that add up to ``number``."""
    least = np.maximum(labelled, np.minimum(LEAST, cases)).astype(float)
    first, second = cases**2 * variance, 2 * cases**2 * surprise
    steep = max(float((first + second).max(initial=0.0)), 1e-200)
    second = np.maximum(second, NEVER * steep)

    def shared(gain: float) -> Array:
        """Return the labels with which one more narrows the interval by so much in every stratum."""
        many = np.sqrt(first / gain) + np.cbrt(second / gain)  # above the root of gain m³ = first m + second
        for _ in range(STEPS):  # Newton's, from above on a convex curve: they never overshoot
            many -= (gain * many**3 - first * many - second) / (3 * gain * many**2 - first)
        return np.asarray(np.clip(many, least, cases))

    total = labelled.sum() + number
    low, high = math.log(steep) - 60.0, math.log(steep) + 10.0
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        low, high = (middle, high) if shared(math.exp(middle)).sum() > total else (low, middle)
    wanted = shared(math.exp(high))
    # Where nothing is uncertain any more, what is left goes where cases are.
    wanted += (cases - wanted) * quotient(total - wanted.sum(), (cases - wanted).sum())
    whole = np.floor(wanted + 1e-9).astype(int)
    rest = total - int(whole.sum())
    order = np.argsort(whole - wanted, kind="stable")
    whole[order[whole[order] < cases[order]][:rest]] += 1
    return np.asarray(whole - labelled)
