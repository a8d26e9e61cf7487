"""Number of readers and cases of a reader study."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

from howsure.designs.base import RELATIVE_TOLERANCE
from howsure.errors import INVALID_ARGUMENT, HowsureError, checked_level, of_per_cent, real_number, whole_number
from howsure.grids import Grid, Tabular
from howsure.methods.core.standard_errors import quantile
from howsure.numbers import number, percent
from howsure.readers.reads import HILLIS

NESTED = "readers_in_modalities"
FEWEST, MOST_READERS, MOST_CASES = 2, 1_000, 10_000_000
TABLE = (3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 20)  # readers of a plan that leaves both open
ASK = (
    "Give two of `readers`, `cases` and a goal (`power` or `width`): the third is found. A goal alone gives a table of "
    "readers and cases."
)


class Pilot(Protocol):
    """The variance components that a plan needs; see `VarianceComponents`."""

    @property
    def reader(self) -> float:
        """Variance of the readers."""

    @property
    def modality_reader(self) -> float:
        """Variance of the readers' differences between modalities."""

    @property
    def error(self) -> float:
        """Variance of one reader's metric over samples of cases."""

    @property
    def cov1(self) -> float:
        """Covariance for one reader under two modalities."""

    @property
    def cov2(self) -> float:
        """Covariance for two readers under one modality."""

    @property
    def cov3(self) -> float:
        """Covariance for two readers under two modalities."""

    @property
    def cases(self) -> int:
        """Number of cases of the pilot."""

    @property
    def modalities(self) -> int:
        """Number of modalities of the pilot."""

    @property
    def difference(self) -> float:
        """Observed difference."""

    @property
    def freedom_power(self) -> float:
        """Power in the degrees of freedom of a difference."""

    @property
    def design(self) -> str:
        """Design of the pilot."""


@dataclass(frozen=True, slots=True)
class Size:
    """A study of so many readers and cases: the expected standard error, width and power."""

    readers: int
    cases: int
    standard_error: float
    degrees_of_freedom: float
    width: float
    power: float


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class ReaderPlan(Tabular):
    """Readers and cases of a study that compares two modalities.

    Parameters
    ----------
    sizes : tuple of Size
        The planned study; or one for each number of readers, where neither readers nor cases were given.
    true_value : float
        The assumed difference.
    margin : float
        The margin of non-inferiority; nan for a test of no difference.
    confidence_level : float
        Level of the intervals.
    is_mean : bool
        Whether the study is of one modality, and its interval that of the mean.

    Examples
    --------
    >>> import howsure as hs
    >>> pilot = hs.results.VarianceComponents(
    ...     modality_reader=0.00020, error=0.00080, cov1=0.00035, cov2=0.00034, cov3=0.00024, cases=114, readers=5
    ... )
    >>> found = pilot.plan(readers=8, power=0.8, true_value=0.05)
    >>> found.cases, round(found.power, 2)
    (130, 0.8)
    """

    sizes: tuple[Size, ...]
    true_value: float
    margin: float
    confidence_level: float
    is_mean: bool = False

    @property
    def readers(self) -> int:
        """Number of readers; the fewest of a table."""
        return self.sizes[0].readers

    @property
    def cases(self) -> int:
        """Number of cases with that many readers."""
        return self.sizes[0].cases

    @property
    def power(self) -> float:
        """Power of that study."""
        return self.sizes[0].power

    @property
    def width(self) -> float:
        """Expected width of that study's interval."""
        return self.sizes[0].width

    def records(self) -> list[dict[str, Any]]:
        """Return one flat dict per size."""
        return [
            {
                "readers": each.readers,
                "cases": each.cases,
                "power": each.power,
                "width": each.width,
                "standard_error": each.standard_error,
                "degrees_of_freedom": each.degrees_of_freedom,
                "true_value": self.true_value,
                "margin": None if math.isnan(self.margin) else self.margin,
                "confidence_level": self.confidence_level,
            }
            for each in self.sizes
        ]

    def grid(self) -> Grid:
        """Return a table of strings with one row per size."""
        rows = tuple(
            (f"{each.readers:,}", f"{each.cases:,}", number(each.power, 3), f"{each.width:.3g}") for each in self.sizes
        )
        headers = ("readers", "cases", "power", f"width of the {percent(self.confidence_level)} interval")
        return Grid(headers, rows, self.question)

    @property
    def question(self) -> str:
        """The claim that the study should show."""
        if self.is_mean:
            return "the mean over readers of one modality"
        claim = "a difference" if math.isnan(self.margin) else f"a difference above {-self.margin:g}"
        return f"power to show {claim}, if the true one is {self.true_value:.3g}"

    def sentence(self) -> str:
        """Return the plan as one sentence."""
        first = self.sizes[0]
        width = f"the expected width of the {percent(self.confidence_level)} interval is {first.width:.3g}"
        if self.is_mean:
            return f"With {first.readers:,} readers and {first.cases:,} cases {width}."
        power = self.question.replace("power", f"power of {first.power:.2f}")
        return f"{first.readers:,} readers and {first.cases:,} cases have a {power}; {width}."


