"""The example data, where tests find them."""

from pathlib import Path

EXAMPLES = Path(__file__).parents[2] / "examples"
CANCER = str(EXAMPLES / "breast_cancer.csv")
