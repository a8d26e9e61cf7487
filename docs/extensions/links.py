"""Code such as ``hs.compare(…)`` in a sentence leads to the reference."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from docutils import nodes
from sphinx import addnodes

if TYPE_CHECKING:
    from sphinx.application import Sphinx

CALL = re.compile(r"hs\.(?:[a-z]+\.)?\w+")
TAKEN = (nodes.title, nodes.reference, addnodes.pending_xref)


def link(app: Sphinx, doctree: nodes.document) -> None:
    """Wrap each such piece of code, outside of titles and other links, in a reference that Sphinx resolves."""
    for code in list(doctree.findall(nodes.literal)):
        found = CALL.match(code.astext())
        if found is None or _is_within(TAKEN, code):
            continue
        target = {"refdomain": "py", "reftype": "obj", "reftarget": f"howsure{found[0][2:]}", "refexplicit": True}
        code.replace_self(addnodes.pending_xref("", code.deepcopy(), refdoc=app.env.docname, refwarn=False, **target))


def _is_within(kinds: tuple[type[nodes.Node], ...], node: nodes.Node) -> bool:
    return node.parent is not None and (isinstance(node.parent, kinds) or _is_within(kinds, node.parent))


def setup(app: Sphinx) -> dict[str, bool]:
    """Link pages when they are read."""
    app.connect("doctree-read", link)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
