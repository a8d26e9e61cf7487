# The names of this namespace, each once: read by type checkers, and at run time to find where a name is defined.

from .comparison.alt_test import alt_test as alt_test
from .evidence.labels.annotators import annotated as annotated, consensus as consensus
from .evidence.labels.judge_report import judge_report as judge_report
from .evidence.labels.label_plan import label_plan as label_plan
from .evidence.labels.label_sample import sample_to_label as sample_to_label
from .evidence.labels.leaning import judge_leaning as judge_leaning
from .evidence.labels.prediction_powered import prediction_powered as prediction_powered
from .evidence.labels.rogan_gladen import corrected as corrected, corrected_prevalence as corrected_prevalence
from .evidence.review.budget import review_plan as review_plan
from .evidence.review.design import Reviewed as Reviewed
from .evidence.review.elicitation import beta_prior as beta_prior
from .evidence.review.precision import reviewed_precision as reviewed_precision
