"""Data whose units are images, patients or sites and are not named as such are pointed out."""

import warnings

import numpy as np
import pytest

import howsure as hs

RNG = np.random.default_rng(8)


def stack_of_images(number=30, pixels=4000):
    """Return a matrix for each image, whose share of wrong pixels is its own."""
    wrong = RNG.beta(2, 20, number)
    shares = np.stack([0.7 * (1 - wrong), 0.7 * wrong, 0.3 * wrong, 0.3 * (1 - wrong)], 1)
    return RNG.multinomial(pixels, shares).reshape(number, 2, 2)


def test_matrices_of_images_without_groups_are_pointed_out():
    """The variance of the accuracies, in units of that of independent cases, is in the warning."""
    stack = stack_of_images()
    accuracy, cases = np.trace(stack, axis1=1, axis2=2) / 4000, 4000
    share = accuracy.mean()
    times = accuracy.var(ddof=1) * cases / (share * (1 - share))
    with pytest.warns(hs.HowsureWarning, match=rf"vary {times:,.0f} times as much.*`groups=`"):
        hs.from_counts(stack)


@pytest.mark.parametrize(
    "arguments",
    [
        {"counts": stack_of_images(), "groups": np.arange(30)},
        {"counts": stack_of_images(), "check": False},
        {"counts": stack_of_images(4)},
        {"counts": RNG.multinomial(500, [0.4, 0.1, 0.1, 0.4], 30).reshape(30, 2, 2)},
        {"counts": np.zeros((6, 2, 2)) + np.eye(2)},
        # telomerase and bladder cancer: ten studies (Glas et al. 2003, Journal of Urology 169)
        {
            "tp": [25, 17, 88, 16, 40, 38, 23, 27, 14, 37],
            "fp": [1, 3, 16, 3, 1, 6, 0, 2, 3, 22],
            "fn": [8, 4, 16, 10, 17, 9, 19, 6, 3, 7],
            "tn": [25, 11, 80, 80, 137, 24, 12, 18, 29, 7],
        },
    ],
)
def test_other_matrices_are_taken_in_silence(arguments):
    """Named groups, few matrices, independent cases, and studies that differ as studies do are no reason to warn."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        hs.from_counts(**arguments)


def stratified(cluster, strata=4):
    """Return a table of a sample of clusters in strata, four cases a cluster and stratum."""
    stratum = np.repeat(np.arange(strata), len(cluster) // strata)
    truth, said = RNG.integers(0, 2, (2, len(cluster)))
    sizes = dict.fromkeys(range(strata), 1 / strata)
    return hs.confusion(truth, said, groups=cluster, strata=stratum, stratum_sizes=sizes)


def test_clusters_numbered_anew_in_each_stratum_are_pointed_out():
    """Clusters 1 to 5 of each of four strata would be taken as five units in place of twenty."""
    with pytest.warns(hs.HowsureWarning, match="Each of the clusters 1 to 5 has cases in all 4 strata"):
        stratified(np.tile(np.repeat(np.arange(1, 6), 4), 4))


@pytest.mark.parametrize(
    "cluster",
    [
        np.repeat(np.arange(20), 4),
        np.char.add("site ", np.tile(np.repeat(np.arange(5), 4), 4).astype(str)),
        np.tile(np.repeat([3, 17, 18, 40, 77], 4), 4),
        np.append(np.tile(np.repeat(np.arange(5), 4), 4)[:-4], [9] * 4),
    ],
    ids=["distinct", "named", "identifiers", "not all"],
)
def test_other_clusters_in_strata_are_taken_in_silence(cluster):
    """Distinct clusters, named ones, numbers that do not follow one another, and clusters in some strata are as said."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        stratified(cluster)
