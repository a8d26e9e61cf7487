"""The rest of scikit-learn's surface: averages over cases, sums, matrices, D², top-k, columns, and scorers."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn import metrics as sk
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.svm import LinearSVC

import howsure as hs
from howsure.compat.undefined import UndefinedMetricWarning
from support.optional import optional

pl = optional("polars")

RNG = np.random.default_rng(11)
TRUTH = (RNG.random((80, 4)) < 0.4).astype(int)
SAID = np.where(RNG.random((80, 4)) < 0.75, TRUTH, 1 - TRUTH)
SHARES = np.clip(RNG.beta(2, 2, (80, 4)), 0.01, 0.99)
WEIGHT = RNG.random(80)
CLASSES = RNG.integers(0, 3, 80)
PROBABILITIES = RNG.dirichlet([1, 1, 1], 80)
PER_CLASS = ["precision_score", "recall_score", "f1_score", "jaccard_score"]


def theirs(name):
    """Return scikit-learn's function; skip where the installed version has none."""
    return getattr(sk, name, None) or pytest.skip(f"this scikit-learn has no {name}")


class TestCases:
    """Metrics that are a mean over the cases of multilabel data."""

    @pytest.mark.parametrize("name", PER_CLASS)
    @pytest.mark.parametrize("labels", [None, [3, 1]])
    def test_averages_over_samples(self, name, labels):
        """`average="samples"` has scikit-learn's value, with weights, and limits around it."""
        given = {"average": "samples", "sample_weight": WEIGHT, "zero_division": 1.0, "labels": labels}
        found = getattr(hs, name)(TRUTH, SAID, **given)
        assert found == pytest.approx(theirs(name)(TRUTH, SAID, **given))
        assert 0 < found.low < found < found.high < 1

    def test_undefined_samples_are_left_out(self):
        """With nan, cases with an undefined metric are left out with their weights, and a warning states this."""
        given = {"average": "samples", "zero_division": np.nan, "sample_weight": WEIGHT}
        truth = np.vstack([TRUTH[:78], np.zeros((2, 4), int)])
        found = hs.recall_score(truth, SAID, **given)
        assert found == pytest.approx(sk.recall_score(truth, SAID, **given))
        empty = int((truth.sum(1) == 0).sum())
        assert f"without {empty} of 80 cases" in found.reason

    def test_standard_error_is_that_of_a_mean(self):
        """The standard error is the standard deviation of the cases' values over √n; of clusters it is larger."""
        each = sk.f1_score(TRUTH, SAID, average=None, zero_division=0)
        assert len(each) == 4
        values = np.array(
            [sk.jaccard_score([t], [s], average="samples", zero_division=0) for t, s in zip(TRUTH, SAID, strict=True)]
        )
        given = {"average": "samples", "zero_division": 0.0}
        found = hs.jaccard_score(TRUTH, SAID, **given)
        assert found.standard_error == pytest.approx(values.std() / np.sqrt(80), rel=0.02)
        twice = [np.tile(part, (2, 1)) for part in (TRUTH, SAID)]
        again = hs.jaccard_score(*twice, groups=np.tile(np.arange(80), 2), **given)
        assert again.standard_error == pytest.approx(found.standard_error, rel=0.05)

    def test_perfect_predictions(self):
        """Where every case is right the interval has a lower limit below 1."""
        found = hs.f1_score(TRUTH | 1, TRUTH | 1, average="samples")
        assert found == 1
        assert 0.9 < found.low < 1

    def test_losses_of_label_sets(self):
        """Subset accuracy, subset error and Hamming loss, also as sums, have scikit-learn's values."""
        for name in ("accuracy_score", "zero_one_loss"):
            for normalize in (True, False):
                given = {"normalize": normalize, "sample_weight": WEIGHT}
                found = getattr(hs, name)(TRUTH, SAID, **given)
                assert found == pytest.approx(getattr(sk, name)(TRUTH, SAID, **given))
                assert found.low < found < found.high
        found = hs.hamming_loss(TRUTH, SAID, sample_weight=WEIGHT)
        assert found == pytest.approx(sk.hamming_loss(TRUTH, SAID, sample_weight=WEIGHT))
        right = int((TRUTH == SAID).all(1).sum())
        wilson = hs.accuracy_score([1] * 80, [1] * right + [0] * (80 - right), method="wilson")
        assert hs.accuracy_score(TRUTH, SAID, method="wilson").low == pytest.approx(wilson.low)

    @pytest.mark.parametrize("name", ["roc_auc_score", "average_precision_score"])
    def test_areas_over_samples(self, name):
        """Areas averaged over cases have scikit-learn's value."""
        truth = np.where(TRUTH.sum(1, keepdims=True) % 4 == 0, [1, 0, 1, 0], TRUTH)
        found = getattr(hs, name)(truth, SHARES, average="samples", sample_weight=WEIGHT)
        assert found == pytest.approx(getattr(sk, name)(truth, SHARES, average="samples", sample_weight=WEIGHT))

    def test_one_label_per_case_has_no_samples(self):
        """An average over samples of one label per case is refused."""
        with pytest.raises(hs.HowsureError, match="multilabel"):
            hs.f1_score([0, 1, 1], [0, 1, 0], average="samples")


