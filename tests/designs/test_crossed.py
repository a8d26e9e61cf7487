"""Two crossed factors, such as readers and cases."""

import pickle
from dataclasses import replace

import numpy as np
import pytest

import howsure as hs
from howsure.comparison.contenders import contenders
from howsure.designs.clusters import Clusters
from howsure.designs.crossed import Crossed
from howsure.metrics.binding import resolve_each
from support.files import rows_of

ROWS = 150
RNG = np.random.default_rng(11)
READER, CASE = RNG.integers(0, 6, ROWS), RNG.integers(0, 25, ROWS)  # some combinations are missing, some have several
EASE = RNG.normal(0, 1, 25)[CASE] + RNG.normal(0, 1, 6)[READER]
TRUTH = RNG.integers(0, 2, ROWS)
SAID = np.where(EASE + RNG.normal(0, 1, ROWS) > -0.5, TRUTH, 1 - TRUTH)
SCORE = np.round(TRUTH + 0.5 * EASE + RNG.normal(0, 1, ROWS), 1)
OTHER = np.where(RNG.random(ROWS) < 0.7, TRUTH, 1 - TRUTH)
NUMBER = EASE + RNG.normal(0, 0.5, ROWS)
WEIGHT = RNG.gamma(2.0, 0.5, ROWS) + 0.1
BOTH = {"reader": READER, "case": CASE}


def sandwich(form, *factors):
    """Return the two-way cluster-robust variance of a sum, by pairs of cases, as R's vcovCL with HC0 and cadjust."""
    both = np.array([f"{one}/{other}" for one, other in zip(*factors, strict=True)])
    total = 0.0
    for sign, level in zip((1, 1, -1), (*factors, both), strict=True):
        together = level[:, None] == level
        number = len(set(level.tolist()))
        total += sign * number / (number - 1) * float(form @ together @ form)
    return total


def f1_of_cases():
    """Return the influence of each case on F1: (2 tp)' / d - 2 tp d' / d², d = 2 tp + fp + fn."""
    tp, wrong = (TRUTH & SAID).astype(float), (TRUTH != SAID).astype(float)
    whole = 2 * tp.sum() + wrong.sum()
    return 2 * tp / whole - 2 * tp.sum() / whole**2 * (2 * tp + wrong)


MEAN = (WEIGHT * (TRUTH == SAID)).sum() / WEIGHT.sum()
VALUES = {
    "accuracy": (lambda more: hs.confusion(TRUTH, SAID, **more), ((TRUTH == SAID) - (TRUTH == SAID).mean()) / ROWS),
    "f1": (lambda more: hs.confusion(TRUTH, SAID, **more), f1_of_cases()),
    "weighted accuracy": (
        lambda more: hs.confusion(TRUTH, SAID, sample_weight=WEIGHT, **more),
        WEIGHT * ((TRUTH == SAID) - MEAN) / WEIGHT.sum(),
    ),
    "mean": (lambda more: hs.values(NUMBER, **more), (NUMBER - NUMBER.mean()) / ROWS),
    "difference of accuracy": (
        lambda more: hs.paired(TRUTH, {"A": SAID, "B": OTHER}, **more),
        ((TRUTH == SAID) * 1.0 - (TRUTH == OTHER) - ((TRUTH == SAID) * 1.0 - (TRUTH == OTHER)).mean()) / ROWS,
    ),
}


@pytest.mark.parametrize("name", VALUES)
def test_standard_error_is_the_two_way_cluster_robust_one(name):
    """Of an unbalanced table: V_a + V_b - V_ab of the cases' influences, as R's `sandwich::vcovCL` computes it."""
    make, form = VALUES[name]
    expected = sandwich(form, READER, CASE)
    assert expected > max(sandwich(form, each, each) for each in (READER, CASE))  # no lower limit is in force
    metric, table = name.split()[-1], make({"groups": BOTH})
    found = hs.compare(table, metric, method="delta") if hasattr(table, "models") else hs.estimate(table, metric)
    assert found.standard_error == pytest.approx(np.sqrt(expected), rel=1e-10)


