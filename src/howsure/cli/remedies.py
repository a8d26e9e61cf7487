"""Translate error messages of the library for the command line: options replace Python arguments.

An argument with an option of the running command is translated: ``pos_label='ill'`` to ``--pos-label ill``, and
``check=False`` to ``--no-check``. Other code, such as a call of a function, is marked with "in Python".
"""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from cyclopts import App, CycloptsError

Options = Mapping[str, str]  # Python argument → option
OTHER_NAMES: Mapping[str, str] = {  # Python argument → parameter of the command that has another name
    "cases": "plan_cases",
    "check": "no_check",
    "folds": "fold",
    "metric": "metrics",
    "metrics": "metric",
    "readers": "plan_readers",
    "value": "values",
}
METRICS = frozenset({"precision", "prevalence", "recall", "sensitivity", "specificity"})  # also names of options
TEXT = r"'[^']*'|\"[^\"]*\""
SEVERAL = r"\[[^\]]*\]|\([^()]*\)"
VALUE = rf"{TEXT}|{SEVERAL}|[\w…-](?:[\w.%…-]*[\w%…])?|"
ARGUMENT = re.compile(rf"(?<![\w+@.\-/])(?P<name>[a-z][a-z_]*)=(?P<value>{VALUE})(?![\w=(])")
NESTED = r"(?:[^()]|\((?:[^()]|\([^()]*\))*\))*"  # text with parentheses in parentheses
QUOTED = r"(?<![\w=])'[^'`]*'(?!\w)"  # a name, such as that of a file, rather than the value of an argument
PART = re.compile(  # code in backticks, an argument with text, a name in quotes, a call, or a character
    rf"`[^`]+`|(?<![\w+@.\-/])[a-z][a-z_]*='[^']*'(?![\w=(])|{QUOTED}|[a-z_][\w.]*\({NESTED}=…?{NESTED}\)|[^`]"
)
CALL = re.compile(r"[\w.…]\(.*\)|\w+\.[A-Z]")  # code that is more than the name of an argument
REPEATED = re.compile(
    r"`?(--[\w-]+(?: [^\s`,]+)?)`?(?: \(`?\1`?\)|, or `?\1`?)"
)  # a remedy that was stated in two forms
IN_PYTHON = " in Python"
AT_THRESHOLD = r"give `threshold=0\.5` to `estimate` or `evaluate`, or take [^`]*`table\.at\(0\.5\)`"
WAY_OUT = r" If the data are correct, pass `check=False`\."
# Remedies that name functions: their pattern, the argument whose option does the same, and the replacement.
PHRASES: tuple[tuple[str, str, str], ...] = (
    (AT_THRESHOLD, "threshold", "give --threshold 0.5"),
    (AT_THRESHOLD, "y_pred", "give predicted labels, --y-pred"),
    (r"Make a table of scores: `scores\(.*`(?=\.)", "y_score", "Name the columns of the scores with --y-score"),
    (
        r"[^.]*make a table of these: `confusion\([^`]*`",
        "y_pred",
        " Name the columns of predicted labels with --y-pred",
    ),
    (r"Make a table of values: `values\([^`]*`", "values", "Name the columns of the numbers with --values"),
    (r"(?:Ask for|Use) alternative='two-sided'[^.]*\.", "method", "Name another --method."),
    (r"`task='([^']*)'`(?=, or (?:leave it out|keep the rows))", "task_column", r"`--task-column \1`"),
    (WAY_OUT, "check", " If the data are correct, pass `--no-check`."),
    (WAY_OUT, "", ""),
    (r", or give a frame, data=pandas\.read_csv\(.*(?=\.$)", "", ""),
)


class Running:
    """The application whose command runs."""

    app: ClassVar[App | None] = None


def shell_words(message: str) -> str:
    """Return a message with the options of the running command; see `in_shell`."""
    if Running.app is None or not ("=" in message or "`" in message):
        return message
    return in_shell(message, options_of(Running.app, sys.argv[1:]))


