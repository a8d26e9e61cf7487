"""The page in a real browser: offline, without a complaint, by mouse and by keyboard, on any width and ground."""

import json

import pytest

from support import scenarios


def column(page, table, index):
    """Return the sort keys of a table's column, top to bottom; bars are not a column."""
    rows = page.locator("table").nth(table).locator("tbody tr")
    sorted_by = """(rows, index) => rows.map(row => Array.from(row.cells).filter(cell => cell.className !== "track")[index])
        .map(cell => cell.dataset.sort ?? cell.textContent)"""
    return rows.evaluate_all(sorted_by, index)


def table_named(page, title):
    """Return the position of the table with this caption."""
    captions = page.locator("table caption").all_inner_texts()
    return captions.index(title)


def plain(element):
    """Return an element's text with ordinary blanks."""
    return " ".join(element.inner_text().split())


@pytest.mark.thorough
def test_tables_sort_up_and_down_by_number_and_by_word(report, opened):
    """A click on a header sorts ascending, another one descending; only the sorted header indicates this."""
    page = opened(report)
    index = table_named(page, "All metrics")
    table = page.locator("table").nth(index)
    before = column(page, index, 1)
    table.locator("thead button").nth(1).click()
    rising = [float(each) for each in column(page, index, 1)]
    assert rising == sorted(rising)
    assert sorted(before) == sorted(column(page, index, 1)), "no row is lost"
    table.locator("thead button").nth(1).press("Enter")
    assert [float(each) for each in column(page, index, 1)] == rising[::-1]
    assert table.locator("th[aria-sort]").count() == 1
    assert table.locator("thead th").nth(1).get_attribute("aria-sort") == "descending"
    table.locator("thead button").nth(0).click()
    words = column(page, index, 0)
    assert words == sorted(words, key=str.lower)


@pytest.mark.thorough
def test_undefined_values_sort_last(opened):
    """An undefined value is at the end, whichever way the table is sorted."""
    import howsure as hs

    table = hs.from_counts([[10, 0, 2], [1, 0, 9], [2, 0, 20]])
    page = opened(hs.report_of(table))
    index = table_named(page, "precision")
    for _ in range(2):
        page.locator("table").nth(index).locator("thead button").nth(1).click()
        assert column(page, index, 1)[-1] == "nan"


@pytest.mark.thorough
def test_the_level_control_changes_every_interval(report, opened):
    """At another level the texts, the bars, the bands and the headline are those of that level."""
    page = opened(report)
    sentence = page.locator("p.headline").first  # of the first model: the answer is at the level of the comparisons
    assert plain(sentence) == report.headline[1][report.level]
    band = page.locator("path.band:visible").first.get_attribute("d")
    index = table_named(page, "All metrics")
    bar = page.locator("table").nth(index).locator(".bar i:visible").first
    narrow = bar.bounding_box()["width"]
    page.get_by_label("99 %").check()
    assert plain(sentence) == report.headline[1][-1]
    assert page.locator("path.band:visible").first.get_attribute("d") != band
    wide = page.locator("table").nth(index).locator(".bar i:visible").first.bounding_box()["width"]
    assert wide > narrow
    sheet = next(sheet for section in report.sections for sheet in section.sheets if sheet.title == "All metrics")
    cell = page.locator("table").nth(index).locator("tbody tr").first.locator("td.number").first
    assert sheet.rows[0][1].text(len(report.levels) - 1) == plain(cell)


@pytest.mark.thorough
def test_the_level_control_works_without_scripts(compact, chromium, tmp_path):
    """Without scripts, the level control still selects the shown level."""
    path = compact.save(tmp_path / "report.html")
    context = chromium.new_context(offline=True, java_script_enabled=False)
    page = context.new_page()
    page.goto(path.as_uri())
    shown = [plain(page.locator("h1"))]
    page.get_by_label("80 %").check()
    shown.append(plain(page.locator("h1")))
    context.close()
    assert shown == [compact.headline[0][compact.level], compact.headline[0][0]]


@pytest.mark.thorough
def test_hovering_says_more_at_the_chosen_level(report, opened):
    """The pointer over a value, or over a point of a curve, shows method or threshold and the level's interval."""
    page = opened(report)
    tip = page.locator("#tip")
    assert tip.is_hidden()
    cell = page.locator("[data-tip]:not(circle)").first
    cell.hover()
    assert tip.is_visible()
    assert "method" in tip.inner_text()
    assert "; 95 %: [" in tip.inner_text()
    page.get_by_label("80 %").check()
    page.locator("figure").first.scroll_into_view_if_needed()
    page.locator("circle.mark").nth(10).hover(force=True)
    assert "threshold" in tip.inner_text()
    assert "; 80 %: [" in tip.inner_text()
    box, view = tip.bounding_box(), page.viewport_size
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= view["width"]
    page.keyboard.press("Escape")
    assert tip.is_hidden()


@pytest.mark.thorough
def test_curves_and_level_answer_to_the_keyboard(report, opened):
    """The arrow keys walk along a focused curve, and choose the level in its group."""
    page = opened(report)
    page.locator("figure svg[role=img]").first.focus()
    page.keyboard.press("ArrowRight")
    first = page.locator("#tip").inner_text()
    page.keyboard.press("ArrowRight")
    assert page.locator("#tip").inner_text() != first
    page.get_by_label("95 %").focus()
    page.keyboard.press("ArrowRight")
    assert page.get_by_label("99 %").is_checked()


