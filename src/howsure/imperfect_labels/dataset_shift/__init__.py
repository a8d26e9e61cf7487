"""Estimates for another population, with other class frequencies or other features."""
