"""The workflow of the page on pipelines, run as a runner of GitHub's runs it."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import howsure as hs

yaml = pytest.importorskip("yaml")
PAGE = Path(__file__).parents[2] / "docs" / "guide" / "pipelines.md"
PREDICT = """
import sys
import howsure as hs
data = hs.load_example("breast_cancer")
columns = {"label": data["label"], "model": data["logistic"], "released": data["naive_bayes"]}
with open(sys.argv[1], "w") as file:
    print(*columns, sep=",", file=file)
    for row in zip(*columns.values()):
        print(*row, sep=",", file=file)
"""


def workflow():
    """Return the steps of the workflow."""
    (written,) = re.findall(r"```yaml\n(.*?)```", PAGE.read_text(), re.DOTALL)
    return yaml.safe_load(written)["jobs"]["evaluate"]["steps"]


def runner(folder):
    """Return a function that runs a step's lines in a folder, as the runner's shell does, with our command on its path."""
    tools, summary = folder / "bin", folder / "summary.md"
    tools.mkdir()
    for name, line in {"howsure": "-m howsure", "python": "", "pip": "-c ''"}.items():
        (tools / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" {line} "$@"\n')
        (tools / name).chmod(0o755)
    (folder / "predict.py").write_text(PREDICT)
    given = os.environ | {
        "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}",
        "GITHUB_ACTIONS": "true",
        "GITHUB_STEP_SUMMARY": str(summary),
        "PYTHONPATH": str(Path(hs.__file__).parents[1]),
    }

    def run(lines):
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", lines]
        return subprocess.run(command, cwd=folder, env=given, capture_output=True, text=True, check=False)

    return run


@pytest.mark.thorough
def test_the_workflow_runs(tmp_path):
    """Every step succeeds; the summary has both tables, and the page is at the expected path."""
    run = runner(tmp_path)
    steps = workflow()
    for step in steps:
        if "run" in step:
            ended = run(step["run"])
            assert ended.returncode == 0, (step["run"], ended.stderr)
    summary = (tmp_path / "summary.md").read_text()
    assert summary.count("| f1 |") >= 1
    assert "model − released" in summary
    assert (tmp_path / steps[-1]["with"]["path"]).stat().st_size > 10_000
    last = next(step["run"] for step in reversed(steps) if "run" in step)
    failed = run(last.replace("f1=0.9", "f1=0.99"))
    assert failed.returncode == 1
    assert failed.stderr.startswith("::error title=howsure::")
