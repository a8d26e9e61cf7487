"""Metrics: functions from a table of counts to a number, their names and their averages."""
