"""Tables corrected by a review, and their design."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import stats

import howsure as hs
from howsure.tables.protocols import effective_sample_size

COUNTS = np.array([[420, 30], [60, 490]])
REVIEWS = np.array([[[48, 2], [12, 18]], [[20, 20], [1, 59]]])
THREE = np.array([[200, 20, 10], [15, 150, 12], [8, 0, 90]])
PRIOR = 0.4


def three_reviews(seed=0):
    """Return reviews of the 3×3 table, some cells whole, some partly, one not at all."""
    rng = np.random.default_rng(seed)
    reviews = np.zeros((3, 3, 3), dtype=int)
    for i, j in np.ndindex(3, 3):
        number = min(THREE[i, j], [30, 20, 12][j]) if (i, j) != (2, 0) else 0
        shares = 0.05 + 0.7 * (np.arange(3) == i) + 0.15 * (np.arange(3) == j)
        reviews[i, j] = rng.multinomial(number, shares / shares.sum())
    return reviews


def shares_by_hand(prior):
    """Return the Dirichlet-multinomial shares of the 2×2 table's unreviewed cases."""
    known = REVIEWS + prior
    return known / known.sum(-1, keepdims=True)


def test_expected_counts_are_known_plus_imputed():
    """Reviewed cases count by their corrected label; the others in the review's proportions, prior included."""
    left = COUNTS - REVIEWS.sum(-1)
    filled = REVIEWS + left[:, :, None] * shares_by_hand(PRIOR)
    expected = np.einsum("ijk->kj", filled)
    table = hs.reviewed(COUNTS, REVIEWS, prior=PRIOR)
    np.testing.assert_allclose(table.counts, expected)
    assert table.rows == 1000
    assert table.counts.sum() == pytest.approx(1000)


def test_variance_is_that_of_double_sampling():
    """Almost without a prior the variance is Tenenbein's: N·mean² + N²/r·spread of the gradient, cell by cell."""
    gradient = np.array([[0.3, -0.2], [0.05, 0.4]])
    tiny = 1e-9
    # Dirichlet's r + 1 replaces r: scale the review up until the two agree.
    scale = 10_000
    table = hs.reviewed(COUNTS * 10 * scale, REVIEWS * scale, prior=tiny)
    shares = REVIEWS / REVIEWS.sum(-1, keepdims=True)
    slopes = gradient.T[None, :, :]  # of corrected label k given prediction j: [i, j, k] -> gradient[k, j]
    mean = (shares * slopes).sum(-1)
    spread = (shares * slopes**2).sum(-1) - mean**2
    cases, known = COUNTS * 10.0 * scale, REVIEWS.sum(-1) * float(scale)
    expected = (cases * mean**2 + cases**2 / known * spread).sum()
    assert table.variance(gradient) == pytest.approx(expected, rel=1e-4)


def test_variance_is_that_of_the_posterior():
    """The closed form is the variance of drawn tables' linear form, with a fixed and with a learned prior."""
    gradient = np.array([[0.3, -0.2, 0.1], [0.05, 0.4, -0.3], [-0.1, 0.2, 0.25]])
    for prior in (PRIOR, None):
        table = hs.reviewed(THREE, three_reviews(), prior=prior)
        draws = table.design.posterior(table.cells, np.zeros(9), 60_000, np.random.default_rng(1))
        np.testing.assert_allclose(draws.mean(0).reshape(3, 3), table.counts, atol=0.15, rtol=0.005)
        drawn = (draws @ gradient.ravel()).var()
        assert table.variance(gradient) == pytest.approx(drawn, rel=0.03)


