"""Simulated coverage: equal to exact results, within the stated error."""

import pickle

import numpy as np
import pytest
from scipy import stats

import howsure as hs
from howsure.lab.simulation import coverages
from howsure.methods.core.interval import Interval
from howsure.methods.core.lookup import named
from howsure.tables.table import select_table

TWENTY = hs.lab.Cells([[0.45, 0.05], [0.05, 0.45]], 20)  # accuracy 0.9
BEYOND = Interval(0.5, 1.1, 0.1)
MEASURES = ("coverage", "missed_below", "missed_above", "width", "interval_score")


def exact(method):
    """Enumerate the numbers of right predictions among 20, with SciPy's intervals."""
    number = np.arange(21)
    chance = stats.binom.pmf(number, 20, 0.9)
    limits = np.array([stats.binomtest(int(k), 20).proportion_ci(method=method) for k in number])
    low, high = limits.T
    below, above = low > 0.9, high < 0.9
    score = high - low + 40 * (np.where(below, low - 0.9, 0) + np.where(above, 0.9 - high, 0))  # 2 / 0.05
    values = (~(below | above), below, above, high - low, score)
    return {name: chance @ value for name, value in zip(MEASURES, values, strict=True)}


@pytest.mark.parametrize("method, name", [("wilson", "wilson"), ("clopper_pearson", "exact")])
def test_simulation_agrees_with_enumeration(method, name):
    """Coverage, misses, width and interval score of a share are those of all possible samples, within their errors."""
    found = hs.lab.coverage("accuracy", method, truth=TWENTY, draws=50_000, random_state=1)
    assert found.true_value == pytest.approx(0.9)
    for measure, value in exact(name).items():
        error = getattr(found, f"{measure}_error")
        assert getattr(found, measure) == pytest.approx(value, abs=4 * error), measure
        assert 0 < error < 0.01


def test_shares_add_up():
    """Intervals cover or miss on either side, and their limits stay in the range."""
    for method in ("wald", "wilson"):
        found = hs.lab.coverage("accuracy", method, truth=TWENTY, draws=500, random_state=1)
        assert found.coverage + found.missed_below + found.missed_above == pytest.approx(1)
        assert found.beyond == 0


def test_limits_beyond_the_range_are_counted(monkeypatch):
    """A method whose upper limit is 1.1 has it beyond the range of accuracy in every study."""
    kind = type(named("wald"))
    monkeypatch.setattr(kind, "intervals", lambda self, metrics, *_: [BEYOND] * len(metrics))
    monkeypatch.setattr(kind, "takes_batches", False)
    assert hs.lab.coverage("accuracy", "wald", truth=TWENTY, draws=50, random_state=1).beyond == 1


def test_studies_without_an_interval_are_counted_by_themselves():
    """Recall is undefined without a positive case, which has the binomial probability."""
    truth = hs.lab.Cells([[0.8, 0.1], [0.02, 0.08]], 20)
    found = hs.lab.coverage("recall", truth=truth, draws=20_000, random_state=0)
    assert found.undefined == pytest.approx(0.9**20, abs=4 * found.undefined_error)
    assert found.coverage + found.missed_below + found.missed_above == pytest.approx(1)


def test_one_pass_equals_one_table_after_the_other():
    """A method that supports batches gives the same as on each table alone."""
    truth = hs.lab.Cells([[0.3, 0.1, 0], [0.05, 0.2, 0.05], [0.1, 0, 0.2]], 40)
    tables = truth.tables(100, np.random.default_rng(0))
    found = coverages(["f1@macro"], None, _Given(tables), 100, 0.95, 0)[0]
    alone = [hs.estimate(select_table(tables, index), "f1@macro") for index in range(100)]
    assert found.width == pytest.approx(np.mean([each.high - each.low for each in alone]))
    covered = [each.low <= found.true_value <= each.high for each in alone]
    assert found.coverage == pytest.approx(np.mean(covered))


class _Given(hs.lab.Truth):
    """Previously drawn tables, used as those of new studies."""

    def __init__(self, tables):
        self.stack = tables

    @property
    def expected(self):
        return hs.from_counts(self.stack.counts.sum(0))

    def tables(self, size, rng):  # noqa: ARG002 - as of any truth
        return self.stack


@pytest.mark.parametrize("metric", ["plr@macro", "dor@macro"])
def test_studies_without_a_class_may_need_another_method(metric):
    """A metric that is computed in one pass only where all classes occur is computed table by table everywhere."""
    truth = hs.lab.Cells([[0.5, 0.001, 0.05], [0.05, 0.3, 0.03], [0.01, 0.001, 0.058]], 40)
    found = hs.lab.coverage(metric, truth=truth, draws=60, random_state=1)
    assert found.coverage + found.missed_below + found.missed_above == pytest.approx(1)
    assert found.undefined < 1


def test_methods_that_draw_share_their_draws():
    """The coverage of a metric does not depend on the other simulated metrics."""
    method = named("bootstrap_percentile")
    both = coverages(["accuracy", "mcc"], method, TWENTY, 5, 0.95, 3)
    (alone,) = coverages(["mcc"], method, TWENTY, 5, 0.95, 3)
    assert both[1] == alone


def test_a_table_is_taken_for_the_truth():
    """By default studies are as large as the table; with `n` they have that size."""
    table = hs.from_counts([[50, 3], [5, 42]])
    own, large = (hs.lab.coverage("f1", truth=table, n=n, draws=200, random_state=0) for n in (None, 10_000))
    assert own.true_value == hs.estimate(table, "f1").value
    assert large.width == pytest.approx(own.width / 10, rel=0.05)


@pytest.mark.parametrize("method", ["wilson", "bootstrap_percentile"])
def test_same_seed_same_numbers(method):
    """A seed gives the same studies and draws; another one others."""
    first, again, other = (
        hs.lab.coverage("accuracy", method, truth=TWENTY, draws=20, random_state=seed) for seed in (0, 0, 1)
    )
    assert first == again != other


def test_result_is_shown_and_kept():
    """A result is shown with its error as text, as a record, and after pickling."""
    found = hs.lab.coverage("accuracy", "wilson", truth=TWENTY, draws=1000, random_state=0)
    assert f"{found.coverage:.3f} ± {found.coverage_error:.3f}" in str(found)
    assert "interval score" in repr(found)
    assert found.to_dict()["draws"] == 1000
    assert pickle.loads(pickle.dumps(found)) == found


@pytest.mark.parametrize(
    "arguments, words",
    [
        ({"truth": TWENTY, "n": 10}, "has its own number of cases"),
        ({"truth": [[1, 2], [3, 4]]}, "is a table"),
        ({"truth": TWENTY, "draws": 1}, "`draws` must be a whole number of at least 2"),
        ({"truth": TWENTY, "method": "wilsn"}, "Did you mean 'wilson'"),
        ({"truth": TWENTY, "method": "delong"}, "`DeLong`"),
        ({"truth": TWENTY, "confidence_level": 95}, "Did you mean 0.95"),
    ],
)
def test_what_is_wrong_is_named(arguments, words):
    """Mistakes give a one-line error with the remedy."""
    with pytest.raises(hs.HowsureError, match=words.replace("(", r"\(")):
        hs.lab.coverage("accuracy", **arguments)
