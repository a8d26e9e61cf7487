"""Predictions of any kind become the same table."""

from collections import Counter

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings, strategies as st
from sklearn import metrics as sk

import howsure as hs
from howsure.sources.columns import group
from support.optional import optional

duckdb = optional("duckdb")
pl = optional("polars")

ROWS = 400
RNG = np.random.default_rng(0)
TRUE = RNG.choice(["cat", "dog", "emu"], ROWS, p=[0.5, 0.3, 0.2])
PREDICTED = np.where(RNG.random(ROWS) < 0.8, TRUE, RNG.choice(["cat", "dog", "emu"], ROWS))
WEIGHT = RNG.choice([0.5, 1.0, 3.0], ROWS)
OWNER = RNG.integers(0, 40, ROWS)
FRAME = pd.DataFrame({"true": TRUE.astype(object), "pred": PREDICTED.astype(object), "w": WEIGHT, "owner": OWNER})
EXPECTED = sk.confusion_matrix(TRUE, PREDICTED)

FRAMES = {
    "pandas": lambda: FRAME,
    "pandas categorical": lambda: FRAME.astype({"true": "category", "pred": "category"}),
    "pandas strings": lambda: FRAME.astype({"true": "string", "pred": "string"}),
    "polars": lambda: pl.from_pandas(FRAME),
    "polars lazy": lambda: pl.from_pandas(FRAME).lazy(),
    "polars categorical": lambda: pl.from_pandas(FRAME).with_columns(pl.col("true", "pred").cast(pl.Categorical)),
    "arrow": lambda: pa.Table.from_pandas(FRAME),
    "duckdb": lambda: duckdb.from_arrow(pa.Table.from_pandas(FRAME)),
    "mapping": lambda: {name: FRAME[name].tolist() for name in FRAME},
}
COLUMNS = {
    "list": list,
    "fixed-width": np.asarray,
    "object": lambda values: np.asarray(values).astype(object),
    "pandas": pd.Series,
    "categorical": lambda values: pd.Series(values, dtype="category"),
    "polars": lambda values: pl.Series(list(values)),
    "arrow": lambda values: pa.array(list(values)),
    "chunked dictionary": lambda values: pa.chunked_array([pa.array(list(values)).dictionary_encode()]),
}


@pytest.mark.parametrize("kind", FRAMES)
def test_frames_of_every_kind_give_one_table(kind):
    """Counts, weights, clusters and groups equal those from arrays, for any container of the columns."""
    data = FRAMES[kind]()
    assert np.array_equal(hs.confusion("true", "pred", data=data).counts, EXPECTED)
    weighted = hs.confusion("true", "pred", data=data, sample_weight="w")
    assert np.allclose(weighted.counts, sk.confusion_matrix(TRUE, PREDICTED, sample_weight=WEIGHT))
    assert np.allclose(
        weighted.design.weight_squared.reshape(3, 3), sk.confusion_matrix(TRUE, PREDICTED, sample_weight=WEIGHT**2)
    )
    clustered = hs.confusion("true", "pred", data=data, groups="owner")
    assert clustered.design.number == len(set(OWNER))
    gradient = np.arange(9.0).reshape(3, 3)
    sums = [gradient[np.unique(TRUE, return_inverse=True)[1], np.unique(PREDICTED, return_inverse=True)[1]][o == OWNER].sum() for o in sorted(set(OWNER))]  # fmt: skip
    expected = len(sums) / (len(sums) - 1) * np.square(sums).sum()
    assert clustered.variance(gradient) == pytest.approx(expected)
    parts = hs.confusion("true", "pred", data=data, by="owner")
    assert list(parts) == sorted(set(OWNER.tolist()))
    assert np.array_equal(sum(part.counts for part in parts.values()), EXPECTED)


