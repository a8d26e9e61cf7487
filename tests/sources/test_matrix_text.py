"""A confusion matrix as programs print it, pasted into a file: the same 100 cases in every layout."""

import pytest

import howsure as hs
from howsure.errors import HowsureError, HowsureWarning
from howsure.sources.matrices import matrix_table

RIGHT = [[50, 3], [5, 42]]  # rows true
NAMED = {
    "LaTeX": "\\begin{tabular}{lrr}\n\\toprule\n & well & ill \\\\\n\\midrule\nwell & 50 & 3 \\\\\n\\hline ill & 5 & "
    "\\textbf{42} \\\\\n\\bottomrule\n\\end{tabular}\n",
    "Markdown in bold": "| | well | ill |\n|:--|--:|--:|\n| well | **50** | 3 |\n| ill | 5 | **42** |\n",
    "a database": "      | well | ill \n------+------+-----\n well |   50 |   3\n ill  |    5 |  42\n",
    "Polars": "shape: (2, 3)\n┌────────┬──────┬─────┐\n│ actual ┆ well ┆ ill │\n│ ---    ┆ ---  ┆ --- │\n│ str    ┆ i64  ┆ i64 │\n"
    "╞════════╪══════╪═════╡\n│ well   ┆ 50   ┆ 3   │\n│ ill    ┆ 5    ┆ 42  │\n└────────┴──────┴─────┘\n",
    "Stata": "           |         pred\n     truth |      well        ill |     Total\n-----------+----------------------+------\n"
    "      well |        50          3 |        53 \n       ill |         5         42 |        47 \n"
    "-----------+----------------------+------\n     Total |        55         45 |       100 \n",
    "reStructuredText": "====  ====  ===\n      well  ill\n====  ====  ===\nwell  50    3\nill   5     42\n====  ====  ===\n",
    "a report by R": "##       Reference\n## Prediction well ill\n##       well   50   5\n##       ill     3  42\n",
    "R's dput": 'structure(c(50L, 3L, 5L, 42L), dim = c(2L, 2L), dimnames = structure(list(Prediction = c("well", \n"ill"), '
    'Reference = c("well", "ill")), names = c("Prediction", "Reference")), class = "table")\n',
    "dput of a confusionMatrix, early R": 'list(positive = "ill", table = structure(c(50L, 3L, 5L, 42L), .Dim = c(2L, 2L), '
    '.Dimnames = structure(list(c("well", "ill"), c("well", "ill")), .Names = c("pred", "obs")), class = "table"), '
    "overall = c(Accuracy = 0.92, Kappa = 0.84), dots = list())",
    "HTML": "<!doctype html><p>Table 1<table><tr><th rowspan=2></th><th colspan='2'>Reference</th></tr><tr><th>well</th>"
    "<th>ill</th></tr><tr><td>well<td>50<td>5</tr><tr><th>ill</th><td> 3 </td><td><b>4</b>2</td></tr></table><p>Note",
    "HTML of pandas": '<table border="1" class="dataframe"><thead><tr style="text-align: right;"><th>Predicted</th>'
    "<th>well</th><th>ill</th></tr><tr><th>Actual</th><th></th><th></th></tr></thead><tbody>\n<tr><th>well</th><td>50</td>"
    "<td>3</td></tr>\n<tr><th>ill</th><td>5</td><td>42</td></tr></tbody></table>",
    "counts and percentages": ",well,ill\nwell,50 (94.3%),3 (5.7 %)\nill,5 (10.6%),42 (89.4%)\n",
}
BARE = {
    "MATLAB": "[50 3; 5 42]",
    "PyTorch": "tensor([[50,  3],\n        [ 5, 42]])",
    "TensorFlow": "tf.Tensor(\n[[50  3]\n [ 5 42]], shape=(2, 2), dtype=int32)",
    "Spark": "DenseMatrix([[50.,  3.],\n             [ 5., 42.]])",
    "Julia": "2×2 Matrix{Int64}:\n 50   3\n  5  42\n",
    "NumPy": "array([[50,  3],\n       [ 5, 42]], dtype=int32)",
}
OUTCOMES = {
    "a mapping": "{'tn': 50, 'fp': 3, 'fn': 5, 'tp': 42}",
    "lines": "TP: 42\nFP: 3\nFN: 5\nTN: 50\n",
    "a line": "TP=42, FP=3, FN=5, TN=50",
    "a line without signs": "TP 42 FP 3 FN 5 TN 50",
    "MedCalc": "\tDisease present\tn\tDisease absent\tn\tTotal\nTest positive\tTrue Positive\ta= 42\tFalse Positive\tc= 3\t45\n"
    "Test negative\tFalse Negative\tb= 5\tTrue Negative\td= 50\t55\nTotal\t\ta+b= 47\t\tc+d= 53\t100\n",
    "words": "True positives: 42\nFalse positives: 3\nFalse negatives: 5\nTrue negatives: 50\n",
}


