# The names of this namespace, each once: read by type checkers, and at run time to find where a name is defined.

from .evidence import ReviewedLabels as ReviewedLabels, UnlabelledScores as UnlabelledScores
from .models import PairedModels as PairedModels, SeparateModels as SeparateModels
from .scores import BinormalScores as BinormalScores
from .simulation import Coverage as Coverage, coverage as coverage
from .truths import (
    Cells as Cells,
    Clustered as Clustered,
    FixedTotals as FixedTotals,
    Repeated as Repeated,
    Truth as Truth,
    WeightedCases as WeightedCases,
)
