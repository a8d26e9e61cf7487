"""The reference has every public name, once."""

import howsure as hs


def test_every_public_name_has_its_place(reference):
    """Each name is on one page: of a group at the top, or of its namespace."""
    pages = reference.pages()
    listed = [f"{page.module}.{name}" for page in pages for name in page.names]
    assert len(listed) == len(set(listed))
    top = {name for page in pages if page.module == "howsure" for name in page.names}
    assert {*top, *reference.NAMESPACES, "__version__"} == {*hs.__all__, "testing"}


def test_the_pages_name_each(reference):
    """The first page lists each name, and the page of its group documents it."""
    first, *texts = reference.written().values()
    for page, text in zip(reference.pages(), texts, strict=True):
        for name in page.names:
            assert f"   {name}\n" in first + "\n"
            assert f":: {name}\n" in text
