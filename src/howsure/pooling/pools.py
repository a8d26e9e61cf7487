"""The public `pool`: the model by the kind of its experiments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from howsure.errors import HowsureError, one_of, real_numbers
from howsure.metrics.metric import Metric
from howsure.metrics.spec import Spec
from howsure.pooling.bounded import BINOMIAL_NORMAL, ESTIMANDS, Estimand, bounded_pool
from howsure.pooling.effects import MODELS, Test, normal_pool
from howsure.pooling.pooled import Pooled
from howsure.pooling.scales import scale_of_range
from howsure.pooling.sites import REMEDY, is_estimated, sites_of

Method = Literal["binomial_normal", "fixed", "dl", "pm", "reml"]


def pool(
    experiments: Any,
    standard_errors: Any = None,
    *,
    metric: object = None,
    method: Method | None = None,
    estimand: Estimand | None = None,
    test: Test | None = None,
    scale: str | None = None,
    confidence_level: float | None = None,
    names: Sequence[str] | None = None,
) -> Pooled:
    """Pool one metric of independent experiments, such as test sites.

    Parameters
    ----------
    experiments : sequence or mapping of Estimate, Comparison or Table, or array-like of shape (k,)
        Estimates or comparisons of one metric at one confidence level, with two-sided limits; or tables; in a list, or
        in a mapping by name. Or plain values, with their ``standard_errors``.
    standard_errors : array-like of shape (k,)
        Standard errors of plain values. The second argument is the metric if the experiments are tables:
        ``hs.pool(tables, "recall")``.
    metric : str or Metric, optional
        Metric that is estimated on each table.
    method : {"binomial_normal", "fixed", "dl", "pm", "reml"}, optional
        ``"binomial_normal"`` is the default for estimates and tables whose metric has a finite range. The values of the
        experiments have a normal distribution on the logit scale, with variance τ². Each value is observed with the
        likelihood of a binomial proportion. It accepts perfect results, and its limits stay within the range. The
        others take each value as normal with a known standard error. ``"fixed"``: all experiments measure one value;
        ``"dl"`` (DerSimonian–Laird, the default for other values), ``"pm"`` (Paule–Mandel) or ``"reml"`` (restricted
        maximum likelihood): each has its own value, with variance τ² between them.
    estimand : {"typical_site", "mean_of_sites"}, optional
        Estimand of ``"binomial_normal"``. The default is the value of a typical experiment, expit(μ), the median of the
        population of experiments (the convention of metafor and lme4). The alternative is the mean of that population,
        E[expit(μ + τZ)]. Both coincide if τ = 0.
    test : {"z", "knha", "adhoc"}, optional
        Interval of the normal models, by metafor's names. ``"z"``: the normal distribution, as if τ² were known;
        ``"knha"``: the observed scatter and Student's t (Hartung, Knapp, Sidik and Jonkman); ``"adhoc"``: like
        ``"knha"``, but the scatter is at least that expected from the standard errors. The default is ``"adhoc"``,
        which covers 94 % from three experiments on, where ``"z"`` covers down to 79 % and ``"knha"`` to 91 %; with
        ``method="fixed"`` it is ``"z"``.
    scale : str, optional
        Scale on which a normal model pools; the result is carried back, so that it keeps the range. ``"logit"`` for
        values in 0 … 1, ``"log"`` for positive ones, ``"fisher_z"`` for −1 … 1, ``"logit(0, 10)"`` or ``"log(2, inf)"``
        for other ranges. The default is the scale of the metric's range, and ``"identity"`` for plain values.
    confidence_level : float, optional
        Coverage of the intervals, between 0 and 1: by default that of the estimates, else 0.95.
    names : sequence of str, optional
        Names of the experiments; 1, 2, … by default.

    Returns
    -------
    Pooled
        The pooled value with its interval, the estimand, and the heterogeneity between the experiments.

    Raises
    ------
    HowsureError
        If metrics, confidence levels or lengths differ, a value is undefined or outside the range, or a standard error
        is not positive.

    Notes
    -----
    **Binomial-normal model.** Experiment i has the value p_i on the range scaled to 0 … 1, logit(p_i) ~ Normal(μ, τ²),
    and the likelihood n_i (v_i log p_i + (1 − v_i) log(1 − p_i)). A proportion has its own number of cases n_i. Any
    other estimate has the n_i for which a proportion of the same value v_i has the same mid-p limits. The lower limit
    gives the size below the value, the upper limit the size above. Clusters, weights and small samples enter by these
    limits. The integral over p_i is an adaptive Gauss–Hermite rule. Value and τ² are the maximum-likelihood estimates,
    as of lme4's ``glmer`` and metafor's ``rma.glmm`` for one group.

    The interval contains each θ whose profile likelihood ratio statistic is at most k log(1 + t² / (k − 1)), where t is
    the quantile of Student's t on k − 1 degrees of freedom. This is exact for equal and large experiments. The
    log-likelihood of these limits has the penalty −τ² / 8. If all values lie at one end of the range, the bound is at
    least −2 log α, the mid-p limit of one proportion. The prediction interval for the value of a new experiment
    averages over a posterior density of μ and τ. This density is proportional to the penalised likelihood times sqrt(p
    (1 − p)). Intervals of τ² are by its profile likelihood; ``q`` is the deviance of one common value.

    **Normal models.** Weights are ``1 / (se² + τ²)``. One experiment alone keeps its own normal interval, except by
    ``"knha"``. Intervals of τ² invert Cochran's Q (Viechtbauer, 2007), those of I² and H² follow from them with the
    typical variance within (Higgins and Thompson, 2002). The prediction interval is ``value ± t · sqrt(se² + τ²)`` with
    Student's t on ``k - 2`` degrees of freedom (Higgins, Thompson and Spiegelhalter, 2009). All agree with R's metafor.

    References
    ----------
    Hamza, van Houwelingen, Stijnen (2008), Journal of Clinical Epidemiology 61; Stijnen, Hamza, Özdemir (2010),
    Statistics in Medicine 29; DerSimonian, Laird (1986), Controlled Clinical Trials 7; Paule, Mandel (1982), Journal of
    Research of the NBS 87; Knapp, Hartung (2003), Statistics in Medicine 22; IntHout, Ioannidis, Borm (2014), BMC
    Medical Research Methodology 14; Röver, Knapp, Friede (2015), BMC Medical Research Methodology 15; Viechtbauer
    (2007), Statistics in Medicine 26.

    Examples
    --------
    >>> import howsure as hs
    >>> tables = {"Ulm": [[40, 2], [3, 45]], "Bern": [[28, 0], [0, 30]], "Graz": [[31, 4], [5, 38]]}
    >>> pooled = hs.pool({name: hs.from_counts(each) for name, each in tables.items()}, "accuracy")
    >>> print(pooled)
    0.956 [0.618, 0.999], typical site, I² = 72 % (moderate)
    >>> pooled.method, pooled.estimand
    ('binomial_normal', 'typical_site')

    Values and standard errors:

    >>> pooled = hs.pool([0.91, 0.88, 0.93], [0.01, 0.02, 0.015], method="reml", scale="logit")
    >>> round(pooled.value, 3), round(pooled.tau2, 3)
    (0.907, 0.034)
    """
    if method is not None:
        one_of("pooling method", method, METHODS)
    if estimand is not None:
        one_of("estimand", estimand, ESTIMANDS)
    if isinstance(standard_errors, str | Spec | Metric):
        standard_errors, metric = None, standard_errors
    if isinstance(experiments, Iterator):
        experiments = list(experiments)
    normal: dict[str, Any] = {"test": test, "scale": scale}
    if standard_errors is not None or not is_estimated(experiments):
        _refuse_no_values(experiments, standard_errors)
        real_numbers("values", experiments)
        _refuse_beside(f"tables and estimates, not for plain values. {REMEDY}", metric=metric, estimand=estimand)
        if method == BINOMIAL_NORMAL or standard_errors is None:
            raise HowsureError(f"Values need `standard_errors` and a normal model such as 'reml'. {REMEDY}")
        _refuse_no_errors(experiments, standard_errors)
        level = 0.95 if confidence_level is None else confidence_level
        normal |= {"method": method or "dl", "confidence_level": level, "names": names}
        return normal_pool(experiments, standard_errors, **normal)
    sites = sites_of(experiments, metric, confidence_level, names)
    if method == BINOMIAL_NORMAL or (method is None and test is None and scale is None and sites.is_bounded):
        _refuse_beside("the normal models, such as method='reml'.", **normal)
        if not sites.is_bounded:
            raise HowsureError(
                f"`{sites.metric}` has the range {sites.range}: 'binomial_normal' needs two finite ends. Use 'reml'."
            )
        return bounded_pool(sites, estimand or "typical_site")
    _refuse_beside("method='binomial_normal'.", estimand=estimand)
    normal |= {"scale": scale or scale_of_range(sites.range).name, "method": method or "dl", "metric": sites.metric}
    found = normal_pool(
        sites.values,
        sites.standard_errors,
        **normal,
        confidence_level=sites.level,
        names=sites.names,
        limits=(sites.lows, sites.highs),
    )
    return replace(found, positive=sites.positive)


def _refuse_no_values(experiments: object, standard_errors: object) -> None:
    """Refuse a frame, values by name, and several metrics in place of the standard errors."""
    if hasattr(experiments, "columns"):
        raise HowsureError(
            "`experiments` is a frame. Make a table of each line, "
            "`pool(hs.from_counts(tp=data['tp'], fp=…, fn=…, tn=…), metric)`, or give columns of values and errors."
        )
    if isinstance(standard_errors, list | tuple) and any(isinstance(each, str) for each in standard_errors):
        raise HowsureError(f"`pool` takes one metric, not {len(standard_errors)}. Call it for each.")
    if isinstance(experiments, Mapping):
        raise HowsureError("Values by name are two lists, and `names=`: `pool(values, standard_errors, names=…)`.")


def _refuse_no_errors(values: object, standard_errors: object) -> None:
    """Refuse variances, and numbers of cases, that other packages take where the standard errors are."""
    if (name := str(getattr(standard_errors, "name", "")).lower()) in VARIANCES:
        raise HowsureError(
            f"`standard_errors` is the column {name!r}, of variances, it seems. Give their roots without this name, "
            f"`np.sqrt({name}).to_numpy()`."
        )
    numbers, sizes = np.asarray(values), np.asarray(standard_errors)
    are_whole = numbers.dtype.kind in "iu" and sizes.dtype.kind in "iu" and numbers.shape == sizes.shape
    if are_whole and (numbers >= 0).all() and (sizes >= numbers).all():
        raise HowsureError(
            "The whole numbers seem to be successes and numbers of cases. Give "
            "`pool([hs.proportion(k, n) for k, n in zip(successes, cases)])`; values with standard errors as floats."
        )


def _refuse_beside(words: str, **arguments: object) -> None:
    for name, value in arguments.items():
        if value is not None:
            raise HowsureError(f"`{name}` is for {words}")


METHODS = (BINOMIAL_NORMAL, *MODELS)
VARIANCES = frozenset({"vi", "var", "variance", "variances", "sampling_variance"})  # names of columns
