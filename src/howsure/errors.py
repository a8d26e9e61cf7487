"""Errors that name the culprit and the remedy in one line."""

from __future__ import annotations

import errno
import math
import operator
import os
import re
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import wraps
from inspect import signature
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

from howsure.escapes import printable, shortened, shown

if TYPE_CHECKING:
    from howsure.arrays import Floats

Value = TypeVar("Value")
# Messages of DuckDB, Java and the system about full memory or disk, and remedies.
OTHER_ENCODING = ("not utf-8 encoded", "invalid UTF-8", "'utf-8' codec can't decode")
EXHAUSTED = ("Out of Memory Error", "java.lang.OutOfMemoryError", os.strerror(errno.ENOSPC))
JAVA_SAYS = r"Caused by: (?:[\w$.]+: )?"  # the last time in a trace of many lines: why
MORE_ROOM = (
    ". Free some, or name a larger disk: for files by TMPDIR, for your own connection to DuckDB by `temp_directory`, "
    "for Spark by `spark.local.dir`."
)


class HowsureError(ValueError):
    """Error for input that howsure cannot use; the message states the problem and the remedy.

    Parameters
    ----------
    message : str
        One line; the middle of a long message is cut.
    code : str, optional
        Name of the kind of error, which does not depend on the wording of the message: ``"unknown-metric"``,
        ``"invalid-argument"``, ``"unsupported-method"``; by default that of the class, ``"invalid-input"``.

    Examples
    --------
    >>> import howsure as hs
    >>> try:
    ...     hs.estimate(hs.from_counts([[50, 3], [5, 42]]), "acuracy")
    ... except hs.HowsureError as error:
    ...     print(error)
    ...     print(error.code)
    There is no metric 'acuracy'. Did you mean 'accuracy' or 'bal_accuracy' or 'top_k_accuracy'?
    unknown-metric
    """

    code: str = "invalid-input"

    def __init__(self, message: str, code: str = "") -> None:
        # Messages quote names and values as given, which may be long or contain control characters.
        super().__init__(shortened(printable(message)))
        if code:
            self.code = code

    def __init_subclass__(cls, **settings: object) -> None:
        """Set the code of a class to its name: "one-class" for `OneClassError`."""
        super().__init_subclass__(**settings)
        cls.code = code_of(cls.__name__)

    @classmethod
    def unknown(cls, what: str, word: object, known: Iterable[str]) -> Self:
        """Return the error for a name that is not known, with the nearest names that are."""
        word, names = str(word), [str(name) for name in known]
        kind = re.split(r" of | in | with |[(`:]", what.strip("`"))[0].strip().replace(" ", "-").replace("_", "-")
        return cls(f"There is no {what} '{word}'.{did_you_mean(word, names)}", f"unknown-{kind}")

    @classmethod
    def unreadable(cls, what: str, error: Exception) -> Self:
        """Return the error for data that another library cannot read, with its reason in one line."""
        code = "unreadable"
        lines = [line.strip() for line in str(error).strip().partition("\n\n")[0].splitlines()]
        reason = "; ".join(line for line in lines if not line.startswith(("Original Line", "Possible", "* ")))
        if causes := re.findall(rf"^\s*{JAVA_SAYS}(.+)$", str(error), re.MULTILINE):
            reason = causes[-1]
        if any(sign in str(error) for sign in EXHAUSTED):
            return cls(
                f"{what} cannot be read: memory, or space on the disk for what does not fit, ran out{MORE_ROOM}", code
            )
        if any(sign in str(error) for sign in OTHER_ENCODING):
            line = re.search(r"[Ll]ine:? (\d+)", str(error))
            place = f" (line {line[1]})" if line else ""
            return cls(
                f"{what} is not in UTF-8{place}. Save it as UTF-8, or give a frame, data=pandas.read_csv(…, "
                "encoding='cp1252').",
                code,
            )
        if "Error when sniffing file" in reason:
            return cls(f"{what} cannot be read as CSV: no delimiter and quotes fit all of its lines.", code)
        return cls(f"{what} cannot be read: {reason or type(error).__name__}", code)


def code_of(name: str) -> str:
    """Return the code of a class of errors or warnings.

    Examples
    --------
    >>> code_of("OneClassError"), code_of("UndefinedMetricWarning")
    ('one-class', 'undefined-metric')
    """
    return "-".join(re.findall(r"[A-Z][a-z]+|[A-Z]+(?![a-z])", name)[:-1]).lower()


class HowsureWarning(UserWarning):
    """Warning: a number in place of an undefined one, or figures that are compatible with more than one table.

    Its ``code`` names the kind of warning, as that of `HowsureError` does.

    Examples
    --------
    >>> import warnings
    >>> import howsure as hs
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore", hs.HowsureWarning)
    ...     matrix = hs.confusion_matrix([1, 1, 1], [1, 1, 1])
    >>> matrix.tolist()
    [[3]]
    """

    code: str = "doubtful-number"

    def __init_subclass__(cls, **settings: object) -> None:
        """Set the code of a class to its name."""
        super().__init_subclass__(**settings)
        cls.code = code_of(cls.__name__)


