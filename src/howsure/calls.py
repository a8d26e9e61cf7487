"""The call of a public function: arguments that it does not take are refused with what to write instead."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Container, Mapping, Sequence
from functools import wraps
from numbers import Real
from typing import Any, TypeVar

from howsure.errors import HowsureError, did_you_mean

Function = TypeVar("Function", bound=Callable[..., Any])
LEVELS = ("ci", "level", "conf", "conf_level", "conf_int", "confidence", "coverage", "cl")  # other packages' words
NAMES = {  # our names, and other packages' words for them; of several, a function has at most one
    "random_state": "seed rng random_seed",
    "y_true": "label gold y_test y_actual actual actual_vector target targets truth reference references ground_truth",
    "y_pred": "y_hat yhat pred preds prediction predictions predicted predict_vector estimate y_predicted response",
    "y_score": "y_prob y_proba y_pred_proba y_scores prob probs proba probas probabilities score scores predictor "
    "risk risks",
    "sample_weight": "weights weight",
    "groups": "cluster clusters group psu psus ids cluster_id patient patient_id subject subject_id",
    "counts": "freq frequency frequencies fweight fweights freq_weights frequency_weights",
    "standard_errors": "se sei ses stderr std_errors",
    "sensitivity": "sens reference_sensitivity",
    "specificity": "spec reference_specificity",
    "positives": "n_pos n_positive n_positives n_diseased",
    "negatives": "n_neg n_negative n_negatives n_healthy",
    "cluster": "clusters",
    "by": "group sensitive_features",
    "metric": "metrics",
    "metrics": "metric",
    "modality": "treatment",
    "reader": "rater",
    "rater": "annotator coder",
    "data": "df frame dataframe",
    "n_resamples": "n_boot n_bootstrap n_bootstraps n_iterations bootstraps",
    "pos_label": "positive positive_class positive_label labels",
    "labels": "classes levels",
    "method": "ci_method interval interval_method",
    "b": "baseline control reference",
    "true_value": "expected delta mde difference value effect",
    "contrast": "effect effect_type",
    "correction": "adjust p_adjust",
    "k": "count",
    "fold": "folds cv split splits",
    "every": "chunk_size chunk_period freq period",
    "false_positive_cost": "fp_cost cost_fp",
    "false_negative_cost": "fn_cost cost_fn",
    "n": "nobs sample_size",
}
OURS = {word: tuple(ours for ours in NAMES if word in NAMES[ours].split()) for word in " ".join(NAMES.values()).split()}
REMEDIES = {  # of words that are no argument: for a function with the argument, what to write
    NAMES["n_resamples"]: ("method", "`method=hs.methods.Bootstrap(n_resamples={0!r})`"),
    "bootstrap": ("method", "`method='bootstrap_bca'`"),
    "prior": ("method", "`method=hs.methods.Dirichlet(prior={0!r})`"),
    "beta": ("metric", "it in the metric: 'fbeta+beta={0!r}'"),
    "average": ("metric", "the average in the metric, such as 'f1@{0}'"),
    "prevalence": ("metric", "it in the metric: 'ppv_at+prevalence={0!r}'"),
    "specificity": ("metric", "it in the metric: 'sensitivity_at+specificity={0!r}'"),
    "sensitivity": ("metric", "it in the metric: 'specificity_at+sensitivity={0!r}'"),
    "fpr": ("metric", "it in the metric: 'recall_at+fpr={0!r}'"),
    "recall": ("metric", "it in the metric: 'precision_at+recall={0!r}'"),
    "max_fpr": ("metric", "it in the metric: 'roc_auc+max_fpr={0!r}'"),
    "k": ("metric", "it in the metric, such as 'top_k_accuracy+k={0!r}' or 'pass_at+k={0!r}'"),
    "costs cost_matrix cost_ratio": ("false_negative_cost", "`criterion='cost'`, with `false_negative_cost=…`"),
    "cost costs cost_matrix cost_fp cost_fn": (
        "metric",
        "the costs in the metric: 'expected_cost+cost_fp=1+cost_fn=10'",
    ),
    "n events nobs total": ("experiments", "`hs.pool([hs.proportion(k, n) for k, n in zip(successes, cases)])`"),
    "vi var variance variances": ("experiments", "`standard_errors=…`, the square roots of the variances"),
    "ci ci_low ci_high low high lower upper": (
        "experiments",
        "`standard_errors=(high - low) / 3.92` for 95 % intervals",
    ),
    "by mods moderators subgroup": ("experiments", "a call for each subgroup. There is no meta-regression"),
    "correction cc incr add": (
        "experiments",
        "no correction: `hs.pool(tables, 'sensitivity')` takes zero cells as they are",
    ),
    "reference_sensitivity reference_specificity": (
        "metrics",
        "`hs.labels.corrected(table, sensitivity=…, specificity=…)`, the table corrected for the reference's errors",
    ),
    "non_inferiority noninferiority": ("margin", "`margin=…` with `alternative='greater'`"),
    "lower_threshold upper_threshold alert_threshold limits": (
        "baseline",
        "`baseline=(low, high)`, the limits beyond which a metric raises an alert",
    ),
    "fpc population population_sizes strata_sizes stratum_size": (
        "stratum_sizes",
        "`stratum_sizes=…`, a mapping of each stratum to its number of cases in the population",
    ),
    "ignore_index": ("y_pred", "the other cases: `y_true[y_true != {0!r}], y_pred[y_true != {0!r}]`"),
    "repweights replicate_weights rep_weights": (
        "strata",
        "the design itself, `groups=`, `strata=` and `sample_weight=`: replicate weights are not supported",
    ),
    "half_width margin_of_error precision": ("width", "`width=…`, from the lower to the upper limit: twice a margin"),
    "effect_size": ("true_value", "`true_value=…`, the value or difference in units of the metric"),
    "target_names class_names label_names": ("labels", "the names into the data, such as `np.array(names)[y_true]`"),
    "correction": ("contrast", "`compare_all(table, metric, correction={0!r})`, which compares all pairs of models"),
    "paired": ("contrast", "`hs.paired(y_true, …)` for predictions of two models for the same cases"),
    "margin delta non_inferiority equivalence": (
        "contrast",
        "`compare(…).non_inferiority({0!r})`, or `.equivalence({0!r})`: both test the result",
    ),
    "threshold cutoff": ("y_pred", "`hs.scores(y_true, y_score).at({0!r})`, the table of predictions at a threshold"),
    "fold folds cv": ("y_pred", "`hs.cross_validated(y_true, y_pred, fold=…)`"),
    f"y_score {NAMES['y_score']}": ("y_pred", "`hs.scores(y_true, y_score)` for scores or probabilities"),
    "direction higher_is_better": ("y_score", "scores that are higher for the positive class, such as `-y_score`"),
}
RATES = ("sensitivity", "specificity", "precision", "recall", "ppv", "npv", "f1", "accuracy")
OF_FUNCTIONS = {  # functions → words that are none of their arguments, and what to write instead
    "evaluate": (
        ("adjust", "correction", "p_adjust", "simultaneous"),
        " Write `hs.gaps(tables, metrics)` for groups: its intervals cover simultaneously.",
    ),
    "from_counts": (
        ("n", "support", "total", "totals"),
        " For a matrix of proportions, multiply each row by its number of cases and round.",
    ),
    "proportion": (
        ("data", "sample_weight", "weights", "weight", "groups", "cluster", "clusters", "strata", "by"),
        " For a column of 0 and 1 write `hs.estimate(hs.values(outcome, sample_weight=…, groups=…), 'mean')`.",
    ),
    "joint_test": (RATES, " Write the requirements: `joint_test(table, ['sensitivity>0.8', 'specificity>0.9'])`."),
    "certified_threshold": (RATES, " Write the requirement: `certified_threshold(table, 'precision>0.9')`."),
    "leaderboard": (
        ("k", "n", "count", "nobs"),
        " Give a table of these: `leaderboard(hs.proportions({'A': 85, 'B': 80}, 100), 'mean')`.",
    ),
    "evaluate_log": (
        ("score", "item", "model", "cluster"),
        " Name the columns where the log is read: `hs.evaluate_log(hs.read_log(path, score=…, item=…, model=…))`.",
    ),
    "trials": (
        ("k", "n", "c"),
        " For k successes in n runs of each task give two rows: `trials([1, 0, …], task=[…], counts=[k, n - k, …])`.",
    ),
}
WITHOUT = {  # functions and arguments that they need → what to write without the argument
    ("partly_labelled", "y_score"): " Without scores write `hs.judged(y_true, y_pred)`.",
    ("proportion", "n"): " For a column of 0 and 1 write `hs.estimate(hs.values(outcome), 'mean')`.",
    ("leaderboard", "metric"): " Of battles it is 'bradley_terry' or 'elo'.",
}
CONFUSION, SCORES = "hs.confusion(y_true, y_pred)", "hs.scores(y_true, y_score)"
MODELS = "{'A': pred_a, 'B': pred_b}"
SOURCES = {  # how a table is made → functions that take such a table; of all others `confusion` makes it
    f"hs.paired(y_true, {MODELS})": "cochrans_q compare compare_all evaluate_models leaderboard mcnemar",
    "hs.from_rates(sensitivity=0.9, specificity=0.8, prevalence=0.3, n=100)": "plan",
    SCORES: """calibration_curve calibration_test certified_threshold decision_curve det_curve
        optimal_threshold precision_recall_curve roc_curve threshold_curves""",
    "hs.calibrated(y_score)": "miscalibration",
    "hs.judged(human, judge)": "judge_report",
    "hs.confusion(y_true, y_pred, by=group)": "gaps monitor",
    "hs.events(tp, fp, fn)": "per_unit",
    "[hs.confusion(y_true, pred_a), hs.confusion(y_true, pred_b)]": "pool_tables",
}
SOURCE_OF = {function: source for source, functions in SOURCES.items() for function in functions.split()}
# Arguments of sources, which functions of their tables do not take.
OF_SOURCES = ("pos_label", "labels", "sample_weight", "groups", "by", "data", "counts", "strata", "stratum_sizes")
FIRST_WORDS = ("method", "average")  # parameters that a text without a name is meant for, where they come first


class CallError(HowsureError, TypeError):
    """A call that does not fit a function's parameters; the message says what to write."""


