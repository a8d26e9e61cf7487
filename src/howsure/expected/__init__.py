"""Counts that are expected rather than observed: cases whose true class is known by its probability only."""
