"""The report of probabilities states their calibration, and draws a smooth curve where there is one."""

import numpy as np
from scipy import special

import howsure as hs

RNG = np.random.default_rng(0)
SCORE = special.expit(RNG.normal(0, 1.4, 300))
TRUTH = (RNG.random(300) < SCORE).astype(int)


def scores_section(report):
    """Return the section on scores."""
    return next(each for each in report.sections if each.title == "Scores and thresholds")


def test_probabilities_have_three_numbers_and_two_charts():
    """O:E, slope and intercept are those of `estimate`, at every level; a smooth curve follows the bins."""
    table = hs.scores(TRUTH, SCORE)
    found = scores_section(hs.report_of(table))
    (texts,) = found.items
    for metric in ("observed_expected", "calibration_slope", "calibration_intercept"):
        assert str(hs.estimate(table, metric)) in " ".join(texts)
    assert len(set(texts)) == len(texts)
    titles = [chart.title for chart in found.charts]
    assert titles.index("Calibration, smooth") == titles.index("Calibration") + 1


def test_what_is_undefined_is_explained():
    """Certain scores that are wrong have a reason in place of the slope, and no smooth curve; margins have neither."""
    found = scores_section(hs.report_of(hs.scores(np.r_[TRUTH, 1, 0], np.r_[SCORE, 0.0, 1.0])))
    assert "slope undefined: a case of score exactly 0 or 1" in found.items[0][0]
    assert "Calibration, smooth" not in [chart.title for chart in found.charts]
    margins = scores_section(hs.report_of(hs.scores(TRUTH, 4 * SCORE - 2)))
    assert not margins.items