class TestProbabilities:
    """Losses of rows of probabilities, and the corresponding skill scores."""

    @pytest.mark.parametrize("name", ["brier_score_loss", "log_loss", "d2_brier_score", "d2_log_loss_score"])
    @pytest.mark.parametrize("weight", [None, WEIGHT])
    def test_values(self, name, weight):
        """For two classes, more classes, and several labels, the values equal scikit-learn's."""
        binary = CLASSES == 1
        for arrays in ((binary, SHARES[:, 0]), (CLASSES, PROBABILITIES), (TRUTH, SHARES)):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # theirs: rows of labels need not sum to 1
                try:
                    expected = theirs(name)(*arrays, sample_weight=weight)
                except ValueError as error:
                    pytest.skip(f"this scikit-learn takes no rows of probabilities there: {error}")
            found = getattr(hs, name)(*arrays, sample_weight=weight)
            assert found == pytest.approx(expected, abs=1e-12)
            assert found.low < found < found.high

    def test_two_columns(self):
        """Two columns of probabilities give the Brier score of the second: half the sum over both."""
        both = np.stack([1 - SHARES[:, 0], SHARES[:, 0]], 1)
        one, two = hs.brier_score_loss(CLASSES == 1, SHARES[:, 0]), hs.brier_score_loss(CLASSES == 1, both)
        assert (two.value, two.low, two.high) == pytest.approx((one.value, one.low, one.high))
        assert hs.brier_score_loss(CLASSES == 1, both, scale_by_half=False) == pytest.approx(2 * one)
        whole = hs.brier_score_loss(CLASSES, PROBABILITIES)
        assert hs.brier_score_loss(CLASSES, PROBABILITIES, scale_by_half=True) == pytest.approx(whole / 2)

    def test_sums(self):
        """`normalize=False` is the sum over the cases, with its limits: n times the mean."""
        mean, total = (hs.log_loss(CLASSES, PROBABILITIES, normalize=each) for each in (True, False))
        assert (total.value, total.low, total.high) == pytest.approx((80 * mean, 80 * mean.low, 80 * mean.high))
        assert "summed" in total.reason

    def test_slopes_of_skill(self):
        """The standard error of D² equals that of a jackknife, of classes and of labels."""
        for name, arrays in (("d2_brier_score", (CLASSES, PROBABILITIES)), ("d2_log_loss_score", (TRUTH, SHARES))):
            function = getattr(hs, name)
            left_out = [float(function(*(np.delete(part, i, 0) for part in arrays))) for i in range(80)]
            jackknife = np.sqrt(79 / 80 * ((left_out - np.mean(left_out)) ** 2).sum())
            assert function(*arrays).standard_error == pytest.approx(jackknife, rel=0.06)

    def test_text_needs_the_positive_class(self):
        """For text labels the class of the probabilities must be stated; for areas the last one is the default."""
        text = np.array(["ill", "well"])[TRUTH[:, 0]]
        for function in (hs.brier_score_loss, hs.average_precision_score):
            with pytest.raises(hs.HowsureError, match="pos_label"):
                function(text, SHARES[:, 0])
            assert function(text, SHARES[:, 0], pos_label="well") == function(TRUTH[:, 0], SHARES[:, 0])
        assert hs.roc_auc_score(text, SHARES[:, 0]) == hs.roc_auc_score(TRUTH[:, 0], SHARES[:, 0])
        with pytest.raises(hs.HowsureError, match="There is no class '1'"):
            hs.average_precision_score(TRUTH[:, 0] * 3 + 2, SHARES[:, 0])

    def test_columns_out_of_order(self):
        """Labels out of order are refused: scikit-learn would take the columns in ascending order."""
        with pytest.raises(hs.HowsureError, match="ascending"):
            hs.log_loss(CLASSES, PROBABILITIES, labels=[2, 0, 1])

    def test_two_names_of_the_scores(self):
        """Scores are given once."""
        with pytest.raises(hs.HowsureError, match="say the same"):
            hs.log_loss(CLASSES, PROBABILITIES, y_proba=PROBABILITIES)
        with pytest.raises(hs.HowsureError, match="missing"):
            hs.log_loss(CLASSES)

    def test_a_single_class(self):
        """The area of one class is nan with a warning and a reason."""
        with pytest.warns(UndefinedMetricWarning):
            found = hs.roc_auc_score([1, 1, 1], [0.1, 0.4, 0.3])
        assert np.isnan(found)
        assert "no case" in found.reason