def planned(
    pilot: Pilot,
    *,
    readers: int | None,
    cases: int | None,
    power: float | None,
    width: float | None,
    true_value: float | None,
    margin: float | None,
    confidence_level: float,
) -> ReaderPlan:
    """Return the plan; see `VarianceComponents.plan`."""
    level = checked_level(confidence_level)
    readers = None if readers is None else whole_number("readers", readers, FEWEST, MOST_READERS)
    cases = None if cases is None else whole_number("cases", cases, FEWEST, MOST_CASES)
    power, width = _share("power", power), None if width is None else _positive("width", width)
    far = math.nan if margin is None else _positive("margin", margin)
    is_goal, both = (power is None) != (width is None), readers is not None and cases is not None
    if is_goal == both or (power is not None and width is not None):
        raise HowsureError(ASK)
    _refuse_design(pilot, power, margin)
    _refuse_variances(pilot)
    value = _value(pilot, true_value, far)
    size_of(pilot, FEWEST, pilot.cases, value, far, level)  # refuses a pilot without variation before its difference
    if power is not None and value == 0 and margin is None:
        raise HowsureError(
            "No study shows a difference that is 0. State another `true_value`, or a `margin` of non-inferiority."
        )

    def size(of_readers: int, of_cases: int) -> Size:
        return size_of(pilot, of_readers, of_cases, value, far, level)

    def reaches(each: Size) -> bool:
        return each.power >= power if power is not None else each.width <= (width or math.inf)

    found: list[Size] = []
    if readers is not None and cases is not None:
        found = [size(readers, cases)]
    elif readers is not None:
        found = [_smallest(partial(size, readers), reaches, MOST_CASES, f"{readers:,} readers")]
    elif cases is not None:
        found = [_smallest(lambda number: size(number, cases), reaches, MOST_READERS, f"{cases:,} cases")]
    else:
        each = (_search(partial(size, number), reaches, MOST_CASES) for number in TABLE)
        found = [one for one in each if one is not None]
    if not found:
        raise HowsureError(
            f"No study of up to {TABLE[-1]} readers reaches the goal. Name `readers`, or a larger effect."
        )
    return ReaderPlan(
        sizes=tuple(found), true_value=value, margin=far, confidence_level=level, is_mean=pilot.modalities == 1
    )


def size_of(pilot: Pilot, readers: int, cases: int, value: float, margin: float, level: float) -> Size:
    """Return the expected results of a study.

    Covariances are in proportion to 1 / cases, with the pilot's proportion of positive cases. With r readers and the
    ratio c of the pilot's cases to the planned ones, the variance of a difference is ``2 / r (Var(τR) + c (Var − Cov1 +
    (r − 1)(Cov2 − Cov3)))``, or for r readers under each modality ``2 / r (Var(R) + c (Var − Cov2 + r (Cov2 −
    Cov3)))``; that of a mean is ``1 / r (Var(R) + c (Var + (r − 1) Cov2))``. The degrees of freedom are
    those of the analysis.

    Parameters
    ----------
    pilot : Pilot
        Variance components of the pilot.
    readers, cases : int
        The planned numbers.
    value, margin : float
        True difference; margin of non-inferiority, or nan.
    level : float
        Confidence level.
    """
    ratio, exponent = pilot.cases / cases, pilot.freedom_power
    shared = max(pilot.cov2 - pilot.cov3, 0.0)
    if pilot.modalities == 1:
        own, base, add, shared = pilot.reader, pilot.error - pilot.cov2, readers * pilot.cov2, 1.0
        factor, degrees_of_freedom, exponent = 1 / readers, readers - 1, HILLIS
    elif pilot.design == NESTED:
        own, base, add = pilot.reader, pilot.error - pilot.cov2, readers * shared
        factor, degrees_of_freedom = 2 / readers, 2 * (readers - 1)
    else:
        own, base, add = pilot.modality_reader, pilot.error - pilot.cov1 - shared, readers * shared
        factor, degrees_of_freedom = 2 / readers, readers - 1
    square = max(own, 0.0) + ratio * base  # expected mean square of the readers
    part = square + ratio * add
    _refuse_no_variance(part, ratio * pilot.error, "mean" if pilot.modalities == 1 else "difference")
    degrees = degrees_of_freedom * (part / square) ** exponent if square > 0 else math.inf
    error = math.sqrt(factor * part)
    spread = float(quantile(level, degrees))
    power = _power(abs(value) / error if math.isnan(margin) else value / error, margin / error, spread, degrees, level)
    return Size(readers, cases, error, degrees, 2 * spread * error, power)


