"""Automatic segmenters: a file per method, the registry of all, and what they share."""
