"""A pilot with a method `plan` of its own, such as a reader study, plans itself."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import Any, ParamSpec, Protocol, TypeVar, cast, overload, runtime_checkable

from howsure.errors import HowsureError

P = ParamSpec("P")
Planned = TypeVar("Planned")
Found_co = TypeVar("Found_co", covariant=True)


@runtime_checkable
class PlansItself(Protocol[Found_co]):
    """A pilot with a plan of its own."""

    @property
    def plan(self) -> Callable[..., Found_co]:
        """Its method."""


class Door(Protocol[P, Found_co]):
    """The function `plan`: of tables, or of a pilot with a plan of its own."""

    @overload
    def __call__(self, pilot: PlansItself[Planned], /, **goals: object) -> Planned: ...

    @overload
    def __call__(self, *given: P.args, **named: P.kwargs) -> Found_co: ...


def or_own_plan(function: Callable[P, Found_co]) -> Door[P, Found_co]:
    """Return a function of tables that hands over a pilot with a plan of its own to that.

    Raises
    ------
    HowsureError
        If the pilot's plan has no such argument.
    """

    @wraps(function)
    def planned(*given: Any, **named: Any) -> Any:
        if not (given and isinstance(given[0], PlansItself)):
            return function(*given, **named)
        pilot, *more = given
        known = list(signature(pilot.plan).parameters)
        unknown = ["a metric" for _ in more] + [f"`{name}`" for name in named if name not in known]
        if unknown:
            raise HowsureError(f"A plan of {type(pilot).__name__} takes {', '.join(known)}, not {unknown[0]}.")
        return pilot.plan(**named)

    return cast("Door[P, Found_co]", planned)
