"""The NannyML side of `scores.py`, in a separate interpreter, because it needs other versions of common packages.

``PYTHON benchmarks/cbpe.py FILE`` reads labels and scores from a file. For each line of input it fits CBPE to the first
cases and their labels, estimates metrics of all cases without labels, and writes the processor time of each step.
Scores that are calibrated stay as they are. If labels are given, CBPE also computes realised metrics, a job that
howsure does not do.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import time
import warnings

warnings.simplefilter("ignore")
logging.disable(logging.CRITICAL)
os.environ["NML_DISABLE_USAGE_LOGGING"] = "1"

import nannyml  # noqa: E402
import numpy as np  # noqa: E402
import pandas as pd  # noqa: E402


def main(path: str) -> None:
    """Do the job for each line."""
    given = np.load(path)
    score = given["score"]
    cases = pd.DataFrame(
        {"score": score, "label": given["label"], "predicted": (score >= given["threshold"]).astype(int)}
    )
    reference, names = (
        cases[: int(given["labelled"])],
        {"y_pred_proba": "score", "y_pred": "predicted", "y_true": "label"},
    )
    unlabelled = cases.drop(columns="label")
    for _ in sys.stdin:
        start = time.process_time()
        peer = nannyml.CBPE(
            metrics=given["metrics"].tolist(), problem_type="classification_binary", chunk_number=1, **names
        )
        peer.fit(reference)
        if given["is_calibrated"]:
            peer.needs_calibration = False  # its own test decides by chance
        fitted = time.process_time()
        peer.estimate(unlabelled)
        found = {
            "fit": fitted - start,
            "estimate": time.process_time() - fitted,
        }
        print(json.dumps(found | {"version": nannyml.__version__}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
