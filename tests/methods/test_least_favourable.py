"""The metric at two tables, moved along its covariance."""

import numpy as np
import pytest

import howsure as hs
from howsure.errors import HowsureError

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
