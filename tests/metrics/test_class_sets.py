"""The classes of an average are fixed when it is bound: priors, paths, comparisons and plans use the same ones."""

import pickle

import numpy as np
import pytest

import howsure as hs
from howsure.metrics.binding import resolve, resolve_each

RATES = ["recall", "precision", "f1", "jaccard", "fbeta+beta=2", "g_mean", "informedness", "class_mcc"]
AVERAGES = [f"{each}@{average}" for each in RATES for average in ("macro", "weighted")]
AVERAGES += ["recall@geometric", "precision@harmonic", "balanced_accuracy"]
METHODS = {"flow": "flow", "bayes": hs.methods.Dirichlet(n_draws=30_000), "anytime": "anytime", "delta": "delta"}


def cases_of(seed, classes=4, n=160):
    """Return true and predicted classes of cases, of which a quarter are wrong."""
    rng = np.random.default_rng(seed)
    truth = np.r_[np.arange(classes), rng.integers(0, classes, n)]
    predicted = np.where(rng.random(len(truth)) < 0.75, truth, rng.integers(0, classes, len(truth)))
    predicted[:classes] = truth[:classes]
    return truth, predicted


def asked(table, metric, method):
    """Return the estimate of a metric."""
    return hs.estimate(table, metric, method=METHODS[method], random_state=0)


