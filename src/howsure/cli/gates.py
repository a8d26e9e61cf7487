"""Gates for pipelines: ``--fail-under f1=0.9`` exits with code 1 unless the lower limit reaches the bound."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from howsure.cli.options import split
from howsure.errors import HowsureError
from howsure.escapes import printable

if TYPE_CHECKING:
    from howsure.estimates.estimate import Estimate

FailUnder = Annotated[list[str] | None, Parameter(name="--fail-under", consume_multiple=True)]
FAILED = 1  # exit code: the result was computed and does not reach the bound


def bounds(words: Sequence[str] | None) -> dict[str, float]:
    """Return the bound of each metric, from arguments such as ``f1=0.9`` or ``fbeta+beta=2=0.8``.

    Raises
    ------
    HowsureError
        If an argument has no metric or no number.
    """
    found = {}
    for word in split(words):
        metric, _, number = word.rpartition("=")
        try:
            found[metric] = float(number)
        except ValueError:
            metric = ""
        if not metric or found[metric] != found[metric]:
            message = f"`--fail-under` has {word!r}. Give a metric and a number, such as f1=0.9."
            raise HowsureError(message) from None
    return found


def hold(wanted: Mapping[str, float], found: Mapping[str, Sequence[Mapping[str, Estimate]]]) -> None:
    """End with exit code 1 unless each model's lower limits reach the bounds.

    Parameters
    ----------
    wanted : mapping of str to float
        Bounds by metric.
    found : mapping of str to sequence of Evaluation
        The evaluations of each model by name; the name is empty for a single model.

    Raises
    ------
    HowsureError
        If a metric was not evaluated.
    """
    end_where(
        f"{f'{model}: ' if model else ''}{each.label} is not shown to be {bound:g} or more: {each}"
        for model, evaluations in found.items()
        for metric, bound in wanted.items()
        for each in [_of(metric, evaluations)]
        if not each.low >= bound
    )


def _of(metric: str, evaluations: Sequence[Mapping[str, Estimate]]) -> Estimate:
    for evaluation in evaluations:
        if metric in evaluation:
            return evaluation[metric]
    names = ", ".join(name for evaluation in evaluations for name in evaluation)
    message = (
        f"`--fail-under` asks for '{metric}', which is not evaluated here: {names} are. Name it in `--metrics` too."
    )
    raise HowsureError(message)


def end_where(failures: Iterable[str]) -> None:
    """Print the failures, as annotations on GitHub, and exit with code 1 if there are any."""
    lines = [printable(each) for each in failures]
    if not lines:
        return
    start = "::error title=howsure::" if os.environ.get("GITHUB_ACTIONS") == "true" else "howsure: "
    sys.stdout.flush()
    sys.stderr.write("".join(f"{start}{each}\n" for each in lines))
    raise SystemExit(FAILED)
