"""The data that come with the package."""

import numpy as np
import pandas as pd
import pytest

import howsure as hs
from support.examples import EXAMPLES


@pytest.mark.parametrize("name", ["breast_cancer", "wine", "digits"])
def test_examples_are_the_files(name):
    """Columns and types are those that pandas reads from the file."""
    found, expected = pd.DataFrame(hs.load_example(name)), pd.read_csv(EXAMPLES / f"{name}.csv")
    pd.testing.assert_frame_equal(found, expected, check_dtype=False)
    assert [kind.kind for kind in found.dtypes][1:] == [kind.kind for kind in expected.dtypes][1:]


def test_examples_are_data():
    """A table of the columns is a table of the file."""
    table = hs.confusion("label", "logistic", data=hs.load_example("digits"))
    assert np.array_equal(table.counts, hs.confusion("label", "logistic", data=str(EXAMPLES / "digits.csv")).counts)


def test_unknown_examples_are_refused():
    """A slip gets the nearest name."""
    with pytest.raises(hs.HowsureError, match="Did you mean 'breast_cancer'"):
        hs.load_example("breast_cancr")
