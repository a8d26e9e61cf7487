"""Tables of counts: one final class for each kind of data."""
