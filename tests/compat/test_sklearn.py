"""scikit-learn's names give scikit-learn's values, and every call of `confidenceinterval`'s README works."""

import warnings
from inspect import signature

import confidenceinterval as ci
import numpy as np
import pytest
from sklearn import metrics as sk

import howsure as hs
from support import public

RNG = np.random.default_rng(8)
FUNCTIONS = ["precision_score", "recall_score", "f1_score", "jaccard_score"]


def labels(classes, rows=300, accuracy=0.75, seed=0):
    """Return true and predicted labels."""
    rng = np.random.default_rng(seed)
    true = rng.integers(0, classes, rows)
    return true, np.where(rng.random(rows) < accuracy, true, rng.integers(0, classes, rows))


@pytest.mark.parametrize("seeds", [range(10), pytest.param(range(10, 60), marks=pytest.mark.thorough)])
@pytest.mark.parametrize("average", ["macro", "micro", "weighted", None])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_averages_equal_scikit_learns(name, average, seeds):
    """Values equal scikit-learn's, with weights, on hundreds of random tables with classes absent on either side."""
    for seed in seeds:
        classes = 2 + seed % 7
        true, predicted = labels(classes, 25 + seed, seed=seed)
        weight = np.random.default_rng(seed).exponential(size=len(true)) if seed % 2 else None
        settings = {"average": average, "sample_weight": weight, "zero_division": seed % 2}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = getattr(sk, name)(true, predicted, **settings)
            found = getattr(hs, name)(true, predicted, method="delta", **settings)  # the value is that of any method
        values = [each.value for each in found] if average is None else found.value
        assert values == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_classes_to_average_over(name):
    """`labels` restricts the average and keeps the other classes' errors, as in scikit-learn."""
    true, predicted = labels(5)
    for average in ("macro", "micro", "weighted"):
        settings = {"labels": [3, 1], "average": average}
        expected = getattr(sk, name)(true, predicted, **settings)
        assert getattr(hs, name)(true, predicted, **settings).value == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("positive", [0, 1])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_binary_average_and_positive_class(name, positive):
    """The binary average uses `pos_label`."""
    true, predicted = labels(2)
    expected = getattr(sk, name)(true, predicted, pos_label=positive)
    assert float(getattr(hs, name)(true, predicted, pos_label=positive)) == pytest.approx(expected)


def test_whole_table_functions_equal_scikit_learns():
    """Accuracy, balanced accuracy, MCC, kappa and losses equal scikit-learn's."""
    true, predicted = labels(4)
    weight = np.random.default_rng(1).exponential(size=len(true))
    for name in ("accuracy_score", "balanced_accuracy_score", "matthews_corrcoef", "zero_one_loss", "hamming_loss"):
        for given in (None, weight):
            expected = getattr(sk, name)(true, predicted, sample_weight=given)
            assert getattr(hs, name)(true, predicted, sample_weight=given).value == pytest.approx(expected, abs=1e-12)
    assert hs.balanced_accuracy_score(true, predicted, adjusted=True).value == pytest.approx(
        sk.balanced_accuracy_score(true, predicted, adjusted=True)
    )
    for weights in (None, "linear", "quadratic"):
        expected = sk.cohen_kappa_score(true, predicted, weights=weights)
        assert hs.cohen_kappa_score(true, predicted, weights=weights).value == pytest.approx(expected, abs=1e-12)
    for average in ("macro", "weighted", "micro"):
        expected = sk.fbeta_score(true, predicted, beta=0.5, average=average)
        assert hs.fbeta_score(true, predicted, beta=0.5, average=average).value == pytest.approx(expected, abs=1e-12)


def test_undefined_counts_as_zero_with_a_warning():
    """As in scikit-learn, the default takes an undefined class as 0 and warns; nan leaves it out."""
    with pytest.warns(UserWarning, match="undefined on 1 of 1"):
        assert hs.precision_score([0, 1, 0], [0, 0, 0]).value == 0
    left_out = hs.precision_score([0, 1, 0, 2], [0, 0, 0, 2], average="macro", zero_division=np.nan)
    assert left_out.value == pytest.approx((2 / 3 + 1) / 2)
    assert "averaged without 1 of 3 classes" in left_out.reason


def test_one_class_only():
    """Labels of a single class are understood where the other is known."""
    assert hs.f1_score([1, 1, 1], [1, 1, 1]).value == 1
    assert hs.accuracy_score(["a", "a"], ["a", "a"]).low < 1


