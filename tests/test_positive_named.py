"""Every result of two classes with words names the positive one: in print, in records and in figures."""

import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.text import Text

import howsure as hs

RNG = np.random.default_rng(0)
N = 300
TRUTH = RNG.choice(["alpha", "zulu"], N)
SAID = {
    name: np.where(RNG.random(N) < right, TRUTH, RNG.choice(["alpha", "zulu"], N))
    for name, right in (("A", 0.8), ("B", 0.6), ("C", 0.5))
}
SCORE = np.clip(0.3 * (TRUTH == "zulu") + 0.7 * RNG.random(N), 0, 1)
SITE = RNG.choice(["x", "y"], N)
TABLE = hs.confusion(TRUTH, SAID["A"])
SCORES = hs.scores(TRUTH, SCORE)
PAIRED = hs.paired(TRUTH, SAID)
GROUPS = hs.confusion(TRUTH, SAID["A"], by=SITE)
OF_SITES = hs.scores(TRUTH, SCORE, by=SITE)
HUMAN = np.where(RNG.random(N) < 0.5, TRUTH, None)
DRAWN = {
    name: hs.estimate(hs.confusion(TRUTH, said), "f1", method="bayes", random_state=0) for name, said in SAID.items()
}

RISK = {"A": SCORE, "B": SCORE**2}
CURVE = hs.decision_curve(TRUTH, RISK, thresholds=[0.2, 0.3], random_state=0)
GAPS = hs.gaps(GROUPS, "recall", random_state=0)
CASE, READER, MODALITY = (each.ravel() for each in np.meshgrid(np.arange(40), list("pqrs"), ["CT", "MR"]))
IS_ILL = np.where(np.arange(40) % 2, "zulu", "alpha")[CASE]
RATING = (IS_ILL == "zulu") * 1.0 + RNG.normal(size=len(CASE))
STUDY = hs.reader_study(RATING, truth=IS_ILL, reader=READER, case=CASE, modality=MODALITY)

