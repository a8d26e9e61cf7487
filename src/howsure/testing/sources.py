"""The laws of sources, for tests of a user's engine: its tables equal those from the same columns in memory."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any, NoReturn

import numpy as np

from howsure.errors import HowsureError
from howsure.estimates.estimation import estimate
from howsure.imperfect_labels.review.reviewed import reviewed
from howsure.imperfect_labels.unlabelled.calibrated import calibrated
from howsure.sources.confusion import confusion
from howsure.sources.paired import paired
from howsure.sources.paired_scores import paired_scores
from howsure.sources.score_matrix import multiclass_scores
from howsure.sources.scores import scores
from howsure.tables.batch import Tables
from howsure.tables.table import Table

Columns = dict[str, list[Any]]
SEED = 20261101
ROWS = 120
CLUSTERS = 40
PRECISE = 1e-12  # relative tolerance of counts, absolute tolerance of limits
DAY, NOON = date(2026, 1, 30), datetime(2026, 1, 30, 12)  # noqa: DTZ001 - times without a zone
TYPES: Mapping[str, Callable[[int], Any]] = {  # columns to split by, of each type: group number → value
    "text": lambda code: f"site {code}",
    "whole": lambda code: code - 1,
    "half": lambda code: code / 2,
    "flag": lambda code: code > 0,
    "day": lambda code: DAY + timedelta(days=code),
    "time": lambda code: NOON + timedelta(hours=code),
    "price": lambda code: Decimal(f"{code}.50"),
}
LABELS = {"y_true": "label", "y_pred": "predicted"}
MODELS = {"y_true": "label", "y_pred": ["predicted", "other"]}
SCORES = {"y_true": "sick", "y_score": "score"}
WEIGHTS, CLUSTERED = {"sample_weight": "weight"}, {"groups": "cluster"}
CROSSED = {"groups": ["whole", "cluster"]}
TABLES: Sequence[tuple[Callable[..., Any], dict[str, Any], str]] = (  # function, its arguments, metric to compare
    (confusion, LABELS, "f1@macro"),
    (confusion, LABELS | {"by": list(TYPES)}, "f1@macro"),
    (confusion, LABELS | {"by": "flag", "labels": ["cat", "dog"]}, "f1"),
    (confusion, LABELS | WEIGHTS, "f1@macro"),
    (confusion, LABELS | CLUSTERED, "f1@macro"),
    (confusion, {"y_true": "sick", "y_pred": "called"} | CLUSTERED | WEIGHTS, "f1"),
    (confusion, LABELS | CLUSTERED | {"by": "text"}, "f1@macro"),
    (paired, MODELS, "f1@macro"),
    (paired, {"y_true": "sick", "y_pred": ["called", "flag"]} | CLUSTERED, "f1"),
    (scores, SCORES, "roc_auc"),
    (scores, SCORES | WEIGHTS | {"by": "flag"}, "roc_auc"),
    (scores, SCORES | CLUSTERED, "roc_auc"),
    (confusion, LABELS | CROSSED | WEIGHTS, "f1@macro"),
    (scores, SCORES | CROSSED | {"by": "flag"}, "roc_auc"),
    (paired_scores, SCORES | {"y_score": ["score", "second"]}, "roc_auc"),
    (multiclass_scores, SCORES | {"y_score": ["rest", "score"]}, "roc_auc@macro"),
    (calibrated, {"y_score": "score"} | {"by": "flag"}, "roc_auc"),
    (calibrated, {"y_score": "score", "y_pred": "called"}, "f1"),
    (calibrated, {"y_score": "score", "y_pred": "called", "target": "population"} | WEIGHTS, "f1"),
    (calibrated, {"y_score": ["rest", "score"]}, "f1@macro"),
    (reviewed, LABELS | {"y_reviewed": "review"}, "f1@macro"),
)
REORDERED = (0, 4, 9)  # positions of tables that are also made from rows in another order
FAULTS: Sequence[tuple[Callable[..., Any], dict[str, Any], str]] = (  # function, arguments, pattern of the error
    (confusion, LABELS | {"y_pred": "gaps"}, r"`y_pred` has 2 missing values"),
    (confusion, LABELS | {"sample_weight": "half_known"}, r"`sample_weight"),
    (scores, SCORES | {"y_score": "half_known"}, r"`y_score` has 2 missing or infinite values"),
    (confusion, LABELS | {"y_pred": "predictd"}, r"'predictd'.*'predicted'"),
)


def check_source(make_frame: Callable[[Columns], Any]) -> None:
    """Check that a kind of frame obeys the laws of sources; return None if it does.

    Tables from the frame have the same counts, classes, groups and numbers of cases as tables from the same columns in
    memory, and the same intervals to 12 digits. This applies to independent, weighted and clustered cases, to columns
    of every type, and to every order of the rows. Missing labels, scores and weights are refused with their number, and
    unknown columns with the nearest names.

    Parameters
    ----------
    make_frame : callable
        Function that returns a frame for a mapping of columns, which are lists of Python values with None for missing
        values.

    Raises
    ------
    AssertionError
        If a law is broken; the message names the law.

    Examples
    --------
    >>> import howsure.testing
    >>> howsure.testing.check_source(lambda columns: [dict(zip(columns, row)) for row in zip(*columns.values())])
    """
    columns = example_columns(np.random.default_rng(SEED))
    frame = make_frame(columns)
    for function, settings, metric in TABLES:
        _check_table(function, settings, metric, columns, frame)
    for function, settings, words in FAULTS:
        _check_error(function, settings, words, frame)
    order = np.random.default_rng(SEED).permutation(ROWS).tolist()
    reordered = make_frame({name: [values[place] for place in order] for name, values in columns.items()})
    for place in REORDERED:
        _check_table(*TABLES[place], columns, reordered)


def example_columns(rng: np.random.Generator) -> Columns:
    """Return columns of every type that the tables need."""
    classes = ["cat", "dog", "emu"]
    label = rng.choice(classes, ROWS)
    sick = rng.random(ROWS) < 0.4
    score = np.where(sick, rng.beta(3, 2, ROWS), rng.beta(2, 3, ROWS)).round(2)
    group = rng.integers(0, len(TYPES) // 2, ROWS).tolist()
    predicted, other = (np.where(rng.random(ROWS) < 0.7, label, rng.choice(classes, ROWS)) for _ in range(2))
    known = rng.random(ROWS) < 0.5
    half_known = [None, None, *rng.random(ROWS - 2).tolist()]
    return {
        "label": label.tolist(),
        "predicted": predicted.tolist(),
        "other": other.tolist(),
        "review": [str(each) if one else None for each, one in zip(other, known, strict=True)],
        "gaps": [None, None, *predicted[2:].tolist()],
        "sick": sick.astype(int).tolist(),
        "called": (score > 0.5).astype(int).tolist(),
        "score": score.tolist(),
        "rest": (1 - score).tolist(),
        "second": rng.random(ROWS).round(2).tolist(),
        "weight": rng.choice([0.5, 1.0, 3.0], ROWS).tolist(),
        "half_known": half_known,
        "cluster": rng.integers(0, CLUSTERS, ROWS).tolist(),
        **{name: [make(code) for code in group] for name, make in TYPES.items()},
    }


def _check_table(
    function: Callable[..., Any], settings: dict[str, Any], metric: str, columns: Columns, frame: object
) -> None:
    """Compare a table from the frame with that from the columns in memory."""
    words = f"`{function.__name__}` with {settings}"
    found, expected = (function(data=data, **settings, check=False) for data in (frame, columns))
    if isinstance(expected, Tables):
        if list(found) != list(expected):
            _fail(words, f"has the groups {list(found)[:3]}, not {list(expected)[:3]}", "groups")
        pairs = [(found.overall, expected.overall), *zip(found.values(), expected.values(), strict=True)]
    else:
        pairs = [(found, expected)]
    for one, other in pairs:
        _check_equal(one, other, metric, words)


def _check_equal(found: Table, expected: Table, metric: str, words: str) -> None:
    """Compare classes, numbers of cases, counts and intervals of two tables."""
    if found.labels.tolist() != expected.labels.tolist():
        _fail(words, f"has the classes {found.labels.tolist()}, not {expected.labels.tolist()}", "labels")
    if found.rows != expected.rows:
        _fail(words, f"has {found.rows} cases, not {expected.rows}", "rows")
    one, other = (np.sort(each.counts.ravel()) for each in (found, expected))
    if one.shape != other.shape or not np.allclose(one, other, rtol=PRECISE, atol=0):
        _fail(words, "has other counts than the same columns in memory", "counts")
    for models in zip(_models(found), _models(expected), strict=True):
        estimates = [estimate(each, metric, random_state=SEED) for each in models]
        one, other = (np.array([each.value, each.low, each.high]) for each in estimates)
        if not np.allclose(one, other, rtol=0, atol=PRECISE, equal_nan=True):
            _fail(words, f"has the interval {one[1:]} of `{metric}`, not {other[1:]}", "intervals")


def _models(table: Any) -> list[Table]:
    """Return the table of each model; the table itself if it has one model."""
    return [table.model(name) for name in table.models] if hasattr(table, "models") else [table]


def _check_error(function: Callable[..., Any], settings: dict[str, Any], pattern: str, frame: object) -> None:
    """Check that a call with a fault raises an error of one line that names it."""
    try:
        function(data=frame, **settings)
    except HowsureError as error:
        if re.search(pattern, str(error)) and "\n" not in str(error):
            return
        raised = f"raises {str(error)!r}"
    else:
        raised = "raises no error"
    _fail(f"`{function.__name__}` with {settings}", f"{raised}, not {pattern!r} in one line", "errors")


def _fail(words: str, found: str, law: str) -> NoReturn:
    raise AssertionError(f"{words} {found}. It breaks the law `{law}`.")
