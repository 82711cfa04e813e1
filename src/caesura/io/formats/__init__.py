"""Formats: one file for each, with its shape, its way to a corpus and back, and its example."""
