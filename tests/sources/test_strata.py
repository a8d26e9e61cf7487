"""Strata of known and of unknown sizes in the sources of tables: accepted and refused input."""

import time

import numpy as np
import pytest

import howsure as hs

pytestmark = pytest.mark.filterwarnings("ignore:The column '(patient|person)' has several")  # clusters on purpose

SIZE = 120
RNG = np.random.default_rng(11)
ROWS = {
    "truth": np.array(["no", "yes"])[RNG.integers(0, 2, SIZE)],
    "score": np.round(RNG.random(SIZE), 2),
    "other": np.round(RNG.random(SIZE), 2),
    "site": np.array(["east", "north", "west"])[RNG.integers(0, 3, SIZE)],
    "half": np.array(["a", "b"])[np.arange(SIZE) % 2],
    "person": np.arange(SIZE) // 3,
    "round": np.arange(SIZE) % 7,
    "weight": RNG.random(SIZE) + 0.5,
    "class": RNG.integers(0, 3, SIZE),
}
ROWS |= {
    "said": np.where(RNG.random(SIZE) < 0.8, ROWS["truth"], "no"),
    "told": np.where(RNG.random(SIZE) < 0.7, ROWS["truth"], "yes"),
}
ROWS |= {f"p{k}": (ROWS["class"] == k) * 0.5 + RNG.random(SIZE) for k in range(3)}
SIZES = {"east": 0.2, "north": 0.3, "west": 0.5}
DRAWN = {name: int((ROWS["site"] == name).sum()) for name in SIZES}
UNKNOWN = (  # designs of strata of unknown size
    {},
    {"sample_weight": "weight"},
    {"groups": ["site", "round"], "sample_weight": "weight"},
    {"by": "half", "sample_weight": "weight"},
    {"by": "half", "groups": ["site", "round"]},
)
BESIDE = ({}, {"sample_weight": "weight"}, {"groups": "person"}, {"by": "half"}, {"by": "half", "groups": "person"})
SOURCES = {
    "confusion": (lambda data, **more: hs.confusion("truth", "said", data=data, **more), "f1"),
    "scores": (lambda data, **more: hs.scores("truth", "score", data=data, **more), "roc_auc"),
    "values": (lambda data, **more: hs.values("score", data=data, **more), "mean"),
    "errors": (lambda data, **more: hs.values("score", truth="other", data=data, **more), "mae"),
    "paired values": (lambda data, **more: hs.values(["score", "other"], data=data, **more), "mean"),
    "paired": (lambda data, **more: hs.paired("truth", ["said", "told"], data=data, **more), "f1"),
    "paired scores": (lambda data, **more: hs.paired_scores("truth", ["score", "other"], data=data, **more), "roc_auc"),
    "classes": (
        lambda data, **more: hs.multiclass_scores("class", ["p0", "p1", "p2"], data=data, **more),
        "roc_auc@macro",
    ),
}


def figures(tables, metric):
    """Return value, limits and standard error of a metric on each table, of the first model if there are several."""
    parts = tables.all_and_groups().values() if isinstance(tables, hs.tables.Tables) else [tables]
    own = [each.model(each.models[0]) if hasattr(each, "models") else each for each in parts]
    found = [hs.estimate(each, metric) for each in own]
    return [[each.value, each.low, each.high, each.standard_error] for each in found]


@pytest.mark.parametrize(
    "source, beside",
    [
        pytest.param(source, beside, marks=() if (row + column) % 2 else pytest.mark.thorough)
        for row, source in enumerate(SOURCES)
        for column, beside in enumerate(BESIDE)
    ],
    ids=lambda each: each if isinstance(each, str) else "+".join(each) or "alone",
)
def test_frames_of_every_library_give_the_same(source, beside, tmp_path):
    """Strata are read from arrays, pandas, Polars, lazy frames, DuckDB and files with equal results."""
    check_frames(source, {"strata": "site", "stratum_sizes": SIZES, **beside}, tmp_path)


@pytest.mark.parametrize(
    "source, beside",
    [
        pytest.param(source, beside, marks=() if (row + column) % 2 else pytest.mark.thorough)
        for row, source in enumerate(SOURCES)
        for column, beside in enumerate(UNKNOWN)
    ],
    ids=lambda each: each if isinstance(each, str) else "+".join(each) or "alone",
)
def test_frames_of_strata_of_unknown_size(source, beside, tmp_path):
    """Without sizes too, also where equal cases are merged and each has its weight, or clusters are two columns."""
    check_frames(source, {"strata": "site", **beside}, tmp_path)


