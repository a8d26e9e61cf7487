"""Intervals from draws: bootstrap, jackknife, posterior, and predictions."""
