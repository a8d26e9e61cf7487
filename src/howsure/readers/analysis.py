"""The analysis of a reader study: from reads to the result."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from howsure.arrays import Floats
from howsure.errors import HowsureError
from howsure.estimates.estimate import Estimate
from howsure.estimates.grouped import Results
from howsure.methods.core.scales import Scale, automatic_scale, on_scale
from howsure.methods.core.standard_errors import quantile
from howsure.readers.anova import Anova, Contrast
from howsure.readers.components import VarianceComponents
from howsure.readers.differences import ReaderDifference, two_sided
from howsure.readers.measured import Areas, Proportions
from howsure.readers.one_shot import OneShot
from howsure.readers.reads import Reads
from howsure.readers.settings import Question
from howsure.readers.study import ALL, ModalityTest, ReaderStudy

NOISE = 1e-12  # half width that rounding leaves of zero
NO_VARIATION = "the readers' values do not vary"
NEGATIVE = "the unbiased variance is not positive: use method='obuchowski_rockette'"
NO_ERROR = "the reader's metric does not vary over samples of these cases"
NO_CASES = "the cases are fixed, so one reader has no error"


def analysed(reads: Reads, question: Question) -> ReaderStudy:
    """Return the result of a study.

    Raises
    ------
    HowsureError
        If there is one reader who is not fixed, or the metric or its error is undefined for a reader.
    """
    return _Analysis.of(reads, question).study()


@dataclass(frozen=True, eq=False)
class _Analysis:
    """The parts of an analysis: the readers' metrics, mean squares and covariances."""

    reads: Reads
    question: Question
    anova: Anova
    source: Anova | OneShot

    @classmethod
    def of(cls, reads: Reads, question: Question) -> _Analysis:
        source: Anova | OneShot
        if not question.metric.is_area:
            counted = Proportions.of(reads, question.metric, question.threshold)
            covariance = counted.jackknife() if question.fixed != "case" else _unknown(counted.values)
            source = anova = Anova(reads, counted.values, covariance, question.fixed, counted.freedom_power)
        else:
            areas = Areas.of(reads)
            covariance = areas.covariance(question.covariance) if question.fixed != "case" else _unknown(areas.values)
            source = anova = Anova(reads, areas.values, covariance, question.fixed)
            if question.method == "one_shot":
                source = OneShot(anova, areas)
        _refuse_few(anova)
        return cls(reads, question, anova, source)

    def study(self) -> ReaderStudy:
        """Return the result."""
        names = [each or ALL for each in self.reads.modalities]
        pairs = list(combinations(range(len(names)), 2))
        means = [self.source.mean(each) for each in range(len(names))]
        estimates = {name: self._estimate(each) for name, each in zip(names, means, strict=True)}
        differences = [self._difference(*pair, self.source.difference(*pair), estimates) for pair in pairs]
        observed = differences[0].value if len(differences) == 1 else math.nan
        has_components = self.question.fixed != "case" and min(map(self.anova.readers, range(len(names)))) > 1
        readers, positives = self._readers(names), int(self.reads.positive.sum())
        return ReaderStudy(
            metric=self.question.metric.label,
            means=Results(results=estimates, column="modality"),
            degrees_of_freedom={name: each.degrees_of_freedom for name, each in zip(names, means, strict=True)},
            differences=_by_words(differences),
            by_reader=Results(results=readers, column="reader"),
            reader_differences=Results(results=self._reader_differences(readers, pairs), column="reader"),
            test=self._test(len(names)),
            components=VarianceComponents.of(self.anova, observed) if has_components else None,
            parts={name: (each.of_readers, each.of_cases) for name, each in zip(names, means, strict=True)},
            readers=self.reads.readers,
            modalities=self.reads.modalities,
            positives=positives,
            negatives=len(self.reads.positive) - positives,
            method=self.question.method,
            covariance="" if self.question.fixed == "case" else self.question.covariance,
            design=self.reads.design,
            fixed=self.question.fixed,
            confidence_level=self.question.level,
            note=self._note(),
        )

    def _note(self) -> str:
        absent = self.reads.absent
        if not absent:
            return ""
        total = absent + int(self.reads.is_read.sum())
        return (
            f"{absent:,} of {total:,} reads are absent: each reader's metric is of the cases that the reader read, and "
            "covariances are of the cases that two readers share"
        )

    def _limits(self, each: Contrast, bounds: tuple[float, float], scale: Scale) -> tuple[float, float]:
        spread = float(quantile(self.question.level, each.degrees_of_freedom)) * each.standard_error
        if not spread > NOISE:
            return math.nan, math.nan
        low, high = on_scale(scale, each.value, spread, bounds)
        return max(float(low), bounds[0]), min(float(high), bounds[1])

    def _estimate(self, each: Contrast, *, cases: int | None = None, reason: str = "") -> Estimate:
        question, bounds = self.question, self.question.metric.range
        scale = automatic_scale(bounds) if question.scale == "auto" else "identity"
        low, high = self._limits(each, bounds, scale)
        return Estimate(
            each.value,
            low=low,
            high=high,
            metric=question.metric.name,
            label=question.metric.label,
            confidence_level=question.level,
            method=question.method,
            standard_error=each.standard_error,
            bounds=bounds,
            cases=len(self.reads.positive) if cases is None else cases,
            positive=question.positive,
            is_positive_stated=question.is_positive_stated,
            reason=(reason or self._why(each)) if math.isnan(low) else "",
        )

    def _why(self, each: Contrast) -> str:
        is_negative = self.question.method == "one_shot" and math.isnan(each.standard_error)
        return NEGATIVE if is_negative else NO_VARIATION

    def _difference(
        self, first: int, second: int, each: Contrast, estimates: dict[str, Estimate], readers: int = 0
    ) -> ReaderDifference:
        names = self.reads.modalities[first], self.reads.modalities[second]
        low, high = self.question.metric.range
        span = high - low
        limits = self._limits(each, (-span, span), "identity")
        return ReaderDifference(
            metric=self.question.metric.name,
            contrast="difference",
            a=estimates[names[0]],
            b=estimates[names[1]],
            names=names,
            value=each.value,
            low=limits[0],
            high=limits[1],
            p_value=two_sided(each.value, each.standard_error, each.degrees_of_freedom),
            standard_error=each.standard_error,
            confidence_level=self.question.level,
            method=self.question.method,
            better=self.question.metric.better,
            reason=self._why(each) if math.isnan(limits[0]) else "",
            degrees_of_freedom=each.degrees_of_freedom,
            readers=readers or len(self.reads.readers),
            cases=len(self.reads.positive),
            of_readers=each.of_readers,
            of_cases=each.of_cases,
        )

    def _readers(self, names: list[str]) -> dict[str, Results[Estimate]]:
        """Return each reader's metric, with its normal interval over samples of cases."""
        found: dict[str, dict[str, Estimate]] = {name: {} for name in self.reads.readers}
        cases = self.reads.is_read.sum(0).tolist()
        for group, value in enumerate(self.anova.values.tolist()):
            variance = float(self.anova.covariance[group, group])
            error = math.sqrt(variance) if variance >= 0 else math.nan
            own = Contrast(value, error, math.inf, 0.0, variance)
            reason = NO_CASES if self.anova.fixed == "case" else NO_ERROR
            reader, modality = self.reads.readers[self.reads.reader[group]], names[self.reads.modality[group]]
            found[reader][modality] = self._estimate(own, cases=cases[group], reason=reason)
        return {name: Results(results=each, column="modality") for name, each in found.items()}

    def _reader_differences(
        self, single: dict[str, Results[Estimate]], pairs: list[tuple[int, int]]
    ) -> dict[str, Results[ReaderDifference]]:
        """Return each reader's differences, with the error variance and Cov1 averaged over the reader's modalities."""
        if self.anova.is_nested or self.anova.fixed == "case" or not pairs:
            return {}
        found = {}
        for reader, name in enumerate(self.reads.readers):
            own = np.flatnonzero(self.reads.reader == reader)
            part = self.anova.covariance[np.ix_(own, own)]
            error, others = float(np.diag(part).mean()), ~np.eye(len(own), dtype=bool)
            one = 0.0 if self.reads.design == "cases_in_modalities" else float(part[others].mean())
            variance = 2 * (error - one)
            each = [
                self._difference(
                    *pair,
                    Contrast(
                        float(self.anova.values[own[pair[0]]] - self.anova.values[own[pair[1]]]),
                        math.sqrt(max(variance, 0.0)),
                        math.inf,
                        0.0,
                        variance,
                    ),
                    dict(single[name].results),
                    1,
                )
                for pair in pairs
            ]
            found[name] = _by_words(each)
        return found

    def _test(self, modalities: int) -> ModalityTest | None:
        """Return the test that all modalities are equal, from the mean square between them and a difference's error."""
        from scipy import special

        if modalities == 1:
            return None
        some = self.source.difference(0, 1)
        each = 1 / self.anova.readers(0) + 1 / self.anova.readers(1)
        between, within = self.anova.mean_square_modality, some.standard_error**2 / each
        if not within > 0:
            return ModalityTest(statistic=math.nan, numerator=modalities - 1, denominator=math.nan, p_value=math.nan)
        if math.isinf(some.degrees_of_freedom):
            chi = (modalities - 1) * between / within
            p = float(special.chdtrc(modalities - 1, chi))
            return ModalityTest(statistic=chi, numerator=modalities - 1, denominator=math.inf, p_value=p)
        p = float(special.fdtrc(modalities - 1, some.degrees_of_freedom, between / within))
        return ModalityTest(
            statistic=between / within, numerator=modalities - 1, denominator=some.degrees_of_freedom, p_value=p
        )


def _unknown(values: Floats) -> Floats:
    """Return a covariance of nan, for fixed cases."""
    return np.full((len(values), len(values)), np.nan)


def _refuse_few(anova: Anova) -> None:
    readers = [anova.readers(each) for each in range(len(anova.means))]
    if min(readers) > 1 or anova.fixed == "reader":
        return
    if max(readers) > 1:
        name = anova.reads.modalities[int(np.argmin(readers))]
        message = (
            f"The modality {name!r} has one reader, who shows no variation between readers. Take all readers as fixed: "
            "fixed='reader'."
        )
    else:
        message = (
            "There is one reader, who shows no variation between readers. Take the reader as fixed: fixed='reader'."
        )
    raise HowsureError(message)


def _by_words(differences: list[ReaderDifference]) -> Results[ReaderDifference]:
    return Results(results={" − ".join(each.names): each for each in differences}, column="difference")