def public(function: Function, namespace: str = "howsure") -> Function:
    """Return a function that refuses arguments it does not take with what to write instead.

    Parameters
    ----------
    function : callable
        A public function.
    namespace : str
        Module in which users find it.

    Examples
    --------
    >>> import howsure as hs
    >>> try:
    ...     hs.f1_score([0, 1, 1, 0], [0, 1, 0, 0], alpha=0.1)
    ... except hs.HowsureError as error:
    ...     print(error)
    `f1_score` takes no `alpha`. Write `confidence_level=0.9`.
    """

    @wraps(function)
    def called(*args: object, **kwargs: object) -> Any:
        try:
            return function(*args, **kwargs)
        except TypeError:
            message = _misuse(function, namespace, args, kwargs)
            if not message:
                raise
            raise CallError(message) from None

    called.__module__ = namespace  # where it is found again, as by pickle
    return called  # type: ignore[return-value]  # of the same signature


def refuse_unknown(verb: str, given: Mapping[str, object], known: Mapping[str, object]) -> None:
    """Refuse arguments that a function passes on to another which does not take them, with what to write instead.

    Parameters
    ----------
    verb : str
        The called function.
    given : mapping of str to object
        The arguments that it passes on.
    known : mapping of str to object
        The parameters of both functions.
    """
    for name, value in given.items():
        if name not in known:
            raise CallError(f"`{verb}` takes no `{name}`.{_instead(verb, name, value, known)}")


