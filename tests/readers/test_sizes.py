"""Sizes of reader studies against RJafroc's published tables and simulation."""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import howsure as hs

FILE = str(Path(__file__).parents[1] / "data" / "vandyke.csv")
PUBLISHED = hs.results.VarianceComponents(
    modality_reader=0.0002, error=0.0008, cov1=0.00035, cov2=0.00034, cov3=0.00024, cases=114, readers=5
)


@pytest.fixture(scope="module")
def pilot():
    columns = {"truth": "truth", "reader": "reader", "case": "case", "modality": "treatment"}
    return hs.reader_study("rating", data=FILE, covariance="jackknife", **columns)


def test_power_and_sizes_are_rjafrocs(pilot):
    """RJafroc's chapter on sample size prints these for the same data, its jackknife and a power of 0.8."""
    found = pilot.plan(readers=6, cases=112)
    assert found.power == pytest.approx(0.5555789, abs=1e-7)
    assert found.sizes[0].degrees_of_freedom == pytest.approx(23.1, abs=0.05)
    assert (found.true_value / found.sizes[0].standard_error) ** 2 == pytest.approx(4.80, abs=0.005)
    for readers, cases in ((4, 1089), (5, 344), (6, 251), (7, 211), (8, 188), (9, 173)):
        assert pilot.plan(readers=readers, power=0.8).cases == cases
    assert pilot.plan(power=0.8).readers == 4


def test_the_size_that_is_found_is_the_smallest(pilot):
    """One reader or case less misses the goal."""
    found = pilot.plan(cases=200, power=0.8)
    assert found.power >= 0.8 > pilot.plan(readers=found.readers - 1, cases=200).power
    found = pilot.plan(readers=8, width=0.06)
    assert found.width <= 0.06 < pilot.plan(readers=8, cases=found.cases - 1).width


def test_the_pilots_own_size_has_its_own_error(pilot):
    """Planned with the pilot's readers and cases, standard error and degrees of freedom are those observed."""
    size, own = pilot.plan(readers=5, cases=114).sizes[0], pilot.differences["1 − 2"]
    assert size.standard_error == pytest.approx(own.standard_error)
    assert size.degrees_of_freedom == pytest.approx(own.degrees_of_freedom)
    assert size.width == pytest.approx(own.high - own.low)


def test_a_mean_and_nested_readers_are_planned():
    """One modality is planned by the width of the mean; readers of each modality by Hillis' nested formula."""
    one = hs.results.VarianceComponents(
        modality_reader=math.nan,
        reader=0.001,
        error=0.0008,
        cov1=0,
        cov2=0.0003,
        cov3=0,
        cases=100,
        readers=5,
        modalities=1,
    )
    size = one.plan(readers=10, cases=50).sizes[0]
    assert size.standard_error**2 == pytest.approx((0.001 + 2 * (0.0008 + 9 * 0.0003)) / 10)
    assert math.isnan(size.power)
    with pytest.raises(hs.HowsureError, match="are for two modalities"):
        one.plan(readers=10, power=0.8)
    nested = hs.results.VarianceComponents(
        modality_reader=math.nan, reader=0.001, error=0.0008, cov1=0, cov2=0.0003, cov3=0.0002, cases=100, readers=10,
        design="readers_in_modalities",
    )  # fmt: skip
    size = nested.plan(readers=10, cases=100, true_value=0.05).sizes[0]
    assert size.standard_error**2 == pytest.approx(2 / 10 * (0.001 + 0.0008 - 0.0003 + 10 * 0.0001))
    assert size.degrees_of_freedom == pytest.approx(18 * (0.0025 / 0.0015) ** 2)


def test_power_of_a_difference_and_of_non_inferiority():
    """The noncentral t distribution, against draws of the statistic."""
    found = PUBLISHED.plan(readers=6, cases=150, true_value=0.04)
    size, rng = found.sizes[0], np.random.default_rng(0)
    from scipy import stats

    normal, chi = rng.normal(size=400_000), rng.chisquare(size.degrees_of_freedom, 400_000)
    t = (0.04 / size.standard_error + normal) / np.sqrt(chi / size.degrees_of_freedom)
    limit = stats.t.ppf(0.975, size.degrees_of_freedom)
    assert size.power == pytest.approx((np.abs(t) > limit).mean(), abs=0.003)
    margin = PUBLISHED.plan(readers=6, cases=150, margin=0.05)
    assert margin.true_value == 0
    t = (0.05 / size.standard_error + normal) / np.sqrt(chi / size.degrees_of_freedom)
    assert margin.power == pytest.approx((t > stats.t.ppf(0.95, size.degrees_of_freedom)).mean(), abs=0.003)
    assert "0.8" in PUBLISHED.plan(readers=6, power=0.8, true_value=0.05).sentence()


