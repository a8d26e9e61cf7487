"""Tasks that Label Studio exports: a row for each annotation, beside what models predicted.

The form is that of github.com/HumanSignal/label-studio-converter (`tests/data`). The numbers are made up.
"""

import json

import numpy as np
import pytest
from sklearn.metrics import accuracy_score

import howsure as hs
from howsure.errors import HowsureWarning
from howsure.sources.json_tables import records_of

MOODS = np.array(["glad", "sad", "so-so"])
RNG = np.random.default_rng(3)
SAID = {person: MOODS[RNG.integers(0, 3, 30)] for person in (1, 2)}
PREDICTED = np.where(RNG.random(30) < 0.6, SAID[1], MOODS[RNG.integers(0, 3, 30)])


def result(kind, **value):
    """Return the result of a control."""
    return {"id": "r", "from_name": "mood", "to_name": "text", "type": kind, "value": value}


def tasks(**more):
    """Return tasks with the annotations of two persons and the prediction of a model."""
    return [
        {
            "id": number + 1,
            "data": {"text": f"text {number}"},
            "annotations": [
                {"id": 100 * who + number, "completed_by": who, "was_cancelled": False}
                | {"result": [result("choices", choices=[moods[number]])]}
                for who, moods in SAID.items()
            ],
            "predictions": [{"model_version": "m", "result": [result("choices", choices=[PREDICTED[number]])]}],
        }
        | more
        for number in range(30)
    ]


def test_predictions_and_agreement_of_an_export(tmp_path):
    """Values are those of the annotations as columns; persons annotate the same tasks, which is cautioned."""
    path = tmp_path / "project-1.json"
    path.write_text(json.dumps(tasks()))
    with pytest.warns(HowsureWarning, match="'id' has several cases for one value: 30 values for 60.*groups='id'"):
        hs.confusion("mood", "prediction.mood", data=path)
    table = hs.confusion("mood", "prediction.mood", data=path, groups="id")
    right = accuracy_score(np.concatenate([*SAID.values()]), np.tile(PREDICTED, 2))
    assert hs.estimate(table, "accuracy").value == pytest.approx(right)
    agreement = hs.estimate(hs.ratings("mood", item="id", rater="annotator", data=path), "percent_agreement")
    assert agreement.value == pytest.approx(np.mean(SAID[1] == SAID[2]))


@pytest.mark.parametrize(
    "results, value",
    [
        ([result("choices", choices=["a", "b"])], ["a", "b"]),
        ([result("rating", rating=4)], 4),
        ([result("number", number=0.5)], 0.5),
        ([result("textarea", text=["good"])], "good"),
        (
            [result("labels", start=0, end=5, labels=["ORG"], text="Apple")],
            [{"start": 0, "end": 5, "labels": ["ORG"], "text": "Apple"}],
        ),
    ],
)
def test_results_of_controls(results, value):
    """A single choice, number or text is a value; several, and regions, are a list."""
    task = {"id": 1, "data": {"text": "Apple"}, "annotations": [{"id": 2, "completed_by": 7, "result": results}]}
    assert records_of([task]) == [{"text": "Apple", "id": 1, "annotator": 7, "annotation_id": 2, "mood": value}]


def test_persons_models_and_skipped_tasks():
    """Persons have their addresses, models their names, and a skipped task has no row."""
    rating = result("rating", rating=5)
    person = {"id": 3, "email": "a@example.com"}
    annotation = {"result": [rating], "id": 9, "completed_by": person}
    predictions = [{"model_version": name, "result": [rating]} for name in "AB"]
    kept = {"id": 1, "data": {}, "annotations": [annotation], "predictions": predictions}
    skipped = {"id": 2, "data": {}, "annotations": [annotation | {"was_cancelled": True}], "predictions": []}
    row = {"id": 1, "annotator": "a@example.com", "annotation_id": 9, "mood": 5, "A": {"mood": 5}, "B": {"mood": 5}}
    assert records_of([kept, skipped]) == [row]
    with pytest.raises(hs.HowsureError, match="The task 1 has several predictions of one model"):
        records_of([kept | {"predictions": predictions[:1] * 2}])


def test_spans_of_an_export():
    """Spans of a control are entities of each document; four of eight are predicted."""
    span = {"start": 0, "end": 5, "labels": ["ORG"], "text": "Apple"}
    found = {"result": [{"from_name": "label", "type": "labels", "value": span}]}
    rows = records_of(
        [
            {"id": n, "data": {}, "annotations": [found], "predictions": [found if n % 2 else {"result": []}]}
            for n in range(8)
        ]
    )
    table = hs.entities([row["label"] for row in rows], [row["prediction"].get("label", []) for row in rows])
    assert hs.estimate(table, "recall").value == pytest.approx(0.5)
