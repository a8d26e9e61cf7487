"""Net benefit and its relatives, the expected cost and the expected utility."""

import json

import numpy as np
import pytest

import howsure as hs
from support.files import DATA, rows_of
from support.shell import run

ALL = ["famhistory", "cancerpredmarker", "marker_risk"]


def cancer():
    """Return the true classes and the risks by model of the data of dcurves."""
    rows = rows_of("dcurves.csv")
    truth = np.array([row["cancer"] == "True" for row in rows])
    return truth, {name: np.array([float(row[name]) for row in rows]) for name in ALL}


TRUTH, RISKS = cancer()
SCORES = {name: hs.scores(TRUTH, risk) for name, risk in RISKS.items()}


def reference():
    """Return the rows of dcurves, by package, model and prevalence."""
    found = {}
    for row in rows_of("dcurves_reference.csv"):
        found.setdefault((row["package"], row["model"], row["prevalence"]), []).append(row)
    return found


REFERENCE = reference()


@pytest.mark.parametrize("key", REFERENCE, ids="-".join)
def test_values_are_those_of_dcurves(key):
    """Net benefit and interventions avoided equal dcurves (Python 1.1.7 and R), ties at the threshold included."""
    _, model, prevalence = key
    stated = f"+prevalence={prevalence}" if prevalence else ""
    for row in REFERENCE[key]:
        threshold = float(row["threshold"])
        table = SCORES[ALL[0]].at(-np.inf) if model == "all" else SCORES[model]
        for name, column in (("net_benefit", "net_benefit"), ("interventions_avoided", "net_intervention_avoided")):
            found = hs.estimate(table, f"{name}+threshold={threshold}{stated}", method="delta").value
            assert found == pytest.approx(float(row[column]), abs=1e-12 / threshold)
        share = float(prevalence or TRUTH.mean())
        found = hs.estimate(table, f"standardized_net_benefit+threshold={threshold}{stated}", method="delta").value
        assert found == pytest.approx(float(row["net_benefit"]) / share, abs=1e-11)


def treated(model, threshold):
    """Return who is treated."""
    return RISKS[model] >= threshold


@pytest.mark.parametrize("model", ALL)
@pytest.mark.parametrize("threshold", [0.05, 0.1, 0.2, 0.5])
def test_standard_errors_are_the_closed_forms(model, threshold):
    """The standard errors are those of Marsh, Janes and Pepe (2020) and of means and ratios of means.

    A case of class y with decision d contributes u = d y - w d (1 - y), and the net benefit is the mean of u, so that
    its variance is (E u² - NB²) / n with E u² = (tp + w² fp) / n. The standardized one is the ratio of the means of u
    and y, with variance E(u - s y)² / (n prevalence²). With a stated prevalence p, the rates of the two classes vary
    independently: p² var(tpr) + w² (1 - p)² var(fpr).
    """
    w, d, n = threshold / (1 - threshold), treated(model, threshold), len(TRUTH)
    gain = d * np.where(TRUTH, 1.0, -w)
    value = gain.mean()
    mean = hs.estimate(SCORES[model], f"net_benefit+threshold={threshold}", method="delta")
    assert mean.standard_error == pytest.approx(np.sqrt(((gain**2).mean() - value**2) / n), rel=1e-9)
    ratio = hs.estimate(SCORES[model], f"snb+threshold={threshold}", method="delta")
    residual = gain - gain.mean() / TRUTH.mean() * TRUTH
    assert ratio.standard_error == pytest.approx(np.sqrt((residual**2).mean() / n) / TRUTH.mean(), rel=1e-9)
    tpr, fpr = d[TRUTH].mean(), d[~TRUTH].mean()
    stated = hs.estimate(SCORES[model], f"net_benefit+threshold={threshold}+prevalence=0.05", method="delta")
    variance = 0.05**2 * tpr * (1 - tpr) / TRUTH.sum() + (0.95 * w) ** 2 * fpr * (1 - fpr) / (~TRUTH).sum()
    assert stated.standard_error == pytest.approx(np.sqrt(variance), rel=1e-9)


