"""Files of text in any of the encodings that spreadsheets write: UTF-8, UTF-16 and the old one of Windows."""

from __future__ import annotations

import codecs
from pathlib import Path

from howsure.errors import HowsureError

UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def decoded(path: Path) -> str:
    """Return the text of a file: UTF-8, UTF-16 with its mark, or else the encoding of Windows in Western Europe.

    Parameters
    ----------
    path : Path
        The file.

    Raises
    ------
    HowsureError
        If it cannot be read, or is no text.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise HowsureError.unreadable(f"'{path}'", error) from None
    is_wide = content.startswith(UTF_16)
    if b"\0" in content and not is_wide:
        message = f"'{path}' is no text: it holds zero bytes. Save it as CSV in the encoding UTF-8."
        raise HowsureError(message)
    for encoding in ("utf-16",) if is_wide else ("utf-8-sig", "cp1252"):
        try:
            return content.decode(encoding)
        except UnicodeDecodeError:
            continue
    message = f"'{path}' is in an unknown encoding. Save it as UTF-8."
    raise HowsureError(message)
