"""Two-phase samples: the design compared with loops over strata and cases."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

import howsure as hs
from howsure.designs.clusters import clusters_of
from howsure.designs.independent import Independent
from howsure.imperfect_labels.partial.two_phase import PRIOR, TwoPhase

LABELLED = np.array([[9.0, 4, 2], [3, 0, 8], [0, 1, 0], [6, 6, 6], [0, 0, 0]])
OTHERS = np.array([40.0, 25, 7, 0, 12])
KIN = np.array([0, 1, 1, 0, 1])
PLACES = np.array([[0, 1, 2], [3, 4, 5], [3, 4, 5], [0, 1, 2], [3, 4, 5]])
NAMES = ("a", "b", "c", "d", "e")
FORM = np.array([0.2, 1.0, -0.6, 0.1, 0.7, 0.4])


def of(labelled, others=OTHERS, kin=KIN, places=PLACES, design=None):
    """Return a design of strata."""
    number = int(np.sum(labelled))
    return TwoPhase(labelled, others, kin, places, NAMES[: len(labelled)], design or Independent(), number)


def shares(labelled, kin):
    """Return the shares of outcomes of each stratum; of one without labels those of its kin, and without these of all."""
    found = []
    for row, mine in zip(labelled, kin, strict=True):
        lent = sum(other for other, its in zip(labelled, kin, strict=True) if its == mine)
        known = row if row.sum() else lent if lent.sum() else labelled.sum(0)
        found.append(known / known.sum())
    return np.array(found)


@pytest.mark.parametrize("kin", [KIN, np.arange(5)], ids=["with kin", "without"])
def test_expected_counts_are_of_the_strata_and_their_kin(kin):
    """A stratum's other cases have the outcomes of its labels; without any, those of its kin; without kin, of all."""
    expected = np.zeros(6)
    for index, share in enumerate(shares(LABELLED, kin)):
        expected[PLACES[index]] += (LABELLED[index].sum() + OTHERS[index]) * share
    assert of(LABELLED, kin=kin).counts(6) == pytest.approx(expected)


def test_the_parts_of_strata_are_those_of_a_loop():
    """Value, reach, trials and variance of each stratum are those of its labels; variances are partially pooled."""
    found = of(LABELLED).stratum_contributions(np.zeros(6), FORM)
    squares, freedom, places = [], [], []
    for row, share, cells in zip(LABELLED, shares(LABELLED, KIN), PLACES, strict=True):
        place = (FORM[cells] - FORM[cells].min()) / np.ptp(FORM[cells])
        places.append((place * share).sum())
        squares.append((row * (place - places[-1]) ** 2).sum())
        freedom.append(max(row.sum() - 1, 0))
    pooled = sum(squares) / sum(freedom)
    reach = (LABELLED.sum(1) + OTHERS) * [1.6, 0.6, 0.6, 1.6, 0.6]
    assert found.reach == pytest.approx(reach)
    assert found.value == pytest.approx(places)
    for index, number in enumerate(LABELLED.sum(1)):
        variance = (squares[index] + PRIOR * pooled) / (freedom[index] + PRIOR) if number else 0.25
        worth = max(places[index] * (1 - places[index]) / variance, 1)
        assert found.trials[index] == pytest.approx(number * worth)
        assert found.within[index] == pytest.approx(reach[index] ** 2 * variance / max(number, 1))


def test_what_shows_no_variation_has_that_of_a_case_more():
    """Where no stratum's labels differ, the variance is that of a share with a case more, half of either outcome."""
    labelled = np.array([[12.0, 0, 0], [0, 0, 5]])
    found = of(labelled, OTHERS[:2], KIN[:2], PLACES[:2]).stratum_contributions(
        np.zeros(6), np.array([1.0, 0, 0, 0, 0, 1.0])
    )
    assert found.value.tolist() == [1, 1]
    centre = np.array([12.5 / 13, 5.5 / 6])
    assert found.within == pytest.approx(np.array([52, 30]) ** 2 * centre * (1 - centre) / [12, 5])