def test_the_difference_of_models_has_the_variance_of_their_differences():
    """Two models on the same cases: the standard error is that of the mean of the cases' differences."""
    table = hs.paired_scores(TRUTH, RISKS)
    gains = {name: treated(name, 0.15) * np.where(TRUTH, 1.0, -0.15 / 0.85) for name in ALL}
    gap = gains["cancerpredmarker"] - gains["famhistory"]
    found = hs.compare(table, "net_benefit+threshold=0.15", a="cancerpredmarker", b="famhistory", method="delta")
    assert found.value == pytest.approx(gap.mean(), abs=1e-12)
    assert found.standard_error == pytest.approx(gap.std() / np.sqrt(len(gap)), rel=1e-9)
    counted = hs.compare(
        table.at(0.15), "net_benefit+threshold=0.15", a="cancerpredmarker", b="famhistory", method="delta"
    )
    assert (found.low, found.high) == (counted.low, counted.high)


def test_weights_and_clusters_enter_the_standard_error():
    """For a weighted mean of gains u, the variance is that of linearisation: the sum of squared totals of w (u - mean).

    The totals are of cases, or of clusters with the factor G / (G - 1); those of two factors are the values' own.
    """
    rng, n = np.random.default_rng(5), len(TRUTH)
    weight, group = rng.uniform(0.5, 2.0, n), np.arange(n) // 6
    gain = treated("marker_risk", 0.1) * np.where(TRUTH, 1.0, -1 / 9)

    def found(**roles):
        return hs.estimate(hs.scores(TRUTH, RISKS["marker_risk"], **roles), "net_benefit+threshold=0.1", method="delta")

    weighted = found(sample_weight=weight)
    assert weighted.value == pytest.approx(np.average(gain, weights=weight), abs=1e-12)
    residual = weight * (gain - weighted.value)
    assert weighted.standard_error == pytest.approx(np.sqrt((residual**2).sum()) / weight.sum(), rel=1e-9)
    for weights, roles in ((np.ones(n), {}), (weight, {"sample_weight": weight})):
        totals = np.bincount(group, weights * (gain - np.average(gain, weights=weights)))
        expected = np.sqrt((totals**2).sum() * len(totals) / (len(totals) - 1)) / weights.sum()
        assert found(groups=group, **roles).standard_error == pytest.approx(expected, rel=1e-9)
    factors = [group, np.arange(n) % 25]
    expected = hs.estimate(hs.values(gain, groups=factors), "mean", method="delta").standard_error
    assert found(groups=factors).standard_error == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(
    "table, spec, words",
    [
        (SCORES["marker_risk"], "net_benefit", r"needs 'threshold'. Write 'net_benefit\+threshold=…'"),
        (SCORES["marker_risk"].at(0.2), "net_benefit", "needs 'threshold'"),
        (SCORES["marker_risk"], "net_benefit+prevalence=0.1", r"Write 'net_benefit\+prevalence=0.1\+threshold=…'"),
        (SCORES["marker_risk"].at(0.2), "net_benefit+threshold=0", "between 0 and 1, both excluded, not 0"),
        (SCORES["marker_risk"], "net_benefit+threshold=1", "between 0 and 1, both excluded, not 1"),
        (SCORES["marker_risk"].at(0.2), "net_benefit+threshold=20", r"Did you mean 0\.2"),
        (SCORES["marker_risk"], "net_benefit+threshold=0.2+prevalence=14", "`prevalence` lies between 0 and 1"),
        (SCORES["marker_risk"], "net_benefit+threshold=0.2@macro", "Drop '@macro'"),
        (hs.scores(TRUTH, 100 * RISKS["marker_risk"]), "net_benefit+threshold=0.2", "by 100 if they are percentages"),
        (SCORES["marker_risk"].at(0.2), "expected_cost+cost_fp=1", r"needs 'cost_fn'. Write 'expected_cost\+cost_fp=1"),
        (SCORES["marker_risk"], "expected_cost+cost_fp=1+cost_fn=9", "counts the cases at a threshold"),
        (SCORES["marker_risk"].at(0.2), "expected_cost+cost_fp=0+cost_fn=0", "is 0 whatever is predicted"),
        (SCORES["marker_risk"].at(0.2), "expected_utility+utilities=1,0", "Give 2 rows of 2 finite numbers"),
        (SCORES["marker_risk"].at(0.2), "expected_utility+utilities=1,0/a,1", "Give 2 rows of 2 finite numbers"),
        (SCORES["marker_risk"].at(0.2), "expected_utility+utilities=1,0/nan,1", "Give 2 rows of 2 finite numbers"),
        (SCORES["marker_risk"].at(0.2), "expected_utility+utilities=1,1/1,1", "is 1 whatever is predicted"),
        (hs.confusion(list("abc"), list("abb")), "expected_utility+utilities=1,0,0/0,1,0/0,0,1", "needs the order"),
    ],
)
def test_what_would_be_a_wrong_number_is_refused(table, spec, words):
    """A missing threshold or cost, percentages, another class's risk, and matrices of another shape."""
    with pytest.raises(hs.HowsureError, match=words):
        hs.estimate(table, spec)


