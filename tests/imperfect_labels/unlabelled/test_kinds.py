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
    said = np.where(SCORE >= 0.3, "ill", "well")
    parts = [hs.calibrated(SCORE[i::100], y_pred=said[i::100], labels=["well", "ill"]) for i in range(100)]
    np.testing.assert_allclose(sum(parts[1:], parts[0]).counts, at.counts)
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


def test_probabilities_that_are_rounded_are_made_whole():
    """Rows that add up to 1 within two thousandths are divided by their sum; others are named with theirs."""
    near = np.array([[0.2, 0.8019], [0.4981, 0.5]])
    table = hs.calibrated(near)
    assert table.counts.sum() == pytest.approx(2)
    assert table.counts[:, 1] == pytest.approx((near / near.sum(1, keepdims=True)).sum(0))
    with pytest.raises(hs.HowsureError, match=r"of 1 cases do not sum to 1 \(first at row 1: 1.0021\)"):
        hs.calibrated([[0.2, 0.8], [0.2021, 0.8], [0.5, 0.5]])
    for worst, row in ((1.2, 2), (-0.1, 2)):
        with pytest.raises(hs.HowsureError, match=rf"has 1 values outside \[0, 1\] \(first {worst}, at row {row}\)"):
            hs.calibrated([0.0, 1.0, worst])
    tiny = hs.calibrated([[1e-40, 1.0], [1e-20, 1.0]]).design.cases.probability
    assert tiny[:, 0].tolist() == [0.0, 1e-20]


@pytest.mark.parametrize("predicted", [["yes", "no", "yes"], np.array(["yes", "no", "yes"])])
def test_predictions_are_classes_by_their_names(predicted):
    """Predictions are the labels themselves, or their text; without any the likeliest class is predicted."""
    rows = np.array([[0.9, 0.1], [0.2, 0.8], [0.4, 0.6]])
    table = hs.calibrated(rows, y_pred=predicted, labels=["no", "yes"])
    assert table.counts == pytest.approx(np.array([[0.2, 1.3], [0.8, 0.7]]))
    assert hs.calibrated(rows, labels=["no", "yes"]).counts == pytest.approx(np.array([[0.9, 0.6], [0.1, 1.4]]))
    numbers = hs.calibrated(rows, y_pred=["1", "0", "1"])
    assert numbers.counts == pytest.approx(table.counts)
    assert hs.calibrated(rows, y_pred=[True, False, True]).counts == pytest.approx(table.counts)
    for wrong, words in ((["yes", "no"], "length"), (["yes", "no", "maybe"], "maybe")):
        with pytest.raises(hs.HowsureError, match=words):
            hs.calibrated(rows, y_pred=wrong, labels=["no", "yes"])
    with pytest.raises(hs.HowsureError, match="names 3 classes, and `y_score` has 2 columns"):
        hs.calibrated(rows, labels=["no", "yes", "maybe"])


@pytest.mark.parametrize("every, names", [(1, ["0–0", "1–1", "2–2"]), (2, ["0–1", "2–2"]), (3, ["0–2"]), (9, ["0–2"])])
def test_runs_of_cases_are_named_by_their_ends(every, names):
    """Consecutive cases are named by the first and the last; the last run may be shorter."""
    tables = hs.calibrated([0.2, 0.5, 0.9], every=every)
    assert [str(name) for name in tables] == names
    assert sum(table.rows for table in tables.values()) == 3


@pytest.mark.parametrize(
    "every, names",
    [
        ("week", ["2023-12-25", "2024-01-01", "2024-01-08"]),
        ("quarter", ["2023-Q4", "2024-Q1"]),
        ("month", ["2023-12", "2024-01"]),
        ("year", ["2023", "2024"]),
        ("day", ["2023-12-31", "2024-01-01", "2024-01-07", "2024-01-08"]),
    ],
)
def test_periods_begin_on_their_first_day(every, names):
    """Weeks begin on Mondays, quarters in January, April, July and October."""
    days = ["2023-12-31", "2024-01-01", "2024-01-07", "2024-01-08"]
    tables = hs.calibrated([0.2, 0.5, 0.9, 0.4], by=days, every=every)
    assert [str(name) for name in tables] == names
    last = {f"{year}-{month:02}-28": f"{year}-Q{(month + 2) // 3}" for year in (1969, 2024) for month in range(1, 13)}
    found = hs.calibrated(np.full(24, 0.5), by=list(last), every="quarter")
    assert [str(name) for name in found] == list(dict.fromkeys(last.values()))
    assert all(table.rows == 3 for table in found.values())


@pytest.mark.parametrize("every", [0, -1, True, 1.5, "fortnight"])
def test_chunks_that_are_none_are_refused(every):
    """A run has a case at least, and a period is one of those known."""
    with pytest.raises(hs.HowsureError):
        hs.calibrated([0.2, 0.5], by=["2024-01-01", "2024-01-02"] if isinstance(every, str) else None, every=every)
