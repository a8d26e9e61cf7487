"""Reader studies against MRMCaov, iMRMC and arithmetic, and what they refuse."""

import json
import math
import pickle

import numpy as np
import pandas as pd
import pytest

import howsure as hs
from howsure.metrics.binding import resolve
from support.files import DATA, rows_of

FILE = str(DATA / "vandyke.csv")
COLUMNS = {"truth": "truth", "reader": "reader", "case": "case", "modality": "treatment"}
REFERENCE = json.loads((DATA / "vandyke_reference.json").read_text())  # MRMCaov 0.3.0
DESIGNS = json.loads((DATA / "vandyke_designs.json").read_text())  # made by vandyke_designs.R
SENSITIVITY = {"metric": "sensitivity", "threshold": 3}


def vandyke(data=FILE, **settings):
    return hs.reader_study("rating", data=data, **COLUMNS, **settings)


def rows():
    return [{name: int(value) for name, value in row.items()} for row in rows_of("vandyke.csv")]


def columns(found):
    return {name: [row[name] for row in found] for name in found[0]}


def design(name):
    """Return the reads of a design, as vandyke_designs.R makes them."""
    reads = rows()
    named = [row | {"case": f"{row['reader']} {row['case']}"} for row in reads]
    third = [row | {"reader": row["reader"] % 5 + 1, "treatment": 3} for row in reads if row["treatment"] == 1]
    return columns(
        {
            "cases_in_readers": named,
            "cases_in_modalities": [row | {"case": f"{row['treatment']} {row['case']}"} for row in reads],
            "unequal": [row for row, all_ in zip(named, reads, strict=True) if all_["reader"] > 2 or all_["case"] % 2],
            "split_plot": [row for row in reads if (row["reader"] <= 2) == (row["case"] % 2 == 0)],
            "missing": [row for row in reads if (7 * row["case"] + 3 * row["reader"] + row["treatment"]) % 11],
            "three": [*reads, *third],
            "readers_in_modalities": [row for row in reads if (row["reader"] <= 3) == (row["treatment"] == 1)],
        }[name]
    )


@pytest.mark.parametrize(
    "name, settings",
    [
        ("vandyke_auc_DeLong", {}),
        ("vandyke_auc_jackknife", {"covariance": "jackknife"}),
        ("vandyke_auc_unbiased", {"covariance": "unbiased"}),
        ("vandyke_auc_fixed_readers", {"covariance": "jackknife", "fixed": "reader"}),
        ("vandyke_auc_fixed_cases", {"fixed": "case"}),
        ("vandyke_sens_jackknife", SENSITIVITY),
        ("vandyke_spec_jackknife", {"metric": "specificity", "threshold": 3}),
    ],
)
def test_every_number_of_the_published_study_is_mrmcaovs(name, settings):
    """Means, differences, single readers, components and the test of equality, with their intervals."""
    found, reference = vandyke(scale="identity", **settings), REFERENCE[name]
    for each, own in zip(reference["test_means"], found.means, strict=True):
        mean = found.means[own]
        assert mean.value == pytest.approx(each["Estimate"], abs=1e-12)
        assert mean.standard_error == pytest.approx(each["StdErr"], abs=1e-12)
        assert (mean.low, mean.high) == pytest.approx(each["CI"], abs=1e-9)
        assert found.degrees_of_freedom[own] == pytest.approx(each.get("df", math.inf), rel=1e-9)
    (each,), (difference,) = reference["test_diffs"], found.differences.values()
    assert (difference.value, difference.standard_error) == pytest.approx((each["Estimate"], each["StdErr"]), abs=1e-12)
    assert (difference.low, difference.high) == pytest.approx(each["CI"], abs=1e-9)
    assert difference.degrees_of_freedom == pytest.approx(each.get("df", math.inf), rel=1e-9)
    assert difference.p_value == pytest.approx(each["p-value"], abs=1e-9)
    test = reference["test_equality"][0]
    assert found.test.statistic == pytest.approx(test.get("F", test.get("X2")), rel=1e-9)
    assert found.test.p_value == pytest.approx(test["p-value"], abs=1e-9)
    names = {"treatment:reader": "modality_reader", "Error": "error"}
    for each in reference["vcov_comps"] or []:
        own = names.get(each["_row"], each["_row"].lower())
        assert getattr(found.components, own) == pytest.approx(each["Estimate"], abs=1e-12)
    for each in reference["reader_means"] or []:
        single = found.by_reader[each["reader"]][each["treatment"]]
        assert (single.value, single.standard_error) == pytest.approx(
            (each.get("empirical_auc"), each["StdErr"]), abs=1e-12
        )
        assert (single.low, single.high) == pytest.approx(each["CI"], abs=1e-9)
    for each in reference["reader_test_diffs"] or []:
        single = found.reader_differences[each["Reader"]]["1 − 2"]
        assert (single.value, single.standard_error) == pytest.approx((each["Estimate"], each["StdErr"]), abs=1e-12)
        assert single.p_value == pytest.approx(each["p-value"], abs=1e-9)


