"""Leaderboards from every kind of table, and their agreement with comparisons of two models."""

import numpy as np
import pytest
from scipy.special import ndtr, stdtrit

import howsure as hs
from howsure.comparison.contenders import contenders
from howsure.errors import HowsureError

ITEMS = 80


def abilities(seed=0, models="ABCD"):
    """Return which items each model has right, the models being ever worse."""
    rng = np.random.default_rng(seed)
    hard = rng.normal(0, 1.5, ITEMS)
    return {name: (rng.random(ITEMS) < 1 / (1 + np.exp(hard - 1.6 + 0.8 * at))) * 1 for at, name in enumerate(models)}


def predictions(seed=0):
    """Return a truth of three classes and the predictions of four models."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, ITEMS)
    right = abilities(seed)
    return truth, {name: np.where(own, truth, (truth + 1) % 3) for name, own in right.items()}


@pytest.mark.parametrize("metric", ["accuracy", "f1@macro", "mcc", "recall@binary+positive_class=2"])
@pytest.mark.parametrize("extra", ["", "groups", "sample_weight"])
def test_standard_errors_are_those_of_comparisons(metric, extra):
    """The joint covariance gives each difference the standard error that comparing the two models has."""
    truth, answers = predictions()
    beside = {"groups": np.arange(ITEMS) // 3, "sample_weight": np.random.default_rng(1).lognormal(0, 0.5, ITEMS)}
    table = hs.paired(truth, answers, **({extra: beside[extra]} if extra else {}))
    found = contenders(table, metric).estimated(np.arange(4), 1.0)
    for i, one in enumerate("ABCD"):
        for j, other in enumerate("ABCD"[:i]):
            compared = hs.compare(table, metric, a=one, b=other, method="delta")
            assert found.differences[i, j] == pytest.approx(compared.value, abs=1e-12)
            assert found.spread[i, j] == pytest.approx(compared.standard_error, rel=1e-9)


@pytest.mark.parametrize("metric", ["mean", "std"])
def test_values_and_scores_are_ranked_alike(metric):
    """Paired values have the standard errors of their comparisons, which divide by the number of cases minus 1."""
    rng = np.random.default_rng(0)
    table = hs.values({name: rng.gamma(2 + at, size=40) for at, name in enumerate("ABC")})
    found = contenders(table, metric).estimated(np.arange(3), 1.0)
    compared = hs.compare(table, metric, a="B", b="A", method="delta")
    assert found.spread[1, 0] == pytest.approx(compared.standard_error, rel=1e-9)


def test_clusters_of_one_name_join_separate_tables():
    """Separate tables whose clusters are the items have the board of the paired table in clusters of one item."""
    right, items = abilities(), [f"item {index}" for index in range(ITEMS)]
    paired = hs.leaderboard(hs.values(right, bounds=(0, 1), groups=items), "mean", random_state=0)
    order = np.random.default_rng(0).permutation(ITEMS)
    apart = {name: hs.values(own[order], bounds=(0, 1), groups=np.array(items)[order]) for name, own in right.items()}
    joined = hs.leaderboard(apart, "mean", random_state=0)
    np.testing.assert_allclose(joined.differences.low, paired.differences.low, atol=1e-9)
    assert [each.rank_low for each in joined.places] == [each.rank_low for each in paired.places]


def test_separate_tables_are_independent():
    """Without common clusters the variance of a difference is the sum of both variances."""
    right = abilities()
    found = contenders({name: hs.values(own, bounds=(0, 1)) for name, own in right.items()}, "mean")
    assert (found.covariance[~np.eye(4, dtype=bool)] == 0).all()
    share = right["A"].mean()
    assert found.covariance[0, 0] == pytest.approx(share * (1 - share) / (ITEMS - 1))


def log_of(right, dropped=frozenset(), runs=1):
    """Return a log of such answers, without some pairs of a model and an item."""
    rows = [
        ("task", name, f"item {item}", run + 1, "accuracy", own[item])
        for name, own in right.items()
        for item in range(ITEMS)
        for run in range(runs)
        if (name, item) not in dropped
    ]
    columns = zip(*rows, strict=True)
    return hs.results.Log(
        dict(zip(("task", "model", "item", "run", "metric", "score"), map(list, columns), strict=True))
    )


def test_log_is_its_paired_table():
    """A log of one task in which all models have all items gives the board of its table."""
    log = log_of(abilities())
    assert str(hs.leaderboard(log, "mean", random_state=0)) == str(hs.leaderboard(log.table(), "mean", random_state=0))


def test_log_with_missing_items_keeps_what_models_have():
    """Each model's value is of its own items, and differences vary with the items that both have."""
    right = abilities()
    dropped = {("A", 3), ("B", 7), ("B", 8)}
    board = hs.leaderboard(log_of(right, dropped), "mean", random_state=0)
    kept = np.delete(right["B"], [7, 8])
    assert board["B"].value == pytest.approx(kept.mean())
    both = np.delete(np.arange(ITEMS), [3, 7, 8])
    found = contenders(log_of(right, dropped), "mean")
    own = {"A": np.delete(right["A"], 3).mean(), "B": kept.mean()}
    products = sum((right["A"][i] - own["A"]) * (right["B"][i] - own["B"]) for i in both)
    size = {"A": ITEMS - 1, "B": ITEMS - 2}
    factor = np.sqrt(size["A"] / (size["A"] - 1) * size["B"] / (size["B"] - 1))
    assert found.covariance[0, 1] == pytest.approx(factor * products / size["A"] / size["B"], rel=1e-9)


