"""Coverage of other general intervals for a function of counts, on the same studies as the default's.

Run: python benchmarks/rivals.py FOLDER [TRUTHS [DRAWS [METHOD ...]]]; then `python -m howsure.lab show FOLDER`. The
populations are those for validating the defaults, of up to five classes and 500 cases. The methods are the profile
likelihood (for a multinomial, the empirical likelihood), Efron's ABC, and Rao's score along the flow with the
saddlepoint approximation of its tail, each from the observed frequencies and from those with two pseudo-cases. If it is
named, the double bootstrap of the percentile interval (`rival_double_bootstrap`) is included; it costs a thousand times
more.
"""

from __future__ import annotations

import sys
from statistics import NormalDist

import numpy as np

import howsure as hs
from howsure.designs.base import PSEUDO_COUNT
from howsure.lab.grid import prove, run, shuffled

METRICS = ("accuracy", "f1@macro", "precision@macro", "recall@macro", "mcc")
NORMAL = NormalDist()
STRIDE, STRIDES = 0.2, 40  # standard errors, and how many of them a path is long
OUTER, INNER = 200, 200  # resamples, and of each of these
SOLVED = 25  # Newton steps of a saddlepoint
FARTHEST = 40.0  # exponent of a tilt


def quantile(level):
    """Return the normal quantile of a two-sided level."""
    return NORMAL.inv_cdf((1 + level) / 2)


class Rival(hs.methods.Method):
    """An interval of tables all at once, from counts ``(tables, cells)``, to which pseudo-cases are added."""

    name = "rival"
    takes_batches = True
    added = 0.0

    def unsupported_reason(self, metric, table):
        return "" if metric.name in METRICS else f"`{self.name}` is tried for {', '.join(METRICS)}."

    def at_levels(self, metric, table, rng=None):
        observed = table.cells.reshape(-1, table.cells.shape[-1])
        filled = observed + self.added / observed.shape[-1]
        value = np.asarray(metric(table.counted))

        def at(level):
            with np.errstate(all="ignore"):
                found = self.limits(Functional(metric, table), observed, filled, level, rng)
            low, high = (each.reshape(value.shape) for each in found)
            lowest, highest = metric.range
            low, high = np.where(np.isfinite(low), low, lowest), np.where(np.isfinite(high), high, highest)
            return hs.methods.Interval(np.minimum(low, value), np.maximum(high, value), np.full(value.shape, np.nan))

        return at


class Functional:
    """A metric and its influence as functions of shares of cells ``(..., cells)``."""

    def __init__(self, metric, table):
        self.metric, self.table = metric, table

    def value(self, shares):
        return np.asarray(self.metric(self.table.make_counts(shares)))

    def influence(self, shares):
        found = self.metric.gradient(self.table.make_counts(shares)).reshape(shares.shape)
        return np.nan_to_num(found) * shares.sum(-1, keepdims=True)


def where(target, statistics, values):
    """Return the values at which a statistic along paths ``(steps, tables)`` first reaches a target; nan if it does not."""
    beyond = statistics >= target
    place = np.maximum(beyond.argmax(0), 1)
    (low, high), (start, stop) = (
        [np.take_along_axis(each, (place + shift)[None], 0)[0] for shift in (-1, 0)] for each in (statistics, values)
    )
    return np.where(beyond.any(0), start + (target - low) / (high - low) * (stop - start), np.nan)


class ProfileLikelihood(Rival):
    """Values whose most likely shares are not too unlikely: where minus twice the log likelihood ratio is chi squared."""

    name = "rival_likelihood"

    def limits(self, metric, observed, filled, level, rng):
        n, shares = filled.sum(-1), filled / filled.sum(-1, keepdims=True)
        variance = (shares * metric.influence(shares) ** 2).sum(-1)
        found = []
        for way in (-1.0, 1.0):
            current, roots, values = shares, [np.zeros(len(n))], [metric.value(shares)]
            for step in range(1, STRIDES + 1):
                push = way * step * STRIDE / np.sqrt(n * variance)
                for _ in range(5):
                    scale = 1 - push[:, None] * metric.influence(current)
                    moved = shares / np.maximum(scale, 1e-3)
                    current = np.sqrt(current * moved)  # damped
                    current = current / current.sum(-1, keepdims=True)
                terms = np.where(shares > 0, shares * np.log(shares / current), 0.0)
                roots.append(np.sqrt(2 * n * np.maximum(terms.sum(-1), 0.0)))
                values.append(metric.value(current))
            found.append(where(quantile(level), np.array(roots), np.array(values)))
        return found


