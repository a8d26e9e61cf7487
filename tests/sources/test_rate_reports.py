"""Reports of precision, recall and support of two classes, which fix the numbers of cases."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest
from sklearn.metrics import classification_report

import howsure as hs
from howsure.sources.matrix_file import read_matrix

TRUE = ["no"] * 53 + ["yes"] * 47
SAID = ["no"] * 50 + ["yes"] * 3 + ["no"] * 5 + ["yes"] * 42
COUNTS = [[50, 3], [5, 42]]
COMPUTED = "computed from the report's recall, precision and support"


def reports() -> dict[str, object]:
    """Return scikit-learn's report of the same cases as a text, a mapping, and frames of either orientation."""
    mapping = classification_report(TRUE, SAID, output_dict=True)
    frame = pd.DataFrame(mapping)
    return {"text": classification_report(TRUE, SAID), "mapping": mapping, "frame": frame, "turned": frame.T}


@pytest.mark.parametrize("form", ["text", "mapping", "frame", "turned"])
def test_a_report_of_two_classes_is_their_matrix(form: str) -> None:
    """Recall times support is the number of right cases of each class, and two classes leave no other choice."""
    with pytest.warns(hs.HowsureWarning, match=COMPUTED):
        table = hs.from_counts(reports()[form])
    assert (table.counts.tolist(), table.labels.tolist()) == (COUNTS, ["no", "yes"])


@pytest.mark.parametrize("name", ["report.txt", "report.csv", "report.json", "indented.json"])
def test_a_file_with_a_report_of_two_classes(name: str, tmp_path: Path) -> None:
    """The report is read as it is printed, as pandas saves it, and as JSON."""
    forms = reports()
    contents = {"report.txt": f"Accuracy: 0.92\n\n{forms['text']}", "report.json": json.dumps(forms["mapping"])}
    contents["indented.json"] = json.dumps(forms["mapping"], indent=4)
    contents["report.csv"] = forms["turned"].to_csv()  # type: ignore[attr-defined]
    (tmp_path / name).write_text(contents[name])
    with pytest.warns(hs.HowsureWarning, match=COMPUTED):
        labels, counts = read_matrix(tmp_path / name)
    assert (labels, counts.tolist()) == (["no", "yes"], COUNTS)


def test_a_rounded_report_of_many_cases_says_so() -> None:
    """Two decimals of 2,000 cases fit several matrices, all of them with the printed figures."""
    printed = classification_report(TRUE * 20, SAID * 20)
    with pytest.warns(hs.HowsureWarning, match=r"\d+ matrices give the rounded figures"):
        table = hs.from_counts(printed)
    (tn, fp), (fn, tp) = table.counts.tolist()
    assert [tn + fp, fn + tp] == [1060, 940]
    assert [round(tp / (tp + fp), 2), round(tp / 940, 2), round(tn / (tn + fn), 2), round(tn / 1060, 2)] == [
        0.93,
        0.89,
        0.91,
        0.94,
    ]


def test_more_classes_do_not_fix_the_cells() -> None:
    """Precision and recall of three classes fit several matrices."""
    mapping = classification_report([0, 1, 2, 2], [0, 1, 1, 2], output_dict=True)
    with pytest.raises(hs.HowsureError, match="3 classes does not state the cells"):
        hs.from_counts(mapping)


def test_a_report_that_no_numbers_give() -> None:
    """A figure that was mistyped fits no matrix of these sizes."""
    printed = classification_report(TRUE, SAID).replace("0.91      0.94", "0.71      0.94")
    with pytest.raises(hs.HowsureError, match="No whole numbers of 53 and 47 cases"):
        hs.from_counts(printed)
