"""Inputs as strangers bring them, which once were misread in silence or refused without a remedy."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import howsure as hs
from support.shell import run


def written(folder, name, text):
    """Return the path of a file with this text."""
    (folder / name).write_text(text)
    return folder / name


def test_the_default_threshold_on_logits_has_a_warning(tmp_path):
    """Scores below 0 are no probabilities, of which one half is the threshold that nobody stated."""
    file = written(tmp_path, "a.csv", "y,s\n1,2.1\n0,-1.3\n1,0.3\n0,-0.6\n1,-0.2\n")
    command = ["report", file, "--y-true", "y", "--y-score", "s", "--metrics", "recall", "--no-check"]
    doubted = run(*command)
    assert "Give a --threshold" in doubted.stderr
    assert doubted.stderr.count("\n") == 1
    stated = run(*command, "--threshold", "0")
    assert "0.333" in doubted.stdout
    assert "no probabilities" not in stated.stderr
    assert "0.667" in stated.stdout


def test_a_misspelt_class_is_refused():
    """A class that never occurs, and is nearly one that would be left out, is a mistake; another one is not."""
    true, said = ["cat", "dog", "bird"] * 5, ["cat", "dog", "cat"] * 5
    with pytest.raises(hs.HowsureError, match="'brid', which never occurs, and lacks 'bird'"):
        hs.confusion(true, said, labels=["cat", "dog", "brid"])
    assert hs.confusion(true, said, labels=["cat", "dog", "horse"]).rows == 10
    assert hs.confusion(true, said, labels=["cat", "dog", "brid"], check=False).rows == 10
    numbered = [f"class {each}" for each in (1, 2, 3)] * 5
    assert hs.confusion(numbered, numbered, labels=["class 1", "class 2", "class 4"], check=False).rows == 10
    assert hs.confusion(numbered, numbered[::-1], labels=["class 1", "class 2", "class 4"]).rows > 0


def test_cases_without_an_answer_are_not_left_out_in_silence():
    """`labels` with the two classes leaves inconclusive results out of both rates, which flatters a test."""
    true = ["ill"] * 50 + ["well"] * 50
    said = ["ill"] * 40 + ["well"] * 6 + ["unclear"] * 4 + ["ill"] * 5 + ["well"] * 40 + ["unclear"] * 5
    with pytest.warns(hs.HowsureWarning, match="9 of 100 cases of the classes in `labels`"):
        table = hs.confusion(true, said, labels=["well", "ill"])
    assert table.counts.tolist() == [[40, 5], [6, 40]]
    with pytest.warns(hs.HowsureWarning, match="9 of 100 cases"):
        hs.paired(true, {"a": true[::-1], "b": said}, labels=["well", "ill"])
    assert hs.confusion(true, said, labels=["well", "ill"], check=False).rows == 91
    whole = hs.confusion(true, said, labels=["well", "ill", "unclear"])
    assert hs.estimate(whole, "recall@binary+positive_class=ill").value == 40 / 50


@pytest.mark.parametrize("name", ["Freq", "n", "count"])
@pytest.mark.parametrize("kind", ["pandas", "csv", "mapping"])
def test_lines_with_unread_frequencies_are_refused(name, kind, tmp_path):
    """One line for each combination of labels, beside a column named as their number, is a table of frequencies."""
    lines = {"truth": [0, 0, 1, 1], "said": [0, 1, 0, 1], name: [50, 3, 5, 42]}
    frame = pd.DataFrame(lines)
    frame.to_csv(tmp_path / "d.csv", index=False)
    data = {"pandas": frame, "csv": tmp_path / "d.csv", "mapping": lines}[kind]
    with pytest.raises(hs.HowsureError, match=f"counts='{name}'"):
        hs.confusion("truth", "said", data=data)
    assert hs.confusion("truth", "said", data=data, counts=name).rows == 100
    assert hs.confusion("truth", "said", data=data, check=False).rows == 4
    assert hs.confusion("truth", "said", data=pd.concat([frame, frame])).rows == 8


def test_text_and_numbers_in_one_column_of_json_are_text(tmp_path):
    """The labels "1" and 1 of JSON lines are one label, as in CSV."""
    file = written(tmp_path, "a.jsonl", '{"y":"1","p":1}\n{"y":"0","p":"0"}\n{"y":"1","p":"1"}\n{"y":"0","p":0}\n')
    table = hs.confusion("y", "p", data=file)
    assert table.labels.tolist() == ["0", "1"]
    assert hs.estimate(table, "accuracy").value == 1


@pytest.mark.parametrize(
    "text, words",
    [
        ("sep=;\ny;p\n1;1\n0;0\n", "'sep=', which names no columns"),
        ("y,p,text\n1,1,a\n0,0,b, c\n1,0,d\n", "not all rows have 3 cells"),
    ],
)
def test_files_that_lose_their_header_lead_on(text, words, tmp_path):
    """Excel's line for the separator, and an unquoted separator, are named as the culprit."""
    with pytest.raises(hs.HowsureError, match=words):
        hs.confusion("y", "p", data=written(tmp_path, "a.csv", text))


