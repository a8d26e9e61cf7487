"""The command `howsure evals`, run as a shell user would."""

import json
import re
from pathlib import Path

import pytest

import howsure as hs
from support.shell import run

LOGS = Path(__file__).parents[1] / "data" / "logs"
NEW, OLD = str(LOGS / "inspect" / "new.eval"), str(LOGS / "inspect" / "old.eval")


def test_one_line_gives_a_paired_clustered_comparison(tmp_path):
    """Two logs in one line: the numbers of Python, their basis, and a page."""
    page = tmp_path / "page.html"
    result = run("evals", NEW, OLD, "--baseline", "mockllm/old", "--html", str(page))
    assert result.returncode == 0, result.stderr
    assert "9 × 2 in 3" in result.stdout
    assert "only 3 clusters" in " ".join(result.stdout.split())
    assert "howsure evals" in page.read_text()
    assert not re.search(r"<li>\s*</li>", page.read_text())  # no random draws, and no note about them
    records = json.loads(run("evals", NEW, OLD, "--baseline", "mockllm/old", "--format", "json").stdout)
    found = hs.evaluate_log(hs.read_log([NEW, OLD]), baseline="mockllm/old")
    assert records[0]["difference_low"] == found.comparisons["sums", "mockllm/new"].low
    assert [each["value"] for each in records] == [each.value for each in found.values()]


def test_a_folder_of_the_harness():
    """Results folders of several models and tasks make one table, in any format."""
    folder = str(LOGS / "lm_eval")
    written = run("evals", folder, "--cluster", "passage", "--format", "markdown").stdout
    assert written.startswith("| task | model |")
    assert written.count("| choice |") == written.count("| words |") == 2
    assert run("evals", folder, "--metric", "acc_norm", "--format", "csv").stdout.count("acc_norm") == 2


def test_models_have_names_of_their_own():
    """NAME=FILE names a model, and several files of one name are its runs."""
    records = json.loads(run("evals", f"ours={NEW}", f"theirs={OLD}", "--format", "json").stdout)
    assert [each["model"] for each in records] == ["ours", "theirs"]
    (record,) = json.loads(
        run("evals", f"ours={NEW}", f"ours={OLD}", "--statistic", "pass_at+k=4", "--format", "json").stdout
    )
    assert record["runs"] == 9 * 4


@pytest.mark.parametrize(
    "words, code, said",
    [
        (["--fail-below", "0.99"], 1, "mockllm/old is below 0.99 in sums"),
        (["--fail-below", "0.01"], 0, ""),
        (["--baseline", "mockllm/new", "--fail-if-worse", "0.99"], 0, ""),
        (["--fail-if-worse", "0.1"], 2, "--baseline MODEL"),
        (["--baseline", "mockllm/new", "--fail-if-worse", "-1"], 2, "a margin of 0 or more"),
        (["--baseline", "new"], 2, "There is no model 'new'"),
        (["--cluster", "pasage"], 2, "Did you mean 'passage'"),
    ],
)
def test_exit_codes(words, code, said):
    """Exit code 1 if a model fails a gate, 2 for unusable input, with one line about it."""
    result = run("evals", NEW, OLD, *words)
    assert result.returncode == code, result.stderr
    assert said in result.stderr


def test_a_worse_model_fails(tmp_path):
    """A model that is shown to be worse than the baseline ends with exit code 1, one that is not does not."""
    for name, right in {"good": 40, "bad": 10, "fine": 39}.items():
        rows = [
            {"doc_id": item, "filtered_resps": [""], "metrics": ["acc"], "acc": float(item < right)}
            for item in range(40)
        ]
        (tmp_path / name).mkdir()
        (tmp_path / name / "samples_easy.jsonl").write_text("\n".join(map(json.dumps, rows)))
    gate = ["--baseline", "good", "--fail-if-worse", "0.05"]
    result = run("evals", *(str(tmp_path / name) for name in ("good", "bad", "fine")), *gate)
    assert (result.returncode, result.stderr) == (1, "howsure: bad is worse than good in easy\n")
    assert run("evals", *(str(tmp_path / name) for name in ("good", "fine")), *gate).returncode == 0
