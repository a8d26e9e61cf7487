"""Strata of a pool of predictions of which some are labelled."""

import numpy as np
import pytest
from scipy import stats

import howsure as hs


def test_scores_are_cut_where_their_deviations_are_shared_out_evenly():
    """For uniform scores, ``sqrt(p (1 - p))`` cumulates like the Beta(3/2, 3/2) distribution: thirds are the strata."""
    score = (np.arange(3000) + 0.5) / 3000
    known = np.where(np.arange(3000) % 10 == 0, score > 0.4, np.nan)
    table = hs.partly_labelled(known, np.ones(3000, int), score)
    shares = np.diff(stats.beta(1.5, 1.5).ppf([0, 1 / 3, 2 / 3, 1]))
    assert table.design.totals == pytest.approx(3000 * shares, abs=2)


def test_a_stratum_of_one_case_without_a_label_is_told():
    """Two cases each of predicted 1 are labelled, at 0.2 and at 0.8, and the only case of predicted 0 is not."""
    truth, predicted = [0, 1, 0, 1, None, None, None], [1, 1, 1, 1, 1, 1, 0]
    table = hs.partly_labelled(truth, predicted, [0.2, 0.2, 0.8, 0.8, 0.2, 0.8, 0.1])
    assert table.design.description.estimate_caveat == "1 of 3 strata have no label"


def test_only_strata_with_cases_are_silent():
    """In a group without cases in some strata, only strata with cases but no label are counted."""
    rng = np.random.default_rng(3)
    score = np.concatenate([rng.uniform(0.0, 0.3, 200), rng.uniform(0.3, 1.0, 200)])
    group = np.repeat(["low", "high"], 200)
    truth = np.where((np.arange(400) % 4 == 0) & (group == "low"), rng.integers(0, 2, 400), np.nan)
    truth[200:206] = rng.integers(0, 2, 6)
    tables = hs.partly_labelled(truth, (score > 0.5).astype(int), score, by=group)
    for key in ("low", "high"):
        design = tables[key].design
        silent = [
            bool(cases) and not labels.sum() for cases, labels in zip(design.totals, design.labelled, strict=True)
        ]
        filled = int((design.totals > 0).sum())
        assert design.description.estimate_caveat == (
            f"{sum(silent)} of {filled} strata have no label" if any(silent) else ""
        )


def test_scores_at_the_ends_are_probabilities():
    """Scores of 0 and 1 are allowed; the number of scores beyond is reported."""
    score = np.linspace(0, 1, 60)
    truth = np.where(np.arange(60) % 2, score > 0.5, np.nan)
    assert hs.partly_labelled(truth, (score > 0.5).astype(int), score).rows == 60
    for worst in (-0.01, 1.01):
        with pytest.raises(hs.HowsureError, match=f"{worst}"):
            hs.partly_labelled(truth, (score > 0.5).astype(int), np.append(score[:-1], worst))


def beside(**columns):
    """Return a table of 400 predictions with scores, a quarter of which are labelled."""
    rng = np.random.default_rng(8)
    score = rng.random(400).round(3)
    truth = np.where(np.arange(400) % 4 == 0, rng.random(400) < score, np.nan)
    return hs.partly_labelled(truth, (score > 0.5).astype(int), score, **columns), truth, score


@pytest.mark.parametrize("weighted", [False, True])
def test_a_table_is_that_of_the_strata(weighted):
    """Each stratum's weighted cases have the labelled ones' classes; its name is the prediction and its scores."""
    weight = np.random.default_rng(9).choice([0.5, 2.0], 400) if weighted else np.ones(400)
    table, truth, score = beside(sample_weight=weight if weighted else None)
    design, expected = table.design, np.zeros((2, 2))
    own = weight / weight.mean()
    for index, name in enumerate(design.names):
        said, ends = name.split(", ")
        low, high = (float(end) for end in ends.split(" to "))
        inside = (score >= low) & (score <= high) & ((score > 0.5) == (said == "1"))
        assert design.totals[index] == pytest.approx(own[inside].sum())
        assert (score[inside].min(), score[inside].max()) == (low, high)
        known = inside & ~np.isnan(truth)
        share = (own * truth)[known].sum() / own[known].sum()
        expected[:, int(said)] += design.totals[index] * np.array([1 - share, share])
    assert table.counts == pytest.approx(expected)
    assert table.counts.sum() == pytest.approx(400)


def test_clusters_widen_and_groups_are_parts():
    """Cases repeated in clusters tell what one of them does; a part has the cases and labels of its own."""
    table, truth, score = beside()
    again = [np.repeat(each, 3) for each in (truth, (score > 0.5).astype(int), score)]
    clustered = hs.partly_labelled(*again, groups=np.repeat(np.arange(400), 3))
    apart = hs.partly_labelled(*again)
    errors = [hs.estimate(each, "accuracy", method="delta").standard_error for each in (table, clustered, apart)]
    assert errors[1] == pytest.approx(errors[0], rel=0.05)
    assert errors[2] < 0.7 * errors[1]
    half = np.arange(400) % 2  # labels are in even rows alone
    with pytest.raises(hs.HowsureError, match="`y_true` has 0 labels of 200 cases"):
        hs.partly_labelled(truth, (score > 0.5).astype(int), score, by=half)
    few = np.where(np.arange(400) < 2, [1.0, *[0.0] * 399], np.nan)
    assert hs.partly_labelled(few, (score > 0.5).astype(int), score).design.number == 2
    with pytest.raises(hs.HowsureError, match="`y_true` has 1 labels of 400 cases"):
        hs.partly_labelled(np.where(np.arange(400) < 1, 1.0, np.nan), (score > 0.5).astype(int), score)


@pytest.mark.parametrize(
    "truth, score, words",
    [
        ([1, 0, 1, 0], [0.2, 0.4, 0.6, 0.8], "Every case has a label"),
        ([], [], "empty"),
        ([1, 0, None, None], [0.2, 1.5, -0.5, 0.8], r"has 2 values outside \[0, 1\] \(first 1.5, at row 1\)"),
        ([1, 0, None], [0.2, 0.4, 0.6, 0.8], "length"),
    ],
)
def test_what_leaves_nothing_to_infer_is_refused(truth, score, words):
    """Without an unlabelled case, without a case, or with scores that are none."""
    with pytest.raises(hs.HowsureError, match=words):
        hs.partly_labelled(truth, [0, 1, 1, 0][: len(score)], score)
