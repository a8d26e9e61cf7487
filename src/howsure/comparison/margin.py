"""Result of a test of non-inferiority or equivalence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from howsure.grids import OneRecord


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class MarginTest(OneRecord):
    """A test of non-inferiority or equivalence for a margin.

    Parameters
    ----------
    question : {"non-inferiority", "equivalence"}
        The hypothesis.
    margin : float
        The largest difference that does not matter, in the metric's units.
    p_value : float
        One-sided; nan for posterior draws.
    probability : float
        Posterior probability of the hypothesis; nan without posterior draws.
    shown : bool
        Whether the p-value is at most 1 minus the confidence level, or the probability reaches that level.
    sentence : str
        The result in plain words.
    """

    question: Literal["non-inferiority", "equivalence"]
    margin: float
    p_value: float
    probability: float
    shown: bool
    sentence: str

    def __str__(self) -> str:
        return self.sentence
