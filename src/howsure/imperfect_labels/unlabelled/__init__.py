"""Estimates from scores without labels."""
