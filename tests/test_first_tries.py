"""What people try first either works or says what to call."""

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot as plt

import howsure as hs

TABLE = hs.from_counts([[50, 3], [5, 42]])
TRUTH, MODELS = [1, 0, 1, 1, 0, 0, 1, 0], {"A": [1, 0, 0, 1, 0, 1, 1, 0], "B": [0, 1, 0, 0, 1, 1, 0, 1]}


@pytest.fixture(autouse=True)
def _closed():
    mpl.use("Agg")
    yield
    plt.close("all")


def test_counts_serve_as_a_table():
    """A matrix of counts is drawn, estimated and reported on as the table of it."""
    counts = TABLE.counts.astype(int).tolist()
    assert hs.estimate(counts, "f1").low == hs.estimate(TABLE, "f1").low
    texts = [[each.get_text() for each in hs.plots.confusion_matrix(given).texts] for given in (counts, TABLE)]
    assert texts[0] == texts[1]
    dots = [hs.plots.intervals(given).containers[0][0].get_xydata() for given in (counts, TABLE)]
    np.testing.assert_array_equal(*dots)


def test_a_paired_table_has_the_report_of_its_models():
    """Several models' predictions on the same cases are reported on model by model."""
    report = hs.report_of(hs.paired(TRUTH, MODELS), metrics=["accuracy"])
    assert report["Metrics"].sheets[0].headers == ("metric", "A", "B")
    assert report.to_dict()["estimates"][0]["value"] == 6 / 8


@pytest.mark.parametrize(
    "attempt, words",
    [
        (lambda: hs.plots.curve(TABLE), "draws what `roc_curve`.* returns, not ConfusionTable"),
        (lambda: hs.plots.curve([1, 2]), "draws what `roc_curve`.* returns, not list"),
        (lambda: hs.plots.differences(hs.estimate(TABLE, "f1")), "Give what `compare`.*, not Estimate"),
        (lambda: hs.plots.forest(hs.estimate(TABLE, "f1")), "draws what `pool`.* returns, not Estimate"),
        (lambda: hs.plots.ranks(TABLE), "draws what `ranks` returns, not ConfusionTable"),
        (lambda: hs.plots.review_plan(TABLE), "draws what `review_plan` returns"),
        (lambda: hs.plots.intervals("x.csv"), "Make one from the columns"),
        (lambda: hs.plots.intervals(3), "Make one first"),
        (lambda: hs.report_of(TABLE, comparisons=3), "Give what `compare`.*, not int"),
        (lambda: hs.draw_tables(3), "takes a table.*not int"),
        (lambda: hs.monitor({"a": 3}), "needs chunks"),
        (lambda: hs.pool("x", "y"), "`values` must be numbers, not 'x'"),
        (lambda: hs.adjusted_p_values("x"), "`p_values` must be numbers, not 'x'"),
        (lambda: hs.ranks({"a": "x", "b": "y"}), "`draws` must be numbers, not 'x'"),
        (lambda: hs.ranks([TABLE, TABLE]), "by name"),
        (lambda: hs.estimate(TABLE, "mcc", method="bayes", random_state="x"), "`random_state` is a whole.*'x'"),
        (lambda: hs.estimate(TABLE, "mcc", method="bayes", random_state=-1), "`random_state` is a whole.*-1"),
        (lambda: hs.draw_tables(TABLE, random_state=1.5), "`random_state` is a whole.*1.5"),
        (lambda: hs.bootstrap(np.mean, TRUTH, n_resamples=0), "`n_resamples` must be .* at least 1, not 0"),
        (lambda: hs.Bootstrap("bca", 0), "`n_resamples` must be"),
        (lambda: hs.Bootstrap(9999), r"kind of bootstrap '9999'.*n_resamples=9999"),
        (lambda: hs.estimate(TABLE, "f1@macro", classes=[7]), r"from 0 to 1, not \[7\]"),
        (lambda: hs.estimate(TABLE, "f1@macro", classes="a"), "from 0 to 1, not 'a'"),
    ],
)
def test_what_cannot_be_used_is_refused_in_words(attempt, words):
    """One line of our own error, which names what was given and what to give."""
    with pytest.raises(hs.HowsureError, match=words) as caught:
        attempt()
    assert len(str(caught.value).splitlines()) == 1
