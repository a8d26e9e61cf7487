"""Prediction-powered inference."""

from __future__ import annotations

import numpy as np
import pytest

import howsure as hs
from howsure.errors import HowsureError
from howsure.imperfect_labels.noisy.prediction_powered import _samples
from howsure.metrics.binding import resolve

METRICS = ("accuracy", "precision", "recall", "f1", "mcc")


def study(trusted, others, rng, right=0.9, accuracy=0.85):
    """Truth, trusted labels with gaps, made labels, predictions."""
    n = trusted + others
    truth = (rng.random(n) < 0.3).astype(int)
    made = np.where(rng.random(n) < right, truth, 1 - truth)
    predicted = np.where(rng.random(n) < accuracy, truth, 1 - truth)
    return truth, np.where(np.arange(n) < trusted, truth, np.nan), made, predicted


def ppi_mean(scores, stand_ins, others, power):
    """Mean and standard error of PPI (power 1) and PPI++, as ppi_py computes them: scores, then their rectifiers."""
    n, many = len(scores), len(others)
    rectifier = scores - power * stand_ins
    value = power * others.mean() + rectifier.mean()
    return value, np.sqrt(power**2 * others.var() / many + rectifier.var() / n)


@pytest.mark.parametrize("power", [0.0, 0.4, 1.0])
def test_accuracy_is_the_published_estimator_of_a_mean(power) -> None:
    """Accuracy, the mean of right or wrong, has the value and standard error of the published formula."""
    trusted = 400
    truth, y_true, made, predicted = study(trusted, 3000, np.random.default_rng(0))
    table = hs.labels.prediction_powered(y_true, made, predicted, power=power)
    value, error = ppi_mean(
        (truth == predicted)[:trusted].astype(float),
        (made == predicted)[:trusted].astype(float),
        (made == predicted)[trusted:].astype(float),
        power,
    )
    estimate = hs.estimate(table, "accuracy", method="delta")
    assert estimate.value == pytest.approx(value)
    # Two pseudo-cases that disagree widen it a little.
    assert error <= estimate.standard_error * 1.0001 < 1.06 * error
    assert table.counts.sum() == pytest.approx(3400)


def test_the_power_is_the_best_of_ppi_plus_plus() -> None:
    """Left out, the power is Cov(Y, F) / ((1 + n/N) Var F), and no other gives accuracy a smaller variance."""
    trusted, others = 500, 2000
    truth, y_true, made, predicted = study(trusted, others, np.random.default_rng(1), right=0.75)
    scores = (truth == predicted)[:trusted].astype(float)
    stand_ins = (made == predicted).astype(float)
    together = np.cov(scores, stand_ins[:trusted], bias=True)[0, 1]
    best = together / (stand_ins.var() * (1 + trusted / others))
    tuned = hs.estimate(hs.labels.prediction_powered(y_true, made, predicted, metric="accuracy"), "accuracy")
    literal = hs.estimate(hs.labels.prediction_powered(y_true, made, predicted, power=best), "accuracy")
    assert tuned.value == pytest.approx(literal.value)
    errors = [ppi_mean(scores, stand_ins[:trusted], stand_ins[trusted:], power)[1] for power in np.linspace(0, 1, 21)]
    assert ppi_mean(scores, stand_ins[:trusted], stand_ins[trusted:], best)[1] <= min(errors) * 1.001


def test_the_power_of_a_metric_that_bends_is_that_of_its_slopes() -> None:
    """F1's gradient, at the mean of two tables, replaces the scores of PPI++: of trusted labels, and of all labels."""
    trusted, others = 60, 300
    _, y_true, made, predicted = study(trusted, others, np.random.default_rng(4), right=0.8)
    known = slice(trusted)
    true = y_true[known].astype(int)

    def shares(first, second):
        return np.histogram2d(first, second, bins=[[0, 1, 2]] * 2)[0] / len(first)

    alone = shares(true, predicted[known])
    both = shares(made[trusted:], predicted[trusted:]) + alone - shares(made[known], predicted[known])
    (_, fp), (fn, tp) = (both + alone) / 2
    slopes = np.array([[0.0, -2 * tp], [-2 * tp, 2 * (fp + fn)]]) / (2 * tp + fp + fn) ** 2
    stand_ins = slopes[made, predicted]
    together = np.cov(slopes[true, predicted[known]], stand_ins[known], bias=True)[0, 1]
    best = together / (stand_ins.var() * (1 + trusted / others))
    assert 0.1 < best < 0.9
    tuned = hs.estimate(hs.labels.prediction_powered(y_true, made, predicted, metric="f1"), "f1")
    literal = hs.estimate(hs.labels.prediction_powered(y_true, made, predicted, power=best), "f1")
    assert tuned.value == pytest.approx(literal.value, rel=1e-9)


