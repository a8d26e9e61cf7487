"""Tables of counts, one class per kind of data."""
