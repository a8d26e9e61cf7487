"""Warnings about suspicious counts: one line each, with the part of the data to check.

The time of each check depends on the number of cells or classes, not of cases. Each warning states a certain fact; none
is a guess from a rate.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from howsure.arrays import Array
from howsure.errors import listed
from howsure.names import word_set
from howsure.tables.counts import ClassCounts
from howsure.tables.labels import numbers_in_text

MANY_SCORES = 20  # with so many cases some probability of the positive class is below one half
FEW_EFFECTIVE = 100  # effective cases, up to which intervals of importance-weighted cases have a coverage of 88 to 92 %
POSITIVE_WORDS = word_set(
    """
    1 + positive pos p yes y true t present detected on high active reactive hit correct relevant responder event
    disease diseased ill sick case cases patient infected abnormal cancer carcinoma malignant tumor tumour lesion
    pathological pathologic mutant altered affected exposed treated dead died deceased death
    anomaly anomalous attack fraud fraudulent fake spam phishing malware malicious toxic hate offensive abusive harmful
    unsafe defect defective faulty failure bad churn churned default hotdog
    krank positiv positivo ja
    """
)
NEGATIVE_WORDS = word_set(
    """
    0 - − – negative neg n no false f absent undetected off low inactive nonreactive miss incorrect wrong irrelevant
    nonresponder healthy health well control controls normal uninfected benign wildtype wt unaltered
    unaffected unexposed untreated alive survived survivor survival
    legit legitimate genuine real ham ok good clean safe nontoxic neutral regular intact sound
    retained stayed loyal paid repaid none other background
    gesund negativ negativo nein
    """
)
IGNORED = frozenset({-1, 255, -100})  # labels of ignored cases in image segmentation
UNMATCHED = frozenset({"background", "background fn", "background fp", "no object", "none"})  # of detectors
TAG = re.compile(r"[BIMELSU]-\S+")  # prefixes of tags of entities, as in IOB2, IOBES and BILOU
PLACEHOLDERS = word_set("? * - -- — . missing unknown n.a. unlabeled unlabelled") | {"not available", "not known"}
OPEN_SET = frozenset({"unknown", "not known"})  # which may be a class that a model does not have
TWO_CLASSES = 2
MANY_CASES = 20  # with this many cases a class of three does not lack in either column
SENTINELS = frozenset({-999, -100, -99, -9, -1, 9, 99, 999, 9999})  # numbers for missing values in files
MOST_CLASSES = 2000  # limits beyond which labels are probably identifiers, or text


def of_positive(negative: object, positive: object) -> Iterator[str]:
    """Warn if the first of two words is usually the positive class.

    Parameters
    ----------
    negative, positive : object
        The classes, in order, if the caller did not name the positive one.
    """
    first, last = (" ".join(str(label).strip().casefold().replace("_", " ").split()) for label in (negative, positive))
    if (first in POSITIVE_WORDS and last in NEGATIVE_WORDS) or _denies(last, first):
        yield (
            f"The positive class is “{positive}”, the last label, although “{negative}” looks like the positive one. "
            f"Say which: pos_label={negative!r} or pos_label={positive!r}."
        )


def positive_doubts(labels: Sequence[object], positive: str, *, is_ordered: bool) -> tuple[str, ...]:
    """Return a caution where nobody named the positive class and the words suggest the other one.

    Parameters
    ----------
    labels : sequence
        The classes, in order.
    positive : str
        The positive class; empty if there is none.
    is_ordered : bool
        Whether the order of the classes is stated.
    """
    return tuple(of_positive(*labels)) if positive and not is_ordered else ()


def _denies(last: str, first: str) -> bool:
    """Whether the last label negates the first: not x, no x, non-x; or ends in a minus where the first has a plus."""
    negations = {f"{word}{mark}{first}" for word in ("no", "not", "non", "without") for mark in (" ", "-", "")}
    return last in negations or (first[-1:] == "+" and last[-1:] in {"-", "−", "–"} and first[:-1] == last[:-1])


def of_labels(labels: Array, noun: str) -> Iterator[str]:
    """Warn about labels that differ only in case, blanks or type, and about very many labels."""
    if len(labels) > MOST_CLASSES:
        yield f"There are {len(labels):,} {noun}: look whether the column holds identifiers or free text."
    words = {str(label).strip().casefold(): label for label in labels.tolist()}
    if "+" not in words and (found := [words[word] for word in sorted(PLACEHOLDERS & set(words))]):
        yield (
            f"Among the {noun} are words for missing values ({listed(found)}), which count like any other. Leave these "
            "rows out, or name the others, `labels=`."
        )
    if found := _sentinels(labels.tolist()):
        yield (
            f"Among the {noun} are numbers far from the others ({listed(found)}), which count like any other: look "
            "whether they stand for missing values. Then leave these rows out, or give None as the rating."
        )
    known: dict[str, list[object]] = {}
    for label in labels.tolist():
        known.setdefault("".join(str(label).split()).casefold(), []).append(label)
    alike = [label for each in known.values() if len(each) > 1 for label in each]
    if alike:
        yield (
            f"Some {noun} differ only in case, in blanks, or in being text or a number ({listed(alike)}): look whether "
            "they mean the same, for they count as errors for one another."
        )


def marks_of_missing(labels: Sequence[Any], absent: Sequence[Any], cases: int) -> list[Any]:
    """Return the labels that stand for missing ones, among true labels that are never predicted.

    Parameters
    ----------
    labels : sequence
        All labels.
    absent : sequence
        True labels that are never predicted.
    cases : int
        Number of cases; among few of them the first of three numbers may be a class that was not predicted.
    """
    others = [label for label in labels if label not in absent]
    if len(others) < TWO_CLASSES or "+" in others:
        return []
    words = [label for label in absent if str(label).strip().casefold() in PLACEHOLDERS - OPEN_SET]
    numbers = [label for label in absent if isinstance(label, int) and label in IGNORED and cases >= MANY_CASES]
    are_codes = sorted(others, key=str) == sorted(range(len(others)), key=str)
    far = [label for label in _sentinels([*labels]) if label in absent]
    return words + (numbers if are_codes else []) + far


def _sentinels(labels: list[Any]) -> list[Any]:
    """Return the labels that are usual numbers for missing values, and lie beyond the scale of the other numbers.

    A scale has two successive numbers. A number lies beyond it if it is not the next one, and its distance is at least
    the largest between neighbours of the scale.
    """
    numbers = numbers_in_text(labels) or labels
    if not all(isinstance(each, int | float) and each == each // 1 for each in numbers):
        return []
    scale = sorted(each for each in numbers if each not in SENTINELS)
    steps = [high - low for low, high in pairwise(scale)]
    if 1 not in steps:
        return []
    least = max(2, *steps)
    return [
        label
        for label, each in zip(labels, numbers, strict=True)
        if each in SENTINELS and (each <= scale[0] - least or each >= scale[-1] + least)
    ]


def of_classes(counted: ClassCounts, labels: Array) -> Iterator[str]:
    """Warn if no or every case is correct, if all predictions are equal, and about classes that never occur."""
    hits, true, predicted = counted.hits, counted.rows, counted.columns
    if not hits.any():
        yield "No case is right: look whether both columns are of the same cases, in the same codes."
    elif (hits == true).all() and (hits == predicted).all():
        yield "Every case is right: look whether the model, or the column of its predictions, was made from the labels."
    said, occurs = predicted > 0, true > 0
    if said.sum() == 1 and occurs.sum() > 1:
        only = labels[said].tolist()[0]
        yield f"Every case is predicted “{only}”: look at the threshold, and whether the model learnt anything else."
    numbers = [label for label in labels.tolist() if isinstance(label, int) and not isinstance(label, bool)]
    for label in set(labels[occurs & ~said].tolist()) & IGNORED if len(numbers) == len(labels) else ():
        if sorted({*numbers} - {label}) == list(range(len(numbers) - 1)):
            yield (
                f"Class “{label}” occurs and is never predicted: it may mark cases to be left out. Then name the other "
                "classes, `labels=`."
            )
    for label in labels[occurs & said & (hits == 0)].tolist():
        if str(label).strip().casefold() in UNMATCHED and hits.any():
            yield (
                f"Class “{label}” occurs and is predicted, and never both: missed and false boxes of a detector, it "
                "seems. Metrics of all classes count it as a class, metrics of one other class are right."
            )
    for label in labels[said & ~occurs].tolist():
        yield f"Class “{label}” is predicted and never occurs: look for a misspelt label, or for cases left out."


def of_tags(labels: Array) -> Iterator[str]:
    """Warn if classes are tags of tokens, because metrics of tokens are not metrics of entities."""
    names = [label for label in labels.tolist() if label != "O"]
    if len(names) < len(labels) and names and all(isinstance(each, str) and TAG.fullmatch(each) for each in names):
        yield (
            "The classes are tags of tokens, and metrics of tokens are not those of entities. For these give the tags "
            "of each document: `entities(y_true, y_pred)`."
        )


def of_weights(effective: float, rows: int) -> Iterator[str]:
    """Warn about a small effective sample size of weighted cases."""
    if effective < min(FEW_EFFECTIVE, rows / 2):
        yield (
            f"The weights are so unequal that {rows:,} cases are as precise as {effective:,.1f} of equal weight "
            "(Kish's effective size): intervals are too narrow."
        )


def of_scores(scores: Array, rows: int) -> Iterator[str]:
    """Warn about scores that are probably predictions, or probabilities of the predicted class."""
    if rows > len(scores) and len(scores) <= 2:
        shown = " and ".join(f"{score:g}" for score in scores)
        yield f"The only scores are {shown}: look whether they are predictions, and give the scores behind them."
    elif rows >= MANY_SCORES and scores.min() >= 1 / 2 and scores.max() <= 1:
        yield (
            "No score is below 0.5: look whether they are probabilities of the predicted class, and give those of the "
            "positive class, `np.where(predicted == positive, score, 1 - score)`."
        )


def of_bins(counts: Array, spread: Array) -> Iterator[str]:
    """Warn about scores counted in bins, with the largest resulting error of the area under the ROC curve.

    Half of the pairs of a negative and a positive case in one bin count as wins; in the worst case all or none are.
    """
    negative, positive = counts[spread > 0].T
    most = float(negative @ positive) / 2 / float(np.prod(counts.sum(0)) or 1.0)
    yield (
        f"Scores were counted in bins, and differ by up to {spread.max():.2g} within one bin. This changes ROC AUC by "
        f"{most:.1g} at most. Pass `exact=True` to count all scores individually."
    )
