"""Hypothesis tries the same examples in CI each time, so that a change is what makes it fail."""

import os

from hypothesis import settings

settings.register_profile("ci", derandomize=True, deadline=None)
if os.environ.get("CI"):
    settings.load_profile("ci")