@pytest.mark.parametrize(
    "name", ["cases_in_readers", "cases_in_modalities", "unequal", "split_plot", "missing", "three"]
)
def test_other_designs_are_mrmcaovs(name):
    """Cases nested in readers or modalities, blocks of readers and cases, absent reads, and three modalities."""
    data = design(name)
    compared = 0
    for each in (each for each in DESIGNS if each["design"] == name):
        own = SENSITIVITY if each["metric"] == "sensitivity" else {}
        found = vandyke(data, covariance=each["covariance"], fixed=each["fixed"] or None, **own)
        for reference, mean in zip(each["means"], found.means.values(), strict=True):
            assert mean.value == pytest.approx(reference["Estimate"], abs=1e-12)
            assert mean.standard_error == pytest.approx(reference["StdErr"], abs=1e-12)
        for reference, difference in zip(each["differences"], found.differences.values(), strict=True):
            assert difference.value == pytest.approx(reference["Estimate"], abs=1e-12)
            assert difference.standard_error == pytest.approx(reference["StdErr"], abs=1e-12)
            assert difference.degrees_of_freedom == pytest.approx(reference.get("df", math.inf), rel=1e-9)
            assert difference.p_value == pytest.approx(reference["p-value"], abs=1e-9)
            compared += 1
        assert found.test.p_value == pytest.approx(each["test"][0]["p-value"], abs=1e-9)
    assert compared >= 7


def test_readers_within_modalities_share_the_cases_variance():
    """MRMCaov's mean squares and covariances, in Hillis' formula: (1/r + 1/s) MS + 2 (Cov2 − Cov3)."""
    data = design("readers_in_modalities")
    (each,) = (
        each
        for each in DESIGNS
        if each["design"] == "readers_in_modalities" and (each["fixed"], each["covariance"]) == ("", "unbiased")
    )
    found = vandyke(data, covariance="unbiased")
    (difference,) = found.differences.values()
    test, own = each["test"][0], 1 / 3 + 1 / 2
    shared = 2 * max(test["Cov2"] - test["Cov3"], 0)
    variance = own * test["MS[R(T)]"] + shared
    assert found.design == "readers_in_modalities"
    assert difference.standard_error == pytest.approx(math.sqrt(variance), rel=1e-9)
    assert difference.degrees_of_freedom == pytest.approx((5 - 2) * (variance / (own * test["MS[R(T)]"])) ** 2)
    fixed = vandyke(data, fixed="case").differences["1 − 2"]
    (cases,) = (
        each
        for each in DESIGNS
        if each["design"] == "readers_in_modalities" and each["fixed"] == "case" and each["metric"] == "roc_auc"
    )
    assert fixed.standard_error == pytest.approx(cases["differences"][0]["StdErr"], rel=1e-9)
    assert fixed.degrees_of_freedom == 3


