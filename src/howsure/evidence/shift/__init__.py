"""Another population: other class frequencies, or other kinds of cases."""
