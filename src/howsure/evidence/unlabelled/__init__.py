"""Scores without labels."""
