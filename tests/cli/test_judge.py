"""The command `howsure judge`, run as a shell user would."""

import csv
import io
import json

import numpy as np
import pytest

import howsure as hs
from support.shell import run


@pytest.fixture(scope="module")
def cases(tmp_path_factory):
    """Write a run of 400 cases as JSON lines, every fifth labelled by people, and return its path."""
    rng = np.random.default_rng(0)
    passes = rng.random(400) < 0.8
    verdict, flag = (np.where(rng.random(400) < right, passes, ~passes) for right in (0.9, 0.8))
    path = tmp_path_factory.mktemp("run") / "run.jsonl"
    words = np.array(["fail", "pass"])
    rows = zip(words[passes * 1], words[verdict * 1], words[flag * 1], rng.integers(20, 400, 400), strict=True)
    lines = [
        {
            "verdict": judge,
            "human": truth if place % 5 == 0 else None,
            "flag": said,
            "talk": place // 10,
            "site": "ab"[place // 10 % 2],
            "words": int(length),
        }
        for place, (truth, judge, said, length) in enumerate(rows)
    ]
    path.write_text("\n".join(json.dumps(each) for each in lines))
    return str(path)


def estimates(result):
    """Return the estimates of a JSON answer by metric."""
    assert result.returncode == 0, result.stderr
    return {each["metric"]: each for each in json.loads(result.stdout)["estimates"]}


def test_it_prints_what_python_gives(cases):
    """The pass rate by judge and people, by each alone, and the judge's rates, with the sentence to publish."""
    found = estimates(run("judge", cases, "--judge", "verdict", "--human", "human", "--format", "json"))
    table = hs.judged("human", "verdict", data=cases)
    report = hs.labels.judge_report(table)
    assert list(found) == list(report)
    for name, each in report.items():
        assert (found[name]["value"], found[name]["low"]) == pytest.approx((each.value, each.low))
    shown = " ".join(run("judge", cases, "--judge", "verdict", "--human", "human").stdout.split())
    assert report.sentence() in shown
    assert "| pass\\_rate |" in run("judge", cases, "--judge=verdict", "--human=human", "--format=markdown").stdout


def test_clusters_a_prediction_a_leaning_and_a_plan(cases):
    """--groups, --y-pred with --metrics, --covariate and --width give the same as Python."""
    asked = ["judge", cases, "--judge", "verdict", "--human", "human", "--groups", "talk"]
    more = ["--y-pred", "flag", "--metrics", "f1,precision", "--covariate", "words", "--width", "0.1"]
    result = run(*asked, *more, "--format", "json")
    found = estimates(result)
    filtered = hs.judged("human", "verdict", y_pred="flag", data=cases, groups="talk")
    assert found["f1"]["low"] == pytest.approx(hs.estimate(filtered, "f1").low)
    leaning = hs.labels.judge_bias("human", "verdict", "words", data=cases, groups="talk")
    assert found["judge_bias along words"]["high"] == pytest.approx(leaning.high)
    plan = hs.labels.label_plan(hs.judged("human", "verdict", data=cases, groups="talk"), width=0.1)
    assert json.loads(result.stdout)["tables"][0]["label_plan"] == plan.records()


def test_groups_of_cases_follow_all_of_them(cases):
    """With --by all cases come first, followed by each value; --pass-label swaps the classes."""
    result = run("judge", cases, "--judge", "verdict", "--human", "human", "--by", "site", "--format", "csv")
    rows = [row for row in csv.DictReader(io.StringIO(result.stdout)) if row["metric"] == "pass_rate"]
    assert [row["site"] for row in rows] == ["", "a", "b"]
    turned = estimates(
        run("judge", cases, "--judge", "verdict", "--human", "human", "--pass-label", "fail", "--format", "json")
    )
    assert turned["pass_rate"]["value"] == pytest.approx(1 - float(rows[0]["value"]))


@pytest.mark.parametrize(
    "options, words",
    [
        (["--judge", "verdict", "--human", "nowhere"], "nowhere"),
        (["--judge", "human", "--human", "human"], "missing values"),
        (["--judge", "verdict", "--human", "human", "--y-pred", "flag"], "`--y-pred` needs `--metrics`"),
        (["--judge", "verdict", "--human", "human", "--width", "0.001"], "Judge more cases"),
        (["--judge", "verdict", "--human", "words"], "text"),
    ],
)
def test_errors_are_one_line_and_exit_code_two(cases, options, words):
    """Unknown columns, a judge with gaps and a width out of reach end with a line on stderr."""
    result = run("judge", cases, *options)
    assert result.returncode == 2
    assert words in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1
