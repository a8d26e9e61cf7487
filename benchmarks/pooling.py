"""Make the page of the site on the coverage of pooled values, by simulation of sites with known truths.

Run ``python benchmarks/pooling.py [STUDIES]``, 75 studies of each setting by default: about six minutes.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from scipy import special

import howsure as hs
from howsure.estimates.batched_intervals import batched_intervals
from howsure.grids import Grid
from howsure.metrics.binding import resolve
from howsure.numbers import number
from howsure.pooling.binomial_normal import BinomialNormal
from howsure.pooling.equivalent import equivalent_sizes
from howsure.pooling.likelihood import Likelihood

PAGE = Path(__file__).parents[1] / "docs" / "coverage-pooling.md"
SEED, LEVEL = 20261125, 0.95
SITES = (3, 5, 12, 40)
CASES = ((10, 30), (20, 60), (100, 400))
RATES = ((0.5, 0.7), (0.7, 0.9), (0.9, 0.97), (0.97, 0.998))
TAUS = ((0.0, 0.0), (0.0, 0.5), (0.5, 1.0), (1.0, 2.0))
METRICS = ("recall", "f1", "mcc", "kappa")
SPREADS = (0.0, 0.5)  # of the logits of sensitivity and specificity
CASES_OF_METRICS = 40
MANY = 20_000  # sites whose median is the true value
HEAD = """# Coverage of pooled values

Coverage in percent of the 95 % intervals of `hs.pool` by its default, `"binomial_normal"`, in simulated studies of
several sites. The logits of the sites' rates are normal with standard deviation τ. Three intervals are simulated:

- *typical site*: the interval for the rate at the mean logit
- *mean of sites*: the interval for the mean of the rates (`estimand="mean_of_sites"`)
- *new site*: the prediction interval for the rate of a further site

The typical rate and τ of each study, and the number of cases of each site, are drawn uniformly from the ranges shown.
These values were not used to choose methods. `python benchmarks/pooling.py 300` simulates this and writes this page.

Estimates, standard errors and likelihoods equal those of lme4's `glmer` (25 nodes) and metafor's `rma.glmm` to 1e-4 on
four published data sets, one of which has perfect sites (`tests/pooling/test_binomial_normal.py`).
"""
QUANTITIES = ("typical site", "mean of sites", "new site")


def proportions(studies: int) -> Iterator[tuple[dict[str, Any], np.ndarray]]:
    """Yield each setting with the share of studies in which each interval covers."""
    for setting in product(SITES, CASES, RATES, TAUS):
        sites, cases, rates, taus = setting
        rng = np.random.default_rng([SEED, *map(int, np.array([sites, *cases, *rates, *taus]) * 1000)])
        covered = []
        for _ in range(studies):
            mu, tau = special.logit(rng.uniform(*rates)), rng.uniform(*taus)
            n = rng.integers(*cases, sites, endpoint=True).astype(float)
            *true, new = special.expit(mu + tau * rng.standard_normal(sites + 1))
            values = rng.binomial(n.astype(int), true) / n
            covered.append(covers(Likelihood(values, n, n), special.expit(mu), mean_of(mu, tau), new))
        yield dict(zip(("sites", "cases", "rate", "tau"), setting, strict=True)), np.array(covered)


def covers(likelihood: Likelihood, typical: float, mean: float, new: float) -> list[bool]:
    """Return whether the intervals contain the values of a typical site, the mean of sites and a new site."""
    fit = BinomialNormal(likelihood, LEVEL)
    of_mean = BinomialNormal(likelihood, LEVEL, of_mean=True)
    vars(of_mean)["rows"] = fit.rows  # the same for both
    answers = []
    for each, truth in ((fit, typical), (of_mean, mean)):
        low, high = (float(end[0]) for end in each.limits(LEVEL))
        assert 0 <= low <= high <= 1, "a limit outside the range"
        answers.append(low <= truth <= high)
    low, high = fit.predicted()
    return [*answers, low <= new <= high]


def mean_of(mu: float, tau: float) -> float:
    """Return the mean over sites."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(61)
    return float(special.expit(mu + tau * nodes) @ weights / weights.sum())


