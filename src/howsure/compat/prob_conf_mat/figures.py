"""A study's figures, by howsure's own plots. Each function is a method; Matplotlib's settings say how they look."""

from __future__ import annotations

from typing import Any

import numpy as np

from howsure.compat.differences import say_once
from howsure.estimates.estimate import Estimate
from howsure.methods.numerics.draw_summaries import summarise
from howsure.pooling.pools import pool

STYLE = "Figures are howsure's own, and take no arguments of style: Matplotlib's settings say how they look."


def _axes(number: int, figsize: object, style: object) -> tuple[Any, Any]:
    """Return a figure with axes one below the other."""
    from matplotlib import pyplot as plt

    if style:
        say_once(STYLE)
    figure, axes = plt.subplots(number, squeeze=False, figsize=figsize or (7, 1.8 * number), layout="constrained")
    return figure, axes[:, 0]


def _estimate(study: Any, metric: str, class_label: int | None, name: str) -> Estimate:
    draws = study.column(metric, class_label, name)
    found = summarise(draws, study.ci_probability)
    value = study.observed(metric, class_label, name)
    return Estimate(
        value if np.isfinite(value) else found.median,
        low=found.low,
        high=found.high,
        metric=metric,
        confidence_level=study.ci_probability,
        method="bayes",
        draws=draws,
    )


def _posteriors(
    study: object, metric: str, class_label: int | None, names: list[str], figsize: object, style: object
) -> Any:
    from howsure.plots.posteriors import posterior

    figure, axes = _axes(len(names), figsize, style)
    for ax, name in zip(axes, names, strict=True):
        posterior(_estimate(study, metric, class_label, name), ax=ax)
        ax.set_title(name, loc="left", fontsize="medium")
    return figure


def plot_metric_summaries(
    self: Any, metric: str, class_label: int | None = None, *, figsize: object = None, **style: object
) -> Any:
    """Return a figure with the density of each experiment's draws."""
    return _posteriors(self, metric, class_label, self.all_experiments(), figsize, style)


def plot_pairwise_comparison(
    self: Any,
    metric: str,
    class_label: int | None = None,
    *,
    experiment_a: str,
    experiment_b: str,
    min_sig_diff: float | None = None,
    figsize: object = None,
    **style: object,
) -> Any:
    """Return a figure with the density of a difference's draws and the region of no difference."""
    from howsure.plots.posteriors import posterior

    found = self.get_pairwise_comparison(
        metric, class_label, experiment_a=experiment_a, experiment_b=experiment_b, min_sig_diff=min_sig_diff
    )
    figure, axes = _axes(1, figsize or (7, 3), style)
    posterior(found.comparison, ax=axes[0])
    return figure


def plot_experiment_aggregation(
    self: Any,
    metric: str,
    class_label: int | None = None,
    *,
    experiment_group: str,
    figsize: object = None,
    **style: object,
) -> Any:
    """Return a figure with the density of each experiment of a group, and of their aggregate."""
    names = [f"{experiment_group}/{each}" for each in (*self[experiment_group].experiments, "aggregated")]
    return _posteriors(self, metric, class_label, names, figsize, style)


def plot_forest_plot(
    self: Any, metric: str, class_label: int | None = None, *, figsize: object = None, **style: object
) -> Any:
    """Return a figure with every experiment's interval, and below each group's its random-effects mean."""
    from howsure.plots.forests import forest

    groups = {group: list(self[group].experiments) for group in self.experiments}
    size = figsize or (7, 0.5 * sum(map(len, groups.values())) + 1.5 * len(groups))
    figure, axes = _axes(len(groups), size, style)
    for ax, (group, names) in zip(axes, groups.items(), strict=True):
        draws = [self.column(metric, class_label, f"{group}/{name}") for name in names]
        means, errors = [np.nanmean(each) for each in draws], [np.nanstd(each, ddof=1) for each in draws]
        level = self.ci_probability
        forest(pool(means, errors, method="pm", test="z", confidence_level=level, names=names), metric=metric, ax=ax)
    return figure