def table_of(text, folder, name="m.txt"):
    """Return the table of a text in a file."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return matrix_table(path)


@pytest.mark.filterwarnings("ignore:The last row and column of the matrix")
@pytest.mark.parametrize("layout", NAMED)
def test_a_matrix_with_names(layout, tmp_path):
    """Rules, bars and marks of the program are no cells."""
    table = table_of(NAMED[layout], tmp_path, "m.html" if "HTML" in layout else "m.txt")
    assert table.counts.tolist() == RIGHT
    assert table.labels.tolist() == ["well", "ill"]


@pytest.mark.parametrize("layout", BARE)
def test_a_matrix_without_names(layout, tmp_path):
    """The name of the function and its settings are no cells, and a line with the size is no header."""
    table = table_of(BARE[layout], tmp_path)
    assert table.counts.tolist() == RIGHT
    assert table.labels.tolist() == [0, 1]


@pytest.mark.parametrize("layout", OUTCOMES)
def test_four_outcomes_by_name(layout, tmp_path):
    """The order does not matter."""
    assert table_of(OUTCOMES[layout], tmp_path).counts.tolist() == RIGHT


@pytest.mark.parametrize("text", ["TP 42% FP 3% FN 5% TN 50%", "TP: 0.42 FP: 0.03 FN: 0.05 TN: 0.50"])
def test_proportions_of_outcomes_are_refused(text, tmp_path):
    """They are no numbers of cases."""
    with pytest.raises(hs.HowsureError):
        table_of(text, tmp_path)


def test_outcomes_of_several_classes(tmp_path):
    """The outcomes of the last class are not those of all."""
    with pytest.raises(hs.HowsureError):
        table_of("a: TP=42 FP=3 FN=5 TN=50\nb: TP=50 FP=5 FN=3 TN=42\n", tmp_path)


@pytest.mark.parametrize(
    "text",
    [
        "Predicted  not ill  ill\nActual                 \nnot ill         50    3\nill              5   42\n",
        "           not ill   ill\nnot ill         50     3\nill              5    42\n",
        "           Actual\n           not ill   ill\nnot ill         50     5\nill              3    42\n",
    ],
    ids=["pandas", "no corner", "turned"],
)
def test_labels_with_blanks(text, tmp_path):
    """Two blanks or more separate cells where one blank belongs to a name."""
    table = table_of(text, tmp_path)
    assert table.counts.tolist() == RIGHT
    assert table.labels.tolist() == ["not ill", "ill"]


def test_names_and_counts_that_look_like_code(tmp_path):
    """A class may be named as a tag; R writes 100,000 as 1e+05; a cell of HTML has at most 1,000 columns."""
    assert table_of(",<table>,b\n<table>,5,1\nb,0,7\n", tmp_path).counts.tolist() == [[5, 1], [0, 7]]
    text = 'structure(c(1e+05, 5, 3, 42), dim = c(2L, 2L), dimnames = list(true = c("a", "b"), pred = c("a", "b")))'
    assert table_of(text, tmp_path).counts.tolist() == [[1e5, 3], [5, 42]]
    rows = [["", "a, b", "c; d"], ["a, b", "5", "1"], ["c; d", "0", "7"]]
    tabs, page = ("".join(each.join(row) + end for row in rows) for each, end in (("\t", "\n"), ("<td>", "<tr><td>")))
    for text, name in ((tabs, "m.txt"), (f"<h1>Results</h1><table><tr><td>{page}</table>", "m.html")):
        found = table_of(text, tmp_path, name)
        assert (found.labels.tolist(), found.counts.tolist()) == (["a, b", "c; d"], [[5, 1], [0, 7]])
    with pytest.raises(HowsureError, match="labels and no counts"):
        table_of("<table><tr><th colspan=9999999999>a", tmp_path, "m.html")


def test_tight_columns_are_no_labels_with_blanks(tmp_path):
    """Numbers with one blank between them are two cells, also where other columns are wide apart."""
    text = "          Truth\nPrediction VF  F  L\n        VF 50  5  0\n        F   6 40  1\n        L   0  1  2\n"
    assert table_of(text, tmp_path).counts.tolist() == [[50, 6, 0], [5, 40, 1], [0, 1, 2]]


@pytest.mark.filterwarnings("ignore:The last row and column of the matrix")
def test_the_table_of_a_diagnostic_test_in_r(tmp_path):
    """Rows are the test, and the outcome is the truth, as epiR prints it."""
    text = (
        "          Outcome +    Outcome -      Total\nTest +          670          202        872\n"
        "Test -           74          640        714\nTotal           744          842       1586\n"
    )
    table = table_of(text, tmp_path)
    assert table.labels.tolist() == ["-", "+"]  # epiR reports the sensitivity 670 / 744
    assert table.counts.tolist() == [[640, 202], [74, 670]]


@pytest.mark.parametrize("mark", [",", "'", "’", "\u00a0", "\u202f", " "])
def test_marks_between_thousands(mark, tmp_path):
    """Each but the point, which may be a decimal one."""
    text = f';well;ill\nwell;"1{mark}050";30\nill;50;"12{mark}345{mark}678"\n'
    assert table_of(text, tmp_path, "m.csv").counts.tolist() == [[1050, 30], [50, 12345678]]


@pytest.mark.parametrize(
    "cell, remedy",
    [
        ("", "nothing is not a count .* Write 0 where there is no case"),
        ("-", "'-' is not a count .* Write 0 where"),
        ("0.943", "'0.943' is not a count .* Give the numbers of cases"),
        ("94.3%", "'94.3%' is not a count .* Give the numbers of cases"),
    ],
)
def test_cells_that_are_no_counts(cell, remedy, tmp_path):
    """The message says what to write."""
    with pytest.raises(hs.HowsureError, match=remedy):
        table_of(f",well,ill\nwell,{cell},3\nill,5,42\n", tmp_path, "m.csv")


@pytest.mark.parametrize("rows", [[[95, 5, 0], [10, 85, 5], [0, 1, 99]], [[34, 33, 33], [33, 33, 33], [1, 0, 99]]])
def test_rows_that_add_up_to_100(rows, tmp_path):
    """Rounded percentages look like counts of 100 cases a class."""
    with pytest.warns(hs.HowsureWarning, match="Each row of the matrix adds up to 100. If these are percentages"):
        hs.from_counts(rows)
    with pytest.warns(hs.HowsureWarning, match="Each column of the matrix adds up to 100"):
        table_of("\n".join(" ".join(map(str, row)) for row in zip(*rows, strict=True)), tmp_path)


def test_two_classes_in_percent_in_a_file(tmp_path):
    """A matrix of a paper; the same numbers in code are a made-up or balanced sample."""
    with pytest.warns(hs.HowsureWarning, match="Each row of the matrix adds up to 100"):
        table_of("95 5\n10 90\n", tmp_path)


@pytest.mark.filterwarnings("error::howsure.HowsureWarning")
@pytest.mark.parametrize("rows", [RIGHT, [[99, 0], [1, 98]], [[50, 50], [100, 100]]])
def test_other_sums_are_no_percentages(rows):
    """A whole of 100 cases is ordinary."""
    hs.from_counts(rows)
    hs.from_counts([[95, 5], [10, 90]])
    hs.from_counts([[95, 5, 0], [10, 85, 5], [0, 1, 99]], check=False)
    hs.from_counts(tp=90, fn=10, fp=5, tn=95)
    hs.from_rates(sensitivity=0.9, specificity=0.95, positives=100, negatives=100)


@pytest.mark.filterwarnings("ignore:The last row and column of the matrix")
def test_labels_with_words_beside_totals(tmp_path):
    """A total has no such word."""
    text = ",Actual well,Actual ill,Total\nPredicted well,50,5,55\nPredicted ill,3,42,45\nTotal,53,47,100\n"
    table = table_of(text, tmp_path, "m.csv")
    assert table.counts.tolist() == RIGHT
    assert table.labels.tolist() == ["well", "ill"]


@pytest.mark.parametrize(
    "text",
    [
        "     well ill class.error\nwell   50   3  0.05660377\nill     5  42  0.10638298\n",
        ",well,ill,Recall (%)\nwell,50,3,94.3\nill,5,42,89.4\nPrecision,90.9,93.3,\n",
        "#  well ill\n# well 50 3\n# ill 5 42\n",
    ],
    ids=["randomForest", "a spreadsheet", "comments"],
)
@pytest.mark.filterwarnings("ignore:.*numbers that are no cases of a class were left out")
def test_rates_beside_a_matrix(text, tmp_path):
    """Rates of the classes are no counts."""
    table = table_of(text, tmp_path, "m.csv" if "," in text else "m.txt")
    assert table.counts.tolist() == RIGHT
    assert table.labels.tolist() == ["well", "ill"]


def test_rates_that_are_left_out_are_named(tmp_path):
    """A class may be named like a metric, where both axes have it."""
    with pytest.warns(hs.HowsureWarning, match="'Recall' in the labels of the matrix: numbers that are no cases"):
        table_of(",well,ill,Recall\nwell,50,3,0.9434\nill,5,42,0.8936\n", tmp_path, "m.csv")
    table = table_of(",error,rate\nerror,50,3\nrate,5,42\n", tmp_path, "m.csv")
    assert table.labels.tolist() == ["error", "rate"]


@pytest.mark.parametrize(
    "header", ["tp,fp,fn,tn", "VP,FP,FN,VN", "RP,FP,FN,RN", "True Positive,False positives,false_negative,TrueNegative"]
)
def test_outcomes_are_named_in_words_and_other_languages(header, tmp_path):
    """A table of studies has a column for each outcome, by the names of its language."""
    (tmp_path / "studies.csv").write_text(f"study,{header}\nA,42,3,5,50\n")
    assert matrix_table(tmp_path / "studies.csv").counts.tolist() == [[50, 3], [5, 42]]


def test_a_row_of_totals_is_no_study(tmp_path):
    """A last row of the sums would count each case twice: named, it is left out; otherwise it is refused."""
    file = tmp_path / "studies.csv"
    file.write_text("study,TP,FP,FN,TN\nA,42,3,5,50\nB,30,2,1,40\nTotal,72,5,6,90\n")
    with pytest.warns(HowsureWarning, match="Totals are no table"):
        found = matrix_table(file)
    assert found.overall.counts.tolist() == [[90, 5], [6, 72]]
    file.write_text("study,TP,FP,FN,TN\nA,42,3,5,50\nB,30,2,1,40\nC,72,5,6,90\n")
    with pytest.raises(HowsureError, match="the last row is the sum of the others"):
        matrix_table(file)
    assert matrix_table(file, check=False).overall.rows == 346