def metrics(studies: int) -> Iterator[tuple[str, int, float, np.ndarray]]:
    """Yield metric, number of sites, spread and coverage of a typical and a new site, for sites of 40 cases."""
    for sites, spread in product((12, 40), SPREADS):
        rng = np.random.default_rng([SEED, sites, int(10 * spread)])
        truths = [rng.uniform((0.6, 0.6, 0.3), (0.95, 0.95, 0.7)) for _ in range(studies)]
        drawn = [sites_of(truth, spread, MANY, rng) for truth in truths]
        tables = np.array([rng.multinomial(CASES_OF_METRICS, each[:sites].reshape(-1, 4)) for each in drawn])
        table = hs.tables.ConfusionTable(counts=tables.reshape(-1, 2, 2).astype(float), labels=np.arange(2))
        for name in METRICS:
            metric = resolve(name, table)
            _, interval = batched_intervals(table, [metric], None, LEVEL)[0]
            start, width = metric.range[0], metric.range[1] - metric.range[0]
            columns = (metric(table.counted), interval.low, interval.high)
            scaled = [((each - start) / width).reshape(studies, sites) for each in columns]
            covered = []
            for index, cells in enumerate(drawn):
                value, low, high = (each[index] for each in scaled)
                keep = np.isfinite(value)
                sizes = equivalent_sizes(value[keep], low[keep], high[keep], LEVEL)
                true = (metric(hs.tables.ConfusionTable(counts=cells, labels=np.arange(2)).counted) - start) / width
                fit = BinomialNormal(Likelihood(value[keep], *sizes), LEVEL)
                ends, predicted = fit.limits(LEVEL), fit.predicted()
                covered.append([ends[0][0] <= np.median(true) <= ends[1][0], predicted[0] <= true[-1] <= predicted[1]])
            yield name, sites, spread, np.array(covered)


def sites_of(truth: np.ndarray, spread: float, number_of: int, rng: np.random.Generator) -> np.ndarray:
    """Return cell probabilities of sites around a sensitivity, specificity and prevalence."""
    noise = spread * rng.standard_normal((2, number_of))
    sensitivity, specificity = special.expit(special.logit(truth[:2])[:, None] + noise)
    positive, negative = np.full(number_of, truth[2]), np.full(number_of, 1 - truth[2])
    cells = [negative * specificity, negative * (1 - specificity), positive * (1 - sensitivity), positive * sensitivity]
    return np.stack(cells, -1).reshape(-1, 2, 2)


def shown(band: Any) -> str:
    """Return a number or an interval as text."""
    if not isinstance(band, tuple):
        return f"{band}"
    return f"{band[0]:g}" if band[0] == band[1] else f"{band[0]:g}–{band[1]:g}"


def percent(covered: np.ndarray) -> str:
    """Return a share in percent."""
    return number(100 * float(np.mean(covered)), 1)


def section(found: list[tuple[dict[str, Any], np.ndarray]], variable: str) -> str:
    """Return the table of coverage by the values of one variable, with the worst setting of each."""
    rows = []
    for value in dict.fromkeys(setting[variable] for setting, _ in found):
        chosen = [covered for setting, covered in found if setting[variable] == value]
        means = [percent(each) for each in np.concatenate(chosen).T]
        worst = [number(100 * min(each[:, place].mean() for each in chosen), 1) for place in range(3)]
        rows.append((shown(value), *(f"{mean} ({low})" for mean, low in zip(means, worst, strict=True))))
    headers = (variable, *QUANTITIES)
    return Grid(headers, tuple(rows)).markdown()


def main(studies: int) -> None:
    """Simulate, and write the page."""
    found = list(proportions(studies))
    every = np.concatenate([covered for _, covered in found])
    error = 100 * np.sqrt(LEVEL * (1 - LEVEL) / studies)
    means = ", ".join(f"{name} {percent(each)} %" for name, each in zip(QUANTITIES, every.T, strict=True))
    whole = (
        f"There are {len(found)} settings with {studies} studies each. Mean coverage: {means}. All limits were within the "
        f"range. The setting with the lowest coverage is in parentheses. Its Monte Carlo error is {error:.1f} points, so "
        "that the lowest of many settings lies two to three such errors below its true coverage."
    )
    others = (
        f"Sites of {CASES_OF_METRICS} cases; sensitivity and specificity from 0.6 to 0.95, prevalence from 0.3 to 0.7. "
        "The spread is the standard deviation of the logits of the sites' sensitivity and specificity. Sites without a "
        f"value are left out. There are {2 * studies} studies in each row."
    )
    parts = (f"### By {variable}\n\n{section(found, variable)}" for variable in ("sites", "cases", "rate", "tau"))
    lines = [HEAD, "## Proportions", whole, *parts, "## Other metrics", others]
    rows = [
        (name, f"{sites}", f"{spread:g}", *(percent(each) for each in covered.T))
        for name, sites, spread, covered in sorted(metrics(2 * studies), key=lambda each: METRICS.index(each[0]))
    ]
    lines.append(Grid(("metric", "sites", "spread", "typical site", "new site"), tuple(rows)).markdown())
    PAGE.write_text("\n\n".join(line.strip() for line in lines) + "\n")


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 75)