class Abc(Rival):
    """Efron's approximate bootstrap confidence limits: BCa without resamples (DiCiccio and Efron, 1992)."""

    name = "rival_abc"

    def limits(self, metric, observed, filled, level, rng):
        n, shares = filled.sum(-1), filled / filled.sum(-1, keepdims=True)
        influence, value = metric.influence(shares), metric.value(shares)
        second, third = ((shares * influence**power).sum(-1) for power in (2, 3))
        error, acceleration = np.sqrt(second / n), third / (6 * np.sqrt(n) * second**1.5)
        direction = shares * influence / (n * error)[:, None]
        small = 0.01
        bend = metric.value(shares + small * direction) + metric.value(shares - small * direction) - 2 * value
        curved = bend / (2 * error * small**2)
        bias, nudge = np.zeros(len(n)), 0.5 / n[:, None]
        for cell, corner in enumerate(np.eye(shares.shape[1])):
            there = nudge * (corner - shares)
            moved = metric.value(shares + there) + metric.value(shares - there) - 2 * value
            bias += np.where(shares[:, cell] > 0, shares[:, cell] * moved / nudge[:, 0] ** 2, 0.0) / (2 * n)
        cumulative = np.vectorize(NORMAL.cdf)
        start = 2 * cumulative(acceleration) * cumulative(curved - bias / error)
        centre = np.vectorize(NORMAL.inv_cdf)(np.clip(np.nan_to_num(start, nan=0.5), 1e-6, 1 - 1e-6))
        found = []
        for way in (-1.0, 1.0):
            reach = centre + way * quantile(level)
            far = reach / (1 - acceleration * reach) ** 2
            found.append(metric.value(np.maximum(shares + far[:, None] * direction, 0.0)))
        return found


class Saddlepoint(Rival):
    """Rao's score along the flow, with the tail of Lugannani and Rice in Barndorff-Nielsen's form."""

    name = "rival_saddlepoint"

    def limits(self, metric, observed, filled, level, rng):
        n, start = observed.sum(-1), filled / filled.sum(-1, keepdims=True)
        found = []
        for way in (-1.0, 1.0):
            current, roots, values = start, [np.zeros(len(n))], [metric.value(start)]
            for _ in range(STRIDES):
                slopes = metric.influence(current)
                pace = STRIDE / np.sqrt(n * (current * slopes**2).sum(-1))
                current = current * np.exp(way * pace[:, None] * slopes)
                current = current / current.sum(-1, keepdims=True)
                root = -way * self.signed_root(current, metric.influence(current), observed)
                roots.append(np.fmax(roots[-1], root))
                values.append(metric.value(current))
            found.append(where(quantile(level), np.array(roots), np.array(values)))
        return found

    @staticmethod
    def signed_root(shares, slopes, observed):
        n, score = observed.sum(-1), (observed * slopes).sum(-1)
        largest = np.abs(slopes).max(-1)
        tilt = score / (n * (shares * slopes**2).sum(-1))
        for _ in range(SOLVED):
            tilted = shares * np.exp(tilt[:, None] * slopes)
            total = tilted.sum(-1)
            mean = (tilted * slopes).sum(-1) / total
            spread = (tilted * slopes**2).sum(-1) / total - mean**2
            step = np.clip((score - n * mean) / (n * spread), -1 / largest, 1 / largest)
            tilt = np.clip(tilt + np.nan_to_num(step), -FARTHEST / largest, FARTHEST / largest)
        root = np.sign(tilt) * np.sqrt(2 * np.maximum(tilt * score - n * np.log(total), 0.0))
        corrected = root + np.log(tilt * np.sqrt(n * spread) / root) / root
        return np.where(np.isfinite(corrected) & (np.abs(root) > 0.1), corrected, root)


class SmoothedLikelihood(ProfileLikelihood):
    """The profile likelihood from shares with pseudo-cases."""

    name = "rival_likelihood_smoothed"
    added = PSEUDO_COUNT


class SmoothedAbc(Abc):
    """ABC from shares with pseudo-cases."""

    name = "rival_abc_smoothed"
    added = PSEUDO_COUNT


class SmoothedSaddlepoint(Saddlepoint):
    """The saddlepoint from shares with pseudo-cases."""

    name = "rival_saddlepoint_smoothed"
    added = PSEUDO_COUNT


class DoubleBootstrap(Rival):
    """The percentile interval at tails that hold the observed value as often as they should (Hall, 1986)."""

    name = "rival_double_bootstrap"

    def limits(self, metric, observed, filled, level, rng):
        rng, ends = np.random.default_rng(rng), []
        for counts in observed:
            n = round(counts.sum())
            outer = rng.multinomial(n, counts / n, OUTER)
            inner = rng.multinomial(n, outer / n, (INNER, OUTER))
            value, first, second = (metric.value(each.astype(float)) for each in (counts, outer, inner))
            below = (second < value).mean(0) + (second == value).mean(0) / 2
            tails = np.quantile(below, [(1 - level) / 2, (1 + level) / 2])
            ends.append(np.nanquantile(first, tails))
        return np.array(ends).T


QUICK = (ProfileLikelihood, SmoothedLikelihood, Abc, SmoothedAbc, Saddlepoint, SmoothedSaddlepoint)


def main(folder, truths="40", draws="1000", *names):
    small = [each for each in shuffled(prove()) if each.truth.n <= 500 and each.truth.classes <= 5]
    methods = names or [each.name for each in QUICK]
    run(folder, small[: int(truths)], ["auto", *methods], draws=int(draws), metrics=METRICS)


if __name__ == "__main__":
    main(*sys.argv[1:])
