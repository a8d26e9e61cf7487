"""The metric at two tables, moved along its covariance."""

import numpy as np
import pytest
from scipy import stats

import howsure as hs
from howsure.errors import HowsureError
from howsure.methods.core.interval import CONSTANT
from howsure.metrics.binding import resolve

SOURCE = hs.from_counts([[900, 100], [50, 450]], labels=["ok", "fault"])
Z = 1.959963984540054


def test_of_a_linear_metric_it_is_the_normal_interval():
    """Accuracy is linear in the table, so its limits are z standard errors from it."""
    corrected = hs.labels.corrected(SOURCE, sensitivity=0.95, specificity=0.97)
    found = hs.estimate(corrected, "accuracy", method="least_favourable")
    half = Z * found.standard_error
    assert (found.low, found.high) == pytest.approx((found.value - half, found.value + half), rel=1e-6)


def test_it_is_that_of_the_share_where_the_share_decides():
    """With practically known rates, the limits of MCC are MCC at the limits of the class frequency."""
    rates = np.array([[0.9, 0.1], [0.1, 0.9]])
    there = hs.transported(hs.from_counts(np.rint(1e9 * rates)), {0: 8600, 1: 1400})
    share = hs.estimate(there, "prevalence", method="wald")
    found = hs.estimate(there, "mcc", method="least_favourable")

    def mcc(prevalence):
        return hs.estimate(
            hs.from_counts(np.rint(1e9 * np.array([1 - prevalence, prevalence])[:, None] * rates)), "mcc"
        ).value

    assert (found.low, found.high) == pytest.approx((mcc(share.low), mcc(share.high)), rel=2e-3)


def test_it_is_for_one_table_of_estimates():
    """Counted cases, many cells and jumping metrics are sent to other methods."""
    for table, metric in ((SOURCE, "mcc"), (hs.transported(SOURCE, {"ok": 1, "fault": 1}), "f1@min")):
        with pytest.raises(HowsureError, match=r"Use|Delta"):
            hs.estimate(table, metric, method="least_favourable")


def test_an_error_that_is_rounding_is_no_variation():
    """If judged cases have no information on a value of zero, its error is 0 or 1e-16, by rounding of weights."""
    human = np.where(np.arange(12) == 1, "b", "e")
    judge = np.where(np.arange(12) == 1, "0", "e")
    weight = np.where((np.arange(12) > 5) & (np.arange(12) < 9), 0.0, 1.0)
    found = {
        hs.estimate(
            hs.judged(human, judge, sample_weight=unit * weight, labels=["e", "b", "0"]),
            "log_nlr@weighted",
            method="least_favourable",
            confidence_level=0.999,
        ).reason
        for unit in (1.0, 0.1, 3.1, 7.3, 1e-6, 1000.0)
    }
    assert len(found) == 1


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_of_a_rate_of_one_sample_it_has_jeffreys_limits(level):
    """Recall is of one row of the source, whatever the class frequencies: a proportion, with few cases."""
    table = hs.transported(hs.from_counts([[27, 3], [9, 41]]), {0: 40, 1: 60})
    found = hs.estimate(table, "recall", method="least_favourable", confidence_level=level)
    tail = (1 - level) / 2
    assert found.value == 41 / 50
    assert (found.low, found.high) == pytest.approx((stats.beta(41.5, 9.5).ppf(tail), stats.beta(41.5, 9.5).isf(tail)))


def test_what_does_not_vary_has_the_reason():
    """The mean prevalence of two classes is one half in any table."""
    table = hs.transported(hs.from_counts([[27, 3], [9, 41]]), {0: 40, 1: 60})
    fixed = hs.methods.LeastFavourable().interval(resolve("prevalence@macro", table), table, 0.95)
    assert np.isnan([fixed.low, fixed.high]).all()
    assert fixed.reason == CONSTANT
