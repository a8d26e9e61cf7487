"""Interval methods: each combines a metric and a table into an interval."""
