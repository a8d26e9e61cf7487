"""Study files: saved studies are restored byte for byte, and faults are named."""

import json
import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

import howsure as hs

pytestmark = pytest.mark.filterwarnings(
    "ignore:The column 'patient' has several"
)  # one table without clusters on purpose


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "matrices").mkdir()
    (tmp_path / "matrices" / "svm_0.csv").write_text("9,1\n2,8\n", encoding="utf-8")
    (tmp_path / "cases.csv").write_text(
        "label,guess,patient,weight\n" + "".join(f"{i % 2},{i % 3 % 2},{i // 4},{1 + i % 2}\n" for i in range(40)),
        encoding="utf-8",
    )
    return tmp_path


def full(folder):
    study = hs.Study(seed=7, n_draws=500, confidence_level=0.9)
    study.add("svm/0", {"matrix": "matrices/svm_0.csv"}, folder=folder)
    study.add("svm/1", {"matrix": "matrices/svm_0.csv", "labels": ["no", "yes"]}, folder=folder, prior="jeffreys")
    columns = {"y_true": "label", "y_pred": "guess"}
    study.add("cases/plain", {"predictions": "cases.csv", **columns}, folder=folder, prior=0.25)
    study.add("cases/clustered", {"predictions": "cases.csv", **columns, "groups": "patient"}, folder=folder)
    study.add("cases/weighted", {"predictions": "cases.csv", **columns, "sample_weight": "weight"}, folder=folder)
    study.add(
        "inline/a b",
        hs.from_counts([[5, 1], [0, 6]], labels=['say "no"', "ja\n→"]),
        prior=np.array([[1, 0.5], [0.5, 1]]),
    )
    study.add("words/letters", (["x", "y", "x"], ["x", "y", "y"]), prevalence_prior=[1.0, 2.0])
    study.add_metric("f1@macro", aggregation="dl", scale="log")
    study.add_metric("mcc", aggregation="nadeau_bengio", test_share=0.2)
    study.add_metric("fbeta+beta=2@macro")
    return study


def test_save_load_save_is_the_same(folder):
    """A study survives save, load and save byte for byte, and its draws with it."""
    first = full(folder)
    path = first.save(folder / "study.toml")
    second = hs.Study.load(path)
    text = path.read_bytes()
    assert second.save(folder / "again.toml").read_bytes() == text
    assert list(second.experiments) == list(first.experiments)
    assert second.metrics == first.metrics
    for name in first.experiments:
        assert np.array_equal(first.draws("mcc", name), second.draws("mcc", name), equal_nan=True), name


def test_paths_are_relative_to_the_file(folder):
    """A study saved elsewhere finds its files again."""
    (folder / "deep").mkdir()
    path = full(folder).save(folder / "deep" / "study.toml")
    assert 'matrix = "../matrices/svm_0.csv"' in path.read_text(encoding="utf-8")
    assert hs.Study.load(path).experiments["svm/0"].table.rows == 20


@given(
    st.lists(
        st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=6),
        min_size=2,
        max_size=4,
        unique=True,
    ),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="/"), min_size=1, max_size=8).filter(
        lambda text: text.strip() and text != "random"
    ),
    st.floats(0, 1e6),
)
def test_any_text_survives(tmp_path_factory, labels, name, prior):
    """Any label, name and prior comes back as it was."""
    path = tmp_path_factory.mktemp("study") / "study.toml"
    study = hs.Study()
    counts = np.arange(len(labels) ** 2).reshape(len(labels), -1)
    study.add(f"group/{name}", hs.from_counts(counts, labels=labels), prior=prior)
    study.save(path)
    one = hs.Study.load(path).experiments[f"group/{name}"]
    assert one.table.labels.tolist() == labels
    assert one.table.counts.tolist() == counts.tolist()
    assert one.prior == prior


