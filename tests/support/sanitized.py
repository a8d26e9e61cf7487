"""The compiled kernels under the compiler's checks of addresses and of undefined behaviour.

As a script it compiles the kernels with these checks into a temporary folder, and runs there the tests of the
kernels and as many random inputs as are requested; it ends with an error if a check fails:
``python tests/support/sanitized.py 25000``.
"""

import argparse
import ctypes
import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import numpy as np

from howsure.native import compile as compiling, library
from howsure.native.averages import ClassShares
from howsure.native.differences import largest_differences
from howsure.native.drawn_areas import drawn_areas, drawn_precisions
from howsure.native.ends import ends
from howsure.native.gammas import gammas
from howsure.native.growth import grown
from howsure.native.interpolated_precisions import interpolated_precisions
from howsure.native.interpolation import interpolated
from howsure.native.isotonic import rising_shares
from howsure.native.label_variance import label_variance
from howsure.native.losses import CellLosses, Tilts, square_losses
from howsure.native.mid_p import mid_p_limits
from howsure.native.moments import chance_sums, class_moments
from howsure.native.multinomials import multinomials
from howsure.native.outcomes import outcomes
from howsure.native.pairs import count_pairs, whole_numbers
from howsure.native.placements import area_slopes, placement_sums
from howsure.native.products import ProductTables
from howsure.native.ranks import cases_of, rank_sums, ranked_units
from howsure.native.resampling import Ranked, Resamples
from howsure.native.sides import by_side
from howsure.native.sorting import count_scores
from howsure.native.weighted_sums import UnitCounts, weighted_sums