RESULTS = {
    "estimate": lambda: hs.estimate(TABLE, "f1"),
    "area": lambda: hs.estimate(SCORES, "roc_auc"),
    "evaluate": lambda: hs.evaluate(TABLE, ["f1", "recall"]),
    "estimate of groups": lambda: hs.estimate(GROUPS, "f1"),
    "evaluate of groups": lambda: hs.evaluate(GROUPS, ["f1"]),
    "evaluate_models": lambda: hs.evaluate_models(PAIRED, ["f1"]),
    "compare": lambda: hs.compare(GROUPS["x"], GROUPS["y"], "f1"),
    "compare_all": lambda: hs.compare_all(PAIRED, "f1"),
    "leaderboard": lambda: hs.leaderboard(PAIRED, "f1", random_state=0),
    "monitor": lambda: hs.monitor(GROUPS, ["f1"]),
    "plan": lambda: hs.plan(TABLE, "f1", width=0.1),
    "pool": lambda: hs.pool(GROUPS, "f1"),
    "ranks": lambda: hs.ranks(DRAWN),
    "calibration_test": lambda: hs.shift.calibration_test(SCORES),
    "judge_report": lambda: hs.labels.judge_report(hs.judged(HUMAN, SAID["A"])),
    "stop": lambda: hs.stop(TABLE, "f1", width=0.01),
    "stop of a comparison": lambda: hs.stop(hs.paired(TRUTH, {name: SAID[name] for name in "AB"}), "f1", width=0.01),
    "optimal_threshold": lambda: hs.optimal_threshold(SCORES, "youden", n_resamples=200, random_state=0),
    "roc_curve": lambda: hs.roc_curve(SCORES),
    "roc_curve of groups": lambda: hs.roc_curve(OF_SITES),
    "det_curve": lambda: hs.det_curve(SCORES),
    "precision_recall_curve": lambda: hs.precision_recall_curve(SCORES),
    "calibration_curve": lambda: hs.calibration_curve(SCORES),
    "threshold_curves": lambda: hs.threshold_curves(SCORES, ["f1"]),
    "decision_curve": lambda: CURVE,
    "decision_curve of groups": lambda: hs.decision_curve(TRUTH, SCORE, thresholds=[0.2], by=SITE, random_state=0),
    "net benefit": lambda: CURVE["A"],
    "difference of net benefits": lambda: CURVE.difference("A", "B"),
    "joint_region": lambda: hs.joint_region(TABLE, "recall", "precision"),
    "joint_region of groups": lambda: hs.joint_region(GROUPS, "accuracy", "precision"),
    "joint_test": lambda: hs.joint_test(TABLE, ["recall>0.5", "accuracy>0.5"]),
    "joint_test of groups": lambda: hs.joint_test(GROUPS, "recall>0.5"),
    "certified_threshold": lambda: hs.certified_threshold(SCORES, "recall>0.5"),
    "gaps": lambda: GAPS,
    "gaps of several metrics": lambda: hs.gaps(GROUPS, ["accuracy", "recall"], random_state=0),
    "gaps of pairs": lambda: GAPS.differences,
    "gaps to all cases": lambda: GAPS.to_overall,
    "gap of one pair": lambda: GAPS.differences["x", "y"],
    "largest gap": GAPS.difference,
    "smallest ratio": GAPS.ratio,
    "smallest value": GAPS.group_min,
    "reader_study": lambda: STUDY,
    "reader_study of groups": lambda: hs.reader_study(
        RATING, truth=IS_ILL, reader=READER, case=CASE, modality=MODALITY, by=CASE < 20
    ),
    "means over readers": lambda: STUDY.means,
    "single readers": lambda: STUDY.by_reader,
    "modalities": lambda: STUDY.compare("CT", "MR"),
}
REPORTS = {
    "decision_curve": lambda: hs.report_of(CURVE),
    "joint_test": lambda: hs.report_of(RESULTS["joint_test"]()),
    "certified_threshold": lambda: hs.report_of(RESULTS["certified_threshold"]()),
    "gaps": lambda: hs.report_of(GAPS),
    "reader_study": lambda: hs.report_of(STUDY),
}
FIGURES = {
    "plan": lambda: hs.plots.plan(hs.plan(TABLE, "f1", width=0.1)),
    "ranks": lambda: hs.plots.ranks(hs.ranks(DRAWN)),
    "forest": lambda: hs.plots.forest(hs.pool(GROUPS, "f1")),
    "confusion_matrix": lambda: hs.plots.confusion_matrix(TABLE),
    "intervals": lambda: hs.plots.intervals(hs.evaluate(TABLE, ["f1"])),
    "differences": lambda: hs.plots.differences(hs.compare_all(PAIRED, "f1")),
    "leaderboard": lambda: hs.plots.leaderboard(hs.leaderboard(PAIRED, "f1", random_state=0)),
    "posterior": lambda: hs.plots.posterior(hs.estimate(TABLE, "f1", method="bayes", random_state=0)),
    "roc_curve": lambda: hs.plots.curve(hs.roc_curve(SCORES)),
    "threshold_curves": lambda: hs.plots.curve(hs.threshold_curves(SCORES, ["f1"])["f1"]),
    "calibration_curve": lambda: hs.plots.curve(hs.calibration_curve(SCORES)),
    "decision_curve": lambda: hs.plots.decision_curve(CURVE),
    "joint_region": lambda: hs.plots.joint_region(RESULTS["joint_region"]()),
}


@pytest.mark.parametrize("result", RESULTS)
def test_results_name_the_positive_class(result):
    found = RESULTS[result]()
    assert "zulu" in str(found)
    assert "zulu" in found.to_pandas().to_string()
    assert "zulu" in found.to_markdown()
    records = found.records() if hasattr(found, "records") else [found.to_dict()]
    assert any("zulu" in str(each) for each in records)


@pytest.mark.parametrize("report", REPORTS)
def test_reports_name_the_positive_class(report):
    assert "zulu" in REPORTS[report]().to_markdown()


def test_metrics_of_both_classes_name_none():
    """Accuracy and MCC treat both classes alike, so their gaps and their region have no positive class."""
    gaps = hs.gaps(GROUPS, ["accuracy", "mcc"], random_state=0)
    for found in (gaps, gaps.differences, hs.joint_region(TABLE, "mcc", "f1@macro")):
        assert "zulu" not in str(found)
        assert {each["positive"] for each in found.records()} == {""}


@pytest.mark.parametrize("figure", FIGURES)
def test_figures_name_the_positive_class(figure):
    plt.close("all")
    FIGURES[figure]()
    assert any("zulu" in each.get_text() for each in plt.gcf().findobj(Text))
    plt.close("all")


def test_zero_and_one_need_no_name():
    """Curves of 0 and 1 have the columns of points alone."""
    curve = hs.roc_curve(hs.scores(TRUTH == "zulu", SCORE))
    assert "positive" not in curve.to_pandas().columns
    assert "positive" not in str(curve)


def test_truth_values_stay_truth_values():
    """The classes of a table of scores of True and False are these, not False and 1."""
    table = hs.scores([True, False, True, False], [0.9, 0.2, 0.4, 0.4])
    assert [type(label) for label in table.labels.tolist()] == [bool, bool]
    assert table.positive == ""
