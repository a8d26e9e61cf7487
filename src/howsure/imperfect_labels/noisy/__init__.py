"""Labels with errors: those of judges, annotators, models and imperfect references."""
