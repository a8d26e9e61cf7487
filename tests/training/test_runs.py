"""Training runs crossed with test cases, against mean squares written out here."""

import numpy as np
import pytest
from scipy import stats

import howsure as hs


def two_way(u):
    """Mean squares of runs, cases and their interaction, of a complete table (runs × cases) without replication."""
    runs, cases = u.shape
    grand = u.mean()
    between = sum(cases * (u[r].mean() - grand) ** 2 for r in range(runs)) / (runs - 1)
    of_cases = sum(runs * (u[:, c].mean() - grand) ** 2 for c in range(cases)) / (cases - 1)
    rest = sum((u[r, c] - u[r].mean() - u[:, c].mean() + grand) ** 2 for r in range(runs) for c in range(cases)) / (
        (runs - 1) * (cases - 1)
    )
    return between, of_cases, rest


@pytest.fixture
def study():
    rng = np.random.default_rng(11)
    y = rng.integers(0, 2, 90)
    hard, skill = rng.normal(0, 1.2, 90), np.array([-1.0, -0.4, 0.5, 1.2])
    right = rng.random((4, 90)) < 1 / (1 + np.exp(-(1 + hard + skill[:, None])))
    return y, np.where(right, y, 1 - y)


def test_variance_components_are_those_of_mean_squares(study):
    """Variance and shares of accuracy equal those of the two-way analysis of variance."""
    y, said = study
    found = hs.training_runs(y, list(said)).estimate("accuracy")
    between, of_cases, rest = two_way((said == y) * 1.0)
    cells = said.size
    assert of_cases > rest < between
    variance = (between + of_cases - rest) / cells
    assert found.value == pytest.approx((said == y).mean())
    assert found.standard_error == pytest.approx(np.sqrt(variance), rel=1e-12)
    shares = {part.source: part.share for part in found.parts}
    assert shares["training runs"] == pytest.approx((between - rest) / cells / variance, rel=1e-9)
    assert shares["test cases"] == pytest.approx((of_cases - rest) / cells / variance, rel=1e-9)
    assert shares["interaction"] == pytest.approx(rest / cells / variance, rel=1e-9)
    parts = between / cells / variance, (of_cases - rest) / cells / variance
    assert 1 / found.degrees_of_freedom == pytest.approx(parts[0] ** 1.25 / 3 + parts[1] ** 1.25 / 89, rel=1e-9)


def test_fixed_runs_or_cases_leave_one_source(study):
    """With fixed runs only the cases vary, with fixed cases only the runs."""
    y, said = study
    runs, right = hs.training_runs(y, list(said)), (said == y) * 1.0
    cases = runs.estimate("accuracy", fixed="runs", scale="identity")
    assert cases.standard_error == pytest.approx(right.mean(0).std(ddof=1) / np.sqrt(90), rel=1e-12)
    assert cases.high - cases.value == pytest.approx(stats.norm.ppf(0.975) * cases.standard_error)
    assert [part.source for part in cases.parts] == ["test cases"]
    trained = runs.estimate("accuracy", fixed="cases", scale="identity")
    assert trained.standard_error == pytest.approx(right.mean(1).std(ddof=1) / 2, rel=1e-12)
    assert trained.high - trained.value == pytest.approx(stats.t.ppf(0.975, 3) * trained.standard_error)
    assert [part.source for part in trained.parts] == ["training runs"]
    assert "these 4 models" in cases.question
    assert "these 90 cases" in trained.question


def test_a_comparison_of_independent_runs_shares_the_cases(study):
    """The variance between runs is the sum of both algorithms', that between cases of their mean difference."""
    y, said = study
    found = hs.training_runs(y, {"a": list(said[:2]), "b": list(said[1:])}).compare("accuracy")
    right = (said == y) * 1.0
    a, b = right[:2], right[1:]
    between = a.mean(1).var(ddof=1) / 2 + b.mean(1).var(ddof=1) / 3
    rest = two_way(a)[2] / a.size + two_way(b)[2] / b.size
    cases = (a.mean(0) - b.mean(0)).var(ddof=1) / 90
    assert found.value == pytest.approx(a.mean() - b.mean())
    assert found.standard_error**2 == pytest.approx(between + max(cases - rest, 0), rel=1e-12)
    expected = 2 * stats.t.sf(abs(found.value) / found.standard_error, found.degrees_of_freedom)
    assert found.p_value == pytest.approx(expected, rel=1e-9)


