"""Types of the functions that take a table of scores or true classes and scores: a result, or those of groups."""

from __future__ import annotations

from collections.abc import Sized
from typing import Any, Literal, Protocol, TypedDict, TypeVar, Unpack, overload

from howsure.estimates.grouped import Grouped, Results
from howsure.grids import Tabular
from howsure.sources.keywords import Scored
from howsure.tables.batch import Tables
from howsure.tables.score_matrix import ScoreMatrixTable

Band = Literal["pointwise", "simultaneous", "none"]
T = TypeVar("T", bound=Tabular)


class _Band(TypedDict, total=False):
    """Keyword arguments of a curve's band."""

    band: Band
    confidence_level: float


class _OfCases(_Band, Scored, total=False):
    """Keyword arguments of a curve of true classes and scores."""


class _Calibration(_OfCases, total=False):
    """Keyword arguments of a calibration curve."""

    method: Literal["bins", "spline", "logistic"]
    bins: int | None
    strategy: Literal["uniform", "quantile"] | None
    knots: int | None


class OfScores(Protocol[T]):
    """A curve with a band: one, those of the classes, those of groups, or those of the classes of groups."""

    @overload
    def __call__(self, table: Tables[ScoreMatrixTable], /, **keywords: Unpack[_Band]) -> Grouped[Results[T]]: ...
    @overload
    def __call__(self, table: Tables[Any], /, **keywords: Unpack[_Band]) -> Grouped[T]: ...
    @overload
    def __call__(self, table: ScoreMatrixTable, /, **keywords: Unpack[_Band]) -> Results[T]: ...
    @overload
    def __call__(
        self, table: object, /, y_score: object = ..., *, by: None = ..., **keywords: Unpack[_OfCases]
    ) -> T: ...
    @overload
    def __call__(
        self, table: object, /, y_score: object = ..., *, by: Sized, **keywords: Unpack[_OfCases]
    ) -> Grouped[T]: ...


class OfCalibration(Protocol[T]):
    """A calibration curve, as for `OfScores`."""

    @overload
    def __call__(self, table: Tables[ScoreMatrixTable], /, **keywords: Unpack[_Calibration]) -> Grouped[Results[T]]: ...
    @overload
    def __call__(self, table: Tables[Any], /, **keywords: Unpack[_Calibration]) -> Grouped[T]: ...
    @overload
    def __call__(self, table: ScoreMatrixTable, /, **keywords: Unpack[_Calibration]) -> Results[T]: ...
    @overload
    def __call__(
        self, table: object, /, y_score: object = ..., *, by: None = ..., **keywords: Unpack[_Calibration]
    ) -> T: ...
    @overload
    def __call__(
        self, table: object, /, y_score: object = ..., *, by: Sized, **keywords: Unpack[_Calibration]
    ) -> Grouped[T]: ...
