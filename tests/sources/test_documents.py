"""Entities from frames and files: the table of sequences, whichever door they come through."""

import json

import numpy as np
import pandas as pd
import pytest

import howsure as hs
from support.optional import optional
from support.shell import run

pl = optional("polars")

RNG = np.random.default_rng(6)
LENGTHS = [*RNG.integers(2, 7, 24)]
TAGS = ["O", "B-PER", "I-PER", "B-LOC"]
TRUE = [list(RNG.choice(TAGS, size)) for size in LENGTHS]
NEW, OLD = (
    [[tag if RNG.random() < right else str(RNG.choice(TAGS)) for tag in document] for document in TRUE]
    for right in (0.9, 0.7)
)
MODELS = {"new": NEW, "old": OLD}
SITE, WEIGHT, NUMBER = RNG.integers(0, 4, 24), RNG.integers(1, 4, 24), RNG.integers(0, 4, 24)
TOKENS = {
    "sentence": np.repeat(np.arange(24), LENGTHS).tolist(),
    "gold": [tag for document in TRUE for tag in document],
    "new": [tag for document in NEW for tag in document],
    "old": [tag for document in OLD for tag in document],
    "site": np.repeat(SITE, LENGTHS).tolist(),
    "weight": np.repeat(WEIGHT, LENGTHS).tolist(),
    "n": np.repeat(NUMBER, LENGTHS).tolist(),
}
ROWS = {"gold": TRUE, "new": NEW, "old": OLD, "site": SITE, "weight": WEIGHT, "n": NUMBER}


def same(one, other):
    """Check that two tables are equal: counts, units and intervals."""
    assert one.rows == other.rows
    np.testing.assert_allclose(np.sort(one.counts), np.sort(other.counts))
    for metric in ("f1@micro", "recall@macro"):
        first, second = (hs.estimate(each, metric) for each in (one, other))
        assert (first.value, first.low, first.high) == pytest.approx((second.value, second.low, second.high))


def tokens_in(kind, folder):
    """Return the tokens in a container."""
    pd.DataFrame(TOKENS).to_csv(folder / "tokens.csv", index=False)
    return {
        "mapping": TOKENS,
        "pandas": pd.DataFrame(TOKENS),
        "polars": pl.DataFrame(TOKENS),
        "lazy": pl.LazyFrame(TOKENS),
        "csv": folder / "tokens.csv",
    }[kind]


@pytest.mark.parametrize(
    "kind, more",
    [
        *((kind, {}) for kind in ("mapping", "pandas", "polars", "lazy", "csv")),
        *(("polars", {"groups": "site"}), ("csv", {"sample_weight": "weight"}), ("lazy", {"counts": "n"})),
        *(("csv", {"groups": "site"}), ("pandas", {"sample_weight": "weight"}), ("mapping", {"counts": "n"})),
    ],
)
def test_rows_of_tokens_are_the_sequences(kind, more, tmp_path):
    beside = {role: ROWS[name] for role, name in more.items()}
    found = hs.entities("gold", "new", data=tokens_in(kind, tmp_path), unit="sentence", **more)
    same(found, hs.entities(TRUE, NEW, **beside))
    both = hs.entities("gold", ["new", "old"], data=tokens_in(kind, tmp_path), unit="sentence", **more)
    right = hs.entities(TRUE, MODELS, **beside)
    one, other = (hs.compare(each, "f1@micro") for each in (both, right))
    assert (one.value, one.low, one.high, one.p_value) == pytest.approx(
        (other.value, other.low, other.high, other.p_value)
    )


@pytest.mark.parametrize("kind", ["lists", "frame", "polars", "texts", "jsonl"])
def test_rows_of_sentences_are_the_sequences(kind, tmp_path):
    lines = [
        {"gold": a, "new": b, "site": int(site)} for a, b, site in zip(map(list, TRUE), NEW, SITE.tolist(), strict=True)
    ]
    lines = json.loads(json.dumps(lines))
    path = tmp_path / "sentences.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in lines))
    texts = [{**each, "gold": " ".join(each["gold"]), "new": " ".join(each["new"])} for each in lines]
    data = {
        "lists": lines,
        "frame": pd.DataFrame(lines),
        "polars": pl.DataFrame(lines),
        "texts": pd.DataFrame(texts),
        "jsonl": path,
    }[kind]
    same(hs.entities("gold", "new", data=data, groups="site"), hs.entities(TRUE, NEW, groups=SITE))


def test_spans_in_json_lines(tmp_path):
    """Spans are mappings, or lists of start, end and type."""
    spans = [{"gold": [[0, 3, "PER"], [5, 9, "LOC"]], "said": [[0, 3, "PER"]]}, {"gold": [], "said": [[1, 2, "LOC"]]}]
    named = [
        {name: [dict(zip(("start", "end", "label"), span, strict=True)) for span in each] for name, each in row.items()}
        for row in spans
    ]
    for rows in (spans, named):
        path = tmp_path / "spans.jsonl"
        path.write_text("".join(json.dumps(each) + "\n" for each in rows))
        for data in (path, rows):
            table = hs.entities("gold", "said", data=data)
            assert hs.estimate(table, "f1@micro").value == pytest.approx(0.5)


