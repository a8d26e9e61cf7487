"""Spreadsheets as files of cases: the same tables as from CSV, and one sheet that is named or the only one."""

import json

import numpy as np
import pandas as pd
import pytest

import howsure as hs
from howsure.sources.sheets import columns_of_sheet
from support.books import write_ods, write_xlsx
from support.shell import run

pytestmark = pytest.mark.filterwarnings("ignore:The column '(patient|person)' has several")  # clusters on purpose

pytest.importorskip("python_calamine")
RNG = np.random.default_rng(4)
TRUTH = RNG.choice(["ill", "well"], 60)
FRAME = pd.DataFrame(
    {
        "truth": TRUTH,
        "new": np.where(RNG.random(60) < 0.8, TRUTH, "well"),
        "old": np.where(RNG.random(60) < 0.7, TRUTH, "ill"),
        "score": np.round(0.4 * RNG.random(60) + 0.3 * (TRUTH == "well"), 2),
        "grade": RNG.choice([0, 1, 3], 60),
        "patient": RNG.integers(0, 20, 60),
    }
)
ROWS = [list(FRAME.columns), *FRAME.to_numpy(dtype=object).tolist()]
WRITERS = {"xlsx": write_xlsx, "ods": write_ods}


@pytest.fixture(params=WRITERS)
def files(request, tmp_path):
    """Write the cases as CSV, and as the second sheet of a book whose first one is empty."""
    text = tmp_path / "cases.csv"
    FRAME.to_csv(text, index=False)
    book = WRITERS[request.param](tmp_path / f"cases.{request.param}", {"empty": [[None]], "cases": ROWS})
    return text, book


@pytest.mark.parametrize(
    "command",
    [
        "report FILE --y-true truth --y-pred new --pos-label ill",
        "report FILE --y-true truth --y-score score --pos-label well --groups patient",
        "compare FILE --y-true truth --y-pred new,old",
        "leaderboard FILE --values grade,score --random-state 0",
        "plan FILE --y-true truth --y-pred new --metric accuracy --width 0.1",
    ],
)
def test_commands_print_of_sheets_what_they_print_of_csv(command, files):
    text, book = (run(*command.replace("FILE", str(file)).split(), "--format", "json") for file in files)
    assert book.returncode == text.returncode == 0, book.stderr
    found, wanted = (_leaves(json.loads(each.stdout)) for each in (book, text))
    assert found == pytest.approx(wanted)


def _leaves(given, name=""):
    """Return the numbers of nested records, by name."""
    if isinstance(given, dict | list):
        pairs = given.items() if isinstance(given, dict) else enumerate(given)
        return {key: value for place, each in pairs for key, value in _leaves(each, f"{name}.{place}").items()}
    return {name: given} if isinstance(given, int | float) else {}


def test_types_of_columns(tmp_path):
    """Whole numbers are integers, blanks are missing, and text stays text, also of digits."""
    rows = [["a", "b", "c", "d", None], [1.0, "01", True, 0.5, None], [2.0, "2", False, None, None], [None] * 5]
    found = columns_of_sheet(write_xlsx(tmp_path / "a.xlsx", {"one": rows}))
    assert found == {"a": [1, 2], "b": ["01", "2"], "c": [True, False], "d": [0.5, None]}
    assert all(type(value) is int for value in found["a"])


def test_a_sheet_is_named_where_several_hold_something(tmp_path):
    other = [["truth", "new"], ["ill", "ill"], ["well", "ill"]]
    book = write_xlsx(tmp_path / "a.xlsx", {"cases": ROWS, "old #2": other})
    with pytest.raises(hs.HowsureError, match=r"several sheets: 'cases', 'old #2'. Name one: 'a.xlsx#cases'"):
        hs.confusion("truth", "new", data=book)
    assert hs.confusion("truth", "new", data=f"{book}#old #2").counts.sum() == 2
    assert hs.confusion("truth", "new", data=f"{book}#cases").counts.sum() == 60
    with pytest.raises(hs.HowsureError, match="There is no sheet 'case'. Did you mean 'cases'"):
        hs.confusion("truth", "new", data=f"{book}#case")
    ended = run("report", book, "--y-true", "truth", "--y-pred", "new", "--sheet", "old #2", "-m", "accuracy")
    assert "0.500" in ended.stdout, ended.stderr
    refused = run("report", tmp_path / "a.csv", "--y-true", "truth", "--y-pred", "new", "--sheet", "cases")
    assert "`--sheet` is for spreadsheets" in refused.stderr


def test_a_matrix_is_read_from_the_sheet_that_is_named(tmp_path):
    first, second = [["", "a", "b"], ["a", 5, 1], ["b", 2, 8]], [["", "a", "b"], ["a", 50, 10], ["b", 20, 80]]
    book = write_xlsx(tmp_path / "a.xlsx", {"site 1": first, "site 2": second})
    assert "several sheets" in run("matrix", book).stderr
    ended = run("matrix", book, "--sheet", "site 2", "-m", "accuracy", "--html", tmp_path / "a.html")
    assert "0.812" in ended.stdout, ended.stderr
    assert "SHA-256" in (tmp_path / "a.html").read_text()


@pytest.mark.parametrize(
    "rows, message",
    [
        ([["Results"], ["truth", "new"], ["a", "b"]], "1 of 2 columns have no name"),
        ([["truth", "truth"], ["a", "b"]], "several columns named 'truth'"),
        ([["truth", "new"], ["a", "#N/A"]], "error of a formula|missing value"),
        ([["truth", "new"]], "holds no cases"),
    ],
)
def test_sheets_that_are_no_table_of_cases(rows, message, tmp_path):
    with pytest.raises(hs.HowsureError, match=message):
        hs.confusion("truth", "new", data=write_xlsx(tmp_path / "a.xlsx", {"one": rows}))


def test_sheets_are_parts_of_one_table(tmp_path):
    """A folder of spreadsheets contains parts of the same data."""
    write_xlsx(tmp_path / "a.xlsx", {"one": ROWS[:31]})
    write_xlsx(tmp_path / "b.xlsx", {"one": [ROWS[0], *ROWS[31:]]})
    whole = hs.confusion("truth", "new", data=FRAME)
    assert np.array_equal(hs.confusion("truth", "new", data=tmp_path).counts, whole.counts)
