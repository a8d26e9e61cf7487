"""Calibrators against scikit-learn and their definitions."""

import numpy as np
import pytest
from scipy import optimize
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression

import howsure as hs

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
