"""Laws of every registered metric, under every average, for two to five classes."""

import functools
import math
import re

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import howsure as hs
from howsure.methods.core.standard_errors import standard_error
from howsure.metrics.averages import AVERAGES
from howsure.metrics.binding import labels_to_expand, resolve
from howsure.metrics.laws import generic_tables
from howsure.metrics.registry import REGISTRY
from howsure.metrics.spec import parse
from howsure.tables.counts import ConfusionCounts
from howsure.testing import check_metric

OVER_CLASSES = [each.name for each in AVERAGES] + ["micro", "binary+positive_class=1"]
OF_LABELS = [each for each in REGISTRY.shipped if each.of_predictions and not each.required]
OF_SCORES = [each for each in REGISTRY.shipped if each.of_scores]
SPECS = [
    f"{definition.name}@{average}" if definition.form.name == "outcomes" else definition.name
    for definition in OF_LABELS
    for average in (OVER_CLASSES if definition.form.name == "outcomes" else [""])
]
SPECS += [
    f"{name}@{average}"
    for name in (
        "net_benefit+threshold=0.3",
        "net_benefit+threshold=0.7+prevalence=0.1",
        "standardized_net_benefit+threshold=0.2",
        "standardized_net_benefit+threshold=0.3+prevalence=0.1",
        "interventions_avoided+threshold=0.4",
        "interventions_avoided+threshold=0.1+prevalence=0.6",
        "expected_cost+cost_fp=1+cost_fn=10",
        "expected_cost+cost_fp=2+cost_fn=5+cost_tp=1+cost_tn=-1+prevalence=0.3",
    )
    for average in OVER_CLASSES
]
SPECS += ["fbeta+beta=2@macro", "fbeta+beta=0.5@weighted", "balanced_accuracy+adjusted=true", "weighted_kappa+power=3"]
SCORED = [
    definition.name + average
    for definition in OF_SCORES
    for average in ("", *(f"@{each}" for each in OVER_CLASSES), "@macro+multi_class=ovo", "@weighted+multi_class=ovo")
    if not average or definition.has_averages
]
SCORED += ["roc_auc+min_tpr=0.6", "roc_auc+max_fpr=0.4+standardized=false"]
SCORED += ["roc_auc+max_fpr=0.37", "roc_auc+max_fpr=0.37@macro", "ece+norm=l2", "ece+norm=max", "ece+strategy=quantile"]
SCORED += ["ece+debiased=true+bins=3", "ece+norm=l2+debiased=true+bins=3", "top_k_accuracy+k=1"]
VALUED = [each.name for each in REGISTRY.shipped if each.form.takes_table and not each.of_scores]
VALUED += ["quantile+q=0.25", "share+at_least=0.3", "trimmed_mean+cut=0.2", "cvar+q=0.6", "pass_at+k=3", "pass_all+k=4"]
ORDERED = ("mae", "mse", "rmse", "adjacent", "weighted_kappa", "quadratic")
SIGNED = """
    log_plr log_nlr log_dor informedness markedness precision_gain recall_gain f1_gain fbeta_gain
    calibration_slope calibration_intercept net_benefit standardized_net_benefit interventions_avoided
    expected_cost
"""


def generic(classes, seed=0):
    """Return a table without an empty cell, better than chance."""
    rng = np.random.default_rng(seed)
    return rng.integers(1, 20, (classes, classes)).astype(float) + np.diag(rng.integers(20, 60, classes))


def skipped(spec):
    """Geometric and harmonic means of values that may be negative are undefined or ill-behaved."""
    name, _, average = spec.partition("@")
    return name.partition("+")[0] in SIGNED.split() and average in ("geometric", "harmonic")


USABLE = [spec for spec in SPECS if not skipped(spec)]
SCORED = [spec for spec in SCORED if not skipped(spec)]


EVERY = [*USABLE, *(each.name for each in OF_LABELS if each.form.name == "outcomes"), *SCORED, *VALUED]


def name_of(spec):
    """Return the name of the metric of a spec."""
    return re.split("[@+]", spec)[0]


FITTED = ("ici", "e50", "e90", "e_max")  # each value fits a curve of calibration
AVERAGES_OF_FITS = [
    spec
    for spec in EVERY
    if name_of(spec) in FITTED and "@" in spec and spec not in ("ici@macro", "e90@binary+positive_class=1")
]


@pytest.mark.parametrize("name", dict.fromkeys(name_of(spec) for spec in EVERY))
def test_every_metric_keeps_the_laws(name):
    """The laws for user-defined metrics also apply to each of howsure's, under every average."""
    for spec in EVERY:
        if name_of(spec) == name and spec not in AVERAGES_OF_FITS:
            check_metric(spec)


