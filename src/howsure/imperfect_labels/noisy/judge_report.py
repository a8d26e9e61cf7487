"""Report of the pass rate by a judge and a few human labels, together and separately."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from howsure.errors import HowsureError, looked_up
from howsure.estimates.estimate import Estimate, estimate_grid, positive_notes
from howsure.estimates.estimation import evaluate
from howsure.grids import Grid, Tabular
from howsure.imperfect_labels.partial.two_phase import TwoPhase
from howsure.numbers import percent
from howsure.tables.confusion import ConfusionTable
from howsure.tables.table import Table

OF_TWO, OF_MANY = "pass_rate", "pass_rate@none"
JUDGE_OF_TWO = {"recall": "judge_tpr", "specificity": "judge_tnr", "kappa": "judge_kappa", "accuracy": "judge_accuracy"}
JUDGE_OF_MANY = {"kappa": "judge_kappa", "accuracy": "judge_accuracy"}


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class JudgeReport(Tabular, Mapping[str, Estimate]):
    """Pass rates by judge and human labels, together and separately, and the judge's accuracy: a mapping.

    Parameters
    ----------
    estimates : dict of str to Estimate
        ``pass_rate`` (corrected); ``pass_rate_human`` (from the human labels alone; valid if the labelled cases are
        drawn at random from all cases); ``pass_rate_judge`` (from the uncorrected verdicts); ``judge_tpr``,
        ``judge_tnr``, ``judge_kappa`` and ``judge_accuracy``. For more than two classes, one pass rate per class and
        neither ``judge_tpr`` nor ``judge_tnr``.
    cases, labelled : int
        Number of judged cases, and of those with a human label.
    note : str
        Caveat; empty if there is none.
    confidence_level : float
        Confidence level of the intervals.

    Examples
    --------
    >>> import howsure as hs
    >>> judge = ["pass"] * 80 + ["fail"] * 20
    >>> human = ["pass"] * 19 + ["fail"] + [None] * 60 + ["fail"] * 4 + ["pass"] + [None] * 15
    >>> report = hs.labels.judge_report(hs.judged(human, judge))
    >>> print(report.sentence())
    People would pass 80.0 % of the cases (95 % interval 65.4 % to 91.0 %; 100 cases judged, 25 labelled by people).
    """

    estimates: Mapping[str, Estimate]
    cases: int
    labelled: int
    note: str
    confidence_level: float

    def __getitem__(self, name: str) -> Estimate:
        return looked_up("estimate", name, self.estimates)

    def __iter__(self) -> Iterator[str]:
        return iter(self.estimates)

    def __len__(self) -> int:
        return len(self.estimates)

    def records(self) -> list[dict[str, Any]]:
        """Return one flat dict for each estimate."""
        return [each.to_dict() for each in self.values()]

    def grid(self) -> Grid:
        """Return the estimates as a table of strings."""
        found = estimate_grid(self.values(), self.confidence_level)
        said = f"{self.cases:,} cases judged, {self.labelled:,} labelled by people"
        notes = [said, *positive_notes(self.values()), self.note]
        return Grid(found.headers, found.rows, "; ".join(filter(None, notes)))

    def sentence(self) -> str:
        """Return the corrected pass rate in a sentence that can be published.

        Raises
        ------
        HowsureError
            If there are more than two classes.
        """
        if OF_TWO not in self.estimates:
            raise HowsureError("A sentence is of two classes. Take the shares of each class from `estimates`.")
        rate = self.estimates[OF_TWO]
        value, low, high = (f"{100 * each:.1f} %" for each in (rate.value, rate.low, rate.high))
        level = percent(self.confidence_level)
        many = f"{self.cases:,} cases judged, {self.labelled:,} labelled by people"
        return f"People would pass {value} of the cases ({level} interval {low} to {high}; {many})."


def judge_report(table: ConfusionTable, *, confidence_level: float = 0.95) -> JudgeReport:
    """Return the pass rates by judge and people, together and separately, and the judge's error rates and agreement.

    Parameters
    ----------
    table : ConfusionTable
        Table made by `judged` without ``y_pred``.
    confidence_level : float
        Confidence level of the intervals, between 0 and 1.

    Returns
    -------
    JudgeReport
        The estimates. The note states if the human labels alone are as precise as both sources together.

    Raises
    ------
    HowsureError
        If the table was not made from human labels and verdicts.

    Examples
    --------
    >>> import howsure as hs
    >>> judge = ["pass"] * 80 + ["fail"] * 20
    >>> human = ["pass"] * 19 + ["fail"] + [None] * 60 + ["fail"] * 4 + ["pass"] + [None] * 15
    >>> print(judge_report(hs.judged(human, judge)))
    metric           value   95 % interval  std. error      method
    ──────────────────────────────────────────────────────────────
    pass_rate        0.800  [0.654, 0.910]      0.0612  stratified
    pass_rate_human  0.800  [0.616, 0.919]      0.0816  stratified
    pass_rate_judge  0.800  [0.713, 0.870]      0.0400       mid_p
    judge_tpr        0.950  [0.831, 1.000]      0.0413  stratified
    judge_tnr        0.800  [0.444, 1.000]      0.1750  stratified
    judge_kappa      0.750  [0.290, 0.946]      0.1636  stratified
    judge_accuracy   0.920  [0.765, 0.983]      0.0537  stratified
    100 cases judged, 25 labelled by people; positive class: pass
    """
    design, size = _of_verdicts(table), len(table.labels)
    diagonal = np.arange(size) * (size + 1)
    alone = design.as_one_stratum().collapse_cells(diagonal, size * size)
    human = replace(table, counts=alone.counts(size * size).reshape(size, size), design=alone)
    cells = np.repeat(diagonal, design.labelled.shape[1] + 1)
    said = replace(table, counts=np.diag(design.totals), design=design.design.collapse_cells(cells, size * size))
    asked, of_judge = (OF_TWO, JUDGE_OF_TWO) if size == 2 else (OF_MANY, JUDGE_OF_MANY)

    def found(of: Table, metrics: str | Sequence[str]) -> list[Estimate]:
        return [*evaluate(of, metrics, confidence_level=confidence_level).values()]

    together, by_people, by_judge = (found(each, asked) for each in (table, human, said))
    named = [
        *together,
        *(each.replace(metric=each.metric.replace(OF_TWO, "pass_rate_human")) for each in by_people),
        *(each.replace(metric=each.metric.replace(OF_TWO, "pass_rate_judge")) for each in by_judge),
        *(each.replace(metric=of_judge[each.metric]) for each in found(table, [*of_judge])),
    ]
    return JudgeReport(
        estimates={each.metric: each for each in named},
        cases=int(table.rows),
        labelled=design.number,
        note=design.note,
        confidence_level=together[0].confidence_level,
    )


def _of_verdicts(table: object) -> TwoPhase:
    """Return the design of a table of human labels and verdicts; refuse any other table."""
    design = getattr(table, "design", None)
    if not isinstance(design, TwoPhase) or len(design.others) != len(getattr(table, "labels", ())):
        raise HowsureError(
            "`judge_report` takes the table of human labels and verdicts: `judged(human, judge)`, no `y_pred`."
        )
    return design