def test_the_stated_threshold_and_the_argument_may_not_differ():
    """Scores are cut where the metric says; another `threshold=` is refused, for one model and for two."""
    table, spec = SCORES["marker_risk"], "net_benefit+threshold=0.2"
    assert hs.estimate(table, spec, threshold=0.2).value == hs.estimate(table, spec).value
    assert hs.evaluate(table, ["roc_auc", spec])[spec].value == hs.estimate(table.at(0.2), spec).value
    pair = hs.paired_scores(TRUTH, RISKS)
    per_cent = hs.paired_scores(TRUTH, {name: 100 * risk for name, risk in RISKS.items()})
    for call in (
        lambda: hs.estimate(table, spec, threshold=0.3),
        lambda: hs.evaluate(table, ["recall", spec], threshold=0.3),
        lambda: hs.compare(pair, spec, a="famhistory", b="marker_risk", threshold=0.3),
        lambda: hs.compare(per_cent, spec, a="famhistory", b="marker_risk"),
    ):
        with pytest.raises(hs.HowsureError, match="states the threshold|needs probabilities"):
            call()


def test_every_way_to_the_models_gives_the_same_net_benefit(tmp_path):
    """Saved tables, tables of groups, models of a paired table and their predictions agree."""
    spec, by = "net_benefit+threshold=0.2", np.arange(len(TRUTH)) % 3
    whole = hs.estimate(SCORES["marker_risk"], spec)
    pair = hs.paired_scores(TRUTH, RISKS)
    again = hs.load(SCORES["marker_risk"].save(tmp_path / "scores.json"))
    grouped = hs.estimate(hs.scores(TRUTH, RISKS["marker_risk"], by=by), spec)
    models = hs.evaluate_models(pair, spec)
    for found in (
        hs.estimate(again, spec),
        hs.estimate(again.at(0.2), spec),
        hs.estimate(pair.at(0.2).model("marker_risk"), spec),
        grouped.overall,
        models["marker_risk"][spec],
    ):
        assert (found.value, found.low, found.high) == pytest.approx((whole.value, whole.low, whole.high), abs=1e-12)
    alone = hs.estimate(hs.scores(TRUTH[by == 1], RISKS["marker_risk"][by == 1]), spec)
    assert grouped[1].value == pytest.approx(alone.value, abs=1e-12)


def test_expected_utility_is_the_mean_of_the_matrix():
    """Each case has the utility of its true and its predicted class; two classes give the expected cost, negative."""
    rng = np.random.default_rng(3)
    true, said = rng.choice(list("abc"), (2, 400))
    utility = np.array([[2.0, 0.5, -1], [0, 1, -4], [-3, 0.25, 6]])
    text = "/".join(",".join(map(str, row)) for row in utility)
    found = hs.estimate(
        hs.confusion(true, said, labels=list("abc")), f"expected_utility+utilities={text}", method="delta"
    )
    each = np.array([utility["abc".index(one), "abc".index(other)] for one, other in zip(true, said, strict=True)])
    assert found.value == pytest.approx(each.mean(), abs=1e-12)
    assert found.standard_error == pytest.approx(each.std() / 20, rel=1e-9)
    assert found.low >= -4
    table = SCORES["marker_risk"].at(0.2)
    cost = hs.estimate(table, "expected_cost+cost_fp=1+cost_fn=10+cost_tp=2+cost_tn=0.5")
    turned = hs.estimate(table, "expected_utility+utilities=-0.5,-1/-10,-2")
    assert (turned.value, turned.low, turned.high) == pytest.approx((-cost.value, -cost.high, -cost.low), rel=1e-6)


