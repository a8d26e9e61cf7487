"""Many models at once: joint draws, all pairs, and their speed."""

import time

import numpy as np
import pytest

import howsure as hs
from howsure.comparison.compare import of_one_model
from howsure.comparison.pairs import _Alone
from howsure.methods.drawn.joint_draws import POISSON_BYTES, _drawing, draws_of_models, poisson_weights
from howsure.methods.flow.flow import Flow
from howsure.methods.flow.solver import Path
from howsure.metrics.binding import resolve
from howsure.metrics.metric import Side

METRICS = ["accuracy", "f1@macro", "mcc"]
ROLES = {
    "weights": {"sample_weight": np.linspace(0.5, 2, 90)},
    "groups": {"groups": np.arange(90) // 3},
    "strata": {"strata": np.arange(90) % 2, "stratum_sizes": {0: 500, 1: 1000}},
}


def table_of(seed, size, classes=3, models=4):
    """Return a paired table of models that tend to fail on the same cases."""
    rng = np.random.default_rng(seed)
    truth, hard = rng.integers(0, classes, size), rng.random(size)
    said = {
        f"m{i}": np.where((hard + rng.random(size)) / 2 < 0.7 - 0.02 * i, truth, rng.integers(0, classes, size))
        for i in range(models)
    }
    return hs.paired(truth, said)


def test_bytes_make_poisson_weights():
    """Over all 256 bytes the weights have mean and variance 1, and a third central moment within 2 % of 1."""
    weights = (np.arange(256)[:, None] >= POISSON_BYTES).sum(1)
    assert weights.mean() == 1
    assert weights.var() == 1
    assert ((weights - 1) ** 3).mean() == pytest.approx(1, rel=0.02)
    drawn = poisson_weights(200, 1001, np.random.default_rng(0))
    assert np.bincount(drawn.astype(int).ravel()) / drawn.size == pytest.approx(np.bincount(weights) / 256, abs=0.003)


@pytest.mark.parametrize("classes", [2, 3, 6])
@pytest.mark.parametrize(
    "method", [hs.methods.Bootstrap("percentile", 5000), hs.methods.Dirichlet(n_draws=5000)], ids=["bootstrap", "bayes"]
)
def test_joint_draws_have_the_right_variances_and_covariances(classes, method):
    """Draws of all models have the covariance of the delta method, for each model and for differences."""
    table = table_of(classes, 4000, classes, models=6)
    found = hs.evaluate_models(table, METRICS, method=method, random_state=0)
    for metric in METRICS:
        for name in ("m0", "m5"):
            single = hs.estimate(table.model(name), metric, method="delta")
            assert found[name][metric].value == pytest.approx(single.value, abs=1e-12)
            assert found[name][metric].standard_error == pytest.approx(single.standard_error, rel=0.04)
        gap = found["m0"][metric].draws - found["m5"][metric].draws
        expected = hs.compare(table, metric, a="m0", b="m5", method="delta").standard_error
        assert gap.std() == pytest.approx(expected, rel=0.04)


@pytest.mark.parametrize("method", [hs.methods.Bootstrap(n_resamples=100), hs.methods.Dirichlet(n_draws=100)])
def test_dense_and_sparse_sums_are_the_same(method, monkeypatch):
    """The models' tables do not depend on how their cells are added up."""
    table = table_of(3, 2000, 4, models=5)
    metrics = [resolve("f1@macro", table.model("m0"))]
    dense = draws_of_models(metrics, table, method, 5)
    monkeypatch.setattr("howsure.methods.drawn.joint_draws.DENSE_CLASSES", 1)
    assert draws_of_models(metrics, table, method, 5) == pytest.approx(dense, rel=1e-12)


def test_clusters_and_fixed_totals_are_drawn_jointly():
    """Other designs than independent cases have their own joint draws, which agree with the delta method."""
    table = table_of(7, 900)
    rows = np.repeat(np.arange(len(table.counts)), table.counts.astype(int))
    truth, *said = table.codes[rows].T
    groups = np.random.default_rng(0).integers(0, 90, len(truth))
    clustered = hs.paired(truth, {f"m{i}": each for i, each in enumerate(said)}, groups=groups)
    for each in (clustered, table.with_design(hs.designs.FixedMargins())):
        found = hs.evaluate_models(each, "f1@macro", method="bootstrap_percentile", random_state=0)
        gap = found["m0"]["f1@macro"].draws - found["m3"]["f1@macro"].draws
        assert gap.std() == pytest.approx(
            hs.compare(each, "f1@macro", a="m0", b="m3", method="delta").standard_error, rel=0.06
        )


def test_equal_models_tie_on_every_draw():
    """Two models with equal predictions have equal draws, bit by bit, unless a prior allows for differences."""
    truth = np.random.default_rng(0).integers(0, 2, 3000)
    said = np.where(np.random.default_rng(1).random(3000) < 0.8, truth, 1 - truth)
    other = np.where(np.random.default_rng(2).random(3000) < 0.8, truth, 1 - truth)
    table = hs.paired(truth, {"A": said, "B": other, "C": said})
    for method in ("bootstrap_percentile", hs.methods.Dirichlet(prior=0)):
        found = hs.evaluate_models(table, "accuracy", method=method, random_state=0)
        assert (found["A"]["accuracy"].draws == found["C"]["accuracy"].draws).all()
    doubtful = hs.evaluate_models(table, "accuracy", method="bayes", random_state=0)
    assert not (doubtful["A"]["accuracy"].draws == doubtful["C"]["accuracy"].draws).any()


def test_one_seed_gives_one_result_on_any_number_of_threads(monkeypatch):
    """The draws do not depend on the number of threads."""
    table = table_of(3, 3000, 2, models=8)
    metric = resolve("f1", table.model("m0"))
    first = draws_of_models([metric], table, hs.methods.Bootstrap(n_resamples=200), 5)
    monkeypatch.setattr("howsure.running.threads.cores", lambda: 1)
    assert (draws_of_models([metric], table, hs.methods.Bootstrap(n_resamples=200), 5) == first).all()


def test_analytic_estimates_of_each_model():
    """Without draws each model has the estimates of its own table, also for scores."""
    table = table_of(4, 200)
    found = hs.evaluate_models(table)
    assert str(found["m1"]["accuracy"]) == str(hs.estimate(table.model("m1"), "accuracy"))
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 50)
    scored = hs.paired_scores(truth, {name: rng.normal(truth) for name in "AB"})
    assert str(hs.evaluate_models(scored, "roc_auc")["B"]["roc_auc"]) == str(hs.estimate(scored.model("B"), "roc_auc"))


