# The names of this namespace, each once: read by type checkers, and at run time to find where a name is defined.

from . import confidenceinterval as confidenceinterval, prob_conf_mat as prob_conf_mat
from .confidenceinterval.classification_report import classification_report_with_ci as classification_report_with_ci
from .fairness import (
    demographic_parity_difference as demographic_parity_difference,
    demographic_parity_ratio as demographic_parity_ratio,
    equal_opportunity_difference as equal_opportunity_difference,
    equal_opportunity_ratio as equal_opportunity_ratio,
    equalized_odds_difference as equalized_odds_difference,
    equalized_odds_ratio as equalized_odds_ratio,
)
from .per_class import (
    fnr_score as fnr_score,
    fpr_score as fpr_score,
    npv_score as npv_score,
    ppv_score as ppv_score,
    tnr_score as tnr_score,
    tpr_score as tpr_score,
)
