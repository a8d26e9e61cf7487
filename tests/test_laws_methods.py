"""Laws of every interval method and design, built-in or user-defined."""

import dataclasses

import numpy as np
import pytest

import howsure as hs
from howsure.methods.library import METHODS
from howsure.testing import check_design, check_method

# With few draws, the laws are as strict and faster to check.
FEW = {
    "bootstrap_percentile": hs.methods.Bootstrap("percentile", 500),
    "bootstrap_basic": hs.methods.Bootstrap("basic", 500),
    "bootstrap_bca": hs.methods.Bootstrap("bca", 500),
    "bootstrap_studentized": hs.methods.Bootstrap("studentized", 200),
    "bayes": hs.methods.Dirichlet(n_draws=500),
}
SHIPPED = [name for name, entry in METHODS.items() if entry.kind.__module__.startswith("howsure.methods.")]
TABLE = hs.from_counts([[61, 14], [18, 97]])


LONG = {"bootstrap_studentized", "mann_whitney"}


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.thorough if name in LONG else ())
        for name in SHIPPED
        if name != "predictive"
    ],
)
def test_every_method_keeps_the_laws(name):
    """Each shipped method of labelled cases keeps every law of methods."""
    check_method(FEW.get(name, name))


def clustered(sizes=(4,)):
    """Return the design of cases in clusters, and its table."""
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(120), rng.choice(sizes, 120))
    truth = rng.integers(0, 2, groups.size)
    found = np.where(rng.random(groups.size) < 0.8, truth, 1 - truth)
    return hs.confusion(truth, found, groups=groups)


def weighted():
    """Return a table of weighted cases."""
    rng = np.random.default_rng(1)
    truth, found = rng.integers(0, 2, (2, 400))
    return hs.confusion(truth, found, sample_weight=rng.choice([0.5, 1.0, 2.0], 400))


@pytest.mark.parametrize(
    "table",
    [
        TABLE,
        TABLE.with_design(hs.designs.FixedMargins()),
        weighted(),
        clustered(),
        hs.calibrated(np.random.default_rng(2).random(300), target="population").at(0.5),
        hs.calibrated(np.random.default_rng(2).random(300)).at(0.5),
        hs.from_counts(np.arange(1, 10).reshape(3, 3) * 20),
        hs.from_counts([[[50, 3], [5, 42]], [[40, 13], [9, 38]]]).stack,
    ],
    ids=lambda table: f"{type(table.design).__name__}-{'x'.join(map(str, table.counts.shape))}",
)
def test_every_design_keeps_the_laws(table):
    """Variance, merging, resampling and posterior of each shipped design agree with each other."""
    check_design(table.design, table)


def scared():
    """Define a method of one's own: the delta method's interval, twice as wide on the left."""

    class Scared(hs.methods.Method):
        name = "scared"
        synonyms = ("timid",)

        def unsupported_reason(self, metric, _):
            return "" if np.isfinite(metric.range[0]) else "`Scared` needs a lowest value. Use `Delta()`."

        def at_levels(self, metric, table, _=None):
            inner, value = hs.methods.Delta().at_levels(metric, table), float(metric(table.counted))

            def interval(level):
                found = inner(level)
                return hs.methods.Interval(
                    max(2 * found.low - value, metric.range[0]), found.high, found.standard_error
                )

            return interval

    return Scared


def test_a_method_of_ones_own_works_everywhere():
    """Once defined it has a name, in estimates, evaluations, groups and comparisons; and it keeps the laws."""
    kind = scared()
    estimate = hs.estimate(TABLE, "mcc", method="Timid")
    assert estimate.method == "scared"
    assert estimate.low < hs.estimate(TABLE, "mcc", method="delta").low
    assert hs.evaluate(TABLE, ["f1", "mcc"], method=kind)["mcc"].low == estimate.low
    groups = hs.confusion([0, 1, 1, 0, 1, 0], [0, 1, 1, 1, 0, 0], by=list("aaabbb"))
    assert hs.estimate(groups, "accuracy", method="scared")["a"].method == "scared"
    paired = hs.paired([0, 1, 1, 0, 1, 0], {"A": [0, 1, 1, 1, 0, 0], "B": [1, 1, 0, 1, 0, 0]})
    assert hs.compare(paired, "accuracy", method="scared").method == "scared"
    assert "scared" in hs.suitable_methods(TABLE, "mcc")
    with pytest.raises(hs.HowsureError, match="needs a lowest value"):
        hs.estimate(TABLE, "log_dor", method="scared")
    check_method("scared")


