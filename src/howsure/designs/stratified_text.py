"""Sentences about samples from strata of known size, for readers of the intervals."""

from __future__ import annotations

from collections.abc import Sequence

from howsure.arrays import Array

MOST_NAMED = 8  # strata that a sentence lists


def sample_of_strata(observed: str, number: int, noun: str) -> str:
    """Return the number of strata as text, after the text on the design of the observed cells."""
    strata = f"{number:,} {'stratum' if number == 1 else 'strata'}"
    said = "at stated class frequencies" if noun == "classes" else f"from {strata} of known size"
    return f"{observed}, {said}" if observed else said


def caveats_of_strata(
    names: Sequence[object], share: Array, noun: str, *, is_finite: bool, single: Array
) -> tuple[str, ...]:
    """Return sentences on the weights of cases, strata with a single case, and a finite population.

    Parameters
    ----------
    names : sequence
        Names of the strata.
    share : ndarray of shape (S,)
        Fraction of the population in each stratum.
    noun : str
        Noun for the strata: "strata" or "classes".
    is_finite : bool
        Whether the population is finite.
    single : ndarray of shape (S,)
        Which strata have a single case and were not fully sampled.
    """
    shares = ", ".join(f"{name} {part:.3g}" for name, part in zip(names, share, strict=True))
    listed = f" ({shares})" if len(share) <= MOST_NAMED else ""
    if noun == "classes":
        found = [f"The classes count as often as is stated{listed}, not as in the sample; the intervals are of that."]
    else:
        found = [
            (
                f"The cases come from {len(share):,} strata of known size{listed}, and count in proportion to these; "
                "the intervals take this into account."
            )
        ]
    if is_finite:
        found.append("The population is finite: the intervals are of its cases as they are, not of others like them.")
    alone = [str(name) for name, is_single in zip(names, single, strict=True) if is_single]
    return (*found, *caveat_of_single(alone, "case"))


def caveat_of_single(names: Sequence[str], unit: str) -> tuple[str, ...]:
    """Return the sentence about strata with these names that have a single unit; none without such strata.

    Parameters
    ----------
    names : sequence of str
        Names of the strata.
    unit : str
        Noun for the unit: "case" or "cluster".
    """
    if not names:
        return ()
    message = (
        f"A stratum with one {unit} shows no variation ({', '.join(names[:MOST_NAMED])}): its distance to the mean of "
        "all is taken. Merge such strata with others."
    )
    return (message,)
