"""Cross-tables as statistics programs print them: the counts are those of which the printed totals are the sums."""

from __future__ import annotations

import pytest

from howsure.errors import HowsureError, HowsureWarning
from howsure.sources.matrices import matrix_table
from howsure.sources.matrix_words import axis_kind

COUNTS = [[50, 3], [5, 42]]  # rows are the true classes no and yes
SAS = """                 The FREQ Procedure

              Table of test by disease

      test      disease

      Frequency|
      Percent  |
      Row Pct  |
      Col Pct  |no      |yes     |  Total
      ---------+--------+--------+
      no       |     50 |      5 |     55
               |  50.00 |   5.00 |  55.00
               |  90.91 |   9.09 |
               |  94.34 |  10.64 |
      ---------+--------+--------+
      yes      |      3 |     42 |     45
               |   3.00 |  42.00 |  45.00
               |   6.67 |  93.33 |
               |   5.66 |  89.36 |
      ---------+--------+--------+
      Total          53       47      100
                  53.00    47.00   100.00
"""
SAS_MARKS = SAS.translate(str.maketrans("|-+", "\u201a\u0192\u02c6"))  # as its font shows them elsewhere
SPSS = """              truth * model Crosstabulation
                                        model
                                    no      yes     Total
truth   no    Count                 50        3        53
              % within truth     94.3%     5.7%    100.0%
        yes   Count                  5       42        47
              % within truth     10.6%    89.4%    100.0%
Total         Count                 55       45       100
              % within truth     55.0%    45.0%    100.0%
"""
SPSS_GERMAN = """Diagnose * Test Kreuztabelle
                                   Test
                               no      yes    Gesamt
Diagnose   no    Anzahl        50        3        53
                 % von T.   94,3%     5,7%    100,0%
           yes   Anzahl         5       42        47
                 % von T.   10,6%    89,4%    100,0%
Gesamt           Anzahl        55       45       100
                 % von T.   55,0%    45,0%    100,0%
"""
SPSS_TABLE = "gold * model Crosstabulation,,,,\nCount,,,,\n,,model,,Total\n,,no,yes,\ngold,no,50,3,53\n,yes,5,42,47\nTotal,,55,45,100\n"
SPSS_REGRESSION = """Classification Table(a)
                                 Predicted
                                 disease        Percentage
Observed                         no     yes     Correct
Step 1   disease           no    50     3       94.3
                           yes   5      42      89.4
         Overall Percentage                     92.0
a. The cut value is .500
"""
STATA = """           |         said
     truth |        no        yes |     Total
-----------+----------------------+----------
        no |        50          3 |        53
           |     94.34       5.66 |    100.00
-----------+----------------------+----------
       yes |         5         42 |        47
           |     10.64      89.36 |    100.00
-----------+----------------------+----------
     Total |        55         45 |       100
           |     55.00      45.00 |    100.00
"""
CROSS_TABLE = """   Cell Contents
|-------------------------|
|                       N |
|           N / Row Total |
|-------------------------|

Total Observations in Table:  100

             | test_set$label
   lda.class |        no |       yes | Row Total |
-------------|-----------|-----------|-----------|
          no |        50 |         5 |        55 |
             |     0.909 |     0.091 |     0.550 |
-------------|-----------|-----------|-----------|
         yes |         3 |        42 |        45 |
             |     0.067 |     0.933 |     0.450 |
-------------|-----------|-----------|-----------|
Column Total |        53 |        47 |       100 |
-------------|-----------|-----------|-----------|
"""
MINITAB = """Rows: truth   Columns: model

        no  yes  All

no      50    3   53
yes      5   42   47
All     55   45  100

Cell Contents
  Count
"""
ORANGE = "\tPredicted\n\tno\tyes\t∑\nActual\tno\t50\t3\t53\n\tyes\t5\t42\t47\n\t∑\t55\t45\t100\n"
PRINTED = {
    "SAS": SAS,
    "SAS with the marks of its font": SAS_MARKS,
    "SPSS": SPSS,
    "SPSS in German": SPSS_GERMAN,
    "SPSS as CSV": SPSS_TABLE,
    "a logistic regression of SPSS": SPSS_REGRESSION,
    "Stata": STATA,
    "CrossTable of R": CROSS_TABLE,
    "Minitab": MINITAB,
    "Orange": ORANGE,
}


def read(tmp_path, text):
    """Return the table of a printout, which has other lines than those of the matrix."""
    file = tmp_path / "printed.txt"
    file.write_text(text, encoding="utf-8")
    with pytest.warns(HowsureWarning, match="holds other lines"):
        return matrix_table(file)


@pytest.mark.parametrize("program", PRINTED)
def test_a_cross_table_with_percentages_is_read(program, tmp_path):
    """Counts are read with the true classes in rows, whichever variable is in rows; percentages are no cells."""
    table = read(tmp_path, PRINTED[program])
    assert table.labels.tolist() == ["no", "yes"]
    assert table.counts.tolist() == COUNTS


