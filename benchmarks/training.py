"""Coverage of intervals for cross-validation and training runs: `python benchmarks/training.py WHAT`.

Learners are trained on samples of synthetic populations. The true value of a trained model is its metric on 10,000 other
cases. `folds` compares intervals of one cross-validation with the average of the trained models (the question that
they answer) and with the mean over training sets (which they do not answer). `runs` trains each run on a training set of
its own and shares the test cases; the truth is the mean over training sets and cases. `tests` counts rejections of true
null hypotheses, `components` compares variances of a simple model, and `speed` prints times.

Options: --studies 400 --seed 1 --learners logistic 5-NN tree. Seeds below 1 were used while the methods were chosen.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections import defaultdict

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

import howsure as hs
from howsure.training.inference import answer
from howsure.training.linear import Question
from howsure.training.variances import crossed
from howsure.training.words import Scope

warnings.filterwarnings("ignore", category=UserWarning)
HUGE = 10_000
LEARNERS = {
    "logistic": lambda _: LogisticRegression(C=1.0),
    "5-NN": lambda _: KNeighborsClassifier(5, algorithm="brute"),
    "tree": lambda seed: DecisionTreeClassifier(max_depth=3, max_features=2, random_state=seed),
}
METRICS = ("accuracy", "f1", "mcc", "roc_auc")


def population(name, size, rng):
    """Return features and labels: two shifted normals, or a checkerboard that is not linear."""
    x = rng.normal(size=(size, 6))
    if name == "linear":
        chance = 1 / (1 + np.exp(-(x[:, :3].sum(1) + x[:, 3:].sum(1))))
    elif name == "rare":
        chance = 1 / (1 + np.exp(2.2 - 0.9 * x.sum(1)))
    else:
        chance = np.where(x[:, 0] * x[:, 1] > 0, 0.85, 0.2)
    return x, (rng.random(size) < chance).astype(int)


def scored(model, x):
    """Return the score of class 1; that of a model of one class is constant."""
    found = model.predict_proba(x)
    return found[:, -1] if found.shape[1] == 2 else np.full(len(x), float(model.classes_[0]))


def counts(y, said):
    return np.bincount(2 * y + said, minlength=4).reshape(2, 2)


def area(y, score):
    from scipy.stats import rankdata

    ranks, positive = rankdata(score), y == 1
    m = positive.sum()
    return (ranks[positive].sum() - m * (m + 1) / 2) / (m * (len(y) - m))


def of_counts(metric, table):
    (tn, fp), (fn, tp) = np.asarray(table, dtype=float)
    if metric == "accuracy":
        return (tn + tp) / (tn + fp + fn + tp)
    if metric == "f1":
        return 2 * tp / (2 * tp + fp + fn)
    return (tp * tn - fp * fn) / np.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))


def cross_validate(learner, x, y, k, seed, huge, columns=slice(None)):
    """Return out-of-fold scores, folds, and the true values of the k models."""
    score, fold = np.zeros(len(y)), np.zeros(len(y), dtype=int)
    table, areas = np.zeros((2, 2)), []
    for place, (train, test) in enumerate(StratifiedKFold(k, shuffle=True, random_state=seed).split(x, y)):
        model = LEARNERS[learner](seed + place).fit(x[train][:, columns], y[train])
        score[test], fold[test] = scored(model, x[test][:, columns]), place
        far = scored(model, huge[0][:, columns])
        table += counts(huge[1], (far >= 0.5).astype(int))
        areas.append(area(huge[1], far))
    truth = {metric: of_counts(metric, table) for metric in METRICS[:3]} | {"roc_auc": float(np.mean(areas))}
    return score, fold, truth


SETTINGS = {  # population → cases and folds
    "linear": ((50, 5), (100, 5), (400, 5)),
    "rare": ((100, 5), (400, 5)),
    "checkerboard": ((100, 5), (400, 5)),
}
DOWN_UP = {  # method and scale
    "all_pairs": ("all_pairs", "auto"),
    "within_folds": ("within_folds", "auto"),
    "paper's scale": ("all_pairs", "identity"),
}
FIXED = {"crossed": None, "cases alone": "runs", "runs alone": "cases"}


def several_answers(given, metric, ways):
    """Return the limits by name of (method, scale, fixed), from one linear form: as `estimate`, but quicker."""
    (form,) = Question(metric=metric, threshold=None, average=None).forms(given.predictions, ("",)).values()
    folds = 0 if given.predictions.folds is None else given.predictions.number_of_folds()
    ends = {}
    for name, (method, scale, fixed) in ways.items():
        scope = Scope(folds, len(form.values), given.predictions.cases, fixed)
        found = answer(method, scope, given.predictions, [form])
        ends[name] = found.limits(0.95, scale, form.metric.range)
        if not np.isfinite(ends[name]).all():
            ends[name] = tuple(given.estimate(metric, fixed=fixed, scale=scale))[1]
    return ends


def intervals(y, score, fold, metric):
    """Return the interval of each way, and that of a t-test on the values of the folds."""
    kind = {"y_score": score} if metric == "roc_auc" else {"y_pred": (score >= 0.5).astype(int)}
    found = hs.cross_validated(y, fold=fold, **kind)
    ends = several_answers(found, metric, {way: (*both, None) for way, both in DOWN_UP.items()})
    if metric in {"accuracy", "roc_auc"}:
        each = [
            area(y[fold == place], score[fold == place])
            if metric == "roc_auc"
            else np.mean((score[fold == place] >= 0.5) == y[fold == place])
            for place in range(fold.max() + 1)
        ]
        from scipy.stats import t

        half = t.ppf(0.975, len(each) - 1) * np.std(each, ddof=1) / np.sqrt(len(each))
        ends["t of folds"] = np.mean(each) - half, np.mean(each) + half
    return ends


def folds(studies, seed):
    print("coverage of the k models' average (and of the mean over training sets), in per cent")
    for name, sizes in SETTINGS.items():
        huge = population(name, HUGE, np.random.default_rng([seed, 1]))
        for learner in LEARNERS:
            for n, k in sizes:
                of_folds(name, learner, n, k, studies, seed, huge)


def of_folds(name, learner, n, k, studies, seed, huge):
    """Print the coverage of cross-validations of n cases in k folds."""
    rng = np.random.default_rng([seed, n, k])
    ends, truths = defaultdict(list), defaultdict(list)
    for study in range(studies):
        x, y = population(name, n, rng)
        if min(np.bincount(y, minlength=2)) < k:
            continue
        score, fold, truth = cross_validate(learner, x, y, k, study, huge)
        for metric in METRICS:
            truths[metric].append(truth[metric])
            for way, limits in intervals(y, score, fold, metric).items():
                ends[metric, way].append(limits)
    for metric in METRICS:
        truth, said = np.array(truths[metric]), []
        for way in (each for of, each in ends if of == metric):
            low, high = np.array(ends[metric, way]).T
            own, mean = (100 * np.mean((low <= each) & (each <= high)) for each in (truth, truth.mean()))
            said.append(f"{way} {own:.1f} ({mean:.1f})")
        print(f"{name:12} {learner:8} n={n:4} k={k:2} {metric:8} {len(truth):4} studies: {'; '.join(said)}", flush=True)


def one_run(learner, name, size, rng, test):
    """Train on a training set of its own; return the scores of the test cases."""
    x, y = population(name, size, rng)
    return scored(LEARNERS[learner](int(rng.integers(2**31))).fit(x, y), test)


def true_means(learner, name, size, seed):
    """Return the mean of each metric over 300 training runs, on a huge sample; of the area over 100."""
    x, y = population(name, HUGE, np.random.default_rng([seed, 2]))
    rng = np.random.default_rng([seed, 3])
    many = [one_run(learner, name, size, rng, x) for _ in range(300)]
    tables = [counts(y, (each >= 0.5).astype(int)) for each in many]
    of_labels = {metric: np.mean([of_counts(metric, each) for each in tables]) for metric in METRICS[:3]}
    return of_labels | {"roc_auc": np.mean([area(y, each) for each in many[:100]])}


def runs(studies, seed):
    print("coverage of the mean over training runs and cases, in per cent")
    for name, size in (("linear", 60), ("checkerboard", 120)):
        for learner in LEARNERS:
            truth = true_means(learner, name, size, seed)
            for number, n in ((2, 500), (3, 200), (3, 2000), (5, 200), (5, 2000), (10, 500)):
                rng, hits = np.random.default_rng([seed, number, n]), defaultdict(int)
                for _ in range(studies):
                    x, y = population(name, n, rng)
                    score = [one_run(learner, name, size, rng, x) for _ in range(number)]
                    said = hs.training_runs(y, [(each >= 0.5).astype(int) for each in score])
                    ranked = hs.training_runs(y, y_score=score)
                    ways = {way: ("all_pairs", "auto", fixed) for way, fixed in FIXED.items()}
                    for metric in METRICS:
                        ends = several_answers(ranked if metric == "roc_auc" else said, metric, ways)
                        for way, (low, high) in ends.items():
                            hits[metric, way] += low <= truth[metric] <= high
                for metric in METRICS:
                    text = "; ".join(f"{way} {100 * hits[metric, way] / studies:.1f}" for way in FIXED)
                    print(f"{name:12} {learner:8} runs={number:2} n={n:4} {metric:8} {text}", flush=True)


def tests(studies, seed):
    print("rejections of true null hypotheses at 5 %")
    for learner in LEARNERS:
        for n, k in ((100, 5), (400, 5)):
            tests_of_folds(learner, n, k, studies, seed)
    for learner in LEARNERS:
        for number, n in ((3, 200), (3, 1000), (5, 200), (5, 1000)):
            tests_of_runs(learner, number, n, studies, seed)


def tests_of_folds(learner, n, k, studies, seed):
    """Print rejections of the true difference of the k models, and of 0 for two algorithms that are equal on average."""
    rng, out, equal, total = np.random.default_rng([seed, 5, n]), defaultdict(int), defaultdict(int), 0
    huge = population("linear", HUGE, np.random.default_rng([seed, 4]))
    for study in range(studies):
        x, y = population("linear", n, rng)
        if min(np.bincount(y, minlength=2)) < k:
            continue
        total += 1
        halves = {"a": slice(0, 3), "b": slice(3, 6)}  # of the features, which are equally good
        both = {name: cross_validate(learner, x, y, k, study, huge, half) for name, half in halves.items()}
        fold = both["a"][1]
        labels = {name: (each[0] >= 0.5).astype(int) for name, each in both.items()}
        said = hs.cross_validated(y, labels, fold=fold)
        ranked = hs.cross_validated(y, y_score={name: each[0] for name, each in both.items()}, fold=fold)
        for metric in METRICS:
            found = (ranked if metric == "roc_auc" else said).compare(metric)
            out[metric] += not found.low <= both["a"][2][metric] - both["b"][2][metric] <= found.high
            equal[metric] += found.p_value < 0.05
    text = "; ".join(f"{each} {100 * out[each] / total:.1f} ({100 * equal[each] / total:.1f})" for each in METRICS)
    print(f"folds {learner:8} n={n:4} k={k:2}: models' difference (algorithms equal) {text}", flush=True)


def tests_of_runs(learner, number, n, studies, seed):
    """Print rejections for one algorithm against itself, with independent runs."""
    rng, hits = np.random.default_rng([seed, 6, number, n]), defaultdict(int)
    for _ in range(studies):
        x, y = population("linear", n, rng)
        score = {name: [one_run(learner, "linear", 60, rng, x) for _ in range(number)] for name in "ab"}
        labels = {name: [(each >= 0.5).astype(int) for each in several] for name, several in score.items()}
        said, ranked = hs.training_runs(y, labels), hs.training_runs(y, y_score=score)
        for metric in METRICS:
            given = ranked if metric == "roc_auc" else said
            for fixed in (None, "runs"):
                hits[metric, fixed] += given.compare(metric, fixed=fixed).p_value < 0.05
    text = "; ".join(
        f"{each} {100 * hits[each, None] / studies:.1f} ({100 * hits[each, 'runs'] / studies:.1f})" for each in METRICS
    )
    print(f"runs {learner:8} runs={number:2} n={n:4}: crossed (cases alone) {text}", flush=True)


def components(studies, seed):
    """Print coverage of accuracy in a probit model of runs and cases, with other variances and degrees of freedom."""
    from scipy.special import logit, ndtr
    from scipy.stats import t

    print("coverage in a probit model of runs and cases, in per cent")
    rng = np.random.default_rng([seed, 7])
    for number, n, training in (
        (2, 200, 0),
        (2, 1000, 0.3),
        (3, 200, 0.1),
        (3, 1000, 0.3),
        (5, 1000, 0.3),
        (10, 1000, 0.3),
    ):
        truth, hits = ndtr(1.5 / np.sqrt(1 + 1.5**2 + training**2)), defaultdict(int)
        for _ in range(studies):
            place = 1.5 + rng.normal(0, 1.5, n) + training * rng.normal(size=(number, 1))
            right = (rng.random((number, n)) < ndtr(place)) * 1.0
            value, own = right.mean(), (right - right.mean(1, keepdims=True)) / n
            found = crossed([right.mean(1)], [own])
            between, cases = right.mean(1).var(ddof=1) / number, n / (n - 1) * (own.mean(0) ** 2).sum()
            cells = (own**2).sum() / number**2
            squares = found.total**2 / (between**2 / (number - 1) + found.cases**2 / (n - 1))
            for way, variance, degrees in (
                ("as chosen", found.total, found.degrees_of_freedom),
                ("Satterthwaite's square", found.total, squares),
                ("less all cells", max(between + cases - cells, between, cases), found.degrees_of_freedom),
                ("cases alone", cases, np.inf),
            ):
                half = t.ppf(0.975, degrees) * np.sqrt(variance) / (value * (1 - value))
                hits[way] += abs(logit(value) - logit(truth)) <= half
        text = "; ".join(f"{way} {100 * number_of / studies:.1f}" for way, number_of in hits.items())
        print(f"runs={number:2} n={n:4} training={training}: {text}", flush=True)


def speed(_, seed):
    rng = np.random.default_rng(seed)
    for n, k in ((1_000, 5), (100_000, 5), (1_000_000, 10)):
        y, fold = rng.integers(0, 2, n), rng.integers(0, k, n)
        score = y + rng.normal(size=n)
        start = time.perf_counter()
        hs.cross_validated(y, (score > 0.5).astype(int), fold=fold).estimate("f1")
        middle = time.perf_counter()
        hs.cross_validated(y, y_score=score, fold=fold).estimate("roc_auc")
        print(f"n = {n:,}: f1 {middle - start:.3f} s, roc_auc {time.perf_counter() - middle:.3f} s")
    y = rng.integers(0, 2, 10_000)
    start = time.perf_counter()
    found = hs.training_runs(y, [np.where(rng.random(10_000) < 0.8, y, 1 - y) for _ in range(20)])
    for metric in ("accuracy", "f1", "mcc", "kappa"):
        found.estimate(metric)
    print(f"20 runs × 10,000 cases × 4 metrics: {time.perf_counter() - start:.3f} s")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["folds", "runs", "tests", "components", "speed", "all"])
    parser.add_argument("--studies", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--learners", nargs="+", choices=list(LEARNERS), default=list(LEARNERS))
    given = parser.parse_args(sys.argv[1:])
    LEARNERS = {name: LEARNERS[name] for name in given.learners}
    for each in (folds, runs, tests, components, speed):
        if given.what in {each.__name__, "all"}:
            each(given.studies, given.seed)
