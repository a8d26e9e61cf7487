"""Text files in the encodings of spreadsheet programs: UTF-8, UTF-16 and Windows-1252."""

from __future__ import annotations

import codecs
import io
import lzma
import zlib
from pathlib import Path

from howsure.errors import HowsureError
from howsure.sources.content import UTF_16, refuse_other_content
from howsure.sources.file_checks import chunks
from howsure.sources.locations import ARCHIVES


def stated_encoding(path: Path) -> str:
    """Return the encoding that a byte order mark states, "utf-8-sig" or "utf-16"; empty without one."""
    start = next(chunks(path), b"")
    return "utf-16" if start.startswith(UTF_16) else "utf-8-sig" if start.startswith(codecs.BOM_UTF8) else ""


def decoded(path: Path, *, pages: bool = False) -> str:
    """Return the text of a file: UTF-8, UTF-16 with a byte order mark, or else Windows-1252.

    Parameters
    ----------
    path : Path
        The file.
    pages : bool
        Whether the caller reads the tables of web pages, whatever the suffix.

    Raises
    ------
    HowsureError
        If it cannot be read, is not text, or has another format than its suffix states.
    """
    refuse_other_content(path, pages=pages)
    try:
        content = b"".join(chunks(path))
    except (OSError, EOFError, zlib.error, lzma.LZMAError) as error:
        raise HowsureError.unreadable(f"'{path}'", error) from None
    is_wide = content.startswith(UTF_16)
    if path.suffix.lower() in ARCHIVES:
        raise HowsureError(f"'{path}' is an archive. Unpack it, and give its file.")
    if b"\0" in content and not is_wide:
        raise HowsureError(f"'{path}' is no text: it holds zero bytes. Save it as CSV in the encoding UTF-8.")
    for encoding in ("utf-16",) if is_wide else ("utf-8-sig", "cp1252"):
        try:
            return content.decode(encoding)
        except UnicodeDecodeError:
            continue
    raise HowsureError(f"'{path}' is in an unknown encoding. Save it as UTF-8.")


def text_lines(path: Path) -> list[str]:
    """Return the lines of a text file, without their ends; other than by `str.splitlines`, words may hold U+2028."""
    return [line.rstrip("\n") for line in io.StringIO(decoded(path), newline=None)]