@pytest.mark.parametrize("program", ["Stata", "SPSS", "SAS"])
def test_classes_may_be_numbers(program, tmp_path):
    """Numbers at the beginning of lines are classes, where the totals agree with the others."""
    text = PRINTED[program].replace("yes", "  1").replace("no", " 0").replace("  0ne", "none")
    table = read(tmp_path, text)
    assert list(map(str, table.labels.tolist())) == ["0", "1"]
    assert table.counts.tolist() == COUNTS


def test_the_classification_table_of_stata_names_the_disease_positive(tmp_path):
    """Rows + and -, columns D and ~D are two names of the same classes; D is the positive class."""
    table = read(
        tmp_path,
        "Logistic model for low\n\n              -------- True --------\nClassified |    D     ~D |  Total\n"
        "-----------+-------------+-------\n     +     |   42      3 |     45\n     -     |    5     50 |     55\n"
        "-----------+-------------+-------\n   Total   |   47     53 |    100\n\n"
        "Classified + if predicted Pr(D) >= .5\nSensitivity       Pr( +| D)   89.36%\n",
    )
    assert table.positive == "+"
    assert table.counts.tolist() == COUNTS


def test_diagt_of_stata_has_two_names_of_each_class(tmp_path):
    """Rows Abnormal and Normal, columns Pos. and Neg."""
    text = (
        "\n           |          test\n   disease |      Pos.       Neg. |     Total\n-----------+---------------+------\n"
        "  Abnormal |        42          5 |        47 \n    Normal |         3         50 |        53 \n"
        "-----------+---------------+------\n     Total |        45         55 |       100 \n\n"
        "True abnormal diagnosis defined as disease = 1\n\n                          [95% Confidence Interval]\n"
        "Sensitivity                     Pr(+|A)     89.4%    76.9%     96.5%\n"
    )
    with pytest.warns(HowsureWarning, match="sums of the others"):
        table = read(tmp_path, text)
    assert table.labels.tolist() == ["negative", "positive"]
    assert table.counts.tolist() == COUNTS


@pytest.mark.parametrize("old, new", [("|         5 ", "|         4 "), ("       100", "       101"), (" 53", " 54")])
def test_a_cross_table_whose_totals_disagree_is_refused(old, new, tmp_path):
    """A number that does not fit the printed totals makes all numbers doubtful."""
    assert old in STATA
    (tmp_path / "printed.txt").write_text(STATA.replace(old, new))
    with pytest.raises(HowsureError, match=r"is not a square matrix"):
        matrix_table(tmp_path / "printed.txt")


def test_several_cross_tables_are_refused(tmp_path):
    """One table for each site is more than one matrix."""
    (tmp_path / "printed.txt").write_text(SAS + "\n\n" + SAS)
    with pytest.raises(HowsureError, match="holds 2 cross-tables. Keep one"):
        matrix_table(tmp_path / "printed.txt")


def test_percentages_without_counts_are_refused(tmp_path):
    """A table of row percentages has totals of 100, and no numbers of cases."""
    text = STATA.replace("        50          3 |        53", "     94.34       5.66 |    100.00")
    (tmp_path / "printed.txt").write_text(
        text.replace("         5         42 |        47", "     10.64      89.36 |    100.00")
    )
    with pytest.raises(HowsureError, match="is not a square matrix"):
        matrix_table(tmp_path / "printed.txt")


def test_names_of_a_test_set_are_true_classes():
    """Labels of the test set are the truth; the result of a test is a prediction."""
    true = ["test_labels", "y_test", "test$species", "test_data.label", "test_disease"]
    assert [axis_kind(name) for name in true] == ["true"] * len(true)
    predicted = ["test", "Test result", "rapid test", "test_result", "covid_test", "test_pred"]
    assert [axis_kind(name) for name in predicted] == ["predicted"] * len(predicted)
    assert axis_kind("test_data") == ""


def test_the_errors_that_mlr_prints_are_no_class(tmp_path):
    """The row and the column -err.- hold numbers of errors."""
    file = tmp_path / "printed.txt"
    file.write_text(
        "        predicted\ntrue     no yes -err.-\n  no     50   3      3\n  yes     5  42      5\n  -err.-  5   3      8\n"
    )
    with pytest.warns(HowsureWarning, match="-err"):
        table = matrix_table(file)
    assert table.counts.tolist() == COUNTS


def test_a_report_of_rates_below_its_matrix_is_left_out(tmp_path):
    """The matrix printed above a report of precision and recall is read."""
    file = tmp_path / "printed.txt"
    file.write_text(
        "[[50  3]\n [ 5 42]]\n         precision    recall  f1-score   support\n\n 0  0.91  0.94  0.93  53\n"
    )
    assert matrix_table(file).counts.tolist() == COUNTS