Y_TRUE = [0, 1, 2, 2, 2, 1, 1, 1, 0, 2, 2, 1, 0, 2, 2, 1, 2, 2, 1, 1]
Y_PRED = [0, 1, 0, 0, 2, 1, 1, 1, 0, 2, 2, 1, 0, 1, 2, 1, 2, 2, 1, 1]


class TestCallsOfConfidenceinterval:
    """Its README's calls work unchanged."""

    @pytest.mark.parametrize("average", ["binary", "macro", "micro"])
    @pytest.mark.parametrize("name", ["precision_score", "recall_score", "f1_score"])
    def test_averages(self, name, average):
        """`confidence_interval=` is a synonym of the level; results unpack as value and interval."""
        true, predicted = labels(2)
        value, (low, high) = getattr(hs, name)(true, predicted, confidence_interval=0.95, average=average)
        assert 0 <= low < value < high <= 1

    def test_bootstrap(self):
        """A bootstrap method with its number of resamples is accepted."""
        true, predicted = labels(2)
        settings = {"average": "binary", "method": "bootstrap_bca", "n_resamples": 500}
        value, (low, high) = hs.f1_score(true, predicted, confidence_interval=0.95, **settings)
        assert low < value < high

    @pytest.mark.parametrize("method", ["wilson", "normal", "agresti_coull", "beta", "jeffreys", "binom_test"])
    @pytest.mark.parametrize(
        "name", ["accuracy_score", "ppv_score", "npv_score", "tpr_score", "fpr_score", "tnr_score"]
    )
    def test_proportions_give_its_numbers(self, name, method):
        """For proportions its formulas are right: ours agree (its 1e-7 in denominators aside)."""
        true, predicted = labels(2)
        theirs, limits = getattr(ci, name)(true, predicted, confidence_level=0.95, method=method)
        ours, (low, high) = public.FUNCTIONS[name](true, predicted, confidence_level=0.95, method=method)
        assert ours == pytest.approx(theirs, abs=1e-6)
        assert [low, high] == pytest.approx(list(limits), abs=1e-6)

    @pytest.mark.parametrize("name", ["precision_score", "recall_score", "f1_score"])
    def test_micro_averages_give_its_numbers(self, name):
        """Its micro averages are right: `method="takahashi"` agrees."""
        true, predicted = labels(4)
        theirs, limits = getattr(ci, name)(true, predicted, average="micro")
        ours, interval = getattr(hs, name)(true, predicted, average="micro", method="takahashi")
        assert ours == pytest.approx(theirs)
        assert interval == pytest.approx(tuple(limits))

    def test_any_metric_by_bootstrap(self):
        """`bootstrap_ci` takes its arguments by its names."""
        estimate = hs.bootstrap_ci(
            y_true=Y_TRUE,
            y_pred=Y_PRED,
            metric=sk.accuracy_score,
            confidence_level=0.95,
            n_resamples=500,
            method="bootstrap_bca",
            random_state=np.random.default_rng(0),
        )
        assert estimate.value == pytest.approx(0.85)
        assert estimate.low < 0.85 < estimate.high

    def test_report(self):
        """The report has its columns, its numbers for proportions, and intervals that stay below 1."""
        names = {0: "Cherries", 1: "Olives", 2: "Tangerines"}
        frame = hs.compat.classification_report_with_ci(
            Y_TRUE, Y_PRED, round_ndigits=2, numerical_to_label_map=names, binary_method="wilson"
        )
        theirs = ci.classification_report_with_ci(
            Y_TRUE, Y_PRED, round_ndigits=2, numerical_to_label_map=names, binary_method="wilson"
        )
        assert list(frame.columns) == list(theirs.columns)
        same = ["Class", "Precision", "Recall", "F1-Score", "Support"]
        assert frame[same].to_dict("list") == theirs[same].to_dict("list")
        for ours, other in zip(frame["Precision CI"][:3], theirs["Precision CI"][:3], strict=True):
            assert ours == pytest.approx(other, abs=0.006)
        assert all(high <= 1 for _, high in frame["F1-Score CI"])


