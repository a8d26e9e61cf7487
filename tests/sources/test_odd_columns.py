"""Columns of odd kinds are refused in one line, also where several things are wrong at once."""

import numpy as np
import pytest

import howsure as hs
from howsure.errors import HowsureError

MASKED = np.ma.masked_array([5, 1], mask=[1, 0])
DAYS = np.array(["2024-01-01", "2024-01-02"], dtype="datetime64[D]")


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: hs.scores([], MASKED, sample_weight=range(3)), "`y_score` has 1 missing"),
        (lambda: hs.confusion([0, 1], [0, 1], sample_weight=DAYS), "`sample_weight` is not numeric"),
        (lambda: hs.calibrated([0.1, 0.9], every=np.zeros((0, 2))), "`every` is a period or a whole number"),
        (lambda: hs.calibrated([0.1, 0.9], every=True), "of at least 1, not True"),
        (
            lambda: hs.compat.classification_report_with_ci([1, 2], [1, 2], numerical_to_label_map=hs.values([1, 2])),
            "`numerical_to_label_map` is a mapping of labels to names, not ValuesTable",
        ),
    ],
)
def test_columns_that_are_none_are_told(call, words):
    """The line names the culprit."""
    with pytest.raises(HowsureError, match=words) as told:
        call()
    assert "\n" not in str(told.value)


def test_chunks_take_whole_numbers_of_any_kind():
    """A whole number of NumPy's is as good as one of Python's."""
    assert len(hs.calibrated([0.1, 0.9, 0.8], every=np.int64(2))) == 2
