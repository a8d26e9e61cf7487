"""Times a study of 100 experiments with 10 classes, 10 metrics and 10,000 draws, here and in prob_conf_mat.

Run: python benchmarks/study.py [experiments]. Prints seconds by the clock and of processor, and the peak of memory. The
ratio by the clock needs a machine that does nothing else: howsure uses all its cores, prob_conf_mat one.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time

import numpy as np

SPECS = (
    "accuracy",
    "f1@macro",
    "mcc",
    "kappa",
    "balanced_accuracy",
    "recall@macro",
    "precision@macro",
    "jaccard@macro",
    "f1@weighted",
    "specificity@macro",
)
THEIRS = {"accuracy": "acc", "balanced_accuracy": "ba", "specificity@macro": "tnr@macro"}
CLASSES = 10
DRAWS = 10_000


def tables(number: int) -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    expected = 1 + 90 * np.eye(CLASSES)
    return [rng.poisson(expected).astype(int) for _ in range(number)]


def howsure(number: int) -> None:
    import howsure as hs

    study = hs.Study(seed=0, n_draws=DRAWS)
    for index, table in enumerate(tables(number)):
        study.add(f"group/experiment_{index}", table)
    for spec in SPECS:
        study.add_metric(spec, aggregation="fixed")
    assert len(study.summaries().rows) == len(SPECS) * number
    assert len(study.aggregate().rows) == len(SPECS)


def prob_conf_mat(number: int) -> None:
    import warnings

    from prob_conf_mat import Study

    warnings.simplefilter("ignore")
    study = Study(seed=0, num_samples=DRAWS, ci_probability=0.95)
    for index, table in enumerate(tables(number)):
        study.add_experiment(f"group/experiment_{index}", table, prevalence_prior=1, confusion_prior=1)
    for spec in SPECS:
        study.add_metric(THEIRS.get(spec, spec), aggregation="fe")
    for spec in SPECS:
        study.report_metric_summaries(THEIRS.get(spec, spec))
        study.report_aggregated_metric_summaries(THEIRS.get(spec, spec))


def main() -> None:
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    if len(sys.argv) > 2:
        work = {"howsure": howsure, "prob_conf_mat": prob_conf_mat}[sys.argv[2]]
        work(2)  # imports
        started, used = time.perf_counter(), time.process_time()
        work(number)
        seconds, busy = time.perf_counter() - started, time.process_time() - used
        print(f"{seconds:.2f} {busy:.2f} {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f}")
        return
    seconds, busy = {}, {}
    for name in ("howsure", "prob_conf_mat"):
        done = subprocess.run([sys.executable, __file__, str(number), name], check=True, capture_output=True, text=True)
        words = done.stdout.split()
        seconds[name], busy[name] = float(words[-3]), float(words[-2])
        print(f"{name:14} {seconds[name]:8.2f} s   {busy[name]:8.2f} s of processor   {words[-1]:>6} MiB at most")
    ratios = [each["prob_conf_mat"] / each["howsure"] for each in (seconds, busy)]
    print(f"ratio          {ratios[0]:8.1f}     {ratios[1]:8.1f}")


if __name__ == "__main__":
    main()
