"""Many models at once: rank probabilities and expected rewards.

Everything here starts from draws: one array per model, all of the same length. Draws of models that were tested on the
same cases are joint (draw d of each comes from the same table); those of different test sets are paired at random.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np
from numpy.typing import ArrayLike

from howsure.arrays import Array
from howsure.cached import cached_property
from howsure.errors import HowsureError, checked_level, looked_up, one_of, real_numbers
from howsure.estimates.draws_mixin import Drawn
from howsure.estimates.estimate import positive_notes
from howsure.grids import Grid, Tabular
from howsure.methods.core.draws import group_seed
from howsure.metrics.forms import Better

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
    positive : str
        The positive class of the estimates, if their metric depends on it.

    Examples
    --------
    >>> import howsure as hs
    >>> table = hs.paired([1, 1, 0, 0, 1], {"A": [1, 1, 0, 1, 1], "B": [1, 0, 0, 1, 0], "C": [0, 1, 0, 0, 1]})
    >>> drawn = hs.evaluate_models(table, "accuracy", method="bayes", random_state=0)
    >>> list(hs.ranks({name: each["accuracy"] for name, each in drawn.items()}))
    ['A', 'B', 'C']
    """

    names: tuple[str, ...]
    probabilities: Array
    draws: int
    positive: str = ""

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

        Models that tie share their rewards. The Monte Carlo standard error is at most half the largest difference
        between two rewards, divided by the root of the number of draws.

        Parameters
        ----------
        rewards : sequence of float
            The best model's first.

        Returns
        -------
        dict of str to float

        Raises
        ------
        HowsureError
            If there are more rewards than models, or one is not a number.

        Examples
        --------
        >>> ranks({"A": [0.9, 0.8, 0.7], "B": [0.8, 0.8, 0.9]}).expected_rewards([100])
        {'A': 50.0, 'B': 50.0}
        """
        prizes = real_numbers("rewards", rewards)
        if prizes.ndim != 1 or len(prizes) > len(self) or not np.isfinite(prizes).all():
            raise HowsureError(f"`rewards` is one number for each of at most {len(self)} ranks, the best first.")
        return self._weighted(np.pad(prizes, (0, len(self) - len(prizes))))

    def likely(self, level: float = 0.95) -> dict[str, tuple[int, int]]:
        """Return the shortest range of ranks that holds each model's with at least this probability.

        Parameters
        ----------
        level : float
            Between 0 and 1.

        Returns
        -------
        dict of str to tuple of two int
            First and last rank.
        """
        level = checked_level(level)
        ranges = {}
        for name, row in zip(self.names, self.probabilities, strict=True):
            total = np.concatenate([[0.0], np.cumsum(row)])
            first = np.arange(len(row))
            last = np.searchsorted(total, total[:-1] + level - 1e-12)  # ranks first + 1 … last have the level
            width = np.where(last <= len(row), last - first, np.inf)
            start = int(np.argmin(width))
            ranges[name] = (start + 1, int(last[start]))
        return ranges

    def to_dict(self) -> dict[str, dict[int, float]]:
        """Return rank → probability by model."""
        return {name: self[name] for name in self.names}

    def records(self) -> list[dict[str, Any]]:
        """Return one flat dict per model and rank."""
        named = {"positive": self.positive} if self.positive else {}
        return [
            {"name": name, "rank": rank, "probability": probability, "error": float(error)} | named
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
        notes = [f"{self.draws:,} draws", *positive_notes([self])]
        return Grid(headers, tuple(rows), "; ".join(notes))

    def _weighted(self, values: Array) -> dict[str, float]:
        return dict(zip(self.names, (self.probabilities @ values).tolist(), strict=True))

    def _position(self, name: str) -> int:
        return looked_up("model", name, {each: place for place, each in enumerate(self.names)})


def ranks(draws: JointDraws, *, better: Better = "higher") -> Ranks:
    """Return how likely each model is to have each rank.

    Parameters
    ----------
    draws : mapping of str to array-like of shape (n_draws,) or Estimate
        Name → draws of the metric, or an estimate that holds some. Arrays are taken as joint draws; estimates are so
        where they are from one call of `evaluate_models`, and paired at random elsewhere.
    better : {"higher", "lower"}
        Which values win. ``"neither"``, of metrics without a direction, counts as ``"higher"``.

    Returns
    -------
    Ranks
        For each model the probabilities of its ranks.

    Raises
    ------
    HowsureError
        If there are fewer than two models, their draws differ in number, or none has every model defined.

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
    one_of("`better`", better, get_args(Better))
    names, values = joint(draws)
    values = values[:, np.isfinite(values).all(0)]
    if not values.shape[1]:
        raise HowsureError("No draw has every model defined, so there is nothing to rank.")
    if better != "lower":
        values = -values
    size, number = values.shape
    order = np.argsort(values, axis=0)
    ordered = np.take_along_axis(values, order, 0)
    # Ties on a draw form runs in its order; each member has an equal share of each rank of its run.
    fresh = np.concatenate([np.ones((1, number), dtype=bool), ordered[1:] != ordered[:-1]])
    run = np.cumsum(fresh, 0) + size * np.arange(number)
    lengths = np.bincount(run.ravel())
    share = 1 / lengths[run]
    total = np.bincount((order * size + np.arange(size)[:, None]).ravel(), share.ravel(), size * size)
    for step in range(1, int(lengths.max())):
        here, there = slice(0, size - step), slice(step, size)
        same = run[here] == run[there]
        low, weight = np.nonzero(same)[0], share[here][same]
        total += np.bincount(order[here][same] * size + low + step, weight, size * size)
        total += np.bincount(order[there][same] * size + low, weight, size * size)
    positive = next(filter(None, (getattr(each, "positive", "") for each in draws.values())), "")
    return Ranks(names=names, probabilities=total.reshape(size, size) / number, draws=number, positive=positive)


