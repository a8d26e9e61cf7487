"""What computes: compiled C, or NumPy."""

import ctypes
import os
import subprocess
import sys

import numpy as np
import pytest

import howsure as hs
from howsure.native import compile as builder, library
from howsure.native.differences import largest_differences
from howsure.native.growth import grown
from howsure.native.interpolation import interpolated
from howsure.native.isotonic import rising_shares
from howsure.native.library import SWITCH, kernel, running
from howsure.native.losses import CellLosses, Tilts
from howsure.native.moments import chance_sums, class_moments
from howsure.native.sides import by_side
from howsure.native.sorting import count_scores


@pytest.mark.parametrize("word", ["0", "no", "OFF", "False"])
def test_the_environment_turns_compiled_code_off(monkeypatch, word):
    """With HOWSURE_NATIVE=0, or a word for no, nothing compiled runs."""
    monkeypatch.setenv(SWITCH, word)
    assert kernel("rank_sums") is None
    assert running() == f"NumPy (HOWSURE_NATIVE={word})"


def test_other_words_of_the_switch_are_refused(monkeypatch):
    """A word that is neither on nor off is named; the builder has the same words for off."""
    monkeypatch.setenv(SWITCH, "maybe")
    with pytest.raises(hs.HowsureError, match="HOWSURE_NATIVE is 'maybe'. Set it to 0"):
        running()
    monkeypatch.setenv(SWITCH, "yes")
    assert not library.is_off()
    assert library.OFF == builder.OFF


@pytest.mark.usefixtures("compiled")
@pytest.mark.parametrize("share", [0.0, 0.999])
def test_a_truncated_library_is_not_loaded(tmp_path, share):
    """A library whose end is missing counts as none, in a process of its own, which loading it could end."""
    whole = next(each for name in library.FILES if (each := library.HERE / name).exists())
    if not whole.name.endswith(".so"):
        pytest.skip("other systems check their libraries")
    content = whole.read_bytes()
    assert library.is_whole(content)
    assert not any(library.is_whole(content[: int(part * len(content))]) for part in (0.01, 0.1, 0.5, 0.9, 0.999))
    (tmp_path / whole.name).write_bytes(content[: int(share * len(content))])
    code = (
        "import pathlib, sys, howsure as hs\nfrom howsure.native import library\nlibrary.HERE = pathlib.Path(sys.argv[1])\n"
        "print(library.running(), hs.roc_auc_score([0, 1, 1], [0.1, 0.4, 0.3]).value)"
    )
    environment = {name: value for name, value in os.environ.items() if name != SWITCH}
    found = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, env=environment, check=False
    )
    assert (found.returncode, found.stdout) == (0, "NumPy (not compiled) 1.0\n")
    assert found.stderr.count("Install howsure again") == (share > 0)  # an empty file is no library


def test_the_versions_say_what_computes(capsys):
    """`show_versions` has a line that names compiled C or NumPy."""
    hs.show_versions()
    line = next(each for each in capsys.readouterr().out.splitlines() if each.startswith("native "))
    assert line.split(maxsplit=1)[1] == running()


def test_without_a_library_numpy_computes(monkeypatch, tmp_path):
    """If there is no library next to the module, or it is invalid, NumPy computes."""
    monkeypatch.delenv(SWITCH, raising=False)
    monkeypatch.setattr(library, "HERE", tmp_path)
    for content in (None, b"no library"):
        if content is not None:
            (tmp_path / "kernels.so").write_bytes(content)
        library._library.cache_clear()
        try:
            assert running() == "NumPy (not compiled)"
            assert kernel("rank_sums") is None
        finally:
            library._library.cache_clear()


@pytest.mark.usefixtures("compiled")
def test_a_library_of_another_version_is_not_called(monkeypatch):
    """A library whose functions take other arguments counts as none."""
    monkeypatch.setattr(library, "VERSION", library.VERSION + 1)
    library._library.cache_clear()
    try:
        assert running() == "NumPy (not compiled)"
    finally:
        library._library.cache_clear()


