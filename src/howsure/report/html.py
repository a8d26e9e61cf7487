"""The report as one page: everything escaped, style and script our own and inside, nothing from outside."""

from __future__ import annotations

import base64
import functools
import hashlib
import json
from typing import Any

from howsure.errors import HowsureError
from howsure.escapes import json_escaped, printable_lines
from howsure.grids import percent
from howsure.report import charts
from howsure.report.content import Document, at

# As escapes of JSON they mean the same, and no parser of HTML ends the block at them.
HIDDEN = {ord(char): f"\\u{ord(char):04x}" for char in "<>&"}


def page(report: Document) -> str:
    """Return the page.

    Raises
    ------
    HowsureError
        If Jinja2 is not installed.
    """
    environment = templates()
    from markupsafe import Markup

    script, style = (environment.loader.get_source(environment, name)[0] for name in ("report.js", "report.css"))
    return str(
        environment.get_template("report.html").render(
            report=report,
            at=at,
            charts=charts,
            style=Markup(style),  # noqa: S704 - our own file
            script=Markup(script),  # noqa: S704 - our own file
            fingerprint=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
            results=Markup(as_json(report.results)),  # noqa: S704 - no sign of markup is left in it
        )
    )


@functools.cache
def templates() -> Any:
    """Return Jinja's environment of our templates, which are compiled once in a process."""
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined
    except ImportError:
        message = 'The HTML report needs Jinja2: pip install "howsure[report]".'
        raise HowsureError(message) from None
    environment = Environment(
        loader=PackageLoader("howsure.report", "templates"),
        autoescape=True,
        finalize=lambda value: printable_lines(value) if type(value) is str else value,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["percent"] = percent
    environment.filters["sortable"] = lambda order: order if isinstance(order, str) else f"{order:.8g}"
    return environment


def as_json(results: Any) -> str:
    """Return JSON without a sign that HTML would take for markup."""
    text = json.dumps(results, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return json_escaped(text).translate(HIDDEN)
