"""Invalid calls of public functions: one line with the code to write."""

import inspect
import pickle
import re

import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier

import howsure as hs
from howsure.calls import SOURCE_OF, CallError
from support.public import FUNCTIONS

TABLE = hs.from_counts([[50, 3], [5, 42]])
SCORES = hs.scores([0, 1, 1, 0], [0.1, 0.8, 0.4, 0.3])
FRAME = pd.DataFrame({"y": [0, 1, 1, 0], "p": [0, 1, 0, 0]})
LABELS = [0, 1, 1, 0], [0, 1, 0, 0]


def parameters(name):
    return inspect.signature(FUNCTIONS[name]).parameters


def test_unknown_arguments_are_refused_with_what_is_known():
    """Each function names itself and the argument; if it has a level, synonyms are recognised."""
    taking_any = set()
    for name in FUNCTIONS:
        if any(each.kind is inspect.Parameter.VAR_KEYWORD for each in parameters(name).values()):
            taking_any.add(name)
            continue
        needed = [None for each in parameters(name).values() if each.default is each.empty and each.kind < 2]
        with pytest.raises(CallError, match=f"`{name}` takes no `alpha`") as caught:
            FUNCTIONS[name](*needed, alpha=0.1)
        assert ("Write `confidence_level=0.9`" in str(caught.value)) == ("confidence_level" in parameters(name))
    assert len(taking_any) < 7  # curves, which pass settings on


def test_public_functions_keep_what_tools_read():
    """A public function has its signature, docstring and name, and can be pickled."""
    for name, found in FUNCTIONS.items():
        inner = found.__wrapped__
        assert (found.__name__, found.__doc__) == (name, inner.__doc__)
        assert inspect.signature(found) == inspect.signature(inner), name
        assert pickle.loads(pickle.dumps(found)) is found


