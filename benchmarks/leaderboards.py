"""How often a leaderboard's sets of ranks hold, and the winner's corrected interval; and how long a large one takes.

``python benchmarks/leaderboards.py [studies] [--models 2 5 10 50] [--corrections 0]``. Models answer the same items, right or wrong; an
item's difficulty is common to all. Each line is one truth: all models equally good, in two tiers, or all different. A
set of ranks holds where it has every rank that a model's true value allows; the corrected interval where it has the true
value of the model that won.
"""

import argparse
import time

import numpy as np

import howsure as hs
from howsure.comparison.rank_sets import Estimated
from howsure.comparison.winner import corrected

SPREADS = {"equal": np.zeros, "two tiers": lambda models: 1.5 * (np.arange(models) % 2)}
SPREADS["different"] = lambda models: np.linspace(0, 2, models)


def answers(rng, ability, items, noise=1.5):
    """Return which items each model has right, and each model's true share."""
    difficulty = rng.normal(0, noise, items)
    right = (rng.random((len(ability), items)) < 1 / (1 + np.exp(difficulty - ability[:, None]))) * 1
    grid = np.random.default_rng(0).normal(0, noise, 20_000)
    return right, (1 / (1 + np.exp(grid - ability[:, None]))).mean(1)


def studied(rng, ability, items):
    """Return whether all sets of ranks cover, the best model is among the possible best, and the correction covers."""
    right, true = answers(rng, ability, items)
    names = [str(index) for index in range(len(ability))]
    board = hs.leaderboard(hs.values(dict(zip(names, right, strict=True)), bounds=(0, 1)), "mean", random_state=rng)
    low = 1 + (true[:, None] < true).sum(1)
    high = len(true) - (true[:, None] > true).sum(1)
    places = [board[name] for name in names]
    together = all(p.rank_low <= a and b <= p.rank_high for p, a, b in zip(places, low, high, strict=True))
    alone = np.mean([p.alone_low <= a and b <= p.alone_high for p, a, b in zip(places, low, high, strict=True)])
    best = np.mean([places[index].may_be_best for index in np.flatnonzero(low == 1)])
    won, own = board.winner, board.places[0].estimate
    winner = true[int(board.places[0].model)]
    return together, alone, best, won.low <= winner <= won.high, won.value >= winner, own.low <= winner <= own.high


def correction(rng, ability, items):
    """Return whether the winner's corrected interval is too high, whether too low, and whether its value is.

    It is what `studied` does of the winner alone, on the logit scale, so that thousands of studies take a minute.
    """
    right, true = answers(rng, ability, items)
    apart, share = right - right.mean(1, keepdims=True), right.mean(1).clip(0.5 / items, 1 - 0.5 / items)
    slope = 1 / (share * (1 - share))
    covariance = apart @ apart.T / items / (items - 1) * slope[:, None] * slope
    given = Estimated(np.log(share / (1 - share)), covariance, np.full(covariance.shape, float(items)))
    winner = int(np.argmax(given.values))
    shifts = np.array(corrected(given, given.deviations(rng), 0.95)) * np.sqrt(covariance[winner, winner])
    value, low, high = 1 / (1 + np.exp(-given.values[winner] - shifts))
    return low > true[winner], high < true[winner], value >= true[winner]


def timed(models=134, items=500):
    """Return the seconds of one core that a leaderboard takes."""
    rng = np.random.default_rng(0)
    right, _ = answers(rng, rng.normal(0, 1, models), items)
    table = hs.paired(np.ones(items, int), dict(zip(map(str, range(models)), right, strict=True)), labels=[0, 1])
    start = time.process_time()
    hs.leaderboard(table, "accuracy", random_state=0)
    return time.process_time() - start


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("studies", type=int, nargs="?", default=300)
    parser.add_argument("--models", type=int, nargs="*", default=[2, 5, 10, 50])
    parser.add_argument("--items", type=int, nargs="*", default=[100, 500])
    parser.add_argument("--corrections", type=int, default=0, help="studies of the winner's correction alone")
    asked = parser.parse_args()
    print(f"134 models, 500 items: {timed():.1f} s of one core")
    print("models items truth        sets  alone  best  corrected  (median)  plain interval of the winner, in %")
    for models in asked.models:
        for items in asked.items:
            for words, spread in SPREADS.items():
                rng = np.random.default_rng([models, items])
                held = 100 * np.mean([studied(rng, spread(models), items) for _ in range(asked.studies)], axis=0)
                shown = "  ".join(f"{each:6.1f}" for each in held)
                print(f"{models:6} {items:5} {words:10} {shown}", flush=True)
            for words, spread in SPREADS.items() if asked.corrections else ():
                rng = np.random.default_rng([models, items])
                missed = [correction(rng, spread(models), items) for _ in range(asked.corrections)]
                below, above, median = 100 * np.nanmean(missed, axis=0)
                shown = (
                    f"covers {100 - below - above:.1f}, too high {below:.1f}, too low {above:.1f}, value {median:.1f}"
                )
                print(f"{models:6} {items:5} {words:10} corrected: {shown}", flush=True)