def test_a_form_that_some_strata_do_not_see_pools_the_others_alone():
    """A stratum on which the form is constant adds no degrees of freedom to the pooled variance."""
    seen = of(LABELLED[[0, 3]], OTHERS[[0, 3]], KIN[[0, 3]], PLACES[[0, 3]]).stratum_contributions(np.zeros(6), FORM)
    form = np.concatenate([FORM[:3], [0.5, 0.5, 0.5]])
    every = of(LABELLED).stratum_contributions(np.zeros(6), form)
    assert every.within[[0, 3]] == pytest.approx(seen.within)
    assert every.reach[[1, 2, 4]].tolist() == [0, 0, 0]


@pytest.mark.parametrize("weighted", [False, True])
def test_the_slopes_of_observed_cells_are_the_derivative(weighted):
    """One more case in each observed cell changes the form by its sum's derivative, minus its mean per case."""
    labelled = LABELLED[[0, 1, 3]] * (np.array([[1.0], [0.3], [2.5]]) if weighted else 1.0)
    design = of(labelled, OTHERS[[0, 1, 3]], KIN[[0, 1, 3]], PLACES[[0, 1, 3]])
    observed, step = design.observed, 1e-5

    def total(cells):
        rows = cells.reshape(3, 4)
        return sum(
            row.sum() * (row[:3] / row[:3].sum() * FORM[cell]).sum()
            for row, cell in zip(rows, design.places, strict=True)
        )

    moves = step * np.eye(observed.size)
    derivative = np.array([total(observed + move) - total(observed - move) for move in moves]) / (2 * step)
    assert design._slopes(FORM) == pytest.approx(derivative - total(observed) / observed.sum(), abs=1e-7)


def test_variance_of_clusters_is_that_of_their_sums_of_slopes():
    """For judged cases in groups the standard error is near the bootstrap's over whole groups, within and between."""
    rng = np.random.default_rng(4)
    group = np.repeat(np.arange(60), 10)
    level = rng.normal(0, 1.2, 60)[group]
    truth = rng.random(600) < 1 / (1 + np.exp(-level))
    judge = np.where(rng.random(600) < 0.8, truth, ~truth)
    human = [int(each) if known else None for each, known in zip(truth, rng.random(600) < 0.5, strict=True)]
    table = hs.judged(human, judge.astype(int), groups=group)
    found = hs.estimate(table, "pass_rate")
    drawn = hs.estimate(table, "pass_rate", method=hs.methods.Bootstrap("percentile", n_resamples=2000), random_state=1)
    alone = hs.estimate(hs.judged(human, judge.astype(int)), "pass_rate")
    assert found.standard_error == pytest.approx(drawn.standard_error, rel=0.08)
    assert found.standard_error > 1.2 * alone.standard_error


def test_trials_are_those_of_labelled_cases():
    """The effective number of labels follows from their own weights, not from those of unlabelled cases."""
    rng = np.random.default_rng(5)
    truth, judge = rng.integers(0, 2, 80), rng.integers(0, 2, 80)
    known = np.arange(80) < 40
    human = [int(each) if has else None for each, has in zip(truth, known, strict=True)]
    weight = np.where(known, rng.uniform(0.5, 2.0, 80), rng.uniform(0.1, 30.0, 80))
    table = hs.judged(human, judge, sample_weight=weight)
    worth = table.design.effective_sample_size(table.counts.ravel(), np.ones(4))
    own = weight[known]
    assert worth == pytest.approx(own.sum() ** 2 / (own**2).sum())
    assert table.design.minimum_unit_size == pytest.approx(own.mean() / weight.mean())  # in weights of mean 1