@pytest.mark.parametrize("k", [1, 2])
def test_top_k(k):
    """Top-k accuracy has scikit-learn's value, also with ties and as a sum, and the interval of its share."""
    score = PROBABILITIES.round(1)
    for given in ({}, {"sample_weight": WEIGHT}, {"normalize": False}):
        found = hs.top_k_accuracy_score(CLASSES, score, k=k, **given)
        assert found == pytest.approx(sk.top_k_accuracy_score(CLASSES, score, k=k, **given))
    hits = int(hs.top_k_accuracy_score(CLASSES, score, k=k, normalize=False))
    expected = hs.proportion(hits, 80, method="wilson")
    assert hs.top_k_accuracy_score(CLASSES, score, k=k, method="wilson").low == pytest.approx(expected.low)


class TestMatrices:
    """Arrays of counts."""

    @pytest.mark.parametrize("normalize", [None, "true", "pred", "all"])
    @pytest.mark.parametrize("labels", [None, [2, 0], [0, 1, 2, 7]])
    def test_confusion_matrix(self, normalize, labels):
        """Counts equal scikit-learn's, and so do shares, except nan for classes without cases."""
        said = np.roll(CLASSES, 1)
        expected = sk.confusion_matrix(CLASSES, said, labels=labels, normalize=normalize)
        found = hs.confusion_matrix(CLASSES, said, labels=labels, normalize=normalize)
        assert np.nan_to_num(found) == pytest.approx(expected)
        assert found.dtype == expected.dtype

    @pytest.mark.parametrize("samplewise", [False, True])
    def test_multilabel_confusion_matrix(self, samplewise):
        """Counts of each label, or of each case, equal scikit-learn's."""
        for weight in (None, WEIGHT):
            given = {"sample_weight": weight, "samplewise": samplewise, "labels": [2, 0]}
            expected = sk.multilabel_confusion_matrix(TRUTH, SAID, **given)
            assert hs.multilabel_confusion_matrix(TRUTH, SAID, **given) == pytest.approx(expected)

    def test_several_at_once(self):
        """Precision, recall, F-beta and support, and both likelihood ratios, equal scikit-learn's."""
        said = np.where(RNG.random(80) < 0.6, CLASSES, 2 - CLASSES)
        for given in (
            {"beta": 2.0},
            {"average": "macro", "sample_weight": WEIGHT},
            {"average": "micro", "labels": [0, 2]},
        ):
            expected = sk.precision_recall_fscore_support(CLASSES, said, **given)
            found = hs.precision_recall_fscore_support(CLASSES, said, **given)
            for ours, other in zip(found[:3], expected[:3], strict=True):
                assert np.asarray(ours, dtype=float) == pytest.approx(other)
            assert found[3] is expected[3] is None or found[3].tolist() == expected[3].tolist()
        positive, negative = hs.class_likelihood_ratios(CLASSES > 0, said > 0)
        assert (positive.value, negative.value) == pytest.approx(sk.class_likelihood_ratios(CLASSES > 0, said > 0))
        assert positive.low < positive < positive.high

    def test_infinite_beta(self):
        """With infinite beta, F equals recall."""
        said = np.roll(CLASSES, 1)
        assert hs.fbeta_score(CLASSES, said, beta=np.inf, average="macro") == hs.recall_score(
            CLASSES, said, average="macro"
        )


