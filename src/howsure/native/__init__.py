"""Kernels in compiled C, with NumPy counterparts that give the same numbers if the C library was not built."""