def test_metrics_of_both_classes_have_fewer_degrees_of_freedom():
    """Those of MS(T:R), times the ratio of variances to the power of 1.25; rates of one class have Hillis' 2."""
    for metric, power in (("mcc", 1.25), ("f1", 1.25), ("accuracy", 1.25), ("fpr", 2), ("npv", 1.25)):
        found = vandyke(metric=metric, threshold=3)
        (difference,), parts = found.differences.values(), found.components
        square = parts.modality_reader + parts.error - parts.cov1 - parts.cov2 + parts.cov3
        ratio = difference.standard_error**2 / (2 / 5 * square)
        assert ratio > 1.05
        assert difference.degrees_of_freedom == pytest.approx(4 * ratio**power)
        (same,) = found.plan(readers=5, cases=114).records()
        assert same["degrees_of_freedom"] == pytest.approx(4 * ratio**power)


def test_one_shot_is_imrmcs():
    """Variances and degrees of freedom that iMRMC's R package 2.1.0 gives (doAUCmrmc): BDG of each modality and of both."""
    found = vandyke(method="one_shot")
    expected = {"1": (0.00109370448988, 11.7573081093), "2": (0.000461871591436, 11.5233462269)}
    for name, (variance, freedom) in expected.items():
        assert found.means[name].standard_error ** 2 == pytest.approx(variance, rel=1e-9)
        assert found.degrees_of_freedom[name] == pytest.approx(freedom, rel=1e-9)
    difference = found.differences["1 − 2"]
    assert difference.standard_error**2 == pytest.approx(0.000427312516745, rel=1e-9)
    assert difference.degrees_of_freedom == pytest.approx(12.813411006, rel=1e-9)
    nested = vandyke(design("cases_in_readers"), method="one_shot").differences["1 − 2"]
    assert nested.standard_error**2 == pytest.approx(0.000220412248698, rel=1e-9)
    assert nested.degrees_of_freedom == pytest.approx(4)


def test_an_unbiased_variance_may_be_negative():
    """Then the difference has no interval and no shares of readers and cases, and the reason names another method."""
    rng, (reader, modality, case) = np.random.default_rng(20), np.indices((3, 2, 12)).reshape(3, -1)
    rating = case % 2 + rng.normal(size=len(case))
    found = hs.reader_study(rating, truth=case % 2, reader=reader, case=case, modality=modality, method="one_shot")
    (difference,) = found.differences.values()
    assert np.isnan([difference.low, difference.standard_error, difference.share_of_readers]).all()
    assert "method='obuchowski_rockette'" in difference.reason
    assert found.source_of_uncertainty == f"The shares of readers and cases are unknown: {difference.reason}."


def test_one_modality_is_a_mean_over_readers():
    """Without modalities there is one mean, equal to that of the modality in a study of two."""
    both, reads = vandyke(), columns([row for row in rows() if row["treatment"] == 2])
    one = hs.reader_study("rating", truth="truth", reader="reader", case="case", data=reads)
    assert list(one.means) == ["all readers"]
    assert one.test is None
    assert not one.differences
    mean, same = one.means["all readers"], both.means["2"]
    assert (mean.value, mean.low, mean.high) == pytest.approx((same.value, same.low, same.high))
    single = hs.reader_study(
        "rating",
        truth="truth",
        reader="reader",
        case="case",
        data=columns([row for row in rows() if row["treatment"] == 2 and row["reader"] == 1]),
        fixed="reader",
    )
    assert "mean over 1 reader of" in str(single)
    assert single.components is None
    assert one.source_of_uncertainty == (
        "Of the variance of the mean, 40 % is due to the sample of readers and 60 % to the sample of cases."
    )


def test_means_stay_inside_their_range():
    """The default interval of a mean is on the logit scale: symmetric in the log odds."""
    found = vandyke().means["2"]
    spread = [math.log(each / (1 - each)) for each in (found.low, found.value, found.high)]
    assert spread[2] - spread[1] == pytest.approx(spread[1] - spread[0])
    assert vandyke(scale="identity").means["2"].low < found.low + 0.05