def conll(separator=" ", start=None):
    """Return the sentences as shared tasks write them."""
    blocks = []
    for number, (a, b, c) in enumerate(zip(TRUE, NEW, OLD, strict=True)):
        opening = [separator.join(["-DOCSTART-", *"OOO"]), ""] if start and number % start == 0 else []
        rows = [separator.join(["word", *tags]) for tags in zip(a, b, c, strict=True)]
        blocks.append("\n".join([*opening, "# a comment", *rows]))
    return "\n\n".join(blocks) + "\n"


@pytest.mark.parametrize(
    "name, separator",
    [("a.conll", " "), ("a.txt", " "), ("a.tsv", "\t"), ("a.bio", "\t"), ("a.testb", " "), ("a.out", " "), ("a", " ")],
)
def test_lines_of_tokens_are_the_sequences(name, separator, tmp_path):
    path = tmp_path / name
    path.write_text(conll(separator))
    same(hs.entities("2", "3", data=path), hs.entities(TRUE, NEW))
    same(hs.entities("2", data=path), hs.entities(TRUE, OLD))
    path.write_text(conll("\t").replace("word", "wo\u2028rd"))  # a token with a separator of lines
    same(hs.entities("2", "3", data=path), hs.entities(TRUE, NEW))
    path.write_text(conll(separator, start=6))
    same(hs.entities("2", "3", data=path, groups="document"), hs.entities(TRUE, NEW, groups=np.arange(24) // 6))


def test_confidences_behind_the_tags_are_no_tags(tmp_path):
    """Some taggers write token, true tag, predicted tag and confidence."""
    path = tmp_path / "test.tsv"
    tags = "\n\n".join(
        "\n".join(f"word {a} {b} 0.98{place}" for place, (a, b) in enumerate(zip(true, said, strict=True)))
        for true, said in zip(TRUE, NEW, strict=True)
    )
    path.write_text(tags)
    same(hs.entities(data=path), hs.entities(TRUE, NEW))


def test_groups_are_those_of_the_sentences():
    found = hs.entities("gold", "new", data=TOKENS, unit="sentence", by="site")
    assert list(found) == [0, 1, 2, 3]
    for site in range(4):
        chosen = np.flatnonzero(site == SITE).tolist()
        right = hs.entities([TRUE[place] for place in chosen], [NEW[place] for place in chosen])
        assert hs.estimate(found[site], "f1@micro").value == pytest.approx(hs.estimate(right, "f1@micro").value)
    same(found.overall, hs.entities(TRUE, NEW))
    assert list(hs.entities(TRUE, MODELS, by=SITE)) == [0, 1, 2, 3]


def test_the_shell_prints_taggers_and_their_difference(tmp_path):
    path = tmp_path / "a.conll"
    path.write_text(conll())
    right = hs.entities(TRUE, MODELS)
    ended = run(
        "entities", path, "--y-true", "2", "--y-pred", "3", "4", "-m", "f1@micro", "--html", tmp_path / "a.html"
    )
    assert ended.returncode == 0, ended.stderr
    for name in MODELS:
        assert str(hs.estimate(right.model(name), "f1@micro")) in ended.stdout
    assert f"{hs.compare(right, 'f1@micro').value:.3f}" in ended.stdout
    one = run("entities", path, "--fail-under", "f1@micro=0.99")
    assert one.returncode == 1
    frame = tmp_path / "tokens.csv"
    pd.DataFrame(TOKENS).to_csv(frame, index=False)
    chosen = ["--y-true", "gold", "--y-pred", "new", "--unit", "sentence", "-m", "f1@micro"]
    assert (
        str(hs.estimate(hs.entities(TRUE, NEW), "f1@micro")).partition(" ")[0] in run("entities", frame, *chosen).stdout
    )


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: hs.entities("gold", "new", data=TOKENS), "one tag a row|with `unit`|as `unit`"),
        (lambda: hs.entities("gold", "new", data=TOKENS, unit="site"), "are not together"),
        (lambda: hs.entities("gold", "new", data=TOKENS, unit="sentence", groups="new"), "differs within the unit"),
        (lambda: hs.entities("gold", data=TOKENS), "Give `y_true` and `y_pred`"),
        (lambda: hs.entities(TOKENS["gold"], TOKENS["new"]), "with `unit`"),
        (lambda: hs.entities(TRUE, NEW, counts=NUMBER, sample_weight=WEIGHT), "not both"),
        (lambda: hs.entities(TRUE, NEW, groups=[1, 2]), "there are 24 documents"),
    ],
)
def test_what_is_refused(call, words):
    with pytest.raises(hs.HowsureError, match=words):
        call()


def test_lines_of_other_lengths_are_named(tmp_path):
    path = tmp_path / "a.conll"
    path.write_text("a O O\nb O\n")
    with pytest.raises(hs.HowsureError, match="line 2 has 2 columns"):
        hs.entities(data=path)


@pytest.mark.parametrize("name", ["a" * 3000, "nowhere.conll"])
def test_a_file_that_cannot_exist_is_named(name):
    """A name that no disk can hold is one line, as that of a missing file is."""
    with pytest.raises(hs.HowsureError, match=f"'{name[:20]}") as refused:
        hs.entities(data=name)
    assert len(str(refused.value)) <= 1000
