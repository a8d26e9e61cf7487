"""Variance components of a reader study."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from howsure.grids import Grid, Tabular
from howsure.readers.anova import Anova
from howsure.readers.reads import HILLIS
from howsure.readers.sizes import ReaderPlan, planned

MEANINGS = {
    "reader": "readers differ in the mean over modalities",
    "modality_reader": "readers differ in the effect of the modality",
    "error": "one reader under one modality, over samples of cases",
    "cov1": "one reader under two modalities",
    "cov2": "two readers under one modality",
    "cov3": "two readers under two modalities",
}


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class VarianceComponents(Tabular):
    """Variance components of the Obuchowski–Rockette model, by which a reader study is planned.

    The metric of reader j under modality i is ``μ + τ_i + R_j + (τR)_ij + ε_ij``. Readers are a random sample, and
    the errors ε of readers of the same cases are correlated.

    Parameters
    ----------
    modality_reader : float
        Variance of (τR), the readers' differences in the effect of the modality. It is nan, and part of ``reader``, if
        each modality has readers of its own or there is only one modality.
    error : float
        Variance of ε: the variance of the metric of one reader under one modality over samples of cases.
    cov1, cov2, cov3 : float
        Covariances of ε: for one reader under two modalities, two readers under one, two readers under two modalities.
    cases, readers : int
        Number of cases and of readers of the study that estimated the components.
    reader : float
        Variance of R, the readers' differences in the mean over modalities. The estimate may be negative, like that of
        ``modality_reader``.
    difference : float
        Observed difference of two modalities, the default of ``plan()``; nan if there are not two.
    modalities : int
        Number of modalities.
    design : str
        Design of the study, as in `reader_study`.
    freedom_power : float
        Exponent in the degrees of freedom of a difference; see `reader_study`.

    References
    ----------
    Obuchowski, Rockette (1995), Communications in Statistics – Simulation and Computation 24; Hillis (2007), Statistics
    in Medicine 26.

    Examples
    --------
    >>> import howsure as hs
    >>> published = hs.results.VarianceComponents(
    ...     modality_reader=0.00020, error=0.00080, cov1=0.00035, cov2=0.00034, cov3=0.00024, cases=114, readers=5
    ... )
    >>> published.correlations["cov1"]
    0.4375
    """

    modality_reader: float
    error: float
    cov1: float
    cov2: float
    cov3: float
    cases: int
    readers: int
    reader: float = float("nan")
    difference: float = float("nan")
    modalities: int = 2
    design: str = "factorial"
    freedom_power: float = HILLIS

    @classmethod
    def of(cls, anova: Anova, difference: float) -> VarianceComponents:
        """Return the components of a study, estimated from its mean squares.

        Parameters
        ----------
        anova : Anova
            Mean squares and covariances; cases are random.
        difference : float
            Observed difference of two modalities.
        """
        error, (one, two, three) = anova.error, anova.covariances
        modalities, nested = len(anova.means), anova.is_nested
        interaction_variance = float("nan")
        if modalities == 1 or nested:
            reader = anova.mean_square_reader - error + two
        else:
            interaction = anova.mean_square_interaction
            reader = (anova.mean_square_reader - interaction) / modalities - one + three
            interaction_variance = interaction - error + one + two - three
        return cls(
            modality_reader=interaction_variance,
            error=error,
            cov1=one,
            cov2=two,
            cov3=three,
            cases=len(anova.reads.positive),
            readers=len(anova.reads.readers),
            reader=reader,
            difference=difference,
            modalities=modalities,
            design=anova.reads.design,
            freedom_power=anova.freedom_power,
        )

    @property
    def correlations(self) -> dict[str, float]:
        """The covariances as correlations of the errors; nan if the errors do not vary."""
        whole = self.error or float("nan")
        return {name: getattr(self, name) / whole for name in ("cov1", "cov2", "cov3")}

    def plan(
        self,
        *,
        readers: int | None = None,
        cases: int | None = None,
        power: float | None = None,
        width: float | None = None,
        true_value: float | None = None,
        margin: float | None = None,
        confidence_level: float = 0.95,
    ) -> ReaderPlan:
        """Plan the readers and cases of a study that compares two modalities.

        Parameters
        ----------
        readers, cases : int, optional
            Number of readers (under each modality, if these have readers of their own) and of cases. With a goal and
            one of the two, the other is computed; with a goal alone, a table of both.
        power : float, optional
            Goal: the probability that the study shows a difference from 0, or with ``margin`` no inferiority.
        width : float, optional
            Goal: the largest expected width of the interval.
        true_value : float, optional
            True difference; by default the observed one of the pilot, or 0 with a margin.
        margin : float, optional
            Largest irrelevant inferiority: the study should show that the difference is above ``-margin``, one-sided at
            1 minus the confidence level.
        confidence_level : float
            Level of the intervals, between 0 and 1.

        Returns
        -------
        ReaderPlan

        Raises
        ------
        HowsureError
            If not two of readers, cases and a goal are given, or the goal is unreachable.

        Notes
        -----
        Error variances are proportional to 1 / cases, for the pilot's proportion of positive cases. The variance of the
        difference is ``2 / r (Var(τR) + c (Var − Cov1 + (r − 1)(Cov2 − Cov3)))`` for r readers, with the ratio c of the
        pilot's cases to the planned ones. The power is by the noncentral t distribution with Hillis' degrees of
        freedom. Negative estimates of Var(τR) and Cov2 − Cov3 count as 0.

        References
        ----------
        Hillis, Obuchowski, Berbaum (2011), Academic Radiology 18.
        """
        return planned(
            self,
            readers=readers,
            cases=cases,
            power=power,
            width=width,
            true_value=true_value,
            margin=margin,
            confidence_level=confidence_level,
        )

    def records(self) -> list[dict[str, Any]]:
        """Return one flat dict per component: its name, its value, and the correlation of a covariance."""
        correlations: dict[str, float | None] = dict.fromkeys(MEANINGS) | self.correlations
        return [
            {"component": name, "value": getattr(self, name), "correlation": correlations[name], "meaning": meaning}
            for name, meaning in MEANINGS.items()
            if not math.isnan(getattr(self, name))
        ]

    def grid(self) -> Grid:
        """Return a table of strings with one row per component."""
        rows = tuple(
            (
                str(each["component"]).replace("_", ":"),
                f"{each['value']:.3g}",
                "" if each["correlation"] is None else f"{each['correlation']:.2f}",
                str(each["meaning"]),
            )
            for each in self.records()
        )
        return Grid(("component", "variance", "correlation", "meaning"), rows)
