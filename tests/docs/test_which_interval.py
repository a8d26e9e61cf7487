"""The page on default intervals agrees with the library."""

import re

import numpy as np
import pytest

import howsure as hs
from howsure.methods.default import WHY

CODE = re.compile(r"`([^`]+)`")


def rows(docs, heading):
    """Return the cells of a table's rows, those left empty filled from above."""
    text = (docs / "which-interval.md").read_text().partition(f"## {heading}\n")[2].partition("\n## ")[0]
    found = []
    for line in [line for line in text.splitlines() if line.startswith("|")][2:]:
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        found.append([cell or above for cell, above in zip(cells, found[-1] if found else cells, strict=True)])
    return found


@pytest.fixture(scope="module")
def held():
    """Return the data of the page: 200 cases of 50 patients, and the other data in its rows."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 200)
    score = np.clip(rng.normal(0.35 + 0.3 * truth, 0.2), 0.01, 0.99)
    second = np.clip(rng.normal(0.4 + 0.2 * truth, 0.2), 0.01, 0.99)
    predicted, other = (score > 0.5).astype(int), (second > 0.5).astype(int)
    return {
        "hs": hs,
        "truth": truth,
        "score": score,
        "predicted": predicted,
        "patient": np.arange(200) // 4,
        "species": (species := rng.integers(0, 3, 200)),
        "site": species,
        "unit": 10 * species + np.arange(200) % 7,
        "weight": rng.gamma(5, 0.2, 200),
        "new_predicted": predicted[:80],
        "reward": score,
        "passed": predicted,
        "task": np.arange(200) // 4,
        "probabilities": rng.dirichlet([2, 1, 1], 200),
        "checked": [int(label) if case % 4 == 0 else None for case, label in enumerate(truth)],
        "matrix": [[560, 40], [60, 340]],
        "reviews": [[[95, 5], [22, 18]], [[14, 26], [3, 97]]],
        "ratings": rng.integers(0, 2, (50, 4)),
        "tags": [["B-PER", "I-PER", "O"], ["B-LOC", "O"], ["O", "B-PER"], ["B-LOC", "B-PER"], ["O", "B-LOC"]],
        "predicted_tags": [["B-PER", "O", "O"], ["B-LOC", "O"], ["O", "B-PER"], ["B-LOC", "O"], ["B-LOC", "O"]],
        "hits": [8, 5, 90, 2, 7, 6],
        "alarms": [1, 0, 20, 1, 0, 1],
        "misses": [2, 3, 10, 1, 1, 2],
        "both": hs.paired(truth, {"first": predicted, "second": other}),
        "both_scores": hs.paired_scores(truth, {"first": score, "second": second}),
        "both_values": hs.values({"first": score, "second": second}),
        "first": hs.confusion(truth, predicted),
        "second": hs.confusion(truth, other),
        "first_scores": hs.scores(truth, score),
        "second_scores": hs.scores(truth, second),
    }


def test_the_defaults_for_one_model_are_those_of_the_page(docs, held):
    """For each kind of data and each metric of the page, the default method is the listed one."""
    wrong = []
    for _, source, metrics, method in rows(docs, "One model"):
        table = eval(CODE.findall(source)[0], held)  # noqa: S307 - the page is ours
        found = {metric: hs.suitable_methods(table, metric)[0] for metric in CODE.findall(metrics)}
        wrong += [(source, metric, name) for metric, name in found.items() if name != CODE.findall(method)[0]]
    assert wrong == []


def test_the_defaults_for_two_models_are_those_of_the_page(docs, held):
    """Each call on the page uses the listed method."""
    calls = [(call, method) for _, call, method in rows(docs, "Two models")]
    found = {call: eval(CODE.findall(call)[0], held).method for call, _ in calls}  # noqa: S307 - as above
    assert {call: CODE.findall(method)[0] for call, method in calls} == found


def test_the_page_knows_every_method_that_may_be_a_default(docs):
    """Every possible default method has a row, except those that only replace inapplicable ones."""
    page = (docs / "which-interval.md").read_text()
    assert {name for name in WHY if f"`{name}`" not in page} <= {"fieller"}
