"""Results for pairs of groups: differences and ratios with simultaneous intervals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from howsure.cached import cached_property
from howsure.errors import UnknownKeyError
from howsure.estimates.estimate import Estimate, positive_notes
from howsure.estimates.named import Named
from howsure.grids import Grid, OneRecord, Tabular
from howsure.groups.simultaneous import Contrasts
from howsure.numbers import interval_text, number, p_cell, percent, significant_decimals

METHOD = "max_t"


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Gap(OneRecord):
    """Difference and ratio of a metric between two groups.

    Parameters
    ----------
    metric : str
        The metric.
    a, b : str
        The groups; the difference is a − b, the ratio a / b.
    difference, ratio : Estimate
        Estimates whose limits cover simultaneously with those of the other pairs. The ratio is nan where a value or
        limit is negative.
    p_value : float
        Stepdown p-value of equality, adjusted for all pairs and metrics.

    Examples
    --------
    >>> import howsure as hs
    >>> tables = {"a": hs.from_counts([[50, 3], [5, 42]]), "b": hs.from_counts([[40, 13], [9, 38]])}
    >>> gap = hs.gaps(tables, "recall", random_state=0).differences["a", "b"]
    >>> round(gap.value, 3), round(gap.ratio.value, 3)
    (0.085, 1.105)
    """

    metric: str
    a: str
    b: str
    difference: Estimate
    ratio: Estimate
    p_value: float

    @property
    def value(self) -> float:
        """The difference."""
        return self.difference.value

    @property
    def low(self) -> float:
        """Lower limit of the difference."""
        return self.difference.low

    @property
    def high(self) -> float:
        """Upper limit of the difference."""
        return self.difference.high

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain values."""
        names = {"metric": self.metric, "a": self.a, "b": self.b}
        limits = {"difference": self.value, "low": self.low, "high": self.high}
        ratio = {"ratio": self.ratio.value, "ratio_low": self.ratio.low, "ratio_high": self.ratio.high}
        notes = {"positive": self.difference.positive, "reason": self.difference.reason}
        return {**names, **limits, **ratio, "p_value": self.p_value, **notes}


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PairGaps(Tabular, Named, Mapping[tuple[str, ...], Gap]):
    """Gaps of pairs of groups, whose intervals cover simultaneously.

    A mapping of ``(a, b)`` to `Gap`; for several metrics its keys are ``(metric, a, b)``, and a pair alone gives the
    first metric. A reversed pair gives the opposite difference and the inverse ratio.

    Parameters
    ----------
    pairs : tuple of tuple of str
        Metric and names of the two groups of each pair.
    found : Contrasts
        The differences, ratios and p-values.
    bounds : tuple of tuple of float
        Range of the metric of each pair.
    reasons : tuple of str
        Why a pair has no difference; empty if it has one.
    confidence_level : float
        Probability that all intervals cover.
    positives : mapping of str to (str, bool)
        Positive class of each metric that depends on it, and whether the caller named it.

    Examples
    --------
    >>> import howsure as hs
    >>> tables = {"a": hs.from_counts([[50, 3], [5, 42]]), "b": hs.from_counts([[40, 13], [9, 38]])}
    >>> list(hs.gaps(tables, ["recall", "fpr"], random_state=0).differences)
    [('recall', 'a', 'b'), ('fpr', 'a', 'b')]
    """

    pairs: tuple[tuple[str, str, str], ...]
    found: Contrasts
    bounds: tuple[tuple[float, float], ...]
    reasons: tuple[str, ...]
    confidence_level: float
    positives: Mapping[str, tuple[str, bool]] = field(default_factory=dict)

    @cached_property
    def _places(self) -> dict[tuple[str, ...], tuple[int, bool]]:
        """Position of each key, and whether its pair is reversed."""
        places: dict[tuple[str, ...], tuple[int, bool]] = {}
        for place, (metric, a, b) in enumerate(self.pairs):
            for key, reverse in (((metric, a, b), False), ((metric, b, a), True), ((a, b), False), ((b, a), True)):
                places.setdefault(key, (place, reverse))
        return places

    @property
    def _has_several(self) -> bool:
        return len({metric for metric, *_ in self.pairs}) > 1

    def __getitem__(self, pair: tuple[str, ...]) -> Gap:
        wanted = tuple(map(str, pair)) if isinstance(pair, tuple | list) else (str(pair),)
        if wanted not in self._places:
            raise UnknownKeyError.unknown("pair", ", ".join(wanted), [", ".join(each) for each in self])
        place, reverse = self._places[wanted]
        return self._gap(place, reverse=True) if reverse else self._gaps[place]

    @cached_property
    def _gaps(self) -> tuple[Gap, ...]:
        return tuple(self._gap(place) for place in range(len(self)))

    def _gap(self, place: int, *, reverse: bool = False) -> Gap:
        metric, a, b = self.pairs[place]
        span = self.bounds[place][1] - self.bounds[place][0]
        value, low, high, *ratios = (
            float(getattr(self.found, name)[place])
            for name in ("value", "low", "high", "ratio", "ratio_low", "ratio_high")
        )
        if reverse:
            a, b = b, a
            value, low, high = -value, -high, -low
            with np.errstate(all="ignore"):
                ratios = np.divide(1.0, [ratios[0], ratios[2], ratios[1]]).tolist()
        settings: dict[str, Any] = {"confidence_level": self.confidence_level, "method": METHOD}
        settings |= {"metric": metric, "reason": self.reasons[place]}
        settings["positive"], settings["is_positive_stated"] = self.positives.get(metric, ("", True))
        difference = Estimate(value, low=max(low, -span), high=min(high, span), bounds=(-span, span), **settings)
        ratio = Estimate(ratios[0], low=ratios[1], high=ratios[2], bounds=(0.0, np.inf), **settings)
        p_value = float(self.found.p_value[place])
        return Gap(metric=metric, a=a, b=b, difference=difference, ratio=ratio, p_value=p_value)

    def __iter__(self) -> Iterator[tuple[str, ...]]:
        return iter(self.pairs if self._has_several else [pair[1:] for pair in self.pairs])

    def __len__(self) -> int:
        return len(self.pairs)

    def by_name(self) -> dict[str, Gap]:
        """Return the gaps by name, such as ``"a − b"``; with the metric if there are several."""
        several = self._has_several
        return {f"{each.metric}: " * several + f"{each.a} − {each.b}": each for each in self._gaps}

    def records(self) -> list[dict[str, Any]]:
        """Return one flat dict per pair."""
        return [each.to_dict() for each in self._gaps]

    def grid(self) -> Grid:
        """Return a table of strings, one row per pair."""
        rows = []
        for each in self._gaps:
            difference, ratio = each.difference, each.ratio
            decimals = significant_decimals(difference.low, difference.high)
            ratio_decimals = significant_decimals(ratio.low, ratio.high)
            rows.append(
                (
                    f"{each.a} − {each.b}",
                    each.metric,
                    number(difference.value, decimals),
                    interval_text(difference.low, difference.high, decimals),
                    number(ratio.value, ratio_decimals),
                    interval_text(ratio.low, ratio.high, ratio_decimals),
                    p_cell(each.p_value),
                )
            )
        level = percent(self.confidence_level)
        headers = ("pair", "metric", "difference", f"{level} interval", "ratio", f"{level} interval", "adjusted p")
        reasons = dict.fromkeys(filter(None, self.reasons))
        coverage = f"The intervals of all {len(self)} pairs cover together with {level} confidence"
        notes = positive_notes(each.difference for each in self._gaps)
        return Grid(headers, tuple(rows), "; ".join([coverage, *reasons, *notes]))
