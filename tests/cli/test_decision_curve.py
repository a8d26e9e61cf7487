"""The command `howsure decision-curve`, and its report."""

import json
from pathlib import Path

import pandas as pd
import pytest

import howsure as hs
from howsure.report.decisions import report_of_decisions
from support.shell import run

FILE = Path(__file__).parents[1] / "data" / "dcurves.csv"
DATA = pd.read_csv(FILE)
COMMAND = ("decision-curve", str(FILE), "--y-true", "cancer", "--thresholds", "0.05", "0.1", "0.2", "--seed", "0")


def curve(*models, **roles):
    """Return the curve that the command computes."""
    risks = {name: DATA[name] for name in models}
    return hs.decision_curve(DATA["cancer"], risks, thresholds=[0.05, 0.1, 0.2], random_state=0, **roles)


@pytest.mark.parametrize("models", [("marker_risk",), ("cancerpredmarker", "marker_risk")], ids=len)
def test_the_command_prints_the_curve_of_the_columns(models):
    """Each column is a model with the name of the column, with the same numbers as in Python."""
    found = run(*COMMAND, "--y-score", *models, "--format", "json")
    expected = json.loads(json.dumps(curve(*models).records()))
    assert json.loads(found.stdout) == expected
    assert "treat all" in run(*COMMAND, "--y-score", *models).stdout


def test_prevalence_and_roles_are_passed_on():
    """A stated prevalence and weights change the numbers as in Python."""
    found = run(*COMMAND, "--y-score", "marker_risk", "--prevalence", "0.05", "--sample-weight", "cancerpredmarker", "--format", "json")  # fmt: skip
    expected = curve("marker_risk", prevalence=0.05, sample_weight=DATA["cancerpredmarker"].to_numpy())
    records = json.loads(json.dumps(expected.records()))
    for printed, record in zip(json.loads(found.stdout), records, strict=True):  # the order of sums differs
        near = {
            key: pytest.approx(each, rel=1e-12) if isinstance(each, float) else each for key, each in record.items()
        }
        assert printed == near


def test_refusals_end_the_command():
    """No column of risks, and thresholds in per cent."""
    assert "--y-score" in run(*COMMAND).stderr
    refused = run("decision-curve", str(FILE), "--y-true", "cancer", "--y-score", "marker_risk", "--thresholds", "10")
    assert refused.returncode
    assert "Did you mean 0.1?" in refused.stderr


def test_the_report_has_the_curve_its_differences_and_the_information(tmp_path):
    """Headline, chart, tables and results are those of the curve."""
    made = curve("cancerpredmarker", "marker_risk")
    report = report_of_decisions(made, title="cancer")
    assert hs.report_of(made, title="cancer").headline == report.headline
    with pytest.raises(hs.HowsureError, match="that of a group"):
        hs.report_of(curve("marker_risk", by=DATA["famhistory"]))
    useful = made.useful("cancerpredmarker")
    assert f"from {useful[0]:g} to {useful[-1]:g}" in report.headline[0][0]
    chart = report["Net benefit"].charts[0]
    assert [line.name for line in chart.lines] == ["cancerpredmarker", "marker_risk", "treat all"]
    rows = report["Differences"].sheets[0].rows
    assert len(rows) == 3
    apart = made.difference("cancerpredmarker", "marker_risk")
    assert f"{apart.value[0]:.3f} [{apart.simultaneous_low[0]:.3f}" in rows[0][3].text(0)
    page = tmp_path / "page.html"
    assert run(*COMMAND, "--y-score", "marker_risk", "-o", str(page)).returncode == 0
    assert "Decision curve" in page.read_text()
    assert "Case-control data need" in report.to_markdown()
    one = hs.decision_curve(DATA["cancer"], 0.5 * DATA["famhistory"], thresholds=[0.3])
    assert "no threshold shows" in report_of_decisions(one).headline[0][0]
