"""Files that several tests of the shell read."""

import numpy as np
import pandas as pd
import pytest


@pytest.fixture
def cases(tmp_path):
    """Write 300 cases, a third of them reviewed."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 300)
    label, model = (np.where(rng.random(300) < wrong, 1 - truth, truth) for wrong in (0.1, 0.15))
    checked = pd.Series(truth).where(rng.random(300) < 0.3).astype("Int64")
    path = tmp_path / "cases.csv"
    pd.DataFrame({"label": label, "model": model, "checked": checked}).to_csv(path, index=False)
    return str(path)
