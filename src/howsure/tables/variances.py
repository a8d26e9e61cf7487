"""Variances of smooth functions of a table's counts: the table's design, applied to its cells."""

from __future__ import annotations

from typing import Any

import numpy as np

from howsure.arrays import Array
from howsure.designs.cell_sums import added_up
from howsure.designs.clustering import Clustering
from howsure.designs.variance_details import VarianceDetails
from howsure.tables.table import Table


def small_sample_correction(table: Table, gradient: Array) -> tuple[Any, Any]:
    """Return the small-sample inflation factor of the variance, and its degrees of freedom; see `VarianceDetails`."""
    details = VarianceDetails.of(table.design)
    return details.small_sample_correction(table.cells, gradient.reshape(*table.batch, -1))


def missed_cluster_inflation(table: Table, gradient: Array) -> Any:
    """Return the factor of the variance for a unit absent from the sample; see `Clustering`.

    A class without cases is taken to be absent from such a unit too.
    """
    occurs = added_up(table.cells, table.true_class, int(table.true_class.max()) + 1)[..., table.true_class] > 0
    slopes = np.where(occurs, gradient.reshape(*table.batch, -1), 0.0)
    return Clustering.of(table.design).missed_cluster_inflation(table.cells, slopes)


def variance_at(table: Table, cells: Array, gradient: Array) -> Array:
    """Return the variance of a linear form in other tables, ``(..., cells)``, over the cells of a table.

    Squares are divided by the number of cases minus 1 for tables of values, as in a sample variance.
    """
    if table.kind.has_sample_variance:
        return VarianceDetails.of(table.design).placement_variance(cells, table.true_class, gradient)
    return table.design.variance(cells, gradient)
