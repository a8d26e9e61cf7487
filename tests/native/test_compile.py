"""Compiling the kernels: with a compiler and without, and under its checks of memory and arithmetic."""

import ctypes
import sys

import numpy as np
import pytest

from howsure.native import compile as compiling
from howsure.native.multinomials import splits_of
from howsure.native.ranks import cases_of
from howsure.native.resampling import Resamples
from support.sanitized import SOUND, sanitized

HAS_COMPILER = compiling.compiler() is not None
needs_compiler = pytest.mark.skipif(not HAS_COMPILER, reason="no C compiler")


def test_without_a_compiler_nothing_is_built(monkeypatch, tmp_path, capsys):
    """Without a compiler the build states this, makes nothing, and does not fail."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.delenv("HOWSURE_NATIVE", raising=False)
    assert compiling.build(tmp_path) is None
    assert list(tmp_path.iterdir()) == []
    assert "no C compiler is found" in capsys.readouterr().err


def test_windows_has_compilers_of_its_own(monkeypatch):
    """On Windows clang and gcc are looked for, and no `cc`, which there belongs to an emulation of Unix."""
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setattr("shutil.which", lambda name: name)
    monkeypatch.setattr(sys, "platform", "win32")
    assert compiling.compiler() == ["clang"]
    monkeypatch.setattr("shutil.which", lambda name: name if name in {"cc", "gcc"} else None)
    assert compiling.compiler() == ["gcc"]
    monkeypatch.setattr("shutil.which", lambda name: name if name == "cc" else None)
    assert compiling.compiler() is None


def test_a_build_that_is_turned_off_builds_nothing(monkeypatch, tmp_path, capsys):
    """With HOWSURE_NATIVE=0 nothing is compiled."""
    monkeypatch.setenv("HOWSURE_NATIVE", "0")
    assert compiling.build(tmp_path) is None
    assert "HOWSURE_NATIVE is off" in capsys.readouterr().err


@pytest.mark.skipif(sys.platform == "win32", reason="a script of the shell")
def test_a_compiler_that_fails_is_told(monkeypatch, tmp_path, capsys):
    """If the compiler fails, its message is shown in any encoding, no file is left, and the build succeeds."""
    script = tmp_path / "compiler"
    script.write_text("#!/bin/sh\nprintf 'broken \\351\\n' >&2\nexit 1\n")  # in Latin-1, for any locale
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
        powers = np.empty(10)
        addresses = [ctypes.c_void_p(each.ctypes.data) for each in (drawn, tables, powers)]
        sizes = [ctypes.c_int64(each) for each in (tables.size, len(powers) - 1, 1, 1)]
        assert ctypes.CDLL(str(target)).howsure_chance_sums(*sizes, *addresses) == 0
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
    run = sanitized(tmp_path, 3000)
    assert run.stdout.strip() == SOUND, run.stderr
