"""Result of a reader study: means over readers, differences of modalities, single readers, variance components."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from howsure.errors import HowsureError, looked_up, one_of
from howsure.estimates.estimate import Estimate, positive_notes
from howsure.estimates.grouped import Results
from howsure.estimates.named import Named
from howsure.estimates.sentences import capitalized
from howsure.grids import Grid, OneRecord, Tabular
from howsure.metrics.descriptions import metric_words
from howsure.numbers import interval_text, number, p_cell, p_text, percent, significant_decimals
from howsure.readers.components import VarianceComponents
from howsure.readers.differences import METHODS, STYLES, ReaderDifference, readers_text, share
from howsure.readers.sizes import ReaderPlan

ALL = "all readers"  # name of the mean of a study without modalities


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class ModalityTest(OneRecord):
    """Test that all modalities have the same mean over readers.

    Parameters
    ----------
    statistic : float
        F, or χ² for fixed readers.
    numerator, denominator : float
        Degrees of freedom; the denominator is infinite for χ².
    p_value : float
        Probability of a statistic at least as large.

    Examples
    --------
    >>> print(ModalityTest(statistic=4.485, numerator=1, denominator=15.07, p_value=0.0512))
    F = 4.485, 1 and 15.1 d.f.; p = 0.051
    """

    statistic: float
    numerator: float
    denominator: float
    p_value: float

    def __str__(self) -> str:
        if math.isinf(self.denominator):
            return f"χ² = {self.statistic:.3f}, {self.numerator:g} d.f.; {p_text(self.p_value)}"
        return f"F = {self.statistic:.3f}, {self.numerator:g} and {self.denominator:.1f} d.f.; {p_text(self.p_value)}"


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class ReaderStudy(Tabular, Named):
    """Result of a reader study, by `reader_study`.

    Parameters
    ----------
    metric : str
        The metric as requested.
    means : Results of Estimate
        Mean over readers of each modality; ``"all readers"`` without modalities.
    degrees_of_freedom : dict of str to float
        Degrees of freedom of the means' intervals; infinite for fixed readers.
    differences : Results of ReaderDifference
        Difference of each two modalities, such as ``"A − B"``.
    by_reader : Results of Results of Estimate
        Each reader's metric under each modality, with its normal interval over samples of cases.
    reader_differences : Results of Results of ReaderDifference
        Each reader's difference of each two modalities, over samples of cases; empty if no reader has two.
    test : ModalityTest, optional
        Test that all modalities are equal; None for one modality.
    components : VarianceComponents, optional
        Variance components; None if the cases are fixed or there is one reader.
    parts : dict of str to tuple of two float
        Parts of each mean's variance that vary with the sample of readers, and with the sample of cases.
    readers, modalities : tuple of str
        Names of the readers and modalities.
    positives, negatives : int
        Number of positive (diseased) and negative cases.
    method, covariance, design : str
        Names of the method, of the covariance of the cases (empty for fixed cases) and of the design.
    fixed : str
        ``"reader"``, ``"case"``, or empty.
    confidence_level : float
        Nominal coverage of the intervals.
    note : str
        What was done about absent reads; empty if there are none.

    Examples
    --------
    >>> import numpy as np, howsure as hs
    >>> rng = np.random.default_rng(0)
    >>> reader, modality, case = zip(*[(r, m, c) for r in "ABCD" for m in ("new", "old") for c in range(60)])
    >>> truth = np.array(case) % 2
    >>> rating = truth + rng.normal(size=60)[list(case)] + rng.normal(size=len(truth))
    >>> study = hs.reader_study(rating, truth=truth, reader=reader, case=case, modality=modality)
    >>> list(study.means), list(study.differences), study.design
    (['new', 'old'], ['new − old'], 'factorial')
    """

    metric: str
    means: Results[Estimate]
    degrees_of_freedom: Mapping[str, float]
    differences: Results[ReaderDifference]
    by_reader: Results[Results[Estimate]]
    reader_differences: Results[Results[ReaderDifference]]
    test: ModalityTest | None
    components: VarianceComponents | None
    parts: Mapping[str, tuple[float, float]]
    readers: tuple[str, ...]
    modalities: tuple[str, ...]
    positives: int
    negatives: int
    method: str
    covariance: str
    design: str
    fixed: str
    confidence_level: float
    note: str = ""

    @property
    def cases(self) -> int:
        """Number of cases."""
        return self.positives + self.negatives

    @property
    def positive(self) -> str:
        """Name of the positive class; empty for classes 0 and 1."""
        return next(iter(self.means.values())).positive

    def compare(self, first: str, second: str) -> ReaderDifference:
        """Return the difference of two modalities in this order, first − second.

        Parameters
        ----------
        first, second : str
            Names of the modalities.

        Raises
        ------
        HowsureError
            If there is no such pair of modalities.
        """
        for name in (first, second):
            looked_up("modality", str(name), dict.fromkeys(self.modalities))
        names = str(first), str(second)
        if names[0] == names[1]:
            raise HowsureError(f"{names[0]!r} is compared with itself. Name two modalities.")
        found = {each.names: each for each in self.differences.values()}
        return found[names] if names in found else found[names[::-1]].reversed()

    def plan(
        self,
        *,
        readers: int | None = None,
        cases: int | None = None,
        power: float | None = None,
        width: float | None = None,
        true_value: float | None = None,
        margin: float | None = None,
        confidence_level: float | None = None,
    ) -> ReaderPlan:
        """Plan the readers and cases of another study, with this one as the pilot.

        Parameters
        ----------
        readers, cases : int, optional
            Number of readers and of cases; one of them is found.
        power : float, optional
            Probability that the study shows a difference, or no more than the margin.
        width : float, optional
            Largest expected width of the interval of the difference.
        true_value : float, optional
            True difference; by default the observed one, or 0 with a margin.
        margin : float, optional
            Largest irrelevant inferiority: the study should show that the difference is above ``-margin``.
        confidence_level : float, optional
            Level of the intervals; by default that of this study.

        Returns
        -------
        ReaderPlan
        """
        if self.components is None:
            raise HowsureError("A plan needs variance components: random cases and at least two readers.")
        return self.components.plan(
            readers=readers,
            cases=cases,
            power=power,
            width=width,
            true_value=true_value,
            margin=margin,
            confidence_level=self.confidence_level if confidence_level is None else confidence_level,
        )

    def by_name(self) -> dict[str, Any]:
        """Return the differences by name; the mean if there is one modality."""
        return dict(self.differences.results or self.means.results)

    def records(self) -> list[dict[str, Any]]:
        """Return one flat dict per mean over readers and per difference."""
        means = [
            self._record(name, each, self.degrees_of_freedom[name], None, self.parts[name])
            for name, each in self.means.items()
        ]
        differences = [
            self._record(name, each, each.degrees_of_freedom, each.p_value, (each.of_readers, each.of_cases))
            for name, each in self.differences.items()
        ]
        return [*means, *differences]

    def _record(
        self,
        name: str,
        each: Estimate | ReaderDifference,
        degrees_of_freedom: float,
        p_value: float | None,
        parts: tuple[float, float],
    ) -> dict[str, Any]:
        return {
            "name": name,
            "metric": self.metric,
            "value": each.value,
            "low": each.low,
            "high": each.high,
            "standard_error": each.standard_error,
            "degrees_of_freedom": degrees_of_freedom,
            "p_value": p_value,
            "share_of_readers": share(*parts),
            "confidence_level": self.confidence_level,
            "method": self.method,
            "positive": self.positive,
            "reason": each.reason,
        }

    def grid(self) -> Grid:
        """Return a table of strings with means, differences, and the share of the variance that is due to readers."""
        rows = []
        for each in self.records():
            decimals = significant_decimals(each["low"], each["high"])
            chance = each["p_value"]
            rows.append(
                (
                    str(each["name"]),
                    number(each["value"], decimals),
                    interval_text(each["low"], each["high"], decimals),
                    number(each["standard_error"], decimals + 1),
                    number(each["degrees_of_freedom"], 1),
                    "" if chance is None else p_cell(chance),
                    _percent(each["share_of_readers"]),
                )
            )
        headers = (
            "",
            "value",
            f"{percent(self.confidence_level)} interval",
            "std. error",
            "d.f.",
            "p",
            "readers' share",
        )
        reasons = dict.fromkeys(str(each["reason"]) for each in self.records() if each["reason"])
        notes = [self.about, self.note, *reasons, *positive_notes(self.means.values())]
        return Grid(headers, tuple(rows), "\n".join(filter(None, notes)))

    @property
    def about(self) -> str:
        """Metric, readers, cases, design and method in one line."""
        vary = {"": "readers and cases random", "reader": "readers fixed", "case": "cases fixed"}[self.fixed]
        covariance = f" ({self.covariance} covariances)" if self.covariance else ""
        return (
            f"{metric_words(self.metric)}: mean over {readers_text(len(self.readers))} of {self.cases:,} cases "
            f"({self.positives:,} positive); {self.design.replace('_', ' ')} design; "
            f"{METHODS[self.method]}{covariance}, {vary}"
        )

    def sentence(self, style: str = "clinical") -> str:
        """Return the means, the differences, and the source of the uncertainty as text for a paper.

        Parameters
        ----------
        style : {"clinical", "ml", "card"}
            As for the sentences of an estimate.

        Returns
        -------
        str

        Raises
        ------
        HowsureError
            If the style is unknown.
        """
        return " ".join(self.sentences(style))

    def sentences(self, style: str = "clinical") -> list[str]:
        """Return the sentences of ``sentence()`` as a list.

        Parameters
        ----------
        style : {"clinical", "ml", "card"}
            As for the sentences of an estimate.

        Returns
        -------
        list of str
        """
        one_of("style", style, STYLES)
        what = capitalized(metric_words(self.metric))
        level = percent(self.confidence_level, is_spaced=style != "clinical")
        means = [
            f"{_quoted(each, level)}{f' under {name}' if name != ALL else ''}" for name, each in self.means.items()
        ]
        values = " and ".join(filter(None, (", ".join(means[:-1]), means[-1])))
        who = f"{readers_text(len(self.readers))} of {self.cases:,} cases ({self.positives:,} positive)"
        said = f"{what}, averaged over {who}, was {values} ({METHODS[self.method]})."
        return [said, *(each.sentence(style) for each in self.differences.values()), self.source_of_uncertainty]

    @property
    def source_of_uncertainty(self) -> str:
        """Share of the variance that is due to readers and to cases, in words."""
        if self.fixed or not self.records():
            only = {"reader": "these readers", "case": "these cases"}.get(self.fixed, "these data")
            return f"The intervals are about {only} alone."
        main = self.records()[-1] if len(self.modalities) == 2 else self.records()[0]
        readers = main["share_of_readers"]
        if math.isnan(readers):
            unknown = f"The shares of readers and cases are unknown: {main['reason']}."
            return unknown if math.isnan(main["standard_error"]) else "The data show no variation."
        what = f"the difference {main['name']}" if len(self.modalities) == 2 else "the mean"
        return (
            f"Of the variance of {what}, {_percent(readers)} is due to the sample of readers and "
            f"{_percent(1 - readers)} to the sample of cases."
        )

    def __str__(self) -> str:
        return self.grid().for_terminal()


def _percent(value: float) -> str:
    return "–" if math.isnan(value) else f"{100 * value:.0f} %"


def _quoted(each: Estimate, level: str) -> str:
    decimals = significant_decimals(each.low, each.high)
    limits = (number(each.low, decimals), number(each.high, decimals))
    return f"{number(each.value, decimals)} ({level} CI {limits[0]} to {limits[1]})"
