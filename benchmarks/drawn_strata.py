"""How often the intervals of samples from strata of unknown size cover: two clusters in each of 15 strata.

Run ``python benchmarks/drawn_strata.py [studies]``. The strata differ in their weights, class frequencies and skill, and
the clusters within them too. A domain has each cluster with a chance of one third, so that it has one cluster or none in
most strata.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

import howsure as hs

Array = NDArray[Any]
STRATA, CLUSTERS, CASES = 15, 2, 20
SCENES = {  # spread of the strata's weights, of cases' weights, of clusters, and of strata
    "2 clusters in each of 15 strata": (0.3, 0.0, 0.4, 0.5),
    "the same, unequal weights": (1.0, 0.7, 0.4, 0.5),
    "the same, strata that differ much": (0.5, 0.3, 0.4, 2.5),
}
COUNTED = ["accuracy", "f1", "f1@macro"]
WAYS = {"default": None, "delta": "delta", "default, without strata": None}


def study(scene: str, clusters: int, rng: np.random.Generator) -> tuple[Array, Array, dict[str, Array]]:
    """Return a sample: true classes, scores, and weight, stratum and cluster of each case."""
    of_strata, of_cases, between, across = SCENES[scene]
    fixed = np.random.default_rng(7)
    mass, prevalence, skill = (each * fixed.normal(0, 1, STRATA) for each in (of_strata, across / 2, across / 2))
    cluster = np.repeat(np.arange(STRATA * clusters), 1 + rng.poisson(CASES - 1, STRATA * clusters))
    stratum = cluster // clusters
    shift, ease = rng.normal(0, between, (2, STRATA * clusters))[:, cluster]
    true = (rng.random(len(cluster)) < 1 / (1 + np.exp(-prevalence[stratum] - shift))).astype(int)
    score = rng.normal((1.2 + skill[stratum] + ease) * (true - 0.5) * 1.5)
    inside = (rng.random(STRATA * clusters) < 1 / 3)[cluster]
    weight = np.exp(mass[stratum] + rng.normal(0, of_cases, len(cluster)))
    return true, score, {"sample_weight": weight, "strata": stratum, "groups": cluster, "by": inside}


def figures(true: Array, score: Array, columns: dict[str, Array], method: str | None) -> list[hs.results.Estimate]:
    """Return accuracy, F1, macro F1 and the area under the ROC curve of a sample, and F1 in a domain."""
    tables = hs.confusion(true, (score > 0).astype(int), **columns, check=False)
    found = [hs.estimate(tables.overall, name, method=method) for name in COUNTED]
    scores = hs.scores(true, score, **{name: each for name, each in columns.items() if name != "by"}, check=False)
    area = hs.estimate(scores, "roc_auc", method=method)
    return [*found, area, hs.estimate(tables[True], "f1", method=method)]


def main(studies: int) -> None:
    """Print coverage in per cent, and the mean width, of each metric by each method."""
    print("setting | method | " + " | ".join([*COUNTED, "roc_auc", "f1 in a domain"]))
    for scene in SCENES:
        rng = np.random.default_rng(20261129)
        true, score, columns = study(scene, 3000, rng)
        truth = np.array([each.value for each in figures(true, score, columns, "delta")])
        found: dict[str, list[list[list[float]]]] = {way: [] for way in WAYS}
        for _ in range(studies):
            true, score, columns = study(scene, CLUSTERS, rng)
            for way, method in WAYS.items():
                own = {name: each for name, each in columns.items() if name != "strata" or "without" not in way}
                found[way].append([[each.low, each.high] for each in figures(true, score, own, method)])
        for way, limits in found.items():
            low, high = np.moveaxis(np.array(limits), -1, 0)
            covered = 100 * ((low <= truth) & (truth <= high)).mean(0)
            pairs = zip(covered, (high - low).mean(0), strict=True)
            print(f"{scene} | {way} | " + " | ".join(f"{each:.1f} ({width:.3f})" for each, width in pairs), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2000)