def test_area_has_the_variance_of_its_placements():
    """Each part has Obuchowski's variance: n / (n - 1) within the classes, G / (G - 1) between them."""
    positive = TRUTH == 1
    beats = (SCORE[:, None] > SCORE) + 0.5 * (SCORE[:, None] == SCORE)
    placement = np.where(positive, beats @ ~positive / (~positive).sum(), 1 - (beats @ positive) / positive.sum())
    area = placement[positive].mean()
    form = (placement - area) / np.where(positive, positive.sum(), (~positive).sum())

    def part(level):
        levels = sorted(set(level.tolist()))
        sums = np.array(
            [[form[(level == each) & (positive == side)].sum() for each in levels] for side in (True, False)]
        )
        number = [len(set(level[positive == side].tolist())) for side in (True, False)]
        own = sum(n / (n - 1) * (each**2).sum() for n, each in zip(number, sums, strict=True))
        return own + len(levels) / (len(levels) - 1) * 2 * (sums[0] * sums[1]).sum()

    parts = [part(each) for each in (READER, CASE, np.array(100 * READER + CASE))]
    found = hs.estimate(hs.scores(TRUTH, SCORE, groups=BOTH), "roc_auc").standard_error ** 2
    assert found == pytest.approx(max(parts[0] + parts[1] - parts[2], *parts), rel=1e-10)


def numbers_of(name):
    """Return the rows of a file of `tests/data`, with numbers in all columns but "name"."""
    rows = rows_of(name)
    return [{key: text.strip() if key == "name" else float(text) for key, text in row.items()} for row in rows]


@pytest.mark.parametrize("expected", numbers_of("crossed_reference.csv"), ids=lambda row: row["name"])
def test_variances_equal_those_of_sandwich(expected):
    """R's `sandwich::vcovCL` (tests/data/crossed.R): both clusters, without `cadjust`, with `multi0`, and each part."""
    data = {key: np.array([row[key] for row in numbers_of("crossed.csv")]) for key in numbers_of("crossed.csv")[0]}
    more = {"groups": {name: data[name].astype(int) for name in ("reader", "case")}}
    truth, said, other = (data[name].astype(int) for name in ("truth", "said", "other"))
    name = expected["name"]
    if name.startswith("difference"):
        found = hs.compare(hs.paired(truth, {"A": said, "B": other}, **more), "accuracy", method="delta")
        assert expected["combination"] > expected["case"]  # the lower limit is in force
        names = "both", "reader", "case", "combination"
        assert found.standard_error**2 == pytest.approx(max(expected[each] for each in names), rel=1e-10)
        return
    if name == "mean":
        table = hs.values(data["number"], **more)
    else:
        weight = data["weight"] if name.startswith("weighted") else None
        table = hs.confusion(truth, said, sample_weight=weight, **more)
    found = hs.estimate(table, name.split()[-1])
    assert found.value == pytest.approx(expected["value"], rel=1e-12)
    assert found.standard_error**2 == pytest.approx(expected["both"], rel=1e-10)
    (metric,) = resolve_each(name.split()[-1], [table])
    form, parts = metric.gradient_at(table.counted).reshape(table.cells.shape), table.design.parts
    first, second, both = (float(part.variance(table.cells, form)) for part in parts)
    assert [first, second, both] == pytest.approx([expected[each] for each in ("reader", "case", "combination")])
    plain = [each * (part.number - 1) / part.number for each, part in zip((first, second, both), parts, strict=True)]
    assert plain[0] + plain[1] - plain[2] == pytest.approx(expected["unadjusted"], rel=1e-10)
    if name in ("mean", "accuracy"):  # with one row for each case and cell, as `multi0` regards them
        alone = (table.cells * form**2).sum()
        assert first + second - alone == pytest.approx(expected["multi0"], rel=1e-10)


def two_way(outcomes):
    """Return the mean squares of readers, cases and interaction of a complete table, divided by its combinations."""
    readers, cases = outcomes.shape
    rows, columns = outcomes.mean(1, keepdims=True), outcomes.mean(0, keepdims=True)
    rest = outcomes - rows - columns + outcomes.mean()
    squares = readers * columns.var(ddof=1), (rest**2).sum() / ((readers - 1) * (cases - 1))
    return tuple(each / outcomes.size for each in (cases * rows.var(ddof=1), *squares))


