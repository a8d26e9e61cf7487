"""Logs of language-model evaluations, read as columns, tables and comparisons."""
