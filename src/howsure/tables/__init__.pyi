# The names of this namespace, each once: read by type checkers, and at run time to find where a name is defined.

from .batch import Tables as Tables
from .confusion import ConfusionTable as ConfusionTable
from .detections import DetectionsTable as DetectionsTable
from .events import EventsTable as EventsTable
from .judged import PairedJudgedTable as PairedJudgedTable
from .multilabel import MultilabelTable as MultilabelTable
from .paired import PairedTable as PairedTable
from .paired_scores import PairedScoresTable as PairedScoresTable
from .paired_values import PairedValuesTable as PairedValuesTable
from .preferences import BattlesTable as BattlesTable, PreferencesTable as PreferencesTable
from .ratings import RatingsTable as RatingsTable
from .score_matrix import MulticlassScoresTable as MulticlassScoresTable, MultilabelScoresTable as MultilabelScoresTable
from .scores import ScoresTable as ScoresTable
from .units import PairedUnitsTable as PairedUnitsTable
from .values import (
    ErrorsTable as ErrorsTable,
    TrialsTable as TrialsTable,
    ValuesTable as ValuesTable,
)
