"""Strata on the command line."""

import json

import pytest

import howsure as hs
from support.examples import CANCER
from support.shell import run

SIZES = {"small": 0.8, "medium": 0.15, "large": 0.05}
COLUMN = ["--strata", "tumour_size"]
GIVEN = [*COLUMN, "--stratum-sizes", ",".join(f"{name}={size}" for name, size in SIZES.items())]
STRATA = {"strata": "tumour_size", "stratum_sizes": SIZES}


def test_a_report_of_strata(tmp_path):
    """The report has the estimates of Python, and its page names the strata; sizes come as words or as a file."""
    expected = hs.estimate(hs.confusion("label", "logistic", data=CANCER, **STRATA), "f1")
    command = ["report", CANCER, "--y-true", "label", "--y-pred", "logistic", "--metrics", "f1", "--format", "json"]
    page, file = tmp_path / "page.html", tmp_path / "sizes.csv"
    file.write_text("stratum,size\n" + "".join(f"{name},{size}\n" for name, size in SIZES.items()))
    for more in ([*GIVEN, "--html", str(page)], [*COLUMN, "--stratum-sizes", str(file)]):
        found = json.loads(run(*command, *more).stdout)["estimates"][0]
        assert [found["value"], found["low"], found["high"]] == [expected.value, expected.low, expected.high]
    assert "3 strata of known size" in page.read_text()


def test_strata_of_unknown_size():
    """Without sizes clusters are drawn within strata; clusters that each stratum numbers are given with the stratum."""
    both = {"strata": "tumour_size", "groups": ["tumour_size", "fold"]}
    expected = hs.estimate(hs.confusion("label", "logistic", data=CANCER, **both), "f1")
    command = ["report", CANCER, "--y-true", "label", "--y-pred", "logistic", "--metrics", "f1", "--format", "json"]
    found = json.loads(run(*command, *COLUMN, "--groups", "tumour_size,fold").stdout)["estimates"][0]
    assert [found["value"], found["low"], found["high"]] == [expected.value, expected.low, expected.high]


def test_models_are_compared_and_ranked_in_strata():
    """Comparisons and leaderboards take the strata too."""
    columns = ["--y-true", "label", "--y-pred", "logistic,forest"]
    table = hs.paired("label", ["logistic", "forest"], data=CANCER, **STRATA)
    found = json.loads(run("compare", CANCER, *columns, *GIVEN, "--format", "json").stdout)
    expected = hs.compare(table, "accuracy")
    assert [found[0]["low"], found[0]["high"]] == [expected.low, expected.high]
    ranked = run("leaderboard", CANCER, *columns, *GIVEN, "--format", "json").stdout
    value = float(hs.estimate(table.model("logistic"), "accuracy"))
    assert any(each["value"] == pytest.approx(value) for each in json.loads(ranked))


REFUSED = {
    "cannot be read as a file": [*COLUMN, "--stratum-sizes", "nowhere.csv"],
    "has 'many' for the stratum 'small'": [*COLUMN, "--stratum-sizes", "small=many"],
    "has cases and no size": [*COLUMN, "--stratum-sizes", "small=0.5,medium=0.5"],
    "`--stratum-sizes` needs `--strata`": GIVEN[2:],
}


@pytest.mark.parametrize("message", REFUSED)
def test_sizes_that_do_not_fit_are_refused(message):
    """Sizes that are none, or do not fit the strata, end the command in one line."""
    ended = run("report", CANCER, "--y-true", "label", "--y-pred", "logistic", *REFUSED[message])
    assert ended.returncode
    assert message in " ".join((ended.stdout + ended.stderr).split())
