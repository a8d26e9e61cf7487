"""Paired tables contain the joint counts, and pseudo-cases are spread evenly over each pair of models."""

from itertools import combinations

import numpy as np
import pytest

import howsure as hs
from howsure.sources.paired import pseudo_tuples


def columns(seed, size=200, classes=3, models=4):
    """Return true labels and the predictions of some models."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, classes, size)
    return truth, {
        f"m{i}": np.where(rng.random(size) < 0.7, truth, rng.integers(0, classes, size)) for i in range(models)
    }


def test_every_model_has_its_confusion_table():
    """Summing the joint cells gives each model's table, for any number of models."""
    for models in (2, 3, 9):
        truth, said = columns(models, models=models)
        table = hs.paired(truth, said)
        assert table.rows == table.counts.sum() == 200
        for name in said:
            assert table.model(name).counts.tolist() == hs.confusion(truth, said[name]).counts.tolist()


def test_labels_of_text_and_labels_left_out():
    """Labels may be text; cases with a label that is not among those named are left out."""
    truth, said = ["a", "b", "c", "a", "b"], {"x": ["a", "b", "a", "b", "c"], "y": ["a", "a", "b", "a", "b"]}
    table = hs.paired(truth, said)
    assert table.labels.tolist() == ["a", "b", "c"]
    assert hs.paired(truth, said, labels=["b", "a"]).rows == 3


def test_a_narrower_table_has_the_same_pairs():
    """Taking two of five models leaves their joint counts and design as if only they had been given, and a like prior."""
    truth, said = columns(0, models=5)
    group = np.repeat(np.arange(50), 4)
    whole = hs.paired(truth, said, groups=group)
    two = hs.paired(truth, {name: said[name] for name in ("m1", "m3")}, groups=group)
    for method, tolerance in (("delta", 1e-12), ("flow", 1e-5)):
        first = hs.compare(whole, "f1@macro", a="m1", b="m3", method=method)
        second = hs.compare(two, "f1@macro", method=method)
        assert (first.value, float(first.low), float(first.high)) == pytest.approx(
            (second.value, float(second.low), float(second.high)), abs=tolerance
        )


@pytest.mark.parametrize("classes, models", [(2, 2), (2, 3), (2, 7), (5, 2), (5, 6), (300, 4)])
def test_pseudo_cases_are_balanced(classes, models):
    """For any two models of the pseudo-cases, each pattern of right and wrong has a quarter; classes are equal."""
    tuples = pseudo_tuples(classes, models)
    true, right = tuples[:, 0], tuples[:, 1:] == tuples[:, :1]
    assert np.ptp(np.bincount(true)) == 0
    for i, j in combinations(range(models), 2):
        shares = np.bincount(2 * right[:, i] + right[:, j], minlength=4) / len(tuples)
        assert shares == pytest.approx([0.25] * 4)
    assert len(tuples) <= 2**14


def test_two_models_of_two_classes_have_agresti_and_mins_prior():
    """The default prior adds half a case to each of the four patterns of being right."""
    table = hs.paired([0, 1, 1], {"A": [0, 1, 0], "B": [0, 0, 1]})
    prior = 2 * table.priors.shares
    right = table.codes[:, 1:] == table.codes[:, :1]
    for pattern in ([True, True], [True, False], [False, True], [False, False]):
        assert prior[(right == pattern).all(1)].sum() == pytest.approx(0.5)


def test_many_models_of_many_classes_are_counted():
    """Forty models of a hundred classes have more combinations than a 64-bit number; all are distinguished."""
    truth, said = columns(1, size=500, classes=100, models=40)
    table = hs.paired(truth, said)
    rows = np.column_stack([truth, *said.values()])
    assert (table.counts > 0).sum() == len(np.unique(rows, axis=0))
    assert table.model("m39").counts.sum() == 500


def test_a_model_by_its_name():
    """An unknown model is refused with the nearest names."""
    table = hs.paired([0, 1], {"resnet": [0, 1], "vit": [0, 1]})
    with pytest.raises(hs.HowsureError, match="Did you mean 'resnet'"):
        table.model("resnt")


def test_paired_scores_have_each_models_table():
    """The joint table of scores gives each model's own, with ties, weights and clusters."""
    rng = np.random.default_rng(2)
    truth, weight = rng.integers(0, 2, 80), rng.uniform(0.5, 2, 80)
    scores = {"A": np.round(rng.normal(truth), 1), "B": np.round(rng.normal(truth), 1)}
    table = hs.paired_scores(truth, scores, sample_weight=weight, groups=np.repeat(np.arange(20), 4))
    for name, each in scores.items():
        single = hs.scores(truth, each, sample_weight=weight, groups=np.repeat(np.arange(20), 4))
        found, expected = hs.estimate(table.model(name), "roc_auc"), hs.estimate(single, "roc_auc")
        assert (found.value, found.low, found.high) == pytest.approx(
            (expected.value, expected.low, expected.high), abs=1e-12
        )


def test_groups_know_the_scores_of_all_cases():
    """A threshold beyond 0 and 1 is taken where a model's scores of any group go there, though the group's own do not."""
    truth, site = [0, 1, 0, 1, 0, 1], list("xxxxyy")
    tables = hs.paired_scores(truth, {"A": [0.1, 0.7, 0.4, 0.9, -3, 8], "B": [0.2, 0.6, 0.3, 0.8, 0.5, 0.9]}, by=site)
    assert tables["x"].model("A").at(5).counts.tolist() == [[2, 0], [2, 0]]
    with pytest.raises(hs.HowsureError, match="all scores lie from 0 to 1"):
        tables["x"].model("B").at(5)
