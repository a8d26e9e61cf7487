"""Ten reports that together show all parts of the page; run it to look at them.

``python tests/support/scenarios.py FOLDER`` writes each as a page, and, if Playwright and Chromium are installed,
pictures at three widths, light and dark.
"""

import itertools
import shutil
import sys
from pathlib import Path

import numpy as np

import howsure as hs

WIDTHS, SCHEMES = (600, 1000, 1600), ("light", "dark")
ANIMALS = ["ant", "bat", "cat", "cow", "dog", "eel", "elk", "emu", "fox", "gnu", "hen", "owl", "pig", "ram", "yak"]


def one_model():
    """Two classes, 8 of 100 cases wrong: F1 = 84 / 92."""
    return hs.report_of(hs.from_counts([[50, 3], [5, 42]], labels=["healthy", "ill"]), title="ward 3")


def _models(mistakes):
    """Return a table of models on the same 400 cases, each wrong on its own ones."""
    truth = np.tile(["healthy", "ill"], 200)
    other = np.where(truth == "ill", "healthy", "ill")
    right = {name: ~np.isin(np.arange(400), list(cases)) for name, cases in mistakes.items()}
    return hs.paired(truth, {name: np.where(each, truth, other) for name, each in right.items()})


def two_models():
    """All mistakes of the first are mistakes of the second too, which has 40 more."""
    return hs.report_of(_models({"forest": range(20), "tree": range(60)}), title="two models")


def five_models():
    """Five models: the first two are wrong 20 and 22 times on different cases, the others 100 times and more."""
    mistakes = {"forest": range(20), "boosted_trees": range(20, 42), "logistic": range(100)}
    mistakes |= {"naive_bayes": range(110), "majority_vote_of_neighbours": range(120)}
    return hs.report_of(_models(mistakes), title="five models")


def groups():
    """Recall is 0.9 in each group but one, where it is 0.5; scores are included."""
    rng = np.random.default_rng(3)
    sites = np.repeat(["Bern", "Graz", "Ulm"], 200)
    truth = np.tile(["healthy", "ill"], 300)
    score = np.clip(rng.normal(np.where(truth == "ill", np.where(sites == "Ulm", 0.45, 0.75), 0.2), 0.2), 0, 1).round(3)
    scores = hs.scores(truth, score, pos_label="ill", by={"site": sites})
    counts = hs.confusion(truth, np.where(score >= 0.5, "ill", "healthy"), by={"site": sites})
    return hs.report_of([hs.results.Subject("", counts, scores)], title="three sites")


def many_classes():
    """Fifteen classes with 20 cases right in each, and a few confusions, most often a cat for a dog."""
    counts = np.diag([20] * 15)
    for true, predicted, cases in (("cat", "dog", 9), ("dog", "cat", 6), ("elk", "cow", 5), ("owl", "hen", 4)):
        counts[ANIMALS.index(true), ANIMALS.index(predicted)] = cases
    for place in range(14):
        counts[place, place + 1] += 1
    return hs.report_of(hs.from_counts(counts, labels=ANIMALS), title="animals")


def unlabelled():
    """Scores whose labels nobody has seen."""
    score = np.random.default_rng(5).beta(0.5, 0.6, 40).round(2)
    scored = hs.calibrated(score)
    return hs.report_of([hs.results.Subject("", scored.at(0.5), scored, 0.5)], title="scores of March", random_state=0)


def judged():
    """Ask a judge who passes 800 of 1,000, where people pass 90 of 100 of these, and 5 of 50 of the others."""
    judge = np.repeat(["pass", "fail"], [800, 200])
    human = np.full(1000, None, dtype=object)
    human[:100] = np.repeat(["pass", "fail"], [90, 10])
    human[800:850] = np.repeat(["pass", "fail"], [5, 45])
    table = hs.judged(human, judge, labels=["fail", "pass"])
    return hs.report_of(table, metrics=["pass_rate", "recall", "specificity", "kappa"], title="answers")


def study():
    """Three experiments with a network, 46 or more of 50 right, and three with a rule, 35 or fewer."""
    made = hs.Study(seed=1, n_draws=2000)
    for name, right in {"mlp/0": 48, "mlp/1": 47, "mlp/2": 46, "rule/0": 33, "rule/1": 35, "rule/2": 31}.items():
        made.add(name, [[right, 50 - right], [50 - right, right]])
    made.add_metric("accuracy", aggregation="dl")
    made.add_metric("f1", aggregation="dl")
    return hs.report_of(made, title="network and rule")


def rare():
    """Three ill among 1,003: F1 = 4 / 10."""
    return hs.report_of(hs.from_counts([[995, 5], [1, 2]], labels=["healthy", "ill"]), title="screening")


def perfect():
    """Thirty cases, none of them wrong."""
    return hs.report_of(hs.from_counts([[15, 0], [0, 15]], labels=["healthy", "ill"]), title="a good day")


SCENARIOS = (one_model, two_models, five_models, groups, many_classes, unlabelled, judged, study, rare, perfect)


def take_pictures(folder, pages):
    """Open each page at each width on each background, and take a picture."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for width, scheme in itertools.product(WIDTHS, SCHEMES):
            context = browser.new_context(offline=True, viewport={"width": width, "height": 900}, color_scheme=scheme)
            for page in pages:
                tab = context.new_page()
                tab.goto(page.absolute().as_uri())
                tab.screenshot(path=folder / f"{page.stem}-{width}-{scheme}.png", full_page=True)
                tab.close()
            context.close()
        browser.close()


def main():
    """Write the pages, and pictures of them."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    pages = [make().save(folder / f"{make.__name__}.html") for make in SCENARIOS]
    if shutil.which("chromium"):
        take_pictures(folder, pages)


if __name__ == "__main__":
    main()
