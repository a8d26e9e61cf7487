"""Random data, random questions and hostile arguments, and what must hold of every answer.

Each case follows from its seed alone: ``faults_of(seed)`` says what is wrong with it, one line each. As a script it
runs as many seeds as are asked for, and prints the faults: ``python tests/support/fuzz.py 100000 --first 0``.
"""

import argparse
import contextlib
import inspect
import io
import math
import multiprocessing
import sys
import warnings
from collections import Counter
from dataclasses import dataclass, field, replace

import numpy as np

import howsure as hs
from howsure.errors import HowsureError
from howsure.metrics.registry import REGISTRY

AVERAGES = ["macro", "micro", "weighted", "geometric", "harmonic", "min", "max", "binary"]
FEW_DRAWS = {
    "bootstrap_percentile": hs.Bootstrap("percentile", n_resamples=60),
    "bootstrap_basic": hs.Bootstrap("basic", n_resamples=60),
    "bootstrap_bca": hs.Bootstrap("bca", n_resamples=60),
    "bootstrap_studentized": hs.Bootstrap("studentized", n_resamples=60),
    "bayes": hs.Dirichlet(n_draws=60),
}
KINDS = ["confusion", "confusion", "scores", "paired", "paired_scores", "multiclass_scores", "calibrated"]
KINDS += ["values", "trials", "judged", "events", "detections", "ratings", "ratings", "preferences"]
NAMED = {"y_true", "y_pred", "human", "judge", "rating"}  # columns of classes
IN_STRATA = {"confusion", "scores", "paired", "paired_scores", "multiclass_scores", "values", "trials"}
NAMES = [
    ["a", "b", "c", "d", "e"],
    ["yes", "no", "maybe", "ill", "well"],
    [10, 2, 33, 4, 5],
    ["é", "β", "0", "x y", "Z"],
]


@dataclass(frozen=True)
class Case:
    """Data of one kind, and how a table is made of them."""

    kind: str
    columns: dict
    keywords: dict = field(default_factory=dict)

    def table(self):
        """Return the table."""
        return getattr(hs, self.kind)(**self.columns, **self.keywords)

    @property
    def size(self):
        """How many cases there are."""
        first = next(iter(self.columns.values()))
        return len(next(iter(first.values())) if isinstance(first, dict) else first)

    def rows(self, order):
        """Return the same data in another order."""
        return replace(self, columns=_each(self.columns, lambda part: part[order]))

    def scaled(self, factor):
        """Return the same data with other units of the weights."""
        return replace(self, columns=self.columns | {"sample_weight": self.columns["sample_weight"] * factor})

    @property
    def has_own_names(self):
        """Whether its classes have given names, that are no numbers: an order of numbers is one of the classes."""
        return "labels" in self.keywords and self.keywords["labels"].dtype.kind == "U"

    @property
    def can_be_split(self):
        """Whether the rows of a group, alone, have the same classes and design that they have as a group."""
        return "strata" not in self.columns and (
            self.kind not in {"ratings", "detections", "events"} or "labels" in self.keywords
        )

    def renamed(self):
        """Return the same data with names of the classes that come in the opposite order."""
        labels = self.keywords["labels"]
        others = dict(zip(labels.tolist(), sorted("klmno"[: len(labels)], reverse=True), strict=True))

        def change(part):
            words = np.array([None if each is None else others[each] for each in part.ravel().tolist()], dtype=object)
            return words.reshape(part.shape).astype(part.dtype if part.dtype == object else str)

        named = {name: part for name, part in self.columns.items() if name in NAMED}
        keywords = self.keywords | {"labels": np.array(list(others.values()))}
        return replace(self, columns=self.columns | _each(named, change), keywords=keywords)

    def split(self, rng):
        """Return the table of two random groups, and each group's rows alone."""
        group = self.columns["task"] % 2 if self.kind == "trials" else rng.integers(0, 2, self.size)
        alone = {name: self.rows(group == name) for name in np.unique(group).tolist()}
        return replace(self, columns=self.columns | {"by": group}), alone


