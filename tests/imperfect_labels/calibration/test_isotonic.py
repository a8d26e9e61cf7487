"""Isotonic regression and Venn–Abers prediction."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats
from sklearn.isotonic import IsotonicRegression

import howsure as hs
from howsure.imperfect_labels.calibration.isotonic import (
    MOST_SCORES,
    Steps,
    grouped_scores,
    shares_if_negative,
    shares_if_positive,
)

COUNTS = st.integers(1, 12).flatmap(lambda size: arrays(float, (size, 2), elements=st.integers(0, 4).map(float)))


def naive(counts, row, column):
    """Return the share at a row by literally refitting with one more case there."""
    more = counts.copy()
    more[row, column] += 1
    mass = more.sum(1)
    filled = mass > 0
    model = IsotonicRegression().fit(np.flatnonzero(filled), more[filled, 1] / mass[filled], sample_weight=mass[filled])
    return float(model.predict([row])[0])


@pytest.mark.thorough
@settings(max_examples=40)
@given(COUNTS)
def test_venn_abers_shares_are_those_of_refitting_with_one_more_case(counts):
    """Both linear-time passes equal isotonic regression with the new case added, score by score."""
    for row in range(len(counts)):
        assert shares_if_positive(counts)[row] == pytest.approx(naive(counts, row, 1), abs=1e-12)
        assert shares_if_negative(counts)[row] == pytest.approx(naive(counts, row, 0), abs=1e-12)


@pytest.mark.thorough
def test_steps_rise_along_straight_lines_on_average():
    """Draws are rising step functions whose mean between two labelled scores is the straight line."""
    table = hs.scores([0, 0, 1, 0, 1, 1], [0.0, 1.0, 2.0, 3.0, 4.0, 6.0])
    steps = Steps.of(table, 20_000, np.random.default_rng(0))
    places = np.linspace(-1, 7, 33)
    curves = steps.at(places, slice(None))
    assert (np.diff(curves, axis=1) >= 0).all()
    error = curves.std(0) / np.sqrt(len(curves))
    np.testing.assert_array_less(np.abs(curves.mean(0) - steps.mean(places)), 4.5 * error + 1e-12)


@pytest.mark.thorough
def test_separated_labels_leave_the_ends_uncertain():
    """Where n cases at one end are all of one class, the share there is a beta variable of three quarters of n and half a case."""
    table = hs.scores([0] * 9 + [1] * 4, np.arange(13.0))
    steps = Steps.of(table, 20_000, np.random.default_rng(1))
    top = 1 - steps.at(np.array([12.0]), slice(None))[:, 0]
    assert top.mean() == pytest.approx(0.5 / 3.5, abs=0.006)
    assert steps.at(np.array([0.0]), slice(None)).mean() == pytest.approx(0.5 / 7.25, abs=0.004)


def test_groups_of_neighbouring_scores_do_not_depend_on_the_direction():
    """Scores in the opposite order are cut into the same groups, of about equal numbers of cases."""
    number = np.random.default_rng(3).integers(1, 9, 2001).astype(float)
    cuts, mirrored = grouped_scores(number), grouped_scores(number[::-1])
    assert sorted(len(number) - cuts[1:]) == sorted(mirrored[1:])
    sizes = np.add.reduceat(number, cuts)
    assert sizes.max() <= number.sum() / 512 + 2 * 8
    assert grouped_scores(np.ones(1024)).tolist() == list(range(0, 1024, 2))


def test_groups_of_neighbouring_scores_stand_at_their_mean():
    """With 1,024 scores, two at a time form a group at the mean of its cases, weighted by frequency."""
    scores, often = np.arange(1024.0), np.tile([1, 3], 512)
    table = hs.scores(np.repeat(np.arange(1024) % 4 // 2, often), np.repeat(scores, often))
    found = Steps.of(table, 5, np.random.default_rng(0)).scores
    assert found == pytest.approx(scores[::2] + 3 / 4)


def test_a_curve_jumps_between_two_scores_and_is_flat_beyond_the_ends():
    """Between scores 1 and 2 a jump at a quarter is at 1.25, between 2 and 4 one at a half is at 3."""
    steps = Steps(np.array([1.0, 2.0, 4.0]), np.array([[0.1, 0.4, 0.9]]), np.array([[0.25, 0.5]]))
    places = np.array([0.0, 1.0, 1.2, 1.3, 2.0, 2.9, 3.1, 4.0, 5.0])
    assert steps.at(places, slice(None)).tolist() == [[0.1, 0.1, 0.1, 0.4, 0.4, 0.4, 0.9, 0.9, 0.9]]


@pytest.mark.parametrize("weighted", [False, True])
def test_shares_with_one_more_case_are_those_of_a_refit(weighted):
    """At each score, with one more case there of either class, scikit-learn's fit of all gives that share."""
    rng = np.random.default_rng(4)
    counts = rng.poisson(1.2, (14, 2)) * (rng.uniform(0.3, 2.5, (14, 2)) if weighted else 1.0)
    counts[counts.sum(1) == 0, 0] = 1.0
    places = np.arange(14.0)
    scores, labels = np.repeat(places, 2), np.tile([0, 1], 14)
    for label, found in ((1, shares_if_positive(counts)), (0, shares_if_negative(counts))):
        expected = [
            IsotonicRegression()
            .fit([*scores, place], [*labels, label], sample_weight=[*counts.ravel(), 1.0])
            .predict([place])[0]
            for place in places
        ]
        assert found == pytest.approx(np.array(expected), abs=1e-12)


