"""Many competitors at once: rank probabilities and expected rewards.

Everything here starts from draws: one array a competitor, all of the same length, drawn jointly where the
competitors were tested on the same cases (so that draw d of each comes from the same table).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from howsure.errors import HowsureError
from howsure.estimates.evaluation import Estimate, checked_level
from howsure.grids import Grid, to_frame
from howsure.metrics.metric import Better

Array = NDArray[Any]
Drawn = Mapping[str, ArrayLike | Estimate]
DECIMALS = 3


@dataclass(frozen=True, eq=False)
class Ranks:
    """How likely each competitor is to have each rank; rank 1 is the best.

    Parameters
    ----------
    names
        The competitors.
    probabilities
        ``(competitors, ranks)``: rows and columns sum to 1. Competitors that tie on a draw share its ranks evenly.
    draws
        Number of draws on which all competitors are defined.
    """

    names: tuple[str, ...]
    probabilities: Array
    draws: int

    def __getitem__(self, name: str) -> dict[int, float]:
        return dict(enumerate(self.probabilities[self._position(name)].tolist(), start=1))

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def errors(self) -> Array:
        """Monte Carlo standard error of each probability; never 0, even where all draws agree."""
        smoothed = (self.probabilities * self.draws + 1) / (self.draws + 2)
        return np.asarray(np.sqrt(smoothed * (1 - smoothed) / self.draws))

    @property
    def best(self) -> dict[str, float]:
        """Probability that each competitor is the best."""
        return dict(zip(self.names, self.probabilities[:, 0].tolist(), strict=True))

    @property
    def expected(self) -> dict[str, float]:
        """Expected rank of each competitor."""
        return self._weighted(np.arange(1, len(self) + 1))

    def expected_rewards(self, rewards: Sequence[float]) -> dict[str, float]:
        """Return the expected reward of each competitor, where rank r earns ``rewards[r - 1]`` and the rest nothing.

        Those who tie share their prizes. The standard error over the draws is at most half the largest difference
        of two rewards over the root of the number of draws.

        Raises
        ------
        HowsureError
            If there are more rewards than competitors, or one is not a number.

        Examples
        --------
        >>> ranks({"A": [0.9, 0.8, 0.7], "B": [0.8, 0.8, 0.9]}).expected_rewards([100])
        {'A': 50.0, 'B': 50.0}
        """
        prizes = np.asarray(rewards, dtype=float)
        if prizes.ndim != 1 or len(prizes) > len(self) or not np.isfinite(prizes).all():
            message = f"`rewards` is one number for each of at most {len(self)} ranks, the best first."
            raise HowsureError(message)
        return self._weighted(np.pad(prizes, (0, len(self) - len(prizes))))

    def likely(self, level: float = 0.95) -> dict[str, tuple[int, int]]:
        """Return the shortest range of ranks that holds each competitor's with at least this probability."""
        level = checked_level(level)
        ranges = {}
        for name, row in zip(self.names, self.probabilities, strict=True):
            total = np.concatenate([[0.0], np.cumsum(row)])
            first = np.arange(len(row))
            last = np.searchsorted(total, total[:-1] + level - 1e-12)  # ranks first + 1 … last hold the level
            width = np.where(last <= len(row), last - first, np.inf)
            start = int(np.argmin(width))
            ranges[name] = (start + 1, int(last[start]))
        return ranges

    def to_dict(self) -> dict[str, dict[int, float]]:
        """Return rank → probability by competitor."""
        return {name: self[name] for name in self.names}

    def records(self) -> list[dict[str, Any]]:
        """Return one flat record a competitor and rank."""
        return [
            {"name": name, "rank": rank, "probability": probability, "error": float(error)}
            for name, row, errors in zip(self.names, self.probabilities.tolist(), self.errors, strict=True)
            for rank, (probability, error) in enumerate(zip(row, errors, strict=True), start=1)
        ]

    def to_pandas(self) -> Any:
        """Return a pandas frame, one row a competitor and rank."""
        return to_frame(self.records(), "pandas")

    def to_polars(self) -> Any:
        """Return a Polars frame, one row a competitor and rank."""
        return to_frame(self.records(), "polars")

    def grid(self) -> Grid:
        """Return a table of strings: competitors down, ranks across."""
        headers = ("", *(f"rank {rank}" for rank in range(1, len(self) + 1)))
        rows = [
            (name, *(f"{value:.{DECIMALS}f}" for value in row))
            for name, row in zip(self.names, self.probabilities, strict=True)
        ]
        return Grid(headers, tuple(rows), f"{self.draws:,} draws")

    def to_markdown(self) -> str:
        """Return a Markdown table."""
        return self.grid().markdown()

    def __str__(self) -> str:
        return self.grid().text()

    def _repr_html_(self) -> str:
        return self.grid().html()

    def _weighted(self, values: Array) -> dict[str, float]:
        return dict(zip(self.names, (self.probabilities @ values).tolist(), strict=True))

    def _position(self, name: str) -> int:
        if name not in self.names:
            what = "competitor"
            raise HowsureError.unknown(what, name, self.names)
        return self.names.index(name)


