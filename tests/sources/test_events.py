"""Events by unit: counted as in other packages, resampled by unit, and invalid input is refused."""

import numpy as np
import pytest

import howsure as hs
from howsure.cli.listing import method_grid
from howsure.designs.clusters import clusters_of
from howsure.methods.library import default_method
from howsure.metrics.binding import resolve
from howsure.tables.events import EventsTable

TORCHMETRICS = """
Printed by torchmetrics 1.9.0, in single precision, of the masks below:

    from torchmetrics.functional.segmentation import dice_score, mean_iou
    print(dice_score(said, true, 3, input_format="index", average="none", aggregation_level="global"))
    print(dice_score(said, true, 3, input_format="index", average="none", aggregation_level="samplewise"))
    print(mean_iou(said, true, 3, input_format="index", per_class=True))
"""
MASKS = {
    "true": [
        "0011 0011 0220 0000",
        "0000 0100 2222 2222",
        "1100 1000 0002 0022",
    ],
    "said": [
        "0011 0110 0200 0000",
        "0001 0000 2222 2220",
        "1110 1000 0022 0022",
    ],
}
DICE_OF_ALL = [0.8518518805503845, 0.7058823704719543, 0.8799999952316284]
DICE_OF_EACH = [
    [0.8571428656578064, 0.75, 0.6666666865348816],
    [0.800000011920929, 0.0, 0.9333333373069763],
    [0.8888888955116272, 0.8571428656578064, 0.8571428656578064],
]
JACCARD_OF_EACH = [[0.75, 0.6000000238418579, 0.5], [0.6666666865348816, 0.0, 0.875], [0.800000011920929, 0.75, 0.75]]

# Documents with entities of three kinds, by hand from these tags:
#   true  PER PER . LOC | ORG . PER . | . LOC LOC . | ORG ORG . LOC | PER . . .
#   said  PER PER . LOC | ORG . . LOC | . LOC . .   | PER PER . LOC | PER . PER .
ENTITIES = {
    "document": [1, 1, 2, 2, 2, 3, 4, 4, 4, 5],
    "kind": ["PER", "LOC", "ORG", "PER", "LOC", "LOC", "ORG", "LOC", "PER", "PER"],
    "tp": [1, 1, 1, 0, 0, 0, 0, 1, 0, 1],
    "fp": [0, 0, 0, 0, 1, 1, 0, 0, 1, 1],
    "fn": [0, 0, 0, 1, 0, 1, 1, 0, 0, 0],
}
SEQEVAL = """
Printed by seqeval 1.2.2:

    from seqeval.metrics import f1_score, precision_score, recall_score
    true = [["B-PER", "I-PER", "O", "B-LOC"], ["B-ORG", "O", "B-PER", "O"], ["O", "B-LOC", "I-LOC", "O"],
            ["B-ORG", "I-ORG", "O", "B-LOC"], ["B-PER", "O", "O", "O"]]
    said = [["B-PER", "I-PER", "O", "B-LOC"], ["B-ORG", "O", "O", "B-LOC"], ["O", "B-LOC", "O", "O"],
            ["B-PER", "I-PER", "O", "B-LOC"], ["B-PER", "O", "B-PER", "O"]]
    for average in ("micro", "macro", "weighted"):
        print([each(true, said, average=average) for each in (precision_score, recall_score, f1_score)])
    print(f1_score(true, said, average=None))
    print([f1_score([t], [s]) for t, s in zip(true, said)])

[0.5555555555555556, 0.625, 0.5882352941176471]
[0.6666666666666666, 0.611111111111111, 0.6031746031746033]
[0.625, 0.625, 0.5952380952380952]
[0.57142857 0.66666667 0.57142857]
[1.0, 0.5, 0.0, 0.5, 0.6666666666666666]
"""


def entities(**more):
    return hs.events("tp", "fp", "fn", unit="document", label="kind", data=ENTITIES, **more)


