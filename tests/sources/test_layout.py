"""Names, order and orientation: an input that is permuted, renamed, turned or totalled gives the same numbers, or none.

The expected numbers are worked out here with NumPy, never by the library.
"""

import itertools

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sklearn.metrics import cohen_kappa_score

import howsure as hs
from howsure.metrics.registry import REGISTRY
from howsure.sources.matrix_file import read_matrix
from support.arguments import spec_of
from support.optional import optional
from support.shell import run

pl = optional("polars")

RNG = np.random.default_rng(0)
CLASSES = ["VF", "F", "M", "L"]
TRUE = RNG.integers(0, 4, 80)
CHANCES = RNG.dirichlet([0.6] * 4, 80) * 0.5
CHANCES[np.arange(80), TRUE] += 0.5
LOSS = float(-np.log(CHANCES[np.arange(80), TRUE]).mean())
WORDS = np.array(CLASSES)[TRUE]
NAMES = {
    "bare": "{}",
    "prefix": "prob_{}",
    "suffix": "{}_proba",
    "R's": ".pred_{}",
    "both": "P({})",
    "capitals": "PROB_{}",
}
ORDERS = [(0, 1, 2, 3), (3, 1, 0, 2), (1, 2, 3, 0)]
FRAMES = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "arrow": pa.table,
    "mapping": dict,
}


def named(order, pattern):
    """Return the columns of probabilities by name, in some order."""
    names = [CLASSES[place].lower() if pattern.isupper() else CLASSES[place] for place in order]
    return {pattern.format(name): CHANCES[:, place] for name, place in zip(names, order, strict=True)}


def loss(table):
    """Return the mean loss of a table of scores."""
    return hs.estimate(table, "log_loss").value


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("names", NAMES)
@pytest.mark.parametrize("frame", FRAMES)
def test_columns_match_classes_by_name(frame, names, order):
    """Whichever order and container the columns come in, each class has the column of its name."""
    columns = FRAMES[frame](named(order, NAMES[names]))
    assert loss(hs.multiclass_scores(WORDS.tolist(), columns)) == pytest.approx(LOSS)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("kind", ["mapping", "pandas", "polars", "lazy", "csv", "parquet"])
def test_named_columns_of_data_match_classes(kind, order, tmp_path):
    """The names that the caller lists are matched too, also those of a file."""
    columns = {"y": WORDS.tolist()} | {name: each.tolist() for name, each in named(order, ".pred_{}").items()}
    frame = pd.DataFrame(columns)
    frame.to_csv(tmp_path / "cases.csv", index=False)
    frame.to_parquet(tmp_path / "cases.parquet")
    data = {
        "mapping": columns,
        "pandas": frame,
        "polars": pl.DataFrame(columns),
        "lazy": pl.LazyFrame(columns),
        "csv": tmp_path / "cases.csv",
        "parquet": tmp_path / "cases.parquet",
    }[kind]
    assert loss(hs.multiclass_scores("y", list(columns)[1:], data=data)) == pytest.approx(LOSS)


@pytest.mark.parametrize("order", ORDERS)
def test_numbers_as_names_match_numbers(order):
    """Columns "2", "0", … match the classes 0 … 3; a frame's default column numbers are not names."""
    columns = {str(place): CHANCES[:, place] for place in order}
    assert loss(hs.multiclass_scores(TRUE, pd.DataFrame(columns))) == pytest.approx(LOSS)
    assert loss(hs.multiclass_scores(TRUE + 1, pd.DataFrame(CHANCES))) == pytest.approx(LOSS)
    assert loss(hs.multiclass_scores(TRUE + 1, pl.DataFrame(CHANCES))) == pytest.approx(LOSS)


@pytest.mark.parametrize(
    "truth",
    [
        pd.Series(pd.Categorical(WORDS, CLASSES, ordered=True)),
        pl.Series(WORDS, dtype=pl.Enum(CLASSES)),
        pa.DictionaryArray.from_arrays(pa.array(TRUE, pa.int8()), pa.array(CLASSES), ordered=True),
    ],
    ids=["pandas", "polars", "arrow"],
)
def test_ordered_categories_give_the_order_of_columns(truth):
    """Columns without names follow the order of the categories."""
    assert loss(hs.multiclass_scores(truth, CHANCES)) == pytest.approx(LOSS)
    assert loss(hs.multiclass_scores(truth, CHANCES, labels=CLASSES)) == pytest.approx(LOSS)