@pytest.mark.thorough
@pytest.mark.parametrize("spec", AVERAGES_OF_FITS)
def test_every_average_of_fitted_curves_keeps_the_laws(spec):
    """The same for metrics that fit a curve for each value, under the averages that the test above omits."""
    check_metric(spec)


def test_memory_layout_does_not_matter():
    """Tables on leading axes give the same values with their cells first in memory, as draws have them."""
    batch = np.stack([generic(3, seed) for seed in range(6)]).reshape(2, 3, 3, 3)
    cells_first = np.moveaxis(np.ascontiguousarray(np.moveaxis(batch, (0, 1), (2, 3))), (2, 3), (0, 1))
    table = hs.from_counts(batch[0, 0])
    for spec in USABLE:
        metric = resolve(spec, table)
        assert np.asarray(metric(cells_first)) == pytest.approx(np.asarray(metric(batch)), rel=1e-12), spec


DUALS = [
    ("precision", "recall"),
    ("fdr", "fnr"),
    ("for", "fpr"),
    ("npv", "specificity"),
    ("prevalence", "model_bias"),
    ("markedness", "informedness"),
    ("fbeta+beta=2", "fbeta+beta=0.5"),
    *((name, name) for name in ("f1", "jaccard", "fowlkes_mallows", "p4", "dor", "diag_mass", "class_accuracy")),
]


@pytest.mark.parametrize("one, other", DUALS)
def test_transposing_swaps_duals(one, other):
    """Swapping truth and prediction turns precision into recall, npv into specificity, with their standard errors."""
    for seed in range(3):
        counts = generic(3, seed)
        table, transposed = hs.from_counts(counts, check=False), hs.from_counts(counts.T, check=False)
        for average in ("macro", "micro", "min", "harmonic", "binary+positive_class=2"):
            if skipped(f"{one.partition('+')[0]}@{average}"):
                continue
            first, second = resolve(f"{one}@{average}", table), resolve(f"{other}@{average}", transposed)
            assert float(first(counts)) == pytest.approx(float(second(counts.T)), rel=1e-12)
            assert standard_error(first, table) == pytest.approx(standard_error(second, transposed), rel=1e-9)


@pytest.mark.parametrize(
    "name", ["mcc", "kappa", "accuracy", "scotts_pi", "gwet_ac1", "f1@macro", "jaccard@micro", "mae"]
)
def test_symmetric_metrics_do_not_mind_transposing(name):
    """Metrics that are symmetric in truth and prediction have the same value on the transposed table."""
    counts = generic(4, 9)
    metric = resolve(name, hs.from_counts(counts, check=False))
    assert float(metric(counts.T)) == pytest.approx(float(metric(counts)), rel=1e-12)


@st.composite
def sparse(draw):
    """Draw counts with empty cells, and often a class that is never true or never predicted."""
    size = draw(st.integers(2, 5))
    cells = draw(st.lists(st.sampled_from([0, 0, 0, 1, 2, 5, 17]), min_size=size**2, max_size=size**2))
    counts = np.array(cells, dtype=float).reshape(size, size)
    counts[draw(st.integers(0, size - 1)), draw(st.integers(0, size - 1))] += 1
    return counts


def several(specs):
    """Draw some of these metrics: a table is made once for all of them."""
    return st.lists(st.sampled_from(specs), min_size=10, max_size=10, unique=True)


@given(counts=sparse(), specs=several(USABLE), factor=st.sampled_from([3.0, 10.0, 1024.0]))
@settings(max_examples=80)
def test_scale_range_and_euler_hold_on_sparse_tables(counts, specs, factor):
    """Also with empty cells, scale has no effect, the value is in range, and gradient and counts are orthogonal."""
    table, filled = hs.from_counts(counts, check=False), counts > 0
    for spec in specs:
        metric = resolve(spec, table)
        value, scaled = (float(each) for each in metric(np.stack([counts, counts * factor])))
        if math.isnan(value):
            assert math.isnan(scaled), spec
            continue
        assert abs(scaled - value) <= 1e-9 * abs(value) + 1e-12 or scaled == value, spec
        assert metric.range[0] - 1e-12 <= value <= metric.range[1] + 1e-12, spec
        gradient = metric.gradient(ConfusionCounts(counts))[filled]
        if np.isfinite(gradient).all():
            size = (counts[filled] * np.abs(gradient)).sum()
            assert abs((counts[filled] * gradient).sum()) <= 1e-9 * size + 1e-12, spec


SMOOTH = [spec for spec in USABLE if not spec.endswith(("@min", "@max"))]