def test_scalars_of_arrays_are_labels():
    """A list of arrays without axes, as of tensors that were appended, is a column of labels."""
    table = hs.confusion([np.array(1), np.array(0)] * 3, [1, 0] * 3)
    assert table.counts.tolist() == [[3, 0], [0, 3]]


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: hs.confusion([1, 0, 1], [1, 0, 0], labels=["0", "1"]), "text and numbers never agree"),
        (lambda: hs.confusion(np.array([[1, 0, 1] * 9]), np.array([[1, 0, 0] * 9])), "y_true.ravel"),
        (lambda: hs.from_counts("m.csv"), "howsure matrix FILE"),
        (lambda: hs.from_counts(sparse.csr_array([[5, 1], [2, 7]])), "toarray"),
        (lambda: hs.from_counts({"a": {"precision": 0.9, "support": 50}, "accuracy": 0.9}), "from_rates"),
    ],
)
def test_refusals_lead_on(call, words):
    """The message names what to give instead."""
    with pytest.raises(hs.HowsureError, match=words):
        call()


@pytest.mark.parametrize("true, said", [((-1, 1), (0, 1)), ((1, 2), (0, 1)), ((0, 1), (1, 2))])
def test_two_classes_in_other_codes_are_refused(true, said):
    """Columns of two numbers each that share one hold the same classes in other codes, unless there are few cases."""
    rng = np.random.default_rng(0)
    columns = [rng.choice(each, 40) for each in (true, said)]
    with pytest.raises(hs.HowsureError, match="other codes"):
        hs.confusion(*columns)
    with pytest.raises(hs.HowsureError, match="other codes"):
        hs.paired(columns[0], {"A": columns[1], "B": columns[0].copy()})
    assert len(hs.confusion(*columns, check=False).labels) == 3
    assert len(hs.confusion([0, 1, 1], [1, 2, 1]).labels) == 3


def test_lists_of_labels_are_no_classes(tmp_path):
    """Each list of a multilabel classifier would be a class of its own; lists of one label are the label."""
    lists = ["\"['math', 'graphs']\",\"['math']\"", "['math'],['math']", "['graphs'],['math']"]
    file = written(tmp_path, "tags.csv", "\n".join(["true,said", *lists]))
    with pytest.raises(hs.HowsureError, match=r"lists of labels, such as \['math', 'graphs'\]"):
        hs.confusion("true", "said", data=file)
    single = written(tmp_path, "one.csv", "\n".join(["true,said", *lists[1:]]))
    assert hs.confusion("true", "said", data=single).labels.tolist() == ["['graphs']", "['math']"]


def test_objects_in_place_of_labels_and_scores(tmp_path):
    """Pipelines return an object for each class, or the one of the predicted class, whose fields are named."""
    every = [{"label": "a", "score": 0.9}, {"label": "b", "score": 0.1}]
    file = written(tmp_path, "all.json", json.dumps([{"true": "a", "found": every}, {"true": "b", "found": every}]))
    with pytest.raises(hs.HowsureError, match="several objects a case, with 'label', 'score'"):
        hs.confusion("true", "found", data=file)
    with pytest.raises(hs.HowsureError, match="does not hold one text, number or date"):
        hs.scores("true", "found", data=file)
    one = written(
        tmp_path, "one.json", json.dumps([{"true": "a", "found": every[0]}, {"true": "b", "found": every[1]}])
    )
    with pytest.raises(hs.HowsureError, match=r"a field, as in 'column\.label'"):
        hs.confusion("true", "found", data=one)
    assert hs.confusion("true", "found.label", data=one).rows == 2


def test_records_by_their_identifiers(tmp_path):
    """An object of records is their list; columns by the number of the row are columns."""
    pairs = {"x1": {"true": "a", "said": "a"}, "x2": {"true": "b", "said": "a"}, "x3": {"true": "b", "said": "b"}}
    file = written(tmp_path, "by_id.json", json.dumps(pairs))
    turned = written(tmp_path, "columns.json", pd.DataFrame(pairs).T.reset_index(drop=True).to_json())
    for each in (file, turned):
        assert hs.confusion("true", "said", data=each).counts.tolist() == [[1, 0], [1, 1]]


def test_columns_of_scores_without_a_header(tmp_path):
    """Columns of the classes have their own function, lists are to be split, and a file may lack its header."""
    file = written(
        tmp_path, "a.csv", 'true,a,b,c,all\na,0.5,0.3,0.2,"[0.5, 0.3, 0.2]"\nb,0.2,0.6,0.2,"[0.2, 0.6, 0.2]"\n'
    )
    with pytest.raises(hs.HowsureError, match=r"For a column of each class: `hs\.multiclass_scores"):
        hs.scores("true", ["a", "b", "c"], data=file)
    with pytest.raises(hs.HowsureError, match="Split lists into a column for each class"):
        hs.scores("true", "all", data=file)
    bare = written(tmp_path, "bare.csv", "cat,cat\ndog,dog\ncat,dog\n")
    with pytest.raises(hs.HowsureError, match="if its first line is a case, put the names of the columns above it"):
        hs.confusion("true", "said", data=bare)
