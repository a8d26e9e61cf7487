"""Public names, each imported when it is first used; the stub of a module lists the names of its namespace."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import FunctionType
from typing import Any

from howsure.names import by_word, squeezed

FUNCTIONS = {  # names of other packages' functions, without capitals and underscores, by ours
    "estimate": "ci interval confidenceinterval ciauc ciroc bootstrapmetric bootstraproc metricci",
    "proportion": "proportionconfint proportionci wilson clopperpearson agresticoull binomtest binomconf binconf "
    "binomconfint",
    "compare": "roctest delong delongtest delongroctest permutationtest comparemodels wilcoxon ttestrel pairedttest "
    "signtest bayesiansignedtest rope proportionsztest fisherexact chi2contingency",
    "compare_all": "nemenyi friedman friedmanchisquare posthocnemenyifriedman autorank criticaldifference",
    "cross_validated": "crossvalscore crossvalidate correctedttest nadeaubengio pairedttest5x2cv fivebytwocv",
    "plan": "samplesize power poweranalysis samsize nrequired pmsampsize",
    "mcnemar": "mcnemartest",
    "cochrans_q": "cochranq cochransqtest",
    "confusion": "confusionmatrix confmat crosstab readcsv frompandas fromdataframe",
    "evaluate": "epitests diagnostictest summary evaluatepredictions",
    "report_of": "report modelcard checklist",
    "gaps": "metricframe fairness",
    "ratings": "interrater agreement irr",
    "leaderboard": "rank ranking rankings",
    "pool": "metaanalysis metaprop reitsma rma madad",
    "reader_study": "mrmc",
    "recall_score": "sensitivityscore",
    "scorer": "makescorer",
    "roc_curve": "roc plotroc roccurvedisplay",
    "calibration_curve": "reliabilitydiagram calibrationplot calibrationdisplay valprob",
    "optimal_threshold": "cutpointr optimalcutpoint optimalcutpoints tunethreshold",
    "certified_threshold": "conformal learnthentest",
    "calibrated": "cbpe",
    "plots": "plot",
    "shift": "drift",
    "decision_curve": "dca",
    "comparison.adjusted_p_values": "multipletests padjust",
}
ELSEWHERE = by_word(FUNCTIONS)
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
    if is_module and squeezed(attribute) not in ELSEWHERE:  # asked by imports
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
    function = ELSEWHERE.get(squeezed(attribute))
    return f"howsure.{function}" if function else ""
