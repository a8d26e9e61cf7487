"""Writes the example data: out-of-fold predictions of real models on data sets that scikit-learn ships.

Every case is predicted by a model that has not seen it (five-fold stratified cross-validation), so that the
files are what a held-out evaluation looks like. Run ``python examples/make_predictions.py`` to write them again;
needs scikit-learn and pandas. README.md beside this file describes the columns.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import confusion_matrix
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

HERE = Path(__file__).parent
SEED = 20_260_101
FOLDS = 5


def fold_of_each_case(y: np.ndarray) -> np.ndarray:
    """Return the fold, 0 to 4, in which each case is held out."""
    fold = np.empty(len(y), dtype=int)
    splits = StratifiedKFold(FOLDS, shuffle=True, random_state=SEED).split(np.zeros(len(y)), y)
    for number, (_, held_out) in enumerate(splits):
        fold[held_out] = number
    return fold


def held_out_probabilities(model: Any, x: np.ndarray, y: np.ndarray, fold: np.ndarray) -> np.ndarray:
    """Return each case's class probabilities, from the model fitted on the other folds."""
    probabilities = np.empty((len(y), len(np.unique(y))))
    for number in range(FOLDS):
        held_out = fold == number
        probabilities[held_out] = model.fit(x[~held_out], y[~held_out]).predict_proba(x[held_out])
    return probabilities


def breast_cancer() -> pd.DataFrame:
    """Two classes, three models, a score of each, and the tumour's size as a grouping."""
    data = load_breast_cancer()
    names = np.array(["malignant", "benign"])  # the data set's order: 0 is malignant
    fold = fold_of_each_case(data.target)
    radius = data.data[:, list(data.feature_names).index("mean radius")]
    size = np.array(["small", "medium", "large"])[np.digitize(radius, np.quantile(radius, [1 / 3, 2 / 3]))]
    columns: dict[str, Any] = {"label": names[data.target], "tumour_size": size, "fold": fold}
    models = {
        "logistic": make_pipeline(StandardScaler(), LogisticRegression()),
        "forest": RandomForestClassifier(200, random_state=SEED),
        "naive_bayes": GaussianNB(),
    }
    scores = {}
    for name, model in models.items():
        malignant = held_out_probabilities(model, data.data, data.target, fold)[:, 0].round(6)
        columns[name] = np.where(malignant >= 0.5, "malignant", "benign")  # noqa: PLR2004 - the even odds
        scores[f"score_{name}"] = malignant
    return pd.DataFrame(columns | scores)


def wine() -> pd.DataFrame:
    """Three classes and few cases: the intervals are wide."""
    data = load_wine()
    names = data.target_names
    fold = fold_of_each_case(data.target)
    columns: dict[str, Any] = {"label": names[data.target], "fold": fold}
    # Two of the thirteen measurements only: with all of them every model is right nearly always.
    kept = [list(data.feature_names).index(name) for name in ("alcohol", "malic_acid")]
    x = data.data[:, kept]
    models = {
        "logistic": make_pipeline(StandardScaler(), LogisticRegression()),
        "naive_bayes": GaussianNB(),
    }
    for name, model in models.items():
        columns[name] = names[held_out_probabilities(model, x, data.target, fold).argmax(axis=1)]
    return pd.DataFrame(columns)


def digits() -> pd.DataFrame:
    """Ten classes, a score for each of them, and neighbouring rows as blocks."""
    data = load_digits()
    fold = fold_of_each_case(data.target)
    logistic = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    probabilities = held_out_probabilities(logistic, data.data, data.target, fold)
    columns: dict[str, Any] = {
        "label": data.target,
        "block": np.arange(len(data.target)) // 50,
        "fold": fold,
        "logistic": probabilities.argmax(axis=1),
        "naive_bayes": held_out_probabilities(GaussianNB(), data.data, data.target, fold).argmax(axis=1),
    }
    scores = {f"score_{digit}": probabilities[:, digit].round(4) for digit in range(10)}
    return pd.DataFrame(columns | scores)


def main() -> None:
    """Write the four files beside this script."""
    frames = {"breast_cancer": breast_cancer(), "wine": wine(), "digits": digits()}
    table = confusion_matrix(frames["digits"]["label"], frames["digits"]["naive_bayes"])
    frames["digits_matrix"] = pd.DataFrame(table, columns=range(10)).rename_axis("label").reset_index()
    for name, frame in frames.items():
        path = HERE / f"{name}.csv"
        frame.to_csv(path, index=False)
        print(f"{path.name}: {len(frame)} rows, {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
