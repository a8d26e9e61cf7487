"""Points, steps and second-order biases of paths stored by all cells, by closed forms."""

import numpy as np
import pytest

import howsure as hs
from howsure.methods.flow import all_cells as module
from howsure.methods.flow.all_cells import AllCells, Scale, bias_by_class, round_counts, second_order_bias
from howsure.methods.flow.exponential_tilting import STRIDE
from howsure.metrics.binding import resolve
from howsure.metrics.registry import REGISTRY
from support.arguments import spec_of

COUNTS = np.array([[12, 3, 1], [2, 9, 4], [0, 5, 14]])
TABLE = hs.from_counts(COUNTS)


def path_of(metric, table=TABLE, cases=None):
    """Return the tables along the path of a metric."""
    return AllCells(resolve(metric, table), table, table.cells[None] if cases is None else cases)


@pytest.mark.parametrize("entries", [1, 2**20])
def test_the_bias_is_half_the_trace_of_counts_times_second_derivatives(entries, monkeypatch):
    """Exact for polynomials of degree three; the fourth power tells how far each count is changed.

    That is by half a case, if it is no more than it has, and no less than a ten thousandth of it.
    """
    monkeypatch.setattr(module, "ENTRIES", entries)
    cells = np.array([[0.2, 30.0, 1e5, 7.0], [3.0, 0.7, 2.0, 5.0]])
    a, b, c = np.array([[1.0, -2.0, 1e-6, 0.5], [0.3, -1.0, 1e-12, 0.0], [0.5, 1e-3, 1e-15, 0.2]])

    def value(x):
        return (a * x**2 + b * x**3 + c * x**4).sum(-1) + x[..., 0] * x[..., 1] + 5

    for part in (1.0, 1 / 16):
        step = np.minimum(part * cells, np.maximum(0.5, 1e-4 * cells))
        bend = 2 * a + 6 * b * cells + c * (12 * cells**2 + 2 * step**2)
        assert second_order_bias(value, cells, part) == pytest.approx((cells * bend).sum(-1) / 2, rel=1e-5)


def test_cells_without_a_second_derivative_add_nothing():
    """As where a change makes the metric undefined."""
    cells = np.array([[2.0, 3.0]])

    def value(x):
        return np.where(x[..., 0] > 2.2, np.nan, x[..., 0]) + x[..., 1] ** 2

    assert second_order_bias(value, cells) == pytest.approx(3.0)


@pytest.mark.parametrize("signs", [2**25, 2**15])
def test_the_bias_of_very_many_cells_is_estimated_in_directions(signs, monkeypatch):
    """Without mixed derivatives the estimate is exact; those of one square of the sum add noise alone."""
    monkeypatch.setattr(module, "MOST_SIGNS", signs)
    rng = np.random.default_rng(0)
    cells, a = rng.uniform(0.5, 9, (2, 1100)), rng.normal(size=1100)
    cells[1, :5] = 0
    found = second_order_bias(lambda x: (a * x**2).sum(-1) + 3 * x[..., 7] - 2, cells)
    assert found == pytest.approx((a * cells).sum(-1), rel=1e-6)
    of_sum = second_order_bias(lambda x: x.sum(-1) ** 2, cells)
    assert of_sum == pytest.approx(cells.sum(-1), rel=0.7 if signs < 2**20 else 0.35)


def test_the_bias_of_a_sum_over_classes_is_that_of_its_terms():
    """Of ``tp² fn + fp³`` of each class it is ``tp fn + 3 fp²``."""
    outcomes = np.random.default_rng(1).uniform(1, 20, (2, 3, 4))
    tp, fn, fp, _ = np.moveaxis(outcomes, -1, 0)
    found = bias_by_class(lambda tp, fn, fp, tn: tp**2 * fn + fp**3 + 0 * tn, outcomes)
    assert found == pytest.approx((tp * fn + 3 * fp**2).sum(-1), rel=1e-6)


