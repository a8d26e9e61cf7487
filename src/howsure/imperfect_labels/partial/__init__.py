"""Labels of only some of the cases: two phases, samples to label, and their plans."""
