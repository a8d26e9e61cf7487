"""Intervals of areas under ROC curves."""
