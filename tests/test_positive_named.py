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
}


@pytest.mark.parametrize("result", RESULTS)
def test_results_name_the_positive_class(result):
    found = RESULTS[result]()
    assert "zulu" in str(found)
    assert "zulu" in found.to_pandas().to_string()
    assert "zulu" in found.to_markdown()
    assert any("zulu" in str(each) for each in found.records())


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