def test_a_category_that_never_occurs_has_its_column():
    """Ordered categories name the classes of all columns, also of those without a case."""
    some = TRUE < 3
    truth = pd.Series(pd.Categorical(WORDS[some], CLASSES, ordered=True))
    right = -np.log(CHANCES[some, TRUE[some]]).mean()
    assert loss(hs.multiclass_scores(truth, CHANCES[some])) == pytest.approx(right)
    assert loss(hs.multiclass_scores(WORDS[some], pd.DataFrame(CHANCES[some], columns=CLASSES))) == pytest.approx(right)


@pytest.mark.parametrize(
    "columns, labels, words",
    [
        (["VF", "F", "M", "LL"], None, "holds 'L', and no column"),
        (["p_VF", "p_F", "p_M", "p_other"], None, "holds 'L', and no column"),
        (["F", "L", "M", "VF"], CLASSES, "their names say"),
        (["x_F", "x_L", "x_M", "x_VF"], CLASSES, "their names say"),
    ],
)
def test_names_that_contradict_are_refused(columns, labels, words):
    """Both readings are named."""
    with pytest.raises(hs.HowsureError, match=words):
        hs.multiclass_scores(WORDS, pd.DataFrame(CHANCES, columns=columns), labels=labels)


def test_columns_of_other_names_keep_their_places():
    """Names unrelated to the classes are not used: labels= is."""
    frame = pd.DataFrame(CHANCES, columns=list("abcd"))
    assert loss(hs.multiclass_scores(WORDS, frame, labels=CLASSES)) == pytest.approx(LOSS)


def test_numbers_in_text_have_two_orders_of_columns():
    """Columns of "1", "2" and "10" may follow the numbers or the alphabet: refused without labels=."""
    text = np.array(["1", "2", "9", "10"])
    with pytest.raises(hs.HowsureError, match="numbers in text"):
        hs.multiclass_scores(text[TRUE], CHANCES)
    assert loss(hs.multiclass_scores(text[TRUE], CHANCES, labels=text)) == pytest.approx(LOSS)
    by_text = np.argsort(text)  # as scikit-learn's predict_proba has them
    assert hs.log_loss(text[TRUE], CHANCES[:, by_text]).value == pytest.approx(LOSS)


@pytest.mark.parametrize("source", [hs.confusion, hs.multiclass_scores], ids=["labels", "scores"])
def test_frames_of_indicators_match_by_name(source):
    """The columns of one frame may be in another order than those of the other."""
    true = pd.DataFrame(RNG.integers(0, 2, (40, 3)), columns=["cat", "dog", "emu"])
    said = pd.DataFrame(np.where(RNG.random((40, 3)) < 0.8, true, 1 - true), columns=true.columns)
    metric = "f1@none" if source is hs.confusion else "roc_auc@none"
    right = {name: each.value for name, each in hs.evaluate(source(true, said), metric).items()}
    turned = hs.evaluate(source(true, said[["emu", "cat", "dog"]]), metric)
    assert {name: each.value for name, each in turned.items()} == right
    assert sum("dog" in name for name in right) == 1
    with pytest.raises(hs.HowsureError, match="has the columns|no column has"):
        source(true, said.rename(columns={"emu": "owl"}))


# --- matrices -----------------------------------------------------------------------------------------------------

MATRIX = np.array([[50, 3, 1], [5, 42, 2], [0, 4, 30]])
LABELS = ["mild", "none", "severe"]
RECALL = {"mild": 50 / 54, "none": 42 / 49, "severe": 30 / 34}


def recalls(table):
    """Return the recall of each class by name."""
    return {str(label): hs.estimate(table, f"recall@binary+positive_class={label}").value for label in table.labels}


