"""The choice of a method, and what an estimate says of it."""

import howsure as hs
from howsure.methods.default import PREFERENCE, WHY


def test_every_default_method_says_why_it_is_taken():
    """An estimate tells what its method is taken for; one that nobody takes unasked tells nothing."""
    table = hs.from_counts([[50, 3], [5, 42]])
    assert [each.name for each in PREFERENCE] == list(WHY)
    for metric in ("recall", "mcc", "dor"):
        found = hs.estimate(table, metric)
        assert found.why == WHY[found.method]
        assert found.why
    assert hs.estimate(table, "recall", method="clopper_pearson").why == ""
