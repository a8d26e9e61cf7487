# The names of this namespace, each once: read by type checkers, and at run time to find where a name is defined.

from .multiplicity import adjusted_p_values as adjusted_p_values, simultaneous_differences as simultaneous_differences
from .no_information import no_information_test as no_information_test
