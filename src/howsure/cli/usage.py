"""Errors of a command line that cannot be parsed: unknown commands and options, missing and unused words."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path

from cyclopts import App, CycloptsError, MissingArgumentError, UnusedCliTokensError

import howsure
from howsure.calls import renamed
from howsure.cli.remedies import arguments_of, options_of, without_files
from howsure.errors import HowsureError, did_you_mean, listed
from howsure.namespaces import elsewhere

COUNTS_IN_FILE = "the counts into a file: the line tp,fp,fn,tn and a line of numbers"
IN_SHELL = {  # words for options → what to write
    "json": "--format json",
    "csv": "--format csv",
    "average": "the average in the metric, such as --metrics f1@macro",
    "values": "`howsure leaderboard FILE --values …`, which compares columns of numbers",
    **dict.fromkeys(("tp", "fp", "fn", "tn"), COUNTS_IN_FILE),
    **dict.fromkeys(("docx", "word"), "--html report.md, and convert it: pandoc report.md -o report.docx"),
} | dict.fromkeys(("out", "output", "outfile", "output_file", "save", "report"), "--html FILE")
OF_REQUIREMENTS = ("metric", "metrics", "min", "minimum", "at_least", "requirement")
COMMANDS = {  # what to write → words for it
    "`howsure --help`": "help",
    "`howsure --version`": "version",
    "`howsure report FILE --y-true … --y-pred …`": """accuracy analyse analyze bootstrap ci classification-report
        confidence-interval estimate estimates eval evaluate evaluation f1 f1-score interval intervals labels mcc
        precision predictions recall score summary""",
    "`howsure report FILE --y-true … --y-score …`": """auc average-precision brier calibrate calibration ece ici
        probabilities roc roc-auc roc-curve scores""",
    "`howsure matrix FILE`": "cm confusion confusion-matrix counts from-counts from-matrix",
    "`howsure compare FILE --y-true … --y-pred … …`": """compare-all delong delong-test diff difference mcnemar pairwise
        roc-test test""",
    "`howsure leaderboard FILE`": "bradley-terry elo rank ranking ranks winrate",
    "`howsure evals LOG`": "inspect llm lm-eval log logs read-log",
    "`howsure gaps FILE --y-true … --y-pred … --by …`": "bias disparity equalized-odds fairness groups subgroups",
    "`howsure cross-validated FILE`": "cross-validate cross-validation cv folds nadeau-bengio",
    "`howsure plan`": "design power sample-size samplesize size",
    "`howsure require FILE`": "certify gate requirement requirements test-requirements threshold thresholds",
    "`howsure decision-curve FILE`": "dca decision decision-curves net-benefit",
    "`howsure entities FILE`": "ner seqeval spans tokens",
    "`howsure readers FILE`": "dbm mrmc obuchowski-rockette reader-study",
    "`howsure judge FILE`": "judged llm-judge ppi prediction-powered",
    "`howsure unlabelled FILE --y-score …`": "cbpe label-free unlabeled",
    "`howsure report FILE … --html report.html`, whose page has plots": "chart draw figure plot plots",
    "`hs.ratings(…)` in Python": "agreement alpha annotators cohen-kappa fleiss icc kappa krippendorff raters ratings",
    "`hs.detections(…)` in Python": """coco detect detection detections map mean-average-precision
        object-detection voc yolo""",
    "`hs.monitor(…)` in Python": "drift monitor monitoring",
    "`hs.pool(…)` in Python": "meta meta-analysis pool pooling",
}
MEANT = {word: ours for ours, words in COMMANDS.items() for word in words.split()}


def usage_error(error: CycloptsError, words: Sequence[str], app: App) -> str:
    """Return the text of an error in a command line, with what to write.

    Parameters
    ----------
    error : CycloptsError
        The error of the parser.
    words : sequence of str
        The words of the command line, after the program's name.
    app : App
        The application.
    """
    own = list(without_files(words))
    found = _unknown_command(own, app) or _wrong_option(own, app)
    return found or _missing(error, own, app) or _unused(error, own, app) or str(error)


def _unknown_command(words: Sequence[str], app: App) -> str:
    """Return the error for a word in the place of a command that is none; "" if there is a command."""
    names, apps, rest = app.parse_commands(list(words))
    if apps[-1].default_command is not None or not rest:
        return ""
    if rest[0].startswith("-"):
        return f"Name a command before {rest[0]}. See `howsure --help`."
    word = rest[0].lower().replace("_", "-")
    known = [name for name in apps[-1] if not name.startswith("-")]
    meant = f"`{' '.join(['howsure', *names, word])}`" if word in known else None if names else MEANT.get(word)
    meant = meant or ("" if names else _of_metric(rest[0]) or _of_function(rest[0]))
    remedy = f" Write {meant}." if meant else did_you_mean(rest[0], known)
    return f"There is no command '{' '.join([*names, rest[0]])}'.{remedy or ' See `howsure --help`.'}"


def _command(words: Sequence[str], app: App) -> str:
    """Return the command of a command line, of one word or of two."""
    return " ".join(app.parse_commands(list(words))[0])


def _of_metric(word: str) -> str:
    """Return the command for a metric of predictions or of scores; "" for another word."""
    from howsure.metrics.spec import named

    definition = named(word)
    if definition is None or definition.form.reads not in {"predictions", "scores"}:
        return ""
    column = "--y-score" if definition.form.reads == "scores" or definition.cuts_scores else "--y-pred"
    spec = "+".join([word, *(f"{argument}=…" for argument in definition.required)])
    return f"`howsure report FILE --y-true … {column} … --metrics {spec}`"


def _of_function(word: str) -> str:
    """Return the function of the library that a word names, here or in other packages; "" if there is none."""
    name = word.replace("-", "_")
    is_own = callable(getattr(howsure, name, None))
    function = f"howsure.{name}" if is_own else elsewhere(name).partition("(")[0]
    return f"`{function.replace('howsure', 'hs', 1)}(…)` in Python" if function else ""


def _wrong_option(words: Sequence[str], app: App) -> str:
    """Return the error for the first option that does not exist or lacks its value; "" if all are right."""
    options, known = options_of(app, words), {name: each for each in arguments_of(app, words) for name in each.names}
    for word, following in pairwise([*words, "--"] if known else ()):
        option, is_stated, value = word.partition("=")
        if not re.match(r"--?[a-zA-Z]", option):
            continue
        argument = known.get(option.replace("_", "-"))
        if argument is None:
            return _unknown_option(option, value or following, _command(words, app), options)
        if not is_stated and argument.hint is not bool and (following == "--" or following.partition("=")[0] in known):
            return f"{option} needs a value{_described(argument.name, words, app)}"
    return ""


def _unknown_option(option: str, given: str, command: str, options: Mapping[str, str]) -> str:
    name = option.lstrip("-").replace("-", "_").lower()
    ours, meant = renamed(name, float(given) if re.fullmatch(r"\d*\.?\d+", given) else given, options)
    if name == "prevalence" and {"positives", "negatives"} <= options.keys():
        return f"There is no option {option}. Write --positives and --negatives, the numbers of cases of either class."
    if name in OF_REQUIREMENTS and "requirements" in options:
        return f"There is no option {option}. Write --require 'f1>0.9', a metric and its limit."
    remedy = IN_SHELL.get(name) or (ours and f"{options[ours]}{f' {meant}' if ours == 'confidence_level' else ''}")
    hint = f" Write {remedy}." if remedy else did_you_mean(option, options.values())
    return f"There is no option {option}.{hint or f' See `howsure {command} --help`.'}"


def _missing(error: CycloptsError, words: Sequence[str], app: App) -> str:
    """Return the error for a missing file or option, with the columns of the data; "" for another error."""
    if not isinstance(error, MissingArgumentError) or error.argument is None or not words:
        return ""
    name = error.argument.name
    needed = f"`howsure {_command(words, app)}` needs {name}{_described(name, words, app)}"
    return f"{needed}{_columns(words[1:])}" if name.startswith("--") else needed


def _described(name: str, words: Sequence[str], app: App) -> str:
    """Return the first sentence of the help of an option, or of a file, after a colon."""
    known = arguments_of(app, words, parse_docstring=True)
    text = next((each.parameter.help for each in known if each.name == name and each.parameter.help), "")
    first = re.split(r"[.:;]\s", f"{text} ")[0].rstrip(".")
    return f": {first[:1].lower() if first[1:2].islower() else first[:1]}{first[1:]}." if first else "."


def _columns(words: Sequence[str]) -> str:
    """Return a sentence on the columns of the first file of a command line; "" if it has none that can be read."""
    from howsure.sources.frames import opened
    from howsure.sources.locations import is_file
    from howsure.sources.nested import column_names

    file = next((word for word in words if not word.startswith("-") and is_file(Path(word))), None)
    try:
        names = [] if file is None else column_names(opened(file))
    except HowsureError:
        return ""
    return f" The columns of '{file}' are {listed(names)}." if names else ""


def _unused(error: CycloptsError, words: Sequence[str], app: App) -> str:
    """Return the error for words that belong to no option; "" for another error."""
    if not isinstance(error, UnusedCliTokensError):
        return ""
    unused = ", ".join(map(repr, error.unused_tokens or ()))
    if words[0] == "matrix" and all(map(str.isdecimal, error.unused_tokens or ())):
        return f"Nothing takes {unused}. Write {COUNTS_IN_FILE}."
    return f"Nothing takes {unused}. Name the option, see `howsure {_command(words, app)} --help`."