def test_without_a_weight_cases_of_one_made_label_and_prediction_have_the_trusted_ones_outcomes():
    """Among 40 cases (made 1, predicted 1), 3 of 4 trusted ones are positive; among 60 (0, 0), 1 of 5: 30 and 12."""
    true = [1, 1, 1, 0, *[None] * 36, 1, 0, 0, 0, 0, *[None] * 55]
    made = [1] * 40 + [0] * 60
    table = hs.labels.prediction_powered(true, made, list(made), check=False)
    np.testing.assert_allclose(table.counts, [[48, 10], [12, 30]])
    assert hs.estimate(table, "accuracy").method == "stratified"
    assert hs.estimate(table, "accuracy").value == pytest.approx(0.78)


@pytest.mark.thorough
def test_forty_labels_and_poor_made_ones_cover():
    """With 40 trusted labels, poor made labels and poor predictions, 95 % intervals cover in at least 92 %."""
    rng, studies, covered = np.random.default_rng(40), 200, dict.fromkeys(("accuracy", "precision", "f1"), 0)
    rates = np.array([[0.8 * 0.65, 0.8 * 0.35], [0.2 * 0.4, 0.2 * 0.6]])
    known = {metric: hs.estimate(hs.from_counts(np.rint(1e6 * rates)), metric).value for metric in covered}
    for _ in range(studies):
        truth = (rng.random(1040) < 0.2).astype(int)
        made, predicted = (np.where(rng.random(1040) < np.where(truth, 0.6, 0.65), truth, 1 - truth) for _ in range(2))
        table = hs.labels.prediction_powered(np.where(np.arange(1040) < 40, truth, np.nan), made, predicted)
        for metric, found in hs.evaluate(table, list(covered)).items():
            covered[metric] += found.low <= known[metric] <= found.high
    assert min(covered.values()) > (0.92 - 3 * np.sqrt(0.92 * 0.08 / studies)) * studies


@pytest.mark.thorough
def test_every_method_agrees_with_repeating_the_study() -> None:
    """Standard errors by delta and of draws are those of literal repetitions."""
    rng = np.random.default_rng(2)
    values = []
    for _ in range(300):
        _, y_true, made, predicted = study(500, 4000, rng)
        table = hs.labels.prediction_powered(y_true, made, predicted, metric="f1")
        values.append([float(resolve(metric, table)(table.counts)) for metric in ("precision", "f1")])
    for metric, literal in zip(("precision", "f1"), np.std(values, axis=0), strict=True):
        for method in ("delta", "fieller", "bootstrap_percentile", "bayes"):
            error = hs.estimate(table, metric, method=method, random_state=0).standard_error
            assert error == pytest.approx(literal, rel=0.2), method


def test_worthless_labels_cost_next_to_nothing() -> None:
    """Labels made at random get a power near 0, and the interval is about that of the trusted cases."""
    rng = np.random.default_rng(3)
    truth, y_true, made, predicted = study(300, 5000, rng, right=0.5)
    ours = hs.estimate(hs.labels.prediction_powered(y_true, made, predicted, metric="f1"), "f1")
    alone = hs.estimate(hs.confusion(truth[:300], predicted[:300]), "f1")
    assert ours.high - ours.low < 1.08 * (alone.high - alone.low)


@pytest.mark.thorough
@pytest.mark.parametrize("trusted, right, accuracy", [(100, 0.9, 0.85), (100, 0.99, 0.97), (300, 0.97, 0.95)])
def test_intervals_cover_and_are_narrower_than_the_trusted_ones(trusted, right, accuracy) -> None:
    """In 120 studies, 95 % intervals cover, and are narrower on average than from trusted cases alone."""
    _covers(trusted, right, accuracy, 120)


@pytest.mark.slow
@pytest.mark.parametrize("trusted", [100, 200, 300])
@pytest.mark.parametrize("right, accuracy", [(0.9, 0.85), (0.97, 0.95), (0.99, 0.97)])
def test_intervals_cover_over_many_studies(trusted, right, accuracy) -> None:
    """In 1,500 studies, 95 % intervals cover, and are narrower on average than from trusted cases alone."""
    _covers(trusted, right, accuracy, 1500)


