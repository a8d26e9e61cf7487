"""Which cells to review next."""

import itertools

import numpy as np
import pytest

import howsure as hs

COUNTS = np.array([[420, 30], [60, 490]])
REVIEWS = np.array([[[9, 1], [6, 4]], [[5, 5], [1, 9]]])


def variance_left(table, gradient, reviews):
    """Return the expected variance after further reviews, by drawing their results."""
    rng = np.random.default_rng(0)
    left = []
    for _ in range(400):
        known = []
        for each in table.design.cells:
            drawn = each.imputed(1, rng).reshape(each.reviews.shape) - each.reviews
            further = [
                rng.multivariate_hypergeometric(cell.astype(int), int(number))
                for cell, number in zip(drawn, reviews.ravel()[each.index], strict=True)
            ]
            known.append((each.index, each.reviews + np.array(further)))
        full = np.zeros((COUNTS.size, 2))
        for index, found in known:
            full[index] = found
        after = hs.reviewed(COUNTS, full.reshape(2, 2, 2), prior=0.5)
        left.append(sum(each.imputation_variance(gradient) for each in after.design.cells))
    return np.mean(left)


def test_expected_width_is_what_further_reviews_would_leave():
    """The closed form of the variance after a review is the mean over possible results."""
    table = hs.reviewed(COUNTS, REVIEWS, prior=0.5)
    plan = hs.labels.review_plan(table, "accuracy", budget=120)
    # Accuracy is linear for fixed totals, so its gradient is the same after the review.
    gradient = (np.eye(2) - np.trace(table.counts) / 1000) / 1000
    sampling = (table.counts * gradient**2).sum()
    expected = sampling + variance_left(table, np.eye(2).ravel() / 1000, plan.reviews)
    assert (plan.planned_width / (2 * 1.959964)) ** 2 == pytest.approx(expected, rel=0.03)
    assert plan.width == pytest.approx(2 * 1.959964 * hs.estimate(table, "accuracy", method="delta").standard_error)


def test_no_other_whole_split_is_better():
    """The plan's expected width is the least of all ways to spend a small budget."""
    from howsure.imperfect_labels.review.review_plan import _Variances

    table = hs.reviewed(COUNTS, REVIEWS)
    for metric in ("f1", "precision", "f1@macro"):
        bound = hs.labels.review_plan(table, metric, budget=7)
        from howsure.metrics.binding import resolve
        from howsure.tables.counts import ConfusionCounts

        cells = _Variances.of(table.design, resolve(metric, table).gradient(ConfusionCounts(table.counts)))
        splits = [each for each in itertools.product(range(8), repeat=4) if sum(each) == 7]
        most = max(cells.saved(np.array(each)).sum() for each in splits)
        assert cells.saved(bound.reviews.ravel()[cells.index]).sum() == pytest.approx(most, rel=1e-12)


def test_narrowing_is_the_width_of_one_review():
    """The narrowing of a cell is about the reduction of the width by a plan of one review."""
    table = hs.reviewed(COUNTS, REVIEWS)
    plan = hs.labels.review_plan(table, "f1", budget=1)
    chosen = np.argmax(plan.reviews)
    assert plan.reviews.sum() == 1
    assert plan.narrowing.ravel()[chosen] == plan.narrowing.max()
    assert plan.width - plan.planned_width == pytest.approx(plan.narrowing.max(), rel=0.15)


def test_reviews_go_where_the_metric_looks():
    """Precision of the last class needs no review of cases predicted otherwise, and cells are not exceeded."""
    plan = hs.labels.review_plan(hs.reviewed(COUNTS, REVIEWS), "precision", budget=10_000)
    assert (plan.reviews[:, 0] == 0).all()
    assert plan.reviews[:, 1].tolist() == [20, 480]
    assert plan.planned_width < plan.width


def test_a_first_look_is_even():
    """Before any review the plan has equal numbers in each relevant cell."""
    plan = hs.labels.review_plan(hs.from_counts(COUNTS), "precision", budget=30)
    assert plan.reviews.tolist() == [[0, 15], [0, 15]]


@pytest.mark.parametrize("budget", range(1, 12))
def test_an_even_look_spends_the_whole_budget(budget):
    """A cell with less room than its part leaves the rest to the others, down to the last review."""
    plan = hs.labels.review_plan(hs.from_counts([[50, 1], [50, 50]]), "mcc", budget=budget)
    assert plan.reviews.sum() == budget
    others = np.delete(plan.reviews.ravel(), 1)
    assert plan.reviews[0, 1] <= 1
    assert np.ptp(others) <= 1