@pytest.mark.parametrize("threshold", [0.1, 0.4])
def test_ranges_are_reached_and_undefined_values_have_a_reason(threshold):
    """All wrong and all right reach the ends of the range; without a positive case a stated prevalence has no value."""
    w = threshold / (1 - threshold)
    for counts, value in (([[0, 40], [0, 0]], -w), ([[0, 0], [0, 40]], 1.0), ([[40, 0], [0, 0]], 0.0)):
        assert hs.estimate(hs.from_counts(counts), f"net_benefit+threshold={threshold}").value == pytest.approx(value)
    nobody = hs.from_counts([[30, 10], [0, 0]])
    for spec in (f"net_benefit+threshold={threshold}+prevalence=0.1", f"snb+threshold={threshold}"):
        found = hs.estimate(nobody, spec)
        assert np.isnan(found.value)
        assert found.reason


def test_the_shell_cuts_where_the_metric_says():
    """The threshold of the other metrics, 0.5 by default, is not that of the net benefit."""
    spec, files = "net_benefit+threshold=0.2", [str(DATA / "dcurves.csv"), "--y-true", "cancer"]
    expected = hs.estimate(SCORES["marker_risk"], spec)
    report = run("report", *files, "--y-score", "marker_risk", "-m", "recall", spec, "--format", "json")
    rows = {row["metric"]: row for row in json.loads(report.stdout)["estimates"]}
    assert rows["recall"]["value"] == hs.estimate(SCORES["marker_risk"].at(0.5), "recall").value
    assert (rows[spec]["value"], rows[spec]["low"]) == pytest.approx((expected.value, expected.low))
    compared = run("compare", *files, "--y-score", "marker_risk", "famhistory", "-m", spec, "--format", "json")
    gap = hs.compare(hs.paired_scores(TRUTH, RISKS), spec, a="marker_risk", b="famhistory")
    (row,) = json.loads(compared.stdout)
    assert (row["value"], row["low"]) == pytest.approx((gap.value, gap.low))
    predicted = run("unlabelled", files[0], "--y-score", "marker_risk", "-m", spec, "--format", "json")
    assert predicted.returncode == 0
    assert spec in predicted.stdout
    refused = run("gaps", *files, "--y-score", "marker_risk", "--by", "famhistory", "--threshold", "0.5", "-m", spec)
    assert refused.returncode
    assert "states the threshold" in refused.stderr


def test_ratings_are_no_risks():
    """Reader studies take a net benefit of decisions, not of ratings, whatever the threshold."""
    rng = np.random.default_rng(0)
    truth, reader = np.tile(np.repeat([0, 1], 20), 3), np.repeat(["a", "b", "c"], 40)
    case, rating = np.tile(np.arange(40), 3), rng.integers(1, 6, 120) + truth
    roles = {"truth": truth, "reader": reader, "case": case, "metric": "net_benefit+threshold=0.2"}
    with pytest.raises(hs.HowsureError, match="ratings are no risks"):
        hs.reader_study(rating=rating, threshold=3, **roles)
    found = hs.reader_study(call=(rating > 3).astype(int), **roles)
    each = [
        hs.estimate(hs.confusion(truth[reader == one], rating[reader == one] > 3), roles["metric"]).value
        for one in "abc"
    ]
    assert found.records()[0]["value"] == pytest.approx(np.mean(each))


def test_stated_miscalibration_moves_risks_and_not_the_decision():
    """The decisions stay at the stated threshold, and the range of a shift of the log odds includes the value."""
    table = hs.calibrated(RISKS["marker_risk"])
    found = hs.shift.miscalibration(table, "net_benefit+threshold=0.2", shift=0.2)
    assert found.low < hs.estimate(table, "net_benefit+threshold=0.2").value < found.high
    odds = np.log(RISKS["marker_risk"] / (1 - RISKS["marker_risk"])) - 0.2
    risk = 1 / (1 + np.exp(-odds))
    least = (treated("marker_risk", 0.2) * (risk - 0.25 * (1 - risk))).mean()
    assert found.low == pytest.approx(least)
    with pytest.raises(hs.HowsureError, match="states the threshold"):
        hs.shift.miscalibration(table, "net_benefit+threshold=0.2", threshold=0.5, shift=0.2)
