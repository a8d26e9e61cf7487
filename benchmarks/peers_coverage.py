"""Coverage of other packages' intervals on the same studies as ours; each is a method that takes one table at a time.

Run: python benchmarks/peers_coverage.py FOLDER [TRUTHS [DRAWS]]. The results lie in the folder as those of `python -m howsure.lab run`
do, which `python -m howsure.lab show FOLDER` and `page … --peers FOLDER` read. The truths are those of up to five classes and 500 cases
that the defaults are proved on. Packages that are not installed are left out.
"""

from __future__ import annotations

import importlib.util
import sys
import warnings

import numpy as np

import howsure as hs
from howsure.lab.grid import prove, run, shuffled

METRICS = ("accuracy", "f1@macro", "precision@macro", "recall@macro", "mcc")
NAN = (np.nan, np.nan)


class Peer(hs.methods.Method):
    """Another package's interval: `limits` of the cases' classes, the metric and the level."""

    name = "peer"
    needs = "numpy"
    serves = METRICS

    def unsupported_reason(self, metric, table):
        return "" if metric.name in self.serves else f"`{self.name}` is for {', '.join(self.serves)} here."

    def at_levels(self, metric, table, rng=None):
        counts = table.counts.astype(int)
        y_true, y_pred = (np.repeat(axis.ravel(), counts.ravel()) for axis in np.indices(counts.shape))

        def at(level):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    low, high = self.limits(y_true, y_pred, metric, level, rng)
                except Exception:  # noqa: BLE001 - a package that refuses the table gives no interval
                    low, high = NAN
            return hs.methods.Interval(float(low), float(high))

        return at

    def limits(self, y_true, y_pred, metric, level, rng):
        raise NotImplementedError


class ConfidenceInterval(Peer):
    """Takahashi's intervals of averages, Wilson's of accuracy, by the package confidenceinterval."""

    name = "peer_confidenceinterval"
    needs = "confidenceinterval"
    serves = ("accuracy", "f1@macro", "precision@macro", "recall@macro")

    def limits(self, y_true, y_pred, metric, level, rng):
        import confidenceinterval

        head, _, average = metric.name.partition("@")
        more = {"average": average} if average else {}
        function = getattr(confidenceinterval, f"{head}_score")
        return function(y_true.tolist(), y_pred.tolist(), confidence_level=level, **more)[1]


class Statsmodels(Peer):
    """The normal interval of a share, the default of statsmodels' proportion_confint."""

    name = "peer_statsmodels"
    needs = "statsmodels"
    serves = ("accuracy",)

    def limits(self, y_true, y_pred, metric, level, rng):
        from statsmodels.stats.proportion import proportion_confint

        return proportion_confint((y_true == y_pred).sum(), len(y_true), alpha=1 - level)


class ScipyBootstrap(Peer):
    """scipy.stats.bootstrap over rows, BCa as by default, of 999 resamples."""

    name = "peer_scipy_bootstrap"
    needs = "scipy"

    def limits(self, y_true, y_pred, metric, level, rng):
        from scipy import stats

        classes = int(max(y_true.max(), y_pred.max())) + 1

        def statistic(true, said, axis=-1):
            flat = np.moveaxis((true * classes + said).astype(int), axis, -1)
            rows = flat.reshape(-1, flat.shape[-1]) + classes**2 * np.arange(flat[..., 0].size)[:, None]
            cells = np.bincount(rows.ravel(), minlength=classes**2 * len(rows))
            return metric(cells.reshape(*flat.shape[:-1], classes, classes).astype(float))

        found = stats.bootstrap(
            (y_true, y_pred), statistic, paired=True, vectorized=True, n_resamples=999, confidence_level=level,
            random_state=np.random.default_rng(rng),
        )  # fmt: skip
        return found.confidence_interval


class ProbConfMat(Peer):
    """The highest density interval of prob_conf_mat, of 1,000 draws, with its default prior of 0 in each cell."""

    name = "peer_prob_conf_mat"
    needs = "prob_conf_mat"

    def limits(self, y_true, y_pred, metric, level, rng):
        from prob_conf_mat import Study

        theirs = {"accuracy": "acc", "mcc": "mcc"}
        name = theirs.get(metric.name, metric.name)
        classes = int(max(y_true.max(), y_pred.max())) + 1
        counts = np.bincount(y_true * classes + y_pred, minlength=classes**2).reshape(classes, classes)
        study = Study(seed=int(rng.generate_state(1)[0]), num_samples=1000, ci_probability=level)
        study.add_experiment("group/experiment", counts)
        study.add_metric(name)
        summary = study.get_metric_samples(metric=name, experiment_name="group/experiment", sampling_method="posterior")
        values = np.sort(summary.values.ravel())
        size = int(np.floor(level * len(values)))
        first = int(np.argmin(values[size:] - values[: len(values) - size]))
        return values[first], values[first + size]


PEERS = [
    each
    for each in (ConfidenceInterval, Statsmodels, ScipyBootstrap, ProbConfMat)
    if importlib.util.find_spec(each.needs)
]


def main(folder, truths=12, draws=200):
    few = [each for each in shuffled(prove()) if each.truth.n <= 500 and each.truth.classes <= 5][:truths]
    run(folder, few, ["auto", *(peer.name for peer in PEERS)], draws=draws, metrics=METRICS)


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
