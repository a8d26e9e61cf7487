"""Every result class: records, frames, texts, pickles and lookups."""

import copy
import functools
import json
import pickle
import re
import sys
import types
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from xml.etree import ElementTree as ET

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import howsure as hs
from howsure.errors import OneClassError, UnknownKeyError
from howsure.grids import Grid, Tabular
from howsure.metrics.binding import resolve
from support.examples import EXAMPLES
from support.optional import optional

pl = optional("polars")

RNG = np.random.default_rng(0)
TRUTH = RNG.integers(0, 2, 200)
SCORE = np.clip(RNG.normal(0.3 + 0.4 * TRUTH, 0.25), 0.01, 0.99)
TABLE = hs.from_counts([[50, 3], [5, 42]], labels=["he|thy", "<ill>"])
SCORES = hs.scores(TRUTH, SCORE)
PAIRED = hs.paired(
    TRUTH,
    {
        name: np.where(RNG.random(200) < share, TRUTH, 1 - TRUTH)
        for name, share in {"A": 0.9, "B": 0.8, "C": 0.7}.items()
    },
)
REVIEW = {"reviewed_tp": 100, "mislabelled_tp": 5, "reviewed_fp": 100, "mislabelled_fp": 20}
LOGS = EXAMPLES / "logs"
VOTES = np.where(RNG.random((200, 3)) < [0.9, 0.85, 0.8], TRUTH[:, None], 1 - TRUTH[:, None])

JUDGED = hs.judged(np.where(np.arange(200) < 60, TRUTH, np.nan), VOTES[:, 0], check=False)
GAPS = hs.gaps(
    hs.confusion(TRUTH, SCORE > 0.4, by=np.array(["a", "b", "c"])[np.arange(200) % 3]),
    ["recall", "fpr"],
    random_state=0,
)
READS = np.indices((3, 2, 200)).reshape(3, -1)
READERS = hs.reader_study(
    TRUTH[READS[2]] + RNG.normal(size=1200),
    truth=TRUTH[READS[2]],
    reader=READS[0],
    case=READS[2],
    modality=np.array(["f", "g"])[READS[1]],
)


def study():
    """Return a study of two groups, one of them of two experiments."""
    made = hs.Study(n_draws=200)
    for name, counts in {"a/0": [[50, 3], [5, 42]], "a/1": [[40, 9], [5, 46]], "b": [[44, 9], [8, 39]]}.items():
        made.add(name, counts)
    made.add_metric("f1")
    return made


