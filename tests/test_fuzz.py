"""Random data, questions and hostile arguments: an answer that makes sense, or one line of our error."""

import pytest

from support.fuzz import faults_of

SEEDS = 600
CHUNK = 50


@pytest.mark.parametrize("first", range(0, SEEDS, CHUNK))
def test_answers_make_sense(first):
    """Limits contain the value in the range, nan has a reason, order and units have no effect; misuse is refused."""
    faults = [fault for seed in range(first, first + CHUNK) for fault in faults_of(seed)]
    assert not faults, "\n".join(faults)
