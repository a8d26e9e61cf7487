"""scikit-learn's own tests of its classification metrics, with our functions in place of its own.

Differences are listed in `sklearn_suite.toml`, each test with the reason. `python tests/compat/test_sklearn_suite.py`
prints the changes that the list needs.
"""

import json
import os
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

import pytest
import sklearn

HERE = Path(__file__).parent
LIST = tomllib.loads((HERE / "sklearn_suite.toml").read_text(encoding="utf-8"))
MODULES = ("test_classification", "test_ranking", "test_common")
MOST_DIFFERENCES = 60


def outcomes(folder):
    """Run the tests in a process and folder of their own; return the outcome of each by ``module::test``."""
    result = Path(folder) / "outcomes.json"
    (Path(folder) / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    paths = [str(HERE), str(HERE.parents[1] / "src"), *filter(None, [os.environ.get("PYTHONPATH")])]
    settings = {
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "PYTHONPATH": os.pathsep.join(paths),
        "SKLEARN_SUITE_OUTCOMES": str(result),
    }
    command = [sys.executable, "-m", "pytest", "-p", "sklearn_suite", "-p", "no:cacheprovider", "-q", "--tb=no"]
    command += ["-W", "ignore", "--pyargs", *(f"sklearn.metrics.tests.{module}" for module in MODULES)]
    done = subprocess.run(command, cwd=folder, env=inherited | settings, capture_output=True, text=True, check=False)
    assert result.exists(), done.stdout + done.stderr
    return json.loads(result.read_text(encoding="utf-8"))


def changes(found):
    """Return differences from the list: unlisted tests that fail, and listed ones that pass."""
    failed = {name for name, outcome in found.items() if outcome == "failed"}
    listed = {name for each in LIST["differences"] for name in each["tests"]}
    return {"fails, not listed": sorted(failed - listed), "listed, does not fail": sorted(listed - failed)}


def test_every_difference_has_a_reason():
    """The list of differences is short, names no test twice, and gives a reason for each."""
    listed = [name for each in LIST["differences"] for name in each["tests"]]
    assert len(listed) == len(set(listed)) < MOST_DIFFERENCES
    assert all(len(each["reason"]) > 20 for each in LIST["differences"])


@pytest.mark.thorough
@pytest.mark.longest
@pytest.mark.skipif(
    not sklearn.__version__.startswith(f"{LIST['version']}."),
    reason=f"the list of differences is of scikit-learn {LIST['version']}",
)
def test_scikit_learns_own_tests(tmp_path):
    """scikit-learn's tests pass with our functions, but for the listed differences, and these do differ."""
    found = outcomes(tmp_path)
    assert sum(outcome == "passed" for outcome in found.values()) > 1_500
    assert changes(found) == {"fails, not listed": [], "listed, does not fail": []}


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        sys.stdout.write(json.dumps(changes(outcomes(folder)), indent=1) + "\n")
