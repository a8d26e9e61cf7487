"""Score intervals for paired shares equal published examples."""

import numpy as np
import pytest

import howsure as hs
from howsure.methods.binomial import wilson


def table_of(both, first, second, neither):
    """Return the paired table of two models that are right so often together, alone, and not at all."""
    numbers = [both, first, second, neither]
    truth = np.arange(sum(numbers)) % 2
    right = np.repeat([[1, 1], [1, 0], [0, 1], [0, 0]], numbers, axis=0)
    said = np.where(right == 1, truth[:, None], 1 - truth[:, None])
    return hs.paired(truth, {"A": said[:, 0], "B": said[:, 1]}, labels=[0, 1])


@pytest.mark.parametrize(
    "counts, tango, newcombe",
    [
        ((59, 6, 16, 80), (-0.1240, -0.0054), (-0.1186, -0.0046)),  # Cavo et al. 2012
    ],
)
def test_intervals_of_published_examples(counts, tango, newcombe):
    """Tango's and Newcombe's intervals of Fagerland, Lydersen and Laake's examples (2014, 2017)."""
    table = table_of(*counts)
    for method, expected in (("tango", tango), ("newcombe_paired", newcombe)):
        found = hs.compare(table, "accuracy", method=method)
        assert (found.low, found.high) == pytest.approx(expected, abs=6e-5)


def test_a_correlation_within_its_continuity_correction_is_none():
    """Newcombe's φ is 0 where 0 ≤ ad − bc ≤ n / 2: the limits are those of independent Wilson intervals."""
    found = hs.compare(table_of(5, 4, 4, 4), "accuracy", method="newcombe_paired")  # 5·4 − 4·4 = 4, n / 2 = 8.5
    low, high = wilson(9, 17, 0.95)
    reach = np.hypot(9 / 17 - low, high - 9 / 17)
    assert (found.low, found.high) == pytest.approx((-reach, reach), rel=1e-9)
