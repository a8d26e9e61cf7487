"""Calibrators against scikit-learn and their definitions."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import optimize
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression

import howsure as hs
from howsure.imperfect_labels.calibration.calibrator import _rank, _ranked
from howsure.imperfect_labels.calibration.calibrators import NEAREST, Beta, softened

METHODS = ["isotonic", "platt", "beta", "venn_abers"]


def labelled(seed=0, rows=300, digits=None):
    rng = np.random.default_rng(seed)
    score = rng.beta(0.6, 0.9, rows)
    score = score if digits is None else np.round(score, digits)
    return score, rng.random(rows) < score**1.5


@pytest.mark.parametrize("digits", [None, 1])
@pytest.mark.parametrize("weighted", [False, True])
def test_isotonic_is_scikit_learns(digits, weighted):
    """Isotonic probabilities equal `IsotonicRegression` clipped outside, with ties and weights too."""
    score, label = labelled(1, digits=digits)
    weight = np.random.default_rng(2).random(len(score)) + 0.1 if weighted else None
    places = np.linspace(-0.2, 1.2, 57)
    peer = IsotonicRegression(out_of_bounds="clip").fit(score, label, sample_weight=weight).predict(places)
    ours = hs.calibrate(score, label, method="isotonic", sample_weight=weight, n_draws=2, random_state=0)
    np.testing.assert_allclose(ours.predict(places), peer, atol=1e-12)


@pytest.mark.parametrize("method", ["isotonic", "sigmoid"])
@pytest.mark.parametrize("seed", range(3))
def test_probabilities_are_those_of_a_calibrated_classifier(method, seed):
    """scikit-learn's `CalibratedClassifierCV` of a frozen model gives the same probabilities to 1e-6."""
    rng = np.random.default_rng(seed)
    inputs = rng.normal(size=(400, 2))
    label = rng.random(400) < 1 / (1 + np.exp(-2 * inputs[:, 0]))
    model = LogisticRegression().fit(inputs[:200], label[:200])
    peer = CalibratedClassifierCV(FrozenEstimator(model), method=method).fit(inputs[200:], label[200:])
    score = model.decision_function(inputs)
    ours = hs.calibrate(score[200:], label[200:], method={"sigmoid": "platt"}.get(method, method), n_draws=2)
    np.testing.assert_allclose(ours.predict(score[:200]), peer.predict_proba(inputs[:200])[:, 1], atol=1e-6)


def test_beta_calibration_is_its_definition():
    """In large samples it is logistic regression on ln s and -ln(1 - s) with non-negative slopes."""
    score, label = labelled(3, rows=20_000)
    features = np.column_stack([np.log(score), -np.log1p(-score), np.ones(len(score))])

    def loss(coefficients):
        logits = features @ coefficients
        return float(np.mean(np.logaddexp(0, logits) - label * logits))

    found = optimize.minimize(loss, [1.0, 1.0, 0.0], bounds=[(0, None), (0, None), (None, None)], tol=1e-15)
    ours = hs.calibrate(score, label, method="beta", n_draws=2, random_state=0)
    places = np.linspace(0.01, 0.99, 99)
    definition = 1 / (1 + np.exp(-np.column_stack([np.log(places), -np.log1p(-places), np.ones(99)]) @ found.x))
    np.testing.assert_allclose(ours.predict(places), definition, atol=1e-3)


def test_venn_abers_is_refitting_with_the_new_case():
    """The pair at a score, labelled or in between or outside, is that of two refits, merged as p1 / (1 - p0 + p1)."""
    score, label = labelled(4, rows=25, digits=2)
    places = np.concatenate([score[:8], [-1.0, 2.0], np.random.default_rng(0).random(12)])
    ours = hs.calibrate(score, label, method="venn_abers", n_draws=2, random_state=0)
    low, high = ours.intervals(places)
    for index, place in enumerate(places):
        pair = [
            IsotonicRegression().fit([*score, place], [*label, extra]).predict([place])[0] for extra in (False, True)
        ]
        assert (low[index], high[index]) == (pytest.approx(pair[0], abs=1e-12), pytest.approx(pair[1], abs=1e-12))
    np.testing.assert_allclose(ours.predict(places), high / (1 - low + high))