def test_independent_runs_on_fixed_cases_have_welchs_test(study):
    """With fixed cases only the runs vary, and the test is that of Welch; with both the degrees of freedom are of both."""
    y, said = study
    runs = hs.training_runs(y, {"a": list(said[:2]), "b": list(said[1:])})
    right = (said == y) * 1.0
    a, b = right[:2], right[1:]
    welch = stats.ttest_ind(a.mean(1), b.mean(1), equal_var=False)
    fixed = runs.compare("accuracy", fixed="cases")
    assert fixed.degrees_of_freedom == pytest.approx(welch.df, rel=1e-12)
    assert fixed.p_value == pytest.approx(welch.pvalue, rel=1e-9)
    between = a.mean(1).var(ddof=1) / 2 + b.mean(1).var(ddof=1) / 3
    rest = two_way(a)[2] / a.size + two_way(b)[2] / b.size
    cases = max((a.mean(0) - b.mean(0)).var(ddof=1) / 90 - rest, 0)
    lost = (between / (between + cases)) ** 1.25 / welch.df + (cases / (between + cases)) ** 1.25 / 89
    assert runs.compare("accuracy").degrees_of_freedom == pytest.approx(1 / lost, rel=1e-9)


def test_paired_runs_are_those_of_the_differences(study):
    """Runs with the same training data are compared by their differences."""
    y, said = study
    found = hs.training_runs(y, {"a": list(said[:2]), "b": list(said[2:])}).compare("accuracy", paired_runs=True)
    u = (said[:2] == y) * 1.0 - (said[2:] == y)
    between, of_cases, rest = two_way(u)
    assert found.standard_error**2 == pytest.approx((between + max(of_cases - rest, 0)) / u.size, rel=1e-12)


def test_areas_of_runs_have_the_components_of_their_pseudovalues(study):
    """ROC AUC is the mean over runs; its components are those of the placements, one for each run and case."""
    y, said = study
    rng = np.random.default_rng(5)
    score = said + rng.normal(0, 0.8, said.shape)
    found = hs.training_runs(y, y_score=score).estimate("roc_auc")
    areas, pseudo = [], np.zeros(score.shape)
    ill, well = np.flatnonzero(y == 1), np.flatnonzero(y == 0)
    for r in range(4):
        wins = score[r, ill][:, None] > score[r, well]
        areas.append(wins.mean())
        pseudo[r, ill] = (wins.mean(1) - wins.mean()) / len(ill)
        pseudo[r, well] = (wins.mean(0) - wins.mean()) / len(well)
    assert found.value == pytest.approx(np.mean(areas), abs=1e-12)
    between, rest = np.var(areas, ddof=1) / 4, ((pseudo - pseudo.mean(0)) ** 2).sum() * 90 / 89 / 12
    cases = (pseudo.mean(0) ** 2).sum() * 90 / 89
    assert found.standard_error**2 == pytest.approx(between + max(cases - rest, 0), rel=1e-9)


def test_equal_runs_have_the_variance_of_the_cases_alone(study):
    """Runs without training variance leave the test cases as the only source."""
    y, said = study
    found = hs.training_runs(y, [said[0]] * 3, check=False).estimate("accuracy")
    one = (said[0] == y).std(ddof=1) / np.sqrt(90)
    assert found.standard_error == pytest.approx(one, rel=1e-12)
    assert [round(part.share, 9) for part in found.parts] == [0, 1, 0]