FOLDS = hs.cross_validated(TRUTH, {"A": SCORE > 0.4, "B": SCORE > 0.6}, fold=np.arange(200) % 5)
RESULTS = {
    "stop": lambda: hs.stop(TABLE, "accuracy", width=0.1),
    "estimate": lambda: hs.estimate(TABLE, "f1"),
    "drawn estimate": lambda: hs.estimate(TABLE, "f1", method="bayes", random_state=0),
    "correlations": lambda: hs.evaluate(TABLE, ["f1", "mcc"], method="bayes", random_state=0).correlations(),
    "evaluation": lambda: hs.evaluate(TABLE),
    "comparison": lambda: hs.compare(PAIRED, "f1", a="A", b="B"),
    "drawn comparison": lambda: hs.compare(PAIRED, "f1", a="A", b="B", method="bayes", rope=0.02, random_state=0),
    "comparisons": lambda: hs.compare_all(PAIRED, ["accuracy", "f1"]),
    "differences": lambda: hs.comparison.simultaneous_differences({name: RNG.normal(0, 1, 500) for name in "ABC"}),
    "ranks": lambda: hs.ranks({name: RNG.normal(0, 1, 500) for name in "ABC"}),
    "leaderboard": lambda: hs.leaderboard(PAIRED, "f1", random_state=0),
    "place": lambda: hs.leaderboard(PAIRED, "f1", random_state=0)["B"],
    "rope": lambda: hs.compare(PAIRED, "f1", a="A", b="B", method="bayes", rope=0.02, random_state=0).rope,
    "margin test": lambda: hs.compare(PAIRED, "f1", a="A", b="B").non_inferiority(0.05),
    "no-information test": lambda: hs.comparison.no_information_test(TABLE),
    "cochran": lambda: hs.cochrans_q(PAIRED),
    "mcnemar": lambda: hs.mcnemar(PAIRED, a="A", b="B"),
    "models": lambda: hs.evaluate_models(PAIRED, ["accuracy", "f1"]),
    "curves": lambda: hs.threshold_curves(SCORES, ["f1", "mcc"]),
    "estimates of groups": lambda: hs.estimate(hs.confusion(TRUTH, SCORE > 0.4, by=np.arange(200) % 3), "f1"),
    "evaluations of groups": lambda: hs.evaluate(hs.confusion(TRUTH, SCORE > 0.4, by=np.arange(200) % 3), ["f1", "mcc"]),
    "groups": lambda: hs.compare_all(hs.paired(TRUTH, {"A": TRUTH[::-1], "B": SCORE > 0.4}, by=TRUTH[::-1]), "f1"),
    "curves of groups": lambda: hs.roc_curve(hs.scores(TRUTH, SCORE, by=np.arange(200) % 3)),
    "monitoring": lambda: hs.monitor(hs.calibrated(SCORE, every=40), threshold=0.5),
    "curve": lambda: hs.roc_curve(SCORES),
    "curve along thresholds": lambda: hs.threshold_curves(SCORES, "f1")["f1"],
    "chosen threshold": lambda: hs.optimal_threshold(SCORES, n_resamples=50, random_state=0),
    "pooled": lambda: hs.pool([0.91, 0.88, 0.93], [0.01, 0.02, 0.015]),
    "algorithm's estimate": lambda: FOLDS.estimate("f1", model="A"),
    "algorithm's evaluation": lambda: FOLDS.evaluate(["accuracy", "f1"], model="B"),
    "algorithms' comparison": lambda: FOLDS.compare("f1"),
    "conflated": lambda: hs.pooling.conflate([RNG.beta(90, 10, 500), RNG.beta(45, 5, 500)], random_state=0),
    "summaries": lambda: study().summaries(),
    "study's comparisons": lambda: study().comparisons("f1", rope=0.02),
    "aggregates": lambda: study().aggregate(),
    "rewards": lambda: study().expected_rewards("f1", [10, 5]),
    "review plan": lambda: hs.labels.review_plan(TABLE, "f1", budget=20),
    "judge's report": lambda: hs.labels.judge_report(JUDGED),
    "label plan": lambda: hs.labels.label_plan(JUDGED, width=0.2),
    "plan": lambda: hs.plan(TABLE, "f1", width=0.1),
    "sample to label": lambda: hs.labels.sample_to_label(SCORE > 0.5, SCORE, "f1", n=30, random_state=0),
    "label shift test": lambda: hs.shift.label_shift_test(SCORES, SCORE[:90]),
    "importance weights": lambda: hs.shift.importance_weights(0.5 + SCORE),
    "reviewed precision": lambda: hs.results.ReviewedPrecision(tp=1000, fp=300, **REVIEW),
    "consensus": lambda: hs.labels.consensus(VOTES, TRUTH, random_state=0),
    "calibration test": lambda: hs.shift.calibration_test(SCORES),
    "miscalibration": lambda: hs.shift.miscalibration(hs.calibrated(SCORE), "f1", threshold=0.5, shift=0.3),
    "classification report": lambda: hs.classification_report(TABLE),
    "evaluation of a log": lambda: hs.evaluate_log(hs.read_log(LOGS)),
    "alternative annotator test": lambda: hs.labels.alt_test(hs.ratings(np.column_stack([VOTES, TRUTH])), 3),
    "gaps": lambda: GAPS,
    "gaps of pairs": lambda: GAPS.differences,
    "gap": lambda: GAPS.differences["recall", "a", "c"],
    "cases needed": lambda: GAPS.needed(0.05),
    "joint test": lambda: hs.joint_test(TABLE, ["recall>0.5", "mcc>0.9"]),
    "certified threshold": lambda: hs.certified_threshold(SCORES, ["recall>0.5", "fpr<0.9"]),
    "decision curve": lambda: hs.decision_curve(TRUTH, SCORE, thresholds=[0.2, 0.4], random_state=0),
    "net benefit": lambda: made("decision curve").difference("model"),
    "joint region": lambda: hs.joint_region(TABLE, "recall", "precision"),
    "reader study": lambda: READERS,
    "reader difference": lambda: READERS.differences["f − g"],
    "test of modalities": lambda: READERS.test,
    "variance components": lambda: READERS.components,
    "reader plan": lambda: READERS.plan(readers=4, cases=100),
    "checklist": lambda: hs.report_of(TABLE).checklist("tripod-ai"),
    "coverage": lambda: hs.lab.coverage("f1", truth=TABLE, draws=50, random_state=0),
}  # fmt: skip


