"""Shares of classes from predictions: the linear algebra behind them, against dense matrices and differences."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

import howsure as hs
from howsure.imperfect_labels.dataset_shift.shares import LEAST, LowRank, Shift

COUNTS = np.array([[80_000, 15_000, 5000], [9000, 75_000, 16_000], [6000, 10_000, 84_000]]) / 10
TARGET = np.array([30_000.0, 40_000.0, 50_000.0])
NAMES = ["a", "b", "c"]


def carried(counts=COUNTS, target=TARGET):
    """Return the table of the target's cases, and its shares, from the equations alone."""
    rates = counts / counts.sum(1, keepdims=True)
    shares = np.linalg.solve(rates.T, target / target.sum())
    return target.sum() * shares[:, None] * rates, shares


def shift(counts=COUNTS, target=TARGET):
    return Shift.of(hs.from_counts(counts, labels=NAMES), dict(zip(NAMES, target, strict=True)), None)


def test_a_matrix_of_low_rank_is_its_dense_one():
    """Products from either side are those of the diagonal matrix plus the product of its factors."""
    rng = np.random.default_rng(0)
    diagonal, left, right = rng.normal(size=5), rng.normal(size=(5, 2)), rng.normal(size=(2, 5))
    matrix, dense = LowRank(diagonal, left, right), np.diag(diagonal) + left @ right
    columns, rows = rng.normal(size=(5, 3)), rng.normal(size=(4, 5))
    assert matrix @ columns == pytest.approx(dense @ columns)
    assert rows @ matrix == pytest.approx(rows @ dense)
    matrix.check(5)
    for wrong in (LowRank(diagonal[:4], left, right), LowRank(diagonal, left.T, right), LowRank(diagonal, left, left)):
        with pytest.raises(hs.HowsureError):
            wrong.check(5)


def test_shares_and_tables_are_those_of_the_equations():
    """With as many outputs as classes the shares solve the equations, and nothing is left over."""
    found = shift()
    table, shares = carried()
    assert found.shares == pytest.approx(shares)
    assert found.possible == pytest.approx(shares)
    assert found.expected(found.shares) == pytest.approx(table.ravel())
    assert found.leftover == pytest.approx(np.zeros(3), abs=1e-12)
    assert found.rates == pytest.approx(COUNTS / 10_000)


def test_a_share_below_zero_is_the_least_possible_one():
    """Where the equations give a share below zero the possible shares are above it, and add up to 1."""
    rates = COUNTS / COUNTS.sum(1, keepdims=True)
    found = shift(target=10_000 * np.array([0.6, 0.45, -0.05]) @ rates)
    assert found.shares == pytest.approx([0.6, 0.45, -0.05])
    assert found.possible == pytest.approx(np.array([0.6, 0.45, LEAST]) / (1.05 + LEAST))


def test_influences_are_the_derivatives_of_the_table():
    """One case more, of as many, changes the table by its derivative minus the mean over all cases."""
    samples = shift().samples()
    for sample, counts, other in (
        (samples[0], COUNTS, lambda moved: carried(moved, TARGET)),
        (samples[1], TARGET, lambda moved: carried(COUNTS, moved)),
    ):
        derivative = []
        for place in range(counts.size):
            step = np.zeros(counts.size)
            step[place] = 1.0
            ends = [other(counts + sign * step.reshape(counts.shape))[0].ravel() for sign in (1, -1)]
            derivative.append((ends[0] - ends[1]) / 2)
        derivative = np.array(derivative)
        influence = np.eye(counts.size) @ sample.influence
        weight = counts.ravel() / counts.sum()
        assert sample.counts.tolist() == counts.ravel().tolist()
        assert influence - weight @ influence == pytest.approx(derivative - weight @ derivative, abs=1e-6)


