"""Gates for pipelines: a command ends with code 1 unless the limit of each metric reaches its bound.

``--fail-under f1=0.9`` is for metrics where higher is better, and ``--fail-over brier_score=0.1`` for the others.
"""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from howsure.cli.options import split
from howsure.errors import HowsureError
from howsure.escapes import printable

if TYPE_CHECKING:
    from howsure.estimates.estimate import Estimate

UNDER, OVER = "--fail-under", "--fail-over"
FailUnder = Annotated[list[str] | None, Parameter(name=UNDER, consume_multiple=True)]
FailOver = Annotated[
    list[str] | None,
    Parameter(
        name=OVER,
        consume_multiple=True,
        help=(
            "The same for metrics where lower is better: unless the upper limit is at most this bound, such as fpr=0.1."
        ),
    ),
]
FAILED = 1  # exit code: the result was computed and does not reach the bound
PER_CENT = 100


@dataclass(frozen=True, slots=True)
class Bound:
    """A bound of a metric: of its lower limit, or of the upper one if lower values are better."""

    option: str
    metric: str
    number: float

    @property
    def is_upper(self) -> bool:
        """Whether the upper limit must reach it."""
        return self.option == OVER

    def failure(self, found: Estimate) -> str:
        """Return why an estimate does not reach the bound; empty if it does."""
        self._check(found)
        reached = found.high <= self.number if self.is_upper else found.low >= self.number
        way = "less" if self.is_upper else "more"
        return "" if reached else f"{found.label} is not shown to be {self.number:g} or {way}: {found}"

    def _check(self, found: Estimate) -> None:
        """Refuse a bound that cannot be missed, or cannot be reached."""
        from howsure.metrics.spec import parse

        better = parse(found.metric).definition.better
        if better != "neither" and self.is_upper != (better == "lower"):
            way, other = ("higher", UNDER) if self.is_upper else ("lower", OVER)
            raise HowsureError(f"A {way} {found.label} is better. Give its bound to `{other}`.")
        refuse_beyond({f"{self.option} {self.metric}": self.number}, [found])


def bounds(under: Sequence[str] | None, over: Sequence[str] | None) -> list[Bound]:
    """Return the bounds from arguments such as ``f1=0.9`` or ``fbeta+beta=2=0.8``.

    Raises
    ------
    HowsureError
        If an argument has no metric or no number.
    """
    found = []
    for option, words in ((UNDER, under), (OVER, over)):
        for word in split(words):
            metric, _, text = word.rpartition("=")
            with suppress(ValueError):
                bound = Bound(option, metric, float(text))
                if metric and not math.isnan(bound.number):
                    found.append(bound)
                    continue
            raise HowsureError(f"`{option}` has {word!r}. Give a metric and a number, such as f1=0.9.")
    return found


def hold(wanted: Sequence[Bound], found: Mapping[str, Sequence[Mapping[str, Estimate]]]) -> None:
    """End with exit code 1 unless each model's limits reach the bounds.

    Parameters
    ----------
    wanted : sequence of Bound
        The bounds.
    found : mapping of str to sequence of Evaluation
        The evaluations of each model by name; the name is empty for a single model.

    Raises
    ------
    HowsureError
        If a metric was not evaluated, or a bound is of the other side or outside the range of the metric.
    """
    failures = [
        (model, bound.failure(_of(bound, evaluations))) for model, evaluations in found.items() for bound in wanted
    ]
    end_where(f"{f'{model}: ' if model else ''}{failure}" for model, failure in failures if failure)


def refuse_beyond(stated: Mapping[str, float | None], found: Iterable[Estimate]) -> None:
    """Refuse bounds and margins that no value, or difference, of the estimates can reach or miss.

    Parameters
    ----------
    stated : mapping of str to float or None
        The number of each option.
    found : iterable of Estimate
        The estimates; one whose range contains the number is enough.
    """
    ranges = [each.bounds for each in found]
    for option, number in stated.items():
        if number is None or not ranges or any(low <= number <= high for low, high in ranges):
            continue
        low, high = ranges[0]
        hint = f" Did you mean {number / PER_CENT:g}?" if low <= number / PER_CENT <= high else ""
        raise HowsureError(f"`{option}` is {number:g}, and the values are from {low:g} to {high:g}.{hint}")


def _of(bound: Bound, evaluations: Sequence[Mapping[str, Estimate]]) -> Estimate:
    for evaluation in evaluations:
        if bound.metric in evaluation:
            return evaluation[bound.metric]
    names = ", ".join(name for evaluation in evaluations for name in evaluation)
    raise HowsureError(
        f"'{bound.metric}' of `{bound.option}` is not among the metrics: {names}. Name it in `--metrics` too."
    )


def end_where(failures: Iterable[str]) -> None:
    """Print the failures, as annotations on GitHub, and exit with code 1 if there are any."""
    lines = [printable(each) for each in failures]
    if not lines:
        return
    start = "::error title=howsure::" if os.environ.get("GITHUB_ACTIONS") == "true" else "howsure: "
    sys.stdout.flush()
    sys.stderr.write("".join(f"{start}{each}\n" for each in lines))
    raise SystemExit(FAILED)
