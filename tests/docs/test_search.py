"""The site's search in a browser, on the last site built by `make docs`; skipped without a site."""

import tomllib
from pathlib import Path

import pytest

pytestmark = [pytest.mark.thorough, pytest.mark.xdist_group("site")]
SEARCHES = tomllib.loads(Path(__file__).with_name("searches.toml").read_text(encoding="utf-8"))["searches"]


@pytest.fixture(scope="module")
def searched(chromium, docs):
    """Search for something on the site, and stay on the page."""
    folder = docs / "_build" / "html"
    if not (folder / "index.html").exists():
        pytest.skip("there is no site: `make docs` builds it")
    context = chromium.new_context(offline=True)
    page = context.new_page()
    page.goto(f"{folder.as_uri()}/search.html?q=sample+size")
    page.locator("#search-results ul.search > li > a").first.wait_for()
    yield page
    context.close()


def test_the_first_result_is_shown_first(searched):
    """The best page is at the top of the visible list."""
    first = searched.locator("#search-results ul.search > li > a").first
    assert first.get_attribute("href").startswith("guide/planning.html")


@pytest.mark.parametrize("query", SEARCHES)
def test_the_wanted_page_is_among_the_first_three(searched, query):
    """A search by a reader's own words shows the page for it near the top, and no record or changelog."""
    ranked = "query => Search._performSearch(...Search._parseQuery(query)).reverse().map(result => result[0])"
    found = searched.evaluate(ranked, query)
    assert set(SEARCHES[query]) & set(found[:3])
    assert not [
        name for name in found if name.startswith(("decisions/", "changelog", "benchmarks", "coverage-", "speed"))
    ]
