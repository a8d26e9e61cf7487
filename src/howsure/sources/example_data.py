"""Example data of the package: held-out predictions of real models."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from howsure.arrays import Array
from howsure.errors import one_of
from howsure.grids import Grid
from howsure.sources.texts import read_text

PACKAGE = Path(__file__).parents[1]
HEAD = 5  # rows that a notebook shows
INSTALLED, CHECKOUT = PACKAGE / "_examples", PACKAGE.parents[1] / "examples"


def example_folder() -> Path:
    """Return the folder of the data: in the package, or next to ``src`` in a checkout."""
    return INSTALLED if INSTALLED.is_dir() else CHECKOUT


class Columns(dict[str, Array]):
    """Columns of equal length by name, displayed as a table.

    Examples
    --------
    >>> import howsure as hs
    >>> hs.load_example("wine")
    <178 rows of 4 columns: label, fold, logistic, naive_bayes>
    """

    def __repr__(self) -> str:
        return f"<{self._rows:,} rows of {len(self):,} columns: {', '.join(self)}>"

    def _repr_html_(self) -> str:
        head = zip(*(map(str, column[:HEAD].tolist()) for column in self.values()), strict=True)
        return Grid(tuple(self), tuple(head), f"{self!r}, the first {HEAD}").for_notebook()

    @property
    def _rows(self) -> int:
        return max(map(len, self.values()), default=0)


def load_example(name: str) -> dict[str, Array]:
    """Return example data by column, for ``data=`` or for the ``DataFrame`` of pandas or Polars.

    Parameters
    ----------
    name : {"breast_cancer", "wine", "digits"}
        ``"breast_cancer"``: 569 tumours, three models with predictions and scores. ``"wine"``: 178 wines of three
        cultivars, two models. ``"digits"``: 1797 digits, two models, scores of each class, and blocks of neighbours.

    Returns
    -------
    dict of str to ndarray of shape (n,)
        The columns, in the file's order.

    Raises
    ------
    HowsureError
        If no example data have this name.

    Notes
    -----
    Each case was predicted by a model fitted without it. The data sets are those shipped with scikit-learn. ``howsure
    examples`` writes them as files, with a description of the columns.

    Examples
    --------
    >>> import howsure as hs
    >>> cancer = hs.load_example("breast_cancer")
    >>> print(hs.estimate(hs.confusion("label", "logistic", data=cancer), "accuracy"))
    0.979 [0.964, 0.989]
    """
    known = sorted(file.stem for file in example_folder().glob("*.csv") if not file.stem.endswith("_matrix"))
    one_of("example", name, known)
    columns = read_text(example_folder() / f"{name}.csv")
    return Columns((column, np.array(values)) for column, values in columns.items())
