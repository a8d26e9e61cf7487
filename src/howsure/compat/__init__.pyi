# The names of this namespace, each once: read by type checkers, and at run time to find where a name is defined.

from . import confidenceinterval as confidenceinterval, prob_conf_mat as prob_conf_mat
from .confidenceinterval.classification_report import classification_report_with_ci as classification_report_with_ci
from .per_class import (
    fnr_score as fnr_score,
    fpr_score as fpr_score,
    npv_score as npv_score,
    ppv_score as ppv_score,
    tnr_score as tnr_score,
    tpr_score as tpr_score,
)