def _defined(title, /, **attributes):
    return type(title, (hs.methods.Method,), attributes)


def _nothing(*_):
    return lambda level: hs.methods.Interval(0.0, 1.0)


@pytest.mark.parametrize(
    "attributes, words",
    [
        ({"at_levels": _nothing}, "needs a name of its own, such as `name = 'mine'`"),
        ({"name": "wilson", "at_levels": _nothing}, "'wilson' of `Mine` is taken by `Wilson`"),
        ({"name": "mine", "synonyms": ("bca",), "at_levels": _nothing}, "'bca' of `Mine` is taken by `Bootstrap`"),
        ({"name": "My method", "at_levels": _nothing}, "cannot be named 'My method'"),
        ({"name": "auto", "at_levels": _nothing}, "cannot be named 'auto'"),
        ({"name": "mine"}, "`Mine` lacks `at_levels`"),
    ],
)
def test_a_misbehaving_method_is_refused_at_its_definition(attributes, words):
    """In one line that names the missing part."""
    with pytest.raises(hs.HowsureError, match=words):
        _defined("Mine", **attributes)


@pytest.mark.parametrize(
    "answer, law",
    [
        (lambda level: hs.methods.Interval(0.0, 0.1), "value"),
        (lambda level: hs.methods.Interval(-3.0, 3.0), "range"),
        (lambda level: hs.methods.Interval(0.0, 1.0 if level < 0.9 else 0.995), "levels"),
    ],
)
def test_a_method_that_breaks_a_law_is_found_out(answer, law):
    """The error names the law."""
    mine = _defined(
        "Mine",
        name="mine",
        unsupported_reason=lambda self, metric, table: "" if metric.range == (0, 1) else "It is for shares.",
        at_levels=lambda self, metric, table, rng=None: answer,
    )
    with pytest.raises(AssertionError, match=f"breaks the law `{law}`"):
        check_method(mine)


class Doubled(hs.designs.Design):
    """Independent cases of which each was counted twice."""

    def variance(self, counts, gradient):
        """Return the variance of half the number of cases."""
        return 2 * (counts * gradient**2).sum(-1)

    def resample(self, counts, size, rng):
        """Draw as if each had been counted once, which contradicts the variance."""
        return rng.multinomial(int(counts.sum()), counts / counts.sum(), size).astype(float)


def test_a_design_that_breaks_a_law_is_found_out():
    """Resamples that vary less than the stated variance are reported."""
    with pytest.raises(AssertionError, match="`Doubled` draws tables that vary otherwise"):
        check_design(Doubled(), TABLE)


def test_methods_refuse_what_a_design_does_not_offer():
    """A design without a posterior, or without tables that lack one unit, is refused in words."""
    table = hs.tables.ConfusionTable(counts=TABLE.counts, labels=TABLE.labels, design=Doubled())
    assert hs.estimate(table, "f1", method="bootstrap_percentile", random_state=0).low < 0.9
    for method, words in (("bayes", "needs a posterior"), ("bootstrap_bca", "`Doubled` has none")):
        with pytest.raises(hs.HowsureError, match=words):
            hs.estimate(table, "f1", method=method)


SETTINGS = [
    (kind, setting.name)
    for kind in dict.fromkeys(entry.kind for entry in METHODS.values() if entry.kind.__module__.startswith("howsure."))
    for setting in dataclasses.fields(kind)
]


@pytest.mark.parametrize("kind, setting", SETTINGS, ids=lambda each: getattr(each, "__name__", each))
@pytest.mark.parametrize("nonsense", ["lgoit", -1, object()], ids=["text", "number", "object"])
def test_settings_are_checked_when_a_method_is_made(kind, setting, nonsense):
    """Whatever a setting cannot be is refused at once, and not when a table is at hand."""
    with pytest.raises(hs.HowsureError):
        kind(**{setting: nonsense})
