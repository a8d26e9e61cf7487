"""Labels from annotators, models and imperfect references."""