def test_posterior_is_the_model_drawn_step_by_step():
    """Draws agree with Dirichlet shares, multinomial labels and a Dirichlet table written out case by case."""
    rng = np.random.default_rng(3)
    size = 20_000
    tables = np.zeros((size, 2, 2))
    for i, j in np.ndindex(2, 2):
        shares = rng.dirichlet(REVIEWS[i, j] + PRIOR, size)
        second = rng.binomial(COUNTS[i, j] - REVIEWS[i, j].sum(), shares[:, 1])
        tables[:, 1, j] += REVIEWS[i, j, 1] + second
        tables[:, 0, j] += REVIEWS[i, j, 0] + COUNTS[i, j] - REVIEWS[i, j].sum() - second
    tables = rng.standard_gamma(tables + 0.5)
    precision = tables[:, 1, 1] / tables[:, :, 1].sum(-1)
    method = hs.methods.Dirichlet(prior=0.5, n_draws=size)
    drawn = hs.estimate(hs.reviewed(COUNTS, REVIEWS, prior=PRIOR), "precision", method=method, random_state=0).draws
    assert stats.ks_2samp(precision, drawn).pvalue > 0.001


def test_a_complete_review_leaves_a_plain_table():
    """With every case reviewed the corrected table is known, and its intervals are those of its counts."""
    rng = np.random.default_rng(2)
    reviews = np.zeros((3, 3, 3), dtype=int)
    for i, j in np.ndindex(3, 3):
        reviews[i, j] = rng.multinomial(THREE[i, j], [0.3, 0.3, 0.4])
    corrected = np.einsum("ijk->kj", reviews)
    table, plain = hs.reviewed(THREE, reviews), hs.from_counts(corrected)
    np.testing.assert_allclose(table.counts, corrected)
    for metric in ("accuracy", "f1@macro", "mcc", "precision@binary+positive_class=1"):
        for method in (None, "delta"):
            mine, known = (hs.estimate(each, metric, method=method) for each in (table, plain))
            assert (mine.low, mine.high) == pytest.approx((known.low, known.high), rel=1e-6)


def test_a_faultless_review_tends_to_the_recorded_table():
    """The more cases are reviewed without a fault, the nearer value and interval come to the recorded table's."""
    counts = 20 * COUNTS
    plain = hs.estimate(hs.from_counts(counts), "f1")
    gaps = []
    for share in (0.02, 0.2, 0.9, 1.0):
        reviews = np.zeros((2, 2, 2))
        for i in range(2):
            reviews[i, :, i] = np.floor(share * counts[i])
        table = hs.reviewed(counts, reviews)
        mine = hs.estimate(table, "f1")
        gaps.append(abs(mine.low - plain.low) + abs(mine.high - plain.high))
    assert gaps == sorted(gaps, reverse=True)
    assert gaps[-1] < 1e-9


def test_one_against_rest_keeps_the_review():
    """The 2×2 table of a class has the same posterior, variance and counts as the whole table seen that way."""
    table = hs.reviewed(THREE, three_reviews(), labels=["a", "b", "c"])
    small = table.one_against_rest(1)
    tp = table.counts[1, 1]
    np.testing.assert_allclose(small.counts[1], [table.counts[1].sum() - tp, tp])
    np.testing.assert_allclose(small.design.expected(4), small.cells)
    spec = "recall@binary+positive_class=b"
    wide, narrow = hs.estimate(table, spec, method="delta"), hs.estimate(small, "recall", method="delta")
    assert (wide.low, wide.high) == pytest.approx((narrow.low, narrow.high), rel=1e-9)
    drawn = [hs.estimate(*each, method="bayes", random_state=0) for each in ((table, spec), (small, "recall"))]
    assert drawn[0].low == pytest.approx(drawn[1].low, abs=0.01)
    assert drawn[0].standard_error == pytest.approx(wide.standard_error, rel=0.1)


@pytest.mark.thorough
def test_methods_agree_where_reviews_are_many():
    """Score, delta, bootstrap and posterior intervals of a large review differ by little."""
    table = hs.reviewed(10 * COUNTS, 10 * REVIEWS)
    for metric in ("precision", "f1@macro", "kappa"):
        auto = hs.estimate(table, metric)
        width = auto.high - auto.low
        for method in (
            "delta",
            "bayes",
            "bootstrap_percentile",
            "bootstrap_bca",
            hs.methods.Bootstrap("studentized", 500),
        ):
            other = hs.estimate(table, metric, method=method, random_state=1)
            assert (other.low, other.high) == pytest.approx((auto.low, auto.high), abs=0.15 * width), method


