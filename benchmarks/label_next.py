"""Labels saved by `sample_to_label` for the F1 score of a rare class, and the coverage of the intervals.

Run ``python benchmarks/label_next.py [SAMPLINGS] [NAME …]``. The populations are the cross-validated predictions of
real data. Pools of 5,000 cases are drawn from each; some cases are labelled, chosen by `sample_to_label` or at random
from all. Data: handwritten digits (an 8 or not) and tumours (every ninth malignant one kept) of scikit-learn, and the
visits to doctors (10 or more in a year) of the RAND health insurance experiment and the affairs of Fair (1978) in
statsmodels. Prints Markdown tables.
"""

from __future__ import annotations

import sys

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import howsure as hs

POOL = 5000
LABELS = (200, 400)
MORE = (1, 2, 3, 4, 6)  # times as many labels, drawn evenly
EVENLY = 300  # samplings, of which only the mean width is wanted
Population = tuple[np.ndarray, np.ndarray, np.ndarray]


def predictions(model: object, features: np.ndarray, truth: np.ndarray, share: float | None = None) -> Population:
    """Return true classes, predictions and scores by cross-validation; with a share so many are predicted positive."""
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    score = cross_val_predict(model, features, truth, cv=folds, method="predict_proba")[:, 1]
    threshold = 0.5 if share is None else np.quantile(score, 1 - share)
    return truth, (score >= threshold).astype(int), score


def digits() -> Population:
    """Return the predictions of a logistic regression: an 8 or another digit."""
    features, digit = load_digits(return_X_y=True)
    return predictions(make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)), features, 1 * (digit == 8))


def digits_bayes() -> Population:
    """Return the predictions of naive Bayes, whose probabilities are nearly all 0 or 1: a 9 or another digit."""
    features, digit = load_digits(return_X_y=True)
    return predictions(GaussianNB(var_smoothing=1e-2), features, 1 * (digit == 9))


def tumours() -> Population:
    """Return the predictions of a logistic regression: malignant or not, 40 and 357 cases."""
    features, benign = load_breast_cancer(return_X_y=True)
    kept = np.concatenate([np.flatnonzero(benign), np.flatnonzero(1 - benign)[:40]])
    model = make_pipeline(StandardScaler(), LogisticRegression(C=0.1, max_iter=1000))
    return predictions(model, features[kept], 1 - benign[kept])


def visits() -> Population:
    """Return the predictions of boosted trees: ten visits or more in a year, 6 % of 20,190."""
    from statsmodels.datasets import randhie

    frame = randhie.load_pandas().data
    model = HistGradientBoostingClassifier(max_iter=100, learning_rate=0.05, random_state=0)
    return predictions(model, frame.drop(columns="mdvis").to_numpy(), 1 * (frame["mdvis"].to_numpy() >= 10), 0.07)


def affairs() -> Population:
    """Return the predictions of a logistic regression: much time in affairs or not, 11 % of 6,366."""
    from statsmodels.datasets import fair

    frame = fair.load_pandas().data
    truth = 1 * (frame["affairs"].to_numpy() >= 2)
    return predictions(LogisticRegression(max_iter=1000), frame.drop(columns="affairs").to_numpy(), truth, 0.1)


POPULATIONS = {each.__name__: each for each in (digits, visits, affairs, digits_bayes, tumours)}


def chosen(population: Population, n: int, samplings: int) -> np.ndarray:
    """Return low, high and value of the intervals of F1, with the labels that are drawn by `sample_to_label`."""
    truth, predicted, score = population
    rng = np.random.default_rng(n)
    found = np.empty((samplings, 3))
    for place in range(samplings):
        pool = rng.integers(len(truth), size=POOL)
        rows = hs.labels.sample_to_label(predicted[pool], score[pool], "f1", n=n, random_state=rng).rows
        known = np.full(POOL, np.nan)
        known[rows] = truth[pool][rows]
        each = hs.estimate(hs.partly_labelled(known, predicted[pool], score[pool]), "f1")
        found[place] = each.low, each.high, each.value
    return found


def evenly(population: Population, n: int, samplings: int) -> float:
    """Return the mean width of the intervals for F1, with labels drawn at random from all cases."""
    truth, predicted, _ = population
    shares = np.bincount(2 * truth + predicted, minlength=4) / len(truth)
    tables = np.random.default_rng(n).multinomial(n, shares, samplings).reshape(-1, 2, 2)
    widths = [each.high - each.low for each in (hs.estimate(hs.from_counts(table), "f1") for table in tables)]
    return float(np.nanmean(widths))


def main() -> None:
    """Print a line for each population and number of labels."""
    samplings = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    print("| population | F1 | labels | coverage, % | below, above, % | width | drawn evenly | as many as |")
    print("|:---|---:|---:|---:|---:|---:|---:|---:|")
    for name in sys.argv[2:] or POPULATIONS:
        population = POPULATIONS[name]()
        truth, predicted, _ = population
        f1 = 2 * (truth & predicted).sum() / (truth.sum() + predicted.sum())
        for n in LABELS:
            low, high, _ = chosen(population, n, samplings).T
            width = (high - low).mean()
            even = [evenly(population, n * many, EVENLY) for many in MORE]
            times = np.exp(np.interp(-np.log(width), -np.log(even), np.log(MORE)))
            below, above = 100 * (f1 < low).mean(), 100 * (f1 > high).mean()
            print(
                f"| {name} | {f1:.3f} | {n} | {100 - below - above:.1f} | {below:.1f}, {above:.1f} | {width:.3f} "
                f"| {even[0]:.3f} | {n * times:,.0f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
