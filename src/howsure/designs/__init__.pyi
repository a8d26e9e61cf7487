# The names of this namespace, each once: read by type checkers, and at run time to find where a name is defined.

from .base import Design as Design
from .clusters import Clusters as Clusters
from .counted import Independent as Independent, Weighted as Weighted
from .expected import Batch as Batch, Population as Population
from .fixed_margins import FixedMargins as FixedMargins
