"""Confusion matrices of the report: complete, or cut to the relevant classes."""

import numpy as np

import howsure as hs
from howsure.report.matrices import confused


def test_classes_that_are_confused_stand_side_by_side():
    """Those with most confusions are kept, and each is adjacent to the class that it is confused with most."""
    counts = np.diag([50] * 6)
    counts[0, 4], counts[4, 2], counts[5, 1] = 9, 6, 1
    # 4 has 15 confusions, 0 nine, 2 six; 4 is confused with 0 first and then, at its other end, with 2.
    assert confused(counts, 3).tolist() in ([0, 4, 2], [2, 4, 0])


def test_a_large_matrix_is_cut_and_keeps_all_cases():
    """Beyond ten classes the others share a row and a column, no case is lost, and the whole is in a fold."""
    rng = np.random.default_rng(4)
    counts = rng.poisson(1.0, (14, 14)) + 20 * np.eye(14, dtype=int)
    part = hs.report_of(hs.from_counts(counts, labels=[f"c{place}" for place in range(14)]))["Confusion matrix"]
    (cut,) = part.matrices
    assert len(cut.rows) == 11
    assert cut.headers[-1] == cut.rows[-1][0].value == "4 others"
    assert sum(cell.order for row in cut.rows for cell in row[1:]) == counts.sum()
    assert cut.rows[-1][-1].shade is None, "confusions among the others are on the diagonal too"
    whole = part.sheets[-1]
    assert whole.folded
    assert [[cell.order for cell in row[1:]] for row in whole.rows] == counts.tolist()


def test_a_small_matrix_is_whole_in_the_order_of_its_labels():
    """Up to ten classes each cell has its cases, its share of the true class and that share's interval."""
    (matrix,) = hs.report_of(hs.from_counts([[40, 10], [5, 45]], labels=["b", "a"]))["Confusion matrix"].matrices
    assert matrix.headers[1:] == ("b", "a")
    cell = matrix.rows[0][2]
    assert (cell.value, cell.shade) == ("10", 0.2)
    # Wilson's interval of 10 in 50: (0.2 + z² / 100 ± z √(0.16 / 50 + z² / 10,000)) / (1 + z² / 50), z = 1.96
    assert cell.texts[2] == "20.0 % [11.2, 33.0]"
