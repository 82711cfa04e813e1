"""Intervals and tests on arrays of numbers; nothing here knows a corpus."""
