"""Coefficients of agreement: published examples, other packages' values, and jackknife values of items."""

import numpy as np
import pytest
from statsmodels.stats.inter_rater import fleiss_kappa as of_statsmodels

import howsure as hs
from howsure.metrics.binding import resolve

# Fleiss (1971), Psychological Bulletin 76, table 1: thirty patients, six psychiatrists each, five diagnoses.
DIAGNOSES = """
444444 222555 233335 555555 222444 113333 333355 113334 114444 555555 144444 124444 222333 144444 224445 333335 111455
111112 224444 133555 555555 244444 224555 114444 144445 222224 111155 224444 133333 555555
"""
# irrCAC 0.4.4 and krippendorff 0.9.0 on thirty items of four raters, seeded, with some missing ratings. If `frame` has
# the numbers, `CAC(frame, weights=w, categories=[1., 2., 3., 4., 5.], digits=14)` has the estimate and its `se`,
# and `krippendorff.alpha(numbers.T, level_of_measurement=level)` the alphas.
SEEDED = """
1555 2212 2.32 3533 5521 5514 2224 3311 2122 3333 2212 11.4 4.1. .111 4442 ..52 5552 4344 55.5 3332 5325 5.3. 3333 2222
3445 224. 1333 4113 223. 11.4
"""
PEERS = [
    ("fleiss_kappa", "identity", 0.29835503235363, 0.06755048918975),
    ("conger_kappa", "identity", 0.30014494039696, 0.06655329784738),
    ("gwet_ac2", "identity", 0.30733265349316, 0.06918928443895),
    ("brennan_prediger", "identity", 0.30555555555556, 0.06872229888151),
    ("fleiss_kappa", "linear", 0.23270263205517, 0.09167514094834),
    ("conger_kappa", "linear", 0.22241299719579, 0.09200017136699),
    ("gwet_ac2", "linear", 0.27504844408982, 0.10725298575537),
    ("brennan_prediger", "linear", 0.26388888888889, 0.1016130152806),
    ("fleiss_kappa", "quadratic", 0.197759957585, 0.11967274507644),
    ("conger_kappa", "quadratic", 0.17538901389351, 0.12214927241309),
    ("gwet_ac2", "quadratic", 0.27509544127554, 0.14928453012045),
    ("brennan_prediger", "quadratic", 0.25277777777778, 0.13784473407041),
    ("fleiss_kappa", "ordinal", 0.20795564551615, 0.11049277514008),
    ("conger_kappa", "ordinal", 0.18924804983963, 0.11214927025394),
    ("gwet_ac2", "ordinal", 0.2750821573555, 0.13657935071825),
    ("brennan_prediger", "ordinal", 0.25595238095238, 0.12663139038642),
    ("fleiss_kappa", "radical", 0.26295988589245, 0.07756597543654),
    ("conger_kappa", "radical", 0.25901003216907, 0.07701626757549),
    ("gwet_ac2", "radical", 0.2875910206047, 0.08522793866639),
    ("brennan_prediger", "radical", 0.28156735277887, 0.08258400611975),
    ("fleiss_kappa", "ratio", 0.183369121989, 0.11752916817649),
    ("conger_kappa", "ratio", 0.16115493082178, 0.12015171433042),
    ("gwet_ac2", "ratio", 0.25757119460745, 0.1486394517127),
    ("brennan_prediger", "ratio", 0.23866213040033, 0.13857212360511),
]
ALPHAS = {
    "nominal": 0.32787731327877323,
    "ordinal": 0.22435627173942085,
    "interval": 0.2351501095219688,
    "ratio": 0.21144529867766715,
}
# Krippendorff (2011), Computing Krippendorff's alpha-reliability, also in Gwet's handbook: twelve units, four observers.
RAW = "11.1 2232 3333 3333 2222 1234 4444 1121 2222 .555 ..11 ..3."


def items(text):
    """Return ratings by item and rater, None for a dot."""
    return [[None if each == "." else int(each) for each in item] for item in text.split()]


def value(table, metric):
    return hs.estimate(table, metric, method="delta").value


