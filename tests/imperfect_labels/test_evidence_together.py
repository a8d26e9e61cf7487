"""Tables of every kind of evidence work with all functions of tables, and in groups."""

from functools import cache

import numpy as np
import pytest
from scipy import stats

import howsure as hs

RNG = np.random.default_rng(11)
TRUTH = RNG.integers(0, 2, 240)
SCORE = 1 / (1 + np.exp(-RNG.normal(2 * TRUTH - 1)))
FEW = SCORE[:30]  # of which reports draw whole curves
CALIBRATOR = hs.calibrate(SCORE[:80], TRUTH[:80], random_state=0)
REVIEWS = [[[20, 2], [6, 5]], [[4, 6], [1, 30]]]


@cache
def scored():
    """Return tables of scores whose labels are not known."""
    return {
        "batch": hs.calibrated(FEW),
        "population": hs.calibrated(FEW, target="population"),
        "calibrator": hs.calibrated(SCORE[80:110], calibrator=CALIBRATOR),
        "distribution": hs.calibrated(stats.beta(2, 3)),
        "drawn": hs.calibrated(stats.beta(2, 3), n=60),
    }


@cache
def tables():
    """Return confusion tables of estimated counts."""
    votes = np.where(RNG.random((240, 3)) < 0.85, TRUTH[:, None], 1 - TRUTH[:, None])
    return {
        "reviewed": hs.reviewed([[90, 20], [15, 115]], REVIEWS),
        "corrected": hs.labels.corrected(hs.from_counts([[90, 20], [15, 115]]), sensitivity=0.95, specificity=0.97),
        "annotated": hs.labels.annotated(votes, (SCORE >= 0.5).astype(int)),
        **{name: table.at(0.5) for name, table in scored().items()},
    }


@pytest.mark.parametrize("name", list(tables()))
def test_every_reader_takes_every_evidence(name):
    """Estimates, draws, the per-class report, a comparison and the page work; intervals have width or are nan."""
    table = tables()[name]
    evaluation = hs.evaluate(table, ["accuracy", "f1@macro", "mcc"], random_state=0)
    drawn = hs.estimate(table, "f1@macro", method="bayes", random_state=0)
    for each in (*evaluation.values(), drawn):
        assert each.low < each.value < each.high or (np.isnan(each.low) and each.reason)
    assert "macro avg" in str(hs.classification_report(table))
    difference = hs.compare(table, table, "accuracy", a="x", b="y")
    assert difference.value == 0
    assert difference.low < 0 < difference.high or difference.reason
    assert "f1" in hs.report_of(evaluation, title="every evidence").to_html().lower()


@pytest.mark.parametrize("name", list(scored()))
def test_every_reader_takes_scores_without_labels(name, monkeypatch):
    """Areas, a metric at a threshold, curves, a comparison of areas and the page work."""
    monkeypatch.setattr("howsure.report.measured.LEVELS", ())  # curves are drawn at each
    table = scored()[name]
    evaluation = hs.evaluate(table, ["roc_auc", "f1"], threshold=0.5, random_state=0)
    assert 0.6 < evaluation["roc_auc"].value < 0.99
    curve = hs.roc_curve(table)
    assert (curve.low <= curve.high).all()
    difference = hs.compare(table, table, "roc_auc", a="x", b="y")
    assert difference.low < 0 < difference.high or difference.reason
    assert "ROC" in hs.report_of(evaluation, title="scores without labels").to_html()


