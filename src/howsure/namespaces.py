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

FUNCTIONS = {  # our functions, or calls → names of other packages' functions, without capitals and underscores
    "estimate": "ci interval confidenceinterval bootstrapmetric metricci",
    "estimate(hs.scores(y_true, y_score), 'roc_auc')": "ciauc ciroc bootstraproc",
    "estimate(hs.values(score, groups=cluster), 'mean')": "clusteredstandarderror clusteredse clusterrobust "
    "designeffect",
    "proportion": "proportionconfint proportionci wilson clopperpearson agresticoull binomtest binomconf binconf "
    "binomconfint",
    "compare": "permutationtest comparemodels compareindependent wilcoxon ttestrel pairedttest signtest "
    "bayesiansignedtest rope fisherexact chi2contingency ztest",
    "compare(hs.paired_scores(y_true, {'A': score_a, 'B': score_b}), 'roc_auc')": "roctest delong delongtest "
    "delongroctest",
    "compare(*hs.proportions({'A': 85, 'B': 80}, 100).values(), 'mean')": "twoproportions proportionsztest proptest "
    "compareproportions",
    "compare_all": "nemenyi friedman friedmanchisquare posthocnemenyifriedman autorank criticaldifference",
    "cross_validated": "crossvalscore crossvalidate correctedttest nadeaubengio pairedttest5x2cv fivebytwocv",
    "plan": "samplesize power poweranalysis samsize nrequired pmsampsize minimumdetectableeffect ncases nquestions",
    "from_rates": "frompublished published reconstruct frompercentages fromsummary consistent grim",
    "estimate(hs.from_rates(sensitivity=0.9, specificity=0.8, positives=50, negatives=50), "
    "'ppv_at+prevalence=0.1')": "predictivevalues",
    "joint_test": "assertatleast require requirements gate",
    "from_auc": "hanley hanleymcneil aucfromcounts",
    "pool_folds": "folds foldscores frommeanstd meanstd",
    "values": "pairedvalues",
    "monitor": "controlchart",
    "confusion(y_true, y_pred, sample_weight=weight, groups=psu, strata=stratum)": ""
    "svydesign svymean svyciprop svrepdesign",
    "estimate(hs.ratings(items_by_raters), 'krippendorff_alpha')": "krippendorffalpha krippendorffsalpha krippalpha "
    "simpledorff",
    "estimate(hs.ratings(items_by_raters), 'krippendorff_alpha+level=interval')": "icc icc1 icc2 icc3 intraclasscorr "
    "intraclasscorrelation",
    "estimate(hs.ratings(items_by_raters), 'gwet_ac1')": "gwetac1 gwetac1raw ac1",
    "labels.alt_test": "alttest alternativeannotatortest",
    "labels.consensus": "dawidskene majorityvote adjudicate adjudication",
    "labels.annotated": "huiwalter latentclass latentclassanalysis nogoldstandard",
    "labels.corrected": "imperfectreference imperfectgoldstandard imperfectstandard",
    "judged": "verification judge ppi ppimean ppimeanci predictionpowered begggreenes begg verificationbias "
    "partialverification",
    "labels.corrected_prevalence": "rogangladen trueprevalence correctedrate epiprev",
    "mcnemar": "mcnemartest",
    "cochrans_q": "cochranq cochransqtest",
    "confusion": "confusionmatrix confmat crosstab readcsv frompandas fromdataframe multilabel",
    "evaluate": "summary evaluatepredictions",
    "evaluate(hs.from_counts(tp=42, fp=3, fn=5, tn=50))": "epitests diagnostictest diagnostic diagnostics",
    "report_of": "report modelcard checklist stard stardai tripod tripodai",
    "gaps": "metricframe fairness disparity disparities disparateimpact",
    "ratings": "interrater agreement irr",
    "leaderboard": "rank ranking rankings",
    "pool": "metaanalysis metaprop rma frominterval fromci",
    "pool(tables, 'sensitivity')": "reitsma madad",
    "reader_study": "mrmc",
    "recall_score": "sensitivityscore",
    "scorer": "makescorer",
    "roc_curve": "roc plotroc roccurvedisplay",
    "calibration_curve": "reliabilitydiagram calibration calibrationplot calibrationdisplay valprob",
    "optimal_threshold": "cutpointr cutpoint optimalcutpoint optimalcutpoints tunethreshold bestthreshold "
    "youdenthreshold",
    "certified_threshold": "conformal learnthentest thresholdfor",
    "calibrated": "cbpe",
    "plots": "plot",
    "shift": "drift",
    "decision_curve": "dca",
    "comparison.adjusted_p_values": "multipletests padjust adjust holm bonferroni fdrcorrection",
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
    remedy = advise(attribute) if advise and not use else ""
    if use:
        remedy = f"Write `{use.replace('howsure', 'hs', 1)}`." if "(" in use else f"Use `{use}`."
    return f"There is no `{name}.{attribute}`.{f' {remedy}' if remedy else did_you_mean(attribute, known)}"


def elsewhere(attribute: str) -> str:
    """Return our function or call for a name of another namespace, or of another package; "" if there is none."""
    root = Path(__file__).parent
    for stub in (*root.glob("*.pyi"), *root.glob("*/__init__.pyi")):
        if attribute in places(stub):
            return ".".join(("howsure", *stub.relative_to(root).with_suffix("").parts, attribute)).replace(
                ".__init__", ""
            )
    function = ELSEWHERE.get(squeezed(attribute))
    return f"howsure.{function}" if function else ""
