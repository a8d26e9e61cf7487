"""A study's reports as rows, a frame or text, with the columns of ``prob_conf_mat``. Each function is a method."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from howsure.compat.differences import say_once
from howsure.compat.prob_conf_mat.tables import limits, table
from howsure.errors import HowsureError
from howsure.methods.numerics.draw_summaries import Summary, summarise

ALONE = "prob_conf_mat 0.4 reports I² = 100 % for a group of one experiment, which says nothing of it; this is nan."
TRANSPOSED = (
    "prob_conf_mat 0.4 exchanges experiments and ranks in this report; here a row is an experiment, a column a rank."
)


def _summary(study: Any, metric: str, class_label: int | None, name: str, source: str) -> Summary:
    return summarise(study.column(metric, class_label, name, source), study.ci_probability)


def _numbers(found: Summary, precision: int) -> list[Any]:
    interval = limits(found.low, found.high, precision)
    return [found.median, found.mode, interval, found.uncertainty, found.skewness, found.kurtosis]


def _summaries(study: Any, metric: str, class_label: int | None, source: str, table_fmt: str, precision: int) -> Any:
    own = source == "posterior"
    rows = [
        [
            *name.split("/"),
            *([study.observed(metric, class_label, name)] if own else []),
            *_numbers(_summary(study, metric, class_label, name, source), precision),
        ]
        for group in study.experiments
        for name in (f"{group}/{each}" for each in study.experiments[group])
    ]
    level = f"{100 * study.ci_probability:.1f}% HDI"
    headers = ["Group", "Experiment", *(["Observed"] if own else []), "Median", "Mode", level, "MU", "Skew", "Kurt"]
    return rows if table_fmt == "records" else table(rows, headers, table_fmt, precision)


def report_metric_summaries(
    self: Any, metric: str, class_label: int | None = None, *, table_fmt: str = "html", precision: int = 4
) -> Any:
    """Return each experiment's observed value, and median, mode, interval and shape of its draws."""
    return _summaries(self, metric, class_label, "posterior", table_fmt, precision)


def report_random_metric_summaries(
    self: Any, metric: str, class_label: int | None = None, *, table_fmt: str = "html", precision: int = 4
) -> Any:
    """Return the same for a guessing classifier on each experiment's cases."""
    return _summaries(self, metric, class_label, "random", table_fmt, precision)


def report_pairwise_comparison(
    self: Any,
    metric: str,
    class_label: int | None = None,
    *,
    experiment_a: str,
    experiment_b: str,
    min_sig_diff: float | None = None,
    precision: int = 4,
    table_fmt: str | None = None,
) -> str:
    """Return the difference of two experiments or aggregates in words."""
    if table_fmt is not None:
        warnings.warn("A comparison of a pair is a sentence, and has no `table_fmt`.", stacklevel=2)
    found = self.get_pairwise_comparison(
        metric, class_label, experiment_a=experiment_a, experiment_b=experiment_b, min_sig_diff=min_sig_diff
    )
    sentence: str = found.template_sentence(precision)
    return sentence


def report_pairwise_comparison_to_random(
    self: Any,
    metric: str,
    class_label: int | None = None,
    *,
    min_sig_diff: float | None = None,
    table_fmt: str = "html",
    precision: int = 4,
) -> Any:
    """Return each experiment's difference from a guessing classifier on its cases."""
    records = []
    for name in self.all_experiments():
        found = self.get_pairwise_random_comparison(metric, class_label, experiment=name, min_sig_diff=min_sig_diff)
        group, own = name.split("/")
        records.append(
            {
                "Group": group,
                "Experiment": own,
                "Median Δ": found.diff_dist_summary.median,
                "p_direction": found.p_direction,
                "ROPE": f"[{-found.min_sig_diff:.{precision}f}, {found.min_sig_diff:.{precision}f}]",
                "p_ROPE": found.p_rope,
                "p_sig": found.p_bi_sig,
            }
        )
    return _of_records(records, table_fmt, precision)


def _of_records(records: list[dict[str, Any]], table_fmt: str, precision: int) -> Any:
    if table_fmt == "records":
        return records
    headers = list(records[0]) if records else []
    return table([list(each.values()) for each in records], headers, table_fmt, precision)


def report_listwise_comparison(
    self: Any, metric: str, class_label: int | None = None, *, table_fmt: str = "html", precision: int = 4
) -> Any:
    """Return the probability of each rank for each experiment; None if at most 10**-precision."""
    say_once(TRANSPOSED)
    found = self.get_listwise_comparsion_result(metric, class_label)
    shares = [
        [None if share <= 10.0**-precision else share for share in row.tolist()]
        for row in found.p_rank_given_experiment
    ]
    rows = [[*name.split("/"), *row] for name, row in zip(found.experiment_names, shares, strict=True)]
    headers = ["Group", "Experiment", *(f"Rank {place}" for place in range(1, len(rows) + 1))]
    return rows if table_fmt == "records" else table(rows, headers, table_fmt, precision)


def report_expected_reward(
    self: Any,
    metric: str,
    class_label: int | None = None,
    rewards: object = None,
    *,
    table_fmt: str = "html",
    precision: int = 2,
) -> Any:
    """Return each experiment's expected reward, where rank r earns the r-th; by default the first earns 1."""
    prizes = np.atleast_1d(np.squeeze(np.asarray([1.0] if rewards is None else rewards, dtype=float)))
    found = self.ranks(metric, class_label).expected_rewards(prizes)
    order = self.get_listwise_comparsion_result(metric, class_label).experiment_names
    records = [
        dict(zip(("Group", "Experiment", "E[Reward]"), (*name.split("/"), found[name]), strict=True)) for name in order
    ]
    return _of_records(records, table_fmt, precision)


def report_aggregated_metric_summaries(
    self: Any, metric: str, class_label: int | None = None, *, table_fmt: str = "html", precision: int = 4
) -> Any:
    """Return each group's aggregate, with the heterogeneity of its experiments."""
    if not self.experiments:
        raise HowsureError("The study has no experiment to aggregate. Add one with `add_experiment`.")
    _, label = self._validate_metric_class_label_combination(metric, class_label)
    rows = []
    for group in self.experiments:
        name = f"{group}/aggregated"
        found = _summary(self, metric, class_label, name, "posterior")
        spread = self.get_metric_samples(metric, name, "posterior").heterogeneity_results[label]
        if len(self.experiments[group]) == 1:
            say_once(ALONE)
        variances = (spread.within_experiment_variance, spread.between_experiment_variance)
        median, mode, interval, width, skewness, kurtosis = _numbers(found, precision)
        shown = [*(f"{each:.{precision}f}" for each in variances), f"{spread.i2:.2%}"]
        rows.append([group, median, mode, interval, width, kurtosis, skewness, *shown])
    headers = ["Group", "Median", "Mode", "HDI", "MU", "Kurtosis", "Skew", "Var. Within", "Var. Between", "I2"]
    return rows if table_fmt == "records" else table(rows, headers, table_fmt, precision)