@given(counts=sparse(), spec=st.sampled_from(SMOOTH))
@settings(max_examples=300)
def test_gradient_is_the_derivative_on_sparse_tables(counts, spec):
    """Where a class is left out of an average, the gradient is that of the average of the others."""
    metric = resolve(spec, hs.from_counts(counts, check=False))
    value, gradient = float(metric(counts)), metric.gradient(ConfusionCounts(counts))
    if not math.isfinite(value) or not np.isfinite(gradient[counts > 0]).all():
        return
    if value in metric.range or (
        metric.per_class is not None and np.isin(metric.per_class(ConfusionCounts(counts)), 0).any()
    ):
        return  # roots and geometric means have no slope at zero
    cells = np.nonzero(counts)
    steps = np.zeros((len(cells[0]), *counts.shape))
    steps[(np.arange(len(steps)), *cells)] = 1e-5 * counts[cells]
    slopes = (metric(counts + steps) - metric(counts - steps)) / (2e-5 * counts[cells])
    for found, slope in zip(gradient[cells], slopes, strict=True):
        scale = max(abs(slope), abs(value) / counts.sum(), 1e-3)
        assert found == pytest.approx(slope, abs=1e-4 * scale)


@functools.cache
def last_table(spec):
    """Return the last generic table of a metric: one of trials, which most metrics of numbers read."""
    *_, table = generic_tables(parse(spec))
    return table


@given(numbers=st.lists(st.sampled_from([0, 0, 1, 2, 5, 17]), min_size=13, max_size=13), specs=several(VALUED))
@settings(max_examples=60)
def test_scale_range_and_euler_hold_of_sparse_values(numbers, specs):
    """The same for metrics of values, trials and errors with empty cells."""
    for spec in specs:
        table = last_table(spec)
        counts = np.resize(np.array(numbers, dtype=float), table.counts.shape)
        metric = resolve(spec, table)
        value, scaled = (float(each) for each in metric(np.stack([counts, counts * 1024])))
        assert math.isnan(value) == math.isnan(scaled), spec
        if math.isnan(value):
            continue
        assert scaled == pytest.approx(value, rel=1e-9, abs=1e-12), spec
        assert metric.range[0] - 1e-12 <= value <= metric.range[1] + 1e-12, spec
        with np.errstate(all="ignore"):
            gradient = metric.gradient(metric.counts_class(counts))
        if np.isfinite(gradient).all():
            assert abs((counts * gradient).sum()) <= 1e-9 * (counts * np.abs(gradient)).sum() + 1e-12, spec


@given(counts=sparse(), specs=several([s for s in USABLE if not s.startswith(ORDERED)]), data=st.data())
@settings(max_examples=60)
def test_names_of_classes_do_not_matter(counts, specs, data):
    """Reordering the classes, and with them the positive one, changes no value: sparse tables included."""
    order = data.draw(st.permutations(range(len(counts))))
    one, other = hs.from_counts(counts, check=False), hs.from_counts(counts[np.ix_(order, order)], check=False)
    for spec in specs:
        shuffled = spec.replace("positive_class=1", f"positive_class={order.index(1)}")
        first, second = float(resolve(spec, one)(one.counts)), float(resolve(shuffled, other)(other.counts))
        assert second == pytest.approx(first, rel=1e-9, abs=1e-12, nan_ok=True), spec


def test_names_lead_to_their_definition():
    """Each name and alias, in any case and with hyphens, leads to the one definition; each has a summary."""
    for definition in REGISTRY.shipped:
        for name in (definition.name, *definition.aliases):
            assert REGISTRY.find(name.upper().replace("_", "-")) is definition
        assert definition.summary.endswith("."), definition.name


@pytest.mark.parametrize("definition", [d for d in OF_LABELS if d.form.name == "outcomes"], ids=lambda d: d.name)
def test_one_class_of_many_is_its_two_by_two_table(definition):
    """A class's value and standard error are those of its 2×2 table, in every design."""
    counts = generic(4, 6)
    table = hs.from_counts(counts, check=False)
    spec = f"{definition.name}@binary+positive_class=2"
    small = table.one_against_rest(2)
    assert hs.estimate(table, spec, method="wald").value == pytest.approx(hs.estimate(small, definition.name).value)
    full = standard_error(resolve(spec, table), table)
    assert standard_error(resolve(definition.name, small), small) == pytest.approx(full, rel=1e-9)


def test_none_expands_to_the_classes():
    """The average `none` expands to one estimate per class."""
    table = hs.from_counts(generic(3), labels=["a", "ER+", "c@d"])
    specs = labels_to_expand("f1@none", table)
    values = [each.value for each in hs.evaluate(table, "f1@none").values()]
    tp, fn, fp, _ = ConfusionCounts(table.counts).outcomes()
    assert specs == [f"f1@binary+positive_class={label}" for label in ("a", "ER+", "c@d")]
    assert values == pytest.approx(list(2 * tp / (2 * tp + fn + fp)))


