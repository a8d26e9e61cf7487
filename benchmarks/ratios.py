"""Tables of counts against peers: reading them, intervals, resamples, posteriors, reports, pairs, and the start.

Run ``python benchmarks/ratios.py [SECTION …]``; sections are foundation, small, strings, resampling, sums, posterior,
reports, pooled, pairs, memory, start, classes and growth. Each line gives the times of howsure and of the peer, in
turn, and their ratio. A peer that would take minutes is timed on fewer resamples and scaled, and the line states this.
Functions of scores are in ``benchmarks/scores.py``, compiled kernels in ``benchmarks/kernels.py``;
``benchmarks/speed.py`` runs all of them.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tracemalloc
import warnings
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from measure import duration, figure, in_turn, processor, quickest, run
from scipy import special

import howsure as hs

FOUR = ["accuracy", "f1@macro", "balanced_accuracy", "mcc"]


def predictions(rows: int, classes: int, accuracy: float = 0.85, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return true and predicted integer labels."""
    rng = np.random.default_rng(seed)
    true = rng.integers(0, classes, rows)
    return true, np.where(rng.random(rows) < accuracy, true, rng.integers(0, classes, rows))


def foundation() -> None:
    """Tables, metrics and analytic intervals."""
    import confidenceinterval
    from sklearn.metrics import f1_score

    true, predicted = predictions(10_000_000, 3)
    in_turn(
        "macro F1 with interval, 10⁷ integers",
        lambda: hs.f1_score(true, predicted, average="macro"),
        lambda: confidenceinterval.f1_score(true, predicted, average="macro"),
        "confidenceinterval",
        20,
        repeats=1,
    )
    for kind, aim in (("int64", 40), ("uint8", 40), ("float64", 15)):
        pair = true.astype(kind), predicted.astype(kind)
        in_turn(
            f"macro F1 with interval, 10⁷ {kind}",
            lambda pair=pair: hs.f1_score(*pair, average="macro"),
            lambda pair=pair: f1_score(*pair, average="macro"),
            "scikit-learn, without interval",
            aim,
            repeats=3,
        )
    rng = np.random.default_rng(1)
    table = hs.from_counts(rng.poisson(np.full((100, 100), 0.3) + 50 * np.eye(100)))
    names = [
        f"{name}@{average}"
        for name in ("f1", "recall", "precision", "jaccard")
        for average in ("macro", "micro", "weighted")
    ]
    names += ["accuracy", "balanced_accuracy", "mcc", "kappa", "gwet_ac1", "mae"]
    names += ["specificity@macro", "fbeta+beta=2@macro"]
    took = quickest(lambda: hs.evaluate(table, names), 5)
    figure(f"{len(names)} metrics with intervals, K = 100", duration(took))
    wide = hs.from_counts(rng.poisson(np.full((1000, 1000), 0.02) + 50 * np.eye(1000)))
    tracemalloc.start()
    hs.estimate(wide, "f1@macro", method="delta")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    took = quickest(lambda: hs.estimate(wide, "f1@macro", method="delta"), 5)
    figure("macro F1 with delta interval, K = 1000", duration(took), "100 ms")
    figure("its memory", f"{peak / 2**20:.0f} MB", "200 MB")


def small() -> None:
    """Metrics of 1,000 cases with interval, against scikit-learn's values."""
    from sklearn import metrics

    for classes in (2, 3, 10):
        pair = predictions(1_000, classes)
        for name, asked in (
            ("accuracy_score", {}),
            ("cohen_kappa_score", {}),
            ("balanced_accuracy_score", {}),
            ("f1_score", {"average": "macro"}),
            ("matthews_corrcoef", {}),
        ):
            ours, theirs = (partial(getattr(each, name), *pair, **asked) for each in (hs, metrics))
            in_turn(f"{name}, n = 1,000, K = {classes}", ours, theirs, "scikit-learn", 1, repeats=25)


