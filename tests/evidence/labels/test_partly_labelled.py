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
    assert table.design.note == "1 of 3 strata have no label"


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
        assert design.note == (f"{sum(silent)} of {filled} strata have no label" if any(silent) else "")


def test_scores_at_the_ends_are_probabilities():
    """Scores of 0 and 1 are allowed; the number of scores beyond is reported."""
    score = np.linspace(0, 1, 60)
    truth = np.where(np.arange(60) % 2, score > 0.5, np.nan)
    assert hs.partly_labelled(truth, (score > 0.5).astype(int), score).rows == 60
    for worst in (-0.01, 1.01):
        with pytest.raises(hs.HowsureError, match=f"{worst}"):
            hs.partly_labelled(truth, (score > 0.5).astype(int), np.append(score[:-1], worst))
