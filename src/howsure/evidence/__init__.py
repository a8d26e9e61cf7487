"""Evidence that is not a plain table: scores without labels, and labels that a review found partly wrong."""