@pytest.mark.parametrize("readers, cases, of_reader", [(4, 30, 0.6), (3, 3, 0.0), (6, 12, 0.0)])
def test_intervals_of_complete_tables_follow_from_mean_squares(readers, cases, of_reader):
    """V = A + B, A = max(MS_a - w_a MS_ab, 0), B likewise, and at least MS_ab / 2; f from both terms' fractions of V."""
    rng = np.random.default_rng(readers)
    outcomes = of_reader * rng.normal(size=(readers, 1)) + rng.normal(size=cases) + rng.normal(size=(readers, cases))
    rows, columns, rest = two_way(outcomes)
    f, g = readers - 1, cases - 1
    a, b = max(rows - f / (f + g) * rest, 0.0), max(columns - g / (f + g) * rest, 0.0)
    variance = max(a + b, rest / 2)
    freedom = 1 / ((a / variance) ** 1.25 / f + (b / variance) ** 1.25 / g)
    groups = np.repeat(np.arange(readers), cases), np.tile(np.arange(cases), readers)
    table = hs.values(outcomes.ravel(), groups=[*groups])
    form = (table.values - outcomes.mean()) / outcomes.size
    inflation, degrees = table.design.small_sample_correction(table.cells, form)
    assert float(inflation * table.design.variance(table.cells, form)) == pytest.approx(variance, rel=1e-9)
    assert float(degrees) == pytest.approx(freedom, rel=1e-9)


def test_the_interaction_is_unbiased_with_missing_combinations():
    """The moments give the variance of the noise of a mean: sd² / n for the n combinations that occur."""
    rng = np.random.default_rng(3)
    kept = rng.random(8 * 40) < 0.6
    reader, case = (each[kept] for each in (np.repeat(np.arange(8), 40), np.tile(np.arange(40), 8)))
    number, found = len(reader), []
    for _ in range(100):
        outcomes = 0.7 * rng.normal(size=8)[reader] + 1.2 * rng.normal(size=40)[case] + rng.normal(size=number)
        table = hs.values(outcomes, groups=[reader, case])
        form = (table.values - outcomes.mean()) / number
        variances = [part.variance(table.cells, form) for part in table.design.parts]
        found.append(float(table.design.interaction_variance(table.cells, variances)))
    assert np.mean(found) == pytest.approx(1 / number, abs=5 * np.std(found) / 10)
    assert np.mean(found) < 0.7 * float(variances[-1])


def test_a_factor_with_all_the_variance_has_its_degrees_of_freedom():
    """If all cases of a reader agree, the cases add nothing."""
    reader, case = np.repeat(np.arange(5), 40), np.tile(np.arange(40), 5)
    table = hs.confusion(np.ones(200, int), reader % 2, groups={"reader": reader, "case": case}, labels=[0, 1])
    form = np.array([0.0, 0.0, -0.4, 0.6])
    assert float(table.design.variance(table.cells, form)) == pytest.approx(5 / 4 * 40**2 * (3 * 0.4**2 + 2 * 0.6**2))
    assert [float(each) for each in table.design.small_sample_correction(table.cells, form)] == pytest.approx([1, 4])


def test_variance_is_never_below_that_of_one_factor_or_of_cases():
    """Where each item is answered by one model alone, the sum of the parts is too small, even negative."""
    model, item = np.repeat(np.arange(4), 12), np.tile(np.arange(12), 4)
    right = (item % 4 == model).astype(int)
    table = hs.confusion(np.ones(48, int), right, groups=[model, item], labels=[0, 1])
    form = ((right == 1) - right.mean()) / 48
    assert sandwich(form, model, item) < 0
    alone = 48 / 47 * (form**2).sum()
    assert hs.estimate(table, "accuracy").standard_error == pytest.approx(np.sqrt(alone))


@pytest.mark.parametrize("order", [1, -1])
def test_nested_factors_are_clusters_of_the_outer_one(order):
    """If each image is of one patient, the images add nothing: the design is that of the patients."""
    patient, image = CASE % 5, CASE
    given = dict([("patient", patient), ("image", image)][::order])
    nested, clusters = hs.confusion(TRUTH, SAID, groups=given), hs.confusion(TRUTH, SAID, groups=patient)
    assert isinstance(nested.design, Clusters)
    assert nested.design.number == 5
    assert nested.design.unit_names.tolist() == list(range(5))
    assert hs.estimate(nested, "f1") == hs.estimate(clusters, "f1")


