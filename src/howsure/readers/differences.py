"""The difference of two modalities in a reader study."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

from howsure.comparison.result import Comparison
from howsure.errors import one_of
from howsure.estimates.sentences import capitalized
from howsure.methods.core.interval_spec import IntervalSpec
from howsure.metrics.descriptions import metric_words
from howsure.numbers import number, p_text, percent, significant_decimals

METHODS = {"obuchowski_rockette": "Obuchowski–Rockette", "one_shot": "one-shot U-statistic"}
STYLES = ("clinical", "ml", "card")


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class ReaderDifference(Comparison):
    """Difference of two modalities' mean metrics over readers; a `Comparison` with Student's t.

    Parameters
    ----------
    metric, contrast, method, better, reason : str
        As of a `Comparison`; the contrast is ``"difference"``, first − second.
    a, b : Estimate
        Means over readers under the first and the second modality.
    names : tuple of two str
        The two modalities.
    value, low, high, standard_error, confidence_level, p_value : float
        The difference, the limits of its interval, its standard error, and the two-sided p-value of no difference.
    draws, rope, limits : None
        Not used: no method draws.
    degrees_of_freedom : float
        Degrees of freedom of Student's t; infinite for fixed readers, which have the normal distribution.
    readers, cases : int
        Number of readers and cases.
    of_readers, of_cases : float
        Parts of the variance that vary with the sample of readers, and with the sample of cases.

    Examples
    --------
    >>> import numpy as np, howsure as hs
    >>> rng = np.random.default_rng(0)
    >>> rows = [(r, m, c) for r in "ABCD" for m in ("film", "digital") for c in range(40)]
    >>> reader, modality, case = zip(*rows)
    >>> truth = np.array(case) % 2
    >>> rating = truth + rng.normal(size=40)[list(case)] + rng.normal(size=len(truth))
    >>> study = hs.reader_study(rating, truth=truth, reader=reader, case=case, modality=modality)
    >>> print(study.compare("digital", "film").non_inferiority(0.15).question)
    non-inferiority
    """

    degrees_of_freedom: float
    readers: int
    cases: int
    of_readers: float
    of_cases: float

    def test(self, null: float = 0.0) -> float:
        """Return the two-sided p-value of a hypothetical difference.

        Parameters
        ----------
        null : float
            The hypothetical difference.

        Returns
        -------
        float
            nan if the standard error is undefined.
        """
        return two_sided(self.value - null, self.standard_error, self.degrees_of_freedom)

    def reversed(self) -> ReaderDifference:
        """Return the difference with the two modalities exchanged."""
        return replace(
            self,
            a=self.b,
            b=self.a,
            names=self.names[::-1],
            value=-self.value,
            low=-self.high,
            high=-self.low,
        )

    def _one_sided(self, null: float, *, above: bool) -> float:
        sides = IntervalSpec(self.confidence_level, "greater" if above else "less")
        return sides.p_value(self.test(null), self.value, null)

    @property
    def share_of_readers(self) -> float:
        """Share of the variance that is due to the readers; the rest is due to the cases."""
        return share(self.of_readers, self.of_cases)

    def sentence(self, style: object = "clinical") -> str:
        """Return the difference as one sentence, with its interval, p-value, readers and cases.

        Parameters
        ----------
        style : {"clinical", "ml", "card"}
            Style of a clinical paper; of a machine-learning paper; or of an evaluation card, in plain words.

        Raises
        ------
        HowsureError
            If there is no such style.
        """
        if one_of("style", style, STYLES) == "card" or math.isnan(self.low):
            return Comparison.sentence(self, "card")
        decimals = significant_decimals(self.low, self.high)
        value, low, high = (number(each, decimals).replace("-", "−") for each in (self.value, self.low, self.high))
        level = percent(self.confidence_level, is_spaced=style != "clinical")
        tie = "" if self.is_settled else "; the difference is not significant"
        return (
            f"{capitalized(metric_words(self.label))}, mean over {readers_text(self.readers)} of {self.cases:,} cases: "
            f"{' − '.join(self.names)} = {value} ({level} CI {low} to {high}, "
            f"{p_text(self.p_value)}; {METHODS[self.method]}){tie}."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return one flat record."""
        return Comparison.to_dict(self) | {
            "degrees_of_freedom": self.degrees_of_freedom,
            "readers": self.readers,
            "cases": self.cases,
            "share_of_readers": self.share_of_readers,
        }


def readers_text(number: int) -> str:
    """Return a number of readers as text."""
    return f"{number:,} reader{'' if number == 1 else 's'}"


def two_sided(distance: float, error: float, degrees_of_freedom: float) -> float:
    """Return the two-sided p-value of a distance in Student's t, or the normal distribution for infinite degrees."""
    from scipy import special

    if not error > 0:
        return math.nan
    t = -abs(distance) / error
    return float(2 * (special.ndtr(t) if math.isinf(degrees_of_freedom) else special.stdtr(degrees_of_freedom, t)))


def share(of_readers: float, of_cases: float) -> float:
    """Return the share of the readers' part of a variance; nan if both are 0."""
    total = of_readers + max(of_cases, 0.0)
    return of_readers / total if total > 0 else math.nan
