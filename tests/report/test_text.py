"""The report as Markdown and LaTeX."""

import re

import howsure as hs

TABLE = hs.from_counts([[50, 3], [5, 42]], labels=["healthy", "ill"])


def test_markdown_has_the_same_content():
    """Title, headline, each section and each table of the report are there, at the report's level."""
    report = hs.report_of(TABLE, title="ward 3", confidence_level=0.9, command="howsure report ward.csv")
    text = report.to_markdown()
    assert text.startswith("# How sure: ward 3\n")
    assert report.headline[0][report.level] in text
    for section in report.sections:
        assert f"\n## {section.title}\n" in text
        for sheet in section.tables:
            assert text.count("\n| " + " | ".join(sheet.headers).replace("_", "\\_") + " |\n") >= 1
    estimate = hs.estimate(TABLE, "f1", confidence_level=0.9)
    assert f"| F1 | {estimate.value:.3f} \\[{estimate.low:.3f}, {estimate.high:.3f}\\] |" in text
    assert "```sh\nhowsure report ward.csv\n```" in text


def test_markdown_shows_labels_as_they_are(strange):
    """Markup in labels is escaped, and the fence around the command is longer than any fence in it."""
    text = strange.to_markdown()
    outside = re.sub(r"```sh\n.*?\n```", "", text, flags=re.DOTALL)
    assert "<script" not in outside
    fenced = hs.report_of(TABLE, command="a ``` b").to_markdown()
    assert "````sh\na ``` b\n````" in fenced


def test_latex_has_every_table(strange):
    """Each sheet is a table with a caption, rules and equal numbers of columns and headers; characters are escaped."""
    text = strange.to_latex()
    sheets = [sheet for section in strange.sections for sheet in section.tables if sheet.rows]
    assert text.count(r"\begin{table}") == text.count(r"\end{table}") == text.count(r"\caption{") == len(sheets)
    for line in text.splitlines():
        if line.endswith(r"\\"):
            cells = line.removesuffix(r"\\")
            assert not re.search(r"(?<!\\)[%$#_]", cells)
    paragraph = r"p\{0\.\d+\\linewidth\}"
    found = re.findall(rf"\\begin\{{tabular\}}\{{(l(?:r*|(?:{paragraph})*))\}}", text)
    columns = [len(re.sub(paragraph, "p", each)) for each in found]
    assert columns == [len(sheet.headers) for sheet in sheets]