@pytest.mark.parametrize(
    "call, remedy",
    [
        (lambda: hs.f1_score(DummyClassifier(), *LABELS), r"`hs\.scorer\('f1'\)`"),
        (lambda: hs.estimate(*LABELS, "f1"), r"hs\.estimate\(hs\.confusion\(y_true, y_pred\), 'f1'\)"),
        (lambda: hs.evaluate(*LABELS, ["f1"]), r"hs\.evaluate\(hs\.confusion\(y_true, y_pred\), 'f1'\)"),
        (lambda: hs.mcnemar(*LABELS, LABELS[0]), r"hs\.mcnemar\(hs\.paired\(y_true, {'A': pred_a, 'B': pred_b}\)\)"),
        (lambda: hs.roc_curve(*LABELS, 1), r"hs\.roc_curve\(hs\.scores\(y_true, y_score\)\)"),
        (lambda: hs.paired(*LABELS, LABELS[1]), r"`paired\(y_true, {'A': pred_a, 'B': pred_b}\)`"),
        (
            lambda: hs.from_rates(0.9, 0.8, 50, 50),
            "takes no positional arguments, and 4 were given. Give all by name: sens",
        ),
        (lambda: hs.estimate(TABLE, "f1", "wilson"), "`method='wilson'`"),
        (lambda: hs.estimate(TABLE), r"`estimate\(table, metric\)`"),
        (lambda: hs.estimate(TABLE, "f1", ci=95), "`confidence_level=0.95`"),
        (lambda: hs.estimate(TABLE, "f1", conf_level=0.9), "`confidence_level=0.9`"),
        (lambda: hs.estimate(TABLE, "f1", seed=7), "`random_state=7`"),
        (lambda: hs.estimate(TABLE, "f1", pos_label=1), "where the table is made"),
        (lambda: hs.estimate(TABLE, "f1", average="macro"), "'f1@macro'"),
        (lambda: hs.estimate(TABLE, "f1", confidense_level=0.9), "Did you mean 'confidence_level'"),
        (lambda: hs.compare(TABLE, TABLE, metric="f1"), r"compare\(table, 'f1'\)"),
        (lambda: hs.confusion(*LABELS, cluster=[1, 2, 3, 4]), "`groups=…`"),
        (lambda: hs.confusion(y_test=LABELS[0], y_hat=LABELS[1]), "`y_test`. Write `y_true=…`"),
        (lambda: hs.confusion(LABELS[0], preds=LABELS[1]), "`y_pred=…`"),
        (lambda: hs.confusion(LABELS[0], y_proba=[0.1, 0.9, 0.4, 0.2]), r"`hs\.scores\(y_true, y_score\)`"),
        (lambda: hs.confusion(*LABELS, threshold=0.5), r"\.at\(0\.5\)`"),
        (lambda: hs.confusion(*LABELS, target_names=["a", "b"]), "the names into the data"),
        (lambda: hs.confusion(*LABELS, normalize="true"), "Known: y_true, y_pred, "),
        (lambda: hs.scores(LABELS[0], y_prob=[0.1, 0.9, 0.4, 0.2]), "`y_score=…`"),
        (lambda: hs.scores(*LABELS, direction=">"), "-y_score"),
        (lambda: hs.estimate(TABLE, "f1", n_bootstraps=500), r"`method=hs\.methods\.Bootstrap\(n_resamples=500\)`"),
        (lambda: hs.estimate(TABLE, "f1", bootstrap=True), "`method='bootstrap_bca'`"),
        (lambda: hs.estimate(TABLE, "fbeta", beta=2), "'fbeta\\+beta=2'"),
        (lambda: hs.estimate(TABLE, "f1", prior="jeffreys"), r"Dirichlet\(prior='jeffreys'\)"),
        (lambda: hs.compare(TABLE, TABLE, "f1", effect="ratio"), "`contrast='ratio'`"),
        (lambda: hs.compare(TABLE, TABLE, "f1", baseline="A"), "`b='A'`"),
        (lambda: hs.compare(TABLE, TABLE, "f1", delta=0.05), r"non_inferiority\(0\.05\)"),
        (lambda: hs.compare(TABLE, TABLE, "f1", correction="holm"), "compare_all"),
        (lambda: hs.plan(TABLE, "f1", margin_of_error=0.05), "twice a margin"),
        (lambda: hs.plan(TABLE, "f1", delta=0.05), "`true_value=0.05`"),
        (lambda: hs.f1_score(*LABELS, weights=[1, 2, 3, 4]), "`sample_weight=…`"),
        (lambda: hs.estimate(TABLE, "ppv", prevalence=0.1), r"in the metric: 'ppv_at\+prevalence=0\.1'"),
        (lambda: hs.evaluate(TABLE, ["fbeta"], beta=0.5), r"'fbeta\+beta=0\.5'"),
        (lambda: hs.compare(TABLE, TABLE, "recall", specificity=0.9), r"'sensitivity_at\+specificity=0\.9'"),
        (lambda: hs.estimate(TABLE, "cost", costs=[[0, 1], [9, 0]]), r"'expected_cost\+cost_fp=1\+cost_fn=10'"),
        (lambda: hs.evaluate(TABLE, adjust="holm"), r"`hs\.gaps\(tables, metrics\)`"),
        (lambda: hs.plan(TABLE, "f1", difference=0.02), "`true_value=0.02`"),
        (lambda: hs.trials([1, 0, 1]), "`trials` needs `task=…`: the task of each run"),
        (lambda: hs.confusion(FRAME, "y", "p"), r"`confusion\('y', 'p', data=…\)`"),
        (lambda: hs.f1_score(FRAME, "y", "p"), r"`f1_score\('y', 'p', data=…\)`"),
        (lambda: hs.optimal_threshold(SCORES, "cost", fn_cost=10), "`false_negative_cost=10`"),
        (lambda: hs.optimal_threshold(SCORES, costs=[[0, 1], [9, 0]]), "with `false_negative_cost=…`"),
        (lambda: hs.calibrated([0.1, 0.9], chunk_size=20), "`every=20`"),
        (lambda: hs.plots.confusion_matrix(*LABELS), r"hs\.plots\.confusion_matrix\(hs\.confusion\(y_true, y_pred\)\)"),
        (lambda: hs.plots.intervals(TABLE, color="red"), "`intervals` takes no `color`. Known: evaluations, ax"),
        # No table: a frame, names of columns, columns, an estimator, or nothing
        (
            lambda: hs.evaluate(FRAME, "y", "p"),
            r"from columns by name: `hs\.evaluate\(hs\.confusion\(y_true, y_pred, data=…\), ",
        ),
        (lambda: hs.leaderboard(FRAME), r"hs\.leaderboard\(hs\.paired\(y_true, {.*}, data=…\), 'f1'\)"),
        (lambda: hs.monitor("y", "p", data=FRAME), r"hs\.monitor\(hs\.confusion\(y_true, y_pred, by=group, data=…\)"),
        (lambda: hs.evaluate(*LABELS, metrics="mcc"), r"hs\.evaluate\(hs\.confusion\(y_true, y_pred\), 'mcc'\)"),
        (
            lambda: hs.estimate(LABELS[0], [0.1, 0.9, 0.4, 0.2], "auc"),
            r"hs\.estimate\(hs\.scores\(y_true, y_score\), 'auc'\)",
        ),
        (lambda: hs.evaluate(DummyClassifier(), *LABELS), r"Make one first: `hs\.evaluate\(hs\.confusion\("),
        (lambda: hs.plan("auc", value=0.8, width=0.1), r"hs\.plan\(hs\.from_rates\(.*\), 'auc', width=0\.1\)"),
        (lambda: hs.plan(metric="f1", width=0.1), r"hs\.plan\(hs\.from_rates\(.*\), 'f1', width=0\.1\)"),
    ],
)
def test_the_remedy_is_what_to_write(call, remedy):
    """Other packages' words and a metric in the wrong place lead to the right call."""
    with pytest.raises(hs.HowsureError, match=remedy) as caught:
        call()
    assert isinstance(caught.value, TypeError)


