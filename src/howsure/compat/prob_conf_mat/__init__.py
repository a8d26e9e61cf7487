"""The names, arguments and defaults of the package ``prob_conf_mat``, on howsure's own studies.

``from howsure.compat.prob_conf_mat import Study`` is all that has to change: its reports, its metric strings, and
metrics, averages and aggregators of one's own that subclass its bases. Draws are those of `howsure.Study` under the
same prior: they follow from the seed and the experiment's name, so that adding a metric changes none.

Examples
--------
>>> from howsure.compat.prob_conf_mat import Study
>>> study = Study(seed=0, num_samples=10000, ci_probability=0.95)
>>> study.add_experiment("mlp/fold_0", [[50, 3], [5, 42]], prevalence_prior=1, confusion_prior=1)
>>> study.add_metric("acc")
>>> print(study.report_metric_summaries("acc", table_fmt="simple", precision=2))
Group  Experiment  Observed  Median  Mode     95.0% HDI    MU   Skew  Kurt
──────────────────────────────────────────────────────────────────────────
mlp        fold_0      0.92    0.91  0.92  [0.85, 0.96]  0.11  -0.57  0.53
"""

from howsure.compat.prob_conf_mat.study import Study

__all__ = ["Study"]
