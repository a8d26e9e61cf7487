"""For tests of one's own metrics, methods and designs: the laws that howsure's keep."""

from howsure.testing.designs import check_design
from howsure.testing.methods import check_method
from howsure.testing.metrics import check_metric

__all__ = ["check_design", "check_method", "check_metric"]