def frame_of(rows, columns, *, totals=(), turned=False, names=(None, None), labels=("{}", "{}")):
    """Return the matrix as a frame, with rows and columns in some order."""
    frame = pd.DataFrame(MATRIX, index=LABELS, columns=LABELS).iloc[list(rows), list(columns)]
    if "row" in totals:
        frame.loc["Total"] = frame.sum()
    if "column" in totals:
        frame["Total"] = frame.sum(axis=1)
    frame.index = [labels[0].format(label) for label in frame.index]
    frame.columns = [labels[1].format(label) for label in frame.columns]
    frame.index.name, frame.columns.name = names
    return frame.T if turned else frame


@pytest.mark.filterwarnings("ignore:The last")
@pytest.mark.parametrize("rows", list(itertools.permutations(range(3))))
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("totals", [(), ("row",), ("column",), ("row", "column")])
@pytest.mark.parametrize("stated", ["axes", "labels"])
def test_frames_are_read_by_their_names(rows, turned, totals, stated):
    """In any order, turned and with totals, each class has its recall."""
    told = {"names": ("true", "predicted")} if stated == "axes" else {"labels": ("Actual {}", "Predicted {}")}
    if stated == "labels" and totals:
        told = {"names": ("Reference", "Prediction")}
    frame = frame_of(rows, rows[::-1], totals=totals, turned=turned, **told)
    found = recalls(hs.from_counts(frame))
    assert {name: pytest.approx(value) for name, value in RECALL.items()} == found


@pytest.mark.parametrize("names", [("y_true", "y_true2"), ("pred", "prediction")])
def test_axes_of_one_kind_are_refused(names):
    """Rows and columns that are both true, or both predicted, contradict each other."""
    with pytest.raises(hs.HowsureError, match="both named"):
        hs.from_counts(frame_of(range(3), range(3), names=(names[0], names[1].rstrip("2"))))


@pytest.mark.parametrize("size", [2, 3])
def test_totals_without_a_name_are_refused(size):
    """The last row and column are the sums of the others: refused, unless the caller means a class."""
    inner = MATRIX[:size, :size]
    whole = np.block([[inner, inner.sum(1, keepdims=True)], [inner.sum(0, keepdims=True), inner.sum()]])
    for given in (whole, whole.tolist(), np.stack([whole, 2 * whole])):
        with pytest.raises(hs.HowsureError, match="sums of the others"):
            hs.from_counts(given)
    assert hs.from_counts(whole, check=False).labels.tolist() == list(range(size + 1))
    with pytest.warns(hs.HowsureWarning, match="Totals"):
        table = hs.from_counts(whole, labels=LABELS[:size])
    assert np.array_equal(table.counts, inner)


def test_a_class_called_all_is_no_total():
    """A word for totals names totals only where the numbers are sums."""
    assert hs.from_counts(pd.DataFrame([[5, 1], [2, 7]], index=["all", "none"], columns=["all", "none"])).rows == 15
    with pytest.raises(hs.HowsureError, match="is not the sum"):
        hs.from_counts(pd.DataFrame(MATRIX, index=["a", "b", "Total"], columns=["a", "b", "Total"]))


def test_labels_select_or_rename():
    """`labels=` of the same names gives their order; other names rename; a mixture is refused."""
    frame = frame_of(range(3), range(3))
    assert hs.from_counts(frame, labels=["none", "mild", "severe"]).counts[0].tolist() == [42, 5, 2]
    assert hs.from_counts(frame, labels=["b", "a", "c"]).labels.tolist() == ["b", "a", "c"]
    with pytest.raises(hs.HowsureError, match="the matrix names its classes"):
        hs.from_counts(frame, labels=["none", "mild", "serious"])


