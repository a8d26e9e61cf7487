# The names of this namespace, each once: read by type checkers, and at run time to find where a name is defined.

from .algebra import Algebra as Algebra
from .base import Design as Design
from .clustering import Clustering as Clustering
from .clusters import Clusters as Clusters
from .expected import Batch as Batch, Population as Population
from .fixed_margins import FixedMargins as FixedMargins
from .independent import Independent as Independent, Weighted as Weighted
from .resampling import Resampling as Resampling
from .traits import Description as Description, Traits as Traits
from .two_level import TwoLevel as TwoLevel
from .variance_details import VarianceDetails as VarianceDetails
