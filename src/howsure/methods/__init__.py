"""Interval methods: frozen dataclasses of settings, and the names that stand for them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from howsure.errors import HowsureError
from howsure.methods.bootstrap import Bootstrap
from howsure.methods.delong import DeLong, HanleyMcNeil, Newcombe
from howsure.methods.delta import Delta, Wald
from howsure.methods.dirichlet import Dirichlet
from howsure.methods.fieller import Fieller
from howsure.methods.interval import DrawingMethod, Interval, Method
from howsure.methods.mann_whitney import MannWhitney
from howsure.methods.mover import Mover
from howsure.methods.pairs import NewcombePaired, NewcombePairedCC, Tango
from howsure.methods.predictive import Predictive, is_predictable, refuse_unfit
from howsure.methods.proportion import (
    BINOMIAL_METHODS,
    AgrestiCoull,
    Arcsine,
    Binomial,
    BinomTest,
    ClopperPearson,
    Jeffreys,
    LikelihoodRatio,
    Logit,
    MidP,
    Wilson,
    WilsonCC,
)
from howsure.metrics.contrast import pair_counts
from howsure.metrics.metric import Metric
from howsure.tables.paired import SeparateTables
from howsure.tables.score_matrix import MultilabelScoresTable, ScoreMatrixTable
from howsure.tables.scores import ScoresTable
from howsure.tables.table import Table

__all__ = [
    "METHODS",
    "SYNONYMS",
    "AgrestiCoull",
    "Arcsine",
    "BinomTest",
    "Bootstrap",
    "ClopperPearson",
    "DeLong",
    "Delta",
    "Dirichlet",
    "DrawingMethod",
    "Fieller",
    "HanleyMcNeil",
    "Interval",
    "Jeffreys",
    "LikelihoodRatio",
    "Logit",
    "MannWhitney",
    "Method",
    "MidP",
    "Mover",
    "Newcombe",
    "NewcombePaired",
    "NewcombePairedCC",
    "Predictive",
    "Tango",
    "Wald",
    "Wilson",
    "WilsonCC",
    "automatic",
    "named",
    "refuse_unfit",
]

_ANALYTIC: tuple[type[Wald | Delta | Binomial | Fieller | Mover], ...] = (
    Wald,
    Delta,
    *BINOMIAL_METHODS,
    Fieller,
    Mover,
)
METHODS: dict[str, Callable[[], Method]] = {
    **{each.name: each for each in _ANALYTIC},
    **{f"bootstrap_{kind}": partial(Bootstrap, kind) for kind in ("percentile", "basic", "bca", "studentized")},
    Dirichlet.name: Dirichlet,
    DeLong.name: DeLong,
    "delong_wald": partial(DeLong, "identity"),
    HanleyMcNeil.name: HanleyMcNeil,
    Newcombe.name: Newcombe,
    MannWhitney.name: MannWhitney,
    **{each.name: each for each in (Tango, NewcombePaired, NewcombePairedCC)},
    Predictive.name: Predictive,
}
SYNONYMS = {
    "takahashi": "wald",
    "normal": "wald",
    "beta": "clopper_pearson",
    "exact": "clopper_pearson",
    "score": "wilson",
    "midp": "mid_p",
    "wilsoncc": "wilson_cc",
    "agresti": "agresti_coull",
    "lr": "likelihood_ratio",
    "bootstrap": "bootstrap_percentile",
    "percentile": "bootstrap_percentile",
    "bca": "bootstrap_bca",
    "dirichlet": "bayes",
    "posterior": "bayes",
}


def named(method: str | Method | None) -> Method | None:
    """Return the method that a name or synonym stands for; None for ``"auto"``.

    Raises
    ------
    HowsureError
        If there is no method of that name; the message has the nearest ones.
    """
    if method is None or isinstance(method, Method):
        return method
    if not isinstance(method, str):
        message = f"`method` is a method or its name, not {type(method).__name__}. `howsure methods` lists them."
        raise HowsureError(message)
    name = method.strip().lower().replace("-", "_").replace(" ", "_")
    if name == "auto":
        return None
    name = SYNONYMS.get(name, name)
    if name not in METHODS:
        raise HowsureError.unknown("method", method, ["auto", *METHODS, *SYNONYMS])
    return METHODS[name]()


def automatic(metric: Metric, table: Table) -> Method:
    """Return the method that suits a metric: score intervals where it is made of proportions, else the delta method."""
    if metric.contrast is not None:
        return _for_contrast(metric, table)
    if table.design.method:
        return METHODS[table.design.method]()
    if not table.design.has_labels:
        return Predictive() if is_predictable(table) else Delta()
    if isinstance(table, ScoresTable | ScoreMatrixTable):
        area = metric.is_area and not isinstance(table, MultilabelScoresTable)
        return DeLong() if area else Delta()
    return _for_counts(metric, table)


def _for_counts(metric: Metric, table: Table) -> Method:
    if not table.design.has_trials:
        return Delta() if metric.ratio is None else Fieller()
    if metric.proportion(table.shape) is not None:
        return Wilson()
    if metric.parts is not None:
        return Mover()
    return Delta()


def _for_contrast(metric: Metric, table: Table) -> Method:
    contrast = metric.contrast
    if contrast is None or contrast.effect.name != "difference":
        return Delta()
    if contrast.is_of_areas:
        return Delta() if any(not part.has_labels for part in table.design.test_sets) else DeLong()
    if isinstance(table, SeparateTables):
        return Mover()
    return Tango() if pair_counts(metric, table) is not None and table.design.is_independent else Delta()
