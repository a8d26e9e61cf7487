"""Cases of a pool to label next, and the estimates from their labels."""

import numpy as np
import pytest

import howsure as hs
from howsure.errors import HowsureError
from howsure.imperfect_labels.partial.label_sample import Pool, _allocated, _guessed, _slopes

RNG = np.random.default_rng(0)
SCORE = RNG.beta(0.2, 1.8, 3000)
TRUTH = (RNG.random(3000) < SCORE).astype(int)
PREDICTED = (SCORE > 0.5).astype(int)


def labelled(rows, score=SCORE):
    """Return the table of the pool once some rows are labelled."""
    known = np.full(len(score), np.nan)
    known[rows] = TRUTH[rows]
    return hs.partly_labelled(known, PREDICTED, score)


def test_the_rows_are_distinct_and_their_shares_of_strata_known():
    """The requested number of distinct rows is drawn, each with the labelled share of its stratum."""
    sample = hs.labels.sample_to_label(PREDICTED, SCORE, "f1", n=200, random_state=0)
    assert len(set(sample.rows.tolist())) == 200 == sample.labels.sum()
    assert sample.cases.sum() == 3000
    assert np.bincount(sample.stratum, minlength=len(sample.cases)).tolist() == sample.labels.tolist()
    assert sample.inclusion_probability == pytest.approx((sample.labels / sample.cases)[sample.stratum])
    # The weights of Horvitz and Thompson add up to the pool.
    assert (1 / sample.inclusion_probability).sum() == pytest.approx(3000)


def test_a_seed_draws_the_same_rows_and_another_others():
    """Rows follow from the seed."""
    first, again, other = (
        hs.labels.sample_to_label(PREDICTED, SCORE, n=100, random_state=seed).rows.tolist() for seed in (1, 1, 2)
    )
    assert first == again != other


@pytest.mark.thorough
def test_each_row_of_a_stratum_is_as_likely():
    """Over 150 draws each case is drawn with its inclusion probability, within noise."""
    score, predicted = SCORE[:300], PREDICTED[:300]
    drawn = np.zeros(300)
    for seed in range(150):
        sample = hs.labels.sample_to_label(predicted, score, n=60, random_state=seed)
        drawn[sample.rows] += 1
    expected = np.zeros(300)
    expected[sample.rows] = sample.inclusion_probability
    chosen = expected > 0
    off = (drawn[chosen] / 150 - expected[chosen]) / np.sqrt(expected[chosen] * (1 - expected[chosen]) / 150 + 1e-9)
    assert np.abs(off).max() < 4.5


def test_labels_are_shared_out_by_size_times_spread_where_they_are_many():
    """With many labels, those of each stratum are proportional to cases times the estimated standard deviation."""
    score = np.repeat([0.2, 0.4, 0.6, 0.9], 100_000)
    predicted = (score > 0.5).astype(int)
    sample = hs.labels.sample_to_label(predicted, score, "accuracy", n=40_000)
    shares = sample.labels / sample.labels.sum()
    spread = np.sqrt(np.array([0.2 * 0.8, 0.4 * 0.6, 0.6 * 0.4, 0.9 * 0.1]))
    assert shares == pytest.approx(spread / spread.sum(), abs=0.002)


