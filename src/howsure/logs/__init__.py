"""Logs of evaluations of language models: what the harnesses write, as columns, tables and comparisons."""
