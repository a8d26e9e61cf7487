"""Threads and progress."""