def in_shell(message: str, options: Options) -> str:
    """Return a message with options in place of Python arguments.

    Parameters
    ----------
    message : str
        A message of the library.
    options : mapping of str to str
        The command's options by Python argument, as returned by `options_of`.

    Examples
    --------
    >>> in_shell("Name the class, pos_label='ill', or call `scores(y, s)`.", {"pos_label": "--pos-label"})
    'Name the class, --pos-label ill, or call `scores(y, s)` in Python.'
    >>> in_shell("Say which: pos_label='+' or pos_label='-'.", {"pos_label": "--pos-label"})
    'Say which: --pos-label + or --pos-label -.'
    """
    for pattern, argument, replacement in PHRASES:
        if not argument or argument in options:
            message = re.sub(pattern, replacement, message)
    return REPEATED.sub(r"\1", "".join(_translated(_parts(message), options)))


def _parts(message: str) -> Iterator[str]:
    """Yield code in backticks, names in quotes, calls without backticks, and the text between these."""
    text = ""
    for part in PART.findall(message):
        if len(part) == 1:
            text += part
            continue
        yield from (text, part)
        text = ""
    yield text


def _translated(parts: Iterator[str], options: Options) -> Iterator[str]:
    for part in parts:
        code = part[1:-1] if part.startswith("`") else ""
        if part.startswith("'"):
            yield part
        elif code in options and not (code in METRICS and "metric" in options):
            yield f"`{options[code]}`"
        elif code and (alone := ARGUMENT.fullmatch(code)):
            option = _option(alone, options)
            yield f"`{option}`" if option else f"{part}{IN_PYTHON}"
        elif CALL.search(code) or (not code and part.endswith(")") and PART.fullmatch(part)):
            yield f"{part}{IN_PYTHON}"
        else:
            yield ARGUMENT.sub(lambda each: _option(each, options) or _marked(each), part)


def _option(found: re.Match[str], options: Options) -> str:
    """Return an assignment as an option with its value; empty if the command has no such option."""
    option = options.get(found["name"], "")
    if not option:
        return ""
    value = found["value"]
    if value in {"", "…", "True", "False"}:
        return option
    parts = value[1:-1].split(", ") if re.fullmatch(SEVERAL, value) else [value]
    return " ".join([option, *(each if "…" in each else shlex.quote(each.strip("'\"")) for each in parts)])


def _marked(found: re.Match[str]) -> str:
    """Return an assignment of a text marked as Python; other assignments may be bounds of options, such as f1=0.9."""
    return f"{found[0]}{IN_PYTHON}" if re.fullmatch(rf"{TEXT}|{SEVERAL}", found["value"]) else found[0]


def options_of(app: App, words: Sequence[str]) -> dict[str, str]:
    """Return the options of the command in a command line, by the Python argument; empty without a command.

    Parameters
    ----------
    app : App
        The application.
    words : sequence of str
        The words of the command line, after the program's name.
    """
    found = {each.field_info.name: _long(each.names) for each in arguments_of(app, words)}
    options = {name: option for name, option in found.items() if option.startswith("-")}
    return {name: options[other] for name, other in OTHER_NAMES.items() if other in options} | options


def arguments_of(app: App, words: Sequence[str], *, parse_docstring: bool = False) -> Sequence[Any]:
    """Return the arguments of the command in a command line; empty without a command.

    Parameters
    ----------
    app : App
        The application.
    words : sequence of str
        The words of the command line, after the program's name.
    parse_docstring : bool
        Whether to read the help of those that the docstring describes, which takes longer.
    """
    try:
        names, apps, _ = app.parse_commands(list(without_files(words)))
        has_command = names and apps[-1].default_command is not None
        return apps[-1].assemble_argument_collection(parse_docstring=parse_docstring) if has_command else ()
    except CycloptsError:
        return ()


def _long(names: Sequence[str]) -> str:
    """Return the first name with two hyphens, or the first of all."""
    return next((each for each in names if each.startswith("--")), names[0])


def without_files(words: Sequence[str]) -> Iterator[str]:
    """Yield the words without ``--use FILE``, which comes before the command.

    Parameters
    ----------
    words : sequence of str
        The words of the command line, after the program's name.
    """
    rest = iter(words)
    for word in rest:
        if word == "--use":
            next(rest, None)
        else:
            yield word