def test_calls_are_ratings_at_a_threshold():
    """Calls in the words of the truth give the numbers of a threshold."""
    reads = columns(rows())
    words = {
        name: ["ill" if value >= least else "well" for value in reads[name]]
        for name, least in (("truth", 1), ("rating", 3))
    }
    by_call = hs.reader_study(
        call=words["rating"],
        truth=words["truth"],
        reader=reads["reader"],
        case=reads["case"],
        modality=reads["treatment"],
        metric="specificity",
        pos_label="ill",
    )
    by_threshold = vandyke(metric="specificity", threshold=3)
    assert by_call.differences["1 − 2"].low == pytest.approx(by_threshold.differences["1 − 2"].low)
    assert by_call.means["1"].positive == "ill"
    refused = pytest.raises(hs.HowsureError, match="has the class 'maybe'")
    with refused:
        hs.reader_study(call=["maybe", "ill"], truth=["ill", "well"], reader=[1, 1], case=[1, 2], metric="recall")


@pytest.mark.parametrize("metric", ["accuracy", "f1", "mcc", "ppv", "balanced_accuracy"])
def test_any_metric_of_counts_is_jackknifed(metric):
    """The covariance is (N − 1) / N times the products of the centred metrics without each case, computed one by one."""
    reads = columns([row for row in rows() if row["reader"] < 3 and row["case"] % 2])
    found = vandyke(reads, metric=metric, threshold=3)
    table = {name: np.array(each) for name, each in reads.items()}
    cases = np.unique(table["case"])
    groups = [(reader, treatment) for treatment in (1, 2) for reader in (1, 2)]
    without = np.empty((len(cases), len(groups)))
    for column, (reader, treatment) in enumerate(groups):
        own = (table["reader"] == reader) & (table["treatment"] == treatment)
        for row, case in enumerate(cases):
            some = own & (table["case"] != case)
            others = hs.confusion(table["truth"][some], table["rating"][some] >= 3, labels=[0, 1])
            without[row, column] = resolve(metric, others)(others.counts)
    centred = without - without.mean(0)
    covariance = (len(cases) - 1) / len(cases) * centred.T @ centred
    assert found.by_reader["2"]["1"].standard_error == pytest.approx(math.sqrt(covariance[1, 1]))
    assert found.components.cov1 == pytest.approx((covariance[0, 2] + covariance[1, 3]) / 2)


def test_margins_and_directions():
    """A difference can be turned round, and tested against a margin by Student's t."""
    found = vandyke().compare("2", "1")
    assert (found.names, found.value) == (("2", "1"), pytest.approx(0.0438003220611916))
    assert found.a.value == pytest.approx(0.940837359098229)
    test = found.non_inferiority(0.02)
    from scipy import stats

    t = (0.0438003220611916 + 0.02) / 0.0206825047854446
    assert test.p_value == pytest.approx(stats.t.sf(t, 15.0661079388731), rel=1e-6)
    assert test.shown
    assert not found.equivalence(0.05).shown
    assert "2 − 1 = 0.044 (95% CI" in found.sentence()
    assert "mean over 5 readers of 114 cases" in found.sentence()
    with pytest.raises(hs.HowsureError, match="no modality '3'"):
        vandyke().compare("1", "3")
    with pytest.raises(hs.HowsureError, match="compared with itself"):
        vandyke().compare("1", "1")


def test_results_print_and_travel():
    """Sentences, records, frames, pickles and the parts of the variance."""
    found = vandyke()
    assert "p = 0.051" in found.sentence()
    assert "19 % is due to the sample of readers and 81 % to the sample of cases" in found.sentence()
    assert [each["name"] for each in found.records()] == ["1", "2", "1 − 2"]
    assert found.to_pandas().shape[0] == 3
    again = pickle.loads(pickle.dumps(found))
    assert again.records() == found.records()
    assert again.compare("1", "2").equivalence(0.1).shown
    assert "factorial design" in str(found)
    assert "cov3" in str(found.components)
    assert found.by_reader["4"]["2"].value == pytest.approx(0.999355877616747)
    with pytest.raises(hs.HowsureError, match="style"):
        found.sentence("poem")


