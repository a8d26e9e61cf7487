"""Tables of results as text, Markdown, HTML and LaTeX; frames for those who want to go on computing.

Everything that is shown goes through one `Grid` of strings, so that each format has one writer, which escapes
whatever the data's labels hold.
"""

from __future__ import annotations

import html
import importlib
import math
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from howsure.errors import HowsureError
from howsure.methods.inversion import p_text

if TYPE_CHECKING:
    from howsure.comparison.result import Comparison
    from howsure.estimates.evaluation import Estimate, Evaluation

LATEX_SPECIAL = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}


@dataclass(frozen=True, slots=True)
class Grid:
    """A table of strings: the first column left-aligned, the others right-aligned."""

    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    caption: str = ""

    def text(self) -> str:
        """Return aligned plain text."""
        columns = list(zip(*([self.headers, *self.rows]), strict=True))
        widths = [max(_width(cell) for cell in column) for column in columns]
        lines = ["  ".join(_padded(cell, widths[i], i) for i, cell in enumerate(row)).rstrip() for row in self._all()]
        lines.insert(1, "─" * (sum(widths) + 2 * (len(widths) - 1)))
        return "\n".join([*lines, *([self.caption] if self.caption else [])])

    def markdown(self) -> str:
        """Return a Markdown table."""
        rule = tuple(":---" if i == 0 else "---:" for i in range(len(self.headers)))
        rows = [tuple(markdown_text(cell) for cell in row) for row in self._all()]
        lines = ["| " + " | ".join(row) + " |" for row in (rows[0], rule, *rows[1:])]
        return "\n".join([*lines, *(["", markdown_text(self.caption)] if self.caption else [])])

    def html(self) -> str:
        """Return an HTML table."""
        head = "".join(f'<th scope="col">{html.escape(cell)}</th>' for cell in self.headers)
        body = "".join(
            "<tr>"
            f'<th scope="row">{html.escape(row[0])}</th>'
            + "".join(f"<td>{html.escape(c)}</td>" for c in row[1:])
            + "</tr>"
            for row in self.rows
        )
        caption = f"<caption>{html.escape(self.caption)}</caption>" if self.caption else ""
        return f'<table class="howsure">{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'

    def latex(self) -> str:
        """Return a LaTeX tabular with booktabs rules."""
        rows = [" & ".join(latex_text(cell) for cell in row) + r" \\" for row in self._all()]
        lines = [
            r"\begin{tabular}{l" + "r" * (len(self.headers) - 1) + "}",
            r"\toprule",
            rows[0],
            r"\midrule",
            *rows[1:],
            r"\bottomrule",
            r"\end{tabular}",
        ]
        return "\n".join(lines)

    def _all(self) -> tuple[tuple[str, ...], ...]:
        return (self.headers, *self.rows)


def _width(text: str) -> int:
    """Columns that a terminal gives to a text: wide characters take two, combining ones none."""
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text
    )


def _padded(text: str, width: int, column: int) -> str:
    blank = " " * (width - _width(text))
    return text + blank if column == 0 else blank + text


def markdown_text(text: str) -> str:
    """Return text that Markdown shows as it is."""
    escaped = html.escape(text, quote=False).replace("\n", " ")
    for char in "\\|*_`[]":
        escaped = escaped.replace(char, "\\" + char)
    return escaped


def latex_text(text: str) -> str:
    """Return text that LaTeX sets as it is."""
    return "".join(LATEX_SPECIAL.get(char, char) for char in text)


def number(value: float, decimals: int) -> str:
    """Return a number with so many decimals; a dash where it is undefined."""
    if math.isnan(value):
        return "–"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    return f"{value:.{decimals}f}"


def interval_text(low: float, high: float, decimals: int) -> str:
    """Return ``[low, high]``, or a dash where it is undefined."""
    if math.isnan(low) or math.isnan(high):
        return "–"
    return f"[{number(low, decimals)}, {number(high, decimals)}]"


