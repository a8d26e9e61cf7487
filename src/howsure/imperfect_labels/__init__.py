"""Tables made from other evidence than plainly labelled cases: few labels, noisy labels, reviews, or scores alone."""
