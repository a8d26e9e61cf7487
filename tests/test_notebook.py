"""Notebook output of any object at the end of a cell."""

from functools import cache
from xml.etree import ElementTree as ET

import numpy as np
import pytest

import howsure as hs
from howsure.grids import MOST_LINES, Grid, Tabular
from howsure.methods.core.lookup import named
from howsure.methods.library import METHODS
from support.public import CLASSES
from support.random_cases import KINDS, a_case
from test_results import JUDGED, LOGS, PAIRED, SCORE, TABLE, TRUTH, VOTES, study

HUMAN = np.where(np.arange(200) < 60, TRUTH, np.nan)
HOSTILE = "<script>alert('" + "x" * 3000 + "')</script>"
MANY = np.arange(6000) % 300
LABELS = [f"{each} {HOSTILE}" for each in range(300)]
WIDE = hs.from_counts(np.eye(300) * 20 + 1, labels=LABELS)
MODELS = {f"{each} {HOSTILE}": np.where(MANY[:400] % (each + 2), 1, 0) for each in range(30)}
FEW_MODELS = dict(list(MODELS.items())[:12])
GROUPED = hs.confusion(MANY % 2, MANY % 7 > 2, by=[LABELS[each] for each in MANY])
MOST_HTML = 2**18  # characters
MOST_TEXT = 2**15


def kinds():
    """Return a table of each kind that the fuzzer makes."""
    found = {}
    for seed in range(1000):
        case = a_case(np.random.default_rng(seed))
        if case.kind not in found and case.size > 10:
            found[case.kind] = case.table
    assert found.keys() == {*KINDS}
    return found


def accumulator():
    """Return an accumulator of one batch."""
    made = hs.Accumulator(hs.confusion, labels=[0, 1])
    made.update(TRUTH, SCORE > 0.5)
    return made


TABLES = {
    **kinds(),
    "values": lambda: hs.values(SCORE),
    "events of images": lambda: hs.events([8, 5], [1, 0], [2, 3]),
    "errors": lambda: hs.values(SCORE, truth=SCORE + 0.1),
    "multilabel": lambda: hs.confusion(np.eye(3)[MANY % 3], np.eye(3)[MANY % 3]),
    "scores of labels": lambda: hs.multiclass_scores(np.eye(3)[MANY % 3], np.eye(3)[MANY % 3] * 0.9),
    "scores of classes": lambda: hs.multiclass_scores(MANY % 3, np.eye(3)[MANY % 3] * 0.8 + 0.2 / 3),
    "one model's battles": lambda: hs.preferences(["A", "B", "A"], ["B", "C", "C"], ["A", "B", "C"]).model("A"),
    "models' units": lambda: hs.from_counts({"A": [TABLE.counts] * 9, "B": [TABLE.counts + 1] * 9}, groups=range(9)),
    "models' values": lambda: hs.values({"A": SCORE, "B": SCORE**2}),
    "judged models": lambda: hs.judged({"A": HUMAN, "B": HUMAN}, {"A": VOTES[:, 0], "B": VOTES[:, 1]}, check=False),
    "many classes": lambda: WIDE,
    "many groups": lambda: GROUPED,
    "many models": lambda: hs.paired(MANY[:400] % 2, MODELS),
    "models": lambda: PAIRED,
    "judged": lambda: JUDGED,
    "batch": lambda: hs.confusion(TRUTH, SCORE > 0.5, by=TRUTH).stack,
    "log": lambda: hs.read_log(LOGS),
    "study": study,
    "columns": lambda: hs.load_example("breast_cancer"),
    "report": lambda: hs.report_of(TABLE, metrics=["f1"]),
    "estimates of many groups": lambda: hs.estimate(GROUPED, "precision"),
    "evaluations of many groups": lambda: hs.evaluate(GROUPED, ["precision", "mcc"]),
    "each class": lambda: hs.evaluate(WIDE, ["recall@none"]),
    "many models' evaluations": lambda: hs.evaluate_models(hs.paired(MANY[:400] % 2, MODELS), "accuracy"),
    "many comparisons": lambda: hs.compare_all(hs.paired(MANY[:400] % 2, FEW_MODELS), "accuracy"),
    "ranks of many": lambda: hs.ranks({name: np.sin(np.arange(50) + row.mean()) for name, row in MODELS.items()}),
}  # fmt: skip
BRIEF = {
    **{f"method {name}": lambda name=name: named(name) for name in METHODS},
    "method with settings": lambda: hs.methods.Dirichlet(prior=np.ones((300, 300))),
    "accumulator": accumulator,
    "calibrator": lambda: hs.calibrate(SCORE, TRUTH, random_state=0),
    "scorer": lambda: hs.scorer("f1"),
    "algorithm": lambda: hs.training_runs(TRUTH, [SCORE > 0.5, SCORE > 0.4]),
    "value and gradient": lambda: hs.kinds.Scored(value=np.sum, gradient=np.ones_like),
    "part of a variance": lambda: hs.training_runs(TRUTH, [SCORE > 0.5, SCORE > 0.4]).estimate("accuracy").parts[0],
    "item of a checklist": lambda: hs.report_of(TABLE, metrics=["f1"]).checklist("model-card")["Variation"],
    "subject": lambda: hs.results.Subject(table=GROUPED, evaluations={(): (hs.evaluate(WIDE, "accuracy"),)}),
    "interval": lambda: hs.methods.Interval(np.zeros(5000), np.ones(5000), draws=np.ones(5000), reason=np.full(5000, "x" * 90)),
    "clusters": lambda: hs.confusion(MANY % 2, MANY % 3 > 0, groups=MANY).design,
    "weights": lambda: hs.confusion(MANY % 2, MANY % 3 > 0, sample_weight=MANY + 1.0).design,
    "margins": lambda: WIDE.with_design(hs.designs.FixedMargins()).design,
    "unlabelled": lambda: hs.calibrated(MANY / 300).design,
    "population": lambda: hs.calibrated(MANY / 300, target="population").design,
    "traits": lambda: WIDE.design.traits,
    "kind": lambda: WIDE.kind,
    "description": lambda: WIDE.design.description,
    "independent": lambda: WIDE.design,
    "review": lambda: hs.reviewed([[560, 40], [60, 340]], [[[95, 5], [22, 18]], [[14, 26], [3, 97]]]).design,
}  # fmt: skip


