# The public names, each once: read by type checkers, and at run time to find where a name lives.

from . import lab as lab, plots as plots
from .about import __version__ as __version__, show_versions as show_versions
from .comparison.alt_test import AltTest as AltTest, alt_test as alt_test
from .comparison.board import Leaderboard as Leaderboard, Place as Place
from .comparison.cochran import CochransQ as CochransQ, cochrans_q as cochrans_q
from .comparison.compare import compare as compare
from .comparison.leaderboard import leaderboard as leaderboard
from .comparison.mcnemar import (
    McNemar as McNemar,
    mcnemar as mcnemar,
)
from .comparison.models import (
    Comparisons as Comparisons,
    compare_all as compare_all,
    evaluate_models as evaluate_models,
)
from .comparison.monitoring import monitor as monitor
from .comparison.multiplicity import (
    Differences as Differences,
    adjusted_p_values as adjusted_p_values,
    simultaneous_differences as simultaneous_differences,
)
from .comparison.no_information import (
    NoInformation as NoInformation,
    no_information_test as no_information_test,
)
from .comparison.ranks import (
    Ranks as Ranks,
    ranks as ranks,
)
from .comparison.result import Comparison as Comparison
from .comparison.stopping import Stopping as Stopping, stop as stop
from .compat.classification import classification_report as classification_report
from .compat.confidenceinterval.classification_report import (
    classification_report_with_ci as classification_report_with_ci,
)
from .compat.matrices import (
    confusion_matrix as confusion_matrix,
    multilabel_confusion_matrix as multilabel_confusion_matrix,
)
from .compat.of_probabilities import (
    brier_score_loss as brier_score_loss,
    d2_brier_score as d2_brier_score,
    d2_log_loss_score as d2_log_loss_score,
    log_loss as log_loss,
)
from .compat.of_scores import (
    average_precision_score as average_precision_score,
    roc_auc_score as roc_auc_score,
    top_k_accuracy_score as top_k_accuracy_score,
)
from .compat.per_class import (
    f1_score as f1_score,
    fbeta_score as fbeta_score,
    fnr_score as fnr_score,
    fpr_score as fpr_score,
    jaccard_score as jaccard_score,
    npv_score as npv_score,
    ppv_score as ppv_score,
    precision_score as precision_score,
    recall_score as recall_score,
    tnr_score as tnr_score,
    tpr_score as tpr_score,
)
from .compat.scorer import (
    Scorer as Scorer,
    scorer as scorer,
)
from .compat.several import (
    class_likelihood_ratios as class_likelihood_ratios,
    precision_recall_fscore_support as precision_recall_fscore_support,
)
from .compat.whole_table import (
    accuracy_score as accuracy_score,
    balanced_accuracy_score as balanced_accuracy_score,
    cohen_kappa_score as cohen_kappa_score,
    hamming_loss as hamming_loss,
    matthews_corrcoef as matthews_corrcoef,
    zero_one_loss as zero_one_loss,
)
from .curves.curves import (
    Curve as Curve,
    calibration_curve as calibration_curve,
    det_curve as det_curve,
    precision_recall_curve as precision_recall_curve,
    roc_curve as roc_curve,
)
from .curves.optimal_threshold import optimal_threshold as optimal_threshold
from .curves.thresholds import threshold_curves as threshold_curves
from .designs.base import Design as Design
from .designs.clusters import Clusters as Clusters
from .designs.counted import (
    FixedMargins as FixedMargins,
    Independent as Independent,
    Weighted as Weighted,
)
from .designs.expected import (
    Batch as Batch,
    Population as Population,
)
from .errors import HowsureError as HowsureError, HowsureWarning as HowsureWarning
from .estimates.batch import Estimates as Estimates, Evaluations as Evaluations
from .estimates.estimate import Estimate as Estimate
from .estimates.estimation import (
    estimate as estimate,
    evaluate as evaluate,
)
from .estimates.evaluation import Evaluation as Evaluation
from .estimates.printed_area import from_auc as from_auc
from .estimates.rows import (
    bootstrap as bootstrap,
    bootstrap_ci as bootstrap_ci,
)
from .estimates.share import proportion as proportion
from .estimates.units import per_unit as per_unit
from .evidence.calibration.calibrate import calibrate as calibrate
from .evidence.calibration.calibrator import Calibrator as Calibrator
from .evidence.calibration.check import calibration_test as calibration_test
from .evidence.labels.annotators import (
    Consensus as Consensus,
    annotated as annotated,
    consensus as consensus,
)
from .evidence.labels.judge_report import (
    JudgeReport as JudgeReport,
    judge_report as judge_report,
)
from .evidence.labels.judged import judged as judged
from .evidence.labels.judged_values import judged_values as judged_values
from .evidence.labels.label_plan import (
    LabelPlan as LabelPlan,
    label_plan as label_plan,
)
from .evidence.labels.label_sample import (
    LabelSample as LabelSample,
    sample_to_label as sample_to_label,
)
from .evidence.labels.leaning import judge_leaning as judge_leaning
from .evidence.labels.partly_labelled import partly_labelled as partly_labelled
from .evidence.labels.prediction_powered import prediction_powered as prediction_powered
from .evidence.labels.rogan_gladen import (
    corrected as corrected,
    corrected_prevalence as corrected_prevalence,
)
from .evidence.review.budget import (
    ReviewPlan as ReviewPlan,
    review_plan as review_plan,
)
from .evidence.review.elicitation import beta_prior as beta_prior
from .evidence.review.precision import (
    ReviewedPrecision as ReviewedPrecision,
    reviewed_precision as reviewed_precision,
)
from .evidence.review.reviewed import (
    Reviewed as Reviewed,
    reviewed as reviewed,
)
from .evidence.shift.importance import (
    ImportanceWeights as ImportanceWeights,
    importance_weights as importance_weights,
)
from .evidence.shift.transported import (
    LabelShiftTest as LabelShiftTest,
    label_shift_test as label_shift_test,
    transported as transported,
)
from .evidence.unlabelled.calibrated import calibrated as calibrated
from .evidence.unlabelled.miscalibration import miscalibration as miscalibration
from .loading import load as load
from .logs.evaluated import (
    LogEvaluation as LogEvaluation,
    evaluate_log as evaluate_log,
)
from .logs.log import Log as Log
from .logs.reading import read_log as read_log
from .methods.anytime import Anytime as Anytime
from .methods.bootstrap import Bootstrap as Bootstrap
from .methods.bounded_mean import (
    Betting as Betting,
    Hoeffding as Hoeffding,
)
from .methods.delong import (
    DeLong as DeLong,
    HanleyMcNeil as HanleyMcNeil,
    Newcombe as Newcombe,
)
from .methods.delong_score import DeLongScore as DeLongScore
from .methods.delta import (
    Delta as Delta,
    Wald as Wald,
)
from .methods.dirichlet import Dirichlet as Dirichlet
from .methods.draws_of_tables import draw_tables as draw_tables
from .methods.effective_wilson import EffectiveWilson as EffectiveWilson
from .methods.empirical_likelihood_score import EmpiricalLikelihoodScore as EmpiricalLikelihoodScore
from .methods.extremes import Extremes as Extremes
from .methods.fieller import Fieller as Fieller
from .methods.gap_test import GapTest as GapTest
from .methods.hall import Hall as Hall
from .methods.least_favourable import LeastFavourable as LeastFavourable
from .methods.library import (
    DrawingMethod as DrawingMethod,
    Interval as Interval,
    Method as Method,
    suitable_methods as suitable_methods,
)
from .methods.mann_whitney import MannWhitney as MannWhitney
from .methods.mover import Mover as Mover
from .methods.order_statistics import OrderStatistics as OrderStatistics
from .methods.pairs import (
    NamBlackwelder as NamBlackwelder,
    NewcombePaired as NewcombePaired,
    NewcombePairedCC as NewcombePairedCC,
    Tango as Tango,
)
from .methods.predictive import Predictive as Predictive
from .methods.proportion import (
    AgrestiCoull as AgrestiCoull,
    Arcsine as Arcsine,
    BinomTest as BinomTest,
    ClopperPearson as ClopperPearson,
    Jeffreys as Jeffreys,
    LikelihoodRatio as LikelihoodRatio,
    Logit as Logit,
    MidP as MidP,
    Wilson as Wilson,
    WilsonCC as WilsonCC,
)
from .methods.stratified import Stratified as Stratified
from .methods.threshold_limits import ThresholdLimits as ThresholdLimits
from .methods.two_rates import TwoRates as TwoRates
from .methods.two_samples import MiettinenNurminen as MiettinenNurminen
from .metrics.define import define_metric as define_metric
from .planning.result import Plan as Plan
from .planning.sizes import plan as plan
from .pooling import (
    Pooled as Pooled,
    conflate as conflate,
    pool as pool,
    pool_folds as pool_folds,
    pool_tables as pool_tables,
)
from .report.evidence import Subject as Subject
from .report.measured import report_of as report_of
from .report.report import Report as Report
from .sources.accumulator import Accumulator as Accumulator
from .sources.confusion import confusion as confusion
from .sources.detections import detections as detections
from .sources.entities import entities as entities
from .sources.events import events as events
from .sources.example_data import load_example as load_example
from .sources.joint_counts import paired_counts as paired_counts
from .sources.matrices import from_counts as from_counts
from .sources.paired import paired as paired
from .sources.paired_scores import paired_scores as paired_scores
from .sources.preferences import preferences as preferences
from .sources.proportions import proportions as proportions
from .sources.rates import from_rates as from_rates
from .sources.ratings import ratings as ratings
from .sources.score_matrix import multiclass_scores as multiclass_scores
from .sources.scores import scores as scores
from .sources.trials import trials as trials
from .sources.values import values as values
from .study import Study as Study
from .tables.batch import Tables as Tables
from .tables.confusion import ConfusionTable as ConfusionTable
from .tables.detections import DetectionsTable as DetectionsTable
from .tables.events import EventsTable as EventsTable
from .tables.judged import PairedJudgedTable as PairedJudgedTable
from .tables.multilabel import MultilabelTable as MultilabelTable
from .tables.paired import PairedScoresTable as PairedScoresTable, PairedTable as PairedTable
from .tables.preferences import BattlesTable as BattlesTable, PreferencesTable as PreferencesTable
from .tables.ratings import RatingsTable as RatingsTable
from .tables.score_matrix import (
    MulticlassScoresTable as MulticlassScoresTable,
    MultilabelScoresTable as MultilabelScoresTable,
)
from .tables.scores import ScoresTable as ScoresTable
from .tables.table import Table as Table
from .tables.units import PairedUnitsTable as PairedUnitsTable
from .tables.values import (
    ErrorsTable as ErrorsTable,
    PairedValuesTable as PairedValuesTable,
    TrialsTable as TrialsTable,
    ValuesTable as ValuesTable,
)