def warn(message: str, category: type[Warning] = HowsureWarning) -> None:
    """Warn, with the line of the caller's own code that called howsure."""
    frame, level = sys._getframe(1), 2  # noqa: SLF001 - the standard way to find whose line it was
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("howsure."):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


@contextmanager
def reading(what: str) -> Iterator[None]:
    """Convert errors of a reader or an engine to `HowsureError` with the name of the source; Ctrl-C is not caught."""
    try:
        yield
    except (HowsureError, MemoryError):
        raise
    except Exception as error:
        if isinstance(error.__cause__, KeyboardInterrupt):  # DuckDB's way to end at Ctrl-C
            raise KeyboardInterrupt from None
        raise HowsureError.unreadable(what, error) from error


Function = TypeVar("Function", bound=Callable[..., Any])


def without(**remedies: str) -> Callable[[Function], Function]:
    """Return a decorator of functions that refuse arguments of other functions, such as ``counts=``, with a remedy."""

    def decorated(function: Function) -> Function:
        @wraps(function)
        def checked(*given: object, **named: object) -> Any:
            for name, remedy in remedies.items():
                if name in named:
                    raise HowsureError(f"`{function.__name__}` has no `{name}`. {remedy}")
            return function(*given, **named)

        return cast("Function", checked)

    return decorated


VERBS = ("estimate", "evaluate", "compare", "compare_all", "plan")  # functions that some results have as methods


def refuse_results(given: object, verb: str, takes: str = "a table of counts") -> None:
    """Refuse a result that is no table and has methods of its own, such as a reader study or learning algorithms.

    Parameters
    ----------
    given : object
        The argument; anything that has no such method is accepted.
    verb : str
        The called function.
    takes : str
        Its argument in words.
    """
    kind = type(given)
    own = [name for name in VERBS if callable(getattr(kind, name, None))] if _is_ours(kind) else []
    if verb in own:
        known = signature(getattr(kind, verb)).parameters.values()
        needed = [each.name for each in known if each.default is each.empty and each.kind is not each.VAR_KEYWORD]
        variable = re.findall("[A-Z][a-z]+", kind.__name__)[-1].lower()
        call = f"{variable}.{verb}({', '.join(needed[1:])})"
        raise HowsureError(f"`{verb}` takes {takes}. {kind.__name__} has a method of its own: write `{call}`.")
    if own:
        raise HowsureError(f"`{verb}` takes {takes}. {kind.__name__} has methods of its own: {', '.join(own)}.")


def _is_ours(kind: type) -> bool:
    return kind.__module__.partition(".")[0] == __name__.partition(".")[0]


class UnknownKeyError(HowsureError, KeyError):
    """Error for a failed look-up; the message lists the valid keys."""

    def __str__(self) -> str:
        return str(self.args[0])  # a KeyError would put it in quotation marks


class UndefinedDesignError(HowsureError):
    """Error for an operation that is not defined for a design."""

    def __init__(self, design: str, what: str = "merged cells") -> None:
        super().__init__(f"The design `{design}` is not defined for {what}. Use method='delta', or another design.")
        self.given = (design, what)

    def __reduce__(self) -> tuple[type[UndefinedDesignError], tuple[str, str]]:
        return UndefinedDesignError, self.given


class NoCaseError(HowsureError):
    """There is no case to count, where at least one is needed."""


class OneClassError(HowsureError):
    """Only one class occurs, where a table needs two."""

    def __init__(self, label: object, words: str = ". Name all classes with `labels=`, at least two.") -> None:
        super().__init__(f"Only the class {label!r} occurs{words}")
        self.label, self.words = label, words

    def __reduce__(self) -> tuple[type[OneClassError], tuple[object, str]]:
        return OneClassError, (self.label, self.words)


class DoubtfulDataError(HowsureError):
    """Error for data that do not look like the stated kind; ``check=False`` accepts them."""

    def __init__(self, message: str) -> None:
        super().__init__(f"{message.removesuffix(WAY_OUT)}{WAY_OUT}")


CHECK = "check=False"
WAY_OUT = f" If the data are correct, pass `{CHECK}`."
MOST_LISTED = 5  # names in a message
PER_CENT = 100
INVALID_ARGUMENT = "invalid-argument"


def listed(names: Iterable[object]) -> str:
    """Return names as a message lists them; of many the first few.

    Examples
    --------
    >>> listed(["a", "b"])
    "'a', 'b'"
    """
    shown = [repr(name) for name in names]
    return ", ".join(shown if len(shown) <= MOST_LISTED else [*shown[:MOST_LISTED], "…"])


def one_of(what: str, given: object, known: Iterable[str]) -> str:
    """Return a name if it is among the known ones; ``what`` describes it in the error.

    Examples
    --------
    >>> one_of("band", "simultaneous", ["pointwise", "simultaneous"])
    'simultaneous'
    """
    names = list(known)
    if isinstance(given, str) and given in names:
        return given
    raise HowsureError.unknown(what, given, names)


