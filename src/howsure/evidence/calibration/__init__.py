"""Scores made into probabilities, and tests of them."""
