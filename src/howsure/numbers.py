"""Numbers as text: values, intervals, levels and p-values."""

from __future__ import annotations

import math


def count_text(value: float) -> str:
    """Return a number of cases, a sum of weights or an expected number, without digits that nobody counts.

    Examples
    --------
    >>> count_text(1234.0), count_text(359.028886), count_text(7.663132)
    ('1,234', '359.0', '7.66')
    """
    if float(value).is_integer():
        return f"{value:,.0f}"
    return f"{value:,.1f}" if abs(value) >= 100 else f"{value:.3g}"


def number(value: float, decimals: int) -> str:
    """Return a number with this many decimals; a dash where it is undefined."""
    if math.isnan(value):
        return "–"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    return f"{value:.{decimals}f}"


def interval_text(low: float, high: float, decimals: int) -> str:
    """Return ``[low, high]``, or a dash where it is undefined."""
    if math.isnan(low) or math.isnan(high):
        return "–"
    return f"[{number(low, decimals)}, {number(high, decimals)}]"


def percent(level: float, *, is_spaced: bool = True) -> str:
    """Return a level as a percentage without needless digits, ``95 %``, or ``95%`` as clinical journals write it."""
    return f"{100 * level:.10g}{' ' if is_spaced else ''}%"


def significant_decimals(low: float, high: float) -> int:
    """Decimals that show an interval's width to about two digits, at least 3 and at most 8."""
    width = high - low
    if not math.isfinite(width) or width <= 0:
        return 3
    return min(max(3, 1 - math.floor(math.log10(width))), 8)


def value_text(value: float, low: float, high: float) -> str:
    """Return ``value [low, high]``, with decimals chosen by the interval's width.

    Examples
    --------
    >>> value_text(0.89362, 0.77412, 0.95371)
    '0.894 [0.774, 0.954]'
    """
    digits = significant_decimals(low, high)
    return f"{value:.{digits}f} [{low:.{digits}f}, {high:.{digits}f}]"


def p_cell(p_value: float) -> str:
    """Return a p-value for a column of p-values, to three decimals.

    Examples
    --------
    >>> p_cell(0.0312), p_cell(1e-9)
    ('0.031', '< 0.001')
    """
    if math.isnan(p_value):
        return "–"
    return "< 0.001" if p_value < 0.001 else f"{p_value:.3f}"


def p_text(p_value: float) -> str:
    """Return a p-value for a sentence, such as ``"p = 0.049"``."""
    text = p_cell(p_value)
    return f"p {text}" if text.startswith("<") else f"p = {text}"