@given(
    text=st.sampled_from(SPECS),
    blanks=st.sampled_from(["", " "]),
)
@settings(max_examples=50)
def test_spec_strings_have_one_canonical_form(text, blanks):
    """A spec with blanks parses to the same text, which parses to itself."""
    spaced = text.replace("@", f"{blanks}@{blanks}").replace("=", f"{blanks}={blanks}")
    assert parse(spaced).text == parse(parse(text).text).text == parse(text).text


@pytest.mark.parametrize(
    "text, words",
    [
        ("acuracy", "Did you mean 'accuracy'"),
        ("f1@macr", "Did you mean 'macro'"),
        ("fbeta+bet=2@macro", "Did you mean 'beta'"),
        ("fbeta+beta@macro", "argument=value"),
        ("fbeta+beta=two@macro", "takes a number, not 'two'"),
        ("balanced_accuracy+adjusted=maybe", "true or false"),
        ("kappa@macro", "takes no average"),
        ("f1@macro+positive_class=1", "goes with the average 'binary'"),
        ("f1@binary+positive=1", "positive_class"),
        ("f1", "f1@macro"),
        ("f1@binary", "positive_class"),
        ("f1@none", "evaluate"),
        ("f1@binary+positive_class=7", "no class '7'"),
        ("__import__('os')", "no metric"),
        ("roc_auc", r"metric of scores.*`scores\(y_true, y_score\)`.*`paired_scores`"),
        ("roc_auc@macro", "metric of scores"),
        ("f1@macro+multi_class=ovo", "positive_class"),
        ("f1_macro@weighted", "two averages"),
        ("neg_log_loss", "times −1. Ask for 'log_loss'"),
        (3, "spec string"),
    ],
)
def test_bad_specs_are_refused_with_a_hint(text, words):
    """What cannot be parsed or does not fit the table is named, with the remedy."""
    with pytest.raises(hs.HowsureError, match=words):
        hs.estimate(hs.from_counts(generic(3)), text)


@pytest.mark.parametrize("spec", ["recall@min", "recall@max", "precision@min", "f1@max"])
def test_tied_classes_have_one_interval_in_any_order(spec):
    """The smallest or largest of tied classes has the limits of the one with the fewest cases, in any position."""
    counts = np.array([[80, 10, 10], [1, 8, 1], [1, 1, 8]])
    counts = counts if spec.startswith("recall") else np.array([[80, 10, 10], [10, 8, 2], [10, 2, 8]])
    found = set()
    for order in ([0, 1, 2], [1, 0, 2], [2, 1, 0], [1, 2, 0]):
        each = hs.estimate(hs.from_counts(counts[np.ix_(order, order)], check=False), spec)
        found.add((round(each.low, 9), round(each.high, 9)))
    assert len(found) == 1


@pytest.mark.parametrize("spec", ["prevalence@min", "prevalence@max"])
def test_the_smaller_of_two_shares_of_a_half_varies(spec):
    """With balanced classes the smaller prevalence varies: its standard error is that of a share of a half."""
    found = hs.estimate(hs.from_counts([[40, 10], [15, 35]]), spec)
    assert found.standard_error == pytest.approx(np.sqrt(0.25 / 100))
    assert found.low < 0.5 < found.high


@pytest.mark.parametrize("scale", [10.0, 1e-3])
def test_tied_classes_of_equal_weight_stay_tied(scale):
    """Weights of 0.1 and 0.2 are as much as one of 0.3, though their sum as floats is not, in any unit."""
    true, said, weight = list("aabccc"), list("aabaca"), np.array([0.1, 0.2, 0.3, 0.5, 0.4, 0.7])
    one, other = (
        hs.estimate(hs.confusion(true, said, sample_weight=each), "recall@max") for each in (weight, weight * scale)
    )
    assert (one.low, one.high) == pytest.approx((other.low, other.high), rel=1e-9)


@pytest.mark.parametrize("definition", [d for d in OF_LABELS if d.random is not None], ids=lambda d: d.name)
def test_random_classifier_has_the_stated_value(definition):
    """Where a value for a random classifier is stated, an independent table has it."""
    rows = np.array([30.0, 50, 20])
    counts = np.outer(rows, np.array([0.3, 0.5, 0.2]) if definition.name in ("scotts_pi", "krippendorff_alpha", "prevalence_threshold") else [0.2, 0.5, 0.3])  # fmt: skip
    if definition.name == "gwet_ac1":
        counts = np.full((3, 3), 10.0)
    spec = f"{definition.name}@binary+positive_class=1" if definition.form.name == "outcomes" else definition.name
    many = hs.from_counts(np.full((3, 3), 1e13))  # for definitions that contain the number of cases
    value = float(resolve(spec, many)(counts))
    assert value == pytest.approx(definition.random, abs=1e-12)
    assert math.isfinite(value)
