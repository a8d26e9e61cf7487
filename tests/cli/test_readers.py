"""The command `howsure readers`, run as a shell user would."""

import json
from pathlib import Path

import pytest

from support.shell import run

FILE = str(Path(__file__).parents[1] / "data" / "vandyke.csv")
COLUMNS = ["--rating=rating", "--truth=truth", "--reader=reader", "--case=case", "--modality=treatment"]


def test_it_prints_what_python_gives(tmp_path):
    """The published difference as JSON, and a page with its sentence."""
    page = tmp_path / "study.html"
    found = run("readers", FILE, *COLUMNS, "--format", "json", "--html", str(page))
    assert found.returncode == 0, found.stderr
    *means, difference = json.loads(found.stdout)
    assert [each["value"] for each in means] == pytest.approx([0.897037037037037, 0.940837359098229])
    assert (difference["low"], difference["high"]) == pytest.approx((-0.087867196020086, 0.000266551897702923))
    assert difference["p_value"] == pytest.approx(0.0512330308248101)
    text = " ".join(page.read_text().split())  # with ordinary spaces
    assert "19 % is due to the sample of readers" in text
    assert "Variance components" in text
    assert "cov3" in text


def test_it_tests_a_margin_and_plans():
    """With --margin the test follows the results; with a goal the plan is printed."""
    tested = " ".join(run("readers", FILE, *COLUMNS, "--margin", "0.05").stdout.split())
    assert "no more than 0.05 below 2 in roc_auc" in tested
    planned = run("readers", FILE, *COLUMNS, "--covariance=jackknife", "--plan-readers=6", "--power=0.8", "-f", "json")
    assert json.loads(planned.stdout)[0]["cases"] == 251


def test_its_faults_end_in_one_line():
    """Without a threshold, with a plan of groups, with a page of groups."""
    for words, said in (
        (["-m", "sensitivity"], "needs `threshold=`"),
        (["--by=treatment", "--power=0.8"], "more than one read|leave out --by"),
        (["--margin=-1"], "positive number"),
    ):
        found = run("readers", FILE, *COLUMNS, *words)
        assert found.returncode == 2
        assert len(found.stderr.strip().splitlines()) == 1, said
