"""The alternative annotator test."""

import numpy as np
import pytest
from scipy import stats

import howsure as hs

RNG = np.random.default_rng(12)
N = 80
TRUTH = RNG.integers(0, 4, N)


def said(skill):
    return np.where(RNG.random(N) < skill, TRUTH, RNG.integers(0, 4, N))


SAID = {name: said(skill) for name, skill in (("ann", 0.8), ("bob", 0.6), ("cy", 0.85), ("dan", 0.7), ("model", 0.75))}
TABLE = hs.ratings(SAID)


def indicators(other, score):
    """Return on each item whether the model, and whether an annotator, is at least as near to the other people."""
    rest = [SAID[name] for name in SAID if name not in {other, "model"}]
    model, own = (np.mean([score(SAID[name], each) for each in rest], axis=0) for name in ("model", other))
    return (model >= own - 1e-12) * 1.0, (own >= model - 1e-12) * 1.0


SCORES = {"identity": lambda a, b: (a == b) * 1.0, "quadratic": lambda a, b: -((a - b) ** 2.0)}


@pytest.mark.parametrize("weights", SCORES)
@pytest.mark.parametrize("epsilon", [0, 0.1, 0.2])
def test_it_is_the_published_procedure(weights, epsilon):
    """Each p-value is SciPy's t test of the differences, the adjusted ones those of Benjamini and Yekutieli."""
    found = hs.labels.alt_test(TABLE, "model", epsilon=epsilon, weights=weights)
    people = [name for name in SAID if name != "model"]
    each = {name: indicators(name, SCORES[weights]) for name in people}
    p_values = [stats.ttest_1samp(own - model, epsilon, alternative="less").pvalue for model, own in each.values()]
    adjusted = stats.false_discovery_control(p_values, method="by")
    assert list(found.p_values.values()) == pytest.approx(p_values)
    assert list(found.adjusted.values()) == pytest.approx(adjusted)
    assert found.winning_rate == np.mean(adjusted <= 0.05)
    assert found.passes == (found.winning_rate >= 0.5)
    advantage = [model.mean() for model, _ in each.values()]
    assert [one.value for one in found.annotators.values()] == pytest.approx(advantage)
    assert found.advantage.value == pytest.approx(np.mean(advantage))
    assert found.advantage.low < found.advantage.value < found.advantage.high


def test_missing_ratings_do_not_count():
    """An item counts for an annotator if they, the model and a third rated it; missing third ratings are ignored."""
    gappy = {name: column.astype(object) for name, column in SAID.items()}
    gappy["ann"][:30] = None
    gappy["model"][70:] = None
    found = hs.labels.alt_test(hs.ratings(gappy), "model")
    model, own = (each[30:70] for each in indicators("ann", SCORES["identity"]))
    assert found.differences["ann"] == pytest.approx((own - model).mean())
    assert found.p_values["ann"] == pytest.approx(stats.ttest_1samp(own - model, 0.2, alternative="less").pvalue)


def test_annotators_with_few_items_are_left_out():
    """Annotators with too few items do not enter the winning rate and the average."""
    gappy = {name: column.astype(object) for name, column in SAID.items()}
    gappy["bob"][20:] = None
    found = hs.labels.alt_test(hs.ratings(gappy), "model")
    assert list(found.annotators) == ["ann", "cy", "dan"]
    assert list(hs.labels.alt_test(hs.ratings(gappy), "model", min_items=20).annotators) == ["ann", "bob", "cy", "dan"]
    with pytest.raises(hs.HowsureError, match="No annotator shares 100 items with 'model'"):
        hs.labels.alt_test(TABLE, "model", min_items=100)


def test_clusters_of_items_count():
    """Identical items of one cluster count as one item: a table of copies has the p-value of that many clusters."""
    copies = {name: np.repeat(column, 5) for name, column in SAID.items()}
    cluster = np.repeat(np.arange(N), 5)
    copied = hs.labels.alt_test(hs.ratings(copies, groups=cluster), "model")
    plain = hs.labels.alt_test(hs.ratings(copies), "model")
    for name, p_value in hs.labels.alt_test(TABLE, "model").p_values.items():
        assert copied.p_values[name] == pytest.approx(p_value, rel=0.2)
        assert plain.p_values[name] < p_value or plain.p_values[name] > 0.5


def test_a_model_that_is_never_worse_is_no_certainty():
    """Where the model ties on all n items the p-value is (1 − ε)ⁿ, not 0."""
    same = {"a": list("xxyy") * 10, "b": list("xxyy") * 10, "c": list("xxyy") * 10, "model": list("xxyy") * 10}
    found = hs.labels.alt_test(hs.ratings(same), "model", epsilon=0.1)
    assert found.p_values["a"] == pytest.approx(0.9**40)
    assert found.advantage.low < found.advantage.value == 1
    assert (
        hs.labels.alt_test(
            hs.ratings({name: each[:30] for name, each in same.items()}), "model", epsilon=0.05
        ).winning_rate
        == 0
    )


def test_groups_have_a_test_each():
    """The tables of groups give a test of each group, and of all items."""
    found = hs.labels.alt_test(hs.ratings(SAID, by=np.arange(N) % 2), "model")
    assert found.overall.winning_rate == hs.labels.alt_test(TABLE, "model").winning_rate
    assert found[0].advantage.value == pytest.approx(
        hs.labels.alt_test(hs.ratings({name: column[::2] for name, column in SAID.items()}), "model").advantage.value
    )


def test_its_records_are_of_annotators():
    """Each annotator has a row, and the whole has a line."""
    found = hs.labels.alt_test(TABLE, "model")
    assert [row["annotator"] for row in found.records()] == ["ann", "bob", "cy", "dan"]
    assert str(found).startswith("model: winning rate ")
    assert "annotator" in found.to_markdown()


@pytest.mark.parametrize(
    "given, words",
    [
        ({"table": TABLE, "rater": "gpt"}, "no rater 'gpt'"),
        ({"table": TABLE, "rater": "model", "epsilon": 1.5}, "`epsilon` is at least 0 and less than 1"),
        ({"table": TABLE, "rater": "model", "q": "low"}, "`q`"),
        ({"table": hs.ratings([[0, 1], [1, 1]]), "rater": 0}, "needs two raters besides"),
        ({"table": hs.from_counts([[5, 1], [2, 4]]), "rater": 0}, "takes a table of ratings"),
    ],
    ids=["rater", "epsilon", "q", "two raters", "table"],
)
def test_what_cannot_be_tested_is_refused(given, words):
    """One line names the culprit."""
    with pytest.raises(hs.HowsureError, match=words):
        hs.labels.alt_test(**given)