def strings() -> None:
    """String labels in their various containers, against scikit-learn without interval."""
    import pandas as pd
    import polars as pl
    import pyarrow as pa
    from sklearn.metrics import f1_score

    rows = 2_000_000
    names = np.array(["setosa", "versicolor", "virginica"])
    codes = predictions(rows, 3)
    fixed = [names[each] for each in codes]
    objects = [each.astype(object) for each in fixed]
    columns = {
        "object": objects,
        "<U": fixed,
        "Arrow": [pa.array(each) for each in objects],
        "categorical": [pd.Series(each, dtype="category") for each in objects],
        "Polars categorical": [pl.Series(each).cast(pl.Categorical) for each in fixed],
    }
    for name, (true, predicted) in columns.items():
        peers = objects if name in ("Arrow", "Polars categorical") else (true, predicted)
        in_turn(
            f"macro F1 with interval, 2·10⁶ {name} labels",
            lambda true=true, predicted=predicted: hs.f1_score(true, predicted, average="macro"),
            lambda peers=peers: f1_score(*peers, average="macro"),
            "scikit-learn",
            8,
            repeats=1,
        )


def resampling() -> None:
    """9,999 resamples of four metrics."""
    from scipy import stats
    from sklearn import metrics

    functions = (metrics.accuracy_score, None, metrics.balanced_accuracy_score, metrics.matthews_corrcoef)
    for classes, target in ((2, 10_000), (10, 500)):
        true, predicted = predictions(100_000, classes)
        average = "binary" if classes == 2 else "macro"

        def f1(a: Any, b: Any, average: str = average) -> float:
            return float(metrics.f1_score(a, b, average=average))

        def theirs(true: Any = true, predicted: Any = predicted, f1: Any = f1) -> None:
            for function in functions:
                stats.bootstrap(
                    (true, predicted),
                    function or f1,
                    n_resamples=10,
                    paired=True,
                    vectorized=False,
                    method="percentile",
                    rng=0,
                )

        table = hs.confusion(true, predicted)
        names = ["accuracy", "f1" if classes == 2 else "f1@macro", "balanced_accuracy", "mcc"]
        method = hs.methods.Bootstrap("percentile", 9999)
        in_turn(
            f"9,999 resamples of 4 metrics, n = 10⁵, K = {classes}",
            lambda table=table, names=names, method=method: hs.evaluate(table, names, method=method),
            theirs,
            "SciPy with scikit-learn",
            target,
            scale=999.9,
            repeats=1,
        )


def peak_memory(classes: int, draws: int) -> float:
    """Return how far the resident memory of a fresh interpreter grows in one evaluation, in MB."""
    return grown_memory(
        f"""
from scipy import special, sparse
counts = np.random.default_rng(0).poisson(np.full(({classes}, {classes}), 1.0) + 40 * np.eye({classes}))
table = hs.from_counts(counts)
def ask(n):
    hs.evaluate(table, ["accuracy", "f1@macro", "mcc"], method=hs.methods.Dirichlet(n_draws=n))
""",
        draws,
    )


def grown_memory(setup: str, draws: int) -> float:
    """Return how far the resident memory of a fresh interpreter grows in ``ask(draws)``, which code defines, in MB."""
    code = f"""
import numpy as np, howsure as hs
{setup}
ask(100)
def memory(what):
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith(what))
open("/proc/self/clear_refs", "w").write("5")  # the peak starts anew
before = memory("VmRSS")
ask({draws})
print(memory("VmHWM") - before)
"""
    answer = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return int(answer.stdout) / 1024


def memory() -> None:
    """Peak memory of drawing, above that of the data."""
    for clusters in (20_000, 100_000):
        setup = f"""
rng = np.random.default_rng(0)
true = rng.integers(0, 3, {3 * clusters})
predicted = np.where(rng.random(true.size) < 0.8, true, rng.integers(0, 3, true.size))
roles = {{"groups": np.arange(true.size) % {clusters}, "sample_weight": rng.gamma(2, size=true.size)}}
table = hs.confusion(true, predicted, **roles)
def ask(n):
    hs.estimate(table, "f1@macro", method=hs.methods.Bootstrap("percentile", n), random_state=0)
"""
        grown = grown_memory(setup, 9_999)
        figure(f"9,999 resamples of {clusters:,} distinct clusters", f"{grown:.0f} MB", "300 MB")
    for classes, draws in ((100, 10_000), (10, 1_000_000)):
        grown = peak_memory(classes, draws)
        figure(f"{draws:,} posterior draws of 3 metrics, K = {classes}", f"{grown:.0f} MB", "150 MB")


