"""Tables of groups: in one pass or one by one, the results of each group are those of its rows alone."""

from __future__ import annotations

import json
import pickle
import time

import numpy as np
import pandas as pd
import pytest

import howsure as hs
from howsure.methods.flow.flow import Flow
from howsure.metrics.binding import resolve
from howsure.tables.protocols import default_metrics

SIZE = 400
RNG = np.random.default_rng(7)
SITE = RNG.choice(["north", "south", "east"], SIZE, p=[0.5, 0.3, 0.2])
YEAR = RNG.integers(2023, 2025, SIZE)
TRUE = RNG.integers(0, 3, SIZE)
PREDICTED = np.where(RNG.random(SIZE) < 0.7, TRUE, RNG.integers(0, 3, SIZE))
OTHER = np.where(RNG.random(SIZE) < 0.6, TRUE, RNG.integers(0, 3, SIZE))
SCORE = np.round(RNG.random((SIZE, 3)) + np.eye(3)[TRUE], 2)
PATIENT = RNG.integers(0, 80, SIZE)
WEIGHT = RNG.exponential(size=SIZE)
BOTH = np.stack([TRUE == 1, TRUE == 2], 1).astype(int)

SOURCES = {
    "confusion": lambda rows, **more: hs.confusion(TRUE[rows], PREDICTED[rows], labels=[0, 1, 2], **more),
    "two classes": lambda rows, **more: hs.confusion(
        TRUE[rows] == 1, PREDICTED[rows] == 1, labels=[False, True], **more
    ),
    "multilabel": lambda rows, **more: hs.confusion(BOTH[rows], np.roll(BOTH, 1, 1)[rows], **more),
    "scores": lambda rows, **more: hs.scores(TRUE[rows] == 1, SCORE[rows, 1], **more),
    "multiclass_scores": lambda rows, **more: hs.multiclass_scores(TRUE[rows], SCORE[rows], labels=[0, 1, 2], **more),
    "multilabel_scores": lambda rows, **more: hs.multiclass_scores(BOTH[rows], SCORE[rows, 1:], **more),
    "paired": lambda rows, **more: hs.paired(
        TRUE[rows], {"A": PREDICTED[rows], "B": OTHER[rows]}, labels=[0, 1, 2], **more
    ),
    "paired_scores": lambda rows, **more: hs.paired_scores(
        TRUE[rows] == 1, {"A": SCORE[rows, 1], "B": SCORE[rows, 2]}, **more
    ),
}
DESIGNS = {"plain": {}, "weights": {"sample_weight": WEIGHT}, "clusters": {"groups": PATIENT}}
ASKED = {
    "confusion": [
        "accuracy",
        "f1@macro",
        "recall@binary+positive_class=1",
        "mcc",
        "f1@weighted",
        "rmse",
        "g_mean@geometric",
    ],
    "two classes": ["accuracy", "f1", "balanced_accuracy", "dor", "p4", "log_plr", "weighted_kappa"],
    "multilabel": ["f1@macro", "f1@micro", "recall@binary+positive_class=1"],
    "scores": ["roc_auc", "average_precision"],
    "multiclass_scores": ["roc_auc@macro", "average_precision@micro"],
    "multilabel_scores": ["roc_auc@macro"],
}


def split(source, design, by):
    """Return a source's tables by group."""
    return SOURCES[source](slice(None), by=by, **DESIGNS[design])


