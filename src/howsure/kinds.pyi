# The names of this namespace, each once: read by type checkers, and at run time to find where a name is defined.

from .metrics.define import define_evidence as define_evidence
from .metrics.registry import Scored as Scored
from .sources.cases import count_cases as count_cases
from .tables.kind import Kind as Kind
from .tables.values import CasesTable as CasesTable