def test_a_fixed_factor_leaves_clusters_of_the_other():
    """Intervals for the same models on new items are those of clusters of items."""
    expected = hs.estimate(hs.confusion(TRUTH, SAID, groups=CASE), "f1")
    data = {"truth": TRUTH, "said": SAID, **BOTH}
    assert hs.estimate(hs.confusion(TRUTH, SAID, groups=BOTH, fixed="reader"), "f1") == expected
    assert hs.estimate(hs.confusion("truth", "said", data=data, groups=[*BOTH], fixed="reader"), "f1") == expected
    assert hs.estimate(hs.confusion(TRUTH, SAID, groups=[READER, CASE], fixed="factor 1"), "f1") == expected
    with pytest.raises(hs.HowsureError, match="'readr'.*'reader'"):
        hs.confusion(TRUTH, SAID, groups=BOTH, fixed="readr")
    with pytest.raises(hs.HowsureError, match="`fixed` is 'case', and `groups` has not two columns"):
        hs.values(SCORE, groups=CASE, fixed="case")


def frames():
    """Return the data in several kinds, with the names of the columns."""
    data = {"truth": TRUTH, "said": SAID, **BOTH}
    polars, pandas, duckdb = (pytest.importorskip(name) for name in ("polars", "pandas", "duckdb"))
    frame = pandas.DataFrame(data)
    return [data, frame, polars.DataFrame(data), polars.DataFrame(data).lazy(), duckdb.from_df(frame)]


def test_factors_are_given_in_every_kind_of_data():
    """A list of names of columns, a mapping, a list of two arrays, an array of two columns and a frame are the same."""
    expected = hs.estimate(hs.confusion(TRUTH, SAID, groups=BOTH), "mcc")
    pandas = pytest.importorskip("pandas")
    for groups in ([READER, CASE], np.column_stack([READER, CASE]), pandas.DataFrame(BOTH), [CASE.tolist(), READER]):
        assert hs.estimate(hs.confusion(TRUTH, SAID, groups=groups), "mcc").high == pytest.approx(expected.high)
    for data in frames():
        table = hs.confusion("truth", "said", data=data, groups=["reader", "case"])
        assert table.design.description.sample == "in 6 × 25 crossed groups (reader × case)"
        found = hs.estimate(table, "mcc")
        assert [found.low, found.high] == pytest.approx([expected.low, expected.high], rel=1e-12)
    counted = hs.confusion(TRUTH, SAID, groups=BOTH, counts=np.full(ROWS, 2))
    twice = hs.confusion(
        *(np.repeat(each, 2) for each in (TRUTH, SAID)), groups=[np.repeat(each, 2) for each in BOTH.values()]
    )
    assert hs.estimate(counted, "mcc").low == pytest.approx(hs.estimate(twice, "mcc").low)


def test_names_and_order_do_not_matter():
    """Other names of levels, another order of the rows and of the factors leave each interval as it is."""
    order = np.random.default_rng(0).permutation(ROWS)
    named = [np.char.add("case ", CASE.astype(str))[order], np.char.add("reader ", READER.astype(str))[order]]
    one, other = hs.scores(TRUTH, SCORE, groups=BOTH), hs.scores(TRUTH[order], SCORE[order], groups=named)
    for metric in ("roc_auc", "average_precision", "f1"):
        first, second = (hs.estimate(each.at(0.5) if metric == "f1" else each, metric) for each in (one, other))
        assert [first.low, first.high] == pytest.approx([second.low, second.high], rel=1e-9)


def tables_by_site(**more):
    return hs.confusion(TRUTH, SAID, groups=BOTH, by=np.where(CASE < 12, "north", "south"), **more)


@pytest.mark.parametrize("weight", [None, WEIGHT])
def test_each_group_has_the_intervals_that_it_has_alone(weight):
    """Tables of `by` are a batch; each has the levels of its own cases."""
    tables = tables_by_site(sample_weight=weight)
    every = hs.estimate(tables, "f1")
    for site, some in (("north", CASE < 12), ("south", CASE >= 12)):
        own = None if weight is None else weight[some]
        alone = hs.confusion(TRUTH[some], SAID[some], groups=[READER[some], CASE[some]], sample_weight=own)
        expected = hs.estimate(alone, "f1")
        for found in (every[site], hs.estimate(tables[site], "f1")):
            assert [found.low, found.high] == pytest.approx([expected.low, expected.high], rel=1e-12)


