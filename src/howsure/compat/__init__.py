"""The names of other packages."""