def test_jackknife_leaves_out_each_case_once():
    """Leaving out one case removes one case, and all kinds together represent all cases."""
    table = hs.reviewed(THREE, three_reviews())
    tables, numbers = zip(*table.design.leave_one_out(table.cells), strict=True)
    np.testing.assert_allclose(np.concatenate(tables).sum(-1), THREE.sum() - 1)
    assert np.concatenate(numbers).sum() == THREE.sum()


def test_same_seed_same_draws():
    """A seed fixes the draws, and all metrics of an evaluation share them."""
    table = hs.reviewed(THREE, three_reviews())
    first, second = (hs.evaluate(table, ["accuracy", "mcc"], method="bayes", random_state=4) for _ in range(2))
    np.testing.assert_array_equal(first["mcc"].draws, second["mcc"].draws)
    assert first.correlations()["accuracy"]["mcc"] > 0.8


def test_unreviewed_cells_are_named():
    """A cell with cases and no review is named in the reason; a complete review needs no note."""
    reviews = np.array(REVIEWS)
    reviews[1, 0] = 0
    table = hs.reviewed(COUNTS, reviews, labels=["no", "yes"])
    reason = hs.estimate(table, "f1").reason
    assert reason == "1 cell has no review (recorded/predicted yes/no): the estimate there is that of the prior"
    assert not hs.estimate(hs.reviewed(COUNTS, REVIEWS), "f1").reason
    nothing = hs.estimate(hs.reviewed(COUNTS, np.zeros((2, 2, 2))), "f1")
    assert nothing.reason == (
        "4 cells have no review (recorded/predicted 0/0, 0/1, 1/0, 1/1): the estimate there is that of the prior"
    )
    assert "9 cells have no review (recorded/predicted 0/0, 0/1, 0/2, 1/0, …)" in (
        hs.reviewed(THREE + 1, np.zeros((3, 3, 3))).design.description.estimate_caveat
    )
    assert nothing.high - nothing.low > 0.3


def test_wrong_records_hide_frequent_classes_more_often():
    """Before any review the corrected label's odds are the classes' frequency times those of equally frequent ones.

    How frequent they are is counted in the table that was corrected with the frequencies of records and predictions.
    """
    counts = np.array([[880, 30], [20, 70]])
    points = (np.arange(24) + 0.5) / 24
    rare = stats.beta(0.25, 1).ppf(points)  # share of wrong records where the prediction agrees; else it is uniform

    def hidden(wrong, odds):
        """Return the share of wrong records for a true class that is ``odds`` times as frequent as the recorded one."""
        return (wrong * odds / (wrong * odds + 1 - wrong)).mean()

    def of_first_class(odds):
        """Share of corrected label 0 in each cell."""
        return np.array(
            [[1 - hidden(rare, 1 / odds), 1 - hidden(points, 1 / odds)], [hidden(points, odds), hidden(rare, odds)]]
        )

    totals = counts.sum(0) + counts.sum(1)
    first = (counts * of_first_class((totals[0] + 1) / (totals[1] + 1))).sum()
    expected = of_first_class((first + 1) / (1000 - first + 1))
    agreed, other = hs.reviewed(counts, np.zeros((2, 2, 2))).design.cells
    assert agreed.shares[:, 0] == pytest.approx(np.diagonal(expected))
    assert other.shares[:, 0] == pytest.approx([expected[0, 1], expected[1, 0]])


