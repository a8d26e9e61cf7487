"""Draws of sums of cells: distributed like sums of drawn cells, and only as many as the metrics need."""

import numpy as np
import pytest
from scipy import stats

import howsure as hs
from howsure.designs.fixed_margins import FixedMargins
from howsure.designs.independent import Independent
from howsure.methods.core.draws import seed_sequence, values_of_draws
from howsure.metrics.binding import resolve

COUNTS = np.array([[31, 4, 0, 2], [3, 22, 5, 0], [1, 0, 17, 6], [0, 2, 1, 9]])
SPECS = ["accuracy", "f1@binary+positive_class=1", "balanced_accuracy", "precision@macro"]
DRAWS = 6000
RARE = 1e-4  # of a p-value, in some hundred comparisons


def clustered():
    """Return a table of 51 clusters of two cases."""
    cells = np.repeat(np.arange(16), COUNTS.ravel())[:102]
    return hs.confusion(*np.divmod(cells, 4), groups=np.arange(102) // 2)


TABLES = {
    "cases": hs.from_counts(COUNTS),
    "fixed totals": hs.from_counts(COUNTS).with_design(FixedMargins()),
    "clusters": clustered(),
}


def reviewed():
    """Return a table of four classes of whose cases some were reviewed."""
    rng = np.random.default_rng(4)
    shares = np.full((4, 4), 0.1) + 0.6 * np.eye(4)
    reviews = [[rng.multinomial(min(6, number), shares[true]) for number in row] for true, row in enumerate(COUNTS)]
    return hs.reviewed(COUNTS, reviews)


def expected(target):
    """Return the table that is expected of 150 cases with probabilities of four classes."""
    probability = np.random.default_rng(5).dirichlet(np.full(4, 0.5), 150)
    return hs.calibrated(probability, y_pred=probability.argmax(1), target=target)


ESTIMATED = {
    "reviewed": reviewed,
    "these cases": lambda: expected("batch"),
    "their population": lambda: expected("population"),
}
METHODS = {
    "bootstrap": hs.methods.Bootstrap(n_resamples=DRAWS),
    "default": hs.methods.Dirichlet(n_draws=DRAWS),
    "jeffreys": hs.methods.Dirichlet("jeffreys", n_draws=DRAWS),
    "of each cell": hs.methods.Dirichlet(np.arange(16).reshape(4, 4) / 4, n_draws=DRAWS),
    "prior": hs.methods.Dirichlet(0.7, source="prior", n_draws=DRAWS),
    "prevalence prior": hs.methods.Dirichlet(0.5, prevalence_prior=3, n_draws=DRAWS),
    "known prevalence": hs.methods.Dirichlet(prevalence=[0.7, 0.1, 0.1, 0.1], n_draws=DRAWS),
    "random": hs.methods.Dirichlet(source="random", n_draws=DRAWS),
}


def both(method, table, specs=SPECS):
    """Return draws of metrics, each from its own sums of cells, and from whole tables."""
    metrics = [resolve(each, table) for each in specs]
    few = [method.draws([metric], table, 1)[0] for metric in metrics]
    whole = values_of_draws(metrics, table, method.drawer(table), method.size, seed_sequence(2))
    return zip(specs, few, whole, strict=True)


def agree(method, table):
    """Hold that draws from sums and from whole tables have one distribution, one mean and one spread."""
    for spec, *pair in both(method, table):
        few, whole = (each[np.isfinite(each)] for each in pair)
        assert few.size == pytest.approx(whole.size, abs=0.02 * method.size), spec
        assert stats.ks_2samp(few, whole, method="asymp").pvalue > RARE, spec
        error = np.sqrt((few.var() + whole.var()) / len(few))
        assert abs(few.mean() - whole.mean()) < 4.5 * error, spec
        assert few.std() == pytest.approx(whole.std(), rel=0.08), spec


@pytest.mark.parametrize("evidence", TABLES)
@pytest.mark.parametrize("name", METHODS)
def test_sums_are_drawn_as_cells_added_up(name, evidence):
    """Each metric has the same distribution, mean and spread from sums of cells as from whole drawn tables."""
    agree(METHODS[name], TABLES[evidence])


@pytest.mark.parametrize("evidence", ESTIMATED)
@pytest.mark.parametrize(
    "method", [hs.methods.Bootstrap(n_resamples=2000), hs.methods.Dirichlet(n_draws=2000)], ids=lambda each: each.name
)
def test_sums_of_estimated_counts_are_drawn_as_cells_added_up(method, evidence):
    """So it is where true classes are known in part, or by their probabilities alone."""
    agree(method, ESTIMATED[evidence]())


@pytest.mark.parametrize("spec", ["accuracy", "f1@binary+positive_class=3"])
def test_draws_of_two_sums_follow_beta_distributions(spec):
    """The posterior of accuracy is Beta(right + its pseudo-cases, wrong + theirs); a share of two sums for any prior."""
    table, metric = TABLES["cases"], resolve(spec, TABLES["cases"])
    draws = hs.methods.Dirichlet(0.5, n_draws=DRAWS).draws([metric], table, 5)[0]
    right = COUNTS.trace() if spec == "accuracy" else COUNTS[3, 3]
    wrong = COUNTS.sum() - right if spec == "accuracy" else COUNTS[3].sum() + COUNTS[:, 3].sum() - 2 * right
    cells = (4, 12) if spec == "accuracy" else (1, 6)
    share = draws if spec == "accuracy" else draws / (2 - draws)  # F1 = 2 s / (1 + s)
    expected = stats.beta(right + 0.5 * cells[0], wrong + 0.5 * cells[1])
    assert stats.kstest(share, expected.cdf).pvalue > RARE


@pytest.mark.parametrize("kind", ["percentile", "basic", "bca", "studentized"])
@pytest.mark.parametrize("spec", SPECS)
def test_intervals_are_those_of_whole_tables(kind, spec, monkeypatch):
    """Each bootstrap has the limits that it has without sums of cells, to the error of the draws."""
    table, method = TABLES["cases"], hs.methods.Bootstrap(kind, DRAWS)
    few = hs.estimate(table, spec, method=method, random_state=3)
    monkeypatch.setattr(Independent, "collapsible_cells", lambda self, cells: None)
    whole = hs.estimate(table, spec, method=method, random_state=4)
    assert (few.low, few.high) == pytest.approx((whole.low, whole.high), abs=0.12 * (whole.high - whole.low))


def test_the_same_sums_are_the_same_draws():
    """Metrics of the same sums have the same draws from one seed, for any names and order."""
    table = TABLES["cases"]
    one, other = (hs.estimate(table, each, method="bayes", random_state=3) for each in ("accuracy", "error_rate"))
    assert one.draws + other.draws == pytest.approx(1)
    assert one.stream == other.stream


def test_draws_of_different_sums_are_no_joint_draws():
    """If two requests need different sums, their draws are not of the same tables, and have different tokens."""
    table = TABLES["cases"]
    apart = [hs.estimate(table, each, method="bayes", random_state=3).stream for each in ("accuracy", "mcc")]
    together = hs.evaluate(table, ["accuracy", "mcc"], method="bayes", random_state=3)
    assert apart[0] != apart[1]
    assert together["accuracy"].stream == together["mcc"].stream


def drawn_cells(monkeypatch, ask):
    """Return how many tables, and how many cells of them, a question resamples."""
    asked, resample = [], Independent.resample

    def counted(self, counts, size, rng):
        asked.append((size, size * counts.size))
        return resample(self, counts, size, rng)

    monkeypatch.setattr(Independent, "resample", counted)
    ask()
    monkeypatch.setattr(Independent, "resample", resample)
    return np.sum(asked, axis=0)


@pytest.mark.parametrize(
    "spec, growth", [("accuracy", 0), ("f1@binary+positive_class=1", 0), ("recall@macro", 1), ("f1@macro", 2)]
)
def test_the_work_grows_with_what_is_looked_at(spec, growth, monkeypatch):
    """From 10 to 40 classes the drawn cells for one class stay constant; those for recalls grow with the classes."""
    cells = []
    for classes in (10, 40):
        table = hs.from_counts(np.full((classes, classes), 30) + 5 * np.eye(classes))  # too many in a cell to be picked
        ask = lambda table=table: hs.estimate(table, spec, method=hs.methods.Bootstrap(n_resamples=64), random_state=0)  # noqa: E731
        cells.append(drawn_cells(monkeypatch, ask)[1])
    assert np.log(cells[1] / cells[0]) / np.log(4) == pytest.approx(growth, abs=0.01)


@pytest.mark.parametrize("classes", [3, 12])
def test_a_report_draws_its_tables_once(classes, monkeypatch):
    """All numbers of a classification report, and those of each class, are from one set of drawn tables."""
    table = hs.from_counts(np.ones((classes, classes)) + 40 * np.eye(classes))
    method = hs.methods.Bootstrap(n_resamples=200)
    for ask in (hs.classification_report, lambda table, **settings: hs.evaluate(table, "f1@none", **settings)):
        tables = drawn_cells(monkeypatch, lambda ask=ask: ask(table, method=method, random_state=0))[0]
        assert tables == 200
