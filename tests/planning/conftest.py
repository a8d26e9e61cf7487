"""Few studies, where it matters that a plan has an answer, or what it is to first order, and not how it is checked."""

import pytest


@pytest.fixture
def few(monkeypatch):
    """Simulate few studies."""
    for name, number in (("STUDIES", 60), ("LONE_STUDIES", 12), ("DRAWN_STUDIES", 4), ("FEWEST", 8), ("ROUNDS", 2)):
        monkeypatch.setattr(f"howsure.planning.search.{name}", number)
    monkeypatch.setattr("howsure.planning.sizes.PILOTS", 8)
