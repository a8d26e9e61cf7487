"""The site's search: words for each page from `docs/keywords.toml`, ranked by `docs/_static/search.js`."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment


def keywords(folder: Path) -> dict[str, list[str]]:
    """Return the words of each page.

    Parameters
    ----------
    folder : Path
        The folder of `keywords.toml`.
    """
    return tomllib.loads((folder / "keywords.toml").read_text(encoding="utf-8"))


def check(app: Sphinx, env: BuildEnvironment) -> None:
    """Raise a LookupError for a page in `keywords.toml` that does not exist."""
    missing = sorted(set(keywords(Path(app.srcdir))) - env.found_docs)
    if missing:
        message = f"keywords.toml names pages that do not exist: {', '.join(missing)}."
        raise LookupError(message)


def load(app: Sphinx, page: str, _template: str, _context: dict[str, object], _tree: object) -> None:
    """Add the words and the ranking to the search page; deferred, since Sphinx's own script comes first."""
    if page == "search":
        app.add_js_file(None, body=f"const KEYWORDS = {json.dumps(keywords(Path(app.srcdir)))};")
        app.add_js_file("search.js", loading_method="defer")


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect both to Sphinx's events."""
    app.connect("env-check-consistency", check)
    app.connect("html-page-context", load)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
