"""Saved tables, read again: every kind of table and design, by its name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from howsure.designs import invariants
from howsure.designs.cases import Cases
from howsure.designs.clusters import Clusters
from howsure.designs.counted import Independent, Weighted
from howsure.designs.crossed import Crossed
from howsure.designs.expected import Batch, Population
from howsure.designs.fixed_margins import FixedMargins
from howsure.designs.known import Known
from howsure.designs.linearised import Linearised, MergedDraws, Sample
from howsure.designs.separate import Separate
from howsure.designs.stratified import StratifiedSample
from howsure.evidence.calibration.calibrators import Beta, Isotonic, Platt, VennAbers
from howsure.evidence.calibration.isotonic import Steps
from howsure.evidence.labels.dawid_skene import Votes
from howsure.evidence.labels.two_phase import TwoPhase
from howsure.evidence.review.design import Reviewed
from howsure.evidence.review.prior import Cells
from howsure.evidence.shift.shares import LowRank, ShiftRefit
from howsure.evidence.unlabelled.batch import CalibratedBatch
from howsure.tables import stored
from howsure.tables.batch import Tables
from howsure.tables.confusion import ConfusionTable
from howsure.tables.detections import DetectionsTable
from howsure.tables.events import EventsTable
from howsure.tables.judged import PairedJudgedTable
from howsure.tables.multilabel import MultilabelTable
from howsure.tables.paired import PairedTable
from howsure.tables.paired_scores import PairedScoresTable
from howsure.tables.paired_values import PairedValuesTable
from howsure.tables.preferences import BattlesTable, PreferencesTable
from howsure.tables.ratings import RatingsTable
from howsure.tables.score_matrix import MulticlassScoresTable, MultilabelScoresTable
from howsure.tables.scores import ScoresTable
from howsure.tables.separate import SeparateTables
from howsure.tables.units import PairedUnitsTable
from howsure.tables.values import ErrorsTable, TrialsTable, ValuesTable


def csr_array(data: Any, indices: Any, indptr: Any, shape: Any) -> Any:
    """Return a sparse array of its parts, which SciPy does not check."""
    from scipy import sparse

    invariants.array("data", data, (None,))
    invariants.parts("shape", shape, int, 2)
    rows, columns = shape
    invariants.positions("indices", indices, data.shape, columns)
    invariants.positions("indptr", indptr, (rows + 1,), len(data) + 1)
    if indptr[0] != 0 or indptr[-1] != len(data) or (np.diff(indptr) < 0).any():
        invariants.refuse("`indptr` must ascend from 0 to the number of entries.")
    return sparse.csr_array((data, indices, indptr), shape=shape)


TABLES = (
    *(ConfusionTable, MultilabelTable, ScoresTable, MulticlassScoresTable, MultilabelScoresTable),
    *(PairedTable, PairedScoresTable, SeparateTables, Tables),
    *(ValuesTable, TrialsTable, ErrorsTable, PairedValuesTable, PairedJudgedTable),
    *(EventsTable, DetectionsTable, PairedUnitsTable, RatingsTable),
    *(PreferencesTable, BattlesTable),
)
DESIGNS = (
    *(Independent, Weighted, FixedMargins, Clusters, Crossed, Separate, Linearised, Reviewed, TwoPhase),
    *(Batch, Population, Known, CalibratedBatch, StratifiedSample),
)
PARTS = (
    *(Sample, MergedDraws, Votes, Cases, Cells, Platt, Beta, Isotonic, VennAbers, Steps),
    *(LowRank, ShiftRefit, csr_array),
)
KINDS: dict[str, Any] = {kind.__name__: kind for kind in (*TABLES, *DESIGNS, *PARTS)}


def load(path: str | Path) -> Any:
    """Read the table, or the tables by group, written by ``table.save(path)``.

    Parameters
    ----------
    path : str or Path
        The file, in JSON or Parquet.

    Returns
    -------
    Table or Tables
        Equal in counts, labels, design and identity; draws with the same seed are also equal.

    Raises
    ------
    HowsureError
        If the file is missing, is damaged, holds no saved table, or was saved by a later version.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import howsure as hs
    >>> table = hs.confusion(["cat", "dog", "dog"], ["cat", "dog", "cat"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = table.save(Path(folder) / "monday.json")
    ...     again = hs.load(path)
    >>> again.labels.tolist(), again.counts.tolist()
    (['cat', 'dog'], [[1.0, 0.0], [1.0, 1.0]])
    """
    return stored.load(path, KINDS)
