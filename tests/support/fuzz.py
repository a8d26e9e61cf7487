"""Random data, random requests and hostile arguments, and properties that every result must have.

Each case follows from its seed alone: ``faults_of(seed)`` returns its faults, one line each. As a script it runs the
requested number of seeds, and prints the faults: ``python tests/support/fuzz.py 100000 --first 0``.
"""

import argparse
import inspect
import math
import multiprocessing
import sys
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))  # as a script

import howsure as hs
from howsure.errors import DoubtfulDataError
from howsure.metrics.spec import named
from support.public import FUNCTIONS
from support.published import a_metric, counted, one_model, pooled, published
from support.random_cases import a_case
from support.soundness import alike, answered, numbers, printed

FEW_DRAWS = {
    "bootstrap_percentile": hs.methods.Bootstrap("percentile", n_resamples=60),
    "bootstrap_basic": hs.methods.Bootstrap("basic", n_resamples=60),
    "bootstrap_bca": hs.methods.Bootstrap("bca", n_resamples=60),
    "bootstrap_studentized": hs.methods.Bootstrap("studentized", n_resamples=60),
    "bayes": hs.methods.Dirichlet(n_draws=60),
}


def faults_of(seed):
    """Return the faults in the results of a random request, a line each."""
    rng = np.random.default_rng(seed)
    kind = rng.choice([misuse, published, counted, pooled, use], p=[0.2, 0.05, 0.1, 0.1, 0.55])
    return [f"seed {seed}: {fault}" for fault in kind(rng)]


@dataclass(frozen=True)
class Question:
    """A metric, a method and a level for a case."""

    metric: str
    method: str
    level: float
    threshold: float | None

    def of(self, table, level=None):
        """Return the result for a table, and faults in the way it was computed."""
        wanted = {"threshold": self.threshold, "random_state": 1, "confidence_level": level or self.level}
        method = FEW_DRAWS.get(self.method, self.method)
        return answered(hs.estimate, table, self.metric, method=method, **wanted)


def use(rng):
    """Return the faults of a random estimate: of its numbers, and of what must not change them."""
    case = a_case(rng)
    if rng.random() < 0.2:
        return ranked(rng, case)
    table, fault = answered(lambda: one_model(case.table()))
    if fault or isinstance(table, Exception):
        return [f"{case.kind}: {fault}"] if fault else []
    metric, threshold = a_metric(rng, table), None
    if table.kind.has_thresholds and "@" not in metric and not (named(metric).of_scores or named(metric).cuts_scores):
        threshold = float(rng.choice([0.0, 0.3, 0.5, 1.0]))
    methods, fault = answered(hs.suitable_methods, table, metric, threshold=threshold)
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
            *printed(found),
            *([] if found.draws is not None else changes(question, case, table, found, rng)),
        ]
    return [f"{question} of {case.size} cases, {case.kind}, {sorted(case.columns)}: {each}" for each in faults]


def ranked(rng, case):
    """Return the faults of a leaderboard: of several models, or of one as two test sets."""
    table, fault = answered(case.table)
    if fault or isinstance(table, Exception):
        return [f"{case.kind}: {fault}"] if fault else []
    models = table if hasattr(table, "models") else {"A": table, "B": table}
    metric = a_metric(rng, one_model(table))
    level = float(rng.choice([0.5, 0.95, 0.999]))
    board, fault = answered(hs.leaderboard, models, metric, confidence_level=level, random_state=0)
    if fault or isinstance(board, Exception):
        return [f"leaderboard of {metric} on {case.kind}: {fault}"] if fault else []
    words = f"leaderboard of {metric} at {level} of {case.size} cases, {case.kind}, {sorted(case.columns)}: "
    _, fault = answered(board.grid)
    return [words + each for each in (*filter(None, [fault]), *places(board))]


def places(board):
    """Yield faults in the places of a leaderboard."""
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
    if math.isnan(won.low) and not won.reason:
        yield "no limits of the winner's value, and no reason"
    if not (math.isnan(won.value) or math.isnan(won.low)) and not won.low <= won.value <= won.high:
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
        again, _ = answered(lambda other=other: one_model(other.table()))
        if isinstance(again, DoubtfulDataError):
            continue  # scaled weights may look like numbers of cases
        again = again if isinstance(again, Exception) else question.of(again)[0]
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
    if resolve(question.metric, table).class_average is None or (table.class_totals > 0).sum() < 2:
        return  # a truth of one class shows no variation, and a table smoothed over all classes stands in for it
    if found.value in table_range(question, table) or not found.standard_error > 1e-12 * abs(found.value):
        return  # nor does a value at the end of the range, nor a sample in which the metric does not vary
    wider = replace(case, keywords=case.keywords | {"labels": another}).table()
    if len(labels) in resolve(question.metric, wider).class_average.members.kept:
        return  # the class enters, as the accuracy of a class does, where it is 1 without cases
    again, fault = question.of(wider)
    if fault or isinstance(again, Exception):
        yield f"with an unused label: {fault or again}"
    elif math.isclose(again.value, found.value, rel_tol=1e-9) and not alike(found, again):
        yield f"an unused label changes {found} to {again}"


def table_range(question, table):
    """Return both ends of the range of a question's metric."""
    from howsure.metrics.binding import resolve

    return resolve(question.metric, table, threshold=question.threshold).range


def groups(question, case, rng):
    """Yield faults in the estimates of two groups together: each must be that of its rows alone."""
    together, alone = case.split(rng)
    table, fault = answered(lambda: one_model(together.table()))
    found, fault = (table, fault) if fault or isinstance(table, Exception) else question.of(table)
    if fault:
        yield f"by groups: {fault}"
    if fault or isinstance(found, Exception):
        return
    for name, rows in alone.items():
        own, _ = answered(lambda rows=rows: one_model(rows.table()))
        own = own if isinstance(own, Exception) else question.of(own)[0]
        if not isinstance(own, Exception) and own.method == found[name].method and not alike(own, found[name]):
            yield f"in a group {found[name]}, alone {own}"


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
    names = [name for name in FUNCTIONS if name not in SPARED]
    name = names[rng.integers(len(names))]
    function = FUNCTIONS[name]
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
    _, fault = answered(function, *arguments, **keywords)
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
                print(fault, flush=True)  # noqa: T201 - a long run is read while it goes on
                kinds[fault.split(": ")[-1][:60]] += 1
    for kind, number in kinds.most_common():
        sys.stdout.write(f"{number:6d}  {kind}\n")
    sys.stdout.write(f"{given.number} cases, {sum(kinds.values())} faults\n")


if __name__ == "__main__":
    main()