def test_all_pairs_have_adjusted_p_values():
    """Holm's p-values are at least the single ones, the least times the number of pairs; intervals stay."""
    pytest.importorskip("polars")
    table = table_of(5, 1500)
    single, holm = (hs.compare_all(table, "accuracy", correction=each) for each in ("none", "holm"))
    assert len(single) == len(holm) == 6
    assert all(b.p_value >= a.p_value for a, b in zip(single.values(), holm.values(), strict=True))
    assert min(each.p_value for each in holm.values()) == pytest.approx(
        min(1, 6 * min(each.p_value for each in single.values()))
    )
    assert [each.low for each in holm.values()] == [each.low for each in single.values()]
    assert holm["m0", "m3"].names == ("m0", "m3")
    assert "correction: holm" in str(holm)
    assert len(holm.to_pandas()) == len(holm.to_polars()) == 6
    with pytest.raises(hs.HowsureError, match="no pair"):
        holm["m3", "m0"]


@pytest.mark.parametrize("wrong", ["hol", None, np.array([0, 1], dtype=object), ["holm"]])
def test_a_correction_that_is_none_is_refused_before_any_work(wrong):
    """Whatever it is: no pair has been compared by then."""
    with pytest.raises(hs.HowsureError, match="correction"):
        hs.compare_all(table_of(5, 1500), "accuracy", correction=wrong)


def test_simultaneous_intervals_are_wider_than_single_ones():
    """Max-|t| intervals are simultaneous: wider than separate ones, narrower than Bonferroni's."""
    table = table_of(6, 1500)
    wide = hs.compare_all(table, "accuracy", correction="max_t", random_state=0)
    for each in wide.values():
        a, b = each.names
        single, bonferroni = (
            hs.compare(table, "accuracy", a=a, b=b, method="wald", confidence_level=level)
            for level in (0.95, 1 - 0.05 / 6)
        )
        assert single.high - single.low < each.high - each.low < 1.02 * (bonferroni.high - bonferroni.low)
    with pytest.raises(hs.HowsureError, match="joint draws"):
        hs.compare_all(table, "accuracy", correction="max_t", method="delta")


