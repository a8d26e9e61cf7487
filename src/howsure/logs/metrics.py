"""Metrics of harnesses: their directions and aggregations."""

from __future__ import annotations

import re

LOWER = re.compile(
    r"perplexity|bits_per_byte|toxic|(^|_)(wer|cer|ter|mer)$|brier|(^|_)loss$|nll|error|latency|cost|bias_score|hallucination",
    re.IGNORECASE,
)
EXPONENTIAL = {"perplexity", "word_perplexity", "byte_perplexity", "weighted_perplexity"}  # exp of a mean log loss
BITS = {"bits_per_byte"}
PLACEHOLDERS = {"bypass"}  # of lm-evaluation-harness: placeholder for no score


def name_of(metric: str) -> str:
    """Return the name of a metric without its filter and scorer.

    Examples
    --------
    >>> name_of("exact_match,strict-match"), name_of("judge/facts")
    ('exact_match', 'facts')
    """
    return metric.partition(",")[0].rpartition("/")[2]


def better_by_name(metric: str) -> str:
    """Return ``"lower"`` for metrics known to be better if lower, else ``"higher"``.

    Examples
    --------
    >>> better_by_name("word_perplexity"), better_by_name("acc_norm"), better_by_name("cer")
    ('lower', 'higher', 'lower')
    """
    return "lower" if LOWER.search(name_of(metric)) else "higher"


def is_exponential(aggregation: str) -> bool:
    """Return whether an aggregation is the exponential of a mean log loss.

    Examples
    --------
    >>> is_exponential("perplexity"), is_exponential("weighted_perplexity"), is_exponential("mean")
    (True, True, False)
    """
    return aggregation in EXPONENTIAL
