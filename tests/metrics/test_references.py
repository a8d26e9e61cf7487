"""Every metric equals scikit-learn's or the peer's if they have it."""

import warnings
from functools import cache

import numpy as np
import prob_conf_mat
import pytest
import sklearn
from sklearn import metrics as sk

import howsure as hs
from howsure.metrics.binding import resolve
from howsure.metrics.registry import REGISTRY
from howsure.metrics.spec import parse

SPECS = {  # spec -> scikit-learn's call on labels and weights
    "accuracy": sk.accuracy_score,
    "error_rate": sk.zero_one_loss,
    "hamming_loss": sk.hamming_loss,
    "mcc": sk.matthews_corrcoef,
    "kappa": sk.cohen_kappa_score,
    "weighted_kappa": lambda t, p, sample_weight: sk.cohen_kappa_score(t, p, weights="linear", sample_weight=sample_weight),
    "quadratic_weighted_kappa": lambda t, p, sample_weight: sk.cohen_kappa_score(
        t, p, weights="quadratic", sample_weight=sample_weight
    ),
    "balanced_accuracy": sk.balanced_accuracy_score,
    "balanced_accuracy+adjusted=true": lambda t, p, sample_weight: sk.balanced_accuracy_score(
        t, p, adjusted=True, sample_weight=sample_weight
    ),
    "mae": sk.mean_absolute_error,
    "mse": sk.mean_squared_error,
    "rmse": sk.root_mean_squared_error,
}  # fmt: skip
for average in ("macro", "micro", "weighted"):
    for name, function, extra in (
        ("precision", sk.precision_score, {}),
        ("recall", sk.recall_score, {}),
        ("f1", sk.f1_score, {}),
        ("jaccard", sk.jaccard_score, {}),
        ("fbeta+beta=2", sk.fbeta_score, {"beta": 2}),
    ):
        for undefined in (0, 1, np.nan):
            if name == "jaccard" and np.isnan(undefined):
                continue  # scikit-learn's has no nan
            text = f"{name}+zero_division={undefined}@{average}"
            settings = {"average": average, "zero_division": undefined, **extra}

            def call(t, p, sample_weight, function=function, settings=settings):
                return function(t, p, sample_weight=sample_weight, **settings)

            SPECS[text] = call


@cache
def sample(seed):
    """Return labels, some absent on one side, K from 2 to 30, weights for every other seed, and the table of them."""
    rng = np.random.default_rng(seed)
    classes = int(rng.integers(2, 31))
    rows = int(rng.integers(10, 40 * classes))
    true = rng.choice(classes, rows, p=rng.dirichlet(np.full(classes, 0.5)))
    predicted = np.where(
        rng.random(rows) < rng.random(), true, rng.choice(classes, rows, p=rng.dirichlet(np.ones(classes)))
    )
    codes = np.unique(np.concatenate([true, predicted]), return_inverse=True)[1]
    true, predicted = np.split(codes, 2)  # distances between classes are those of their ranks
    weight = rng.exponential(size=rows) if seed % 2 else None
    return true, predicted, weight, hs.confusion(true, predicted, sample_weight=weight)


SEEDS = range(40)


def test_the_tables_hold_what_metrics_trip_over():
    """They include two and many classes, classes never true, and never predicted, with and without weights."""
    counts = [sample(seed)[-1].counts for seed in SEEDS]
    assert min(map(len, counts)) == 2
    assert max(map(len, counts)) > 25
    for axis in (0, 1):
        absent = {seed % 2 for seed, each in zip(SEEDS, counts, strict=True) if (each.sum(axis) == 0).any()}
        assert absent == {0, 1}
        assert sum((each.sum(axis) == 0).any() for each in counts) > 5


