"""Spreadsheet files, written without a library: the smallest xlsx and ods that readers take."""

import zipfile
from xml.sax.saxutils import escape, quoteattr

SPREADSHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
OASIS = "urn:oasis:names:tc:opendocument:xmlns"


def write_xlsx(path, sheets):
    """Write sheets, name to rows of numbers, texts, booleans and None."""
    numbers = range(1, len(sheets) + 1)
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{PACKAGE}/content-types"><Default Extension="rels" ContentType='
        '"application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" '
        f'ContentType="{kind}.sheet.main+xml"/>'
        + "".join(
            f'<Override PartName="/xl/worksheets/sheet{each}.xml" ContentType="{kind}.worksheet+xml"/>'
            for each in numbers
        )
        + "</Types>",
        "_rels/.rels": f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="rId1" '
        f'Type="{OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{SPREADSHEET}" xmlns:r="{OFFICE}"><sheets>'
        + "".join(
            f'<sheet name={quoteattr(name)} sheetId="{each}" r:id="rId{each}"/>'
            for each, name in zip(numbers, sheets, strict=True)
        )
        + "</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{PACKAGE}/relationships">'
        + "".join(
            f'<Relationship Id="rId{each}" Type="{OFFICE}/worksheet" Target="worksheets/sheet{each}.xml"/>'
            for each in numbers
        )
        + "</Relationships>",
    }
    for number, rows in zip(numbers, sheets.values(), strict=True):
        lines = "".join(
            f'<row r="{place}">{"".join(map(_cell, row, _letters(place)))}</row>' for place, row in enumerate(rows, 1)
        )
        parts[f"xl/worksheets/sheet{number}.xml"] = (
            f'<worksheet xmlns="{SPREADSHEET}"><sheetData>{lines}</sheetData></worksheet>'
        )
    with zipfile.ZipFile(path, "w") as file:
        for name, text in parts.items():
            file.writestr(name, '<?xml version="1.0" encoding="UTF-8"?>' + text)
    return path


def _letters(row):
    return (f"{letter}{row}" for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ")


def _cell(value, place):
    if value is None:
        return ""
    if isinstance(value, bool):
        return f'<c r="{place}" t="b"><v>{int(value)}</v></c>'
    if isinstance(value, str):
        kind = "e" if value.startswith("#") else "inlineStr"
        text = f"<v>{escape(value)}</v>" if kind == "e" else f"<is><t>{escape(value)}</t></is>"
        return f'<c r="{place}" t="{kind}">{text}</c>'
    return f'<c r="{place}"><v>{value}</v></c>'


def write_ods(path, sheets):
    """Write sheets, name to rows of numbers, texts and None."""
    tables = "".join(
        f"<table:table table:name={quoteattr(name)}>"
        + "".join(f"<table:table-row>{''.join(map(_office_cell, row))}</table:table-row>" for row in rows)
        + "</table:table>"
        for name, rows in sheets.items()
    )
    spaces = " ".join(f'xmlns:{name}="{OASIS}:{name}:1.0"' for name in ("office", "table", "text"))
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    content = f"<office:document-content {spaces}><office:body><office:spreadsheet>{tables}</office:spreadsheet>"
    manifest = f'<manifest:manifest xmlns:manifest="{OASIS}:manifest:1.0"><manifest:file-entry manifest:full-path="/" '
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("mimetype", kind)
        file.writestr("content.xml", f"{content}</office:body></office:document-content>")
        file.writestr("META-INF/manifest.xml", f'{manifest}manifest:media-type="{kind}"/></manifest:manifest>')
    return path


def _office_cell(value):
    if value is None:
        return "<table:table-cell/>"
    if isinstance(value, str):
        return f'<table:table-cell office:value-type="string"><text:p>{escape(value)}</text:p></table:table-cell>'
    return f'<table:table-cell office:value-type="float" office:value="{value}"/>'
