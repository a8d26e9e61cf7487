"""The parts that every method has: its class, its options, its registry, its intervals and their standard errors."""
