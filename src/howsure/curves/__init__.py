"""Curves of scores, and metrics as functions of the threshold."""