def alone(source, design, rows):
    """Return the table of some rows alone."""
    return SOURCES[source](rows, **{name: values[rows] for name, values in DESIGNS[design].items()})


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("source", SOURCES)
def test_the_table_of_a_group_is_that_of_its_rows(source, design):
    """Every source and design: counts and variances of each group and of all are those of the rows counted alone."""
    tables = split(source, design, SITE)
    assert list(tables) == sorted(set(SITE))
    for table, rows in [
        (tables.overall, np.arange(SIZE)),
        *((tables[key], np.flatnonzero(key == SITE)) for key in tables),
    ]:
        direct = alone(source, design, rows)
        assert type(table) is type(direct)
        assert table.rows == direct.rows
        models = direct.models if source.startswith("paired") else [None]
        for name in models:  # joint cells of a group may include tuples of other groups
            ours, theirs = (each if name is None else each.model(name) for each in (table, direct))
            np.testing.assert_allclose(ours.counts, theirs.counts)
            slopes = np.random.default_rng(0).normal(size=ours.counts.shape)
            np.testing.assert_allclose(ours.variance(slopes), theirs.variance(slopes))


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("source", ASKED)
@pytest.mark.parametrize(
    "method",
    [
        None,
        "delta",
        "bootstrap_percentile",
        *(pytest.param(each, marks=pytest.mark.thorough) for each in ("wald", "bayes")),
    ],
)
def test_a_batch_is_a_loop(source, design, method):
    """Whatever the method, limits of the batch are those of one table at a time, to rounding, with their reasons."""
    tables = split(source, design, SITE)
    drawn = method in {"bootstrap_percentile", "bayes"}
    chosen = {
        None: None,
        "bayes": hs.methods.Dirichlet(n_draws=200),
        "bootstrap_percentile": hs.methods.Bootstrap(n_resamples=200),
    }
    settings = {"method": chosen.get(method, method), "random_state": 3}
    for metric in ASKED[source]:
        found = hs.estimate(tables, metric, **settings)
        assert found.value.shape == found.low.shape == (len(tables),)
        for position, key in enumerate(tables):
            direct = hs.estimate(tables[key], metric, **settings | ({"random_state": None} if drawn else {}))
            ours = found[key]
            assert (ours.method, ours.reason.replace("resamples", "draws")) == (direct.method, direct.reason) or drawn
            assert ours.value == pytest.approx(direct.value, nan_ok=True, abs=1e-12)
            assert found.low[position] == pytest.approx(ours.low, nan_ok=True)
            if not drawn:
                assert (ours.low, ours.high) == pytest.approx(
                    (direct.low, direct.high), nan_ok=True, rel=1e-12, abs=1e-12
                )
                assert ours.standard_error == pytest.approx(direct.standard_error, nan_ok=True, abs=1e-12)


def test_draws_of_a_group_do_not_depend_on_the_others():
    """Leaving out a group changes no draw of another; groups, and all together, have streams of their own."""
    settings = {"method": hs.methods.Dirichlet(n_draws=500), "random_state": 11}
    every = hs.estimate(split("confusion", "plain", SITE), "accuracy", **settings)
    kept = np.flatnonzero(SITE != "east")
    fewer = hs.estimate(
        hs.confusion(TRUE[kept], PREDICTED[kept], labels=[0, 1, 2], by=SITE[kept]), "accuracy", **settings
    )
    for key in fewer:
        np.testing.assert_array_equal(every[key].draws, fewer[key].draws)
    same = hs.estimate(hs.from_counts([[[9, 1], [2, 8]]] * 2), "accuracy", **settings)
    assert abs(np.corrcoef(same[0].draws, same[1].draws)[0, 1]) < 0.2
    assert abs(np.corrcoef(same[0].draws, same.overall.draws)[0, 1]) < 0.2


@pytest.mark.parametrize("source", ["confusion", "scores", "paired", "multiclass_scores"])
def test_several_columns_make_a_group(source):
    """Several columns give tuples as keys, in order, and their own columns in the records, all groups leading."""
    by = {"site": SITE, "year": YEAR}
    tables = split(source, "plain", by)
    assert list(tables) == sorted((str(site), int(year)) for site, year in set(zip(SITE, YEAR, strict=True)))
    assert tables.columns == ("site", "year")
    frame = pd.DataFrame(by)
    assert list(split(source, "plain", frame)) == list(tables)
    if source == "paired":
        return
    records = hs.evaluate(tables).records()
    number = len(default_metrics(tables.overall))
    assert [(each["site"], each["year"]) for each in records[::number]] == [(None, None), *tables]
    assert records[number]["value"] == hs.evaluate(tables[("east", 2023)])[records[number]["metric"]].value


def test_columns_of_data_by_name():
    """With data, `by` is the name of one or several columns."""
    frame = pd.DataFrame({"truth": TRUE, "said": PREDICTED, "site": SITE, "year": YEAR})
    one = hs.confusion("truth", "said", data=frame, by="site")
    two = hs.confusion("truth", "said", data=frame, by=["site", "year"])
    assert one.columns == ("site",)
    assert two.columns == ("site", "year")
    np.testing.assert_array_equal(sum(two[key].counts for key in two if key[0] == "east"), one["east"].counts)


def test_evaluations_read_as_mappings_and_records():
    """Evaluations contain one for all groups and one for each; they pickle, and convert to frames and text."""
    tables = split("confusion", "clusters", SITE)
    found = hs.evaluate(tables, ["accuracy", "f1@macro"])
    assert list(found) == list(tables)
    assert "east" in found
    assert "west" not in found
    assert found["east"]["F1 @ mean"].low == found.by_metric["f1@macro"]["east"].low
    assert found.overall["accuracy"].value == hs.estimate(tables.overall, "accuracy").value
    again = pickle.loads(pickle.dumps(found))
    assert again.records() == found.records()
    assert found.to_pandas()["group"].isna().sum() == 2
    assert str(found).splitlines()[2].startswith("all")
    assert json.loads(json.dumps(found.records()))[0]["metric"] == "accuracy"
    with pytest.raises(hs.HowsureError, match="no group 'west'"):
        found["west"]


