"""Numerical parts: quantiles, binomial limits, bisection, and summaries of draws."""