def test_labels_that_are_there_count():
    """A second round leaves labelled rows out, and requests more where labels contradict the scores."""
    first = hs.labels.sample_to_label(PREDICTED, SCORE, n=200, random_state=0)
    known = np.full(3000, np.nan)
    known[first.rows] = TRUTH[first.rows]
    second = hs.labels.sample_to_label(PREDICTED, SCORE, n=200, y_true=known, random_state=0)
    assert not set(first.rows.tolist()) & set(second.rows.tolist())
    assert second.labelled.tolist() == first.labels.tolist()
    assert second.strata == tuple(name.replace("True", "1").replace("False", "0") for name in first.strata)
    wrong = known.copy()
    lowest = first.rows[first.stratum == 0]
    wrong[lowest[: len(lowest) // 2]] = 1  # half of the cases with the lowest scores turn out to be positive
    other = hs.labels.sample_to_label(PREDICTED, SCORE, n=200, y_true=wrong, random_state=0)
    assert other.labels[0] > second.labels[0]


def test_the_estimate_is_the_sum_over_strata():
    """The expected table has the labelled shares of each stratum, times its cases."""
    sample = hs.labels.sample_to_label(PREDICTED, SCORE, n=300, random_state=0)
    table = labelled(sample.rows)
    weight = np.zeros(3000)
    weight[sample.rows] = 1 / sample.inclusion_probability
    for true in (0, 1):
        for said in (0, 1):
            expected = weight[(true == TRUTH) & (said == PREDICTED)].sum()
            assert table.counts[true, said] == pytest.approx(expected)


def test_intervals_are_narrower_than_with_labels_drawn_evenly():
    """The interval for F1 is narrower than with twice as many labels drawn at random from all cases."""
    width = {"chosen": [], "evenly": []}
    for seed in range(5):
        rows = hs.labels.sample_to_label(PREDICTED, SCORE, "f1", n=300, random_state=seed).rows
        evenly = np.random.default_rng(seed).choice(3000, 600, replace=False)
        tables = {"chosen": labelled(rows), "evenly": hs.confusion(TRUTH[evenly], PREDICTED[evenly])}
        for name, table in tables.items():
            found = hs.estimate(table, "f1")
            width[name].append(found.high - found.low)
    assert np.mean(width["chosen"]) < np.mean(width["evenly"])


@pytest.mark.thorough
def test_the_interval_holds_the_truth():
    """In 50 pools the intervals of F1 and recall cover in about 95 %, also with misleading scores."""
    rng = np.random.default_rng(1)
    chance = rng.beta(0.2, 1.8, 200_000)
    everyone = {"f1": None, "recall": None}
    said = chance > 0.5
    hit = (chance * said).sum()
    everyone = {"f1": 2 * hit / (chance.sum() + said.sum()), "recall": hit / chance.sum()}
    held = dict.fromkeys(everyone, 0)
    for _ in range(50):
        pool = rng.choice(chance, 3000)
        truth, predicted, score = rng.random(3000) < pool, pool > 0.5, pool**3
        rows = hs.labels.sample_to_label(predicted, score, "f1", n=400, random_state=rng).rows
        known = np.full(3000, np.nan)
        known[rows] = truth[rows]
        table = hs.partly_labelled(known, predicted, score)
        for name, value in everyone.items():
            found = hs.estimate(table, name)
            held[name] += found.low <= value <= found.high
    for number in held.values():
        assert number / 50 > 0.95 - 3 * np.sqrt(0.95 * 0.05 / 50)


@pytest.mark.parametrize("keyword", ["plain", "weights", "groups", "by"])
@pytest.mark.parametrize("classes", [2, 3])
def test_every_kind_of_column_and_method(keyword, classes, tmp_path):
    """Weights, clusters and groups, two classes and three: each method gives limits around the estimate, also read again."""
    rng = np.random.default_rng(2)
    truth = rng.integers(0, classes, 600)
    predicted = np.where(rng.random(600) < 0.8, truth, rng.integers(0, classes, 600))
    score = rng.beta(4, 2, 600) if classes > 2 else np.where(predicted == 1, 0.5, 0.0) + rng.random(600) / 2
    keywords = {
        "plain": {},
        "weights": {"sample_weight": rng.gamma(4, size=600)},
        "groups": {"groups": np.arange(600) // 3},
        "by": {"by": np.repeat(["u", "v"], 300)},
    }[keyword]
    metric = "f1" if classes == 2 else "f1@macro"
    rows = hs.labels.sample_to_label(predicted, score, metric, n=200, random_state=0).rows
    known = np.full(600, np.nan)
    known[rows] = truth[rows]
    made = hs.partly_labelled(known, predicted, score, **keywords)
    for table in made.values() if keyword == "by" else [made]:
        again = hs.load(table.save(tmp_path / "pool.json"))
        for method in (
            None,
            "delta",
            hs.methods.Dirichlet(n_draws=60),
            hs.methods.Bootstrap("percentile", n_resamples=60),
        ):
            found, other = (hs.estimate(each, metric, method=method, random_state=0) for each in (table, again))
            assert found.low <= found.value <= found.high
            assert (found.low, found.high) == (other.low, other.high)


REFUSED = [
    (lambda: hs.labels.sample_to_label(PREDICTED, SCORE, n=3001), "3,000 cases without a label"),
    (lambda: hs.labels.sample_to_label(PREDICTED, SCORE, n=3), "2 labels of each stratum take 12"),
    (lambda: hs.labels.sample_to_label(PREDICTED, SCORE, n=0), "whole number"),
    (lambda: hs.labels.sample_to_label(PREDICTED, SCORE * 2, n=100), "outside"),
    (lambda: hs.labels.sample_to_label(PREDICTED, SCORE[:5], n=100), "differ in length"),
    (lambda: hs.labels.sample_to_label([], [], n=1), "empty"),
    (lambda: hs.labels.sample_to_label(np.zeros(50, int), np.full(50, 0.1), n=10), "Only the class 0"),
    (lambda: hs.labels.sample_to_label(PREDICTED, SCORE, "no_such", n=100), "no_such"),
    (lambda: hs.labels.sample_to_label(PREDICTED, SCORE, "roc_auc", n=100), "roc_auc"),
    (lambda: hs.partly_labelled(TRUTH, PREDICTED, SCORE), "Every case has a label"),
    (lambda: hs.partly_labelled(np.where(np.arange(3000) < 1, 1.0, np.nan), PREDICTED, SCORE), "1 labels of 3000"),
    (lambda: hs.partly_labelled(TRUTH, np.where(PREDICTED, 1.0, np.nan), SCORE), "Only `y_true` may lack"),
]


@pytest.mark.parametrize("call, words", REFUSED, ids=range(len(REFUSED)))
def test_what_cannot_be_drawn_is_refused(call, words):
    """Too many or too few labels, scores that are none, and pools without gaps are refused in a line."""
    with pytest.raises(HowsureError, match=words):
        call()


def test_silent_strata_are_said():
    """If strata have no label, the result states their number."""
    rows = np.flatnonzero(PREDICTED == 1)[:80]
    assert "3 of 6 strata have no label" in hs.estimate(labelled(rows), "recall").reason


def test_strata_that_a_metric_does_not_see_add_nothing_to_its_error():
    """The standard error of precision is that of the strata that are predicted positive, and of their sizes."""
    table = labelled(hs.labels.sample_to_label(PREDICTED, SCORE, "f1", n=300, random_state=0).rows)
    positive, cases = table.design.labelled[3:, 1], table.design.totals[3:]
    number = table.design.labelled[3:].sum(1)
    share = positive / number
    # Spreads lean towards their average, with the weight of four labels.
    square = number * share * (1 - share)
    pooled = square.sum() / (number - 1).sum()
    within = (cases**2 * (square + 4 * pooled) / (number - 1 + 4) / number).sum()
    mean = (cases * share).sum() / cases.sum()
    between = (cases * (share - mean) ** 2).sum()
    found = hs.estimate(table, "precision").standard_error
    assert found == pytest.approx(np.sqrt(within + between) / cases.sum(), rel=1e-6)


def test_without_labels_the_scores_guess_the_true_classes():
    """A case has its predicted class with its score, and otherwise another by how often that is predicted, and one."""
    rng = np.random.default_rng(6)
    predicted = rng.choice(["a", "b", "c"], 300, p=[0.6, 0.3, 0.1])
    pool = Pool.of(None, predicted, rng.uniform(0.4, 0.99, 300), None, None, None)
    found = _guessed(pool)
    often = {name: (predicted == name).sum() + 1 for name in "abc"}
    assert found.sum(1) == pytest.approx(np.ones(len(found)))
    for place, (row, column) in enumerate(zip(found, pool.column, strict=True)):
        own = pool.axis[column]
        assert row[column] == pytest.approx(pool.score[pool.stratum == place].mean())
        rest = sum(number for name, number in often.items() if name != own)
        others = {name: (1 - row[column]) * often[name] / rest for name in "abc" if name != own}
        assert [row[list(pool.axis).index(name)] for name in others] == pytest.approx(list(others.values()))


def test_slopes_are_those_of_the_metric_on_the_expected_table():
    """What a true class adds in a stratum is the metric's derivative in the cell of that class and the prediction."""
    pool = Pool.of(None, PREDICTED, SCORE, None, None, None)
    shares = _guessed(pool)
    cases = np.bincount(pool.stratum)[:, None] * shares
    found, name = _slopes(pool, cases, "f1")
    tp = cases[pool.column == 1, 1].sum()
    fp, fn = cases[pool.column == 1, 0].sum(), cases[pool.column == 0, 1].sum()
    total = 2 * tp + fp + fn
    expected = {(1, 1): 2 * (fp + fn) / total**2, (1, 0): -2 * tp / total**2, (0, 1): -2 * tp / total**2, (0, 0): 0.0}
    assert name == "f1"
    for row, column in zip(found, pool.column.tolist(), strict=True):
        assert row == pytest.approx([expected[column, 0], expected[column, 1]], abs=1e-15)


def test_numbers_of_labels_that_cannot_be_are_told():
    """More labels than there are cases without one, fewer than each stratum takes, and none are refused in numbers."""
    known = np.where(np.arange(3000) < 500, TRUTH, np.nan)
    with pytest.raises(HowsureError, match="there are 2,500 cases without a label"):
        hs.labels.sample_to_label(PREDICTED, SCORE, n=2501, y_true=known)
    assert hs.labels.sample_to_label(PREDICTED, SCORE, n=2500, y_true=known).labels.sum() == 2500
    with pytest.raises(HowsureError, match="labels of each stratum take"):
        hs.labels.sample_to_label(PREDICTED, SCORE, n=1)
    with pytest.raises(HowsureError, match="`n`"):
        hs.labels.sample_to_label(PREDICTED, SCORE, n=0)


@pytest.mark.parametrize("surprise", [0.0, 5.0, 4e3])
def test_one_more_label_gains_as_much_in_every_stratum(surprise):
    """The gains N² v / m² + 2 N² u / m³ are equal where labels are neither none nor all, and no less where all are."""
    cases, labelled = np.array([10**6, 3 * 10**6, 5 * 10**5, 40]), np.array([0, 2000, 0, 0])
    variance = np.array([0.2, 0.05, 0.01, 0.25])
    unseen = surprise * np.array([1.0, 0.3, 2.0, 1.0])
    more = _allocated(cases, labelled, variance, unseen, 60_000)
    assert more.sum() == 60_000
    many = (labelled + more).astype(float)
    gains = cases**2 * variance / many**2 + 2 * cases**2 * unseen / many**3
    assert (many < cases).all()
    assert gains[:3] == pytest.approx(np.full(3, gains[0]), rel=5e-3)
    ends = [40**2 * 0.25 / m**2 + 2 * 40**2 * unseen[3] / m**3 for m in (many[3] - 1, many[3] + 1)]
    assert ends[1] < gains[0]
    assert ends[0] > gains[0] or many[3] == 2  # the fewest of a stratum
    few = _allocated(np.array([3, 4]), np.array([1, 0]), np.zeros(2), np.zeros(2), 6)
    assert few.tolist() == [2, 4]
