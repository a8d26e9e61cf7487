"""Many models at once: rank probabilities and expected rewards.

Everything here starts from draws: one array per model, all of the same length, drawn jointly where the
models were tested on the same cases (so that draw d of each comes from the same table).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from howsure.errors import HowsureError, UnknownKeyError, checked_level
from howsure.estimates.drawn import Drawn
from howsure.grids import Grid, Tabular
from howsure.metrics.metric import Better

Array = NDArray[Any]
JointDraws = Mapping[str, ArrayLike | Drawn]
DECIMALS = 3


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Ranks(Tabular, Mapping[str, dict[int, float]]):
    """How likely each model is to have each rank; rank 1 is the best.

    A mapping of names to probabilities by rank: ``ranks["A"][1]``.

    Parameters
    ----------
    names : tuple of str
        The models.
    probabilities : ndarray of shape (n_models, n_models)
        Models × ranks: rows and columns sum to 1. Models that tie on a draw share its ranks evenly.
    draws : int
        Number of draws on which all models are defined.
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
        """Probability that each model is the best."""
        return dict(zip(self.names, self.probabilities[:, 0].tolist(), strict=True))

    @property
    def expected(self) -> dict[str, float]:
        """Expected rank of each model."""
        return self._weighted(np.arange(1, len(self) + 1))

    def expected_rewards(self, rewards: Sequence[float]) -> dict[str, float]:
        """Return the expected reward of each model, where rank r earns ``rewards[r - 1]`` and the rest nothing.

        Those who tie share their prizes. The standard error over the draws is at most half the largest difference
        of two rewards over the root of the number of draws.

        Raises
        ------
        HowsureError
            If there are more rewards than models, or one is not a number.

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
        """Return the shortest range of ranks that holds each model's with at least this probability."""
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
        """Return rank → probability by model."""
        return {name: self[name] for name in self.names}

    def records(self) -> list[dict[str, Any]]:
        """Return one flat dict per model and rank."""
        return [
            {"name": name, "rank": rank, "probability": probability, "error": float(error)}
            for name, row, errors in zip(self.names, self.probabilities.tolist(), self.errors, strict=True)
            for rank, (probability, error) in enumerate(zip(row, errors, strict=True), start=1)
        ]

    def grid(self) -> Grid:
        """Return a table of strings: models down, ranks across."""
        headers = ("", *(f"rank {rank}" for rank in range(1, len(self) + 1)))
        rows = [
            (name, *(f"{value:.{DECIMALS}f}" for value in row))
            for name, row in zip(self.names, self.probabilities, strict=True)
        ]
        return Grid(headers, tuple(rows), f"{self.draws:,} draws")

    def _weighted(self, values: Array) -> dict[str, float]:
        return dict(zip(self.names, (self.probabilities @ values).tolist(), strict=True))

    def _position(self, name: str) -> int:
        if name not in self.names:
            what = "model"
            raise UnknownKeyError.unknown(what, str(name), self.names)
        return self.names.index(name)


def ranks(draws: JointDraws, *, better: Better = "higher") -> Ranks:
    """Return how likely each model is to have each rank.

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
        If there are fewer than two models, or their draws differ in number.

    Notes
    -----
    Draws on which a model is undefined are left out for all.

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
        message = "No draw has every model defined, so there is nothing to rank."
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
    return Ranks(names=names, probabilities=total.reshape(size, size) / number, draws=number)


def joint(draws: JointDraws) -> tuple[tuple[str, ...], Array]:
    """Return the models' names and their draws, ``(models, draws)``."""
    arrays = {}
    for name, each in draws.items():
        values = each.draws if isinstance(each, Drawn) else each
        if values is None:
            message = f"The estimate of '{name}' holds no draws: make it with method='bayes' or a bootstrap."
            raise HowsureError(message)
        arrays[str(name)] = np.asarray(values, dtype=float)
    if len(arrays) < 2:  # noqa: PLR2004 - a comparison
        message = "Ranks and differences need at least two models."
        raise HowsureError(message)
    lengths = {name: len(values) for name, values in arrays.items()}
    if len(set(lengths.values())) > 1:
        shown = ", ".join(f"'{name}' has {length}" for name, length in lengths.items())
        message = f"The models differ in their number of draws: {shown}."
        raise HowsureError(message)
    return tuple(arrays), np.stack(list(arrays.values()))
