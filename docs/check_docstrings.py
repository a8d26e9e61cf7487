"""Checks that every public name has a docstring of numpydoc's form.

It has parameters with their types, and of arrays their shapes; what is returned; of a function with arguments what it
raises; an example; and of an interval method its source.

Run by ``make check``; prints what is missing, and ends with 1 if something is.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Iterator
from importlib import import_module

from numpydoc.docscrape import ClassDoc, FunctionDoc
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


ARRAY = re.compile(r"\b(ndarray|array-like)\b")


def public() -> Iterator[tuple[str, type | Callable[..., object]]]:
    """Yield every public function and class by its name."""
    spaces = [getattr(hs, name) for name in hs.__all__ if inspect.ismodule(getattr(hs, name))]
    for module in (hs, *spaces, import_module("howsure.testing")):
        for name in module.__all__:
            thing = getattr(module, name)
            if inspect.isfunction(thing) or inspect.isclass(thing):
                yield f"{module.__name__}.{name}".removeprefix("howsure."), thing


def complaints() -> Iterator[str]:
    """Yield what is wrong, one line each."""
    for name, thing in public():
        for code, words in validate(f"{thing.__module__}.{thing.__qualname__}")["errors"]:
            is_inherited = code == "PR01" and {*re.findall(r"'(\w+)'", words)} <= documented_by_bases(thing)
            if code in CHECKED and not is_inherited:
                yield f"{name}: {CHECKED[code]} ({words})"
        written = FunctionDoc(thing) if inspect.isfunction(thing) else ClassDoc(thing)
        values = [*written["Parameters"], *(written["Returns"] if inspect.isfunction(thing) else [])]
        for each in values:
            if ARRAY.search(each.type) and "shape" not in each.type:
                yield f"{name}: array without a shape ({each.name or 'returned'} : {each.type})"
        if inspect.isfunction(thing) and inspect.signature(thing).parameters and not written["Raises"]:
            yield f"{name}: nothing of what is raised"
        if inspect.isclass(thing) and is_interval_method(thing) and not written["References"]:
            yield f"{name}: interval method without a source"


def documented_by_bases(thing: object) -> set[str]:
    """Return the parameters of a class that the documentation of its base classes describes."""
    bases = thing.__mro__[1:] if inspect.isclass(thing) else ()
    return {each.name for base in bases if base.__doc__ for each in ClassDoc(base)["Parameters"]}


def is_interval_method(thing: type) -> bool:
    """Whether a class is an interval method that users name, and not what such methods derive from."""
    return (
        issubclass(thing, hs.methods.Method) and not inspect.isabstract(thing) and thing is not hs.methods.DrawingMethod
    )


if __name__ == "__main__":
    found = list(complaints())
    sys.stdout.write("".join(f"{line}\n" for line in found))
    sys.exit(bool(found))