def looked_up(what: str, key: object, known: Mapping[Any, Value]) -> Value:
    """Return the value of a key; ``what`` describes the key in the error, also for unhashable keys such as a list.

    Examples
    --------
    >>> looked_up("metric", "f1", {"f1": 0.9})
    0.9
    """
    with suppress(TypeError, KeyError):  # lists are no keys
        return known[key]
    raise UnknownKeyError.unknown(what, key, known)


def several(name: str, given: Any, what: str) -> list[Any]:
    """Return several things as a list; the error calls them ``name`` and says what each is.

    Examples
    --------
    >>> several("metrics", ("f1", "mcc"), "names of metrics")
    ['f1', 'mcc']
    """
    with suppress(TypeError):
        if not isinstance(given, str | bytes):
            return list(given)
    raise HowsureError(f"`{name}` must be a list of {what}, not {given!r}.", INVALID_ARGUMENT)


def boolean(name: str, value: object) -> bool:
    """Return True or False; the error calls it ``name``."""
    if (isinstance(value, int) or type(value).__name__ in {"bool", "bool_"}) and value in {0, 1}:  # NumPy's too
        return bool(value)
    raise HowsureError(f"`{name}` must be True or False, not {value!r}.", INVALID_ARGUMENT)


def one_label(name: str, value: object) -> Any:
    """Return what can be a label, a text or a number say; the error for an array calls it ``name``."""
    try:
        hash(value)
    except TypeError:
        raise HowsureError(f"`{name}` must be one class, not {value!r}.", INVALID_ARGUMENT) from None
    return value


def whole_number(name: str, value: Any, least: int = 1, most: int | None = None) -> int:
    """Return a whole number of at least ``least``, and at most ``most``; the error calls it ``name``."""
    try:
        number = value if isinstance(value, float) else operator.index(value)
    except TypeError:
        number = math.nan
    if not isinstance(value, bool) and least <= number <= (math.inf if most is None else most) and number % 1 == 0:
        return int(number)
    limit = "" if most is None else f" and at most {most:,}"
    raise HowsureError(
        f"`{name}` must be a whole number of at least {least}{limit}, not {shown(value)}.", INVALID_ARGUMENT
    )


def by_index(given: object) -> Any:
    """Return a pandas series as a mapping from its index to its values; other objects unchanged."""
    return given.to_dict() if hasattr(given, "to_dict") and hasattr(given, "index") else given


def real_numbers(name: str, values: object) -> Floats:
    """Return numbers as an array, with nan where one is masked; the error calls them ``name``."""
    import numpy as np

    with suppress(TypeError, ValueError, OverflowError):
        if "numpy.ma" in sys.modules and isinstance(values, np.ma.MaskedArray):  # slow to import for a check
            values = np.ma.filled(values.astype(float), np.nan)
        found = np.asarray(values)
        if found.dtype.kind not in "cmM":  # neither complex numbers, nor durations, nor dates
            return np.asarray(found, dtype=float)
    raise HowsureError(f"`{name}` must be numbers, not {shown(values)}.", INVALID_ARGUMENT)


def real_number(name: str, value: object) -> float:
    """Return one number; the error calls it ``name``."""
    with suppress(HowsureError):
        if not isinstance(value, str | bytes) and (found := real_numbers(name, value)).ndim == 0:
            return float(found)
    raise HowsureError(f"`{name}` is {value!r}, not a number.", INVALID_ARGUMENT)


def checked_level(confidence_level: Any) -> float:
    """Return the confidence level as a float; raise an error unless it is strictly between 0 and 1."""
    try:
        level = float(confidence_level)
    except (TypeError, ValueError):
        level = math.nan
    if 0 < level < 1:
        return level
    raise HowsureError(
        f"`confidence_level` must lie between 0 and 1, not {confidence_level!r}.{of_per_cent(level)}", INVALID_ARGUMENT
    )


def of_per_cent(value: Any) -> str:
    """Return a hint for a percentage of at least 2 in place of a number between 0 and 1; empty for other values.

    Examples
    --------
    >>> of_per_cent(20), of_per_cent(0.2)
    (' Did you mean 0.2?', '')
    """
    try:
        number = float(value)
    except (TypeError, ValueError):
        return ""
    return f" Did you mean {number / PER_CENT:g}?" if 2 <= number < PER_CENT else ""


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return a hint with the names nearest to a word; if none is near, with all names if they are few.

    Examples
    --------
    >>> did_you_mean("acuracy", ["accuracy", "f1"])
    " Did you mean 'accuracy'?"
    """
    import difflib

    names = list(dict.fromkeys(str(name) for name in known))
    lowered = {name.lower(): name for name in reversed(names)}
    close = [lowered[each] for each in difflib.get_close_matches(word.lower(), lowered, n=3, cutoff=0.6)]
    if close:
        return f" Did you mean {' or '.join(repr(name) for name in close)}?"
    few = 12
    return f" Known: {', '.join(names)}." if names and len(names) <= few else ""