@functools.cache
def made(name):
    """Return a result; none can be changed, so that all tests share it."""
    return RESULTS[name]()


@pytest.fixture(params=RESULTS)
def result(request):
    """One instance of each result class, and of some in several kinds."""
    return made(request.param)


def plain(result):
    """Return a result's records in a form that is equal if all numbers are, including nan."""
    return json.dumps(result.records(), default=str)


def final_classes(base):
    """Return the names of the package's classes that derive from one, and have none that derive from them."""
    below = [each for each in base.__subclasses__() if each.__module__.startswith("howsure")]
    return {leaf for each in below for leaf in (final_classes(each) or {each.__qualname__})}


def test_every_result_class_is_here():
    """Each tabular class of the package has an instance in these tests."""
    assert {type(make()).__qualname__ for make in RESULTS.values()} == final_classes(Tabular) | {"Comparison"}


def test_records_are_flat_and_plain(result):
    """Records are dicts of one set of names, with numbers and texts of Python's own."""
    records = result.records()
    assert records
    assert len({tuple(record) for record in records}) == 1
    for value in (value for record in records for value in record.values()):
        assert type(value) in (int, float, str, bool, type(None)), value
    assert isinstance(result.to_dict(), dict)


@pytest.mark.parametrize(
    "method, frame, rows",
    [("to_pandas", pd.DataFrame, len), ("to_polars", pl.DataFrame, len), ("to_arrow", pa.Table, len)],
)
def test_frames_hold_the_records(result, method, frame, rows):
    """pandas, Polars and PyArrow frames have the records' columns and rows."""
    made, records = getattr(result, method)(), result.records()
    assert isinstance(made, frame)
    assert rows(made) == len(records)
    assert list(getattr(made, "column_names", getattr(made, "columns", None))) == list(records[0])


def test_texts_of_each_format(result):
    """Markdown, LaTeX and HTML are tables of the same rows, with escaped labels."""
    grid = result.grid()
    assert isinstance(grid, Grid)
    markdown, latex, html = result.to_markdown(), result.to_latex(), result.to_html()
    assert markdown.startswith("| ")
    assert markdown.splitlines()[1].startswith("| :---")
    assert len(markdown.partition("\n\n")[0].splitlines()) == len(grid.rows) + 2
    assert latex.startswith(r"\begin{tabular}")
    assert latex.count(r"\\") == len(grid.rows) + 1
    assert html.startswith("<table")
    assert html.count("<tr>") == len(grid.rows) + 1
    assert "<ill>" not in html + result._repr_html_()
    assert str(result)


def test_repr_has_at_most_thirty_lines(result):
    """A repr is readable in a terminal, for any size of the result."""
    assert 1 <= len(repr(result).splitlines()) <= 30


def test_html_for_notebooks_is_well_formed(result):
    """The cell of a notebook gets one element, of bounded length."""
    html = result._repr_html_()
    assert ET.fromstring(html).tag in {"table", "span"}  # noqa: S314 - our own
    assert len(html) < 2**16


def test_long_tables_are_cut_in_the_middle():
    """Long tables are printed as the first and the last rows, with the number between, and the way to see all."""
    curve = hs.roc_curve(hs.scores(np.arange(1000) % 2, np.arange(1000.0)))
    lines = repr(curve).splitlines()
    assert len(lines) == 30
    (between,) = [line for line in lines if line.startswith("…")]
    assert between == f"… {len(curve.x) - 26} more rows"
    every = curve.grid().text().splitlines()
    assert [lines[2].split(), lines[-2].split()] == [every[2].split(), every[-1].split()]
    assert lines[-1] == "All rows: to_pandas(), to_polars(), to_markdown()."
    assert str(curve) == repr(curve)
    assert curve._repr_html_().count("<tr>") == 61


