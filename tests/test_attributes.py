"""Attributes that results and tables do not have: the error has the one that is meant."""

import copy
import pickle

import pytest

import howsure as hs
from howsure.attributes import ATTRIBUTES, PLOT_OF, PLOTS

TABLE = hs.from_counts([[50, 3], [5, 42]])
PAIR = hs.paired([0, 1, 1, 0] * 9, {"A": [0, 1, 1, 1] * 9, "B": [1, 1, 0, 1] * 9})
THINGS = {
    "estimate": hs.estimate(TABLE, "f1"),
    "evaluation": hs.evaluate(TABLE),
    "comparison": hs.compare(PAIR, "f1"),
    "curve": hs.roc_curve(hs.scores([0, 1, 1, 0], [0.1, 0.8, 0.4, 0.3])),
    "table": TABLE,
    "plan": hs.plan(TABLE, "f1", width=0.1),
    "pooled": hs.pool([TABLE, TABLE], "accuracy"),
    "accumulator": hs.Accumulator(hs.confusion),
}


@pytest.mark.parametrize(
    "thing, name, remedy",
    [
        ("estimate", "ci_lower", "An estimate has no `ci_lower`. Use low."),
        ("estimate", "confidence_interval", "Use low and high."),
        ("estimate", "vallue", "Did you mean 'value'?"),
        ("evaluation", "to_df", "An evaluation has no `to_df`. Use to_pandas()."),
        ("evaluation", "f1", "Write `['f1']` after it."),
        ("comparison", "pvalue", "A comparison has no `pvalue`. Use p_value."),
        ("comparison", "diff", "Use value."),
        ("curve", "tpr", "Write `['tpr']` after it."),
        ("curve", "plot", "Draw it by `hs.plots.curve(…)`."),
        ("evaluation", "to_docx", "Use to_markdown()."),
        ("evaluation", "to_csv", "Use to_pandas()."),
        ("table", "tp", "A confusion table has no `tp`. Use counts."),
        ("table", "estimate", "Use `howsure.estimate` of it."),
        ("pooled", "predint", "A pooled has no `predint`. Use prediction_interval."),
        ("pooled", "p_heterogeneity", "Use q_p_value."),
        ("accumulator", "compute", "An accumulator has no `compute`. Use table."),
        ("accumulator", "add", "Use update()."),
        ("evaluation", "to_json", "Use to_dict()."),
        ("plan", "sample_size", "A plan has no `sample_size`. Use n."),
    ],
)
def test_names_of_other_packages_lead_to_the_attribute(thing, name, remedy):
    """One line names the attribute, the key or the function, or the most similar attribute."""
    with pytest.raises(AttributeError) as caught:
        getattr(THINGS[thing], name)
    assert remedy in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("thing", THINGS)
def test_tools_find_no_attribute_and_copy(thing):
    """Names of protocols are absent in the usual words, and copies and pickles need none of these errors."""
    one = THINGS[thing]
    assert not hasattr(one, "__array_interface__")
    assert getattr(one, "nothing_like_it", None) is None
    with pytest.raises(AttributeError, match=f"'{type(one).__name__}' object has no attribute '_none'"):
        one._none  # noqa: B018
    assert repr(copy.deepcopy(one)) == repr(one) == repr(pickle.loads(pickle.dumps(one)))


def test_every_plot_that_is_advised_exists():
    """The class is one of howsure's, and the function draws it."""
    assert {type(THINGS[name]).__name__ for name in ("estimate", "evaluation", "comparison", "curve", "plan")} <= {
        *PLOT_OF
    }
    known = {*hs.results.__all__, *hs.tables.__all__, *hs.__all__}
    assert {*PLOT_OF} <= known, {*PLOT_OF} - known
    assert all(callable(getattr(hs.plots, name)) for name in PLOTS)


def test_every_advised_attribute_is_one():
    """Each is an attribute of one of the results or of a table."""
    known = {name for thing in THINGS.values() for name in dir(thing)}
    for ours in ATTRIBUTES:
        assert {each.removesuffix("()") for each in ours.split(" and ")} <= known
