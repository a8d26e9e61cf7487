"""A kind of evidence defined outside of the package, by the guide's own code: survival times with Harrell's C."""

import doctest
import pickle
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import howsure as hs
from howsure.metrics.binding import resolve
from howsure.metrics.kinds import FORMS
from howsure.tables import serialization
from howsure.testing import check_evidence, check_method, check_metric
from support.files import rows_of

GUIDE = Path(__file__).parents[2] / "docs" / "guide" / "extending.md"
ROWS = rows_of("survival.csv")
PATIENTS = {name: np.array([float(row[name]) for row in ROWS]) for name in ROWS[0]}
REFERENCE = {row["name"]: row for row in rows_of("survival_reference.csv")}


def defined():
    """Return the classes and functions that the guide's section defines."""
    section = GUIDE.read_text(encoding="utf-8").partition("## A kind of evidence")[2].partition("The matrices have")[0]
    names = {"__name__": "guide", "dataclass": dataclass, "np": np, "hs": hs}
    for example in doctest.DocTestParser().get_examples(section.replace("```", "# ")):
        exec(compile(example.source, str(GUIDE), "single"), names)  # noqa: S102 - the guide's code
    return names


@pytest.fixture(autouse=True)
def survival():
    """Return the guide's function that counts patients; forget its table, whose name the guide itself defines too."""
    yield defined()["survival"]
    serialization.TABLES.pop("SurvivalTable", None)


def of(survival, risk="first", **more):
    """Return the table of the patients of the reference."""
    roles = {role: PATIENTS[name] for role, name in more.items()}
    return survival(PATIENTS["time"], PATIENTS["event"], PATIENTS[risk], **roles)


def delta(table):
    return hs.estimate(table, "harrell_c", method="delta")


@pytest.mark.parametrize("name", ["first", "second"])
def test_the_value_and_its_error_are_those_of_survival(name, survival):
    """With tied times and scores, C and its infinitesimal jackknife are those of R's survival::concordance."""
    found, wanted = delta(of(survival, name)), REFERENCE[name]
    concordant, discordant, tied = (float(wanted[each]) for each in ("concordant", "discordant", "tied"))
    assert found.value == pytest.approx((concordant + tied / 2) / (concordant + discordant + tied), abs=1e-12)
    assert found.value == pytest.approx(float(wanted["value"]), abs=1e-12)
    assert found.standard_error == pytest.approx(float(wanted["standard_error"]), rel=1e-10)


@pytest.mark.parametrize(
    "name, more",
    [
        ("weighted", {"sample_weight": "weight"}),
        ("clustered", {"groups": "clinic"}),
        ("weighted and clustered", {"sample_weight": "weight", "groups": "clinic"}),
    ],
)
def test_weights_and_clusters_are_those_of_survival(name, more, survival):
    """Case weights have the variance of survival::concordance, G clusters G / (G − 1) times that."""
    found, wanted = delta(of(survival, **more)), REFERENCE[name]
    clinics = len(np.unique(PATIENTS["clinic"]))
    factor = np.sqrt(clinics / (clinics - 1)) if "groups" in more else 1.0
    assert found.value == pytest.approx(float(wanted["value"]), abs=1e-12)
    assert found.standard_error == pytest.approx(factor * float(wanted["standard_error"]), rel=1e-10)


def test_the_difference_of_two_models_is_that_of_survival(survival):
    """Two models of the same patients have the difference and the joint variance of survival::concordance."""
    both = survival(PATIENTS["time"], PATIENTS["event"], {"first": PATIENTS["first"], "second": PATIENTS["second"]})
    found, wanted = hs.compare(both, "harrell_c", method="delta"), REFERENCE["difference"]
    assert found.value == pytest.approx(float(wanted["value"]), abs=1e-12)
    assert found.standard_error == pytest.approx(float(wanted["standard_error"]), rel=1e-10)


