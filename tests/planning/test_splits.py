"""Best splits of a number of cases, against Neyman's closed form."""

import math

import numpy as np
import pytest

import howsure as hs
from howsure.designs.cell_sums import apportioned
from howsure.metrics.binding import resolve
from howsure.metrics.contrast import EFFECTS
from howsure.planning.clustered import Clustering
from howsure.planning.pilots import Pilot
from howsure.planning.splits import WEIGHED, Classes, of_classes, of_clusters, of_test_sets

PILOT = hs.from_counts([[300, 20], [10, 70]], labels=["a", "b"])
OTHER = hs.from_counts([[80, 40], [20, 60]])
RATES, SHARES = np.array([300 / 320, 70 / 80]), np.array([0.8, 0.2])
SPREADS = np.sqrt(RATES * (1 - RATES))


def split(metric, table, n=1000):
    return of_classes(resolve(metric, table), table, n)


def test_cases_of_classes_are_in_proportion_to_share_times_spread():
    """For accuracy W s of each class; the best total saves what is between the classes, too."""
    shares, note = split("accuracy", PILOT)
    total = 370 / 400 * 30 / 400
    saved = (SHARES @ SPREADS) ** 2 / total
    best = 1000 * saved * SHARES * SPREADS / (SHARES @ SPREADS)
    assert [each.name for each in shares] == ["class a", "class b"]
    assert [each.cases for each in shares] == [800, 200]
    assert [each.best for each in shares] == np.ceil(best).tolist()
    assert note == WEIGHED


def test_fixed_classes_save_what_is_within_them_alone():
    """If the numbers of the classes are fixed, nothing between them varies, and no weights are needed."""
    table = PILOT.with_design(hs.designs.FixedMargins())
    shares, note = split("accuracy", table)
    saved = (SHARES @ SPREADS) ** 2 / (SHARES @ SPREADS**2)
    best = 1000 * saved * SHARES * SPREADS / (SHARES @ SPREADS)
    assert [each.best for each in shares] == np.ceil(best).tolist()
    assert note == ""


def test_a_rate_of_each_class_needs_no_weights():
    """Balanced accuracy is a mean of rates: cases are in proportion to their spreads, whatever the shares."""
    shares, note = split("balanced_accuracy", PILOT)
    ratio = math.sqrt(RATES[1] * (1 - RATES[1]) / (RATES[0] * (1 - RATES[0])))
    assert shares[1].best / shares[0].best == pytest.approx(ratio, rel=0.01)
    assert note == ""
    planned = (SPREADS**2 / SHARES).sum()  # of the variance of the sum of the rates, times n
    assert sum(each.best for each in shares) == pytest.approx(1000 * SPREADS.sum() ** 2 / planned, abs=2)
    classes = Classes.of(resolve("balanced_accuracy", PILOT), PILOT)
    assert classes.needs_no_weights
    assert classes.saved == pytest.approx(SPREADS.sum() ** 2 / planned)
    assert classes.best.sum() == pytest.approx(1)


@pytest.mark.parametrize(
    "table",
    [
        hs.from_counts([[5, 1], [0, 0]]),
        hs.from_counts([[5, 0], [0, 4]]),
        hs.confusion([0, 1] * 9, [0, 1, 1] * 6, groups=np.arange(18) // 2),
        hs.confusion([0, 1] * 9, [0, 1, 1] * 6, sample_weight=np.arange(1.0, 19)),
    ],
    ids=["a class without cases", "no error", "clusters", "weights"],
)
def test_tables_that_tell_no_split_have_none(table):
    """Without cases of a class, without variation or with other than plain cases there is no best split."""
    assert split("accuracy", table) == ((), "")


@pytest.mark.parametrize("first, second", [(1, 1), (3, 1)])
def test_test_sets_are_in_proportion_to_their_spreads(first, second):
    """Of a difference: n in proportion to s, with the variance that the planned split has."""
    tables = hs.from_counts(first * np.array([[300, 20], [10, 70]])), hs.from_counts(second * OTHER.counts)
    pilot = Pilot.of(tables, "accuracy", effect=EFFECTS["difference"], names=("new", None))
    sizes = np.array([400 * first, 200 * second])
    shares, spreads = sizes / sizes.sum(), np.sqrt([0.925 * 0.075, 0.7 * 0.3])
    found = of_test_sets(pilot, 900)
    assert [each.name for each in found] == ["new", "second"]
    assert [each.cases for each in found] == apportioned(900, shares).tolist()
    numbers = 900 * spreads * spreads.sum() / (spreads**2 / shares).sum()
    assert [each.best for each in found] == np.ceil(numbers).tolist()
    assert (spreads**2 / numbers).sum() == pytest.approx((spreads**2 / (900 * shares)).sum())


@pytest.mark.parametrize("size, icc", [(1, 0.3), (5, 0.0), (5, 0.2), (6, 0.5)])
def test_other_sizes_of_clusters_have_the_same_variance(size, icc):
    """Half, twice and four times the size, each once and at least 1: with as many clusters as the design effect asks."""
    pilot = Pilot.of((PILOT,), "accuracy", effect=EFFECTS["difference"], clustering=Clustering(size, icc))
    found = dict(of_clusters(pilot, 600))
    assert set(found) == {max(1, round(size / 2)), 2 * size, 4 * size} - {size}
    for other, clusters in found.items():
        cases = 600 * (1 + (other - 1) * icc) / (1 + (size - 1) * icc)
        assert clusters == math.ceil(round(cases / other, 6))


def test_clusters_of_the_pilot_have_their_own_correlation():
    """Clusters of four that agree wholly have a correlation of 1: as many clusters of any size; others have none."""
    truth = np.repeat(np.arange(40) % 2, 4)
    said = np.where(np.repeat(np.arange(40) % 5 == 0, 4), 1 - truth, truth)
    table = hs.confusion(truth, said, groups=np.repeat(np.arange(40), 4))
    pilot = Pilot.of((table,), "accuracy", effect=EFFECTS["difference"])
    found = of_clusters(pilot, 400)
    assert [size for size, _ in found] == [2, 8, 16]
    assert [clusters for _, clusters in found] == pytest.approx([100] * 3, abs=1)
    assert of_clusters(Pilot.of((PILOT,), "accuracy", effect=EFFECTS["difference"]), 400) == ()
    assert of_clusters(Pilot.of((table, table), "accuracy", effect=EFFECTS["difference"]), 400) == ()
