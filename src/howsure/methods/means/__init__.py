"""Intervals of means and quantiles of values."""