def _power(centre: float, margin: float, spread: float, degrees: float, level: float) -> float:
    """Return the probability of a two-sided rejection of no difference, or of a one-sided one of minus the margin."""
    if math.isnan(centre):
        return math.nan
    if math.isnan(margin):
        found = 1 - _below(degrees, centre, spread) + _below(degrees, centre, -spread)
    else:
        found = 1 - _below(degrees, centre + margin, float(quantile(2 * level - 1, degrees)))
    return min(max(found, 0.0), 1.0)


def _below(degrees_of_freedom: float, centre: float, at: float) -> float:
    """Return the probability of a noncentral t below a value.

    SciPy's is undefined for infinite degrees of freedom and far in a tail; the normal approximation replaces it there.
    """
    from scipy import special

    found = math.nan if math.isinf(degrees_of_freedom) else float(special.nctdtr(degrees_of_freedom, centre, at))
    if not math.isnan(found):
        return found
    return float(
        special.ndtr(
            (at * (1 - 1 / (4 * degrees_of_freedom)) - centre) / math.sqrt(1 + at**2 / (2 * degrees_of_freedom))
        )
    )


def _refuse_design(pilot: Pilot, power: float | None, margin: float | None) -> None:
    if pilot.design not in {"factorial", NESTED}:
        raise HowsureError(
            f"A plan is for readers who all read all cases, and the pilot has the {pilot.design.replace('_', ' ')} "
            "design. State components of the planned design: `hs.results.VarianceComponents(…).plan(…)`."
        )
    if pilot.modalities == 1 and not (power is None and margin is None):
        raise HowsureError(
            "`power` and `margin` are for two modalities. Give `width`, that of the interval of the mean."
        )


def _refuse_variances(pilot: Pilot) -> None:
    """Refuse components that are no numbers, and a negative variance."""
    own = "reader" if pilot.design == NESTED else "modality_reader"
    needed = ["reader", "error", "cov2"] if pilot.modalities == 1 else [own, "error", "cov1", "cov2", "cov3"]
    for name in needed:
        if not math.isfinite(value := real_number(name, getattr(pilot, name))):
            raise HowsureError(
                f"`{name}` is {value:g}, and a plan needs this variance component. State it as a number.",
                INVALID_ARGUMENT,
            )
    if pilot.error < 0:
        raise HowsureError(
            f"`error` is the variance of one reader's metric, not {pilot.error:g}. State a positive number.",
            INVALID_ARGUMENT,
        )


def _refuse_no_variance(part: float, scale: float, what: str) -> None:
    """Refuse components whose difference or mean has no variance, apart from rounding errors, or a negative one."""
    if part > RELATIVE_TOLERANCE * scale:
        return
    raise HowsureError(
        f"By these components the {what} does not vary between studies, as if all readers agreed in all cases, so "
        "no number of readers and cases follows. State assumed components: `hs.results.VarianceComponents(…).plan(…)`.",
        "no-variation",
    )


def _value(pilot: Pilot, true_value: float | None, margin: float) -> float:
    if true_value is not None:
        return real_number("true_value", true_value)
    if not math.isnan(margin):
        return 0.0
    if math.isnan(pilot.difference) and pilot.modalities > 1:
        raise HowsureError("State the true difference that the study should show: `true_value=0.05`.")
    return pilot.difference


def _share(name: str, value: object) -> float | None:
    if value is None:
        return None
    found = real_number(name, value)
    if not 0 < found < 1:
        raise HowsureError(f"`{name}` lies between 0 and 1, not {found:g}.{of_per_cent(found)}")
    return found


def _positive(name: str, value: object) -> float:
    found = real_number(name, value)
    if not 0 < found < math.inf:
        raise HowsureError(f"`{name}` is a positive number, not {found:g}.")
    return found


def _smallest(size: Callable[[int], Size], reaches: Callable[[Size], bool], most: int, given: str) -> Size:
    found = _search(size, reaches, most)
    if found is None:
        best = size(most)
        raise HowsureError(
            f"{given} do not reach the goal with any number of the other: the power is at most {best.power:.3f} and "
            f"the width at least {best.width:.3g}. Give more of them, or a larger effect."
        )
    return found


def _search(size: Callable[[int], Size], reaches: Callable[[Size], bool], most: int) -> Size | None:
    """Return the smallest size that reaches the goal, by bisection; None if none does."""
    low, high = FEWEST, most
    if not reaches(size(high)):
        return None
    while low < high:
        middle = (low + high) // 2
        if reaches(size(middle)):
            high = middle
        else:
            low = middle + 1
    return size(high)
