# The names of this namespace, each once: read by type checkers, and at run time to find where a name is defined.

from .comparison.alt_test import alt_test as alt_test
from .imperfect_labels.noisy.annotators import annotated as annotated, consensus as consensus
from .imperfect_labels.noisy.judge_bias import judge_bias as judge_bias
from .imperfect_labels.noisy.judge_report import judge_report as judge_report
from .imperfect_labels.noisy.prediction_powered import prediction_powered as prediction_powered
from .imperfect_labels.noisy.rogan_gladen import corrected as corrected, corrected_prevalence as corrected_prevalence
from .imperfect_labels.partial.label_plan import label_plan as label_plan
from .imperfect_labels.partial.label_sample import sample_to_label as sample_to_label
from .imperfect_labels.review.design import Reviewed as Reviewed
from .imperfect_labels.review.elicitation import beta_prior as beta_prior
from .imperfect_labels.review.precision import reviewed_precision as reviewed_precision
from .imperfect_labels.review.review_plan import review_plan as review_plan