@pytest.mark.parametrize("labels", [[3, 5], [0.5, 1.5], [True, False], ["0", "1"]])
def test_labels_keep_their_type(tmp_path, labels):
    """Labels that are numbers, texts or Booleans keep their type."""
    study = hs.Study()
    study.add("a", hs.from_counts([[5, 1], [0, 6]], labels=labels))
    found = hs.Study.load(study.save(tmp_path / "study.toml")).experiments["a"].table.labels.tolist()
    assert found == labels
    assert [type(each) for each in found] == [type(each) for each in labels]


def test_designs_that_counts_do_not_tell(tmp_path):
    """Clustered cases made in memory are not saved as plain counts, but refused with the remedy."""
    study = hs.Study()
    study.add("a", hs.confusion([0, 1, 1, 0], [0, 1, 0, 0], groups=[1, 1, 2, 2]))
    with pytest.raises(hs.HowsureError, match="Experiment 'a' has the design Clusters.*by the path of its predictions"):
        study.save(tmp_path / "study.toml")
    assert not (tmp_path / "study.toml").exists()


@pytest.mark.parametrize(
    "text, words",
    [
        ("sed = 1", "study.toml': there is no key 'sed' here. Did you mean 'seed'"),
        ("seed = 'x'", "study.toml': `seed` must be a whole number"),
        ("confidence_level = 95", "Did you mean 0.95"),
        ("seed = ", "study.toml' cannot be read"),
        ("metrics = 3", "key 'metrics': 3 is no table"),
        ("[metrics]\nf1 = 'dl'", "key 'metrics.f1': 'dl' is no table"),
        ("[metrics]\nfx = {}", "key 'metrics.fx': There is no metric"),
        (
            "[metrics]\nf1 = { agregation = 'dl' }",
            "key 'metrics.f1': there is no key 'agregation' here. Did you mean 'aggregation'",
        ),
        ("[metrics]\nf1 = { aggregation = 'rmel' }", "Did you mean 'reml'"),
        ("[experiments.a]\nmatrix = 'mtrices/svm_0.csv'", "key 'experiments.a': Experiment 'a': There is no file"),
        ("[experiments.a]\nmatrix = 'matrices/svm_1.csv'", "Did you mean 'svm_0.csv'"),
        (
            "[experiments.'a/b']\ncouns = [[1, 2], [3, 4]]",
            "key 'experiments.\"a/b\"': there is no key 'couns' here. Did you mean 'counts'",
        ),
        ("[experiments.a]\ncounts = [[1, 2, 3], [3, 4, 5]]", "is square"),
        ("[experiments.a]\ncounts = [[1, -2], [3, 4]]", "is negative"),
        ("[experiments.a]\ncounts = [[1, 2.5], [3, 4]]", "not a whole number"),
        ("[experiments.a]\ncounts = [[1, nan], [3, 4]]", "is not finite"),
        ("[experiments.a]\ncounts = [[1, 2], [3]]", "not a matrix of numbers"),
        ("[experiments.a]\ncounts = 'x'", "not a matrix of numbers|is square"),
        ("[experiments.a]\ncounts = [[1, 2], [3, 4]]\nprior = 'jefreys'", "Did you mean 'jeffreys'"),
        ("[experiments.a]\npredictions = 'cases.csv'\ny_true = 'lable'\ny_pred = 'guess'", "Did you mean 'label'"),
        ("[experiments.a]\nprior = 1", "give one of `counts`"),
        ("[experiments.random]\ncounts = [[1, 2], [3, 4]]", "a classifier that guesses"),
    ],
)
def test_what_is_wrong_is_named(folder, text, words):
    """A wrong key, a missing file and a bad matrix are refused by file and key, with the remedy."""
    path = folder / "study.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(hs.HowsureError, match=words) as refused:
        hs.Study.load(path)
    assert "study.toml" in str(refused.value)


