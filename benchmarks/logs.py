"""How long logs take: columns of many models to a table and to all differences from a baseline, and many values in clusters.

Run ``python benchmarks/logs.py``. Prints a Markdown table of seconds.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

import howsure as hs

TASKS, MODELS, RUNS = 1000, 100, 5
MANY = 1_000_000


def log() -> hs.results.Log:
    """Return the log of many models with several runs of many items."""
    rng = np.random.default_rng(0)
    ease = rng.beta(2, 1, TASKS)
    passed = rng.random((MODELS, TASKS, RUNS)) < ease[:, None] * np.linspace(0.8, 1, MODELS)[:, None, None]
    model, item, run = (each.ravel().tolist() for each in np.indices(passed.shape))
    columns: dict[str, Any] = {
        "task": ["tasks"] * passed.size,
        "model": [f"model {each}" for each in model],
        "item": [f"item {each}" for each in item],
        "run": run,
        "metric": ["pass"] * passed.size,
        "score": passed.ravel().astype(float),
        "cluster": [f"passage {each // 5}" for each in item],
    }
    return hs.results.Log(columns)


def lines(folder: Path) -> Path:
    """Write samples of one model as lm-evaluation-harness does."""
    rows = (
        {"doc_id": n, "doc": {"question": "?" * 200}, "filtered_resps": ["…"], "metrics": ["acc"], "acc": n % 2 * 1.0}
        for n in range(100_000)
    )
    path = folder / "samples_many.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    return path


def timed(what: str, run: Callable[[], Any]) -> Any:
    """Print the duration of a call, and return its result."""
    start = perf_counter()
    found = run()
    print(f"| {what} | {perf_counter() - start:.1f} |")
    return found


def main() -> None:
    """Print all times."""
    print("| what | seconds |\n| --- | ---: |")
    size = f"{TASKS:,} items × {MODELS} models × {RUNS} runs"
    found = log()
    timed(f"{size}, all differences from a baseline", lambda: hs.evaluate_log(found, baseline="model 0"))
    timed(f"{size}, all differences from the best", lambda: hs.evaluate_log(found))
    rng = np.random.default_rng(1)
    score, other = rng.random((2, MANY))
    groups = np.arange(MANY)
    timed(
        "mean of a million values in a million clusters", lambda: hs.estimate(hs.values(score, groups=groups), "mean")
    )
    pair = {"A": score > 0.4, "B": other > 0.5}
    timed("difference of a million pairs", lambda: hs.compare(hs.values(pair, groups=groups), "mean"))
    timed("R² of a million", lambda: hs.estimate(hs.values(score + other / 9, truth=score, groups=groups), "r2"))
    with tempfile.TemporaryDirectory() as folder:
        path = lines(Path(folder))
        timed("reading 100,000 samples of lm-evaluation-harness", lambda: hs.read_log(path))


if __name__ == "__main__":
    main()