@pytest.mark.parametrize(
    "level, published", [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849), ("ratio", 0.797)]
)
def test_krippendorffs_example_has_his_values(level, published):
    """Four observers of twelve units agree as Krippendorff prints, at each level of measurement."""
    assert value(hs.ratings(items(RAW)), f"krippendorff_alpha+level={level}") == pytest.approx(published, abs=5e-4)


@pytest.mark.parametrize(
    "metric, published",
    [("percent_agreement", 0.81818), ("gwet_ac1", 0.77544), ("fleiss_kappa", 0.76117), ("krippendorff_alpha", 0.74342)],
)
def test_gwets_example_has_his_values(metric, published):
    """The same ratings have the coefficients that Gwet's handbook and irrCAC's documentation print."""
    assert value(hs.ratings(items(RAW)), metric) == pytest.approx(published, abs=5e-6)


def test_fleiss_example_has_his_value():
    """Thirty patients with six diagnoses each have Fleiss' kappa of 0.430, and statsmodels' to the last digit."""
    said = items(DIAGNOSES)
    counts = np.array([[item.count(each) for each in range(1, 6)] for item in said])
    found = value(hs.ratings(said), "fleiss_kappa")
    assert found == pytest.approx(0.430, abs=5e-4)
    assert found == pytest.approx(of_statsmodels(counts), abs=1e-14)


@pytest.mark.parametrize("metric, weights, theirs, error", PEERS)
def test_values_and_standard_errors_equal_irrcac(metric, weights, theirs, error):
    """Where every item has two ratings or more, each coefficient and standard error is irrCAC's, for all weights."""
    found = hs.estimate(hs.ratings(items(SEEDED), labels=range(1, 6)), f"{metric}+weights={weights}", method="delta")
    assert [found.value, found.standard_error] == pytest.approx([theirs, error], abs=1e-12)


@pytest.mark.parametrize("level, theirs", ALPHAS.items())
def test_alpha_equals_the_package_krippendorff(level, theirs):
    """Krippendorff's alpha is that of the package of his name, at each level."""
    assert value(hs.ratings(items(SEEDED)), f"krippendorff_alpha+level={level}") == pytest.approx(theirs, abs=1e-14)


METRICS = [
    *("percent_agreement", "fleiss_kappa", "conger_kappa", "gwet_ac1", "gwet_ac2+weights=linear", "brennan_prediger"),
    *(f"krippendorff_alpha+level={level}" for level in ALPHAS),
    *("advantage_probability+rater=0", "agreement_gap+rater=1"),
]


@pytest.mark.parametrize("metric", METRICS)
def test_standard_errors_equal_the_infinitesimal_jackknife(metric):
    """The standard error is that of the effect of a thousandth of an item, also with single ratings."""
    said = items(SEEDED + " 3... .2.. 4...")
    table = hs.ratings(said)
    bound = resolve(metric, table)
    number = len(said)
    each = np.array([float(bound(table.counts + 1e-6 * mark)) for mark in marks(table, said)])
    influence = (each - float(bound(table.counts))) / 1e-6
    expected = np.sqrt(number / (number - 1) * (influence**2).sum())
    assert hs.estimate(table, metric, method="delta").standard_error == pytest.approx(expected, rel=1e-4)


def marks(table, said):
    """Return for each item the cell of its pattern, as a table with one item."""
    patterns = [tuple(None if code < 0 else table.labels[code] for code in row) for row in table.codes]
    return np.eye(len(patterns))[[patterns.index(tuple(item)) for item in said]]


def test_two_raters_have_the_coefficients_of_a_confusion_table():
    """For two raters Conger's kappa is Cohen's, Fleiss' kappa Scott's pi, and AC1 and alpha those of the table."""
    rng = np.random.default_rng(1)
    first = rng.integers(0, 3, 60)
    second = np.where(rng.random(60) < 0.6, first, rng.integers(0, 3, 60))
    ratings, confusion = hs.ratings(np.stack([first, second], 1)), hs.confusion(first, second)
    pairs = {
        "conger_kappa": "kappa",
        "fleiss_kappa": "scotts_pi",
        "gwet_ac1": "gwet_ac1",
        "percent_agreement": "accuracy",
    }
    for one, other in (pairs | {"krippendorff_alpha": "krippendorff_alpha"}).items():
        assert value(ratings, one) == pytest.approx(value(confusion, other), abs=1e-12)
    weighted = value(ratings, "conger_kappa+weights=quadratic")
    assert weighted == pytest.approx(value(confusion, "quadratic_weighted_kappa"), abs=1e-12)