FILES = {
    "plain": ",healthy,ill\nhealthy,50,3\nill,5,42\n",
    "columns reordered": ",ill,healthy\nhealthy,3,50\nill,42,5\n",
    "turned corner": "predicted/true,healthy,ill\nhealthy,50,5\nill,3,42\n",
    "turned corner with bars": "Prediction \\ Reference,healthy,ill\nhealthy,50,5\nill,3,42\n",
    "labels say it": ",Predicted healthy,Predicted ill\nActual healthy,50,3\nActual ill,5,42\n",
    "labels say it, turned": ",Actual: healthy,Actual: ill\nPredicted: healthy,50,5\nPredicted: ill,3,42\n",
    "suffixes": ",healthy (pred),ill (pred)\nhealthy (true),50,3\nill (true),5,42\n",
    "a line above": "          Reference\nPrediction healthy ill\n   healthy      50   5\n   ill           3  42\n",
    "semicolons": ";healthy;ill\nhealthy;50;3\nill;5;42\n",
    "tabs": "\thealthy\till\nhealthy\t50\t3\nill\t5\t42\n",
    "blanks": "healthy ill\nhealthy 50 3\nill 5 42\n",
    "Markdown": "| | healthy | ill |\n|:--|--:|--:|\n| healthy | 50 | 3 |\n| ill | 5 | 42 |\n",
    "trailing commas": ",healthy,ill,,\nhealthy,50,3,,\nill,5,42,,\n,,,,\n",
    "totals": ",healthy,ill,Total\nhealthy,50,3,53\nill,5,42,47\nTotal,55,45,100\n",
    "row totals": ",healthy,ill,Sum\nhealthy,50,3,53\nill,5,42,47\n",
    "outcomes": "TP,FP,FN,TN\n42,3,5,50\n",
    "outcomes, down": "FN,5\nTN,50\nTP,42\nFP,3\n",
    "lines": "truth,estimate,Freq\nhealthy,healthy,50\nhealthy,ill,3\nill,healthy,5\nill,ill,42\n",
    "lines, turned": "pred,obs,n\nhealthy,healthy,50\nill,healthy,3\nhealthy,ill,5\nill,ill,42\n",
}


@pytest.mark.filterwarnings("ignore:The last")
@pytest.mark.parametrize(
    "kind, encoding",
    [
        *((kind, "utf-8") for kind in FILES),
        *zip(FILES, itertools.cycle(["utf-8-sig", "utf-16", "cp1252"])),  # each layout in one more
    ],
)
def test_files_of_a_matrix(kind, encoding, tmp_path):
    """Every layout gives 42 of 47 ill cases, and 50 of 53 healthy ones."""
    path = tmp_path / "matrix.txt"
    path.write_bytes(FILES[kind].encode(encoding))
    found = run("matrix", path, "-m", "recall", "specificity", "--format", "csv")
    assert found.returncode == 0, found.stderr
    values = [float(line.split(",")[1]) for line in found.stdout.splitlines()[1:]]
    assert values == pytest.approx([42 / 47, 50 / 53])


@pytest.mark.parametrize(
    "text, words",
    [
        ("predicted,healthy,ill\nhealthy,50,5\nill,3,42\n", "may name the rows or the columns"),
        ("53,3,56\n5,42,47\n58,45,103\n", "sums of the others"),
        ("a,b,c\n1,2,3\n", "square"),
    ],
)
def test_files_that_can_be_read_in_two_ways(text, words, tmp_path):
    """They are refused with the name of the file."""
    path = tmp_path / "matrix.csv"
    path.write_text(text)
    found = run("matrix", path)
    assert found.returncode == 2
    assert words in found.stderr
    assert "matrix.csv" in found.stderr


@pytest.mark.parametrize("last", [("Total", "60"), ("60", "60"), ("Total", "Total")])
def test_a_row_of_totals_is_no_case(last):
    """A single case that is called so, or labelled by the number of the others, is refused."""
    true, said = ["n"] * 33 + ["y"] * 27, ["n"] * 27 + ["y"] * 33
    with pytest.raises(hs.HowsureError, match="row of totals"):
        hs.confusion([*true, last[0]], [*said, last[1]])
    with pytest.raises(hs.HowsureError, match="the sum of the others"):
        hs.values([*range(1, 13), sum(range(1, 13))])


# --- order of classes ----------------------------------------------------------------------------------------------

GRADES = ["Lo", "Med", "Hi"]
GIVEN = np.array(["Lo", "Med", "Hi", "Med", "Lo", "Hi", "Med", "Hi", "Lo", "Med"] * 3)
SAID = np.array(["Lo", "Hi", "Hi", "Med", "Med", "Med", "Med", "Lo", "Lo", "Med"] * 3)
ORDINAL = ["quadratic_kappa", "weighted_kappa", "mae", "mse", "rmse", "adjacent_accuracy"]