def test_groups_have_a_study_each():
    """`by` gives the study of each group, and of all rows; an error names the group."""
    reads = rows()
    data = columns([row | {"site": "a" if row["case"] % 2 else "b"} for row in reads])
    found = vandyke(data, by="site")
    odd = vandyke(columns([row for row in reads if row["case"] % 2]))
    assert found["a"].differences["1 − 2"].value == pytest.approx(odd.differences["1 − 2"].value)
    assert found.overall.cases == 114
    with pytest.raises(hs.HowsureError, match="Group '1': There is one reader"):
        vandyke(by="reader")


def test_absent_reads_are_counted():
    """A reader's metric is of the cases read; the result says how many reads are absent."""
    found = vandyke(design("missing"))
    reads = len(design("missing")["case"])
    assert found.design == "partial"
    assert f"{1140 - reads} of 1,140 reads are absent" in str(found)
    assert not vandyke(design("cases_in_readers")).note


def test_ratings_only_rank():
    """Order of rows, an increasing function of the ratings, and names of classes leave the areas unchanged."""
    reads = rows()
    expected = vandyke()
    order = np.random.default_rng(0).permutation(len(reads))
    changed_reads = columns([reads[place] for place in order])
    changed_reads["rating"] = [math.exp(value) for value in changed_reads["rating"]]
    changed_reads["truth"] = ["ill" if value else "well" for value in changed_reads["truth"]]
    for settings in ({}, {"method": "one_shot"}):
        found = vandyke(changed_reads, pos_label="ill", **settings).differences["1 − 2"]
        same = vandyke(**settings).differences["1 − 2"] if settings else expected.differences["1 − 2"]
        assert (found.value, found.low, found.p_value) == pytest.approx((same.value, same.low, same.p_value))
    reversed_reads = columns(reads)
    reversed_reads["rating"] = [-value for value in reversed_reads["rating"]]
    mirrored = vandyke(reversed_reads, pos_label=0)
    assert mirrored.differences["1 − 2"].p_value == pytest.approx(expected.differences["1 − 2"].p_value)


def test_other_doors():
    """A report by `report_of`, plots of the intervals, and where to plan."""
    found = vandyke()
    assert "Sources of uncertainty" in hs.report_of(found, title="aorta")
    assert found.means[1] is found.means["1"]
    assert len(hs.plots.differences(found).get_yticklabels()) == 1
    assert "aorta" in hs.report_of(found, title="aorta").to_markdown()
    with pytest.raises(hs.HowsureError, match="Leave it out"):
        hs.report_of(found, confidence_level=0.9)
    assert hs.plan(found, readers=8, power=0.8).cases == found.plan(readers=8, power=0.8).cases
    assert hs.plan(found.components, readers=8, cases=90).power == found.plan(readers=8, cases=90).power
    with pytest.raises(hs.HowsureError, match="A plan of ReaderStudy takes readers, cases, .*, not `n`"):
        hs.plan(found, n=80)
    with pytest.raises(hs.HowsureError, match="not a metric"):
        hs.plan(found, "roc_auc", readers=8, cases=90)
    with pytest.raises(hs.HowsureError, match="Write `modality="):
        hs.reader_study("rating", truth="truth", reader="reader", case="case", treatment="treatment", data=FILE)
    numbers = columns([row | {"case": row["reader"] + row["case"] / 1000} for row in rows()])
    assert vandyke(numbers).design == "cases_in_readers"
    numbers["case"] = [round(each, 1) for each in numbers["case"]]
    with pytest.raises(hs.HowsureError, match="1.1 and 1.10 are equal|more than one read"):
        vandyke(numbers)


def test_perfect_readers_have_no_interval():
    """Readers without variation have no error: the reason says so."""
    truth = [0, 0, 1, 1] * 2
    found = hs.reader_study(truth, truth=truth, reader=["a"] * 4 + ["b"] * 4, case=[1, 2, 3, 4] * 2)
    mean = found.means["all readers"]
    assert mean.value == 1
    assert math.isnan(mean.low)
    assert mean.reason == "the readers' values do not vary"
    assert found.source_of_uncertainty == "The data show no variation."


