"""Draws of tables from a posterior, a prior, the sampling distribution or a stated truth."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, Literal, TypedDict, Unpack, overload

import numpy as np
from numpy.typing import ArrayLike

from howsure.arrays import Array, Floats, Seed
from howsure.errors import HowsureError, one_of, whole_number
from howsure.methods.core.draws import MOST_DRAWS, Draw, drawn_blocks, group_seed, seed_sequence
from howsure.methods.drawn.bootstrap import Bootstrap
from howsure.methods.drawn.dirichlet import Dirichlet, Prior
from howsure.tables.batch import Tables
from howsure.tables.protocols import block_size
from howsure.tables.table import Table

Source = Literal["posterior", "prior", "random", "sampling", "truth"]
SOURCES = ("posterior", "prior", "random", "sampling", "truth")
OF_PROBABILITIES = ("posterior", "prior", "random")


class _Keywords(TypedDict, total=False):
    """Keyword arguments that do not decide the type of the result."""

    source: Source
    prior: Prior | None
    prevalence: ArrayLike | None
    prevalence_prior: Prior | None
    cases: int | None
    random_state: Seed


@overload
def draw_tables(table: Tables[Any], n: int = ..., **keywords: Unpack[_Keywords]) -> dict[Hashable, Floats]: ...


@overload
def draw_tables(table: Table, n: int = ..., **keywords: Unpack[_Keywords]) -> Floats: ...


def draw_tables(
    table: Table | Tables[Any],
    n: int = 1000,
    *,
    source: Source = "posterior",
    prior: Prior | None = None,
    prevalence: ArrayLike | None = None,
    prevalence_prior: Prior | None = None,
    cases: int | None = None,
    random_state: Any = None,
) -> Floats | dict[Hashable, Floats]:
    """Draw synthetic tables, such as confusion matrices that are as plausible as the observed one.

    Parameters
    ----------
    table : Table or Tables
        A table from `confusion`, `from_counts`, `scores`, `paired` or another source; with ``by=`` one per group.
    n : int
        Number of tables to draw.
    source : {"posterior", "prior", "random", "sampling", "truth"}
        Distribution of the draws. ``"posterior"``: cell probabilities given the data and the prior; ``"prior"``: given
        the prior alone; ``"random"``: those of a classifier that predicts at random. ``"sampling"``: repetitions of
        the study with the table's design, as in the bootstrap. ``"truth"``: cases drawn with the observed proportions
        as the true cell probabilities.
    prior : float, str or array-like of shape (K, K), optional
        Pseudo-counts of each cell, or a name, as in `Dirichlet`.
    prevalence : array-like of shape (K,), optional
        The prevalence of another population, as in `Dirichlet`.
    prevalence_prior : float, str or array-like of shape (K,), optional
        Pseudo-counts of each true class, as in `Dirichlet`.
    cases : int, optional
        Draw integer counts of this many cases. For the posterior these are predictions for a new test set (posterior
        predictive draws). The default for ``"truth"`` is the table's own number.
    random_state : seed, optional
        An int, a `numpy.random.Generator` or a `numpy.random.SeedSequence`. The draws do not depend on the number of
        threads, and each group's table has its own stream.

    Returns
    -------
    ndarray of shape (n, ...) or dict
        Draws of ``"posterior"``, ``"prior"`` and ``"random"`` without ``cases`` are probabilities, which sum to 1
        over each table; all other draws are counts. The shape is (n, K, K) for a confusion table. For groups, a dict
        of arrays by key.

    Raises
    ------
    HowsureError
        If an argument is not valid, or the table has no such draws.

    Notes
    -----
    If ``prior`` and ``prevalence_prior`` are given, the posterior is the product of a Dirichlet distribution of the
    prevalence and one of the predictions within each true class. Metrics do not change when a table is multiplied by a
    constant, so they can be computed from draws of probabilities as well as from counts.

    References
    ----------
    Caelen (2017), Annals of Mathematics and Artificial Intelligence 81; Tötsch, Hoffmann (2021), PeerJ Computer
    Science 7.

    Examples
    --------
    >>> import howsure as hs
    >>> table = hs.from_counts([[50, 3], [5, 42]])
    >>> drawn = hs.methods.draw_tables(table, 2000, random_state=0)
    >>> drawn.shape, drawn[:2].sum((1, 2)).round(9).tolist()
    ((2000, 2, 2), [1.0, 1.0])
    >>> hs.methods.draw_tables(table, 2, source="truth", cases=20, random_state=0).sum((1, 2)).tolist()
    [20.0, 20.0]
    """
    one_of("source of draws", source, SOURCES)
    if not hasattr(getattr(table, "overall", table), "design"):
        raise HowsureError(
            f"`draw_tables` takes a table, as `confusion` and `from_counts` make it, not {type(table).__name__}."
        )
    size, number = whole_number("n", n, most=MOST_DRAWS), None if cases is None else whole_number("cases", cases)
    method = None
    if source in OF_PROBABILITIES:
        method = Dirichlet(prior, prevalence_prior, prevalence, source=source)  # type: ignore[arg-type]  # one of these
    elif not (prior is None and prevalence is None and prevalence_prior is None):
        raise HowsureError(f"`prior` and `prevalence` are for draws of a posterior, not for source='{source}'.")
    if not isinstance(table, Tables):
        return _drawn(table, size, source, method, number, seed_sequence(random_state))
    seed = seed_sequence(random_state)
    return {key: _drawn(each, size, source, method, number, group_seed(seed, key)) for key, each in table.items()}


def _drawn(
    table: Table, n: int, source: str, method: Dirichlet | None, cases: int | None, seed: np.random.SeedSequence
) -> Array:
    if cases is not None and source == "sampling":
        raise HowsureError(
            "`cases` is for tables of cases drawn anew: source='sampling' repeats the study as it was. Drop it."
        )
    if (cases is not None or source == "truth") and not table.kind.has_one_cell_per_case:
        raise HowsureError(
            f"Whole cases are drawn where each falls in one cell: this is a {table.kind.noun}. Use source='sampling'."
        )
    draw = _drawer(table, source, method, cases)
    drawn = np.empty((n, table.cells.shape[-1]))

    def fill(rows: slice, stream: np.random.Generator) -> None:
        drawn[rows] = draw(rows.stop - rows.start, stream)

    drawn_blocks(fill, n, block_size(table), seed)
    return drawn.reshape(n, *table.shape)


def _drawer(table: Table, source: str, method: Dirichlet | None, cases: int | None) -> Draw:
    """Return the function that draws tables, ``(size, generator)`` → ndarray of shape (size, cells)."""
    if source == "sampling":
        return Bootstrap().drawer(table)
    if method is None:
        shares, number = table.cells / table.cells.sum(), int(table.rows) if cases is None else cases
        return lambda size, stream: stream.multinomial(number, shares, size).astype(float)
    if refusal := method.fits(table):
        raise HowsureError(refusal)
    posterior = method.drawer(table)

    def probabilities(size: int, stream: np.random.Generator) -> Array:
        found = posterior(size, stream)
        shares = found / found.sum(-1, keepdims=True)
        return shares if cases is None else stream.multinomial(cases, shares).astype(float)

    return probabilities