@pytest.mark.thorough
def test_the_rarest_of_five_classes_gets_no_cases_of_the_others():
    """Errors at frequent classes make a rare class look frequent; its expected errors stay near the true number.

    Each class is half as frequent as the next, one record in ten is wrong, 200 of 1,000 cases are reviewed at random.
    In the rarest class 4.8 cases are predicted wrongly; frequencies from all records and predictions would give 6.7.
    """
    rng = np.random.default_rng(3)
    prevalence = 2.0 ** -np.arange(5) / (2 - 2**-4)
    records, predictions = (np.where(np.eye(5, dtype=bool), right, (1 - right) / 4) for right in (0.9, 0.85))
    cells = np.einsum("ki,kj->ijk", records, predictions * prevalence[:, None])
    expected = []
    for _ in range(60):
        cases = rng.multinomial(1000, cells.ravel()).reshape(25, 5)
        number = rng.multivariate_hypergeometric(cases.sum(1), 200)
        reviews = [rng.multivariate_hypergeometric(cell, some) for cell, some in zip(cases, number, strict=True)]
        counts = cases.sum(1).reshape(5, 5)
        expected.append(hs.reviewed(counts, np.reshape(reviews, (5, 5, 5))).counts[4, :4].sum())
    error = np.std(expected) / np.sqrt(60)
    assert abs(np.mean(expected) - 1000 * prevalence[4] * 0.15) < 0.6 + 2 * error


def test_pooled_cells_learn_from_each_other():
    """A cell without a review leans on those of its kind: faultless reviews there make it narrower."""
    counts = np.full((4, 4), 50)
    few, many = np.zeros((4, 4, 4)), np.zeros((4, 4, 4))
    for i in range(3):
        few[i, i, i], many[i, i, i] = 1, 50
    gradient = np.zeros(16)
    gradient[-1] = 1.0
    agreed = [hs.reviewed(counts, reviews).design.cells[0] for reviews in (few, many)]
    assert [each.index.tolist() for each in agreed] == [[0, 5, 10, 15]] * 2
    assert agreed[1].imputation_variance(gradient) < agreed[0].imputation_variance(gradient) / 2


@given(st.permutations(range(3)), st.integers(0, 20))
@settings(max_examples=25)
def test_the_order_of_the_labels_does_not_matter(order, seed):
    """Counts and reviews in another order of the labels give the same table in that order, with the same variance."""
    reviews, order = three_reviews(seed), np.array(order)
    table = hs.reviewed(THREE, reviews)
    turned = hs.reviewed(THREE[np.ix_(order, order)], reviews[np.ix_(order, order, order)])
    np.testing.assert_allclose(turned.counts, table.counts[np.ix_(order, order)])
    gradient = np.random.default_rng(seed).normal(size=(3, 3))
    assert turned.variance(gradient[np.ix_(order, order)]) == pytest.approx(table.variance(gradient))


@pytest.mark.parametrize(
    "counts, reviews, words",
    [
        (
            COUNTS,
            REVIEWS + np.array([0, 20]),
            "cases recorded 0 and predicted 1 were reviewed, and only 30 were counted",
        ),
        (COUNTS, REVIEWS - 2, "`reviews[1, 1, 0]` = -1"),
        (COUNTS, REVIEWS + 0.5, "`reviews[0, 0, 0]` = 48.5"),
        (COUNTS, REVIEWS * np.nan, "`reviews[0, 0, 0]` = nan"),
        (COUNTS, REVIEWS[0], "`reviews` has shape (2, 2)"),
        (COUNTS, np.zeros((2, 2, 3)), "recorded × predicted × corrected"),
        (COUNTS, "many", "`reviews` has shape"),
        (-COUNTS, REVIEWS, "negative"),
    ],
)
def test_impossible_reviews_are_refused(counts, reviews, words):
    """Reviews that cannot be are refused with the place and the number."""
    with pytest.raises(hs.HowsureError) as error:
        hs.reviewed(counts, reviews)
    assert words in str(error.value)


def test_a_silent_prior_is_refused():
    """A prior of zero has no information on a cell without a review, which is an error."""
    reviews = np.array(REVIEWS)
    reviews[0, 1] = 0
    with pytest.raises(hs.HowsureError, match="No case recorded a and predicted b was reviewed"):
        hs.reviewed(COUNTS, reviews, labels=["a", "b"], prior="haldane")
    assert hs.reviewed(COUNTS, REVIEWS, prior="haldane").counts.sum() == pytest.approx(1000)