SITE = RNG.choice(["north", "south"], 240)
SEX = RNG.choice(["f", "m"], 240)
PREDICTED = (SCORE >= 0.5).astype(int)
RECORDED = np.where(RNG.random(240) < 0.9, TRUTH, 1 - TRUTH)
CHECKED = np.where(RNG.random(240) < 0.3, TRUTH.astype(float), np.nan)
VOTES = np.where(RNG.random((240, 3)) < 0.85, TRUTH[:, None], 1 - TRUTH[:, None])
OF_CLASSES = {"labels": [0, 1]}
SOURCES = {
    "reviewed": lambda rows, **by: hs.reviewed(
        y_true=RECORDED[rows], y_pred=PREDICTED[rows], y_reviewed=CHECKED[rows], **OF_CLASSES, **by
    ),
    "corrected": lambda rows, **by: hs.labels.corrected(
        hs.confusion(RECORDED[rows], PREDICTED[rows], **OF_CLASSES, **by), sensitivity=0.9, specificity=(45, 50)
    ),
    "annotated": lambda rows, **by: hs.labels.annotated(VOTES[rows], PREDICTED[rows], **OF_CLASSES, **by),
    "prediction_powered": lambda rows, **by: hs.labels.prediction_powered(
        CHECKED[rows], RECORDED[rows], PREDICTED[rows], **OF_CLASSES, **by
    ),
    "batch": lambda rows, **by: hs.calibrated(SCORE[rows], **by),
    "population": lambda rows, **by: hs.calibrated(SCORE[rows], target="population", **by),
    "calibrator": lambda rows, **by: hs.calibrated(SCORE[rows], calibrator=CALIBRATOR, **by),
    "probabilities": lambda rows, **by: hs.calibrated(np.stack([1 - SCORE[rows], SCORE[rows]], 1), **by),
}
EVERY = np.arange(240)


def assert_same(table, other):
    """Check that two tables have equal counts and variances."""
    assert table.labels.tolist() == other.labels.tolist()
    assert table.rows == other.rows
    np.testing.assert_allclose(table.counts, other.counts, rtol=1e-12)
    gradient = np.random.default_rng(0).normal(size=table.counts.shape)
    assert table.variance(gradient) == pytest.approx(other.variance(gradient), rel=1e-9)


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("columns", [["site"], ["site", "sex"]], ids=["one column", "two columns"])
def test_a_group_is_the_table_of_its_rows(source, columns):
    """With `by` each group has the table and the variance of its rows alone, and `overall` that of all rows."""
    values = {name: {"site": SITE, "sex": SEX}[name] for name in columns}
    tables = SOURCES[source](EVERY, by=values)
    assert tables.columns == tuple(columns)
    keys = sorted(set(zip(*values.values(), strict=True)))
    assert list(tables) == (keys if len(columns) > 1 else [key for (key,) in keys])
    for key, table in tables.items():
        inside = np.all([values[name] == value for name, value in tables.group(key).items()], axis=0)
        assert_same(table, SOURCES[source](EVERY[inside]))
    assert_same(tables.overall, SOURCES[source](EVERY))


@pytest.mark.parametrize("source", SOURCES)
def test_groups_are_estimated_as_their_tables_are(source):
    """An estimate of groups equals, for each group, the estimate of its table alone."""
    tables = SOURCES[source](EVERY, by=SITE)
    threshold = {} if tables.overall.kind.adds_up else {"threshold": 0.5}
    found = hs.estimate(tables, "f1", random_state=0, **threshold)
    for key, table in tables.items():
        alone = hs.estimate(table, "f1", random_state=0, **threshold)
        near = {"rel": 1e-9} if alone.draws is None else {"abs": 0.02}  # every group has a stream of draws of its own
        ours, limits = (found[key].low, found[key].high), (alone.low, alone.high)
        assert found[key].value == pytest.approx(alone.value, rel=1e-12)
        assert ours == pytest.approx(limits, **near)
        assert found[key].reason == alone.reason
        assert alone.low < alone.value < alone.high
    assert found.overall.value == hs.estimate(tables.overall, "f1", random_state=0, **threshold).value


@pytest.mark.parametrize(
    "make, words",
    [
        (lambda by: SOURCES["reviewed"](EVERY, by=by), "`y_reviewed` is missing everywhere"),
        (lambda by: SOURCES["prediction_powered"](EVERY, by=by), "`y_true` has 0 trusted labels of 1 cases"),
        (
            lambda by: hs.labels.annotated(
                np.where(by[:, None] == "alone", [1, np.nan, np.nan], VOTES), PREDICTED, by=by
            ),
            "No case has labels of two annotators",
        ),
    ],
    ids=["reviewed", "prediction_powered", "annotated"],
)
def test_a_group_without_evidence_is_named(make, words):
    """Where one group has no review, no trusted label or a single annotator, the error names it."""
    groups = np.full(240, "crowd")
    groups[np.flatnonzero(np.isnan(CHECKED))[0]] = "alone"
    with pytest.raises(hs.HowsureError, match=f"In the group 'alone': {words}"):
        make(groups)
