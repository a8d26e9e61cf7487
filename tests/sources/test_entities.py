"""Entities from tags and from spans: counted like seqeval's, and unreadable input is refused."""

import numpy as np
import pytest

import howsure as hs

SEQEVAL = """
Printed by seqeval 1.2.2 of the documents below, with zero_division=0:

    from seqeval.metrics.sequence_labeling import precision_recall_fscore_support  # lenient
    from seqeval.metrics.v1 import precision_recall_fscore_support  # strict, with scheme=IOB2 or IOBES
"""
BIO = (
    "B-PER I-PER O B-LOC / O B-LOC I-LOC O B-PER / I-PER I-PER O / O O / B-PER B-PER I-LOC / B-LOC I-LOC I-LOC O O B-ORG",
    "B-PER I-PER O B-LOC / O I-LOC I-LOC O B-LOC / B-PER I-PER O / O B-PER / B-PER I-PER I-LOC / B-LOC I-LOC O O O B-ORG",
)
BIOES = (
    "B-PER I-PER E-PER O S-LOC / S-LOC E-LOC B-PER E-PER / I-LOC E-LOC O B-PER I-PER / O O",
    "B-PER I-PER E-PER O S-LOC / S-LOC S-LOC B-PER I-PER / B-LOC E-LOC O B-PER I-PER / O E-PER",
)
PRINTED = [  # precision, recall and F1: of all entities, and the mean over types
    (BIO, None, [0.6, 0.6, 0.6], [0.7, 0.7166666666666667, 0.7037037037037037]),
    (BIO, "IOB2", [0.375, 0.375, 0.375], [0.5277777777777778] * 3),
    (BIOES, None, [0.875, 1.0, 0.9333333333333333], [0.875, 1.0, 0.9285714285714286]),
    (BIOES, "IOBES", [0.6, 0.75, 2 / 3], [0.75, 0.75, 2 / 3]),
]


def read(text):
    return [document.split() for document in text.split(" / ")]


@pytest.mark.parametrize("both, scheme, micro, macro", PRINTED)
def test_values_are_those_of_seqeval(both, scheme, micro, macro):
    table = hs.entities(*map(read, both), scheme=scheme)
    for average, expected in (("micro", micro), ("macro", macro)):
        found = [float(hs.estimate(table, f"{name}@{average}")) for name in ("precision", "recall", "f1")]
        np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize("scheme", [None, "strict"])
def test_bilou_is_bioes_in_other_letters(scheme):
    renamed = [text.replace("E-", "L-").replace("S-", "U-") for text in BIOES]
    one = hs.entities(*map(read, BIOES), scheme=scheme and "IOBES")
    other = hs.entities(*map(read, renamed), scheme=scheme and "BILOU")
    np.testing.assert_array_equal(one.counts, other.counts)


# By hand for BIO tags: true positives, false positives and false negatives of each document and occurring type.
BY_HAND = {
    "unit": [0, 0, 1, 1, 2, 3, 4, 4, 5, 5],
    "label": ["LOC", "PER", "LOC", "PER", "PER", "PER", "PER", "LOC", "ORG", "LOC"],
    "tp": [1, 1, 1, 0, 1, 0, 0, 1, 1, 0],
    "fp": [0, 0, 1, 0, 0, 1, 1, 0, 0, 1],
    "fn": [0, 0, 0, 1, 0, 0, 2, 0, 0, 1],
}


@pytest.mark.parametrize("groups", [None, [0, 0, 1, 1, 2, 2]])
def test_documents_or_their_groups_are_the_units_that_vary(groups):
    clusters = None if groups is None else np.array(groups)[BY_HAND["unit"]]
    by_hand = hs.events(**BY_HAND, groups=clusters)
    table = hs.entities(*map(read, BIO), groups=groups)
    for metric in ("recall@micro", "f1@macro"):
        one, other = (hs.estimate(each, metric, method="delta") for each in (table, by_hand))
        assert (one.value, one.low, one.high) == pytest.approx((other.value, other.low, other.high), rel=1e-12)


def test_models_are_compared_document_by_document():
    true, said = map(read, BIO)
    table = hs.entities(true, {"old": said, "new": true})
    assert hs.compare(table, "f1@micro", a="new", b="old").value == pytest.approx(0.4)
    assert float(hs.estimate(table.model("old"), "recall@micro")) == pytest.approx(0.6)


def test_spans_give_what_tags_give():
    tags = hs.entities([["B-PER", "I-PER", "O"], ["B-LOC"]], [["B-PER", "I-PER", "O"], ["B-PER"]])
    true = [[(0, 2, "PER")], [(0, 1, "LOC")]]
    said = [[{"start": 0, "end": 2, "label": "PER"}], [(0, 1, "PER")]]
    np.testing.assert_array_equal(hs.entities(true, said).counts, tags.counts)


