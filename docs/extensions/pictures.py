"""Pictures for either ground: what GitHub takes from the reader's system, the site takes from its own switch."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx

PICTURE = re.compile(r'<picture><source [^>]*srcset="([^"]+)"><img src="([^"]+)" alt="([^"]*)"></picture>')


def _both(match: re.Match[str]) -> str:
    dark, light, words = match.groups()
    return f"![{words}]({light}){{.only-light}} ![{words}]({dark}){{.only-dark}}"


def use_the_switch(app: Sphinx, docname: str, source: list[str]) -> None:
    """Write both pictures, of which the theme shows one."""
    source[0] = PICTURE.sub(_both, source[0])


def setup(app: Sphinx) -> dict[str, bool]:
    """Rewrite pages when they are read."""
    app.connect("source-read", use_the_switch)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