def _misuse(
    function: Callable[..., Any], namespace: str, args: tuple[object, ...], kwargs: Mapping[str, object]
) -> str:
    """Return an error text for the arguments of a call, with the remedy; "" if they are valid."""
    signature = inspect.signature(function)
    try:
        signature.bind(*args, **kwargs)
    except TypeError as error:
        known = signature.parameters
        unknown = next((name for name in kwargs if name not in known), "")
        name = function.__name__
        if unknown not in OF_FUNCTIONS.get(name, ((), ""))[0] and _lacks_table(known, args, kwargs):
            return _needs_table(name, namespace, signature, args, kwargs)
        if unknown:
            return f"`{name}` takes no `{unknown}`.{_instead(name, unknown, kwargs[unknown], known)}"
        return _of_places(name, namespace, signature, args) or _of_names(function, kwargs) or f"`{name}`: {error}."
    return ""


def _lacks_table(known: Mapping[str, object], args: Sequence[object], kwargs: Mapping[str, object]) -> bool:
    """Return whether a function of a table is called with columns, a frame or an estimator, or without any of these."""
    first = next(iter(known), "")
    if first not in {"table", "tables"} or first in kwargs or "y_score" in known:
        return False
    return not args or _is_no_table(args[0])


def _is_no_table(given: object) -> bool:
    """Return whether an argument is a text, a frame, an estimator or a column rather than a table or a matrix."""
    if type(given).__module__.partition(".")[0] == __name__.partition(".")[0]:
        return False
    first = given[0] if isinstance(given, list | tuple) and given else None
    is_column = len(getattr(given, "shape", (0, 0))) == 1 or isinstance(first, str | Real)
    return is_column or isinstance(given, str) or hasattr(given, "columns") or hasattr(given, "predict")