def steps(metric):
    """Return a metric of the grades, worked out from their steps."""
    true, said = (np.array([GRADES.index(each) for each in column]) for column in (GIVEN, SAID))
    off = np.abs(true - said)
    return {
        "mae": off.mean(),
        "mse": (off**2).mean(),
        "rmse": np.sqrt((off**2).mean()),
        "adjacent_accuracy": (off <= 1).mean(),
        "weighted_kappa": cohen_kappa_score(true, said, weights="linear"),
        "quadratic_kappa": cohen_kappa_score(true, said, weights="quadratic"),
    }[metric]


@pytest.mark.parametrize("metric", ORDINAL)
def test_words_need_a_stated_order(metric, tmp_path):
    """Words sorted by the alphabet are refused, in every container; a stated order is read."""
    frame = pd.DataFrame({"y": GIVEN, "p": SAID})
    frame.to_csv(tmp_path / "grades.csv", index=False)
    containers = [frame, pl.from_pandas(frame), pl.from_pandas(frame).lazy(), tmp_path / "grades.csv"]
    for data in containers:
        with pytest.raises(hs.HowsureError, match="labels="):
            hs.estimate(hs.confusion("y", "p", data=data), metric)
        found = hs.estimate(hs.confusion("y", "p", data=data, labels=GRADES), metric)
        assert found.value == pytest.approx(steps(metric))
    ordered = [pd.Series(pd.Categorical(each, GRADES, ordered=True)) for each in (GIVEN, SAID)]
    enums = [pl.Series(each, dtype=pl.Enum(GRADES)) for each in (GIVEN, SAID)]
    for true, said in (ordered, enums, (ordered[0], SAID)):
        assert hs.estimate(hs.confusion(true, said), metric).value == pytest.approx(steps(metric))
    with pytest.raises(hs.HowsureError, match="labels="):
        hs.compare(hs.paired(GIVEN, {"a": SAID, "b": GIVEN[::-1]}), metric)
    pair = hs.paired(ordered[0], {"a": SAID, "b": GIVEN[::-1]})
    assert hs.estimate(pair.model("a"), metric).value == pytest.approx(steps(metric))


@pytest.mark.parametrize("texts", [["1", "2", "10"], ["-1", "0", "0.5"], ["8", "9", "10"]])
def test_numbers_in_text_are_ordered_as_numbers(texts):
    """Text that is all numbers has their order; words with numbers have none."""
    as_text = dict(zip(GRADES, texts, strict=True))
    table = hs.confusion([as_text[each] for each in GIVEN], [as_text[each] for each in SAID])
    assert table.labels.tolist() == texts
    assert hs.estimate(table, "mae").value == pytest.approx(steps("mae"))
    worded = hs.confusion([f"grade {as_text[each]}" for each in GIVEN], [f"grade {as_text[each]}" for each in SAID])
    with pytest.raises(hs.HowsureError, match="order"):
        hs.estimate(worded, "mae")


def test_columns_of_different_orders_are_refused():
    """Two ordered categoricals that contradict each other are refused with both orders."""
    first, second = pd.Categorical(GIVEN, GRADES, ordered=True), pd.Categorical(SAID, GRADES[::-1], ordered=True)
    with pytest.raises(hs.HowsureError, match="differently"):
        hs.confusion(pd.Series(first), pd.Series(second))


def test_a_matrix_in_the_order_of_the_alphabet_states_none():
    """A pandas crosstab is sorted, so its order is not informative; another order is."""
    crossed = pd.crosstab(GIVEN, SAID)
    with pytest.raises(hs.HowsureError, match="order"):
        hs.estimate(hs.from_counts(crossed), "mae")
    written = crossed.loc[GRADES, GRADES]
    assert hs.estimate(hs.from_counts(written), "mae").value == pytest.approx(steps("mae"))


def test_scikit_learns_kappa_warns():
    """It orders words alphabetically, like scikit-learn, and warns."""
    with pytest.warns(hs.HowsureWarning, match="alphabet"):
        found = hs.cohen_kappa_score(GIVEN, SAID, weights="quadratic")
    assert found.value == pytest.approx(cohen_kappa_score(GIVEN, SAID, weights="quadratic"))