def test_scores_are_drawn_jointly():
    """Simultaneous intervals of areas and average precisions use draws whose differences have DeLong's variance."""
    rng = np.random.default_rng(4)
    truth = rng.integers(0, 2, 400)
    shared = truth + rng.normal(size=400)
    table = hs.paired_scores(
        truth, {name: shared + width * rng.normal(size=400) for name, width in zip("ABC", (0.3, 0.5, 2), strict=True)}
    )
    metrics = ["roc_auc", "average_precision"]
    for method in (hs.methods.Bootstrap(n_resamples=2000), hs.methods.Dirichlet(n_draws=2000)):
        found = hs.compare_all(table, metrics, correction="max_t", method=method, random_state=0)
        assert len(found) == 6
        for each in found.comparisons[:3]:
            alone = hs.compare(table, "roc_auc", a=each.names[0], b=each.names[1])
            assert each.standard_error == pytest.approx(alone.standard_error, rel=0.08)
            assert each.high - each.low > 1.05 * (alone.high - alone.low)
    evaluated = hs.evaluate_models(table, metrics, method=hs.methods.Bootstrap(n_resamples=2000), random_state=0)
    best = hs.ranks({name: each["roc_auc"] for name, each in evaluated.items()}).best
    assert best["A"] > 0.8


def test_a_difference_that_no_draw_changes_has_a_reason():
    """Simultaneous intervals of equal models are undefined, with a reason."""
    truth = np.repeat([0, 1], 20)
    table = hs.paired(truth, {"A": truth, "B": np.roll(truth, 3), "C": truth}, check=False)
    found = hs.compare_all(table, "accuracy", correction="max_t", random_state=0)
    assert np.isnan(found["A", "C"].low)
    assert "same on every draw" in str(found["A", "C"])
    assert found["A", "B"].low > 0


def test_simultaneous_intervals_stay_in_the_metrics_range():
    """For a model that is nearly always right and one that is nearly always wrong, the difference is at most 1."""
    truth, place = np.repeat([0, 1], 10), np.arange(20)
    said = {
        "A": np.where(place == 4, 1 - truth, truth),
        "B": np.where(place == 7, truth, 1 - truth),
        "C": np.zeros(20, int),
    }
    found = hs.compare_all(hs.paired(truth, said), "accuracy", correction="max_t", random_state=0)
    assert found["A", "B"].high == 1
    assert all(-1 <= each.low < each.high <= 1 for each in found.values())


@pytest.mark.slow
def test_twenty_models_in_seconds():
    """20 models × 10 metrics × 10,000 resamples of 100,000 cases cost under 10 seconds of one processor (5 s on two)."""
    table = table_of(0, 100_000, 2, models=20)
    wanted = [
        "accuracy",
        "balanced_accuracy",
        "precision",
        "recall",
        "f1",
        "specificity",
        "mcc",
        "kappa",
        "jaccard",
        "f1@macro",
    ]
    start = time.process_time()
    hs.evaluate_models(table, wanted, method=hs.methods.Bootstrap(n_resamples=10_000), random_state=0)
    assert time.process_time() - start < 10


def same(found, alone):
    """Return whether two comparisons are equal up to rounding."""
    numbers = [
        [each.value, each.low, each.high, each.p_value, each.standard_error, each.a.low, each.b.high]
        for each in (found, alone)
    ]
    words = [(each.names, each.metric, each.method, each.reason, str(each)) for each in (found, alone)]
    return np.allclose(*numbers, rtol=1e-8, atol=1e-12, equal_nan=True) and words[0] == words[1]


@pytest.mark.parametrize(
    "design, method",
    [("cases", None), ("cases", "delta"), ("cases", "wald"), ("weights", None), ("groups", None), ("strata", None)],
)
def test_all_pairs_together_say_what_each_pair_says_alone(design, method):
    """Every comparison of `compare_all` is that of `compare`: also of equal models, of one side, and of other nulls."""
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 3, 90)
    said = {f"m{i}": np.where(rng.random(90) < 0.5 + 0.1 * i, truth, rng.integers(0, 3, 90)) for i in range(2)}
    said |= {"twin": said["m1"], "right": truth}
    table = hs.paired(truth, said, check=False, **ROLES.get(design, {}))
    for metric, alternative in (("accuracy", "two-sided"), ("f1@macro", "greater")):
        settings = {"method": method, "alternative": alternative}
        for (a, b), found in hs.compare_all(table, metric, correction="none", **settings).items():
            alone = hs.compare(table, metric, a=a, b=b, **settings)
            assert same(found, alone), (metric, found, alone)
    other_null = [each.limits.p_value(0.05) for each in (found, alone)]
    assert other_null[0] == pytest.approx(other_null[1], rel=1e-6, nan_ok=True)


