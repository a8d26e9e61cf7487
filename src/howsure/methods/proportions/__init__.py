"""Intervals of proportions: one, paired, independent, stratified, and at a threshold."""
