"""Honest error bars for what people report about classifiers.

The names below are imported when first used, so that ``import howsure`` stays light.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from howsure import plots as plots
    from howsure.choice import optimal_threshold
    from howsure.classification import classification_report, classification_report_with_ci
    from howsure.curves import calibration_curve, precision_recall_curve, roc_curve
    from howsure.designs import Clusters, FixedMargins, Simple, Weighted
    from howsure.errors import HowsureError
    from howsure.estimation import Estimate, Evaluation, estimate, evaluate
    from howsure.methods import (
        AgrestiCoull,
        Arcsine,
        BinomTest,
        Bootstrap,
        ClopperPearson,
        DeLong,
        Delta,
        Dirichlet,
        Fieller,
        HanleyMcNeil,
        Jeffreys,
        LikelihoodRatio,
        Logit,
        MidP,
        Mover,
        Newcombe,
        Wald,
        Wilson,
        WilsonCC,
    )
    from howsure.metric import define_metric
    from howsure.multiplicity import Differences, adjusted_p_values, simultaneous_differences
    from howsure.ranking import Ranks, ranks
    from howsure.report.content import Report
    from howsure.report.evidence import Subject
    from howsure.report.summary import report_of
    from howsure.resample import bootstrap, bootstrap_ci
    from howsure.sklearn import (
        accuracy_score,
        average_precision_score,
        balanced_accuracy_score,
        brier_score_loss,
        cohen_kappa_score,
        f1_score,
        fbeta_score,
        fnr_score,
        fpr_score,
        hamming_loss,
        jaccard_score,
        log_loss,
        matthews_corrcoef,
        npv_score,
        ppv_score,
        precision_score,
        recall_score,
        roc_auc_score,
        tnr_score,
        tpr_score,
        zero_one_loss,
    )
    from howsure.sources.confusion import confusion
    from howsure.sources.scores import scores
    from howsure.table import Table, from_counts
    from howsure.thresholds import threshold_curves

_HOMES = {
    "howsure.designs": (
        "Clusters",
        "FixedMargins",
        "Simple",
        "Weighted",
    ),
    "howsure.choice": ("optimal_threshold",),
    "howsure.curves": (
        "calibration_curve",
        "precision_recall_curve",
        "roc_curve",
    ),
    "howsure.thresholds": ("threshold_curves",),
    "howsure.errors": ("HowsureError",),
    "howsure.estimation": (
        "Estimate",
        "Evaluation",
        "estimate",
        "evaluate",
    ),
    "howsure.methods": (
        "AgrestiCoull",
        "Arcsine",
        "BinomTest",
        "Bootstrap",
        "ClopperPearson",
        "DeLong",
        "Delta",
        "Dirichlet",
        "Fieller",
        "HanleyMcNeil",
        "Jeffreys",
        "LikelihoodRatio",
        "Logit",
        "MidP",
        "Mover",
        "Newcombe",
        "Wald",
        "Wilson",
        "WilsonCC",
    ),
    "howsure.metric": ("define_metric",),
    "howsure.report.content": ("Report",),
    "howsure.report.evidence": ("Subject",),
    "howsure.report.summary": ("report_of",),
    "howsure.classification": (
        "classification_report",
        "classification_report_with_ci",
    ),
    "howsure.multiplicity": (
        "Differences",
        "adjusted_p_values",
        "simultaneous_differences",
    ),
    "howsure.ranking": ("Ranks", "ranks"),
    "howsure.resample": (
        "bootstrap",
        "bootstrap_ci",
    ),
    "howsure.sklearn": (
        "accuracy_score",
        "average_precision_score",
        "balanced_accuracy_score",
        "brier_score_loss",
        "cohen_kappa_score",
        "f1_score",
        "fbeta_score",
        "fnr_score",
        "fpr_score",
        "hamming_loss",
        "jaccard_score",
        "log_loss",
        "matthews_corrcoef",
        "npv_score",
        "ppv_score",
        "precision_score",
        "recall_score",
        "roc_auc_score",
        "tnr_score",
        "tpr_score",
        "zero_one_loss",
    ),
    "howsure.sources.confusion": ("confusion",),
    "howsure.sources.scores": ("scores",),
    "howsure.table": (
        "Table",
        "from_counts",
    ),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "AgrestiCoull",
    "Arcsine",
    "BinomTest",
    "Bootstrap",
    "ClopperPearson",
    "Clusters",
    "DeLong",
    "Delta",
    "Differences",
    "Dirichlet",
    "Estimate",
    "Evaluation",
    "Fieller",
    "FixedMargins",
    "HanleyMcNeil",
    "HowsureError",
    "Jeffreys",
    "LikelihoodRatio",
    "Logit",
    "MidP",
    "Mover",
    "Newcombe",
    "Ranks",
    "Report",
    "Simple",
    "Subject",
    "Table",
    "Wald",
    "Weighted",
    "Wilson",
    "WilsonCC",
    "accuracy_score",
    "adjusted_p_values",
    "average_precision_score",
    "balanced_accuracy_score",
    "bootstrap",
    "bootstrap_ci",
    "brier_score_loss",
    "calibration_curve",
    "classification_report",
    "classification_report_with_ci",
    "cohen_kappa_score",
    "confusion",
    "define_metric",
    "estimate",
    "evaluate",
    "f1_score",
    "fbeta_score",
    "fnr_score",
    "fpr_score",
    "from_counts",
    "hamming_loss",
    "jaccard_score",
    "log_loss",
    "matthews_corrcoef",
    "npv_score",
    "optimal_threshold",
    "ppv_score",
    "precision_recall_curve",
    "precision_score",
    "ranks",
    "recall_score",
    "report_of",
    "roc_auc_score",
    "roc_curve",
    "scores",
    "simultaneous_differences",
    "threshold_curves",
    "tnr_score",
    "tpr_score",
    "zero_one_loss",
]


def __getattr__(name: str) -> Any:
    if name == "plots":
        return importlib.import_module("howsure.plots")
    if name not in _HOME:
        message = f"module 'howsure' has no attribute {name!r}"
        raise AttributeError(message)
    value = getattr(importlib.import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "plots"])