@pytest.mark.parametrize("average, row", [("micro", 0), ("macro", 1), ("weighted", 2)])
def test_entities_have_the_values_of_seqeval(average, row):
    """Pooled and averaged metrics of entities are seqeval's to rounding."""
    expected = [float(each) for each in SEQEVAL.splitlines()[-5 + row].strip("[]").split(",")]
    found = [hs.estimate(entities(), f"{name}@{average}").value for name in ("precision", "recall", "f1")]
    assert found == pytest.approx(expected, abs=1e-15)


def test_documents_have_the_values_of_seqeval():
    """F1 of each document equals seqeval's for that document alone, and its mean is their mean."""
    values = hs.per_unit(entities(), "f1@micro")
    assert np.repeat(values.values, values.counts.astype(int)).tolist() == pytest.approx([0, 0.5, 0.5, 2 / 3, 1])
    assert hs.estimate(values, "mean").value == pytest.approx((0 + 0.5 + 0.5 + 2 / 3 + 1) / 5)


def masks():
    """Return the confusion matrix of the pixels of each image."""
    true, said = (
        np.array([[int(pixel) for pixel in image.replace(" ", "")] for image in MASKS[name]]) for name in MASKS
    )
    stack = np.zeros((3, 3, 3))
    np.add.at(stack, (np.arange(3)[:, None], true, said), 1)
    return hs.from_counts(stack, groups=["first", "second", "third"])


@pytest.mark.parametrize("label", [0, 1, 2])
def test_masks_have_the_values_of_torchmetrics(label):
    """Dice of all pixels, and Dice and Jaccard of each image, are torchmetrics'."""
    one = f"@binary+positive_class={label}"
    assert hs.estimate(masks(), f"dice{one}").value == pytest.approx(DICE_OF_ALL[label], abs=1e-7)
    for metric, each in (("dice", DICE_OF_EACH), ("iou", JACCARD_OF_EACH)):
        found = hs.estimate(hs.per_unit(masks(), f"{metric}{one}"), "mean").value
        assert found == pytest.approx(np.mean(each, axis=0)[label], abs=1e-7)


def test_the_variance_is_that_of_whole_units():
    """The standard error of pooled precision is that of a ratio of sums over units, with n / (n - 1)."""
    tp, fp = np.array([8, 5, 9, 0, 7, 6]), np.array([1, 0, 2, 1, 0, 1])
    share = tp.sum() / (tp + fp).sum()
    away = (tp - share * (tp + fp)) / (tp + fp).sum()
    found = hs.estimate(hs.events(tp, fp, [2, 3, 0, 1, 1, 2]), "precision")
    assert found.standard_error == pytest.approx(np.sqrt(6 / 5 * (away**2).sum()))


def test_false_positives_per_unit_are_a_mean_over_units():
    """False positives per unit have the value and the standard error of the mean of the units' numbers."""
    fp = np.array([1, 0, 2, 1, 0, 5])
    found = hs.estimate(hs.events(np.ones(6), fp, np.zeros(6)), "fp_per_image")
    assert (found.value, found.standard_error) == pytest.approx((9 / 6, fp.std(ddof=1) / np.sqrt(6)))


def test_false_positives_of_several_classes():
    """All classes together have the sum of their false positives per unit, their average its mean over classes."""
    table = entities()  # four false positives in five documents, of two of three kinds
    found = [
        hs.estimate(table, f"fp_per_unit@{name}").value for name in ("micro", "macro", "binary+positive_class=LOC")
    ]
    assert found == pytest.approx([4 / 5, 4 / 15, 2 / 5])


def test_rows_of_one_unit_add_up():
    """A row for each lesion gives the same table as a row for each image."""
    lesions = hs.events([1, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1], unit=["x", "x", "x", "y"])
    images = hs.events([2, 0], [1, 0], [0, 1], unit=["x", "y"])
    for metric in ("f1", "fp_per_unit"):
        one, other = (hs.estimate(each, metric) for each in (lesions, images))
        assert [one.value, one.low, one.high] == pytest.approx([other.value, other.low, other.high])


