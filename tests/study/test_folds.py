"""Studies from scikit-learn's cross-validation."""

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict, cross_validate

import howsure as hs

X, Y = make_classification(300, 6, n_informative=4, n_classes=3, random_state=0)
FOLDS = StratifiedKFold(5, shuffle=True, random_state=0)
MODEL = LogisticRegression(max_iter=500)


def test_from_cross_validate():
    """The folds' values are scikit-learn's own scores, and their mean has the corrected interval."""
    result = cross_validate(MODEL, X, Y, cv=FOLDS, scoring="f1_macro", return_estimator=True, return_indices=True)
    study = hs.Study.from_cross_validation({"logistic": result}, Y, X=X, metrics=["f1@macro"], n_draws=500)
    observed = [study.observed("f1@macro", f"logistic/fold_{fold}") for fold in range(5)]
    assert observed == pytest.approx(result["test_score"])
    expected = hs.pool_folds(result["test_score"], scale="logit")
    found = study.aggregate("f1@macro")["logistic"]
    assert (found.value, found.low, found.high) == pytest.approx((expected.value, expected.low, expected.high))


def test_from_cross_val_predict():
    """Predictions with their splits, or with the fold of each case, give the same folds."""
    predicted = cross_val_predict(MODEL, X, Y, cv=FOLDS)
    number = np.empty(len(Y), int)
    for fold, (_, test) in enumerate(FOLDS.split(X, Y)):
        number[test] = fold
    by_splits = hs.Study.from_cross_validation(
        {"a": predicted, "b": predicted}, Y, folds=FOLDS.split(X, Y), n_draws=200
    )
    by_number = hs.Study.from_cross_validation({"a": predicted}, Y, folds=number, n_draws=200)
    assert [len(members) for members in by_splits.groups.values()] == [5, 5]
    for fold in range(5):
        expected = f1_score(Y[number == fold], predicted[number == fold], average="macro")
        for study in (by_splits, by_number):
            assert study.observed("f1@macro", f"a/fold_{fold}") == pytest.approx(expected)


@pytest.mark.parametrize(
    "result, settings, words",
    [
        ({"test_score": [1]}, {}, "return_estimator=True"),
        ({"estimator": [1], "test_score": [1]}, {}, "return_indices=True"),
        ({"estimator": [], "indices": {"test": []}}, {}, "give the features with `X=`"),
        ({"estimator": [], "indices": {"test": []}}, {"X": X[:9]}, "9 rows and `y` 300"),
        (Y, {}, "Name the folds"),
        (Y[:9], {"folds": Y}, "shape"),
    ],
)
def test_refusals(result, settings, words):
    """Results that scikit-learn did not return are named, with the argument that returns them."""
    with pytest.raises(hs.HowsureError, match=words):
        hs.Study.from_cross_validation({"a": result}, Y, **settings)
