"""Two metrics together, statements about several metrics, and thresholds with a guarantee."""