def test_the_extremes_put_a_stratum_at_its_worst_or_best_outcome():
    """Each table moves all cases of one stratum to an outcome at an end of the form, ties each in a table."""
    form = np.array([0.0, 1.0, 1.0, 0.0, 0.5, 1.0])
    design = of(LABELLED[:2], OTHERS[:2], KIN[:2], PLACES[:2])
    counts = design.counts(6)
    found = {tuple(each) for each in design.extreme_tables(counts, form).reshape(-1, 6).round(9)}
    expected = set()
    for index, outcome in [(0, 0), (0, 1), (0, 2), (1, 0), (1, 2)]:
        table = counts.copy()
        table[PLACES[index]] = 0
        table[PLACES[index][outcome]] = design.totals[index]
        expected.add(tuple(table.round(9)))
    assert found == expected


def test_the_posterior_of_a_stratum_is_a_dirichlet_of_its_labels_and_one_pseudo_case():
    """Within a stratum the shares of outcomes are Dirichlet: of the labels, and one case spread over the outcomes."""
    places = np.arange(6).reshape(2, 3)
    labelled = np.array([[9.0, 4, 2], [1, 0, 8]])
    design = of(labelled, np.array([40.0, 25]), np.arange(2), places)
    tables = design.posterior(design.counts(6), np.zeros(6), 20_000, np.random.default_rng(0))
    for row, cells in zip(labelled, places, strict=True):
        found = tables[:, cells] / tables[:, cells].sum(1, keepdims=True)
        exact = stats.dirichlet(row + 1 / 3)
        assert np.abs(found.mean(0) - exact.mean()).max() < 5 * np.sqrt(exact.var().max() / 20_000)
        assert found.var(0) == pytest.approx(exact.var(), rel=0.05)


@pytest.mark.parametrize(
    "human, judge, words",
    [
        (["a", "b", None, "a"], ["a", "b", "c", "a"], "1 verdict has no human label"),
        (["a", None, None, "a"], ["a", "b", "c", "b"], "1 verdict has no human label"),
        (["a", None, None, "a"], ["a", "b", "c", "a"], "2 kinds of verdict have no human label"),
        (["a", "b", "a", "a"], ["a", "b", "a", "c"], ""),
    ],
)
def test_verdicts_without_a_label_are_counted(human, judge, words):
    """The note names how many verdicts have cases and none with a human label."""
    table = hs.judged(human, judge, labels=["a", "b", "c"], check=False)
    notes = " ".join(table.cautions)
    assert words in notes
    assert ("no human label" in notes) == bool(words)


def tables_of(observed):
    """Return the table that observed cells imply, stratum by stratum."""
    cells, table = observed.reshape(5, 4), np.zeros(6)
    for row, share, places in zip(cells, shares(cells[:, :3], KIN), PLACES, strict=True):
        table[places] += row.sum() * share
    return table


def test_the_variance_is_within_and_between_the_strata():
    """Between them it is the sum over all cases of the squared distance of their stratum's mean to that of all."""
    design = of(LABELLED)
    parts = design.stratum_contributions(None, FORM)
    means = (shares(LABELLED, KIN) * FORM[PLACES]).sum(1)
    totals = LABELLED.sum(1) + OTHERS
    assert design.totals.tolist() == totals.tolist()
    assert parts.between == pytest.approx(totals @ (means - totals @ means / totals.sum()) ** 2)
    assert design.variance(None, FORM) == pytest.approx(parts.within.sum() + parts.between)
    both = design.variance(None, np.stack([FORM, 2 * FORM]))
    assert both == pytest.approx(float(design.variance(None, FORM)) * np.array([1, 4]))


