"""Ways to run a test with the compiled kernels and without."""

import pytest

from howsure.native.library import SWITCH, running


@pytest.fixture
def by_numpy(monkeypatch):
    """Return a function that calls another with nothing compiled."""

    def call(function):
        with monkeypatch.context() as patch:
            patch.setenv(SWITCH, "0")
            return function()

    return call


@pytest.fixture
def compiled(monkeypatch):
    """Skip a test where nothing is compiled; the switch is left on."""
    monkeypatch.delenv(SWITCH, raising=False)
    if running() != "compiled C":
        pytest.skip("nothing is compiled here")