def test_intervals_stay_in_range_and_have_width():
    """Whatever the method, limits stay within [0, 1] and apart, on a table without errors too."""
    counts = np.array([[50, 0], [0, 40]])
    reviews = np.zeros((2, 2, 2))
    reviews[0, 0, 0], reviews[1, 1, 1] = 10, 10
    table = hs.reviewed(counts, reviews)
    for metric in ("precision", "recall", "f1", "f1@macro", "accuracy"):
        for method in (None, "delta", "bayes", "bootstrap_percentile"):
            each = hs.estimate(table, metric, method=method, random_state=0)
            assert 0 <= each.low < each.high <= 1, (metric, method)


def simulated(classes, wrong, budget, studies, seed):
    """Return coverage by the corrected table's intervals and by the recorded table's, each ``(4 metrics,)``."""
    rng = np.random.default_rng(seed)
    prevalence = np.arange(classes, 0, -1) + 1.0

    def confused(right):
        return np.full((classes, classes), (1 - right) / (classes - 1)) + np.eye(classes) * (
            right - (1 - right) / (classes - 1)
        )

    joint = confused(0.85) * (prevalence / prevalence.sum())[:, None]  # true × predicted
    cells = np.einsum("ki,kj->ijk", confused(1 - wrong), joint)
    last = f"binary+positive_class={classes - 1}"
    metrics = [f"precision@{last}", f"recall@{last}", f"f1@{last}", "f1@macro"]
    truth = list(hs.evaluate(hs.tables.ConfusionTable(counts=joint, labels=np.arange(classes)), metrics).values())
    inside, recorded = np.zeros((2, 4)), np.zeros((studies, classes, classes))
    for study in range(studies):
        cases = rng.multinomial(1000, cells.ravel()).reshape(cells.shape)
        recorded[study] = cases.sum(-1)
        share = budget // classes**2
        reviews = [rng.multivariate_hypergeometric(cell, min(cell.sum(), share)) for cell in cases.reshape(-1, classes)]
        corrected = hs.reviewed(cases.sum(-1), np.reshape(reviews, cases.shape))
        for column, each in enumerate(hs.evaluate(corrected, metrics).values()):
            inside[0, column] += each.low <= truth[column] <= each.high
    for column, (metric, known) in enumerate(zip(metrics, map(float, truth), strict=True)):
        each = hs.estimate(hs.from_counts(recorded), metric)
        inside[1, column] = np.sum((each.low <= known) & (known <= each.high))
    return inside / studies


@pytest.mark.thorough
@pytest.mark.parametrize("classes, wrong, budget", [(2, 0.2, 100), (4, 0.1, 200)])
def test_coverage_in_brief(classes, wrong, budget):
    """In 60 studies 95 % intervals cover at their level, and uncorrected ones hardly ever."""
    corrected, recorded = simulated(classes, wrong, budget, 60, 7)
    assert (corrected >= 0.95 - 3.3 * np.sqrt(0.95 * 0.05 / 60)).all(), corrected
    assert recorded[3] < 0.2
    assert recorded[1] < 0.2


@pytest.mark.slow
@pytest.mark.parametrize("budget", [50, 200, 500])
@pytest.mark.parametrize("wrong", [0.0, 0.1, 0.3])
@pytest.mark.parametrize("classes", [2, 4])
def test_coverage(classes, wrong, budget):
    """95 % intervals of precision, recall, F1 and macro F1 cover in 93 % of studies, or more.

    Measured in 200 studies, hence 3 Monte Carlo errors below 93 %. With few or no errors and few reviews,
    coverage is up to 100 %: a review of 50 cannot exclude errors that do not exist.
    """
    corrected, _ = simulated(classes, wrong, budget, 200, 11)
    assert (corrected >= 0.93 - 3 * np.sqrt(0.93 * 0.07 / 200)).all(), corrected


@pytest.mark.parametrize(
    "each, cases, is_said", [(20, 200, True), (24, 200, True), (25, 200, False), (20, 40, False), (0, 200, False)]
)
def test_few_reviews_are_said(each, cases, is_said) -> None:
    """Fewer than 100 reviews, of less than half of the cases, carry a note that names both numbers."""
    counts = np.full((2, 2), cases)
    reviews = np.zeros((2, 2, 2))
    reviews[0, :, 0], reviews[1, :, 1] = each, each
    found = hs.estimate(hs.reviewed(counts, reviews), "accuracy")
    assert (f"{4 * each} of {4 * cases} cases were reviewed" in found.reason) is is_said
    assert ("review 100 or more" in found.reason) is is_said


