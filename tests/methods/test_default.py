"""The choice of the default method, and its description in estimates."""

import numpy as np
import pytest

import howsure as hs
from howsure.methods.default import PREFERENCE, WHY


def test_every_default_method_says_why_it_is_taken():
    """An estimate states why its method is the default; for methods that are never the default it is empty."""
    table = hs.from_counts([[50, 3], [5, 42]])
    assert [each.name for each in PREFERENCE] == list(WHY)
    for metric in ("recall", "mcc", "dor"):
        found = hs.estimate(table, metric)
        assert found.why == WHY[found.method]
        assert found.why
    assert hs.estimate(table, "recall", method="clopper_pearson").why == ""


@pytest.mark.parametrize(
    "metric, method",
    [
        ("recall@geometric", "flow"),
        ("informedness@harmonic", "flow"),
        ("fnr@geometric", "delta"),  # of error rates, which are near zero
        ("pass_rate@harmonic", "delta"),  # of shares of all cases
        ("f1_gain@geometric", "delta"),
        ("lift@weighted", "flow"),
        ("lift@harmonic", "flow"),
        ("lift@macro", "delta"),
        ("nlr@macro", "flow"),
        ("precision_gain@weighted", "flow"),
        ("precision_gain@geometric", "delta"),
        ("quadratic_weighted_kappa", "flow"),
        ("weighted_kappa+power=3", "delta"),
        ("nlr@weighted", "delta"),
        ("plr@macro", "delta"),
        ("plr@binary+positive_class=1", "two_rates"),
        ("plr@max", "extremes"),
    ],
)
def test_averages_over_classes_have_the_method_that_was_seen_to_cover(metric, method):
    """Means of metrics where high is good use the flow; those of metrics near zero do not."""
    assert hs.estimate(hs.from_counts([[60, 5, 3], [4, 40, 16], [2, 1, 69]]), metric).method == method


def test_averages_of_two_classes_follow_from_two_rates_but_do_not_take_them_unasked():
    """A harmonic mean of error rates was seen to be covered less."""
    table = hs.from_counts([[50, 3], [5, 42]])
    assert hs.estimate(table, "fnr@harmonic").method == "delta"
    assert "two_rates" in hs.suitable_methods(table, "fnr@harmonic")


@pytest.mark.parametrize("metric", ["recall@geometric", "informedness@harmonic", "g_mean@geometric", "recall@harmonic"])
def test_they_cover_where_the_delta_method_does_not(metric):
    """For three classes, one of nine cases, 95 % intervals cover in 93 % of studies and more."""
    right = np.array([0.9, 0.95, 0.98])
    shares = np.array([0.03, 0.37, 0.6])[:, None] * (np.diag(right) + (1 - right)[:, None] * (1 - np.eye(3)) / 2)
    truth = hs.lab.Cells(shares, 300)
    plain, found = (
        hs.lab.coverage(metric, method, truth=truth, draws=800, random_state=0) for method in ("delta", "auto")
    )
    assert plain.coverage < 0.92
    assert found.coverage > 0.93