def test_merged_cells_and_strata_have_the_counts_of_their_cases():
    """Cells are merged, outcomes added over strata, and strata taken as one, as the cases are."""
    design, target, form = of(LABELLED), np.array([1, 0, 1, 2, 0, 2]), np.array([0.4, -0.2, 1.0])
    merged = design.collapse_cells(target, 3)
    assert merged.counts(3) == pytest.approx(np.bincount(target, design.counts(6), 3))
    assert merged.variance(None, form) == pytest.approx(design.variance(None, form[target]))
    own = shares(LABELLED, KIN) * design.totals[:, None]
    assert design.of_outcomes().counts(3) == pytest.approx(own.sum(0))
    alone = design.as_one_stratum()
    assert alone.counts(3) == pytest.approx(design.totals.sum() * LABELLED.sum(0) / LABELLED.sum())
    assert (alone.number, alone.names, alone.others.tolist()) == (45, ("all cases",), [84])
    alone.check((3,))
    marked = np.array([1, 0, 0, 1, 1, 0])
    assert design.effective_sample_size(None, marked) == pytest.approx((LABELLED * marked[PLACES]).sum())


def test_resampled_tables_are_those_of_resampled_cells():
    """Each draw of observed cells, and each without one case, gives the table that its strata imply."""
    design = of(LABELLED)
    observed = design.observed
    assert observed.reshape(5, 4)[:, 3].tolist() == OTHERS.tolist()
    drawn = Independent().resample(observed, 20, np.random.default_rng(7))
    found = design.resample(np.zeros(6), 20, np.random.default_rng(7))
    assert found == pytest.approx(np.array([tables_of(each) for each in drawn]))
    left = [
        (*table, n) for tables, many in design.leave_one_out(np.zeros(6)) for table, n in zip(tables, many, strict=True)
    ]
    filled = np.flatnonzero(observed)
    expected = [(*tables_of(observed - np.eye(20)[cell]), observed[cell]) for cell in filled]
    assert np.array(left) == pytest.approx(np.array(expected))


def test_weighted_labels_have_the_design_effect_of_their_form():
    """Variances within strata are times the weighted over the plain variance of the form's slopes."""
    labelled, others = LABELLED[[0, 1, 3]], OTHERS[[0, 1, 3]]
    kin, places = KIN[[0, 1, 3]], PLACES[[0, 1, 3]]
    observed = np.column_stack([labelled, others]).ravel()
    squares = observed * np.linspace(1, 3, 12)
    plain, weighted = (of(labelled, others, kin, places, design) for design in (None, hs.designs.Weighted(squares)))
    slopes = plain._slopes(FORM)
    effect = (squares @ slopes**2) / (observed @ slopes**2)
    first, second = (each.stratum_contributions(None, FORM) for each in (plain, weighted))
    assert second.within == pytest.approx(first.within * effect)
    assert second.trials == pytest.approx(first.trials / effect)
    both = np.stack([FORM, -2 * FORM])
    assert weighted.variance(None, both) == pytest.approx(float(weighted.variance(None, FORM)) * np.array([1, 4]))
    light = of(labelled / 2, others / 2, kin, places, hs.designs.Weighted(squares / 4))
    light = replace(light, number=int(labelled.sum()))  # each case counts a half
    assert light.minimum_unit_size == pytest.approx(0.5)
    assert light.stratum_contributions(None, FORM).trials == pytest.approx(second.trials)
    assert light.stratum_contributions(None, FORM).within == pytest.approx(second.within / 4)


def test_few_clusters_with_labels_have_their_correction():
    """The correction for few clusters is that of the form's slopes within the strata."""
    rng = np.random.default_rng(1)
    cells = rng.poisson(1.0, (9, 20)).astype(float)
    batch = clusters_of(np.where(cells.sum(1, keepdims=True) > 0, cells, 1.0)[None]).select_table(0)
    observed = np.bincount(batch.cell, batch.count, 20).reshape(5, 4)
    design = of(observed[:, :3], observed[:, 3], design=batch)
    slopes = np.zeros((5, 4))
    for row, labelled, places, total in zip(slopes, observed[:, :3], PLACES, observed.sum(1), strict=True):
        row[:3] = total / labelled.sum() * (FORM[places] - labelled @ FORM[places] / labelled.sum())
    expected = batch.small_sample_correction(observed.ravel(), slopes.ravel())
    assert [*map(float, design.small_sample_correction(None, FORM))] == pytest.approx([*map(float, expected)])
    assert design.degrees_of_freedom == 8
    assert design.description.sample == f"with {design.number} labels in 9 clusters"


