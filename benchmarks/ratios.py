"""Ratios against peers, measured in one run, since machines differ and are noisy.

Run ``python benchmarks/ratios.py [SECTION …]``; sections are foundation, strings, resampling, posterior, scores,
memory, pairs, start, growth, sums, reports and classes. Each line gives our time, the peer's, and how many times faster
we are. A peer that would take minutes is timed on fewer resamples and scaled; the line says so. The last three sections
measure processor time, of both sides in turn, and give the range of the ratios beside their median. Functions of scores
have ``benchmarks/scores.py``, compiled kernels ``benchmarks/kernels.py``.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time
import tracemalloc
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import howsure as hs

REPEATS = 3


def seconds(call: Callable[[], Any], repeats: int = REPEATS) -> float:
    """Return the shortest time of some calls."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def line(title: str, ours: float, theirs: float, target: float, note: str = "") -> None:
    """Print one comparison."""
    print(
        f"{title:<62} {ours * 1e3:>10.2f} ms {theirs * 1e3:>12.1f} ms {theirs / ours:>9.0f}× (aim {target:g}×) {note}"
    )


def predictions(rows: int, classes: int, accuracy: float = 0.85, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return true and predicted integer labels."""
    rng = np.random.default_rng(seed)
    true = rng.integers(0, classes, rows)
    return true, np.where(rng.random(rows) < accuracy, true, rng.integers(0, classes, rows))


def foundation() -> None:
    """Tables, metrics and analytic intervals."""
    import confidenceinterval

    true, predicted = predictions(10_000_000, 3)
    line(
        "f1_score(average='macro') with interval, 10⁷ integers",
        seconds(lambda: hs.f1_score(true, predicted, average="macro")),
        seconds(lambda: confidenceinterval.f1_score(true, predicted, average="macro"), 1),
        20,
        "confidenceinterval",
    )
    rng = np.random.default_rng(1)
    table = hs.from_counts(rng.poisson(np.full((100, 100), 0.3) + 50 * np.eye(100)))
    names = [
        f"{name}@{average}"
        for name in ("f1", "recall", "precision", "jaccard")
        for average in ("macro", "micro", "weighted")
    ]
    names += [
        "accuracy",
        "balanced_accuracy",
        "mcc",
        "kappa",
        "gwet_ac1",
        "mae",
        "specificity@macro",
        "fbeta+beta=2@macro",
    ]
    print(
        f"evaluate, {len(names)} metrics, K = 100: {seconds(lambda: hs.evaluate(table, names)) * 1e3:.1f} ms (aim 20 ms)"
    )
    wide = hs.from_counts(rng.poisson(np.full((1000, 1000), 0.02) + 50 * np.eye(1000)))
    tracemalloc.start()
    hs.estimate(wide, "f1@macro", method="delta")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    took = seconds(lambda: hs.estimate(wide, "f1@macro", method="delta"))
    print(
        f"macro F1 with delta interval, K = 1000: {took * 1e3:.1f} ms (aim 100 ms), peak {peak / 2**20:.0f} MB (aim 200)"
    )
    bare, ours = (import_time(code) for code in ("import numpy", "import numpy, howsure"))
    print(f"import howsure over bare interpreter plus NumPy: {(ours - bare) * 1e3:.0f} ms (aim 150 ms)")


def import_time(code: str) -> float:
    """Return the shortest time of a fresh interpreter that runs some code."""
    return seconds(lambda: subprocess.run([sys.executable, "-c", code], check=True), 5)


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
        line(
            f"f1_score(average='macro'), 2·10⁶ {name} labels",
            seconds(lambda true=true, predicted=predicted: hs.f1_score(true, predicted, average="macro")),
            seconds(lambda peers=peers: f1_score(*peers, average="macro"), 1),
            8,
            "scikit-learn, no interval",
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
        method = hs.Bootstrap("percentile", 9999)
        line(
            f"9,999 resamples of 4 metrics, n = 10⁵, K = {classes}",
            seconds(lambda table=table, names=names, method=method: hs.evaluate(table, names, method=method)),
            seconds(theirs, 1) * 999.9,
            target,
            "SciPy with scikit-learn, from 10 resamples",
        )
    for rows in (1_000, 10_000_000):
        table = hs.confusion(*predictions(rows, 2))
        took = seconds(lambda table=table: hs.evaluate(table, ["accuracy", "f1", "mcc"], method="bootstrap_percentile"))
        print(f"9,999 resamples of 3 metrics of a table of {rows:,} cases: {took * 1e3:.1f} ms")


def posterior() -> None:
    """10,000 draws of three metrics under the peer's default prior."""
    import prob_conf_mat

    for classes, target in ((2, 2), (10, 2), (100, 3)):
        rng = np.random.default_rng(2)
        counts = rng.poisson(np.full((classes, classes), 1.0) + 40 * np.eye(classes))
        table = hs.from_counts(counts)
        method = hs.Dirichlet(prior=0, prevalence_prior=0, n_draws=10_000)

        def theirs(counts: np.ndarray = counts) -> None:
            study = prob_conf_mat.Study(seed=0, num_samples=10_000, ci_probability=0.95)
            study.add_experiment("a/b", confusion_matrix=counts.tolist(), prevalence_prior=0, confusion_prior=0)
            for metric in ("acc", "f1@macro", "mcc"):
                study.add_metric(metric)
                study.get_metric_samples(metric=metric, experiment_name="a/b", sampling_method="posterior")

        line(
            f"10,000 posterior draws of 3 metrics, K = {classes}",
            seconds(
                lambda table=table, method=method: hs.evaluate(table, ["accuracy", "f1@macro", "mcc"], method=method)
            ),
            seconds(theirs, 1),
            target,
            "prob_conf_mat",
        )
    for classes, draws in ((100, 10_000), (10, 1_000_000)):
        print(
            f"peak memory, K = {classes}, {draws:,} draws: {peak_memory(classes, draws):.0f} MB above the start (aim 150)"
        )


def peak_memory(classes: int, draws: int) -> float:
    """Return how far the resident memory of a fresh interpreter grows in one evaluation, in MB."""
    return grown_memory(
        f"""
from scipy import special, sparse
counts = np.random.default_rng(0).poisson(np.full(({classes}, {classes}), 1.0) + 40 * np.eye({classes}))
table = hs.from_counts(counts)
def ask(n):
    hs.evaluate(table, ["accuracy", "f1@macro", "mcc"], method=hs.Dirichlet(n_draws=n))
""",
        draws,
    )


def grown_memory(setup: str, draws: int) -> float:
    """Return how far the resident memory of a fresh interpreter grows in ``ask(draws)``, which code defines, in MB."""
    code = f"""
import numpy as np, howsure as hs
{setup}
ask(10)
def memory(what):
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith(what))
open("/proc/self/clear_refs", "w").write("5")  # the peak starts anew
before = memory("VmRSS")
ask({draws})
print(memory("VmHWM") - before)
"""
    answer = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return int(answer.stdout) / 1024


def scores() -> None:
    """Areas under the ROC curve, their bootstrap, and metrics along thresholds."""
    import confidenceinterval
    from sklearn import metrics

    def data(rows: int) -> tuple[np.ndarray, np.ndarray]:
        rng = np.random.default_rng(3)
        true = rng.integers(0, 2, rows)
        return true, rng.normal(true)

    true, score = data(1_000_000)
    ours = seconds(lambda: hs.roc_auc_score(true, score), 5)
    title = "roc_auc_score with DeLong interval, n = 10⁶"
    line(title, ours, seconds(lambda: confidenceinterval.roc_auc_score(true, score), 1), 10, "confidenceinterval")
    line(title, ours, seconds(lambda: metrics.roc_auc_score(true, score), 5), 1, "scikit-learn, no interval")
    for rows, resamples, few, target in ((10_000, 9_999, 50, 30), (1_000_000, 20, 2, 6)):
        true, score = data(rows)
        table = hs.scores(true, score)
        rng = np.random.default_rng(0)

        def theirs(true: Any = true, score: Any = score, rows: int = rows, rng: Any = rng, few: int = few) -> None:
            for _ in range(few):
                picks = rng.integers(rows, size=rows)
                metrics.roc_auc_score(true[picks], score[picks])

        method = hs.Bootstrap("percentile", resamples)
        line(
            f"{resamples:,} resamples of ROC AUC, n = {rows:,}",
            seconds(lambda table=table, method=method: hs.estimate(table, "roc_auc", method=method), 1),
            seconds(theirs, 1) * resamples / few,
            target,
            f"scikit-learn, from {few} resamples",
        )
    names = [
        "precision",
        "recall",
        "specificity",
        "npv",
        "f1",
        "accuracy",
        "balanced_accuracy",
        "mcc",
        "kappa",
        "jaccard",
    ]
    table = hs.scores(*data(1_000_000))
    took = seconds(lambda: hs.threshold_curves(table, names), 1)
    print(f"10 metrics with bands along the thresholds of 10⁶ cases, after the sort: {took:.2f} s (aim 2 s)")


def memory() -> None:
    """Peak memory of 9,999 resamples of clusters above that of the data."""
    for clusters in (20_000, 100_000):
        setup = f"""
rng = np.random.default_rng(0)
true = rng.integers(0, 3, {3 * clusters})
predicted = np.where(rng.random(true.size) < 0.8, true, rng.integers(0, 3, true.size))
roles = {{"groups": np.arange(true.size) % {clusters}, "sample_weight": rng.gamma(2, size=true.size)}}
table = hs.confusion(true, predicted, **roles)
def ask(n):
    hs.estimate(table, "f1@macro", method=hs.Bootstrap("percentile", n), random_state=0)
"""
        print(f"{clusters:,} distinct clusters: {grown_memory(setup, 9_999):.0f} MB above the data (aim 300 MB)")


def pairs() -> None:
    """All pairs of models on one test set, together and one by one."""
    rng = np.random.default_rng(0)
    true = rng.integers(0, 3, 500)
    said = {f"m{i}": np.where(rng.random(500) < 0.6 + 0.002 * i, true, rng.integers(0, 3, 500)) for i in range(134)}
    table = hs.paired(true, said)
    names = table.models
    for metric in ("accuracy", "f1@macro", "mcc"):
        ours = processor(lambda metric=metric: hs.compare_all(table, metric))
        alone = processor(lambda metric=metric: [hs.compare(table, metric, a=names[0], b=b) for b in names[1:11]])
        title = f"compare_all of 134 models in '{metric}', 500 cases"
        line(title, ours, alone * 891.1, 10, "compare of each pair, from 10; in all 5 s at most")


def start() -> None:
    """Processor's time of fresh interpreters, in units of ``import numpy``."""

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
    for title, *words in (
        ("import howsure", "-c", "import howsure"),
        ("first estimate", "-c", "import howsure as hs; hs.estimate(hs.from_counts([[50, 3], [4, 43]]), 'f1')"),
        ("howsure --version", "-m", "howsure", "--version"),
        ("howsure report", "-m", "howsure", "report", data, "--y-true", "label", "--y-pred", "logistic"),
    ):
        took = of(*words)
        print(f"{title:<20} {took * 1e3:6.0f} ms, {took / numpy:.1f} times `import numpy`")


def growth() -> None:
    """Time by size, as a power of it, for rows, groups, clusters and models."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
    from support.growth import CASES, FACTOR, exponent

    for name, (make, size, most) in CASES.items():
        power, took = exponent(make, size)
        print(f"{name:<28} {power:5.2f} (at most {most}), {took * 1e3:.0f} ms at {FACTOR * size:,}")


def processor(call: Callable[[], Any]) -> float:
    """Return the processor time of one call."""
    start = time.process_time()
    call()
    return time.process_time() - start


def in_turn(
    title: str, ours: Callable[[], Any], theirs: Callable[[], Any], target: float, scale: float = 1.0, repeats: int = 5
) -> None:
    """Print how many times as long a peer takes, measured in turn: the median and the range of some ratios."""
    ours()
    pairs = [(processor(ours), scale * processor(theirs)) for _ in range(repeats)]
    ratios = sorted(peer / own for own, peer in pairs)
    own, peer = np.median(pairs, axis=0)
    print(
        f"{title:<62} {own * 1e3:>10.2f} ms {peer * 1e3:>12.1f} ms {np.median(ratios):>9.3g}× "
        f"({ratios[0]:.3g} to {ratios[-1]:.3g}; aim {target:g}×)"
    )


FOUR = ["accuracy", "f1@macro", "balanced_accuracy", "mcc"]


def sums() -> None:
    """Drawing methods, which draw what the metrics look at and no more: four metrics, one class, posteriors."""
    import confidenceinterval
    import prob_conf_mat

    few = 20
    for classes, target in ((2, 60_000), (10, 5_000), (100, 150)):
        true, predicted = predictions(100_000, classes)
        table, average = hs.confusion(true, predicted), "binary" if classes == 2 else "macro"
        names = [name.replace("@macro", "") if classes == 2 else name for name in FOUR]
        in_turn(
            f"9,999 resamples of 4 metrics, K = {classes}; peer: F1, {few} scaled",
            lambda table=table, names=names: hs.evaluate(table, names, method="bootstrap", random_state=0),
            lambda pair=(true, predicted), average=average: confidenceinterval.f1_score(
                *pair, average=average, method="bootstrap_percentile", n_resamples=few
            ),
            target,
            9_999 / few,
            3,
        )
    for classes in (10, 100):
        true, predicted = predictions(100_000, classes)
        table, own = hs.confusion(true, predicted), hs.confusion(true == 1, predicted == 1)
        for method in ("bootstrap_percentile", "bootstrap_bca", "bootstrap_studentized", "bayes"):
            in_turn(
                f"F1 of one class of {classes}, {method}; peer: its own 2×2 table",
                lambda table=table, method=method: hs.estimate(table, "f1@binary+positive_class=1", method=method),
                lambda own=own, method=method: hs.estimate(own, "f1", method=method),
                1 / 1.5,
            )
    for classes, draws, target in ((10, 10_000, 12), (100, 10_000, 25), (10, 1_000_000, 15)):
        rng = np.random.default_rng(2)
        counts = rng.poisson(np.full((classes, classes), 1.0) + 40 * np.eye(classes))
        table, same = hs.from_counts(counts), hs.Dirichlet(prior=0, n_draws=draws)

        def theirs(counts: np.ndarray = counts, draws: int = draws) -> None:
            study = prob_conf_mat.Study(seed=0, num_samples=draws, ci_probability=0.95)
            study.add_experiment("a/b", confusion_matrix=counts.tolist(), prevalence_prior=0, confusion_prior=0)
            for metric in ("acc", "f1@macro", "mcc"):
                study.add_metric(metric)
                study.get_metric_samples(metric=metric, experiment_name="a/b", sampling_method="posterior")

        three = ["accuracy", "f1@macro", "mcc"]
        ask = lambda method, table=table, three=three: hs.evaluate(table, three, method=method)  # noqa: E731
        title = f"{draws:,} posterior draws of 3 metrics, K = {classes}"
        in_turn(f"{title}; prob_conf_mat", lambda ask=ask, same=same: ask(same), theirs, target, 1.0, 1)
        default = hs.Dirichlet(n_draws=draws)
        in_turn(f"{title}; default prior", lambda ask=ask, m=default: ask(m), lambda ask=ask, m=same: ask(m), 1 / 1.5)


def reports() -> None:
    """The classification report with its default intervals, against scikit-learn's without; many groups."""
    from sklearn import metrics

    for rows in (10_000, 100_000):
        for classes in (2, 10, 50, 300):
            pair = predictions(rows, classes)
            in_turn(
                f"classification_report, n = {rows:,}, K = {classes}",
                lambda pair=pair: hs.classification_report(*pair, output_dict=True),
                lambda pair=pair: metrics.classification_report(*pair, output_dict=True, zero_division=0),
                1,
            )
    counts = np.random.default_rng(0).poisson(np.full((10_000, 2, 2), 10.0) + 20 * np.eye(2))
    tables = hs.from_counts(counts)
    took = min(processor(lambda: hs.evaluate(tables, ["accuracy", "f1", "mcc", "balanced_accuracy"])) for _ in range(3))
    print(f"10,000 groups × 4 metrics with intervals: {took * 1e3:.0f} ms of processor")


def classes() -> None:
    """Growth exponents of processor time: in the classes from 10 to 80, and in the draws from 2,000 to 32,000."""
    for name, metric, most in (
        ("accuracy", "accuracy", 0.5),
        ("F1 of one class", "f1@binary+positive_class=1", 0.5),
        ("macro recall", "recall@macro", 1.1),
        ("macro F1", "f1@macro", 2.0),
    ):
        for method in (hs.Bootstrap, hs.Dirichlet):

            def took(classes: int, draws: int, metric: str = metric, method: Any = method) -> float:
                table = hs.confusion(*predictions(100_000, classes))
                own = method("percentile", draws) if method is hs.Bootstrap else method(n_draws=draws)
                return float(np.median([processor(lambda: hs.estimate(table, metric, method=own)) for _ in range(5)]))

            took(10, 2_000)
            by_class = np.log(took(80, 2_000) / took(10, 2_000)) / np.log(8)
            by_draw = np.log(took(10, 32_000) / took(10, 2_000)) / np.log(16)
            print(
                f"{name:<18} {method.__name__:<10} classes: {by_class:.2f} (at most {most}); draws: {by_draw:.2f} (1)"
            )


SECTIONS = {
    "foundation": foundation,
    "strings": strings,
    "resampling": resampling,
    "posterior": posterior,
    "scores": scores,
    "memory": memory,
    "pairs": pairs,
    "start": start,
    "sums": sums,
    "reports": reports,
    "classes": classes,
    "growth": growth,
}

if __name__ == "__main__":
    warnings.simplefilter("ignore")
    for section in sys.argv[1:] or SECTIONS:
        print(f"— {section}: {SECTIONS[section].__doc__}")
        SECTIONS[section]()
