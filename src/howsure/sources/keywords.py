"""Keyword arguments that sources share, as types: an overload writes only the arguments that decide its result."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypedDict

from numpy.typing import ArrayLike

from howsure.sources.long import Incomplete


class Rows(TypedDict, total=False):
    """Where rows come from, and whether they are checked."""

    data: object
    counts: object
    check: bool


class Cases(Rows, total=False):
    """Rows with weights, and with groups that were sampled together."""

    sample_weight: object
    groups: object


class Sampled(Cases, total=False):
    """Cases that were sampled within strata, or within groups that would be the same in another sample."""

    fixed: str | None
    strata: object
    stratum_sizes: Mapping[Any, float] | None


class Classes(TypedDict, total=False):
    """The classes, and the positive one of two."""

    labels: ArrayLike | None
    pos_label: object


class Models(TypedDict, total=False):
    """Columns of data with one row for each model and case."""

    model: object
    case: object
    incomplete: Incomplete


class Scored(Sampled, total=False):
    """Cases with scores of the positive class."""

    pos_label: object
    exact: bool


class ScoredModels(Scored, Models, total=False):
    """Cases with scores of several models."""
