"""An identifier of persons, images or documents that repeats has a caution where nobody stated its clusters."""

from __future__ import annotations

import warnings

import pandas as pd
import pytest

import howsure as hs
from howsure.errors import HowsureWarning
from support.shell import run

TRUTH, SAID = ["no", "yes"] * 12, ["no", "no"] * 6 + ["no", "yes"] * 6
NUMBERS = [patient for patient in range(8) for _ in range(3)]  # three images of each of eight patients


def frame(name, values=NUMBERS):
    """Return cases with a column of this name."""
    return pd.DataFrame({name: values, "truth": TRUTH, "said": SAID, "eye": [0, 1, 2] * 8, "score": range(24)})


@pytest.mark.parametrize(
    "name", ["patient_id", "PatientID", "patient", "image_id", "doc_id", "User", "subject_id", "record_id"]
)
def test_repeated_persons_images_and_documents_have_a_caution(name):
    """Several images of one patient are correlated; the caution names the argument that states it."""
    with pytest.warns(HowsureWarning, match=f"8 values.*groups='{name}'"):
        hs.confusion("truth", "said", data=frame(name))


@pytest.mark.parametrize(
    "name", ["site_id", "class_id", "subject", "fold", "image", "question_id", "model_id", "paid", "user_type", "row"]
)
def test_other_columns_have_none(name):
    """Sites, classes, folds and categories repeat for other reasons."""
    hs.confusion("truth", "said", data=frame(name))


@pytest.mark.parametrize("name", ["id", "task", "item_id"])
def test_items_of_several_raters_have_a_caution(name):
    """Labels of three annotators for one item are no independent cases."""
    data = frame(name).assign(annotator=[0, 1, 2] * 8)
    with pytest.warns(HowsureWarning, match=f"8 values.*groups='{name}'"):
        hs.confusion("truth", "said", data=data)
    hs.confusion("truth", "said", data=data, groups=name)


@pytest.mark.parametrize("name", ["reader", "readerID", "radiologist", "Observer"])
def test_reads_of_several_readers_have_a_caution(name):
    """Reads of one case by several readers are no independent cases."""
    data = frame("case").assign(**{name: [0, 1, 2] * 8})
    with pytest.warns(HowsureWarning, match="8 values.*groups='case'"):
        hs.scores("truth", "score", data=data)


@pytest.mark.parametrize(
    "arguments",
    [
        {"groups": "patient_id"},
        {"groups": ["patient_id", "eye"]},
        {"by": "patient_id"},
        {"by": "eye"},  # one case of each patient in each table
        {"check": False},
    ],
)
def test_a_stated_design_has_no_caution(arguments):
    """Clusters, crossed factors and groups that are stated need none; nor does a call without checks."""
    hs.confusion("truth", "said", data=frame("patient_id"), **arguments)


def test_each_case_once_has_no_caution():
    """An identifier of cases, of which one was entered twice, is no cluster."""
    hs.confusion("truth", "said", data=frame("patient_id", [*range(23), 22]))


@pytest.mark.parametrize("number, is_cautioned", [(2, False), (8, True)])
def test_a_column_named_user_may_be_a_role(number, is_cautioned):
    """The two roles of a dialogue are no identifier, eight users are."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        hs.confusion("truth", "said", data=frame("user", [each % number for each in NUMBERS]))
    assert bool(caught) == is_cautioned


@pytest.mark.parametrize("source, columns", [("scores", ("truth", "score")), ("values", ("score",))])
def test_scores_and_values_have_it_too(source, columns):
    """Every source of ungrouped cases has the caution."""
    with pytest.warns(HowsureWarning, match="groups='patient_id'"):
        getattr(hs, source)(*columns, data=frame("patient_id"))


def test_the_command_line_names_its_option(tmp_path):
    """The caution is one line, with the option that states the clusters."""
    frame("patient_id").to_csv(tmp_path / "d.csv", index=False)
    done = run("report", tmp_path / "d.csv", "--y-true", "truth", "--y-pred", "said")
    assert "--groups patient_id" in done.stderr
    assert done.stderr.count("\n") == 1
