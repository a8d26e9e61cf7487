"""The last site built by `make docs`, opened from files, without a network; skipped without a site."""

import re
from html import unescape
from posixpath import dirname, join, normpath
from urllib.parse import unquote

import pytest

pytestmark = [pytest.mark.thorough, pytest.mark.xdist_group("site")]
WALK = [
    "index.html",
    "guide/scores.html",
    "api/estimate.html",
    "gallery.html",
    "search.html?q=wilson",
]


@pytest.fixture(scope="module")
def site(docs):
    """Return the folder of the site."""
    folder = docs / "_build" / "html"
    if not (folder / "index.html").exists():
        pytest.skip("there is no site: `make docs` builds it")
    return folder


@pytest.fixture
def opened(chromium, site):
    """Open a page of the site from its file, and record external requests and console messages."""
    contexts = []

    def open_page(name, scheme="light"):
        context = chromium.new_context(offline=True, viewport={"width": 1200, "height": 900}, color_scheme=scheme)
        contexts.append(context)
        page = context.new_page()
        page.noted = []
        page.on("request", lambda request: page.noted.append(request.url))
        page.on("pageerror", lambda error: page.noted.append(f"error: {error}"))
        page.goto(f"{site.as_uri()}/{name}")
        return page

    yield open_page
    for context in contexts:
        context.close()


@pytest.mark.parametrize("name", WALK)
def test_pages_need_no_network(opened, site, name):
    """A page requests only files of the site, and its scripts run without errors."""
    page = opened(name)
    page.wait_for_load_state("load")
    assert [each for each in page.noted if not each.startswith(site.as_uri())] == []
    assert page.locator("h1").first.is_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", WALK)
def test_the_checker_of_accessibility_finds_nothing_serious(opened, name, scheme):
    """axe-core finds nothing serious or critical, on a light ground or on a dark one."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    violations = axe.Axe().run(opened(name, scheme)).response["violations"]
    serious = [each for each in violations if each["impact"] in {"serious", "critical"}]
    assert [(each["id"], each["nodes"][0]["html"][:200]) for each in serious] == []


@pytest.mark.parametrize(
    "words, found",
    [
        ("suitable_methods", "api/extend-and-look-up.html#howsure.suitable_methods"),
        ("macro recall", "derivations.html"),
    ],
)
def test_the_search_finds_names_and_words(opened, words, found):
    """The search works from files: a name leads to its page in the reference, words to their places."""
    page = opened(f"search.html?q={words}")
    page.locator("#search-results ul.search li a").first.wait_for()
    page.wait_for_function("document.querySelector('#search-results .search-summary').innerText.includes('found')")
    links = page.locator("#search-results ul.search li a").evaluate_all("links => links.map(link => link.href)")
    assert any(found in link for link in links)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pictures_suit_the_ground(opened, scheme):
    """Each picture is shown in the version for the background; the other version is hidden."""
    page = opened("gallery.html", scheme)
    for ground in ("light", "dark"):
        pictures = page.locator(f"img.only-{ground}")
        assert pictures.count() > 10
        assert pictures.first.is_visible() == (ground == scheme)


def test_formulas_are_seen_by_readers_of_screens(opened):
    """Formulas are MathML, which browsers show and read aloud."""
    page = opened("theory/derivations.html")
    assert page.locator("math[display=block] mfrac").count() > 10
    assert page.locator("main").inner_text().count("\\frac") == 0


def links_of(text):
    """Return where a page's links, pictures, styles and scripts lead."""
    return set(re.findall(r'<(?:a|img|link|script)\s[^>]*?(?:href|src)="([^"]*)"', text))


def test_no_link_is_dead(site):
    """Each link, picture, style and script within the site has a file at its end, and a link to a place that place."""
    files = {path.relative_to(site).as_posix() for path in site.rglob("*") if path.is_file()}
    pages = {name: (site / name).read_text() for name in files if name.endswith(".html") and "_static/" not in name}
    places = {name: {unescape(place) for place in re.findall(r'\sid="([^"]*)"', text)} for name, text in pages.items()}
    dead = set()
    for name, text in pages.items():
        for link in links_of(text):
            if re.match(r"(https?|mailto|javascript|data):", link):
                continue
            target, _, place = unquote(unescape(link)).partition("#")
            end = normpath(join(dirname(name), target.partition("?")[0])) if target else name
            if end not in files or (place and end in places and place not in places[end]):
                dead.add((name, link))
    assert dead == set()


def test_every_public_name_is_on_its_page(site, reference):
    """The reference documents each public name on the page of its group or namespace."""
    texts = {page: (site / "api" / f"{page.slug}.html").read_text() for page in reference.pages()}
    places = {f"{page.module}.{name}": texts[page] for page in texts for name in page.names}
    assert [name for name, text in places.items() if f'id="{name}"' not in text] == []


def test_the_site_is_small(site):
    """Two hundred pages at most: the reference has one for each group of names."""
    assert len(list(site.rglob("*.html"))) <= 200


def test_types_lead_to_their_classes(site):
    """In the reference, types of parameters and return values are links."""
    links = links_of((site / "api" / "estimate.html").read_text())
    assert {"make-a-table.html#howsure.Table", "#howsure.Estimate"} <= links


def test_code_in_sentences_leads_to_the_reference(site):
    """A call that a page shows within a sentence or a table is a link to its function."""
    links = links_of((site / "which-interval.html").read_text())
    assert {
        "api/make-a-table.html#howsure.confusion",
        "api/compare-and-rank.html#howsure.compare",
        "api/make-a-table.html#howsure.judged",
    } <= links