def test_a_missing_study(tmp_path):
    """A missing study file is named, with the nearest one that is there."""
    (tmp_path / "study.toml").write_text("", encoding="utf-8")
    with pytest.raises(hs.HowsureError, match="There is no study file .*Did you mean 'study.toml'"):
        hs.Study.load(tmp_path / "studdy.toml")
    assert hs.Study.load(tmp_path / "study.toml").experiments == {}


def test_infinite_priors_are_refused():
    """A prior that is not finite is refused when it is given, and never reaches a file."""
    with pytest.raises(hs.HowsureError, match="non-finite"):
        hs.Study().add("a", [[1, 2], [3, 4]], prior=math.inf)


ONE = '[experiments."a/b"]\ncounts = [[5, 1], [2, 7]]\n'


@pytest.mark.parametrize(
    "text, words",
    [
        (ONE + "labels = 3\n", "`labels` is a list with one label per class, not 3"),
        (ONE + "labels = [[1], [2]]\n", "`labels` holds [1], which names no class"),
        (ONE + "labels = 1979-05-27\n", "`labels` is a list"),
        ("[metrics]\nf1 = { aggregation = 3 }\n" + ONE, "An aggregation is named by a text"),
        ("n_draws = 1e13\n" + ONE, "`n_draws` must be a whole number of at least 1 and at most 100,000,000"),
        ("seed = " + "[" * 3000 + "]" * 3000 + "\n", "s.toml' cannot be read"),
    ],
)
def test_values_of_another_kind_are_named(tmp_path, text, words):
    """A value of the wrong kind for its key gives a one-line error."""
    (tmp_path / "s.toml").write_text(text, encoding="utf-8")
    with pytest.raises(hs.HowsureError, match=r".") as raised:
        hs.Study.load(tmp_path / "s.toml")
    assert words in str(raised.value)


def test_the_suffix_says_the_form(folder):
    """`save("x.json")` writes JSON, which loads as the same study; a suffix of another form is refused."""
    study = full(folder)
    path = study.save(folder / "study.json")
    again = hs.Study.load(path)
    assert json.loads(path.read_text(encoding="utf-8"))["n_draws"] == 500
    assert again.save(folder / "toml.toml").read_bytes() == study.save(folder / "other.toml").read_bytes()
    with pytest.raises(hs.HowsureError, match=r"no format of a study file '.yaml'"):
        study.save(folder / "study.yaml")
    with pytest.raises(hs.HowsureError, match=r"no format of a study file '.csv'"):
        hs.Study.load(folder / "cases.csv")


def test_a_study_as_a_dict(folder, monkeypatch):
    """`from_dict` of `to_dict`, through JSON too, is the same study with the same draws."""
    monkeypatch.chdir(folder)
    first = full(folder)
    content = json.loads(json.dumps(first.to_dict()))
    second = hs.Study.from_dict(content)
    assert second.to_dict() == first.to_dict()
    assert np.array_equal(first.draws("mcc", "inline/a b"), second.draws("mcc", "inline/a b"))
    with pytest.raises(hs.HowsureError, match="the mapping: there is no key 'sed' here"):
        hs.Study.from_dict({"sed": 1})
    with pytest.raises(hs.HowsureError, match="3 is no table of names"):
        hs.Study.from_dict({"metrics": 3})


def test_data_that_are_doubted_are_taken_where_the_file_says_so(tmp_path):
    """`check = false` takes predictions that a study refuses, and is kept in the file that the study writes."""
    (tmp_path / "cases.csv").write_text("y,p\nill,ill \nwell,well\nill,ill\n")
    entry = '[experiments.model]\npredictions = "cases.csv"\ny_true = "y"\ny_pred = "p"\n'
    path = tmp_path / "study.toml"
    path.write_text(entry)
    with pytest.raises(hs.HowsureError, match="check=False"):
        hs.Study.load(path)
    path.write_text(f"{entry}check = false\n")
    study = hs.Study.load(path)
    assert study.experiments["model"].table.rows == 3
    study.save(tmp_path / "again.toml")
    assert hs.Study.load(tmp_path / "again.toml").experiments["model"].table.rows == 3
