"""The choice of the default method, and its description in estimates."""

from types import SimpleNamespace

import numpy as np
import pytest

import howsure as hs
from howsure.designs.traits import Traits
from howsure.methods.default import WHY, checked, default_method
from howsure.metrics.binding import resolve


def test_every_default_method_says_why_it_is_taken():
    """An estimate states why its method is the default; for methods that are never the default it is empty."""
    table = hs.from_counts([[50, 3], [5, 42]])
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


RNG = np.random.default_rng(5)
TRUTH, SAID, OTHER = (RNG.integers(0, 2, 80) for _ in range(3))
SCORE, SECOND = RNG.random(80), RNG.random(80)
CLUSTER, WEIGHT = np.arange(80) // 4, 0.5 + RNG.random(80)
SHARES = RNG.dirichlet(np.ones(3), 80)
SPECIES = RNG.integers(0, 3, 80)
CHOICES = {  # table or tables, and what is the default for its metrics
    "labels": (lambda: hs.confusion(TRUTH, SAID), {"recall": "mid_p", "mcc": "flow", "dor": "two_rates", "f1@min": "extremes"}),
    "weighted": (lambda: hs.confusion(TRUTH, SAID, sample_weight=WEIGHT), {"recall": "mid_p", "f1": "mid_p", "mcc": "flow", "lift": "delta"}),
    "clustered": (lambda: hs.confusion(TRUTH, SAID, groups=CLUSTER), {"accuracy": "mid_p", "kappa": "flow"}),
    "stated prevalence": (lambda: hs.confusion(TRUTH, SAID), {"ppv_at+prevalence=0.05": "two_rates"}),
    "scores": (
        lambda: hs.scores(TRUTH, SCORE),
        {"roc_auc": "delong_score", "average_precision": "effective_wilson", "recall_at+fpr=0.2": "threshold_limits"},
    ),
    "losses": (lambda: hs.scores(TRUTH, SCORE), {"brier_score": "flow", "log_loss": "flow", "ece": "gap_test"}),
    "three classes": (lambda: hs.multiclass_scores(SPECIES, SHARES), {"roc_auc@macro": "delong"}),
    "precision of three classes": (lambda: hs.multiclass_scores(SPECIES, SHARES), {"average_precision@macro": "effective_wilson"}),
    "no labels": (lambda: hs.calibrated(SCORE), {"roc_auc": "predictive", "recall_at+fpr=0.2": "predictive"}),
    "ratings": (
        lambda: hs.ratings(RNG.integers(0, 3, (40, 3))),
        {"krippendorff_alpha": "flow", "fleiss_kappa": "flow", "gwet_ac1": "flow"},
    ),
    "raters": (lambda: hs.confusion(TRUTH, SAID), {"krippendorff_alpha": "flow", "scotts_pi": "flow"}),
    "judged": (lambda: hs.judged(np.where(np.arange(80) % 4 < 2, TRUTH * 1.0, np.nan), SAID), {"pass_rate": "stratified"}),
    "transported": (
        lambda: hs.transported(hs.from_counts([[40, 5], [6, 25]]), {0: 30, 1: 70}),
        {"accuracy": "least_favourable", "recall": "delta"},
    ),
    "values": (
        lambda: hs.values(SCORE),
        {"mean": "empirical_likelihood_score", "std": "hall", "median": "order_statistics"},
    ),
    "pairs": (lambda: hs.paired(TRUTH, {"A": SAID, "B": OTHER}), {"accuracy": "tango", "f1@macro": "flow", "dor": "delta"}),
    "pairs of scores": (
        lambda: hs.paired_scores(TRUTH, {"A": SCORE, "B": SECOND}),
        {"roc_auc": "delong", "average_precision": "delta"},
    ),
    "pairs of values": (lambda: hs.values({"A": SCORE, "B": SECOND}), {"mean": "empirical_likelihood_score"}),
    "two test sets": (
        lambda: (hs.confusion(TRUTH, SAID), hs.confusion(TRUTH, OTHER)),
        {"accuracy": "mover", "f1@macro": "mover"},
    ),
    "scores of two test sets": (
        lambda: (hs.scores(TRUTH, SCORE), hs.scores(TRUTH, SECOND)),
        {"roc_auc": "delong", "average_precision": "delta"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind, metric", [(kind, metric) for kind, (_, wanted) in CHOICES.items() for metric in wanted])
def test_each_kind_of_data_has_the_default_of_the_guide(kind, metric):
    """One model is estimated, and two are compared."""
    make, wanted = CHOICES[kind]
    table = make()
    parts = table if isinstance(table, tuple) else (table,)
    found = hs.compare(*parts, metric) if len(parts) > 1 or hasattr(table, "models") else hs.estimate(table, metric)
    assert found.method == wanted[metric]


@pytest.mark.parametrize("contrast, method", [("difference", "delong"), ("ratio", "delta")])
def test_ratios_of_areas_have_no_delong(contrast, method):
    """The variances of areas in closed form are for a difference."""
    table = hs.paired_scores(TRUTH, {"A": SCORE, "B": SECOND})
    assert hs.compare(table, "roc_auc", contrast=contrast).method == method


def test_so_many_losses_have_a_normal_mean(monkeypatch):
    """Beyond a number of distinct losses the flow is not the default of an unbounded loss; a bounded one keeps it."""
    table = hs.scores(TRUTH, SCORE)
    monkeypatch.setattr("howsure.methods.default.MOST_LOSSES", 2 * 80)
    assert hs.estimate(table, "log_loss").method == "flow"
    monkeypatch.setattr("howsure.methods.default.MOST_LOSSES", 2 * 80 - 1)
    assert hs.estimate(table, "log_loss").method != "flow"
    assert hs.estimate(table, "brier_score").method == "flow"


@pytest.mark.parametrize("contrast, method", [("difference", "flow"), ("ratio", "flow"), ("odds_ratio", "delta")])
def test_odds_ratios_of_averages_are_by_the_delta_method(contrast, method):
    """The flow was shown to cover for differences and ratios of two models on the same cases."""
    table = hs.paired(TRUTH, {"A": SAID, "B": OTHER})
    assert hs.compare(table, "f1@macro", contrast=contrast).method == method


def test_a_method_that_does_not_fit_is_refused_and_no_method_is_the_default():
    """What is asked for is taken where it fits."""
    table = hs.from_counts([[50, 3], [5, 42]])
    metric, wilson = resolve("mcc", table), hs.methods.Wilson()
    assert checked(None, metric, table).name == default_method(metric, table).name == "flow"
    recall = resolve("recall", table)
    assert checked(wilson, recall, table) is wilson
    with pytest.raises(hs.HowsureError, match="is not one"):
        checked(wilson, metric, table)
    assert (
        default_method(metric, SimpleNamespace(design=SimpleNamespace(traits=Traits(default_method="wilson")))).name
        == "wilson"
    )
