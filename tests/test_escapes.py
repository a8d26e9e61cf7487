"""Output of text: labels, names and messages are escaped everywhere, for any content."""

import csv
import io
import json
import pickle

import pytest

import howsure as hs
from howsure.errors import UndefinedDesignError
from howsure.grids import Grid, csv_text, json_text

# Clears a terminal; rings its bell; C1's "control sequence"; turns the direction of text; parts paragraphs.
OBEYED = ("\x1b[2J", "\x07", "\x9b31m", "\u202e", "\u2029", "\r", "\x00")
NASTY = "a" + "".join(OBEYED) + "b"
SHOWN = r"a\x1b[2J\x07\x9b31m\u202e\u2029\r\x00b"


def nothing_is_obeyed(text):
    """Whether a terminal has nothing to obey but the ends of lines."""
    return not any(sign in text for sign in ("\x1b", "\x07", "\x9b", "\u202e", "\u2029", "\r", "\x00"))


def test_labels_are_shown_and_not_obeyed_in_every_format():
    """A label of control characters is printed as escapes in text, Markdown, HTML and LaTeX."""
    evaluation = hs.evaluate(hs.from_counts([[50, 3], [5, 42]], labels=[NASTY, "b"]), "recall@none")
    for text in (
        str(evaluation),
        repr(evaluation),
        evaluation.to_markdown(),
        evaluation.to_html(),
        evaluation.to_latex(),
    ):
        assert nothing_is_obeyed(text)
        assert "x1b" in text
    assert SHOWN in str(evaluation)


def test_a_label_of_several_lines_stays_in_its_row():
    """The end of a line in a label is shown as an escape, so that rows stay rows."""
    grid = Grid(("name", "value"), (("two\nlines\tand a tab", "1"),))
    assert len(grid.text().splitlines()) == 3
    assert r"two\nlines\tand a tab" in grid.text()
    assert Grid(("name",), (("a",),), caption="one\ntwo").text().endswith("one\ntwo")


def test_halves_of_characters_can_be_written():
    """A lone surrogate, which no encoding has, becomes an escape: files and terminals take the rest."""
    grid = Grid(("name", "value"), (("\ud83e", "1"),))
    for text in (grid.text(), grid.html(), grid.latex(), csv_text([{"name": "\ud83e"}]), json_text(["\ud83e"])):
        assert b"ud83e" in text.encode()


def test_a_cell_has_an_end():
    """A label of a megabyte does not fill the screen: its start and end are shown."""
    text = Grid(("name", "value"), (("a" * 1_000_000 + "z", "1"),)).markdown()
    assert len(text) < 2_000
    assert "a … a" in text
    assert "az |" in text


def test_json_holds_the_very_text_and_nothing_to_obey():
    """JSON gives the same text when read, and contains only escapes."""
    text = json_text({"label": NASTY, NASTY: 1.5})
    assert nothing_is_obeyed(text)
    assert json.loads(text) == {"label": NASTY, NASTY: 1.5}


@pytest.mark.parametrize("formula", ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)"])
def test_no_cell_of_csv_is_a_formula(formula):
    """What a spreadsheet would compute has an apostrophe in front, in names of columns too; numbers have none."""
    written = csv_text([{formula: formula, "value": -0.5, "text": "-0.5", "nothing": float("nan")}])
    names, row = list(csv.reader(io.StringIO(written)))
    assert names == [f"'{formula}", "value", "text", "nothing"]
    assert row == [f"'{formula}", "-0.5", "-0.5", ""]


def test_csv_has_nothing_to_obey():
    """Control signs in a label are escapes in CSV."""
    assert csv_text([{"label": NASTY}]) == f"label\n{SHOWN}\n"


@pytest.mark.parametrize("label", ["[2pt]", "*", " [x]"])
def test_no_label_is_an_argument_in_latex(label):
    """After a rule or the end of a row a bracket or star would be an argument: an empty group prevents that."""
    lines = Grid((label, "value"), ((label, "1"), (label, "2"))).latex().splitlines()
    assert [line for line in lines if line.endswith(r"\\")] == [
        f"{{}}{label} & value \\\\", f"{{}}{label} & 1 \\\\", f"{{}}{label} & 2 \\\\"
    ]  # fmt: skip


def test_signs_of_mathematics_are_set_as_they_are():
    """In LaTeX's old encoding a bare less-than sign is an inverted exclamation mark: named signs are not."""
    assert r"p \textless{} 0.001 \textbar{} \textgreater{}" in Grid(("p < 0.001 | >",), ()).latex()


@pytest.mark.parametrize("long", ["x" * 1_000_000, "x " * 500_000])
def test_messages_have_an_end(long):
    """A name of a megabyte is cut in the middle: the message keeps the fault at its start and the remedy at its end."""
    table = hs.from_counts([[50, 3], [5, 42]])
    with pytest.raises(hs.HowsureError) as caught:
        hs.estimate(table, long)
    assert len(str(caught.value)) <= 1_000
    with pytest.raises(hs.HowsureError) as caught:
        hs.confusion("a", "b", data={long: [1], "b": [1]})
    assert len(str(caught.value)) <= 1_000
    with pytest.raises(hs.HowsureError) as caught:
        hs.estimate(table, "f1", confidence_level=long)
    assert str(caught.value).startswith("`confidence_level` must lie between 0 and 1, not 'x")


def test_messages_are_one_line_with_nothing_to_obey():
    """A name with control signs is quoted in a message as escapes."""
    with pytest.raises(hs.HowsureError) as caught:
        hs.estimate(hs.from_counts([[50, 3], [5, 42]]), NASTY + "\n")
    assert nothing_is_obeyed(str(caught.value))
    assert len(str(caught.value).splitlines()) == 1
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_an_undefined_design_says_the_same_after_a_pickle():
    """The message is not wrapped again."""
    error = UndefinedDesignError("Odd")
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_pages_show_names_and_obey_none(tmp_path):
    """A report's page, Markdown and LaTeX have the title, the labels and the command as text."""
    table = hs.from_counts([[50, 3], [5, 42]], labels=[NASTY, "b"])
    report = hs.report_of({NASTY: table}, title=NASTY, command=f"howsure {NASTY}")
    page, markdown, latex = report.to_html(), report.to_markdown(), report.to_latex()
    for text in (page, markdown, latex):
        assert nothing_is_obeyed(text)
    assert f'<p class="about"><bdi>{SHOWN}</bdi>' in page
    assert f"howsure {SHOWN}\n" in markdown
    report.save(tmp_path / "a.html")
