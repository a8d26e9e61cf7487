"""Which of two classes is the positive one: the last of them, in every table."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from howsure.arrays import Array
from howsure.errors import DoubtfulDataError, HowsureError, one_label
from howsure.tables.labels import TWO, as_labels

PASSING = frozenset({
    "pass", "passed", "correct", "right", "accept", "accepted", "acceptable", "good", "grounded", "safe", "success",
    "successful", "supported", "faithful", "valid", "helpful", "relevant", "yes", "y", "true", "ok", "compliant",
})  # fmt: skip
FAILING = frozenset({
    "fail", "failed", "incorrect", "wrong", "reject", "rejected", "unacceptable", "bad", "ungrounded", "unsafe",
    "failure", "unsuccessful", "unsupported", "unfaithful", "invalid", "unhelpful", "irrelevant", "no", "n", "false",
    "hallucinated", "hallucination", "noncompliant",
})  # fmt: skip

PROBABILITY = frozenset({"p", "pr", "prob", "proba", "probs", "probability", "probabilities", "class", "of"})
SCORE = PROBABILITY | {"pred", "predicted", "prediction", "score", "scores", "confidence", "y"}


def passing(labels: Sequence[object]) -> Any:
    """Return the label that means a pass, if the other one means a failure; None for other labels.

    Examples
    --------
    >>> passing(["CORRECT", "INCORRECT"]), passing(["a", "b"])
    ('CORRECT', None)
    """
    words = [str(label).strip().casefold() for label in labels]
    good = [word in PASSING for word in words]
    if len(words) != TWO or sum(good) != 1 or words[good.index(False)] not in FAILING:
        return None
    return labels[good.index(True)]


def positive_class(present: Sequence[Any], pos_label: Any) -> Any:
    """Return the positive class named by ``pos_label``, in the type of the one or two classes.

    Raises
    ------
    HowsureError
        If it is not one of the two classes, or not a single label.
    """
    if np.ndim(pos_label):
        example = f", such as {present[-1]!r}" if len(present) else ""
        raise HowsureError(f"`pos_label` is {pos_label!r}; it is one class{example}.")
    pos_label = one_label("pos_label", pos_label)
    matching = [value for value in present if value == pos_label or str(value) == str(pos_label)]
    if matching:
        return matching[0]
    if len(present) == 1:  # all cases are negative
        return pos_label
    raise HowsureError.unknown("class", str(pos_label), map(str, present))


def refuse_score_of_other(y_score: object, classes: Array) -> None:
    """Refuse scores whose column is named after the negative class, such as ``p_no``.

    Parameters
    ----------
    y_score : object
        The scores: the name of a column, or a column with a name.
    classes : ndarray of shape (2,)
        The negative and the positive class.
    """
    name = y_score if isinstance(y_score, str) else getattr(y_score, "name", None)
    negative, positive = classes.tolist()
    if isinstance(name, str) and _named_after(name, negative) and not _named_after(name, positive):
        raise DoubtfulDataError(
            f"The scores '{name}' are named after the class {negative!r}, and the positive class is {positive!r}. Give "
            f"the scores of {positive!r}, or say pos_label={negative!r}."
        )


def _named_after(name: str, label: object) -> bool:
    """Whether the name of a column is a class, or that with words for a probability or a score."""
    words, wanted = (re.findall(r"[^\W\d_]+|\d+", str(each).casefold()) for each in (name, label))
    spared = PROBABILITY if all(map(str.isdecimal, wanted)) else SCORE
    return bool(wanted) and [word for word in words if word not in spared or word in wanted] == wanted


def positive_last(classes: Array, pos_label: object) -> Array:
    """Return two classes with the positive one last; unchanged if ``pos_label`` is None.

    Parameters
    ----------
    classes : ndarray of shape (1,) or (2,)
        The classes; a single one may be the positive or the negative class.
    pos_label : object, optional
        The positive one.

    Raises
    ------
    HowsureError
        If it is none of them, or there are more than two.

    Examples
    --------
    >>> positive_last(np.array(["ill", "well"]), "ill").tolist()
    ['well', 'ill']
    """
    if pos_label is None:
        return classes
    present = classes.tolist()
    if len(present) > 2:
        raise HowsureError(
            f"`pos_label` is for two classes, and there are {len(present)}. Name the class in the metric, "
            f"such as 'f1@binary+positive_class={pos_label}'."
        )
    positive = positive_class(present, pos_label)
    others = [label for label in present if label != positive]
    return as_labels([*(others or [opposite(positive)]), positive])


def positive_order(classes: Array, pos_label: object) -> Array:
    """Return the positions of two classes, the positive one last."""
    listed = classes.tolist()
    return np.array([listed.index(label) for label in positive_last(classes, pos_label).tolist()])


def opposite(label: object) -> Any:
    """Return a name for the negative class if only the positive class is known."""
    return 0 if label == 1 else f"not {label}"
