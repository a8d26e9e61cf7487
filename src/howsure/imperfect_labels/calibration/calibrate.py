"""`calibrate`: fit a calibrator to scores and a few labels."""

from __future__ import annotations

from typing import Any

import numpy as np

from howsure.arrays import Seed
from howsure.errors import HowsureError, one_of, whole_number
from howsure.imperfect_labels.calibration.calibrator import Calibrator
from howsure.imperfect_labels.calibration.calibrators import Beta, Isotonic, Platt, VennAbers
from howsure.methods.core.draws import MOST_DRAWS, seed_sequence
from howsure.sources.scores import scores

METHODS: dict[str, type[Isotonic | Platt | Beta | VennAbers]] = {
    each.method: each for each in (Isotonic, Platt, Beta, VennAbers)
}


def calibrate(
    y_score: object,
    y_true: object,
    *,
    method: str = "beta",
    data: object = None,
    pos_label: object = None,
    sample_weight: object = None,
    counts: object = None,
    groups: object = None,
    n_draws: int = 1000,
    random_state: Seed = None,
    check: bool = True,
) -> Calibrator:
    """Fit a calibrator of scores to labelled cases, with draws that express its uncertainty.

    Parameters
    ----------
    y_score : array-like of shape (n,) or str
        Score of each labelled case, higher for the positive class; with ``data``, the name of the column.
    y_true : array-like of shape (n,) or str
        True class of each case, one of two; with ``data``, the name of the column.
    method : {"beta", "platt", "isotonic", "venn_abers"}
        ``"beta"`` (three coefficients, for scores in [0, 1]), ``"platt"`` (two coefficients, for any scores),
        ``"isotonic"`` or ``"venn_abers"`` (any increasing curve; for several hundred labels or more).
    data : frame, mapping, path or None
        A frame (pandas, Polars, Arrow …), a lazy frame or relation, a mapping of columns, or the path of a file.
    pos_label : object, optional
        The positive class; by default 1 if the classes are 0 and 1 or −1 and 1, otherwise the last in order.
    sample_weight : array-like of shape (n,) or str, optional
        Non-negative weight of each case.
    counts : array-like of shape (n,) or str, optional
        Number of identical cases in each row, as in a table of frequencies; 1 by default.
    groups : array-like of shape (n,) or str, optional
        Cluster of each case: cases of one cluster may be correlated.
    n_draws : int
        Number of draws of the calibrator, at least 2.
    random_state : int, Generator or None
        Seed of the draws.
    check : bool
        Whether to raise an error for implausible input; False skips these checks.

    Returns
    -------
    Calibrator
        ``predict(y_score)`` returns probabilities, and ``draws(y_score)`` the probabilities under every draw. Pass the
        calibrator to `calibrated` to make a table of unlabelled scores.

    Raises
    ------
    HowsureError
        If the method is unknown, the columns are invalid (see `scores`), a class does not occur, or a score for
        ``"beta"`` is outside [0, 1].

    References
    ----------
    Kull, Silva Filho, Flach (2017), AISTATS; Platt (1999), Advances in Large Margin Classifiers; Zadrozny, Elkan
    (2002), KDD; Vovk, Petej (2014), UAI.

    Examples
    --------
    >>> import numpy as np, howsure as hs
    >>> rng = np.random.default_rng(0)
    >>> score = rng.random(400)
    >>> label = rng.random(400) < score**2  # the probability is the score's square
    >>> calibrator = hs.calibrate(score, label, random_state=0)
    >>> calibrator.predict([0.2, 0.8]).round(1).tolist()
    [0.0, 0.6]
    """
    one_of("method of calibration", method, METHODS)
    size = whole_number("n_draws", n_draws, 2, MOST_DRAWS)  # one draw shows no variation
    beside: dict[str, Any] = {"sample_weight": sample_weight, "counts": counts, "groups": groups, "check": check}
    table = scores(y_true, y_score, data=data, pos_label=pos_label, **beside)
    for name, total in zip(table.labels.tolist(), table.counts.sum(0), strict=True):
        if not total > 0:
            raise HowsureError(f"No labelled case is of the class {name!r}: a calibrator needs cases of both classes.")
    return METHODS[method].fitted(table, size, np.random.default_rng(seed_sequence(random_state)))