def test_whole_numbers_of_groups_stay_whole():
    """The keys of groups are whole numbers in a pandas frame, where the row of all cases has none."""
    groups = hs.from_counts([[[5, 1], [1, 5]], [[4, 2], [2, 4]]])
    column = hs.estimate(groups, "f1").to_pandas()["group"]
    assert column.isna().tolist() == [True, False, False]
    assert [int(each) for each in column[1:]] == [0, 1]
    assert "float" not in str(column.dtype)


def test_copies_and_pickles_are_equal(result):
    """A result survives pickle, copy and deepcopy."""
    for other in (pickle.loads(pickle.dumps(result)), copy.copy(result), copy.deepcopy(result)):
        assert type(other) is type(result)
        assert plain(other) == plain(result)
        assert repr(other) == repr(result)


def test_results_cannot_be_changed(result):
    """Setting a field is refused."""
    name = fields(result)[0].name if is_dataclass(result) else "low"
    with pytest.raises(AttributeError):
        setattr(result, name, 1)


def test_mappings_keep_their_word(result):
    """What has keys iterates them, finds each, counts them, and misses the others with an error that is both ours and a KeyError."""
    if not isinstance(result, Mapping):
        pytest.skip("no mapping")
    keys = list(result)
    assert len(result) == len(keys) > 0
    assert all(key in result for key in keys)
    assert list(result.items()) == [(key, result[key]) for key in keys]
    assert "no such key" not in result
    assert result.get("no such key") is None
    with pytest.raises(hs.HowsureError) as caught:
        result["no such key"]
    assert isinstance(caught.value, KeyError)
    assert not str(caught.value).startswith(("'", '"'))


def test_what_can_be_no_key_is_a_key_that_is_missing(result):
    """A list, an array or a slice in brackets is refused in words, as any other key that is not there."""
    if not isinstance(result, Mapping):
        pytest.skip("no mapping")
    for key in ([1], {}, np.array([1, 2]), slice(0, 1), object(), None):
        with pytest.raises(hs.HowsureError, match="There is no|named by"):
            result[key]
        assert key not in result


def test_keys_of_each_mapping():
    """Evaluations have metrics, comparisons pairs, ranks and differences names, monitoring chunks, reports rows."""
    keys = {name: list(RESULTS[name]()) for name in ("comparisons", "differences", "ranks", "monitoring")}
    assert keys["comparisons"][:2] == [("accuracy", "A", "B"), ("accuracy", "A", "C")]
    assert keys["differences"] == [("A", "B"), ("A", "C"), ("B", "C")]
    assert keys["ranks"] == ["A", "B", "C"]
    assert keys["monitoring"][0] == "0–39"
    assert list(hs.compare_all(PAIRED, "f1")) == [("A", "B"), ("A", "C"), ("B", "C")]
    assert "<ill>" in hs.classification_report(TABLE)
    report = hs.report_of(TABLE)
    assert "Metrics" in report
    assert [report[title].title for title in report] == [each.title for each in report.sections]


def test_comparisons_of_several_metrics_are_found_by_pair_or_metric():
    """A pair alone is that of the first metric; with the metric in front it is that metric's."""
    found = hs.compare_all(PAIRED, ["accuracy", "f1"])
    assert found["A", "C"] is found["accuracy", "A", "C"]
    assert found["f1", "A", "C"].metric == "f1"


def test_a_difference_is_the_opposite_of_its_opposite():
    """The mapping of simultaneous differences accepts each pair in both orders."""
    found = RESULTS["differences"]()
    one, other = found["A", "C"], found["C", "A"]
    assert (one.value, one.low, one.high) == pytest.approx((-other.value, -other.high, -other.low))


def same(one, other):
    """Whether two results have the same fields; from Python 3.13 on, equality takes nan for different from itself."""
    return repr(one.to_dict()) == repr(other.to_dict())


@pytest.mark.parametrize("method", ["delta", "tango", "bootstrap_percentile", "bootstrap_bca"])
def test_a_pickled_comparison_tests_margins_as_before(method):
    """Tests that invert the interval give the same p-values after a pickle, by each kind of method."""
    found = hs.compare(PAIRED, "accuracy", a="A", b="B", method=method, random_state=0)
    again = pickle.loads(pickle.dumps(found))
    for margin in (0.01, 0.1):
        assert same(again.non_inferiority(margin), found.non_inferiority(margin))
        assert same(again.equivalence(margin), found.equivalence(margin))


