"""The reference has every public name, once."""

import howsure as hs

PUBLIC = [name for name in hs.__all__ if name != "__version__"]


def test_every_public_name_has_its_place(reference):
    """Each name of the package is in one group of the reference; plots and the laboratory have sections of their own."""
    listed = [name for names in reference.grouped().values() for name in names]
    assert len(listed) == len(set(listed))
    assert {*listed, *reference.SUBMODULES} >= {*PUBLIC}


def test_the_pages_name_each(reference):
    """The first page of the reference lists each name, and so does the page of its group."""
    first, *groups = [text.splitlines() for text in reference.written().values()]
    names = [name for name in PUBLIC if name not in reference.SUBMODULES]
    assert all(f"   {name}" in first for name in names)
    assert all(any(f"   {name}" in group for group in groups) for name in names)


def test_names_that_differ_in_capitals_have_files_that_differ_otherwise(reference):
    """On case-insensitive file systems, `ranks` and `Ranks` are still two pages."""
    files = [name.lower() for name in reference.files()]
    assert len(files) == len(set(files))
    assert reference.apart()["howsure.Ranks"] != "howsure.Ranks"
