"""What rounding leaves of zero, of a tie or of a limit decides nothing: no answer follows the unit of the weights."""

import numpy as np
import pytest

import howsure as hs
from howsure.metrics.averages import BY_NAME

UNITS = (1.0, 7.3, 3.0, 0.1, 1 / 3, 13.7, 1e-6, 1000.0)
HUMAN = [None] * 5 + [2] + [None] * 7 + [33] + [None] * 9 + [4] + [None] * 6
JUDGE = [33, 10, 4, 2, 10, 4, 33, 2, 33, 10, 10, 2, 10, 10, 10, 4, 2, 33, 4, 10, 4, 10, 10, 10, 2, 33, 10, 33, 33, 4]
SCORES = ([1, 0, 0, 1, 1], [1.0, 0.2, 0.5, 0.7, 0.9])
MORE = ([1, 1, 1, 1, 1, 0, 1, 1, 0, 1, 1, 1], [0.0, 0.9, 0.2, 0.0, 0.0, 0.0, 0.0, 0.3, 0.9, 0.5, 0.9, 0.7])
RUNS = ([0, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 1], [0, 1, 2, 0, 1, 0, 1, 0, 2, 2, 2, 2])
HEAVY = np.array([0.134, 0.048, 1.02, 0.126, 0.391, 0.958, 2.89, 0.04, 17.8, 0.033, 0.828, 0.395])
SAID = [[None, "a", None, None], [None, None, "d", None], [None, None, None, "c"], ["d", None, "d", None]]
SAID += [[None, "b", None, None], [None] * 4, ["b", "b", "b", None], [None, None, "a", None], [None, None, None, "c"]]
SAID += [[None, None, None, "a"], [None, None, None, "a"], [None, "d", None, "d"]]
OF_ITEMS = np.array([0.0287, 0.00516, 0.671, 123.29, 0.376, 0.749, 0.0141, 19.9, 3.27, 1.58, 0.228, 0.135])
VERDICTS = ["yes" if each == "y" else None for each in "yy-yyyyy-y-yyy-y--y--yyyyy---y"]
LOADS = [18.88229651987564, 2.939288977942968, 0.006096763252775895, 1.5659799789792614, 3.6077592341289106]
LOADS += [0.026144202309051394, 0.3728744324040178, 1.7756523351199456, 2.08724646552307, 0.12422815088884541]
LOADS += [0.23570392179954605, 0.7206053966462648, 6.561804196192066, 43.66230794596508, 1.1686652648981288]
LOADS += [0.2927801957791783, 0.5275206957455996, 0.748878657855135, 31.103632291516412, 1.8652022613190766]
LOADS += [1.3815434635066688, 5.879738575691089, 0.6564061817358652, 7.853975692826462, 0.5645456190818405]
LOADS += [0.01586690561641986, 3.4159406862641446, 112.67450659323819, 0.07695950737578622, 1.5224938471607117]
WEIGHTS = [5.27193639, 3.92074432, 38.71278629, 0.08427646, 2.97437448, 2.30572684, 4.6757137, 15.24099508]
WEIGHTS += [2.9866799, 2.12901685, 1.48985668, 18.50765385]
JUDGED = (
    "o-o-o--ooo-e--eoo--o--eeeeoo--oo-o------e-e--o--oo------oeoee-e---o-ooo----b--oe",
    "beeboooboeeobbooobebbeeeobooebeobboboeboboebbboboeeooeoooeooeoobobboobboebeobbeo",
)
RATERS = "slrsgkhqbfqctrqiisoqdbaalfhfadesrctntqtcoosrisgpcchqkcbitoabfkrqnjprrrpaptghioeq"
SPLIT = "01100011011101111101110110100011100100111110110110101011011101100000111001100001"
SEEN = ~np.isin(np.arange(80), [51, 77, 78])
IMAGES = (
    [
        {"boxes": np.array([[11, 8, 17, 15], [7, 5, 11, 6]]), "labels": ["a", "c"], "scores": [0.91, 0.19]},
        {"boxes": np.array([[11, 7, 14, 12], [0, 9, 3, 10]]), "labels": ["b", "d"], "scores": [0.85, 0.27]},
    ],
    [
        {"boxes": np.array([[4, 3, 9, 10], [11, 8, 17, 15]]), "labels": ["b", "a"]},
        {"boxes": np.array([[11, 7, 14, 12], [5, 10, 9, 15]]), "labels": ["b", "a"]},
    ],
)
TRIALS = (
    [0, 0, 0, 0, 1, 1, 1, 0, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 1, 1, 1, 1, 1, 0, 1, 0, 1, 0, 0, 1],
    [5, 6, 4, 2, 6, 2, 4, 4, 5, 4, 6, 2, 5, 6, 1, 1, 3, 3, 6, 6, 5, 0, 1, 5, 3, 4, 3, 0, 5, 1],
    np.isin(np.arange(30), [3, 5, 11, 16, 17, 21, 24, 26, 27]),
)
NONE = np.zeros((0, 4))
FIVE_IMAGES = (
    [
        {"boxes": np.array([[10, 6, 13, 7], [11, 7, 12, 13]]), "labels": ["b", "c"], "scores": [0.86, 0.16]},
        {"boxes": NONE, "labels": [], "scores": []},
        {"boxes": np.array([[3, 8, 8, 15], [0, 7, 4, 11]]), "labels": ["b", "c"], "scores": [0.6, 0.81]},
        {"boxes": np.array([[2, 1, 6, 4], [10, 9, 11, 13]]), "labels": ["b", "c"], "scores": [0.47, 0.38]},
        {"boxes": np.array([[6, 1, 8, 6], [1, 8, 2, 9]]), "labels": ["b", "b"], "scores": [0.37, 0.31]},
    ],
    [
        {"boxes": np.array([[10, 6, 13, 7]]), "labels": ["b"]},
        {"boxes": np.array([[3, 2, 4, 4]]), "labels": ["a"]},
        {"boxes": np.array([[10, 8, 14, 14], [3, 9, 8, 15]]), "labels": ["d", "b"]},
        {"boxes": np.array([[3, 1, 6, 4]]), "labels": ["b"]},
        {"boxes": np.array([[7, 2, 11, 8], [2, 1, 8, 6], [6, 1, 8, 6]]), "labels": ["a", "d", "b"]},
    ],
)
CASES = {  # weights → table; metric, method, level
    "a median of two tasks at the level that these have": (
        lambda unit: hs.trials([1, 0, 1, 1, 1], task=[1, 1, 0, 1, 0], sample_weight=unit * np.ones(5)),
        ("median", "auto", 0.5),
    ),
    "shares whose variance one cluster makes": (
        lambda unit: hs.scores(
            *SCORES, sample_weight=unit * np.array([0.203, 2.125, 0.36, 0.703, 1.397]), groups=[1, 3, 3, 3, 2]
        ).at(0.3),
        ("balanced_accuracy", "mover", 0.5),
    ),
    "one share of two that shows no variation": (
        lambda unit: hs.scores(*MORE, sample_weight=unit * HEAVY, groups=[2, 2, 0, 2, 0, 2, 0, 1, 2, 2, 2, 2]).at(0.5),
        ("balanced_accuracy", "mover", 0.8),
    ),
    "the largest values, all alike": (
        lambda unit: hs.trials(
            *RUNS[:1], task=RUNS[1], sample_weight=unit * np.ones(12), groups=np.array([10, 6, 8])[RUNS[1]]
        ),
        ("cvar", "delta", 0.8),
    ),
    "a value beside the largest, of which the cut leaves rounding": (
        lambda unit: hs.trials(TRIALS[0], task=TRIALS[1], sample_weight=unit * TRIALS[2]),
        ("cvar", "delta", 0.5),
    ),
    "strata in which all labels agree": (
        lambda unit: hs.judged(
            HUMAN, JUDGE, labels=[10, 2, 33, 4], sample_weight=unit * np.random.default_rng(0).exponential(size=30)
        ),
        ("ppv_at+prevalence=0.3@max", "delta", 0.5),
    ),
    "strata whose means agree, far out": (
        lambda unit: hs.judged(
            ["a"] * 5,
            ["b", "c", "c", "b", "d"],
            labels=list("ebadc"),
            sample_weight=unit * np.array([22.776841534398173, 2.0153760888825163, 4.4636551209819375, 0.275, 0.157]),
            groups=[0, 1, 1, 0, 1],
        ),
        ("quadratic_weighted_kappa", "anytime", 0.95),
    ),
    "outcomes that are as good, but for what a small stratum leaves of their slopes": (
        lambda unit: hs.judged(
            VERDICTS,
            ["yes"] * 19 + ["no"] + ["yes"] * 10,
            labels=["yes", "no", "maybe"],
            sample_weight=unit * np.array(LOADS),
        ),
        ("scotts_pi", "stratified", 0.5),
    ),
    "a path of perfect strata, far out": (
        lambda unit: hs.confusion(
            *2 * [["no" if each == "n" else "yes" for each in "nnynnynnnnnn"]],
            labels=["yes", "no", "maybe"],
            sample_weight=unit * np.array(WEIGHTS),
            strata=[0, 1, 1, 1, 1, 1, 0, 1, 0, 1, 1, 1],
            stratum_sizes={0: 13, 1: 10},
            check=False,
        ),
        ("kappa", "anytime", 0.5),
    ),
    "a limit that nothing holds": (
        lambda unit: hs.ratings(SAID, labels=list("abcd"), sample_weight=unit * OF_ITEMS),
        ("conger_kappa", "flow", 0.95),
    ),
    "a path that ends before the metric's range does": (
        lambda unit: hs.ratings(
            [*zip("aaacbaaaca", "aaaccaaaca", strict=True)],
            sample_weight=unit * np.array([9.93, 1.49, 1.84, 0.221, 2.18, 0.351, 0.401, 7.25, 0.423, 149.2]),
        ),
        ("conger_kappa", "flow", 0.95),
    ),
    "a path that turns": (
        lambda unit: hs.ratings([[None, 10, 10], [2, 10, 10]], sample_weight=unit * np.array([0.17123739, 0.02458317])),
        ("conger_kappa", "flow", 0.8),
    ),
    "the areas of two images that are alike": (
        lambda unit: hs.detections(*IMAGES, sample_weight=unit * np.array([1.83329502, 0.79673074])),
        ("map", "delta", 0.999),
    ),
    "pseudo-cases that reach a recall exactly": (
        lambda unit: hs.detections(*FIVE_IMAGES, iou=[0.3, 0.5, 0.75], sample_weight=unit * np.ones(5)),
        ("map", "delta", 0.5),
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_no_answer_follows_the_unit_of_the_weights(case):
    """Value, limits and reason are the same in every unit."""
    table_of, (metric, method, level) = CASES[case]
    found = [hs.estimate(table_of(unit), metric, method=method, confidence_level=level) for unit in UNITS]
    assert {each.reason for each in found} == {found[0].reason}
    for each in found:
        expected = [found[0].value, found[0].low, found[0].high]
        assert [each.value, each.low, each.high] == pytest.approx(expected, rel=1e-9, nan_ok=True)


def test_slopes_of_rounding_alone_show_no_variation_in_a_group_either():
    """A group whose metric cannot vary has the same reason with another group as alone."""
    columns = [np.array(list(each)) for each in (*JUDGED, RATERS, SPLIT)]

    def found(rows, **more):
        human, judge, raters, _ = (each[rows] for each in columns)
        human = np.where(human == "-", None, human)
        table = hs.judged(human, judge, labels=list("ebo"), groups=raters, sample_weight=1.0 * SEEN[rows], **more)
        return hs.estimate(table, "prevalence_threshold@max", confidence_level=0.5)

    together = found(np.arange(80), by=columns[-1])
    for group in "01":
        own, beside = found(columns[-1] == group), together[group]
        assert beside.reason == own.reason
        assert [beside.low, beside.high] == pytest.approx([own.low, own.high], nan_ok=True)
    assert "does not vary" in together["0"].reason


@pytest.mark.parametrize("average", ["geometric", "harmonic"])
def test_what_rounding_leaves_of_zero_is_zero_in_a_mean(average):
    """A class whose value is 0 but for rounding makes such a mean 0, without a derivative, on either side of 0."""
    chosen, weights = BY_NAME[average], np.ones(2)
    for dust in (0.0, 2e-16, -2e-16):
        values = np.array([dust, 0.5])
        assert chosen.value(values, weights) == 0
        assert not chosen.slopes(values, weights)[0][0]


def test_fewer_than_one_degree_of_freedom_tells_nothing():
    """Where one item has nearly all the weight every level has the whole range, none a narrower one than another."""
    table = hs.ratings([*zip("aabab", "aabbb", strict=True)], sample_weight=[1.0, 0.5, 140.0, 0.4, 2.0])
    for level in (0.8, 0.95, 0.999):
        found = hs.estimate(table, "conger_kappa", method="flow", confidence_level=level)
        assert (found.low, found.high) == (-1, 1)


@pytest.mark.parametrize("level", [0.95, 0.999])
def test_a_limit_a_million_times_as_far_as_the_value_is_none(level):
    """With one positive and one false alarm among 14, no likelihood ratio is too large, and 1e14 is not a limit."""
    found = hs.estimate(hs.from_counts([[13, 1], [0, 1]]), "plr", method="flow", confidence_level=level)
    assert (found.value, found.high) == (14, np.inf)
    assert 1 < found.low < 14