@pytest.mark.parametrize("seeds", [SEEDS[::5], pytest.param(SEEDS, marks=pytest.mark.thorough)], ids=["some", "all"])
@pytest.mark.parametrize("spec", SPECS)
def test_equal_scikit_learn_on_many_tables(spec, seeds):
    """Values equal scikit-learn's to 1e-12, with weights, absent classes and up to thirty classes."""
    for seed in seeds:
        true, predicted, weight, table = sample(seed)
        with warnings.catch_warnings(), sklearn.config_context(skip_parameter_validation=True, assume_finite=True):
            warnings.simplefilter("ignore")
            expected = SPECS[spec](true, predicted, sample_weight=weight)
        found = float(resolve(spec, table)(table.counts))
        if np.isnan(found):  # scikit-learn returns 0 or 1 for an undefined correlation or agreement
            assert np.isnan(expected) or expected in (0.0, 1.0)
        else:
            assert found == pytest.approx(expected, abs=1e-12, rel=1e-12)


def test_likelihood_ratios_equal_scikit_learns():
    """Both likelihood ratios equal scikit-learn's `class_likelihood_ratios`."""
    for seed in range(30):
        rng = np.random.default_rng(seed)
        counts = rng.integers(1, 40, (2, 2))
        true = np.repeat([0, 0, 1, 1], counts.ravel())
        predicted = np.repeat([0, 1, 0, 1], counts.ravel())
        expected = sk.class_likelihood_ratios(true, predicted)
        table = hs.from_counts(counts)
        assert [hs.estimate(table, name).value for name in ("plr", "nlr")] == pytest.approx(expected, rel=1e-12)


NAMES_OF_THE_PEERS = """
    diag_mass prevalence model_bias tpr recall sensitivity hit_rate fnr miss_rate ppv precision fdr fpr fall_out
    tnr specificity selectivity for npv f1 fbeta informedness youden_j bm markedness delta_p p4 jaccard
    threat_score critical_success_index plr nlr log_plr log_nlr dor log_dor pt prevalence_threshold
    precision_gain recall_gain f1_gain fbeta_gain acc ba mcc phi kappa mae mse rmse offby1 adjacent_accuracy
    polynomial_weighted_kappa accuracy accuracy_score ppv_score npv_score tpr_score fpr_score tnr_score
    precision_score recall_score f1_score
"""


def test_names_of_both_peers_resolve():
    """Each name that prob_conf_mat or confidenceinterval has for a metric is understood."""
    assert not [name for name in NAMES_OF_THE_PEERS.split() if REGISTRY.find(name) is None]


@pytest.mark.parametrize(
    "average",
    ["macro", "mean", "weighted", "micro", "binary", "select_positive", "harmonic", "geometric", "min", "max"],
)
def test_names_of_averages_parse(average):
    """Each name that prob_conf_mat has for an average is understood."""
    assert parse(f"f1@{average}").average is not None


def peers_names():
    """Return every name that prob_conf_mat registers for a metric."""
    from prob_conf_mat.metrics import METRIC_REGISTRY

    return sorted(METRIC_REGISTRY)


@pytest.mark.parametrize("name", peers_names())
def test_every_registered_name_of_the_peer_resolves_to_its_value(name):
    """All names in prob_conf_mat's registry give its values on a generic table."""
    definition = REGISTRY.find(name)
    assert definition is not None
    counts = np.array([[50.0, 7, 3], [4, 31, 9], [2, 5, 22]])
    study = prob_conf_mat.Study(seed=0, num_samples=10_000, ci_probability=0.95)
    study.add_experiment("a/b", confusion_matrix=counts.astype(int).tolist(), prevalence_prior=0, confusion_prior=0)
    spec = f"{name}@macro" if definition.form.name == "outcomes" else name
    study.add_metric(spec)
    theirs = study.get_metric_samples(metric=spec, experiment_name="a/b", sampling_method="input").values
    assert hs.estimate(hs.from_counts(counts), spec).value == pytest.approx(float(np.ravel(theirs)[0]), rel=1e-9)
