"""Decision curves: the net benefit of models along the threshold of a decision."""