@pytest.mark.parametrize("kind", COLUMNS)
def test_columns_of_every_kind_give_one_table(kind):
    """Lists, arrays and the columns of frame libraries give the same counts and labels."""
    make = COLUMNS[kind]
    table = hs.confusion(make(TRUE), make(PREDICTED))
    assert np.array_equal(table.counts, EXPECTED)
    assert table.labels.tolist() == ["cat", "dog", "emu"]


@pytest.mark.parametrize(
    "labels",
    [[0, 1], [1, 2], [-1, 1], [0, 1000], [0, 10**9], [False, True], ["a", "b"], [2.0, 7.0], [0.5, 1.5]],
)
def test_any_two_labels(labels):
    """Integers near and far, bools, strings and floats all serve as labels."""
    codes = RNG.integers(0, 2, 200)
    guess = np.where(RNG.random(200) < 0.7, codes, 1 - codes)
    table = hs.confusion(np.array(labels)[codes], np.array(labels)[guess])
    assert np.array_equal(table.counts, sk.confusion_matrix(codes, guess))


@given(
    st.lists(
        st.tuples(st.integers(-3, 3), st.sampled_from(["a", "b", "ü", "日本"]), st.integers(0, 4)),
        min_size=1,
        max_size=60,
    )
)
@settings(max_examples=60)
def test_grouping_equals_a_counter(rows):
    """Distinct rows and how often they occur equal Python's own count."""
    columns = {name: [row[i] for row in rows] for i, name in enumerate("xyz")}
    grouped = group(columns)
    found = {
        tuple(level.tolist()[code] for level, code in zip(grouped.levels, codes, strict=True)): n
        for *codes, n in zip(*grouped.codes, grouped.n, strict=True)
    }
    assert found == Counter(rows)


def test_many_fixed_width_labels():
    """More labels than fit the hash table, over many blocks, are still counted exactly."""
    names = np.array([f"class {i:04d}" for i in range(700)])
    codes = RNG.integers(0, 700, 150_000)
    grouped = group({"x": names[codes]})
    assert grouped.levels[0].tolist() == names[np.unique(codes)].tolist()
    assert np.array_equal(grouped.n[np.argsort(grouped.codes[0])], np.bincount(codes)[np.unique(codes)])
    late = np.where(np.arange(150_000) < 140_000, names[codes % 3], names[codes % 9])
    found = group({"x": late})
    assert dict(zip(found.levels[0][found.codes[0]].tolist(), found.n.tolist(), strict=True)) == Counter(late.tolist())


@pytest.mark.parametrize("kind", ["int64", "uint64", "int32", "float64"])
@pytest.mark.parametrize("number, rows", [(2, 9), (5, 80_000), (60, 80_000), (900, 80_000)])
def test_integers_far_apart_are_counted_as_any_others(kind, number, rows):
    """Ids as labels, few or many, in any order: the table is that of Python's own count, its labels ascending."""
    info = np.iinfo("int32" if kind in ("int32", "float64") else kind)
    names = RNG.choice(np.linspace(info.min, info.max, 5_000).astype("float64"), number, replace=False)
    names = np.unique(np.clip(names, float(info.min), float(info.max) * (1 - 1e-9)).astype(kind))
    truth = names[RNG.integers(0, len(names), rows)]
    said = np.where(RNG.random(rows) < 0.7, truth, names[RNG.integers(0, len(names), rows)])
    table = hs.confusion(truth, said, check=False)
    pairs = Counter(zip(truth.tolist(), said.tolist(), strict=True))
    labels = sorted({each for pair in pairs for each in pair})
    assert table.labels.tolist() == labels
    filled = {(labels[i], labels[j]): table.counts[i, j] for i, j in zip(*np.nonzero(table.counts), strict=True)}
    assert filled == pairs


def test_ordered_categories_keep_their_order():
    """An ordered categorical's order is the order of the classes."""
    sizes = pd.CategoricalDtype(["small", "medium", "large"], ordered=True)
    true = pd.Series(["large", "small", "medium", "small"], dtype=sizes)
    assert hs.confusion(true, true.iloc[::-1].reset_index(drop=True)).labels.tolist() == ["small", "medium", "large"]