@pytest.mark.parametrize(
    "definition",
    [each for each in REGISTRY.shipped if each.form.name in {"cells", "coefficients", "margins"}],
    ids=lambda each: each.name,
)
def test_metrics_that_depend_on_the_order_say_so(definition):
    """A metric of three classes changes with their order if, and only if, it is declared so."""
    counts, order = np.array([[9.0, 4, 1], [2, 7, 3], [0, 5, 8]]), [1, 2, 0]
    values = [
        hs.estimate(hs.from_counts(each, labels=list("abc")), spec_of(definition, 3), method="delta").value
        for each in (counts, counts[np.ix_(order, order)])
    ]
    assert (values[0] == pytest.approx(values[1])) is not definition.is_ordinal


def test_columns_of_calibrated_probabilities_are_in_the_order_of_their_names():
    """Labels in another order than the columns' names, also after a prefix, are refused and not swapped."""
    frame = pd.DataFrame({"p_cat": [0.2, 0.7], "p_dog": [0.8, 0.3]})
    assert hs.calibrated(frame, labels=["cat", "dog"]).labels.tolist() == ["cat", "dog"]
    for given in ({"data": None}, {"data": frame}):
        scores = frame if given["data"] is None else list(frame)
        with pytest.raises(hs.HowsureError, match="their names say 'p_cat', 'p_dog'"):
            hs.calibrated(scores, labels=["dog", "cat"], **given)


def test_labels_that_differ_in_capitals_alone_are_refused():
    """Yes and yes would never agree; the letters a and A are two classes."""
    true, said = ["Yes", "No"] * 20, ["yes", "no"] * 19 + ["Yes", "No"]
    with pytest.raises(hs.HowsureError, match="'No' and 'no' differ in capitals alone|'Yes' and 'yes' differ"):
        hs.confusion(true, said)
    assert hs.estimate(hs.confusion(true, said, check=False), "accuracy").value == pytest.approx(0.05)
    assert hs.confusion(["a", "A"] * 5, ["A", "A"] * 5).labels.tolist() == ["A", "a"]


def test_spreadsheets_are_read_by_whichever_reader_is_there(monkeypatch, tmp_path):
    """The only non-empty sheet is read; without a reader the message names the extra."""
    path = tmp_path / "matrix.xlsx"
    path.write_bytes(b"PK\x03\x04")
    cells = [["predicted/true", "healthy", "ill"], ["healthy", 50.0, 5.0], ["ill", 3.0, 42.0], [None, None, None]]
    monkeypatch.setattr("howsure.sources.sheets._by_openpyxl", lambda _: {"empty": [[None, ""]], "one": cells})
    monkeypatch.setattr("importlib.util.find_spec", lambda name, *_: name == "openpyxl" or None)
    labels, counts = read_matrix(path)
    assert labels == ["healthy", "ill"]
    assert counts.tolist() == [[50, 3], [5, 42]]
    monkeypatch.setattr("importlib.util.find_spec", lambda *_: None)
    with pytest.raises(hs.HowsureError, match=r"howsure\[sheets\]"):
        read_matrix(path)


def test_text_digits_of_many_classes_match_by_name():
    """Columns "0" … "11" in the order of the numbers, and in that of the alphabet, are those of the classes."""
    names, true = [str(place) for place in range(12)], RNG.integers(0, 12, 200)
    rows = RNG.dirichlet([0.5] * 12, 200) * 0.5
    rows[np.arange(200), true] += 0.5
    frame, right = pd.DataFrame(rows, columns=names), -np.log(rows[np.arange(200), true]).mean()
    for columns in (names, sorted(names)):
        assert loss(hs.multiclass_scores(np.array(names)[true], frame[columns])) == pytest.approx(right)


EXTRA = {
    "n": ([53, 47], "sums"),
    "#": ([53, 47], "sums"),
    "cases": ([53, 47], "sums"),
    "PA": ([94, 89], "refused"),
    "Recall (%)": ([94, 89], "refused"),
    "support": ([5, 47], "refused"),
    "F1": ([92, 91], "refused"),
}