def test_the_published_counts_of_a_trial(survival):
    """Of the maintained patients of the leukaemia trial, 14 pairs agree, 24 disagree and 2 have equal scores.

    The counts are those of tests/concordance.R of the survival package (Therneau).
    """
    time, event = [9, 13, 13, 18, 23, 28, 31, 34, 45, 48, 161], [1, 1, 0, 1, 1, 0, 1, 1, 0, 1, 0]
    found = hs.estimate(survival(time, event, [1, 6, 2, 7, 3, 7, 3, 8, 4, 4, 5]), "harrell_c")
    assert found.value == pytest.approx((14 + 2 / 2) / (14 + 24 + 2))


def concordance(time, event, risk, weight):
    """Return C by a loop over pairs of weighted patients."""
    agree = pairs = 0.0
    for one in range(len(time)):
        for other in range(len(time)):
            if event[one] and (time[one] < time[other] or (time[one] == time[other] and not event[other])):
                both = weight[one] * weight[other]
                pairs += both
                agree += both * (1.0 if risk[one] > risk[other] else 0.5 if risk[one] == risk[other] else 0.0)
    return agree / pairs


def test_the_error_is_the_infinitesimal_jackknife(survival):
    """The variance is the sum of the squared changes of C with the weight of each patient."""
    time, event, risk = (PATIENTS[name][:25] for name in ("time", "event", "first"))
    found, step = delta(survival(time, event, risk)), 1e-5
    changes = [
        concordance(time, event, risk, 1 + step * each) - concordance(time, event, risk, 1 - step * each)
        for each in np.eye(len(time))
    ]
    assert found.value == pytest.approx(concordance(time, event, risk, np.ones(len(time))), abs=1e-12)
    assert found.standard_error**2 == pytest.approx(np.sum(np.square(changes)) / (2 * step) ** 2, rel=1e-6)


def test_the_kind_keeps_the_laws(survival):
    """The tables, the metric and the methods on these tables obey the laws that howsure's own obey."""
    columns = {name: PATIENTS[name][:40] for name in ("time", "event", "first")}

    def make(columns, **more):
        return survival(columns["time"], columns["event"], columns["first"], **more)

    check_evidence(make, columns)
    check_metric("harrell_c")
    check_method("delta")


def test_no_comparable_pair_has_no_value(survival):
    """Where every patient is censored C is undefined, with the kind's own reason."""
    found = hs.estimate(survival([1, 2, 3], [0, 0, 0], [1, 2, 3]), "harrell_c")
    assert np.isnan([found.value, found.low, found.high]).all()
    assert found.reason == "undefined: no two patients are comparable"


def test_errors_name_the_other_kind(survival):
    """A metric of another kind is refused with the function that makes the right table, in both directions."""
    with pytest.raises(hs.HowsureError, match=r"Make a table of survival times: `survival\(time, event, risk\)`"):
        hs.estimate(hs.values([1.0, 2.0]), "harrell_c")
    with pytest.raises(hs.HowsureError, match="`mean` is a metric of values, and a table of survival times holds surv"):
        hs.estimate(of(survival), "mean")


def test_saved_tables_need_their_class(survival, tmp_path):
    """A saved table, of one model or two, is loaded to the last bit once its class is defined, else refused."""
    both = survival(PATIENTS["time"], PATIENTS["event"], {"a": PATIENTS["first"], "b": PATIENTS["second"]})
    for name, table in {"one.json": of(survival, sample_weight="weight"), "two.json": both}.items():
        again = hs.load(table.save(tmp_path / name))
        assert type(again) is type(table)
        assert np.array_equal(again.counts, table.counts)
    del serialization.TABLES["SurvivalTable"]
    for name in ("one.json", "two.json"):
        with pytest.raises(hs.HowsureError, match="holds a `SurvivalTable` of another package. Import that package"):
            hs.load(tmp_path / name)


