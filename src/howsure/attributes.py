"""Attributes that a result or a table does not have: the error names the right one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, NoReturn

from howsure.errors import did_you_mean
from howsure.names import by_word
from howsure.namespaces import elsewhere

ATTRIBUTES = {  # other packages' words for attributes, by ours
    "low and high": "ci interval confidence_interval conf_int",
    "low": "lower ci_low ci_lower lo lci",
    "high": "upper ci_high ci_upper hi uci",
    "standard_error": "se std std_error stderr bse",
    "value": "estimate point mean score diff difference effect",
    "p_value": "p pvalue p_val pval significant reject",
    "to_pandas()": "df frame to_frame to_df to_dataframe summary to_csv to_excel to_parquet",
    "to_markdown()": "to_docx to_word docx save export",
    "counts": "confusion_matrix matrix values array cm tp fn fp tn",
    "labels": "classes class_names",
    "draws": "samples posterior_samples",
    "probability_above": "probability prob",
    "prediction_interval": "pi predint",
    "q_p_value": "qep p_heterogeneity pval_q",
    "to_dict()": "to_json json asdict",
    "table": "compute",
    "update()": "add append push",
    "n": "sample_size n_samples size cases",
}
MEANT = by_word(ATTRIBUTES)
PLOTS = {  # classes of results and tables, by the function of `howsure.plots` that draws them
    "intervals": "Estimate Evaluation Evaluations",
    "differences": "Comparison Comparisons",
    "curve": "Curve",
    "decision_curve": "DecisionCurve",
    "confusion_matrix": "ConfusionTable",
    "forest": "Pooled",
    "leaderboard": "Leaderboard",
    "plan": "Plan",
    "ranks": "Ranks",
}
PLOT_OF = by_word(PLOTS)


class AbsentError(AttributeError):
    """Error for an attribute that a result or a table does not have; its text is made only when it is read.

    Parameters
    ----------
    thing : object
        The result or table.
    name : str
        The attribute. Names that start with an underscore have the usual error, because tools look them up.
    """

    def __init__(self, thing: object, name: str) -> None:
        super().__init__(thing, name)

    def __str__(self) -> str:
        """Return one line with the attribute that is meant, or the most similar ones."""
        thing, name = self.args
        kind = type(thing).__name__
        if name.startswith("_"):
            return f"'{kind}' object has no attribute '{name}'"
        words = re.sub(r"(?<!^)(?=[A-Z])", " ", kind).lower()
        missing = f"{'An' if words[0] in 'aeiou' else 'A'} {words} has no `{name}`."
        keys = thing if isinstance(thing, Mapping) else thing.columns if hasattr(type(thing), "columns") else ()
        if name in keys:
            return f"{missing} Write `[{name!r}]` after it."
        public = [each for each in dir(thing) if not each.startswith("_")]
        ours = MEANT.get(name, "")
        if ours and ours.split(" ")[0].removesuffix("()") in public:
            return f"{missing} Use {ours}."
        if name in {"plot", "draw", "show"} and kind in PLOT_OF:
            return f"{missing} Draw it by `hs.plots.{PLOT_OF[kind]}(…)`."
        function = elsewhere(name).partition("(")[0]
        return f"{missing} Use `{function}` of it." if function else f"{missing}{did_you_mean(name, public)}"


class AdvisedAttributes:
    """Base of results and tables: an error about an unknown attribute names the right one."""

    __slots__ = ()

    if not TYPE_CHECKING:  # to which an unknown attribute stays an error

        def __getattr__(self, name: str) -> NoReturn:
            raise AbsentError(self, name)
