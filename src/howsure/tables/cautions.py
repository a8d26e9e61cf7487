"""What looks wrong in counts that were taken as they are: a line each, with what to look at.

Each costs time in the number of cells or of classes, not of cases, and is certain: nothing here is a guess from a rate.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from howsure.errors import listed
from howsure.tables.counts import ClassCounts

FEW_EFFECTIVE = 100  # cases, up to which intervals of importance-weighted cases hold the truth in 88 to 92 %
POSITIVE_WORDS = frozenset(
    [
        "+",
        "positive",
        "pos",
        "p",
        "yes",
        "y",
        "true",
        "t",
        "present",
        "detected",
        "disease",
        "diseased",
        "ill",
        "sick",
        "case",
        "cases",
        "patient",
        "infected",
        "abnormal",
        "cancer",
        "carcinoma",
        "malignant",
        "tumor",
        "tumour",
        "lesion",
        "pathological",
        "pathologic",
        "anomaly",
        "anomalous",
        "attack",
        "fraud",
        "fraudulent",
        "spam",
        "malware",
        "malicious",
        "defect",
        "defective",
        "faulty",
        "failure",
        "bad",
        "dead",
        "died",
        "deceased",
        "death",
        "event",
        "churn",
        "churned",
        "default",
        "toxic",
        "hate",
        "offensive",
        "abusive",
        "harmful",
        "unsafe",
        "phishing",
        "fake",
        "hit",
        "correct",
        "relevant",
        "responder",
        "high",
        "active",
        "hotdog",
        "on",
        "reactive",
        "mutant",
        "krank",
        "positiv",
        "ja",
        "altered",
        "affected",
        "exposed",
        "treated",
    ]
)
NEGATIVE_WORDS = frozenset(
    [
        "-",
        "−",
        "–",
        "negative",
        "neg",
        "n",
        "no",
        "false",
        "f",
        "absent",
        "undetected",
        "healthy",
        "health",
        "well",
        "control",
        "controls",
        "normal",
        "uninfected",
        "benign",
        "legit",
        "legitimate",
        "genuine",
        "ham",
        "ok",
        "good",
        "intact",
        "sound",
        "alive",
        "survived",
        "survivor",
        "survival",
        "none",
        "retained",
        "stayed",
        "loyal",
        "paid",
        "repaid",
        "neutral",
        "safe",
        "clean",
        "nontoxic",
        "real",
        "miss",
        "incorrect",
        "wrong",
        "irrelevant",
        "nonresponder",
        "low",
        "inactive",
        "off",
        "nonreactive",
        "wildtype",
        "gesund",
        "negativ",
        "nein",
        "unaltered",
        "unaffected",
        "unexposed",
        "untreated",
        "regular",
        "other",
        "wt",
        "background",
    ]
)
IGNORED = frozenset({-1, 255, -100})  # marks of cases to be left out, in image segmentation
TAG = re.compile(r"[BIMELSU]-\S+")  # of a token of an entity, as in IOB2, IOBES and BILOU
MOST_CLASSES = 2000  # beyond which labels are taken for identifiers, or for text


def of_positive(negative: object, positive: object) -> Iterator[str]:
    """Say that of two words the first one is usually the positive class.

    Parameters
    ----------
    negative, positive : object
        The classes, in order, where the caller did not say which one is positive.
    """
    first, last = (" ".join(str(label).strip().casefold().replace("_", " ").split()) for label in (negative, positive))
    if (first in POSITIVE_WORDS and last in NEGATIVE_WORDS) or _denies(last, first):
        yield (
            f"The positive class is “{positive}”, the last label, although “{negative}” looks like the positive one. "
            f"Say which: pos_label={negative!r} or pos_label={positive!r}."
        )


def _denies(last: str, first: str) -> bool:
    """Whether the last label negates the first: not x, no x, non-x; or ends in a minus where the first has a plus."""
    negations = {f"{word}{mark}{first}" for word in ("no", "not", "non", "without") for mark in (" ", "-", "")}
    return last in negations or (first[-1:] == "+" and last[-1:] in {"-", "−", "–"} and first[:-1] == last[:-1])


def of_labels(labels: NDArray[np.generic], noun: str) -> Iterator[str]:
    """Say which labels are one but for case, blanks or type, and that there are very many."""
    if len(labels) > MOST_CLASSES:
        yield f"There are {len(labels):,} {noun}: look whether the column holds identifiers or free text."
    known: dict[str, list[object]] = {}
    for label in labels.tolist():
        known.setdefault("".join(str(label).split()).casefold(), []).append(label)
    alike = [label for each in known.values() if len(each) > 1 for label in each]
    if alike:
        yield (
            f"Some {noun} differ only in case, in blanks, or in being text or a number ({listed(alike)}): look whether "
            "they mean the same, for they count as errors for one another."
        )


def of_classes(counted: ClassCounts, labels: NDArray[np.generic]) -> Iterator[str]:
    """Say whether no case is right, or every case, or every case is predicted alike; and which classes never occur."""
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
    for label in labels[said & ~occurs].tolist():
        yield f"Class “{label}” is predicted and never occurs: look for a misspelt label, or for cases left out."


def of_tags(labels: NDArray[np.generic]) -> Iterator[str]:
    """Say that classes are tags of tokens, of which no metric is one of entities."""
    names = [label for label in labels.tolist() if label != "O"]
    if len(names) < len(labels) and names and all(isinstance(each, str) and TAG.fullmatch(each) for each in names):
        yield (
            "The classes are tags of tokens, and metrics of tokens are not those of entities. For these give the tags "
            "of each document: `entities(y_true, y_pred)`."
        )


def of_weights(effective: float, rows: int) -> Iterator[str]:
    """Say that weights leave few cases, and of how many."""
    if effective < min(FEW_EFFECTIVE, rows / 2):
        yield (
            f"The weights are so unequal that {rows:,} cases tell as much as {effective:,.1f} of equal weight (Kish's "
            "effective size): intervals are too narrow."
        )


def of_scores(scores: NDArray[np.floating], rows: int) -> Iterator[str]:
    """Say that distinct scores are so few that they look like predictions."""
    if rows > len(scores) and len(scores) <= 2:
        shown = " and ".join(f"{score:g}" for score in scores)
        yield f"The only scores are {shown}: look whether they are predictions, and give the scores behind them."


def of_bins(counts: NDArray[np.floating], spread: NDArray[np.floating]) -> Iterator[str]:
    """Say that scores were counted in bins, and by how much that can move the area under the ROC curve.

    Of the pairs of a negative and a positive case of one bin half count as won: at worst all, or none, are.
    """
    negative, positive = counts[spread > 0].T
    most = float(negative @ positive) / 2 / float(np.prod(counts.sum(0)) or 1.0)
    yield (
        f"Scores were counted in bins, and differ by up to {spread.max():.2g} within one: this moves ROC AUC by "
        f"{most:.1g} at most. To count them as they are, say `exact=True`."
    )
