"""Methods that combine the intervals of other methods."""
