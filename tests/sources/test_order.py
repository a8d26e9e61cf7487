"""Rows in another order: the same draws from the same seed, for any container, as engines have no order."""

import numpy as np
import pytest

import howsure as hs
from support.optional import optional

duckdb = optional("duckdb")
pl = optional("polars")

ROWS = 300
LABELS = np.array(["cat", "dog", "emu"])
TABLES = {
    "confusion": (lambda data: hs.confusion("label", "guess", groups="site", data=data), "f1@macro"),
    "weighted": (
        lambda data: hs.confusion("label", "guess", groups="site", sample_weight="weight", data=data),
        "f1@macro",
    ),
    "by": (lambda data: hs.confusion("label", "guess", groups="site", by="sick", data=data)[1], "f1@macro"),
    "paired": (lambda data: hs.paired("label", ["guess", "other"], groups="site", data=data).model("guess"), "mcc"),
    "scores": (lambda data: hs.scores("sick", "score", groups="site", data=data), "roc_auc"),
    "values": (lambda data: hs.values("score", groups="site", data=data), "mean"),
    "trials": (lambda data: hs.trials("sick", task="task", data=data), "mean"),
    "trials of groups": (lambda data: hs.trials("sick", task="task", groups="topic", data=data), "mean"),
}
HOLDERS = {
    "memory": lambda frame: frame,
    "polars": lambda frame: frame.lazy(),
    "duckdb": lambda frame: duckdb.connect().from_arrow(frame.to_arrow()),
    "stream": lambda frame: frame.to_arrow().to_reader(100),
}


def example():
    """Return cases of 40 sites, and of 90 tasks of 9 topics, all named by text."""
    rng = np.random.default_rng(3)
    task = rng.integers(0, 90, ROWS)
    columns = {name: LABELS[rng.integers(0, 3, ROWS)] for name in ("label", "guess", "other")}
    columns |= {"sick": rng.integers(0, 2, ROWS), "score": rng.random(ROWS).round(2)}
    columns |= {"weight": rng.lognormal(0, 1, ROWS), "site": [f"s{i}" for i in rng.integers(0, 40, ROWS)]}
    return pl.DataFrame(columns | {"task": [f"t{i}" for i in task], "topic": [f"c{i // 10}" for i in task]})


@pytest.mark.parametrize("holder", HOLDERS)
@pytest.mark.parametrize("kind", TABLES)
def test_draws_do_not_follow_the_order_of_rows(kind, holder):
    """Limits from the same seed are equal to rounding: clusters are drawn in the order of their names or tables."""
    make, metric = TABLES[kind]
    frame = example()
    for method in (hs.methods.Bootstrap("percentile", n_resamples=39), hs.methods.Dirichlet(n_draws=20)):
        seen = []
        for seed in range(2):
            turned = frame[np.random.default_rng(seed).permutation(ROWS).tolist()]
            found = hs.estimate(make(HOLDERS[holder](turned)), metric, method=method, random_state=1)
            seen.append((found.low, found.high))
        assert np.allclose(seen, seen[0], rtol=0, atol=1e-12)
