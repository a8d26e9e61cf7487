"""Study files in TOML or JSON; loading and saving reproduces a file byte for byte."""

from __future__ import annotations

import json
import math
import os
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from howsure.errors import HowsureError, checked_level, did_you_mean, one_of
from howsure.sources.locations import is_file
from howsure.study.aggregation import aggregation
from howsure.study.collection import LEVEL, N_DRAWS, SEED, Collection
from howsure.study.experiment import Experiment, experiment
from howsure.writing import written

SETTINGS = ("seed", "n_draws", "confidence_level")
SECTIONS = ("metrics", "experiments")
PRIORS = ("prior", "prevalence_prior")
EVIDENCE = ("counts", "matrix", "predictions", "labels", "y_true", "y_pred", "sample_weight", "groups", "check")
AGGREGATION = ("aggregation", "scale", "test_share", "estimand")
PATHS = ("matrix", "predictions")
FORMATS: Mapping[str, Callable[[str], Any]] = {".toml": tomllib.loads, ".json": json.loads}
WIDTH = 120  # columns from which on an array of arrays is one row a line


def read_study(path: Path) -> tuple[Collection, float]:
    """Return the contents of a file, and the confidence level; see `Study.load`."""
    return study_of(_mapping(f"'{path}'", "", _parsed(path)), f"'{path}'", path.parent)


def study_of(content: Mapping[str, Any], where: str, folder: Path) -> tuple[Collection, float]:
    """Return the study from a mapping in the form of a file; relative paths are relative to the folder."""
    _refuse_unknown(where, "", content, (*SETTINGS, *SECTIONS))
    with _located(where):
        held = Collection(content.get("seed", SEED), content.get("n_draws", N_DRAWS))
        level = checked_level(content.get("confidence_level", LEVEL))
    for name, found in _section(where, content, "experiments").items():
        key = f"experiments.{_key(name)}"
        entry = _mapping(where, key, found)
        _refuse_unknown(where, key, entry, (*EVIDENCE, *PRIORS))
        evidence = {each: value for each, value in entry.items() if each in EVIDENCE}
        priors = {each: entry[each] for each in PRIORS if each in entry}
        with _located(f"{where}, key '{key}'"):
            held.add(experiment(name, evidence, folder=folder, **priors))
    for name, found in _section(where, content, "metrics").items():
        key = f"metrics.{_key(name)}"
        entry = dict(_mapping(where, key, found))
        _refuse_unknown(where, key, entry, AGGREGATION)
        with _located(f"{where}, key '{key}'"):
            held.add_metric(name, aggregation(entry.pop("aggregation", None), **entry))
    return held, level


@contextmanager
def _located(where: str) -> Iterator[None]:
    """Add the position in the file to an error."""
    try:
        yield
    except HowsureError as error:
        raise HowsureError(f"{where}: {error}") from None