def test_labels_order_and_restrict():
    """`labels` puts the classes in order, and leaves out the cases of others as scikit-learn does."""
    order = ["emu", "cat"]
    table = hs.confusion(TRUE, PREDICTED, labels=order)
    assert np.array_equal(table.counts, sk.confusion_matrix(TRUE, PREDICTED, labels=order))
    assert table.rows == table.counts.sum()


def test_classes_absent_on_one_side():
    """A class that is never true, or never predicted, has its row or column of zeros."""
    table = hs.confusion(["a", "b", "a"], ["c", "b", "c"])
    assert table.counts.astype(int).tolist() == [[0, 0, 2], [0, 1, 0], [0, 0, 0]]


def test_multilabel_rows_are_clusters():
    """Micro F1 of indicator arrays has the standard error of the bootstrap of rows."""
    rng = np.random.default_rng(3)
    shared = rng.random((600, 1)) < 0.5
    true = ((rng.random((600, 5)) < 0.3) | shared).astype(int)
    predicted = np.where(rng.random((600, 5)) < 0.85, true, 1 - true)
    table = hs.confusion(true, predicted)
    often = rng.multinomial(600, np.full(600, 1 / 600), 4000)  # how often each row is in a resample
    hits, actual, said = (often @ each for each in (true * predicted, true, predicted))
    each = 2 * hits / (actual + said)
    resampled = {
        "micro": 2 * hits.sum(1) / (actual + said).sum(1),
        "macro": each.mean(1),
        "weighted": (each * actual).sum(1) / actual.sum(1),
    }
    rows = np.repeat(np.arange(600), often[0])
    for average, values in resampled.items():
        estimate = hs.estimate(table, f"f1@{average}", method="wald")
        assert estimate.value == pytest.approx(sk.f1_score(true, predicted, average=average), abs=1e-12)
        assert values[0] == pytest.approx(sk.f1_score(true[rows], predicted[rows], average=average), abs=1e-12)
        assert estimate.standard_error == pytest.approx(np.std(values), rel=0.05)
        drawn = hs.estimate(table, f"f1@{average}", method="bootstrap_percentile", random_state=0)
        assert drawn.standard_error == pytest.approx(estimate.standard_error, rel=0.05)


def test_multilabel_weights_and_groups():
    """Weights multiply rows, and groups join them into larger clusters."""
    rng = np.random.default_rng(4)
    true, weight = rng.integers(0, 2, (90, 3)), rng.integers(1, 4, 90)
    predicted = np.where(rng.random((90, 3)) < 0.8, true, 1 - true)
    weighted = hs.confusion(true, predicted, sample_weight=weight)
    assert hs.estimate(weighted, "f1@macro").value == pytest.approx(
        sk.f1_score(true, predicted, average="macro", sample_weight=weight)
    )
    twice = hs.confusion(np.repeat(true, 2, 0), np.repeat(predicted, 2, 0), groups=np.repeat(np.arange(90), 2))
    once = hs.confusion(true, predicted)
    one, two = (hs.estimate(table, "f1@micro", method="wald").standard_error for table in (once, twice))
    assert two == pytest.approx(one)


