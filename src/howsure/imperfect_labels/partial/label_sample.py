"""Sampling of the cases of a pool to label next, for the narrowest interval with a given number of labels."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike

from howsure.arrays import Array, Seed
from howsure.designs.base import safe_divide
from howsure.errors import HowsureError, whole_number, without
from howsure.grids import Grid, Tabular
from howsure.imperfect_labels.partial.partly_labelled import Pool
from howsure.methods.core.draws import seed_sequence
from howsure.metrics.binding import resolve
from howsure.metrics.metric import Metric
from howsure.metrics.spec import Spec
from howsure.tables.confusion import ConfusionTable

LEAST = 2  # labels of each stratum: a single label shows no variation
GUESS_WORTH = 10.0  # prior weight of the scores of a stratum, in labels
# (3.0 / 1.96)**2: the mid-p limit for m cases that all agree is 3.0 / m, while a normal limit is 1.96 s / √m.
SURPRISE = 2.3
BISECTIONS = 60
STEPS = 10
NEVER = 1e-30  # smallest gain of a stratum, relative to the largest: avoids division by zero


@final
@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class LabelSample(Tabular):
    """Cases of a pool to label next; made by `sample_to_label`.

    Parameters
    ----------
    metric : str
        Spec string of the metric for which the sample is optimised.
    rows : ndarray of shape (n,)
        Positions of the cases in the pool, in random order. If labelling stops early, the labelled cases are a random
        sample of each stratum.
    stratum : ndarray of shape (n,)
        Stratum of each case, as a position in ``strata``.
    inclusion_probability : ndarray of shape (n,)
        Labelled share of the case's stratum after these cases are labelled. Its inverse is the Horvitz–Thompson weight.
    strata : tuple of str
        Predicted class and range of scores of each stratum.
    cases, labelled, labels : ndarray of shape (strata,)
        For each stratum: its cases, those with a label, and the number of further cases to label.

    Examples
    --------
    >>> import howsure as hs
    >>> sample = hs.labels.sample_to_label([0, 0, 0, 0, 1, 1, 1, 1], [0.1, 0.2, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9], n=8)
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


