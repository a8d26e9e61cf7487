"""Calibration of scores, and tests of calibration."""
