"""What newcomers plausibly get wrong: an attempt, the culprit that the message must name, and the remedy."""

import numpy as np
import pandas as pd

import howsure as hs
from support.examples import CANCER

FRAME = pd.read_csv(CANCER)
TRUTH, PREDICTED = [1, 0, 1, 1, 0, 0, 1, 0], [1, 0, 0, 1, 0, 1, 1, 0]
SCORE = [0.9, 0.2, 0.4, 0.8, 0.3, 0.6, 0.7, 0.1]
TWO = hs.from_counts([[50, 3], [5, 42]])
THREE = hs.from_counts([[9, 1, 0], [1, 8, 1], [0, 2, 7]])
SCORES = hs.scores(TRUTH, SCORE)
PAIR = hs.paired(TRUTH, {"A": PREDICTED, "B": [0, 1, 0, 0, 1, 1, 0, 1]})
REPORT = ["report", CANCER, "--y-true", "label", "--y-pred", "logistic"]

MISTAKES = {  # in Python
    "a slip in a metric's name": (lambda: hs.estimate(TWO, "f1_scroe"), "'f1_scroe'", "'f1_score'"),
    "a scorer of the other sign": (lambda: hs.estimate(SCORES, "neg_log_loss"), "'neg_log_loss'", "'log_loss'"),
    "no average": (lambda: hs.estimate(THREE, "f1"), "3 classes", "'f1@macro'"),
    "a class for an average": (lambda: hs.estimate(THREE, "recall@2x"), "'2x'", "f1@binary+positive_class=…"),
    "a slip in an average": (lambda: hs.estimate(THREE, "f1@makro"), "'makro'", "'macro'"),
    "a function for a metric": (lambda: hs.estimate(TWO, hs.f1_score), "function", "'f1@macro'"),
    "metrics in one text": (lambda: hs.evaluate(TWO, "f1, recall"), "'f1, recall'", "['f1', 'recall']"),
    "a metric of scores on predictions": (lambda: hs.estimate(TWO, "auc"), "`roc_auc`", "`scores(y_true, y_score)`"),
    "no threshold": (lambda: hs.estimate(SCORES, "f1"), "at a threshold", "`threshold=0.5`"),
    "a threshold in percent": (lambda: hs.estimate(SCORES, "f1", threshold=50), "`threshold` is 50", "from 0 to 1"),
    "arrays for a table": (lambda: hs.estimate(TRUTH, PREDICTED), "a table of counts", "hs.confusion(y_true, y_pred)"),
    "arrays to compare": (lambda: hs.compare(PREDICTED, TRUTH, "f1"), "compare(", "`paired`"),
    "numbers to compare": (lambda: hs.compare(0.9, 0.8), "compare(", "`from_counts`"),
    "one model to compare": (lambda: hs.compare(TWO, "f1"), "several models", "`paired("),
    "classes that differ": (lambda: hs.compare(TWO, THREE, "accuracy"), "0, 1 and 0, 1, 2", "`labels=`"),
    "one model in pairs": (lambda: hs.paired(TRUTH, {"A": PREDICTED}), "two models, not 1", "`confusion`"),
    "a level in percent": (lambda: hs.estimate(TWO, "f1", confidence_level=95), "not 95", "0.95"),
    "a slip in a method": (lambda: hs.estimate(TWO, "f1", method="bootstrapp"), "'bootstrapp'", "'bootstrap'"),
    "a method of proportions": (lambda: hs.estimate(TWO, "mcc", method="wilson"), "`mcc`", "`Delta()`"),
    "draws where there are none": (lambda: hs.estimate(TWO, "f1").summary(), "`mid_p`", "method='bayes'"),
    "a seed as text": (
        lambda: hs.estimate(TWO, "mcc", method="bayes", random_state="seed"),
        "not 'seed'",
        "a whole number",
    ),
    "a table for a column": (
        lambda: hs.confusion(TWO, PREDICTED),
        "`y_true` is a ConfusionTable",
        "a list or an array",
    ),
    "tables for columns": (
        lambda: hs.multiclass_scores(TRUTH, {"a": TWO, "b": TWO}),
        "ConfusionTable",
        "a list or an array",
    ),
    "masks for predictions": (
        lambda: hs.f1_score(np.zeros((4, 8, 8)), np.ones((4, 8, 8))),
        "the shape of masks",
        "`hs.from_counts(matrices, groups=image)`",
    ),
    "tags of sentences for labels": (
        lambda: hs.f1_score([["O", "B-PER"], ["O"]], [["O", "B-PER"], ["O"]]),
        "tags of tokens",
        "`hs.entities(y_true, y_pred)`",
    ),
    "lists of labels": (lambda: hs.confusion([["a", "b"], ["c"]], [["a"], ["c"]]), "lists of labels", "of 0 and 1"),
    "a mark for pixels without a label": (
        lambda: hs.jaccard_score([0, 1, 2, 255] * 9, [0, 1, 2, 2] * 9, average="macro", labels=[0, 1, 2]),
        "255",
        "`y_true != 255`",
    ),
    "counts for values and errors": (
        lambda: hs.pool([8, 9, 7], [10, 12, 7]),
        "successes",
        "`pool([hs.proportion(k, n)",
    ),
    "variances for errors": (
        lambda: hs.pool([0.1, 0.3], pd.Series([0.01, 0.02], name="vi")),
        "'vi', of variances",
        "`np.sqrt(…)`",
    ),
    "a limit of alerts for a threshold": (
        lambda: hs.monitor({"May": TWO, "June": TWO}, "f1", threshold=0.8),
        "`threshold` is for tables of scores",
        "`baseline=(0.8, 1)`",
    ),
    "an overlap for an average": (
        lambda: hs.estimate(hs.detections([{"scores": [0.9], "hits": [1]}], [1], iou=0.5), "map@0.5"),
        "takes no average",
        "'map+iou=0.5'",
    ),
    "recall of detections": (
        lambda: hs.estimate(hs.detections([{"scores": [0.9], "hits": [1]}], [1], iou=0.5), "recall"),
        "from a score on",
        "`estimate(table.at(0.5), 'recall')`",
    ),
    "a metric's argument after its average": (
        lambda: hs.estimate(THREE, "f1@macro+zero_division=1"),
        "`zero_division` goes before",
        "'f1+zero_division=1@macro'",
    ),
    "no columns": (lambda: hs.multiclass_scores(TRUTH, {}), "holds nothing", "a list or an array"),
    "tables as data": (
        lambda: hs.confusion("a", "b", data={"a": TWO, "b": THREE}),
        "ConfusionTable",
        "a list or an array",
    ),
    "an iterator with counts": (
        lambda: hs.scores(TRUTH[:2], iter(SCORE[:2]), counts=[0, 1]),
        "list_iterator",
        "a list or an array",
    ),
    "values for draws": (
        lambda: hs.comparison.simultaneous_differences(hs.values(SCORE)),
        "draws of each model",
        "`leaderboard(",
    ),
    "arrays for columns of records": (lambda: hs.read_log("a.json", item=np.ones(2)), "columns of records", "`score`"),
    "scores as predictions": (lambda: hs.confusion(TRUTH, SCORE), "`y_pred` holds fractions", "y_pred >= 0.5"),
    "labels as scores": (lambda: hs.scores(TRUTH, ["a", "b"] * 4), "`y_score` is not numeric", "one number a case"),
    "truth and scores exchanged": (lambda: hs.scores(SCORE, TRUTH), "`y_true` has 8 classes", "one class"),
    "two columns of probabilities": (
        lambda: hs.scores(TRUTH, np.column_stack([SCORE, SCORE])),
        "shape (8, 2)",
        "y_score[:, 1]",
    ),
    "logits without labels": (lambda: hs.calibrated([-2.3, 4.1, 0.2]), "outside [0, 1]", "`calibrator`"),
    "columns of different length": (
        lambda: hs.confusion(TRUTH, PREDICTED[:-1]),
        "`y_pred` has 7",
        "one value per case",
    ),
    "missing labels": (lambda: hs.confusion([1, 0, np.nan], [1, 0, 1]), "at row 2", "`hs.judged(y_true, y_pred)`"),
    "missing labels of text": (lambda: hs.confusion(["a", None], ["a", "b"]), "at row 1", "missing at random"),
    "missing predictions": (lambda: hs.confusion(["a", "b"], ["a", None]), "`y_pred` has 1", "Drop or fill"),
    "missing scores": (lambda: hs.scores([0, 1], [0.2, np.nan]), "at row 1", "Drop or fill"),
    "no cases": (lambda: hs.confusion([], []), "`y_true` is empty", "no case"),
    "numbers and text": (lambda: hs.confusion([1, 0], ["1", "0"]), "text ('0')", "Convert one"),
    "blanks in labels": (lambda: hs.confusion(["a", "b"], [" a", "b"]), "' a'", "Strip the blanks"),
    "one class alone": (lambda: hs.scores([1, 1], [0.2, 0.3]), "Only the class 1", "`pos_label=`"),
    "a slip in a column": (lambda: hs.confusion("lable", "logistic", data=FRAME), "'lable'", "'label'"),
    "names of columns without data": (lambda: hs.confusion("label", "logistic"), "`y_true` is 'label'", "`data=`"),
    "frames of several columns": (
        lambda: hs.confusion(FRAME[["label"]], FRAME[["logistic", "forest"]]),
        "(569, 2)",
        ".argmax(axis=1)",
    ),
    "a slip in a file": (lambda: hs.confusion("a", "b", data=CANCER[:-5] + "s.csv"), "no file", "breast_cancer.csv"),
    "a positive class that is none": (
        lambda: hs.scores("label", "score_forest", data=FRAME, pos_label="malign"),
        "'malign'",
        "'malignant'",
    ),
    "a class that is none": (
        lambda: hs.estimate(hs.confusion("label", "forest", data=FRAME), "f1@binary+positive_class=1"),
        "no class '1'",
        "benign, malignant",
    ),
    "a negative count": (lambda: hs.from_counts([[5, -1], [2, 3]]), "`counts[0][1]` = -1", "0 or more"),
    "shares for counts": (
        lambda: hs.from_counts([[0.9, 0.1], [0.2, 0.8]]),
        "are shares",
        "Multiply each row by its number of cases and",
    ),
    "percentages for counts": (lambda: hs.from_counts([[93.2, 6.8], [10.1, 89.9]]), "percentages", "cases / 100"),
    "a matrix that is not square": (lambda: hs.from_counts([[5, 1, 2], [2, 3, 1]]), "(2, 3)", "square"),
    "some counts by name": (lambda: hs.from_counts({"tp": 5, "fp": 2, "fn": 1}), "'tp', 'fp', 'fn'", "[[tn, fp]"),
    "too many labels": (lambda: hs.from_counts([[5, 1], [2, 3]], labels=list("abc")), "3 entries", "one label per"),
    "labels without a case": (lambda: hs.confusion([0, 1], [0, 1], labels=[]), "`labels` is empty", "for all"),
    "successes and trials exchanged": (lambda: hs.proportion(47, 42), "`k` = 47", "successes first"),
    "a share for successes": (lambda: hs.proportion(0.9, 100), "`k` = 0.9", "0.9 of 100 are 90"),
    "a rate in percent": (
        lambda: hs.from_rates(sensitivity=89.4, specificity=0.9, positives=9, negatives=9),
        "not 89.4",
        "0.894",
    ),
    "groups of other cases": (lambda: hs.confusion(TRUTH, PREDICTED, groups=[1, 2]), "`groups` has 2", "one value"),
    "negative weights": (lambda: hs.confusion([1, 0], [1, 0], sample_weight=[1, -1]), "= -1", "non-negative"),
    "a slip in a result's key": (lambda: hs.evaluate(TWO, ["recall"])["recal"], "'recal'", "'recall'"),
    "a curve of counts": (lambda: hs.roc_curve(TWO), "table of scores", "`scores(y_true, y_score)`"),
    "no scheme for many classes": (
        lambda: hs.roc_auc_score([0, 1, 2], np.eye(3)),
        "a score for each class",
        "multi_class='ovr'",
    ),
    "fewer columns than classes": (lambda: hs.multiclass_scores([0, 1, 2], np.eye(3)[:, :2]), "2 columns", "`labels="),
    "a report of arrays": (lambda: hs.report_of(TRUTH), "a table", "hs.confusion(y_true, y_pred)"),
    "a page in another format": (lambda: hs.report_of(TWO).save("report.pdf"), "'.pdf'", ".html"),
    "chunks in a list": (lambda: hs.monitor([TWO, TWO]), "chunks", "by name"),
    "grades for runs": (lambda: hs.trials([3, 2, 5], task=[0, 1, 2]), "`success` holds 3", "`values`"),
    "words for grades": (lambda: hs.values(["good", "bad"]), "'good'", "one number per case"),
    "no human label": (lambda: hs.judged([None, None], ["a", "b"]), "0 labels", "labelled"),
    "no review": (lambda: hs.reviewed([[5, 1], [2, 3]]), "`reviews` is missing", "give `counts` and"),
    "a column of groups with data": (
        lambda: hs.confusion("label", "logistic", data=FRAME, by=FRAME["tumour_size"]),
        "`by` is the name of a column",
        "Add it to the data",
    ),
    "a column of clusters with data": (
        lambda: hs.confusion("label", "logistic", data=FRAME, groups=FRAME["fold"]),
        "not Series",
        "Name all columns",
    ),
    "a matrix of runs": (
        lambda: hs.trials(np.eye(3), task=[0, 1, 2]),
        "(3, 3)",
        "`trials(success.ravel(), task=np.repeat(np.arange(3), 3))`",
    ),
    "a frame for a log's result": (lambda: hs.evaluate_log(FRAME), "not DataFrame", "hs.trials(success, task=…"),
    "limits for standard errors": (
        lambda: hs.pool([0.8, 0.9], [(0.7, 0.9), (0.8, 1.0)]),
        "(2, 2)",
        "3.92 standard errors",
    ),
    "totals of a matrix of shares": (
        lambda: hs.from_counts([[0.9, 0.1], [0.2, 0.8]], support=[90, 10]),
        "no `support`",
        "multiply each row",
    ),
    "folds of a table": (lambda: hs.confusion(TRUTH, PREDICTED, folds=TRUTH), "`folds`", "`hs.cross_validated("),
    "precision at k": (lambda: hs.estimate(SCORES, "precision@k"), "'@k' is no average", "`threshold=`"),
    "a metric of scores for a function": (
        lambda: hs.auc(TRUTH, SCORE),
        "`howsure.auc`",
        "hs.scores(y_true, y_score), 'auc')",
    ),
    "a metric with an argument for a function": (lambda: hs.net_benefit(TRUTH, SCORE), "net_benefit", "+threshold=…"),
    "a metric of battles for a function": (lambda: hs.elo(TRUTH), "`howsure.elo`", "hs.leaderboard(hs.preferences("),
    "another package's test": (lambda: hs.roc_test(TRUTH), "roc_test", "hs.compare(hs.paired_scores("),
    "a plot by its usual name": (lambda: hs.plots.roc_curve(SCORES), "roc_curve", "hs.plots.RocCurveDisplay"),
    "metrics in a list": (lambda: hs.estimate(TWO, ["f1", "mcc"]), "not by list", "`evaluate(table, ['f1', 'mcc'])`"),
    "models for scores": (lambda: hs.scores(TRUTH, {"A": SCORE, "B": SCORE}), "a mapping", "`hs.paired_scores("),
    "models for predictions": (lambda: hs.confusion(TRUTH, {"A": TRUTH}), "a mapping", "`hs.paired("),
    "columns for a column": (lambda: hs.confusion("label", ["a", "b"], data=FRAME), "not list", "`hs.paired("),
    "logits": (lambda: hs.log_loss(TRUTH, np.log(SCORE)), "-2.3", "expit(y_score)"),
    "several numbers": (lambda: hs.bootstrap(np.corrcoef, TRUTH, SCORE), "not ndarray", "lambda x, y"),
    "columns for a review": (lambda: hs.reviewed(TRUTH, PREDICTED), "`counts` is a matrix", "y_reviewed=…"),
    "values of folds": (lambda: hs.cross_validated([0.8, 0.9, 0.85]), "`fold=`", "`hs.pool_folds(scores)`"),
    "F1 alone": (lambda: hs.from_rates(f1=0.9, n=100, prevalence=0.3), "`f1` alone", "two of `precision`"),
    "rates without numbers": (lambda: hs.from_rates(f1=0.9, recall=0.9, n=9), "`recall` and `f1`", "`positives`"),
    "a frame for a log": (lambda: hs.read_log(FRAME), "not by DataFrame", "hs.trials(success, task=…"),
    "a metric for a function": (
        lambda: hs.f1(TRUTH, PREDICTED),
        "`howsure.f1`",
        "hs.estimate(hs.confusion(y_true, y_pred), 'f1')",
    ),
    "a function by half its name": (lambda: hs.accuracy_scor(TRUTH, PREDICTED), "accuracy_scor", "'accuracy_score'"),
}