class TestColumns:
    """What counts as labels."""

    @pytest.mark.parametrize(
        "column",
        [
            lambda values: values[:, None],
            lambda values: values[:, None].tolist(),
            lambda values: pd.DataFrame({"label": values}),
            lambda values: pl.DataFrame({"label": values}),
        ],
        ids=["vector", "list", "pandas", "polars"],
    )
    def test_column_vectors(self, column):
        """A column of two dimensions, or a frame of one, is a column of labels, as in scikit-learn."""
        said = np.roll(CLASSES, 1)
        expected = hs.f1_score(CLASSES, said, average="macro")
        for arrays in ((column(CLASSES), column(said)), (CLASSES, column(said)), (column(CLASSES), said)):
            assert hs.f1_score(*arrays, average="macro") == expected
        area = hs.roc_auc_score(CLASSES == 1, SHARES[:, 0])
        assert hs.roc_auc_score(column((CLASSES == 1).astype(int)), column(SHARES[:, 0])) == area

    def test_sparse_indicators(self):
        """Sparse indicator arrays give the results of the dense arrays."""
        assert hs.f1_score(sparse.csr_array(TRUTH), sparse.csr_array(SAID), average="macro") == hs.f1_score(
            TRUTH, SAID, average="macro"
        )

    @pytest.mark.parametrize("wrong", [[0.2, 0.9, 1.0], [0.0, np.inf, 1.0]])
    def test_scores_are_no_labels(self, wrong):
        """Numbers with decimals, and infinite ones, are refused where a class belongs."""
        for said in (wrong, np.array(wrong), pd.Series(wrong), pl.Series(wrong)):
            with pytest.raises(hs.HowsureError, match="which is no class"):
                hs.accuracy_score([0, 1, 1], said)

    def test_complex_weights(self):
        """Weights with an imaginary part are refused."""
        with pytest.raises(hs.HowsureError, match="complex"):
            hs.accuracy_score([0, 1], [0, 1], sample_weight=np.array([1j, 2]))

    def test_no_label_at_all(self):
        """An empty list of labels is refused."""
        for function in (hs.confusion_matrix, lambda *data, **named: hs.f1_score(*data, average="macro", **named)):
            with pytest.raises(hs.HowsureError, match="empty"):
                function([0, 1], [0, 1], labels=[])

    def test_a_class_without_an_average(self):
        """`pos_label` with an average that does not use it gives a warning."""
        with pytest.warns(UserWarning, match="pos_label"):
            hs.f1_score(CLASSES, CLASSES[::-1], average="macro", pos_label=2)


class TestScorer:
    """Scorers for scikit-learn's model selection."""

    X = np.concatenate([RNG.normal(size=(60, 2)), RNG.normal(1.2, 1, (60, 2))])
    Y = np.repeat(["ill", "well"], 60)

    @pytest.mark.parametrize(
        "metric, name",
        [("f1@macro", "f1_macro"), ("accuracy", "accuracy"), ("log_loss", "neg_log_loss"), ("roc_auc", "roc_auc")],
    )
    def test_scores_are_scikit_learns(self, metric, name):
        """Cross-validated scores are those of scikit-learn's scorer; higher is better, also of losses."""
        found = cross_val_score(LogisticRegression(), self.X, self.Y, scoring=hs.scorer(metric))
        assert found == pytest.approx(cross_val_score(LogisticRegression(), self.X, self.Y, scoring=name))

    def test_lower_limits(self):
        """With `select_by="lower_limit"` the score is the lower limit, or minus the upper limit of a loss."""
        model = LogisticRegression().fit(self.X, self.Y)
        for metric, sign, side in (("f1@macro", 1, "low"), ("log_loss", -1, "high")):
            scorer = hs.scorer(metric, select_by="lower_limit", confidence_level=0.9)
            expected = hs.scorer(metric, confidence_level=0.9).estimate(model, self.X, self.Y)
            assert scorer(model, self.X, self.Y) == sign * getattr(expected, side)
        search = GridSearchCV(
            LogisticRegression(), {"C": [0.01, 1.0]}, scoring=hs.scorer("mcc", select_by="lower_limit")
        ).fit(self.X, self.Y)
        assert search.best_score_ < search.score(self.X, self.Y) + 0.1

    @pytest.mark.parametrize("model", [LogisticRegression(), LinearSVC()])
    def test_positive_class(self, model):
        """`pos_label` names the positive class, of predictions and of scores."""
        model.fit(self.X, self.Y)
        recall = hs.scorer("recall", pos_label="ill")(model, self.X, self.Y)
        assert recall == pytest.approx(sk.recall_score(self.Y, model.predict(self.X), pos_label="ill"))
        area = hs.scorer("average_precision", pos_label="ill")(model, self.X, self.Y)
        score = -model.decision_function(self.X)
        assert area == pytest.approx(sk.average_precision_score(self.Y, score, pos_label="ill"))

    def test_what_cannot_be_selected_by(self):
        """Metrics without a direction, unknown ones and models without scores are refused in words."""
        with pytest.raises(hs.HowsureError, match="nothing to select by"):
            hs.scorer("prevalence")
        with pytest.raises(hs.HowsureError, match="select_by"):
            hs.scorer("f1", select_by="limit")
        with pytest.raises(hs.HowsureError, match="metric"):
            hs.scorer("f1_scores")

        class Plain:
            classes_ = np.array([0, 1])

        with pytest.raises(hs.HowsureError, match="predict_proba"):
            hs.scorer("roc_auc")(Plain(), [[0]], [0])

    def test_scorers_are_sent_to_other_processes(self):
        """A scorer is pickled."""
        scorer = pickle.loads(pickle.dumps(hs.scorer("f1@macro")))
        assert scorer == hs.scorer("f1@macro")


