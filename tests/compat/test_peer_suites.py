"""The test suites of the packages whose names we take, with our modules standing in for theirs."""

import os
import re
import runpy
from pathlib import Path

import pytest

SUITES = runpy.run_path(str(Path(__file__).with_name("peer_suites.py")))
FOLDER = os.environ.get("HOWSURE_PEER_SUITES")
PASSED = {"confidenceinterval": 25, "prob_conf_mat": 220}


@pytest.mark.slow
@pytest.mark.skipif(FOLDER is None, reason="HOWSURE_PEER_SUITES names no folder with the packages' sources and tests")
@pytest.mark.parametrize("peer", SUITES["PEERS"])
def test_their_suite_passes(peer):
    """Every test that is not pinned as an exception, with its reason, passes."""
    finished = SUITES["run"](FOLDER, peer)
    assert finished.returncode == 0, finished.stdout[-4000:]
    assert int(re.search(r"(\d+) passed", finished.stdout)[1]) >= PASSED[peer]