def _needs_table(
    name: str,
    namespace: str,
    signature: inspect.Signature,
    args: Sequence[object],
    kwargs: Mapping[str, object],
) -> str:
    """Return an error text for a call without a table, with the call that makes one."""
    are_texts = [isinstance(each, str) for each in args[:2]]
    has_names = bool(args) and (hasattr(args[0], "columns") or are_texts == [True, True] or "data" in kwargs)
    metrics = [*(() if has_names else args), kwargs.get("metric"), kwargs.get("metrics")]
    source = SOURCE_OF.get(name, CONFUSION)
    if name == "leaderboard" and args and "winner" in getattr(args[0], "columns", ()):
        source, metrics = "hs.preferences(a, b, winner)", [*metrics, "bradley_terry"]
    if source == CONFUSION and any(map(_is_fractional, args[1:])):
        source, metrics = SCORES, [*metrics, "roc_auc"]
    if has_names:
        source = source.replace(")", ", data=…)")
    texts, stated = {"metric", "metrics", "others"}, next((each for each in metrics if isinstance(each, str)), "f1")
    placed = [each for each in signature.parameters.values() if each.kind < inspect.Parameter.KEYWORD_ONLY][1:]
    needed = [each.name for each in placed if each.name in texts or each.default is each.empty]
    given = [
        f"{word}={value!r}"
        for word, value in kwargs.items()
        if word in signature.parameters and word not in {"metric", "metrics"} and isinstance(value, Real)
    ]
    inside = ", ".join([source, *(repr(stated) if each in texts else each for each in needed), *given])
    call = f"{namespace.replace('howsure', 'hs', 1)}.{name}({inside})"
    return f"`{name}` takes a table. Make one first{', from columns by name' if has_names else ''}: `{call}`."


def _is_fractional(given: object) -> bool:
    """Return whether a column holds fractions, which are scores rather than classes."""
    values = given.tolist() if hasattr(given, "tolist") else given
    return isinstance(values, list) and any(isinstance(each, float) and each % 1 > 0 for each in values)


def _of_names(function: Callable[..., Any], kwargs: Mapping[str, object]) -> str:
    """Return an error text for a missing argument that is given by name, with its description; "" if none is."""
    for each in inspect.signature(function).parameters.values():
        if each.kind is each.KEYWORD_ONLY and each.default is each.empty and each.name not in kwargs:
            documented = rf"^ *(?:\w+, )*{each.name}(?:, \w+)* :.*\n((?: {{8,}}.*\n)+)"
            found = re.search(documented, function.__doc__ or "", re.MULTILINE)
            first = " ".join(found[1].split()).partition(". ")[0].rstrip(".") if found else ""
            meaning = f": {first[0].lower()}{first[1:]}" if first else ""
            return f"`{function.__name__}` needs `{each.name}=…`{meaning}."
    return ""


def _instead(function: str, name: str, value: object, known: Mapping[str, object]) -> str:
    """Return the argument to give to a function in place of one that it does not take."""
    ours, value_of_ours = renamed(name, value, known)
    if ours:
        return f" Write `{ours}={value_of_ours!r}`." if isinstance(value, str | int | float) else f" Write `{ours}=…`."
    stated = next((each for each in (name, *OURS.get(name, ())) if each in OF_SOURCES), "")
    if stated and "table" in known:
        return f" Give it where the table is made, such as `hs.confusion(y_true, y_pred, {stated}=…)`."
    if stated and "confidence_level" in known and {"y_true", "y1"} & known.keys():
        columns = "scores(y_true, y_score" if "y_score" in known else "confusion(y_true, y_pred"
        return f" Make a table with it, and estimate its metric: `hs.estimate(hs.{columns}, {stated}=…), …)`."
    if name in {"metric", "metrics"} and "table" in known:
        return f" Give it after the table, as in `{function}(table, {value!r})`."
    if name in OF_FUNCTIONS.get(function, ((), ""))[0]:
        return OF_FUNCTIONS[function][1]
    return _remedy(name, value, known) or did_you_mean(name, known) or f" Known: {', '.join(known)}."