@pytest.mark.thorough
@pytest.mark.parametrize("method, level", [("platt", 0.95), ("beta", 0.95), ("isotonic", 0.8)])
def test_draws_hold_the_true_curve(method, level):
    """At fixed scores the central 95 % of the draws contain the true probability at about that rate.

    Isotonic draws do so for sums over many scores, as in metrics, but for a single score in only about 80 %:
    the bootstrap is known to be inconsistent for a monotone fit at a point (Sen, Banerjee, Woodroofe 2010).
    """
    places = np.array([0.15, 0.4, 0.75])
    inside = []
    for seed in range(25):
        score, label = labelled(seed, rows=150)
        draws = hs.calibrate(score, label, method=method, n_draws=200, random_state=seed).draws(places)
        low, high = np.quantile(draws, (0.025, 0.975), axis=0)
        inside.append((low <= places**1.5) & (places**1.5 <= high))
    assert np.mean(inside) > level - 3 * np.sqrt(level * (1 - level) / 40)


@pytest.mark.parametrize("method", METHODS)
def test_the_same_seed_gives_the_same_draws(method):
    """Draws are in [0, 1], in the requested number, and reproducible by the seed."""
    score, label = labelled(5, rows=60)
    one, two = (
        hs.calibrate(score, label, method=method, n_draws=30, random_state=7).draws([0.0, 0.3, 1.0]) for _ in range(2)
    )
    assert one.shape == (30, 3)
    assert ((one >= 0) & (one <= 1)).all()
    np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize("method", METHODS)
def test_the_threshold_of_a_probability_is_the_first_score_that_reaches_it(method):
    """The score found reaches the probability, and the number just below it does not."""
    score, label = labelled(6, digits=2)
    calibrator = hs.calibrate(score, label, method=method, n_draws=2, random_state=0)
    for wanted in (0.2, 0.5, 0.7):
        place = calibrator.threshold(wanted)
        assert calibrator.predict([place])[0] >= wanted > calibrator.predict([np.nextafter(place, -np.inf)])[0]
    assert calibrator.threshold(1.1) == np.inf


def test_a_score_that_falls_has_no_threshold():
    """If the probability decreases with the score, the error recommends its negative."""
    score, label = labelled(7)
    with pytest.raises(hs.HowsureError, match="negative of the scores"):
        hs.calibrate(-score, label, method="platt", n_draws=2).threshold(0.5)


@pytest.mark.parametrize("method", METHODS)
def test_separated_labels_give_finite_and_uncertain_probabilities(method):
    """Labels that the score separates leave every calibrator defined, and its draws spread."""
    score = np.linspace(0.05, 0.95, 20)
    calibrator = hs.calibrate(score, score > 0.5, method=method, n_draws=300, random_state=0)
    assert np.isfinite(calibrator.predict(score)).all()
    draws = calibrator.draws([0.05, 0.95])
    assert (draws.std(0) > 1e-3).all()
    assert (draws[:, 0].mean() < 0.2, draws[:, 1].mean() > 0.8) == (True, True)


def test_clustered_labels_tell_less_than_independent_ones():
    """Each case given four times in a cluster leaves about the uncertainty of giving it once, not of four cases."""
    score, label = labelled(8, rows=200)
    four, ids = np.repeat(score, 4), np.repeat(np.arange(200), 4)
    for method in ("beta", "isotonic"):
        spread = [
            hs.calibrate(*each, method=method, groups=groups, n_draws=500, random_state=0).draws([0.5]).std()
            for each, groups in (((score, label), None), ((four, np.repeat(label, 4)), ids))
        ]
        assert spread[1] == pytest.approx(spread[0], rel=0.25)


@pytest.mark.parametrize(
    "arguments, words",
    [
        ({"y_score": [0.1, 0.2], "y_true": [0, 1], "method": "isotonc"}, "Did you mean 'isotonic'"),
        ({"y_score": [0.1, 0.3, 1.2], "y_true": [0, 1, 1]}, "1.2. Use 'platt'"),
        ({"y_score": [0.1, np.nan], "y_true": [0, 1]}, "missing"),
        ({"y_score": [0.1, 0.2, 0.3], "y_true": [0, 1]}, "differ in length"),
        ({"y_score": [0.1, 0.2], "y_true": [1, 1]}, "Only the class 1"),
        ({"y_score": [0.1, 0.2], "y_true": [1, 1], "pos_label": 1}, "needs cases of both classes"),
        ({"y_score": [0.4, 0.4], "y_true": [0, 1]}, "1 distinct scores. Use 'isotonic'"),
        ({"y_score": [0.4, 0.4], "y_true": [0, 1], "method": "platt"}, "'platt' has 2 coefficients"),
        ({"y_score": [], "y_true": []}, "empty|no case|no row"),
        ({"y_score": [0.1, 0.2], "y_true": [0, 1], "n_draws": 1}, "at least 2"),
    ],
)
def test_unusable_input_is_named(arguments, words):
    """Each unusable input gives an error that names it."""
    score, label = arguments.pop("y_score"), arguments.pop("y_true")
    with pytest.raises(hs.HowsureError, match=words):
        hs.calibrate(score, label, **arguments)