def percent(level: float) -> str:
    """Return a level as a percentage without needless digits."""
    return f"{100 * level:.10g} %"


def comparison_grid(comparisons: Sequence[Comparison]) -> Grid:
    """Return both values, the contrast, its interval, p-value and method of each comparison."""
    from howsure.estimates.evaluation import significant_decimals
    from howsure.metrics.contrast import EFFECTS

    rows = []
    for each in comparisons:
        decimals = significant_decimals(each.low, each.high)
        chance = "–" if math.isnan(each.p_value) else p_text(each.p_value)[2:].removeprefix("= ")
        rows.append(
            (
                f"{each.metric}: {EFFECTS[each.contrast].words(*each.names)}",
                number(each.a.value, decimals),
                number(each.b.value, decimals),
                number(each.value, decimals),
                interval_text(each.low, each.high, decimals),
                chance,
                each.method,
            )
        )
    notes = [f"{each.metric}: {each.reason}" for each in comparisons if each.reason]
    level = percent(comparisons[0].confidence_level)
    contrast = comparisons[0].contrast.replace("_", " ")
    headers = ("metric", "first", "second", contrast, f"{level} interval", "p", "method")
    return Grid(headers, tuple(rows), "; ".join(dict.fromkeys(notes)))


def comparison_sentence(comparison: Comparison) -> str:
    """Return what a comparison means in plain words."""
    from howsure.metrics.contrast import EFFECTS

    first, second = comparison.names
    each, decimals = comparison, _decimals(comparison.low, comparison.high)
    if math.isnan(each.value) or math.isnan(each.low):
        return f"{first} and {second} cannot be compared in {each.metric}: {each.reason}."
    ends = f"{number(each.low, decimals)} to {number(each.high, decimals)}"
    seen = f"{EFFECTS[each.contrast].words(first, second)} = {number(each.value, decimals)}"
    lower = f" Lower values of {each.metric} are better." if each.better == "lower" else ""
    if math.isnan(each.p_value):
        probability, error = each.probability_greater
        chance = f"{_share(probability)} (Monte Carlo error {max(error, 0.001):.3f})"
        return (
            f"Given the data and the prior, {first} has the higher {each.metric} with probability {chance}: {seen}, "
            f"{percent(each.confidence_level)} credible interval {ends}.{_rope_sentence(each)}{lower}"
        )
    evidence = f"{seen}, {percent(each.confidence_level)} interval {ends}, {p_text(each.p_value)}, by {each.method}"
    # A p-value adjusted for many comparisons asks for more than the interval of one.
    if each.low <= each.null <= each.high or each.p_value > (1 - each.confidence_level) * (1 + 1e-6):
        return (
            f"The data do not settle which of {first} and {second} has the higher {each.metric} ({evidence}). They are "
            f"compatible with every {each.contrast.replace('_', ' ')} in the interval, and do not show that the two "
            f"are equal.{lower}"
        )
    more, less = (first, second) if each.value > each.null else (second, first)
    return f"The data show a higher {each.metric} of {more} than of {less} ({evidence}).{lower}"


def _rope_sentence(comparison: Comparison) -> str:
    """Return what the draws say of a region of practical equivalence, where there is one."""
    if comparison.rope is None:
        return ""
    rope = comparison.rope
    return (
        f" It lies within [{rope.low:g}, {rope.high:g}] with probability {_share(rope.inside.value)}, below with "
        f"{_share(rope.below.value)}, above with {_share(rope.above.value)}."
    )


def _share(probability: float) -> str:
    """Return a share of draws: what is not certain is not rounded to it."""
    if probability < 0.0005:  # noqa: PLR2004 - rounds to nothing at three decimals
        return "below 0.001"
    return "above 0.999" if probability > 0.9995 else f"{probability:.3f}"  # noqa: PLR2004 - rounds to all


