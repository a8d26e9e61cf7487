"""Types of arrays and of seeds in annotations, defined once."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]  # with elements of any type, such as labels, or counts that are whole or not
Booleans = NDArray[np.bool_]
Bytes = NDArray[np.uint8]
Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Positions = NDArray[np.intp]  # of elements in another array, such as those of the classes of cases
Words = NDArray[np.uint64]  # of a generator of random numbers

if TYPE_CHECKING:
    Seed = int | Sequence[int] | np.random.Generator | np.random.RandomState | np.random.SeedSequence | None
else:
    Seed = Any  # naming the generators would load `numpy.random`
