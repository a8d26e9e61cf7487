"""Compiling the kernels: with a compiler and without, and under its checks of memory and arithmetic."""

import ctypes
import os
import subprocess
import sys

import numpy as np
import pytest

from howsure.native import compile as compiling
from howsure.native.multinomials import splits_of
from howsure.native.ranks import cases_of
from howsure.native.resampling import Resamples

HAS_COMPILER = compiling.compiler() is not None
needs_compiler = pytest.mark.skipif(not HAS_COMPILER, reason="no C compiler")
CHECKS = ["-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
FUZZ = """
import ctypes, sys
import numpy as np
from howsure.native import library
library.HERE = library.Path(sys.argv[1])
assert library.running() == "compiled C"
from howsure.native.library import kernel
from howsure.native.ranks import cases_of, rank_sums
from howsure.native.resampling import Ranked, Resamples
rng = np.random.default_rng(0)
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
from howsure.native.gammas import gammas
for draws in (0, 1, 31, 32, 33, 63, 64, 65, 1000):
    shapes = np.array([0, 5e-324, 1e-310, 0.1, 1, 1.5, 2, 3, 4, 5, 150, 1e6, 1e12, 1e300])
    gammas(rng.permutation(shapes), draws, rng.integers(2**64 - 1, dtype=np.uint64))
from howsure.native.multinomials import multinomials
for draws in (0, 1, 255, 256, 257, 1000):
    for counts in ([], [0], [7], [0, 0], [1] * 40, [3, 0, 20, 21, 19, 4000], [10**9, 10**15, 1]):
        multinomials(np.array(counts), draws, rng.integers(2**64 - 1, dtype=np.uint64))
from howsure.native.outcomes import outcomes
for tables in (64, 65, 127, 128, 1000):
    for classes in (1, 3, 19, 20):
        outcomes(rng.random((tables, classes, classes)))
from howsure.native.losses import CellLosses, Tilts, square_losses
for size in (0, 1, 7, 9, 255, 256, 257, 5000):
    Tilts(rng.normal(size=size), 700.0).sums(rng.random(size), 1e300, 3.0)
from howsure.native.moments import class_moments, power_sums
for size in (0, 1, 31, 33, 1023, 1024, 1025, 5000):
    for most in (0, 1, 7):
        power_sums(rng.random((size, 2))[:, 1], np.broadcast_to(1.0, size), most)
from howsure.native.averages import ClassShares
from howsure.native.growth import grown
from howsure.native.products import ProductTables
for classes in (1, 2, 9, 64):
    kinds = [([2, 0, 0], [0, 1, 1], False, np.nan), ([1, 0, 0], [0, 1, 0], True, 0.0)]
    together = ClassShares.beside([ClassShares.of(above, below, by_total=by, times=np.ones(classes),
                                                  constants=[constant] * classes)
                                   for above, below, by, constant in kinds])
    for tables in (0, 1, 3):
        counts = rng.poisson(0.5, (4, tables, 2, classes)) * 1.0
        together.bias(list(counts), 1 / 16, 0.5)
        places = np.flatnonzero(~np.eye(classes, dtype=bool))[: int(rng.choice([0, 5, 5000]))]
        cells = rng.poisson(0.5, (tables, 2, 3 * classes + len(places))) * 1.0
        found = ProductTables(*np.divmod(places, classes), classes).moments(together, cells, np.ones(2))
        if tables:
            grown(cells[:1], found.slopes, found.value * 1e300, 700.0)
for trial in range(100):
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
from howsure.native.placements import placement_sums
from howsure.native.sorting import count_scores
for trial in range(300):
    cases = int(rng.choice([1, 2, 7, 300, 5000]))
    bits = rng.integers(2**63, size=cases, dtype=np.uint64) * 2 + rng.integers(2, size=cases, dtype=np.uint64)
    kinds = (rng.random(cases), rng.normal(size=cases).round(1), np.zeros(cases), 1 + rng.permutation(cases) * 2.0**-52,
             np.nan_to_num(bits.view(float), nan=0.5, posinf=1e308, neginf=-1e308))
    scores, counts = count_scores(rng.random(cases) < rng.choice([0, 0.5, 1]), kinds[trial % 5])
    placement_sums(counts)
from howsure.native.interpolation import interpolated
from howsure.native.rising import rising_shares
for trial in range(300):
    points = int(rng.choice([1, 2, 7, 300, 5000]))
    bits = rng.integers(2**63, size=points, dtype=np.uint64) * 2 + rng.integers(2, size=points, dtype=np.uint64)
    kinds = (rng.random(points), rng.normal(size=points).round(1), 1 + rng.permutation(points) * 2.0**-52,
             5e-324 * rng.permutation(points), np.nan_to_num(bits.view(float), nan=0.5, posinf=1e308, neginf=-1e308))
    known = np.unique(kinds[trial % 5])
    places = np.concatenate([known, -known, kinds[trial % 4], np.nan_to_num([np.inf, -np.inf]), [np.nan, np.inf, -np.inf]])
    interpolated(rng.permutation(places), known, rng.random(len(known)))
    counts = rng.poisson(rng.choice([0.1, 1.0, 50.0]), (int(rng.choice([1, 3])), min(points, 300), 2))
    counts[:, rng.integers(counts.shape[1]), 1] += 1
    rising_shares(counts)
zeros = np.zeros(4096, dtype=np.uint64)
function = library._library()
P, L = (lambda a: ctypes.c_void_p(a.ctypes.data)), ctypes.c_int64
for cases, blocks in ((0, 1), (1, 0), (-1, 1), (5, 9), (5000, 1)):
    assert function.howsure_case_weights(L(cases), L(blocks), *[P(zeros)] * 6) == 1
    assert function.howsure_rank_sums(L(cases), L(blocks), *[P(zeros)] * 6, L(1), *[P(zeros)] * 4) == 1
for name, arrays in (("count_scores", 5), ("placement_sums", 3), ("area", 3)):
    for cases in (0, -1):
        assert function["howsure_" + name](L(cases), *[P(zeros)] * arrays) == 1
for classes, draws in ((0, 1), (21, 1), (-1, 1), (3, -1)):
    assert function.howsure_outcomes(L(classes), L(draws), P(zeros), P(zeros)) == 1
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
for *sizes, bound in ((-1, 1, 1, 1, 1.0), (1, -1, 1, 1, 1.0), (1, 1, 0, 1, 1.0), (1, 1, 1, 0, 1.0), (1, 1, 1, 1, 701.0)):
    assert function.howsure_grown(*map(L, sizes), *[P(zeros)] * 3, P(np.array([bound])), P(zeros)) == 1
assert function.howsure_grown(*[L(1)] * 4, *[P(zeros)] * 3, P(np.array([np.nan])), P(zeros)) == 1
for size, most in ((-1, 1), (1, -1)):
    assert function.howsure_power_sums(L(size), L(most), L(1), L(1), *[P(zeros)] * 3) == 1
for shape in (-1.0, np.nan, np.inf):
    assert function.howsure_gammas(L(1), L(1), P(np.array([shape])), P(zeros), P(zeros)) == 1
for cells, draws in ((-1, 1), (1, -1)):
    assert function.howsure_gammas(L(cells), L(draws), P(zeros), P(zeros), P(zeros)) == 1
for cells, draws, splits in ((-1, 1, 0), (1, -1, 0), (1, 1, -1), (1, 1, 1)):
    sizes = (L(cells), L(draws), L(splits))
    assert function.howsure_multinomials(*sizes, *[P(zeros)] * 8) == 1
for total in (-1.0, np.nan, 2.0**53):
    assert function.howsure_multinomials(L(1), L(1), L(0), *[P(zeros)] * 5, P(np.array([total])), *[P(zeros)] * 2) == 1
for curves, scores in ((-1, 1), (1, 0), (1, 9)):  # the last without weight
    assert function.howsure_rising_shares(L(curves), L(scores), *[P(zeros)] * 4) == 1
for cases, points in ((-1, 1), (1, 0), (1, 2**31)):
    assert function.howsure_interpolated(L(cases), L(points), *[P(zeros)] * 4) == 1
for known in ([0.0, 2.0, 1.0], [0.0, np.nan, 1.0], [-np.inf, 0.0, 1.0], [0.0, 1.0, np.inf], [np.nan] * 3):
    known = np.array(known)
    assert function.howsure_interpolated(L(3), L(3), P(known), P(known), P(known), P(np.zeros(3))) == 1
from howsure.errors import HowsureError
for trial in range(3000):  # whatever arrays are given: numbers, or our error
    sizes = rng.choice([1, 2, 3, 64, 1500, 5000], 4)
    odd = [rng.choice([rng.normal(size=size), rng.integers(-2, 9, size) * 1.0, np.full(size, np.nan)]) for size in sizes]
    if trial % 5 == 0:
        odd = [np.rec.fromarrays([each, np.ones(len(each), np.int8)], names="a, b")["a"] for each in odd]
    if trial % 2 == 0:
        odd = [each[: min(sizes)] for each in odd]
    one, two, three, four = odd
    whole = np.nan_to_num(four).astype(int)
    kind = [lambda: interpolated(np.resize(three, 1000), np.sort(one) if trial % 3 else one, two),
            lambda: power_sums(one, two, 5), lambda: class_moments(one, two, whole, three),
            lambda: CellLosses(one).moments(np.abs(two), (0.0, 1.0), 7), lambda: CellLosses(one[:, None], two).sums(three[:, None]),
            lambda: Tilts(one, 700.0).sums(two, 3.0), lambda: grown(one[None], two[None], three[:1], 5.0),
            lambda: count_scores(one > 0, two), lambda: rising_shares(np.abs(one)[None, :, None] * np.ones(2)),
            lambda: gammas(one, 3, np.uint64(trial)), lambda: placement_sums(np.stack([one, one], 1)),
            lambda: multinomials(np.abs(whole), 3, np.uint64(trial)), lambda: outcomes(np.resize(one, (64, 3, 3)))][trial % 13]
    try:
        kind()
    except (HowsureError, ValueError, IndexError, ZeroDivisionError):
        pass
huge = np.full(64, 40_000, dtype=np.uint32)
assert function.howsure_case_weights(L(4), L(1), *[P(zeros)] * 4, P(huge), P(zeros)) == 1
for what in (0, 4, -1):
    assert function.howsure_rank_sums(L(1), L(1), *[P(zeros)] * 6, L(what), *[P(zeros)] * 4) == 1
print("sound")
"""


def test_without_a_compiler_nothing_is_built(monkeypatch, tmp_path, capsys):
    """Where no compiler is found the build says so, makes nothing, and does not fail."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.delenv("HOWSURE_NATIVE", raising=False)
    assert compiling.build(tmp_path) is None
    assert list(tmp_path.iterdir()) == []
    assert "no C compiler is found" in capsys.readouterr().err


def test_a_build_that_is_turned_off_builds_nothing(monkeypatch, tmp_path, capsys):
    """With HOWSURE_NATIVE at 0 nothing is compiled."""
    monkeypatch.setenv("HOWSURE_NATIVE", "0")
    assert compiling.build(tmp_path) is None
    assert "HOWSURE_NATIVE is off" in capsys.readouterr().err


@pytest.mark.skipif(sys.platform == "win32", reason="a script of the shell")
def test_a_compiler_that_fails_is_told(monkeypatch, tmp_path, capsys):
    """Where the compiler fails its words are told, in whatever encoding they are, nothing is left behind, and the build does not fail."""
    script = tmp_path / "compiler"
    script.write_text("#!/bin/sh\nprintf 'broken \\351\\n' >&2\nexit 1\n")  # in Latin-1, whatever the locale
    script.chmod(0o755)
    monkeypatch.setenv("CC", str(script))
    monkeypatch.delenv("HOWSURE_NATIVE", raising=False)
    folder = tmp_path / "made"
    folder.mkdir()
    assert compiling.build(folder) is None
    assert list(folder.iterdir()) == []
    assert "broken" in capsys.readouterr().err


@needs_compiler
@pytest.mark.thorough
def test_every_instruction_set_gives_the_same_numbers(tmp_path):
    """Compiled for the oldest processors, without optimisation, and for this one, a kernel gives the same bits."""
    rng = np.random.default_rng(0)
    counts = np.zeros((900, 2), dtype=int)
    np.add.at(counts, (rng.integers(900, size=9_000), rng.integers(0, 2, 9_000)), 1)
    resamples, kind = Resamples.drawn(9_000, 64, rng), cases_of(counts)
    shapes, key = np.array([0.0, 1e-310, 0.3, 1, 1.5, 3, 4, 7, 1e4, 1e300]), np.array([7], dtype=np.uint64)
    one, found, many = resamples.poisson, [], np.array([3.0, 0, 70, 12, 20, 21, 8_000, 1, 1, 300])
    of_classes, places, ones = rng.gamma(2.0, size=(2, 123)), np.array([1, 2, 3]), np.ones(40)
    for number, options in enumerate(
        (["-O3"], ["-O0", "-DPLAIN"], ["-O3", "-DPLAIN"], ["-O3", "-DPLAIN", "-march=native"])
    ):
        target = tmp_path / f"{number}.so"
        compiling.compiled(target, [*compiling.compiler(), *compiling.OPTIONS, *options])
        sums = np.zeros((3, 64), dtype=np.uint64)
        arrays = (kind, one.levels, one.atoms, one.guide, resamples.keys, resamples.totals)
        scratch = np.empty((4096, 64), dtype=np.uint8)
        addresses = [ctypes.c_void_p(each.ctypes.data) for each in (*arrays, *sums, scratch)]
        sizes = (ctypes.c_int64(9_000), ctypes.c_int64(len(resamples.totals)))
        function = ctypes.CDLL(str(target)).howsure_rank_sums
        assert function(*sizes, *addresses[:6], ctypes.c_int64(3), *addresses[6:]) == 0
        drawn = np.empty((len(shapes), 1_000))
        addresses = [ctypes.c_void_p(each.ctypes.data) for each in (shapes, key, drawn)]
        gammas = ctypes.CDLL(str(target)).howsure_gammas
        assert gammas(ctypes.c_int64(len(shapes)), ctypes.c_int64(1_000), *addresses) == 0
        splits, tables = splits_of(many.tobytes()), np.empty((len(many), 500))
        total = np.array([splits.total])
        arrays = (splits.starts, splits.middles, splits.shares, splits.logs, splits.turned, total, key, tables)
        addresses = [ctypes.c_void_p(each.ctypes.data) for each in arrays]
        sizes = [ctypes.c_int64(each) for each in (len(many), 500, len(splits.starts))]
        assert ctypes.CDLL(str(target)).howsure_multinomials(*sizes, *addresses) == 0
        powers = np.empty(9)
        addresses = [ctypes.c_void_p(each.ctypes.data) for each in (drawn, tables, powers)]
        sizes = [ctypes.c_int64(each) for each in (tables.size, len(powers), 1, 1)]
        assert ctypes.CDLL(str(target)).howsure_power_sums(*sizes, *addresses) == 0
        cells, moments = of_classes.copy(), [np.empty(shape) for shape in (2, of_classes.shape, 2, 2, 240)]
        arrays = (places, places - 1, ones, 2 * ones, ones, ones, np.nan * ones, ones, cells, *moments)
        addresses = [ctypes.c_void_p(each.ctypes.data) for each in arrays]
        sizes = [ctypes.c_int64(each) for each in (2, 1, 40, len(places))]
        assert ctypes.CDLL(str(target)).howsure_product_points(*sizes, *addresses) == 0
        grown, bias = np.empty(cells.shape), np.empty(2)
        arrays = (cells, moments[1], 9 * ones, 5 * ones, grown)
        addresses = [ctypes.c_void_p(each.ctypes.data) for each in arrays]
        assert (
            ctypes.CDLL(str(target)).howsure_grown(*(ctypes.c_int64(each) for each in (2, 123, 2, 2)), *addresses) == 0
        )
        arrays = (
            ones,
            2 * ones,
            ones,
            ones,
            np.nan * ones,
            *(cells.reshape(-1)[each:] for each in range(4)),
            ones,
            bias,
        )
        addresses = [ctypes.c_void_p(each.ctypes.data) for each in arrays]
        assert (
            ctypes.CDLL(str(target)).howsure_average_bias(*(ctypes.c_int64(each) for each in (2, 1, 40)), *addresses)
            == 0
        )
        drawn_and_found = (drawn, tables, powers, cells, *moments[:4], grown, bias)
        found.append(np.concatenate([sums.ravel(), *(each.view(np.uint64).ravel() for each in drawn_and_found)]))
    for other in found[1:]:
        np.testing.assert_array_equal(other, found[0])


@needs_compiler
@pytest.mark.thorough
@pytest.mark.skipif(sys.platform != "linux", reason="the checks are preloaded as on Linux")
def test_no_kernel_reads_or_writes_beyond_its_arrays(tmp_path):
    """Under the compiler's checks of addresses and of undefined behaviour, odd sizes, ties and totals are sound."""
    command = compiling.compiler()
    compiling.compiled(tmp_path / "kernels.so", [*command, *compiling.OPTIONS, "-DPLAIN", *CHECKS])
    library = subprocess.run([*command, "-print-file-name=libasan.so"], check=True, capture_output=True, text=True)
    environment = os.environ | {"LD_PRELOAD": library.stdout.strip(), "ASAN_OPTIONS": "detect_leaks=0"}
    environment.pop("HOWSURE_NATIVE", None)
    run = subprocess.run(
        [sys.executable, "-c", FUZZ, str(tmp_path)], capture_output=True, text=True, env=environment, check=False
    )
    assert run.stdout.strip() == "sound", run.stderr