def test_log_with_missing_items_and_several_runs_counts_trials():
    """Passes of several runs stay trials, also where a model lacks an item."""
    board = hs.leaderboard(log_of(abilities(), {("C", 1)}, runs=3), "pass_all+k=3", random_state=0)
    assert board["A"].value == pytest.approx(abilities()["A"].mean())


def test_lower_values_win_where_the_metric_says_so():
    """For a loss the smallest value ranks first; `better=` sets the direction for a metric without one."""
    rng = np.random.default_rng(0)
    values = {"slow": rng.gamma(9, size=50), "fast": rng.gamma(2, size=50)}
    board = hs.leaderboard(hs.values(values), "mean", better="lower", random_state=0)
    assert list(board) == ["fast", "slow"]
    assert (board["fast"].rank_low, board["fast"].rank_high) == (1, 1)
    assert board.differences["fast", "slow"].high < 0
    assert board.winner.value == pytest.approx(values["fast"].mean(), abs=0.01)


def test_a_model_without_a_value_may_have_any_rank():
    """A model whose metric is undefined comes last, with a reason, and leaves every rank possible."""
    truth = [1] * 20 + [0] * 20
    answers = {"never": [0] * 40, "good": [1] * 19 + [0] * 21, "bad": [1, 0] * 20}
    board = hs.leaderboard(hs.paired(truth, answers), "precision", random_state=0)
    never = board["never"]
    assert list(board)[-1] == "never"
    assert never.rank is None
    assert (never.rank_low, never.rank_high) == (1, 3)
    assert "undefined" in never.estimate.reason
    assert (board["good"].rank_low, board["good"].rank_high) == (1, 2)


def test_equal_models_share_their_ranks():
    """Two models with the same answers have one rank, all ranks of both, and half the probability each."""
    right = abilities(models="AD")
    board = hs.leaderboard(hs.values({**right, "A again": right["A"]}, bounds=(0, 1)), "mean", random_state=0)
    assert board["A"].rank == board["A again"].rank == 1
    assert board["A"].probability_best == board["A again"].probability_best == pytest.approx(0.5, abs=0.01)
    assert board["A"].not_told_apart[0] == "A again"
    assert np.isnan(board.differences["A", "A again"].low)


def test_one_case_tells_nothing_apart():
    """On a single case nobody is better than anybody."""
    board = hs.leaderboard(hs.paired([1], {"A": [1], "B": [0]}, labels=[0, 1]), "accuracy", random_state=0)
    assert [(each.rank_low, each.rank_high) for each in board.places] == [(1, 2), (1, 2)]
    assert np.isnan(board.winner.value)
    assert "no variation" in board.sentence()


def test_a_single_cluster_tells_nothing_apart():
    """One cluster shows no variance: every rank is possible, and there are no probabilities to be the best."""
    table = hs.values({"A": [1.0, 0.9, 1.0], "B": [0.0, 0.1, 0.2]}, groups=["x"] * 3)
    board = hs.leaderboard(table, "mean", random_state=0)
    assert [(each.rank, each.rank_low, each.rank_high) for each in board.places] == [(1, 1, 2), (2, 1, 2)]
    assert np.isnan(board["A"].probability_best)
    assert board.winner.reason


