"""Confusion matrices: complete for few classes, otherwise the classes with most confusions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from howsure.arrays import Array
from howsure.methods.proportions.proportion import row_shares
from howsure.numbers import count_text, interval_text
from howsure.report.content import Cell, Section, Sheet, count, share_cell, word
from howsure.report.evidence import Part, Settings
from howsure.tables.confusion import ConfusionTable

Shares = Sequence[tuple[Any, Any, Any]]  # value, low and high at each level
MOST_CLASSES = 10  # of a matrix that is shown completely
MOST_OPEN = 6  # of a matrix whose cells show the intervals
MOST_FOLDED = 100  # of a complete matrix in a folded block
MOST_CONFUSIONS = 10  # listed
CORNER = "true\N{NO-BREAK SPACE}↓ predicted\N{NO-BREAK SPACE}→"
OTHERS = "{} others"


def matrices(models: Sequence[Part], settings: Settings) -> Section:
    """Return the confusion matrix of each model with intervals; for many classes, of those with most confusions."""
    whole, sheets = [], []
    for each in models:
        table = each.matrix
        if table is None:
            continue
        title = each.model or f"{each.cases_noun} by true and predicted class"
        suffix = f", {each.model}" if each.model else ""
        shares = [row_shares(table, level) for level in settings.levels]
        if len(table.labels) <= MOST_CLASSES:
            whole.append(_matrix(table, shares, title))
        else:
            whole.append(_cut(table, title))
        if not table.is_binary:  # two classes have only one confusion in each direction
            sheets.append(_confusions(table, shares, suffix))
        if MOST_CLASSES < len(table.labels) <= MOST_FOLDED:
            sheets.append(_full(table, suffix))
    nouns = " or ".join(sorted({each.cases_noun for each in models}))
    if any(len(each.any_table.labels) > MOST_CLASSES for each in models):
        what = f"; the {MOST_CLASSES} classes with most confusions, those often confused side by side."
    else:
        hidden = max(len(each.any_table.labels) for each in models) > MOST_OPEN
        shown = ", which the pointer shows" if hidden else ""
        what = f", and their share of the true class with Wilson’s interval{shown}."
    note = f"Each cell has the number of {nouns}{what}"
    return Section("Confusion matrix", ((note,),), sheets=tuple(sheets), matrices=tuple(whole))


def _matrix(table: ConfusionTable, shares: Shares, title: str) -> Sheet:
    labels = [str(label) for label in table.labels]
    rows = []
    for i, label in enumerate(labels):
        cells = []
        for j in range(len(labels)):
            share = float(shares[0][0][i, j])
            limits = [(float(low[i, j]), float(high[i, j])) for _, low, high in shares]
            texts = tuple(f"{_percent(share)} {interval_text(100 * low, 100 * high, 1)}" for low, high in limits)
            cases = count_text(table.counts[i, j])
            tip = f"true {label}, predicted {labels[j]}: {cases} cases"
            shade = None if np.isnan(share) else share
            cells.append(Cell(texts, cases, float(table.counts[i, j]), shade=shade, tip=tip))
        rows.append((word(label), *cells))
    return Sheet(title, (CORNER, *labels), tuple(rows))


def _percent(share: float) -> str:
    return "–" if np.isnan(share) else f"{100 * share:.1f} %"


def _cut(table: ConfusionTable, title: str) -> Sheet:
    """Return the matrix of the classes with most confusions, with all others in a last row and column."""
    chosen = confused(table.counts, MOST_CLASSES)
    others = np.setdiff1d(np.arange(len(table.labels)), chosen)
    groups = [*chosen[:, None], others]
    small = np.array([[table.counts[np.ix_(row, column)].sum() for column in groups] for row in groups])
    labels = [*(str(table.labels[place]) for place in chosen), OTHERS.format(len(others))]
    sheet = _counted(small, labels, title)
    # The diagonal cell of the other classes also contains confusions.
    last = (*sheet.rows[-1][:-1], Cell(value=count_text(small[-1, -1]), order=float(small[-1, -1])))
    return Sheet(title, sheet.headers, (*sheet.rows[:-1], last))


def _full(table: ConfusionTable, suffix: str) -> Sheet:
    sheet = _counted(table.counts, [str(label) for label in table.labels], f"Every class{suffix}")
    return Sheet(sheet.title, sheet.headers, sheet.rows, folded=True)


def _counted(counts: Array, labels: Sequence[str], title: str) -> Sheet:
    """Return a matrix of counts; cells without cases are empty."""
    totals = counts.sum(axis=1, keepdims=True)
    shares = counts / np.where(totals > 0, totals, 1)
    rows = (
        (word(label), *(_cell(case, share) for case, share in zip(cases, own, strict=True)))
        for label, cases, own in zip(labels, counts.tolist(), shares.tolist(), strict=True)
    )
    return Sheet(title, (CORNER, *labels), tuple(rows))


def _cell(cases: float, share: float) -> Cell:
    return Cell(value=count_text(cases), order=cases, shade=share) if cases else Cell(order=0.0)


def confused(counts: Array, size: int) -> Array:
    """Return the ``size`` classes with most confusions, ordered so that often confused classes are adjacent.

    Parameters
    ----------
    counts : ndarray of shape (K, K)
        True class by predicted class.
    size : int
        Number of classes.

    Examples
    --------
    >>> import numpy as np
    >>> counts = np.diag([9, 9, 9, 9])
    >>> counts[0, 3], counts[2, 0] = 5, 2
    >>> confused(counts, 3).tolist()
    [3, 0, 2]
    """
    errors = counts + counts.T
    errors = errors - np.diag(np.diag(errors))
    left = np.argsort(-errors.sum(axis=0), kind="stable")[:size].tolist()
    chain = [left.pop(0)]
    while left:
        # Append the class that is confused most with either end of the chain, at that end.
        ends = errors[np.ix_([chain[0], chain[-1]], left)]
        end, place = divmod(int(ends.argmax()), len(left))
        chain.insert(len(chain) if end else 0, left.pop(place))
    return np.array(chain)


def _confusions(table: ConfusionTable, shares: Shares, suffix: str) -> Sheet:
    off = table.counts.copy()
    np.fill_diagonal(off, 0)
    largest = np.argsort(-off, axis=None, kind="stable")[:MOST_CONFUSIONS]
    rows = []
    for i, j in (divmod(int(flat), len(off)) for flat in largest):
        if off[i, j] > 0:
            limits = [(float(low[i, j]), float(high[i, j])) for _, low, high in shares]
            share = share_cell(float(shares[0][0][i, j]), limits)
            rows.append((word(table.labels[i]), word(table.labels[j]), count(off[i, j]), share))
    headers = ("true class", "predicted as", "cases", "share of the true class")
    return Sheet(f"Most frequent confusions{suffix}", headers, tuple(rows))