def test_labels_stay_with_their_cells():
    """Columns, labels and numbers of the records match, in any order."""
    pytest.importorskip("polars")
    table = hs.reviewed(COUNTS, REVIEWS, labels=["no", "yes"])
    records = hs.labels.review_plan(table, "recall", budget=50).to_polars().to_dicts()
    assert [each["reviews"] for each in records] == sorted((each["reviews"] for each in records), reverse=True)
    found = {(each["recorded"], each["predicted"]): each for each in records}
    assert found["no", "yes"]["cases"] == 30
    assert found["yes", "no"]["unreviewed"] == 50
    assert sum(each["reviews"] for each in records) == 50
    turned = hs.labels.review_plan(table.one_against_rest(1), "recall", budget=50)
    assert turned.to_pandas().reviews.tolist() == [each["reviews"] for each in records]
    assert "width of the 95 % interval" in str(turned)


@pytest.mark.thorough
def test_a_planned_review_narrows_more_than_an_even_one():
    """After a pilot review, the plan gives narrower intervals than equal numbers in each cell, in simulation."""
    rng = np.random.default_rng(5)
    ratios = []
    for metric, wrong in (("recall", 0.2), ("precision", 0.05), ("f1", 0.1)):
        right = np.array([[1 - wrong, wrong], [wrong, 1 - wrong]])
        joint = np.array([[0.51, 0.09], [0.06, 0.34]])
        cells = np.einsum("ki,kj->ijk", right, joint)
        widths = np.zeros(2)
        for _ in range(25):
            cases = rng.multinomial(1000, cells.ravel()).reshape(2, 2, 2)
            pilot = np.array([rng.multivariate_hypergeometric(cell, 15) for cell in cases.reshape(4, 2)])
            pilot, left = pilot.reshape(2, 2, 2), cases - pilot.reshape(2, 2, 2)
            plan = hs.labels.review_plan(hs.reviewed(cases.sum(-1), pilot), metric, budget=160)
            splits = (plan.reviews, np.minimum(40, left.sum(-1)))
            for row, split in enumerate(splits):
                further = [
                    rng.multivariate_hypergeometric(cell, number)
                    for cell, number in zip(left.reshape(4, 2), split.ravel(), strict=True)
                ]
                table = hs.reviewed(cases.sum(-1), pilot + np.reshape(further, (2, 2, 2)))
                each = hs.estimate(table, metric)
                widths[row] += each.high - each.low
        ratios.append(widths[0] / widths[1])
    assert max(ratios) < 1, ratios
    assert min(ratios) < 0.92


@pytest.mark.parametrize(
    "settings, words",
    [
        ({"budget": 0}, "`budget` must be a whole number of at least 1, not 0"),
        ({"budget": 2.5}, "not 2.5"),
        ({"budget": True}, "not True"),
        ({"budget": 10, "confidence_level": 95}, "Did you mean 0.95"),
    ],
)
def test_bad_settings_are_refused(settings, words):
    """Budgets and levels that cannot be are refused."""
    with pytest.raises(hs.HowsureError, match=words):
        hs.labels.review_plan(hs.reviewed(COUNTS, REVIEWS), "f1", **settings)


def test_tables_without_a_review_design_are_refused():
    """Scores and clustered cases have no review plan, and an undefined metric none either."""
    with pytest.raises(hs.HowsureError, match="needs a confusion table"):
        hs.labels.review_plan(hs.scores([0, 1, 1], [0.2, 0.6, 0.4]), "roc_auc", budget=3)
    clustered = hs.confusion([0, 1, 1], [0, 1, 0], groups=[1, 1, 2])
    with pytest.raises(hs.HowsureError, match="independent cases"):
        hs.labels.review_plan(clustered, "f1", budget=3)


def test_cells_without_cases_have_no_reviews_and_narrow_nothing():
    """For a table with empty cells the plan has zeros there, and uses the budget elsewhere."""
    counts = np.array([[40, 0, 3], [2, 30, 0], [1, 4, 20]])
    plan = hs.labels.review_plan(hs.reviewed(counts, np.zeros((3, 3, 3)), prior=0.5), "accuracy", budget=25)
    empty = counts == 0
    for numbers in (plan.reviews, plan.narrowing, plan.recorded, plan.unreviewed):
        assert (np.asarray(numbers)[empty] == 0).all()
    assert plan.reviews.sum() == 25
    assert (plan.reviews <= counts).all()
    assert plan.recorded.tolist() == counts.tolist()


