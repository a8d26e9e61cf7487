"""Pictures of simulation results."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from howsure.lab.summary import POOR, Cells
from howsure.plots.style import axes, colour, dashes, legend_above, saved_svg

POINTS = 101
BINS = np.array([0.1, 0.3, 1, 3, 10, 30, 100, 300, 1000])  # expected errors


def distribution(at: Cells, path: Path) -> None:
    """Draw the sorted coverage of each method over the cells."""
    ax = axes(None)
    shares = np.linspace(0, 1, POINTS)
    for index, method in enumerate(np.unique(at["asked"])):
        values = np.quantile(at["coverage"][at["asked"] == method], shares)
        ax.plot(100 * shares, values, color=colour(index), linestyle=dashes(index), label=str(method))
    _finish(ax, at, "cells, % of all in order")
    ax.axhline(POOR, color="0.5", linewidth=0.8)
    saved_svg(ax, path)


def by_errors(at: Cells, path: Path) -> None:
    """Draw the mean coverage of each method by the expected number of errors."""
    ax = axes(None)
    place = np.digitize(at["errors"], BINS)
    middle = np.sqrt(BINS[1:] * BINS[:-1])
    for index, method in enumerate(np.unique(at["asked"])):
        own = at["asked"] == method
        bins = [k for k in range(1, len(BINS)) if (own & (place == k)).any()]
        means = [at["coverage"][own & (place == k)].mean() for k in bins]
        ax.plot(middle[[k - 1 for k in bins]], means, color=colour(index), linestyle=dashes(index), label=str(method))
    ax.set_xscale("log")
    _finish(ax, at, "expected errors in the study")
    saved_svg(ax, path)


def _finish(ax: object, at: Cells, words: str) -> None:
    ax.axhline(float(at["confidence_level"][0]), color="0.5", linewidth=0.8)  # type: ignore[attr-defined]
    ax.set(xlabel=words, ylabel="coverage", ylim=(0.7, 1.0))  # type: ignore[attr-defined]
    legend_above(ax, 4)  # type: ignore[arg-type]