def check_frames(source, settings, tmp_path):
    """Check that arrays and frames give the same figures."""
    duckdb, pandas, polars = (pytest.importorskip(name) for name in ("duckdb", "pandas", "polars"))
    make, metric = SOURCES[source]
    expected = figures(make(ROWS, **settings), metric)
    frame = polars.DataFrame(ROWS)
    frame.write_parquet(tmp_path / "rows.parquet")
    kinds = {
        "pandas": pandas.DataFrame(ROWS),
        "polars": frame,
        "lazy": frame.lazy(),
        "file": tmp_path / "rows.parquet",
        "duckdb": duckdb.sql("select * from frame"),
    }
    for kind, data in kinds.items():
        assert figures(make(data, **settings), metric) == [pytest.approx(each) for each in expected], kind


@pytest.mark.parametrize("source", SOURCES)
def test_strata_in_proportion_are_as_no_strata_in_value(source):
    """Strata with the sample's frequencies change no value, and hardly the error if they are uninformative."""
    make, metric = SOURCES[source]
    shares = {name: number / SIZE for name, number in DRAWN.items()}
    own = figures(make(ROWS, strata="site", stratum_sizes=shares), metric)[0]
    plain = figures(make(ROWS), metric)[0]
    assert own[0] == pytest.approx(plain[0])
    assert own[3] == pytest.approx(plain[3], rel=0.1)


@pytest.mark.parametrize("source", SOURCES)
def test_tables_are_saved_with_their_strata(source, tmp_path):
    """A table read again from a file gives the same interval."""
    make, metric = SOURCES[source]
    for settings in ({"stratum_sizes": SIZES, "groups": "person"}, UNKNOWN[2]):
        table = make(ROWS, strata="site", **settings)
        assert figures(hs.load(table.save(tmp_path / "table.json")), metric) == figures(table, metric)


def test_each_case_counts_for_its_stratum():
    """A case represents its stratum's cases per sampled case, so the table adds up to the population."""
    table = hs.confusion([0, 0, 1, 1, 1], [0, 1, 1, 1, 0], strata=list("aabbb"), stratum_sizes={"a": 100, "b": 30})
    assert table.counts.tolist() == [[50.0, 50.0], [10.0, 20.0]]
    assert table.rows == 5


def test_trials_have_the_strata_of_their_tasks():
    """The runs of a task are of one stratum, and tasks count by it."""
    passed, task, level = [1, 1, 0, 1, 0, 0], [1, 1, 2, 2, 3, 3], ["easy", "easy", "easy", "easy", "hard", "hard"]
    table = hs.trials(passed, task=task, strata=level, stratum_sizes={"easy": 0.5, "hard": 0.5})
    assert float(hs.estimate(table, "mean")) == pytest.approx(0.5 * 0.75)
    with pytest.raises(hs.HowsureError, match="The task 1 has several values of `strata`"):
        hs.trials(passed, task=task, strata=["easy", "hard", *level[2:]], stratum_sizes={"easy": 0.5, "hard": 0.5})


def test_long_data_have_strata():
    """For models in one column each case has the stratum of its rows."""
    rows = {
        "case": np.tile(np.arange(SIZE), 2),
        "model": np.repeat(["A", "B"], SIZE),
        "said": np.concatenate([ROWS["said"], ROWS["told"]]),
        **{name: np.tile(ROWS[name], 2) for name in ("truth", "site")},
    }
    long = hs.paired("truth", "said", data=rows, model="model", case="case", strata="site", stratum_sizes=SIZES)
    wide = hs.paired("truth", ["said", "told"], data=ROWS, strata="site", stratum_sizes=SIZES)
    assert figures(long, "f1") == [pytest.approx(each) for each in figures(wide, "f1")]


def test_cases_left_out_are_still_drawn():
    """Cases with unrequested labels count among those sampled from their stratum, like those of other groups."""
    truth, said = ["a", "b", "a", "c", "b", "a"], ["a", "b", "b", "c", "b", "a"]
    table = hs.confusion(truth, said, labels=["a", "b"], strata=list("xxxxyy"), stratum_sizes={"x": 0.5, "y": 0.5})
    assert table.counts.sum() / 6 == pytest.approx(0.5 * 3 / 4 + 0.5)


def test_sizes_are_found_by_equal_names():
    """Sizes may be a pandas series, and strata whole or other numbers, truth values, or their text."""
    pandas = pytest.importorskip("pandas")
    truth, said, strata = [0, 0, 1, 1, 1], [0, 1, 1, 1, 0], np.array([0, 0, 1, 1, 1])
    sizes = ({0: 100, 1: 30}, {0.0: 100, 1.0: 30}, {"0": 100, "1": 30}, pandas.Series({1: 30, 0: 100}))
    for code, given in [*((strata, each) for each in sizes), (strata == 1, sizes[0]), (strata * 1.0, sizes[0])]:
        table = hs.confusion(truth, said, strata=code, stratum_sizes=given)
        assert table.counts.tolist() == [[50.0, 50.0], [10.0, 20.0]]
    with pytest.raises(hs.HowsureError, match="two sizes for the stratum '1'"):
        hs.confusion(truth, said, strata=strata, stratum_sizes={0: 100, 1: 30, "1": 40})