def _decimals(low: float, high: float) -> int:
    from howsure.estimates.evaluation import significant_decimals

    return significant_decimals(low, high)


ACRONYMS = {"f1": "F1", "mcc": "MCC", "npv": "NPV", "ppv": "PPV", "roc_auc": "ROC AUC", "dor": "DOR", "p4": "P4"}


def metric_words(spec: str) -> str:
    """Return a spec string in words.

    Examples
    --------
    >>> metric_words("f1@macro"), metric_words("recall@binary+positive_class=ill"), metric_words("log_loss")
    ('F1, macro average', 'recall of ill', 'log loss')
    >>> metric_words("fbeta+beta=2@weighted")
    'fbeta (beta=2), weighted average'
    """
    head, _, average = spec.partition("@")
    name, *arguments = head.split("+")
    words = ACRONYMS.get(name, name.replace("_", " "))
    if arguments:
        words += f" ({', '.join(arguments)})"
    kind, _, positive = average.partition("+positive_class=")
    if positive:
        return f"{words} of {positive}"
    return f"{words}, {kind.replace('+', ', ')} average" if kind and kind != "binary" else words


def evaluation_grid(evaluation: Evaluation) -> Grid:
    """Return metric, value, interval, standard error and method of each estimate."""
    from howsure.estimates.evaluation import significant_decimals

    rows = []
    for each in evaluation:
        decimals = significant_decimals(each.low, each.high)
        rows.append(
            (
                each.metric,
                number(each.value, decimals),
                interval_text(each.low, each.high, decimals),
                number(each.standard_error, decimals + 1),
                each.method,
            )
        )
    notes = _notes(evaluation)
    headers = ("metric", "value", f"{percent(evaluation.confidence_level)} interval", "std. error", "method")
    return Grid(headers, tuple(rows), "; ".join(notes))


def _notes(evaluation: Evaluation) -> list[str]:
    """Return the reasons with the metrics that they are about; one that holds for all stands alone."""
    about: dict[str, list[str]] = {}
    for each in evaluation:
        about.setdefault(each.reason, []).append(each.metric)
    return [
        reason if 1 < len(names) == len(evaluation) else f"{', '.join(names)}: {reason}"
        for reason, names in about.items()
        if reason
    ]


def evaluation_text(evaluation: Evaluation) -> str:
    """Return an evaluation as aligned text."""
    return evaluation_grid(evaluation).text()


def evaluation_markdown(evaluation: Evaluation) -> str:
    """Return an evaluation as a Markdown table."""
    return evaluation_grid(evaluation).markdown()


def evaluation_html(evaluation: Evaluation) -> str:
    """Return an evaluation as an HTML table."""
    return evaluation_grid(evaluation).html()


def estimate_html(estimate: Estimate) -> str:
    """Return one estimate as a line of HTML."""
    text = html.escape(f"({percent(estimate.confidence_level)} interval, {estimate.method})")
    return f"<span><b>{html.escape(estimate.metric)}</b> {html.escape(str(estimate))} <small>{text}</small></span>"


WRITERS: Mapping[str, Callable[[Grid], str]] = {
    "text": Grid.text,
    "markdown": Grid.markdown,
    "html": Grid.html,
    "latex": Grid.latex,
}


def to_frame(records: Sequence[Mapping[str, Any]], backend: Literal["pandas", "polars", "pyarrow"]) -> Any:
    """Return records as a frame of pandas, Polars or PyArrow.

    Raises
    ------
    HowsureError
        If that package is not installed.
    """
    import narwhals as nw

    columns = {name: [record[name] for record in records] for name in (records[0] if records else ())}
    try:
        importlib.import_module(backend)
    except ImportError:
        message = f"`to_{backend}` needs the package '{backend}'. Install it, or use `to_dict`."
        raise HowsureError(message) from None
    return nw.from_dict(columns, backend=backend).to_native()
