"""Tables of counts, with one final class for each kind of data."""
