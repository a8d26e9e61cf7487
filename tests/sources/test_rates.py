"""Tables from published figures, and predictive values at a stated prevalence."""

import warnings
from decimal import Decimal

import numpy as np
import pytest
from scipy import stats

import howsure as hs

TABLE = hs.from_counts([[50, 3], [5, 42]])
FIGURES = {"sensitivity": 0.894, "specificity": 0.943}


@pytest.mark.parametrize(
    "sizes", [{"positives": 47, "negatives": 53}, {"prevalence": 0.47, "n": 100}, {"prevalence": "0.470", "n": 100}]
)
def test_figures_of_three_decimals_give_their_counts(sizes):
    """42 of 47 and 50 of 53 come back from 0.894 and 0.943, without a warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert hs.from_rates(**FIGURES, **sizes).counts.tolist() == [[50, 3], [5, 42]]


@pytest.mark.parametrize("seed", range(20))
def test_every_table_comes_back_from_its_own_figures(seed):
    """Whatever the counts, unrounded rates and enough decimals give them again."""
    tn, fp, fn, tp = np.random.default_rng(seed).integers(1, 400, 4).tolist()
    rates = {"sensitivity": tp / (tp + fn), "specificity": tn / (tn + fp)}
    for given in (rates, {name: f"{value:.5f}" for name, value in rates.items()}):
        found = hs.from_rates(**given, positives=tp + fn, negatives=tn + fp)
        assert found.counts.tolist() == [[tn, fp], [fn, tp]]


def test_rounding_is_told():
    """If several counts match the figures, the nearest is used, and a warning names the others."""
    with pytest.warns(UserWarning, match="845 to 855 of 1000 positives give it; 850 is taken"):
        found = hs.from_rates(sensitivity=0.85, specificity=Decimal("0.9057"), positives=1000, negatives=53)
    assert found.counts[1].tolist() == [150, 850]


def test_zeros_at_the_end_tell_the_decimals():
    """A number has at least two decimals, a text those that are written."""
    with pytest.raises(hs.HowsureError, match="0.9 fits no whole number of 47 positives: 42 give 0.8936"):
        hs.from_rates(sensitivity=0.9, specificity=0.943, positives=47, negatives=53)
    with pytest.warns(UserWarning, match="40 to 44 of 47"):
        hs.from_rates(sensitivity="0.9", specificity=0.943, positives=47, negatives=53)


@pytest.mark.parametrize(
    "given, words",
    [
        ({**FIGURES, "sensitivity": 0.86, "positives": 47, "negatives": 53}, "40 give 0.8511, 41 give 0.8723"),
        ({**FIGURES, "prevalence": 0.5, "n": 100}, "No whole numbers of 100 cases"),
        ({**FIGURES, "sensitivity": 85, "positives": 47, "negatives": 53}, "Did you mean 0.85"),
        ({**FIGURES, "sensitivity": "high", "positives": 47, "negatives": 53}, "share between 0 and 1, not high"),
        ({**FIGURES, "specificity": float("nan"), "positives": 47, "negatives": 53}, "`specificity` is a share"),
        ({**FIGURES, "positives": 47}, "or `prevalence` and `n`"),
        ({**FIGURES, "positives": 47, "n": 100}, "or `prevalence` and `n`"),
        ({**FIGURES, "positives": 47.5, "negatives": 53}, "whole number"),
        ({**FIGURES, "positives": 0, "negatives": 53}, "at least 1"),
    ],
)
def test_figures_that_no_counts_give_are_refused(given, words):
    """What no whole counts can give is refused, with the nearest that they do."""
    with pytest.raises(hs.HowsureError, match=words):
        hs.from_rates(**given)


def predictive(sensitivity, specificity, prevalence):
    """Return positive and negative predictive value by Bayes' theorem."""
    hits, alarms = prevalence * sensitivity, (1 - prevalence) * (1 - specificity)
    passes, misses = (1 - prevalence) * specificity, prevalence * (1 - sensitivity)
    return hits / (hits + alarms), passes / (passes + misses)


def test_predictive_values_by_the_delta_method_have_the_logit_interval_of_either_rate():
    """Value and limits are those of Mercaldo, Lau and Zhou (2007), Statistics in Medicine 26."""
    tp, fn, fp, tn, share = 42, 5, 3, 50, 0.01
    found = hs.evaluate(TABLE, [f"ppv_at+prevalence={share}", f"npv_at+prevalence={share}"], method="delta")
    z = stats.norm.ppf(0.975)
    of_rates = (fn / (tp * (tp + fn)) + tn / (fp * (tn + fp)), tp / (fn * (tp + fn)) + fp / (tn * (tn + fp)))
    for each, value, variance in zip(found.values(), predictive(42 / 47, 50 / 53, share), of_rates, strict=True):
        logit = np.log(value / (1 - value))
        ends = 1 / (1 + np.exp(-(logit + np.array([-z, z]) * np.sqrt(variance))))
        assert (each, each.low, each.high) == pytest.approx((value, *ends), rel=1e-9)


