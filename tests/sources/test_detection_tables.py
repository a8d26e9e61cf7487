"""Tables with a row for each object or detection, as Open Images, Roboflow and VoTT write them."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import howsure as hs

# Two classes on three images, and a fourth one with a row without a box.
OBJECTS = pd.DataFrame(
    {
        "ImageID": ["a", "a", "b", "c", "d"],
        "LabelName": ["cat", "dog", "cat", "cat", None],
        "XMin": [0, 50, 10, 70, np.nan],
        "XMax": [20, 80, 30, 90, np.nan],
        "YMin": [0, 50, 10, 70, np.nan],
        "YMax": [20, 80, 30, 90, np.nan],
    }
)
DETECTIONS = pd.DataFrame(
    {
        "filename": ["a", "a", "b", "d"],
        "class": ["cat", "dog", "cat", "cat"],
        "xmin": [1, 52, 10, 5],
        "ymin": [0, 50, 12, 5],
        "xmax": [20, 80, 30, 9],
        "ymax": [20, 80, 30, 9],
        "confidence": [0.9, 0.8, 0.7, 0.95],
    }
)
BY_IMAGE = (  # the same
    [
        {"boxes": [[1, 0, 20, 20], [52, 50, 80, 80]], "labels": ["cat", "dog"], "scores": [0.9, 0.8]},
        {"boxes": [[10, 12, 30, 30]], "labels": ["cat"], "scores": [0.7]},
        {"boxes": [], "labels": [], "scores": []},
        {"boxes": [[5, 5, 9, 9]], "labels": ["cat"], "scores": [0.95]},
    ],
    [
        {"boxes": [[0, 0, 20, 20], [50, 50, 80, 80]], "labels": ["cat", "dog"]},
        {"boxes": [[10, 10, 30, 30]], "labels": ["cat"]},
        {"boxes": [[70, 70, 90, 90]], "labels": ["cat"]},
        {"boxes": [], "labels": []},
    ],
)


def forms(frame, path):
    """Return a table in several forms, one of them a file."""
    frame.to_csv(path, index=False)
    return [frame, pl.from_pandas(frame), frame.to_dict("list"), frame.to_dict("records"), path]


def test_tables_are_those_of_the_images(tmp_path):
    """Counts of frames, columns, rows and files are those of the mappings of each image, groups included."""
    groups = ["x", "x", "y", "z"]
    right = hs.detections(*BY_IMAGE, groups=groups)
    for preds, target in zip(forms(DETECTIONS, tmp_path / "p.csv"), forms(OBJECTS, tmp_path / "t.csv"), strict=True):
        found = hs.detections(preds, target, groups=groups)
        assert found.labels.tolist() == ["cat", "dog"]
        assert found.counts.tolist() == right.counts.tolist()
        assert hs.estimate(found, "map").standard_error == hs.estimate(right, "map").standard_error
    # Of three cats, two are found behind a false alarm, precision 2/3 up to a recall of 67/101; the dog is found.
    assert hs.estimate(right, "map+iou=0.5").value == pytest.approx((67 * 2 / 3 / 101 + 1) / 2)


def test_several_detectors_and_a_class(tmp_path):
    """Detectors are paired; without labels all objects are of one class; coordinates have other names."""
    sides = {"xmin": "x1", "ymin": "y1", "xmax": "x2", "ymax": "y2", "confidence": "score"}
    preds, target = DETECTIONS.drop(columns="class").rename(columns=sides), OBJECTS.drop(columns="LabelName")
    DETECTIONS.to_csv(tmp_path / "old.csv", index=False)
    table = hs.detections({"new": preds.iloc[:3], "old": preds}, target, iou=0.5)
    # Of four objects, three are found in front of no false alarm, or behind one.
    assert hs.estimate(table.model("new"), "map").value == pytest.approx(76 / 101)
    assert hs.compare(table, "map", a="new", b="old").value == pytest.approx(76 / 101 * (1 - 3 / 4))


def test_a_table_without_a_detection():
    """A detector that finds nothing misses every object."""
    assert hs.estimate(hs.detections(DETECTIONS.head(0), OBJECTS), "map").value == 0


def test_groups_of_objects_are_crowds():
    """A detection in a group of Open Images is no false alarm, and the group is no object."""
    target = OBJECTS.assign(IsGroupOf=[0, 0, 0, 1, 0])
    preds = pd.concat(
        [DETECTIONS.iloc[:3], DETECTIONS.iloc[:1].assign(filename="c", xmin=72, ymin=72, xmax=80, ymax=80)]
    )
    assert hs.estimate(hs.detections(preds, target, iou=0.5), "map").value == pytest.approx(1)


@pytest.mark.parametrize(
    "preds, target, words",
    [
        (
            DETECTIONS.drop(columns="confidence"),
            OBJECTS,
            "`preds` has the columns filename.*ymin, xmax, ymax and score",
        ),
        (DETECTIONS, OBJECTS.drop(columns="ImageID"), "`target` has the columns LabelName, .* each object image, xmin"),
        (DETECTIONS, OBJECTS.rename(columns={"XMax": "w", "YMax": "h"}), "`target` has the columns .*Name those of"),
        (DETECTIONS, OBJECTS.assign(XMin=[0, 50, 10, np.nan, np.nan]), "holds a missing or infinite number"),
        (DETECTIONS.assign(xmin=["1", "left", "10", "5"]), OBJECTS, r"`preds\['xmin'\]` must be numbers"),
        (DETECTIONS.assign(filename=["a", None, "b", "d"]), OBJECTS, "`preds` has a row without an image"),
        (
            DETECTIONS.assign(filename=["a.jpg", "a.jpg", "b.jpg", "d.jpg"]),
            OBJECTS,
            "`preds` has images such as 'a.jpg', and `target` has 'a', 'b', 'c', 'd': none is in both",
        ),
    ],
)
def test_tables_without_a_column_are_refused(preds, target, words):
    with pytest.raises(hs.HowsureError, match=words):
        hs.detections(preds, target)
