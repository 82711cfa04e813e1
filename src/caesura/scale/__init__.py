"""Data larger than memory: batches of codings from files, counted as they pass and never held together."""
