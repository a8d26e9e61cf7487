"""Parts of the same data: added, counted in batches, merged from workers, and saved, for every table and design."""

import dataclasses
import datetime as dt
import functools
import itertools
import json
import pickle
import sys
from types import MethodType

import numpy as np
import pytest

import howsure as hs
from howsure.tables.protocols import default_metrics
from howsure.tables.serialization import PARTS, kind_of

N = 48
RNG = np.random.default_rng(11)
THREE = RNG.integers(0, 3, N)
TWO = (THREE > 0) * 1
DATA = {
    "three": THREE,
    "said": np.where(RNG.random(N) < 0.7, THREE, RNG.integers(0, 3, N)),
    "two": TWO,
    "first": np.where(RNG.random(N) < 0.8, TWO, 1 - TWO),
    "second": np.where(RNG.random(N) < 0.7, TWO, 1 - TWO),
    "score": np.round(0.5 * RNG.random(N) + 0.4 * TWO, 2),
    "other": np.round(0.6 * RNG.random(N) + 0.3 * TWO, 2),
    "matrix": np.round(RNG.dirichlet(np.ones(3), N) * 0.6 + 0.4 * np.eye(3)[THREE], 3),
    "weight": RNG.gamma(2, 0.5, N) + 0.1,
    "cluster": np.array([f"p{number:02}" for number in RNG.integers(0, 12, N)]),
    "by": np.array(["a", "b", "c"])[np.arange(N) * 3 // N],
    "task": np.arange(N),
}


def trials(success, task, **more):
    return hs.trials(success, task=task, **more)


def errors(prediction, truth, **more):
    return hs.values(prediction, truth=truth, **more)


# The source of each kind of table, its settings, and the columns that it takes.
KINDS = {
    "two classes": (hs.confusion, {"labels": [0, 1]}, lambda data: (data["two"], data["first"])),
    "three classes": (hs.confusion, {"labels": [0, 1, 2]}, lambda data: (data["three"], data["said"])),
    "multilabel": (hs.confusion, {}, lambda data: (both(data, "two", "first"), both(data, "first", "second"))),
    "scores": (hs.scores, {"pos_label": 1}, lambda data: (data["two"], data["score"])),
    "scores of classes": (
        hs.multiclass_scores,
        {"labels": [0, 1, 2]},
        lambda data: (data["three"], data["matrix"]),
    ),
    "scores of labels": (
        hs.multiclass_scores,
        {},
        lambda data: (both(data, "two", "first"), both(data, "score", "other")),
    ),
    "paired": (hs.paired, {"labels": [0, 1]}, lambda data: (data["two"], pair(data, "first", "second"))),
    "paired scores": (hs.paired_scores, {"pos_label": 1}, lambda data: (data["two"], pair(data, "score", "other"))),
    "values": (hs.values, {"bounds": (0, 1)}, lambda data: (data["score"],)),
    "values of models": (hs.values, {"bounds": (0, 1)}, lambda data: (pair(data, "score", "other"),)),
    "errors": (errors, {}, lambda data: (data["score"], data["other"])),
    "trials": (trials, {}, lambda data: (data["two"], data["task"])),
    "events": (hs.events, {}, lambda data: (data["two"] * data["first"], data["first"], data["two"])),
}
DESIGNS = {
    "plain": {},
    "weighted": {"sample_weight": "weight"},
    "clustered": {"groups": "cluster"},
    "both": {"sample_weight": "weight", "groups": "cluster"},
}
BY = {"alone": {}, "groups": {"by": "by"}}
CASES = list(itertools.product(KINDS, DESIGNS, BY))


def both(data, *names):
    return np.stack([data[name] for name in names], 1)


def pair(data, *names):
    return {name: data[name] for name in names}


def batch(kind, design, by, rows):
    """Return the columns of some rows, in the form of the source's arguments."""
    data = {name: values[rows] for name, values in DATA.items()}
    more = {role: data[name] for role, name in (DESIGNS[design] | BY[by]).items()}
    return KINDS[kind][2](data), more


def table(kind, design, by, rows=slice(None)):
    """Return the table that the source makes from a selection of rows."""
    source, settings, _ = KINDS[kind]
    columns, more = batch(kind, design, by, rows)
    return source(*columns, **settings, **more)


def rows_apart():
    """Return the rows in a random order, in batches of unequal sizes, of which some lack classes and clusters."""
    order = np.random.default_rng(3).permutation(N)
    return np.split(order, [1, 9, 30])


def added(kind, design, by):
    return sum(table(kind, design, by, rows) for rows in rows_apart())


def accumulated(kind, design, by):
    source, settings, _ = KINDS[kind]
    seen = hs.Accumulator(source, **settings)
    for rows in rows_apart():
        columns, more = batch(kind, design, by, rows)
        seen.update(*columns, **more)
    return seen.table


def merged(kind, design, by):
    """Count the batches in two workers, which send theirs as bytes, in the other order."""
    source, settings, _ = KINDS[kind]
    workers = [hs.Accumulator(source, **settings) for _ in range(2)]
    for number, rows in enumerate(rows_apart()):
        columns, more = batch(kind, design, by, rows)
        workers[number % 2].update(*columns, **more)
    second, first = (pickle.loads(pickle.dumps(each)) for each in workers)
    first.merge(second)
    return first.table


VERBS = {"added": added, "accumulated": accumulated, "merged": merged}


def numbers(tables):
    """Return the first default metric, of paired models of the first one, with limits by the design's variance."""
    if hasattr(getattr(tables, "overall", tables), "models"):
        name = getattr(tables, "overall", tables).models[0]
        tables = (
            tables.mapped(lambda each: each.model(name)) if isinstance(tables, hs.tables.Tables) else tables.model(name)
        )
    name = default_metrics(getattr(tables, "overall", tables))[0]
    records = hs.evaluate(tables, [name], method="delta").records()
    return [number for each in records for number in (each["value"], each["low"], each["high"])]


@functools.cache
def numbers_of_all(kind, design, by):
    return numbers(table(kind, design, by))


@pytest.mark.thorough
@pytest.mark.parametrize("verb", VERBS)
def test_parts_are_the_whole(verb):
    """For any table, and any division, order and merging of its cases: equal counts and intervals."""
    for kind, design, by in CASES:
        whole, found = table(kind, design, by), VERBS[verb](kind, design, by)
        one, two = (getattr(each, "overall", each) for each in (whole, found))
        assert one.labels.tolist() == two.labels.tolist(), kind
        assert one.rows == two.rows == N, kind
        assert type(one) is type(two)
        assert np.sort(one.counts, axis=None) == pytest.approx(np.sort(two.counts, axis=None), rel=1e-12), kind
        if by == "groups":
            assert list(whole) == list(found)
            assert [each.rows for each in whole.values()] == [each.rows for each in found.values()]
            assert (whole.stack is None) == (found.stack is None)
        assert numbers_of_all(kind, design, by) == pytest.approx(numbers(found), rel=1e-12, abs=1e-12, nan_ok=True)


def test_default_intervals_of_parts():
    """Default intervals, differences between models and bootstraps of a sum are those of the whole."""
    for design in DESIGNS:
        whole, found = (make("two classes", design, "alone") for make in (table, added))
        for method in ("auto", "bootstrap"):
            one, two = (hs.estimate(each, "f1", method=method, random_state=0) for each in (whole, found))
            exact = {"rel": 1e-9} if method == "auto" else {"abs": 0.01}  # which also differ in their streams
            assert (one.low, one.high) == pytest.approx((two.low, two.high), **exact), (design, method)
        one, two = (hs.compare(make("paired", design, "alone"), "accuracy") for make in (table, added))
        assert (one.low, one.high, one.p_value) == pytest.approx((two.low, two.high, two.p_value), rel=1e-9)


def same(one, two):
    """Whether two tables, designs or values are of the same types and values, to the last bit."""
    one, two = (each.toarray() if hasattr(each, "toarray") else each for each in (one, two))
    one, two = (each.parts() if isinstance(each, hs.tables.Tables) else each for each in (one, two))
    if dataclasses.is_dataclass(one):
        one, two = ({each.name: getattr(held, each.name) for each in dataclasses.fields(held)} for held in (one, two))
    if isinstance(one, np.ndarray) and isinstance(two, np.ndarray) and (one.dtype, one.shape) == (two.dtype, two.shape):
        return same(tuple(one.ravel().tolist()), tuple(two.ravel().tolist()))
    if isinstance(one, dict) and isinstance(two, dict):
        return one.keys() == two.keys() and all(same(one[name], two[name]) for name in one)
    if isinstance(one, MethodType) and isinstance(two, MethodType):
        return one.__name__ == two.__name__ and same(one.__self__, two.__self__)
    if isinstance(one, tuple) and isinstance(two, tuple):
        return len(one) == len(two) and all(map(same, one, two))
    return type(one) is type(two) and bool(one == two)


def calibrator(method):
    return hs.calibrate(DATA["other"], DATA["two"], method=method, random_state=0)


REVIEWS = np.array([[[8.0, 1.0], [3.0, 5.0]], [[6.0, 4.0], [0.0, 9.0]]])
REVIEWED = [int(label) if case < 20 else None for case, label in enumerate(TWO)]
EVIDENCE = {
    "fixed margins": lambda: hs.from_counts([[21, 4], [3, 20]]).with_design(hs.designs.FixedMargins()),
    "a batch": lambda: hs.from_counts([[[5, 1], [2, 4]], [[3, 0], [1, 9]]]),
    "calibrated": lambda: hs.calibrated(DATA["score"]),
    "calibrated, predicted": lambda: hs.calibrated(DATA["score"]).at(0.5),
    "calibrated population": lambda: hs.calibrated(DATA["score"], target="population", sample_weight=DATA["weight"]),
    "calibrated classes": lambda: hs.calibrated(DATA["matrix"] / DATA["matrix"].sum(1, keepdims=True)),
    "reviewed": lambda: hs.reviewed([[90, 10], [20, 80]], REVIEWS),
    "calibrated by": lambda: hs.calibrated(DATA["score"], calibrator=calibrator("beta")),
    "calibrated by steps": lambda: hs.calibrated(DATA["score"], calibrator=calibrator("isotonic")).at(0.5),
    "corrected": lambda: hs.labels.corrected(hs.from_counts([[84, 6], [4, 14]]), sensitivity=0.9, specificity=0.98),
    "annotated": lambda: hs.labels.annotated(both(DATA, "two", "first", "second"), DATA["second"]).one_against_rest(1),
    "powered": lambda: hs.labels.prediction_powered(REVIEWED, DATA["first"], DATA["second"], power=1.0),
    "judged": lambda: hs.judged(REVIEWED, DATA["two"], groups=DATA["cluster"], sample_weight=DATA["weight"]),
    "judged values": lambda: hs.judged_values(REVIEWED, DATA["score"], bounds=(0, 1)),
}


@pytest.mark.parametrize(
    "suffix, cases",
    [(".json", CASES[::3]), (".parquet", CASES[1::5]), pytest.param(".json", CASES, marks=pytest.mark.thorough)],
    ids=["json", "parquet", "all in json"],
)
def test_files_hold_tables_exactly(suffix, cases, tmp_path):
    """A saved table comes back with the same counts, types of labels, design, rows and identity, to the last bit."""
    for kind, design, by in cases:
        whole = table(kind, design, by)
        assert same(whole, hs.load(whole.save(tmp_path / f"table{suffix}"))), (kind, design, by)
    for name, make in EVIDENCE.items():
        whole = make()
        assert same(whole, hs.load(whole.save(tmp_path / f"table{suffix}"))), name


@pytest.mark.parametrize(
    "labels",
    [
        ["007", "7"],
        [0, 1],
        [False, True],
        [0.5, 1.5],
        [dt.date(2026, 1, 1), dt.date(2026, 1, 2)],
        [
            dt.datetime(2026, 1, 1, 12, tzinfo=dt.UTC),
            dt.datetime(2026, 1, 1, 13, tzinfo=dt.UTC),
        ],
        [1, "1", None, 2.5, b"x", (1, "a")],
        ["ü", "\u2028 '\"\\"],
    ],
    ids=str,
)
def test_labels_keep_their_types(labels, tmp_path):
    """Labels are texts, numbers, truth values or dates, and those of one table may be of several types."""
    size = len(labels)
    whole = hs.from_counts(np.arange(1, size**2 + 1).reshape(size, size), labels=labels)
    for suffix in (".json", ".parquet"):
        again = hs.load(whole.save(tmp_path / f"table{suffix}"))
        assert again.labels.tolist() == labels
        assert list(map(type, again.labels.tolist())) == list(map(type, labels))


def test_a_confusion_table_is_a_few_hundred_bytes(tmp_path):
    """The file of a confusion table is text that people can read and send."""
    path = hs.from_counts([[50, 3], [5, 42]], labels=["benign", "malignant"]).save(tmp_path / "table.json")
    assert path.stat().st_size < 500
    held = json.loads(path.read_text())
    assert held["schema"] == 1
    assert held["table"]["counts"]["values"] == [50, 3, 5, 42]


def test_draws_of_a_loaded_table_are_the_same(tmp_path):
    """A loaded table gives the same draws from the same seed, also where a model draws."""
    for make in EVIDENCE.values():
        whole = make()
        again = hs.load(whole.save(tmp_path / "table.json"))
        metrics = {hs.tables.ConfusionTable: "accuracy", hs.tables.ValuesTable: "mean"}
        name = metrics.get(type(getattr(whole, "overall", whole)), "roc_auc")
        one, two = (
            hs.estimate(each, name, method=hs.methods.Dirichlet(n_draws=60), random_state=3) for each in (whole, again)
        )
        if not isinstance(whole, hs.tables.Tables):
            assert (one.low, one.high) == (two.low, two.high)


def test_two_judged_systems_can_be_loaded(tmp_path):
    """Also tables of two systems that were judged, to the last bit."""
    human, judge = {"A": DATA["two"], "B": DATA["first"]}, {"A": DATA["second"], "B": DATA["two"]}
    some = {name: [*each[:20], *[None] * (len(each) - 20)] for name, each in human.items()}
    for whole in (hs.judged(some, judge), hs.judged_values(some, {**judge, "A": DATA["score"]}, bounds=(0, 1))):
        assert same(whole, hs.load(whole.save(tmp_path / "table.json")))


def test_every_kind_of_table_can_be_loaded():
    """Each table that howsure has, and each design and part that it saves, is found by its name."""
    names = {name for name in hs.tables.__all__ if isinstance(getattr(hs.tables, name), type)}
    for name in {*names, *PARTS}:
        assert kind_of(name).__name__ == name
    kinds, found = [hs.Table], set()
    while kinds:
        kind = kinds.pop()
        kinds += kind.__subclasses__()
        own = sys.modules[kind.__module__] if kind.__module__.startswith("howsure.") else None
        is_ours = getattr(own, kind.__name__, None) is kind  # and not defined by an example
        found |= {kind.__name__} if not kind.__subclasses__() and is_ours else set()
    inner = {"FilledTable", "CollapsedTable"}  # of methods, which return none
    assert found - inner <= {*names, *PARTS}
    assert len(found) > 15


@pytest.mark.parametrize(
    "content, message",
    [
        ('{"howsure": "9.0", "schema": 99, "table": {}}', "saved by howsure 9.0, and this version cannot read it. Upd"),
        ('{"howsure": "0.1", "schema": 1, "table": {"kind": "Confus', "cannot be read"),
        ('{"howsure": "0.1", "schema": 1, "table": {"kind": "Nothing"}}', "is damaged"),
        ('{"howsure": "0.1", "schema": 1, "table": {"kind": "ConfusionTable"}}', "is damaged"),
        ('{"a": 1}', "holds no table that howsure saved"),
        ("[1, 2]", "holds no table that howsure saved"),
        ("y_true,y_pred\n1,0\n", "cannot be read"),
        ("", "cannot be read"),
        ("[" * 100_000, "cannot be read"),
    ],
)
def test_files_that_hold_no_table(content, message, tmp_path):
    """A file of a later version, a broken one and a foreign one are each refused in one line."""
    path = tmp_path / "table.json"
    path.write_text(content)
    with pytest.raises(hs.HowsureError, match=message):
        hs.load(path)


@pytest.mark.parametrize("kind", ["numbers", "texts"])
def test_parquet_that_unpacks_without_end_is_refused(kind, tmp_path, monkeypatch):
    """Few bytes can contain one number, or one text, a million times: the size in memory is limited, with a message."""
    import pyarrow as pa
    from pyarrow import parquet

    from howsure.tables import parquet as saved

    monkeypatch.setattr(saved, "MOST_BYTES", 2**20)
    once = pa.array([0.0]) if kind == "numbers" else pa.array(["x" * 2_000])
    number = 200_000 if kind == "numbers" else 1_000
    many = pa.DictionaryArray.from_arrays(pa.array(np.zeros(number, dtype=np.int32)), once).dictionary_decode()
    document = json.dumps({"howsure": "0.1.0", "schema": 1, "table": {}})
    column = pa.ListArray.from_arrays(pa.array([0, number], type=pa.int32()), many)
    table = pa.table({"0": column}).replace_schema_metadata({b"howsure": document})
    path = tmp_path / "bomb.parquet"
    parquet.write_table(table, str(path), compression="zstd")
    assert path.stat().st_size < 10_000
    with pytest.raises(hs.HowsureError, match=r"^'.*bomb.parquet' unpacks to more than .* GiB.*Save it as .json.$"):
        hs.load(path)


def test_tables_too_large_for_parquet_are_not_saved_as_such(tmp_path, monkeypatch):
    """What could not be read again is refused when it is saved, and no file is left."""
    from howsure.tables import parquet as saved

    monkeypatch.setattr(saved, "MOST_BYTES", 16)
    with pytest.raises(hs.HowsureError, match=r"more than .* GiB"):
        table("scores", "plain", "alone").save(tmp_path / "large.parquet")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("part", [{"values": ["x" * 10_000, *"y" * 10**6]}, {"objects": [1.0]}], ids=["long", "other"])
def test_texts_that_fill_the_memory_are_refused(part, tmp_path):
    """One long text widens all of an array's: its size is checked before it is made."""
    path = table("scores", "plain", "alone").save(tmp_path / "table.json")
    held = json.loads(path.read_text())
    held["table"]["labels"] = {"dtype": "<U10000", "shape": [10]} | part
    path.write_text(json.dumps(held))
    with pytest.raises(hs.HowsureError, match=r"is damaged: It has .*<U10000"):
        hs.load(path)


def test_files_that_are_missing_foreign_or_cut_short(tmp_path):
    """The error names the file."""
    import pyarrow as pa
    from pyarrow import parquet

    with pytest.raises(hs.HowsureError, match=r"'.*none.json' cannot be read: No such file"):
        hs.load(tmp_path / "none.json")
    with pytest.raises(hs.HowsureError, match=r"no suffix that says how to read it. Known: .json, .parquet"):
        hs.load(tmp_path / "none.csv")
    parquet.write_table(pa.table({"y_true": [1]}), str(tmp_path / "cases.parquet"))
    with pytest.raises(hs.HowsureError, match="holds no table that howsure saved"):
        hs.load(tmp_path / "cases.parquet")
    whole = table("scores", "plain", "alone").save(tmp_path / "whole.parquet").read_bytes()
    (tmp_path / "short.parquet").write_bytes(whole[:-20])
    with pytest.raises(hs.HowsureError, match=r"'.*short.parquet' cannot be read"):
        hs.load(tmp_path / "short.parquet")


def test_what_is_no_data_is_not_saved(tmp_path):
    """A table that rests on a function, or on a design of the user's own, is refused, and no file is left behind."""

    class Own(hs.designs.Design):
        def variance(self, counts, gradient):
            return (counts * gradient**2).sum(-1)

    for whole in (
        hs.calibrated(lambda score: score**2),
        hs.from_counts([[84, 6], [4, 14]]).with_design(Own()),
    ):
        with pytest.raises(hs.HowsureError, match="cannot be saved: it holds"):
            whole.save(tmp_path / "table.json")
    assert list(tmp_path.iterdir()) == []


# ------------------------------------------------------------------------------------------ the rules of adding


def test_classes_that_a_part_lacks_are_zero_there():
    """Ascending classes of the parts are ascending in the sum; named ones keep their order, also in three parts."""
    first, second = hs.confusion(["a", "c"], ["c", "c"]), hs.confusion(["b", "c"], ["b", "b"])
    whole = first + second
    assert whole.labels.tolist() == ["a", "b", "c"]
    assert whole.counts.tolist() == [[0, 0, 1], [0, 1, 0], [0, 1, 1]]
    low = hs.confusion(["low", "high"], ["low", "low"], labels=["low", "high"])
    more = hs.confusion(["high", "huge"], ["huge", "huge"], labels=["low", "high", "huge"])
    assert (low + more).labels.tolist() == ["low", "high", "huge"]
    turned = hs.from_counts([[1, 2], [3, 4]], labels=["high", "low"])
    with pytest.raises(hs.HowsureError, match="different orders: 'low', 'high' and 'high', 'low'"):
        low + turned


def test_clusters_of_one_name_are_one_cluster():
    """A patient who is in both parts is one cluster of the sum; pooled experiments have patients of their own."""
    first = hs.confusion([1, 0, 1], [1, 1, 1], groups=["ann", "ann", "bob"], labels=[0, 1])
    second = hs.confusion([1, 0, 0], [0, 1, 0], groups=["ann", "cid", "cid"], labels=[0, 1])
    whole = first + second
    assert whole.design.number == 3
    assert whole.design.names.tolist() == ["ann", "bob", "cid"]
    # Errors minus the share of errors, by patient: ann 2 of 3, bob 0 of 1, cid 1 of 2; 3 of 6 cases are wrong.
    deviations = np.array([2 - 1.5, 0 - 0.5, 1 - 1.0]) / 6
    spread = 3 / 2 * (deviations**2).sum()
    right = np.array([[1.0, 0.0], [0.0, 1.0]])
    assert whole.variance((right - 0.5) / 6) == pytest.approx(spread)
    assert hs.pool_tables([first, second]).design.number == 4
    unknown = dataclasses.replace(first, design=dataclasses.replace(first.design, names=None), identity="another")
    with pytest.raises(hs.HowsureError, match="names were not kept, so that one may be in several"):
        first + unknown
    assert hs.pool_tables([first, unknown]).design.number == 4


def test_names_of_clusters_may_be_of_any_type():
    """Names of several types go together; one name as text and as number in one column is refused."""
    parts = [
        hs.confusion([1, 0], [1, 1], groups=np.array([1, "x"], dtype=object), labels=[0, 1]),
        hs.confusion([1, 0], [1, 1], groups=[1, 2], labels=[0, 1]),
    ]
    assert sum(parts).design.number == 3


def test_kept_weights_are_put_together():
    """Equal weights of one cell are kept once, with their number, so that a stream of equal weights stays short."""
    parts = [hs.confusion([1, 0, 1], [1, 0, 1], sample_weight=[2.0, 1.0, 2.0]) for _ in range(5)]
    cell, weight, number = sum(parts).design.atoms
    assert (cell.tolist(), weight.tolist(), number.tolist()) == ([0, 3], [1.0, 2.0], [5.0, 10.0])


def test_unlabelled_batches_add_up():
    """Cases whose expected classes come from scores have the same expected counts in parts."""
    for target in ("batch", "population"):
        for weight in (None, DATA["weight"]):
            some = [slice(0, 20), slice(20, N)]
            whole = hs.calibrated(DATA["score"], target=target, sample_weight=weight)
            parts = [
                hs.calibrated(
                    DATA["score"][rows], target=target, sample_weight=None if weight is None else weight[rows]
                )
                for rows in some
            ]
            total = parts[0] + parts[1]
            assert total.counts == pytest.approx(whole.counts)
            gradient = np.random.default_rng(0).normal(size=whole.counts.shape)
            assert total.variance(gradient) == pytest.approx(whole.variance(gradient))


def test_reviews_add_up():
    """Reviewed parts that are independent have the sum of their variances, each by its own reviews."""
    first = hs.reviewed([[90, 10], [20, 80]], REVIEWS)
    second = hs.reviewed([[40, 12], [10, 30]], REVIEWS)
    whole = first + second
    gradient = np.array([[0.3, -0.2], [0.1, 0.5]])
    assert whole.counts == pytest.approx(first.counts + second.counts)
    assert whole.variance(gradient) == pytest.approx(first.variance(gradient) + second.variance(gradient))
    with pytest.raises(hs.HowsureError, match="several reviews, added up"):
        hs.labels.review_plan(whole, "accuracy", budget=20)


def test_scores_of_one_class_find_the_other():
    """A part with one class gets the name of the other from the parts that have it."""
    first = hs.scores(["ill"], [0.9], pos_label="ill")
    second = hs.scores(["well", "ill"], [0.2, 0.8], pos_label="ill")
    for whole in (first + second, second + first):
        assert whole.labels.tolist() == ["well", "ill"]
        assert whole.counts.tolist() == [[1, 0], [0, 1], [0, 1]]
    with pytest.raises(hs.HowsureError, match="Name the positive class of all parts"):
        second + hs.scores(["well", "ill"], [0.2, 0.8], pos_label="well")


def test_groups_are_added_by_their_keys():
    """A group that is in one part only has the cells of all, and the sum of groups is one batch where the parts are."""
    first = hs.confusion(["a", "b", "a"], ["a", "a", "a"], by=["y", "x", "x"])
    second = hs.confusion(["c", "a"], ["c", "c"], by=["z", "x"])
    whole = first + second
    assert list(whole) == ["x", "y", "z"]
    assert whole["y"].counts.tolist() == [[1, 0, 0], [0, 0, 0], [0, 0, 0]]
    assert whole["x"].rows == 3
    assert whole.stack.shape == (3, 3)


REFUSED = {
    "a confusion table and a table of scores do not add up": lambda: (
        hs.from_counts([[1, 2], [3, 4]]) + hs.scores([0, 1], [0.1, 0.9])
    ),
    "`Independent` and `Weighted` do not add up": lambda: (
        hs.from_counts([[1, 2], [3, 4]]) + hs.confusion([0, 1], [0, 1], sample_weight=[1, 2])
    ),
    "of the same cases": lambda: sum([hs.from_counts([[1, 2], [3, 4]])] * 2),
    "different classes: 'a', 'b' and 'b', 'c'": lambda: (
        hs.confusion([[1, 0]], [[1, 1]], labels=["a", "b"]) + hs.confusion([[1, 0]], [[1, 1]], labels=["b", "c"])
    ),
    "different models: 'A', 'B' and 'A', 'C'": lambda: (
        hs.paired([0, 1], {"A": [0, 1], "B": [1, 1]}) + hs.paired([0, 1], {"A": [0, 1], "C": [1, 1]})
    ),
    "by 'site' and by 'day'": lambda: (
        hs.confusion([0, 1], [0, 0], by={"site": [1, 2]}) + hs.confusion([0, 1], [0, 0], by={"day": [1, 2]})
    ),
    "`Linearised` do not add up": lambda: (
        hs.labels.prediction_powered(REVIEWED, DATA["first"], DATA["second"], power=1.0)
        + hs.labels.prediction_powered(REVIEWED, DATA["first"], DATA["second"], power=1.0)
    ),
    "some of the tables have `groups` and others none": lambda: (
        hs.confusion([[1, 0]], [[1, 1]]) + hs.confusion([[1, 0], [0, 0]], [[1, 1], [0, 0]], groups=[1, 1])
    ),
}


@pytest.mark.parametrize("message", REFUSED)
def test_tables_that_cannot_add(message):
    """Other kinds, designs, classes, models and groupings are refused in one line, and so are the same cases twice."""
    with pytest.raises(hs.HowsureError, match=f"(?i){message}"):
        REFUSED[message]()


def test_a_sum_has_an_identity_of_its_own():
    """The sum of the same parts in any order is of the same cases, so that draws from it are the same."""
    first, second = hs.from_counts([[1, 2], [3, 4]]), hs.from_counts([[5, 1], [0, 2]])
    assert (first + second).identity == (second + first).identity
    assert (first + second).identity not in {first.identity, second.identity}
    with pytest.raises(TypeError):
        first + 1
