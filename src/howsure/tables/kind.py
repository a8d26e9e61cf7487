"""Facts about a kind of table that select metrics and methods, and its nouns in messages."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Kind:
    """Facts about a kind of table, and its nouns in messages.

    Parameters
    ----------
    noun : str
        Name of such a table.
    classes_noun, rows_noun, counts_noun : str
        Names of its labels, of what its rows are, and of what its cells count.
    why_undefined : str
        Reason for undefined values; empty if it depends on the metric.
    adds_up : bool
        Whether tables of the same labels can be added cell by cell.
    has_one_cell_per_case, has_one_label_per_case : bool
        Whether a case is counted in one cell, and whether it has one label.
    has_thresholds : bool
        Whether each case has one score, for which each threshold gives predictions.
    has_rows : bool
        Whether it has predictions of one model, with one row for each true class.
    has_negatives : bool
        Whether it counts cases that rightly are not predicted as a class.
    has_values : bool
        Whether each cell has a number.
    has_sample_variance : bool
        Whether squares are divided by the number of cases minus 1, as in a sample variance.

    Examples
    --------
    >>> import howsure as hs
    >>> hs.values([0.5, 1.0]).kind.noun
    'table of values'
    """

    noun: str = "table"
    classes_noun: str = "classes"
    rows_noun: str = "cases"
    counts_noun: str = "cases"
    why_undefined: str = ""
    adds_up: bool = False
    has_one_cell_per_case: bool = True
    has_one_label_per_case: bool = True
    has_thresholds: bool = False
    has_rows: bool = False
    has_negatives: bool = True
    has_values: bool = False
    has_sample_variance: bool = False


ORDINARY = Kind()