@pytest.mark.parametrize(
    "true, said, settings, words",
    [
        (["B-PER", "O"], ["B-PER", "O"], {}, "is no list of documents. Give a list of tags, or of spans, for each"),
        ([["O"], ["O"]], [["O"]], {}, "`y_true` has 2 documents and `y_pred` has 1"),
        ([["O", "O"]], [["O"]], {}, "Document 0 has 2 tags in `y_true` and 1 in `y_pred`"),
        ([["O", "O"]], {"A": [["O"]]}, {}, "1 in `y_pred\\['A'\\]`"),
        ([["O"]], {}, {}, "`y_pred` names no model"),
        ([[0, 1]], [[0, 1]], {}, "`y_true\\[0\\]\\[0\\]` = 0 is no span"),
        ([["B-PER", 0]], [["B-PER", "O"]], {}, "`y_true\\[0\\]\\[1\\]` = 0 is no tag"),
        ([["PER-B"]], [["O"]], {}, "'PER-B' is no tag such as 'B-PER'"),
        ([["E-PER"]], [["O"]], {"scheme": "IOB2"}, "'E-PER' is no tag of IOB2"),
        ([["O"]], [["O"]], {"scheme": "IOB"}, "There is no scheme 'IOB'"),
        ([["O"]], [["O"]], {}, "There is no entity"),
        ([[(0, 9, "PER")]], [["B-PER"]], {}, "Some documents are tags and others spans"),
        ([[("PER", 0, 9)]], [[]], {}, "is no span. Give \\(start, end, type\\)"),
        ([[(9, 0, "PER")]], [[]], {}, "is no span"),
        ([["B-PER"]], [["O"]], {"groups": [1, 2]}, "`groups` has shape \\(2,\\), and there are 1 documents"),
    ],
)
def test_what_cannot_be_read_is_refused(true, said, settings, words):
    with pytest.raises(hs.HowsureError, match=words):
        hs.entities(true, said, **settings)


def test_a_table_of_tags_says_that_it_is_of_tokens():
    true, said = (each.replace("/ ", "").split() for each in BIO)
    assert any("metrics of tokens are not those of entities" in each for each in hs.confusion(true, said).cautions)
    assert not any("tokens" in each for each in hs.confusion(["O", "A", "B"], ["O", "A", "O"]).cautions)


@pytest.mark.parametrize(
    "span",
    [
        (0, 5, "ORG"),
        {"start": 0, "end": 5, "label": "ORG"},
        {"start_offset": 0, "end_offset": 5, "label": "ORG", "id": 7},
        {"start": 0, "end": 5, "labels": ["ORG"], "text": "Apple"},
        {"entity_group": "ORG", "score": 0.99, "word": "Apple", "start": 0, "end": 5},
        {"start_char": 0, "end_char": 5, "type": "ORG"},
    ],
)
@pytest.mark.parametrize("name", [None, "spans", "entities", "ents"])
def test_spans_of_other_programs(span, name):
    """Names of start, end and type as doccano, Label Studio, pipelines of transformers and others write them."""
    said = [[span], []] if name is None else [{"text": "Apple", name: [span]}, {"text": "x", name: []}]
    true = [[(0, 5, "ORG"), (9, 12, "PER")], [(0, 3, "LOC")]]
    table = hs.entities(true, said)
    assert hs.evaluate(table, ["precision@micro", "recall@micro"])["recall@micro"].value == pytest.approx(1 / 3)
    assert hs.estimate(table, "precision@micro").value == 1


@pytest.mark.parametrize("more, words", [(-1, "before"), (1, "after")])
def test_ends_that_are_counted_in_two_ways(more, words):
    """The last character of a span, and the one behind it, are refused as ends of the same spans."""
    true = [[(0, 5, "ORG"), (9, 12, "PER")], [(0, 3, "LOC")]] * 2
    said = [[(start, end + more, kind) for start, end, kind in each] for each in true]
    with pytest.raises(hs.HowsureError, match=f"6 end one place {words} a true one"):
        hs.entities(true, said)
    assert hs.estimate(hs.entities(true[:2], said[:2]), "recall@micro").value == 0  # few may be errors
    said[0][0] = true[0][0]
    assert hs.estimate(hs.entities(true, said), "recall@micro").value == pytest.approx(1 / 6)


def as_brat(folder, documents):
    """Write a file for each document, with a relation and a note beside the entities."""
    folder.mkdir()
    for name, spans in documents.items():
        lines = [f"T{n}\t{kind} {places}\tword" for n, (places, kind) in enumerate(spans, 1)]
        (folder / f"{name}.ann").write_text("\n".join([*lines, "R1\tDrug-Dose Arg1:T1 Arg2:T2", "#1\tNote T1\tx", ""]))
    return folder


def test_folders_of_brat(tmp_path):
    """A folder of true entities and one of predictions; an entity over two lines ends with its last part."""
    true = as_brat(tmp_path / "gold", {"b": [("0 5", "Drug"), ("9 12;13 20", "Dose")], "a": [("3 4", "Drug")], "c": []})
    said = as_brat(tmp_path / "said", {"a": [("3 4", "Drug")], "b": [("9 20", "Dose"), ("0 4", "Drug")], "c": []})
    table = hs.entities(true, said, groups=["a", "b", "c"])
    found = hs.evaluate(table, ["precision@micro", "recall@micro", "recall@binary+positive_class=Drug"])
    assert [each.value for each in found.values()] == pytest.approx([2 / 3, 2 / 3, 1 / 2])
    assert hs.compare(hs.entities(str(true), {"A": said, "B": true}), "recall@micro").value == pytest.approx(-1 / 3)
    (said / "a.ann").write_text("T1\tDrug 3 4\tText of\u2028Two lines\x85Three\n")
    (said / "._a.ann").write_bytes(b"\0")  # as macOS writes it beside a file
    assert hs.estimate(hs.entities(true, said), "recall@micro").value == pytest.approx(2 / 3)
    with pytest.raises(hs.HowsureError, match="'nowhere' is no folder of brat's files"):
        hs.entities(true, "nowhere")
    (said / "c.ann").unlink()
    with pytest.raises(hs.HowsureError, match="only one of them has 'c.ann'. Give a file for each document"):
        hs.entities(true, said)
    (said / "c.ann").write_text("T1 Drug 0 5 Aspirin\n")
    with pytest.raises(hs.HowsureError, match="brat's entities are 'T1', a tab, and type, start and end"):
        hs.entities(true, said)
    with pytest.raises(hs.HowsureError, match=r"holds no file '\*.ann' of brat"):
        hs.entities(tmp_path, said)
