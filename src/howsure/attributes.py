"""Attributes that a result or a table does not have: the error has the one that is meant."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, NoReturn

from howsure.errors import did_you_mean
from howsure.namespaces import elsewhere

ELSEWHERE = {  # other packages' attributes → ours, the first that there is
    **dict.fromkeys(("ci", "interval", "confidence_interval", "conf_int"), ("low and high",)),
    **dict.fromkeys(("lower", "ci_low", "ci_lower", "lo", "lci"), ("low",)),
    **dict.fromkeys(("upper", "ci_high", "ci_upper", "hi", "uci"), ("high",)),
    **dict.fromkeys(("se", "std", "std_error", "stderr", "bse"), ("standard_error",)),
    **dict.fromkeys(("estimate", "point", "mean", "score"), ("value",)),
    **dict.fromkeys(("diff", "difference", "effect"), ("value",)),
    **dict.fromkeys(("p", "pvalue", "p_val", "pval", "significant", "reject"), ("p_value",)),
    **dict.fromkeys(("df", "frame", "to_frame", "to_df", "to_dataframe", "summary"), ("to_pandas()",)),
    **dict.fromkeys(("confusion_matrix", "matrix", "values", "array", "cm"), ("counts",)),
    **dict.fromkeys(("tp", "fn", "fp", "tn"), ("counts",)),
    **dict.fromkeys(("classes", "class_names"), ("labels",)),
    **dict.fromkeys(("sample_size", "n_samples", "size", "cases"), ("n",)),
}


class AbsentError(AttributeError):
    """Error for an attribute that a result or a table does not have; its text is made only when it is read.

    Parameters
    ----------
    thing : object
        The result or table.
    name : str
        The attribute. Names that begin with an underscore are asked for by tools, and have the usual error.
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
        keys = thing if isinstance(thing, Mapping) else getattr(type(thing), "columns", None) and thing.columns
        if keys and name in keys:
            return f"{missing} Write `[{name!r}]` after it."
        public = [each for each in dir(thing) if not each.startswith("_")]
        for ours in ELSEWHERE.get(name, ()):
            if ours.split(" ")[0].removesuffix("()") in public:
                return f"{missing} Use {ours}."
        function = elsewhere("plots" if name == "plot" else name)
        return f"{missing} Use `{function}` of it." if function else f"{missing}{did_you_mean(name, public)}"


class AdvisedAttributes:
    """Base of results and tables: an attribute that they do not have is answered with the one that is meant."""

    __slots__ = ()

    if not TYPE_CHECKING:  # to which an unknown attribute stays an error

        def __getattr__(self, name: str) -> NoReturn:
            raise AbsentError(self, name)
