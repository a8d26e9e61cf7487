"""Metrics of events by the number of units, for data without counted true negatives."""

from __future__ import annotations

import numpy as np

from howsure.arrays import Array
from howsure.metrics.forms import divide
from howsure.metrics.kinds import Form
from howsure.metrics.registry import declare

events_metric = declare(  # of (tp, fn, fp, units), each class against the rest
    Form(
        name="events",
        by_class=True,
        takes=("tp", "fn", "fp", "units"),
        maker="a table of events: `events(tp, fp, fn, unit=…)`",
    )
)


@events_metric(
    aliases=("false_positives_per_unit", "false_positives_per_image", "fp_per_image", "fppi"),
    range=(0.0, np.inf),
    better="lower",
)
def fp_per_unit(tp: Array, fn: Array, fp: Array, units: Array) -> Array:
    """Mean number of false positives of a unit, such as an image; with ``@micro`` of all classes together."""
    return divide(fp, units)
