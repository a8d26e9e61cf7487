"""Whether a model is right more often than one that always names the largest class."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from howsure.estimates.grouped import apply_by_group
from howsure.grids import OneRecord
from howsure.methods.core.standard_errors import effective_counts
from howsure.methods.default import checked
from howsure.methods.proportions.proportion import ClopperPearson
from howsure.metrics.binding import resolve
from howsure.numbers import number, p_text
from howsure.tables.table import Table, require_table

CALL = "Call `no_information_test(table)`, with a table from `confusion` or `from_counts`."
LEVEL = 0.95  # at which clusters enter with their effective number


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class NoInformation(OneRecord):
    """A one-sided test of accuracy against the no-information rate.

    Parameters
    ----------
    accuracy : float
        Share of right predictions.
    no_information_rate : float
        Share of the largest class: the accuracy of always naming it.
    largest_class : str
        That class.
    p_value : float
        Probability of so many right predictions or more, if the accuracy were the no-information rate.

    Examples
    --------
    >>> import howsure as hs
    >>> hs.comparison.no_information_test(hs.from_counts([[50, 3], [5, 42]])).no_information_rate
    0.53
    """

    accuracy: float
    no_information_rate: float
    largest_class: str
    p_value: float

    def __str__(self) -> str:
        rate = f"the share of class '{self.largest_class}', {number(self.no_information_rate, 3)}"
        return f"accuracy {number(self.accuracy, 3)} against {rate}: one-sided {p_text(self.p_value)}"


@apply_by_group
def no_information_test(table: Table) -> NoInformation:
    """Test whether the accuracy is above the no-information rate, the proportion of the largest class.

    Parameters
    ----------
    table : Table or Tables
        A table of true and predicted classes, also by group. Weighted and clustered cases are counted by their
        effective number.

    Returns
    -------
    NoInformation
        For `Tables`, a `Grouped` of them.

    Raises
    ------
    HowsureError
        If the table holds no counted predictions of one model.

    Notes
    -----
    This is the exact binomial test that R's caret prints as ``P-Value [Acc > NIR]``. The proportion of the largest
    class is treated as known, although it is estimated from the same cases.

    References
    ----------
    Kuhn (2008), Journal of Statistical Software 28(5).

    Examples
    --------
    >>> import howsure as hs
    >>> print(hs.comparison.no_information_test(hs.from_counts([[50, 3], [5, 42]])))
    accuracy 0.920 against the share of class '0', 0.530: one-sided p < 0.001
    """
    metric = resolve("accuracy", require_table(Table, table, CALL))
    checked(ClopperPearson(), metric, table)
    share = metric.proportion
    assert share is not None  # noqa: S101 - it suits
    right, trials = (float(each) for each in effective_counts(share, table, LEVEL))
    totals = table.counts.sum(-1)
    largest = int(np.argmax(totals))
    rate = float(totals[largest] / totals.sum())
    from scipy import special

    p_value = special.betainc(right, trials - right + 1, rate) if right > 0 else 1.0
    return NoInformation(
        accuracy=float(metric(table.counted)),
        no_information_rate=rate,
        largest_class=str(table.labels[largest]),
        p_value=float(p_value),
    )
