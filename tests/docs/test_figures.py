"""Figures of the documents are those that the library draws now."""

import runpy
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest
from PIL import Image

pytestmark = pytest.mark.thorough
DOCS = Path(__file__).parents[2] / "docs"
NOISE = 0.5  # of 255 levels, on average: another processor may round a pixel of an edge


@pytest.fixture(scope="module")
def redrawn(tmp_path_factory):
    """Return a folder in which all figures are drawn anew."""
    folder = tmp_path_factory.mktemp("figures")
    runpy.run_path(str(DOCS / "make_figures.py"))["main"](folder)
    return folder


def pixels(path):
    """Return the colours of a picture."""
    with Image.open(path) as picture:
        return np.asarray(picture.convert("RGB"), dtype=float)


def test_no_figure_is_stale(redrawn):
    """`python docs/make_figures.py` would change none of them; other versions of Matplotlib draw other letters."""
    kept = sorted((DOCS / "figures").glob("*.png"))
    assert [each.name for each in kept] == sorted(each.name for each in redrawn.iterdir())
    with Image.open(kept[0]) as picture:
        if mpl.__version__ not in picture.text["Software"]:
            pytest.skip(f"the figures were drawn by {picture.text['Software']}")
    stale = []
    for path in kept:
        old, new = pixels(path), pixels(redrawn / path.name)
        if old.shape != new.shape or np.abs(old - new).mean() > NOISE:
            stale.append(path.name)
    assert not stale
