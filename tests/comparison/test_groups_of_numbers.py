"""Groups whose names are numbers are compared like those with words."""

import numpy as np

import howsure as hs


def test_simultaneous_differences_of_groups_with_numbers():
    rng = np.random.default_rng(0)
    draws = {name: rng.normal(name, 1, 400) for name in (0, 1, 2)}
    found = hs.comparison.simultaneous_differences(draws, {0: 0.0, 1: 1.0, 2: 2.0})
    words = hs.comparison.simultaneous_differences(
        {str(name): each for name, each in draws.items()}, {"0": 0.0, "1": 1.0, "2": 2.0}
    )
    assert str(found) == str(words)
    truth, said = rng.integers(0, 2, 200), rng.integers(0, 2, 200)
    tables = hs.confusion(truth, said, by=rng.integers(0, 3, 200))
    assert "0 − 2" in str(
        hs.comparison.simultaneous_differences(hs.estimate(tables, "f1", method="bayes", random_state=0))
    )
