"""Matthews correlation of each class against the rest, and its averages."""

import numpy as np
import pytest
from sklearn.metrics import matthews_corrcoef

import howsure as hs

RNG = np.random.default_rng(1)
TRUTH = RNG.integers(0, 3, 300)
SAID = np.where(RNG.random(300) < 0.7, TRUTH, RNG.integers(0, 3, 300))
EACH = [matthews_corrcoef(*(np.equal(each, label) for each in (TRUTH, SAID))) for label in range(3)]


def test_averages_of_mcc_are_of_each_class_against_the_rest():
    """``mcc@macro`` averages scikit-learn's coefficient of each class against the rest, and ``mcc`` stays R_K."""
    table = hs.confusion(TRUTH, SAID)
    found = hs.evaluate(table, ["mcc", "mcc@macro", "mcc@min", "mcc@weighted", "mcc@none"])
    assert found["mcc"] == pytest.approx(matthews_corrcoef(TRUTH, SAID))
    assert found["mcc@macro"] == pytest.approx(np.mean(EACH))
    assert found["mcc@min"] == pytest.approx(min(EACH))
    assert found["mcc@weighted"] == pytest.approx(np.average(EACH, weights=np.bincount(TRUTH)))
    for label, each in enumerate(EACH):
        assert found[f"mcc@binary+positive_class={label}"] == pytest.approx(each)


def test_of_two_classes_all_are_one():
    """For two classes the average, either class and the whole table have one value and one interval."""
    table = hs.confusion(TRUTH > 0, SAID > 0)
    one = hs.estimate(table, "mcc")
    for spec in ("mcc@macro", "mcc@binary", "class_mcc"):
        each = hs.estimate(table, spec)
        assert (each, each.low, each.high) == pytest.approx((one, one.low, one.high), abs=1e-12)


def test_accuracy_takes_no_average_still():
    """Other metrics of the whole table refuse averages."""
    with pytest.raises(hs.HowsureError, match="takes no average"):
        hs.estimate(hs.confusion(TRUTH, SAID), "kappa@macro")
