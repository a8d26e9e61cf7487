"""The reference: every public name, in the group of the module that it lives in.

The names are those of `howsure/__init__.pyi`, so that none is missing; one whose module has no group ends the build.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import howsure as hs

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.config import Config

GROUPS = {  # heading → what the names are for, and the modules that they come from
    "Tables from data": (
        "Functions that make a table from arrays, frames, files, matrices or rates.",
        "sources loading",
    ),
    "Estimates": ("A metric with its interval, and what comes out.", "estimates"),
    "Comparisons": ("Two models or many, on the same cases or on different ones; ranks.", "comparison"),
    "Planning": ("How many cases or labels an interval needs.", "planning"),
    "Curves and thresholds": ("Curves with bands, and the best threshold.", "curves"),
    "Scores without labels": ("Calibrated scores stand in for labels.", "evidence.unlabelled evidence.calibration"),
    "Labels that err": ("Reviews, judges, annotators, known error rates.", "evidence.labels evidence.review"),
    "Another population": ("Where the classifier will be used.", "evidence.shift"),
    "Logs of evaluations": ("What evaluation harnesses wrote.", "logs"),
    "Many experiments": ("Folds, seeds and sites.", "pooling study"),
    "Reports": ("One file that says it all.", "report"),
    "Interval methods": ("What `method=` takes; each also has a short name.", "methods"),
    "Metrics": ("A metric of your own.", "metrics"),
    "Tables": ("What the sources return.", "tables"),
    "Designs": ("How the cases were sampled.", "designs"),
    "scikit-learn’s names": ("The same arguments, and estimates in return.", "compat"),
    "Errors and versions": ("What goes wrong on the caller’s side, and what to say of it.", "errors about"),
}
SUBMODULES = {
    "plots": ("Plots", "`howsure.plots`, with the extra `plots`; Matplotlib draws."),
    "lab": ("Laboratory", "`howsure.lab`: simulated studies, and how often intervals hold the truth."),
    "testing": ("Testing", "`howsure.testing`: the laws that metrics, methods, designs and sources keep."),
}


def homes() -> dict[str, str]:
    """Return the module of each public name, as the stub states it, without the package."""
    tree = ast.parse(Path(hs.__file__).with_suffix(".pyi").read_text())
    imports = [node for node in tree.body if isinstance(node, ast.ImportFrom) and node.module]
    found = {alias.asname or alias.name: str(node.module) for node in imports for alias in node.names}
    return {name: home for name, home in found.items() if not name.startswith("__")}


def grouped() -> dict[str, list[str]]:
    """Return the public names by heading, functions before classes.

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


def written() -> dict[str, str]:
    """Return the text of each page: one of all names, and one for each group, which lists them in its contents."""
    groups = [(heading, GROUPS[heading][0], "howsure", names) for heading, names in grouped().items()]
    groups += [
        (heading, words, f"howsure.{module}", import_module(f"howsure.{module}").__all__)
        for module, (heading, words) in SUBMODULES.items()
    ]
    slugs = [f"group-{re.sub('[^a-z]+', '-', heading.lower())}" for heading, *_ in groups]
    pages = {
        slug: "\n".join([*_section("=", *group), "   :toctree: .", "", *_names(group)])
        for slug, group in zip(slugs, groups, strict=True)
    }
    contents = [".. toctree::", "   :hidden:", "", *(f"   {slug}" for slug in ("/metrics", "/cli", *slugs)), ""]
    start = ["Reference", "=========", "", "``import howsure as hs``. :ref:`genindex` lists every name.", "", *contents]
    sections = [line for group in groups for line in (*_section("-", *group), "", *_names(group), "")]
    return {"index": "\n".join([*start, *sections]), **pages}


Group = tuple[str, str, str, Sequence[str]]  # heading, words, module, names


def _section(underline: str, heading: str, words: str, module: str, _: Sequence[str]) -> list[str]:
    title = [heading, underline * len(heading), "", words.replace("`", "``"), ""]
    return [*title, f".. currentmodule:: {module}", "", ".. autosummary::", "   :nosignatures:"]


def _names(group: Group) -> list[str]:
    return [f"   {name}" for name in group[-1]]


def qualified() -> set[str]:
    """Return all public names, as they are imported."""
    inner = {f"howsure.{module}.{name}" for module in SUBMODULES for name in import_module(f"howsure.{module}").__all__}
    return inner | {f"howsure.{name}" for name in homes()}


def apart() -> dict[str, str]:
    """Return other file names for the classes whose names differ from a function's in capitals only."""
    names = qualified()
    return {name: f"{name}.class" for name in names if name != name.lower() and name.lower() in names}


def files() -> set[str]:
    """Return the names of all files, without their ending."""
    return {apart().get(name, name) for name in qualified()}


def write(app: Sphinx, config: Config) -> None:
    """Write the pages, before Sphinx looks which there are."""
    folder = Path(app.srcdir) / "api"
    folder.mkdir(exist_ok=True)
    pages = written()
    for path in folder.glob("*.rst"):
        if path.stem not in {*pages, *files()}:
            path.unlink()  # of a name that is gone
    for name, text in pages.items():
        path = folder / f"{name}.rst"
        if not path.exists() or path.read_text() != text:
            path.write_text(text)


def setup(app: Sphinx) -> dict[str, bool]:
    """Write the page early."""
    app.connect("config-inited", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