BAD = {
    "lengths": (lambda: hs.confusion([1, 2, 1], [1, 2]), "`y_true` has 3, `y_pred` has 2"),
    "empty": (lambda: hs.confusion([], []), "`y_true` is empty"),
    "missing": (lambda: hs.confusion([1, None, 2, None], [1, 2, 1, 2]), "2 missing values .first at row 1"),
    "nan": (lambda: hs.confusion([1.0, 2.0], [1.0, float("nan")]), "`y_pred` has 1 missing value"),
    "pandas missing": (lambda: hs.confusion(pd.Series(["a", None]), ["a", "b"]), "`y_true` has 1 missing value"),
    "polars missing": (lambda: hs.confusion(pl.Series(["a", None]), ["a", "b"]), "`y_true` has 1 missing value"),
    "mixed": (lambda: hs.confusion(["1", "2"], [1, 2]), "`y_true` holds text .'1'. and `y_pred` holds numbers .1."),
    "one class": (lambda: hs.confusion([1, 1], [1, 1]), "Only the class 1 occurs"),
    "scores": (lambda: hs.confusion([0, 1], [[0.2, 0.8], [0.3, 0.7]]), "argmax"),
    "name": (lambda: hs.confusion("a", "b"), "`data=`"),
    "column": (lambda: hs.confusion("tru", "pred", data=FRAME), "no column 'tru'. Did you mean 'true'"),
    "column of a relation": (lambda: hs.confusion("tru", "pred", data=FRAMES["duckdb"]()), "Did you mean 'true'"),
    "frame": (lambda: hs.confusion("true", "pred", data=3.5), "`data` is a float"),
    "column by value": (lambda: hs.confusion(TRUE, "pred", data=FRAME), "`y_true` is the name of a column"),
    "weights": (lambda: hs.confusion([0, 1], [0, 1], sample_weight=[1, -2]), "`sample_weight.1.` = -2 is negative"),
    "infinite weights": (lambda: hs.confusion([0, 1], [0, 1], sample_weight=[1, np.inf]), "not finite"),
    "zero weights": (lambda: hs.confusion([0, 1], [0, 1], sample_weight=[0, 0]), "all zeros"),
    "unknown label": (lambda: hs.confusion([0, 1], [0, 1], labels=["x", "y"]), "no label 'x'"),
    "no labels": (lambda: hs.confusion([0, 1], [0, 1], labels=[]), "`labels` is empty"),
    "no labels in two dimensions": (lambda: hs.labels.consensus([[0, 1], [1, 1]], labels=np.empty((0, 2))), "is empty"),
    "repeated label": (lambda: hs.confusion([0, 1], [0, 1], labels=[0, 0]), "more than once"),
    "indicator": (lambda: hs.confusion(np.array([[0, 2], [1, 0]]), np.array([[0, 1], [1, 0]])), "indicator"),
    "indicator shapes": (lambda: hs.confusion(np.eye(3), np.eye(3)[:, :2]), "shape"),
    "lazy missing": (
        lambda: hs.confusion("a", "b", data=pl.LazyFrame({"a": ["x", None, None], "b": ["x", "y", "y"]})),
        "`y_true` has 2 missing values",
    ),
    "lazy weights": (
        lambda: hs.confusion(
            "a", "b", data=pl.LazyFrame({"a": [0, 1], "b": [0, 1], "w": [1.0, -1.0]}), sample_weight="w"
        ),
        "column 'w'",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_names_culprit_and_remedy(case):
    """Each kind of bad input raises our own error, in one line that names the culprit."""
    call, words = BAD[case]
    with pytest.raises(hs.HowsureError, match=words):
        call()


@pytest.mark.parametrize("labels", [[0, 1, 1], np.eye(3), np.empty((0, 2))])
def test_whether_to_check_is_yes_or_no(labels):
    """Anything else is refused, whatever the labels."""
    with pytest.raises(hs.HowsureError, match="`check` must be True or False"):
        hs.confusion(labels, labels, check=np.array(["a", "b"]))


@pytest.mark.parametrize("labels", [{"a", "b"}, frozenset("ab"), {"a": 0, "b": 1}])
def test_labels_without_an_order_are_refused(labels):
    """The order of a set changes from run to run, and with it the names of the classes and the positive one."""
    for call in (
        lambda: hs.from_counts([[5, 2], [1, 7]], labels=labels),
        lambda: hs.confusion(["a", "b"], ["b", "a"], labels=labels),
    ):
        with pytest.raises(hs.HowsureError, match="list with one label per class, in order, and not a"):
            call()
