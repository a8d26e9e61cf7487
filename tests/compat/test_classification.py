"""The classification report: scikit-learn's numbers for each class and average, each with the interval of `estimate`."""

import warnings

import numpy as np
import pytest
from sklearn import metrics as sk

import howsure as hs
from howsure.compat import keywords

RNG = np.random.default_rng(5)
TRUE = RNG.integers(0, 3, 200)
SAID = np.where(RNG.random(200) < 0.7, TRUE, RNG.integers(0, 3, 200))
METRICS = {"precision": sk.precision_score, "recall": sk.recall_score, "f1": sk.f1_score}


def test_an_undefined_class_does_not_have_all_evaluated_twice(monkeypatch):
    """Which classes are undefined is seen from the counts, before anything is estimated."""
    asked, evaluate = [], keywords.evaluate
    monkeypatch.setattr(keywords, "evaluate", lambda *args, **given: asked.append(args) or evaluate(*args, **given))
    with pytest.warns(hs.HowsureWarning, match="`precision` is undefined on 1 of 3 classes"):
        report = hs.classification_report([0, 1, 2, 2], [0, 1, 0, 1])
    assert len(asked) == 1
    assert report["2"]["precision"].value == 0


def test_cells_are_the_estimates():
    """Each cell equals the result of `estimate` for its metric, including limits."""
    table = hs.confusion(TRUE, SAID)
    report = hs.classification_report(TRUE, SAID, confidence_level=0.9)
    for metric in METRICS:
        for row, average in {"1": "binary+positive_class=1", "macro avg": "macro", "weighted avg": "weighted"}.items():
            expected = hs.estimate(table, f"{metric}@{average}", confidence_level=0.9)
            found = report[row][metric]
            assert (found.value, found.metric) == (expected.value, expected.metric)
            assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_named_classes_keep_the_errors_of_others():
    """With `labels` the metrics are those of the whole table, and averages are over the named classes."""
    report = hs.classification_report(TRUE, SAID, labels=[2, 0])
    assert list(report) == ["2", "0", "micro avg", "macro avg", "weighted avg"]
    for metric, theirs in METRICS.items():
        for label, value in zip([2, 0], theirs(TRUE, SAID, labels=[2, 0], average=None), strict=True):
            assert report[str(label)][metric].value == pytest.approx(value)
            assert report.support[str(label)] == (label == TRUE).sum()
        for average in ("micro", "macro", "weighted"):
            value = theirs(TRUE, SAID, labels=[2, 0], average=average)
            assert report[f"{average} avg"][metric].value == pytest.approx(value)
    assert report.support["macro avg"] == np.isin(TRUE, [0, 2]).sum()


def test_names_of_named_classes():
    """`target_names` go with `labels`, one each."""
    report = hs.classification_report(TRUE, SAID, labels=[2, 0], target_names=np.array(["ill", "well"]))
    assert list(report)[:2] == ["ill", "well"]
    with pytest.raises(hs.HowsureError, match="3 names for 2 classes"):
        hs.classification_report(TRUE, SAID, labels=[2, 0], target_names=["a", "b", "c"])


def test_a_class_that_does_not_occur():
    """A named class without cases has a row with no support, and undefined metrics that averages leave out."""
    report = hs.classification_report(TRUE, SAID, labels=[0, 1, 2, 7], zero_division=np.nan)
    assert report.support["7"] == 0
    assert np.isnan(report["7"]["recall"].value)
    assert report["macro avg"]["recall"].value == pytest.approx(sk.recall_score(TRUE, SAID, average="macro"))
    with pytest.raises(hs.HowsureError, match="There is no class '8'"):
        hs.classification_report(TRUE, SAID, labels=[8, 9])


@pytest.mark.parametrize("average", ["macro", "micro", "weighted", None])
def test_scores_of_a_class_that_does_not_occur(average):
    """A named class without cases counts as 0, as in scikit-learn, with a warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = hs.recall_score(TRUE, SAID, labels=[0, 2, 7], average=average)
        expected = sk.recall_score(TRUE, SAID, labels=[0, 2, 7], average=average)
    assert np.asarray(found, dtype=float) == pytest.approx(expected)


def test_reports_of_tables():
    """A table is accepted; a table without classes is refused."""
    report = hs.classification_report(hs.from_counts([[50, 3], [5, 42]], labels=["well", "ill"]), labels=["ill"])
    assert report["ill"]["recall"].value == pytest.approx(42 / 47)
    with pytest.raises(hs.HowsureError, match="is of labels"):
        hs.classification_report(hs.scores([0, 1, 1], [0.1, 0.9, 0.4]))


def test_draws_of_a_report():
    """With a method that draws, the whole report is determined by one seed."""
    first, again = (hs.classification_report(TRUE, SAID, method="bayes", random_state=4) for _ in range(2))
    assert first.to_dict() == again.to_dict()


def test_labels_without_a_name_are_refused():
    """`classification_report_with_ci` reports the label without a name."""
    with pytest.raises(hs.HowsureError, match="numerical_to_label_map"):
        hs.compat.classification_report_with_ci(TRUE, SAID, numerical_to_label_map={0: "a", 1: "b"})


@pytest.mark.parametrize("labels", [None, [0, 2]])
def test_multilabel_data_have_the_average_over_samples(labels):
    """Rows and numbers of multilabel data are scikit-learn's, and each is between its limits."""
    rng = np.random.default_rng(0)
    true = rng.integers(0, 2, (60, 3))
    said = np.where(rng.random((60, 3)) < 0.8, true, 1 - true)
    found = hs.classification_report(true, said, labels=labels, zero_division=0, output_dict=True)
    expected = sk.classification_report(true, said, labels=labels, zero_division=0, output_dict=True)
    assert list(found) == list(expected)
    for name, row in expected.items():
        assert {metric: float(each) for metric, each in found[name].items()} == pytest.approx(row)
    assert all(each.low < each < each.high for each in list(found["samples avg"].values())[:3])
    assert "samples avg" not in hs.classification_report(hs.confusion(true, said), zero_division=0)


@pytest.mark.parametrize(
    "settings", [{"labels": [1, 1]}, {"target_names": ["a", "a", "b"]}, {"target_names": ["macro avg", "a", "b"]}]
)
def test_rows_of_one_name_are_refused(settings):
    """A class named twice, or as a row of the report is, would hide another row."""
    with pytest.raises(hs.HowsureError, match="several rows"):
        hs.classification_report(TRUE, SAID, **settings)