@pytest.mark.filterwarnings("ignore:The last column")
@pytest.mark.parametrize("place", [0, 1, 2])
@pytest.mark.parametrize("name", EXTRA)
@pytest.mark.parametrize("is_file", [False, True])
def test_a_column_of_sums_or_of_a_metric_is_no_class(is_file, name, place, tmp_path):
    """A column beside those of the classes is left out if it holds their sums, and refused if it names a metric."""
    numbers, outcome = EXTRA[name]
    frame = pd.DataFrame({"well": [50, 5], "ill": [3, 42]}, index=["well", "ill"])
    frame.insert(place, name, numbers)
    frame.to_csv(tmp_path / "m.csv")

    def read():
        return read_matrix(tmp_path / "m.csv")[1] if is_file else hs.from_counts(frame).counts

    if outcome == "refused":
        with pytest.raises(hs.HowsureError, match="names no class"):
            read()
    else:
        assert read().tolist() == [[50, 3], [5, 42]]


@pytest.mark.parametrize("header", ["TP,FP,FN", "tp,fp,fn", "precision,recall,support"])
def test_columns_of_outcomes_or_metrics_are_no_classes(header, tmp_path):
    """Three columns of outcomes or of metrics, and three rows, are no matrix of three classes."""
    (tmp_path / "m.csv").write_text(f"{header}\n42,5,5\n20,5,7\n23,5,3\n")
    with pytest.raises(hs.HowsureError, match="names no class"):
        read_matrix(tmp_path / "m.csv")


@pytest.mark.parametrize("name", ["n", "F", "unknown"])
def test_an_absent_class_is_no_statistic(name):
    """A class that is only predicted is a class, also where its name is a letter."""
    frame = pd.DataFrame([[5, 1, 2], [2, 7, 0]], index=["a", "b"], columns=["a", "b", name])
    assert set(hs.from_counts(frame).labels.tolist()) == {"a", "b", name}


@pytest.mark.parametrize(
    "corner, is_turned",
    [
        ("algorithm/biopsy", True),
        ("biopsy vs AI", False),
        ("Prédit/Réel", True),
        ("预测/真实", True),
        ('"rows=pred, cols=true"', True),
        ("rows = predictions", True),
        ("Pred → / True ↓", False),
        ("Predicted (columns) vs Actual (rows)", False),
        ("Predicted → Actual ↓", False),
        ("Actual → / Predicted ↓", True),
    ],
)
def test_corners_tell_the_orientation(corner, is_turned, tmp_path):
    """Words for who decides and who is right, and words and arrows for rows and columns, tell the axes."""
    (tmp_path / "m.csv").write_text(f"{corner},well,ill\nwell,50,3\nill,5,42\n")
    expected = [[50, 5], [3, 42]] if is_turned else [[50, 3], [5, 42]]
    assert read_matrix(tmp_path / "m.csv")[1].tolist() == expected


@pytest.mark.parametrize(
    "title, is_turned", [("Confusion matrix (rows = predictions)", True), ("Confusion matrix", False)]
)
def test_titles_are_no_rows(title, is_turned, tmp_path):
    """A line with one text above the matrix is a title, which may tell the orientation."""
    (tmp_path / "m.csv").write_text(f"{title},,\n,,\n,well,ill\nwell,50,3\nill,5,42\n")
    expected = [[50, 5], [3, 42]] if is_turned else [[50, 3], [5, 42]]
    assert read_matrix(tmp_path / "m.csv")[1].tolist() == expected


def test_axes_of_unknown_names_have_a_warning():
    """Names of axes that are not understood are told, with the reading that was taken."""
    axes = [pd.Index(["n", "p"], name=name) for name in ("this", "that")]
    with pytest.warns(hs.HowsureWarning, match="'this' and 'that'"):
        table = hs.from_counts(pd.DataFrame([[50, 3], [5, 42]], *axes))
    assert table.counts.tolist() == [[50, 3], [5, 42]]


