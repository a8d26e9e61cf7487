# The names of this namespace, each once: read by type checkers, and at run time to find where a name is defined.

from . import (
    comparison as comparison,
    compat as compat,
    designs as designs,
    kinds as kinds,
    lab as lab,
    labels as labels,
    methods as methods,
    plots as plots,
    pooling as pooling,
    results as results,
    shift as shift,
    tables as tables,
)
from .about import __version__ as __version__, show_versions as show_versions
from .comparison.cochran import cochrans_q as cochrans_q
from .comparison.compare import compare as compare
from .comparison.leaderboard import leaderboard as leaderboard
from .comparison.mcnemar import mcnemar as mcnemar
from .comparison.models import compare_all as compare_all, evaluate_models as evaluate_models
from .comparison.monitoring import monitor as monitor
from .comparison.ranks import ranks as ranks
from .comparison.result import Comparison as Comparison
from .comparison.stopping import stop as stop
from .compat.classification import classification_report as classification_report
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
    jaccard_score as jaccard_score,
    precision_score as precision_score,
    recall_score as recall_score,
)
from .compat.scorer import scorer as scorer
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
from .curves.calibration import calibration_curve as calibration_curve
from .curves.curves import (
    det_curve as det_curve,
    precision_recall_curve as precision_recall_curve,
    roc_curve as roc_curve,
)
from .curves.optimal_threshold import optimal_threshold as optimal_threshold
from .curves.thresholds import threshold_curves as threshold_curves
from .decisions.along_risks import decision_curve as decision_curve
from .errors import HowsureError as HowsureError, HowsureWarning as HowsureWarning
from .estimates.estimate import Estimate as Estimate
from .estimates.estimation import estimate as estimate, evaluate as evaluate
from .estimates.evaluation import Evaluation as Evaluation
from .estimates.printed_area import from_auc as from_auc
from .estimates.proportion import proportion as proportion
from .estimates.rows import bootstrap as bootstrap, bootstrap_ci as bootstrap_ci
from .estimates.units import per_unit as per_unit
from .groups.group_gaps import gaps as gaps
from .imperfect_labels.calibration.calibrate import calibrate as calibrate
from .imperfect_labels.dataset_shift.transported import transported as transported
from .imperfect_labels.noisy.judged import judged as judged
from .imperfect_labels.noisy.judged_values import judged_values as judged_values
from .imperfect_labels.partial.partly_labelled import partly_labelled as partly_labelled
from .imperfect_labels.review.reviewed import reviewed as reviewed
from .imperfect_labels.unlabelled.calibrated import calibrated as calibrated
from .logs.evaluated import evaluate_log as evaluate_log
from .logs.reading import read_log as read_log
from .methods.library import suitable_methods as suitable_methods
from .metrics.define import define_metric as define_metric
from .planning.sizes import plan as plan
from .pooling.folds import pool_folds as pool_folds
from .pooling.pools import pool as pool
from .pooling.tables import pool_tables as pool_tables
from .readers.studies import reader_study as reader_study
from .report.measured import report_of as report_of
from .requirements.certified import certified_threshold as certified_threshold
from .requirements.joint_tests import joint_test as joint_test
from .requirements.regions import joint_region as joint_region
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
from .tables.serialization import load as load
from .tables.table import Table as Table
from .training.doors import cross_validated as cross_validated, training_runs as training_runs
