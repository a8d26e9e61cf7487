"""Frames and relations of every kind give the same groups, and bad columns a clear error."""

from collections import Counter

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import howsure as hs
from howsure.sources.frames import columns, grouped
from support.optional import optional

duckdb = optional("duckdb")
pl = optional("polars")

RNG = np.random.default_rng(5)
ROWS = 300
FRAME = pd.DataFrame(
    {
        "text": RNG.choice(["cat", "dog", "emu"], ROWS).astype(object),
        "whole": RNG.integers(-2, 3, ROWS),
        "half": RNG.choice([0.5, 1.0, 2.5], ROWS),
        "flag": RNG.random(ROWS) < 0.3,
        "weight": RNG.choice([2, 100, 120], ROWS).astype(np.int8),
    }
)
KINDS = {
    "pandas": lambda frame: frame,
    "polars": pl.from_pandas,
    "polars lazy": lambda frame: pl.from_pandas(frame).lazy(),
    "arrow": lambda frame: pa.Table.from_pandas(frame, preserve_index=False),
    "duckdb": lambda frame: duckdb.from_arrow(pa.Table.from_pandas(frame, preserve_index=False)),
    "mapping": lambda frame: {name: frame[name].tolist() for name in frame},
}
LAZY = ["polars lazy", "duckdb"]


def rows_of(found, values):
    """Return combination -> number."""
    keys = [levels[codes].tolist() for levels, codes in zip(found.levels, found.codes, strict=True)]
    return dict(zip(zip(*keys, strict=True), values.tolist(), strict=True))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("names", [("text",), ("whole", "half"), ("flag", "text", "whole"), ("text", "text")])
def test_groups_equal_a_counter(kind, names):
    """Combinations, row counts, weights and squared weights equal a loop over the rows, wherever they are summed."""
    found = grouped(KINDS[kind](FRAME), {f"role {i}": name for i, name in enumerate(names)}, "weight")
    number, weight, squared = Counter(), Counter(), Counter()
    for *key, each in zip(*(FRAME[name].tolist() for name in names), FRAME["weight"].tolist(), strict=True):
        number[tuple(key)] += 1
        weight[tuple(key)] += each
        squared[tuple(key)] += each**2
    assert rows_of(found, found.n) == number
    assert rows_of(found, found.weight) == weight
    assert rows_of(found, found.weight_squared) == squared
    assert all(levels.tolist() == sorted(set(FRAME[name])) for levels, name in zip(found.levels, names, strict=True))


@pytest.mark.parametrize("kind", KINDS)
def test_columns_are_those_of_the_frame(kind):
    """The plain columns contain the frame's values in its order."""
    found = columns(KINDS[kind](FRAME), {"y_score": "half", "y_true": "text"})
    assert list(found) == ["y_score", "y_true"]
    assert list(found["y_score"]) == FRAME["half"].tolist() or found["y_score"].to_pylist() == FRAME["half"].tolist()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("role", ["y_true", "y_pred"])
def test_missing_labels_are_counted_and_refused(kind, role):
    """Missing labels are refused in every kind of frame, with their column and their number."""
    frame = FRAME.assign(gaps=FRAME["text"].where(np.arange(ROWS) % 100 != 7, None))
    names = {"y_true": "text", "y_pred": "text", role: "gaps"}
    with pytest.raises(hs.HowsureError, match=f"`{role}` has 3 missing values"):
        grouped(KINDS[kind](frame), names)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("bad", [-1.0, np.inf, None])
def test_bad_weights_are_refused(kind, bad):
    """Negative, infinite and missing weights are refused in every kind of frame."""
    weight = FRAME["half"].astype(object)
    weight.iloc[5] = bad
    frame = FRAME.assign(bad=weight.astype(float))
    with pytest.raises(hs.HowsureError, match="`sample_weight"):
        grouped(KINDS[kind](frame), {"y_true": "text"}, "bad")


@pytest.mark.parametrize("kind", LAZY)
def test_weights_that_are_text(kind):
    """A text column as weight is refused before the engine sums it."""
    with pytest.raises(hs.HowsureError, match=r"column 'text'. is not numeric"):
        grouped(KINDS[kind](FRAME), {"y_true": "whole"}, "text")


def test_columns_of_one_name():
    """A pandas frame with two columns of the same name is refused as ambiguous."""
    frame = pd.DataFrame([["a", "b"], ["b", "b"]], columns=["label", "label"])
    with pytest.raises(hs.HowsureError, match="several columns of one name"):
        hs.confusion("label", "label", data=frame, check=False)