def test_comparisons_of_scores_and_of_separate_tables_can_be_pickled():
    """Areas by DeLong and tables of two test sets keep their margins too."""
    areas = hs.paired_scores(TRUTH, {"A": SCORE, "B": SCORE + RNG.normal(0, 0.3, 200)})
    for found in (hs.compare(areas, "roc_auc"), hs.compare(TABLE, hs.from_counts([[40, 13], [9, 38]], labels=TABLE.labels), "f1@macro")):  # fmt: skip
        again = pickle.loads(pickle.dumps(found))
        assert same(again.equivalence(0.1), found.equivalence(0.1))


@pytest.mark.parametrize("spec", ["f1@macro", "f1@micro", "recall@weighted"])
@pytest.mark.parametrize("classes", [[0, 2], [2], [0, 1, 2], None])
def test_a_pickled_comparison_keeps_the_classes_of_its_metric(spec, classes):
    """After pickling, an average over some of the classes is still over the same ones."""
    tables = [
        hs.from_counts(each) for each in ([[30, 2, 3], [1, 9, 8], [4, 3, 40]], [[28, 4, 3], [5, 12, 1], [4, 7, 36]])
    ]
    found = hs.compare(*tables, resolve(spec, tables[0], classes=classes))
    again = pickle.loads(pickle.dumps(found))
    assert same(again.non_inferiority(0.02), found.non_inferiority(0.02))
    assert again.limits.metric(again.limits.table.counted) == pytest.approx(found.value)


@pytest.mark.parametrize("function", ["roc_curve", "precision_recall_curve"])
def test_curves_unpack_as_scikit_learns_do(function):
    """Unpacked, a curve equals the output of scikit-learn's function of its name, without left-out points."""
    metrics = pytest.importorskip("sklearn.metrics")
    settings = {"drop_intermediate": False} if function == "roc_curve" else {}
    ours = getattr(hs, function)(TRUTH, SCORE)
    for mine, theirs in zip(ours, getattr(metrics, function)(TRUTH, SCORE, **settings), strict=True):
        assert mine == pytest.approx(theirs)
    assert "threshold" in ours
    assert "thresholds" not in ours


def test_calibration_curves_unpack_as_scikit_learns_do():
    """The share of positive cases comes first, then the mean probability."""
    calibration = pytest.importorskip("sklearn.calibration")
    ours, theirs = list(hs.calibration_curve(TRUTH, SCORE)), calibration.calibration_curve(TRUTH, SCORE, n_bins=10)
    for mine, expected in zip(ours, theirs, strict=True):
        assert mine == pytest.approx(expected)


def test_curves_along_thresholds_can_be_pickled():
    """The dict of `threshold_curves` survives a pickle."""
    found = hs.threshold_curves(SCORES, ["f1", "recall"])
    again = pickle.loads(pickle.dumps(found))
    assert list(again) == ["f1", "recall"]
    np.testing.assert_array_equal(again["f1"].low, found["f1"].low)


def test_flat_is_for_loggers(result):
    """Every result whose rows have names is one flat dict of floats, under names that all loggers take."""
    if "threshold" in result.records()[0]:  # the points of a curve
        with pytest.raises(hs.HowsureError, match="rows here have no names. Log `to_pandas"):
            result.flat()
        return
    flat = result.flat()
    assert {type(value) for value in flat.values()} == (
        {float} if not isinstance(result, hs.results.Checklist) else set()
    )
    assert all(re.fullmatch("[_a-zA-Z][_a-zA-Z0-9]*", name) for name in flat)  # W&B's pages can sort by these names
    numbers = [
        value
        for record in result.records()
        for name, value in record.items()
        if isinstance(value, float) and name not in {"standard_error", "confidence_level"}
    ]
    assert np.isin(np.nan_to_num(numbers, nan=-9), np.nan_to_num([*flat.values()], nan=-9)).all()


