"""Public names, each imported when it is first used; the stub beside a module lists those of its namespace."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import FunctionType
from typing import Any

ELSEWHERE = {  # other packages' functions → ours
    "report": "report_of",
    "roc_test": "compare",
    "interval": "estimate",
    "sensitivity_score": "recall_score",
    "sample_size": "plan",
    "power": "plan",
    "power_analysis": "plan",
    "make_scorer": "scorer",
    "confidence_interval": "estimate",
    "ci": "estimate",
    "delong_test": "compare",
    "delong_roc_test": "compare",
    "permutation_test": "compare",
    "mcnemar_test": "mcnemar",
    "roc": "roc_curve",
    "meta_analysis": "pool",
    "mrmc": "reader_study",
    "MetricFrame": "gaps",
    "ConfusionMatrix": "confusion",
    "CI": "estimate",
    "CBPE": "calibrated",
    "dca": "decision_curve",
    "proportion_confint": "proportion",
    "multipletests": "comparison.adjusted_p_values",
    "model_card": "report_of",
    "checklist": "report_of",
}
IMPORT = re.compile(r"^from \.([\w.]*) import (?:\(([^)]*)\)|(.*))$", re.MULTILINE)
Namespace = tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]


def places(stub: Path) -> dict[str, str]:
    """Return the relative module of each name that a stub imports; of a module that it imports, the module itself."""
    found = {}
    for module, several, one in IMPORT.findall(stub.read_text(encoding="utf-8")):
        for name in (several or one).split(","):
            if name := name.rpartition(" as ")[2].strip():
                found[name] = f".{module or name}"
    return found


def namespace(name: str, file: str, advise: Callable[[str], str] | None = None) -> Namespace:
    """Return ``__getattr__``, ``__dir__`` and ``__all__`` of a namespace.

    Public functions refuse arguments that they do not take with what to write instead; see `howsure.calls`.

    Parameters
    ----------
    name, file : str
        ``__name__`` and ``__file__`` of the module.
    advise : callable, optional
        What to write instead of a name that is in no namespace; an empty string for the most similar name.
    """
    stub = Path(file).with_suffix(".pyi")
    known = places(stub)
    package = name if stub.stem == "__init__" else name.rpartition(".")[0]

    def found(attribute: str) -> Any:
        if attribute not in known:
            raise AttributeError(_absent(name, attribute, known, stub.parent, advise))
        module = import_module(known[attribute], package)
        thing = module if known[attribute] == f".{attribute}" else getattr(module, attribute)
        if isinstance(thing, FunctionType):
            from howsure.calls import public

            thing = public(thing, name)
        setattr(sys.modules[name], attribute, thing)
        return thing

    return found, lambda: sorted(known), sorted(known)


def _absent(name: str, attribute: str, known: dict[str, str], folder: Path, advise: Callable[[str], str] | None) -> str:
    plain = f"module '{name}' has no attribute '{attribute}'"
    if attribute.startswith("_"):  # asked by tools, not by users
        return plain
    is_module = (folder / attribute).exists() or (folder / f"{attribute}.py").exists()
    if is_module and attribute not in ELSEWHERE:  # asked by imports
        return plain
    from howsure.errors import did_you_mean

    use = elsewhere(attribute)
    remedy = f"Use `{use}`." if use else advise(attribute) if advise else ""
    return f"There is no `{name}.{attribute}`.{f' {remedy}' if remedy else did_you_mean(attribute, known)}"


def elsewhere(attribute: str) -> str:
    """Return where a name is: in another namespace, or as the function that other packages call so; "" if nowhere."""
    root = Path(__file__).parent
    for stub in (*root.glob("*.pyi"), *root.glob("*/__init__.pyi")):
        if attribute in places(stub):
            return ".".join(("howsure", *stub.relative_to(root).with_suffix("").parts, attribute)).replace(
                ".__init__", ""
            )
    return f"howsure.{ELSEWHERE[attribute]}" if attribute in ELSEWHERE else ""