@pytest.mark.parametrize("method", ["isotonic", "venn_abers"])
def test_labelled_scores_may_all_be_equal(method):
    """One labelled score gives its share, the same at every score, with uncertainty."""
    calibrator = hs.calibrate([0.4] * 10, [0] * 6 + [1] * 4, method=method, n_draws=500, random_state=0)
    draws = calibrator.draws([0.1, 0.4, 0.9])
    assert (draws == draws[:, :1]).all()
    assert draws.mean() == pytest.approx(0.4, abs=0.03)
    assert draws.std() > 0.1


@pytest.mark.parametrize("scores", [[1e-7, 1e-6, 1e-5], [0.5, 0.5 + 1e-12, 0.5 - 1e-12], [0.3, 0.3 + 1e-9, 0.3 + 2e-9]])
def test_scores_that_beta_calibration_cannot_tell_apart_are_refused(scores):
    """Three scores that all but agree do not determine three coefficients."""
    repeated = np.repeat(scores, 20)
    with pytest.raises(hs.HowsureError, match="'beta' cannot separate the scores of the labelled cases.*'isotonic'"):
        hs.calibrate(repeated, np.arange(60) % 2, method="beta", random_state=0)


@pytest.mark.parametrize("scores, worst", [([-0.2, 0.4, 0.9], "-0.2"), ([0.1, 0.4, 1.3], "1.3")])
def test_beta_calibration_is_for_scores_within_the_range(scores, worst):
    """Scores outside [0, 1] are refused, with the most extreme one."""
    with pytest.raises(hs.HowsureError, match=f"holds {worst}"):
        hs.calibrate(np.tile(scores, 20), np.tile([0, 1, 1, 0, 1, 0], 10), method="beta")


@pytest.mark.parametrize("low, high", [(-4.0, 0.9), (0.2, 7.0), (-3.0, 5.0)])
def test_thresholds_of_scores_of_any_scale_are_found(low, high):
    """The threshold at a probability is where the calibrated curve reaches it, beyond the scores that were seen too."""
    rng = np.random.default_rng(11)
    score = rng.uniform(low, high, 400)
    label = rng.random(400) < 1 / (1 + np.exp(-3 * (score - (low + high) / 2) / (high - low)))
    found = hs.calibrate(score, label, method="platt", n_draws=2, random_state=0)
    for probability in (0.02, 0.4, 0.97):
        at = found.threshold(probability)
        assert float(found.curve(np.array([at]))[0]) >= probability
        below = float(found.curve(np.array([np.nextafter(at, -np.inf)]))[0])
        assert below < probability or below == pytest.approx(probability, abs=1e-12)
        assert np.isfinite(at)


@pytest.mark.parametrize("method", ["platt", "beta", "venn_abers", "isotonic"])
def test_the_mean_of_the_draws_is_the_expected_probability(method):
    """At no more scores than groups it is the mean of all draws, and 1,000 more scores hardly change it."""
    score, label = labelled(3, rows=80)
    made = hs.calibrate(score, label, method=method, n_draws=50, random_state=0)
    places = np.linspace(0.01, 0.99, 40)
    if method in {"platt", "beta"}:
        assert made.mean(places) == pytest.approx(made.draws(places).mean(0), abs=1e-12)
    else:
        assert made.mean(places) == pytest.approx(made.draws(places).mean(0), abs=0.15)
    more = np.linspace(0.01, 0.99, 1561)
    assert made.mean(more)[::40] == pytest.approx(made.mean(places), abs=1e-3)
    assert made.n_draws == 50


