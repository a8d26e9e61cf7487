"""A whole printout of a program pasted into a file: the matrix is found, and other text is no cell."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from howsure.errors import HowsureError, HowsureWarning
from howsure.sources.matrices import matrix_table

COUNTS = [[50, 3], [5, 42]]  # rows are the true classes no and yes
CARET = """Confusion Matrix and Statistics

          Reference
Prediction no yes
       no  50   5
       yes  3  42

               Accuracy : 0.92
                 95% CI : (0.8484, 0.9648)

       'Positive' Class : no
"""
H2O = """H2OBinomialMetrics: drf

MSE:  0.1353948

Confusion Matrix (vertical: actual; across: predicted) for F1-optimal threshold:
       no yes    Error    Rate
no     50   3 0.056604   =3/53
yes     5  42 0.106383   =5/47
Totals 55  45 0.080000  =8/100

Maximum Metrics: Maximum metrics at their respective thresholds
                        metric threshold    value idx
1                       max f1  0.080124 0.356234 248
2                       max f2  0.038274 0.515566 330
"""
H2O_PYTHON = """Confusion Matrix (Act/Pred) for max f1 @ threshold = 0.3474
       no    yes    Error    Rate
-----  ----  -----  -------  -----------
no     50    3      0.0566   (3.0/53.0)
yes    5     42     0.1064   (5.0/47.0)
Total  55    45     0.08     (8.0/100.0)
"""
RANDOM_FOREST = """Call:
 randomForest(formula = y ~ ., data = d)

        OOB estimate of  error rate: 8%
Confusion matrix:
    no yes class.error
no  50   3  0.05660377
yes  5  42  0.10638298
"""
YDF = """Confusion Table:
truth\\prediction
         no  yes
    no   50    3
   yes    5   42
Total: 100
"""
RAPIDMINER = "accuracy: 92.00%\n\ttrue no\ttrue yes\tclass precision\npred. no\t50\t5\t90.91%\npred. yes\t3\t42\t93.33%\nclass recall\t94.34%\t89.36%\t\n"
TURNED = "Rows are predictions, columns are truth\n\n    no yes\nno  50   5\nyes  3  42\n\nAccuracy: 0.92\n"


def table_of(text: str, folder: Path, name: str = "matrix.txt") -> tuple[list[list[float]], list[object]]:
    """Return the counts and classes of a text in a file."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    table = matrix_table(path)
    return table.counts.tolist(), table.labels.tolist()


@pytest.mark.filterwarnings("ignore::howsure.errors.HowsureWarning")
@pytest.mark.parametrize("text", [CARET, H2O, H2O_PYTHON, RANDOM_FOREST, YDF, RAPIDMINER, TURNED])
def test_the_matrix_of_a_printout(text: str, tmp_path: Path) -> None:
    """Titles, statistics and notes are left out, and words that name the axes turn the matrix."""
    assert table_of(text, tmp_path) == (COUNTS, ["no", "yes"])


def test_lines_that_were_left_out_are_reported(tmp_path: Path) -> None:
    """The reader learns that only a part of the file was read."""
    with pytest.warns(HowsureWarning, match="other lines than those of the matrix"):
        table_of(CARET, tmp_path)


@pytest.mark.parametrize(
    "text",
    [
        "Confusion matrix, without normalization\n[[50  3]\n [ 5 42]]\nAccuracy: 0.92\n",
        "{'confusion_matrix': array([[50,  3],\n       [ 5, 42]])}",
        "<tf.Tensor: shape=(2, 2), dtype=int32, numpy=\narray([[50,  3],\n       [ 5, 42]], dtype=int32)>",
        "C =\n\n    50     3\n     5    42\n",
        ">> C = confusionmat(g1,g2)\n\nC = 2×2\n\n    50     3\n     5    42\n\n",
    ],
)
def test_an_array_within_other_text(text: str, tmp_path: Path) -> None:
    """Names of variables are no classes."""
    assert table_of(text, tmp_path) == (COUNTS, [0, 1])


@pytest.mark.parametrize(
    "text",
    [
        CARET + "\n" + CARET.split("\n\n")[1],
        "Predictions run down the rows.\n\n    no yes\nno  50   5\nyes  3  42\n\nAccuracy: 0.92\n",
        "Rows: predicted   Columns: actual\n\n        no  yes\n\nno      50    5\n\nyes      3   42\n\nCell Contents\n",
    ],
)
def test_printouts_in_doubt_are_refused(text: str, tmp_path: Path) -> None:
    """Two matrices, a matrix without its names, and words on the axes that are not understood."""
    with pytest.raises(HowsureError, match="matrix|counts"):
        table_of(text, tmp_path)


def test_a_report_of_rates_is_no_matrix(tmp_path: Path) -> None:
    """The report of scikit-learn is refused with the function for published rates."""
    report = "              precision    recall  f1-score   support\n\n          no       0.91      0.94      0.93        53\n"
    with pytest.raises(HowsureError, match="report of rates.*from_rates"):
        table_of(report, tmp_path)


@pytest.mark.parametrize(
    "found",
    [
        {"schema_type": "confusion_matrix", "data": {"class_labels": ["no", "yes"], "matrix": COUNTS}},
        {"annotationSpecs": [{"id": "1", "displayName": "no"}, {"id": "2", "displayName": "yes"}], "rows": COUNTS},
        {
            "columns": ["Actual", "Predicted", "nPredictions"],
            "data": [["no", "no", 50], ["no", "yes", 3], ["yes", "no", 5], ["yes", "yes", 42]],
        },
        [{"expected_label": "no", "no": "50", "yes": "3"}, {"expected_label": "yes", "no": "5", "yes": "42"}],
    ],
)
def test_matrices_in_json(found: object, tmp_path: Path) -> None:
    """Files of Azure, Vertex AI, Weights & Biases and BigQuery have the true classes in rows, or name the columns."""
    assert table_of(json.dumps(found), tmp_path, "matrix.json") == (COUNTS, ["no", "yes"])


@pytest.mark.parametrize(
    "found, message",
    [
        ({"no": {"no": 50, "yes": 3}, "yes": {"no": 5, "yes": 42}}, "which are the true classes is not said"),
        ({"accuracy": 0.92, "f1": 0.91}, "no matrix of counts"),
        ({"train": COUNTS, "test": COUNTS}, "2 matrices"),
    ],
)
def test_json_without_a_single_matrix(found: object, message: str, tmp_path: Path) -> None:
    """Nested names have no stated orientation, because pandas writes the columns first."""
    with pytest.raises(HowsureError, match=message):
        table_of(json.dumps(found), tmp_path, "matrix.json")


def test_lines_of_classes_with_further_columns(tmp_path: Path) -> None:
    """The columns of the classes and of their number are found by their names."""
    text = "dataset_type,actual_class,predicted_class,count\n" + "".join(
        f"EVAL,{true},{said},{n}\n"
        for true, row in zip(("no", "yes"), COUNTS, strict=True)
        for said, n in zip(("no", "yes"), row, strict=True)
    )
    assert table_of(text, tmp_path, "lines.csv") == (COUNTS, ["no", "yes"])


@pytest.mark.parametrize("header", ["expected_label,_0,_1", "Actual,Predicted 0,Predicted 1"])
def test_columns_named_after_numbers(header: str, tmp_path: Path) -> None:
    """BigQuery writes _0 for the class 0; columns "Predicted 0" are no lines of classes and numbers."""
    assert table_of(f"{header}\n0,50,3\n1,5,42\n", tmp_path, "matrix.csv")[0] == COUNTS
