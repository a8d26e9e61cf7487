"""Prediction-powered inference: a few trusted labels and many machine labels, with intervals valid for any machine."""

from __future__ import annotations

from collections.abc import Mapping, Sized
from typing import Any, Unpack, overload

import numpy as np
from numpy.typing import ArrayLike

from howsure.arrays import Array
from howsure.designs.base import RELATIVE_TOLERANCE
from howsure.designs.independent import Weighted
from howsure.designs.linearised import Linearised, Sample
from howsure.errors import HowsureError
from howsure.imperfect_labels.noisy.judged import post_stratified
from howsure.imperfect_labels.noisy.rogan_gladen import TRUNCATED
from howsure.metrics.binding import resolve
from howsure.metrics.metric import Metric
from howsure.sources.confusion import class_labels, refuse_mixed
from howsure.sources.encoding import coded_with_gaps, positions, refuse_gaps
from howsure.sources.frames import columns
from howsure.sources.groups import Tally, by_columns, groups_of, roles
from howsure.sources.input_checks import refuse_marks
from howsure.sources.keywords import Classes, Rows
from howsure.sources.layout import order_as_stated
from howsure.tables.batch import Tables
from howsure.tables.confusion import ConfusionTable
from howsure.tables.counts import ConfusionCounts
from howsure.tables.labels import as_labels

DISAGREEING = 2.0  # pseudo-cases for the variance only: a few correct machine labels do not prove the others correct
ALONE = "the trusted labels alone are as precise: the others add no information"
LEAST_TRUSTED = 160  # labels: with fewer, 95 % intervals with a single weight cover as little as 68 to 91 %
FEW = "a single weight of {} trusted labels: the interval may cover less than stated; give {} or more, or leave it out"
FEWEST = 2  # trusted cases: a single one shows no variance


class _Keywords(Rows, Classes, total=False):
    """Keyword arguments that do not decide the type of the result."""

    metric: str | Metric | None
    power: float | None


@overload
def prediction_powered(
    y_true: object, y_made: object, y_pred: object, *, by: None = None, **keywords: Unpack[_Keywords]
) -> ConfusionTable: ...


@overload
def prediction_powered(
    y_true: object, y_made: object, y_pred: object, *, by: Sized, **keywords: Unpack[_Keywords]
) -> Tables[ConfusionTable]: ...


