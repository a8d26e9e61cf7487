"""Evidence that is not a plain table of cases: labels that may be wrong, and labels made by machines."""