def test_repeats_of_a_cross_validation_are_runs(study):
    """Each repeat is a run with its own folds; the repeats of both algorithms are paired."""
    y, said = study
    rng = np.random.default_rng(2)
    rows = {
        "y": np.tile(y, 4),
        "case": np.tile(np.arange(90), 4),
        "run": np.repeat(list("abcd"), 90),
        "fold": np.concatenate([rng.permutation(np.arange(90) % 5) for _ in range(4)]),
        "first": said.ravel(),
        "second": np.roll(said, 1, axis=0).ravel(),
    }
    folds = hs.cross_validated("y", ["first", "second"], data=rows, fold="fold", run="run", case="case")
    found = folds.estimate("accuracy", model="first")
    assert found.standard_error == pytest.approx(hs.training_runs(y, list(said)).estimate("accuracy").standard_error)
    assert (found.method, found.folds, found.runs) == ("crossed", 5, 4)
    compared = folds.compare("accuracy")
    between, of_cases, rest = two_way((said == y) * 1.0 - (np.roll(said, 1, axis=0) == y))
    assert compared.standard_error**2 == pytest.approx((between + max(of_cases - rest, 0)) / 360, rel=1e-12)
    models = folds.estimate("accuracy", model="first", fixed="runs", method="within_folds")
    assert models.method == "within_folds"
    assert models.question.startswith("How good, on new cases, are these 20 models on average")


def test_the_corrected_resampled_t_is_nadeau_and_bengios(study):
    """Values of all folds of all repeats, with (1 / J + 1 / (k - 1)) s² and J - 1 degrees of freedom."""
    y, said = study
    fold = [np.arange(90) % 3, np.arange(90) // 30]
    rows = {
        "y": np.tile(y, 2),
        "case": np.tile(np.arange(90), 2),
        "run": np.repeat([1, 2], 90),
        "fold": np.concatenate(fold),
        "a": said[:2].ravel(),
        "b": said[2:].ravel(),
    }
    folds = hs.cross_validated("y", ["a", "b"], data=rows, fold="fold", run="run", case="case")
    gap = (said[:2] == y) * 1.0 - (said[2:] == y)
    values = np.array([gap[r][fold[r] == j].mean() for r in range(2) for j in range(3)])
    found = folds.compare("accuracy", method="corrected_t")
    error = np.sqrt((1 / 6 + 1 / 2) * values.var(ddof=1))
    assert found.value == pytest.approx(values.mean())
    assert found.standard_error == pytest.approx(error)
    assert found.p_value == pytest.approx(2 * stats.t.sf(abs(values.mean()) / error, 5))
    one = folds.estimate("accuracy", model="a", method="corrected_t", scale="identity")
    right = [(said[r] == y)[fold[r] == j].mean() for r in range(2) for j in range(3)]
    pooled = hs.pool_folds(right, test_share=1 / 3)
    assert (one.low, one.high) == pytest.approx((pooled.low, pooled.high))
    assert "training sets" in one.question


def test_two_runs_have_a_caution(study):
    """Two runs hardly show the variance between runs."""
    y, said = study
    found = hs.training_runs(y, list(said[:2])).estimate("accuracy")
    assert "2 runs hardly show" in found.cautions[0]
    assert found.sentence().endswith(found.cautions[0])
    assert hs.training_runs(y, list(said)).estimate("accuracy").cautions == ()


@pytest.mark.thorough
def test_three_runs_cover_where_the_cases_alone_do_not():
    """Three runs of 300 cases with training variance: the crossed interval covers, that of the cases alone fails."""
    rng, hits, studies = np.random.default_rng(4), np.zeros(2), 400
    truth = stats.norm.cdf(1.2 / np.sqrt(1 + 0.3**2 + 1))
    y = np.zeros(300, dtype=int)
    for _ in range(studies):
        place = 1.2 + rng.normal(0, 1, 300) + rng.normal(0, 0.3, 3)[:, None]
        runs = hs.training_runs(y, list((rng.random((3, 300)) > stats.norm.cdf(place)) * 1), labels=[0, 1])
        for at, fixed in enumerate((None, "runs")):
            low, high = tuple(runs.estimate("accuracy", fixed=fixed))[1]
            hits[at] += low <= truth <= high
    assert hits[0] / studies > 0.92
    assert hits[1] / studies < 0.85