def pairs() -> None:
    """All pairs of models on one test set, together and one by one."""
    rng = np.random.default_rng(0)
    true = rng.integers(0, 3, 500)
    said = {f"m{i}": np.where(rng.random(500) < 0.6 + 0.002 * i, true, rng.integers(0, 3, 500)) for i in range(134)}
    table = hs.paired(true, said)
    names = table.models
    for metric in ("accuracy", "f1@macro", "mcc"):
        in_turn(
            f"compare_all of 134 models in {metric}, 500 cases",
            lambda metric=metric: hs.compare_all(table, metric),
            lambda metric=metric: [hs.compare(table, metric, a=names[0], b=b) for b in names[1:11]],
            "compare of each pair",
            10,
            scale=891.1,
            repeats=1,
        )


def start() -> None:
    """Fresh interpreters."""

    def of(*words: str) -> float:
        times = []
        for _ in range(5):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run([sys.executable, *words], check=True, capture_output=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        return min(times)

    numpy = of("-c", "import numpy")
    data = str(Path(__file__).parents[1] / "examples" / "breast_cancer.csv")
    figure("import numpy", duration(numpy))
    first = "import howsure as hs; hs.estimate(hs.from_counts([[50, 3], [4, 43]]), 'f1')"
    for job, aim, *words in (
        ("import howsure", "", "-c", "import howsure"),
        ("the first estimate", "250 ms", "-c", first),
        ("howsure --version", "100 ms", "-m", "howsure", "--version"),
        ("howsure report", "500 ms", "-m", "howsure", "report", data, "--y-true", "label", "--y-pred", "logistic"),
    ):
        figure(job, duration(of(*words)), aim)


def growth() -> None:
    """Growth with rows, groups, clusters and models."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
    from support.growth import CASES, FACTOR, exponent

    for make, size, most in CASES.values():
        power, took = exponent(make, size)
        figure(f"{make.__doc__.rstrip('.')}, to {FACTOR * size:,}: {duration(took)}", f"n^{power:.2f}", f"n^{most}")


def sums() -> None:
    """Resamples of four metrics, and of one class."""
    import confidenceinterval

    few = 20
    for classes, target in ((2, 60_000), (10, 5_000), (100, 150)):
        true, predicted = predictions(100_000, classes)
        table, average = hs.confusion(true, predicted), "binary" if classes == 2 else "macro"
        names = [name.replace("@macro", "") if classes == 2 else name for name in FOUR]
        in_turn(
            f"9,999 resamples of 4 metrics, K = {classes}",
            lambda table=table, names=names: hs.evaluate(table, names, method="bootstrap", random_state=0),
            lambda pair=(true, predicted), average=average: confidenceinterval.f1_score(
                *pair, average=average, method="bootstrap_percentile", n_resamples=few
            ),
            "confidenceinterval, F1 alone",
            target,
            scale=9_999 / few,
            repeats=3,
        )
    for classes in (10, 100):
        true, predicted = predictions(100_000, classes)
        table, own = hs.confusion(true, predicted), hs.confusion(true == 1, predicted == 1)
        for method in ("bootstrap_percentile", "bootstrap_bca", "bootstrap_studentized", "bayes"):
            in_turn(
                f"F1 of one class of {classes}, {method}",
                lambda table=table, method=method: hs.estimate(table, "f1@binary+positive_class=1", method=method),
                lambda own=own, method=method: hs.estimate(own, "f1", method=method),
                "its own 2×2 table",
                1 / 1.5,
            )


def posterior() -> None:
    """Posterior draws."""
    import prob_conf_mat

    for classes, draws, target in ((10, 10_000, 12), (100, 10_000, 25), (10, 1_000_000, 15)):
        rng = np.random.default_rng(2)
        counts = rng.poisson(np.full((classes, classes), 1.0) + 40 * np.eye(classes))
        table, same = hs.from_counts(counts), hs.methods.Dirichlet(prior=0, n_draws=draws)

        def theirs(counts: np.ndarray = counts, draws: int = draws) -> None:
            study = prob_conf_mat.Study(seed=0, num_samples=draws, ci_probability=0.95)
            study.add_experiment("a/b", confusion_matrix=counts.tolist(), prevalence_prior=0, confusion_prior=0)
            for metric in ("acc", "f1@macro", "mcc"):
                study.add_metric(metric)
                study.get_metric_samples(metric=metric, experiment_name="a/b", sampling_method="posterior")

        three = ["accuracy", "f1@macro", "mcc"]
        ask = lambda method, table=table, three=three: hs.evaluate(table, three, method=method)  # noqa: E731
        title = f"{draws:,} posterior draws of 3 metrics, K = {classes}"
        in_turn(title, lambda ask=ask, same=same: ask(same), theirs, "prob_conf_mat", target, repeats=1)
        default = hs.methods.Dirichlet(n_draws=draws)
        calls = (lambda ask=ask, m=default: ask(m)), (lambda ask=ask, m=same: ask(m))
        in_turn(f"{title}, default prior", *calls, "without prior", 1 / 1.5)


def reports() -> None:
    """The classification report, and many groups."""
    from sklearn import metrics

    for rows in (1_000, 10_000, 100_000):
        for classes in (2, 10, 50, 300):
            pair = predictions(rows, classes)
            in_turn(
                f"classification_report, n = {rows:,}, K = {classes}",
                lambda pair=pair: hs.classification_report(*pair, output_dict=True),
                lambda pair=pair: metrics.classification_report(*pair, output_dict=True, zero_division=0),
                "scikit-learn",
                1,
            )
    counts = np.random.default_rng(0).poisson(np.full((10_000, 2, 2), 10.0) + 20 * np.eye(2))
    tables = hs.from_counts(counts)
    took = quickest(lambda: hs.evaluate(tables, ["accuracy", "f1", "mcc", "balanced_accuracy"]))
    figure("4 metrics of 10,000 groups", duration(took))


def classes() -> None:
    """Growth with classes, from 10 to 80, and with draws, from 2,000 to 32,000."""
    for name, metric, most in (
        ("accuracy", "accuracy", 0.5),
        ("F1 of one class", "f1@binary+positive_class=1", 0.5),
        ("macro recall", "recall@macro", 1.1),
        ("macro F1", "f1@macro", 2.0),
    ):
        for method in (hs.methods.Bootstrap, hs.methods.Dirichlet):

            def took(classes: int, draws: int, metric: str = metric, method: Any = method) -> float:
                table = hs.confusion(*predictions(100_000, classes))
                own = method("percentile", draws) if method is hs.methods.Bootstrap else method(n_draws=draws)
                return float(np.median([processor(lambda: hs.estimate(table, metric, method=own)) for _ in range(5)]))

            took(10, 2_000)
            by_class = np.log(took(80, 2_000) / took(10, 2_000)) / np.log(8)
            by_draw = np.log(took(10, 32_000) / took(10, 2_000)) / np.log(16)
            figure(f"{name}, {method.__name__}: classes", f"K^{by_class:.2f}", f"K^{most}")
            figure(f"{name}, {method.__name__}: draws", f"B^{by_draw:.2f}", "B^1")


def pooled() -> None:
    """Pooling of sites by their likelihood."""
    rng = np.random.default_rng(0)
    cases = rng.integers(20, 60, 500)
    right = rng.binomial(cases, special.expit(rng.normal(2.5, 0.5, 500)))
    estimates = [hs.proportion(int(k), int(n)) for k, n in zip(right, cases, strict=True)]
    for sites in (5, 40, 500):
        call = partial(hs.pool, estimates[:sites])
        figure(f"{sites} sites, both intervals and heterogeneity", duration(quickest(call)), "1 s")


SECTIONS = {
    "foundation": foundation,
    "small": small,
    "strings": strings,
    "resampling": resampling,
    "sums": sums,
    "posterior": posterior,
    "reports": reports,
    "pooled": pooled,
    "pairs": pairs,
    "memory": memory,
    "start": start,
    "classes": classes,
    "growth": growth,
}

if __name__ == "__main__":
    warnings.simplefilter("ignore")
    run(SECTIONS, sys.argv[1:])
