"""Codes of errors and warnings, by which programs tell them apart whatever the wording."""

import pickle

import pytest

import howsure as hs
from howsure.calls import CallError
from howsure.errors import DoubtfulDataError, NoCaseError, OneClassError, UndefinedDesignError, UnknownKeyError

TABLE = hs.from_counts([[50, 3], [5, 42]])
CALLS = {
    "unknown-metric": lambda: hs.estimate(TABLE, "acuracy"),
    "unknown-method": lambda: hs.estimate(TABLE, "f1", method="wislon"),
    "unknown-argument": lambda: hs.estimate(TABLE, "fbeta+bta=2"),
    "unknown-average": lambda: hs.estimate(TABLE, "f1@macr"),
    "unknown-value": lambda: hs.define_metric(better="more")(len),
    "unsupported-method": lambda: hs.estimate(TABLE, "mcc", method="wilson"),
    "other-evidence": lambda: hs.estimate(hs.values([0.1, 0.9]), "f1"),
    "invalid-argument": lambda: hs.estimate(TABLE, "f1", confidence_level=95),
    "one-class": lambda: hs.scores([1, 1], [0.1, 0.9]),
    "call": lambda: hs.estimate(TABLE, "f1", alpha=0.1),
    "invalid-input": lambda: hs.values([]),
}


@pytest.mark.parametrize("code", CALLS)
def test_every_error_has_a_code(code):
    """The code names the kind of error: of a name, a method, a table, an argument, a file, or other input."""
    with pytest.raises(hs.HowsureError) as found:
        CALLS[code]()
    assert found.value.code == code, found.value
    assert pickle.loads(pickle.dumps(found.value)).code == code


def test_a_damaged_file_is_unreadable(tmp_path):
    """A file that another library cannot read has a code of its own."""
    (tmp_path / "table.json").write_text("{ not json")
    with pytest.raises(hs.HowsureError) as found:
        hs.load(tmp_path / "table.json")
    assert found.value.code == "unreadable"


def test_classes_of_errors_have_codes():
    """Without a code of its own an error has that of its class, whose name it is."""
    kinds = {
        NoCaseError: "no-case",
        OneClassError: "one-class",
        UndefinedDesignError: "undefined-design",
        DoubtfulDataError: "doubtful-data",
        UnknownKeyError: "unknown-key",
        CallError: "call",
        hs.HowsureError: "invalid-input",
    }
    assert {kind: kind.code for kind in kinds} == kinds
    assert hs.HowsureError("nothing", "mine").code == "mine"


def test_warnings_have_codes():
    """A warning has the code of its class."""
    with pytest.warns(hs.HowsureWarning) as found:
        hs.class_likelihood_ratios([1, 1, 0], [1, 1, 0])
    assert {each.message.code for each in found} == {"undefined-metric"}
    assert hs.HowsureWarning.code == "doubtful-number"