@cache
def made(name):
    """Return the object of a name, made once."""
    return (TABLES | BRIEF)[name]()


@pytest.fixture(scope="module", params=TABLES)
def shown(request):
    """Return an object shown as a table that is not a result of `test_results`, or one that is very long."""
    return made(request.param)


def parsed(html):
    """Return the elements of HTML that is well formed."""
    return ET.fromstring(html)  # noqa: S314 - our own


def test_what_a_cell_ends_on_is_a_short_table(shown):
    """Its HTML is well formed, of bounded length, and labels are escaped."""
    html = shown._repr_html_()
    assert len(html) < MOST_HTML
    assert "script" not in {each.tag for each in parsed(html).iter()}


def test_texts_are_short(shown):
    """A repr is readable in a terminal, for any size of the object."""
    assert 1 <= len(repr(shown).splitlines()) <= MOST_LINES
    assert len(repr(shown)) < MOST_TEXT


@pytest.mark.parametrize("name", BRIEF)
def test_what_has_no_table_has_a_short_text(name):
    """Methods, designs and factories have a repr of a few lines, with settings and sizes."""
    text = repr(made(name))
    assert 1 <= len(text.splitlines()) <= MOST_LINES
    assert len(text) < MOST_TEXT
    assert " object at 0x" not in text


def test_every_public_class_is_here():
    """Each public class has an instance above, unless it is an error, or a result and so among those of `test_results`."""
    instances = [made(name) for name in TABLES | BRIEF]
    others = [each for each in CLASSES.values() if not any(isinstance(one, each) for one in instances)]
    assert not [each for each in others if not issubclass(each, Tabular | Exception)]


def test_a_confusion_table_is_its_matrix():
    """A cell that ends on a confusion table shows true classes down, predicted ones across, counts and totals."""
    root = parsed(hs.from_counts([[50, 3], [5, 42]], labels=["well", "<ill>"])._repr_html_())
    rows = [[cell.text for cell in row] for row in root.iter("tr")]
    assert rows == [
        ["true \\ predicted", "well", "<ill>", "total"],
        ["well", "50", "3", "53"],
        ["<ill>", "5", "42", "47"],
        ["total", "55", "45", "100"],
    ]


def test_a_printed_table_names_classes_matrix_and_positive_class():
    """`print` shows the matrix of few classes with its totals, and how many cases are positive; `repr` is one line."""
    table = hs.from_counts([[50, 3], [5, 42]], labels=["well", "ill"])
    *matrix, footer = str(table).splitlines()
    assert [line.split() for line in matrix[2:]] == [
        ["well", "50", "3", "53"],
        ["ill", "5", "42", "47"],
        ["total", "55", "45", "100"],
    ]
    assert footer == "100 cases; positive class: ill (47, 47 %)"
    assert repr(table) == "<ConfusionTable: 100 cases: 53 well, 47 ill; positive: ill>"
    many = hs.from_counts(np.eye(40))
    assert str(many) == repr(many) == "<ConfusionTable: 40 cases, 40 classes>"
    clustered = hs.confusion([0, 1, 1], [0, 1, 0], groups=[1, 1, 2])
    assert repr(clustered) == "<ConfusionTable: 3 cases: 1 of class 0, 2 of class 1; design: clusters>"
    assert all(line == line.rstrip() for line in [*str(table).splitlines(), *str(clustered).splitlines()])


def test_groups_are_listed_with_their_sizes():
    """A cell that ends on tables of groups shows the cases of all and of each, and of many groups the first."""
    few = hs.confusion([1, 0, 1], [1, 0, 0], by={"site": ["a", "a", "b"], "year": [1, 1, 2]})
    rows = [[cell.text or "" for cell in row] for row in parsed(few._repr_html_()).iter("tr")]
    assert rows == [["site", "year", "cases"], ["all", "", "3"], ["a", "1", "2"], ["b", "2", "1"]]
    assert "… 242 more" in GROUPED._repr_html_()


def test_wide_tables_are_cut_in_the_middle():
    """With many columns the first and the last are shown, and the number between them."""
    grid = Grid(tuple("abcdefgh"), (tuple("12345678"),)).narrowed(5)
    assert grid == Grid(("a", "b", "… 4 more columns", "g", "h"), (("1", "2", "…", "7", "8"),))
    assert Grid(("a",), (("1",),)).narrowed(5) == Grid(("a",), (("1",),))


def test_example_data_are_still_columns():
    """What is shown as a table is a dict of arrays, as before."""
    columns = hs.load_example("wine")
    assert isinstance(columns, dict)
    assert {type(each) for each in columns.values()} == {np.ndarray}
    assert repr(columns) == "<178 rows of 4 columns: label, fold, logistic, naive_bayes>"
