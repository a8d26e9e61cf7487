"""Checks that every public name has a docstring of numpydoc's form: parameters with types, returns, an example.

Run by ``make check``; prints what is missing, and ends with 1 if something is.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

from numpydoc.validate import validate

import howsure as hs

CHECKED = {
    "GL08": "no docstring",
    "SS01": "no summary",
    "SS02": "summary without a capital letter",
    "SS03": "summary without a full stop",
    "PR01": "parameters without a word",
    "PR02": "parameters that do not exist",
    "PR04": "parameter without a type",
    "PR07": "parameter without a description",
    "RT01": "nothing of what is returned",
    "RT03": "what is returned has no description",
    "EX01": "no example",
}


def complaints() -> Iterator[str]:
    """Yield what is wrong, one line each."""
    for name in hs.__all__:
        thing = getattr(hs, name)
        if not hasattr(thing, "__qualname__"):  # a subpackage
            continue
        for code, words in validate(f"{thing.__module__}.{thing.__qualname__}")["errors"]:
            if code in CHECKED:
                yield f"{name}: {CHECKED[code]} ({words})"


if __name__ == "__main__":
    found = list(complaints())
    sys.stdout.write("".join(f"{line}\n" for line in found))
    sys.exit(bool(found))