def test_many_events_of_a_unit_are_one_entry():
    """A unit with ten million events costs as much as one with ten."""
    table = hs.events([10**7, 9 * 10**6], [10, 20], [30, 40])
    assert len(table.design.count) == 2 * 4


def test_the_outermost_groups_vary():
    """Images of one patient have the interval of patients whose images' counts were added up."""
    numbers = np.array([[8, 1, 2], [5, 0, 3], [9, 2, 0], [0, 1, 1], [7, 0, 1], [6, 1, 2]])
    patients = np.array(["a", "a", "b", "b", "c", "d"])
    added = np.stack([numbers[patients == name].sum(0) for name in "abcd"])
    images, whole = hs.events(*numbers.T, groups=patients), hs.events(*added.T, unit=list("abcd"))
    one, other = hs.estimate(images, "f1"), hs.estimate(whole, "f1")
    assert [one.low, one.high] == pytest.approx([other.low, other.high])
    assert images.rows == 6
    assert images.design.number == 4


def test_unit_weights_repeat_units():
    """A unit of weight two changes values as two units of weight one do, and one of weight zero is none."""
    weighted = hs.events([8, 5, 3], [1, 0, 7], [2, 3, 1], sample_weight=[2, 1, 0])
    repeated = hs.events([8, 8, 5], [1, 1, 0], [2, 2, 3])
    for metric in ("precision", "f1", "fp_per_unit"):
        assert hs.estimate(weighted, metric).value == pytest.approx(hs.estimate(repeated, metric).value)
    assert weighted.design.number == 2


def test_two_models_on_the_same_units_are_paired():
    """The standard error of a difference is that of the units' differences, and less than of separate test sets."""
    tp, fp = np.array([8, 5, 9, 2, 7, 6]), np.array([1, 0, 2, 3, 0, 1])
    other = np.array([7, 5, 8, 1, 7, 4])
    fn, size = 12 - tp, len(tp)
    both = hs.events(
        np.r_[tp, other],
        np.r_[fp, fp],
        np.r_[fn, 12 - other],
        unit=np.tile(np.arange(size), 2),
        model=np.repeat(["new", "old"], size),
    )
    found = hs.compare(both, "recall")
    away = (tp - other) / (12 * size) - (tp - other).sum() / (12 * size) / size
    assert found.value == pytest.approx((tp.sum() - other.sum()) / (12 * size))
    assert found.standard_error == pytest.approx(np.sqrt(size / (size - 1) * (away**2).sum()))
    apart = hs.compare(hs.events(tp, fp, fn), hs.events(other, fp, 12 - other), "recall")
    assert apart.standard_error > 2 * found.standard_error


def test_models_are_added_by_unit():
    """Tables of several models of parts of the units add up to the table of all of them."""
    columns = {
        "tp": [8, 5, 7, 6, 3, 4],
        "fp": [1, 0, 1, 1, 0, 0],
        "fn": [0, 2, 1, 1, 2, 1],
        "unit": [1, 2, 1, 2, 3, 3],
        "model": ["A", "A", "B", "B", "A", "B"],
    }
    one, other = ({name: column[part] for name, column in columns.items()} for part in (slice(0, 4), slice(4, 6)))
    named = {"unit": "unit", "model": "model"}
    parts = [hs.events("tp", "fp", "fn", data=each, **named) for each in (one, other)]
    every = hs.events("tp", "fp", "fn", data=columns, **named)
    added, expected = hs.compare(parts[0] + parts[1], "f1"), hs.compare(every, "f1")
    assert [added.value, added.low, added.high] == pytest.approx([expected.value, expected.low, expected.high])
    assert (parts[0] + parts[1]).model("A").rows == 3


