"""Intervals from the empirical likelihood along the path of least favourable tables."""