def test_a_budget_for_all_reads_all():
    """With a budget for all cases each is reviewed, also in cells of one case; with less the interval is wider."""
    counts = np.array([[1, 1], [1, 60]])
    table = hs.reviewed(counts, np.zeros((2, 2, 2)), prior=0.5)
    plans = [hs.labels.review_plan(table, "accuracy", budget=number) for number in (5, 20, 62, 63)]
    assert plans[-1].reviews.tolist() == counts.tolist()
    widths = [each.planned_width for each in plans]
    assert widths == sorted(widths, reverse=True)
    assert len(set(widths)) == 4


@pytest.mark.parametrize("reviews", [REVIEWS, np.zeros((2, 2, 2))])
@pytest.mark.parametrize("budget", [1, 7, 33])
def test_widths_are_those_of_the_variances_that_are_left(reviews, budget):
    """Each cell's variance shrinks by a known share; even numbers are dealt out in rounds to cells with cases."""
    table = hs.reviewed(COUNTS, reviews, prior=0.5)
    plan = hs.labels.review_plan(table, "accuracy", budget=budget, confidence_level=0.9)
    gradient = (np.eye(2) - np.trace(table.counts) / 1000).ravel() / 1000
    evidence = reviews.sum(-1).ravel() + 2 * 0.5  # half a pseudo-review of each label
    room = (COUNTS - reviews.sum(-1)).ravel()
    variance = np.concatenate([each.cell_variances(gradient) for each in table.design.cells])
    now = float(table.variance(gradient.reshape(2, 2)))

    def width(more):
        left = variance * (room - more) / room * evidence / (evidence + more)
        return 2 * 1.6448536 * np.sqrt(now - (variance - left).sum())

    even = np.array([budget // 4 + (place < budget % 4) for place in range(4)])
    found = (plan.width, plan.planned_width, plan.even_width)
    assert found == pytest.approx((width(0.0), width(plan.reviews.ravel()), width(even)), rel=1e-6)
    step = 1e-4
    slopes = [(width(0.0) - width(step * np.eye(4)[place])) / step for place in range(4)]
    assert plan.narrowing.ravel() == pytest.approx(np.array(slopes), rel=1e-3)
    assert plan.planned_width <= plan.even_width + 1e-12
    assert plan.reviews.sum() == budget
    if not reviews.any():
        assert plan.reviews.ravel().tolist() == even.tolist()
    assert plan.unreviewed.ravel().tolist() == room.tolist()


def test_the_text_of_a_plan_has_its_widths_and_rows():
    """The caption has the three widths, and the cells with most reviews come first."""
    plan = hs.labels.review_plan(hs.reviewed(COUNTS, REVIEWS), "f1", budget=40)
    grid = plan.grid()
    assert grid.caption == (
        f"f1: width of the 95 % interval {plan.width:.4f} now, {plan.planned_width:.4f} expected with this plan, "
        f"{plan.even_width:.4f} with equal numbers per cell."
    )
    first = plan.records()[0]
    assert first["reviews"] == plan.reviews.max()
    assert grid.rows[0][0] == f"{first['recorded']}, {first['predicted']}"
    assert grid.rows[0][4] == str(first["reviews"])


def test_reviews_of_two_parts_are_planned_by_part():
    """Tables of two reviews, added up, have two cells of each place, and are refused."""
    part = hs.reviewed(COUNTS, REVIEWS)
    both = hs.pool_tables([part, hs.reviewed(COUNTS, REVIEWS[::-1])])
    with pytest.raises(hs.HowsureError, match="several reviews, added up"):
        hs.labels.review_plan(both, "f1", budget=3)


def test_a_look_at_some_cells_is_a_look():
    """After reviews of cells that agree alone, the plan is the best one by what they and the prior tell, not even."""
    some = REVIEWS.copy()
    some[[0, 1], [1, 0]] = 0
    plan = hs.labels.review_plan(hs.reviewed(COUNTS, some), "accuracy", budget=40)
    even = hs.labels.review_plan(hs.from_counts(COUNTS), "accuracy", budget=40)
    assert even.reviews.tolist() == [[10, 10], [10, 10]]
    assert plan.reviews.sum() == 40
    assert np.ptp(plan.reviews) > 1
    assert plan.planned_width < plan.even_width
