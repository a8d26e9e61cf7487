"""Files of iMRMC: lines about the study, `BEGIN DATA:`, and a line for each true class and each read."""

import gzip

import pytest

import howsure as hs
from support.books import write_xlsx
from support.files import DATA, rows_of
from support.shell import run

FILE = DATA / "vandyke.csv"
COLUMNS = {"truth": "truth", "reader": "reader", "case": "case", "modality": "treatment"}
FRONT = ["Van Dyke et al.", "", "N0:69", "N1: 45", "nr: 5", "NM: 2", "AUC1: 0.897"]


def lines(front=FRONT):
    """Return the published study as RJafroc and iRoeMetz write it."""
    rows = rows_of(FILE.name)
    truth = {row["case"]: row["truth"] for row in rows}
    return [
        *front,
        "BEGIN DATA:",
        *(f"-1,{case},truth,{each}" for case, each in truth.items()),
        *(f"{row['reader']}, {row['case']}, {row['treatment']}, {row['rating']}" for row in rows),
    ]


def written(folder, text, name="study.imrmc"):
    path = folder / name
    path.write_text("\n".join(text) + "\n")
    return path


@pytest.mark.parametrize("name", ["study.imrmc", "study.csv", "study.txt"])
def test_such_files_need_no_names_of_columns(tmp_path, name):
    """The study is that of the rows with their truth, in Python, in the shell, and on standard input."""
    expected = hs.reader_study("rating", data=str(FILE), **COLUMNS)
    path = written(tmp_path, lines(), name)
    assert hs.reader_study(data=path).records() == expected.records()
    named = hs.reader_study("score", reader="readerID", case="caseID", modality="modalityID", data=[str(path)])
    assert named.records() == expected.records()
    shell = [
        run("readers", str(path), "-f", "csv"),
        run("readers", "-", "--input-format", "imrmc", "-f", "csv", stdin=path.read_bytes()),
    ]
    assert shell[0].returncode == shell[1].returncode == 0, shell[0].stderr + shell[1].stderr
    assert shell[0].stdout == shell[1].stdout
    assert "-0.04380032" in shell[0].stdout


def test_they_are_data_of_other_doors(tmp_path):
    """All reads pooled, with readers and cases as two factors; the file may be compressed and have Windows line ends."""
    path = tmp_path / "study.imrmc.gz"
    path.write_bytes(gzip.compress("\r\n".join(lines()).encode("utf-8-sig")))
    found = hs.scores("truth", "score", data=str(path), groups=["readerID", "caseID"])
    expected = hs.scores("truth", "rating", data=str(FILE), groups=["reader", "case"])
    pooled, same = (hs.estimate(table, "roc_auc") for table in (found, expected))
    assert (pooled.value, pooled.low, pooled.high) == pytest.approx((same.value, same.low, same.high), rel=1e-12)


def test_names_stay_as_they_are(tmp_path):
    """Cases 1.1 and 1.10 are two, and the truth row's reader and modality are none of the study's."""
    rows = [f"truth,1.{place},truth,{place % 2}" for place in (1, 10, 2, 3, 20, 5)]
    rows += [
        f'{name},1.{place},"on film",{(place * 7) % 5}' for name in ("ann", "bob") for place in (1, 10, 2, 3, 20, 5)
    ]
    found = hs.reader_study(data=written(tmp_path, ["begin data:,,,", *rows]))
    assert (found.readers, found.modalities, found.cases) == (("ann", "bob"), ("on film",), 6)


def changed(place, line):
    """Return the lines with another one at this place; places from the end are reads."""
    found = lines()
    found[place] = line
    return found


@pytest.mark.parametrize(
    "text, message",
    [
        (changed(2, "N0:70"), r"line 3: N0 is 70, and the data have 69 negative cases"),
        (changed(4, "NR: five"), r"line 5: NR is 'five' and no whole number"),
        (changed(7, "DATA"), r"lacks the line 'BEGIN DATA:'"),
        (changed(9, "-1,2,truth,2"), r"line 10: the true class 2 of the case '2' is neither 0 nor 1"),
        (changed(9, "-1,1,truth,0"), r"line 10: the true class of the case '1' is given twice"),
        (changed(-1, "1,999,1,3"), r"the case '999' of the reader '1' has no true class"),
        (changed(-1, "1,3,1"), r"line 1262: '1,3,1' is not reader, case, modality, score"),
        (changed(-1, "1,3,1,high"), r"line 1262: the score 'high' is no number"),
        (lines()[:10], r"holds no reads"),
    ],
)
def test_contradictions_are_refused_with_their_line(tmp_path, text, message):
    """Numbers above the data that the data do not have, lines of other fields, and cases without one true class."""
    with pytest.raises(hs.HowsureError, match=message):
        hs.reader_study(data=written(tmp_path, text))


def test_other_data_need_names(tmp_path):
    """Readers and cases are named in other files; workbooks of RJafroc are refused with its own way out."""
    with pytest.raises(hs.HowsureError, match="Give `reader` and `case`"):
        hs.reader_study("rating", truth="truth", data=str(FILE))
    write_xlsx(tmp_path / "froc.xlsx", {name: [["CaseID", "LesionID"], [1, 0]] for name in ("TRUTH", "FP", "TP")})
    with pytest.raises(hs.HowsureError, match="workbook of RJafroc.*DfSaveDataFile"):
        hs.reader_study("score", reader="ReaderID", case="CaseID", data=str(tmp_path / "froc.xlsx"))