def test_a_form_is_copied_by_name(survival):
    """A form that is sent to another process is the form of its name there."""
    form = resolve("harrell_c", of(survival)).spec.definition.form
    assert pickle.loads(pickle.dumps(form)) is FORMS["survival"]


@pytest.mark.parametrize("name", ["ratings", "predictions", "outcomes", "Survival times", ""])
def test_names_of_kinds(name):
    """A kind cannot have the name of one of howsure's, or one that is not a word."""
    with pytest.raises(hs.HowsureError, match="cannot be called"):
        hs.kinds.define_evidence(name, examples=tuple)


def test_a_kind_without_examples_cannot_be_checked():
    """The laws need a table of the kind; an iterable of none is refused where they are checked."""
    decorator = hs.kinds.define_evidence("lonely", examples=tuple)

    @decorator()
    def alone(table):
        """Nothing."""

    with pytest.raises(hs.HowsureError, match="There is no example of 'lonely'"):
        check_metric("alone")


def test_names_of_classes():
    """A class of tables cannot have the name of one of howsure's, which files name too."""
    with pytest.raises(hs.HowsureError, match="cannot be called `RatingsTable`"):
        type("RatingsTable", (hs.kinds.CasesTable,), {"__module__": "elsewhere"})
    with pytest.raises(hs.HowsureError, match="cannot be called `Weighted`"):
        type("Weighted", (hs.kinds.CasesTable,), {"__module__": "elsewhere"})


def test_columns_of_cases(survival):
    """Columns of other models, of other lengths, empty ones and missing numbers are refused in one line."""
    with pytest.raises(hs.HowsureError, match="`risk` is of the models"):
        survival([1, 2], [1, 0], {"only": [0.1, 0.2]})
    with pytest.raises(hs.HowsureError, match="differ in length"):
        survival([1, 2, 3], [1, 0], [0.1, 0.2])
    with pytest.raises(hs.HowsureError, match="`time` is empty"):
        survival([], [], [])
    with pytest.raises(hs.HowsureError, match=r"`risk\['b'\]` has 1 missing"):
        survival([1, 2], [1, 0], {"a": [0.1, 0.2], "b": [np.nan, 0.2]})


def test_parts_add_up(survival):
    """Counts of identical rows, and parts of other combinations, have the table of all cases."""
    time, event, risk = (PATIENTS[name] for name in ("time", "event", "first"))
    parts = [survival(time[some], event[some], risk[some]) for some in (slice(30), slice(30, None))]
    whole = sum(parts[1:], parts[0])
    assert whole.combinations.tolist() == of(survival).combinations.tolist()
    assert np.array_equal(whole.counts, of(survival).counts)
    twice = survival(time, event, risk, counts=np.full(len(time), 2))
    assert np.array_equal(twice.counts, 2 * of(survival).counts)


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: hs.kinds.count_cases(hs.from_counts([[5, 1], [2, 7]]), {"a": [1]}), "Give a class of tables"),
        (lambda: hs.kinds.count_cases(hs.tables.ValuesTable, [1]), "mapping from name to column"),
        (lambda: hs.kinds.define_evidence("own", examples=[]), "`examples` is no function"),
        (lambda: hs.kinds.define_evidence(["own"], examples=list), "cannot be called"),
        (lambda: hs.kinds.define_evidence("own", examples=list, tried="mean"), "list of names"),
        (lambda: hs.kinds.define_evidence("own", examples=list, counterparts=["f1"]), "Give a mapping"),
        (lambda: hs.confusion([0, 1], [0, 1], by=hs.values([1.0, 2.0])), "`by` is a ValuesTable"),
        (lambda: hs.training_runs([0, 1], 2.5), "has not the predictions of several runs"),
        (lambda: hs.cross_validated([0, 1, None]), "Name the fold of each case"),
    ],
)
def test_other_things_are_refused(call, words):
    """What is no class, no mapping, no function or no name is refused in one line."""
    with pytest.raises(hs.HowsureError, match=words):
        call()
