"""Learning algorithms: estimates over folds of a cross-validation, and over training runs."""
