"""Planning: the number and the kind of cases that a study needs."""
