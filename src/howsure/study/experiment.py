"""One experiment of a study: name, table, prior, and source."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from howsure.arrays import Array
from howsure.cached import cached_property
from howsure.designs.independent import Independent
from howsure.errors import HowsureError, one_of
from howsure.methods.core.draws import values_of_draws
from howsure.methods.drawn.dirichlet import Dirichlet, Prior, cell_prior
from howsure.metrics.metric import Metric
from howsure.sources.confusion import confusion
from howsure.sources.matrices import from_counts, matrix_table
from howsure.tables.confusion import ConfusionTable
from howsure.tables.table import Table, require_table

KINDS = {
    "counts": ("labels",),
    "matrix": ("labels",),
    "predictions": ("y_true", "y_pred", "labels", "sample_weight", "groups", "check"),
}
SOURCES = ("posterior", "prior", "random")


@dataclass(frozen=True, eq=False)
class Experiment:
    """A named table with its prior.

    Parameters
    ----------
    name : str
        ``"group/experiment"``, or a single word for its own group.
    table : ConfusionTable
        The counts.
    prior, prevalence_prior : float, array-like or str, optional
        Prior, as in `Dirichlet`.
    origin : mapping, optional
        Entry of a study file: a mapping with ``counts``, ``matrix`` or ``predictions``; None for a table from memory.
    folder : Path, optional
        Folder for relative paths in the origin; None for the working directory.
    """

    name: str
    table: ConfusionTable
    prior: Prior | None = None
    prevalence_prior: Prior | None = None
    origin: Mapping[str, Any] | None = field(default=None, repr=False)
    folder: Path | None = field(default=None, repr=False)

    @property
    def group(self) -> str:
        """The name's part before the last slash."""
        return self.name.rpartition("/")[0] or self.name

    def seed(self, study_seed: int, *words: str) -> np.random.SeedSequence:
        """Return the seed of this experiment's draws, which depends only on the study's seed and the name."""
        return seed_of(study_seed, self.name, *words)

    def draws(self, metrics: list[Metric], source: str, n_draws: int, study_seed: int) -> Array:
        """Return draws of the metrics, ``(metrics, n_draws)``, all from the same tables."""
        table = self.guessing if source == "random" else self.table
        method = Dirichlet(
            self.prior,
            self.prevalence_prior,
            n_draws=n_draws,
            source="prior" if source == "prior" else "posterior",
        )
        seed = self.seed(study_seed, *([] if source == "posterior" else [source]))
        # Draws of whole tables do not depend on the other requested metrics.
        return values_of_draws(metrics, table, method.drawer(table), n_draws, seed)

    @cached_property
    def guessing(self) -> ConfusionTable:
        """Table of a classifier that guesses all classes equally often, for the same true classes."""
        counts = np.broadcast_to(self.table.counts.mean(-1, keepdims=True), self.table.counts.shape)
        return replace(self.table, counts=counts.copy(), design=Independent())


def seed_of(study_seed: int, *words: str) -> np.random.SeedSequence:
    """Return a seed sequence from a study's seed and some words."""
    digest = hashlib.sha256("\0".join(words).encode()).digest()
    return np.random.SeedSequence(study_seed, spawn_key=tuple(np.frombuffer(digest[:16], "<u4").tolist()))


def experiment(
    name: str,
    evidence: object,
    *,
    prior: Prior | None = None,
    prevalence_prior: Prior | None = None,
    folder: Path | None = None,
) -> Experiment:
    """Return an experiment from its evidence; relative paths are relative to the folder.

    Raises
    ------
    HowsureError
        If the name is not valid, or the evidence cannot be counted; the message names the experiment.
    """
    _check_name(name)
    origin = {"matrix": str(evidence)} if isinstance(evidence, str | Path) else evidence
    try:
        counted = _counted(origin, folder)
        table = require_table(
            ConfusionTable, counted, f"this is a {counted.kind.noun}; a study compares confusion tables."
        )
        cell_prior(prior, table)
        kept = origin if isinstance(origin, Mapping) else None
        found = Experiment(name, table, prior, prevalence_prior, kept, folder)
        if prevalence_prior is not None:
            Dirichlet(prior, prevalence_prior, n_draws=1).draws([], table, 0)  # refuses what does not fit
    except HowsureError as error:
        raise HowsureError(f"Experiment '{name}': {error}") from None
    return found


def _check_name(name: str) -> None:
    if not isinstance(name, str) or not name or any(not part.strip() for part in name.split("/")):
        raise HowsureError(f"An experiment is named 'group/experiment', not {name!r}.")
    if name.rsplit("/", maxsplit=1)[-1] == "random":
        raise HowsureError(f"'{name}': the name 'random' stands for a classifier that guesses. Take another.")


def _counted(evidence: Any, folder: Path | None) -> Any:
    if isinstance(evidence, Table):
        return evidence
    if isinstance(evidence, Mapping):
        return _from_mapping(evidence, folder)
    if isinstance(evidence, tuple):
        if len(evidence) != 2:
            raise HowsureError(f"a tuple is (y_true, y_pred), and this one has {len(evidence)} parts.")
        return confusion(*evidence)
    return from_counts(evidence)


def _from_mapping(evidence: Mapping[str, Any], folder: Path | None) -> Any:
    named = [kind for kind in KINDS if kind in evidence]
    if len(named) != 1:
        raise HowsureError("give one of `counts` (a matrix), `matrix` (its file) or `predictions` (their file).")
    kind = named[0]
    settings = {name: value for name, value in evidence.items() if name != kind}
    for name in settings:
        one_of(f"key of an experiment with `{kind}`", name, KINDS[kind])
    if kind == "counts":
        return from_counts(evidence["counts"], settings.get("labels"))
    if not isinstance(evidence[kind], str):
        raise HowsureError(f"`{kind}` is the path of a file, not {evidence[kind]!r}.")
    path = (folder or Path()) / evidence[kind]
    if kind == "matrix":
        return matrix_table(path, settings.get("labels"))
    for name in ("y_true", "y_pred"):
        if name not in settings:
            raise HowsureError(f"name the column of `{evidence[kind]}` with `{name}`.")
    return confusion(settings.pop("y_true"), settings.pop("y_pred"), data=path, **settings)
