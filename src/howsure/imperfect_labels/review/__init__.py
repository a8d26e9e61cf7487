"""Reviews of recorded labels, some of which are wrong."""
