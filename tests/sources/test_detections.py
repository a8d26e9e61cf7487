"""Detections: matched and averaged as COCO does, varied by whole images, and refused where columns do not fit."""

import json
from dataclasses import replace

import numpy as np
import pytest

import howsure as hs
from howsure.metrics.binding import resolve
from howsure.metrics.operating import roc_slope
from howsure.tables.detections import DetectionsTable

PYCOCOTOOLS = """
Printed by pycocotools 2.0.11 of `images(0, 40)`; torchmetrics 1.9.0 prints the same to single precision when it is given
the recalls and overlaps in double precision, `rec_thresholds=np.linspace(0, 1, 101).tolist()`:

    preds, target = images(0, 40)
    size = lambda box: [box[0], box[1], box[2] - box[0], box[3] - box[1]]
    truths, found = [], []
    for image, (pred, true) in enumerate(zip(preds, target), 1):
        for box, label in zip(true["boxes"].tolist(), true["labels"].tolist()):
            truths.append({"id": len(truths) + 1, "image_id": image, "category_id": label + 1, "bbox": size(box),
                           "area": size(box)[2] * size(box)[3], "iscrowd": 0})
        for box, label, score in zip(*(pred[name].tolist() for name in ("boxes", "labels", "scores"))):
            found.append({"image_id": image, "category_id": label + 1, "bbox": size(box), "score": score})
    coco = COCO()
    coco.dataset = {"images": [{"id": i + 1} for i in range(40)], "annotations": truths,
                    "categories": [{"id": k} for k in (1, 2, 3)]}
    coco.createIndex()
    evaluated = COCOeval(coco, coco.loadRes(found), "bbox")
    evaluated.evaluate(), evaluated.accumulate(), evaluated.summarize()
    print(evaluated.stats[:3].tolist(), evaluated.eval["precision"][:, :, 0, 0, 2].mean())
"""
OF_COCO = {
    "map": 0.18649437419193093,
    "map+iou=0.5": 0.4415525424364308,
    "map+iou=0.75": 0.1316913372337393,
    "map+label=0": 0.2049403314971993,
}


def images(seed, number, classes=3):
    """Return random detections and truths of images."""
    rng = np.random.default_rng(seed)
    preds, target = [], []
    for _ in range(number):
        many = rng.poisson(3)
        corner = rng.uniform(0, 400, (many, 2))
        boxes = np.c_[corner, corner + rng.uniform(10, 100, (many, 2))]
        labels, found = rng.integers(0, classes, many), rng.random(many) < 0.7
        near = boxes[found] + rng.normal(0, 6, (found.sum(), 4))
        near[:, 2:] = np.maximum(near[:, 2:], near[:, :2] + 1)
        said = np.where(rng.random(found.sum()) < 0.9, labels[found], rng.integers(0, classes, found.sum()))
        scores = rng.beta(4, 2, found.sum())
        more = rng.poisson(1.0)
        corner = rng.uniform(0, 400, (more, 2))
        wrong = np.c_[corner, corner + rng.uniform(10, 100, (more, 2))]
        preds.append(
            {
                "boxes": np.r_[near, wrong].round(2),
                "scores": np.r_[scores, rng.beta(2, 4, more)],
                "labels": np.r_[said, rng.integers(0, classes, more)],
            }
        )
        target.append({"boxes": boxes.round(2), "labels": labels})
    return preds, target


# Printed as above, with `"iscrowd"` of `crowds(images(4, 40))` in place of 0.
WITH_CROWDS = {"map": 0.19351775254090764, "map+iou=0.5": 0.4197333905580212, "map+iou=0.75": 0.1331816504210214}


def crowds(target):
    """Return the truths with a quarter of them made crowds, which are larger."""
    rng, found = np.random.default_rng(104), []
    for each in target:
        crowd = rng.random(len(each["labels"])) < 0.25
        boxes = np.where(crowd[:, None], each["boxes"] + np.array([-40, -40, 40, 40]), each["boxes"])
        found.append({"boxes": boxes, "labels": each["labels"], "iscrowd": crowd.astype(int)})
    return found


@pytest.mark.parametrize("metric", WITH_CROWDS)
def test_crowds_are_those_of_coco(metric):
    """With crowds among the true objects average precision equals pycocotools'."""
    preds, target = images(4, 40)
    assert hs.estimate(hs.detections(preds, crowds(target)), metric).value == pytest.approx(WITH_CROWDS[metric])


def test_a_crowd_is_no_truth_and_hides_what_lies_in_it():
    """Of three detections one hits, one is in the crowd, as is a second one; a missed crowd is not counted."""
    preds = [{"boxes": [[0, 0, 10, 10], [50, 50, 60, 60], [70, 70, 80, 80]], "scores": [0.9, 0.8, 0.7]}]
    target = [{"boxes": [[0, 0, 10, 10], [40, 40, 90, 90], [100, 100, 190, 190]], "iscrowd": [0, 1, 1]}]
    table = hs.detections(preds, target, iou=0.5)
    assert table.counts.tolist() == [1, 0, 0, 0, 0, 0, 1, 0]  # an image; a hit at 0.9; no miss


