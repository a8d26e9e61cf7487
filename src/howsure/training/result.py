"""Results about learning algorithms: an estimate or a difference, with the parts of its variance."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from howsure.comparison.result import Comparison
from howsure.errors import looked_up
from howsure.estimates.estimate import Estimate, estimate_grid
from howsure.estimates.named import Named
from howsure.estimates.sentences import capitalized, quoted_numbers, subject
from howsure.grids import Grid, OneRecord, Tabular
from howsure.numbers import number, percent, significant_decimals, value_text
from howsure.training.words import METHODS


@dataclass(frozen=True, slots=True)
class Part:
    """Part of the variance of an estimate.

    Parameters
    ----------
    source : {"training runs", "test cases", "interaction"}
        Source of the variation.
    variance : float
        Contribution to the variance of the estimate.
    share : float
        Fraction of the variance, from 0 to 1; nan if the variance is 0.

    Examples
    --------
    >>> import howsure as hs
    >>> part = hs.results.Part("test cases", variance=0.0001, share=0.25)
    >>> part.standard_error
    0.01
    """

    source: str
    variance: float
    share: float

    @property
    def standard_error(self) -> float:
        """Standard error of the estimate if nothing else varied."""
        return math.sqrt(self.variance)


def parts_text(parts: tuple[Part, ...]) -> str:
    """Return the shares of the variance as text; empty for a single source."""
    if len(parts) < 2 or any(math.isnan(part.share) for part in parts):
        return ""
    return ", ".join(f"{part.source} {100 * part.share:.0f} %" for part in parts)


def parts_grid(parts: tuple[Part, ...], total: float) -> Grid:
    """Return the parts of a variance as a table of strings."""
    error = max((part.standard_error for part in parts), default=math.nan)
    decimals = significant_decimals(0.0, error)
    rows = [(part.source, number(part.standard_error, decimals), f"{100 * part.share:.0f} %") for part in parts]
    rows.append(("all", number(total, decimals), "100 %"))
    return Grid(("source", "std. error", "share of variance"), tuple(rows))


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class AlgorithmEstimate(OneRecord, Named):
    """Value of a metric of a learning algorithm, with its interval and the question that the interval answers.

    It unpacks as ``value, (low, high)``, and converts to a float as its value.

    Parameters
    ----------
    value, low, high, standard_error : float
        The estimate, its interval and its standard error.
    confidence_level : float
        Nominal coverage of the interval.
    metric, label : str
        Spec string of the metric, and its requested name.
    method : {"all_pairs", "within_folds", "crossed", "runs", "cases", "corrected_t"}
        Name of the variance estimate.
    question : str
        The question that the interval answers.
    parts : tuple of Part
        Parts of the variance: training runs, test cases and their interaction.
    degrees_of_freedom : float
        Degrees of freedom of Student's t; infinite for normal quantiles.
    cases, folds, runs : int
        Numbers of test cases, of folds of each run (0 for a shared test set), and of training runs.
    model : str
        Name of the algorithm; empty if there is only one.
    bounds : tuple of two float
        Smallest and largest possible value of the metric.
    positive : str
        The positive class, where the metric depends on it and two classes have names.
    is_positive_stated : bool
        Whether the caller named the positive class. If not, it is printed with the value.
    cautions : tuple of str
        Sentences for readers of the interval.
    reason : str
        Why the value or the interval is undefined, or a caveat.

    Examples
    --------
    >>> import howsure as hs
    >>> data = hs.load_example("breast_cancer")
    >>> found = hs.cross_validated("label", "forest", data=data, fold="fold").estimate("f1")
    >>> print(found)
    0.952 [0.926, 0.969] (positive: malignant)
    >>> value, (low, high) = found
    >>> found.method, found.folds
    ('all_pairs', 5)
    """

    value: float
    low: float
    high: float
    standard_error: float
    confidence_level: float
    metric: str
    label: str
    method: str
    question: str
    parts: tuple[Part, ...]
    degrees_of_freedom: float
    cases: int
    folds: int
    runs: int
    model: str = ""
    bounds: tuple[float, float] = (0.0, 1.0)
    positive: str = ""
    is_positive_stated: bool = True
    cautions: tuple[str, ...] = ()
    reason: str = ""

    def __iter__(self) -> Iterator[Any]:
        yield self.value
        yield (self.low, self.high)

    def __float__(self) -> float:
        return self.value

    def __str__(self) -> str:
        text = value_text(self.value, self.low, self.high)
        positive = f"positive: {self.positive}" if self.positive and not self.is_positive_stated else ""
        notes = [each for each in (positive, parts_text(self.parts), self.reason) if each]
        return f"{text} ({'; '.join(notes)})" if notes else text

    def __repr__(self) -> str:
        return f"AlgorithmEstimate({self.label} = {self})"

    def sentence(self) -> str:
        """Return the estimate as sentences: the interval, its question, and the shares of the variance.

        Examples
        --------
        >>> import howsure as hs
        >>> data = hs.load_example("breast_cancer")
        >>> print(hs.cross_validated("label", "forest", data=data, fold="fold").estimate("accuracy").sentence())
        Accuracy was 0.965 (95% CI 0.946 to 0.977; 569 cases in 5 folds; all-pairs variance of the folds). The interval
        answers: How good, on new cases, are these 5 models on average, each trained on 80 % of these cases?
        """
        what = capitalized(subject(self.label, self.positive))
        of = f" of {self.model}" if self.model else ""
        if math.isnan(self.value):
            return f"{what}{of} is undefined: {self.reason.removeprefix('undefined: ')}."
        value, low, high = quoted_numbers(self.as_estimate())
        level = percent(self.confidence_level, is_spaced=False)
        limits = f"{level} CI {low} to {high}" if low else "no interval"
        about = [limits, sample_text(self.cases, self.folds, self.runs), METHODS[self.method]]
        return f"{what}{of} was {value} ({'; '.join(about)}). {answers(self)}"

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain values, with one share for each part of the variance."""
        names = ("value", "low", "high", "confidence_level", "method", "standard_error", "degrees_of_freedom")
        record = {"metric": self.label} | {name: getattr(self, name) for name in names}
        record |= {f"share_of_{part.source.replace(' ', '_')}": part.share for part in self.parts}
        record |= {name: getattr(self, name) for name in ("cases", "folds", "runs", "question", "positive", "reason")}
        return ({"model": self.model} if self.model else {}) | record | {"cautions": " ".join(self.cautions)}

    def by_name(self) -> dict[str, AlgorithmEstimate]:
        """Return the estimate by its model, or by its metric."""
        return {self.model or self.label: self}

    def parts_grid(self) -> Grid:
        """Return the parts of the variance as a table of strings."""
        return parts_grid(self.parts, self.standard_error)

    def as_estimate(self) -> Estimate:
        """Return value and interval as an `Estimate`, which is a float."""
        return Estimate(
            self.value,
            low=self.low,
            high=self.high,
            metric=self.metric,
            label=self.label,
            confidence_level=self.confidence_level,
            method=self.method,
            standard_error=self.standard_error,
            reason=self.reason,
            bounds=self.bounds,
            positive=self.positive,
            is_positive_stated=self.is_positive_stated,
            cases=self.cases,
        )


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AlgorithmEvaluation(Tabular, Mapping[str, AlgorithmEstimate]):
    """Estimates of several metrics of one algorithm: a mapping of metrics to estimates.

    Parameters
    ----------
    estimates : mapping of str to AlgorithmEstimate
        Estimates by requested metric, in order.

    Examples
    --------
    >>> import howsure as hs
    >>> data = hs.load_example("breast_cancer")
    >>> found = hs.cross_validated("label", "forest", data=data, fold="fold").evaluate(["accuracy", "f1"])
    >>> list(found)
    ['accuracy', 'f1']
    """

    estimates: Mapping[str, AlgorithmEstimate]

    def __getitem__(self, metric: str) -> AlgorithmEstimate:
        return looked_up("metric of this evaluation", metric, self.estimates)

    def __iter__(self) -> Iterator[str]:
        return iter(self.estimates)

    def __len__(self) -> int:
        return len(self.estimates)

    def records(self) -> list[dict[str, Any]]:
        """Return one flat dict per metric."""
        return [each.to_dict() for each in self.values()]

    def to_dict(self) -> dict[str, dict[str, Any]]:
        """Return the fields of the estimates by metric."""
        return {name: each.to_dict() for name, each in self.items()}

    def sentence(self) -> str:
        """Return the estimates as sentences."""
        return " ".join(each.sentence() for each in self.values())

    def grid(self) -> Grid:
        """Return a table of strings with the estimates, the shares of their variance, the question and cautions."""
        listed = list(self.values())
        grid = estimate_grid([each.as_estimate() for each in listed], listed[0].confidence_level)
        shares = tuple(parts_text(each.parts) for each in listed)
        notes = [grid.caption, *dict.fromkeys(each.question for each in listed)]
        notes += dict.fromkeys(caution for each in listed for caution in each.cautions)
        caption = "\n".join(filter(None, notes))
        if not any(shares):
            return replace(grid, caption=caption)
        rows = tuple((*row, share) for row, share in zip(grid.rows, shares, strict=True))
        return Grid((*grid.headers, "shares of the variance"), rows, caption)


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class AlgorithmComparison(Comparison):
    """Difference of a metric between two learning algorithms, with its interval and the question that it answers.

    Parameters
    ----------
    a, b : Estimate
        Estimates of the first and the second algorithm.
    names : tuple of two str
        The names of the two algorithms.
    value, low, high, p_value, standard_error, confidence_level : float
        The difference, the limits of its interval, and the test of no difference, as in `Comparison`.
    metric, contrast, method, better, reason : str
        Their names, and why a number is undefined, as in `Comparison`.
    draws, rope, limits : None
        Parts of a `Comparison` by other methods.
    question : str
        The question that the interval answers.
    parts : tuple of Part
        Parts of the variance of the difference.
    degrees_of_freedom : float
        Degrees of freedom of Student's t; infinite for normal quantiles.
    cases, folds, runs : int
        Numbers of test cases, of folds of each run (0 for a shared test set), and of training runs of each algorithm.
    cautions : tuple of str
        Sentences for readers of the interval.

    Examples
    --------
    >>> import howsure as hs
    >>> data = hs.load_example("breast_cancer")
    >>> folds = hs.cross_validated("label", ["logistic", "forest"], data=data, fold="fold")
    >>> print(folds.compare("accuracy"))
    accuracy: logistic − forest = 0.014 [-0.001, 0.029], p = 0.073
    """

    question: str
    parts: tuple[Part, ...]
    degrees_of_freedom: float
    cases: int
    folds: int
    runs: int
    cautions: tuple[str, ...] = ()

    def __str__(self) -> str:
        text, shares = Comparison.__str__(self), parts_text(self.parts)
        return f"{text} ({shares})" if shares else text

    def __repr__(self) -> str:
        return f"AlgorithmComparison({self})"

    def sentence(self, style: Any = "card") -> str:
        """Return the comparison as sentences, with the question that the interval answers; see `Comparison.sentence`.

        Parameters
        ----------
        style : {"card", "clinical", "ml"}
            Style of the first sentence.
        """
        return f"{Comparison.sentence(self, style)} {answers(self)}"

    def to_dict(self) -> dict[str, Any]:
        """Return one flat record."""
        record = Comparison.to_dict(self)
        record |= {f"share_of_{part.source.replace(' ', '_')}": part.share for part in self.parts}
        record |= {name: getattr(self, name) for name in ("cases", "folds", "runs", "question")}
        return record | {"cautions": " ".join(self.cautions)}

    def parts_grid(self) -> Grid:
        """Return the parts of the variance as a table of strings."""
        return parts_grid(self.parts, self.standard_error)

    def _one_sided(self, null: float, *, above: bool) -> float:
        """Return the p-value of the difference not being above (or below) a value."""
        from scipy import special

        if not self.standard_error > 0:
            return math.nan
        t = (self.value - null) / self.standard_error * (1 if above else -1)
        infinite = math.isinf(self.degrees_of_freedom)
        return float(special.ndtr(-t) if infinite else special.stdtr(self.degrees_of_freedom, -t))


def sample_text(cases: int, folds: int, runs: int) -> str:
    """Return the numbers of cases, folds and runs as text."""
    text = f"{cases:,} cases"
    text += f" in {folds} folds" if folds else ""
    return f"{text}, {runs} runs" if runs > 1 else text


def answers(result: AlgorithmEstimate | AlgorithmComparison) -> str:
    """Return the sentences on the question and on the parts of the variance, and the cautions."""
    shares = parts_text(result.parts)
    said = [f"The interval answers: {result.question}", *([f"Shares of its variance: {shares}."] if shares else [])]
    return " ".join([*said, *result.cautions])
