"""Differences and ratios of class averages of two models on the same cases, along one path."""

import numpy as np
import pytest

import howsure as hs
from howsure.methods.flow.all_cells import AllCells, second_order_bias
from howsure.methods.flow.class_averages import FewClasses, ManyClasses
from howsure.methods.flow.contrasts import ContrastOfAverages, ContrastOfTables, path_kind
from howsure.metrics.binding import resolve
from howsure.metrics.contrast import EFFECTS, contrast_metric
from howsure.metrics.metric import Side
from howsure.native.averages import ClassShares

RNG = np.random.default_rng(12)


def paired(classes, cases=200):
    """Return a table of two models, of different accuracy."""
    truth = RNG.integers(0, classes, cases)
    said = [np.where(RNG.random(cases) < right, truth, RNG.integers(0, classes, cases)) for right in (0.85, 0.6)]
    return hs.paired(truth, {"A": said[0], "B": said[1]}, labels=range(classes))


def contrast(spec, table, effect="difference", names="AB"):
    """Return the contrast of the two models' metrics."""
    sides = [Side(name, resolve(spec, table.model(name)), table.view(name)) for name in names]
    return contrast_metric(EFFECTS[effect], *sides)


@pytest.mark.parametrize("classes, kind", [(3, FewClasses), (20, ManyClasses)])
@pytest.mark.parametrize("spec", ["f1@macro", "recall@weighted"])
def test_the_bias_of_a_difference_is_that_of_both_averages(classes, kind, spec):
    """One less the other; of exchanged models it has the other sign, and the variance is inflated as much."""
    table = paired(classes, 200 if classes < 9 else 900)
    found = ContrastOfAverages(contrast(spec, table), table, table.cells[None])
    bias, inflation = found.second_order()
    alone = []
    for name in "AB":
        own = table.model(name)
        averages = ClassShares.beside([resolve(spec, own).class_shares])
        alone.append(kind(averages, own.counted, np.ones(1)).centre_bias())
    assert bias == pytest.approx(alone[0] - alone[1], rel=1e-6, abs=1e-12)
    turned = ContrastOfAverages(contrast(spec, table, names="BA"), table, table.cells[None])
    assert turned.second_order()[0] == pytest.approx(-bias, rel=1e-6, abs=1e-12)
    assert turned.second_order()[1] == pytest.approx(inflation)
    assert (inflation >= 1).all()
    assert found.sums_classes
    assert not found.is_sparse().any()


def test_models_that_say_the_same_have_no_bias_to_tell_apart():
    """Their difference is 0 for any table, and no variance is inflated."""
    truth, said = RNG.integers(0, 3, 90), RNG.integers(0, 3, 90)
    table = hs.paired(truth, {"A": said, "B": said.copy()}, labels=range(3), check=False)
    bias, inflation = ContrastOfAverages(contrast("f1@macro", table), table, table.cells[None]).second_order()
    assert bias == pytest.approx(0, abs=1e-12)
    assert np.isfinite(inflation).all()


def test_a_ratio_has_the_bias_of_its_logarithm():
    """On the logarithmic scale each joint cell is changed in turn."""
    table = paired(3)
    found = ContrastOfAverages(contrast("f1@macro", table, "ratio"), table, table.cells[None])
    assert found.scale.sign == 1
    assert not found.sums_classes
    bias, _ = found.second_order()
    assert bias == pytest.approx(second_order_bias(found.value, found.filled), rel=1e-9)


@pytest.mark.parametrize("effect", ["difference", "ratio"])
def test_the_bias_from_either_models_table_is_that_of_all_joint_cells(effect):
    """Changing each joint cell in turn gives the same bias, for several tables with numbers of their own."""
    table = paired(3)
    cases = RNG.gamma(2, size=(4, *table.shape))
    found = ContrastOfTables(contrast("balanced_accuracy", table, effect), table, cases)
    assert found.bias() == pytest.approx(second_order_bias(found.value, found.filled), rel=1e-9)


def test_few_cases_a_class_are_told_of_either_model():
    """With more than twenty classes of fewer than four cases the bias is unknown."""
    table = paired(30, 80)
    assert ContrastOfAverages(contrast("f1@macro", table), table, table.cells[None]).is_sparse().all()


def test_averages_of_the_same_cases_are_compared():
    """Other metrics, one model alone and separate test sets have other paths."""
    table = paired(3)
    assert path_kind(contrast("f1@macro", table), table) is ContrastOfAverages
    assert path_kind(contrast("f1@macro", table, "ratio"), table) is ContrastOfAverages
    assert path_kind(contrast("mcc", table), table) is ContrastOfTables
    own = table.model("A")
    assert path_kind(resolve("f1@macro", own), own) is AllCells


@pytest.mark.parametrize("cases", [3, 8])
def test_variances_of_classes_of_few_cases_are_inflated(cases):
    """With m cases in each class by m / (m - 1), less if few classes make up the variance: by the share of the squares."""
    truth = np.repeat(np.arange(12), cases)
    said = [np.where(RNG.random(12 * cases) < right, truth, (truth + 1) % 12) for right in (0.9, 0.6)]
    table = hs.paired(truth, {"A": said[0], "B": said[1]}, labels=range(12))
    found = ContrastOfAverages(contrast("recall@macro", table), table, table.cells[None]).second_order()[1]
    gap = (said[0] == truth) * 1.0 - (said[1] == truth)
    each = np.array([gap[truth == side].var() for side in range(12)])
    share = (each**2).sum() / each.sum() ** 2
    assert found == pytest.approx([1 + (1 - share) / (cases - 1)])
