"""The reads of a reader study: a matrix of cases by readers and modalities, and the design of the study."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from howsure.arrays import Booleans, Floats, Positions
from howsure.errors import HowsureError, one_of

HILLIS = 2.0  # power of a ratio of variances in his degrees of freedom
Design = Literal["factorial", "cases_in_readers", "cases_in_modalities", "readers_in_modalities", "partial"]
DESIGNS: tuple[Design, ...] = get_args(Design)
WORDS: dict[Design, str] = {
    "factorial": "every reader read every case under every modality",
    "cases_in_readers": "each reader read cases of their own, under every modality",
    "cases_in_modalities": "each modality has cases of its own, read by every reader",
    "readers_in_modalities": "each modality has readers of its own",
    "partial": "every reader read under every modality, and some cases were not read by some reader",
}
TWICE = "Keep one read of each reader, case and modality."


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Reads:
    """Ratings of N cases in G groups; a group is the reads of one reader under one modality.

    Parameters
    ----------
    positive : ndarray of bool of shape (N,)
        Which cases are positive (diseased).
    values : ndarray of shape (N, G)
        The ratings, higher for positive cases; nan if the case was not read.
    reader, modality : ndarray of int of shape (G,)
        Position of the reader and of the modality of each group, sorted by modality, then by reader.
    readers, modalities : tuple of str
        Their names. A study without modalities has one of an empty name.
    design : str
        Which readers read which cases under which modality; see `WORDS`.
    """

    positive: Booleans
    values: Floats
    reader: Positions
    modality: Positions
    readers: tuple[str, ...]
    modalities: tuple[str, ...]
    design: Design

    @property
    def is_read(self) -> Booleans:
        """Which cases each group holds, ``(N, G)``."""
        return ~np.isnan(self.values)

    def name(self, group: int) -> str:
        """Return the name of a group, for messages."""
        modality = self.modalities[self.modality[group]]
        return f"The reader {self.readers[self.reader[group]]!r}" + (f" under {modality!r}" if modality else "")

    @property
    def absent(self) -> int:
        """Number of reads that the design implies and the data lack."""
        each = self.is_read
        if self.design == "readers_in_modalities":
            parts = [each[:, self.modality == place] for place in range(len(self.modalities))]
            return sum(int(part.any(1).sum()) * part.shape[1] - int(part.sum()) for part in parts)
        readers = 1 if self.design == "cases_in_readers" else len(self.readers)
        modalities = 1 if self.design == "cases_in_modalities" else len(self.modalities)
        return len(each) * readers * modalities - int(each.sum())


def reads_of(
    positive: Booleans,
    values: Floats,
    codes: dict[str, Positions],
    names: dict[str, tuple[str, ...]],
    design: Design | None,
) -> Reads:
    """Return the reads of long data, one row per read.

    Parameters
    ----------
    positive : ndarray of bool of shape (n,)
        Whether the case of each row is positive.
    values : ndarray of shape (n,)
        The ratings.
    codes : dict of str to ndarray of shape (n,)
        Positions of each row's ``"reader"``, ``"case"`` and ``"modality"``.
    names : dict of str to tuple of str
        Names of the readers, cases and modalities.
    design : str, optional
        The design that the data should have; by default it is inferred.

    Raises
    ------
    HowsureError
        If a case has two truths, a read occurs twice, or the data do not have the design.
    """
    reader, case, modality = (codes[role] for role in ("reader", "case", "modality"))
    truth = np.zeros(len(names["case"]), dtype=bool)
    truth[case] = positive
    if (truth[case] != positive).any():
        wrong = names["case"][case[np.argmax(truth[case] != positive)]]
        why = "cases of different patients need different identifiers"
        if wrong.replace(".", "", 1).isdigit() and "." in wrong:
            why = f"read identifiers such as {wrong!r} as text, because the numbers 1.1 and 1.10 are equal"
        raise HowsureError(f"The case {wrong!r} has two truths. Correct it: {why}.")
    present, group = np.unique(modality * len(names["reader"]) + reader, return_inverse=True)
    group = group.ravel()
    values_of = np.full((len(truth), len(present)), np.nan)
    values_of[case, group] = values
    if len(values) != np.count_nonzero(~np.isnan(values_of)):
        _refuse_twice(case, group, reader, modality, names)
    readers, modalities = present % len(names["reader"]), present // len(names["reader"])
    found = _design_of(~np.isnan(values_of), readers, modalities, names)
    if design is not None and one_of("design", design, DESIGNS) != found:
        raise HowsureError(f"The data do not have design={design!r}: {WORDS[found]}. Give design={found!r}, or none.")
    return Reads(
        positive=truth,
        values=values_of,
        reader=readers,
        modality=modalities,
        readers=names["reader"],
        modalities=names["modality"],
        design=found,
    )


def _refuse_twice(
    case: Positions,
    group: Positions,
    reader: Positions,
    modality: Positions,
    names: dict[str, tuple[str, ...]],
) -> None:
    flat = case.astype(np.int64) * (int(group.max()) + 1) + group
    _, first, number = np.unique(flat, return_index=True, return_counts=True)
    row = first[np.argmax(number > 1)]
    under = names["modality"][modality[row]]
    where = f" under {under!r}" if under else ". Name the column of the modality if there are several"
    raise HowsureError(
        f"The reader {names['reader'][reader[row]]!r} has more than one read of the case "
        f"{names['case'][case[row]]!r}{where}. {TWICE}"
    )


def _design_of(
    is_read: Booleans,
    reader: Positions,
    modality: Positions,
    names: dict[str, tuple[str, ...]],
) -> Design:
    """Return the design; refuse readers who read under some modalities only, beside others who read under all."""
    number = np.bincount(reader, minlength=len(names["reader"]))
    modalities = len(names["modality"])
    if modalities > 1 and (number == 1).all():
        return "readers_in_modalities"
    if (number < modalities).any():
        fewest = int(np.argmin(number))
        under = ", ".join(repr(names["modality"][each]) for each in modality[reader == fewest])
        raise HowsureError(
            f"The reader {names['reader'][fewest]!r} read under {under} only, and other readers under more modalities. "
            "Leave such readers out, or compare modalities with different readers throughout."
        )
    if is_read.all():
        return "factorial"
    if len(names["reader"]) > 1 and _is_nested(is_read, reader):
        return "cases_in_readers"
    if modalities > 1 and _is_nested(is_read, modality):
        return "cases_in_modalities"
    return "partial"


def _is_nested(is_read: Booleans, level: Positions) -> bool:
    """Return whether each case was read in groups of a single level."""
    levels = [is_read[:, level == each].any(1) for each in range(int(level.max()) + 1)]
    return bool((np.sum(levels, 0) == 1).all())
