"""Models compared with each other, with chance and over time."""