def _each(columns, change):
    return {
        name: {key: change(value) for key, value in part.items()} if isinstance(part, dict) else change(part)
        for name, part in columns.items()
    }


def a_case(rng):
    """Return random data: few cases and rare classes more often than not."""
    n, classes = int(rng.choice([1, 2, 5, 12, 30, 80])), int(rng.integers(2, 6))
    shares = rng.dirichlet(np.full(classes, rng.choice([0.2, 1.0, 5.0])))
    truth, skill = rng.choice(classes, n, p=shares), rng.choice([0.0, 0.5, 0.9, 1.0])
    columns = {}
    if rng.random() < 0.3:
        spread = rng.choice([0.0, 0.5, 2.0])
        columns["sample_weight"] = rng.lognormal(0, spread, n) * (rng.random(n) > 0.1 * rng.integers(0, 2))
    if rng.random() < 0.3:
        columns["groups"] = rng.integers(0, max(1, n // int(rng.integers(1, 5))), n)
    kind = str(rng.choice(KINDS))
    labels = np.array(NAMES[rng.integers(len(NAMES))][:classes])

    def predicted():
        return labels[np.where(rng.random(n) < skill, truth, rng.integers(0, classes, n))]

    def scored():
        noise = rng.normal(0, rng.choice([0.05, 0.3, 1.0]), n)
        score = 1 / (1 + np.exp(-3 * (truth > 0) + 1.5 + 4 * noise))
        return np.round(score, int(rng.integers(1, 6)))

    makers = {
        ("values", "trials"): lambda: of_numbers(rng, kind, columns, scored),
        ("events", "detections"): lambda: of_units(rng, kind, columns, truth, labels),
        ("confusion", "judged", "paired"): lambda: of_labels(rng, kind, columns, labels[truth], labels, predicted),
        ("ratings",): lambda: of_ratings(rng, columns, labels, predicted),
        ("preferences",): lambda: of_battles(rng, columns, n),
        ("scores", "paired_scores", "calibrated"): lambda: of_scores(rng, kind, columns, truth, scored),
        ("multiclass_scores",): lambda: of_score_matrix(rng, columns, truth, labels, skill),
    }
    case = next(make for kinds, make in makers.items() if kind in kinds)()
    return in_strata(rng, case) if kind in IN_STRATA and rng.random() < 0.25 else case


def in_strata(rng, case):
    """Return the same data as drawn from a few strata, of known shares or of a population small or large."""
    number = int(rng.integers(1, 4))
    of_rows = case.columns["task"] % number if case.kind == "trials" else rng.integers(0, number, case.size)
    sizes = rng.dirichlet(np.ones(number)) + 0.1
    finite = rng.choice([0.0, 1.0, 1e6])
    drawn = np.bincount(of_rows, minlength=number)
    sizes = drawn + np.floor(finite * 10 * sizes) if finite else sizes * (drawn > 0) / sizes[drawn > 0].sum()
    names = np.unique(of_rows).tolist()
    keywords = {"stratum_sizes": {name: float(sizes[name]) for name in names}}
    return replace(case, columns=case.columns | {"strata": of_rows}, keywords=case.keywords | keywords)


def of_scores(rng, kind, columns, truth, scored):
    """Return scores of one model or of two, or of cases whose labels are not known."""
    if kind == "calibrated":
        weights = {name: part for name, part in columns.items() if name == "sample_weight"}
        return Case(kind, weights | {"y_score": scored()}, {"target": str(rng.choice(["batch", "population"]))})
    columns["y_true"] = (truth > 0).astype(int)
    score = scored() if kind == "scores" else {name: scored() for name in "AB"}
    return Case(kind, columns | {"y_score": score})


def of_score_matrix(rng, columns, truth, labels, skill):
    """Return the scores of several classes."""
    score = rng.dirichlet(np.ones(len(labels)), len(truth)) + skill * np.eye(len(labels))[truth]
    columns |= {"y_true": labels[truth], "y_score": score / score.sum(1, keepdims=True)}
    return Case("multiclass_scores", columns, {"labels": labels})


def of_labels(rng, kind, columns, truth, labels, predicted):
    """Return labels and predictions of one model or several, or verdicts of a judge beside a few human labels."""
    if kind == "confusion":
        own = {"y_true": truth, "y_pred": predicted()}
    elif kind == "paired":
        own = {"y_true": truth, "y_pred": {name: predicted() for name in "ABC"[: rng.integers(2, 4)]}}
    else:
        seen = rng.random(len(truth)) < rng.choice([0.1, 0.5, 1.0])
        own = {"human": np.where(seen, truth.astype(object), None), "judge": predicted()}
    return Case(kind, columns | own, {"labels": labels})


def of_ratings(rng, columns, labels, predicted):
    """Return what several raters say of items, with gaps or without; of one set of raters or of two."""
    gaps = rng.choice([0.0, 0.1, 0.6])

    def rated():
        said = np.stack([predicted() for _ in range(rng.integers(2, 5))], 1).astype(object)
        said[rng.random(said.shape) < gaps] = None
        return said

    rating = {"A": rated(), "B": rated()} if rng.random() < 0.3 else rated()
    return Case("ratings", columns | {"rating": rating}, {"labels": labels} if rng.random() < 0.5 else {})


def of_battles(rng, columns, n):
    """Return random battles of a few models, some of which never meet, or always win."""
    models = np.array(["A", "B", "C", "D"][: rng.integers(2, 5)], dtype=object)
    first = rng.integers(0, len(models), n)
    second = (first + rng.integers(1, len(models), n)) % len(models)
    apart = rng.choice([0.0, 1.0, 50.0]) * (second - first)
    won = np.where(rng.random(n) < 1 / (1 + np.exp(-apart)), models[first], models[second])
    winner = np.where(rng.random(n) < rng.choice([0.0, 0.3, 1.0]), "tie", won)
    return Case("preferences", columns | {"a": models[first], "b": models[second], "winner": winner})


def a_metric(rng, table):
    """Return the spec string of a random metric, with an average where it has one."""
    known = [
        each
        for each in REGISTRY.shipped
        if each.reads_any(table.holds) or (table.has_thresholds and each.of_predictions)
    ]
    definition = known[rng.integers(len(known))]
    if not definition.has_averages or rng.random() < 0.2:
        return definition.name
    return f"{definition.name}@{rng.choice(AVERAGES)}"


def of_numbers(rng, kind, columns, scored):
    """Return random values of one model or two, or random runs of tasks."""
    numbers = scored()
    if kind == "values":
        given = {"A": numbers, "B": scored()} if rng.random() < 0.3 else numbers
        if rng.random() < 0.3:
            return Case(kind, columns | {"score": given, "truth": scored()})
        return Case(kind, columns | {"score": given}, {"bounds": (0, 1)} if rng.random() < 0.5 else {})
    n = len(numbers)
    task = rng.integers(0, max(1, n // int(rng.integers(1, 5))), n)
    of_task = {name: part[task] for name, part in columns.items()}
    return Case(kind, of_task | {"success": (rng.random(n) < numbers) * 1, "task": task})


def of_detections(rng, columns, truth, labels):
    """Return random detections with boxes in images, of one model or two; the classes are those of the truths."""

    def boxes(number):
        corner = rng.integers(0, 12, (number, 2))
        return np.hstack([corner, corner + rng.integers(1, 8, (number, 2))])

    many = [rng.permutation(truth)[: rng.integers(0, 4)] for _ in truth]
    target = [{"boxes": boxes(len(each)), "labels": labels[each].tolist()} for each in many]

    def detected():
        found = np.empty(len(target), dtype=object)
        for index, each in enumerate(target):
            known = np.flatnonzero(rng.random(len(each["labels"])) < 0.7)
            more = rng.integers(0, 3)
            said = [each["labels"][place] for place in known] + rng.choice(labels, more).tolist()
            where = np.vstack([each["boxes"][known] + rng.integers(-1, 1, (len(known), 4)) * [1, 1, 0, 0], boxes(more)])
            found[index] = {"boxes": where, "labels": said, "scores": np.round(rng.random(len(said)), 2)}
        return found

    preds = {"A": detected(), "B": detected()} if rng.random() < 0.3 else detected()
    images = np.empty(len(target), dtype=object)
    images[:] = target
    iou = [0.3, 0.5, 0.75] if rng.random() < 0.5 else 0.5
    return Case("detections", {"preds": preds, "target": images} | columns, {"iou": iou})


def of_units(rng, kind, columns, truth, labels):
    """Return random events, or detections, in units, of one model or two."""
    if kind == "detections":
        return of_detections(rng, columns, truth, labels)
    n, every, rate = len(truth), columns, rng.gamma(1, 3, 3)
    unit = np.arange(n)
    if rng.random() < 0.5:
        shown = labels[: int(rng.integers(1, len(labels) + 1))]
        unit = np.repeat(unit, len(shown))
        every = {name: part[unit] for name, part in columns.items()} | {"label": np.tile(shown, n)}
    models = ["A", "B"][: int(rng.integers(1, 3))]
    if len(models) > 1:
        every = {name: np.tile(part, 2) for name, part in every.items()} | {"model": np.repeat(models, len(unit))}
    numbers = {
        name: rng.poisson(each, len(unit) * len(models)) for name, each in zip(("tp", "fp", "fn"), rate, strict=True)
    }
    return Case("events", numbers | every | {"unit": np.tile(unit, len(models))})


def faults_of(seed):
    """Return what is wrong with the answers to a random question, a line each."""
    rng = np.random.default_rng(seed)
    return [f"seed {seed}: {fault}" for fault in (misuse(rng) if rng.random() < 0.2 else use(rng))]


def _answer(function, *arguments, **keywords):
    """Return the result, or our error's text; a fault where it is neither."""
    with warnings.catch_warnings(record=True) as seen, contextlib.redirect_stdout(io.StringIO()):  # one of ours prints
        warnings.simplefilter("always")
        try:
            found, fault = function(*arguments, **keywords), ""
        except HowsureError as error:
            text = str(error)
            found = error
            fault = f"a message of {len(text)} signs: {text[:80]!r}" if "\n" in text or len(text) > 1000 else ""
        except Exception as error:  # noqa: BLE001 - whatever it is, it is a fault
            found, fault = error, f"{type(error).__name__}: {str(error)[:120]}"
    foreign = [each for each in seen if not each.category.__module__.startswith("howsure")]
    if foreign and not fault:
        fault = f"{foreign[0].category.__name__}: {str(foreign[0].message)[:120]}"
    return found, fault


@dataclass(frozen=True)
class Question:
    """A metric, a method and a level, to ask of a case."""

    metric: str
    method: str
    level: float
    threshold: float | None

    def of(self, table, level=None):
        """Return the answer of a table, and what is wrong with the way in which it came."""
        wanted = {"threshold": self.threshold, "random_state": 1, "confidence_level": level or self.level}
        method = FEW_DRAWS.get(self.method, self.method)
        return _answer(hs.estimate, table, self.metric, method=method, **wanted)


def one_model(table):
    """Return the table of the first model where there are several."""
    return table.model(table.models[0]) if hasattr(table, "models") else table


def use(rng):
    """Return the faults of a random estimate: of its numbers, and of what must not change them."""
    case = a_case(rng)
    if rng.random() < 0.2:
        return ranked(rng, case)
    table, fault = _answer(lambda: one_model(case.table()))
    if fault or isinstance(table, Exception):
        return [f"{case.kind}: {fault}"] if fault else []
    metric, threshold = a_metric(rng, table), None
    if table.has_thresholds and "@" not in metric and not REGISTRY.find(metric).of_scores:
        threshold = float(rng.choice([0.0, 0.3, 0.5, 1.0]))
    methods, fault = _answer(hs.suitable_methods, table, metric, threshold=threshold)
    if fault or isinstance(methods, Exception):
        return [f"suitable methods of {metric} on {case.kind}: {fault}"] if fault else []
    method, level = str(rng.choice(["auto", *methods])), float(rng.choice([0.5, 0.8, 0.95, 0.999]))
    question = Question(metric, method, level, threshold)
    found, fault = question.of(table)
    if isinstance(found, Exception):
        faults = [fault] if fault else []
    else:
        faults = [
            *numbers(found, table, metric, threshold),
            *([] if found.draws is not None else changes(question, case, table, found, rng)),
        ]
    return [f"{question} of {case.size} cases, {case.kind}, {sorted(case.columns)}: {each}" for each in faults]


def ranked(rng, case):
    """Return the faults of a leaderboard: of several models, or of one as two test sets."""
    table, fault = _answer(case.table)
    if fault or isinstance(table, Exception):
        return [f"{case.kind}: {fault}"] if fault else []
    models = table if hasattr(table, "models") else {"A": table, "B": table}
    metric = a_metric(rng, one_model(table))
    level = float(rng.choice([0.5, 0.95, 0.999]))
    board, fault = _answer(hs.leaderboard, models, metric, confidence_level=level, random_state=0)
    if fault or isinstance(board, Exception):
        return [f"leaderboard of {metric} on {case.kind}: {fault}"] if fault else []
    words = f"leaderboard of {metric} at {level} of {case.size} cases, {case.kind}, {sorted(case.columns)}: "
    _, fault = _answer(board.grid)
    return [words + each for each in (*filter(None, [fault]), *places(board))]


def places(board):
    """Yield what is wrong with the places of a leaderboard."""
    size, known = len(board), [each for each in board.places if each.rank is not None]
    for each in board.places:
        if not 1 <= each.rank_low <= each.alone_low <= each.alone_high <= each.rank_high <= size:
            yield f"sets that are not in each other: {each}"
        if (each.rank is None) != math.isnan(each.value):
            yield f"a rank without a value, or a value without: {each}"
        if each.rank is not None and not each.rank_low <= each.rank <= each.rank_high:
            yield f"a rank outside its set: {each}"
        if each.rank is None and not each.estimate.reason:
            yield "no rank, and no reason"
    chances = sum(each.probability_best for each in known)  # nan of a single cluster, which shows no variance
    if known and not (known[0].may_be_best and (math.isnan(chances) or math.isclose(chances, 1))):
        yield "the first may not be the best, or chances that do not add up to 1"
    won = board.winner
    if math.isnan(won.value) and not won.reason:
        yield "no winner, and no reason"
    if not math.isnan(won.value) and not won.low <= won.value <= won.high:
        yield f"the winner's value outside its limits: {won}"


def changes(question, case, table, found, rng):
    """Yield what must not change an estimate, and does; and a higher level that is narrower."""
    wider, _ = question.of(table, 1 - (1 - question.level) / 3)
    slack = 1e-9 * max(1.0, abs(found.value))
    # The p-value of `binom_test` is not monotone, and so are its limits not.
    ordered = question.method != "binom_test" and not isinstance(wider, Exception)
    if ordered and (wider.low > found.low + slack or wider.high < found.high - slack):
        yield f"a higher level is narrower: {found} and {wider}"
    same = {"the order of rows": case.rows(rng.permutation(case.size))}
    if "sample_weight" in case.columns:
        same["the scale of weights"] = case.scaled(float(rng.choice([1e-6, 0.1, 1000.0])))
    if case.has_own_names:
        same["the names of the classes"] = case.renamed()
    for what, other in same.items():
        again, _ = question.of(one_model(other.table()))
        if isinstance(again, Exception) or not alike(found, again):
            yield f"{what} changes {found} to {again}"
    if case.kind == "confusion" and "labels" in case.keywords and question.method in {"auto", "flow", "delta", "wald"}:
        yield from unused(question, case, table, found)
    if case.can_be_split and rng.random() < 0.5:
        yield from groups(question, case, rng)


def unused(question, case, table, found):
    """Yield whether a label that never occurs changes the interval of an average whose value leaves it out."""
    from howsure.metrics.binding import resolve

    labels = case.keywords["labels"]
    another = np.append(labels, ["zzz"] if labels.dtype.kind == "U" else [99])
    if resolve(question.metric, table).members is None or (table.class_totals > 0).sum() < 2:
        return  # a truth of one class shows no variation, and a table smoothed over all classes stands in for it
    again, fault = question.of(replace(case, keywords=case.keywords | {"labels": another}).table())
    if fault or isinstance(again, Exception):
        yield f"with an unused label: {fault or again}"
    elif math.isclose(again.value, found.value, rel_tol=1e-9) and not alike(found, again):
        yield f"an unused label changes {found} to {again}"


def groups(question, case, rng):
    """Yield what is wrong with the estimates of two groups together: each is that of its rows alone."""
    together, alone = case.split(rng)
    table, fault = _answer(lambda: one_model(together.table()))
    found, fault = (table, fault) if fault or isinstance(table, Exception) else question.of(table)
    if fault:
        yield f"by groups: {fault}"
    if fault or isinstance(found, Exception):
        return
    for name, rows in alone.items():
        own, _ = _answer(lambda rows=rows: one_model(rows.table()))
        own = own if isinstance(own, Exception) else question.of(own)[0]
        if not isinstance(own, Exception) and own.method == found[name].method and not alike(own, found[name]):
            yield f"in a group {found[name]}, alone {own}"


def alike(one, other):
    """Whether two estimates have the same numbers, to rounding."""
    pairs = zip((one.value, one.low, one.high), (other.value, other.low, other.high), strict=True)
    return all((math.isnan(a) and math.isnan(b)) or math.isclose(a, b, rel_tol=1e-6, abs_tol=1e-6) for a, b in pairs)


def numbers(found, table, metric, threshold):
    """Yield what is wrong with an estimate's numbers."""
    from howsure.metrics.binding import resolve

    low, high = resolve(metric, table, threshold=threshold).range
    slack = 1e-9 * max(1.0, abs(found.value) if math.isfinite(found.value) else 1.0)
    for name in ("value",) if found.method in TEXTBOOK else ("value", "low", "high"):
        number = getattr(found, name)
        if not math.isnan(number) and not low - slack <= number <= high + slack:
            yield f"{name} {number} beyond [{low}, {high}]"
    if math.isnan(found.low) != math.isnan(found.high):
        yield f"one limit alone is nan: {found.low}, {found.high}"
    if math.isnan(found.low) and not found.reason:
        yield "nan without a reason"
    if math.isnan(found.value) and not math.isnan(found.low) and found.draws is None:  # a posterior has a prior
        yield "an interval of an undefined value"
    if not math.isnan(found.low):
        if found.low > found.high:
            yield f"limits in the wrong order: {found.low}, {found.high}"
        # Percentiles of draws need not hold the value.
        held = found.draws is None and found.method not in TEXTBOOK
        if held and not found.low - slack <= found.value <= found.high + slack:
            yield f"{found.value} outside [{found.low}, {found.high}]"
        inside = (
            low + slack < found.value < high - slack and found.standard_error > ROUNDING and "bias" not in found.reason
        )
        if held and inside and "@" in metric and found.method == "flow" and found.value in (found.low, found.high):
            yield f"a limit at the value, of a standard error of {found.standard_error}: {found}"


ROUNDING = 1e-6
TEXTBOOK = {
    "wald",
    "delong_wald",
    "jeffreys",
}  # which leave the range, or the value of a perfect sample, as textbooks do
HOSTILE = [
    None, True, 0, 1, -1, 2.5, math.nan, math.inf, "", "x", "f1", "a" * 3000, b"x", [], [[]], {}, (), object(), hs, int,
    [0, 1], [1, 1, 1], ["a", "b"], [0, 1, None], [0.2, math.nan], [[1, 2], [3, 4]], [[1, -2], [3, 4]], {"A": [0, 1]},
    np.zeros((2, 2)), np.zeros((0, 2)), np.ones(3), np.array([]), np.array(["a", "b"]), np.array([0, 1], dtype=object),
    np.array([1 + 2j, 1]), np.array(["2020-01-01"], dtype="datetime64[D]"), np.ma.masked_array([0, 1], [True, False]),
    np.uint64(3), np.array([1, 2], dtype=np.uint64), np.array([0.1, 0.9], dtype=np.float16), range(3), iter([0, 1]),
]  # fmt: skip
TABLES = [
    lambda: hs.from_counts([[50, 3], [5, 42]]),
    lambda: hs.from_counts([[5, 3, 1], [0, 4, 2], [1, 1, 9]]),
    lambda: hs.scores([0, 1, 0, 1, 1], [0.1, 0.9, 0.4, 0.6, 0.3]),
    lambda: hs.paired([0, 1, 0, 1], {"A": [0, 1, 1, 1], "B": [0, 0, 0, 1]}),
    lambda: hs.calibrated([0.1, 0.9, 0.4]),
    lambda: hs.values([0.1, 0.9, 0.4], bounds=(0, 1)),
    lambda: hs.trials([1, 0, 1, 1], task=[1, 1, 2, 2]),
    lambda: hs.events([4, 3], [1, 0], [0, 2]),
    lambda: hs.detections([{"scores": [0.9, 0.4], "hits": [1, 0]}, {"scores": [0.7], "hits": [1]}], [1, 2], iou=0.5),
    lambda: hs.ratings([[0, 1, 1, 1], [0, 0, 0, 1], [1, 1, None, 1]]),
    lambda: hs.preferences(["A", "A", "B"], ["B", "B", "A"], ["A", "B", "tie"]),
    lambda: hs.confusion([0, 1, 0, 1], [0, 1, 1, 1], by=["x", "x", "y", "y"]),
]  # fmt: skip
SPARED = {"bootstrap", "bootstrap_ci", "define_metric"}  # which run a function of the user's


def misuse(rng):
    """Return the faults of a call with hostile arguments: our error in one line, or a result, and nothing else."""
    names = [name for name in hs.__all__ if inspect.isfunction(getattr(hs, name)) and name not in SPARED]
    name = names[rng.integers(len(names))]
    function = getattr(hs, name)
    arguments, keywords, words = [], {}, []
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        needed = parameter.default is parameter.empty
        if not needed and rng.random() > 0.15:
            continue
        value = TABLES[rng.integers(len(TABLES))]() if rng.random() < 0.35 else HOSTILE[rng.integers(len(HOSTILE))]
        words.append(f"{parameter.name}={type(value).__name__!s} {repr(value)[:40]}")
        if parameter.kind is parameter.POSITIONAL_ONLY:
            arguments.append(value)
        else:
            keywords[parameter.name] = value
    _, fault = _answer(function, *arguments, **keywords)
    return [f"{name}({', '.join(words)}): {fault}"] if fault else []


def main():
    """Run seeds in processes, and print every fault, then how many of each kind."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("number", type=int)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--processes", type=int, default=None)
    given = parser.parse_args()
    kinds = Counter()
    with multiprocessing.Pool(given.processes) as pool:
        for faults in pool.imap_unordered(faults_of, range(given.first, given.first + given.number), chunksize=64):
            for fault in faults:
                sys.stdout.write(fault + "\n")
                kinds[fault.split(": ")[-1][:60]] += 1
    for kind, number in kinds.most_common():
        sys.stdout.write(f"{number:6d}  {kind}\n")
    sys.stdout.write(f"{given.number} cases, {sum(kinds.values())} faults\n")


if __name__ == "__main__":
    main()
