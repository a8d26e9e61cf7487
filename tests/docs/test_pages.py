"""Pages that hang together before anything is built: links, parts, the version that is cited."""

import re
import tomllib

import pytest

LINK = re.compile(r"\]\((?!https?:|mailto:)([^)#\s]+)(?:#[^)]*)?\)")
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


def test_links_lead_somewhere(docs, reference):
    """Every link from one document to another has a file at its end; those to the reference have a page there."""
    root = docs.parent
    documents = [*root.glob("*.md"), *docs.glob("*.md"), *docs.glob("guide/*.md"), *docs.glob("theory/*.md")]
    dead, written = [], reference.written()
    for path in documents:
        for target in LINK.findall(FENCE.sub("", path.read_text())):
            place = path.parent / target
            known = place.stem in written if place.parent.name == "api" else place.exists()
            dead += [] if known else [(path.name, target)]
    assert dead == []


@pytest.mark.parametrize("name", ["methods", "metrics", "averages", "order", "commands", "coverage", "benchmarks"])
def test_parts_are_made_from_the_library(made, name):
    """Each generated part of a page has content, and its tables have equal numbers of cells per row."""
    text = made.PARTS[name]("")
    rows = [line.replace(r"\|", "").count("|") for line in text.splitlines() if line.startswith("|")]
    assert len(text) > 200
    assert name == "metrics" or len(set(rows)) <= 1


def test_a_new_guide_is_listed_without_being_named(made, docs):
    """A guide that the page does not list comes last; listed guides appear once."""
    page = (docs / "guide" / "index.md").read_text()
    listed = made.other_guides(page).split()
    assert "scores" not in listed
    assert "scores" in made.other_guides("").split()


def test_every_picture_is_in_the_gallery(made, docs):
    """The gallery shows each figure of the guides, on either ground, with words for those who do not see it."""
    text = made.gallery("")
    figures = {path.name for path in (docs / "figures").glob("*.png")}
    assert {name for name in figures if name not in text} == set()
    assert "![](" not in text


def test_the_citation_has_the_package_s_version(docs):
    """The version to cite is the installed one."""
    project = tomllib.loads((docs.parent / "pyproject.toml").read_text())["project"]
    assert f"\nversion: {project['version']}\n" in (docs.parent / "CITATION.cff").read_text()


def test_examples_read_what_the_package_brings(docs):
    """Who has installed the package, and no checkout, can run the examples: none reads the tests' data."""
    pages = [docs.parent / "README.md", *docs.rglob("*.md")]
    assert len(pages) > 50
    assert not [page for page in pages if "tests/data" in page.read_text()]
