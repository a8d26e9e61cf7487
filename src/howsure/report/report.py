"""The report: a document with its writers."""

from __future__ import annotations

import html as markup
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

from howsure.errors import HowsureError, looked_up
from howsure.report import html, text
from howsure.report.content import Document, Section
from howsure.writing import checked_path, written


@final
@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Report(Document):
    """A report as data, at several confidence levels; ``to_html``, ``to_markdown``, ``to_latex`` and ``save`` write it.

    A mapping of titles to sections: ``report["Metrics"]``.

    Parameters
    ----------
    title : str
        What was evaluated.
    about : str
        What it rests on, in a few words: cases, models, classes.
    headline : tuple of tuple of str
        The answer in plain words: of one model its main metric, of several who is ahead and who cannot be told apart,
        without labels that none was seen. Then a sentence for each model, and what else stands out.
    sections : tuple of Section
        The rest.
    levels : tuple of float
        The confidence levels.
    level : int
        The position of the one that is shown first.
    results : mapping
        Everything for machines: what `to_dict` gives.

    Examples
    --------
    >>> import howsure as hs
    >>> list(hs.report_of(hs.from_counts([[50, 3], [5, 42]])))[:2]
    ['Metrics', 'What to be careful about']
    """

    def __getitem__(self, title: str) -> Section:
        return looked_up("section of this report", title, {each.title: each for each in self.sections})

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys(each.title for each in self.sections))

    def __len__(self) -> int:
        return len(set(self))

    def to_dict(self) -> dict[str, Any]:
        """Return tables, estimates at all levels and settings, in types that JSON has; undefined is None."""
        return dict(self.results)

    def to_html(self) -> str:
        """Return one page that needs nothing else: no server, no other file.

        Raises
        ------
        HowsureError
            If Jinja2 is not installed.
        """
        return html.page(self)

    def to_markdown(self) -> str:
        """Return the report as Markdown, at its own level."""
        return text.markdown(self)

    def to_latex(self) -> str:
        """Return the report's tables as LaTeX (package ``booktabs``), at its own level."""
        return text.latex(self)

    def save(self, path: str | Path) -> Path:
        """Write the report in the format that the suffix names: ``.html``, ``.md`` or ``.tex``.

        Raises
        ------
        HowsureError
            If the suffix names no format, or the file cannot be written.
        """
        path = checked_path(path)
        writers = {".html": self.to_html, ".htm": self.to_html, ".md": self.to_markdown, ".tex": self.to_latex}
        if path.suffix.lower() not in writers:
            raise HowsureError.unknown("suffix of a report", path.suffix or path.name, writers)
        return written(path, writers[path.suffix.lower()]())

    def _repr_html_(self) -> str:
        # A frame keeps the page's style and script apart from those of the notebook.
        style = "width:100%;height:80vh;border:0"
        return f'<iframe title="howsure" srcdoc="{markup.escape(self.to_html())}" style="{style}"></iframe>'
