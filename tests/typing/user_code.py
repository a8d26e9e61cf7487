"""What a user writes: checked by mypy and pyright, and run by a test. Nothing here may be `Any`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import assert_type

import numpy as np
from numpy.typing import NDArray

import howsure as hs

truth = np.array([1, 0, 1, 1, 0, 0, 1, 0] * 5)
said = np.array([1, 0, 1, 0, 0, 1, 1, 0] * 5)
score = np.linspace(0, 1, 40)
site = ["a", "b"] * 20

# tables, with and without groups
table = hs.from_counts([[50, 3], [5, 42]])
assert_type(table, hs.tables.ConfusionTable)
assert_type(hs.scores(truth, score), hs.tables.ScoresTable)
assert_type(hs.scores(truth, score, by=site), hs.tables.Tables[hs.tables.ScoresTable])
assert_type(hs.scores(truth, score).at(0.5), hs.tables.ConfusionTable)
assert_type(hs.values(score), hs.tables.ValuesTable)
assert_type(hs.values("grade", data={"grade": score}), hs.tables.ValuesTable)
assert_type(hs.values({"a": score, "b": score}), hs.tables.PairedValuesTable)
assert_type(hs.values(score, truth=score), hs.tables.ErrorsTable)
assert_type(hs.trials(truth, task=site), hs.tables.TrialsTable)
study = hs.reader_study(score, truth=np.arange(40) % 4 > 1, reader=site, case=np.arange(40) // 2)
assert_type(study, hs.results.ReaderStudy)
assert_type(study.means["all readers"], hs.Estimate)
assert_type(hs.plan(study, cases=50, width=0.4), hs.results.ReaderPlan)
assert_type(hs.plan(table, "f1", width=0.4), hs.results.Plan)
assert_type(hs.trials(truth, task=np.arange(40) // 2, model=site), hs.tables.PairedValuesTable)
pair = hs.paired(truth, {"A": said, "B": truth[::-1]})
assert_type(pair, hs.tables.PairedTable)
assert_type(pair.model("A"), hs.Table)
grouped = hs.confusion(truth, said, by=site)

# estimates
estimate = hs.estimate(table, "f1", method="wilson", confidence_level=0.9)
assert_type(estimate, hs.Estimate)
assert_type(estimate.low, float)
number: float = estimate
assert_type(estimate + 1, float)
assert_type(hs.estimate(grouped, "accuracy"), hs.results.Estimates)
assert_type(hs.evaluate(table), hs.Evaluation)
assert_type(hs.evaluate(table)["accuracy"], hs.Estimate)
assert_type(hs.evaluate(grouped), hs.results.Evaluations)
assert_type(hs.evaluate(table, ["f1"]).flat(), dict[str, float])

# the names of scikit-learn and confidenceinterval
assert_type(hs.f1_score(truth, said), hs.Estimate)
assert_type(hs.f1_score(y_true=truth, y_pred=said, average="macro", method="bayes", random_state=1), hs.Estimate)
assert_type(hs.f1_score(truth, said, average=None, labels=[1, 0], zero_division=0.0), list[hs.Estimate])
assert_type(hs.fbeta_score(truth, said, beta=2, average=None), list[hs.Estimate])
assert_type(hs.fbeta_score(truth, said, beta=0.5), hs.Estimate)
assert_type(hs.accuracy_score(truth, said, groups=site, confidence_interval=0.9), hs.Estimate)
assert_type(hs.cohen_kappa_score(truth, said, weights="linear"), hs.Estimate)
assert_type(hs.roc_auc_score(truth, score, method=hs.methods.DeLong()), hs.Estimate)
assert_type(hs.average_precision_score(truth, score, average=None), hs.Estimate | list[hs.Estimate])
assert_type(hs.log_loss(truth, y_proba=score), hs.Estimate)
report = hs.classification_report(truth, said, target_names=["well", "ill"])
assert_type(report["ill"]["f1"], hs.Estimate)
names: list[str] = [function.__name__ for function in (hs.f1_score, hs.recall_score)]

# comparisons, curves, draws
comparison = hs.compare(pair, "accuracy")
assert_type(comparison, hs.Comparison)
assert_type(comparison.p_value, float)
curve = hs.roc_curve(truth, score)
assert_type(curve, hs.results.Curve)
assert_type(hs.roc_curve(truth, score, by=site).overall, hs.results.Curve)
assert_type(hs.det_curve(hs.scores(truth, score, by=site))["a"], hs.results.Curve)
assert_type(hs.precision_recall_curve(truth, score, by=None, band="none"), hs.results.Curve)
assert_type(hs.calibration_curve(truth, score, bins=2), hs.results.Curve)
assert_type(hs.calibration_curve(truth, score, bins=2, by=site)["a"], hs.results.Curve)
assert_type(hs.decision_curve(truth, score, thresholds=[0.2], by=site).overall, hs.results.DecisionCurve)
assert_type(hs.decision_curve(truth, score, thresholds=[0.2]), hs.results.DecisionCurve)
columns: Mapping[str, NDArray[np.float64]] = curve.columns
assert_type(hs.methods.draw_tables(table, n=3, random_state=0), NDArray[np.float64])