def joint(draws: JointDraws) -> tuple[tuple[str, ...], Array]:
    """Return the models' names and their draws, ``(models, draws)``, paired as they may be.

    Draws are joint where estimates say so by their stream, and where they are arrays, which whoever gives them answers
    for. All others are put in a random order that follows from the stream or the name: two tables that were drawn with
    one seed have common random numbers, which would make their difference look certain.

    Parameters
    ----------
    draws : mapping of str to array-like or estimate
        Name → draws.

    Returns
    -------
    names : tuple of str
    values : ndarray of shape (n_models, n_draws)

    Raises
    ------
    HowsureError
        If it is no mapping, an estimate holds no draws, there are fewer than two models, or the draws differ in number.
    """
    if not isinstance(draws, Mapping):
        raise HowsureError("Give the draws or estimates by name: {'A': …, 'B': …}.")
    arrays = {str(name): _values(str(name), each) for name, each in draws.items()}
    if len(arrays) < 2:
        raise HowsureError("Ranks and differences need at least two models.")
    lengths = {name: len(values) for name, values in arrays.items()}
    if len(set(lengths.values())) > 1:
        shown = ", ".join(f"'{name}' has {length}" for name, length in lengths.items())
        raise HowsureError(f"The models differ in their number of draws: {shown}.")
    streams = {str(name): _stream(str(name), each) for name, each in draws.items()}
    distinct = {stream: place for place, stream in enumerate(dict.fromkeys(streams.values()))}
    if len(distinct) > 1:
        arrays = {
            name: np.random.default_rng(group_seed(0, distinct[streams[name]])).permutation(values)
            for name, values in arrays.items()
        }
    return tuple(arrays), np.stack(list(arrays.values()))


def _values(name: str, given: ArrayLike | Drawn) -> Array:
    values = given.draws if isinstance(given, Drawn) else given
    if values is None:
        raise HowsureError(f"The estimate of '{name}' holds no draws: make it with method='bayes' or a bootstrap.")
    return real_numbers("draws", values)


def _stream(name: str, given: ArrayLike | Drawn) -> Hashable:
    """Return a key that is equal for joint draws: arrays, and estimates of one stream."""
    if not isinstance(given, Drawn):
        return ("arrays",)
    return ("alone", name) if given.stream is None else ("stream", given.stream)
