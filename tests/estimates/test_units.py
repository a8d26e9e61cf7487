"""A metric of each unit: the value that the unit alone has, with its weight and its cluster."""

import numpy as np
import pytest

import howsure as hs

RNG = np.random.default_rng(3)
STACK = RNG.poisson(4, (12, 3, 3)) + 10 * np.eye(3, dtype=int)


def test_each_matrix_has_its_own_value():
    """The values of a stack of matrices are those of each matrix alone."""
    values = hs.per_unit(hs.from_counts(STACK, groups=np.arange(12)), "jaccard@macro")
    alone = sorted(hs.estimate(table, "jaccard@macro").value for table in hs.from_counts(STACK).values())
    assert np.repeat(values.values, values.counts.astype(int))[1:-1].tolist() == pytest.approx(alone[1:-1])
    assert values.bounds == (0, 1)
    assert values.rows == 12


def test_a_stack_by_units_is_the_sum_in_which_units_vary():
    """A stack with groups has the values of the summed matrix, and the variance of its units."""
    table = hs.from_counts(STACK, groups=np.arange(12))
    pooled = hs.from_counts(STACK.sum(0))
    assert table.counts.tolist() == pooled.counts.tolist()
    hits, cases = STACK.trace(axis1=1, axis2=2), STACK.sum((1, 2))
    away = (hits - hits.sum() / cases.sum() * cases) / cases.sum()
    assert hs.estimate(table, "accuracy").standard_error == pytest.approx(np.sqrt(12 / 11 * (away**2).sum()))


def test_images_of_a_patient_stay_together():
    """Values of images in patients are clustered: their mean has the standard error of the patients' sums."""
    patient = np.arange(12) // 3
    values = hs.per_unit(hs.from_counts(STACK, groups=patient), "accuracy")
    each = STACK.trace(axis1=1, axis2=2) / STACK.sum((1, 2))
    sums = np.bincount(patient, each - each.mean())
    found = hs.estimate(values, "mean")
    assert found.value == pytest.approx(each.mean())
    assert found.standard_error == pytest.approx(np.sqrt(4 / 3 * (sums**2).sum()) / 12)
    direct = hs.values(each, groups=patient, bounds=(0, 1))
    assert [found.low, found.high] == pytest.approx(
        [getattr(hs.estimate(direct, "mean"), end) for end in ("low", "high")]
    )


def test_rows_in_groups_are_units_too():
    """A confusion table counted from rows with groups has a value for each group."""
    truth, said, document = [1, 0, 1, 1, 0, 0], [1, 0, 0, 1, 1, 0], [1, 1, 1, 2, 2, 2]
    values = hs.per_unit(hs.confusion(truth, said, groups=document), "recall")
    assert values.values.tolist() == [0, 0.5, 1]
    assert values.counts.tolist() == [0, 1, 1]  # of the value 0, which is a bound, none


def test_two_models_are_paired_by_unit():
    """A comparison of means over units is that of the units' differences."""
    other = STACK[:, ::-1]
    both = hs.from_counts({"A": STACK, "B": other}, groups=np.arange(12))
    found = hs.compare(hs.per_unit(both, "accuracy"), "mean")
    first, second = (each.trace(axis1=1, axis2=2) / each.sum((1, 2)) for each in (STACK, other))
    assert found.value == pytest.approx((first - second).mean())
    assert found.standard_error == pytest.approx((first - second).std(ddof=1) / np.sqrt(12))
    pooled = hs.compare(both, "accuracy")
    assert pooled.value == pytest.approx(STACK.trace(axis1=1, axis2=2).sum() / STACK.sum() - found_pooled(other))


def found_pooled(stack):
    return stack.trace(axis1=1, axis2=2).sum() / stack.sum()


def test_weights_of_units_count():
    """The mean over weighted units is the weighted mean of their values."""
    table = hs.events([8, 5, 3], [1, 0, 7], [2, 3, 1], sample_weight=[2.0, 1.0, 0.5])
    dice = 2 * np.array([8, 5, 3]) / np.array([19, 13, 14])
    assert hs.estimate(hs.per_unit(table, "dice"), "mean").value == pytest.approx(
        np.average(dice, weights=[2.0, 1.0, 0.5])
    )


def test_undefined_units_are_told_and_left_out_or_filled():
    """Units without events are refused with their number, left out on request, or given the stated value."""
    table = hs.events([8, 0, 3, 0], [1, 0, 1, 0], [2, 0, 0, 3])
    with pytest.raises(hs.HowsureError, match=r"undefined on 1 of 4 units.*zero_division=1.*nan_policy='omit'"):
        hs.per_unit(table, "dice")
    dice = [16 / 19, 6 / 7, 0]
    assert hs.estimate(hs.per_unit(table, "dice", nan_policy="omit"), "mean").value == pytest.approx(np.mean(dice))
    filled = hs.per_unit(table, "dice+zero_division=1")
    assert hs.estimate(filled, "mean").value == pytest.approx(np.mean([*dice, 1]))
    with pytest.raises(hs.HowsureError, match="nothing to take the mean of"):
        hs.per_unit(hs.events([0, 0], [0, 0], [0, 0]), "dice", nan_policy="omit")


def test_tables_of_groups_have_values_each():
    """With `by` each group has the values of its units."""
    tables = hs.events([8, 5, 3, 4], [1, 0, 7, 1], [2, 3, 1, 0], by=["x", "x", "y", "y"])
    found = hs.per_unit(tables, "recall")
    assert hs.estimate(found["x"], "mean").value == pytest.approx((8 / 10 + 5 / 8) / 2)
    assert hs.estimate(found.overall, "mean").value == pytest.approx((8 / 10 + 5 / 8 + 3 / 4 + 1) / 4)


def test_tables_that_know_no_units_are_refused():
    """A table of independent cases has no units, and the message states how to define some."""
    with pytest.raises(hs.HowsureError, match=r"has no units.*groups"):
        hs.per_unit(hs.confusion([0, 1], [0, 1]), "f1")
    with pytest.raises(hs.HowsureError, match="nan_policy"):
        hs.per_unit(hs.events([1, 2], [0, 1], [1, 1]), "f1", nan_policy="drop")


@pytest.mark.parametrize("suffix", [".json", ".parquet"])
def test_units_in_groups_survive_a_file_and_a_sum(suffix, tmp_path):
    """After saving and reading, and after joining parts, a table gives the same mean over units."""
    patient = np.array(["p", "p", "q", "q", "r", "r"])
    numbers = np.array([[8, 5, 9, 1, 7, 6], [1, 0, 2, 1, 0, 1], [2, 3, 0, 1, 1, 2]])
    table = hs.events(*numbers, unit=np.arange(6), groups=patient)
    parts = [
        hs.events(*numbers[:, part], unit=np.arange(6)[part], groups=patient[part]) for part in (slice(3), slice(3, 6))
    ]
    expected = hs.estimate(hs.per_unit(table, "f1"), "mean")
    for other in (hs.load(table.save(tmp_path / f"units{suffix}")), parts[0] + parts[1]):
        found = hs.estimate(hs.per_unit(other, "f1"), "mean")
        assert [found.value, found.low, found.high] == pytest.approx([expected.value, expected.low, expected.high])