@pytest.mark.parametrize("metric", ["accuracy", "f1@macro", "mcc"])
def test_what_is_said_fits_together(metric):
    """Ranks are in their sets, a model's own set is in the simultaneous one, and the first may be the best."""
    for seed in range(5):
        truth, answers = predictions(seed)
        board = hs.leaderboard(hs.paired(truth, answers), metric, random_state=seed)
        for each in board.places:
            assert each.rank_low <= each.alone_low <= each.rank <= each.alone_high <= each.rank_high
            assert each.may_be_best <= (each.rank_low == 1)
        assert board.tied[0] == board.places[0].model
        assert board.winner.low <= board.winner.value <= board.winner.high
        assert sum(each.probability_best for each in board.places) == pytest.approx(1)


def test_groups_have_boards_of_their_own():
    """A table by group gives a board of all and one of each group, from streams of their own."""
    truth, answers = predictions()
    grouped = hs.leaderboard(hs.paired(truth, answers, by=np.arange(ITEMS) % 2), "accuracy", random_state=0)
    alone = hs.leaderboard(hs.paired(truth, answers), "accuracy", random_state=0)
    assert str(grouped.overall) == str(alone)
    assert set(grouped) == {0, 1}
    assert grouped[0]["A"].value == np.mean((truth == answers["A"])[::2])


def test_judged_cases_are_ranked():
    """Evidence without single cases, such as a judge's verdicts, has its covariance from pairs of differences."""
    rng = np.random.default_rng(0)
    passed = rng.random((2, 60)) < [[0.8], [0.5]]
    human = {
        name: [int(x) if i < 20 else None for i, x in enumerate(own)] for name, own in zip("AB", passed, strict=True)
    }
    table = hs.judged(human, {"A": passed[0] * 1, "B": passed[1] * 1})
    found = contenders(table, "pass_rate").estimated(np.arange(2), 1.0)
    assert found.spread[0, 1] == pytest.approx(hs.compare(table, "pass_rate", method="delta").standard_error)


def test_same_seed_same_board():
    """A seed gives the same board again."""
    table = hs.values(abilities(), bounds=(0, 1))
    assert str(hs.leaderboard(table, "mean", random_state=3)) == str(hs.leaderboard(table, "mean", random_state=3))


@pytest.mark.parametrize(
    "given, words",
    [
        (hs.confusion([1, 0], [1, 0]), "paired table"),
        ({"A": hs.confusion([1, 0], [1, 0])}, "at least two"),
        ({"A": hs.confusion([1, 0], [1, 0]), "B": [1, 0]}, "by name"),
        ({"A": hs.confusion([1, 0], [1, 0]), "B": hs.values([1.0, 0.0])}, "two tables of one kind"),
    ],
)
def test_refusals_say_what_to_give(given, words):
    """Arguments that are not a set of models give a one-line error with the remedy."""
    with pytest.raises(HowsureError, match=words):
        hs.leaderboard(given, "accuracy")


def test_better_is_one_of_two():
    """`better` is higher or lower."""
    with pytest.raises(HowsureError, match="better"):
        hs.leaderboard(hs.values(abilities()), "mean", better="neither")


def test_few_cases_that_all_show_the_same_are_no_proof():
    """Without observed variance, p-values match the interval, and the probability to be best is from Student's t.

    For two cases, Student's t statistic with one degree of freedom is the root of 2: the probability of a smaller one is
    1/2 + arctan(√2)/π = 0.804, and the p-value is 0.392. For one case the probability is 1/2 + arctan(1)/π = 3/4.
    """
    two = hs.leaderboard(hs.values({"A": [1, 1], "B": [0, 0]}, bounds=(0, 1)), "mean", random_state=0)
    assert two.differences.p_value[0, 1] == pytest.approx(2 - 2 * (0.5 + np.arctan(2**0.5) / np.pi), abs=1e-9)
    assert two.differences.low[0, 1] == -1
    five = hs.leaderboard(hs.values({"A": [1] * 5, "B": [0] * 5}, bounds=(0, 1)), "mean", random_state=0)
    assert five["A"].not_told_apart == ("B",)  # 2.24 by Student's t with 4 degrees of freedom: p = 0.089
    assert five.differences.low[0, 1] < 0
    assert two["A"].probability_best == pytest.approx(0.5 + np.arctan(2**0.5) / np.pi, abs=0.015)
    one = hs.leaderboard(hs.values({"A": [1], "B": [0]}, bounds=(0, 1)), "mean", random_state=0)
    assert one["A"].probability_best == pytest.approx(0.75, abs=0.015)


