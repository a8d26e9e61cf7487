"""Escapes for output: labels, names and messages are shown literally, whatever they contain.

A label may hold anything. What a terminal or a page would obey becomes a visible escape here, and each format's own
signs are escaped in one place.
"""

from __future__ import annotations

import html
import math
import re
import unicodedata
from typing import Any

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
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
}

# What a terminal or browser obeys and does not show: control characters (C0, C1), line and paragraph separators, marks
# that turn the direction of text, and halves of characters, which no file can hold.
OBEYED = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
MOST_SAID = 1_000  # characters of a message
MOST_SHOWN = 100  # characters of a value


def printable(text: str) -> str:
    """Return text in one line with what would be obeyed and not shown as an escape.

    Examples
    --------
    >>> printable("red" + chr(27)) == "red" + chr(92) + "x1b"
    True
    """
    return OBEYED.sub(lambda found: repr(found[0])[1:-1], text)


def shown(value: object) -> str:
    """Return a value as messages show it; large arrays are replaced by their size, and other long values cut.

    Examples
    --------
    >>> import numpy as np
    >>> shown("a"), shown(np.array([1, 2])), shown(np.zeros((200, 3)))
    ("'a'", 'array([1, 2])', '<200 × 3 float64>')
    """
    text = repr(value)
    if (len(text) > MOST_SHOWN or "\n" in text) and hasattr(value, "shape") and hasattr(value, "dtype"):
        return f"<{' × '.join(map(str, value.shape))} {value.dtype}>"
    return shortened(text, MOST_SHOWN)


def shortened(text: str, most: int = MOST_SAID) -> str:
    """Return text of at most this many characters: a longer one keeps its start and its end.

    Examples
    --------
    >>> shortened("abcdefghij", 7)
    'abc … j'
    """
    if len(text) <= most:
        return text
    start = (2 * most) // 3 - 1
    return f"{text[:start]} … {text[len(text) - (most - start - 3) :]}"


def cell_text(text: str) -> str:
    """Return text as a cell shows it."""
    return shortened(printable(text))


def printable_lines(text: str) -> str:
    """Return text of several lines with what would be obeyed and not shown as an escape."""
    return "\n".join(map(printable, text.split("\n")))


def markdown_text(text: str) -> str:
    """Return text that Markdown shows literally."""
    escaped = html.escape(printable(text.replace("\n", " ")), quote=False)
    for char in "\\|*_`[]":
        escaped = escaped.replace(char, "\\" + char)
    return escaped


def latex_text(text: str) -> str:
    """Return text that LaTeX sets literally."""
    return "".join(LATEX_SPECIAL.get(char, char) for char in printable(text))


def json_escaped(text: str) -> str:
    """Return JSON with what would be obeyed as JSON's own escapes, which mean the same."""
    return OBEYED.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def csv_cell(value: object) -> Any:
    """Return a value as a CSV cell: undefined values are empty, and text that looks like a formula is escaped."""
    if isinstance(value, float) and math.isnan(value):
        return ""
    if not isinstance(value, str):
        return value
    is_formula = value.startswith(("=", "+", "-", "@")) and not is_number(value)
    return "'" * is_formula + printable(value)


def identifier(text: str) -> str:
    """Return text as the name of a metric that loggers of experiments take: ASCII letters, digits and underscores.

    Examples
    --------
    >>> identifier("f1@binary+positive_class=bénin"), identifier("3 months")
    ('f1_binary_positive_class_benin', '_3_months')
    """
    plain = "".join(char for char in unicodedata.normalize("NFKD", text) if not unicodedata.combining(char))
    name = re.sub(r"[^0-9A-Za-z_]+", "_", plain)
    return f"_{name}" if name[:1].isdigit() or not name else name


def is_number(text: str) -> bool:
    """Whether a text reads as a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True