def test_one_rater_against_the_others_is_counted_by_hand():
    """Who agrees with the third at least as well, and how agreement with the others differs from theirs, is counted."""
    table = hs.ratings({"ann": list("aabb"), "bob": list("aaba"), "model": list("abbb")})
    # Against ann, by bob: the model ties on items 1 and 3, loses on 2, ties on 4 (neither agrees): 3 of 4. Against bob,
    # by ann: ties on 1 and 3, loses on 2, wins on 4: 3 of 4.
    assert value(table, "advantage_probability+rater=model") == 0.75
    assert value(table, "advantage_probability+rater=model+against=ann") == 0.75
    # Mean agreement of the model with the others: 1, 0, 1, 1/2; of the others: 1, 1, 1, 0.
    assert value(table, "agreement_gap+rater=model") == pytest.approx((0 - 1 + 0 + 0.5) / 4)


@pytest.mark.parametrize(
    "metric, words",
    [
        ("fleiss_kappa+weights=cubic", "kind of weights"),
        ("krippendorff_alpha+level=interval", "needs ratings that are numbers, and 'high' is none"),
        ("krippendorff_alpha+level=ordinal", "needs the order of the categories"),
        ("gwet_ac2", "needs the order of the categories: state it"),
        ("krippendorff_alpha+level=metric", "level of measurement"),
        ("agreement_gap+rater=dan", "no rater 'dan'"),
        ("advantage_probability+rater=2+against=2", "Name two raters"),
        ("accuracy", "metric of predictions"),
        ("mean", "metric of values"),
    ],
)
def test_what_has_no_meaning_is_refused(metric, words):
    """Categories in words have no distances, and none without their order an ordinal one; unknown names are refused."""
    table = hs.ratings([["high", "low", "mid"], ["low", "low", "low"], ["mid", "mid", "high"]])
    with pytest.raises(hs.HowsureError, match=words):
        hs.estimate(table, metric)


def test_the_order_of_categories_is_that_of_the_labels():
    """Categories in words, in a stated order, have the weights of their places."""
    words, numbers = (
        [["high", "low", "mid"], ["low", "low", "mid"], ["mid", "mid", "high"]],
        [[3, 1, 2], [1, 1, 2], [2, 2, 3]],
    )
    stated = hs.ratings(words, labels=["low", "mid", "high"])
    for metric in ("gwet_ac2", "krippendorff_alpha+level=ordinal"):
        assert value(stated, metric) == pytest.approx(value(hs.ratings(numbers), metric))


def test_arguments_of_ratings_are_for_ratings():
    """A level of measurement means nothing for a confusion table, and is refused there."""
    with pytest.raises(hs.HowsureError, match="`level` of `krippendorff_alpha` has no meaning for a confusion table"):
        hs.estimate(hs.from_counts([[9, 1], [2, 8]]), "krippendorff_alpha+level=ordinal")
    with pytest.raises(hs.HowsureError, match="needs ratings of at least 0, and there is -1"):
        hs.estimate(hs.ratings([[-1, 1, 1], [1, 1, -1]]), "krippendorff_alpha+level=ratio")


def test_ordinal_weights_follow_the_stated_order():
    """Numbers that name steps in a stated order, such as 3 < 1 < 2, have ordinal weights as words in that order have."""
    said = [[1, 2, 3], [2, 2, 2], [3, 3, 1]] * 4
    found = hs.ratings(said, labels=[3, 1, 2])
    words = hs.ratings([[*map("xbca".__getitem__, row)] for row in said], labels=["a", "b", "c"])
    for metric in ("fleiss_kappa+weights=ordinal", "krippendorff_alpha+level=ordinal"):
        assert hs.estimate(found, metric).value == pytest.approx(hs.estimate(words, metric).value)


