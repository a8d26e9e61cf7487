"""For tests of one's own metrics, methods, designs, sources and kinds of evidence: the laws that howsure's keep."""

from howsure.testing.designs import check_design
from howsure.testing.evidence import check_evidence
from howsure.testing.methods import check_method
from howsure.testing.metrics import check_metric
from howsure.testing.sources import check_source

__all__ = ["check_design", "check_evidence", "check_method", "check_metric", "check_source"]
