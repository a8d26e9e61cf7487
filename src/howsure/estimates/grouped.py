"""Results of groups: what each group's table gives, and the table of all."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable
from typing import Any

import numpy as np

from howsure.methods.draws import seed_sequence


def group_seed(random_state: Any, key: Hashable) -> np.random.SeedSequence:
    """Return the seed of a group's draws: it follows from the study's seed and the group's key alone."""
    seed = seed_sequence(random_state)
    digest = hashlib.sha256(f"{type(key).__name__}:{key!r}".encode()).digest()
    words = np.frombuffer(digest[:16], "<u4").tolist()
    return np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, *words))