def test_two_raters_have_the_intervals_of_a_confusion_table():
    """By default both kinds of table use the flow, also for alpha; n − 1 in the variance changes limits slightly."""
    rng = np.random.default_rng(1)
    first = rng.integers(0, 3, 100)
    second = np.where(rng.random(100) < 0.6, first, rng.integers(0, 3, 100))
    ratings, confusion = hs.ratings(np.stack([first, second], 1)), hs.confusion(first, second)
    for one, other in (("conger_kappa", "kappa"), ("gwet_ac1",) * 2, ("krippendorff_alpha",) * 2):
        found, expected = hs.estimate(ratings, one), hs.estimate(confusion, other)
        assert found.method == expected.method == "flow"
        assert [found.low, found.high] == pytest.approx([expected.low, expected.high], abs=0.01)


def test_the_last_rater_is_meant_unless_another_is_named():
    """Gap and advantage are those of the last rater by default, with the ranges that differences and shares have."""
    rng = np.random.default_rng(3)
    rated = rng.integers(0, 3, (60, 4))
    rated[:30, 3] = rated[:30, 0]
    table = hs.ratings(rated)
    last = str(table.raters[-1])
    for metric, ends in (("agreement_gap", (-1, 1)), ("advantage_probability", (0, 1))):
        bound = resolve(metric, table)
        assert float(bound(table.counted)) == float(resolve(f"{metric}+rater={last}", table)(table.counted))
        others = [float(resolve(f"{metric}+rater={each}", table)(table.counted)) for each in table.raters[:-1]]
        assert float(bound(table.counted)) not in others
        assert bound.range == ends


def test_the_last_rater_is_the_one_that_is_compared():
    """Without a name both metrics are those of the last rater, and differ from those of the others."""
    table = hs.ratings({"ann": list("aabba"), "bob": list("aabab"), "cat": list("aabba"), "model": list("bbabb")})
    for metric in ("advantage_probability", "agreement_gap"):
        last, other = (value(table, f"{metric}+rater={name}") for name in ("model", "cat"))
        assert value(table, metric) == last != other


def test_a_gap_of_agreement_lies_between_minus_one_and_one():
    """It is the difference of two shares: minus one where the others always agree and the rater never does."""
    table = hs.ratings({"ann": list("abc"), "bob": list("abc"), "model": list("bca")})
    metric = resolve("agreement_gap", table)
    assert metric.range == (-1, 1)
    assert value(table, "agreement_gap") == -1


@pytest.mark.parametrize("unit", [1e-170, 0.01, 3.0, 1e12])
def test_alpha_of_intervals_does_not_depend_on_the_unit(unit):
    """On scales so fine or coarse that squared differences overflow or underflow, agreement is the same."""
    said = np.array([[1, 1, 2], [3, 3, 3], [2, 4, 2], [4, 4, 4], [1, 2, 1]]) * 1.0
    metric = "krippendorff_alpha+level=interval"
    assert value(hs.ratings(said * unit), metric) == pytest.approx(value(hs.ratings(said), metric), rel=1e-9)


@pytest.mark.parametrize(
    "metric, words", [("kappa", "conger_kappa"), ("cohen_kappa", "conger_kappa"), ("accuracy", "percent_agreement")]
)
def test_metrics_of_predictions_have_counterparts_for_raters(metric, words):
    """Cohen's kappa and accuracy of raters are named; of two raters without gaps both are equal."""
    first, second = [1, 1, 0, 1, 0, 0, 1], [1, 0, 0, 1, 0, 1, 1]
    table = hs.ratings(list(zip(first, second, strict=True)))
    with pytest.raises(hs.HowsureError, match=words):
        hs.estimate(table, metric)
    with pytest.raises(hs.HowsureError, match=r"krippendorff_alpha\+level=interval"):
        hs.estimate(table, "icc")
    expected = hs.estimate(hs.confusion(first, second), metric)
    assert float(hs.estimate(table, words)) == pytest.approx(float(expected))