def test_tables_of_other_counts_are_those_of_the_equations():
    """The refit gives the table of any counts of both samples; merged cells have the sums of theirs."""
    refit = shift().refit()
    rng = np.random.default_rng(1)
    drawn = np.stack([np.concatenate([rng.poisson(COUNTS.ravel()), rng.poisson(TARGET)]) for _ in range(3)])
    expected = [carried(each[:9].reshape(3, 3), each[9:])[0].ravel() for each in drawn.astype(float)]
    assert refit.tables(drawn.astype(float)) == pytest.approx(np.array(expected))
    target = np.array([0, 1, 1, 2, 3, 3, 2, 3, 3])
    merged = refit.merged(target, 4)
    assert merged.tables(merged.observed) == pytest.approx(np.bincount(target, carried()[0].ravel(), 4))
    assert merged.observed.sum() == COUNTS.sum() + TARGET.sum()
    assert refit.interior(refit.observed).tolist() == refit.observed.tolist()
    rates = COUNTS / COUNTS.sum(1, keepdims=True)
    outside = np.concatenate([COUNTS.ravel(), 10_000 * np.array([0.6, 0.4, 0.0]) @ rates])
    moved = refit.interior(outside)
    assert moved[:9].tolist() == outside[:9].tolist()
    inside = np.array([0.6, 0.4, 0.5e-4]) / (1 + 0.5e-4)
    assert np.linalg.solve(rates.T, moved[9:] / 10_000) == pytest.approx(inside, abs=1e-7)


@pytest.mark.parametrize("ranges", [3, 5])
def test_what_is_left_over_is_chi_squared(ranges):
    """The statistic is the smallest generalised least squares distance, with as many degrees as ranges over classes."""
    rng = np.random.default_rng(2)
    label = np.arange(3000) % 2
    score = np.clip(np.floor(rng.normal(1.2 * label + 1.5)), 0, ranges - 1)
    seen = np.clip(np.floor(rng.normal(1.2 * (rng.random(5000) < 0.3) + 1.7)), 0, ranges - 1)
    found = hs.shift.label_shift_test(hs.scores(label, score), seen)
    joint = np.array([np.bincount(score[label == side].astype(int), minlength=ranges) for side in (0, 1)]) * 1.0
    rates, smooth = (each / each.sum(1, keepdims=True) for each in (joint, joint + 0.5))
    aim = np.bincount(seen.astype(int), minlength=ranges) / 5000
    share = 0.5
    for _ in range(30):
        mixture = np.array([1 - share, share])
        whole = mixture @ smooth
        covariance = (np.diag(whole) - np.outer(whole, whole)) / 5000
        for part, rate in zip(mixture, smooth, strict=True):
            covariance += part**2 * (np.diag(rate) - np.outer(rate, rate)) / 1500
        precision = np.linalg.pinv(covariance, hermitian=True)
        gap = rates[1] - rates[0]
        share = gap @ precision @ (aim - rates[0]) / (gap @ precision @ gap)
    rest = aim - rates[0] - share * gap
    assert found.statistic == pytest.approx(rest @ precision @ rest, rel=1e-3)
    assert found.degrees_of_freedom == ranges - 2
    assert found.p_value == pytest.approx(stats.chi2.sf(found.statistic, ranges - 2))
    assert str(found).startswith(f"label shift: chi-square {found.statistic:.1f} with {ranges - 2} degrees")
    assert found.to_dict()["p_value"] == found.p_value


@pytest.mark.parametrize(
    "counts, target, words",
    [
        ([[5, 1, 0], [0, 0, 0], [1, 2, 9]], {"a": 5}, "no case of class .b"),
        ([[5, 1, 1], [5, 1, 1], [1, 2, 9]], {"a": 5}, "cannot be estimated"),
        (COUNTS, {"a": 0, "b": 0}, "`target` is empty"),
        (COUNTS, [], "`target` is empty"),
        (COUNTS, {"a": -1, "b": 3}, "negative or missing"),
        (COUNTS, {"a": np.nan, "b": 3}, "negative or missing"),
        (COUNTS, {"a": 4, "z": 3}, "z"),
    ],
)
def test_shares_that_nothing_tells_are_refused(counts, target, words):
    """Classes without a case, or with the same predictions, and a target without one."""
    with pytest.raises(hs.HowsureError, match=words):
        Shift.of(hs.from_counts(counts, labels=NAMES), target, None)
    assert Shift.of(hs.from_counts(COUNTS, labels=NAMES), {"a": 7, "b": 0}, None).target.tolist() == [7, 0, 0]


