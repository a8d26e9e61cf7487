"""The `Report` class: a document with its writers."""

from __future__ import annotations

import html as markup
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, final

from howsure.errors import HowsureError, looked_up
from howsure.report import html, text
from howsure.report.checklists.checklist import Checklist, checklist_of
from howsure.report.checklists.names import ChecklistName
from howsure.report.content import Document, Section
from howsure.writing import checked_path, written


@final
@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Report(Document):
    """A report as data, at several confidence levels; ``to_html``, ``to_markdown``, ``to_latex`` and ``save`` write it.

    The report is a mapping of titles to sections: ``report["Metrics"]``.

    Parameters
    ----------
    title : str
        Title: the evaluated data.
    about : str
        Cases, models and classes in a few words.
    headline : tuple of tuple of str
        The main result in a sentence: the main metric of one model, or the order of several models. Unlabelled data are
        mentioned first. A sentence for each model and other notable results follow.
    sections : tuple of Section
        The sections.
    levels : tuple of float
        The confidence levels.
    level : int
        Position of the level that is shown first.
    results : mapping
        Machine-readable results, which `to_dict` returns.

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

    def checklist(self, name: ChecklistName) -> Checklist:
        """Return which items of a reporting guideline this report answers, and which are for the author.

        Parameters
        ----------
        name : str
            ``"tripod-ai"`` (Collins and others, 2024), ``"stard-ai"`` (Sounderajah and others, 2025), ``"claim"``
            (Tejani and others, 2024) or ``"model-card"`` (Mitchell and others, 2019).

        Returns
        -------
        Checklist
            A mapping of item numbers to items, with ``to_markdown()``, ``to_pandas()`` and the other formats.

        Raises
        ------
        HowsureError
            If there is no such checklist.
        """
        return checklist_of(self, name)

    def with_checklist(self, name: ChecklistName | None) -> Report:
        """Return the report with a checklist as a section before the last one; None leaves it unchanged.

        Parameters
        ----------
        name : str or None
            See `checklist`.

        Returns
        -------
        Report
            The report.

        Raises
        ------
        HowsureError
            If there is no such checklist.
        """
        if name is None:
            return self
        found = self.checklist(name)
        results = {**self.results, "checklist": found.records()}
        return replace(self, sections=(*self.sections[:-1], found.section(), *self.sections[-1:]), results=results)

    def to_dict(self) -> dict[str, Any]:
        """Return tables, estimates at all levels and settings, as JSON types; undefined values are None."""
        return dict(self.results)

    def to_html(self) -> str:
        """Return the report as a self-contained HTML page.

        Raises
        ------
        HowsureError
            If Jinja2 is not installed.
        """
        return html.page(self)

    def to_markdown(self) -> str:
        """Return the report as Markdown, at its main confidence level."""
        return text.markdown(self)

    def to_latex(self) -> str:
        """Return the tables of the report as LaTeX (package ``booktabs``), at its main confidence level."""
        return text.latex(self)

    def save(self, path: str | Path) -> Path:
        """Write the report in the format of the suffix: ``.html``, ``.md`` or ``.tex``.

        Raises
        ------
        HowsureError
            If the suffix is unknown, or the file cannot be written.
        """
        path = checked_path(path)
        writers = {".html": self.to_html, ".htm": self.to_html, ".md": self.to_markdown, ".tex": self.to_latex}
        if path.suffix.lower() not in writers:
            error = HowsureError.unknown("suffix of a report", path.suffix or path.name, writers)
            hint = " Numbers are in `to_dict()`, and in the shell `--format json`." if path.suffix == ".json" else ""
            raise HowsureError(f"{error}{hint}", error.code)
        return written(path, writers[path.suffix.lower()]())

    def _repr_html_(self) -> str:
        # A frame separates the page's style and script from those of the notebook.
        style = "width:100%;height:80vh;border:0"
        return f'<iframe title="howsure" srcdoc="{markup.escape(self.to_html())}" style="{style}"></iframe>'