@without(counts="People label single cases: give one row for each.")
def sample_to_label(
    y_pred: object,
    y_score: object,
    metric: str | Spec | Metric = "f1",
    *,
    n: int,
    y_true: object = None,
    data: object = None,
    labels: ArrayLike | None = None,
    pos_label: object = None,
    random_state: Seed = None,
) -> LabelSample:
    """Draw the cases of a pool of predictions to label next, so that the interval for a metric is narrow.

    The pool is divided into strata by predicted class and score. The number of labels of a stratum depends on its
    number of cases, on their effect on the metric, and on their uncertainty. Within a stratum, cases are drawn at
    random. After labelling, `partly_labelled` makes the table of the whole pool.

    Parameters
    ----------
    y_pred : array-like of shape (n_cases,) or str
        Predicted class of every case.
    y_score : array-like of shape (n_cases,) or str
        Score of every case, in [0, 1]: the probability of the last class if there are two classes, otherwise of the
        predicted class. Scores affect only which cases are drawn; the later estimates do not assume that they are
        correct.
    metric : str or Metric
        The metric whose interval should be narrow.
    n : int
        Number of cases to label.
    y_true : array-like of shape (n_cases,) or str, optional
        True class of the cases that are labelled already; None or nan for the others. These labels update the
        probabilities that the scores give.
    data : frame, mapping, path or None
        A frame (pandas, Polars, Arrow …), a lazy frame or relation, a mapping of columns, or the path of a file. The
        arguments above then name its columns.
    labels : array-like of shape (K,), optional
        The classes, in order; by default all classes that occur, sorted.
    pos_label : object, optional
        Which of two classes is the positive one; the last in order by default.
    random_state : int, Generator, SeedSequence or None
        Seed of the draw.

    Returns
    -------
    LabelSample
        The rows to label, with their strata and inclusion probabilities.

    Raises
    ------
    HowsureError
        If columns differ in length, a prediction or score is missing, or a score is outside [0, 1]. If `n` exceeds the
        number of unlabelled cases, or is too small for two labels in each stratum.

    Notes
    -----
    A stratum of N cases with m labels contributes ``N**2 (v / m + c r**2 / m**2)`` to the squared width. Here v and r
    are the variance and the range of a case's contribution to the metric (the gradient), by scores and labels, and
    c = 2.3. The second term covers outcomes that the scores miss: if all m labels agree, a share of about 3 / m of
    other outcomes is still possible. If v is large, the optimal m is proportional to N √v (Neyman 1934).

    References
    ----------
    Neyman (1934), Journal of the Royal Statistical Society 97; Sawade, Landwehr, Scheffer (2010), Active estimation of
    F-measures; Kossen, Farquhar, Gal, Rainforth (2021), Active testing.

    Examples
    --------
    >>> import numpy as np, howsure as hs
    >>> rng = np.random.default_rng(0)
    >>> score = rng.beta(0.2, 1.8, 2000)
    >>> print(hs.labels.sample_to_label(score > 0.5, score, "f1", n=200, random_state=0))
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
    known = pool.true_class >= 0
    seen = np.zeros((strata, size))
    np.add.at(seen, (pool.stratum[known], pool.true_class[known]), 1.0)
    labelled = seen.sum(1).astype(int)
    left = int((cases - labelled).sum())
    least = int(np.maximum(np.minimum(LEAST, cases) - labelled, 0).sum())
    if not least <= number <= left:
        raise HowsureError(
            f"`n` is {number}: there are {left:,} cases without a label."
            if number > left
            else f"`n` is {number}: {LEAST} labels of each stratum take {least}."
        )
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
    """Return the class frequencies in each stratum, as estimated from the scores."""
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
    """Return the gradient of the metric for a case of each stratum and true class, and the name of the metric."""
    size = len(pool.axis)
    counts = np.zeros((size, size))
    np.add.at(counts.T, pool.column, expected)
    table = ConfusionTable(counts=counts, labels=pool.axis, rows=len(pool.true_class))
    bound = resolve(metric, table)
    with np.errstate(all="ignore"):
        value = float(bound(table.counted))
    if not math.isfinite(value):
        raise HowsureError(
            f"`{bound.name}` is undefined on the table that the scores let expect, so no label can be chosen for it."
        )
    return bound.finite_gradient(table.counted).reshape(size, size).T[pool.column], bound.name


def _allocated(cases: Array, labelled: Array, variance: Array, surprise: Array, number: int) -> Array:
    """Return the number of further labels of each stratum, integers that add up to ``number``."""
    least = np.maximum(labelled, np.minimum(LEAST, cases)).astype(float)
    first, second = cases**2 * variance, 2 * cases**2 * surprise
    steep = max(float((first + second).max(initial=0.0)), 1e-200)
    second = np.maximum(second, NEVER * steep)

    def shared(gain: float) -> Array:
        """Return the numbers of labels at which the marginal gain of one more label is ``gain`` in every stratum."""
        many = np.sqrt(first / gain) + np.cbrt(second / gain)  # above the root of gain m³ = first m + second
        for _ in range(STEPS):  # Newton's method, from above on a convex curve: it never overshoots
            many -= (gain * many**3 - first * many - second) / (3 * gain * many**2 - first)
        return np.asarray(np.clip(many, least, cases))

    total = labelled.sum() + number
    low, high = math.log(steep) - 60.0, math.log(steep) + 10.0
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        low, high = (middle, high) if shared(math.exp(middle)).sum() > total else (low, middle)
    wanted = shared(math.exp(high))
    # If no uncertainty is left, distribute the remaining labels in proportion to the unlabelled cases.
    wanted += (cases - wanted) * safe_divide(total - wanted.sum(), (cases - wanted).sum())
    whole = np.floor(wanted + 1e-9).astype(int)
    rest = total - int(whole.sum())
    order = np.argsort(whole - wanted, kind="stable")
    whole[order[whole[order] < cases[order]][:rest]] += 1
    return np.asarray(whole - labelled)
