"""Two factors, reader studies, folds and training runs in every function: a finite interval, or one line with a remedy."""

import pickle
import re

import numpy as np
import pandas as pd
import pytest

import howsure as hs

LEVELS, ITEMS = 6, 40  # models or readers × items or cases
RNG = np.random.default_rng(11)
LEVEL, ITEM = np.repeat(np.arange(LEVELS), ITEMS), np.tile(np.arange(ITEMS), LEVELS)
TRUTH = ITEM % 3
EASE = RNG.normal(0, 0.6, ITEMS)[ITEM]


def said(truth, error):
    """Return labels of which a part is wrong."""
    return np.where(RNG.random(len(truth)) < error, (truth + 1) % (truth.max() + 1), truth)


DATA = pd.DataFrame(
    {
        "level": LEVEL,
        "item": ITEM,
        "three": TRUTH,
        "two": (TRUTH > 0) * 1,
        "said": said(TRUTH, 0.3),
        "first": said((TRUTH > 0) * 1, 0.2),
        "second": said((TRUTH > 0) * 1, 0.3),
        "score": (0.8 * (TRUTH > 0) + EASE + RNG.normal(0, 0.5, LEVEL.size)).round(1),
        "other": (0.4 * (TRUTH > 0) + EASE + RNG.normal(0, 0.5, LEVEL.size)).round(1),
        "left": np.array(["A", "B", "C"])[ITEM % 3],
        "right": np.array(["A", "B", "C"])[(ITEM + 1 + LEVEL % 2) % 3],
        "won": np.array(["model_a", "model_b", "tie"])[RNG.choice(3, LEVEL.size, p=[0.5, 0.3, 0.2])],
        "tuning": np.array(["A", "B"])[LEVEL % 2],
        "technique": np.array(["new", "old"])[LEVEL % 2],
        "reader": LEVEL // 2,
        "fold": ITEM % 4,
        "weight": RNG.gamma(4, 0.25, LEVEL.size) + 0.1,
        "item weight": (RNG.gamma(4, 0.25, ITEMS) + 0.1)[ITEM],
        "topic": ITEM // 8,
        "author": ITEM % 8,
        "site": np.array(["x", "y"])[ITEM // 3 % 2],
    }
)
for place in range(3):
    DATA[f"p{place}"] = np.where(DATA["said"] == place, 0.6, 0.2)
GROUPS = ["level", "item"]
TASKS = {"task": "item", "groups": ["topic", "author"]}
ONE_RUN = DATA.loc[DATA["level"] < 2]  # of two algorithms


def crossed(source, *columns, groups=GROUPS, weight="weight", **options):
    """Return what makes a table with two crossed factors."""

    def made(*, data=DATA, sample_weight=None, **more):
        weights = {} if sample_weight is None else {"sample_weight": weight}
        return source(*columns, data=data, groups=groups, **options, **weights, **more)

    return made


def readers(data=DATA, **more):
    """Return a reader study of three readers and two modalities."""
    columns = {"truth": "two", "reader": "reader", "case": "item", "modality": "technique"}
    return hs.reader_study(None if "call" in more else "score", **columns, data=data, **more)


def folds(data=ONE_RUN, **more):
    """Return one cross-validation of two algorithms."""
    more = {"y_pred": "first"} | more
    return hs.cross_validated("two", fold="fold", model="tuning", case="item", data=data, **more)


def runs(data=DATA, **more):
    """Return three training runs of two algorithms each."""
    more = {"y_pred": "first"} | more
    return hs.training_runs("two", run="reader", model="tuning", case="item", data=data, **more)


MATRIX = [f"p{place}" for place in range(3)]
SOURCES = {  # what makes it, and its metric
    "confusion": (crossed(hs.confusion, "three", "said"), "f1@macro"),
    "scores": (crossed(hs.scores, "two", "score"), "roc_auc"),
    "multiclass_scores": (crossed(hs.multiclass_scores, "three", MATRIX, labels=[0, 1, 2]), "roc_auc@macro"),
    "values": (crossed(hs.values, "score"), "mean"),
    "ratings": (crossed(hs.ratings, ["first", "second", "two"]), "fleiss_kappa"),
    "trials": (crossed(hs.trials, "first", weight="item weight", **TASKS), "mean"),
    "preferences": (crossed(hs.preferences, "left", "right", "won"), "win_rate"),
    "paired": (crossed(hs.paired, "two", ["first", "second"]), "mcc"),
    "paired_scores": (crossed(hs.paired_scores, "two", ["score", "other"]), "roc_auc"),
    "paired values": (crossed(hs.values, ["score", "other"]), "mean"),
    "reader_study": (readers, "roc_auc"),
    "cross_validated": (folds, "accuracy"),
    "training_runs": (runs, "accuracy"),
}


def interval(found):
    """Check an estimate or a difference: a finite interval that contains the value."""
    assert np.isfinite([found.low, found.value, found.high]).all(), found
    assert found.low < found.high, found
    assert found.low <= found.value <= found.high, found
    return found


def estimates(made, metric, **settings):
    """Return the estimates of what was made: of the first model, of all readers, or of one algorithm."""
    if isinstance(made, hs.results.ReaderStudy):
        return [*made.means.values()]
    if isinstance(made, hs.results.Algorithms):
        return [made.estimate(metric, model="A", **settings)]
    if hasattr(made, "models"):
        made = made.model(made.models[0])
    return [hs.estimate(made, metric, **settings)]


def by(make, metric):
    """Estimate all cases together, then each group."""
    made = make(by="site")
    for each in (made.overall, *made.values()):
        [*map(interval, estimates(each, metric))]


def weights(make, metric):
    """Find another value with weights."""
    plain, weighted = (estimates(make(**more), metric)[0] for more in ({}, {"sample_weight": "weight"}))
    assert interval(weighted).value != plain.value


def thresholds(make, metric):
    """Estimate metrics of counts from scores at a threshold."""
    if make is readers:
        [*map(interval, estimates(make(metric="sensitivity", threshold=0.5), metric))]
    elif make in (folds, runs):
        [*map(interval, estimates(make(y_pred=None, y_score="score"), "sensitivity", threshold=0.5))]
    else:
        [*map(interval, estimates(make(), "f1", threshold=0.5))]


def paired(make, metric):
    """Compare two models, algorithms or modalities, or two tables with the same factors."""
    made = make()
    if make is readers:
        interval(made.compare("new", "old"))
    elif make in (folds, runs):
        interval(made.compare(metric))
        assert len(made.compare_all([metric, "f1"])) == 2
    elif hasattr(made, "models"):
        interval(hs.compare(made, metric, a=made.models[0], b=made.models[1]))
    else:
        interval(hs.compare(made, make(data=DATA[::-1]), metric))


def files(suffix):
    """Return a check: a file gives the results of the frame."""

    def check(make, metric, folder):
        path = folder / f"cases.{suffix}"
        data = ONE_RUN if make is folds else DATA
        getattr(data, {"csv": "to_csv", "parquet": "to_parquet"}[suffix])(path, index=False)
        found, expected = (estimates(each, metric) for each in (make(data=str(path)), make()))
        for one, other in zip(found, expected, strict=True):
            assert [interval(one).value, one.low, one.high] == pytest.approx([other.value, other.low, other.high])

    return check


def report(make, metric):
    """Find the value on the page."""
    made = make()
    more = {} if make in (readers, folds, runs) else {"metrics": [metric]}
    page = hs.report_of(made, **more).to_html()
    value = estimates(made, metric)[0].value
    assert "</html>" in page
    assert f"{value:.4f}"[:4] in page or f"{value:.2f}" in page


def pickled(make, metric):
    """Find the same results after pickling."""
    made = make()
    again = pickle.loads(pickle.dumps(made))
    for one, other in zip(estimates(again, metric), estimates(made, metric), strict=True):
        assert (interval(one).value, one.low, one.high) == (other.value, other.low, other.high)


def plan(make, metric):
    """Plan a study of a given width."""
    made = make()
    if make is readers:
        assert hs.plan(made, readers=8, width=0.2).cases > 1
        return
    assert hs.plan(made, metric, width=0.4).n > 1


def plan_with_one_fixed(make, metric):
    """Plan a study with one factor fixed, so that there is one kind of unit."""
    made = make(fixed="topic" if make is SOURCES["trials"][0] else "level")
    models = {"a": made.models[0], "b": made.models[1]} if hasattr(made, "models") else {}
    assert hs.plan(made, metric, width=0.4, **models).n > 1


def leaderboard(make, metric):
    """Rank the models, with intervals for the ranks."""
    board = hs.leaderboard(make(), metric, random_state=0)
    for each in board.places:
        interval(each.estimate)
        assert each.rank_low <= each.rank <= each.rank_high


def gaps(make, metric):
    """Compare the groups of a column."""
    made = make(by="site")
    found = hs.gaps(made, metric)
    interval((next(iter(found.values())) if hasattr(made.overall, "models") else found).differences["x", "y"])


FEATURES = {
    "by": by,
    "weights": weights,
    "thresholds": thresholds,
    "paired": paired,
    "csv": files("csv"),
    "parquet": files("parquet"),
    "report": report,
    "pickle": pickled,
    "plan": plan,
    "plan, one fixed": plan_with_one_fixed,
    "leaderboard": leaderboard,
    "gaps": gaps,
}
PAIRED = ("paired", "paired_scores", "paired values", "preferences")
TRAINED = ("cross_validated", "training_runs")
OF_TABLES = [name for name in SOURCES if name not in {*TRAINED, "reader_study"}]
METHODS = "Algorithms has methods of its own: estimate, evaluate, compare, compare_all"
REFUSED = {  # (source, feature) → words of the remedy
    **{(name, "plan"): "the study would keep, `fixed=`, or give one column" for name in OF_TABLES},
    **{(name, "leaderboard"): "Give a paired table of several models" for name in OF_TABLES if name not in PAIRED},
    **{(name, "thresholds"): "make a table of these: `confusion(" for name in OF_TABLES if name != "scores"},
    ("confusion", "thresholds"): "Name an average, 'f1@macro'",
    ("paired", "thresholds"): "this one holds predictions: drop it",
    ("multiclass_scores", "paired"): "Make tables of predictions",
    ("reader_study", "weights"): "`hs.scores(truth, rating, groups=[reader, case], sample_weight=…)`",
    ("reader_study", "plan, one fixed"): "Known: reader, case",
    ("reader_study", "leaderboard"): "ReaderStudy has methods of its own: compare, plan",
    ("reader_study", "gaps"): "`gaps` compares groups. Give tables made with `by=`",
    **{(name, feature): "Select the rows of each group" for name in TRAINED for feature in ("by", "gaps")},
    **{(name, "weights"): "`hs.confusion(…, sample_weight=…)`" for name in TRAINED},
    **{(name, "plan, one fixed"): "`algorithms.estimate(metric, fixed='runs')`" for name in TRAINED},
    **{(name, feature): METHODS for name in TRAINED for feature in ("report", "plan", "leaderboard")},
}
del REFUSED["paired_scores", "thresholds"]


SLOW = {"report", "plan, one fixed"}  # for tables: the ordinary tests have one source of each
SEAMS = [
    pytest.param(
        source,
        feature,
        marks=pytest.mark.thorough if feature in SLOW and source in OF_TABLES and source != "confusion" else (),
    )
    for source in SOURCES
    for feature in FEATURES
]


@pytest.mark.parametrize("source, feature", SEAMS)
def test_each_seam_works_or_has_a_remedy(source, feature, tmp_path):
    """Every source with two factors works in every function, or is refused in one line that says what to do."""
    make, metric = SOURCES[source]
    arguments = (make, metric, tmp_path) if feature in {"csv", "parquet"} else (make, metric)
    words = REFUSED.get((source, feature))
    if words is None:
        FEATURES[feature](*arguments)
        return
    with pytest.raises(hs.HowsureError, match=re.escape(words)):
        FEATURES[feature](*arguments)


@pytest.mark.parametrize("call", [hs.gaps, hs.compare_all, hs.leaderboard])
def test_groups_of_reader_studies_are_no_tables(call):
    """Studies by group are refused in one line where tables by group are compared."""
    with pytest.raises(hs.HowsureError, match=r"(?i)give|study\.compare"):
        call(readers(by="site"), "roc_auc")