REFUSED = {
    r"shares that sum to 0\.999\. Give": {"east": 0.5, "north": 0.3, "west": 0.199},
    "Stratum 'west' has cases and no size": {"east": 0.5, "north": 0.5},
    "Stratum 'south' has a size and no case": {**SIZES, "south": 0.1},
    "Stratum 'east' has .* cases drawn from 5": {"east": 5, "north": 500, "west": 500},
    r"`stratum_sizes\['east'\]` is 'many'": {**SIZES, "east": "many"},
    r"`stratum_sizes\['east'\]` is -1": {**SIZES, "east": -1},
    "has cases and a size of 0": {**SIZES, "east": 0},
    "mapping of each stratum": [0.2, 0.3, 0.5],
}


@pytest.mark.parametrize("message", REFUSED)
def test_what_is_no_sample_of_strata_is_refused(message):
    """Sizes that do not fit the strata are refused in a line that names the stratum."""
    with pytest.raises(hs.HowsureError, match=message):
        hs.confusion("truth", "said", data=ROWS, strata="site", stratum_sizes=REFUSED[message])


def test_other_refusals():
    """Sizes without strata, columns of another length, a stratum of one cluster, and labels of many are refused."""
    with pytest.raises(hs.HowsureError, match="`stratum_sizes` needs `strata`"):
        hs.confusion("truth", "said", data=ROWS, stratum_sizes=SIZES)
    with pytest.raises(hs.HowsureError, match="differ in length"):
        hs.confusion([0, 1], [0, 1], strata=["a"], stratum_sizes={"a": 1})
    with pytest.raises(hs.HowsureError, match="Stratum 'b' has a single cluster"):
        hs.confusion([0, 1, 1], [0, 1, 0], strata=list("aab"), groups=[1, 2, 3], stratum_sizes={"a": 0.5, "b": 0.5})
    with pytest.raises(hs.HowsureError, match="Stratum 'b' has only cases of weight 0"):
        hs.confusion(
            [0, 1, 1], [0, 1, 0], strata=list("aab"), sample_weight=[1, 2, 0], stratum_sizes={"a": 0.5, "b": 0.5}
        )
    with pytest.raises(hs.HowsureError, match="`strata` is for cases with one label each"):
        hs.confusion(np.eye(3), np.eye(3), strata=list("aab"), stratum_sizes={"a": 0.5, "b": 0.5})


@pytest.mark.parametrize("call", [lambda **more: hs.confusion("truth", "said", data=ROWS, **more), None])
def test_strata_of_two_columns_are_refused_with_the_column_to_make(call):
    """Strata are one column; of two of them the error says how to make one."""
    both = ["site", "half"] if call else [ROWS["site"], ROWS["half"]]
    call = call or (lambda **more: hs.confusion(ROWS["truth"], ROWS["said"], **more))
    with pytest.raises(hs.HowsureError, match="Make one column of several"):
        call(strata=both)
    pairs = list(zip(ROWS["site"], ROWS["half"], strict=True))
    with pytest.raises(hs.HowsureError, match="one stratum a case. Make one column of several"):
        hs.confusion(ROWS["truth"], ROWS["said"], strata=pairs)
    found = hs.confusion(ROWS["truth"], ROWS["said"], strata=[f"{a}, {b}" for a, b in pairs])
    assert len(found.design.strata) == len(set(pairs))


def test_strata_without_a_name_are_refused():
    """Blank strata would be one stratum of all these cases."""
    with pytest.raises(hs.HowsureError, match="`strata` is blank in"):
        hs.confusion(ROWS["truth"], ROWS["said"], strata=np.where(ROWS["site"] == "east", "", ROWS["site"]))


def test_weights_beside_strata_are_named_as_the_argument():
    """A weight that is missing is one of `sample_weight`, also where cases are counted by their weights."""
    weight = np.where(np.arange(SIZE) == 3, np.nan, ROWS["weight"])
    with pytest.raises(hs.HowsureError, match=r"`sample_weight\[3\]` = nan"):
        hs.confusion(ROWS["truth"], ROWS["said"], strata=ROWS["site"], sample_weight=weight)


def test_distinct_weights_beside_strata_are_counted_fast():
    """Weights of 300,000 cases, all distinct, take about as long as as many clusters."""
    rng = np.random.default_rng(5)
    truth, said, weight = rng.integers(0, 2, 300_000), rng.integers(0, 2, 300_000), rng.random(300_000) + 0.5
    start = time.process_time()
    hs.confusion(truth, said, groups=np.arange(300_000), sample_weight=weight)
    middle = time.process_time()
    table = hs.confusion(truth, said, strata=rng.integers(0, 9, 300_000), sample_weight=weight)
    assert table.design.number == len(weight)
    assert time.process_time() - middle < 5 * (middle - start) + 0.5
