"""Designs: how the counts would vary if the study were repeated."""