def test_images_by_group_are_those_alone():
    """The table of each group, and that of all, has the numbers of its images alone, weights and clusters included."""
    preds, target = images(5, 30)
    weight, patient, site = np.arange(1, 31) / 10, np.arange(30) // 2, np.repeat(["a", "b", "b"], 10)
    for given in (preds, {"A": preds, "B": [{name: column[:2] for name, column in each.items()} for each in preds]}):
        tables = hs.detections(given, target, iou=0.5, sample_weight=weight, groups=patient, by=site)
        for key in ("a", "b"):
            some = np.flatnonzero(site == key)
            own = {name: [each[i] for i in some] for name, each in given.items()} if given is not preds else None
            alone = hs.detections(
                own or [preds[i] for i in some],
                [target[i] for i in some],
                iou=0.5,
                sample_weight=weight[some],
                groups=patient[some],
            )
            call = hs.estimate if own is None else hs.compare
            one, other = call(tables[key], "map"), call(alone, "map")
            assert [one.value, one.low, one.high] == pytest.approx([other.value, other.low, other.high])
        whole = hs.detections(given, target, iou=0.5, sample_weight=weight, groups=patient)
        assert tables.overall.counts.tolist() == whole.counts.tolist()


@pytest.mark.parametrize("metric", ["map", "froc", "froc+fp_per_unit=0.1"])
@pytest.mark.parametrize("hits", [[], [0], [1]], ids=["nothing found", "all wrong", "perfect"])
def test_samples_of_one_kind_have_limits_that_say_something(metric, hits):
    """For 60 images with one object each, all or none found, the interval is neither a point nor the whole range."""
    preds = [{"scores": [0.9 - index / 100] * len(hits), "hits": hits} for index in range(60)]
    found = hs.estimate(hs.detections(preds, [1] * 60, iou=0.5), metric)
    assert found.value == pytest.approx(float(hits == [1]))
    assert 0 < found.high - found.low < (0.99 if metric.endswith("=0.1") else 0.5)


@pytest.mark.parametrize("metric", OF_COCO)
def test_average_precision_is_that_of_coco(metric):
    """Average precision over classes and overlaps, at one overlap, and of one class is pycocotools'."""
    table = hs.detections(*images(0, 40))
    assert hs.estimate(table, metric).value == pytest.approx(OF_COCO[metric], abs=1e-12)


def test_only_the_highest_scores_of_an_image_count():
    """If an image has more detections of a class than the limit, those with the highest scores count."""
    preds, target = [{"scores": [0.1, 0.9, 0.5], "hits": [1, 0, 1]}], [2]
    one = hs.detections(preds, target, iou=0.5, max_detections=2)
    other = hs.detections([{"scores": [0.9, 0.5], "hits": [0, 1]}], target, iou=0.5)
    assert one.counts.tolist() == other.counts.tolist()


def test_average_precision_by_hand():
    """Three truths, of which the first and third detection hit two: 34 recalls at precision 1, 33 at 2/3, 34 at none."""
    table = hs.detections([{"scores": [0.9, 0.8, 0.7], "hits": [1, 0, 1]}], [3], iou=0.5)
    assert float(resolve("map", table)(table.counted)) == pytest.approx((34 * 1 + 33 * 2 / 3) / 101)


def test_sensitivity_by_hand():
    """With half a false positive per image the threshold is above the second one."""
    preds = [{"scores": [0.9, 0.6, 0.3], "hits": [1, 0, 1]}, {"scores": [0.8, 0.4], "hits": [1, 0]}]
    table = hs.detections(preds, [3, 1], iou=0.5)
    found = {rate: hs.estimate(table, f"froc+fp_per_unit={rate}").value for rate in (0.25, 0.5, 1)}
    assert found == pytest.approx({0.25: 2 / 4, 0.5: 2 / 4, 1: 3 / 4})


def test_a_truth_is_taken_once_by_the_best_score():
    """Of two detections of one object the one with the higher score hits, and the other is a false alarm."""
    preds = [{"boxes": [[0, 0, 10, 10], [0, 0, 10, 9]], "scores": [0.4, 0.8]}]
    table = hs.detections(preds, [{"boxes": [[0, 0, 10, 10]]}], iou=0.5)
    assert table.counts.tolist() == [1, 1, 0, 0, 1, 0]  # an image; false alarm at 0.4, hit at 0.8; no miss


def test_boxes_of_another_class_are_no_hits():
    """A detection hits truths of its own class alone."""
    preds = [{"boxes": [[0, 0, 10, 10]], "scores": [0.8], "labels": ["cat"]}]
    table = hs.detections(preds, [{"boxes": [[0, 0, 10, 10]], "labels": ["dog"]}], iou=0.5)
    assert table.labels.tolist() == ["cat", "dog"]
    assert table.class_totals.tolist() == [0, 1]
    assert hs.estimate(table, "map").value == 0


@pytest.mark.parametrize("metric", ["map", "map+iou=0.5", "froc+iou=0.5+fp_per_unit=0.5"])
def test_the_standard_error_is_that_of_resampled_images(metric):
    """The analytic standard error is within 15 % of the bootstrap's over whole images."""
    table = hs.detections(*images(1, 120))
    found = hs.estimate(table, metric)
    drawn = hs.estimate(table, metric, method=hs.methods.Bootstrap("percentile", n_resamples=500), random_state=0)
    assert found.standard_error == pytest.approx(drawn.standard_error, rel=0.15)


