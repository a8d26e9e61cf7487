"""Randomly changed files, and properties of reading them: a result within its range, or our error.

Each mutant follows from its seed alone: ``faults_of(seed)`` returns its faults, one line each. As a script it
runs as many seeds as are requested, each block of them in a process with limited memory, and prints the faults:
``python tests/support/mutants.py 10000 --first 0``.
"""

import argparse
import functools
import io
import json
import math
import subprocess
import sys
import tempfile
import time
import warnings
import zipfile
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))  # as a script

import howsure as hs
from howsure.errors import HowsureError
from howsure.tables.protocols import default_metrics
from support.soundness import numbers

LONGEST = 20.0  # seconds of one mutant
MEMORY = 6 * 2**30  # bytes of a process
N = 24
RNG = np.random.default_rng(5)
TRUTH = RNG.integers(0, 3, N)
TWO = (TRUTH > 0) * 1
SAID = np.where(RNG.random(N) < 0.7, TRUTH, RNG.integers(0, 3, N))
FIRST = np.where(RNG.random(N) < 0.8, TWO, 1 - TWO)
SECOND = np.where(RNG.random(N) < 0.7, TWO, 1 - TWO)
SCORE = np.round(0.5 * RNG.random(N) + 0.4 * TWO, 2)
OTHER = np.round(0.6 * RNG.random(N) + 0.3 * TWO, 2)
MATRIX = np.round(RNG.dirichlet(np.ones(3), N) * 0.6 + 0.4 * np.eye(3)[TRUTH], 3)
WEIGHT = RNG.gamma(2, 0.5, N) + 0.1
GROUP = np.array([f"p{number}" for number in RNG.integers(0, 8, N)])
SOME = [int(label) if case < 12 else None for case, label in enumerate(TWO)]


def calibrated(method):
    calibrator = hs.calibrate(OTHER, TWO, method=method, n_draws=20, random_state=0)
    return hs.calibrated(SCORE, calibrator=calibrator)