def test_predictive_values_by_draws():
    """Posterior draws follow from independent draws of either rate, under Jeffreys' prior."""
    rng = np.random.default_rng(0)
    found = hs.estimate(TABLE, "ppv_at+prevalence=0.01", method=hs.methods.Dirichlet(prior="jeffreys"), random_state=0)
    expected = predictive(rng.beta(42.5, 5.5, 100_000), rng.beta(50.5, 3.5, 100_000), 0.01)[0]
    assert np.quantile(found.draws, [0.1, 0.5, 0.9]) == pytest.approx(np.quantile(expected, [0.1, 0.5, 0.9]), rel=0.03)


def test_predictive_values_at_the_tables_own_prevalence():
    """They are precision and negative predictive value there, and no prevalence is assumed."""
    own = hs.evaluate(TABLE, ["precision", "npv", "ppv_at+prevalence=0.47", "npv_at+prevalence=0.47"])
    assert own["ppv_at+prevalence=0.47"] == pytest.approx(own["precision"])
    assert own["npv_at+prevalence=0.47"] == pytest.approx(own["npv"])
    with pytest.raises(hs.HowsureError, match=r"Write 'ppv_at\+prevalence=…'"):
        hs.estimate(TABLE, "ppv_at")


@pytest.mark.parametrize("prevalence", [0, 1, -0.2, 3])
def test_a_prevalence_lies_between_0_and_1(prevalence):
    """A population without one of the classes has no predictive values."""
    with pytest.raises(hs.HowsureError, match="between 0 and 1"):
        hs.estimate(TABLE, f"ppv_at+prevalence={prevalence}")


def test_predictive_values_of_weights_clusters_groups_and_pairs():
    """They are metrics like any other: of weighted and clustered cases, by group, and of models compared."""
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 2, 300)
    said = {name: np.where(rng.random(300) < share, truth, 1 - truth) for name, share in {"A": 0.9, "B": 0.7}.items()}
    columns = {"sample_weight": rng.uniform(0.5, 2, 300), "groups": np.arange(300) // 5, "by": np.arange(300) % 2}
    spec = "ppv_at+prevalence=0.2"
    for each in hs.estimate(hs.confusion(truth, said["A"], **columns), spec).values():
        assert each.low < each < each.high
    found = hs.compare(hs.paired(truth, said, **columns), spec)
    assert found.overall.low > 0
    one, other = (hs.estimate(hs.confusion(truth, said[name], **columns), spec).overall for name in "AB")
    assert found.overall.value == pytest.approx(one - other)


@pytest.mark.parametrize("rates", [(50, 50, 0.9, 0.95, 0.01), (20, 200, 0.95, 0.9, 0.1), (100, 100, 0.8, 0.8, 0.05)])
def test_intervals_of_predictive_values_cover(rates):
    """The 95 % interval covers in 94 to 98.5 % of all tables of 20 to 200 cases of a class, by enumeration.

    Neither side misses more than 3.2 %, while the delta method's upper limit misses up to 7.5 %.
    """
    ill, well, sensitivity, specificity, share = rates
    tp, fp = (part.ravel() for part in np.meshgrid(np.arange(ill + 1), np.arange(well + 1), indexing="ij"))
    chance = stats.binom.pmf(tp, ill, sensitivity) * stats.binom.pmf(fp, well, 1 - specificity)
    tp, fp, chance = (part[chance > 1e-6] for part in (tp, fp, chance))
    tables = hs.from_counts(np.stack([np.stack([well - fp, fp], -1), np.stack([ill - tp, tp], -1)], -2))
    for name, truth in zip(("ppv_at", "npv_at"), predictive(sensitivity, specificity, share), strict=True):
        found = hs.estimate(tables, f"{name}+prevalence={share}")
        below, above = chance[found.low > truth].sum(), chance[found.high < truth].sum()
        assert 0.94 < 1 - below - above < 0.985
        assert max(below, above) < 0.032


@pytest.mark.parametrize("text, meant", [("89.40 %", "0.8940"), ("0,894", "0.894"), ("89,4%", "0.894")])
def test_percent_signs_and_decimal_commas_are_answered_with_the_share(text, meant):
    """The remedy keeps the printed decimals, which say how far a rate was rounded."""
    with pytest.raises(hs.HowsureError, match=f"Write '{meant}'"):
        hs.from_rates(sensitivity=text, specificity="0.943", positives=47, negatives=53)
