"""The headline of a report: its main findings in a few sentences."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from howsure.comparison.result import Comparison
from howsure.estimates.estimate import Estimate
from howsure.metrics.descriptions import metric_words
from howsure.numbers import count_text, interval_text, number
from howsure.report.content import Texts
from howsure.report.evidence import Measured, Part, Shown
from howsure.report.lead import lead, main_place

UNSEEN = "all numbers are expectations under the scores, and are right only if the scores are calibrated."
MOST_MODELS = 3  # with a sentence each
MOST_NAMES = 5  # in a sentence


def main_metric(shown: Shown) -> Measured:
    """Return the main metric."""
    return shown.metrics[main_place([one.label for one in shown.metrics], is_usual=shown.part.is_usual)]


def headline(found: Sequence[Shown], compared: Mapping[str, object]) -> tuple[Texts, ...]:
    """Return the main result, a sentence for each model if there are few, and other notable results.

    Parameters
    ----------
    found : sequence of Shown
        The models, on all cases and on each group.
    compared : mapping
        Comparisons by name.
    """
    models = [each for each in found if not each.part.is_group]
    said: list[Texts] = []
    said += unseen([(each.part.model, each.part.is_labelled) for each in models])
    if len(models) > 1:
        said.append(_of_several(models, compared))
    if len(models) <= MOST_MODELS:
        said += [_of_one(each) for each in models]
    if len(models) == 1:
        said += _of_groups([each for each in found if each.part.is_group])
        said += [(each,) for each in _most_confused(models[0].part)]
    return tuple(said)


def unseen(models: Sequence[tuple[str, bool]]) -> list[Texts]:
    """Return a sentence about models without labels, given pairs of name and whether it has labels; else nothing."""
    found = [name for name, is_labelled in models if not is_labelled]
    names = f" ({', '.join(found)})" if len(models) > 1 else ""
    return [(f"No label of these cases was seen{names}: {UNSEEN}",)] if found else []


# --- one model ---------------------------------------------------------------------------------------------------


def _of_one(shown: Shown) -> Texts:
    return tuple(lead(shown.part, one) for one in main_metric(shown).at)


def _of_groups(groups: Sequence[Shown]) -> list[Texts]:
    """Return a sentence about the groups with the lowest and the highest value of the main metric."""
    known = [(each, main_metric(each)) for each in groups]
    known = [(each, one) for each, one in known if math.isfinite(one.value)]
    if len(known) < 2 or len({one.value for _, one in known}) < 2:
        return []
    ends = [pick(known, key=lambda each: each[1].value) for pick in (min, max)]
    by = " and ".join(known[0][0].part.group)
    texts = []
    for level in range(len(known[0][1].at)):
        low, high = (f"“{', '.join(each.part.group_words)}”, {_short(one.at[level])}" for each, one in ends)
        what = metric_words(known[0][1].label)
        texts.append(f"By {by}, {what} is lowest in {low}, and highest in {high}.")
    return [tuple(texts)]


def _short(each: Estimate) -> str:
    return f"{number(each.value, 2)} {interval_text(each.low, each.high, 2)}"


def _most_confused(part: Part) -> Iterator[str]:
    """Yield a sentence about the most frequent confusion, for three or more classes."""
    table = part.matrix
    if table is None or table.is_binary:
        return
    off = table.counts - np.diag(np.diag(table.counts))
    i, j = divmod(int(off.argmax()), len(off))
    if off[i, j] > 0:
        cases, total = count_text(off[i, j]), count_text(table.class_totals[i])
        yield f"Most often confused: {cases} of {total} “{table.labels[i]}” were taken for “{table.labels[j]}”."


# --- several models ----------------------------------------------------------------------------------------------


def _of_several(models: Sequence[Shown], compared: Mapping[str, object]) -> Texts:
    """Return a sentence about the order of the models; without comparisons, it states that none was made."""
    names = [each.part.model for each in models]
    said = standing(names, [each for each in compared.values() if isinstance(each, Comparison)])
    if said:
        return (said,)
    first = main_metric(models[0])
    values = {each.part.model: one.value for each in models for one in each.metrics if one.label == first.label}
    known = {name: value for name, value in values.items() if math.isfinite(value)}
    what = metric_words(first.label)
    if not known:
        return (f"{what} is undefined of all {len(names)} models.",)
    best = max(known, key=lambda name: known[name])
    answer = f"{best} has the highest {what} of {len(names)} models, {number(known[best], 2)}"
    return (f"{answer}; whether the models differ by more than chance was not compared.",)


def standing(names: Sequence[str], comparisons: Sequence[Comparison]) -> str:
    """Return a sentence about which models are better than others, and which cannot be distinguished.

    The sentence is based on pairwise comparisons in the first of several metrics. The order is made transitive: a model
    that is better than a second one is also better than the models below the second one.

    Parameters
    ----------
    names : sequence of str
        The models.
    comparisons : sequence of Comparison
        Comparisons of all pairs of the models; other comparisons are ignored.

    Returns
    -------
    str
        The sentence; empty if a pair of the models was not compared.

    Examples
    --------
    >>> import howsure as hs
    >>> said = {"A": [0, 1] * 39 + [1, 1], "B": [0, 1] * 38 + [1, 0] * 2, "C": [0, 0] * 40}
    >>> table = hs.paired([0, 1] * 40, said)
    >>> standing(["A", "B", "C"], list(hs.compare_all(table, "accuracy").values()))
    'A and B are ahead of C in accuracy; A and B do not differ significantly.'
    """
    metric = next((each.label for each in comparisons), "")
    pairs = {each.names: each for each in comparisons if each.label == metric and set(each.names) <= set(names)}
    if len({frozenset(pair) for pair in pairs}) < len(names) * (len(names) - 1) // 2:
        return ""
    places = {name: place for place, name in enumerate(names)}
    ahead = np.zeros((len(names), len(names)), dtype=bool)
    for (first, second), each in pairs.items():
        if each.is_settled:
            better = (each.value > each.null) == (each.better != "lower")
            winner, loser = (first, second) if better else (second, first)
            ahead[places[winner], places[loser]] = True
    for middle in range(len(names)):
        ahead |= np.outer(ahead[:, middle], ahead[middle])
    behind = np.asarray(ahead.any(axis=0))
    leading = [name for name, lost in zip(names, behind, strict=True) if not lost]
    beaten = [name for name, lost in zip(names, behind, strict=True) if lost]
    what = metric_words(metric) + (", where lower is better" if next(iter(pairs.values())).better == "lower" else "")
    tie = f"{listed(leading)} do not differ significantly"
    if not beaten:
        return f"{tie} in {what}."
    if ahead[~behind][:, behind].all():
        verb = "is" if len(leading) == 1 else "are"
        rest = f"; {tie}" if len(leading) > 1 else ""
        return f"{listed(leading)} {verb} ahead of {listed(beaten)} in {what}{rest}."
    verb = "is" if len(beaten) == 1 else "are"
    best = f"The best in {what} is one of {listed(leading)}, which do not differ significantly"
    return f"{best}; {listed(beaten)} {verb} behind at least one of them."


def listed(names: Sequence[str]) -> str:
    """Return names as a list in words; if there are many, the first ones and the number of the others."""
    shown = (
        list(names) if len(names) <= MOST_NAMES else [*names[: MOST_NAMES - 1], f"{len(names) - MOST_NAMES + 1} more"]
    )
    return " and ".join(filter(None, (", ".join(shown[:-1]), shown[-1])))