IN_THE_SHELL = {  # words → culprit, remedy
    "no truth": (["report", CANCER], "--y-true", "'label'"),
    "no predictions": (REPORT[:4], "predictions", "--y-pred"),
    "a slip in a column": ([*REPORT[:3], "lable", "--y-pred", "logistic"], "'lable'", "'label'"),
    "a slip in a file": (["report", CANCER[:-5] + "s.csv", *REPORT[2:]], "no file", "breast_cancer.csv"),
    "a metric of scores": ([*REPORT, "--metric", "auc"], "`roc_auc`", "scores"),
    "a level in percent": ([*REPORT, "--level", "95"], "95", "0.95"),
    "a slip in an option": ([*REPORT, "--group", "fold"], "--group", "--groups"),
    "a slip in a format": ([*REPORT, "--format", "tabel"], "tabel", "table"),
    "a slip in a command": (["reprot", CANCER], "reprot", "report"),
    "words for a number": ([*REPORT, "--threshold", "high"], "--threshold", "float"),
    "cases for a matrix": (["matrix", CANCER], "not a square matrix", "569 rows"),
    "a page in another format": ([*REPORT, "-o", "report.pdf"], "'.pdf'", ".html"),
    "one model to compare": (["compare", *REPORT[1:]], "two models", "not 1"),
}
