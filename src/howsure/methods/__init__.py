"""Interval methods: settings that turn a metric and a table into an interval."""
