"""Pooled values name the positive class of their sites, and sites of different ones are refused."""

import pytest

import howsure as hs

SITES = [[[50, 3], [5, 42]], [[40, 4], [6, 30]], [[61, 5], [3, 31]]]


def tables(*labels):
    """Return a table of each site with the labels of its classes."""
    return [hs.from_counts(counts, labels=names) for counts, names in zip(SITES, labels, strict=True)]


@pytest.mark.parametrize("method", [None, "reml"])
def test_a_pooled_value_names_the_positive_class(method):
    """Where the classes have names, print and records have the positive one; for accuracy there is none."""
    found = hs.pool(tables(*[["well", "ill"]] * 3), "recall", method=method)
    assert "positive: ill" in str(found)
    assert found.records()[0]["positive"] == "ill"
    assert "positive" not in str(hs.pool(tables(*[["well", "ill"]] * 3), "accuracy", method=method))
    assert "positive" not in str(hs.pool(tables(*[[0, 1]] * 3), "recall", method=method))


def test_sites_with_different_positive_classes_are_refused():
    """A site whose classes are in the other order has the sensitivity of the other class."""
    with pytest.raises(hs.HowsureError, match="has the positive class well, and '1' ill"):
        hs.pool(tables(["well", "ill"], ["ill", "well"], ["well", "ill"]), "recall")
    hs.pool(tables(["well", "ill"], ["ill", "well"], ["well", "ill"]), "accuracy")
