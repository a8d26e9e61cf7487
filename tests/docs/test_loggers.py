"""The examples of loggers, with stand-ins for the loggers' documented interface."""

import re
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

import howsure as hs

PAGE = Path(__file__).parents[2] / "docs" / "guide" / "loggers.md"
# mlflow.log_metrics(metrics: dict[str, float]), whose names are alphanumerics, underscores, dashes, periods, spaces,
# colons and slashes; wandb's run.log(data: dict[str, Any]), whose names for sorting and filtering are as below.
MLFLOW = re.compile(r"[/\w.\- :]+")
WANDB = re.compile(r"[_a-zA-Z][_a-zA-Z0-9]*")


class Run:
    """A mock run that stores logged values."""

    def __init__(self):
        self.metrics, self.files = {}, {}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return None

    def log_metrics(self, metrics):
        """Log numbers, as MLflow does."""
        assert all(MLFLOW.fullmatch(name) and type(value) is float for name, value in metrics.items())
        self.metrics |= metrics

    def log_text(self, text, artifact_file):
        """Log a file, as MLflow does."""
        assert isinstance(text, str)
        self.files[artifact_file] = text

    def log(self, data):
        """Log numbers and HTML, as W&B does."""
        assert all(WANDB.fullmatch(name) for name in data)
        self.metrics |= {name: value for name, value in data.items() if isinstance(value, float)}
        self.files |= {name: value for name, value in data.items() if isinstance(value, str)}


@pytest.mark.parametrize("name, files", [("mlflow", ["metrics.md", "report.html"]), ("wandb", ["metrics"])])
def test_the_examples_log_every_number(name, files, monkeypatch):
    """What the page shows for a logger runs, and logs the value and limits of each metric."""
    run = Run()
    stands_in = {
        "mlflow": SimpleNamespace(start_run=lambda: run, log_metrics=run.log_metrics, log_text=run.log_text),
        "wandb": SimpleNamespace(init=lambda *, project: run, Html=str),
    }
    monkeypatch.setitem(sys.modules, name, stands_in[name])
    (example,) = [
        each for each in re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL) if f"import {name}" in each
    ]
    table = hs.confusion("label", "logistic", data=hs.load_example("breast_cancer"), pos_label="malignant")
    found = hs.evaluate(table, ["f1", "recall@macro"])
    exec(example, {"hs": hs, "table": table, "found": found})  # noqa: S102 - the page's own example
    assert run.metrics == found.flat()
    assert list(run.files) == files
