"""How often a leaderboard's sets of ranks hold, and the winner's corrected interval; and how long a large one takes.

``python benchmarks/leaderboards.py [studies] [--models 2 5 10 50]``. Models answer the same items, right or wrong; an
item's difficulty is common to all. Each line is one truth: all models equally good, in two tiers, or all different. A
set of ranks holds where it has every rank that a model's true value allows; the corrected interval where it has the true
value of the model that won.
"""

import argparse
import time

import numpy as np
from scipy.special import ndtr

import howsure as hs

SPREADS = {"equal": np.zeros, "two tiers": lambda models: 1.5 * (np.arange(models) % 2)}
TWO_FACTORS = [(3, 100), (6, 80), (12, 40), (20, 30)]
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
    return covered(right, true, rng)


def covered(right, true, rng, **groups):
    """Return whether what a leaderboard of answers says is true."""
    names = [str(index) for index in range(len(true))]
    table = hs.values(dict(zip(names, right, strict=True)), bounds=(0, 1), **groups)
    board = hs.leaderboard(table, "mean", random_state=rng)
    low = 1 + (true[:, None] < true).sum(1)
    high = len(true) - (true[:, None] > true).sum(1)
    places = [board[name] for name in names]
    together = all(p.rank_low <= a and b <= p.rank_high for p, a, b in zip(places, low, high, strict=True))
    alone = np.mean([p.alone_low <= a and b <= p.alone_high for p, a, b in zip(places, low, high, strict=True)])
    best = np.mean([places[index].may_be_best for index in np.flatnonzero(low == 1)])
    won, own = board.winner, board.places[0].estimate
    winner = true[int(board.places[0].model)]
    return together, alone, best, won.low <= winner <= won.high, won.value >= winner, own.low <= winner <= own.high


def studied_in_two_factors(rng, ability, prompts, items):
    """Return as `studied` does, if each model reacts to the wordings of prompts, and a new study draws both anew."""
    hard, models, (of_item, of_prompt, of_model) = rng.normal(0, 0.8, items), len(ability), (0.8, 0.4, 0.3)
    reaction, own = rng.normal(0, of_prompt, (models, prompts, 1)), rng.normal(0, of_model, (models, 1, items))
    right = rng.normal(size=(models, prompts, items)) < ability[:, None, None] + hard + reaction + own
    true = ndtr(ability / np.sqrt(1 + of_item**2 + of_prompt**2 + of_model**2))
    groups = {"prompt": np.repeat(np.arange(prompts), items), "item": np.tile(np.arange(items), prompts)}
    return covered(right.reshape(models, -1) * 1, true, rng, groups=groups)


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
    print("5 models, prompts × items")
    for prompts, items in TWO_FACTORS:
        for words, spread in SPREADS.items():
            rng = np.random.default_rng([5, prompts, items])
            drawn = [studied_in_two_factors(rng, spread(5), prompts, items) for _ in range(asked.studies)]
            shown = "  ".join(f"{each:6.1f}" for each in 100 * np.mean(drawn, axis=0))
            print(f"{prompts:4} × {items:3} {words:10} {shown}", flush=True)
