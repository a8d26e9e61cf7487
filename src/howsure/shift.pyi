# The names of this namespace, each once: read by type checkers, and at run time to find where a name is defined.

from .imperfect_labels.calibration.check import calibration_test as calibration_test
from .imperfect_labels.dataset_shift.importance import importance_weights as importance_weights
from .imperfect_labels.dataset_shift.transported import label_shift_test as label_shift_test
from .imperfect_labels.unlabelled.miscalibration import miscalibration as miscalibration
