"""Result of `certified_threshold`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from howsure.grids import Grid, OneRecord
from howsure.numbers import number, p_cell, percent


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class CertifiedThreshold(OneRecord):
    """A threshold at which requirements are met with stated confidence; made by `certified_threshold`.

    Parameters
    ----------
    threshold : float
        The largest, or smallest, certified threshold: cases with at least this score are predicted positive. It is nan
        if no threshold is certified.
    choose : {"largest", "smallest"}
        Which certified threshold it is.
    requirements : tuple of str
        The requirements as text.
    values : tuple of float
        Observed values of the metrics at the threshold.
    p_values : tuple of float
        P-value of each requirement at the threshold.
    low, high : float
        All thresholds from low to high are certified, together with the stated confidence; nan if none is.
    confidence_level : float
        Probability that the certified thresholds meet all requirements.
    test_level : float
        Level of each test, after the correction for the number of starts or requirements.
    method : str
        ``"exact_binomial"``, ``"hoeffding_bentkus"`` or, where the guarantee holds in large samples, the interval
        method; several are joined by commas.
    is_finite_sample : bool
        Whether the guarantee holds for any number of cases; otherwise in large samples.
    starts : tuple of float
        Thresholds at which the sequences of tests start; empty if they start at the ends.
    positive : str
        Name of the positive class.
    reason : str
        Why no threshold is certified; empty if there is one.

    Examples
    --------
    >>> import numpy as np, howsure as hs
    >>> y_true = np.repeat([0, 1], 300)
    >>> scores = hs.scores(y_true, np.random.default_rng(0).normal(2.0 * y_true))
    >>> found = hs.certified_threshold(scores, "recall>0.9")
    >>> found.is_finite_sample, round(found.threshold, 2), [round(each, 3) for each in found.values]
    (True, 0.57, [0.93])
    """

    threshold: float
    choose: str
    requirements: tuple[str, ...]
    values: tuple[float, ...]
    p_values: tuple[float, ...]
    low: float
    high: float
    confidence_level: float
    test_level: float
    method: str
    is_finite_sample: bool
    starts: tuple[float, ...] = ()
    positive: str = ""
    reason: str = ""

    @property
    def is_certified(self) -> bool:
        """Whether there is a certified threshold."""
        return not np.isnan(self.threshold)

    @property
    def failures(self) -> tuple[str, ...]:
        """The sentence that no threshold is certified; empty if one is."""
        return () if self.is_certified else (self.sentence(),)

    def sentence(self) -> str:
        """Return the guarantee as a sentence.

        Examples
        --------
        >>> import numpy as np, howsure as hs
        >>> y_true = np.repeat([0, 1], 300)
        >>> scores = hs.scores(y_true, np.random.default_rng(0).normal(2.0 * y_true))
        >>> print(hs.certified_threshold(scores, "recall>0.9").sentence())
        At thresholds up to 0.5749, recall > 0.9 with 95 % confidence, for any number of cases.
        """
        wanted, level = " and ".join(self.requirements), percent(self.confidence_level)
        if not self.is_certified:
            return f"No threshold is certified for {wanted} with {level} confidence: {self.reason}."
        if self.low == self.high:
            where = f"At the threshold {self.low:.4g}"
        elif np.isinf(self.low):
            where = f"At thresholds up to {self.high:.4g}"
        elif np.isinf(self.high):
            where = f"At thresholds from {self.low:.4g}"
        else:
            where = f"At thresholds from {self.low:.4g} to {self.high:.4g}"
        valid = "for any number of cases" if self.is_finite_sample else "in large samples"
        return f"{where}, {wanted} with {level} confidence, {valid}."

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain values."""
        return {
            "metric": "threshold",
            "requirements": " and ".join(self.requirements),
            "choose": self.choose,
            "value": self.threshold,
            "low": self.low,
            "high": self.high,
            **{f"value_{place}": value for place, value in enumerate(self.values, 1)},
            **{f"p_value_{place}": value for place, value in enumerate(self.p_values, 1)},
            "confidence_level": self.confidence_level,
            "test_level": self.test_level,
            "method": self.method,
            "is_finite_sample": self.is_finite_sample,
            "positive": self.positive,
            "reason": self.reason,
        }

    def grid(self) -> Grid:
        """Return a table of strings with one row."""
        headers = ("requirements", self.choose, "certified range", "value", "p")
        values = ", ".join(number(value, 3) for value in self.values)
        row = (
            " and ".join(self.requirements),
            f"{self.threshold:.4g}" if self.is_certified else "–",
            f"[{self.low:.4g}, {self.high:.4g}]" if self.is_certified else "–",
            values if self.is_certified else "–",
            ", ".join(map(p_cell, self.p_values)) if self.is_certified else "–",
        )
        valid = "for any number of cases" if self.is_finite_sample else "in large samples"
        notes = [f"{percent(self.confidence_level)} confidence, {valid}; {self.method}", self.reason]
        notes += [f"positive class: {self.positive}"] * bool(self.positive)
        return Grid(headers, (row,), "; ".join(filter(None, notes)))