def _covers(trusted, right, accuracy, studies) -> None:
    rng = np.random.default_rng(5)
    # Errors are independent of the class: the population's table in closed form.
    population = np.array([[0.7 * accuracy, 0.7 * (1 - accuracy)], [0.3 * (1 - accuracy), 0.3 * accuracy]])
    known = {metric: hs.estimate(hs.from_counts(np.round(population * 1e6)), metric).value for metric in METRICS}
    covered, widths = dict.fromkeys(METRICS, 0), dict.fromkeys(METRICS, 0.0)
    alone = np.zeros((studies, 2, 2))
    for study_alone in alone:
        truth, y_true, made, predicted = study(trusted, 5000, rng, right, accuracy)
        np.add.at(study_alone, (truth[:trusted], predicted[:trusted]), 1)
        table = hs.labels.prediction_powered(y_true, made, predicted, metric="f1")
        for metric, ours in hs.evaluate(table, list(METRICS)).items():
            covered[metric] += ours.low <= known[metric] <= ours.high
            widths[metric] += (ours.high - ours.low) / studies
    lowest = 0.95 - 0.02 - 3 * np.sqrt(0.95 * 0.05 / studies)  # 2 points are granted to the smallest studies
    for metric in METRICS:
        assert covered[metric] / studies > lowest, metric
        plain = hs.estimate(hs.from_counts(alone), metric)
        assert widths[metric] < np.mean(plain.high - plain.low), metric


def test_more_than_two_classes_and_text_labels() -> None:
    """Three classes named by text: counts add up, macro averages have intervals inside the range."""
    rng = np.random.default_rng(8)
    words = np.array(["cat", "dog", "owl"], dtype=object)
    truth = rng.integers(0, 3, 2000)
    made, predicted = (np.where(rng.random(2000) < 0.85, truth, rng.integers(0, 3, 2000)) for _ in range(2))
    trusted = [words[label] if case % 10 == 0 else None for case, label in enumerate(truth)]
    table = hs.labels.prediction_powered(trusted, words[made], words[predicted], metric="f1@macro")
    assert table.labels.tolist() == ["cat", "dog", "owl"]
    assert table.counts.sum() == pytest.approx(2000)
    estimate = hs.estimate(table, "f1@macro")
    known = hs.estimate(hs.confusion(truth, predicted), "f1@macro").value
    assert 0 < estimate.low < known < estimate.high < 1


def test_made_labels_that_are_always_right_still_leave_a_width() -> None:
    """No disagreement in 100 trusted cases does not prove that there is none: the interval has positive width."""
    _, y_true, made, predicted = study(100, 5000, np.random.default_rng(9), right=1.0)
    estimate = hs.estimate(hs.labels.prediction_powered(y_true, made, predicted), "accuracy")
    assert estimate.high - estimate.low > 0.03
    perfect = hs.estimate(hs.labels.prediction_powered(y_true, made, made, check=False), "accuracy")
    assert perfect.low < 1 == perfect.high


def test_negative_shares_are_cut_and_said() -> None:
    """If the rectifier subtracts more from a cell than it contains, the cell is 0, and the estimate has a note."""
    y_true = [0] * 47 + [1] * 3 + [None] * 500
    made = [0] * 40 + [1] * 10 + [0] * 480 + [1] * 20
    predicted = [0] * 45 + [1] * 5 + [0] * 480 + [1] * 20
    table = hs.labels.prediction_powered(y_true, made, predicted, power=1.0)
    assert (table.counts == 0).any()
    assert "set to zero" in hs.estimate(table, "accuracy").reason


@pytest.mark.parametrize(
    "trusted, settings, is_said",
    [(20, {"metric": "f1"}, True), (159, {"power": 0.5}, True), (160, {"metric": "f1"}, False), (20, {}, False)],
)
def test_a_single_weight_of_few_trusted_labels_is_said(trusted, settings, is_said) -> None:
    """Each estimate names the number of labels, and how many are enough; post-stratified tables need no such note."""
    rng = np.random.default_rng(4)
    truth = np.arange(600) % 2
    made, predicted = (np.where(rng.random(600) < 0.8, truth, 1 - truth) for _ in range(2))
    known = np.where(np.arange(600) < trusted, truth, np.nan)
    found = hs.estimate(hs.labels.prediction_powered(known, made, predicted, **settings), "accuracy")
    assert (f"a single weight of {trusted} trusted labels" in found.reason) is is_said
    assert ("give 160 or more" in found.reason) is is_said