def test_keys_and_positions():
    """An estimate is selected by key, or by position if that is not a key."""
    found = hs.estimate(split("confusion", "plain", YEAR), "accuracy")
    assert found[2024].value == found[1].value == found[-1].value
    with pytest.raises(KeyError):
        found[2025]


def test_a_stack_of_matrices_is_a_batch():
    """K×K matrices of images or sites are a batch by position, and their sum is the table of all."""
    stack = RNG.integers(1, 30, (5, 3, 3))
    tables = hs.from_counts(stack, labels=["a", "b", "c"])
    np.testing.assert_array_equal(tables.overall.counts, stack.sum(0))
    found = hs.estimate(tables, "mcc")
    for position, counts in enumerate(stack):
        direct = hs.estimate(hs.from_counts(counts, labels=["a", "b", "c"]), "mcc")
        assert (found[position].value, found[position].low) == pytest.approx((direct.value, direct.low), abs=1e-12)
    with pytest.raises(hs.HowsureError, match=r"`counts\[1\]` is all zeros"):
        hs.from_counts([[[1, 2], [3, 4]], [[0, 0], [0, 0]]])


def test_groups_without_a_class_say_why():
    """A metric that a group does not have is nan there, with the reason that the group alone gives."""
    tables = hs.confusion([1, 1, 0, 0, 0], [1, 0, 0, 1, 0], by=["a", "a", "a", "b", "b"])
    found = hs.estimate(tables, "recall")
    assert np.isnan(found["b"].value)
    assert found["b"].reason == hs.estimate(tables["b"], "recall").reason == "undefined: there is no case of the class"
    average = hs.estimate(tables, "recall@macro")
    assert average["b"].reason == "averaged without 1 of 2 classes, where it is undefined (with them 0.250 to 0.750)"
    assert average["a"].reason == ""


@pytest.mark.thorough
def test_time_grows_with_the_groups_at_most():
    """Twenty times as many groups, with the same number of rows, need at most about forty times as long."""
    rows = 200_000
    truth = RNG.integers(0, 2, rows)
    said = np.where(RNG.random(rows) < 0.8, truth, 1 - truth)

    def seconds(groups):
        by = np.arange(rows) % groups
        start = time.process_time()
        hs.evaluate(hs.confusion(truth, said, by=by), ["accuracy", "f1@macro", "mcc"])
        return time.process_time() - start

    seconds(10)
    assert seconds(20_000) < 40 * max(seconds(1_000), 0.02)


@pytest.mark.parametrize(
    "given, words",
    [
        ([1, 0, 1], r"hs\.confusion\(y_true, y_pred\)"),
        (pd.DataFrame({"a": [1]}), "Make one from the columns"),
        ("predictions.csv", "Make one from the columns"),
        ({"a": hs.from_counts([[3, 1], [1, 3]])}, "one table, or the tables of groups"),
        (None, r"hs\.confusion"),
    ],
)
def test_what_is_no_table_is_told_how_to_become_one(given, words):
    """The first things that people try get one line that names the call to make."""
    for verb, more in ((hs.estimate, ("accuracy",)), (hs.evaluate, ())):
        with pytest.raises(hs.HowsureError, match=words):
            verb(given, *more)


def test_a_matrix_is_taken_for_counts():
    """A nested list or array of counts needs no call to become a table."""
    direct = hs.estimate(hs.from_counts([[50, 3], [5, 42]]), "f1")
    assert hs.estimate([[50, 3], [5, 42]], "f1") == direct
    assert hs.estimate(np.array([[50, 3], [5, 42]]), "f1").low == direct.low


@pytest.mark.parametrize(
    "method", [hs.methods.Wilson(), hs.methods.MidP(), hs.methods.Jeffreys(), hs.methods.Delta(), Flow()]
)
def test_p_values_of_a_batch_are_those_of_its_tables(method):
    """Whether a method has all levels at once or one at a time, each table has the p-value that it has alone."""
    counts = [[[40, 5], [9, 30]], [[20, 9], [3, 8]], [[11, 1], [4, 60]]]
    batch = hs.tables.ConfusionTable(counts=np.array(counts) * 1.0, labels=np.arange(2))
    bound = resolve("accuracy", batch)
    alone = [hs.from_counts(each) for each in counts]
    expected = [method.p_value(resolve("accuracy", each), each, 0.8) for each in alone]
    assert method.p_values(bound, batch, 0.8) == pytest.approx(expected, rel=1e-6)
    assert len(set(np.round(expected, 6))) == 3
