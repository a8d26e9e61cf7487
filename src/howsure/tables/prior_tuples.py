"""Tuples of labels over which a prior's pseudo-counts of several models are distributed."""

from __future__ import annotations

import numpy as np

from howsure.arrays import Array

MOST_PSEUDO_CELLS = 2**13  # over which a prior is spread


def pseudo_tuples(classes: int, models: int) -> Array:
    """Return tuples of labels in which any two models are both right as often as both wrong.

    Rows of a Hadamard matrix say which models are right; the wrong ones are off by all shifts in turn (by some
    where the classes are many). Shape ``(tuples, 1 + models)``; repeated ones count more than once.
    """
    patterns = np.ones((1, 1), dtype=bool)
    while patterns.shape[1] <= models:
        patterns = np.block([[patterns, patterns], [patterns, ~patterns]])
    right = patterns[:, 1 : models + 1]
    shifts = min(classes - 1, max(1, MOST_PSEUDO_CELLS // (classes * len(right))))
    true, pattern, shift = (part.ravel() for part in np.indices((classes, len(right), shifts)))
    steps = (shift[:, None] + np.arange(models)) % (classes - 1) + 1
    said = (true[:, None] + np.where(right[pattern], 0, steps)) % classes
    return np.column_stack([true, said])
