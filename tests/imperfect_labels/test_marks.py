"""A mark for a missing label is no class, and its rows are not dropped."""

import numpy as np
import pytest

import howsure as hs

HUMAN = [1, 0, 1, 1, None, None, None, None] * 10
JUDGE = [1, 0, 0, 1, 1, 0, 1, 1] * 10
SCORE = np.tile([0.9, 0.2, 0.4, 0.8, 0.7, 0.3, 0.6, 0.9], 10)


def marked(mark, words=None):
    """Return the human labels with a mark for None, as numbers or as words."""
    return [mark if label is None else label if words is None else words[label] for label in HUMAN]


SOURCES = {
    "judged": lambda human, **more: hs.judged(human, JUDGE, **more),
    "judged_values": lambda human, **more: hs.judged_values(human, JUDGE, **more),
    "prediction_powered": lambda human, **more: hs.labels.prediction_powered(human, [*JUDGE], JUDGE, **more),
    "partly_labelled": lambda human, **more: hs.partly_labelled(human, JUDGE, SCORE, **more),
    "annotated": lambda human, **more: hs.labels.annotated({"a": human, "b": [*JUDGE], "c": [*JUDGE]}, JUDGE, **more),
}


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("mark", [-1, -99])
def test_a_number_for_a_missing_label(source, mark):
    """The numbers are those of None."""
    with pytest.raises(hs.HowsureError, match=f"holds {mark}, and .* Give None in these rows"):
        SOURCES[source](marked(mark))
    assert SOURCES[source](HUMAN) is not None


@pytest.mark.parametrize("mark", ["", "NA", "?", "unlabeled"])
def test_a_word_for_a_missing_label(mark):
    """Dropping the rows would drop the verdicts too, so that is no remedy."""
    verdicts = [("fail", "pass")[label] for label in JUDGE]
    with pytest.raises(hs.HowsureError, match="Give None in these rows"):
        hs.judged(marked(mark, ("fail", "pass")), verdicts)
    named = hs.judged(marked(None, ("fail", "pass")), verdicts)
    assert hs.estimate(named, "pass_rate") == hs.estimate(hs.judged(HUMAN, JUDGE), "pass_rate")


def test_classes_that_are_no_marks():
    """-1 is a class where the judge has it, where it is one of two, or where `labels` names it."""
    hs.judged([-1, 0, 1, None] * 10, [-1, 0, 1, 1] * 10)
    hs.judged([-1, 1, 1, None] * 10, [1, 1, 1, 1] * 10)
    hs.judged([-1, 0, 1, None] * 10, [0, 0, 1, 1] * 10, labels=[-1, 0, 1])
