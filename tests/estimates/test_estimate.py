"""An estimate is a float."""

import copy
import json
import math
import numbers
import pickle

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import howsure as hs
from support.optional import optional

pl = optional("polars")

TABLE = hs.from_counts([[50, 3], [5, 42]])
RECALL = hs.estimate(TABLE, "recall", method="wilson")  # 42 of 47
F1 = hs.estimate(TABLE, "f1")  # 84 of 92
FIELDS = ("low", "high", "metric", "confidence_level", "method", "standard_error", "reason", "stream")


def test_it_is_a_number():
    """It is a float by type, as loggers of experiments check, and equal to its value."""
    assert isinstance(RECALL, float)
    assert isinstance(RECALL, numbers.Number)
    assert RECALL == RECALL.value == 42 / 47
    assert type(RECALL.value) is float
    assert math.isfinite(RECALL)
    assert hash(RECALL) == hash(42 / 47)


def test_arithmetic_and_comparisons_are_those_of_floats():
    """Sums, products, rounding, order and extremes are the value's; an interval does not follow from arithmetic."""
    assert RECALL < F1 < 1
    assert max([RECALL, F1]) is F1
    assert sorted([F1, RECALL]) == [RECALL, F1]
    assert sum([RECALL, F1]) == 42 / 47 + 84 / 92
    assert type(1 - RECALL) is type(2 * RECALL) is type(-RECALL) is float
    assert round(RECALL, 2) == 0.89
    assert type(round(RECALL, 2)) is float
    assert math.sqrt(RECALL) == math.sqrt(42 / 47)


def test_text_and_formats():
    """With a format specification it is formatted as a float; without one with its interval."""
    assert f"{RECALL:.3f}" == "0.894"
    assert f"{RECALL:.1%}" == "89.4%"
    assert f"{RECALL}" == str(RECALL) == "0.894 [0.774, 0.954]"
    assert "%.2f" % RECALL == "0.89"  # noqa: UP031 - old code formats so
    assert repr(RECALL) == "Estimate(recall = 0.894 [0.774, 0.954])"


def test_it_unpacks_as_value_and_limits():
    """`value, (low, high)` works, as with the package confidenceinterval."""
    value, (low, high) = RECALL
    assert (value, low, high) == (RECALL.value, RECALL.low, RECALL.high)


def test_numpy_takes_it_for_a_float():
    """Arrays of estimates are arrays of floats, and functions of NumPy work on them."""
    array = np.array([RECALL, F1])
    assert array.dtype == np.float64
    assert array.tolist() == [42 / 47, 84 / 92]
    assert np.mean([RECALL, F1]) == np.mean([42 / 47, 84 / 92])
    assert np.asarray(RECALL).shape == ()
    assert np.float64(RECALL) == 42 / 47


def test_frames_take_it_for_a_float():
    """Columns of pandas, Polars and Arrow are of 64-bit floats."""
    assert pd.DataFrame({"f1": [RECALL, F1]})["f1"].dtype == np.float64
    assert pd.Series({"recall": RECALL, "f1": F1}).tolist() == [42 / 47, 84 / 92]
    assert pl.DataFrame({"f1": [RECALL, F1]})["f1"].dtype == pl.Float64
    assert pl.Series([RECALL, F1]).mean() == pytest.approx((42 / 47 + 84 / 92) / 2)
    frame = pd.DataFrame({"site": ["Ulm", "Bern"]})
    frame["recall"], frame.loc[0, "f1"] = RECALL, F1
    assert frame["recall"].tolist() == [42 / 47] * 2
    assert frame["f1"].dtype == np.float64
    assert pl.DataFrame({"site": ["Ulm"]}).with_columns(recall=RECALL)["recall"].to_list() == [42 / 47]
    assert pa.array([RECALL, F1]).type == pa.float64()
    assert pa.table({"f1": [RECALL]}).to_pylist() == [{"f1": 42 / 47}]


def test_json_has_its_value():
    """JSON contains the number, alone and within other objects."""
    assert json.loads(json.dumps({"recall": RECALL, "all": [F1]})) == {"recall": 42 / 47, "all": [84 / 92]}


def test_copies_keep_all_fields():
    """Pickle, copy and deepcopy keep interval, words and draws."""
    drawn = hs.estimate(TABLE, "recall", method="bayes", random_state=0).replace(stream=("seed", 0))
    for other in (pickle.loads(pickle.dumps(drawn)), copy.copy(drawn), copy.deepcopy(drawn)):
        assert other == drawn
        assert [getattr(other, name) for name in FIELDS] == [getattr(drawn, name) for name in FIELDS]
        assert np.array_equal(other.draws, drawn.draws)