@pytest.mark.parametrize("metric", ["accuracy", "f1@macro"])
def test_the_work_of_all_pairs_does_not_grow_with_their_number(metric, monkeypatch):
    """28 pairs of 8 models need as many passes over joint tables as 120 of 16, and each model is estimated once."""
    passes, alone = [], []
    for each in (hs.methods.Method, Flow):
        monkeypatch.setattr(each, "intervals_and_p_values", counting(each.intervals_and_p_values, passes))
    monkeypatch.setattr("howsure.comparison.pairs.of_one_model", counting(of_one_model, alone))
    seen = []
    for models in (8, 16):
        passes.clear()
        alone.clear()
        assert len(hs.compare_all(table_of(1, 300, models=models), metric)) == models * (models - 1) / 2
        seen.append(len(passes))
        assert len(alone) == models
    assert seen == [2, 2]  # a pass for each way in which a prior is spread over two models' labels


def test_limits_and_tests_of_all_pairs_go_along_the_same_paths(monkeypatch):
    """Paths start once for each model and batch of pairs; tests equal those of each pair alone."""
    begun = []
    monkeypatch.setattr(Path, "__init__", counting(Path.__init__, begun))
    table = table_of(1, 200, models=6)
    found = hs.compare_all(table, "f1@macro", correction="none")
    assert len(begun) == 6 + 2
    for (a, b), each in found.items():
        assert each.p_value == pytest.approx(hs.compare(table, "f1@macro", a=a, b=b).p_value, rel=1e-6)


def test_each_model_alone_has_the_method_of_its_pair():
    """One estimate of a model serves all pairs that have it by the same method, and no others."""
    table, alone = table_of(1, 300, models=2), _Alone()
    side = Side("m0", resolve("f1@macro", table.model("m0")), table.view("m0"))
    own, delta, again = (alone(side, table, method, 0.95) for method in (None, hs.methods.Delta(), None))
    assert own is again
    assert own.method != delta.method == "delta"
    assert delta.low == hs.estimate(table.model("m0"), "f1@macro", method="delta").low != own.low


def counting(function, calls):
    """Return a function that notes each call."""

    def counted(*arguments, **keywords):
        calls.append(arguments)
        return function(*arguments, **keywords)

    return counted


def test_many_comparisons_are_looked_up_at_once():
    """A pair alone means the first metric, also among several, and a pair that was not compared is refused."""
    found = hs.compare_all(table_of(2, 300, models=3), ["accuracy", "f1@macro"])
    assert found["m0", "m1"].metric == "accuracy"
    assert found["f1@macro", "m0", "m1"].metric == "f1@macro"
    assert [found[key] for key in found] == list(found.comparisons)
    with pytest.raises(hs.HowsureError, match="m1 − m0"):
        found["m1", "m0"]


def test_what_is_drawn_depends_on_the_method_and_the_cases():
    """Few independent cases are resampled one by one; posterior weights, clusters and many cases cell by cell."""
    rng = np.random.default_rng(9)
    truth, said = rng.integers(0, 6, 450), {name: rng.integers(0, 6, 450) for name in "abc"}
    few = hs.paired(truth, said)
    grouped = hs.paired(truth, said, groups=np.arange(450) // 3)
    many = hs.paired(np.repeat(truth, 40), {name: np.repeat(each, 40) for name, each in said.items()})
    for table, method, alone in [
        (few, hs.methods.Bootstrap(), True),
        (few, hs.methods.Dirichlet(), False),
        (grouped, hs.methods.Bootstrap(), False),
        (many, hs.methods.Bootstrap(), False),
    ]:
        draw, cell, kind = _drawing(table, method)
        assert kind == (np.float32 if alone else np.float64)
        assert len(cell) == (450 if alone else table.counts.size)
        weights = draw(400, np.random.default_rng(1))
        assert weights.shape == (400, len(cell))
        assert (weights == np.rint(weights)).all() == (not isinstance(method, hs.methods.Dirichlet))
        by_cell = np.zeros((table.counts.size, 400))
        np.add.at(by_cell, cell, weights.T)
        assert by_cell.mean(1) == pytest.approx(table.counts.ravel(), abs=6 * table.counts.max() ** 0.5 / 20 + 0.5)
