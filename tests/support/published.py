"""Random published numbers, numbers of identical cases and pools of sites, and properties of their results."""

import math
from dataclasses import replace

import numpy as np

import howsure as hs
from howsure.errors import DoubtfulDataError
from howsure.metrics.registry import REGISTRY
from howsure.metrics.spec import named
from support.arguments import spec_of
from support.random_cases import a_case
from support.soundness import alike, answered, numbers, printed

AVERAGES = ["macro", "micro", "weighted", "geometric", "harmonic", "min", "max", "binary"]
COUNTED = {
    *("confusion", "paired", "paired_scores", "preferences", "ratings", "multiclass_scores", "scores", "values")
}  # which take `counts=`
LEVELS = [0.5, 0.8, 0.95, 0.999]
POOLING = [None, None, None, "binomial_normal", "fixed", "dl", "pm", "reml"]
SLACK = 1e-9


def a_metric(rng, table):
    """Return the spec string of a random metric, with an average if it has one."""
    known = [
        each
        for each in REGISTRY.shipped
        if each.reads_any(table.data_kinds) or (table.kind.has_thresholds and each.of_predictions)
    ]
    definition = known[rng.integers(len(known))]
    if not definition.has_averages or rng.random() < 0.2:
        return spec_of(definition, 2 if table.labels is None else len(table.labels))
    return f"{spec_of(definition)}@{rng.choice(AVERAGES)}"


def one_model(table):
    """Return the table of the first model if there are several."""
    return table.model(table.models[0]) if hasattr(table, "models") else table


def published(rng):
    """Yield faults in the results from numbers of a paper."""
    kind = [of_area, of_two_models, of_several, of_share][rng.integers(4)]
    size = int(rng.choice([1, 2, 7, 40, 1_000, 10**6]))
    level = float(rng.choice(LEVELS))
    words, found, fault = kind(rng, size, level)
    faults = [fault] if fault else []
    if not isinstance(found, Exception) and not fault:
        faults += [*within(found), *printed(found)]
    yield from (f"{kind.__name__} {words} at {level}: {each}" for each in faults)


def of_area(rng, size, level):
    """Ask for the interval of a published area."""
    area = float(rng.choice([0.0, 0.5, 1.0, 1e-9, 1 - 1e-9, rng.random()]))
    other = int(rng.choice([1, 3, size, 10**7]))
    method = str(rng.choice(["halfway", "newcombe"]))
    words = f"{area}, {size} positives, {other} negatives, {method}"
    return words, *answered(hs.from_auc, area, positives=size, negatives=other, method=method, confidence_level=level)


def of_two_models(rng, size, level):
    """Ask for a difference of two models whose answers are counted together."""
    classes = int(rng.choice([2, 2, 3]))
    shape = (2, 2) if rng.random() < 0.7 else (classes,) * 3
    shares = rng.dirichlet(np.full(math.prod(shape), rng.choice([0.1, 1.0])))
    counts = rng.multinomial(size, shares).reshape(shape)
    metric = str(rng.choice(["accuracy", "accuracy", "f1@macro", "kappa", "recall@min"]))
    contrast = str(rng.choice(["difference", "ratio", "odds_ratio"]))

    def ask():
        table = hs.paired_counts(counts)
        return hs.compare(table, metric, contrast=contrast, confidence_level=level, random_state=0)

    return f"{counts.tolist()} {metric} {contrast}", *answered(ask)


def of_several(rng, size, level):
    """Ask for a leaderboard of published shares of right answers."""
    right = {name: int(rng.integers(0, size + 1)) for name in "ABCD"[: rng.integers(2, 5)]}

    def ask():
        board = hs.leaderboard(hs.proportions(right, size), "mean", confidence_level=level, random_state=0)
        board.grid()
        board.sentence()
        return board.places[0].estimate

    return f"{right} of {size}", *answered(ask)


