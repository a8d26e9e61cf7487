"""The work of the main paths grows no faster than their input."""

import pytest

from support.growth import CASES, exponent

TRIES = 3  # where other work on the machine comes between


LONG = ("chunks followed", "groups of values", "experiments compared in pairs", "areas compared in pairs")


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.thorough] if name in LONG else []) for name in CASES]
)
def test_work_grows_with_its_size_and_not_with_its_square(name):
    """Eight times the rows, groups or clusters take at most 22 times as long: quadratic work would take 64 times."""
    make, size, most = CASES[name]
    assert any(exponent(make, size)[0] <= most for _ in range(TRIES))
