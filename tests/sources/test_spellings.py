"""Names that a reader cannot tell apart are not two classes, clusters or groups in silence."""

import numpy as np
import pytest

import howsure as hs

TRUE, SAID = [0, 1] * 10, [0, 1, 1, 1] * 5
CLUSTER = np.arange(20) // 2


@pytest.mark.parametrize(
    "one, other",
    [("café", "cafe\u0301"), ("a b", "a\u00a0b"), ("a b", "a  b"), ("a", "a\u200b"), ("\ufeffa", "a"), ("a", "a\t")],
)
def test_labels_that_look_alike(one, other):
    """Composed letters, odd blanks and invisible characters make no other class; the message shows them."""
    with pytest.raises(hs.HowsureError, match="written alike") as refused:
        hs.accuracy_score([one, "x", "y"], [other, "x", "y"])
    assert str(refused.value).count(ascii(one)) == str(refused.value).count(ascii(other)) == 1
    assert hs.accuracy_score([one, "x", "y"], [other, "x", "y"], check=False) == pytest.approx(2 / 3)
    assert hs.accuracy_score([one, "x", "y"], [one, "x", "y"]) == 1


@pytest.mark.parametrize("role", ["groups", "by"])
@pytest.mark.parametrize(
    "names",
    [
        [str(n) if place % 2 else int(n) for place, n in enumerate(CLUSTER)],
        [f"P{n}" + " " * (place % 2) for place, n in enumerate(CLUSTER)],
        [f"P{n}" + "\u200b" * (place % 2) for place, n in enumerate(CLUSTER)],
    ],
    ids=["text and number", "blanks", "invisible"],
)
def test_names_of_groups_that_look_alike(role, names):
    """Each cluster would be two, and the interval too narrow."""
    with pytest.raises(hs.HowsureError, match=f"`{role}` has .* written alike and would be two groups"):
        hs.confusion(TRUE, SAID, **{role: names})


@pytest.mark.parametrize("role", ["groups", "by"])
@pytest.mark.parametrize("word", ["nan", "NaN", "<NA>", "NaT"])
def test_missing_names_of_groups_as_text(role, word):
    """A missing name that became text would be one group of unrelated cases; an unused category is no name."""
    pandas = pytest.importorskip("pandas")
    with pytest.raises(hs.HowsureError, match=f"`{role}` has the name '{word}', which stands for a missing value"):
        hs.confusion(TRUE, SAID, **{role: [word] * 2 + [f"P{n}" for n in CLUSTER[2:]]})
    names = pandas.Categorical([f"P{n}" for n in CLUSTER], [word, *(f"P{n}" for n in range(10))])
    assert hs.estimate(hs.confusion(TRUE, SAID, groups=names), "accuracy") == 0.75


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_names_of_clusters_in_files(suffix, tmp_path):
    """The engine that counts clusters leaves odd names to the same check; ordinary ones count as they do in memory."""
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"true": TRUE, "said": SAID, "odd": [f"P{n}" + " " * (n % 2) for n in CLUSTER]})
    frame["even"] = [f"P{n}" + " " * (place % 2) for place, n in enumerate(CLUSTER)]
    path = tmp_path / f"a{suffix}"
    frame.to_csv(path, index=False) if suffix == ".csv" else frame.to_parquet(path)
    with pytest.raises(hs.HowsureError, match="`groups` has 'P. ?' and 'P. ?', which are written alike"):
        hs.confusion("true", "said", groups="even", data=path)
    found = hs.estimate(hs.confusion("true", "said", groups="odd", data=path), "accuracy")
    right = hs.estimate(hs.confusion(TRUE, SAID, groups=CLUSTER), "accuracy")
    assert (found.low, found.high) == pytest.approx((right.low, right.high))


@pytest.mark.parametrize(
    "one, other",
    [
        (">50K", ">50K."),
        ("A", "(A)"),
        ("big cell", "big_cell"),
        ("big-cell", "Big cell"),
        ("yes", "yes!"),
        ("a", "'a'"),
    ],
)
def test_labels_that_differ_in_marks_are_refused(one, other):
    """A full stop, brackets, or another mark between words make another class, and no such prediction is right."""
    with pytest.raises(hs.HowsureError, match="differ in marks and blanks alone"):
        hs.confusion([one, "no"] * 5, [other, "no"] * 5)
    assert hs.confusion([one, "no"] * 5, [other, "no"] * 5, check=False).rows == 10


@pytest.mark.parametrize(
    "labels", [["C", "C++", "C#"], ["ER+", "ER-"], ["A*", "A"], [":)", ":("], ["1.1", "1-1", "11"]]
)
def test_marks_with_a_meaning_are_kept(labels):
    """Plus, minus, an asterisk and marks between digits tell classes apart."""
    assert hs.confusion(labels * 5, labels * 5).labels.tolist() == sorted(labels)
