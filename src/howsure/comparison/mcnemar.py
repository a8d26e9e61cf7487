"""McNemar's test: whether two models are right equally often on the same cases."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from howsure.arrays import Booleans
from howsure.errors import HowsureError, one_of
from howsure.estimates.grouped import apply_by_group
from howsure.grids import OneRecord
from howsure.numbers import p_text
from howsure.tables.joint import JointTable, paired_table
from howsure.tables.table import Table


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class McNemar(OneRecord):
    """McNemar's test that two models are right equally often on the same cases.

    Parameters
    ----------
    only_first, only_second : int
        Cases that one model alone gets right.
    statistic : float
        The smaller of them (exact tests), or χ² with one degree of freedom.
    p_value : float
        Two-sided.
    method : str
        Which of the tests it is.

    Examples
    --------
    >>> import howsure as hs
    >>> table = hs.paired([1, 1, 0, 0, 1], {"A": [1, 1, 0, 1, 1], "B": [1, 0, 0, 1, 0]})
    >>> hs.mcnemar(table).only_first
    2
    """

    only_first: int
    only_second: int
    statistic: float
    p_value: float
    method: str

    def __str__(self) -> str:
        return (
            f"McNemar ({self.method}): only the first is right {self.only_first} times, only the second "
            f"{self.only_second} times; {p_text(self.p_value)}"
        )


def _exact(first: int, second: int) -> tuple[float, float]:
    from scipy import special

    fewer = min(first, second)
    return float(fewer), min(1.0, 2 * float(special.bdtr(fewer, first + second, 0.5)))


def _mid_p(first: int, second: int) -> tuple[float, float]:
    from scipy import special

    fewer, p = _exact(first, second)
    n = first + second
    point = np.exp(special.gammaln(n + 1) - special.gammaln(first + 1) - special.gammaln(second + 1) - n * np.log(2))
    return fewer, 1.0 if first == second else p - float(point)


def _asymptotic(first: int, second: int, correction: float = 0.0) -> tuple[float, float]:
    from scipy import special

    if first + second == 0:
        return 0.0, 1.0
    statistic = max(abs(first - second) - correction, 0.0) ** 2 / (first + second)
    return statistic, float(special.chdtrc(1, statistic))


def _corrected(first: int, second: int) -> tuple[float, float]:
    return _asymptotic(first, second, 1.0)


TESTS: dict[str, Callable[[int, int], tuple[float, float]]] = {
    "exact": _exact,
    "mid_p": _mid_p,
    "asymptotic": _asymptotic,
    "corrected": _corrected,
}


def rights(models: JointTable, test: str, names: Sequence[str]) -> Booleans:
    """Return whether each of some models is right on each joint cell, ``(models, cells)``.

    Parameters
    ----------
    models : PairedTable
        A table of independent cases.
    test : str
        Name of the test, for the message.
    names : sequence of str
        The models.

    Raises
    ------
    HowsureError
        If the models return scores, or the cases are not independent.
    """
    if models.data_kinds != ("predictions",) or not models.design.traits.is_independent:
        raise HowsureError(
            f"{test} is for labels of independent, unweighted cases. Use `compare_all(table, 'accuracy')`."
        )
    diagonal = np.eye(len(models.labels))
    return np.stack([models.view(name).pulled_back(diagonal, models.counts.size) > 0 for name in names])


@apply_by_group
def mcnemar(table: Table, *, a: str | None = None, b: str | None = None, method: str = "mid_p") -> McNemar:
    """Test whether two models are right equally often on the same cases.

    Parameters
    ----------
    table : Table or Tables
        A table from `paired`, with independent cases, also by group.
    a, b : str, optional
        Names of the two models, needed if there are more than two.
    method : {"exact", "mid_p", "asymptotic", "corrected"}
        ``"exact"`` (conditional binomial test), ``"mid_p"`` (the same with half the probability of the observed count),
        ``"asymptotic"`` (χ²) or ``"corrected"`` (χ² with continuity correction).

    Returns
    -------
    McNemar
        For `Tables`, a `Grouped` of them.

    Raises
    ------
    HowsureError
        If the table is not paired, its cases have weights or clusters, a name is unknown, or there are more than two
        models and none is named.

    Notes
    -----
    Only discordant pairs count: b cases that only the first model gets right, and c that only the second gets right.
    The exact test doubles the binomial tail of ``min(b, c)`` in ``b + c`` trials. The asymptotic test compares
    ``(b − c)²/(b + c)`` with χ². The exact test rejects too rarely, and the corrected one even more so; mid-p is the
    usual compromise.

    References
    ----------
    McNemar (1947), Psychometrika 12; Fagerland, Lydersen, Laake (2013), BMC Medical Research Methodology 13:91.

    Examples
    --------
    >>> import howsure as hs
    >>> table = hs.paired([1] * 30, {"A": [1] * 26 + [0] * 4, "B": [1] * 14 + [0] * 16}, labels=[0, 1])
    >>> print(hs.mcnemar(table))
    McNemar (mid_p): only the first is right 12 times, only the second 0 times; p < 0.001
    """
    one_of("test of McNemar's", method, TESTS)
    models = paired_table(table, "mcnemar")
    names = models.chosen(a, b)
    first, second = rights(models, "McNemar's test", names)
    only_first, only_second = (round(float(models.counts[alone].sum())) for alone in (first & ~second, second & ~first))
    statistic, p_value = TESTS[method](only_first, only_second)
    return McNemar(only_first=only_first, only_second=only_second, statistic=statistic, p_value=p_value, method=method)