def test_names_of_flat():
    """The metric comes first, then the kind of number; the value has no suffix, and limits are named."""
    flat = hs.evaluate(TABLE, ["f1", "f1@macro", "fbeta+beta=0.5"]).flat()
    assert list(flat)[:6] == ["f1", "f1_low", "f1_high", "f1_macro", "f1_macro_low", "f1_macro_high"]
    assert "fbeta_beta_0_5" in flat
    groups = hs.estimate(hs.confusion(TRUTH, SCORE > 0.4, by={"year": np.arange(200) % 2 + 2024}), "f1")
    assert [*groups.flat()][::3] == ["f1", "f1_2024", "f1_2025"]
    assert groups.flat()["f1_2025_low"] == groups[2025].low
    assert "f1_difference_A_B_p_value" in hs.compare(PAIRED, "f1", a="A", b="B").flat()
    assert "accuracy_B_high" in hs.evaluate_models(PAIRED, "accuracy").flat()


def test_labels_that_names_cannot_hold_get_numbers():
    """Classes whose names differ only in symbols are distinguished, and letters of other alphabets are replaced."""
    labels = ["a b", "a-b", "ä", "Ω"]
    flat = hs.evaluate(hs.from_counts(np.eye(4) * 9 + 1, labels=labels), "recall@none").flat()
    assert list(flat)[::3] == [f"recall_binary_positive_class_{name}" for name in ("a_b", "a_b_2", "a", "")]


def test_an_evaluation_without_draws_says_so():
    """`draws` is None where the method makes none, so that `hasattr` works; correlations are refused."""
    evaluation = hs.evaluate(TABLE, ["f1", "mcc"])
    assert evaluation.draws is None
    with pytest.raises(hs.HowsureError, match="no draws"):
        evaluation.correlations()
    drawn = hs.evaluate(TABLE, ["f1", "mcc"], method="bayes", random_state=0)
    assert drawn.draws.dtype.names == ("f1", "mcc")
    assert drawn.correlations()["f1"]["f1"] == pytest.approx(1)


def test_evaluations_from_everywhere_know_how_they_were_made():
    """Method, seed and threshold are the requested ones, in models and in monitored chunks too."""
    models = hs.evaluate_models(PAIRED, "f1", method="bayes", random_state=3)
    assert {each.method.name for each in models.values()} == {"bayes"}
    assert {each.seed.entropy for each in models.values()} == {3}
    chunks = hs.monitor(hs.calibrated(SCORE, every=100), ["f1", "roc_auc"], threshold=0.4, method="delta")
    assert {(each.method.name, each.threshold) for each in chunks.values()} == {("delta", 0.4)}


def test_a_report_shows_the_estimates_that_it_was_given():
    """The page of a model's evaluation from joint draws has that evaluation's numbers."""
    evaluation = hs.evaluate_models(PAIRED, ["f1", "mcc"], method="bayes", random_state=3)["A"]
    shown = {each["metric"]: each for each in hs.report_of(evaluation).to_dict()["estimates"]}
    for name, each in evaluation.items():
        assert shown[name]["intervals"]["0.95"] == [each.low, each.high]
        assert shown[name]["method"] == "bayes"
    with pytest.raises(hs.HowsureError, match="`method` is for tables"):
        hs.report_of(evaluation, method="wilson")


def test_errors_survive_a_pickle():
    """Errors have the same text after a pickle, and failed lookups are plain text."""
    for error in (OneClassError("x"), UnknownKeyError.unknown("metric", "f2", ["f1"]), hs.HowsureError("plain")):
        again = pickle.loads(pickle.dumps(error))
        assert type(again) is type(error)
        assert str(again) == str(error)
    assert str(UnknownKeyError("There is none.")) == "There is none."


def test_tables_for_great_tables(monkeypatch):
    """`to_gt` passes the printed cells to great-tables, with the caption as a note; without it there is an error."""
    found = hs.evaluate(hs.from_counts([[50, 3], [5, 42]]), ["accuracy", "f1"])
    monkeypatch.setitem(sys.modules, "great_tables", None)
    with pytest.raises(hs.HowsureError, match="`to_gt` needs the package 'great_tables'"):
        found.to_gt()
    monkeypatch.setitem(sys.modules, "great_tables", types.SimpleNamespace(GT=lambda frame: frame))
    frame = found.to_gt()
    assert tuple(frame.columns) == found.grid().headers
    assert [tuple(row) for row in frame.to_numpy()] == list(found.grid().rows)
