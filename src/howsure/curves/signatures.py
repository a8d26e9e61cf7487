"""Types of the functions that take a table of scores or true classes and scores: a result, or those of groups."""

from __future__ import annotations

from collections.abc import Sized
from typing import Any, Literal, Protocol, TypeVar, overload

from howsure.estimates.grouped import Grouped, Results
from howsure.grids import Tabular
from howsure.tables.batch import Tables
from howsure.tables.score_matrix import ScoreMatrixTable

Band = Literal["pointwise", "simultaneous", "none"]
T = TypeVar("T", bound=Tabular)
T_co = TypeVar("T_co", covariant=True, bound=Tabular)


class OfScores(Protocol[T]):
    """A curve with a band: one, those of the classes, those of groups, or those of the classes of groups."""

    @overload
    def __call__(
        self, table: Tables[ScoreMatrixTable], /, *, band: Band = ..., confidence_level: float = ...
    ) -> Grouped[Results[T]]: ...
    @overload
    def __call__(self, table: Tables[Any], /, *, band: Band = ..., confidence_level: float = ...) -> Grouped[T]: ...
    @overload
    def __call__(
        self, table: ScoreMatrixTable, /, *, band: Band = ..., confidence_level: float = ...
    ) -> Results[T]: ...
    @overload
    def __call__(
        self,
        table: object,
        /,
        y_score: object = ...,
        *,
        band: Band = ...,
        confidence_level: float = ...,
        by: None = ...,
        **cases: object,
    ) -> T: ...
    @overload
    def __call__(
        self,
        table: object,
        /,
        y_score: object = ...,
        *,
        band: Band = ...,
        confidence_level: float = ...,
        by: Sized,
        **cases: object,
    ) -> Grouped[T]: ...


class OfCalibration(Protocol[T_co]):
    """A calibration curve, as for `OfScores`."""

    @overload
    def __call__(self, table: Tables[ScoreMatrixTable], /, **settings: object) -> Grouped[Results[T_co]]: ...
    @overload
    def __call__(self, table: Tables[Any], /, **settings: object) -> Grouped[T_co]: ...
    @overload
    def __call__(  # type: ignore[overload-overlap]  # the groups of such a table are `Tables`
        self, table: ScoreMatrixTable, /, **settings: object
    ) -> Results[T_co]: ...
    @overload
    def __call__(
        self,
        table: object,
        /,
        y_score: object = ...,
        *,
        method: Literal["bins", "spline", "logistic"] = ...,
        bins: int | None = ...,
        strategy: Literal["uniform", "quantile"] | None = ...,
        knots: int | None = ...,
        band: Band = ...,
        confidence_level: float = ...,
        by: None = ...,
        **cases: object,
    ) -> T_co: ...
    @overload
    def __call__(
        self,
        table: object,
        /,
        y_score: object = ...,
        *,
        method: Literal["bins", "spline", "logistic"] = ...,
        bins: int | None = ...,
        strategy: Literal["uniform", "quantile"] | None = ...,
        knots: int | None = ...,
        band: Band = ...,
        confidence_level: float = ...,
        by: Sized,
        **cases: object,
    ) -> Grouped[T_co]: ...