def test_power_grows_with_the_cases():
    """Also where the difference is many standard errors from 0."""
    powers = [PUBLISHED.plan(readers=20, cases=10**n, true_value=0.05).power for n in range(2, 8)]
    assert powers == sorted(powers)
    assert powers[-1] == pytest.approx(1)
    sizes = PUBLISHED.plan(power=0.8, true_value=0.05).sizes
    assert sizes[-1].readers == 20
    assert [each.cases for each in sizes] == sorted((each.cases for each in sizes), reverse=True)
    assert (
        PUBLISHED.plan(readers=6, cases=150, true_value=-0.04).power
        == PUBLISHED.plan(readers=6, cases=150, true_value=0.04).power
    )


@pytest.mark.parametrize(
    "goals, message",
    [
        ({}, "Give two of"),
        ({"readers": 5}, "Give two of"),
        ({"readers": 5, "cases": 50, "power": 0.8}, "Give two of"),
        ({"readers": 5, "power": 0.8, "width": 0.1}, "Give two of"),
        ({"readers": 5, "power": 0.8}, "State the true difference"),
        ({"readers": 5, "power": 1.5, "true_value": 0.1}, "between 0 and 1"),
        ({"readers": 1, "cases": 50}, "whole number of at least 2"),
        ({"readers": 3, "power": 0.8, "true_value": 0.01}, "do not reach the goal"),
        ({"readers": 3, "cases": 50, "margin": -1}, "positive number"),
        ({"readers": 3, "power": 0.8, "true_value": 0}, "No study shows a difference that is 0"),
    ],
)
def test_plans_that_make_no_sense_are_refused(goals, message):
    """In one line with the remedy."""
    with pytest.raises(hs.HowsureError, match=message):
        PUBLISHED.plan(**goals)


@pytest.mark.parametrize("modalities", [("A",), ("A", "B"), ("A", "B", "C")])
@pytest.mark.parametrize("is_rated", [True, False])
def test_readers_who_agree_in_all_cases_are_no_pilot(modalities, is_rated):
    """Readers who are all right, or all wrong in the same cases, have a difference without variance."""
    reader, modality, case = zip(*[(r, m, c) for r in "wxyz" for m in modalities for c in range(40)], strict=True)
    truth = [each % 2 for each in case]
    columns = {"truth": truth, "reader": reader, "case": case}
    if len(modalities) > 1:
        columns["modality"] = modality
    marks = [right if each > 8 or len(modalities) == 1 else 1 - right for right, each in zip(truth, case, strict=True)]
    given = {"rating": marks} if is_rated else {"call": marks, "metric": "sensitivity"}
    study = hs.reader_study(**given, **columns)
    assert math.isnan(study.components.correlations["cov2"]) == (len(modalities) == 1)
    for goal in ({"readers": 5, "cases": 100}, {"readers": 5, "width": 0.1}, {"cases": 100, "width": 0.1}):
        with pytest.raises(hs.HowsureError, match="does not vary between studies") as caught:
            hs.plan(study, true_value=0.1, **goal)
        assert caught.value.code == "no-variation"
    if len(modalities) == 2:
        with pytest.raises(hs.HowsureError, match="does not vary between studies"):
            hs.plan(study, readers=5, power=0.8)


@pytest.mark.parametrize("change", [{"error": -0.001}, {"error": math.nan}, {"cov2": math.inf}, {"cov1": 0.01}])
def test_components_that_are_no_variances_are_refused(change):
    """A negative variance, and numbers that are none, have no standard error."""
    with pytest.raises(hs.HowsureError):
        replace(PUBLISHED, **change).plan(readers=5, cases=100, true_value=0.05)


def test_other_designs_are_no_pilots():
    """Cases nested in readers change in number with the readers; fixed cases have no components."""
    reads = [(r, m, f"{r}{c}", c % 2, c % 7 + r) for r in (1, 2, 3) for m in (1, 2) for c in range(30)]
    reader, modality, case, truth, rating = map(list, zip(*reads, strict=True))
    columns = {"truth": truth, "reader": reader, "case": case, "modality": modality}
    with pytest.raises(hs.HowsureError, match="has the cases in readers design"):
        hs.reader_study(rating, **columns).plan(readers=3, cases=50)
    with pytest.raises(hs.HowsureError, match="needs variance components"):
        hs.reader_study(rating, fixed="case", **columns).plan(readers=3, cases=50)