CHECKS = ["-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
TESTS = Path(__file__).parents[1] / "native"
SKIPPED = ("test_compile.py", "test_library.py")  # which compile and load libraries of their own
SIZES = [0, 1, 2, 3, 64, 1500, 5000]
OPTIONS = "detect_leaks=0:malloc_context_size=4:quarantine_size_mb=64:hard_rss_limit_mb=4096"
SOUND = "sound"


def resampled(rng):
    """Resample cases of odd numbers, also with totals that no resample has."""
    for trial in range(150):
        cases = int(rng.choice([1, 2, 7, 64, 300, 4095, 4096, 4097, 9000]))
        scores = int(rng.choice([1, 2, max(1, cases // 3), cases]))
        counts = np.zeros((scores, 2), dtype=int)
        np.add.at(counts, (rng.integers(scores, size=cases), (rng.random(cases) < rng.choice([0, 0.5, 1])) * 1), 1)
        resamples = Resamples.drawn(cases, 64, rng)
        if trial % 3 == 0:  # totals that no resample would have
            odd = rng.choice([0, 1, 32767, 5000], size=resamples.totals.shape).astype(np.uint32)
            resamples = Resamples(cases, resamples.keys, odd)
        resamples.weights(3)
        rank_sums(resamples, cases_of(counts), Ranked(int(rng.integers(1, 4))))
        weights = resamples.weights(0, 8)
        unit = rng.integers(cases, size=cases)
        ranked_units(weights, unit, cases_of(counts), Ranked(int(rng.integers(1, 4))))
        UnitCounts.of(unit, rng.integers(5, size=cases), rng.random(cases).round(1), 5).tables(weights)
        UnitCounts.of(unit, rng.integers(5, size=cases), np.ones(cases), 5).tables(resamples.weights(3))
        weighted_sums(resamples, rng.normal(size=(int(rng.integers(1, 4)), cases)))


def drawn(rng):
    """Draw and sum at sizes next to those of blocks."""
    for draws in (0, 1, 31, 32, 33, 63, 64, 65, 1000):
        shapes = np.array([0, 5e-324, 1e-310, 0.1, 1, 1.5, 2, 3, 4, 5, 150, 1e6, 1e12, 1e300])
        gammas(rng.permutation(shapes), draws, rng.integers(2**64 - 1, dtype=np.uint64))
    for draws in (0, 1, 255, 256, 257, 1000):
        for counts in ([], [0], [7], [0, 0], [1] * 40, [3, 0, 20, 21, 19, 4000], [10**9, 10**15, 1]):
            multinomials(np.array(counts), draws, rng.integers(2**64 - 1, dtype=np.uint64))
    for tables in (64, 65, 127, 128, 1000):
        for classes in (1, 3, 19, 20):
            outcomes(rng.random((tables, classes, classes)))
    for size in (0, 1, 7, 9, 255, 256, 257, 5000):
        Tilts(rng.normal(size=size), 700.0).sums(rng.random(size), 1e300, 3.0)
    for size in (0, 1, 31, 33, 1023, 1024, 1025, 5000):
        rows = np.arange(3)
        sides = rng.integers(0, 4, (3, 3))
        largest_differences(rng.normal(size=(3, size)), rng.random((3, 3)), sides, rows, rows // 2)
        for most in (0, 1, 7):
            chance_sums(rng.random((size, 2))[:, 1], np.broadcast_to(1.0, size), most)


def limited(rng):
    """Compute the limits of proportions of few trials and many, at usual levels and extreme ones."""
    for trials in ([], [0.0, 1.0, np.nan], rng.integers(1, 9, 33) * 1.0, rng.random(33) * 8000 + 3):
        for tail, z in ((0.025, 1.96), (1e-11, 6.7), (0.4999999, 2.5e-7)):
            mid_p_limits(np.floor(rng.random(len(trials)) * (np.array(trials) + 1)), np.array(trials), tail, z)


def averaged(rng):
    """Average over few classes and many, of no table and several."""
    for classes in (1, 2, 9, 64):
        kinds = [([2, 0, 0], [0, 1, 1], False, np.nan), ([1, 0, 0], [0, 1, 0], True, 0.0)]
        together = ClassShares.beside(
            [
                ClassShares.of(above, below, by_total=by, times=np.ones(classes), constants=[constant] * classes)
                for above, below, by, constant in kinds
            ]
        )
        for tables in (0, 1, 3):
            counts = rng.poisson(0.5, (4, tables, 2, classes)) * 1.0
            together.bias(list(counts), 1 / 16, 0.5)
            places = np.flatnonzero(~np.eye(classes, dtype=bool))[: int(rng.choice([0, 5, 5000]))]
            cells = rng.poisson(0.5, (tables, 2, 3 * classes + len(places))) * 1.0
            found = ProductTables(*np.divmod(places, classes), classes).moments(together, cells, np.ones(2))
            if tables:
                grown(cells[:1], found.slopes, found.value * 1e300, 700.0)


def summed(rng):
    """Sum losses of odd numbers of cells, rows and classes."""
    for _ in range(100):
        cells = int(rng.choice([1, 2, 7, 5000]))
        numbers, counts = rng.choice([rng.random(cells), np.zeros(cells), np.ones(cells)]), rng.poisson(1.0, cells)
        CellLosses(numbers).moments(counts, (0.0, 1.0), int(rng.choice([1, 2, 4096])))
        CellLosses(numbers).sums(counts)
        class_moments(counts, counts, rng.integers(int(rng.choice([1, 3, 100])), size=cells), rng.normal(size=cells))
    for rows, classes in ((0, 3), (1, 1), (5, 7), (4, 8), (9, 17)):
        losses = square_losses(rng.dirichlet(np.ones(classes), rows))
        losses.sums(np.ones((rows, classes)))
        if rows and losses.ends[0] < losses.ends[1]:
            losses.moments(np.ones((rows, classes)), losses.ends, 50)


def sorted_scores(rng):
    """Sort, place and interpolate scores that are tied, close or extreme."""
    for trial in range(300):
        cases = int(rng.choice([1, 2, 7, 300, 5000]))
        bits = rng.integers(2**63, size=cases, dtype=np.uint64) * 2 + rng.integers(2, size=cases, dtype=np.uint64)
        kinds = (
            rng.random(cases),
            rng.normal(size=cases).round(1),
            np.zeros(cases),
            1 + rng.permutation(cases) * 2.0**-52,
            np.nan_to_num(bits.view(float), nan=0.5, posinf=1e308, neginf=-1e308),
        )
        _, counts = count_scores(rng.random(cases) < rng.choice([0, 0.5, 1]), kinds[trial % 5])
        placement_sums(counts)
        area_slopes(counts)
        tables = rng.poisson(0.5, (int(rng.choice([0, 1, 3, 4, 5])), len(counts), 2)) * 1.0
        drawn_areas(tables)
        drawn_precisions(tables)
        interpolated_precisions(tables.reshape(len(tables), 2 * len(counts)), int(rng.integers(2)), len(counts) - 1)
    for trial in range(300):
        points = int(rng.choice([1, 2, 7, 300, 5000]))
        bits = rng.integers(2**63, size=points, dtype=np.uint64) * 2 + rng.integers(2, size=points, dtype=np.uint64)
        kinds = (
            rng.random(points),
            rng.normal(size=points).round(1),
            1 + rng.permutation(points) * 2.0**-52,
            5e-324 * rng.permutation(points),
            np.nan_to_num(bits.view(float), nan=0.5, posinf=1e308, neginf=-1e308),
        )
        known = np.unique(kinds[trial % 5])
        places = np.concatenate(
            [known, -known, kinds[trial % 4], np.nan_to_num([np.inf, -np.inf]), [np.nan, np.inf, -np.inf]]
        )
        interpolated(rng.permutation(places), known, rng.random(len(known)))
        counts = rng.poisson(rng.choice([0.1, 1.0, 50.0]), (int(rng.choice([1, 3])), min(points, 300), 2))
        counts[:, rng.integers(counts.shape[1]), 1] += 1
        rising_shares(counts)


def paired(rng):
    """Count pairs of codes of each width, and convert floats that have integers and that have none."""
    for trial in range(200):
        rows, sizes = int(rng.choice([0, 1, 7, 8, 9, 255, 256, 257, 5000])), tuple(map(int, rng.integers(1, 65, 2)))
        kind = np.dtype(rng.choice(["u1", "i1", "u2", "i2", "i4", "i8"]))
        low = int(rng.choice([np.iinfo(kind).min, 0, np.iinfo(kind).max - 64]))
        columns = tuple((rng.integers(0, size, rows) + low).astype(kind) for size in sizes)
        count_pairs(columns, (low, low), sizes)
        numbers = rng.integers(-3, 3, rows) * 1.0
        numbers[: trial % 2] = rng.choice([0.5, np.nan, np.inf, -np.inf, 2.0**31, -(2.0**63), 1e308, 5e-324])
        whole_numbers(numbers)


def refused():  # noqa: C901 - a loop for each kernel
    """Call every kernel with sizes that it must refuse."""
    zeros = np.zeros(4096, dtype=np.uint64)
    function = library._library()
    P, L = (lambda a: ctypes.c_void_p(a.ctypes.data)), ctypes.c_int64
    for name, arrays in (("count_scores", 5), ("placement_sums", 3), ("area", 3), ("area_slopes", 3)):
        for cases in (0, -1):
            assert function["howsure_" + name](L(cases), *[P(zeros)] * arrays) == 1
    for classes, draws in ((0, 1), (21, 1), (-1, 1), (3, -1)):
        assert function.howsure_outcomes(L(classes), L(draws), P(zeros), P(zeros)) == 1
    for size, *settings in ((-1, 0.025, 1.96), (1, 0.0, 1.96), (1, 0.5, 1.96), (1, np.nan, 1.96), (1, 0.025, np.inf)):
        assert function.howsure_mid_p(L(size), *[P(zeros)] * 2, P(np.array(settings)), *[P(zeros)] * 2) == 1
    for rows, classes in ((-1, 1), (1, -1)):
        assert function.howsure_square_sums(L(rows), L(classes), P(zeros), P(zeros)) == 1
        assert function.howsure_loss_sums(L(rows), L(classes), *[P(zeros)] * 5) == 1
        assert function.howsure_loss_moments(L(rows), L(classes), L(0), *[P(zeros)] * 6) == 1
    for size, bound in ((-1, 5.0), (1, 701.0), (1, np.nan)):
        assert function.howsure_tilted(L(size), P(zeros), P(np.array([1.0, 0.0, bound])), *[P(zeros)] * 2) == 1
    for tables, averages, classes in ((-1, 1, 1), (1, -1, 1), (1, 1, -1)):
        sizes = (L(tables), L(averages), L(classes))
        assert function.howsure_average_bias(*sizes, *[P(zeros)] * 11) == 1
        assert function.howsure_product_points(*sizes, L(0), *[P(zeros)] * 14) == 1
    for wrong, place in ((-1, 0), (1, 3), (1, -1)):
        places = np.array([place])
        assert function.howsure_product_points(L(1), L(1), L(3), L(wrong), P(places), P(places), *[P(zeros)] * 12) == 1
    for *sizes, bound in (
        (-1, 1, 1, 1, 1.0),
        (1, -1, 1, 1, 1.0),
        (1, 1, 0, 1, 1.0),
        (1, 1, 1, 0, 1.0),
        (1, 1, 1, 1, 701.0),
    ):
        assert function.howsure_grown(*map(L, sizes), *[P(zeros)] * 3, P(np.array([bound])), P(zeros)) == 1
    assert function.howsure_grown(*[L(1)] * 4, *[P(zeros)] * 3, P(np.array([np.nan])), P(zeros)) == 1
    for *sizes, place in ((-1, 1, 1, 1, 0), (1, -1, 1, 1, 0), (1, 1, -1, 1, 0), (1, 1, 1, -1, 0), (1, 1, 1, 1, 1)):
        odd, arrays = P(np.array([place])), [P(zeros)] * 4
        assert function.howsure_largest_differences(*map(L, sizes), odd, P(zeros), *arrays) == 1
        assert function.howsure_largest_differences(*map(L, sizes), P(zeros), odd, *arrays) == 1
    for shape in (-1.0, np.nan, np.inf):
        assert function.howsure_gammas(L(1), L(1), P(np.array([shape])), P(zeros), P(zeros)) == 1


def refused_columns():
    """Call the kernels that read whole columns with sizes that they must refuse."""
    zeros = np.zeros(4096, dtype=np.uint64)
    function = library._library()
    P, L = (lambda a: ctypes.c_void_p(a.ctypes.data)), ctypes.c_int64
    for size, most in ((-1, 1), (1, -1), (1, 33)):
        assert function.howsure_chance_sums(L(size), L(most), L(1), L(1), *[P(zeros)] * 3) == 1
    for width, code in ((3, 0), (1, 1), (8, 1), (8, -1)):
        assert function.howsure_count_pairs(*map(L, (1, width, 0, 0, 1, 1)), P(np.array([code])), P(zeros), P(zeros))
    for size in (0, -1):
        assert function.howsure_ends(L(size), P(zeros), P(zeros)) == 1
    for size in ((-1, 1), (1, -1)):
        assert function.howsure_drawn_areas(*map(L, size), P(zeros), P(zeros)) == 1
        assert function.howsure_drawn_precisions(*map(L, size), P(zeros), P(zeros)) == 1
    for sizes in ((-1, 3, 0, 1, 1), (1, 3, 0, -1, 1), (1, 3, -1, 1, 1), (1, 3, 1, 1, 1), (1, 3, 0, 1, 0)):
        assert function.howsure_interpolated_precisions(*map(L, sizes), *[P(zeros)] * 4) == 1
    for size, apart in ((-1, 1), (1, -1), (1, 2)):
        assert function.howsure_label_variance(L(size), L(apart), *[P(zeros)] * 4) == 1
    for size, firsts in ((-1, 0), (1, -1), (1, 2), (2, 1)):
        assert function.howsure_sides(L(size), L(firsts), *[P(zeros)] * 4) == 1


def refused_resamples():
    """Call the kernels that resample units with sizes that they must refuse."""
    zeros = np.zeros(4096, dtype=np.uint64)
    function = library._library()
    P, L = (lambda a: ctypes.c_void_p(a.ctypes.data)), ctypes.c_int64
    for cases, blocks in ((0, 1), (1, 0), (-1, 1), (5, 9), (5000, 1)):
        assert function.howsure_case_weights(L(cases), L(blocks), *[P(zeros)] * 6) == 1
        assert function.howsure_rank_sums(L(cases), L(blocks), *[P(zeros)] * 6, L(1), *[P(zeros)] * 4) == 1
        assert function.howsure_weighted_sums(L(cases), L(blocks), L(1), *[P(zeros)] * 8) == 1
        assert function.howsure_lane_weights(L(cases), L(blocks), *[P(zeros)] * 6) == 1
    assert function.howsure_weighted_sums(L(1), L(1), L(0), *[P(zeros)] * 8) == 1
    for cases, units, what in ((-1, 1, 1), (1, 0, 1), (1, 1, 0), (1, 1, 4), (2**31, 1, 1)):
        assert function.howsure_ranked_units(L(cases), L(units), *[P(zeros)] * 3, L(what), *[P(zeros)] * 3) == 1
    for sizes in (
        (7, 1, 1, 1, 0),
        (8, 1, -1, 0, 0),
        (8, 1, 1, -1, 0),
        (8, 1, 1, 1, -1),
        (8, 1, 1, 1, 1),
        (8, 1, 0, 1, 0),
    ):
        assert function.howsure_weighted_tables(*map(L, sizes), *[P(zeros)] * 6) == 1


def refused_draws():
    """Call the kernels that draw with sizes that they must refuse."""
    zeros = np.zeros(4096, dtype=np.uint64)
    function = library._library()
    P, L = (lambda a: ctypes.c_void_p(a.ctypes.data)), ctypes.c_int64
    for cells, draws in ((-1, 1), (1, -1)):
        assert function.howsure_gammas(L(cells), L(draws), P(zeros), P(zeros), P(zeros)) == 1
    for cells, draws, splits in ((-1, 1, 0), (1, -1, 0), (1, 1, -1), (1, 1, 1)):
        sizes = (L(cells), L(draws), L(splits))
        assert function.howsure_multinomials(*sizes, *[P(zeros)] * 8) == 1
    for total in (-1.0, np.nan, 2.0**53):
        assert (
            function.howsure_multinomials(L(1), L(1), L(0), *[P(zeros)] * 5, P(np.array([total])), *[P(zeros)] * 2) == 1
        )
    for curves, scores in ((-1, 1), (1, 0), (1, 9)):  # the last without weight
        assert function.howsure_rising_shares(L(curves), L(scores), *[P(zeros)] * 4) == 1
    for cases, points in ((-1, 1), (1, 0), (1, 2**31)):
        assert function.howsure_interpolated(L(cases), L(points), *[P(zeros)] * 4) == 1
    for known in ([0.0, 2.0, 1.0], [0.0, np.nan, 1.0], [-np.inf, 0.0, 1.0], [0.0, 1.0, np.inf], [np.nan] * 3):
        places = np.array(known)
        assert function.howsure_interpolated(L(3), L(3), P(places), P(places), P(places), P(np.zeros(3))) == 1
    huge = np.full(64, 40_000, dtype=np.uint32)
    assert function.howsure_case_weights(L(4), L(1), *[P(zeros)] * 4, P(huge), P(zeros)) == 1
    for what in (0, 4, -1):
        assert function.howsure_rank_sums(L(1), L(1), *[P(zeros)] * 6, L(what), *[P(zeros)] * 4) == 1


def odd_arrays(rng, trial):
    """Return four arrays of odd sizes, values, types and layouts."""

    def single(each):
        with np.errstate(over="ignore"):
            return each.astype(np.float32)

    ways = [lambda each: each] * 6
    ways += [lambda each: np.rec.fromarrays([each, np.ones(len(each), np.int8)], names="a, b")["a"]]
    ways += [lambda each: each[::-1], lambda each: np.repeat(each, 2)[::2], single]
    ways += [lambda each: each.astype(">f8"), lambda each: np.broadcast_to(each[:1], each.shape)]
    found = []
    for size in rng.choice(SIZES, 4):
        kinds = [rng.normal(size=size), rng.integers(-2, 9, size) * 1.0, np.full(size, np.nan), rng.random(size)]
        kinds += [np.full(size, rng.choice([np.inf, -np.inf, 1e308, 5e-324, -0.0])), np.sort(rng.normal(size=size))]
        found.append(ways[rng.integers(len(ways))](kinds[rng.integers(len(kinds))]))
    return [each[: min(map(len, found))] for each in found] if trial % 2 == 0 else found


def hostile(rng, trial):
    """Call one kernel with odd arrays, and return how it ended: with numbers, or an error of Python."""
    one, two, three, four = odd_arrays(rng, trial)
    with np.errstate(all="ignore"):
        whole = np.nan_to_num(four, posinf=9, neginf=-9).clip(-(10**6), 10**6).astype(int)
    calls = [
        lambda: interpolated(np.resize(three, 1000), np.sort(one) if trial % 3 else one, two),
        lambda: chance_sums(one, two, int(rng.integers(-1, 40))),
        lambda: ends(np.resize(one, 20_000)),
        lambda: label_variance(one, two, np.stack([three, three], 1)),
        lambda: by_side(one, two > 0, 1e-30),
        lambda: class_moments(one, two, whole, three),
        lambda: mid_p_limits(one, two, rng.choice([0.025, 0.4]), rng.choice([1.96, np.nan])),
        lambda: CellLosses(one).moments(np.abs(two), (0.0, 1.0), int(rng.choice([0, 1, 7, 5000]))),
        lambda: CellLosses(one[:, None], two).sums(three[:, None]),
        lambda: Tilts(one, rng.choice([700.0, 1e9, np.nan])).sums(two, 3.0),
        lambda: grown(one[None], two[None], three[:1], rng.choice([5.0, 701.0, np.nan])),
        lambda: largest_differences(
            np.stack([one, two]), three[:2, None] * np.ones(2), np.resize(whole, (2, 2)), whole[:2], whole[2:4]
        ),
        lambda: count_scores(one > 0, two),
        lambda: rising_shares(np.abs(one)[None, :, None] * np.ones(2)),
        lambda: gammas(one, 3, np.uint64(trial)),
        lambda: placement_sums(np.stack([one, one], 1)),
        lambda: multinomials(np.abs(whole), 3, np.uint64(trial)),
        lambda: outcomes(np.resize(one, (64, 3, 3))),
        lambda: square_losses(one[: len(one) // 3 * 3].reshape(-1, 3)).sums(two[: len(two) // 3 * 3].reshape(-1, 3)),
        lambda: rank_sums(
            Resamples.drawn(len(one), 64, rng), cases_of(np.stack([whole, whole], 1).clip(max=9)), Ranked(1)
        ),
        lambda: weighted_sums(Resamples.drawn(len(one), 64, rng), np.stack([two, three])),
        lambda: ranked_units(
            np.resize(one, (len(one), 64)), whole, cases_of(np.stack([whole, whole], 1).clip(0, 9)), Ranked(1)
        ),
        lambda: UnitCounts.of(np.abs(whole), np.abs(whole) % 9, two, 9).tables(np.resize(one, (len(one), 8))),
    ]
    try:
        with np.errstate(all="ignore"):
            calls[trial % len(calls)]()
    except Exception as error:  # noqa: BLE001 - any Python error is acceptable, as the process continues
        return type(error).__name__
    return "numbers"


def inside(folder, number):
    """Run the inputs, and for many of them also the tests, in a process with the checks loaded."""
    library.HERE = folder
    assert library.running() == "compiled C"
    rng = np.random.default_rng(0)
    for part in (resampled, drawn, limited, averaged, summed, sorted_scores, paired):
        part(rng)
    refused()
    refused_columns()
    refused_resamples()
    refused_draws()
    ends = Counter(hostile(rng, trial) for trial in range(number))
    sys.stderr.write(f"{number} random inputs: {dict(ends)}\n")


def tested(folder):
    """Run the tests of the kernels in a process that has the checks loaded."""
    import pytest

    library.HERE = folder
    skipped = [f"--ignore={TESTS / name}" for name in SKIPPED]
    assert pytest.main(["-q", "-p", "no:randomly", "-p", "no:cacheprovider", *skipped, str(TESTS)]) == 0


def sanitized(folder, number, *, with_tests=False):
    """Compile the kernels with the checks, run them in a process of its own, and return how that ended."""
    command = compiling.compiler()
    compiling.compiled(folder / "kernels.so", [*command, *compiling.OPTIONS, "-DPLAIN", *CHECKS])
    found = subprocess.run([*command, "-print-file-name=libasan.so"], check=True, capture_output=True, text=True)
    environment = os.environ | {"LD_PRELOAD": found.stdout.strip(), "ASAN_OPTIONS": OPTIONS}
    environment.pop("HOWSURE_NATIVE", None)
    options = ["--inside", str(folder), *(["--tests"] if with_tests else [])]
    return subprocess.run(
        [sys.executable, __file__, str(number), *options], capture_output=True, text=True, env=environment, check=False
    )


def main():
    """Run the checks and print how they ended."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("number", type=int)
    parser.add_argument("--inside", type=Path)
    parser.add_argument("--tests", action="store_true")
    chosen = parser.parse_args()
    if chosen.inside:
        inside(chosen.inside, chosen.number)
        if chosen.tests:
            tested(chosen.inside)
        sys.stdout.write(f"{SOUND}\n")
        return
    with tempfile.TemporaryDirectory() as folder:
        done = sanitized(Path(folder), chosen.number, with_tests=True)
    sys.stdout.write(f"{done.stdout}{done.stderr[:3000]}ended with {done.returncode}\n")
    sys.exit(done.returncode)


if __name__ == "__main__":
    main()
