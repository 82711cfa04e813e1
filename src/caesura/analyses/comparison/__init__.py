"""Choosing the best segmenter: comparisons, bounds, tests and the tables of the result."""