@pytest.mark.parametrize(
    "metric", ["accuracy", "specificity", "mcc", "kappa", "balanced_accuracy", "prevalence", "npv"]
)
def test_metrics_of_true_negatives_are_refused(metric):
    """Metrics of true negatives are refused, with alternatives."""
    with pytest.raises(hs.HowsureError, match=r"true negatives.*precision.*f1.*jaccard.*fp_per_unit"):
        hs.estimate(hs.events([5, 3], [1, 2], [0, 1]), metric)


def test_metrics_of_events_need_events():
    """False positives per unit of a confusion matrix are refused, with the table to make instead."""
    with pytest.raises(hs.HowsureError, match=r"events\(tp, fp, fn, unit="):
        hs.estimate(hs.from_counts([[50, 3], [5, 42]]), "fp_per_unit")


def test_perfect_and_empty_tables():
    """Without an error the interval has positive width; without an event precision is undefined, with a reason."""
    perfect = hs.evaluate(hs.events(np.full(20, 5), np.zeros(20), np.zeros(20)))
    assert all(each.low < each.high for each in perfect.values())
    empty = hs.evaluate(hs.events(np.zeros(20), np.zeros(20), np.zeros(20)))
    assert np.isnan(empty["precision"].value)
    assert "no prediction of the class" in empty["precision"].reason
    assert empty["fp_per_unit"].value == 0 < empty["fp_per_unit"].high < 1


WRONG = {
    "`fp` has 1": {"tp": [1, 2], "fp": [1], "fn": [0, 0]},
    r"`tp\[1\]` = -2 is negative": {"tp": [1, -2], "fp": [1, 1], "fn": [0, 0]},
    "is missing or infinite": {"tp": [1, np.nan], "fp": [1, 1], "fn": [0, 0]},
    "`fn` is not numeric": {"tp": [1], "fp": [1], "fn": ["x"]},
    "`tp` is not numeric. To name a column of a frame or file, give `data=`": {"tp": "tp", "fp": "fp", "fn": "fn"},
    r"`tp\[0\]` = 1e\+308 is beyond": {"tp": [1e308, 1], "fp": [0, 0], "fn": [0, 1]},
    "`tp` is empty": {"tp": [], "fp": [], "fn": []},
    "`label` needs `unit`": {"tp": [1], "fp": [1], "fn": [0], "label": ["a"]},
    "no row of the model 'x'": {"tp": [1, 2], "fp": [1, 1], "fn": [0, 0], "unit": [1, 2], "model": ["y", "x"]},
    "names one model only": {"tp": [1], "fp": [1], "fn": [0], "unit": [1], "model": ["y"]},
    "several values of `groups`": {"tp": [1, 2], "fp": [1, 1], "fn": [0, 0], "unit": [1, 1], "groups": ["y", "x"]},
}


@pytest.mark.parametrize("message", WRONG)
def test_wrong_data_are_refused_in_words(message):
    """Invalid tables of events are refused, and the argument is named."""
    with pytest.raises(hs.HowsureError, match=message):
        hs.events(**WRONG[message])


def test_groups_split_rows():
    """With `by` each group has the table of its rows, with all classes, and all groups together the whole one."""
    tables = entities(by="kind")
    assert {key: hs.estimate(table, "f1@micro").value for key, table in tables.items()} == pytest.approx(
        {"LOC": 4 / 7, "ORG": 2 / 3, "PER": 4 / 7}
    )
    assert hs.estimate(tables.overall, "f1@micro").value == pytest.approx(10 / 17)