@pytest.mark.parametrize("method", [name for name in METHODS if name != "bayes"])
@pytest.mark.parametrize("roles", ["", "sample_weight", "groups"])
def test_an_unused_label_changes_nothing(method, roles):
    """A label that occurs neither in the truth nor in predictions has no part in an interval."""
    truth, predicted = cases_of(1)
    more = {roles: np.arange(len(truth)) // 4 + 1} if roles else {}
    plain, unused = (hs.confusion(truth, predicted, labels=range(size), **more) for size in (4, 6))
    for metric in AVERAGES:
        one, other = asked(plain, metric, method), asked(unused, metric, method)
        found, expected = ((each.value, each.low, each.high) for each in (other, one))
        assert found == pytest.approx(expected, rel=1e-9), metric


@pytest.mark.parametrize("metric", AVERAGES)
def test_an_unused_label_hardly_changes_a_posterior(metric):
    """Draws are of the whole table; their average is over the classes of the sample."""
    truth, predicted = cases_of(1)
    one, other = (asked(hs.confusion(truth, predicted, labels=range(size)), metric, "bayes") for size in (4, 5))
    assert (other.low, other.high) == pytest.approx((one.low, one.high), abs=0.02 * (one.high - one.low))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("metric", [*AVERAGES, "specificity@macro", "npv@macro"])
def test_no_limit_is_the_value_where_the_estimate_varies(metric, method):
    """A class that is only predicted leaves room on both sides."""
    truth, predicted = cases_of(2)
    predicted[-3:] = 4
    found = asked(hs.confusion(truth, predicted), metric, method)
    assert found.standard_error == 0 or found.low < found.value < found.high


@pytest.mark.parametrize("metric", ["recall@macro", "balanced_accuracy", "recall@weighted", "informedness@macro"])
@pytest.mark.parametrize("method", METHODS)
def test_a_stray_prediction_in_place_of_a_wrong_one_hardly_changes_an_interval(metric, method):
    """The value stays, and the interval changes by less than 2 % of its width."""
    truth, predicted = cases_of(3, classes=3, n=300)
    stray = predicted.copy()
    stray[np.flatnonzero(truth != predicted)[0]] = 3
    one, other = (asked(hs.confusion(truth, each), metric, method) for each in (predicted, stray))
    slack = 0.02 if metric != "informedness@macro" else 0.05  # whose value changes a little
    assert (other.low, other.high) == pytest.approx((one.low, one.high), abs=slack * (one.high - one.low))


def test_balanced_accuracy_is_macro_recall_also_in_its_note():
    """Both leave out the class without true cases, and give the bounds of the value with it."""
    table = hs.from_counts([[15600, 116, 15], [153, 246, 10], [0, 0, 0]])
    one, other = (hs.estimate(table, each) for each in ("balanced_accuracy", "recall@macro"))
    assert (one.value, one.low, one.high, one.reason) == (other.value, other.low, other.high, other.reason)
    recalls = 15600 / 15731, 246 / 409
    error = np.sqrt(sum(each * (1 - each) / n for each, n in zip(recalls, (15731, 409), strict=True))) / 2
    assert (one.low, one.high) == pytest.approx((one.value - 1.96 * error, one.value + 1.96 * error), abs=2e-3)
    assert "1 of 3 classes" in one.reason
    assert f"{sum(recalls) / 3:.3f} to {(sum(recalls) + 1) / 3:.3f}" in one.reason


def test_a_plan_is_over_the_classes_of_the_pilot():
    """Without the class that is only predicted, a plan needs about 1.96² · 4 · variance / width² cases."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 11, 3000)
    predicted = np.where(rng.random(3000) < 0.8, truth, rng.integers(0, 12, 3000))
    recalls = [((predicted == truth)[truth == each].mean(), (truth == each).sum()) for each in range(11)]
    variance = sum(r * (1 - r) / n for r, n in recalls) / 121
    expected = 3000 * variance * (2 * 1.96 / 0.02) ** 2
    found = hs.plan(hs.confusion(truth, predicted), "balanced_accuracy", width=0.02).n
    assert found == pytest.approx(expected, rel=0.03)


T, X, Y = ["a", "b"] * 50, ["a", "b"] * 45 + ["b", "a"] * 5, ["a", "b"] * 48 + ["other", "b", "b", "a"]


def test_models_are_compared_over_one_set_of_classes():
    """A class that one model alone predicts, and that never occurs, enters the average of neither."""
    both = hs.paired(T, {"x": X, "y": Y})
    f1 = [np.mean([2 * 45 / (2 * 45 + 10)] * 2), np.mean([2 * 48 / (50 + 49), 2 * 49 / (50 + 50)])]
    found = hs.compare(both, "f1@macro")
    assert found.value == pytest.approx(f1[0] - f1[1], abs=1e-12)
    assert found.high < 0
    again = pickle.loads(pickle.dumps(found))
    assert again.p_value == found.p_value
    (all_pairs,) = hs.compare_all(both, "f1@macro").comparisons
    assert (all_pairs.value, all_pairs.low) == pytest.approx((found.value, found.low), rel=1e-9)
    board = hs.leaderboard(both, "f1@macro", random_state=0)
    assert [each.model for each in board.places] == ["y", "x"]
    assert [each.value for each in board.places] == pytest.approx(f1[::-1])
    for method in (None, "bayes", "bootstrap_percentile"):
        each = hs.evaluate_models(both, "f1@macro", method=method, random_state=0)
        assert [each[name]["f1@macro"].value for name in "xy"] == pytest.approx(f1)


def test_separate_test_sets_are_compared_over_the_classes_of_both():
    """A class that one test set lacks is left out on both sides."""
    first = hs.from_counts([[40, 5, 5], [4, 30, 6], [2, 3, 25]])
    second = hs.from_counts([[45, 4, 1], [6, 33, 1], [0, 0, 0]])
    recalls = (40 / 50 + 30 / 40) / 2, (45 / 50 + 33 / 40) / 2
    found = hs.compare(first, second, "recall@macro")
    assert found.value == pytest.approx(recalls[0] - recalls[1])
    f1 = [np.mean([80 / (50 + 46), 60 / (40 + 38)]), np.mean([90 / (50 + 51), 66 / (40 + 37)])]
    assert hs.compare(first, second, "f1@macro").value == pytest.approx(f1[0] - f1[1])


def test_a_stray_word_of_one_model_leaves_the_others_as_they_are():
    """Among three models those without it have their own macro F1."""
    models = {"x": X, "y": Y, "z": X[::-1][:50] + X[50:]}
    with_it, without = (
        hs.paired(T, models),
        hs.paired(T, models | {"y": ["b" if each == "other" else each for each in Y]}),
    )
    boards = [hs.leaderboard(each, "f1@macro", random_state=0) for each in (with_it, without)]
    for name in "xz":
        one, other = (board[name].estimate for board in boards)
        assert (one.value, one.low, one.high) == pytest.approx((other.value, other.low, other.high), rel=1e-9)


OF_TRUTHS = [*AVERAGES, "specificity@macro", "npv@macro"]


@pytest.mark.parametrize("metric", OF_TRUTHS)
def test_a_stray_word_does_not_turn_the_order_in_a_study(metric):
    """For two models on the same cases the better one stays ahead, for any word instead of a wrong prediction."""
    study = hs.Study(n_draws=2000)
    better = ["b" if each == "other" else each for each in Y]
    for name, predicted, labels in (("x", X, "ab"), ("y", better, "ab"), ("stray", Y, ["a", "b", "other"])):
        study.add(f"{name}/all", hs.confusion(T, predicted, labels=list(labels)))
        study.add(f"{name}/half", hs.confusion(T[50:], predicted[50:], labels=list(labels)))
    study.add_metric(metric, aggregation="tables")
    observed = {name: study.observed(metric, f"{name}/all") for name in ("x", "y", "stray")}
    assert min(observed["y"], observed["stray"]) > observed["x"]
    found = study.comparisons(metric, among=["x", "y", "stray"])
    assert found["x", "y"].value < 0
    assert found["x", "stray"].value < 0
    assert found["x", "stray"].probability_greater.value < 0.1
    assert study.ranks(metric, among=["x", "stray"]).best["stray"] > 0.9


def test_experiments_are_averaged_over_their_own_classes():
    """A site without one of the classes has the mean F1 of the others, and the aggregate states this."""
    sites = {
        "x/one": [[40, 5, 5], [4, 30, 6], [2, 3, 25]],
        "x/two": [[45, 4, 1], [6, 33, 1], [0, 0, 0]],
        "x/six": [[35, 4, 1], [6, 33, 1], [0, 1, 9]],
    }
    study = hs.Study(n_draws=2000)
    for name, counts in sites.items():
        study.add(name, counts)
    two = np.mean([90 / (50 + 51), 66 / (40 + 37)])
    assert study.observed("f1@macro", "x/two") == pytest.approx(two)
    found = study.aggregate("f1@macro")["x"]
    assert found.values[1] == pytest.approx(two)
    assert found.reason == "each experiment is averaged over its own classes"
    pooled = hs.pool({name: hs.from_counts(counts) for name, counts in sites.items()}, "f1@macro")
    assert pooled.values[1] == pytest.approx(two)
    study.remove("x/two")
    assert not study.aggregate("f1@macro")["x"].reason


def test_zero_division_keeps_every_class():
    """A class that is never predicted counts as 0 on all tables, and for the model that predicts it with its value."""
    never, some = hs.from_counts([[8, 2, 0], [1, 9, 0], [3, 2, 0]]), hs.from_counts([[8, 1, 1], [1, 9, 0], [3, 1, 1]])
    bound = resolve_each("precision+zero_division=0@macro", [never, some])
    assert [float(metric(table.counted)) for metric, table in zip(bound, (never, some), strict=True)] == pytest.approx(
        [(8 / 12 + 9 / 13) / 3, (8 / 12 + 9 / 11 + 1 / 2) / 3]
    )
    found = hs.estimate(never, "precision+zero_division=0@macro")
    assert found.low < found.value < found.high < (2 / 3)
    assert "1 of 3 classes" in found.reason


def test_tables_of_a_batch_have_each_its_own_classes():
    """Groups without one of the classes have the interval of their own rows."""
    truth, predicted = cases_of(5, n=240)
    group = np.where(truth == 3, "a", np.where(np.arange(len(truth)) % 2, "a", "b"))
    tables = hs.confusion(truth, predicted, by=group, labels=range(4))
    found = hs.estimate(tables, "recall@macro")
    for name in "ab":
        rows = group == name
        alone = hs.estimate(hs.confusion(truth[rows], predicted[rows], labels=range(4)), "recall@macro")
        assert (found[name].low, found[name].high) == pytest.approx((alone.low, alone.high), rel=1e-9)
    assert not resolve("recall@macro", hs.from_counts([[5, 1], [0, 0]])).class_average.members.differs


@pytest.mark.thorough
@pytest.mark.parametrize("method", ["flow", "anytime"])
def test_intervals_cover_with_a_class_that_never_occurs(method):
    """Eleven classes, and a twelfth that is only predicted."""
    rng = np.random.default_rng(0)
    cells = np.zeros((12, 12))
    for each in range(11):
        wrong = rng.dirichlet(np.ones(12)) * (np.arange(12) != each)
        cells[each] = 0.2 * wrong / wrong.sum() + 0.8 * (np.arange(12) == each)
    truth = hs.lab.Cells(cells / 11, 1000)
    for metric in ("balanced_accuracy", "precision@macro", "f1@macro", "class_mcc@macro"):
        assert hs.lab.coverage(metric, method, truth=truth, draws=600, random_state=1).coverage >= 0.93


@pytest.mark.parametrize("metric", ["f1@macro", "balanced_accuracy", "precision@weighted", "recall@geometric"])
def test_groups_with_different_classes_are_estimated_as_each_table_is(metric):
    """Groups are estimated in one pass for each set of classes, with the numbers and notes of each table alone."""
    tables = hs.from_counts(np.random.default_rng(4).multinomial(9, np.full(9, 1 / 9), 150).reshape(-1, 3, 3))
    found = hs.estimate(tables, metric)
    for place in range(0, 150, 7):
        alone = hs.estimate(tables[place], metric)
        assert [found.low[place], found.high[place], found.value[place]] == pytest.approx(
            [alone.low, alone.high, alone.value], rel=1e-9, abs=1e-12, nan_ok=True
        )
        assert found[place].reason == alone.reason


@pytest.mark.parametrize("unit", [1e-6, 1e-3, 0.1, 1.0, 7.0, 1e3])
def test_a_constant_class_does_not_depend_on_the_unit_of_the_weights(unit):
    """The markedness of a class without true cases is 0, whatever is predicted: slopes of 1e-17 are rounding."""
    truth, said = ["yes", "no", "no", "maybe", "no"], ["yes", "no", "ill", "maybe", "maybe"]
    weight = np.array(
        [0.7382047647097951, 1.3767461353806834, 0.5169066777762091, 1.416823145055733, 4.224606741174105]
    )
    table = hs.judged(truth, said, sample_weight=unit * weight, labels=["yes", "no", "maybe", "ill"])
    members = resolve("markedness@macro", table).class_average.members
    assert members.constants[3] == 0
    assert np.isnan(members.constants[:3]).all()