def test_words_and_notes_say_how_many_labels_there_are():
    """The note begins the caution with a capital; strata without a label and without a case are not counted."""
    design = of(LABELLED)
    assert design.description.sample == "with 45 labels"
    assert design.description.caveats == ()
    noted = design.noted("more")
    assert noted.note == "1 verdict has no human label; more"
    assert noted.description.caveats == ("1 verdict has no human label; more.",)
    assert of(LABELLED, np.array([40.0, 25, 7, 0, 0])).noted("").note == ""
    assert of(LABELLED * [[1], [1], [0], [1], [1]]).noted("").note == "2 kinds of verdict have no human label"


@pytest.mark.parametrize(
    "change",
    [
        {"labelled": -LABELLED},
        {"labelled": LABELLED[0]},
        {"others": OTHERS[:4]},
        {"others": 1e17 * OTHERS},
        {"kin": KIN[:4]},
        {"kin": KIN * 1.0},
        {"places": PLACES[:, :2]},
        {"places": PLACES + 1},
        {"names": NAMES[:4]},
        {"names": list(NAMES)},
        {"design": None},
        {"design": hs.designs.Weighted(np.ones(19))},
        {"number": -1},
        {"note": None},
    ],
)
def test_parts_that_fit_no_table_are_refused(change):
    """Each part must be of its size, and its numbers must be of cells that there are."""
    of(LABELLED).check((6,))
    of(LABELLED).check_sums(of(LABELLED).counts(6))
    with pytest.raises(hs.HowsureError):
        replace(of(LABELLED), **change).check((6,))
    with pytest.raises(hs.HowsureError):
        of(LABELLED).check_sums(of(LABELLED).counts(6) + np.eye(6)[2])


@pytest.mark.parametrize("number", [0, 1, 2])
def test_two_labels_with_a_weight_are_needed(number):
    """A single label, or others without any weight, show no variance."""
    human = [1, 0] + [None] * 6
    weight = np.ones(8)
    weight[number:2] = 0.0
    if number == 2:
        assert hs.judged(human, [1, 0] * 4, sample_weight=weight).design.number == 2
    else:
        with pytest.raises(hs.HowsureError, match=f"`human` has {number} labels of 8 cases"):
            hs.judged(human, [1, 0] * 4, sample_weight=weight)


def test_labels_of_two_outcomes_are_trials():
    """For outcomes at the ends of the form alone each label is a trial; in between they are worth more."""
    labelled = np.array([[9.0, 0, 9], [1, 0, 29]])
    ends, between = np.array([0.0, 1, 1, 0, 1, 1]), np.array([0.0, 0.5, 1, 0, 0.5, 1])
    design = of(labelled, OTHERS[:2], np.arange(2), PLACES[:2])
    assert design.stratum_contributions(None, ends).trials.tolist() == [18, 30]
    middle = of(np.array([[1.0, 16, 1], [1, 0, 29]]), OTHERS[:2], np.arange(2), PLACES[:2])
    assert middle.stratum_contributions(None, between).trials[0] > 18


@pytest.mark.parametrize(
    "labels, has_note",
    [({"a": "a" * 20 + "c" * 10, "b": "b" * 20 + "c" * 10}, True), ({"a": "aaac" * 8, "c": "accc" * 8}, False)],
)
def test_a_judge_tells_of_the_last_class(labels, has_note):
    """Whether the judge adds information is looked at for the last class, whatever it says of the others."""
    human = [each for known in labels.values() for each in [*known, *[None] * 200]]
    judge = [said for said, known in labels.items() for _ in range(200 + len(known))]
    table = hs.judged(human, judge, labels=["a", "b", "c"])
    assert ("adds no information" in table.design.description.estimate_caveat) == has_note
