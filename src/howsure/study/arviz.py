"""Draws for ArviZ, as an xarray DataTree."""

from __future__ import annotations

from typing import Any

import numpy as np

from howsure.estimates.draws_mixin import xarray_for
from howsure.study.collection import Collection


def tree_of(held: Collection) -> Any:
    """Return the draws of a study's metrics; see `Study.to_arviz`."""
    xarray = xarray_for("to_arviz")
    names, metrics = list(held.experiments), held.wanted(None)
    draws = {
        source: xarray.Dataset(
            {
                metric: (
                    ("chain", "draw", "experiment"),
                    np.stack([held.draws(metric, name, source) for name in names], axis=-1)[None],
                )
                for metric in metrics
            },
            coords={"chain": [0], "draw": np.arange(held.n_draws), "experiment": names},
            attrs={"seed": held.seed, "source": source},
        )
        for source in ("posterior", "prior")
    }
    observed = xarray.Dataset(
        {metric: ("experiment", [held.observed(metric, name) for name in names]) for metric in metrics},
        coords={"experiment": names},
    )
    return xarray.DataTree.from_dict({**draws, "observed_data": observed})
