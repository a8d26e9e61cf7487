"""Words that name the axes, the totals and the classes of a confusion matrix."""

from __future__ import annotations

import re

from howsure.names import word_set

TRUE_WORDS = word_set(
    """
    true truth actual act actuals reference ref gold golden target targets observed observation obs expected
    real gt groundtruth ytrue ytest label labels annotation annotated known given
    human humans expert experts radiologist pathologist disease diagnosis condition outcome biopsy histology pathology
    tatsächlich wahr réel réelle vrai 真实 实际
    """
)
PREDICTED_WORDS = word_set(
    """
    pred preds predict predicted prediction predictions predicts ypred yhat estimate estimates estimated
    forecast hypothesis guess classified classifier classification assigned mapped flagged output
    model algorithm ai system machine test screening rdt rapid
    vorhersage vorhergesagt prédit prédite prueba 预测
    """
)
GENERAL_WORDS = frozenset(["class", "label", "labels", "condition", "disease", "diagnosis", "outcome"])
OF_TEST_SET = frozenset(["class", "classes", "label", "labels", "target", "targets", "y"])  # test labels, y_test
OF_TEST = frozenset(["outcome", "positive", "negative", "result", "results"])
OF_AXES = word_set("as by category class classes of result results standard status the value values y")
LABEL_WORDS = word_set(
    """
    true truth actual reference ref gold observed pred predicted prediction test
    disease condition outcome diagnosis biopsy
    """
)
STATISTICS = word_set(  # labels that are no classes where the other axis has none of them
    """
    accuracy pa percent percentcorrect percentagecorrect correct error errors errorrate classerror rate kappa
    precision classprecision ppv npv recall classrecall sensitivity specificity f1 f1score fscore fpr tnr tpr
    producersaccuracy usersaccuracy ua omission commission
    tp fp fn tn cases count counts freq frequency samples support
    """
)
FREQUENCIES = word_set("freq frequency frequencies count counts n number")  # names of columns
ERRORS = "-err.-"  # a row and a column of errors in mlr
TOTAL_WORDS = word_set(
    """
    total totals all sum sums margin margins rowtotal rowtotals columntotal columntotals coltotal grandtotal
    rowsum rowsums columnsum columnsums colsum
    gesamt summe insgesamt somme totale suma
    """
)


def axis_kind(name: object) -> str:
    """Return "true" or "predicted" if the name of an axis means one of them; else an empty string.

    Examples
    --------
    >>> axis_kind("y_true"), axis_kind("Predicted class"), axis_kind("test"), axis_kind("test_labels")
    ('true', 'predicted', 'predicted', 'true')
    """
    text = str(name).casefold()
    words = set(re.findall(r"[^\W\d_]+", text)) | {re.sub(r"[\W\d_]", "", text)}
    true, predicted = words & TRUE_WORDS, words & PREDICTED_WORDS
    if predicted == {"test"} and not words & OF_TEST:
        if "$" in text or words & OF_TEST_SET:  # test$species, test_labels
            return "true"
        if re.match("test[_.]", text):  # a column of the test set, or of a test
            return "true" if true else ""
    if true and predicted and true <= GENERAL_WORDS:  # the predicted class
        return "predicted"
    return "" if true and predicted else "true" if true else "predicted" if predicted else ""


def names_axis_only(title: str) -> bool:
    """Whether a title has only words that name an axis, such as "Predicted class" but not "Model: logistic"."""
    words = re.findall(r"[^\W_]+", title.casefold())
    return ":" not in title and all(word in TRUE_WORDS | PREDICTED_WORDS | OF_AXES for word in words)


def names_statistic(label: object) -> bool:
    """Whether a label is a word for a number of cases or a metric."""
    return re.sub(r"[\W_]", "", str(label)).casefold() in STATISTICS


def names_total(label: object) -> bool:
    """Whether a label is a word for totals."""
    text = str(label)
    return re.sub(r"[\W\d_]", "", text).casefold() in TOTAL_WORDS or text.strip() in {"Σ", "∑"}
