"""The laws of metrics, for tests of one's own."""

from __future__ import annotations

from howsure.metrics.laws import violations
from howsure.metrics.metric import Metric
from howsure.metrics.spec import Spec, parse

__all__ = ["check_metric"]


def check_metric(metric: str | Spec | Metric) -> None:
    """Hold a metric to the laws on generic tables; pass in silence.

    The laws: tables on leading axes have the values and gradients of one table at a time; multiplying all counts by a
    constant changes nothing; values stay in the range; the gradient is the derivative, and its sum weighted by the
    counts is zero (Euler); a table without a case has the value nan; averages do not depend on the order of classes.

    Parameters
    ----------
    metric : str, Spec or Metric
        A spec string, ``"f1@macro"``, ``"mine+weight=2"``; or a metric that was bound from one.

    Raises
    ------
    AssertionError
        If the metric breaks a law; the message names it.
    HowsureError
        If there is no such metric.

    Examples
    --------
    >>> import howsure.testing
    >>> howsure.testing.check_metric("fbeta+beta=2@macro")
    """
    spec = metric.spec if isinstance(metric, Metric) else metric if isinstance(metric, Spec) else parse(metric)
    if spec is None:
        message = "A contrast has the laws of the metric that it compares: check that one."
        raise AssertionError(message)
    for law, words in violations(spec):
        message = f"`{spec.text}` {words}. It breaks the law `{law.__name__}`."
        raise AssertionError(message)