@pytest.mark.usefixtures("compiled")
def test_what_a_library_lacks_is_computed_by_numpy():
    """A kernel that the compiled library does not have counts as not compiled."""
    assert kernel("rank_sums") is not None
    assert kernel("of_another_year") is None


@pytest.mark.usefixtures("compiled")
def test_refusals_become_errors():
    """What a kernel refuses, such as no cases at all, is an error that names the way round it."""
    nothing = np.empty(64, dtype=np.uint64)
    with pytest.raises(hs.HowsureError, match="HOWSURE_NATIVE=0"):
        kernel("case_weights")(0, 0, *[nothing] * 6)


def test_arrays_are_passed_where_they_lie():
    """An array becomes the address of its first entry, a whole number 64 bits."""
    values, fixed = np.arange(5.0), np.arange(3.0)
    fixed.flags.writeable = False
    assert ctypes.addressof(library._argument(values)) == values.ctypes.data
    assert library._argument(fixed).value == fixed.ctypes.data  # which gives no memory to write to
    for apart in (values[1::2], np.broadcast_to(1.0, 3)):
        with pytest.raises(hs.HowsureError, match="without gaps"):
            library._argument(apart)
    start = ctypes.c_void_p(values[1::2].ctypes.data)  # of an array with strides
    assert library._argument(start) is start
    empty = library._argument(np.empty(0))
    assert ctypes.sizeof(empty) == 0
    assert library._argument(2**40).value == 2**40
    assert isinstance(library._argument(1), ctypes.c_int64)


@pytest.mark.parametrize(
    "call",
    [
        lambda: interpolated(np.linspace(0, 1, 2000), np.array([0.0, 2.0, 1.0]), np.zeros(3)),
        lambda: interpolated(np.linspace(0, 1, 2000), np.array([0.0, 1.0]), np.zeros(3)),
        lambda: chance_sums(np.ones(3), np.ones(4), 2),
        lambda: class_moments(np.ones(3), np.ones(3), np.zeros(2, dtype=int), np.ones(3)),
        lambda: CellLosses(np.ones(3)).sums(np.ones(2)),
        lambda: Tilts(np.ones(3), 5.0).sums(np.ones(6)[::2]),
        lambda: Tilts(np.ones(3), 5.0).sums(np.ones(3, dtype=">f8")),
        lambda: grown(np.ones((1, 3)), np.ones((1, 2)), np.ones(1), 5.0),
        lambda: largest_differences(np.ones((2, 3)), np.ones((2, 2)), np.ones((2, 2)), np.array([2]), np.array([0])),
        lambda: count_scores(np.array([True]), np.ones(2)),
        lambda: by_side(np.ones(2), np.array([True]), 0.0),
        lambda: rising_shares(np.ones((4, 3))),
    ],
    ids=[
        "order",
        "values",
        "weights",
        "classes",
        "losses",
        "stride",
        "bytes",
        "width",
        "rows",
        "scores",
        "parts",
        "sides",
    ],
)
def test_kernels_refuse_arrays_that_do_not_fit(call):
    """A kernel gets addresses alone, so that lengths, strides and order are compared before it runs."""
    if library.running() != "compiled C":
        pytest.skip("no kernel is compiled")
    with pytest.raises(hs.HowsureError, match=r"needs arrays of one size|refuses its arguments"):
        call()


def test_numbers_that_lie_apart_by_parts_of_one_are_copied():
    """Fields of structured arrays have strides that are not multiples of a float; their powers are still summed."""
    apart = np.rec.fromarrays([np.array([0.5, 2.0]), np.ones(2, np.int8)], names="number, flag")["number"]
    assert apart.strides == (9,)
    assert chance_sums(apart, np.array([4.0, 1.0]), 3).tolist() == [1.0, 4.0, 5.0, 8.5]
