"""Reader studies in files of iMRMC: lines about the study, then one line for each read and for each true class."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import cast

from howsure.errors import HowsureError, reading
from howsure.sources.file_checks import chunks
from howsure.sources.locations import IMRMC, PLAIN, Location, is_address, is_file, is_located, located, suffix_of

READER, CASE, MODALITY, RATING, TRUTH = "readerID", "caseID", "modalityID", "score", "truth"  # as in its R package
ROLES = {"reader": READER, "case": CASE, "modality": MODALITY, "rating": RATING, "truth": TRUTH}
TRUTH_READERS = frozenset({"-1", "-1.0", "truth"})  # readers of the rows of true classes
BEGIN = re.compile(r"begin data:", re.IGNORECASE)
BEGIN_BYTES = re.compile(rb"^(?:\xef\xbb\xbf)?begin data:", re.IGNORECASE | re.MULTILINE)
STATED = re.compile(r"\s*(N[01RM])\s*:\s*(.*?)[\s,;]*", re.IGNORECASE)
WHOLE = re.compile(r"-?(0|[1-9]\d{0,17})")
FRONT = 2**14  # bytes that may precede the data
COUNTED = {"N0": "negative cases", "N1": "positive cases", "NR": "readers", "NM": "modalities"}

Line = tuple[int, list[str]]  # its number, and its fields


def is_imrmc(file: Location) -> bool:
    """Whether a file has the suffix of iMRMC, or is a text with the line `BEGIN DATA:`."""
    if suffix_of(file) in IMRMC:
        return True
    if is_address(file) or suffix_of(file) not in PLAIN or not is_file(Path(file)):
        return False
    with reading(f"'{file}'"):
        return BEGIN_BYTES.search(next(chunks(Path(file)), b"")[:FRONT]) is not None


def columns_by_role(data: object) -> dict[str, str]:
    """Return the columns of a reader study in files of iMRMC, by role; empty for other data.

    Parameters
    ----------
    data : object
        As for `located`, if it is the location of files.

    Raises
    ------
    HowsureError
        If there is no such file.
    """
    if not is_located(data):
        return {}
    return dict(ROLES) if all(map(is_imrmc, located(cast("Location | Sequence[Location]", data)))) else {}


def columns_of_imrmc(file: Location) -> dict[str, list[object]]:
    """Return reader, case, modality, score and true class of each read.

    Raises
    ------
    HowsureError
        If the line `BEGIN DATA:` is absent, a line has other than four fields, or a score is no number. If a case has
        no true class or two. If the data do not have the numbers of readers, modalities and cases stated above them.
    """
    if is_address(file):
        raise HowsureError(f"'{file}' is a file of iMRMC elsewhere. Download it first.")
    with reading(f"'{file}'"):
        text = b"".join(chunks(Path(file))).decode("utf-8-sig")
    lines = text.splitlines()
    begin = next((place for place, line in enumerate(lines) if BEGIN.match(line)), None)
    if begin is None:
        raise HowsureError(f"'{file}' is no file of iMRMC: it lacks the line 'BEGIN DATA:'. Add it above the data.")
    rows = list(_fields(file, enumerate(lines[begin + 1 :], start=begin + 2)))
    reads = [row for row in rows if row[1][0] not in TRUTH_READERS]
    truth = _truth(file, [row for row in rows if row[1][0] in TRUTH_READERS])
    if not reads:
        raise HowsureError(f"'{file}' holds no reads. Give one line for each: reader, case, modality, score.")
    for number, (reader, case, *_) in reads:
        if case not in truth:
            raise HowsureError(
                f"'{file}', line {number}: the case '{case}' of the reader '{reader}' has no true class. Add the line "
                f"-1,{case},truth,0 or -1,{case},truth,1."
            )
    readers, cases, modalities, scores = zip(*(row for _, row in reads), strict=True)
    positives = sum(truth.values())
    _refuse_other_sizes(
        file,
        lines[:begin],
        {"N0": len(truth) - positives, "N1": positives, "NR": len(set(readers)), "NM": len(set(modalities))},
    )
    return {
        READER: _names(readers),
        CASE: _names(cases),
        MODALITY: _names(modalities),
        RATING: [*map(float, scores)],
        TRUTH: [truth[case] for case in cases],
    }


def _fields(file: Location, lines: Iterable[tuple[int, str]]) -> Iterator[Line]:
    """Yield the fields of each line of the data."""
    for number, line in lines:
        fields = [field.strip().strip('"') for field in line.split(",")]
        if not any(fields):
            continue
        while len(fields) > len(COUNTED) and not fields[-1]:
            fields.pop()
        if len(fields) != len(COUNTED) or not all(fields):
            raise HowsureError(
                f"'{file}', line {number}: '{line}' is not reader, case, modality, score. Give these four."
            )
        try:
            float(fields[-1])
        except ValueError:
            raise HowsureError(f"'{file}', line {number}: the score '{fields[-1]}' is no number. Correct it.") from None
        yield number, fields


def _truth(file: Location, rows: Sequence[Line]) -> dict[str, int]:
    """Return the true class of each case."""
    found: dict[str, int] = {}
    for number, (_, case, _, score) in rows:
        if float(score) not in (0.0, 1.0):
            raise HowsureError(
                f"'{file}', line {number}: the true class {score} of the case '{case}' is neither 0 nor 1."
            )
        if case in found:
            raise HowsureError(
                f"'{file}', line {number}: the true class of the case '{case}' is given twice. Keep one line."
            )
        found[case] = int(float(score))
    return found


def _refuse_other_sizes(file: Location, front: Sequence[str], sizes: dict[str, int]) -> None:
    """Refuse numbers before the data that are not those of the data."""
    for number, line in enumerate(front, start=1):
        stated = STATED.fullmatch(line)
        if stated is None:
            continue
        name, value = stated[1].upper(), stated[2]
        if not WHOLE.fullmatch(value):
            raise HowsureError(f"'{file}', line {number}: {name} is '{value}' and no whole number. Correct it.")
        if int(value) != sizes[name]:
            raise HowsureError(
                f"'{file}', line {number}: {name} is {value}, and the data have {sizes[name]} {COUNTED[name]}. "
                "Complete the data, or correct the line."
            )


def _names(texts: Sequence[str]) -> list[object]:
    """Return names as integers if all are whole numbers without leading zeros."""
    return [*map(int, texts)] if all(map(WHOLE.fullmatch, texts)) else [*texts]