def coverage(units, studies, metric):
    """Return the coverage of the default interval for units of log-normal size with individual probabilities."""
    rng = np.random.default_rng(units)
    number = rng.poisson(20 * np.exp(0.8 * rng.standard_normal((studies, units)) - 0.32))
    tp = rng.binomial(number, rng.beta(6.4, 1.6, number.shape))  # recall 0.8
    fp = rng.poisson(number * rng.gamma(8, 0.25 / 8, number.shape))  # a quarter of the events
    cells = np.stack([np.ones(number.shape), tp, number - tp, fp], -1)
    table = EventsTable(
        counts=cells.sum(1), labels=np.array(["event"]), rows=np.full(studies, units), design=clusters_of(cells)
    )
    bound = resolve(metric, table)
    found = default_method(bound, table).interval(bound, table, 0.95)
    true = {"precision": 0.8 / 1.05, "recall": 0.8, "f1": 1.6 / 2.05}[metric]
    return np.mean((found.low <= true) & (true <= found.high))


@pytest.mark.parametrize("metric", ["precision", "recall", "f1"])
def test_intervals_of_a_dozen_uneven_units_cover(metric):
    """95 % intervals for twelve units of unequal size cover in 95 of 100 studies, give or take three."""
    assert 0.92 <= coverage(12, 1000, metric) <= 0.985  # Monte Carlo error 0.007


@pytest.mark.slow
@pytest.mark.parametrize("units", [10, 30, 100, 1000])
@pytest.mark.parametrize("metric", ["precision", "recall", "f1"])
def test_intervals_of_uneven_units_cover(units, metric):
    """95 % intervals for ten to a thousand units of unequal size cover in 93.5 to 98 of 100 studies."""
    assert 0.935 <= coverage(units, 4000 if units < 1000 else 1000, metric) <= 0.98


@pytest.mark.parametrize("metric, method", [("fp_per_unit", "delta"), ("map", "bootstrap_bca")])
def test_methods_of_the_new_metrics_are_listed(metric, method):
    """The list of methods for a metric of events, or of detections, contains the applicable ones."""
    assert method in [row[0] for row in method_grid(metric).rows]


def test_one_unit_of_many_events_leaves_a_limit_that_is_no_absurdity():
    """If one of ten units has all fifty false positives, the upper limit is within a hundred times the mean.

    The log of the mean has the standard error of its share, ``s / (sqrt(n) m)`` = 1 if one of n units has all. Four
    degrees of freedom, and a variance that is doubled at most, give ``2.776 * sqrt(2)`` of it.
    """
    found = hs.estimate(hs.events([1] * 10, [0] * 9 + [50], [0] * 10), "fp_per_unit")
    reach = np.exp(2.7764451 * np.sqrt(2))
    assert [found.low, found.high] == pytest.approx([5 / reach, 5 * reach], rel=1e-6)


def test_a_group_without_weight_is_refused():
    """If one of several groups of units has no weight, the error names the group."""
    with pytest.raises(hs.HowsureError, match="In the group 'b': `sample_weight` is all zeros"):
        hs.events([1, 2], [0, 1], [1, 0], by=["a", "b"], sample_weight=[1, 0])


def test_an_empty_matrix_of_a_stack_is_named():
    """A matrix of zeros in a stack is refused with its place, and may be left out."""
    with pytest.raises(hs.HowsureError, match=r"`counts\[1\]` is all zeros: there is no case .* Leave it out"):
        hs.from_counts([[[1, 0], [0, 2]], [[0, 0], [0, 0]]], groups=["a", "b"])


def test_false_positives_of_several_classes_move_with_the_units_once():
    """The rate of all classes together is their sum over the units: each class has its share of a unit alone."""
    table = EventsTable(counts=np.array([20.0, 9, 2, 7, 4, 5, 3, 6, 1, 8]), labels=np.array(["a", "b", "c"]))
    metric = resolve("fp_per_unit@micro", table)
    rate = float(metric(table.counted))
    slopes = metric.gradient(table.counted)
    assert rate * 20 == pytest.approx(sum(table.counts[1:][slopes[1:] != 0]))
    assert slopes[0] == pytest.approx(-rate / 20)
    assert slopes[1:][slopes[1:] != 0] == pytest.approx([1 / 20] * 3)
