"""Planning: how many cases a study takes, and of which kind, before it is made."""
