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


SCORES = hs.scores([0, 1] * 20, [0.2, 0.7, 0.4, 0.9] * 10)
PERCENTAGES = {
    "threshold": lambda: hs.estimate(SCORES, "f1", threshold=20),
    "risk": lambda: hs.estimate(SCORES, "net_benefit+threshold=20"),
    "risks": lambda: hs.decision_curve(SCORES, thresholds=[20]),
    "rate": lambda: hs.estimate(SCORES, "precision_at+recall=20"),
    "false positive rate": lambda: hs.estimate(SCORES, "roc_auc+max_fpr=20"),
    "true positive rate": lambda: hs.estimate(SCORES, "roc_auc+min_tpr=20"),
    "prevalence": lambda: hs.estimate(TABLE, "ppv_at+prevalence=20"),
    "prevalence of a curve": lambda: hs.decision_curve(SCORES, prevalence=20),
    "prevalence of a threshold": lambda: hs.optimal_threshold(SCORES, "cost", prevalence=20),
    "level": lambda: hs.estimate(TABLE, "f1", confidence_level=20),
    "power": lambda: hs.plan(hs.paired([0, 1] * 9, {"a": [0, 1] * 9, "b": [1, 1] * 9}), "accuracy", power=20),
    "requirement": lambda: hs.joint_test(TABLE, ["recall>20"]),
    "starts": lambda: hs.certified_threshold(SCORES, "f1>0.5", starts=[20]),
}


@pytest.mark.parametrize("what", PERCENTAGES)
def test_percentages_lead_to_shares(what):
    """20 where a number between 0 and 1 belongs is 20 % of many users: the remedy is 0.2."""
    with pytest.raises(hs.HowsureError, match=r"Did you mean 0\.2\?$"):
        PERCENTAGES[what]()