class TestDefectsOfConfidenceinterval:
    """What it gets wrong or swallows in silence."""

    def test_labels_other_than_zero_and_one(self):
        """Labels {1, 2}, {-1, 1}, {0, 1000} and strings give the numbers of {0, 1}."""
        true, predicted = labels(2)
        expected = hs.f1_score(true, predicted)
        for names in ([1, 2], [-1, 1], [0, 1000], ["no", "yes"]):
            array = np.array(names)
            found = hs.f1_score(array[true], array[predicted], pos_label=names[1])
            assert (found.value, found.low, found.high) == (expected.value, expected.low, expected.high)

    def test_perfect_classifier(self):
        """A perfect classifier's interval has positive width below 1, and is not nan."""
        for average in ("binary", "macro", "micro", "weighted"):
            _, (low, high) = hs.f1_score([0, 1] * 20, [0, 1] * 20, average=average)
            assert 0.8 < low < high == pytest.approx(1)

    def test_binary_average_works_by_default(self):
        """The default call on binary labels works."""
        assert 0 < hs.f1_score(*labels(2)).low < 1

    def test_nothing_is_swallowed(self):
        """Unknown arguments, methods and levels are errors."""
        with pytest.raises(TypeError):
            hs.f1_score(*labels(2), sample_wieght=[1])
        with pytest.raises(hs.HowsureError, match="Did you mean 'wilson'"):
            hs.f1_score(*labels(2), method="wilsn")
        with pytest.raises(hs.HowsureError, match=r"Did you mean 0\.95"):
            hs.f1_score(*labels(2), confidence_level=95)
        with pytest.raises(hs.HowsureError, match="pos_label"):
            hs.f1_score(*labels(2), pos_label="yes")
        with pytest.raises(hs.HowsureError, match="macro"):
            hs.f1_score(*labels(3))

    def test_absent_classes(self):
        """Classes that occur on one side only neither raise nor give nan."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            estimate = hs.f1_score([0, 1, 1, 0, 1], [0, 1, 2, 0, 1], average="macro")
        assert 0 <= estimate.low < estimate.value < estimate.high <= 1

    @pytest.mark.parametrize(
        "name, average, classes",
        [
            ("f1_score", "binary", 2),
            ("f1_score", "macro", 3),
            ("precision_score", "macro", 3),
            ("recall_score", "macro", 3),
        ],
    )
    def test_standard_errors_are_right_where_its_are_not(self, name, average, classes):
        """Ours equals a numeric delta method and a bootstrap of rows; its differs by more than a tenth."""
        rng = np.random.default_rng(21)
        true = rng.choice(classes, 900, p=np.array([0.62, 0.3, 0.08])[:classes] / np.sum([0.62, 0.3, 0.08][:classes]))
        predicted = np.where(rng.random(900) < 0.72, true, rng.integers(0, classes, 900))
        z = 1.959963984540054
        _, (low, high) = getattr(hs, name)(true, predicted, average=average, method="wald")
        ours = (high - low) / (2 * z)
        _, (low, high) = getattr(ci, name)(true, predicted, average=average)
        theirs = (high - low) / (2 * z)
        counts = sk.confusion_matrix(true, predicted).astype(float)
        assert ours == pytest.approx(numeric_delta(getattr(sk, name), average, counts), rel=1e-4)
        rows = rng.integers(0, 900, (3000, 900))
        drawn = score(name, average, true[rows], predicted[rows])
        expected = [getattr(sk, name)(true[each], predicted[each], average=average) for each in rows[:5]]
        assert drawn[:5] == pytest.approx(expected)
        assert ours == pytest.approx(np.std(drawn), rel=0.05)
        assert abs(theirs / ours - 1) > 0.03


def score(name, average, true, predicted):
    """Return precision, recall or F1 of many samples at once, from its definition."""
    classes = [1] if average == "binary" else range(int(true.max()) + 1)
    each = []
    for label in classes:
        hits, of_class, said = ((true == label) & (predicted == label)), true == label, predicted == label
        hits, of_class, said = (part.sum(-1) for part in (hits, of_class, said))
        each.append(hits / {"precision_score": said, "recall_score": of_class, "f1_score": (of_class + said) / 2}[name])
    return np.mean(each, axis=0)


def numeric_delta(function, average, counts):
    """Return the standard error from differences of a function of weighted cells."""
    classes, cells = len(counts), np.indices(counts.shape).reshape(2, -1)

    def value(weights):
        return function(
            *cells,
            sample_weight=weights.ravel(),
            average=average,
            labels=None if average == "binary" else range(classes),
        )

    step = 1e-4
    slopes = np.zeros_like(counts)
    for i, j in np.ndindex(counts.shape):
        up, down = counts.copy(), counts.copy()
        up[i, j] += step
        down[i, j] -= step
        slopes[i, j] = (value(up) - value(down)) / (2 * step)
    return np.sqrt((counts * slopes**2).sum())


class TestScores:
    """Metrics of scores of two and of many classes, called as scikit-learn's."""

    @staticmethod
    def data(seed=0):
        """Return true classes 0 … 2 with probabilities, and an indicator array with scores."""
        rng = np.random.default_rng(seed)
        true = rng.integers(0, 3, 90)
        odds = np.exp(rng.normal(size=(90, 3)) + np.eye(3)[true])
        labels = (rng.random((90, 3)) < 0.4).astype(int)
        return true, odds / odds.sum(1, keepdims=True), labels, rng.normal(labels)

    def test_many_classes(self):
        """The same arguments give the same numbers, now with an interval."""
        true, share, labels, score = self.data()
        weight = np.random.default_rng(1).random(90)
        calls = [
            ("roc_auc_score", (true, share), {"multi_class": "ovr", "average": "weighted", "sample_weight": weight}),
            ("roc_auc_score", (true, share), {"multi_class": "ovo"}),
            ("roc_auc_score", (true, share), {"multi_class": "ovr", "average": "micro"}),
            ("roc_auc_score", (labels, score), {"average": "micro"}),
            ("roc_auc_score", (labels, score), {}),
            ("average_precision_score", (labels, score), {"average": "weighted"}),
            ("average_precision_score", (true, share), {}),
            ("log_loss", (true, share), {"sample_weight": weight}),
            *(
                [("brier_score_loss", (true, share), {})]
                if "scale_by_half" in signature(sk.brier_score_loss).parameters
                else []
            ),
            ("log_loss", (true == 1, np.stack([1 - share[:, 1], share[:, 1]], 1)), {}),
            ("roc_auc_score", (true == 1, share[:, 1]), {"max_fpr": 0.3}),
            ("roc_auc_score", (true == 1, share[:, 1]), {"average": "micro", "multi_class": "ovr"}),
        ]
        for name, arrays, settings in calls:
            ours = getattr(hs, name)(*arrays, **settings)
            assert ours.value == pytest.approx(getattr(sk, name)(*arrays, **settings), abs=1e-12)
            assert ours.low < ours.value < ours.high

    def test_one_estimate_a_class(self):
        """average=None gives a list in the order of the columns."""
        true, share, labels, score = self.data(2)
        ours = hs.roc_auc_score(true, share, multi_class="ovr", average=None)
        assert [each.value for each in ours] == pytest.approx(sk.roc_auc_score(true, share, multi_class="ovr", average=None))  # fmt: skip
        ours = hs.average_precision_score(labels, score, average=None)
        assert [each.value for each in ours] == pytest.approx(sk.average_precision_score(labels, score, average=None))  # fmt: skip

    def test_class_that_does_not_occur(self):
        """`labels` names the columns; the class without cases is left out, with the reason."""
        true, share, *_ = self.data(3)
        seen = true < 2
        ours = hs.roc_auc_score(true[seen], share[seen], multi_class="ovr", labels=[0, 1, 2])
        assert "1 of 3 classes" in ours.reason
        assert hs.log_loss(true[seen], share[seen], labels=[0, 1, 2]).value == pytest.approx(sk.log_loss(true[seen], share[seen], labels=[0, 1, 2]))  # fmt: skip
        assert hs.log_loss([1, 1, 1], [0.7, 0.8, 0.9], labels=[0, 1]).value == pytest.approx(sk.log_loss([1, 1, 1], [0.7, 0.8, 0.9], labels=[0, 1]))  # fmt: skip

    @pytest.mark.parametrize(
        "name, settings, words",
        [
            ("roc_auc_score", {}, "multi_class='ovr'"),
            ("roc_auc_score", {"multi_class": "over"}, "scheme"),
            ("roc_auc_score", {"multi_class": "ovr", "average": "samples"}, "indicator array"),
            ("roc_auc_score", {"multi_class": "ovr", "pos_label": 2}, "pos_label"),
        ],
    )
    def test_unfit_arguments_are_refused(self, name, settings, words):
        """The error states what to do instead."""
        true, share, *_ = self.data()
        with pytest.raises(hs.HowsureError, match=words):
            getattr(hs, name)(true, share, **settings)
