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
    from howsure.comparing import compare
    from howsure.comparison import Comparison
    from howsure.curves import calibration_curve, det_curve, precision_recall_curve, roc_curve
    from howsure.designs import Clusters, FixedMargins, Simple, Weighted
    from howsure.errors import HowsureError
    from howsure.estimation import estimate, evaluate
    from howsure.evidence.annotators import Consensus, annotated, consensus
    from howsure.evidence.calibrated import calibrated
    from howsure.evidence.calibration import calibrate
    from howsure.evidence.calibration_check import calibration_test
    from howsure.evidence.calibrators import Calibrator
    from howsure.evidence.powered import prediction_powered
    from howsure.evidence.precision import ReviewedPrecision, reviewed_precision
    from howsure.evidence.review_budget import ReviewPlan, review_plan
    from howsure.evidence.review_rows import review
    from howsure.evidence.reviewed import Reviewed, reviewed
    from howsure.evidence.rogan_gladen import corrected, corrected_prevalence
    from howsure.evidence.sensitivity import sensitivity
    from howsure.expected.designs import Batch, Population
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
        MannWhitney,
        MidP,
        Mover,
        Newcombe,
        NewcombePaired,
        NewcombePairedCC,
        Predictive,
        Tango,
        Wald,
        Wilson,
        WilsonCC,
    )
    from howsure.methods.pairs import mcnemar
    from howsure.metric import define_metric
    from howsure.models import Comparisons, compare_all, evaluate_models
    from howsure.monitoring import monitor
    from howsure.multiplicity import Differences, adjusted_p_values, simultaneous_differences
    from howsure.pooling import Pooled, conflate, pool, pool_folds, pool_tables
    from howsure.ranking import Ranks, ranks
    from howsure.report.content import Report
    from howsure.report.evidence import Subject
    from howsure.report.summary import report_of
    from howsure.resample import bootstrap, bootstrap_ci
    from howsure.results import Estimate, Evaluation
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
    from howsure.sources.paired import paired, paired_scores
    from howsure.sources.score_matrix import multiclass_scores
    from howsure.sources.scores import scores
    from howsure.study import Study
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
        "det_curve",
        "precision_recall_curve",
        "roc_curve",
    ),
    "howsure.thresholds": ("threshold_curves",),
    "howsure.errors": ("HowsureError",),
    "howsure.estimation": ("estimate", "evaluate"),
    "howsure.results": ("Estimate", "Evaluation"),
    "howsure.evidence.calibrated": ("calibrated",),
    "howsure.evidence.sensitivity": ("sensitivity",),
    "howsure.expected.designs": (
        "Batch",
        "Population",
    ),
    "howsure.evidence.calibration": ("calibrate",),
    "howsure.evidence.calibration_check": ("calibration_test",),
    "howsure.evidence.calibrators": ("Calibrator",),
    "howsure.evidence.precision": (
        "ReviewedPrecision",
        "reviewed_precision",
    ),
    "howsure.evidence.review_budget": (
        "ReviewPlan",
        "review_plan",
    ),
    "howsure.evidence.review_rows": ("review",),
    "howsure.evidence.reviewed": (
        "Reviewed",
        "reviewed",
    ),
    "howsure.evidence.annotators": (
        "Consensus",
        "annotated",
        "consensus",
    ),
    "howsure.evidence.powered": ("prediction_powered",),
    "howsure.evidence.rogan_gladen": (
        "corrected",
        "corrected_prevalence",
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
        "MannWhitney",
        "MidP",
        "Mover",
        "Newcombe",
        "NewcombePaired",
        "NewcombePairedCC",
        "Tango",
        "Predictive",
        "Wald",
        "Wilson",
        "WilsonCC",
    ),
    "howsure.methods.pairs": ("mcnemar",),
    "howsure.metric": ("define_metric",),
    "howsure.models": (
        "Comparisons",
        "compare_all",
        "evaluate_models",
    ),
    "howsure.monitoring": ("monitor",),
    "howsure.pooling": (
        "Pooled",
        "conflate",
        "pool",
        "pool_folds",
        "pool_tables",
    ),
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
    "howsure.comparing": ("compare",),
    "howsure.comparison": ("Comparison",),
    "howsure.sources.confusion": ("confusion",),
    "howsure.sources.score_matrix": ("multiclass_scores",),
    "howsure.sources.paired": (
        "paired",
        "paired_scores",
    ),
    "howsure.sources.scores": ("scores",),
    "howsure.study": ("Study",),
    "howsure.table": (
        "Table",
        "from_counts",
    ),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "AgrestiCoull",
    "Arcsine",
    "Batch",
    "BinomTest",
    "Bootstrap",
    "Calibrator",
    "ClopperPearson",
    "Clusters",
    "Comparison",
    "Comparisons",
    "Consensus",
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
    "MannWhitney",
    "MidP",
    "Mover",
    "Newcombe",
    "NewcombePaired",
    "NewcombePairedCC",
    "Pooled",
    "Population",
    "Predictive",
    "Ranks",
    "Report",
    "ReviewPlan",
    "Reviewed",
    "ReviewedPrecision",
    "Simple",
    "Study",
    "Subject",
    "Table",
    "Tango",
    "Wald",
    "Weighted",
    "Wilson",
    "WilsonCC",
    "accuracy_score",
    "adjusted_p_values",
    "annotated",
    "average_precision_score",
    "balanced_accuracy_score",
    "bootstrap",
    "bootstrap_ci",
    "brier_score_loss",
    "calibrate",
    "calibrated",
    "calibration_curve",
    "calibration_test",
    "classification_report",
    "classification_report_with_ci",
    "cohen_kappa_score",
    "compare",
    "compare_all",
    "conflate",
    "confusion",
    "consensus",
    "corrected",
    "corrected_prevalence",
    "define_metric",
    "det_curve",
    "estimate",
    "evaluate",
    "evaluate_models",
    "f1_score",
    "fbeta_score",
    "fnr_score",
    "fpr_score",
    "from_counts",
    "hamming_loss",
    "jaccard_score",
    "log_loss",
    "matthews_corrcoef",
    "mcnemar",
    "monitor",
    "multiclass_scores",
    "npv_score",
    "optimal_threshold",
    "paired",
    "paired_scores",
    "pool",
    "pool_folds",
    "pool_tables",
    "ppv_score",
    "precision_recall_curve",
    "precision_score",
    "prediction_powered",
    "ranks",
    "recall_score",
    "report_of",
    "review",
    "review_plan",
    "reviewed",
    "reviewed_precision",
    "roc_auc_score",
    "roc_curve",
    "scores",
    "sensitivity",
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