def renamed(name: str, value: object, known: Container[str]) -> tuple[str, object]:
    """Return our argument for another package's, and its value; an empty name if none of the known ones is meant.

    Examples
    --------
    >>> renamed("alpha", 0.1, {"confidence_level"}), renamed("y_hat", None, {"y_true", "y_pred"})
    (('confidence_level', 0.9), ('y_pred', None))
    """
    if "confidence_level" in known and name in {"alpha", *LEVELS} and not isinstance(value, list | tuple):
        return "confidence_level", _level(name, value)
    return next((ours for ours in OURS.get(name, ()) if ours in known), ""), value


def _remedy(name: str, value: object, known: Mapping[str, object]) -> str:
    """Return what to write for a word that is no argument of any function; "" if it is not listed."""
    taken = {*known, *(("metric",) if {"metrics", "others"} & {*known} else ())}
    for words, (argument, remedy) in REMEDIES.items():
        if name in words.split() and argument in taken:
            return f" Write {remedy.format(value)}."
    return ""


def _level(name: str, value: object) -> float:
    if not isinstance(value, Real) or isinstance(value, bool):
        return 0.95
    share = float(value) / 100 if float(value) > 1 else float(value)
    return round(1 - share if name == "alpha" else share, 12)


def _of_places(name: str, namespace: str, signature: inspect.Signature, args: tuple[object, ...]) -> str:
    """Return an error text for too many or too few positional arguments."""
    kinds = inspect.Parameter
    placed = [
        each
        for each in signature.parameters.values()
        if each.kind in {kinds.POSITIONAL_OR_KEYWORD, kinds.POSITIONAL_ONLY}
    ]
    if args and hasattr(args[0], "predict"):  # called by scikit-learn as (estimator, X, y)
        return (
            f"`{name}` takes labels and predictions. For `scoring=` write `hs.scorer({name.removesuffix('_score')!r})`."
        )
    if args and hasattr(args[0], "columns") and "data" in signature.parameters:
        words = [each for each in args[1:] if isinstance(each, str)] or [each.name for each in placed]
        call = f"{name}({', '.join(map(repr, words))}, data=…)"
        return f"`{name}` takes names of columns, and the frame as `data`: `{call}`."
    if len(args) <= len(placed):
        missing = [each.name for each in placed[len(args) :] if each.default is kinds.empty]
        call = f"{name}({', '.join(each.name for each in placed)})"
        rest = WITHOUT.get((name, missing[0]), "") if missing else ""
        return f"`{name}` needs `{missing[0]}`: `{call}`.{rest}" if missing else ""
    if placed and placed[0].name == "table" and not any(isinstance(each, str) for each in args[:2]):
        return _needs_table(name, namespace, signature, args, {})
    named = [each.name for each in signature.parameters.values() if each.kind is kinds.KEYWORD_ONLY]
    takes = f"{len(placed) or 'no'} positional argument{'' if len(placed) == 1 else 's'}"
    others = "the others" if placed else "all"
    extra, rest = args[len(placed)], f" Give {others} by name: {', '.join(named)}." if named else ""
    if isinstance(extra, str) and named and named[0] in FIRST_WORDS:
        rest = f" Give {extra!r} by name, such as `{named[0]}={extra!r}`; names: {', '.join(named)}."
    if name == "pool_tables" and isinstance(extra, str):
        rest = f" To estimate a metric whose true value varies between the tables write `hs.pool(tables, {extra!r})`."
    if name in {"paired", "paired_scores"}:
        rest = f" Give the models as a mapping: `{name}(y_true, {MODELS})`."
    of_these = f" ({', '.join(each.name for each in placed)})" if placed else ""
    return f"`{name}` takes {takes}{of_these}, and {len(args)} were given.{rest}"
