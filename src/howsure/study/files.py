"""Study files: TOML, read and written so that what is loaded and saved again is the same, byte for byte."""

from __future__ import annotations

import json
import math
import os
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from howsure.errors import HowsureError, checked_level, did_you_mean
from howsure.study.aggregation import aggregation
from howsure.study.collection import LEVEL, N_DRAWS, SEED, Collection
from howsure.study.experiment import Experiment, experiment
from howsure.writing import written

SETTINGS = ("seed", "n_draws", "confidence_level")
SECTIONS = ("metrics", "experiments")
PRIORS = ("prior", "prevalence_prior")
EVIDENCE = ("counts", "matrix", "predictions", "labels", "y_true", "y_pred", "sample_weight", "groups")
AGGREGATION = ("aggregation", "scale", "test_share")
PATHS = ("matrix", "predictions")
WIDTH = 120  # columns from which on an array of arrays is one row a line


def read_study(path: Path) -> tuple[Collection, float]:
    """Return what a file holds, and the confidence level; see `Study.load`."""
    content = _parsed(path)
    _refuse_unknown(path, "", content, (*SETTINGS, *SECTIONS))
    with _located(f"'{path}'"):
        held = Collection(content.get("seed", SEED), content.get("n_draws", N_DRAWS))
        level = checked_level(content.get("confidence_level", LEVEL))
    for name, found in _section(path, content, "experiments").items():
        key = f"experiments.{_key(name)}"
        entry = _mapping(path, key, found)
        _refuse_unknown(path, key, entry, (*EVIDENCE, *PRIORS))
        evidence = {each: value for each, value in entry.items() if each in EVIDENCE}
        priors = {each: entry[each] for each in PRIORS if each in entry}
        with _located(f"'{path}', key '{key}'"):
            held.add(experiment(name, evidence, folder=path.parent, **priors))
    for name, found in _section(path, content, "metrics").items():
        key = f"metrics.{_key(name)}"
        entry = dict(_mapping(path, key, found))
        _refuse_unknown(path, key, entry, AGGREGATION)
        with _located(f"'{path}', key '{key}'"):
            held.add_metric(name, aggregation(entry.pop("aggregation", None), **entry))
    return held, level


@contextmanager
def _located(where: str) -> Iterator[None]:
    """Say of an error where in the file it is."""
    try:
        yield
    except HowsureError as error:
        message = f"{where}: {error}"
        raise HowsureError(message) from None


def _parsed(path: Path) -> dict[str, Any]:
    if not path.is_file():
        near = did_you_mean(path.name, [each.name for each in path.parent.glob("*.toml")])
        message = f"There is no study file '{path}'.{near} Begin one with `howsure study init`."
        raise HowsureError(message)
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise HowsureError.unreadable(f"'{path}'", error) from None


def _section(path: Path, content: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    return _mapping(path, name, content.get(name, {}))


def _mapping(path: Path, key: str, found: Any) -> Mapping[str, Any]:
    if isinstance(found, Mapping):
        return found
    message = f"'{path}', key '{key}': {found!r} is no table. Write it as a section in brackets, or in braces."
    raise HowsureError(message)


def _refuse_unknown(path: Path, key: str, entry: Mapping[str, Any], known: tuple[str, ...]) -> None:
    for name in entry:
        if name not in known:
            where = f", key '{key}'" if key else ""
            hint = did_you_mean(name, known) or f" Known: {', '.join(known)}."
            message = f"'{path}'{where}: there is no key '{name}' here.{hint}"
            raise HowsureError(message)


# --- writing -----------------------------------------------------------------------------------------------------


def write_study(held: Collection, level: float, path: Path) -> Path:
    """Write a study to a file; see `Study.save`."""
    settings = zip(SETTINGS, (held.seed, held.n_draws, level), strict=True)
    lines = [f"{name} = {_value(value)}" for name, value in settings]
    if held.metrics:
        lines += ["", "[metrics]"]
        lines += [f"{_key(metric)} = {_inline(chosen.settings())}" for metric, chosen in held.metrics.items()]
    for name, one in held.experiments.items():
        lines += ["", f"[experiments.{_key(name)}]"]
        entry = _evidence(one, path.parent) | {
            each: getattr(one, each) for each in PRIORS if getattr(one, each) is not None
        }
        lines += [f"{each} = {_value(value)}" for each, value in entry.items()]
    return written(path, "\n".join(lines) + "\n")


def _evidence(one: Experiment, folder: Path) -> dict[str, Any]:
    """Return an experiment as a file says it: by its path, seen from the file's folder, or by its counts."""
    if one.origin is not None and "counts" not in one.origin:
        entry = dict(one.origin)
        for name in PATHS:
            if name in entry and not Path(entry[name]).is_absolute():
                start = one.folder or Path()
                entry[name] = Path(os.path.relpath(start / entry[name], folder)).as_posix()
        return entry
    if not one.table.design.is_independent:
        message = (
            f"Experiment '{one.name}' has the design {type(one.table.design).__name__}, which counts alone do not "
            "tell. Add it by the path of its predictions: a mapping with `predictions`, `y_true`, `y_pred` and "
            "`groups` or `sample_weight`."
        )
        raise HowsureError(message)
    labels = one.table.labels.tolist()
    entry = {"counts": one.table.counts.astype(int)}
    return entry if labels == list(range(len(labels))) else entry | {"labels": labels}


def _key(name: str) -> str:
    bare = name.replace("_", "").replace("-", "")
    return name if bare.isascii() and bare.isalnum() else _text(name)


def _inline(entry: Mapping[str, Any]) -> str:
    return "{ " + ", ".join(f"{name} = {_value(value)}" for name, value in entry.items()) + " }"


def _value(value: Any) -> str:
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) else str(value)
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, list | tuple):
        parts = [_value(each) for each in value]
        line = f"[{', '.join(parts)}]"
        nested = any(isinstance(each, list | tuple) for each in value)
        return "[\n" + "".join(f"  {part},\n" for part in parts) + "]" if nested and len(line) > WIDTH else line
    message = f"A study file cannot hold {value!r}: give labels as texts or numbers, and priors as numbers."
    raise HowsureError(message)


def _text(text: str) -> str:
    """Return a TOML basic string: JSON's escapes are TOML's, but for the delete character."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
