"""The laws of metrics, for tests of one's own."""

from __future__ import annotations

from howsure.metrics.laws import violations
from howsure.metrics.metric import Metric
from howsure.metrics.spec import Spec, parse

__all__ = ["check_metric"]


def check_metric(metric: str | Spec | Metric) -> None:
    """Check that a metric obeys the laws of metrics, on generic tables; return None if it does.

    Tables on leading axes have the same values and gradients as single tables. Multiplying all counts by a constant has
    no effect. Values stay in the range. The gradient equals the derivative, and its sum weighted by the counts is zero
    (Euler). An empty table has the value nan. Averages do not depend on the order of classes.

    Parameters
    ----------
    metric : str, Spec or Metric
        A spec string, ``"f1@macro"``, ``"mine+weight=2"``; or a metric bound from one.

    Raises
    ------
    AssertionError
        If the metric breaks a law, which the message names.
    HowsureError
        If the metric does not exist.

    Examples
    --------
    >>> import howsure.testing
    >>> howsure.testing.check_metric("fbeta+beta=2@macro")
    """
    spec = metric.spec if isinstance(metric, Metric) else metric if isinstance(metric, Spec) else parse(metric)
    if spec is None:
        raise AssertionError("A contrast has the laws of the metric that it compares: check that one.")
    for law, words in violations(spec):
        raise AssertionError(f"`{spec.text}` {words}. It breaks the law `{law.__name__}`.")
