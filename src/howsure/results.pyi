# The names of this namespace, each once: read by type checkers, and at run time to find where a name is defined.

from .comparison.alt_test import AltTest as AltTest
from .comparison.board import Leaderboard as Leaderboard, Place as Place
from .comparison.cochran import CochransQ as CochransQ
from .comparison.mcnemar import McNemar as McNemar
from .comparison.models import Comparisons as Comparisons
from .comparison.multiplicity import Differences as Differences
from .comparison.no_information import NoInformation as NoInformation
from .comparison.ranks import Ranks as Ranks
from .comparison.stopping import Stopping as Stopping
from .compat.scorer import Scorer as Scorer
from .curves.curves import Curve as Curve
from .decisions.result import DecisionCurve as DecisionCurve, NetBenefit as NetBenefit
from .estimates.batch import Estimates as Estimates, Evaluations as Evaluations
from .groups.needed import CasesNeeded as CasesNeeded
from .groups.pairs import Gap as Gap, PairGaps as PairGaps
from .groups.result import Gaps as Gaps
from .imperfect_labels.calibration.calibrator import Calibrator as Calibrator
from .imperfect_labels.dataset_shift.importance import ImportanceWeights as ImportanceWeights
from .imperfect_labels.dataset_shift.transported import LabelShiftTest as LabelShiftTest
from .imperfect_labels.noisy.annotators import Consensus as Consensus
from .imperfect_labels.noisy.judge_report import JudgeReport as JudgeReport
from .imperfect_labels.partial.label_plan import LabelPlan as LabelPlan
from .imperfect_labels.partial.label_sample import LabelSample as LabelSample
from .imperfect_labels.review.precision import ReviewedPrecision as ReviewedPrecision
from .imperfect_labels.review.review_plan import ReviewPlan as ReviewPlan
from .logs.evaluated import LogEvaluation as LogEvaluation
from .logs.log import Log as Log
from .planning.result import Plan as Plan
from .pooling.pooled import Pooled as Pooled
from .readers.components import VarianceComponents as VarianceComponents
from .readers.differences import ReaderDifference as ReaderDifference
from .readers.sizes import ReaderPlan as ReaderPlan
from .readers.study import ModalityTest as ModalityTest, ReaderStudy as ReaderStudy
from .report.checklists.checklist import Checklist as Checklist, ChecklistItem as ChecklistItem
from .report.evidence import Subject as Subject
from .report.report import Report as Report
from .requirements.certificate import CertifiedThreshold as CertifiedThreshold
from .requirements.joint_tests import JointTest as JointTest
from .requirements.region import JointRegion as JointRegion
from .training.algorithms import Algorithms as Algorithms
from .training.result import (
    AlgorithmComparison as AlgorithmComparison,
    AlgorithmEstimate as AlgorithmEstimate,
    AlgorithmEvaluation as AlgorithmEvaluation,
    Part as Part,
)