def test_one_perfect_reader_among_others_has_no_interval():
    """As in iMRMC's discussion 113: the perfect reader's error is 0 and its reason says so; the mean has its interval."""
    rng, (reader, case) = np.random.default_rng(0), np.indices((5, 40)).reshape(2, -1)
    truth = case % 2
    rating = truth + (reader > 0) * rng.normal(size=len(case))
    found = hs.reader_study(rating, truth=truth, reader=reader, case=case)
    single = found.by_reader["0"]["all readers"]
    assert (single.value, single.standard_error) == (1, 0)
    assert math.isnan(single.low)
    assert single.reason == "the reader's metric does not vary over samples of these cases"
    assert found.means["all readers"].low < found.means["all readers"].value < 1


def test_an_algorithm_beside_readers_is_one_reader():
    """An algorithm without readers is compared with these readers: the refusal names its modality and the remedy."""
    rng, (reader, case) = np.random.default_rng(0), np.indices((5, 40)).reshape(2, -1)
    study = {"truth": case % 2, "reader": reader, "case": case, "modality": np.where(reader == 0, "AI", "doctors")}
    rating = case % 2 + rng.normal(size=len(case))
    with pytest.raises(hs.HowsureError, match="modality 'AI' has one reader.*fixed='reader'"):
        hs.reader_study(rating, **study)
    found = hs.reader_study(rating, fixed="reader", **study).differences["AI − doctors"]
    assert found.value == pytest.approx(found.a.value - found.b.value)
    assert found.standard_error > 0


def changed(**changes):
    """Return the published reads with some values replaced in the first row."""
    reads = columns(rows())
    for name, value in changes.items():
        reads[name] = [value, *reads[name][1:]]
    return reads


@pytest.mark.parametrize(
    "data, settings, message",
    [
        (changed(truth=1), {}, "The case '1' has two truths"),
        (changed(treatment=2), {}, "The reader '1' has more than one read of the case '1' under '2'"),
        (columns(rows()[1:]), {"design": "factorial"}, "do not have design='factorial'"),
        (
            columns([row for row in rows() if (row["reader"], row["treatment"]) != (3, 2)]),
            {},
            "The reader '3' read under '1' only",
        ),
        (
            columns([row for row in rows() if row["reader"] != 2 or not row["truth"]]),
            {},
            "The reader '2' under '1' read no positive",
        ),
        (columns([row for row in rows() if row["reader"] == 2]), {}, "one reader.*fixed='reader'"),
        (columns([row for row in rows() if row["truth"]]), {}, "only the class 1"),
        (changed(rating=math.nan), {}, "`rating` has 1 missing"),
        (FILE, {"metric": "sensitivity"}, "needs `threshold="),
        (FILE, {"threshold": 3}, "`threshold` do not apply"),
        (FILE, {"metric": "log_loss"}, "not available for reader studies"),
        (
            FILE,
            {"metric": "sensitivity", "threshold": 3, "covariance": "delong"},
            "covariance='delong' is for `roc_auc`",
        ),
        (FILE, {"method": "one_shot", "fixed": "reader"}, "takes readers and cases as random"),
        (FILE, {"method": "anova"}, "no method 'anova'"),
        (FILE, {"fixed": "cases"}, "no fixed factor 'cases'"),
        (FILE, {"design": "crossed"}, "no design 'crossed'"),
    ],
)
def test_contradictions_are_refused(data, settings, message):
    """Each in one line that names the culprit and the remedy."""
    with pytest.raises(hs.HowsureError, match=message):
        vandyke(data, **settings)


def test_a_rating_or_a_call():
    """One of the two is needed, and calls have no area."""
    settings = {"truth": [0, 1], "reader": [1, 1], "case": [1, 2]}
    with pytest.raises(hs.HowsureError, match="Give `rating`"):
        hs.reader_study(**settings)
    with pytest.raises(hs.HowsureError, match="Calls have no area"):
        hs.reader_study(call=[0, 1], **settings)
    with pytest.raises(hs.HowsureError, match="differ in length"):
        hs.reader_study([1, 2, 3], **settings)


