"""The interval methods by name: a class registers itself when it is defined.

The shipped ones are imported when one of them is used. All are, `LIBRARY`, before a name counts as unknown or as free.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from howsure.errors import HowsureError
from howsure.names import canonical

AUTOMATIC = "auto"  # the name of no method, but of choosing one
LIBRARY = "howsure.methods.library"


@dataclass(frozen=True, slots=True)
class Variant:
    """A name that a class of methods has with certain settings.

    Parameters
    ----------
    name : str
        Name of the method, such as ``"bootstrap_bca"``.
    settings : mapping of str to object
        Arguments of the class.
    meaning : str
        What it does, in one line.
    synonyms : tuple of str
        Other names.
    """

    name: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    meaning: str = ""
    synonyms: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Entry:
    """A registered name and its class."""

    kind: type[Any]
    variant: Variant

    def method(self) -> Any:
        """Return the method."""
        return self.kind(**self.variant.settings)


METHODS: dict[str, Entry] = {}


def register(kind: type[object]) -> None:
    """Register a class of methods under its name, or the names of its variants.

    A class that is defined anew, as in a notebook, takes the place of the former one.

    Raises
    ------
    HowsureError
        If the class has no name of its own, the name is taken, or it lacks a method that it must have.
    """
    variants = _variants(kind)
    asked = {*vars(kind), *(name for base in kind.__mro__[1:] for name in getattr(base, "__abstractmethods__", ()))}
    missing = [name for name in sorted(asked) if getattr(getattr(kind, name, None), "__isabstractmethod__", False)]
    if missing:
        raise HowsureError(
            f"`{kind.__name__}` lacks {', '.join(f'`{name}`' for name in missing)}. See `howsure.methods.Method`."
        )
    for variant in variants:
        for name in (variant.name, *variant.synonyms):
            _check_name(name, kind)
    METHODS.update({variant.name: Entry(kind, variant) for variant in variants})


def _variants(kind: type[object]) -> tuple[Variant, ...]:
    own = vars(kind)
    if "variants" in own:
        return tuple(own["variants"])
    if not isinstance(own.get("name"), str):
        raise HowsureError(f"`{kind.__name__}` needs a name of its own, such as `name = '{kind.__name__.lower()}'`.")
    meaning = inspect.cleandoc(own.get("__doc__") or "").split("\n", 1)[0]
    return (Variant(own["name"], {}, meaning, own.get("synonyms", ())),)


def _check_name(name: str, kind: type[object]) -> None:
    if name != canonical(name) or not name or name == AUTOMATIC:
        raise HowsureError(
            f"`{kind.__name__}` cannot be named '{name}'. Use small letters and underscores, as in 'my_method'."
        )
    known = _registered(name) if kind.__module__.startswith("howsure.") else find(name)
    if known is not None and (known.kind.__module__, known.kind.__qualname__) != (kind.__module__, kind.__qualname__):
        raise HowsureError(
            f"The name '{name}' of `{kind.__name__}` is taken by `{known.kind.__name__}`. Choose another one."
        )


def find(name: str) -> Entry | None:
    """Return the entry of a name or synonym, or None."""
    known = _registered(name)
    if known is not None and not known.kind.__module__.startswith("howsure."):
        return known
    # Another thread may still execute the module, and a dataclass with slots is registered again when it is complete.
    import_module(LIBRARY if known is None else known.kind.__module__)
    return _registered(name)


def _registered(name: str) -> Entry | None:
    word = canonical(name)
    known = METHODS.get(word)  # read once, and copied below: another thread can register methods meanwhile
    return known or next((entry for entry in list(METHODS.values()) if word in entry.variant.synonyms), None)