def test_parts_add_up_by_the_names_of_the_levels(tmp_path):
    """Sums of tables have the levels of all, also after saving; levels of pooled sites are not shared."""
    whole, parts = hs.confusion(TRUTH, SAID, groups=BOTH), [*tables_by_site().values()]
    for some in (parts, [hs.load(each.save(tmp_path / f"{place}.json")) for place, each in enumerate(parts)]):
        added = some[0] + some[1]
        assert hs.estimate(added, "f1") == hs.estimate(whole, "f1")
        assert added.design.number == (6, 25)
    assert hs.pool_tables(parts).design.number == (12, 25)
    assert hs.estimate(pickle.loads(pickle.dumps(whole)), "f1") == hs.estimate(whole, "f1")
    with pytest.raises(hs.HowsureError, match="different crossed `groups`"):
        parts[0] + hs.confusion(TRUTH, SAID, groups=[READER, CASE])


def test_resamples_are_products_of_the_weights_of_two_bootstraps():
    """The variance of a form over resamples: Σ t t' (E[w w'] E[v v'] - 1), multinomial weights of readers and cases."""
    table = hs.confusion(TRUTH, SAID, groups=BOTH)
    form = np.array([1.0, -1.0, -0.5, 0.7])
    form = form - form @ table.cells / table.cells.sum()
    of_case = form[2 * TRUTH + SAID]
    moments = 1.0
    for level in (READER, CASE):
        number = len(set(level.tolist()))
        moments = moments * ((level[:, None] == level) + 1 - 1 / number)
    expected = of_case @ (moments - 1) @ of_case
    drawn = table.design.resample(table.cells, 20_000, np.random.default_rng(0)) @ form
    assert drawn.var() == pytest.approx(expected, rel=0.06)  # about 4 standard errors
    assert expected > float(table.design.variance(table.cells, form))
    prior = np.zeros(4)
    drawn = table.design.posterior(table.cells, prior, 20_000, np.random.default_rng(0))
    drawn = drawn / drawn.sum(1, keepdims=True) * ROWS @ form
    assert drawn.var() == pytest.approx(expected, rel=0.2)  # flat Dirichlet weights vary by n / (n + 1)


def test_what_has_no_answer_is_refused_in_one_line():
    """Three factors, one named twice, strata, units, and methods that leave out one unit name a remedy."""
    with pytest.raises(hs.HowsureError, match="`groups` has 3 columns"):
        hs.confusion("truth", "said", data={"truth": TRUTH, "said": SAID, **BOTH, "site": CASE}, groups=[*BOTH, "site"])
    with pytest.raises(hs.HowsureError, match="`groups` has 3 columns"):
        hs.confusion(TRUTH, SAID, groups=[READER, CASE, CASE % 2])
    with pytest.raises(hs.HowsureError, match="twice"):
        hs.confusion("truth", "said", data={"truth": TRUTH, "said": SAID, **BOTH}, groups=["case", "case"])
    with pytest.raises(hs.HowsureError, match="Samples with `strata` take one column"):
        hs.confusion(TRUTH, SAID, groups=BOTH, strata=CASE % 2, stratum_sizes={0: 0.5, 1: 0.5})
    with pytest.raises(hs.HowsureError, match="Units take one column of `groups`"):
        hs.events(TRUTH, SAID, OTHER, groups=BOTH)
    table = hs.confusion(TRUTH, SAID, groups=BOTH)
    with pytest.raises(hs.HowsureError, match="without each unit.*'bootstrap_percentile'"):
        hs.estimate(table, "f1", method="bootstrap_bca")
    with pytest.raises(hs.HowsureError, match="`groups\\['case'\\]` is blank in 1 rows"):
        hs.confusion(TRUTH, SAID, groups={"reader": READER, "case": ["", *map(str, CASE[1:])]})
    with pytest.raises(hs.HowsureError, match="differ in length"):
        hs.confusion(TRUTH, SAID, groups=[READER, CASE[1:]])


def test_scores_are_resampled_like_counts():
    """A table with many cells draws the products of weights directly, with the same variance."""
    table = hs.scores(TRUTH, SCORE, groups=BOTH)
    form = np.random.default_rng(1).normal(size=table.cells.size)
    form = form - form @ table.cells / table.cells.sum()
    each = form[2 * np.searchsorted(table.scores, SCORE) + TRUTH]
    moments = np.prod([(of[:, None] == of) + 1 - 1 / len(set(of.tolist())) for of in (READER, CASE)], axis=0)
    drawn = table.design.resample(table.cells, 20_000, np.random.default_rng(0)) @ form
    assert drawn.var() == pytest.approx(each @ (moments - 1) @ each, rel=0.06)