@pytest.mark.thorough
@pytest.mark.parametrize("width", [400, 1600])
def test_nothing_overflows(report, strange, opened, width):
    """The page is as wide as the window; wider content scrolls in its own frame."""
    for each in (report, strange):
        page = opened(each, width=width)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        outside = page.evaluate(
            """() => [...document.querySelectorAll("main *")].filter((each) => !each.closest(".scroll *, svg, details"))
                .filter((each) => each.getBoundingClientRect().right > innerWidth + 1).map((each) => each.outerHTML.slice(0, 80))"""
        )
        assert outside == []


@pytest.mark.thorough
def test_labels_are_text(strange, opened):
    """Markup in a label, a title, a column's name or a command is shown, and never run."""
    page = opened(strange)
    title, quotes, foreign = (str(label) for label in strange.results["tables"][0]["labels"])
    assert page.title() == f"{title} · howsure"
    assert page.locator("script").count() == 2
    shown = page.locator("body").inner_text()
    for label in (title, quotes, foreign):
        assert label in shown
    assert page.locator("pre").inner_text().strip() == title
    assert json.loads(page.locator("#howsure-results").text_content())["title"] == title


@pytest.mark.thorough
def test_foreign_scripts_do_not_run(report, opened, complaints):
    """Even a script that got into the page would not run: the page's policy names its own by its hash."""
    page = opened(report)
    page.evaluate(
        """() => { const script = document.createElement("script"); script.textContent = "window.stranger = 1";
            document.body.append(script); }"""
    )
    assert page.evaluate("window.stranger") is None
    assert "Content Security Policy" in complaints.pop()


def faults(page):
    """Return the findings of axe-core, of any severity: names, roles, headings, contrast, order."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    page.locator("details summary").first.click()
    violations = axe.Axe().run(page).response["violations"]
    return [(each["id"], each["impact"], each["nodes"][0]["html"][:200]) for each in violations]


@pytest.mark.thorough
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_checker_of_accessibility_finds_no_fault(compact, opened, scheme):
    """A page with every kind of part passes axe-core, on a light and on a dark background."""
    assert faults(opened(compact, scheme=scheme)) == []


@pytest.mark.thorough
@pytest.mark.parametrize("make", scenarios.SCENARIOS, ids=lambda make: make.__name__)
def test_each_kind_of_page_fits_and_has_no_fault(make, opened):
    """At each width the page fits the window, and on either ground the checker of accessibility finds no fault."""
    page = opened(make())
    for width in scenarios.WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    for scheme in scenarios.SCHEMES:
        page.emulate_media(color_scheme=scheme)
        assert faults(page) == []


@pytest.mark.thorough
def test_a_matrix_keeps_its_order(compact, opened):
    """A confusion matrix has no buttons that would sort its rows off the diagonal."""
    page = opened(compact)
    assert page.locator("table.matrix").count() == 1
    assert page.locator("table.matrix button").count() == 0
    diagonal = page.locator("table.matrix tbody tr").evaluate_all(
        "rows => rows.map((row, i) => row.cells[i + 1].className)"
    )
    assert diagonal == ["hit", "hit", "hit"]


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_checker_of_accessibility_finds_no_fault_in_large_and_strange_reports(report, strange, opened, scheme):
    """Nor have a page of three models and one of hostile labels."""
    for each in (report, strange):
        assert faults(opened(each, scheme=scheme)) == []


@pytest.mark.thorough
def test_paper_has_the_results_and_no_controls(report, opened, tmp_path):
    """In print the tables are complete, including scrolling parts, and controls and hints are hidden."""
    page = opened(report)
    page.emulate_media(media="print")
    assert page.locator("nav").is_hidden()
    assert page.locator("fieldset input").first.is_hidden()
    assert page.locator("table").first.is_visible()
    assert len(page.pdf(path=tmp_path / "report.pdf")) > 10_000


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["stard-ai", "model-card"])
def test_checklists_stack_in_a_narrow_window(report, opened, name):
    """In a narrow window the cells of an item stand below each other, so that nothing needs scrolling sideways."""
    for width in (1200, 400):
        page = opened(report.with_checklist(name), width=width)
        wider = page.locator("table.prose:visible").evaluate_all("all => all.map(t => t.scrollWidth - innerWidth)")
        assert wider
        assert max(wider) <= 0


@pytest.mark.thorough
def test_numbers_behind_a_name_from_right_to_left_keep_their_order(opened):
    """In a sentence the value behind a Hebrew name is left of its interval, and the lower limit left of the upper one."""
    import howsure as hs

    table = hs.confusion([0, 1] * 20, [0, 1, 1, 1] * 10, by={"site": ["שלום עולם", "b"] * 10 + ["b", "שלום עולם"] * 10})
    page = opened(hs.report_of(table, metrics=["accuracy"], checklist="stard-ai"))
    places = """() => {
        const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
        const found = [];
        for (let node; (node = walker.nextNode()); ) {
            const at = /עולם[^\\d]*?(\\d\\.\\d+)\\s\\[(\\d\\.\\d+),\\s(\\d\\.\\d+)\\]/d.exec(node.data);
            if (!at || !node.parentElement.offsetParent) continue;
            found.push(at.indices.slice(1).map(([start, end]) => {
                const range = document.createRange();
                range.setStart(node, start);
                range.setEnd(node, end);
                const box = range.getBoundingClientRect();
                return [box.top, box.left];
            }));
        }
        return found;
    }"""
    found = page.evaluate(places)
    assert found
    assert all(each == sorted(each) for each in found)
