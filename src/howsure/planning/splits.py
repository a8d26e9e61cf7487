"""Best split of a number of cases: over classes, over test sets, over clusters and the cases in each."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from howsure.arrays import Floats
from howsure.designs.cell_sums import apportioned
from howsure.metrics.metric import Metric
from howsure.planning.clustered import intracluster_correlation
from howsure.planning.pilots import Pilot
from howsure.tables.table import Table

ROUNDING = 1e-9  # of the variance, and of cases
WEIGHED = "Cases sampled by class, as in the best split, need weights that restore the class frequencies."
SIZES = (0.5, 2.0, 4.0)  # of clusters, relative to the pilot's


@dataclass(frozen=True, slots=True)
class Share:
    """Part of a plan (a class, a test set or a cluster size): planned cases, and cases in a better plan.

    Parameters
    ----------
    name : str
        Name of the part.
    cases : int
        Its number of planned cases.
    best : int
        Its number of cases in the plan with the fewest cases and the same result.
    """

    name: str
    cases: int
    best: int


@dataclass(frozen=True, slots=True, eq=False)
class Classes:
    """Contribution of each true class to the variance of a metric per case.

    Parameters
    ----------
    labels : tuple of str
        The classes.
    shares : ndarray of shape (classes,)
        Class frequencies.
    spreads : ndarray of shape (classes,)
        Standard deviation, within each class, of the contribution of a case to the metric.
    between : float
        Variance between the class means.
    fixed : bool
        Whether the design fixes the class totals, so that this variance does not enter.
    """

    labels: tuple[str, ...]
    shares: Floats
    spreads: Floats
    between: float
    fixed: bool

    @classmethod
    def of(cls, metric: Metric, table: Table) -> Classes | None:
        """Return the classes for a table of independent cases with one class each; None for other tables."""
        plain = table.design.traits.is_independent or table.design.traits.has_fixed_class_totals
        if not (plain and table.kind.has_one_label_per_case and len(table.labels) > 1) or table.kind.has_values:
            return None
        gradient, cells, number = metric.finite_gradient(table.counted).reshape(-1), table.cells, len(table.labels)
        totals = np.bincount(table.true_class, cells, number)
        if not totals.all():
            return None
        means = np.bincount(table.true_class, cells * gradient, number) / totals
        squares = np.bincount(table.true_class, cells * (gradient - means[table.true_class]) ** 2, number) / totals
        whole = totals.sum()
        centre = totals @ means / whole
        between = float(totals @ (means - centre) ** 2) * whole
        labels = tuple(str(label) for label in table.labels.tolist())
        return cls(
            labels, totals / whole, whole * np.sqrt(squares), between, table.design.traits.has_fixed_class_totals
        )

    @property
    def needs_no_weights(self) -> bool:
        """Whether the metric is free of the class frequencies, so that cases can be sampled by class unweighted."""
        return self.between <= ROUNDING * float(self.shares @ self.spreads**2)

    @property
    def best(self) -> Floats:
        """Class frequencies that need the fewest cases (Neyman 1934)."""
        weights = self.shares * self.spreads
        return np.asarray(weights / weights.sum())

    @property
    def saved(self) -> float:
        """Number of cases with the best class frequencies, as a fraction of the planned number."""
        within = float(self.shares @ self.spreads**2)
        whole = float(self.shares @ self.spreads) ** 2
        return whole / (within + (0.0 if self.fixed else self.between))


def of_classes(metric: Metric, table: Table, n: float) -> tuple[tuple[Share, ...], str]:
    """Return the best split of n cases over the true classes, if it is known, and its caveat."""
    classes = Classes.of(metric, table)
    if classes is None or not (classes.spreads > 0).any():
        return (), ""
    note = "" if classes.needs_no_weights or classes.fixed else WEIGHED
    names = [f"class {label}" for label in classes.labels]
    return _shares(names, classes.shares, n, classes.best * classes.saved * n), note


def of_test_sets(pilot: Pilot, n: float) -> tuple[Share, ...]:
    """Return the best split of n cases over two test sets: proportional to the root of the variance per case."""
    joint, metric = pilot.joint
    sizes = [int(np.prod(each.shape)) for each in pilot.tables]
    parts = np.split(metric.finite_gradient(joint.counted), np.cumsum(sizes)[:-1])
    pairs = zip(pilot.tables, parts, strict=True)
    variances = np.array([float(each.rows * each.variance(part.reshape(each.shape))) for each, part in pairs])
    shares = np.array([each.rows / pilot.cases for each in pilot.tables])
    # `variances` is the variance per case: n cases of a test set contribute variances / n.
    whole, roots = float((variances / shares).sum()), np.sqrt(variances)
    names = [pilot.names[0] or "first", pilot.names[1] or "second"]
    return _shares(names, shares, n, n * roots * roots.sum() / whole)


def _shares(names: list[str], shares: Floats, n: float, best: Floats) -> tuple[Share, ...]:
    rows = zip(names, apportioned(round(n), shares), best, strict=True)
    return tuple(Share(name, int(own), math.ceil(other - ROUNDING)) for name, own, other in rows)


def of_clusters(pilot: Pilot, n: float) -> tuple[tuple[int, int], ...]:
    """Return other cluster sizes, and the number of clusters with the same result: ``(size, clusters)``.

    The variance of n cases in clusters of m is ``(1 + (m - 1) icc) / n`` times a constant.
    """
    if len(pilot.tables) > 1:
        return ()
    table, metric = pilot.joint
    if pilot.clustering is not None:
        icc, size = pilot.clustering.icc, float(pilot.clustering.size)
    elif (
        math.isfinite(table.design.degrees_of_freedom)
        and table.kind.has_one_cell_per_case
        and not (table.design.traits.is_stratified or table.design.traits.has_strata)
    ):
        icc, size = intracluster_correlation(metric, table)
    else:
        return ()
    effect = 1 + (size - 1) * icc
    others = sorted({max(1, round(size * factor)) for factor in SIZES} - {round(size)})
    return tuple((each, math.ceil(n * (1 + (each - 1) * icc) / effect / each - ROUNDING)) for each in others)
