"""What is asked of an installed wheel, from any folder: ``python installed.py "compiled C"``.

It ends with an error unless this is what computes, and NumPy then computes the same intervals; or if the description
of the package links to files that it does not hold.
"""

import os
import re
import sys
from importlib.metadata import metadata

import numpy as np

import howsure as hs
from howsure.native.library import SWITCH, running


def intervals():
    """Return intervals of which kernels draw: from the posterior of a table, and from resampled cases of scores."""
    data = hs.load_example("breast_cancer")
    table = hs.confusion("label", "logistic", data=data)
    draws = hs.estimate(table, "mcc", method=hs.methods.Dirichlet(), random_state=1)
    area = hs.estimate(hs.scores("label", "score_logistic", data=data), "roc_auc", method="bootstrap", random_state=1)
    return [(value, *interval) for value, interval in (draws, area)]


if __name__ == "__main__":
    found, wanted = running(), sys.argv[1]
    if found != wanted:
        sys.exit(f"{hs.__file__}: it computes by {found}, not by {wanted}")
    links = re.findall(
        r"\]\((?!https?:)[^)]*\)|<img", metadata("howsure").get_payload() or metadata("howsure")["Description"]
    )
    if links:
        sys.exit(f"The description of the package has links that lead nowhere: {links}")
    made = intervals()
    os.environ[SWITCH] = "0"
    np.testing.assert_allclose(made, intervals(), rtol=1e-9)
    print(f"{found}: {made}")  # noqa: T201