def test_it_cannot_be_changed():
    """Fields are fixed; `replace` makes another estimate."""
    with pytest.raises(AttributeError, match="replace"):
        RECALL.low = 0.0
    with pytest.raises(AttributeError):
        RECALL.colour = "red"
    with pytest.raises(AttributeError):
        del RECALL.low
    other = RECALL.replace(value=0.5, low=0.4)
    assert (other.value, other.low, other.high) == (0.5, 0.4, RECALL.high)


def test_it_is_built_by_names():
    """The value alone is positional; limits and metric are named."""
    made = hs.Estimate(0.5, low=0.4, high=0.6, metric="f1")
    assert (made.confidence_level, made.method, made.draws, made.reason, made.stream) == (0.95, "", None, "", None)
    assert math.isnan(made.standard_error)
    with pytest.raises(TypeError):
        hs.Estimate(0.5, 0.4, 0.6)


def test_its_dict_has_all_but_the_draws():
    """`to_dict` contains plain values, by the fields' names."""
    found = RECALL.to_dict()
    assert list(found) == [
        "metric",
        "value",
        "low",
        "high",
        "confidence_level",
        "method",
        "standard_error",
        "reason",
        "positive",
    ]
    assert type(found["value"]) is float


def test_draws_say_what_they_say_or_are_refused():
    """Summary and probabilities come from the draws; without draws the method is named."""
    drawn = hs.estimate(TABLE, "recall", method="bayes", random_state=0)
    assert drawn.summary().median == np.median(drawn.draws)
    assert drawn.probability_above(0.9).value == (drawn.draws > 0.9).mean()
    for call in (RECALL.summary, lambda: RECALL.probability_above(0.9)):
        with pytest.raises(hs.HowsureError, match="`wilson` makes no draws"):
            call()


def test_undefined_is_nan_with_a_reason():
    """An undefined metric is nan as a float, with a reason."""
    empty = hs.estimate(hs.from_counts([[5, 0], [3, 0]]), "precision")
    assert math.isnan(empty)
    assert "no prediction of the class" in str(empty)


class TestScikitLearn:
    """Use in scikit-learn's own loops."""

    @pytest.fixture
    def data(self):
        """Return cases of two classes, a tenth of them with wrong labels."""
        datasets = pytest.importorskip("sklearn.datasets")
        return datasets.make_classification(300, n_informative=3, flip_y=0.1, random_state=0)

    def test_scorers_of_cross_validation(self, data):
        """`cross_val_score` with our F1 gives the folds' values of scikit-learn's."""
        from sklearn.linear_model import LogisticRegression
        from sklearn.metrics import f1_score, make_scorer
        from sklearn.model_selection import cross_val_score

        ours, theirs = (
            cross_val_score(LogisticRegression(), *data, scoring=make_scorer(function), error_score="raise")
            for function in (hs.f1_score, f1_score)
        )
        assert ours == pytest.approx(theirs)

    def test_scorers_of_a_grid_search(self, data):
        """`GridSearchCV` picks the model that it picks by scikit-learn's F1."""
        from sklearn.linear_model import LogisticRegression
        from sklearn.metrics import f1_score, make_scorer
        from sklearn.model_selection import GridSearchCV

        found = [
            GridSearchCV(LogisticRegression(), {"C": [1e-4, 1e-2, 1.0]}, scoring=make_scorer(function)).fit(*data)
            for function in (hs.f1_score, f1_score)
        ]
        assert found[0].best_params_ == found[1].best_params_
        assert found[0].cv_results_["mean_test_score"] == pytest.approx(found[1].cv_results_["mean_test_score"])


@pytest.mark.parametrize(
    "name, ours", [("ci", "low and high"), ("upper", "high"), ("se", "standard_error"), ("vallue", "'value'")]
)
def test_attributes_of_other_packages_lead_to_ours(name, ours):
    """An unknown attribute is an AttributeError that names what there is."""
    found = hs.estimate(hs.from_counts([[50, 3], [5, 42]]), "f1")
    with pytest.raises(AttributeError, match=f"no `{name}`. (Use|Did you mean) {ours}"):
        getattr(found, name)
    assert not hasattr(found, "dtype")
