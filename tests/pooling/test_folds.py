"""The mean over folds, and tables added up."""

import math

import numpy as np
import pytest
from scipy import stats

import howsure as hs


def test_corrected_interval_by_hand():
    """The interval is the mean ± t · s · sqrt(1/k + n_test/n_train), for five folds sqrt(1/5 + 1/4)."""
    values = np.array([0.81, 0.86, 0.79, 0.84, 0.83])
    estimate = hs.pool_folds(values)
    half = stats.t.ppf(0.975, 4) * values.std(ddof=1) * math.sqrt(1 / 5 + 1 / 4)
    assert (estimate.value, estimate.low, estimate.high) == pytest.approx(
        (values.mean(), values.mean() - half, values.mean() + half)
    )


def test_repeated_splits_name_their_share():
    """Ten repetitions of five folds test on a fifth each: n_test/n_train stays 1/4, for any number of values."""
    values = np.random.default_rng(0).normal(0.8, 0.02, 50)
    estimate = hs.pool_folds(values, test_share=0.2)
    assert estimate.standard_error == pytest.approx(values.std(ddof=1) * math.sqrt(1 / 50 + 1 / 4))


def test_scale_keeps_the_range():
    """On the logit scale the interval of folds near 1 stays below 1, where the plain one does not."""
    values = [0.99, 0.97, 0.999, 0.95, 0.98]
    assert hs.pool_folds(values).high > 1 > hs.pool_folds(values, scale="logit").high


@pytest.mark.parametrize("values, words", [([0.8], "one fold"), ([0.8, 0.8, 0.8], "same value")])
def test_no_scatter_no_interval(values, words):
    """One fold, or folds that all agree, have a value but no interval, with a reason."""
    estimate = hs.pool_folds(values)
    assert estimate.value == pytest.approx(0.8)
    assert math.isnan(estimate.low)
    assert words in estimate.reason


def test_share_is_checked():
    """A share of 5 instead of 1/5 is refused."""
    with pytest.raises(hs.HowsureError, match="between 0 and 1, not 5"):
        hs.pool_folds([0.8, 0.9], test_share=5)


def test_pooled_table_of_folds_is_the_table_of_all():
    """Tables of the parts of a data set add up to the table of the whole, with its design: same interval."""
    rng = np.random.default_rng(3)
    true = rng.integers(3, size=300)
    predicted = np.where(rng.random(300) < 0.7, true, rng.integers(3, size=300))
    weight, patient = rng.integers(1, 4, 300).astype(float), np.repeat(np.arange(60), 5)
    parts = np.split(np.arange(300), [100, 220])
    for columns in ({}, {"sample_weight": weight}, {"groups": patient}):

        def table(rows, columns=columns):
            chosen = {name: values[rows] for name, values in columns.items()}
            return hs.confusion(true[rows], predicted[rows], labels=[0, 1, 2], **chosen)

        whole, pooled = table(np.arange(300)), hs.pool_tables([table(rows) for rows in parts])
        assert pooled.rows == 300
        for method in ("delta", "bootstrap_percentile"):
            first, second = (hs.estimate(each, "f1@macro", method=method, random_state=0) for each in (whole, pooled))
            near = {"rel": 1e-9} if method == "delta" else {"abs": 0.01}
            assert (first.value, first.low, first.high) == pytest.approx(
                (second.value, second.low, second.high), **near
            )


def test_tables_that_do_not_add_up():
    """Tables of other classes, designs or kinds are refused by number."""
    first = hs.from_counts([[5, 1], [2, 4]])
    with pytest.raises(hs.HowsureError, match="Table 2 has the classes a, b, the first has 0, 1"):
        hs.pool_tables([first, hs.from_counts([[5, 1], [2, 4]], labels=["a", "b"])])
    with pytest.raises(hs.HowsureError, match="Table 2 has the design FixedMargins"):
        hs.pool_tables([first, first.with_design(hs.designs.FixedMargins())])
    with pytest.raises(hs.HowsureError, match="no table"):
        hs.pool_tables([])
    with pytest.raises(hs.HowsureError, match="Table 1 is a table of scores"):
        hs.pool_tables([hs.scores([0, 1], [0.2, 0.7])])


def test_limits_beyond_those_of_a_share_are_named():
    """Numbers alone have no range: the reason names the scale that keeps limits of shares inside."""
    found = hs.pool_folds([0.967, 0.972, 0.983, 0.989])
    assert found.high > 1
    assert "scale='logit'" in found.reason
    assert hs.pool_folds([0.967, 0.972, 0.983, 0.989], scale="logit").high < 1
    assert not hs.pool_folds([0.7, 0.72, 0.74]).reason
    assert not hs.pool_folds([1.7, 2.72, 0.2]).reason