REVIEWED = np.array([[[9, 1], [6, 4]], [[5, 5], [1, 9]]])
RECORDED = np.array([[420, 30], [60, 490]])


def halves():
    """Return the table of a review with half a pseudo-review of each label, and its expected cells one by one."""
    known = REVIEWED + 0.5
    expected = REVIEWED + (RECORDED - REVIEWED.sum(-1))[..., None] * known / known.sum(-1, keepdims=True)
    return hs.reviewed(RECORDED, REVIEWED, prior=0.5), expected


def test_reviewed_cases_are_worth_those_that_were_looked_at():
    """The squared total over the sum of each case's weight: recorded over reviewed and pseudo-reviewed ones."""
    table, expected = halves()
    assert table.counts == pytest.approx(expected.sum(0).T)  # corrected × predicted
    weight = RECORDED / (REVIEWED.sum(-1) + 1)
    marked = np.array([[1, 0], [1, 1]])
    resting = np.einsum("ijk,ij,kj->", expected, weight, marked)
    assert effective_sample_size(table, marked) == pytest.approx((table.counts * marked).sum() ** 2 / resting)


def test_parts_of_a_review_are_added_up():
    """Two reviews' table has the sum of their counts and of their variances, and each note once."""
    table, _ = halves()
    other = hs.reviewed(RECORDED.T, REVIEWED.transpose(1, 0, 2), prior=0.5)
    both = hs.pool_tables([table, other])
    form = np.array([[0.3, -0.1], [0.2, 0.5]])
    assert both.counts == pytest.approx(table.counts + other.counts)
    assert both.variance(form) == pytest.approx(table.variance(form) + other.variance(form))
    both.design.check((4,))
    both.design.check_sums(both.cells)
    assert (
        both.design.description.estimate_caveat
        == table.design.description.estimate_caveat
        == other.design.description.estimate_caveat
        != ""
    )
    with pytest.raises(hs.HowsureError):
        both.design.check_sums(table.cells)


def test_draws_of_a_review_are_of_all_its_cases():
    """Resampled tables have as many cases, and the mean of all is the table; posterior draws add Dirichlet noise."""
    table, _ = halves()
    drawn = table.design.resample(table.cells, 4000, np.random.default_rng(0))
    np.testing.assert_allclose(drawn.sum(1), 1000)
    assert drawn.mean(0) == pytest.approx(table.cells, abs=5 * drawn.std(0).max() / np.sqrt(4000))
    prior = np.array([0.0, 30.0, 0.0, 5.0])
    plain, more = (
        table.design.posterior(table.cells, each, 4000, np.random.default_rng(1)) for each in (np.zeros(4), prior)
    )
    assert plain.mean(0) == pytest.approx(table.cells, abs=5 * plain.std(0).max() / np.sqrt(4000))
    assert more.mean(0) - plain.mean(0) == pytest.approx(prior, abs=4 * plain.std(0).max() / np.sqrt(2000))


@pytest.mark.parametrize("counts", [np.array([3, 1, 2, 4, 1, 5]), "n"])
def test_rows_that_stand_for_several_cases_are_those_cases(counts):
    """A column of numbers beside labels repeats its rows, as an array or by its name."""
    rows = {"t": [0, 0, 1, 1, 0, 1], "p": [0, 1, 1, 0, 0, 1], "r": [0, 1, 1, None, None, None]}
    number = np.array([3, 1, 2, 4, 1, 5])
    names = {"y_true": "t", "y_pred": "p", "y_reviewed": "r"}
    each = {role: np.repeat(np.array(rows[name], dtype=object), number).tolist() for role, name in names.items()}
    expected = hs.reviewed(**each)
    data = rows | {"n": number}
    found = (
        hs.reviewed(counts, **names, data=data)
        if isinstance(counts, str)
        else hs.reviewed(counts, **{role: rows[name] for role, name in names.items()})
    )
    assert found.counts == pytest.approx(expected.counts)
    assert found.rows == expected.rows == 16