def test_the_remedy_for_three_arrays_is_a_call_that_works():
    """Every function of a table that is given the labels and two predictions answers with a call that runs."""
    truth, pred_a, pred_b = ([0, 1, 1, 0] * 25, [0, 1, 0, 0] * 25, [1, 1, 0, 0] * 25)
    known = {"hs": hs, "y_true": truth, "y_pred": pred_a, "pred_a": pred_a, "pred_b": pred_b, "group": ["x", "y"] * 50}
    known |= {"y_score": [each / 100 for each in range(100)], "tp": [3, 2], "fp": [1, 1], "fn": [0, 1]}
    known |= {"human": truth[:50] + [None] * 50, "judge": pred_a}
    answered = {}
    for name, function in FUNCTIONS.items():
        if found := re.search(r"Make one first: `(.+)`", _refusal(function, truth, pred_a, pred_b)):
            answered[name] = found[1]
    assert set(SOURCE_OF) - {"compare", "plan"} <= set(answered)  # which have a text of their own
    for name, remedy in answered.items():
        own = [each.name for each in parameters(name).values() if each.default is each.empty][1:]
        if set(own) <= {"metric", "metrics"} and name not in {"corrected", "miscalibration", "stop"}:  # which need more
            assert eval(remedy, known) is not None, name  # noqa: S307 - our own text


def _refusal(function, *arguments):
    try:
        function(*arguments)
    except hs.HowsureError as error:
        return str(error)
    return ""


def test_names_of_other_packages_lead_here():
    """A function that is called otherwise here is named."""
    with pytest.raises(AttributeError, match="Use `howsure.plan`"):
        hs.sample_size()
    with pytest.raises(AttributeError, match="Use `howsure.scorer`"):
        hs.make_scorer()


def test_errors_within_a_call_stay_as_they_are():
    """A TypeError from a user's own function is not reported as a wrong call."""

    def own(y_true, y_pred):
        return len(y_true) + y_pred.dtype

    with pytest.raises(TypeError, match="unsupported operand") as caught:
        hs.bootstrap(own, *LABELS, n_resamples=39)
    assert not isinstance(caught.value, hs.HowsureError)
