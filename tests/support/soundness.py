"""Properties of every result, for any request."""

import contextlib
import io
import math
import re
import warnings

from howsure.errors import HowsureError

ROUNDING = 1e-6
LOW_LEVEL = 0.6
TEXTBOOK = {
    "wald",
    "delong_wald",
    "jeffreys",
}  # which leave the range, or the value of a perfect sample, as textbooks do


def answered(function, *arguments, **keywords):
    """Return the result, or the text of our error; a fault for anything else."""
    with warnings.catch_warnings(record=True) as seen, contextlib.redirect_stdout(io.StringIO()):  # one of ours prints
        warnings.simplefilter("always")
        try:
            found, fault = function(*arguments, **keywords), ""
        except HowsureError as error:
            text = str(error)
            found = error
            fault = f"a message of {len(text)} signs: {text[:80]!r}" if "\n" in text or len(text) > 1000 else ""
        except Exception as error:  # noqa: BLE001 - any other error is a fault
            found, fault = error, f"{type(error).__name__}: {str(error)[:120]}"
    foreign = [each for each in seen if not each.category.__module__.startswith("howsure")]
    if foreign and not fault:
        fault = f"{foreign[0].category.__name__}: {str(foreign[0].message)[:120]}"
    return found, fault


def alike(one, other):
    """Whether two estimates have the same numbers, to rounding."""
    pairs = zip((one.value, one.low, one.high), (other.value, other.low, other.high), strict=True)
    return all((math.isnan(a) and math.isnan(b)) or math.isclose(a, b, rel_tol=1e-6, abs_tol=1e-6) for a, b in pairs)


def numbers(found, table, metric, threshold):
    """Yield faults in the numbers of an estimate."""
    from howsure.metrics.binding import resolve

    low, high = resolve(metric, table, threshold=threshold).range
    slack = 1e-9 * max(1.0, abs(found.value) if math.isfinite(found.value) else 1.0)
    for name in ("value",) if found.method in TEXTBOOK else ("value", "low", "high"):
        number = getattr(found, name)
        if not math.isnan(number) and not low - slack <= number <= high + slack:
            yield f"{name} {number} beyond [{low}, {high}]"
    if math.isnan(found.low) != math.isnan(found.high):
        yield f"one limit alone is nan: {found.low}, {found.high}"
    if math.isnan(found.low) and not found.reason:
        yield "nan without a reason"
    if math.isnan(found.value) and not math.isnan(found.low) and found.draws is None:  # a posterior has a prior
        yield "an interval of an undefined value"
    if not math.isnan(found.low):
        if found.low > found.high:
            yield f"limits in the wrong order: {found.low}, {found.high}"
        # Percentiles of draws need not contain the value.
        held = found.draws is None and found.method not in TEXTBOOK
        if held and not found.low - slack <= found.value <= found.high + slack:
            yield f"{found.value} outside [{found.low}, {found.high}]"
        inside = (
            low + slack < found.value < high - slack and found.standard_error > ROUNDING and "bias" not in found.reason
        )
        # The centre of a score interval is not the estimate, which a low level shows; and the slope of the prevalence
        # threshold has no bound where a rate is 0.
        inside = inside and found.confidence_level > LOW_LEVEL and "prevalence_threshold" not in metric
        if held and inside and "@" in metric and found.method == "flow" and found.value in (found.low, found.high):
            yield f"a limit at the value, of a standard error of {found.standard_error}: {found}"


def printed(found):
    """Yield faults in the printed form of an estimate, a comparison or a pool."""
    ways = {"text": str, "repr": repr, "HTML": lambda each: each._repr_html_(), "records": lambda each: each.records()}
    ways |= {"grid": lambda each: str(each.grid())}
    if hasattr(found, "sentence"):
        styles = ("clinical", "ml", "card")
        ways |= {f"sentence {style}": lambda each, style=style: each.sentence(style) for style in styles}
    for name, way in ways.items():
        if name in {"HTML", "records", "grid"} and not hasattr(found, {"HTML": "_repr_html_"}.get(name, name)):
            continue
        text, fault = answered(way, found)
        if fault or isinstance(text, Exception):
            yield f"{name}: {fault or text}"
        elif name.startswith("sentence") and ("\n" in text or not text.endswith(".") or WORDLESS.search(text)):
            yield f"{name}: {text!r}"


WORDLESS = re.compile(r"\b(nan|None)\b|  ")  # that no sentence prints
