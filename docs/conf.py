"""The documentation site: `make docs` writes it into `docs/_build/html`."""

from __future__ import annotations

import importlib.metadata
import sys
from pathlib import Path

from numpydoc.xref import DEFAULT_LINKS

sys.path.insert(0, str(Path(__file__).parent))

from extensions.reference import pages

# ------------------------------------------------------------------------------------------ what it is
project = "howsure"
author = "howsure contributors"
copyright = author  # noqa: A001 - Sphinx's name for it
release = importlib.metadata.version("howsure")
html_title = "howsure"

# ------------------------------------------------------------------------------------------ what it reads
extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "myst_parser",
    "sphinx_copybutton",
    "extensions.keywords",
    "extensions.links",
    "extensions.made",
    "extensions.mathml",
    "extensions.pictures",
    "extensions.reference",
]
exclude_patterns = ["_build"]
smartquotes = False
nitpicky = True
nitpick_ignore_regex = [
    ("py:obj", ".*"),  # `name` need not be one
    ("py:class", r"howsure\.tables\..*Counts"),  # bases that are not public
]

# ------------------------------------------------------------------------------------------ Markdown
myst_enable_extensions = ["attrs_inline", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3

# ------------------------------------------------------------------------------------------ the reference
default_role = "autolink"  # `name` is a link where there is such a name
autodoc_typehints = "none"  # the docstrings have the types
numpydoc_show_class_members = False  # autodoc shows them, each once
numpydoc_xref_param_type = True
numpydoc_xref_aliases = {name: f"{page.module}.{name}" for page in pages() for name in page.names if name[0].isupper()}
numpydoc_xref_ignore = "all"  # of the words of a type, but for those;
DEFAULT_LINKS.clear()  # those of others too, as no inventory is fetched

# ------------------------------------------------------------------------------------------ how it looks
html_theme = "pydata_sphinx_theme"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_math_renderer = "mathml"
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_sidebars = {name: [] for name in ("index", "start", "which-interval", "gallery")}
html_theme_options = {
    "logo": {"text": "howsure"},
    "navbar_align": "left",
    "navbar_end": ["theme-switcher"],
    "header_links_before_dropdown": 8,
    "show_prev_next": False,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