TABLES = [
    lambda: hs.from_counts([[50, 3], [5, 42]], labels=["benign", "malignant"]),
    lambda: hs.confusion(TRUTH, SAID, sample_weight=WEIGHT),
    lambda: hs.confusion(TRUTH, SAID, groups=GROUP),
    lambda: hs.confusion(TWO, FIRST, by=GROUP),
    lambda: hs.confusion(TWO, FIRST, by=GROUP, groups=GROUP),
    lambda: hs.confusion(np.stack([TWO, FIRST], 1), np.stack([FIRST, SECOND], 1)),
    lambda: hs.from_counts([[21, 4], [3, 20]]).with_design(hs.designs.FixedMargins()),
    lambda: hs.from_counts([[180, 20], [10, 90]]).at_prevalence([0.9, 0.1]),
    lambda: hs.scores(TWO, SCORE),
    lambda: hs.scores(TWO, SCORE, groups=GROUP, sample_weight=WEIGHT),
    lambda: hs.multiclass_scores(TRUTH, MATRIX),
    lambda: hs.multiclass_scores(np.stack([TWO, FIRST], 1), np.stack([SCORE, OTHER], 1)),
    lambda: hs.paired(TWO, {"A": FIRST, "B": SECOND}),
    lambda: hs.paired(TWO, {"A": FIRST, "B": SECOND}, groups=GROUP),
    lambda: hs.paired_scores(TWO, {"A": SCORE, "B": OTHER}),
    lambda: hs.values(SCORE, bounds=(0, 1)),
    lambda: hs.values({"A": SCORE, "B": OTHER}, groups=GROUP),
    lambda: hs.values(SCORE, truth=OTHER),
    lambda: hs.trials(TWO, task=np.arange(N) // 2),
    lambda: hs.events(TWO * FIRST + 1, FIRST, TWO),
    lambda: hs.detections([{"scores": [0.9, 0.4], "hits": [1, 0]}, {"scores": [0.7], "hits": [1]}], [1, 2], iou=0.5),
    lambda: hs.ratings([[0, 1, 1, 1], [0, 0, 0, 1], [1, 1, None, 1]]),
    lambda: hs.preferences(["x", "x", "y", "z"], ["y", "y", "x", "x"], ["x", "y", "tie", "x"]),
    lambda: hs.calibrated(SCORE),
    lambda: hs.calibrated(SCORE, target="population", sample_weight=WEIGHT),
    lambda: hs.reviewed([[90, 10], [20, 80]], [[[8.0, 1.0], [3.0, 5.0]], [[6.0, 4.0], [0.0, 9.0]]]),
    lambda: calibrated("beta"),
    lambda: calibrated("isotonic").at(0.5),
    lambda: calibrated("venn_abers"),
    lambda: hs.labels.corrected(hs.from_counts([[84, 6], [4, 14]]), sensitivity=0.9, specificity=0.98),
    lambda: hs.labels.annotated(np.stack([TWO, FIRST, SECOND], 1), SECOND),
    lambda: hs.labels.prediction_powered(SOME, FIRST, SECOND),
    lambda: hs.judged(SOME, TWO, groups=GROUP, sample_weight=WEIGHT),
    lambda: hs.judged_values(SOME, SCORE, bounds=(0, 1)),
    lambda: hs.judged({"A": SOME, "B": SOME}, {"A": FIRST, "B": SECOND}),
]
STUDY = """seed = 3
n_draws = 60
confidence_level = 0.9

[metrics]
f1 = { aggregation = "fe_gaussian" }
accuracy = {}

[experiments."a/one"]
counts = [[30, 4], [5, 21]]
prior = 1.0

[experiments."a/two"]
counts = [[28, 6], [4, 22]]
labels = [0, 1]
"""
ODD = [-30, -1, 0, 1, 2, 7, 1.5, -0.0, 0.3, 1e-9, 10**9, 2**63, 10**30, 1e160, 1e300, math.nan, math.inf, True, None]
ODD += ["x", "", "<f8", "<i8", "<U9", "|b1", "<c16", "O", "Clusters", "Weighted", "Votes", [], [0], [[1, 2], [3]], {}]
ODD += [{"float": "nan"}, {"kind": "Independent"}, {"date": "2026-02-30"}, {"method": "save", "of": None}]


def places(node, path=()):
    """Yield the path of every node of a document."""
    yield path
    inner = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, each in inner:
        yield from places(each, (*path, key))


def changed(document, rng):
    """Return a document with one node replaced, removed, repeated or exchanged for another."""
    document = json.loads(json.dumps(document))
    every = [path for path in places(document) if path]
    *way, last = every[rng.integers(len(every))]
    holder = functools.reduce(lambda node, key: node[key], way, document)
    how = rng.choice(["odd", "odd", "odd", "nudge", "remove", "repeat", "exchange"])
    if how == "odd":
        holder[last] = ODD[rng.integers(len(ODD))]
    elif how == "nudge" and isinstance(holder[last], int | float):
        holder[last] += int(rng.integers(-3, 4))
    elif how == "remove":
        del holder[last]
    elif how == "repeat" and isinstance(holder, list):
        holder.insert(last, holder[last])
    else:
        other = every[rng.integers(len(every))]
        holder[last] = json.loads(json.dumps(functools.reduce(lambda node, key: node[key], other, document)))
    return document


def bytes_changed(data, rng):
    """Return bytes of which some are others, missing or twice."""
    start, stop = sorted(rng.integers(0, len(data) + 1, 2).tolist())
    stop = min(stop, start + 12)
    how = rng.integers(4)
    if how == 0:
        return data[: int(rng.integers(len(data)))]
    middle = [b"", data[start:stop] * 2, rng.bytes(stop - start)][how - 1]
    return data[:start] + middle + data[stop:]


@functools.cache
def saved(index, suffix):
    """Return the bytes of a saved table."""
    with tempfile.TemporaryDirectory() as folder:
        return TABLES[index]().save(Path(folder) / f"table{suffix}").read_bytes()


def a_table(rng, folder):
    """Yield faults of a mutant of a saved table."""
    index = int(rng.integers(len(TABLES)))
    kind = rng.choice(["node", "node", "node", "node", "node", "node", "bytes", "parquet"])
    path = folder / ("table.parquet" if kind == "parquet" else "table.json")
    if kind == "node":
        document = json.loads(saved(index, ".json"))
        path.write_text(
            json.dumps(
                changed(document, rng) if rng.random() < 0.1 else document | {"table": changed(document["table"], rng)}
            )
        )
    else:
        path.write_bytes(bytes_changed(saved(index, path.suffix), rng))
    found = hs.load(path)
    yield from used(getattr(found, "overall", found))
    if isinstance(found, hs.tables.Tables):
        yield from used(next(iter(found.values())))


def used(table):
    """Yield faults in the results of a table."""
    for caution in table.cautions:
        assert isinstance(caution, str)
    repr(table)
    if hasattr(table, "names") and hasattr(table, "model"):
        for name in table.names:
            yield from answers(table.model(name))
        if len(table.names) > 1:
            metric = default_metrics(table.model(table.names[0]))[0]
            hs.compare(table, metric, a=table.names[0], b=table.names[1])
    else:
        yield from answers(table)


def answers(table):
    """Yield faults in estimates of the first metrics of a table."""
    for metric in default_metrics(table)[:3]:
        for method in (None, hs.methods.Dirichlet(n_draws=20), hs.methods.Bootstrap("percentile", n_resamples=39)):
            try:
                found = hs.estimate(table, metric, method=method, random_state=0)
            except HowsureError:
                continue
            yield from (f"{metric} {found.method}: {each}" for each in numbers(found, table, metric, None))


def a_study(rng, folder):
    """Yield faults of a mutant of a study file."""
    import tomllib

    if rng.random() < 0.5:
        path = folder / "study.json"
        path.write_text(json.dumps(changed(tomllib.loads(STUDY), rng)))
    else:
        path = folder / "study.toml"
        path.write_bytes(bytes_changed(STUDY.encode(), rng))
    study = hs.Study.load(path)
    for record in study.aggregate().rows + study.summaries().rows:
        value = record.get("value", record.get("median"))
        if not (math.isnan(value) or -1e-9 <= value <= 1 + 1e-9):
            yield f"{record}"


def a_log(rng, folder):
    """Yield faults of a mutant of a log, of an archive or of a folder of them."""
    logs = sorted(path for path in (Path(__file__).parents[1] / "data" / "logs").rglob("*") if path.suffix in LOGS)
    source = logs[rng.integers(len(logs))]
    path = folder / source.name
    if source.suffix == ".eval" and rng.random() < 0.7:
        path.write_bytes(archive_changed(source, rng))
    elif source.suffix != ".eval" and rng.random() < 0.7:
        path.write_text(text_changed(source.read_text(), rng))
    else:
        path.write_bytes(bytes_changed(source.read_bytes(), rng))
    found = hs.evaluate_log(hs.read_log(path if rng.random() < 0.5 else folder))
    for key, each in found.items():
        if not (math.isnan(each.low) or each.low - 1e-9 <= each.value <= each.high + 1e-9):
            yield f"{key}: {each}"
    str(found.grid())
    found.records()


LOGS = {".eval", ".json", ".jsonl"}


def text_changed(text, rng):
    """Return JSON, or lines of it, with one node changed."""
    try:
        return json.dumps(changed(json.loads(text), rng))
    except json.JSONDecodeError:
        lines = [json.loads(line) for line in text.splitlines() if line.strip()]
        return "\n".join(map(json.dumps, changed(lines, rng)))


def archive_changed(source, rng):
    """Return a zip file with one changed entry."""
    target = io.BytesIO()
    with zipfile.ZipFile(source) as whole, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as other:
        try:
            parts = {name: whole.read(name) for name in whole.namelist()}
        except NotImplementedError:  # compressed by Zstandard
            return bytes_changed(source.read_bytes(), rng)
        name = list(parts)[rng.integers(len(parts))]
        parts[name] = text_changed(parts[name].decode(), rng).encode() if parts[name] else b"x"
        for name, data in parts.items():
            other.writestr(name, data)
    return target.getvalue()


def faults_of(seed):
    """Return the faults of the mutant of a seed."""
    rng = np.random.default_rng(seed)
    kind = [a_table, a_table, a_table, a_log, a_log, a_study][rng.integers(6)]
    start = time.perf_counter()
    faults = []
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            faults += kind(rng, Path(folder))
        except HowsureError as error:
            faults += [f"a message of several lines: {error}"] if "\n" in str(error) else []
        except Exception as error:  # noqa: BLE001 - any other error is a fault
            faults.append(f"{type(error).__name__}: {error}")
    if (took := time.perf_counter() - start) > LONGEST:
        faults.append(f"took {took:.1f} s")
    return [f"seed {seed}, {kind.__name__}: {each}" for each in faults]


def run_apart(first, number):
    """Return the faults of seeds that run in a process of their own, whose end is a fault too."""
    command = [sys.executable, __file__, str(number), "--first", str(first), "--inside"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    ended = [] if done.returncode == 0 else [f"seeds from {first}: ended with {done.returncode}: {done.stderr[-500:]}"]
    return done.stdout.splitlines() + ended


def main():
    """Run mutants and print their faults."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("number", type=int)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--inside", action="store_true", help="in this process, with limited memory")
    chosen = parser.parse_args()
    if chosen.inside:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        for seed in range(chosen.first, chosen.first + chosen.number):
            for fault in faults_of(seed):
                sys.stdout.write(f"{fault}\n")
        return
    for first in range(chosen.first, chosen.first + chosen.number, 500):
        for fault in run_apart(first, min(500, chosen.first + chosen.number - first)):
            sys.stdout.write(f"{fault}\n")


if __name__ == "__main__":
    main()
