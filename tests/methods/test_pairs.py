"""Score intervals for paired shares equal published examples."""

import numpy as np
import pytest

import howsure as hs


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