def test_models_that_cannot_be_told_apart_say_so_of_each_other():
    """A model without a value cannot be distinguished from any other model, as in the ranks."""
    truth = [1, 0] * 30
    answers = {"A": truth[:50] + [0, 1] * 5, "silent": [0] * 60, "C": [1] * 60}
    board = hs.leaderboard(hs.paired(truth, answers), "precision", random_state=0)
    assert board["silent"].rank is None
    assert board["silent"].not_told_apart == ("A", "C")
    for name, each in board.items():
        assert all(name in board[other].not_told_apart for other in each.not_told_apart)
        assert each.rank_high - each.rank_low <= len(each.not_told_apart)


def test_equal_values_tie_whatever_rounding_leaves():
    """Models that beat each other in a ring are equally strong, so that all have the first rank."""
    ring = [(f"m{i}", f"m{(i + by) % 6}", won) for i in range(6) for by in (1, 2) for won in ("a", "b", "a", "tie")]
    board = hs.leaderboard(hs.preferences(*map(list, zip(*ring, strict=True))), "davidson", random_state=0)
    assert [each.rank for each in board.places] == [1] * 6


def test_a_perfect_winner_has_no_correction_of_no_width():
    """Where rounding alone makes the winner's variance more than 0 its correction is undefined, with the reason."""
    truth = [1, 0] * 45
    answers = {"perfect": truth, "good": truth[:80] + [0, 1] * 5, "fair": truth[:60] + [0, 1] * 15}
    board = hs.leaderboard(hs.paired(truth, answers, check=False), "mcc", random_state=0)
    assert np.isnan(board.winner.low)
    assert "no variation" in board.winner.reason


def test_differences_keep_the_range_of_all_models():
    """Where one of separate tables has bounds and the other none, the difference has none: its limits enclose it."""
    drawn = np.random.default_rng(0).normal(3, 1, 30)
    tables = {"A": hs.values([0, 1] * 15, bounds=(0, 1)), "B": hs.values(drawn)}
    found = hs.leaderboard(tables, "mean", random_state=0).differences["A", "B"]
    assert found.low < 0.5 - drawn.mean() < found.high


def test_the_sentence_says_what_the_columns_do():
    """The set of possible best models follows from the two-sided test of `compare`, as the ranks do.

    If 13 tasks are solved by A only and 5 by B only, the score is 8 / √18 = 1.89 standard errors: less than
    1.96, so that either model may be the best.
    """
    right = {"A": [1] * 73 + [0] * 27, "B": [1] * 60 + [0] * 13 + [1] * 5 + [0] * 22}
    board = hs.leaderboard(hs.values(right, bounds=(0, 1)), "mean", random_state=0)
    assert board.tied == ["A", "B"]
    assert board["A"].not_told_apart == ("B",)
    assert board.sentence().startswith("A comes first, and B may be the best too.")


def test_groups_say_whose_sentence_it_is():
    """For several groups, the sentence of each starts with the name of the group."""
    truth, answers = predictions()
    table = hs.paired(truth, answers, by=np.arange(ITEMS) % 2)
    caption = hs.leaderboard(table, "accuracy", random_state=0).grid().caption
    assert caption.startswith("all: A comes first")
    assert "; 1: " in caption


