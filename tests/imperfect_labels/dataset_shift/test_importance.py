"""Weights for another kind of cases."""

import numpy as np
import pytest

import howsure as hs
from howsure.errors import HowsureError


def test_the_effective_size_is_kishs():
    """With weights 1, 2 and 3, twenty times each, (Σw)² / Σw² is 120² / 280, and the heaviest share 3 / 120."""
    weights = hs.shift.importance_weights([1.0, 2.0, 3.0] * 20)
    assert weights.effective_size == pytest.approx(120**2 / 280)
    assert weights.largest_share == pytest.approx(3 / 120)
    assert np.asarray(weights).mean() == pytest.approx(1)
    assert weights.to_dict() == {"n": 60, "effective_size": weights.effective_size, "largest_share": 0.025}


def test_they_are_sample_weights():
    """Given as weights they make the table of the other population, from a column too."""
    rng = np.random.default_rng(0)
    truth, predicted, ratio = rng.integers(0, 2, 300), rng.integers(0, 2, 300), rng.gamma(3, size=300)
    weights = hs.shift.importance_weights("ratio", data={"ratio": ratio})
    found = hs.estimate(hs.confusion(truth, predicted, sample_weight=weights), "accuracy")
    assert found.value == pytest.approx(np.average(truth == predicted, weights=ratio))


def test_few_effective_cases_are_said():
    """Below 100 effective cases the weights have a note, and so does the report of a table weighted by them."""
    ratio = np.exp(1.5 * np.random.default_rng(0).normal(size=500))
    weights = hs.shift.importance_weights(ratio)
    assert weights.effective_size < 100
    assert "too narrow" in str(weights)
    table = hs.confusion(np.arange(500) % 2, np.arange(500) % 3 == 0, sample_weight=weights, labels=[0, 1])
    assert any("are as precise as" in each for each in table.cautions)
    alike = hs.confusion(np.arange(500) % 2, np.arange(500) % 3 == 0, sample_weight=np.ones(500), labels=[0, 1])
    assert not any("are as precise as" in each for each in alike.cautions)


@pytest.mark.parametrize(
    "ratio, words",
    [
        ([1e3, *[1.0] * 200], "one"),
        ([10.0, 1.0, 1.0, 1.0], "effective cases"),
        ([-1.0, 2.0], r"density_ratio\[0\]. = -1 is negative"),
        ([np.inf, 2.0], r"density_ratio\[0\]. = inf is not finite"),
        ([0.0, 0.0], "density_ratio. is all zeros"),
        (["a", "b"], "density_ratio. is not numeric"),
    ],
)
def test_hopeless_weights_are_refused(ratio, words):
    """Fewer than ten effective cases, most of the weight on one, and invalid weights give a one-line error."""
    with pytest.raises(HowsureError, match=words):
        hs.shift.importance_weights(ratio)


def test_ten_effective_cases_and_half_of_the_weight_are_still_taken():
    """The limits themselves are allowed: ten equal ratios, and one case with as much as a hundred others."""
    assert hs.shift.importance_weights([2.0] * 10).effective_size == 10
    with pytest.raises(HowsureError, match="effective cases"):
        hs.shift.importance_weights([2.0] * 9)


@pytest.mark.parametrize("number", [99, 100])
def test_a_hundred_effective_cases_are_enough(number):
    """Equal ratios are as many effective cases: a hundred carry no note, and one fewer does."""
    assert ("too narrow" in str(hs.shift.importance_weights([3.0] * number))) == (number == 99)
