"""Several models in one column are joined by case, never by position."""

import numpy as np
import pandas as pd
import pytest

import howsure as hs
from support.optional import optional

duckdb = optional("duckdb")
pl = optional("polars")

RNG = np.random.default_rng(2)
N, MODELS = 30, ["large", "small", "tiny"]
TRUTH = RNG.choice(["a", "b", "c"], N)
SAID = {name: np.where(RNG.random(N) < 0.7, TRUTH, RNG.choice(["a", "b", "c"], N)) for name in MODELS}
SCORE = {name: RNG.random(N).round(2) for name in MODELS}
CASE = {
    "case": np.arange(N),
    "label": TRUTH,
    "ill": (TRUTH == "a") * 1,
    "patient": RNG.integers(0, 9, N),
    "weight": RNG.integers(1, 4, N) * 1.0,
    "site": RNG.choice(["x", "y"], N),
}
LONG = pd.concat(
    [pd.DataFrame(CASE | {"model": name, "said": SAID[name], "score": SCORE[name]}) for name in MODELS]
).sample(frac=1, random_state=4, ignore_index=True)
HELD = {
    "pandas": LONG,
    "polars": pl.from_pandas(LONG),
    "lazy": pl.from_pandas(LONG).lazy(),
    "duckdb": duckdb.from_df(LONG),
    "columns": {name: LONG[name].to_numpy() for name in LONG},
}
SETTINGS = {"groups": "patient", "sample_weight": "weight"}


@pytest.mark.parametrize("held", HELD)
def test_long_data_are_the_wide_ones(held):
    """Rows of models and cases in any order give the table of one column for each model, with every design."""
    long = {"data": HELD[held], "model": "model", "case": "case"}
    for more in ({}, {"groups": "patient"}, {"sample_weight": "weight"}, SETTINGS, {"by": "site"}, {"by": ["site"]}):
        columns = {role: CASE[name if isinstance(name, str) else name[0]] for role, name in more.items()}
        for found, wide in (
            (hs.paired("label", "said", **long, **more), hs.paired(TRUTH, SAID, **columns)),
            (hs.paired_scores("ill", "score", **long, **more), hs.paired_scores(CASE["ill"], SCORE, **columns)),
        ):
            one, two = (getattr(each, "overall", each) for each in (found, wide))
            assert one.models == MODELS
            assert one.counts.tolist() == two.counts.tolist()
            assert one.codes.tolist() == two.codes.tolist()
            assert type(one.design) is type(two.design)
            assert getattr(one.design, "number", 0) == getattr(two.design, "number", 0)
            if "by" in more:
                assert {key: each.rows for key, each in found.items()} == {key: each.rows for key, each in wide.items()}
                assert found.columns == ("site",)


def test_long_columns_may_be_arrays():
    """Columns may be given themselves, as everywhere."""
    found = hs.paired(LONG["label"], LONG["said"], model=LONG["model"], case=LONG["case"])
    assert found.counts.tolist() == hs.paired(TRUTH, SAID).counts.tolist()


WRONG = {
    r"1 of 30 cases lack a model, such as case 3 of 'tiny'\. Add them, .*: incomplete='drop'": LONG[
        ~((LONG.case == 3) & (LONG.model == "tiny"))
    ],
    r"2 times a model has a case more than once, such as 3 of 'small'": pd.concat(
        [LONG, LONG[(LONG.case == 3) & (LONG.model != "large")]]
    ),
    r"1 of 30 cases have several values of `y_true`, such as 5: .* of 'small'": LONG.assign(
        label=np.where((LONG.case == 5) & (LONG.model == "small"), "z", LONG.label)
    ),
    r"1 of 30 cases have several values of `groups`, such as 5": LONG.assign(
        patient=np.where((LONG.case == 5) & (LONG.model == "small"), 99, LONG.patient)
    ),
}


@pytest.mark.parametrize("message", WRONG)
def test_cases_that_do_not_match(message):
    """Missing or repeated cases, and cases with several labels or patients, are reported with numbers."""
    with pytest.raises(hs.HowsureError, match=message):
        hs.paired("label", "said", data=WRONG[message], model="model", case="case", groups="patient")


@pytest.mark.parametrize("incomplete", ["refuse", "drop"])
@pytest.mark.parametrize("write", [" {} ", "{}", "{}.0"])
def test_cases_numbered_as_text_and_as_numbers_are_named(write, incomplete):
    """If the cases of one model are numbers, and those of another texts, the error shows one of each."""
    case = [
        write.format(each) if model == "tiny" else each for model, each in zip(LONG["model"], LONG["case"], strict=True)
    ]
    words = r"`case` holds 0, a number, and '\s?0(\.0)?\s?', a text.*all identifiers as text, or all as numbers"
    with pytest.raises(hs.HowsureError, match=words):
        hs.paired(LONG["label"], LONG["said"], model=LONG["model"], case=case, incomplete=incomplete)


def test_incomplete_cases_are_left_out_on_request():
    """Cases that a model lacks are left out only on request."""
    some = LONG[~((LONG.case < 4) & (LONG.model == "tiny"))]
    long = {"data": some, "model": "model", "case": "case", "incomplete": "drop"}
    found = hs.paired("label", "said", **long)
    wide = hs.paired(TRUTH[4:], {name: said[4:] for name, said in SAID.items()}, labels=["a", "b", "c"])
    assert found.counts[found.counts > 0].tolist() == wide.counts[wide.counts > 0].tolist()
    with pytest.raises(hs.HowsureError, match="No case has all 3 models"):
        hs.paired("label", "said", **(long | {"data": apart()}))
    with pytest.raises(hs.HowsureError, match="no `incomplete` .keep."):
        hs.paired("label", "said", **(long | {"incomplete": "keep"}))
    with pytest.raises(hs.HowsureError, match="`model` and `case` go together"):
        hs.paired("label", "said", data=LONG, model="model")


def apart():
    """Return rows of which no two are of one case."""
    return LONG.assign(case=np.arange(len(LONG)))
