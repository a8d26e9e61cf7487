"""Study: experiments in groups, evaluated on metrics, with one seed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from howsure.errors import HowsureError
from howsure.estimates.estimation import default_metrics
from howsure.methods.drawn.dirichlet import Prior
from howsure.study.aggregation import Aggregation, aggregation as chosen_aggregation
from howsure.study.arviz import tree_of
from howsure.study.collection import LEVEL, N_DRAWS, SEED, Collection
from howsure.study.experiment import Experiment, experiment
from howsure.study.files import content_of, read_study, study_of, write_study
from howsure.study.folds import fold_tables
from howsure.study.reports import Reports
from howsure.writing import checked_path


class Study(Reports):
    """Many experiments in groups, evaluated on many metrics, with one seed.

    The draws of an experiment depend only on the study's seed and the experiment's name. Further experiments or
    metrics, another order, or another confidence level do not change them. They are drawn once, at their first use, for
    all metrics of the study; only the values of the metrics are stored.

    Parameters
    ----------
    seed : int
        A whole number.
    n_draws : int
        Draws of each experiment.
    confidence_level : float
        Confidence level of all intervals; can be changed at any time.

    Examples
    --------
    >>> import howsure as hs
    >>> study = hs.Study(seed=0)
    >>> study.add("forest/fold_0", [[50, 3], [5, 42]])
    >>> study.add("forest/fold_1", [[48, 5], [6, 41]])
    >>> study.add("tree/fold_0", [[44, 9], [8, 39]])
    >>> study.add_metric("f1")
    >>> print(study.summaries("f1").grid().headers)
    ('experiment', 'observed', 'median', 'mode', '95 % interval', 'uncertainty', 'skewness', 'kurtosis')
    >>> study.ranks("f1").best["forest/fold_0"] > 0.5
    True
    """

    def __init__(
        self, *given: object, seed: int = SEED, n_draws: int = N_DRAWS, confidence_level: float = LEVEL
    ) -> None:
        if given:
            raise HowsureError(
                "A study starts empty: `study = hs.Study()`, then `study.add(name, table)` for each experiment."
            )
        super().__init__(Collection(seed, n_draws), confidence_level)

    def _repr_html_(self) -> str:
        from howsure.grids import Grid
        from howsure.numbers import number

        specs = self.wanted() if self.metrics and self.experiments else []
        rows = [
            (name, f"{each.table.rows:,}", *(number(self._held.observed(spec, name), 3) for spec in specs))
            for name, each in self.experiments.items()
        ]
        return Grid(("experiment", "cases", *specs), tuple(rows), f"{self!r}, observed values").for_notebook()

    def __repr__(self) -> str:
        counted = f"{len(self.experiments)} experiments in {len(self.groups)} groups, {len(self.metrics)} metrics"
        return f"<Study: {counted}, seed {self.seed}, {self.n_draws:,} draws>"

    @property
    def seed(self) -> int:
        """Seed of all draws."""
        return self._held.seed

    @property
    def n_draws(self) -> int:
        """Draws of each experiment."""
        return self._held.n_draws

    @property
    def experiments(self) -> Mapping[str, Experiment]:
        """The experiments by name."""
        return dict(self._held.experiments)

    @property
    def groups(self) -> Mapping[str, tuple[Experiment, ...]]:
        """The experiments by group."""
        return self._held.groups

    @property
    def metrics(self) -> Mapping[str, Aggregation]:
        """The metrics by spec string, with their aggregation."""
        return dict(self._held.metrics)

    def wanted(self) -> list[str]:
        """Return the spec strings of all metrics; a metric per class has one for each class."""
        return self._held.wanted(None)

    # --- what is studied -------------------------------------------------------------------------------------

    def add(
        self,
        name: str,
        evidence: object,
        *,
        prior: Prior | None = None,
        prevalence_prior: Prior | None = None,
        folder: str | Path | None = None,
    ) -> None:
        """Add an experiment.

        Parameters
        ----------
        name : str
            ``"group/experiment"``; a single word is an experiment in its own group.
        evidence : Table, array-like of shape (K, K), tuple, path or mapping
            A table; a matrix of counts; a tuple ``(y_true, y_pred)``; the path of a matrix; or a mapping as in a
            study file: ``counts``, ``matrix`` or ``predictions`` (a path, with ``y_true`` and ``y_pred`` as columns).
        prior, prevalence_prior : float, array-like or str, optional
            Pseudo-counts of each cell and of each true class, as in `Dirichlet`.
        folder : path, optional
            Folder for relative paths.

        Raises
        ------
        HowsureError
            If the name is not unique, or the evidence cannot be counted.
        """
        start = None if folder is None else Path(folder)
        self._held.add(experiment(name, evidence, prior=prior, prevalence_prior=prevalence_prior, folder=start))

    def remove(self, name: str) -> None:
        """Remove an experiment, or all experiments of a group; other draws do not change.

        Parameters
        ----------
        name : str
            An experiment or a group.

        Raises
        ------
        HowsureError
            If there is no experiment or group with this name.
        """
        self._held.remove(name)

    def add_metric(
        self,
        metric: str,
        *,
        aggregation: str | None = None,
        scale: str | None = None,
        test_share: float | None = None,
        estimand: str | None = None,
    ) -> None:
        """Add a metric, with its aggregation over the experiments of a group.

        Parameters
        ----------
        metric : str
            A spec string; ``"recall@none"`` is one metric per class.
        aggregation : str, optional
            ``"binomial_normal"``, ``"fixed"``, ``"dl"``, ``"pm"``, ``"reml"`` (the last four also with ``"_knha"`` or
            ``"_adhoc"``: see `pool`), ``"beta"``, ``"gamma"``, ``"histogram"`` (conflation), ``"nadeau_bengio"`` (folds
            of one cross-validation), ``"tables"`` (their sum) or ``"identity"``. The default is ``"binomial_normal"``
            for a metric with a finite range, else ``"reml_adhoc"``.
        scale : str, optional
            Scale of the normal model, by default that of the metric's range; a scale without an aggregation implies
            ``"reml_adhoc"``.
        test_share : float, optional
            Fraction of the cases in the test part of a fold, for ``"nadeau_bengio"``.
        estimand : {"typical_site", "mean_of_sites"}, optional
            Estimand of ``"binomial_normal"``; see `pool`.

        Raises
        ------
        HowsureError
            If a name is unknown or not applicable to the experiments.
        """
        chosen = chosen_aggregation(aggregation, scale=scale, test_share=test_share, estimand=estimand)
        self._held.add_metric(metric, chosen)

    # --- from and to elsewhere -------------------------------------------------------------------------------

    def add_cross_validation(
        self,
        name: str,
        result: object,
        y: object,
        *,
        X: object = None,  # noqa: N803 - scikit-learn's name
        folds: object = None,
        labels: object = None,
        prior: Prior | None = None,
    ) -> None:
        """Add the folds of a cross-validation as a group of experiments.

        Parameters
        ----------
        name : str
            The group; experiments are ``"name/fold_0"`` and so on.
        result : mapping or array-like of shape (n,)
            Result of scikit-learn's `cross_validate` with ``return_estimator=True, return_indices=True`` (then ``X`` is
            needed), or the predictions of `cross_val_predict`.
        y : array-like of shape (n,)
            The true labels of all cases.
        X : array-like of shape (n, features), optional
            The features of all cases.
        folds : array-like of shape (n,) or iterable of splits, optional
            Fold of each case, or the splits from ``cv.split(X, y)``; for predictions only.
        labels : array-like of shape (K,), optional
            The classes; all that occur in ``y`` by default.
        prior : float, array-like or str, optional
            Prior, as in `Dirichlet`.
        """
        for fold in fold_tables(result, y, X=X, folds=folds, labels=labels):
            self.add(f"{name}/{fold.name}", fold.table, prior=prior)

    @classmethod
    def from_cross_validation(
        cls,
        results: Mapping[str, object],
        y: object,
        *,
        X: object = None,  # noqa: N803 - scikit-learn's name
        folds: Any = None,
        labels: object = None,
        metrics: Sequence[str] | None = None,
        seed: int = SEED,
        n_draws: int = N_DRAWS,
        confidence_level: float = LEVEL,
    ) -> Study:
        """Return a study of cross-validated models: name → what `cross_validate` or `cross_val_predict` returned.

        The metrics (by default those of `evaluate`) are aggregated by the mean over folds with the interval of Nadeau
        and Bengio. The other arguments are those of `add_cross_validation`.

        Examples
        --------
        >>> import numpy as np
        >>> import howsure as hs
        >>> y = np.array([0, 1, 1, 0, 1, 0, 1, 1, 0, 1, 0, 1] * 10)
        >>> predicted = np.where(np.arange(120) % 7 == 0, 1 - y, y)
        >>> study = hs.Study.from_cross_validation({"rule": predicted}, y, folds=np.arange(120) % 5, metrics=["f1"])
        >>> print(study.aggregate("f1")["rule"])
        0.867 [0.820, 0.903], mean of folds, I² = 0 % (negligible)
        """
        study = cls(seed=seed, n_draws=n_draws, confidence_level=confidence_level)
        splits = folds if folds is None or hasattr(folds, "__len__") else list(folds)
        for name, result in results.items():
            study.add_cross_validation(name, result, y, X=X, folds=splits, labels=labels)
        first = next(iter(study.experiments.values()), None)
        wanted = metrics if metrics is not None else default_metrics(first.table) if first else ()
        for metric in wanted:
            study.add_metric(metric, aggregation="nadeau_bengio")
        return study

    @classmethod
    def load(cls, path: str | Path) -> Study:
        """Return the study from a TOML or JSON file; its paths are relative to the file.

        Raises
        ------
        HowsureError
            If the file is missing, has another form or an unknown key, or names a file that is missing or is not a
            square matrix of counts. The message gives file, key and remedy.
        """
        held, level = read_study(Path(path))
        return cls._of(held, level)

    @classmethod
    def from_dict(cls, content: Mapping[str, object], *, folder: str | Path | None = None) -> Study:
        """Return the study from a mapping in the form of a study file.

        Parameters
        ----------
        content : mapping
            Mapping in the form of `to_dict`.
        folder : path, optional
            Folder for relative paths; the working directory by default.

        Raises
        ------
        HowsureError
            As of `load`.
        """
        return cls._of(*study_of(content, "the mapping", Path() if folder is None else Path(folder)))

    @classmethod
    def _of(cls, held: Collection, level: float) -> Study:
        study = cls(seed=held.seed, n_draws=held.n_draws, confidence_level=level)
        study._held = held
        return study

    def to_dict(self) -> dict[str, Any]:
        """Return the study as plain texts, numbers, lists and dicts, without its draws, which are reproducible.

        Raises
        ------
        HowsureError
            As of `save`.

        Examples
        --------
        >>> import howsure as hs
        >>> study = hs.Study()
        >>> study.add("forest/fold_0", [[50, 3], [5, 42]])
        >>> study.to_dict()["experiments"]
        {'forest/fold_0': {'counts': [[50, 3], [5, 42]]}}
        """
        return content_of(self._held, self._level, Path())

    def save(self, path: str | Path) -> Path:
        """Write the study, without its draws, to a TOML or JSON file; return the path.

        Raises
        ------
        HowsureError
            If an experiment was created in memory from weighted or clustered cases, because files store these by their
            path; or if the suffix is not supported.
        """
        return write_study(self._held, self._level, checked_path(path))

    def to_arviz(self) -> Any:
        """Return the draws of all metrics as an xarray DataTree, as ArviZ reads it.

        The group ``posterior`` has a variable for each metric, with the dimensions chain (one), draw and experiment;
        ``prior`` and ``observed_data`` have the same form.

        Raises
        ------
        HowsureError
            If xarray is not installed.
        """
        return tree_of(self._held)
