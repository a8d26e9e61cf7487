"""The command `howsure label-next`, run as a shell user would."""

import csv

import numpy as np

import howsure as hs
from support.shell import run


def test_rows_to_label_are_written(tmp_path):
    """The written rows are those that the function draws with this seed, with strata and inclusion probabilities."""
    score = np.round(np.random.default_rng(0).beta(0.2, 1.8, 500), 4)
    said = (score > 0.5).astype(int)
    path, out = tmp_path / "pool.csv", tmp_path / "rows.csv"
    lines = [
        f"{one},{each},{'' if place > 20 else one}" for place, (one, each) in enumerate(zip(said, score, strict=True))
    ]
    path.write_text("said,score,label\n" + "\n".join(lines) + "\n")
    words = ("--y-pred", "said", "--y-score", "score", "--y-true", "label", "-n", "60", "--seed", "3", "-o", str(out))
    result = run("label-next", str(path), *words)
    assert result.returncode == 0, result.stderr
    assert "60 of 479 cases to label for f1" in result.stdout
    known = np.where(np.arange(500) > 20, np.nan, said)
    sample = hs.labels.sample_to_label(said, score, n=60, y_true=known, random_state=3)
    with out.open() as file:
        rows = list(csv.DictReader(file))
    assert [int(row["row"]) for row in rows] == sample.rows.tolist()
    assert [float(row["inclusion_probability"]) for row in rows] == sample.inclusion_probability.tolist()


def test_errors_are_one_line(tmp_path):
    """Too many labels are refused in one line."""
    path = tmp_path / "pool.csv"
    path.write_text("said,score\n0,0.1\n0,0.2\n1,0.9\n1,0.8\n")
    result = run("label-next", str(path), "--y-pred", "said", "--y-score", "score", "-n", "9")
    assert result.returncode == 2
    assert "4 cases without a label" in result.stderr
    assert result.stderr.count("\n") == 1
