"""Differences of metrics between groups, with simultaneous intervals."""
