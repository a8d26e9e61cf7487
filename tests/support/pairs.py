"""Two models that are right on stated numbers of cases."""

import numpy as np

import howsure as hs


def pair_of(both, first, second, neither):
    """Return the paired table of two models that are right this often together, alone, and not at all."""
    numbers = [both, first, second, neither]
    truth = np.arange(sum(numbers)) % 2
    right = np.repeat([[1, 1], [1, 0], [0, 1], [0, 0]], numbers, axis=0)
    said = np.where(right == 1, truth[:, None], 1 - truth[:, None])
    return hs.paired(truth, {"A": said[:, 0], "B": said[:, 1]}, labels=[0, 1])
