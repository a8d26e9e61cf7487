"""Every kind of table with every design in every function: a result, or a one-line error."""

import functools
import pickle

import numpy as np
import pytest

import howsure as hs
from howsure.methods.drawn.bootstrap import Bootstrap
from howsure.methods.drawn.dirichlet import Dirichlet
from howsure.methods.drawn.predictive import Predictive
from howsure.methods.library import METHODS
from howsure.metrics.binding import resolve
from howsure.tables.counts import ClassCounts
from howsure.tables.protocols import default_metrics

N = 48
RNG = np.random.default_rng(7)
THREE = RNG.integers(0, 3, N)
TWO = (THREE > 0) * 1
COLUMNS = {
    "three": THREE,
    "said": np.where(RNG.random(N) < 0.7, THREE, RNG.integers(0, 3, N)),
    "two": TWO,
    "first": np.where(RNG.random(N) < 0.8, TWO, 1 - TWO),
    "second": np.where(RNG.random(N) < 0.7, TWO, 1 - TWO),
    "score": np.round(0.5 * RNG.random(N) + 0.4 * TWO, 2),
    "other": np.round(0.6 * RNG.random(N) + 0.3 * TWO, 2),
    "matrix": np.round(RNG.dirichlet(np.ones(3), N) * 0.6 + 0.4 * np.eye(3)[THREE], 3),
    "gap": np.arange(N) % 5 == 0,
    "weight": RNG.gamma(2, 0.5, N) + 0.1,
    "cluster": np.arange(N) // 4,
    "crossed": np.column_stack(np.divmod(np.arange(N), 4)),  # twelve levels of one factor, four of the other
    "by": np.array(["a", "b"])[np.arange(N) % 2],
}
COLUMNS |= {
    "left": (LEFT := RNG.integers(0, 3, N)),
    "right": (RIGHT := (LEFT + RNG.integers(1, 3, N)) % 3),
    "won": np.where(RNG.random(N) < 0.2, "tie", np.where(RNG.random(N) < 0.6, LEFT, RIGHT).astype(str)),
}
TASKS = np.arange(N) // 6 * 2 + np.arange(N) % 2  # of three runs each, all in one of the groups
COLUMNS |= {
    "task": TASKS,
    "task weight": COLUMNS["weight"][TASKS],
    "task cluster": TASKS // 2,
    "task crossed": np.column_stack(np.divmod(TASKS, 4)),
}
COLUMNS |= {  # of cases and of tasks; clusters are within them, and across them
    "stratum": np.array(["low", "high"])[np.arange(N) // 4 % 3 // 2],
    "task stratum": np.array(["low", "high"])[TASKS // 2 % 3 // 2],
}
SIZES = {"low": 0.9, "high": 0.1}


def pair(data, *names):
    return {name: data[name] for name in names}


def both(data, *names):
    return np.stack([data[name] for name in names], 1)


def gappy(data, *names):
    """Return ratings by item and rater, of which some are missing."""
    said = both(data, *names).astype(object)
    said[data["gap"], 0] = None
    return said


def trials(data, *names, **more):
    """Return tasks of three runs each, of one model or several; weights and clusters are those of tasks."""
    size = 6 * (len(data["two"]) // 6)
    task = np.tile(data["task"][:size], len(names))
    sizes = {"stratum_sizes": more.pop("stratum_sizes")} if "stratum_sizes" in more else {}
    names_of = {"sample_weight": "weight", "strata": "stratum"}
    names_of["groups"] = "crossed" if np.ndim(more.get("groups")) == 2 else "cluster"
    given = {role: column if role == "by" else data["task " + names_of[role]] for role, column in more.items()}
    columns = {role: np.concatenate([column[:size]] * len(names)) for role, column in given.items()}
    model = {"model": np.repeat(names, size)} if len(names) > 1 else {}
    return hs.trials(np.concatenate([data[name][:size] for name in names]), task=task, **model, **columns, **sizes)


def events(data, *names, **more):
    """Return units of one event or none each, of one model or several."""
    size, true = len(data["two"]), np.tile(data["two"], len(names))
    found = np.concatenate([data[name] for name in names])
    columns = {role: np.tile(column, len(names)) for role, column in more.items()}
    if len(names) > 1:
        columns |= {"model": np.repeat(names, size), "unit": np.tile(np.arange(size), len(names))}
    return hs.events(true * found, (1 - true) * found, true * (1 - found), **columns)


def detections(data, *names, **more):
    """Return an image of each case, with an object if it is of the positive class, of one model or several."""
    given = {
        name: [
            {"scores": [score], "hits": [hit]}
            for score, hit in zip(data["score"], data["two"] * data[name], strict=True)
        ]
        for name in names
    }
    return hs.detections(given if len(names) > 1 else given[names[0]], data["two"], iou=0.5, **more)


def stack(data, *names):
    """Return a matrix of each four cases, of one model or several; clusters are of two matrices."""
    matrix = np.arange(len(data["two"])) // 4
    stacks = {name: np.zeros((matrix[-1] + 1, 2, 2)) for name in names}
    for name, each in stacks.items():
        np.add.at(each, (matrix, data["two"], data[name]), 1)
    return hs.from_counts(stacks if len(names) > 1 else stacks[names[0]], groups=matrix[::4] // 2)


# What makes each kind of labelled table from columns; more keywords are weights, clusters and groups.
SOURCES = {
    "two classes": lambda data, **more: hs.confusion(data["two"], data["first"], **more),
    "three classes": lambda data, **more: hs.confusion(data["three"], data["said"], **more),
    "perfect": lambda data, **more: hs.confusion(data["three"], data["three"].copy(), **more),
    "multilabel": lambda data, **more: hs.confusion(both(data, "two", "first"), both(data, "first", "second"), **more),
    "scores": lambda data, **more: hs.scores(data["two"], data["score"], **more),
    "scores of classes": lambda data, **more: hs.multiclass_scores(data["three"], data["matrix"], **more),
    "scores of labels": lambda data, **more: hs.multiclass_scores(
        both(data, "two", "first"), both(data, "score", "other"), **more
    ),
    "paired": lambda data, **more: hs.paired(data["two"], pair(data, "first", "second"), **more),
    "values": lambda data, **more: hs.values(data["score"], **more),
    "values within bounds": lambda data, **more: hs.values(data["score"], bounds=(0, 1), **more),
    "equal values": lambda data, **more: hs.values(np.ones(len(data["score"])), bounds=(0, 1), **more),
    "trials": lambda data, **more: trials(data, "first", **more),
    "ratings": lambda data, **more: hs.ratings(
        both(data, "three", "said", "two"), labels=np.unique(data["three"]), **more
    ),
    "ratings with gaps": lambda data, **more: hs.ratings(gappy(data, "three", "said", "first", "second"), **more),
    "perfect ratings": lambda data, **more: hs.ratings(both(data, "three", "three", "three"), **more),
    "paired ratings": lambda data, **more: hs.ratings(
        {"before": gappy(data, "two", "first", "second"), "after": both(data, "two", "first")}, **more
    ),
    "paired values": lambda data, **more: hs.values(pair(data, "score", "other"), **more),
    "errors": lambda data, **more: hs.values(data["score"], truth=data["other"], **more),
    "paired errors": lambda data, **more: hs.values(pair(data, "score", "other"), truth=data["matrix"][:, 0], **more),
    "events": lambda data, **more: events(data, "first", **more),
    "paired events": lambda data, **more: events(data, "first", "second", **more),
    "paired trials": lambda data, **more: trials(data, "first", "second", **more),
    "preferences": lambda data, **more: hs.preferences(data["left"], data["right"], data["won"], **more),
    "paired scores": lambda data, **more: hs.paired_scores(data["two"], pair(data, "score", "other"), **more),
}
DESIGNS = {  # arguments of the sources, by the names of their columns
    "plain": {},
    "weighted": {"sample_weight": "weight"},
    "clustered": {"groups": "cluster"},
    "both": {"sample_weight": "weight", "groups": "cluster"},
    "crossed": {"groups": "crossed"},
}
NOT_CROSSED = ("events", "paired events")  # their units have one column of clusters
REVIEWS = np.array([[[8.0, 1.0], [3.0, 5.0]], [[6.0, 4.0], [0.0, 9.0]]])
SOME = [int(label) if case < 20 else None for case, label in enumerate(TWO)]
EVIDENCE = {  # tables of other evidence
    "fixed margins": lambda: hs.from_counts([[21, 4], [3, 20]]).with_design(hs.designs.FixedMargins()),
    "fixed margins, scores": lambda: SOURCES["scores"](COLUMNS).with_design(hs.designs.FixedMargins()),
    "hardly any case": lambda: hs.from_counts([[1, 0], [0, 0]]),
    "stack": lambda: stack(COLUMNS, "first"),
    "detections": lambda: detections(COLUMNS, "first"),
    "weighted detections": lambda: detections(COLUMNS, "first", sample_weight=COLUMNS["weight"]),
    "clustered detections": lambda: detections(COLUMNS, "first", groups=COLUMNS["cluster"]),
    "paired detections": lambda: detections(COLUMNS, "first", "second"),
    "paired stacks": lambda: stack(COLUMNS, "first", "second"),
    "calibrated": lambda: hs.calibrated(COLUMNS["score"]),
    "calibrated, predicted": lambda: hs.calibrated(COLUMNS["score"]).at(0.5),
    "calibrated population": lambda: hs.calibrated(COLUMNS["score"], target="population").at(0.5),
    "calibrated classes": lambda: hs.calibrated(COLUMNS["matrix"] / COLUMNS["matrix"].sum(1, keepdims=True)),
    "reviewed": lambda: hs.reviewed([[90, 10], [20, 80]], REVIEWS),
    "corrected": lambda: hs.labels.corrected(hs.from_counts([[84, 6], [4, 14]]), sensitivity=0.9, specificity=0.98),
    "powered": lambda: hs.labels.prediction_powered(SOME, COLUMNS["first"], COLUMNS["second"]),
    "annotated": lambda: hs.labels.annotated(both(COLUMNS, "two", "first", "second"), COLUMNS["second"]),
}
STRATIFIED = {  # sources that accept strata of known sizes, and the resulting design
    **dict.fromkeys(("three classes", "scores of classes", "values", "errors", "equal values"), "plain"),
    **dict.fromkeys(("scores", "paired", "paired values", "trials"), "clustered"),
    **dict.fromkeys(("two classes", "values within bounds", "paired scores", "paired trials"), "both"),
    "perfect": "weighted",
    "paired errors": "plain",
}


def settings(design, data=COLUMNS):
    """Return the arguments of a source that make a design."""
    return {name: data[column] for name, column in DESIGNS[design].items()}


def stratified(source, design, sizes, data=COLUMNS):
    """Return a table of cases from strata, of known sizes or of unknown ones."""
    return SOURCES[source](data, **settings(design, data), strata=data["stratum"], stratum_sizes=sizes)


EVIDENCE |= {
    f"{source}, strata": functools.partial(stratified, source, design, SIZES) for source, design in STRATIFIED.items()
}
EVIDENCE |= {
    f"{source}, strata of unknown size": functools.partial(stratified, source, design, None)
    for source, design in STRATIFIED.items()
}
EVIDENCE |= {
    "strata of a finite population": lambda: stratified("two classes", "plain", {"low": 200, "high": 17}),
    "strata told by the prediction": lambda: hs.confusion(
        TWO, COLUMNS["first"], strata=COLUMNS["first"], stratum_sizes={0: 0.95, 1: 0.05}
    ),
    "stated frequencies": lambda: SOURCES["two classes"](COLUMNS).at_prevalence([0.99, 0.01]),
    "stated frequencies, clusters": lambda: table_of("three classes", "both").at_prevalence([0.8, 0.15, 0.05]),
    "stated frequencies, scores": lambda: table_of("scores", "weighted").at_prevalence([0.9, 0.1]),
    "stated frequencies, pairs": lambda: table_of("paired", "plain").at_prevalence([0.9, 0.1]),
    "stated frequencies, strata": lambda: stratified("two classes", "both", SIZES).at_prevalence([0.9, 0.1]),
    "estimated frequencies": lambda: SOURCES["two classes"](COLUMNS).at_prevalence(
        [0.7, 0.3], covariance=[[0.002, -0.002], [-0.002, 0.002]]
    ),
}
QUICK = {Bootstrap: {"n_resamples": 60}, Dirichlet: {"n_draws": 60}, Predictive: {"n_draws": 60}}
LABELLED = [
    (source, design) for source in SOURCES for design in DESIGNS if design != "crossed" or source not in NOT_CROSSED
]
EVERY = [*LABELLED, *((name, "") for name in EVIDENCE)]


def some_of(cases, first, step=8):
    """Return all cases, of which the ordinary tests run one in eight: the other ones wait for the thorough tests.

    Each test starts at another place, ``first``, so that the tests together take each source with each design.
    """
    return [
        pytest.param(*each, marks=() if place % step == first else pytest.mark.thorough)
        for place, each in enumerate(cases)
    ]


def to_rounding(records):
    """Return records whose numbers equal others that differ by rounding, and whose nan equals nan."""
    return [
        {
            name: pytest.approx(each, rel=1e-12, abs=1e-14, nan_ok=True) if isinstance(each, float) else each
            for name, each in record.items()
        }
        for record in records
    ]


def table_of(source, design, data=COLUMNS):
    """Return one table of a kind with a design."""
    if source in EVIDENCE:
        return EVIDENCE[source]()
    return SOURCES[source](data, **settings(design, data))


def quick(name):
    """Return a method of this name, with few draws."""
    method = METHODS[name].method()
    few = QUICK.get(type(method), {})
    return type(method)(**{"kind": method.kind} if isinstance(method, Bootstrap) else {}, **few)


def result(call, *arguments, **settings):
    """Return the result of a call, None if it is refused in one line."""
    try:
        return call(*arguments, **settings)
    except hs.HowsureError as error:
        message = str(error)
        assert message
        assert "\n" not in message
        assert len(message) < 600, message
        return None


def model_of(table):
    """Return the table of one model."""
    return table.model(table.models[0]) if hasattr(table, "models") else table


def metrics_of(table):
    """Return the default metrics of a table."""
    return list(default_metrics(table))


def peculiar(table):
    """Return metrics of labels, on this table, whose default interval is one that no metric by default has."""
    if "predictions" not in table.data_kinds:
        return []
    wanted = ["recall@min", "f1@max", "f1@geometric", "nlr@macro", "plr", "dor", "ppv_at+prevalence=0.1"]
    return [name for name in wanted if result(resolve, name, table) is not None]


def check(found, bounds, *, may_leave=False):
    """Check properties of an estimate or a comparison."""
    low, high, value = found.low, found.high, found.value
    if np.isnan([low, high, value]).any():
        assert found.reason, found
        return
    slack = 1e-9 * max(1.0, abs(value))
    assert low - slack <= value <= high + slack, found
    if not may_leave:
        assert bounds[0] - 1e-12 <= low <= high <= bounds[1] + 1e-12, found


HOLDS_NO_VALUE = {"bayes", "bootstrap_percentile", "bootstrap_basic", "bootstrap_bca", "bootstrap_studentized"}
HOLDS_NO_VALUE |= {"agresti_coull", "jeffreys", "arcsine", "predictive"}  # may leave out an extreme value
LEAVES_RANGE = {"wald", "bootstrap_basic", "bootstrap_studentized"}


@pytest.mark.parametrize("source, design", some_of(EVERY, 0))
def test_every_method_answers(source, design):
    """Each applicable method gives limits in range, which widen with the level, or nan with a reason."""
    table = model_of(table_of(source, design))
    answered(table, metrics_of(table)[0], METHODS)


@pytest.mark.parametrize("half", [0, pytest.param(1, marks=pytest.mark.thorough)])
@pytest.mark.parametrize("source, design", some_of(EVERY, 1))
def test_methods_of_their_own_answer(source, design, half):
    """Extremes of classes, ratios of two rates and means that are not arithmetic, by their default and by others."""
    table = model_of(table_of(source, design))
    for metric in peculiar(table)[(EVERY.index((source, design)) + half) % 2 :: 2]:
        answered(table, metric, ["extremes", "two_rates", "flow", "delta", "bootstrap_percentile", "bayes"])
        check(hs.estimate(table, metric), resolve(metric, table).range)
        for contrast in ("difference", "ratio"):
            found = result(hs.compare, table, table, metric, contrast=contrast)
            if found is not None:
                check(found, (-np.inf, np.inf))


def answered(table, metric, methods):
    """Check properties of every method's result: limits, or that it does not apply."""
    suited = hs.suitable_methods(table, metric)
    bounds = resolve(metric, table).range
    for name in methods:
        method = quick(name)
        found = result(hs.estimate, table, metric, method=method, random_state=0)
        assert (found is not None) == (name in suited), (metric, name)
        if found is None:
            continue
        wider = hs.estimate(table, metric, method=method, random_state=0, confidence_level=0.99)
        if name != "binom_test":  # its p-value is not monotone in the share, and a search finds one crossing
            assert np.isnan(wider.low) or np.isnan(found.low) or wider.low <= found.low + 1e-9
            assert np.isnan(wider.high) or np.isnan(found.high) or wider.high >= found.high - 1e-9
        if name in HOLDS_NO_VALUE:
            assert found.reason or found.low <= found.high
        else:
            check(found, bounds, may_leave=name in LEAVES_RANGE)


@pytest.mark.parametrize("source, design", some_of(EVERY, 2))
def test_every_verb_answers(source, design):
    """Evaluation, comparison, curves, draws, the report and pickle give results or refuse in one line."""
    table = table_of(source, design)
    model = model_of(table)
    evaluation = hs.evaluate(model)
    for name, estimate in evaluation.items():
        check(estimate, (-np.inf, np.inf))
        assert estimate.to_dict()["metric"] == name
    names, paired = list(evaluation), table is not model
    for other in (None,) if paired else (table,):
        for contrast in ("difference", "ratio", "odds_ratio"):
            given = (table,) if other is None else (table, other)
            found = result(hs.compare, *given, names[0], contrast=contrast)
            if found is not None:
                check(found, (-np.inf, np.inf))
                assert np.isnan(found.p_value) or 0 <= found.p_value <= 1
    for curve in (hs.roc_curve, hs.precision_recall_curve, hs.det_curve, hs.calibration_curve):
        result(curve, model)
    result(hs.threshold_curves, model, ["f1", "recall"])
    result(hs.optimal_threshold, model, "f1", n_resamples=39, random_state=0)
    decisions = result(hs.decision_curve, table, thresholds=[0.2, 0.5], n_resamples=39, random_state=0)
    if decisions is not None:
        for row in decisions.records():  # treating all at a fixed prevalence does not vary, and has no limits
            varies = row["standard_error"] > 0 or row["strategy"] == "treat none"
            assert np.isfinite([row["net_benefit"], row["standard_error"], row["probability_best"]]).all()
            assert np.isfinite([row["low"], row["high"], row["simultaneous_low"]]).all() == varies
    for draws in ("posterior", "prior", "random", "sampling", "truth"):
        drawn = result(hs.methods.draw_tables, table, 3, source=draws, random_state=0)
        if drawn is not None:
            assert drawn.shape == (3, *table.shape)
            assert np.isfinite(drawn).all()
            assert (drawn >= 0).all()
    again = pickle.loads(pickle.dumps(table))
    assert np.array_equal(again.counts, table.counts)
    assert hs.evaluate(model_of(again)).records() == to_rounding(evaluation.records())  # arrays have another layout


@pytest.mark.parametrize("source, design", some_of(EVERY, 3))
def test_gaps_regions_and_requirements_answer(source, design):
    """Gaps of tables by name, regions of two metrics, joint tests and certified thresholds give results or refuse in one line."""
    model = model_of(table_of(source, design))
    names = metrics_of(model)
    result(hs.certified_threshold, model, ["recall>0.3", "fpr<0.9"])
    result(hs.certified_threshold, model, "mcc>0.1", starts=[0.4])
    gaps = result(hs.gaps, {"a": model, "b": model}, names[:2], random_state=0)
    for name in () if gaps is None else gaps.metrics:
        largest = gaps.difference(name)
        assert largest.reason if np.isnan(largest.value) else largest.value == 0 <= largest.high
        check(pickle.loads(pickle.dumps(gaps)).difference(name), (0, np.inf))
    for pair in (names[:2], ["recall", "precision"]):
        result(hs.joint_test, model, [(name, ">", 0.3) for name in pair], random_state=0)
        region = result(hs.joint_region, model, *pair[:1], *pair[-1:], random_state=0)
        assert region is None or region.reason or 0 <= region.area < np.inf


def variance_of_sample(metric, table):
    """Return the mean of the delta method's variance and the jackknife's, which leaves out one case at a time."""
    flat, value = table.counts.ravel(), lambda flat: float(metric(table.make_counts(flat[None]))[0])
    seen = flat > 0
    cases = np.where(seen, flat, 0.0)
    left_out = np.array([value(flat - np.eye(flat.size)[cell]) for cell in np.flatnonzero(seen)])
    defined = np.isfinite(left_out)
    of_each, left_out = cases[seen][defined], left_out[defined]
    size = of_each.sum()
    away = left_out - of_each @ left_out / size if size else left_out
    by_jackknife = (size - 1) / size * (of_each @ away**2) if size else 0.0
    step = 1e-6 * cases.sum()
    with np.errstate(all="ignore"):
        slopes = np.array([value(flat + step * cell) - value(flat - step * cell) for cell in np.eye(flat.size)[seen]])
    slopes = np.nan_to_num(slopes / (2 * step))
    away = slopes - cases[seen] @ slopes / cases.sum()
    return (by_jackknife + cases[seen] @ away**2) / 2


@pytest.mark.parametrize("source, design", some_of(EVERY, 4))
def test_matched_limits_follow_from_what_drawn_tables_say(source, design):
    """Limits of a posterior are quantiles, corrected by drawn tables; for a proportion the mid-p limits.

    They shift by twice the mean loss of a metric over drawn tables, and are as much wider as samples vary more.
    """
    table = model_of(table_of(source, design))
    tables = result(hs.methods.draw_tables, table, 2000, source="posterior", random_state=1)
    for name in metrics_of(table):
        metric = resolve(name, table)
        found = result(hs.estimate, table, name, method=Dirichlet(n_draws=2000), random_state=0)
        if found is None or np.isnan(found.low):
            continue
        draws, (lowest, highest) = found.draws[np.isfinite(found.draws)], metric.range
        quantiles = np.quantile(draws, [0.025, 0.975])
        is_of_classes = issubclass(metric.counts_class, ClassCounts)
        if not (table.design.traits.is_independent and is_of_classes and np.isfinite(metric.range).all()):
            assert [found.low, found.high] == pytest.approx(np.clip(quantiles, lowest, highest), abs=1e-9), name
            continue
        exact = result(hs.estimate, table, name, method="mid_p")
        if exact is not None:
            limits = [exact.low, exact.high] if np.isfinite(exact.low) else quantiles
            assert [found.low, found.high] == pytest.approx(limits, abs=1e-9), name
            continue
        centre = draws.mean()
        if metric.per_class is None or np.isfinite(metric.per_class(table.counted)).all():
            flat = tables.reshape(len(tables), -1)
            middle = (flat / flat.sum(1, keepdims=True)).mean(0)
            centre = 2 * float(metric(table.make_counts(middle[None]))[0]) - draws.mean()
        spread = max(1.0, np.sqrt(variance_of_sample(metric, table)) / draws.std())
        expected = centre + spread * (quantiles - draws.mean())
        expected = [np.fmin(expected[0], found.value), np.fmax(expected[1], found.value)]
        error = 0.25 * draws.std()  # five times that of two means of 2,000 draws
        assert [found.low, found.high] == pytest.approx(np.clip(expected, lowest, highest), abs=error), name


def test_matched_limits_of_a_difference_follow_from_the_joint_table():
    """The interval of a difference of two models of ten classes is corrected by their joint behaviour."""
    rng = np.random.default_rng(3)
    true = np.arange(80) % 10
    said = {
        name: np.where(rng.random(80) < right, true, rng.integers(10, size=80))
        for name, right in (("A", 0.9), ("B", 0.5))
    }
    table = hs.paired(true, said)
    found = hs.compare(table, "f1@macro", a="A", b="B", method="bayes", random_state=0)
    tables = hs.methods.draw_tables(table, 4000, source="posterior", random_state=1)
    middle = (tables / tables.sum(-1, keepdims=True)).mean(0)[None]
    first, second = (
        float(resolve("f1@macro", table.model(name))(table.make_counts(middle).through(table.view(name)))[0])
        for name in said
    )
    left = []
    for case in range(80):
        part = hs.paired(np.delete(true, case), {name: np.delete(each, case) for name, each in said.items()})
        left.append(np.subtract(*(hs.estimate(part.model(name), "f1@macro").value for name in said)))
    variance = 79 / 80 * ((np.array(left) - np.mean(left)) ** 2).sum()
    delta = hs.compare(table, "f1@macro", a="A", b="B", method="delta").standard_error ** 2
    mean, spread = found.draws.mean(), np.sqrt((delta + variance) / 2 / found.draws.var())
    moved = 2 * (first - second) - mean + spread * (np.quantile(found.draws, [0.025, 0.975]) - mean)
    assert abs(first - second - mean) > 0.05 * found.draws.std()
    assert spread > 1.05
    assert [found.low, found.high] == pytest.approx(moved, abs=0.1 * found.draws.std())


@pytest.mark.parametrize("source, design", some_of(EVERY, 5))
def test_every_report_is_written(source, design, monkeypatch):
    """A report on each kind of table contains its metrics, or is refused in one line."""
    monkeypatch.setattr("howsure.report.measured.LEVELS", (0.8,))  # beside the default one: curves are drawn at each
    table = model_of(table_of(source, design))
    metric = metrics_of(table)[0]
    report = result(hs.report_of, table, metrics=[metric], random_state=0)
    assert report is None or metric.partition("@")[0].replace("_", " ").lower() in report.to_html().lower()


@pytest.mark.parametrize("source, design", some_of(LABELLED, 6))
def test_by_is_a_table_of_each_group(source, design):
    """Groups at once have the tables and intervals that each group has alone."""
    tables = SOURCES[source](COLUMNS, **settings(design), by=COLUMNS["by"])
    for key in ("a", "b"):
        mask = COLUMNS["by"] == key
        alone = table_of(source, design, {name: column[mask] for name, column in COLUMNS.items()})
        assert tables[key].counts.sum() == pytest.approx(alone.counts.sum())
        for metric in metrics_of(model_of(alone))[:2]:
            one, two = hs.estimate(model_of(tables[key]), metric), hs.estimate(model_of(alone), metric)
            assert [one.value, one.low, one.high] == pytest.approx([two.value, two.low, two.high], nan_ok=True)
    if not hasattr(tables["a"], "models"):
        every = hs.evaluate(tables)
        for key, evaluation in every.items():
            for name, estimate in evaluation.items():
                own = hs.estimate(tables[key], name)
                assert [estimate.low, estimate.high] == pytest.approx([own.low, own.high], nan_ok=True)


def shuffled(data):
    order = np.random.default_rng(1).permutation(N)
    return {name: column[order] for name, column in data.items()}


def renamed(data):
    names = np.array(["x", "y", "z"])
    labels = {name: names[data[name]] for name in ("three", "said", "two", "first", "second")}
    groups = {name: np.char.add("patient ", data[name].astype(str)) for name in ("cluster", "crossed")}
    return {**data, **labels, **groups}


def reweighted(data):
    return {**data, "weight": data["weight"] * 1e-7}


CHANGES = {"order of rows": shuffled, "names of labels": renamed, "scale of weights": reweighted}


NAMELESS = {"multilabel", "scores of labels", "trials", "paired trials", "events", "paired events"}
CHANGED = [
    (source, design, change)
    for source, design in LABELLED
    for change in CHANGES
    if not (change == "names of labels" and source in NAMELESS)
    and not (change == "scale of weights" and "sample_weight" not in DESIGNS[design])
]


@pytest.mark.parametrize("source, design, change", some_of(CHANGED, 7, 10))
def test_what_must_not_matter_does_not(source, design, change):
    """The order of rows, the names of labels and clusters, and the scale of the weights change no interval."""
    own, other = (model_of(table_of(source, design, data)) for data in (COLUMNS, CHANGES[change](COLUMNS)))
    for metric in metrics_of(own)[:4]:
        one, two = hs.estimate(own, metric), hs.estimate(other, metric)
        found = [two.value, two.low, two.high, two.standard_error]
        assert found == pytest.approx([one.value, one.low, one.high, one.standard_error], rel=1e-7, nan_ok=True)


@functools.cache
def separate(source, design):
    """Return two test sets of one kind."""
    halves = [{name: column[some] for name, column in COLUMNS.items()} for some in (slice(0, 28), slice(28, N))]
    return [table_of(source, design, half) for half in halves]


@pytest.mark.parametrize("first, second", [("plain", "weighted"), ("weighted", "clustered"), ("both", "crossed")])
@pytest.mark.parametrize("source", [each for each in SOURCES if not each.startswith(("paired", "preferences"))])
def test_test_sets_of_different_designs_compare(source, first, second):
    """Two test sets, each with a design of its own, are compared by every contrast, or refused in one line."""
    second = "clustered" if source in NOT_CROSSED else second
    tables = separate(source, first)[0], separate(source, second)[1]
    metric = metrics_of(tables[0])[0]
    for method in ("auto", quick("bootstrap_percentile"), quick("bayes")):
        found = result(hs.compare, *tables, metric, method=method, random_state=0)
        if found is not None and method == "auto":
            check(found, (-1, 1))


def check_places(board):
    """Check properties of a leaderboard."""
    for each in board.places:
        assert 1 <= each.rank_low <= each.alone_low <= each.alone_high <= each.rank_high <= len(board)
        if each.rank is None:
            assert each.estimate.reason
        else:
            assert each.rank_low <= each.rank <= each.rank_high
    won = board.winner
    assert won.reason if np.isnan(won.value) else won.low <= won.value <= won.high


@pytest.mark.parametrize("source, design", some_of(LABELLED, 0))
def test_every_table_is_ranked(source, design, tmp_path):
    """Models of a joint table, or two test sets of one model, have a leaderboard, also by group and read from a file."""
    table = table_of(source, design)
    metric = metrics_of(model_of(table))[0]
    models = table if hasattr(table, "models") else dict(zip("ab", separate(source, design), strict=True))
    board = result(hs.leaderboard, models, metric, random_state=0)
    if board is None:
        return
    check_places(board)
    assert str(hs.leaderboard(pickle.loads(pickle.dumps(models)), metric, random_state=0)) == str(board)
    if hasattr(table, "models"):
        again = hs.load(table.save(tmp_path / "table.json"))
        assert str(hs.leaderboard(again, metric, random_state=0)) == str(board)
        by_group = SOURCES[source](COLUMNS, **settings(design), by=COLUMNS["by"])
        for each in hs.leaderboard(by_group, metric, random_state=0).values():
            check_places(each)


@pytest.mark.parametrize("source, design", EVERY)
def test_each_unit_has_a_value(source, design):
    """A metric of each unit is a table of values within the metric's range, or refused in one line."""
    table = table_of(source, design)
    model = model_of(table)
    metric = metrics_of(model)[0]
    found = result(hs.per_unit, table, metric, nan_policy="omit")
    if found is not None:
        low, high = resolve(metric, model).range
        values = found.model(found.models[0]).values if hasattr(found, "models") else found.values
        assert low <= values.min() <= values.max() <= high
        assert 0 < found.rows <= N


@pytest.mark.parametrize("source, design", some_of(EVERY, 1))
def test_sequences_hold_the_interval_of_one_look(source, design):
    """A confidence sequence contains the interval of one look, widens with the level and has a p-value."""
    table = table_of(source, design)
    model = model_of(table)
    for metric in metrics_of(model)[:3]:
        found = result(hs.estimate, model, metric, method="anytime")
        if found is None:
            continue
        check(found, resolve(metric, model).range)
        wider, once = hs.estimate(model, metric, method="anytime", confidence_level=0.99), hs.estimate(model, metric)
        for inner, outer in ((once, found), (found, wider)):
            assert not outer.low > inner.low + 1e-9
            assert not outer.high < inner.high - 1e-9
        assert np.isnan(found.low) == np.isnan(found.high)
    compared = result(hs.compare, table, metrics_of(model)[0], method="anytime") if table is not model else None
    if compared is not None and not np.isnan(compared.p_value):
        check(compared, (-np.inf, np.inf))
        assert (compared.p_value < 0.05) == (not compared.low <= 0 <= compared.high)
        assert compared.p_value == pytest.approx(min(1, 1 / compared.e_value), rel=1e-6)


@pytest.mark.parametrize("source, design, change", some_of(CHANGED, 2, 10))
def test_sequences_do_not_depend_on_how_data_are_written(source, design, change):
    """Another order of rows, other names of classes and another unit of weights leave the sequence as it is."""
    one, other = (model_of(table_of(source, design, data)) for data in (COLUMNS, CHANGES[change](COLUMNS)))
    metric = metrics_of(one)[0]
    first, second = (result(hs.estimate, each, metric, method="anytime") for each in (one, other))
    assert (first is None) == (second is None)
    if first is not None:
        assert [second.low, second.high] == pytest.approx([first.low, first.high], rel=1e-6, abs=1e-9, nan_ok=True)
