"""Coverage of intervals for average precision and for sensitivity at false positives per image.

Run: ``python benchmarks/detections.py [STUDIES]``. Images differ in the number of objects, in how easily objects are
detected, and in the number of false detections. The default interval, in which images vary, is compared with resampling
single predictions for a fixed number of true objects. The values of the population are those of 200,000 images.
"""

import sys

import numpy as np

import howsure as hs
from howsure.metrics.binding import resolve

IMAGES = (20, 50, 200)
METRICS = ("map", "froc+fp_per_unit=0.5", "froc+fp_per_unit=2")
POPULATION = 200_000
RESAMPLES = 400


def images(rng, number):
    """Return the detections of images, and how many objects each holds."""
    objects = rng.poisson(rng.gamma(2.0, 2.0, number))
    found = rng.binomial(objects, rng.beta(3.0, 1.5, number))
    wrong = rng.poisson(rng.gamma(0.7, 2.0, number))
    ease = rng.normal(0, 0.7, number)
    preds = []
    for hits, others, own in zip(found, wrong, ease, strict=True):
        logit = np.concatenate([rng.normal(1.0 + own, 1.0, hits), rng.normal(-0.5, 1.0, others)])
        preds.append({"scores": 1 / (1 + np.exp(-logit)), "hits": np.arange(hits + others) < hits})
    return preds, objects


def of_predictions(rng, table, metric):
    """Return the percentiles of a metric over resampled predictions, with the truths as they are."""
    (part,) = table.slices
    cells = np.tile(table.counts, (RESAMPLES, 1))
    own = table.counts[part.start : part.stop]
    cells[:, part.start : part.stop] = rng.multinomial(int(own.sum()), own / own.sum(), RESAMPLES)
    drawn = cells[:, part.start + 1 : part.stop : 2].sum(1)
    cells[:, part.stop] = np.maximum(table.class_totals[0] - drawn, 0)
    return np.quantile(metric(cells), (0.025, 0.975))


def main(studies):
    """Print the coverage in %."""
    population = hs.detections(*images(np.random.default_rng(1), POPULATION), iou=0.5)
    true = {name: float(resolve(name, population)(population.counted)) for name in METRICS}
    print({name: round(value, 4) for name, value in true.items()})
    for number in IMAGES:
        rng, held = np.random.default_rng(number), {}
        for _ in range(studies):
            table = hs.detections(*images(rng, number), iou=0.5)
            for name in METRICS:
                found = hs.estimate(table, name)
                other = of_predictions(rng, table, resolve(name, table))
                wide = found.high - found.low, other[1] - other[0]
                own = found.low <= true[name] <= found.high, other[0] <= true[name] <= other[1]
                held.setdefault(name, []).append((*own, *wide))
        for name, each in held.items():
            own, other, width, narrow = np.mean(each, axis=0)
            words = f"images {100 * own:.1f} ({width:.3f}), predictions {100 * other:.1f} ({narrow:.3f})"
            print(f"{number:4} images, {name}: {words}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