@order_as_stated
def prediction_powered(
    y_true: object,
    y_made: object,
    y_pred: object,
    *,
    data: object = None,
    labels: ArrayLike | None = None,
    pos_label: object = None,
    metric: str | Metric | None = None,
    power: float | None = None,
    counts: object = None,
    by: Sized | None = None,
    check: bool = True,
) -> ConfusionTable | Tables[ConfusionTable]:
    """Return the confusion table of a few trusted labels, made more precise by many machine labels.

    By default, cases without a trusted label are post-stratified: they get the label distribution of the trusted cases
    with the same machine label and prediction. This is prediction-powered inference with the optimal weight for each
    stratum. The estimate is consistent for any quality of the machine labels; better labels give narrower intervals.

    With ``power`` or ``metric``, the estimator is the published one, with a single weight. The share of cell (true i,
    predicted j) is ``power`` times its share by machine labels among the untrusted cases, plus the mean over the
    trusted cases of ``[true = i, predicted = j] - power [made = i, predicted = j]``.

    Parameters
    ----------
    y_true : array-like of shape (n,) or str
        Trusted label of each case; None or nan if it is missing. The trusted cases must be a random sample of all
        cases.
    y_made : array-like of shape (n,) or str
        Machine label of every case: from a model or another cheap source.
    y_pred : array-like of shape (n,) or str
        Prediction of the evaluated classifier.
    data : frame, mapping, path or None
        A frame (pandas, Polars, Arrow …), a lazy frame or relation, a mapping of columns, or the path of a file. The
        arguments above then name its columns.
    labels : array-like of shape (K,), optional
        The classes, in order; by default all classes that occur.
    pos_label : object, optional
        Which of two classes is the positive one; the last in order by default.
    metric : str or Metric, optional
        Use the single weight that minimises the variance of this metric (PPI++).
    power : float, optional
        Use this single weight of the machine labels, from 0 (trusted cases alone) to 1 (the estimator of the first
        paper).
    counts : array-like of shape (n,) or str, optional
        Number of identical cases in each row, as in a table of frequencies; 1 by default.
    by : array-like of shape (n,), str, list of str, mapping or frame, optional
        One column, or several, to split by: one table for each value, or combination of values, from its own trusted
        cases.
    check : bool
        Whether to raise an error for implausible input; False skips these checks.

    Returns
    -------
    ConfusionTable or Tables
        Table with fractional counts that add up to the number of cases. With a single weight, negative counts are set
        to zero, and every estimate carries a note; so does one from fewer than 160 trusted labels. If ``by`` is given,
        the tables of the groups, with the table of all cases as ``overall``.

    Raises
    ------
    HowsureError
        If the columns differ in length, or ``power`` is not in [0, 1]. If fewer than two labels are trusted, or all of
        them (overall or in a group).

    Notes
    -----
    With 20 to 160 trusted labels, the intervals of the post-stratified table cover at least as well as those with a
    single weight, and are mostly narrower: see the page on few labels. `judged` makes the same table and also supports
    weights and clusters.

    References
    ----------
    Angelopoulos, Bates, Fannjiang, Jordan, Zrnic (2023), Science 382; Angelopoulos, Duchi, Zrnic (2023), PPI++.

    Examples
    --------
    >>> import howsure as hs
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.integers(0, 2, 2000)
    >>> made, predicted = (np.where(rng.random(2000) < 0.9, truth, 1 - truth) for _ in range(2))
    >>> trusted = [int(label) if case < 200 else None for case, label in enumerate(truth)]
    >>> table = hs.labels.prediction_powered(trusted, made, predicted)
    >>> alone = hs.confusion(truth[:200], predicted[:200])
    >>> print(hs.estimate(table, "accuracy"), hs.estimate(alone, "accuracy"))
    0.917 [0.878, 0.946] 0.930 [0.888, 0.960]
    """
    if power is not None and not (isinstance(power, int | float) and 0 <= power <= 1):
        raise HowsureError(f"`power` is {power!r}. Give a weight from 0 (trusted cases alone) to 1, or leave it out.")
    named = by_columns(by, data)
    asked = {"y_true": y_true, "y_made": y_made, "y_pred": y_pred} | roles(named)
    given = columns(data, asked, check=check, counts=counts)
    rows, axis = _positions(given, labels, pos_label, check=check)

    def table(some: Any) -> ConfusionTable:
        true, made, predicted = rows[:, some]
        _refuse_unusable(true)
        if power is None and metric is None:
            return post_stratified(true, made, predicted, axis, Tally.of_cases(true.size), alone=ALONE)
        trusted, other = _counted(rows[:, some], len(axis))
        weight = _best_power(metric, trusted, other, axis) if power is None else power  # type: ignore[arg-type]
        return _estimated(trusted, other, weight, axis)

    return groups_of(named, given, rows.shape[1]).each(table) if named else table(slice(None))


def _positions(
    given: Mapping[str, object], labels: ArrayLike | None, pos_label: object, *, check: bool
) -> tuple[Array, Array]:
    """Return the true (−1 if not trusted), machine and predicted class of each case, ``(3, n)``, and the classes."""
    coded = [coded_with_gaps(name, given[name]) for name in ("y_true", "y_made", "y_pred")]
    lengths = [len(codes) for _, codes in coded]
    if len(set(lengths)) > 1:
        raise HowsureError(
            "`y_true` has {}, `y_made` {} and `y_pred` {} cases. Give one of each per case.".format(*lengths)
        )
    for name, (_, codes) in zip(("y_made", "y_pred"), coded[1:], strict=True):
        refuse_gaps(name, codes, "y_true")
    if check and labels is None:
        refuse_marks(coded[0], coded[1], "y_true", "y_made")
    _refuse_unusable(coded[0][1])
    levels = [each for each, _ in coded]
    refuse_mixed(levels[0], levels[2], check=check)
    refuse_mixed(levels[1], levels[2], "y_made", check=check)
    first = as_labels([*levels[0].tolist(), *levels[1].tolist()])
    axis = class_labels(first, levels[2], labels, pos_label=pos_label, check=check)
    return np.stack([positions(level, codes, axis) for level, codes in coded]), axis


