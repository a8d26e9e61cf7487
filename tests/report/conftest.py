"""A report with everything in it, and a browser to open it in."""

import numpy as np
import pytest

import howsure as hs

STRANGE = ('<script>document.title="hacked"</script>', "quote \" and ' & \\", "🦊 שלום עולם")


@pytest.fixture(scope="session")
def report():
    """Three models, three groups, scores, a comparison and an aggregate."""
    rng = np.random.default_rng(11)
    truth = rng.integers(0, 2, 400)
    site = rng.choice(["north", "south", "west"], 400)
    subjects, said = [], {}
    for name, noise in (("forest", 0.25), ("logistic", 0.3), ("bayes", 0.45)):
        score = np.clip(rng.normal(0.3 + 0.4 * truth, noise), 0, 1).round(3)
        said[name] = predicted = (score >= 0.5).astype(int)
        tables = hs.confusion(truth, predicted, by={"site": site})
        subjects.append(hs.results.Subject(name, tables, hs.scores(truth, score)))
    compared = hs.compare_all(hs.paired(truth, said), "f1")
    pooled = hs.pool([0.81, 0.75, 0.84], [0.02, 0.03, 0.02], names=["north", "south", "west"])
    return hs.report_of(
        subjects,
        title="three models",
        random_state=7,
        comparisons=compared,
        aggregates={"all sites": pooled},
        command="howsure report three.csv",
    )


@pytest.fixture(scope="session")
def compact():
    """Return a small report that has each kind of part once."""
    rng = np.random.default_rng(12)
    truth = rng.integers(0, 3, 90)
    predicted = np.where(rng.random(90) < 0.7, truth, 0)
    scored = hs.scores(truth == 0, rng.random(90).round(1))
    subject = hs.results.Subject("", hs.confusion(truth, predicted, by={"site": ["only"] * 90}), scored)
    return hs.report_of([subject], metrics=["f1@macro"], command="howsure report small.csv")


@pytest.fixture(scope="session")
def strange():
    """Return a report whose labels, groups, models and title contain markup, quotes, emoji and Hebrew."""
    table = hs.from_counts([[30, 3, 1], [4, 40, 2], [0, 2, 21]], labels=list(STRANGE))
    subjects = {name: hs.tables.Tables([name], [table], table, [STRANGE[1]]) for name in STRANGE}
    return hs.report_of(subjects, title=STRANGE[0], command=STRANGE[0])


@pytest.fixture
def complaints():
    """Return a list of page errors, which must be empty at the end."""
    found = []
    yield found
    assert not found


@pytest.fixture
def opened(chromium, complaints, tmp_path):
    """Open a report from a file, with the network off."""
    contexts = []

    def open_page(report, width=1200, scheme="light"):
        path = report.save(tmp_path / f"report{len(contexts)}.html")
        context = chromium.new_context(offline=True, viewport={"width": width, "height": 900}, color_scheme=scheme)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: complaints.append(request.url) if request.url != path.as_uri() else None)
        page.goto(path.as_uri())
        return page

    yield open_page
    for context in contexts:
        context.close()