def test_plans_are_of_one_kind_of_unit():
    """A pilot with two factors is refused with the remedy, and a report does not say how many cases halve an interval."""
    table = hs.confusion(TRUTH, SAID, groups=BOTH)
    with pytest.raises(hs.HowsureError, match="`fixed=`"):
        hs.plan(table, "accuracy", width=0.1)
    assert "Half as wide" not in hs.report_of(table).to_markdown()


def test_one_level_of_a_factor_has_no_variance():
    """One reader alone cannot show how readers vary."""
    found = hs.estimate(hs.confusion(TRUTH, SAID, groups=[np.zeros(ROWS, int), CASE]), "accuracy")
    assert np.isnan(found.standard_error)
    assert found.reason


def test_test_sets_of_their_own_factors_are_compared():
    """Two test sets with crossed factors have the sum of their variances."""
    first, second = hs.confusion(TRUTH, SAID, groups=BOTH), hs.confusion(TRUTH, OTHER, groups=BOTH)
    found = hs.compare(first, second, "accuracy", method="delta")
    own = [hs.estimate(each, "accuracy").standard_error for each in (first, second)]
    assert found.standard_error == pytest.approx(np.hypot(*own))


def test_models_of_separate_tables_share_readers_and_cases():
    """A leaderboard of two tables of the same readers and cases has the covariance of their paired table."""
    rng = np.random.default_rng(2)
    both = {"reader": np.repeat(np.arange(6), 25), "case": np.tile(np.arange(25), 6)}
    said = {name: np.where(EASE + rng.normal(0, 1, ROWS) > -1, TRUTH, 1 - TRUTH) for name in "AB"}
    joint = contenders(hs.paired(TRUTH, said, groups=both), "accuracy")
    separate = {name: hs.confusion(TRUTH, each, groups=both) for name, each in said.items()}
    found = contenders(separate, "accuracy")
    assert found.covariance == pytest.approx(joint.covariance, rel=1e-9)
    assert found.degrees_of_freedom == pytest.approx(joint.degrees_of_freedom, rel=1e-9)
    other = {"A": separate["A"], "B": replace(separate["B"], design=separate["B"].design.with_unshared_units())}
    assert contenders(other, "accuracy").covariance[0, 1] == 0


def test_batches_of_a_stream_and_long_data_keep_both_factors():
    """Batches add up to the table of all cases, and rows of one model each are joined by case."""
    seen = hs.Accumulator(hs.confusion, labels=[0, 1])
    for some in (slice(0, 70), slice(70, None)):
        seen.update(TRUTH[some], SAID[some], groups={name: column[some] for name, column in BOTH.items()})
    assert hs.estimate(seen.table, "f1") == hs.estimate(hs.confusion(TRUTH, SAID, groups=BOTH), "f1")
    rows = {"truth": np.tile(TRUTH, 2), "said": np.concatenate([SAID, OTHER]), "model": np.repeat(["A", "B"], ROWS)}
    rows |= {"row": np.tile(np.arange(ROWS), 2)} | {name: np.tile(column, 2) for name, column in BOTH.items()}
    table = hs.paired("truth", "said", model="model", case="row", data=rows, groups=["reader", "case"])
    expected = hs.compare(hs.paired(TRUTH, {"A": SAID, "B": OTHER}, groups=BOTH), "f1")
    assert hs.compare(table, "f1").low == pytest.approx(expected.low, rel=1e-9)


def test_labels_of_multilabel_cases_keep_both_factors():
    """A label has the interval that it has as a table of two classes; scores of labels keep the factors too."""
    labels = np.stack([TRUTH, 1 - OTHER], 1), np.stack([SAID, OTHER], 1)
    table = hs.confusion(*labels, groups=BOTH)
    alone = table.one_against_rest(0)
    assert hs.estimate(alone, "f1") == hs.estimate(hs.confusion(TRUTH, SAID, groups=BOTH), "f1")
    found = hs.multiclass_scores(labels[0], np.stack([SCORE, -SCORE], 1), groups=BOTH)
    assert isinstance(found.design, Crossed)
    assert np.isfinite(hs.estimate(found, "roc_auc@macro").standard_error)