def matched_by_hand(preds, target, score, overlap):
    """Return hits, misses and false alarms by class, box by box from the highest score, among boxes from a score on."""
    counts = np.zeros((3, 3), int)
    for pred, true in zip(preds, target, strict=True):
        free = set(range(len(true["labels"])))
        for which in np.argsort(-pred["scores"], kind="stable"):
            if pred["scores"][which] < score:
                continue
            box, label = pred["boxes"][which], pred["labels"][which]
            best, which_true = overlap, None
            for each in sorted(free):
                if true["labels"][each] == label and _overlap(box, true["boxes"][each]) >= best:
                    best, which_true = _overlap(box, true["boxes"][each]), each
            free -= {which_true}
            counts[label, 2 if which_true is None else 0] += 1
        for each in free:
            counts[true["labels"][each], 1] += 1
    return counts


def _overlap(one, other):
    low, high = np.maximum(one[:2], other[:2]), np.minimum(one[2:], other[2:])
    inside = np.prod(np.maximum(high - low, 0))
    return inside / (np.prod(one[2:] - one[:2]) + np.prod(other[2:] - other[:2]) - inside)


@pytest.mark.parametrize("score, overlap", [(0.0, 0.5), (0.6, 0.5), (0.6, 0.75), (2.0, 0.5)])
def test_detections_from_a_score_on_are_events(score, overlap):
    """Precision, recall and F1 at a score are those of boxes matched by hand; the images stay the sampling units."""
    preds, target = images(2, 30)
    table = hs.detections(preds, target, groups=np.arange(30) // 2).at(score, iou=overlap)
    expected = matched_by_hand(preds, target, score, overlap)
    np.testing.assert_array_equal(table.counts[1:].reshape(3, 3), expected)
    each = [matched_by_hand([pred], [true], score, overlap) for pred, true in zip(preds, target, strict=True)]
    hits, missed, false = np.array(each).sum(1).T
    alone = hs.events(hits, false, missed, groups=np.arange(30) // 2)
    for metric in ("recall@micro", "f1@micro", "fp_per_unit@micro"):
        found, known = (hs.estimate(given, metric, method="delta") for given in (table, alone))
        assert [found.value, found.standard_error] == pytest.approx([known.value, known.standard_error], nan_ok=True)


def test_the_overlap_of_events_is_one_of_the_table():
    """Without `iou` it is 0.5, or the only overlap; another is refused."""
    preds, target = images(2, 9)
    assert hs.detections(preds, target, iou=0.3).at(0.6).counts.tolist() == (
        hs.detections(preds, target, iou=[0.3, 0.5]).at(0.6, iou=0.3).counts.tolist()
    )
    with pytest.raises(hs.HowsureError, match=r"`iou` = 0.3 is none of the table's overlaps, 0.5, 0.55"):
        hs.detections(preds, target).at(0.6, iou=0.3)


@pytest.mark.parametrize("name", ["map_50", "map50", "AP50", "mAP@0.5", "map+iou=0.5"])
def test_average_precision_at_one_overlap_has_several_names(name):
    """COCO's and YOLO's names of average precision at an overlap of 0.5 mean it, or are answered with it."""
    table = hs.detections(*images(2, 9))
    if "@" in name:
        with pytest.raises(hs.HowsureError, match=r"'map\+iou=0.5'"):
            hs.estimate(table, name)
    else:
        assert hs.estimate(table, name).value == hs.estimate(table, "map+iou=0.5").value


def test_two_detectors_on_the_same_images_are_paired():
    """A difference of average precision has the standard error of images that are resampled for both at once."""
    preds, target = images(2, 120)
    worse = [{name: column[index % 3 :] for name, column in each.items()} for index, each in enumerate(preds)]
    both = hs.detections({"A": preds, "B": worse}, target, iou=0.5)
    found = hs.compare(both, "map")
    drawn = hs.compare(both, "map", method=hs.methods.Bootstrap("percentile", n_resamples=500), random_state=0)
    alone = [hs.estimate(both.model(name), "map") for name in "AB"]
    assert found.value == pytest.approx(alone[0].value - alone[1].value)
    assert found.standard_error == pytest.approx(drawn.standard_error, rel=0.2)
    assert found.standard_error < alone[0].standard_error


def test_parts_add_up_and_are_saved(tmp_path):
    """Images counted in two parts, and read from a file, give the values of all images at once."""
    preds, target = images(3, 30)
    whole = hs.detections(preds, target)
    added = hs.detections(preds[:10], target[:10]) + hs.detections(preds[10:], target[10:])
    read = hs.load(whole.save(tmp_path / "detections.json"))
    expected = hs.estimate(whole, "map")
    for other in (added, read):
        found = hs.estimate(other, "map")
        assert [found.value, found.low, found.high] == pytest.approx([expected.value, expected.low, expected.high])


def test_groups_of_images_vary_together():
    """Two copies of each image, grouped by it, have the interval of the images alone."""
    preds, target = images(4, 25)
    alone = hs.estimate(hs.detections(preds, target, iou=0.5), "map")
    twice = hs.estimate(hs.detections(preds * 2, target * 2, iou=0.5, groups=[*range(25), *range(25)]), "map")
    assert [twice.value, twice.standard_error] == pytest.approx([alone.value, alone.standard_error], rel=0.05)


def test_images_without_anything():
    """Where there is nothing to detect the metric is undefined, with a reason; where nothing is detected it is 0."""
    nothing = hs.estimate(hs.detections([{"scores": [0.5], "hits": [0]}] * 5, [0] * 5, iou=0.5), "map")
    assert np.isnan(nothing.value)
    assert "nothing to detect" in nothing.reason
    missed = hs.estimate(hs.detections([{"scores": [], "hits": []}] * 5, [1] * 5, iou=0.5), "map")
    assert missed.value == 0
    perfect = hs.estimate(hs.detections([{"scores": [0.5], "hits": [1]}] * 20, [1] * 20, iou=0.5), "map")
    assert perfect.value == pytest.approx(1)
    assert perfect.low < 1


GOOD = {"scores": [0.5], "hits": [1]}
LINE = {"image_id": 1, "category_id": 1, "bbox": [1, 2, 3, 4]}  # of COCO
WRONG = {
    "has 1 images and `target` 2": ([GOOD], [1, 1], {}),
    r"preds\[0\]` has 'scores' and either": ([{"scores": [0.5]}], [1], {}),
    "more hits than truths": ([GOOD], [0], {}),
    "0 or 1 for each": ([{"scores": [0.5], "hits": [2]}], [1], {}),
    "1 detections and each of 2 thresholds": ([GOOD], [1], {"iou": [0.5, 0.75]}),
    "ends before it begins": ([{"scores": [0.5], "boxes": [[5, 5, 1, 1]]}], [{"boxes": []}], {}),
    r"Give \[left, top, right, bottom\]": ([{"scores": [0.5], "boxes": [[5, 5, 1]]}], [{"boxes": []}], {}),
    "need a box for each": ([{"scores": [0.5], "boxes": [[1, 1, 5, 5]]}], [1], {}),
    "must be a list of labels": ([GOOD | {"labels": None}], [1], {}),
    "must be numbers": ([{"scores": ["x"], "hits": [1]}], [1], {}),
    "has the shape": ([{"scores": [[0.5, 0.4]], "hits": [1]}], [1], {}),
    "has 2 labels for 1": ([GOOD | {"labels": [1, 2]}], [1], {}),
    "`iou` has overlaps between 0 and 1": ([GOOD], [1], {"iou": [0.7, 0.5]}),
    "`groups` has 2 entries for 1": ([GOOD], [1], {"groups": [1, 2]}),
    "names one model only": ({"A": [GOOD]}, [1], {}),
    "holds the detections of one image": (GOOD, [1], {}),
    r"ascending, such as .* not \[\]": ([GOOD], [1], {"iou": []}),
    r"preds\[0\]\['labels'\]` has a missing label": ([GOOD | {"labels": [None]}], [{"labels": [1]}], {}),
    r"target\[0\]\['labels'\]` has a missing label": ([GOOD | {"labels": [1]}], [{"labels": [np.nan]}], {}),
    "Some objects have 'labels' and others none": ([GOOD | {"labels": ["cat"]}], [1], {}),
    r"iscrowd'\]` is 0 or 1 for each of the boxes": ([GOOD], [{"labels": ["cat"], "iscrowd": [1]}], {}),
    r"target\[0\]` has neither 'boxes' nor 'labels'.*whole data set of COCO": ([LINE | {"score": 0.5}], [LINE], {}),
    r"preds\[0\]` has 'scores' and either .*whole data set of COCO": ([LINE | {"score": 0.5}], [1], {}),
    "`target` is a mapping, and no list of images": ([GOOD], {"images": []}, {}),
    "`by` has 2 entries for 1": ([GOOD], [1], {"by": ["a", "b"]}),
}


@pytest.mark.parametrize("message", WRONG)
def test_wrong_data_are_refused_in_words(message):
    """Invalid tables of detections are refused, and the argument is named."""
    preds, target, keywords = WRONG[message]
    with pytest.raises(hs.HowsureError, match=message):
        hs.detections(preds, target, **({"iou": 0.5} | keywords))


def test_thresholds_and_metrics_that_are_not_there():
    """An overlap that was not counted, and metrics of predictions, are refused in words."""
    table = hs.detections([GOOD], [1], iou=0.5)
    with pytest.raises(hs.HowsureError, match=r"no hits at an overlap of 0.75, but at 0.5"):
        hs.estimate(table, "map+iou=0.75")
    with pytest.raises(hs.HowsureError, match=r"table\.at\(0\.5\)"):
        hs.estimate(table, "f1")
    with pytest.raises(hs.HowsureError, match=r"detections\(preds, target\)"):
        hs.estimate(hs.from_counts([[50, 3], [5, 42]]), "map")


def test_a_metric_of_each_image_passes_over_classes_that_are_not_there():
    """In images with two of three classes each, average precision is that of the image alone, counted directly."""
    preds, target = images(6, 12)
    every = hs.detections(preds, target, iou=[0.5, 0.75])
    alone = [hs.detections([one], [other], iou=[0.5, 0.75]) for one, other in zip(preds, target, strict=True)]
    found = [hs.estimate(each, "map").value for each in alone]
    mean = hs.estimate(hs.per_unit(every, "map", nan_policy="omit"), "mean").value
    assert mean == pytest.approx(np.nanmean(found))


@pytest.mark.parametrize("unit", [7.3, 1 / 3, 0.1])
def test_equal_weights_of_any_unit_change_no_average_precision(unit):
    """COCO does not reach the recall 0.7 with 7 of 10 truths, as its 0.7 is a little more: nor do equal weights."""
    found = [{"scores": np.linspace(0.9, 0.1, 7), "hits": np.ones(7)}, {"scores": [0.95], "hits": [0]}]
    plain = hs.detections(found, [7, 3], iou=0.5)
    weighted = hs.detections(found, [7, 3], iou=0.5, sample_weight=[unit, unit])
    assert np.linspace(0, 1, 101)[70] > 7 / 10
    assert hs.estimate(weighted, "map").value == pytest.approx(hs.estimate(plain, "map").value, abs=1e-12)


def a_table_of_many_scores(seed):
    """Return detections of two classes at two overlaps over 80 units."""
    rng = np.random.default_rng(seed)
    scores = tuple(np.sort(rng.uniform(0.05, 0.95, size)) for size in (6, 9))
    parts = [rng.uniform(0.1, 12.0, (len(each), 2)) for each in scores for _ in range(2)]  # without ties of precision
    counts = np.concatenate([[80.0], *(np.append(each.ravel(), rng.integers(1, 20)) for each in parts)])
    return DetectionsTable(
        counts=counts, labels=np.array(["cat", "dog"]), scores=scores, iou=np.array([0.5, 0.75]), rows=80
    )


def under_the_largest_precisions(counts, table, chosen):
    """Return the mean over parts of the area under the largest precision from each hit on, by going down the scores."""
    areas = []
    for start, size in chosen(table):
        false, hits = counts[start : start + 2 * size].reshape(size, 2)[::-1].T
        called, caught = np.cumsum(false + hits), np.cumsum(hits)
        number = caught[-1] + counts[start + 2 * size]
        areas.append(sum(hits[i] * max(caught[j] / called[j] for j in range(i, size)) for i in range(size)) / number)
    return np.mean(areas)


def parts_of(table):
    """Return the first cell and the number of scores of each class and overlap."""
    sizes = np.repeat([len(each) for each in table.scores], len(table.iou))
    starts = 1 + np.concatenate([[0], np.cumsum(2 * sizes + 1)[:-1]])
    return list(zip(starts.tolist(), sizes.tolist(), strict=True))


@pytest.mark.parametrize(
    "metric, chosen",
    [
        ("map", parts_of),
        ("map+iou=0.75", lambda table: parts_of(table)[1::2]),
        ("map+label=dog", lambda table: parts_of(table)[2:]),
        ("map+iou=0.5+label=dog", lambda table: parts_of(table)[2:3]),
    ],
)
@pytest.mark.parametrize("unit", [1.0, 0.4])
def test_the_slope_of_average_precision_is_that_of_the_area(metric, chosen, unit):
    """The gradient is the derivative, by central differences, of the area that the mean over recalls approaches."""
    table = a_table_of_many_scores(3)
    table = replace(table, counts=table.counts * unit)
    bound, step = resolve(metric, table), 1e-6
    moved = [table.counts + step * row * sign for row in np.eye(len(table.counts)) for sign in (1, -1)]
    areas = np.reshape([under_the_largest_precisions(each, table, chosen) for each in moved], (-1, 2))
    expected = (areas[:, 0] - areas[:, 1]) / (2 * step)
    assert bound.gradient(bound.counts_class(table.counts)) == pytest.approx(expected, abs=1e-7)
    assert np.abs(expected).max() > 1e-3


@pytest.mark.parametrize("unit", [1.0, 1e-3])
@pytest.mark.parametrize("rate", [0.02, 0.2, 0.5, 0.7, 50.0])
def test_the_slope_of_sensitivity_moves_the_threshold(rate, unit):
    """A false alarm more above the threshold raises it, along the ROC curve; a unit more lowers it."""
    table = a_table_of_many_scores(5)
    table = replace(table, counts=table.counts * unit)
    start, size = parts_of(table)[3]
    cells = table.counts[start : start + 2 * size].reshape(size, 2)
    number = cells[:, 1].sum() + table.counts[start + 2 * size]
    above = np.cumsum(cells[::-1, 0])[::-1] <= rate * 80 * unit
    hits, false = cells[above, 1].sum(), cells[above, 0].sum()
    place = size - above.sum()  # the lowest score above the threshold
    steep = roc_slope(cells, 80)[place] * cells[:, 1].sum() / cells[:, 0].sum() if 0 < place < size else 0.0
    expected = np.zeros(len(table.counts))
    expected[0] = steep * false / (80 * unit) / number
    expected[start : start + 2 * size : 2] = np.where(above, -steep / number, 0.0)
    expected[start + 1 : start + 2 * size : 2] = above / number - hits / number**2
    expected[start + 2 * size] = -hits / number**2
    bound = resolve(f"froc+fp_per_unit={rate}+iou=0.75+label=dog", table)
    assert float(bound(table.counts)) == pytest.approx(hits / number)
    assert bound.gradient(bound.counts_class(table.counts)) == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_what_is_not_there_to_detect_does_not_count_in_the_mean():
    """A class that has no truths adds nothing to the mean over classes, nor to its slope."""
    table = a_table_of_many_scores(7)
    (_, _), (second, _), (third, size), (fourth, _) = parts_of(table)
    assert table.scores[0].size == 6
    counts = table.counts.copy()
    for start in (third, fourth):
        counts[start + 1 : start + 2 * size : 2] = counts[start + 2 * size] = 0
    counts[second + 1], counts[second + 12] = 0, 0  # cats are all found at one overlap, though not at each score
    for metric in ("map", "froc+fp_per_unit=0.3"):
        every, cats = resolve(metric, table), resolve(f"{metric}+label=cat", table)
        assert float(every(counts)) == pytest.approx(float(cats(counts)))
        slopes = cats.gradient(cats.counts_class(counts))
        assert every.gradient(every.counts_class(counts)) == pytest.approx(slopes)
        at_each = [resolve(f"{metric}+label=cat+iou={iou}", table) for iou in (0.5, 0.75)]
        assert slopes == pytest.approx(np.mean([each.gradient(each.counts_class(counts)) for each in at_each], 0))


@pytest.mark.parametrize("rate, found", [(0.5, 0.25), (0.49, 0.0), (1.0, 0.75), (0.1 + 0.2, 0.0)])
def test_as_many_false_alarms_as_are_allowed_are(rate, found):
    """A threshold at exactly the rate counts, despite rounding: two units, one false alarm above half of the hits."""
    preds = [{"scores": [0.9, 0.8, 0.7, 0.6], "hits": [0, 1, 0, 1]}, {"scores": [0.6], "hits": [1]}]
    table = hs.detections(preds, [3, 1], iou=0.5)
    assert hs.estimate(table, f"froc+fp_per_unit={rate}").value == pytest.approx(found)


def test_one_false_alarm_per_unit_is_allowed_unless_stated():
    """`froc` allows one false alarm per unit: with three in two units the threshold is above the last."""
    preds = [{"scores": [0.9, 0.8, 0.5], "hits": [0, 0, 1]}, {"scores": [0.7, 0.6], "hits": [1, 0]}]
    assert hs.estimate(hs.detections(preds, [2, 2], iou=0.5), "froc").value == pytest.approx(1 / 4)


def area_by_loops(by_score, missed):
    """Return the area under the largest precisions from each recall on; nan without truths."""
    found, below = [], np.asarray(by_score)[::-1].cumsum(0)
    if below[-1, 1] + missed == 0:
        return np.nan
    precisions = [hits / max(hits + false, 1e-300) for false, hits in below]
    for place, (_, hits) in enumerate(below):
        before = below[place - 1, 1] if place else 0.0
        found.append((hits - before) / (below[-1, 1] + missed) * max(precisions[place:]))
    return sum(found)


@pytest.mark.parametrize("metric, chosen", [("map", [0, 1, 2]), ("map+label=found", [1]), ("map+label=partly", [2])])
def test_the_slopes_of_average_precision_are_those_of_the_area_under_its_steps(metric, chosen):
    """For classes that are absent, all found, or partly missed: a count changes the mean area of the present ones."""
    preds = [
        {"scores": [0.9, 0.8, 0.7], "hits": [1, 0, 1], "labels": ["found", "found", "found"]},
        {"scores": [0.95, 0.6, 0.5], "hits": [0, 1, 0], "labels": ["partly", "partly", "partly"]},
        {"scores": [0.4, 0.3, 0.2], "hits": [1, 0, 1], "labels": ["partly", "absent", "partly"]},
    ]
    target = [{"labels": ["found"] * 2}, {"labels": ["partly"] * 2}, {"labels": ["partly"] * 3}]
    table = hs.detections(preds, target, iou=0.5, sample_weight=[1.3, 1.0, 2.1])
    assert table.labels.tolist() == ["absent", "found", "partly"]

    def mean(counts):
        parts = [table.slices[each] for each in chosen]
        return np.nanmean([area_by_loops(part.by_score(counts), counts[part.stop]) for part in parts])

    steps = 1e-6 * np.eye(len(table.counts))
    # Only existing counts: a first false alarm has a slope on one side only.
    there = table.counts > 0
    slopes = np.array([(mean(table.counts + step) - mean(table.counts - step)) / 2e-6 for step in steps])
    assert resolve(metric, table).gradient(table.counted)[there] == pytest.approx(slopes[there], abs=1e-8)


@pytest.mark.parametrize("metric", ["froc+fp_per_unit=0.5", "map"])
def test_small_weights_say_as_much_as_large_ones(metric):
    """Where the truths weigh less than one together the standard error is that of the same images unweighted."""
    preds, target = images(7, 15, classes=1)
    found = [
        hs.estimate(hs.detections(preds, target, iou=0.5, sample_weight=weight), metric, method="delta")
        for weight in (None, np.full(15, 1e-3))
    ]
    assert found[0].standard_error > 0
    assert found[1].value == pytest.approx(found[0].value, rel=1e-9)
    assert found[1].standard_error == pytest.approx(found[0].standard_error, rel=1e-9)


def test_another_image_allows_more_false_alarms_down_to_the_lowest_score():
    """With half a false alarm per image the threshold is one score above the lowest, and depends on the images."""
    preds = [{"scores": [0.9, 0.8], "hits": [1, 0]}, {"scores": [0.7, 0.6], "hits": [1, 0]}]
    table = hs.detections(preds, [2, 1], iou=0.5)
    slopes = resolve("froc+fp_per_unit=0.5", table).gradient(table.counted)
    assert slopes[0] > 0
    assert table.counts @ slopes == pytest.approx(0, abs=1e-12)
    every = resolve("froc+fp_per_unit=1", table).gradient(table.counted)
    assert every[0] == 0  # all detections count


@pytest.mark.parametrize("label", ["1", 0])
def test_labels_that_never_agree(label):
    """A mean average precision of 0 for other codes of the classes is no result."""
    found = [{"boxes": [[1, 2, 30, 40]], "scores": [0.9], "labels": [label]}] * 4
    with pytest.raises(hs.HowsureError, match=f"have the labels {label!r}, and the objects 1: none could be right"):
        hs.detections(found, [{"boxes": [[1, 2, 30, 40]], "labels": [1]}] * 4)


@pytest.mark.parametrize("of_fractions", ["preds", "target"])
def test_boxes_in_fractions_and_in_pixels_never_overlap(of_fractions):
    """They are refused, where every detection would be a false positive."""
    boxes = {"preds": [[10, 10, 30, 30]], "target": [[10, 10, 30, 30]]} | {of_fractions: [[0.1, 0.1, 0.3, 0.3]]}
    preds = [{"boxes": boxes["preds"], "scores": [0.9]}, {"boxes": [], "scores": []}]
    with pytest.raises(hs.HowsureError, match=f"boxes of `{of_fractions}` reach to 0.3 and those of .* to 30"):
        hs.detections(preds, [{"boxes": boxes["target"]}, {"boxes": []}])
    same = {name: [[0.1, 0.1, 0.3, 0.3]] for name in boxes}
    preds[0]["boxes"] = same["preds"]
    assert hs.estimate(hs.detections(preds, [{"boxes": same["target"]}, {"boxes": []}]), "map").value == pytest.approx(
        1
    )


def as_coco(preds, target, first=100):
    """Return results and data set in COCO's form, with identifiers that are no places."""
    results, objects = [], []
    for image, (pred, true) in enumerate(zip(preds, target, strict=True), first):
        for each, lines, name in ((pred, results, "scores"), ({"iscrowd": [0] * 99} | true, objects, "iscrowd")):
            for box, label, more in zip(each["boxes"], each["labels"], each[name], strict=False):
                left, top, right, bottom = map(float, box)
                line = {
                    "image_id": image,
                    "category_id": int(label) + 1,
                    "bbox": [left, top, right - left, bottom - top],
                }
                lines.append(line | {name.removesuffix("s"): float(more)})
    data = {"images": [{"id": image} for image in range(first, first + len(target))], "annotations": objects}
    return results, data | {"categories": [{"id": number + 1, "name": f"class {number}"} for number in range(3)]}


@pytest.mark.parametrize("form", ["objects", "files"])
@pytest.mark.parametrize("is_crowded", [False, True])
def test_results_of_coco(form, is_crowded, tmp_path):
    """Results and data set, as objects or JSON files, give pycocotools' average precision."""
    preds, target = images(4, 40) if is_crowded else images(0, 40)
    given = as_coco(preds, crowds(target) if is_crowded else target)
    if form == "files":
        given = [tmp_path / "results.json", tmp_path / "instances.json"]
        for path, content in zip(given, as_coco(preds, crowds(target) if is_crowded else target), strict=True):
            path.write_text(json.dumps(content))
    table = hs.detections(*given)
    assert table.labels.tolist() == ["class 0", "class 1", "class 2"]
    for metric, value in (WITH_CROWDS if is_crowded else OF_COCO).items():
        assert hs.estimate(table, metric.replace("label=0", "label=class 0")).value == pytest.approx(value)


def test_detectors_on_a_data_set_of_coco():
    """Two of them are paired by image, in the order of the data set, which groups follow."""
    preds, target = images(0, 40)
    fewer = [{name: column[:2] for name, column in each.items()} for each in preds]
    groups = np.arange(40) // 2
    (new, data), (old, _) = as_coco(preds, target), as_coco(fewer, target)
    found = hs.compare(hs.detections({"new": new, "old": old}, data, groups=groups), "map")
    right = hs.compare(hs.detections({"new": preds, "old": fewer}, target, groups=groups), "map")
    assert [found.value, found.low, found.high] == pytest.approx([right.value, right.low, right.high])


SOUND = {"image_id": 1, "category_id": 1, "bbox": [1, 2, 3, 4], "score": 0.5}
OF_ONE = {"images": [{"id": 1}], "categories": [{"id": 1, "name": "cat"}], "annotations": [SOUND]}
NOT_COCO = {
    "image_id 2, and the data set has 1": ([SOUND | {"image_id": 2}], OF_ONE),
    "category_id 0, and the data set has 1": ([SOUND | {"category_id": 0}], OF_ONE),
    r"`preds\[0\]` has no 'score'": ([{**SOUND, "score": None}], OF_ONE),
    r"annotations'\]\[0\]` has no 'bbox'": ([SOUND], OF_ONE | {"annotations": [{"image_id": 1, "category_id": 1}]}),
    "Give the whole data set": ([SOUND], {"annotations": [SOUND]}),
    r"COCO has \[left, top, width, height\]": ([SOUND | {"bbox": [1, 2, 3]}], OF_ONE),
    "is no list of objects of COCO": ([[1, 2, 3, 4]], OF_ONE),
    "reach to 0.9 and those of .* to 70": (
        [SOUND | {"bbox": [0.1, 0.2, 0.3, 0.7]}],
        OF_ONE | {"annotations": [SOUND | {"bbox": [10, 20, 30, 50]}]},
    ),
    "There is no file 'nowhere.json'": ("nowhere.json", OF_ONE),
    "File name too long": ([SOUND], "a" * 3000),
    r"image_id \[1\], and the data set has 1": ([SOUND | {"image_id": [1]}], OF_ONE),
    "no 'images' with an 'id' each": ([SOUND], OF_ONE | {"images": [{"id": [1]}]}),
}


@pytest.mark.parametrize("message", NOT_COCO)
def test_results_of_another_data_set_are_refused(message):
    with pytest.raises(hs.HowsureError, match=message):
        hs.detections(*NOT_COCO[message])


def test_results_of_coco_may_hold_numbers_of_numpy():
    """A detector's boxes and scores are arrays and their elements."""
    box = np.array(SOUND["bbox"], dtype=np.float32)
    for each in (box, list(box)):
        results = [SOUND | {"bbox": each, "image_id": np.int64(1), "score": np.float32(0.5)}]
        assert hs.estimate(hs.detections(results, OF_ONE), "map").value == pytest.approx(1)


def as_yolo(folder, images, *, scores):
    """Write a text file for each image with objects, and fractions of an image of 500 by 400 pixels."""
    folder.mkdir()
    for place, each in enumerate(images):
        size = [500, 400]
        boxes = np.asarray(each["boxes"]).reshape(-1, 4)
        centre, extent = (boxes[:, :2] + boxes[:, 2:]) / 2 / size, (boxes[:, 2:] - boxes[:, :2]) / size
        rows = np.c_[each["labels"], centre, extent, *([each["scores"]] if scores else [])]
        lines = [" ".join([str(int(row[0])), *(f"{cell:.12f}" for cell in row[1:])]) for row in rows]
        if lines:
            (folder / f"image{place:02}.txt").write_text("\n".join(lines) + "\n")
    return folder


def test_folders_of_yolo(tmp_path):
    """An overlap is the same in fractions of the image; a file of no objects, or none, is an image without objects."""
    preds, target = images(0, 40)
    said = as_yolo(tmp_path / "predicted", preds, scores=True)
    labels = as_yolo(tmp_path / "labels", target, scores=False)
    (labels / "classes.txt").write_text("cat\ndog\ncow\n")
    (labels / "._image00.txt").write_bytes(b"\0")  # as macOS writes it beside a file
    for metric, value in OF_COCO.items():
        assert hs.estimate(hs.detections(said, labels), metric).value == pytest.approx(value)
    two = hs.detections({"one": said, "other": str(said)}, str(labels))
    assert hs.compare(two, "map").value == 0
    with pytest.raises(hs.HowsureError, match="Write the scores too: save_conf=True"):
        hs.detections(labels, labels)
    with pytest.raises(hs.HowsureError, match="YOLO's boxes are class, x, y, width, height, separated by blanks.$"):
        hs.detections(said, said)
    (other := tmp_path / "other").mkdir()
    with pytest.raises(hs.HowsureError, match="Give YOLO's folders for both"):
        hs.detections(preds, labels)
    (tmp_path / "a.xml").write_text("<annotation></annotation>")
    with pytest.raises(hs.HowsureError, match="is no JSON of COCO. Export annotations in the format of COCO or YOLO"):
        hs.detections(tmp_path / "a.xml", tmp_path / "a.xml")
    with pytest.raises(hs.HowsureError, match="holds no text files of YOLO. Export annotations"):
        hs.detections(other, labels)
    for label in ("0.5", "nan", "cat"):
        (other / "picture.txt").write_text(f"{label} 0.5 0.5 0.1 0.1 0.9\n")
        with pytest.raises(hs.HowsureError, match=f"has the line '{label} 0.5"):
            hs.detections(other, labels)
    (other / "picture.txt").write_text("0 0.5 0.5 0.1 0.1 0.9\n")
    with pytest.raises(hs.HowsureError, match="have no file of the same name"):
        hs.detections(other, labels)


def test_a_data_set_of_coco_has_no_columns_of_labels(tmp_path):
    """In place of a table of cases the error names the function for detections."""
    path = tmp_path / "instances.json"
    path.write_text(json.dumps(OF_ONE))
    with pytest.raises(hs.HowsureError, match="is a data set of COCO.*`detections"):
        hs.confusion("category_id", "score", data=path)
