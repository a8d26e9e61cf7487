"""Intervals from the variance of a metric: delta, Fieller, and functions of two rates."""
