"""Exact sums of named counts over documents: what every analysis adds up, in memory or streamed."""