def test_the_first_score_of_all_is_the_threshold_of_any_probability():
    """Where every score reaches the probability it is the lowest possible one: 0 of probabilities, else no end."""
    score, label = labelled(6, digits=2)
    assert hs.calibrate(score, label, method="platt", n_draws=2).threshold(0.0) == 0.0
    edges = hs.calibrate([0.0, 0.4, 0.7, 1.0] * 5, [0, 1, 0, 1] * 5, method="platt", n_draws=2)
    assert edges.threshold(1e-9) == 0.0
    for more in (-0.001, 1.001):
        wide = hs.calibrate([0.1, 0.4, 0.7, more] * 5, [0, 1, 0, 1] * 5, method="isotonic", n_draws=2)
        assert wide.threshold(0.0) == -np.finfo(float).max


def test_ranks_of_numbers_are_in_their_order():
    """Neighbouring floating-point numbers have neighbouring ranks, from the lowest through 0 to the highest."""
    largest = np.finfo(float).max
    numbers = [-largest, -1.0, -1e-300, -5e-324, 0.0, 5e-324, 2.5, largest]
    ranks = [_rank(number) for number in numbers]
    assert ranks == sorted(ranks)
    assert (ranks[3], ranks[4], ranks[5]) == (-1, 0, 1)
    assert [_ranked(rank) for rank in ranks] == numbers
    for number in (-3.7, 1e-9, 0.25):
        assert _rank(np.nextafter(number, np.inf)) - _rank(number) == 1


@pytest.mark.parametrize("scale, move", [(1e-6, 0.0), (1e5, -3e5), (-2.0, 1.0)])
def test_the_unit_of_scores_is_no_matter_to_a_logistic_curve(scale, move):
    """Scores in another unit have the same probabilities, draw by draw."""
    score, label = labelled(9, rows=120)
    one, other = (
        hs.calibrate(each, label, method="platt", n_draws=20, random_state=1) for each in (score, scale * score + move)
    )
    places = np.array([0.05, 0.5, 0.9])
    assert other.predict(scale * places + move) == pytest.approx(one.predict(places), rel=1e-6)
    if scale > 0:
        assert other.draws(scale * places + move) == pytest.approx(one.draws(places), rel=1e-5)


def test_softened_labels_are_platts():
    """A positive case counts (n + 1) / (n + 2) as one and the rest as a negative, and a negative one likewise."""
    counts = np.array([[3.0, 0.0], [2.0, 4.0]])
    positive, negative = 5 / 6, 6 / 7
    expected = [[3 * negative, 3 * (1 - negative)]]
    expected.append([2 * negative + 4 * (1 - positive), 2 * (1 - negative) + 4 * positive])
    assert softened(counts) == pytest.approx(np.array(expected))


def test_scores_nearer_to_the_ends_than_a_limit_are_taken_at_it():
    """The features of beta calibration are log s and −log(1 − s), with s at least 1e-4 from 0 and 1."""
    found = Beta.features(np.array([0.0, 1e-5, 0.3, 1.0]))
    inside = np.array([NEAREST, NEAREST, 0.3, 1 - NEAREST])
    assert found == pytest.approx(np.column_stack([np.log(inside), -np.log(1 - inside), np.ones(4)]))
    made = hs.calibrate([0.0, 0.2, 0.6, 1.0] * 10, [0, 1, 0, 1] * 10, n_draws=2, random_state=0)
    assert np.isfinite(made.predict([0.0, 1.0])).all()
    for score in (-1e-9, 1 + 1e-9):
        with pytest.raises(hs.HowsureError, match="needs scores in"):
            made.predict([0.5, score])


@pytest.mark.parametrize(
    "method, change",
    [
        ("beta", {"coefficients": np.ones(2)}),
        ("beta", {"kept": np.ones((4, 2))}),
        ("beta", {"kept": np.ones((0, 3))}),
        ("platt", {"coefficients": np.array([1.0, np.nan])}),
        ("platt", {"table": None}),
        ("isotonic", {"shares": np.ones(3)}),
        ("isotonic", {"kept": None}),
        ("venn_abers", {"if_negative": np.array([1.5])}),
        ("venn_abers", {"if_positive": np.array([-0.5])}),
    ],
)
def test_parts_that_fit_no_scores_are_refused(method, change):
    """Coefficients and draws must be of the features, and shares of the scores."""
    made = hs.calibrate([0.1, 0.2, 0.6, 0.8] * 5, [0, 1, 0, 1] * 5, method=method, n_draws=30, random_state=0)
    made.check()
    with pytest.raises(hs.HowsureError):
        replace(made, **change).check()
