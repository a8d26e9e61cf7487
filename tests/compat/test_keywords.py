"""All functions take the shared keywords: shown in signatures, refused when misspelt, documented once."""

import inspect
import pickle
import re
import warnings
from dataclasses import fields
from typing import get_args, get_type_hints

import numpy as np
import pytest

import howsure as hs
from howsure.compat import of_probabilities, of_scores, per_class, whole_table
from howsure.compat.keywords import AverageName, Keywords, Settings
from howsure.metrics.averages import AVERAGES
from support import public

FUNCTIONS = sorted(name for name in public.FUNCTIONS if name.endswith(("_score", "_loss", "_corrcoef")))
EVERY = [*FUNCTIONS, "classification_report", "precision_recall_fscore_support", "class_likelihood_ratios"]


def test_types_of_keywords_are_those_of_the_settings():
    """The keywords in the type checkers' signatures are the fields that have defaults."""
    assert get_type_hints(Keywords) == get_type_hints(Settings)


def test_averages_that_type_checkers_know():
    """The names of averages are those of the metrics, one class, all outcomes together, and over cases."""
    known = {name for part in get_args(AverageName) for name in get_args(part) or [part]}
    assert known == {"binary", "micro", "samples", *(each.name for each in AVERAGES)}


def test_all_functions_are_here():
    """Every function of these modules is public."""
    modules = of_probabilities, of_scores, per_class, whole_table
    here = {name for module in modules for name in dir(module) if name in FUNCTIONS}
    assert here == set(FUNCTIONS)
    assert len(FUNCTIONS) == 24


@pytest.mark.parametrize("name", EVERY)
def test_signatures_show_every_keyword(name):
    """`inspect.signature` has the function's own keywords, then the shared ones with their defaults."""
    shown = inspect.signature(public.NAMES[name]).parameters
    assert {each.name: each.default for each in fields(Settings)}.items() <= {
        key: each.default for key, each in shown.items()
    }.items()
    assert all(each.kind is not each.VAR_KEYWORD for each in shown.values())


@pytest.mark.parametrize("name", EVERY)
def test_docstrings_describe_every_parameter(name):
    """The docstring contains each parameter once, with its type, and the sections Returns and Raises."""
    function = public.NAMES[name]
    section = function.__doc__.split("Parameters\n----------\n")[1].split("\n\nReturns\n-------\n")[0]
    described = [one for names in re.findall(r"^(\w[\w, ]*) : \S", section, re.MULTILINE) for one in names.split(", ")]
    assert sorted(described) == sorted(inspect.signature(function).parameters)
    assert "Raises\n------\n" in function.__doc__
    assert f"{function.__module__.replace('howsure', 'hs')}.{name}(" in function.__doc__


@pytest.mark.parametrize("name", EVERY)
def test_a_misspelt_keyword_is_refused_with_the_right_one(name):
    """Unknown keywords raise a `TypeError`, as of any Python function, that names the nearest one."""
    with pytest.raises(TypeError, match=f"`{name}` takes no `sample_wieght`. Did you mean 'sample_weight'"):
        public.NAMES[name]([0, 1], [0, 1], sample_wieght=[1, 1])


@pytest.mark.parametrize("name", EVERY)
def test_functions_are_sent_to_other_processes(name):
    """A function is pickled by its name."""
    assert pickle.loads(pickle.dumps(public.NAMES[name])) is public.NAMES[name]


@pytest.mark.parametrize("call", [hs.precision_score, lambda *data: hs.fbeta_score(*data, beta=2)])
def test_warnings_point_to_the_call(call):
    """A warning about an undefined class points to the calling line."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call([0, 0, 0], [0, 0, 0])
    assert [each.filename for each in caught] == [__file__]


def test_synonyms_of_the_level():
    """`confidence_interval` sets the level."""
    data = [0, 1, 1, 0, 1, 0], [0, 1, 0, 0, 1, 1]
    assert hs.accuracy_score(*data, confidence_interval=0.8).low == hs.accuracy_score(*data, confidence_level=0.8).low


def test_resamples_of_a_named_bootstrap():
    """`n_resamples` counts for a bootstrap given by its name, and not for one given as a method."""
    data = {"y_true": [0, 1, 1, 0, 1, 0] * 5, "y_pred": [0, 1, 0, 0, 1, 1] * 5, "random_state": 0}
    assert len(hs.f1_score(**data, method="bootstrap_percentile", n_resamples=200).draws) == 200
    assert len(hs.f1_score(**data, method=hs.methods.Bootstrap("percentile", 300), n_resamples=200).draws) == 300


class TestLabelsThatEqualOthers:
    """A positive class is found by equality, as in scikit-learn: 1 is True, and 1.0 is 1."""

    TRUE = np.array([0, 1, 1, 2, 0, 1, 2, 2, 1, 0])
    SAID = np.array([0, 1, 2, 2, 0, 1, 2, 1, 1, 1])

    def test_booleans(self):
        """One class against the rest, written as a comparison."""
        found = hs.f1_score(self.TRUE == 1, self.SAID == 1)
        expected = hs.f1_score((self.TRUE == 1).astype(int), (self.SAID == 1).astype(int))
        assert (found.value, found.low, found.high) == (expected.value, expected.low, expected.high)
        assert found.metric == "f1@binary+positive_class=True"

    def test_numbers(self):
        """A float names an integer class, and an integer a class of floats."""
        first, second = self.TRUE % 2, self.SAID % 2
        expected = hs.f1_score(first, second)
        for found in (hs.f1_score(first, second, pos_label=1.0), hs.f1_score(first * 1.0, second * 1.0)):
            assert (found.value, found.low) == (expected.value, expected.low)

    def test_a_single_boolean_class(self):
        """Where one of True and False occurs, the other is known."""
        assert hs.f1_score([True, True, True], [True, True, True]).value == 1
        assert hs.accuracy_score([False, False], [False, False]).value == 1
        assert hs.f1_score([False, False], [False, False], zero_division=0.0).value == 0
