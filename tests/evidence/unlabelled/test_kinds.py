"""Scores without labels: of many classes, with decisions, and as a kernel density estimate."""

import numpy as np
import pytest
import sklearn
from scipy import stats
from sklearn.metrics import average_precision_score, log_loss, roc_auc_score

import howsure as hs

RNG = np.random.default_rng(12)
SCORE = RNG.beta(2, 3, 400)
ROWS = RNG.dirichlet([1, 1, 2], 80)


def labels_of(rows, rng):
    """Draw the class of each row of probabilities."""
    return (rng.random(len(rows))[:, None] > np.cumsum(rows, 1)[:, :-1]).sum(1)


def literal(truth):
    """Return scikit-learn's AUC (against the rest, in pairs), average precision, log loss and Brier score of ROWS."""
    return (
        roc_auc_score(truth, ROWS, multi_class="ovr"),
        roc_auc_score(truth, ROWS, multi_class="ovo"),
        average_precision_score(np.eye(3)[truth], ROWS),
        log_loss(truth, ROWS),
        ((np.eye(3)[truth] - ROWS) ** 2).sum(1).mean(),
    )


@pytest.mark.thorough
def test_metrics_of_scores_of_many_classes_are_what_labels_give():
    """Draws of AUC, average precision, log loss and Brier score are as scikit-learn's after labels are drawn."""
    rng = np.random.default_rng(0)
    with sklearn.config_context(skip_parameter_validation=True, assume_finite=True):
        seen = [literal(labels_of(ROWS, rng)) for _ in range(150)]
    metrics = ["roc_auc@macro", "roc_auc@macro+multi_class=ovo", "average_precision@macro", "log_loss", "brier_score"]
    table = hs.calibrated(ROWS, kind="scores")
    drawn = hs.evaluate(table, metrics, method=hs.methods.Dirichlet(n_draws=2000), random_state=0)
    plain = hs.evaluate(table, metrics)
    for each, values in zip(metrics, np.transpose(seen), strict=True):
        spread = values.std()
        assert drawn[each].draws.mean() == pytest.approx(values.mean(), abs=4 * spread / np.sqrt(150))
        assert drawn[each].standard_error == pytest.approx(spread, rel=0.25)
        covered = ((plain[each].low <= values) & (values <= plain[each].high)).mean()
        assert 0.9 <= covered <= 0.99
        assert "assumes calibrated scores" in plain[each].reason


def test_tables_of_chunks_of_scores_of_many_classes():
    """Chunks and the population's question work on them as on one score."""
    chunks = hs.calibrated(ROWS, kind="scores", every=40, target="population", labels=["a", "b", "c"])
    found = hs.estimate(chunks, "roc_auc@macro")
    assert len(found) == 2
    assert (found.low < found.value).all()
    assert (found.overall.high - found.overall.low) < (found.high - found.low).min()


def test_decisions_stand_beside_one_score():
    """Predictions given with a score are used unchanged; those of a threshold give the table at it."""
    given = hs.calibrated(SCORE, y_pred=np.where(SCORE >= 0.3, "ill", "well"), labels=["well", "ill"])
    at = hs.calibrated(SCORE).at(0.3)
    np.testing.assert_allclose(given.counts, at.counts)
    for metric in ("f1", "accuracy", "mcc"):
        one, other = hs.estimate(given, metric), hs.estimate(at, metric)
        assert (one, one.low, one.high) == pytest.approx((other, other.low, other.high), abs=1e-9)
    turned = hs.calibrated({"s": SCORE, "said": SCORE < 0.3}["s"], y_pred=(SCORE < 0.3).astype(int))
    assert hs.estimate(turned, "recall") == pytest.approx(1 - hs.estimate(at, "recall"))


@pytest.mark.thorough
def test_a_kernel_density_estimate_is_a_distribution():
    """The part of SciPy's kernel density estimate within [0, 1] is used; metrics are those of cases drawn from it."""
    kernels = stats.gaussian_kde(SCORE, weights=np.linspace(1, 2, len(SCORE)))
    drawn = kernels.resample(200_000, seed=1)[0]
    drawn = drawn[(drawn > 0) & (drawn < 1)]
    truth = np.random.default_rng(2).random(drawn.size) < drawn
    table = hs.calibrated(kernels)
    assert hs.estimate(table, "roc_auc") == pytest.approx(roc_auc_score(truth, drawn), abs=0.005)
    assert hs.estimate(table, "accuracy", threshold=0.5) == pytest.approx(((drawn >= 0.5) == truth).mean(), abs=0.004)
    new = hs.estimate(hs.calibrated(kernels, n=200), "accuracy", threshold=0.5)
    assert new.low < new < new.high


@pytest.mark.parametrize(
    "score, settings, words",
    [
        (SCORE, {"kind": "labels"}, "kind of table"),
        (SCORE, {"kind": "confusion"}, "give `y_pred`"),
        (ROWS, {"kind": "scores", "y_pred": ROWS.argmax(1)}, "leave out one"),
        (SCORE, {"y_pred": np.arange(400) % 3}, "class '2'"),
        (stats.gaussian_kde(RNG.random((2, 50))), {}, "2 dimensions"),
        (stats.gaussian_kde(RNG.normal(80, 1, 50)), {}, "no mass within"),
    ],
)
def test_kinds_that_do_not_fit_are_refused(score, settings, words):
    """What does not go together is refused in words."""
    with pytest.raises(hs.HowsureError, match=words):
        hs.calibrated(score, **settings)