def _refuse_unusable(true: Array) -> None:
    """Refuse fewer than two trusted labels, and data in which all labels are trusted."""
    known = int((true >= 0).sum())
    if known < FEWEST or known == len(true):
        words = "All labels are trusted: use `confusion`." if known >= FEWEST else "Have two or more of them checked."
        raise HowsureError(f"`y_true` has {known} trusted labels of {len(true)} cases. {words}")


def _counted(rows: Array, size: int) -> tuple[Array, Array]:
    """Return counts of the trusted cases by (true, made, predicted), and of the others by (made, predicted)."""
    true, made, predicted = rows
    flat = np.bincount(((true + 1) * size + made) * size + predicted, minlength=(size + 1) * size * size)
    counts = flat.reshape(size + 1, size, size).astype(float)
    return counts[1:], counts[0]


def _estimated(trusted: Array, other: Array, power: float, axis: Array) -> ConfusionTable:
    """Return the table for a given weight of the machine labels."""
    centre = _powered(trusted, other, power)
    notes = [TRUNCATED] if (centre < -1e-9 * centre.sum()).any() else []
    if trusted.sum() < LEAST_TRUSTED:
        notes.append(FEW.format(int(trusted.sum()), LEAST_TRUSTED))
    design = Linearised(_samples(trusted, other, power), centre.ravel(), note="; ".join(notes))
    rows = round(float(trusted.sum() + other.sum()))
    return ConfusionTable(counts=np.maximum(centre, 0.0), labels=axis, design=design, rows=rows)


def _powered(trusted: Array, other: Array, power: float) -> Array:
    """Return the estimated counts of all cases by (true, predicted)."""
    total = trusted.sum() + other.sum()
    rectifier = (trusted.sum(1) - power * trusted.sum(0)) / trusted.sum()
    return np.asarray(total * (power * other / other.sum() + rectifier))


def _samples(trusted: Array, other: Array, power: float) -> tuple[Sample, Sample]:
    """Return the trusted and the other cases as samples, with their influence on the cells (true, predicted)."""
    from scipy import sparse

    size, total = len(other), trusted.sum() + other.sum()
    every = trusted.sum(0) + other
    wrong = (1 - np.eye(size))[:, :, None] * every
    varied = trusted + DISAGREEING * wrong / wrong.sum()
    filled = np.flatnonzero(varied)
    true, made, predicted = np.unravel_index(filled, trusted.shape)
    row, one = np.arange(len(filled)), np.ones(len(filled))
    shape = (len(filled), size * size)
    influence = sparse.csr_array((one, (row, true * size + predicted)), shape=shape) - power * sparse.csr_array(
        (one, (row, made * size + predicted)), shape=shape
    )
    counts = varied.ravel()[filled]
    return (
        Sample(counts, influence * (total / trusted.sum()), Weighted(counts)),
        Sample(other.ravel(), sparse.eye_array(size * size, format="csr") * (power * total / other.sum())),
    )


def _best_power(metric: str | Metric, trusted: Array, other: Array, axis: Array) -> float:
    """Return the weight that minimises the variance of the metric, linearised by its gradient (PPI++)."""
    pilot = (np.maximum(_powered(trusted, other, 1.0), 0.0) + _powered(trusted, other, 0.0)) / 2
    bound = resolve(metric, ConfusionTable(counts=pilot, labels=axis))
    gradient = bound.finite_gradient(ConfusionCounts(pilot))
    shares = trusted / trusted.sum()
    scores, stand_ins = gradient[:, None, :], gradient[None, :, :]
    together = (shares * scores * stand_ins).sum() - (shares * scores).sum() * (shares * stand_ins).sum()
    every = trusted.sum(0) + other
    every = every / every.sum()
    square = (every * gradient**2).sum()
    variance = square - (every * gradient).sum() ** 2
    if not variance > RELATIVE_TOLERANCE * square:
        return 0.0
    return float(np.clip(together / (variance * (1 + trusted.sum() / other.sum())), 0, 1))
