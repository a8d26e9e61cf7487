"""The reference: a page for each group of names and for each namespace, with a table of its names at the top.

The names are those of the stubs, so that none is missing; one whose module has no group ends the build.
"""

from __future__ import annotations

import ast
import inspect
import re
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import howsure as hs

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.config import Config

GROUPS = {  # heading → what the names are for, and the modules in which they are defined
    "Make a table": (
        "Functions that make a table from arrays, frames, files, matrices, rates, reviews or judges.",
        (
            "sources tables logs imperfect_labels.unlabelled imperfect_labels.noisy imperfect_labels.partial "
            "imperfect_labels.review imperfect_labels.dataset_shift"
        ),
    ),
    "Estimate": (
        "A metric with its interval, two metrics with their region, and requirements.",
        "estimates imperfect_labels.calibration requirements",
    ),
    "Compare and rank": (
        "Two models or many, on the same cases or on different ones; readers of the same cases; groups.",
        "comparison readers groups",
    ),
    "Follow a threshold": ("Curves with bands, the best threshold, and decision curves.", "curves decisions"),
    "Plan": ("The number of cases that an interval needs.", "planning"),
    "Pool experiments": ("Folds, seeds and sites.", "pooling study training"),
    "Report": ("One file with tables and charts.", "report"),
    "scikit-learn’s names": ("The same arguments; an estimate is returned.", "compat"),
    "Extend and look up": (
        "A metric of your own, the applicable methods, errors and versions.",
        "metrics methods errors about",
    ),
}
NAMESPACES = {  # module → heading, and what its names are for
    "methods": ("Interval methods", "Settings of the methods that `method=` also takes by name."),
    "tables": ("Tables", "The classes that the functions above return; `howsure.Table` describes what they share."),
    "designs": ("Designs", "How the cases were sampled."),
    "kinds": ("Kinds of evidence", "To define tables and metrics of evidence of your own."),
    "results": ("Results", "The classes of results, for type annotations."),
    "labels": ("Labels", "Labels that are wrong, few, or from several people."),
    "shift": ("Another population", "Weights, and tests of assumptions about another population or about scores."),
    "comparison": ("Tests without tables", "Tests and corrections of p-values, from draws or counts."),
    "pooling": ("Densities of draws", "Pooling by multiplied densities."),
    "compat": (
        "Other packages’ names",
        "Names of `confidenceinterval`, in scikit-learn’s form, and Fairlearn’s disparities.",
    ),
    "plots": ("Plots", "With the extra `plots`; Matplotlib draws."),
    "lab": ("Laboratory", "Simulated studies, and how often intervals cover."),
    "testing": ("Testing", "The laws of metrics, methods, designs, sources and kinds of evidence, as functions."),
}
OWN_MEMBERS = {"methods", "tables"}  # whose classes inherit most of them from one that is described elsewhere


class Page(NamedTuple):
    """A page of the reference: its file, heading, words, module and names."""

    slug: str
    heading: str
    words: str
    module: str
    names: tuple[str, ...]


def homes() -> dict[str, str]:
    """Return the module of each name at the top, as the stub states it, without the package."""
    tree = ast.parse(Path(hs.__file__).with_suffix(".pyi").read_text())
    imports = [node for node in tree.body if isinstance(node, ast.ImportFrom) and node.module]
    found = {alias.asname or alias.name: str(node.module) for node in imports for alias in node.names}
    return {name: home for name, home in found.items() if not name.startswith("__")}


def grouped() -> dict[str, list[str]]:
    """Return the names at the top by heading, functions before classes.

    Raises
    ------
    LookupError
        If a name has no group; the message says where to put it.
    """
    found: dict[str, list[tuple[bool, int, str]]] = {heading: [] for heading in GROUPS}
    for name, home in homes().items():
        heading = next((heading for heading, (_, modules) in GROUPS.items() if _is_within(home, modules)), None)
        if heading is None:
            message = f"`{name}` of howsure.{home} has no place in the reference. Give its module one in {__file__}."
            raise LookupError(message)
        found[heading].append((isinstance(getattr(hs, name), type), len(found[heading]), name))
    return {heading: [name for *_, name in sorted(names)] for heading, names in found.items() if names}


def _is_within(home: str, modules: str) -> bool:
    return any(f"{home}.".startswith(f"{module}.") for module in modules.split())


def pages() -> list[Page]:
    """Return the pages: of the groups at the top, then of the namespaces."""
    top = [
        Page(re.sub("[^a-z]+", "-", heading.lower()), heading, GROUPS[heading][0], "howsure", tuple(names))
        for heading, names in grouped().items()
    ]
    inner = [
        Page(name, f"{heading}: hs.{name}", words, f"howsure.{name}", _listed(import_module(f"howsure.{name}")))
        for name, (heading, words) in NAMESPACES.items()
    ]
    return [*top, *inner]


def _listed(module: Any) -> tuple[str, ...]:
    """Return the names of a namespace, without modules."""
    return tuple(name for name in module.__all__ if not inspect.ismodule(getattr(module, name)))


def written() -> dict[str, str]:
    """Return the text of each page, and of one that lists all names."""
    every = pages()
    contents = [
        ".. toctree::",
        "   :hidden:",
        "",
        *(f"   {each}" for each in ("/metrics", "/cli", *(p.slug for p in every))),
    ]
    start = [
        "Reference",
        "=========",
        "",
        "``import howsure as hs``. :ref:`genindex` lists every name.",
        "",
        *contents,
        "",
    ]
    sections = [line for page in every for line in (*_table(page, "-"), "")]
    return {"index": "\n".join([*start, *sections]), **{page.slug: _text(page) for page in every}}


def _table(page: Page, underline: str) -> list[str]:
    """Return the heading of a page and the table of its names."""
    title = [page.heading, underline * len(page.heading), "", page.words.replace("`", "``"), ""]
    table = [f".. currentmodule:: {page.module}", "", ".. autosummary::", "   :nosignatures:", ""]
    return [*title, *table, *(f"   {name}" for name in page.names)]


def _text(page: Page) -> str:
    """Return a page: the table of its names, then each name with its documentation."""
    module = import_module(page.module)
    lines = _table(page, "=")
    for name in page.names:
        lines += ["", name, "-" * len(name), ""]
        if not isinstance(getattr(module, name), type):
            lines.append(f".. autofunction:: {name}")
            continue
        lines += [f".. autoclass:: {name}", "   :members:"]
        if page.slug not in OWN_MEMBERS:
            lines.append("   :inherited-members: object, float, Mapping, Sequence, Exception")
    return "\n".join([*lines, ""])


def write(app: Sphinx, config: Config) -> None:
    """Write the pages, before Sphinx looks which there are."""
    folder = Path(app.srcdir) / "api"
    folder.mkdir(exist_ok=True)
    texts = written()
    for path in folder.glob("*.rst"):
        if path.stem not in texts:
            path.unlink()  # of a group that is gone
    for name, text in texts.items():
        path = folder / f"{name}.rst"
        if not path.exists() or path.read_text() != text:
            path.write_text(text)


def setup(app: Sphinx) -> dict[str, bool]:
    """Write the page early."""
    app.connect("config-inited", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