def of_share(rng, size, level):
    """Ask for a proportion, by any of its methods."""
    right = int(rng.choice([0, 1, size // 2, size]))
    methods = hs.suitable_methods(hs.from_counts([[0, 0], [size - right, right]]), "recall")
    method = str(rng.choice([each for each in methods if "bootstrap" not in each]))
    alternative = str(rng.choice(["two-sided", "less", "greater"]))
    wanted = {"confidence_level": level, "alternative": alternative, "random_state": 0}
    return f"{right} of {size} {method} {alternative}", *answered(hs.proportion, right, size, method=method, **wanted)


def within(found):
    """Yield faults in a value and its limits."""
    if math.isnan(found.low) != math.isnan(found.high):
        yield f"one limit alone is nan: {found}"
    if (math.isnan(found.low) or math.isnan(found.value)) and not found.reason:
        yield f"nan without a reason: {found!r}"
    held = found.low - SLACK <= found.value <= found.high + SLACK
    textbook = found.method in {"jeffreys", "wald", "bayes"} or getattr(found, "draws", None) is not None
    if not math.isnan(found.low) and not (held or textbook):
        yield f"{found.value} outside [{found.low}, {found.high}]"


def counted(rng):
    """Yield where numbers of identical cases give another answer than the cases themselves."""
    case = a_case(rng)
    if case.kind not in COUNTED or "strata" in case.columns:
        return
    columns = {name: part for name, part in case.columns.items() if name not in {"sample_weight", "groups"}}
    case = replace(case, columns=columns)
    times = rng.integers(int(rng.integers(0, 2)), 5, case.size)
    one, fault = answered(lambda: one_model(replace(case, columns=case.columns | {"counts": times}).table()))
    each, other = answered(lambda: one_model(case.rows(np.repeat(np.arange(case.size), times)).table()))
    if fault or other:
        yield f"counts of {case.kind}: {fault or other}"
        return
    words = f"counts {times.tolist()} of {case.size} cases, {case.kind}"
    if isinstance(one, Exception) or isinstance(each, Exception):
        doubts = any(isinstance(found, DoubtfulDataError) for found in (one, each))  # of the number of rows
        if isinstance(one, Exception) != isinstance(each, Exception) and not doubts:
            yield f"{words}: {one!r}, and of rows {each!r}"
        return
    metric = a_metric(rng, one)
    level = float(rng.choice(LEVELS))
    threshold = (
        0.5
        if one.kind.has_thresholds and "@" not in metric and not (named(metric).of_scores or named(metric).cuts_scores)
        else None
    )
    asked = {"confidence_level": level, "threshold": threshold, "random_state": 0}
    first, fault = answered(hs.estimate, one, metric, **asked)
    second, other = answered(hs.estimate, each, metric, **asked)
    words = f"{words}, {metric} at {level}"
    if fault or other:
        yield f"{words}: {fault or other}"
    elif isinstance(first, Exception) or isinstance(second, Exception):
        if str(first) != str(second):
            yield f"{words}: {first}, and of rows {second}"
    else:
        yield from (f"{words}: {wrong}" for wrong in numbers(first, one, metric, threshold))
        if first.draws is None and not alike(first, second):
            yield f"{words}: {first}, and of rows {second}"


def pooled(rng):
    """Yield faults in a pool of one metric of several sites."""
    method, level = POOLING[rng.integers(len(POOLING))], float(rng.choice(LEVELS))
    tables, metric = sites(rng, level)
    if not tables:
        return
    asked = {"method": method, "confidence_level": level}
    if method in {None, "binomial_normal"} and rng.random() < 0.4:
        asked["estimand"] = "mean_of_sites"
    if method not in {None, "binomial_normal"}:
        asked["test"] = str(rng.choice(["z", "knha", "adhoc"]))
    words = f"pool of {len(tables)} sites, {metric}, {asked}: "
    found, fault = answered(hs.pool, tables, **asked)
    if fault or isinstance(found, Exception):
        yield from [words + fault] if fault else []
        return
    low, high = next(iter(tables.values())).bounds
    yield from (words + each for each in [*within(found), *printed(found), *spread(found, low, high)])
    turned = dict(reversed(tables.items()))
    again, fault = answered(hs.pool, turned, **asked)
    if fault or isinstance(again, Exception) or not close(found, again):
        yield f"{words}the order of sites changes {found} to {fault or again}"


def sites(rng, level):
    """Return estimates of one metric at several sites."""
    case = a_case(rng)
    table, _ = answered(lambda: one_model(case.table()))
    metric = "accuracy" if isinstance(table, Exception) else a_metric(rng, table)
    found, asked = {}, {"confidence_level": level, "random_state": 0}
    for place in range(int(rng.integers(1, 7))):
        other = case.rows(rng.integers(0, case.size, int(rng.integers(1, 3 * case.size + 1))))
        each, _ = answered(lambda rows=other: hs.estimate(one_model(rows.table()), metric, **asked))
        if not isinstance(each, Exception):
            found[f"site {place}"] = each
    return found, metric


def spread(found, low, high):
    """Yield faults in the range of a pool, and in its heterogeneity."""
    numbers_ = (found.value, found.low, found.high, *found.prediction_interval)
    for number in numbers_:
        if not math.isnan(number) and not low - SLACK <= number <= high + SLACK:
            yield f"{number} beyond [{low}, {high}]"
    if not (math.isnan(found.tau2) or found.tau2 >= 0):
        yield f"tau2 is {found.tau2}"
    for name in ("i2", "q_p_value"):
        if not (math.isnan(getattr(found, name)) or 0 <= getattr(found, name) <= 1):
            yield f"{name} is {getattr(found, name)}"
    if len(found.weights) and not (np.isnan(found.weights).any() or math.isclose(found.weights.sum(), 1)):
        yield f"weights that do not add up to 1: {found.weights}"


def close(one, other):
    """Whether two pools have the same numbers, to the precision of their searches."""
    pairs = zip((one.value, one.low, one.high), (other.value, other.low, other.high), strict=True)
    return all((math.isnan(a) and math.isnan(b)) or math.isclose(a, b, rel_tol=1e-4, abs_tol=1e-4) for a, b in pairs)
