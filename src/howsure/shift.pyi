# The names of this namespace, each once: read by type checkers, and at run time to find where a name is defined.

from .evidence.calibration.check import calibration_test as calibration_test
from .evidence.shift.importance import importance_weights as importance_weights
from .evidence.shift.transported import label_shift_test as label_shift_test
from .evidence.unlabelled.miscalibration import miscalibration as miscalibration