def test_the_other_class_may_be_positive():
    """With the first class as positive, counts, reviews and pseudo-reviews are turned along each of their axes."""
    prior = np.random.default_rng(0).uniform(0.2, 2, (2, 2, 2))
    table = hs.reviewed(RECORDED, REVIEWED, labels=["no", "yes"], prior=prior)
    turned = hs.reviewed(RECORDED, REVIEWED, labels=["no", "yes"], prior=prior, pos_label="no")
    assert turned.labels.tolist() == ["yes", "no"]
    assert turned.counts == pytest.approx(table.counts[::-1, ::-1])
    form = np.random.default_rng(1).normal(size=(2, 2))
    assert turned.variance(form[::-1, ::-1]) == pytest.approx(table.variance(form))


@pytest.mark.parametrize(
    "change",
    [
        {"recorded": -np.ones(4)},
        {"recorded": np.ones(4)},
        {"reviews": np.ones((3, 2))},
        {"index": np.zeros(4)},
        {"index": np.zeros(3, int)},
        {"fixed": np.ones((4, 3))},
        {"tilt": -np.ones((4, 2))},
        {"destination": np.full((4, 2), 4)},
        {"role": np.full((4, 2), 3)},
        {"weights": np.array([0.5])},
        {"shared": np.ones(1)},
    ],
)
def test_cells_that_fit_no_table_are_refused(change):
    """Each part of the cells of a review must be of its size, and no more cases reviewed than recorded."""
    design = halves()[0].design
    design.check((4,))
    (cells,) = design.cells
    with pytest.raises(hs.HowsureError):
        replace(design, cells=(replace(cells, **change),)).check((4,))
    for other in ({"cells": ()}, {"labels": np.array([])}, {"note": None}):
        with pytest.raises(hs.HowsureError):
            replace(design, **other).check((4,))


@pytest.mark.parametrize("prior", [None, 0.5, "recorded"])
def test_cells_of_a_single_case_count(prior):
    """Every recorded case is expected somewhere, those of cells with one alone too; empty cells expect none."""
    counts = np.array([[1, 0, 1], [1, 1, 0], [0, 1, 1]])
    reviews = np.zeros((3, 3, 3))
    reviews[0, 0, 0] = reviews[1, 1, 1] = 1
    table = hs.reviewed(counts, reviews, prior=prior)
    assert table.counts.sum(0) == pytest.approx(counts.sum(0))
    assert sum(len(each.recorded) for each in table.design.cells) == 6
    if prior == "recorded":
        assert table.counts == pytest.approx(counts)


def test_matrices_of_several_groups_have_a_table_each():
    """Counts and reviews of groups give each group's table, and all together that of the sums."""
    counts = np.stack([RECORDED, RECORDED.T + 3])
    reviews = np.stack([REVIEWED, REVIEWED[::-1]])
    tables = hs.reviewed(counts, reviews, prior=0.5)
    for table, own, looked in zip(tables.values(), counts, reviews, strict=True):
        assert table.counts == pytest.approx(hs.reviewed(own, looked, prior=0.5).counts)
    whole = hs.reviewed(counts.sum(0), reviews.sum(0), prior=0.5)
    assert tables.overall.counts == pytest.approx(whole.counts)
    for wrong in (REVIEWED, reviews[:1], reviews[..., :1], reviews[:, :, :1]):
        with pytest.raises(hs.HowsureError, match="add an axis of corrected labels"):
            hs.reviewed(counts, wrong, prior=0.5)


@pytest.mark.parametrize("number, is_few", [(44, True), (45, False)])
def test_half_of_few_cases_is_no_small_review(number, is_few):
    """Of ninety cases 44 reviewed ones are few, and 45 are not."""
    reviews = np.zeros((2, 2, 2))
    reviews[0, 0, 0], reviews[1, 1, 1] = number - 10, 10
    note = hs.reviewed([[60, 0], [0, 30]], reviews).design.description.estimate_caveat
    assert (f"{number} of 90 cases were reviewed" in note) == is_few