def test_scores_have_ranges_of_as_many_cases():
    """Ranges hold about as many cases of both classes alike, at most ten and at least three, by the smaller class."""
    rng = np.random.default_rng(3)
    for cases, ranges in ((150, 3), (520, 5), (3000, 10)):
        label = np.repeat([0, 1], [4000, cases])
        score = rng.normal(label)
        found = Shift.of(hs.scores(label, score), rng.normal(size=5000), None)
        assert found.rates.shape == (2, ranges)
        assert found.rates.mean(0) == pytest.approx(np.full(ranges, 1 / ranges), abs=0.01)
        assert found.target.sum() == 5000


def unseen_by_loops(found, influence):
    """Return the mean influence of the cells of each pair of a class and an output that no labelled case has."""
    pairs = list(zip(found.table.true_class.tolist(), found.output.tolist(), strict=True))
    rows = []
    for pair in sorted(set(pairs)):
        cells = [place for place, each in enumerate(pairs) if each == pair]
        if not found.table.cells[cells].sum():
            rows.append(influence[cells].mean(0))
    return np.array(rows)


@pytest.mark.parametrize("scored", [False, True])
def test_outputs_without_a_case_have_pseudo_cases(scored):
    """Two pseudo-cases of each class and output that was not seen move the table as a case of it would on average."""
    if scored:
        label = np.arange(200) % 2
        source, target = hs.scores(label, label + np.linspace(0, 0.5, 200)), np.linspace(0, 1.5, 500)
    else:
        source, target = hs.from_counts([[90, 10, 0], [0, 80, 20], [5, 0, 95]], check=False), {0: 300, 1: 200, 2: 250}
    found = Shift.of(source, target, None)
    first, _, third = found.samples()
    rows = unseen_by_loops(found, np.eye(len(found.table.cells)) @ first.influence)
    assert third.counts.tolist() == [2.0] * len(rows) + [source.counts.sum()]
    assert len(rows) >= 2
    assert third.influence[:-1] == pytest.approx(rows)
    assert not third.influence[-1].any()
    assert len(shift().samples()) == 2


def test_a_target_may_be_a_column():
    """Predictions by the name of a column, with a number of cases each, are those cases."""
    source = hs.from_counts(COUNTS, labels=NAMES)
    data = {"said": [*NAMES, "a"], "n": [30, 40, 50, 7]}
    assert Shift.of(source, "said", {"said": ["a", "b", "b"]}).target.tolist() == [1, 2, 0]
    assert Shift.of(source, "said", data, "n").target.tolist() == [37, 40, 50]
    assert Shift.of(source, [*NAMES, "a"], None, [30, 40, 50, 7]).target.tolist() == [37, 40, 50]


def test_shares_follow_from_one_labelled_sample_alone():
    """Tables of several samples, estimated counts and cases without labels are refused, each by itself."""
    source = hs.from_counts(COUNTS, labels=NAMES)
    estimated = hs.labels.corrected(hs.from_counts([[900, 100], [50, 450]]), sensitivity=0.95, specificity=0.98)
    for table in (
        replace(source, counts=np.stack([COUNTS, COUNTS])),
        estimated,
        hs.calibrated([[0.2, 0.8], [0.7, 0.3]]),
        hs.calibrated([0.2, 0.7]),
    ):
        with pytest.raises(hs.HowsureError, match="estimates or of several samples"):
            Shift.of(table, {0: 3, 1: 4}, None)
    with pytest.raises(hs.HowsureError, match="For another population"):
        Shift.of(COUNTS, {0: 3}, None)