def test_steps_jump_at_their_places():
    """Between two scores the share is the left one's up to the place of the jump, and outside that of the end."""
    steps = Steps(
        np.array([0.0, 1.0, 3.0]), np.array([[0.1, 0.4, 0.9], [0.2, 0.2, 0.3]]), np.array([[0.5, 0.25], [0, 1]])
    )
    steps.check()
    at = np.array([-1.0, 0.0, 0.5, 0.51, 1.0, 1.5, 1.6, 3.0, 9.0])
    first = [0.1, 0.1, 0.1, 0.4, 0.4, 0.4, 0.9, 0.9, 0.9]
    second = [0.2, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2, 0.3]
    second[7] = steps.at(at, slice(None))[1, 7]  # a place of 1 is the next score itself
    assert steps.at(at, slice(None)).tolist() == [first, second]
    assert steps.at(at, np.array([1, 0])).tolist() == [second, first]
    assert steps.mean(at) == pytest.approx(np.interp(at, [0, 1, 3], [0.15, 0.3, 0.6]))
    assert len(steps) == 2


@pytest.mark.parametrize(
    "scores, shares, places",
    [
        ([1.0, 0.0], [[0.1, 0.4]], [[0.5]]),
        ([0.0, 1.0], [[0.1, 0.4, 0.5]], [[0.5]]),
        ([0.0, 1.0], [[0.1, 1.4]], [[0.5]]),
        ([0.0, 1.0], [[0.1, 0.4]], [[0.5, 0.5]]),
        ([0.0, 1.0], [[0.1, 0.4]], [[0.5], [0.5]]),
        ([0.0, 1.0], [[0.1, 0.4]], [[-0.5]]),
        ([0.0, 1.0], np.empty((0, 2)), np.empty((0, 1))),
    ],
)
def test_steps_that_fit_no_scores_are_refused(scores, shares, places):
    """Scores ascend, each has a share, and each gap between two a place; there is a draw."""
    Steps(np.array([0.0]), np.array([[0.1]]), np.array([[0.5]])).check()
    with pytest.raises(hs.HowsureError):
        Steps(np.array(scores), np.array(shares), np.array(places)).check()


def test_one_score_has_the_posterior_of_its_share():
    """Cases of one score count three quarters, with half a pseudo-case of each class: a Beta distribution."""
    table = hs.scores([0] * 6 + [1] * 4, [0.3] * 10)
    steps = Steps.of(table, 4000, np.random.default_rng(0))
    assert stats.kstest(steps.shares[:, 0], stats.beta(3.5, 5.0).cdf).pvalue > 1e-3
    assert steps.places.shape == (4000, 1)


def test_many_scores_are_taken_in_groups_of_as_many_cases():
    """Of 1,500 scores neighbours are one, at their mean, with all of their cases; the ends have the pseudo-cases."""
    rng = np.random.default_rng(1)
    score = np.sort(rng.random(1500))
    steps = Steps.of(hs.scores(rng.random(1500) < score, score), 300, rng)
    group = np.floor((np.arange(1500) + 0.5) / 1500 * MOST_SCORES)
    assert steps.scores == pytest.approx(np.array([score[group == each].mean() for each in np.unique(group)]))
    assert steps.places.shape == (300, len(steps.scores) - 1)
    assert np.abs(steps.shares.mean(0) - steps.scores).mean() < 0.05
    assert grouped_scores(np.ones(MOST_SCORES)).tolist() == list(range(MOST_SCORES))