LAID_OUT = {
    "axes in a row and a column": ",,Predicted,\n,,well,ill\nActual,well,50,3\n,ill,5,42\n",
    "the same, turned": ",,Actual,\n,,well,ill\nPredicted,well,50,5\n,ill,3,42\n",
    "Weka": "=== Confusion Matrix ===\n\n  a  b   <-- classified as\n 50  3 |  a = well\n  5 42 |  b = ill\n",
    "lines with row names": '"","Prediction","Reference","Freq"\n"1","well","well",50\n"2","ill","well",3\n'
    '"3","well","ill",5\n"4","ill","ill",42\n',
    "decimal commas": ";well;ill\nwell;50,00;3,00\nill;5,00;42,00\n",
    "three decimals": ",well,ill\nwell,50.000,3.000\nill,5.000,42.000\n",
}


@pytest.mark.parametrize("layout", LAID_OUT)
def test_layouts_of_matrices(layout, tmp_path):
    """The layouts of spreadsheets, of Weka and of R's frames are read."""
    (tmp_path / "m.csv").write_text(LAID_OUT[layout])
    names, matrix = read_matrix(tmp_path / "m.csv")
    assert names == ["well", "ill"]
    assert matrix.tolist() == [[50, 3], [5, 42]]


def test_thousands_are_read_or_refused(tmp_path):
    """Commas between thousands are read; points may also be decimal points."""
    (tmp_path / "m.csv").write_text("\twell\till\nwell\t12,500\t3\nill\t5\t2,000\n")
    assert read_matrix(tmp_path / "m.csv")[1].tolist() == [[12500, 3], [5, 2000]]
    (tmp_path / "m.csv").write_text(";well;ill\nwell;1.000;3\nill;5;2.000\n")
    with pytest.raises(hs.HowsureError, match="'1.000' may be 1000 or 1"):
        read_matrix(tmp_path / "m.csv")


def test_lines_without_a_header_are_refused(tmp_path):
    """Three lines of two classes and a number are not read as a matrix of three classes."""
    (tmp_path / "m.csv").write_text("0,0,50\n1,0,5\n1,1,42\n")
    with pytest.raises(hs.HowsureError, match="true,predicted,n"):
        read_matrix(tmp_path / "m.csv")
    assert read_matrix(tmp_path / "m.csv", check=False)[1].shape == (3, 3)


def test_totals_may_come_first():
    """A first row and column of sums is refused as a last one is."""
    with pytest.raises(hs.HowsureError, match="first row"):
        hs.from_counts([[100, 55, 45], [53, 50, 3], [47, 5, 42]])


def test_matrices_of_one_class_against_the_rest_are_refused():
    """They are of the same cases, and no sites: neither as a stack nor as columns of outcomes."""
    true, predicted = RNG.integers(0, 3, 100), RNG.integers(0, 3, 100)
    stack = np.stack([hs.confusion(true == each, predicted == each).counts for each in range(3)])
    with pytest.raises(hs.HowsureError, match="of the same 100 cases"):
        hs.from_counts(stack)
    (tn, fp), (fn, tp) = stack.transpose(1, 2, 0)
    with pytest.raises(hs.HowsureError, match="of the same 100 cases"):
        hs.from_counts(tp=tp, fp=fp, fn=fn, tn=tn)
    assert len(hs.from_counts(stack, check=False)) == 3


def test_rounding_does_not_make_counts_fractional():
    """Counts that were divided and multiplied are whole; other fractions are refused with their digits."""
    matrix = np.array([[3, 1], [4, 45]])
    shares = matrix / matrix.sum(1, keepdims=True)
    assert hs.from_counts(shares * matrix.sum(1, keepdims=True)).counts.tolist() == matrix.tolist()
    with pytest.raises(hs.HowsureError, match=r"= 49\.99999 is not"):
        hs.from_counts([[49.99999, 3], [5, 42]])


@pytest.mark.parametrize("pattern", ["{} {}", "{}{}", "{}_{}"])
def test_clinical_labels_tell_the_orientation(pattern):
    """Test and disease, each with a plus and a minus, are the predicted and the true class."""
    rows, columns = ([pattern.format(word, sign) for sign in "+-"] for word in ("Test", "Disease"))
    table = hs.from_counts(pd.DataFrame([[42, 3], [5, 50]], rows, columns), pos_label="+")
    assert hs.estimate(table, "sensitivity").value == pytest.approx(42 / 47)