def _parsed(path: Path) -> Any:
    parse = FORMATS[_suffix(path)]
    if not is_file(path):
        near = did_you_mean(path.name, [each.name for each in path.parent.glob(f"*{_suffix(path)}")])
        raise HowsureError(f"There is no study file '{path}'.{near} Begin one with `howsure study init`.")
    try:
        return parse(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:  # of TOML, JSON and Unicode; and brackets in brackets
        raise HowsureError.unreadable(f"'{path}'", error) from None


def _suffix(path: Path) -> str:
    """Return the suffix for the format of a file; TOML if there is none."""
    suffix = path.suffix.lower() or ".toml"
    one_of("format of a study file", suffix, FORMATS)
    return suffix


def _section(where: str, content: Mapping[str, object], name: str) -> Mapping[str, Any]:
    return _mapping(where, name, content.get(name, {}))


def _mapping(where: str, key: str, found: object) -> Mapping[str, Any]:
    if isinstance(found, Mapping) and all(isinstance(name, str) for name in found):
        return found
    place = f"{where}, key '{key}'" if key else where
    raise HowsureError(f"{place}: {found!r} is no table of names. Write it as a section in brackets, or in braces.")


def _refuse_unknown(where: str, key: str, entry: Mapping[str, object], known: tuple[str, ...]) -> None:
    for name in entry:
        if name not in known:
            place = f"{where}, key '{key}'" if key else where
            hint = did_you_mean(name, known) or f" Known: {', '.join(known)}."
            raise HowsureError(f"{place}: there is no key '{name}' here.{hint}")


# --- writing -----------------------------------------------------------------------------------------------------


def write_study(held: Collection, level: float, path: Path) -> Path:
    """Write a study to a file; see `Study.save`."""
    suffix, content = _suffix(path), content_of(held, level, path.parent)
    text = json.dumps(content, indent=2, ensure_ascii=False) + "\n" if suffix == ".json" else _toml(content)
    return written(path, text)


def content_of(held: Collection, level: float, folder: Path) -> dict[str, Any]:
    """Return a study as plain values, in the form of a file in this folder."""
    return {
        **dict(zip(SETTINGS, (held.seed, held.n_draws, level), strict=True)),
        "metrics": {metric: chosen.settings() for metric, chosen in held.metrics.items()},
        "experiments": {name: _plain(_entry(one, folder)) for name, one in held.experiments.items()},
    }


def _entry(one: Experiment, folder: Path) -> dict[str, Any]:
    priors = {each: getattr(one, each) for each in PRIORS if getattr(one, each) is not None}
    return _evidence(one, folder) | priors


def _plain(value: object) -> Any:
    """Return a value in the types of TOML and JSON: texts, numbers, lists and mappings."""
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, Mapping):
        return {name: _plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, bool | int | float | str):
        return value
    raise HowsureError(f"A study file cannot store {value!r}: give labels as texts or numbers, and priors as numbers.")


def _toml(content: Mapping[str, Any]) -> str:
    lines = [f"{name} = {_value(content[name])}" for name in SETTINGS]
    if content["metrics"]:
        lines += ["", "[metrics]"]
        lines += [f"{_key(metric)} = {_inline(chosen)}" for metric, chosen in content["metrics"].items()]
    for name, entry in content["experiments"].items():
        lines += ["", f"[experiments.{_key(name)}]", *(f"{each} = {_value(value)}" for each, value in entry.items())]
    return "\n".join(lines) + "\n"


def _evidence(one: Experiment, folder: Path) -> dict[str, Any]:
    """Return the entry of an experiment in a file: its path relative to the file's folder, or its counts."""
    if one.origin is not None and "counts" not in one.origin:
        entry = dict(one.origin)
        for name in PATHS:
            if name in entry and not Path(entry[name]).is_absolute():
                start = one.folder or Path()
                entry[name] = Path(os.path.relpath(start / entry[name], folder)).as_posix()
        return entry
    if not one.table.design.traits.is_independent:
        raise HowsureError(
            f"Experiment '{one.name}' has the design {type(one.table.design).__name__}, which counts alone do not "
            "contain. Add it by the path of its predictions: a mapping with `predictions`, `y_true`, `y_pred` and "
            "`groups` or `sample_weight`."
        )
    labels = one.table.labels.tolist()
    entry = {"counts": one.table.counts.astype(int)}
    return entry if labels == list(range(len(labels))) else entry | {"labels": labels}


def _key(name: str) -> str:
    bare = name.replace("_", "").replace("-", "")
    return name if bare.isascii() and bare.isalnum() else _text(name)


def _inline(entry: Mapping[str, object]) -> str:
    return "{ " + ", ".join(f"{name} = {_value(value)}" for name, value in entry.items()) + " }"


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) else str(value)
    if isinstance(value, str):
        return _text(value)
    parts = [_value(each) for each in value]
    line = f"[{', '.join(parts)}]"
    nested = any(isinstance(each, list) for each in value)
    return "[\n" + "".join(f"  {part},\n" for part in parts) + "]" if nested and len(line) > WIDTH else line


def _text(text: str) -> str:
    """Return a TOML basic string: JSON's escapes are TOML's, but for the delete character."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
