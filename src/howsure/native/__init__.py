"""What is computed by compiled C where it was built, and by NumPy, to the same numbers, where it was not."""
