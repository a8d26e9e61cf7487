"""Groups of experiments."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from howsure.compat.prob_conf_mat.experiment import Experiment
from howsure.errors import UnknownKeyError


@dataclass(frozen=True, eq=False)
class ExperimentGroup:
    """The experiments of one group, by their names within it."""

    name: str
    experiments: Mapping[str, Experiment]

    def __getitem__(self, key: str) -> Experiment:
        if key not in self.experiments:
            raise UnknownKeyError.unknown(f"experiment of the group '{self.name}'", key, self.experiments)
        return self.experiments[key]

    def __len__(self) -> int:
        return len(self.experiments)