@pytest.mark.parametrize("seed", range(24))
def test_what_a_board_says_agrees_with_itself(seed):
    """Ranks are in their sets, sets are nested, and intervals, p-values, ties and sets agree for each pair."""
    rng = np.random.default_rng(seed)
    items, size = int(rng.choice([1, 2, 3, 5, 10, 30])), int(rng.integers(2, 7))
    right = {f"m{i}": (rng.random(items) < rng.choice([0, 0.2, 0.5, 0.9, 1])) * 1 for i in range(size)}
    beside = {"groups": rng.integers(0, items // 2 + 1, items)} if seed % 3 == 0 else {}
    if seed % 2:
        table, metric = hs.values(right, bounds=(0, 1), **beside), "mean"
    else:
        truth = rng.integers(0, 2, items)
        table, metric = hs.paired(truth, right, check=False, labels=[0, 1], **beside), "mcc" if seed % 4 else "accuracy"
    board = hs.leaderboard(table, metric, random_state=seed)
    found, names = board.differences, board.differences.names
    for each in board.places:
        assert all(each.model in board[other].not_told_apart for other in each.not_told_apart)
        assert 1 <= each.rank_low <= each.alone_low <= each.alone_high <= each.rank_high <= size
        assert each.rank is None or each.alone_low <= each.rank <= each.alone_high
        assert each.may_be_best or each.rank != 1
        assert not each.may_be_best or each.alone_low == 1
    apart = (found.low > 0) | (found.high < 0)
    for i, j in zip(*np.nonzero(np.isfinite(found.low)), strict=True):
        assert found.low[i, j] <= found.value[i, j] <= found.high[i, j]
        assert apart[i, j] == (found.p_value[i, j] < 0.05) or abs(found.p_value[i, j] - 0.05) < 0.003
        assert not apart[i, j] or names[j] not in board[names[i]].not_told_apart
    assert not np.isfinite(board.winner.value) or board.winner.low <= board.winner.value <= board.winner.high


def test_the_order_of_models_and_rows_does_not_matter():
    """With one seed the leaderboard does not depend on the order of columns and rows."""
    right = abilities(models="ABCDEFGH")
    board = hs.leaderboard(hs.values(right, bounds=(0, 1)), "mean", random_state=0)
    rows = np.random.default_rng(0).permutation(ITEMS)
    turned = {name: right[name][rows] for name in "HBDACGFE"}
    assert hs.leaderboard(hs.values(turned, bounds=(0, 1)), "mean", random_state=0).records() == board.records()


def test_names_that_read_alike_are_refused():
    """Models are named by text, so 1 and "1" are not two models."""
    tables = {name: hs.values([0, 1, 1], bounds=(0, 1)) for name in (1, "1", "B")}
    with pytest.raises(HowsureError, match="Two models have one name"):
        hs.leaderboard(tables, "mean")


def answers_to_prompts(rng, prompts=6, questions=80, models=5):
    """Return which answers of equally good models are right, prompts × questions; each reacts to prompts in its own way."""
    ease = 0.5 + rng.normal(0, 0.8, questions)
    names = [f"model {place}" for place in range(models)]
    shape = prompts, questions
    return {name: (rng.normal(size=shape) < ease + rng.normal(0, 0.4, (prompts, 1))) * 1.0 for name in names}


def in_two_factors(right):
    """Return the table of such answers."""
    prompts, questions = next(iter(right.values())).shape
    both = {"prompt": np.repeat(np.arange(prompts), questions), "question": np.tile(np.arange(questions), prompts)}
    return hs.values({name: each.ravel() for name, each in right.items()}, bounds=(0, 1), groups=both)


def test_differences_with_two_factors_have_degrees_of_freedom_of_both():
    """Variance and degrees of freedom of a difference follow from the mean squares of prompts and questions."""
    right = answers_to_prompts(np.random.default_rng(1), models=2)
    apart = right["model 0"] - right["model 1"]
    prompts, questions = apart.shape
    f, g = prompts - 1, questions - 1
    rows, columns = apart.mean(1), apart.mean(0)
    rest = ((apart - rows[:, None] - columns + apart.mean()) ** 2).sum() / (f * g) / apart.size
    of_prompts = max(rows.var(ddof=1) / prompts - f / (f + g) * rest, 0)
    of_questions = max(columns.var(ddof=1) / questions - g / (f + g) * rest, 0)
    variance = max(of_prompts + of_questions, rest / 2)
    freedom = 1 / ((of_prompts / variance) ** 1.25 / f + (of_questions / variance) ** 1.25 / g)
    found = hs.leaderboard(in_two_factors(right), "mean", random_state=0).differences
    half = stdtrit(freedom, ndtr(found.critical)) * np.sqrt(variance)
    low, high = apart.mean() - half, apart.mean() + half
    assert [found["model 0", "model 1"].low, found["model 0", "model 1"].high] == pytest.approx([low, high], rel=1e-9)


@pytest.mark.thorough
def test_ranks_with_two_factors_cover():
    """Of five equally good models all ranks stay possible in most studies of six prompts; with normal errors in 78 %."""
    rng = np.random.default_rng(20261128)
    tables = (in_two_factors(answers_to_prompts(rng)) for _ in range(200))
    boards = [hs.leaderboard(table, "mean", random_state=rng) for table in tables]
    covered = np.mean([all((each.rank_low, each.rank_high) == (1, 5) for each in board.places) for board in boards])
    assert covered > 0.93 - 3 * np.sqrt(0.93 * 0.07 / 200)
