"""The list of all methods, and of those that suit a metric of a table."""

import numpy as np
import pytest

import howsure as hs
from howsure.methods.library import METHODS, MODULES

TABLE = hs.from_counts([[50, 3], [5, 42]])
SCORES = hs.scores(np.arange(40) % 2, np.arange(40) % 7 / 7)


@pytest.mark.parametrize("table, metric", [(TABLE, "mcc"), (TABLE, "recall"), (SCORES, "roc_auc"), (SCORES, "ece")])
def test_methods_that_do_not_suit_are_those_that_are_refused(table, metric):
    """The default is the first of the others, once; each method that is not among them is refused with a remedy."""
    found = hs.suitable_methods(table, metric)
    assert found[0] == hs.estimate(table, metric).method
    assert len(found) == len(set(found))
    assert set(found) < set(METHODS)
    for name in METHODS.keys() - set(found):
        with pytest.raises(hs.HowsureError, match="Use|Make|Ask"):
            hs.estimate(table, metric, method=name)
    for name in [each for each in found if "bootstrap" not in each]:
        assert hs.estimate(table, metric, method=name, random_state=0).method == name


def test_methods_are_listed_by_kind():
    """Those of proportions come first, and those of a module together, in the order of the modules."""
    modules = [each.kind.__module__ for each in METHODS.values() if each.kind.__module__.startswith("howsure.")]
    order = [module.__name__ for module in MODULES]
    assert modules == sorted(modules, key=order.index)
    assert modules[0].endswith("proportion")
    assert set(modules) == set(order)
