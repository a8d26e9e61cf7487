"""Text files with words between blanks, as R's `write.table` and printed frames have them."""

from __future__ import annotations

import csv
from pathlib import Path

from howsure.sources.locations import Location, is_address, is_file
from howsure.sources.text_encoding import stated_encoding, text_lines

DELIMITERS = frozenset(",;\t|")
ROW = "row"  # the column of the names of rows, which has no header


def rows_between_blanks(file: Location) -> list[list[str]]:
    """Return the header and the rows of a text file (``.txt``) of words between blanks; none for other files.

    Each row has as many words as the header, or one more, the name of the row.

    Parameters
    ----------
    file : str or Path
        The file. Words with blanks are in quotes.
    """
    if is_address(file) or Path(file).suffix.lower() != ".txt" or not is_file(Path(file)):
        return []
    with Path(file).open(encoding=stated_encoding(Path(file)) or "utf-8", errors="replace") as text:
        first = next(filter(str.strip, text), "")
    if DELIMITERS & {*first} or len(first.split()) < 2:
        return []
    lines = (line.strip() for line in text_lines(Path(file)) if line.strip())
    try:
        header, *rows = csv.reader(lines, delimiter=" ", skipinitialspace=True)
    except csv.Error:  # running text, with a quotation mark that is never closed
        return []
    widths = {len(row) for row in rows}
    if widths == {len(header) + 1}:
        return [["" if ROW in header else ROW, *header], *rows]
    return [header, *rows] if widths == {len(header)} else []