def test_a_single_case_of_a_class_has_no_error():
    """Random cases need two of each class; fixed cases do not."""
    data = columns(
        [row for row in rows() if not row["truth"] or row["case"] == max(r["case"] for r in rows() if r["truth"])]
    )
    with pytest.raises(hs.HowsureError, match="a single case of one class"):
        vandyke(data)
    assert math.isfinite(vandyke(data, fixed="case").differences["1 − 2"].low)


@pytest.mark.thorough
def test_many_cases_take_linear_memory():
    """10 readers × 100,000 cases of scores: no matrix of cases by cases, and a known mean."""
    import tracemalloc

    rng = np.random.default_rng(0)
    cases, readers = 100_000, 10
    truth = np.tile(np.arange(cases) % 4 == 0, readers).astype(int)
    case, reader = np.tile(np.arange(cases), readers), np.repeat(np.arange(readers), cases)
    rating = truth * 1.5 + rng.normal(size=cases)[case] + rng.normal(size=cases * readers)
    tracemalloc.start()
    found = hs.reader_study(rating, truth=truth, reader=reader, case=case)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    from scipy import stats

    assert found.means["all readers"].value == pytest.approx(stats.norm.cdf(1.5 / 2), abs=0.01)
    assert peak < 1e9


def imrmc_rows(reads, **truth):
    """Return reads in the rows of iMRMC: true classes first, with a reader and a modality of their own."""
    rows = reads[["reader", "case", "treatment", "rating"]].set_axis(
        ["readerID", "caseID", "modalityID", "score"], axis=1
    )
    own = reads.drop_duplicates("case")
    first = pd.DataFrame({"caseID": own["case"], "score": own["truth"], **truth})
    return pd.concat([first, rows.astype({"readerID": object, "modalityID": object})], ignore_index=True)


IMRMC = {"reader": "readerID", "case": "caseID", "modality": "modalityID"}


@pytest.mark.parametrize("name, modality", [("truth", "truth"), (-1, 0), ("-1", "any")])
def test_truth_in_rows_of_its_own(name, modality):
    """Rows of the reader "truth" or -1 give the true classes, as in files of iMRMC, and are no reads."""
    rng = np.random.default_rng(0)
    rows = [(r, c, t) for r in (1, 2, 3) for c in range(30) for t in (1, 2)]
    reads = pd.DataFrame(rows, columns=["reader", "case", "treatment"])
    reads["truth"] = reads["case"] % 2
    reads["rating"] = (reads["truth"] + rng.normal(size=len(reads))).round(2)
    expected = hs.reader_study("rating", truth="truth", reader="reader", case="case", modality="treatment", data=reads)
    found = hs.reader_study("score", **IMRMC, data=imrmc_rows(reads, readerID=name, modalityID=modality))
    assert found.records() == expected.records()


def test_truth_in_rows_is_complete():
    """Without such rows `truth` is named; a case without one, or with two, is refused by its name."""
    rows = {"reader": ["truth", "a", "b"], "case": ["x", "x", "x"], "rating": [1, 0.5, 0.7]}
    columns = {"reader": "reader", "case": "case"}
    with pytest.raises(hs.HowsureError, match="Give `truth`"):
        hs.reader_study("rating", **columns, data={name: each[1:] for name, each in rows.items()})
    with pytest.raises(hs.HowsureError, match="Give `truth`"):
        hs.reader_study(call="rating", **columns, data=rows)
    with pytest.raises(hs.HowsureError, match="The case 'y' has no truth"):
        hs.reader_study("rating", **columns, data=rows | {"case": ["x", "x", "y"]})
    with pytest.raises(hs.HowsureError, match="The case 'x' has two truths"):
        hs.reader_study("rating", **columns, data=rows | {"reader": ["truth", "-1", "b"]})
