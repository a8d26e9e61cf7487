"""Curves of scores, and metrics along thresholds."""