def test_sums_of_weights_are_rounded_to_twelve_digits():
    """What differs by rounding alone is the same, and what differs by more is not."""
    cases = np.array([0.1 + 0.2, 1e9 / 3, 0.0, 7.0])
    assert (round_counts(cases * (1 + 2e-16)) == round_counts(cases)).all()
    assert round_counts(cases) == pytest.approx(cases, rel=1e-12, abs=0)
    assert round_counts(cases)[0] == round_counts(np.array(0.3))
    assert (round_counts(cases * (1 + 4e-12)) != round_counts(cases))[[0, 1, 3]].all()
    assert round_counts(np.array([7.0, 0.0, 0.125])).tolist() == [7, 0, 0.125]


@pytest.mark.parametrize(
    "metric, sign, end", [("lift@macro", 1, 0), ("f1_gain@macro", -1, 1), ("mcc", 0, 0), ("accuracy", 0, 0)]
)
def test_metrics_with_one_end_are_on_a_logarithmic_scale(metric, sign, end):
    """It is the distance from that end; a metric between two ends, and a mean loss, stay as they are."""
    scale = Scale.of(resolve(metric, TABLE))
    assert (scale.sign, scale.end) == (sign, end)
    values = end + sign * np.array([0.2, 1.0, 3.0]) if sign else np.array([-0.3, 0.2, 0.9])
    assert scale.unscaled(scale.scaled(values)) == pytest.approx(values)
    if sign:
        assert (np.diff(scale.scaled(values)) * sign > 0).all()
        assert scale.scaled(values) == pytest.approx(sign * np.log([0.2, 1.0, 3.0]))
    losses = hs.scores([0, 1, 1, 0], [0.2, 0.7, 0.9, 0.4])
    assert Scale.of(resolve("log_loss", losses)) == Scale()


def test_the_start_of_a_share_has_two_cases_more_and_its_binomial_moments():
    """The total stays n; variance and third moment are those of n cases, and the score is the distance from the start."""
    path = path_of("accuracy")
    here, hits, n = path.start(), 35.0, 50.0
    prior = path.filled.reshape(3, 3) - COUNTS
    assert prior.sum() == pytest.approx(2)
    p = (hits + np.trace(prior)) / (n + 2)
    assert here.cells.sum() == pytest.approx(n)
    assert here.value.item() == pytest.approx(p)
    assert here.variance.item() == pytest.approx(p * (1 - p) / n)
    assert here.third.item() == pytest.approx(p * (1 - p) * (1 - 2 * p) / n**2)
    assert path.score(here, slice(None)).item() == pytest.approx(hits / n - p)
    assert path.bias() == pytest.approx(0, abs=1e-7)
    assert path.value(path.cases).item() == pytest.approx(hits / n)
    assert path.second_order()[1].tolist() == [1]
    assert path.is_sparse().tolist() == [False]


def test_a_step_multiplies_the_odds_of_a_share():
    """By exp(± stride / standard deviation of a case / √n), down and up; the second step starts from the first."""
    path = path_of("accuracy")
    here = path.start()
    p = np.repeat(here.value.ravel(), 2)
    for _ in range(3):
        here = path.ahead(here, slice(None))
        odds = p / (1 - p) * np.exp(np.array([-1, 1]) * STRIDE / np.sqrt(p * (1 - p) * 50))
        p = odds / (1 + odds)
        assert here.value.ravel() == pytest.approx(p, rel=1e-9)
        assert here.variance.ravel() == pytest.approx(p * (1 - p) / 50, rel=1e-9)
    assert here.turned().value.ravel() == pytest.approx(p[::-1])
    assert here.of(np.array([0])).cells.shape == (2, 1, 9)
    q = path.filled[0, [0, 4, 8]].sum() / 52
    expected = np.sqrt(2 * 52 * (q * np.log(q / p) + (1 - q) * np.log((1 - q) / (1 - p))))
    assert path.deviance(here, slice(None)).ravel() == pytest.approx(expected, rel=1e-9)


def test_a_logarithmic_scale_has_its_slopes():
    """The variance of the logarithm is that of the metric over its squared distance from the end, by the delta method."""
    for metric, end in (("lift@macro", 0.0), ("f1_gain@macro", 1.0)):
        path = path_of(metric)
        here = path.start()
        plain = TABLE.make_counts(here.cells.ravel())
        bound = resolve(metric, TABLE)
        slopes, cells = bound.gradient(plain).ravel(), here.cells.ravel()
        slopes = slopes - cells @ slopes / cells.sum()
        distance = abs(float(bound(plain)) - end)
        assert here.variance.item() == pytest.approx(cells @ slopes**2 / distance**2, rel=1e-9)
        assert here.third.item() == pytest.approx(cells @ slopes**3 / distance**3, rel=1e-9)


