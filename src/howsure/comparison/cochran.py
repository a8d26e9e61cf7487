"""Cochran's Q: whether several models are right equally often on the same cases."""

from __future__ import annotations

from dataclasses import dataclass

from howsure.comparison.mcnemar import rights
from howsure.estimates.grouped import apply_by_group
from howsure.grids import OneRecord
from howsure.numbers import p_text
from howsure.tables.joint import paired_table
from howsure.tables.table import Table


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class CochransQ(OneRecord):
    """Cochran's test that several models are right equally often on the same cases.

    Parameters
    ----------
    statistic : float
        Q, which is χ² if they are.
    degrees_of_freedom : int
        One less than the models.
    p_value : float
        Probability of a statistic at least as large.

    Examples
    --------
    >>> import howsure as hs
    >>> table = hs.paired([1, 1, 0, 0, 1], {"A": [1, 1, 0, 1, 1], "B": [1, 0, 0, 1, 0], "C": [1, 1, 0, 0, 1]})
    >>> hs.cochrans_q(table).degrees_of_freedom
    2
    """

    statistic: float
    degrees_of_freedom: int
    p_value: float

    def __str__(self) -> str:
        return f"Cochran's Q = {self.statistic:.3f}, {self.degrees_of_freedom} d.f.; {p_text(self.p_value)}"


@apply_by_group
def cochrans_q(table: Table) -> CochransQ:
    """Test whether several models are right equally often on the same cases.

    Parameters
    ----------
    table : Table or Tables
        A table from `paired`, with independent cases, also by group.

    Returns
    -------
    CochransQ
        For `Tables`, a `Grouped` of them.

    Raises
    ------
    HowsureError
        If the table is not paired, or its cases have weights or clusters.

    Notes
    -----
    ``Q = (k − 1)(k Σ C² − N²) / (k N − Σ R²)``. Here C is the number of right answers of each of k models, R that of
    each case and N the total. Q is compared with χ² with k − 1 degrees of freedom. For two models the test equals
    McNemar's asymptotic test.

    References
    ----------
    Cochran (1950), Biometrika 37.

    Examples
    --------
    >>> import howsure as hs
    >>> said = {"A": [1] * 26 + [0] * 4, "B": [1] * 14 + [0] * 16, "C": [1] * 20 + [0] * 10}
    >>> print(hs.cochrans_q(hs.paired([1] * 30, said, labels=[0, 1])))
    Cochran's Q = 18.000, 2 d.f.; p < 0.001
    """
    models = paired_table(table, "cochrans_q")
    right = rights(models, "Cochran's Q", models.models)
    k, cases = len(right), models.counts.ravel()
    of_models, of_cases = (right * cases).sum(-1), right.sum(0)
    total = float(of_models.sum())
    between, within = k * float((of_models**2).sum()) - total**2, k * total - float((cases * of_cases**2).sum())
    statistic = (k - 1) * between / within if within > 0 else 0.0  # otherwise the models never differ
    from scipy import special

    return CochransQ(
        statistic=statistic, degrees_of_freedom=k - 1, p_value=float(special.chdtrc(k - 1, max(statistic, 0.0)))
    )
