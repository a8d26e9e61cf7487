"""Optional protocol of designs: precision of the variance estimate, and variances of areas and threshold curves."""

from __future__ import annotations

from typing import Any

import numpy as np

from howsure.arrays import Array
from howsure.designs.base import DesignProtocol


class VarianceDetails(DesignProtocol):
    """Precision of the variance estimate, and variances of areas and of threshold curves.

    Examples
    --------
    >>> import howsure as hs
    >>> table = hs.confusion([1, 0, 1, 0, 1], [1, 0, 0, 0, 1], groups=["a", "a", "b", "b", "c"])
    >>> float(VarianceDetails.of(table.design).mean_unit_size(table.cells))  # (2² + 2² + 1²) / 5
    1.8
    """

    __slots__ = ()

    @property
    def minimum_unit_size(self) -> float:
        """Smallest size of a sampling unit, in counts; 1 for cases with a mean weight of 1."""
        return 1.0

    def mean_unit_size(self, counts: Array) -> Any:
        """Return the mean size of a sampling unit, in counts; 0 if a total without variation is certain.

        Pseudo-counts added to a table without variation have this size.

        Parameters
        ----------
        counts : ndarray of shape (..., cells)
            The tables.
        """
        if not self.traits.has_labels:  # certain, given the scores
            return 0.0
        n_effective = self.effective_sample_size(counts, np.ones(counts.shape[-1], dtype=bool))
        smallest = VarianceDetails.of(self).minimum_unit_size
        size = np.maximum(counts.sum(-1) / np.maximum(n_effective, 1.0), smallest)
        return np.where(n_effective > 0, size, 0.0)

    def small_sample_correction(self, counts: Array, gradient: Array) -> tuple[Any, Any]:
        """Return the small-sample inflation factor of `variance`, and its degrees of freedom.

        Intervals use the Student t quantile times the square root of the factor instead of the normal quantile. The
        defaults are a factor of 1 and the degrees of freedom of the design.

        Parameters
        ----------
        counts, gradient : ndarray of shape (..., cells)
            The tables, and the coefficients of the linear form.

        Returns
        -------
        inflation : float or ndarray of shape (...)
            Factor of the variance.
        degrees_of_freedom : float or ndarray of shape (...)
            Infinite if normal quantiles are valid.
        """
        return 1.0, self.degrees_of_freedom

    def satterthwaite_df(self, counts: Array, true_class: Array, gradient: Array) -> Any:
        """Return the degrees of freedom of the variance of a linear form, such as a metric of scores.

        They equal 2 V² / Var(V̂), where V̂ is the estimate of the variance V (Satterthwaite). They are small if a class
        has few cases or if a few cases dominate the variance. The default is the design's `degrees_of_freedom`.

        Parameters
        ----------
        counts, gradient : ndarray of shape (..., cells)
            The tables, and the coefficients of the linear form.
        true_class : ndarray of shape (cells,)
            Position of the true class of each cell.
        """
        return self.degrees_of_freedom

    def influence_functions(self, counts: Array, gradient: Array) -> tuple[Array, Array] | None:
        """Return the contribution of each kind of unit to a linear form, and the number of units of that kind.

        None if the units are neither cases nor clusters.
        """
        return None

    def squared_weights(self, counts: Array) -> Array | None:
        """Return the sum of squared weights by cell if cells vary independently, else None."""
        return None

    def placement_variance(self, counts: Array, true_class: Array, gradient: Array) -> Array:
        """Return the variance of a mean of placement values within classes, such as an area under the ROC curve.

        Squared deviations of counted cases from the class mean are divided by the number of cases minus 1.

        Parameters
        ----------
        counts, gradient : ndarray of shape (..., cells)
            The tables, and the derivative of the mean by the cells.
        true_class : ndarray of shape (cells,)
            Position of the true class of each cell.

        Returns
        -------
        ndarray of shape (...)
            The variance; nan if a class has too few cases.
        """
        return self.variance(counts, gradient)

    def threshold_variances(self, counts: Array, gradients: Array, thresholds: Array | None = None) -> Array:
        """Return the variance of a linear form of the confusion table at each threshold of a table of scores.

        Parameters
        ----------
        counts : ndarray of shape (S, 2)
            Cases of either class by distinct score, ascending.
        gradients : ndarray of shape (T, 2, 2)
            Derivatives by the confusion table at each threshold; from the top, the first one above all scores.
        thresholds : ndarray of shape (T,), optional
            Thresholds among the ``S + 1``; all by default.
        """
        rows = len(counts)
        chosen = np.arange(rows + 1) if thresholds is None else thresholds
        variances = np.empty(len(chosen))
        for place, (threshold, gradient) in enumerate(zip(chosen, gradients, strict=True)):
            positive = np.arange(rows) >= rows - threshold
            codes = (2 * np.arange(2) + positive[:, None]).ravel()  # true class × predicted class
            confusion = np.bincount(codes, counts.ravel(), 4)
            variances[place] = self.collapse_cells(codes, 4).variance(confusion, gradient.ravel())
        return variances