@pytest.mark.parametrize(
    "metric, share, by_deviance, sums",
    [
        ("accuracy", 0.5, False, False),
        ("f1@macro", 0.5, False, True),
        ("mcc", 0.5, False, False),
        ("lift@macro", 0.0, False, False),
        ("recall@geometric", 0.5, True, False),
        ("recall@harmonic", 0.5, True, False),
    ],
)
def test_the_kind_of_statistic_follows_from_the_metric(metric, share, by_deviance, sums):
    """Half score and half value; the value alone of unbounded metrics; the deviance of geometric and harmonic means."""
    path = path_of(metric)
    assert (path.score_share, path.by_deviance, path.sums_classes) == (share, by_deviance, sums)
    if by_deviance:
        assert path.bias().tolist() == [0]
        assert (path.filled >= TABLE.cells).all()


def test_unbounded_losses_have_fewer_pseudo_cases_where_they_are_large():
    """Shares fall with the exponential of half the loss; of bounded ones they are even, and either path is of the score."""
    score = np.array([0.02, 0.3, 0.6, 0.9])
    table = hs.scores([0, 1, 1, 0] * 3, np.tile(score, 3))
    even = path_of("brier_score", table).pseudo_shares().ravel()
    found = path_of("log_loss", table).pseudo_shares().ravel()
    loss = -np.log(np.stack([1 - score, score], -1)).ravel()
    expected = even * np.exp(-loss / 2)
    assert found == pytest.approx(expected / expected.sum())
    assert even.sum() == pytest.approx(1)
    for metric in ("brier_score", "log_loss"):
        path = path_of(metric, table)
        assert path.score_share == 1
        assert path.bias().tolist() == [0]


def test_many_classes_have_the_bias_of_all_their_cells():
    """From 400 cells on it is summed by class: for macro F1, whose terms are of one class, nearly the same."""
    rng = np.random.default_rng(3)
    table = hs.from_counts(rng.poisson(30 * np.eye(20) + 1.5))
    path = path_of("f1@macro", table)
    by_cells = second_order_bias(path.value, path.filled)
    assert path.bias() == pytest.approx(by_cells, rel=0.05)
    assert path.bias() != pytest.approx(by_cells, rel=1e-9)


@pytest.mark.parametrize("metric, classes", [("f1@macro", 3), ("lift@macro", 20), ("mcc", 20)])
def test_few_classes_and_logarithms_have_the_bias_of_their_cells(metric, classes):
    """Each cell is changed in turn: where there are few, and where a metric is no sum over the classes on its scale."""
    table = hs.from_counts(np.random.default_rng(4).poisson(30 * np.eye(classes) + 1.5))
    path = path_of(metric, table)
    np.testing.assert_allclose(path.bias(), second_order_bias(path.value, path.filled), rtol=1e-9, atol=1e-10)


def test_metrics_of_a_hundred_classes_have_limits_near_those_of_the_delta_method():
    """Also where cells with equal slopes are merged: each limit is within half the width of the delta method's."""
    table = hs.from_counts(np.random.default_rng(1).poisson(np.full((100, 100), 0.3) + 50 * np.eye(100)))
    known = [each for each in REGISTRY.shipped if each.of_predictions and each.name != "expected_utility"]
    names = [each.name for each in known if each.form.name != "outcomes"]
    names += [f"{spec_of(each)}@{how}" for each in known if each.form.name == "outcomes" for how in ("micro", "macro")]
    compared = 0
    for name in names:
        try:
            flow, delta = (hs.estimate(table, name, method=method) for method in ("flow", "delta"))
        except hs.HowsureError:
            continue
        if np.isfinite([flow.low, flow.high, delta.low, delta.high]).all():
            compared += 1
            width = delta.high - delta.low
            assert flow.low <= flow <= flow.high, name
            assert max(abs(flow.low - delta.low), abs(flow.high - delta.high)) <= width / 2, name
    assert compared > 80