@pytest.mark.parametrize(
    "y_true, made, predicted, words",
    [
        ([None, None, 1], [0, 1, 1], [0, 1, 1], "has 1 trusted labels of 3"),
        ([0, 1, 1], [0, 1, 1], [0, 1, 1], "use `confusion`"),
        ([0, 1, None], [0, None, 1], [0, 1, 1], "`y_made` has 1 missing"),
        ([0, 1, None], [0, 1], [0, 1, 1], "`y_true` has 3, `y_made` 2 and `y_pred` 3"),
        (["a", "b", None], [0, 1, 1], [0, 1, 1], "they would never agree"),
    ],
)
def test_what_cannot_be_used_is_refused(y_true, made, predicted, words) -> None:
    """Too few trusted labels, missing predictions and other lengths give a one-line error."""
    with pytest.raises(HowsureError, match=words):
        hs.labels.prediction_powered(y_true, made, predicted)


def test_a_power_outside_its_range_and_a_label_that_is_not_named_are_refused() -> None:
    """The message names the value and the remedy."""
    columns = [0, 1, None, None], [0, 1, 1, 0], [0, 1, 1, 1]
    with pytest.raises(HowsureError, match="`power` is 1.5"):
        hs.labels.prediction_powered(*columns, power=1.5)
    with pytest.raises(HowsureError, match="There is no label '0'"):
        hs.labels.prediction_powered(*columns, labels=[1, 2])


def test_columns_are_named_with_data() -> None:
    """With ``data`` the three arguments are names of columns."""
    rows = {"checked": [0, 1, 1, None, None, None], "made": [0, 1, 0, 1, 0, 1], "model": [0, 1, 1, 1, 0, 0]}
    named = hs.labels.prediction_powered("checked", "made", "model", data=rows)
    np.testing.assert_allclose(named.counts, hs.labels.prediction_powered(*rows.values()).counts)
    with pytest.raises(hs.HowsureError, match="`power` is 'x'"):
        hs.labels.prediction_powered(*rows.values(), power="x")


def test_made_labels_that_tell_nothing_of_the_metric_are_left_out() -> None:
    """Predictions in the place of made labels are all right by these: the table is the trusted cases', enlarged."""
    true = [0] * 4 + [1] * 4
    predicted = [0] * 3 + [1] + [1] * 3 + [0] + [1] * 20 + [0] * 4
    table = hs.labels.prediction_powered([*true, *[None] * 24], predicted, predicted, metric="accuracy", check=False)
    np.testing.assert_allclose(table.counts, [[12, 4], [4, 12]])


def test_rounding_gives_made_labels_no_say_in_a_metric_that_they_tell_nothing_of() -> None:
    """By predictions as made labels accuracy is always 1: no study of forty gives them a weight for it."""
    rng = np.random.default_rng(101)
    for _ in range(40):
        truth = rng.integers(0, 2, 600)
        made = np.where(rng.random(600) < 0.8, truth, 1 - truth)
        trusted = [int(label) if case < 60 else None for case, label in enumerate(truth)]
        found, without = (
            hs.labels.prediction_powered(trusted, made, made, metric="accuracy", power=power, check=False)
            for power in (None, 0.0)
        )
        np.testing.assert_array_equal(found.counts, without.counts)


@pytest.mark.parametrize("size", [2, 3])
def test_pseudo_cases_are_of_made_labels_that_are_wrong(size):
    """Two further cases are spread over wrong labels alone, by how often each made label and prediction occur."""
    rng = np.random.default_rng(4)
    trusted, other = rng.integers(0, 9, (size, size, size)) * 1.0, rng.integers(1, 30, (size, size)) * 1.0
    first, second = _samples(trusted, other, 0.6)
    every = trusted.sum(0) + other
    varied = trusted.copy()
    total = sum(every[made].sum() for made in range(size)) * (size - 1)
    for true, made in np.ndindex(size, size):
        if true != made:
            varied[true, made] += 2 * every[made] / total
    assert first.counts == pytest.approx(varied.ravel()[varied.ravel() > 0])
    places = np.flatnonzero(varied)
    number = trusted.sum() + other.sum()
    true, made, predicted = np.unravel_index(places, trusted.shape)
    expected = np.zeros((len(places), size * size))
    np.add.at(expected, (np.arange(len(places)), true * size + predicted), number / trusted.sum())
    np.add.at(expected, (np.arange(len(places)), made * size + predicted), -0.6 * number / trusted.sum())
    assert first.influence.toarray() == pytest.approx(expected)
    assert second.counts.tolist() == other.ravel().tolist()
    assert second.influence.toarray() == pytest.approx(0.6 * number / other.sum() * np.eye(size * size))
