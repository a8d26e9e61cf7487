"""Labels that a review found partly wrong."""
