"""The report as Markdown and LaTeX, at its main confidence level."""

from __future__ import annotations

from howsure.escapes import latex_text, markdown_text, printable_lines
from howsure.report.content import Document, Section, Sheet, at


def markdown(report: Document) -> str:
    """Return the report as Markdown, for a pull request, a model card or a notebook."""
    blocks = [f"# {markdown_text(_title(report))}", *([markdown_text(report.about)] if report.about else [])]
    blocks += [markdown_text(at(sentence, report.level)) for sentence in report.headline]
    for section in report.sections:
        blocks += _markdown_section(section, report.level)
    return "\n\n".join(blocks) + "\n"


def _markdown_section(section: Section, level: int) -> list[str]:
    blocks = [f"## {markdown_text(section.title)}"]
    blocks += [markdown_text(at(each, level)) for each in section.paragraphs]
    if section.code:
        fence = "`" * max(3, section.code.count("`") + 1)
        blocks.append(f"{fence}sh\n{printable_lines(section.code)}\n{fence}")
    if section.items:
        blocks.append("\n".join(f"- {markdown_text(at(each, level))}" for each in section.items))
    for sheet in section.tables:
        blocks += [f"**{markdown_text(sheet.title)}**", sheet.grid(level).markdown()]
    for chart in section.charts:
        blocks.append(markdown_text(f"{chart.title}{', ' * bool(chart.model)}{chart.model}: see the page or `plots`."))
    return blocks


def latex(report: Document) -> str:
    """Return the tables of the report as LaTeX, one ``table`` environment each."""
    kept = [sheet for section in report.sections for sheet in section.tables if sheet.rows]
    return "\n\n".join(_latex_table(sheet, report.level) for sheet in kept) + "\n"


def _latex_table(sheet: Sheet, level: int) -> str:
    caption = latex_text(" ".join(part for part in (sheet.title + ".", sheet.note) if part))
    return "\n".join(
        [r"\begin{table}", r"\centering", rf"\caption{{{caption}}}", sheet.grid(level).latex(), r"\end{table}"]
    )


def _title(report: Document) -> str:
    return f"How sure: {report.title}" if report.title else "How sure: a classifier's metrics"