def ranks(draws: Drawn, *, better: Better = "higher") -> Ranks:
    """Return how likely each competitor is to have each rank.

    Parameters
    ----------
    draws
        Name → draws of the metric, or an estimate that holds some.
    better
        Whether ``"higher"`` or ``"lower"`` values win.

    Returns
    -------
    Ranks

    Raises
    ------
    HowsureError
        If there are fewer than two competitors, or their draws differ in number.

    Notes
    -----
    Draws on which a competitor is undefined are left out for all.

    References
    ----------
    Tötsch, Hoffmann (2021), PeerJ Computer Science 7.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> found = ranks({"A": rng.normal(0.90, 0.02, 10_000), "B": rng.normal(0.88, 0.02, 10_000)})
    >>> round(found.best["A"], 1), found.likely(0.9)["A"]
    (0.8, (1, 2))
    """
    names, values = joint(draws)
    values = values[:, np.isfinite(values).all(0)]
    if not values.shape[1]:
        message = "No draw has every competitor defined, so there is nothing to rank."
        raise HowsureError(message)
    if better == "higher":
        values = -values
    size, number = values.shape
    order = np.argsort(values, axis=0)
    ordered = np.take_along_axis(values, order, 0)
    # Ties on a draw form runs in its order; each member has an equal share of each rank of its run.
    fresh = np.concatenate([np.ones((1, number), dtype=bool), ordered[1:] != ordered[:-1]])
    run = np.cumsum(fresh, 0) + size * np.arange(number)
    lengths = np.bincount(run.ravel())
    share = 1 / lengths[run]
    total = np.zeros(size * size)
    for step in range(int(lengths.max())):
        here, there = slice(0, size - step), slice(step, size)
        same = run[here] == run[there]
        low, high = np.nonzero(same)[0], np.nonzero(same)[0] + step
        weight = share[here][same]
        total += np.bincount(order[here][same] * size + high, weight, size * size)
        if step:
            total += np.bincount(order[there][same] * size + low, weight, size * size)
    return Ranks(names, total.reshape(size, size) / number, number)


def joint(draws: Drawn) -> tuple[tuple[str, ...], Array]:
    """Return the competitors' names and their draws, ``(competitors, draws)``."""
    arrays = {}
    for name, each in draws.items():
        values = each.draws if isinstance(each, Estimate) else each
        if values is None:
            message = f"The estimate of '{name}' holds no draws: make it with method='bayes' or a bootstrap."
            raise HowsureError(message)
        arrays[str(name)] = np.asarray(values, dtype=float)
    if len(arrays) < 2:  # noqa: PLR2004 - a comparison
        message = "Ranks and differences need at least two competitors."
        raise HowsureError(message)
    lengths = {name: len(values) for name, values in arrays.items()}
    if len(set(lengths.values())) > 1:
        shown = ", ".join(f"'{name}' has {length}" for name, length in lengths.items())
        message = f"The competitors differ in their number of draws: {shown}."
        raise HowsureError(message)
    return tuple(arrays), np.stack(list(arrays.values()))
