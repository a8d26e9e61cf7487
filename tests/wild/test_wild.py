"""Public questions of users of evaluation tools, rebuilt small, each with its right answer.

`cases.toml` contains the cases; `README.md` describes its fields. A case with ``xfail`` is not right yet.
"""

import ast
import json
import math
import os
import pathlib
import re
import shlex
import tomllib
import warnings

import numpy as np
import pandas as pd
import pytest

import howsure as hs
from support.shell import run

CASES = tomllib.loads(pathlib.Path(__file__).with_name("cases.toml").read_text(encoding="utf-8"))["case"]
UNKNOWN = re.compile(r"[Uu]nknown (option|command)|takes no|No such (option|command)")
RIGHT = "right"


def evaluated(source, names):
    """Run a snippet; return the value of its last expression."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "<case>", "exec"), names)  # noqa: S102 - our own cases
    return None if last is None else eval(compile(ast.Expression(last.value), "<case>", "eval"), names)  # noqa: S307


def picked(out, name):
    """Return the first record of parsed JSON with a value and limits (of the metric ``name``, if one is given)."""
    if isinstance(out, dict) and {"value", "low"} <= set(out) and name in (None, out.get("metric"), out.get("model")):
        return out
    parts = out.values() if isinstance(out, dict) else out if isinstance(out, list) else []
    return next((found for part in parts if (found := picked(part, name)) is not None), None)


def part(answer, key):
    """Return a field of a result; or the result itself if it has no fields."""
    if key == "value" and not isinstance(answer, dict):
        return getattr(answer, "value", answer)
    return answer[key] if isinstance(answer, dict) else getattr(answer, key)


def agrees(answer, expect):
    """Whether an answer has the expected numbers."""
    tolerance = expect.get("tolerance", 6e-4)
    for key, right in expect.items():
        if key == "tolerance":
            continue
        try:
            got = answer if key == "list" else part(answer, key)
            if isinstance(right, (str, bool)):
                same = str(got) == str(right)
            else:
                same = np.shape(got) == np.shape(right) and np.allclose(
                    np.array(got, float), right, 0, tolerance, equal_nan=True
                )
        except (KeyError, AttributeError, TypeError, ValueError):
            return False
        if not same:
            return False
    return True


def answered(call, names):
    """Return the result of a call in Python, and its text."""
    answer = evaluated(call, names)
    return answer, f"{answer}\n{getattr(answer, 'reason', '') or ''}"


def ran(case, call):
    """Return the output of a command, as a result and as text; raise its error."""
    done = run(*shlex.split(call)[1:])
    text = done.stdout + done.stderr
    if done.returncode == 2 and "exit" not in case:
        raise (LookupError if UNKNOWN.search(text) else hs.HowsureError)(text.strip())
    if "exit" in case and done.returncode != case["exit"]:
        return None, f"exit {done.returncode}: {text}"
    try:
        return picked(json.loads(done.stdout), case.get("pick")), text
    except ValueError:
        return None, text


def verdict(case, form, call, names):
    """Return "right", or the fault."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            answer, text = answered(call, names) if form == "python" else ran(case, call)
        except hs.HowsureError as error:
            is_meant = "refuse" in case and re.search(case["refuse"], str(error), re.IGNORECASE)
            return RIGHT if is_meant else f"refused: {error}"
        except Exception as error:  # noqa: BLE001 - any other error is a wrong answer
            return f"{type(error).__name__}: {error}"
    text += "".join(f"\nwarning: {each.message}" for each in caught)
    is_checked = {"expect", "says", "exit"} & set(case)
    if text.startswith("exit ") or not is_checked or ("expect" in case and not agrees(answer, case["expect"])):
        return f"wrong: {text}"
    return RIGHT if "says" not in case or re.search(case["says"], text, re.IGNORECASE) else f"not said: {text}"


def parameters():
    """Return the cases, with those that are not right yet marked."""
    for case in CASES:
        marks = [pytest.mark.xfail(reason=case["xfail"], strict=True)] if "xfail" in case else []
        marks += [pytest.mark.thorough] if case.get("slow") else []
        yield pytest.param(case, id=case["id"], marks=marks)


@pytest.mark.parametrize("case", list(parameters()))
def test_a_public_question_has_its_right_answer(case, tmp_path, monkeypatch):
    """One spelling of the call gives the right numbers, the right refusal or the right words."""
    found = []
    for form in ("python", "shell"):
        calls = case.get(form, [])
        for place, call in enumerate([calls] if isinstance(calls, str) else calls):
            folder = tmp_path / f"{form}{place}"
            folder.mkdir()
            monkeypatch.chdir(folder)
            monkeypatch.setenv("COLUMNS", "160")
            for name, content in case.get("files", {}).items():
                pathlib.Path(name).write_bytes(content.encode(case.get("encoding", "utf-8")))
            names = {"np": np, "pd": pd, "hs": hs, "math": math, "json": json, "pathlib": pathlib, "os": os}
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                evaluated(case.get("make", ""), names)
            found.append(verdict(case, form, call, names))
    assert RIGHT in found, found