class TestReport:
    """scikit-learn's keywords of the report."""

    SAID = np.where(RNG.random(80) < 0.7, CLASSES, 0)

    def test_dict(self):
        """`output_dict=True` has scikit-learn's keys and values, among them the accuracy."""
        ours = hs.classification_report(CLASSES, self.SAID, output_dict=True)
        other = sk.classification_report(CLASSES, self.SAID, output_dict=True)
        assert ours.keys() == other.keys()
        assert ours.pop("accuracy") == pytest.approx(other.pop("accuracy"))
        for row, values in ours.items():
            assert values == pytest.approx(other[row])

    def test_accuracy_row(self):
        """Over all classes the micro average is the accuracy, shown once; over some it stays the micro average."""
        report = hs.classification_report(CLASSES, self.SAID)
        assert report["accuracy"]["f1"] == hs.accuracy_score(CLASSES, self.SAID)
        assert list(report)[3:] == ["accuracy", "macro avg", "weighted avg"]
        some = hs.classification_report(CLASSES, self.SAID, labels=[0, 1])
        assert list(some) == ["0", "1", "micro avg", "macro avg", "weighted avg"]

    def test_zero_division(self):
        """An undefined class counts as given, by default as 0 with a warning, as in `f1_score`."""
        said = np.where(self.SAID == 1, 0, self.SAID)
        for value in (0.0, 1.0, np.nan):
            report = hs.classification_report(CLASSES, said, zero_division=value)
            other = sk.classification_report(CLASSES, said, zero_division=value, output_dict=True)
            assert report["1"]["precision"] == pytest.approx(other["1"]["precision"], nan_ok=True)
            assert report["macro avg"]["precision"] == pytest.approx(other["macro avg"]["precision"])
        with pytest.warns(UndefinedMetricWarning, match="precision"):
            assert hs.classification_report(CLASSES, said)["1"]["precision"] == 0


def test_our_warnings_are_of_one_kind():
    """Whoever wants none of them names `HowsureWarning`; scikit-learn's users find them as `UserWarning`."""
    with pytest.warns(hs.HowsureWarning, match="Only the class 1 occurs"):
        assert hs.confusion_matrix([1, 1], [1, 1]).tolist() == [[2]]
    with pytest.warns(hs.HowsureWarning, match="`pos_label` is for average='binary'"):
        hs.f1_score([0, 1, 1], [0, 1, 0], average="macro", pos_label=0)
    assert issubclass(hs.HowsureWarning, UserWarning)


def test_a_list_is_no_positive_class_of_one_class():
    """Where a single class occurs too, `pos_label` is one class, and a list of them is refused in one line."""
    with pytest.raises(hs.HowsureError, match="`pos_label` must be one class"):
        hs.compat.fpr_score([1, 1, 1], [1.0, 1.0, 1.0], pos_label=np.array([0, 1], dtype=object))
