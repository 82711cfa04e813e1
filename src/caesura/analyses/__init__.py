"""The analyses: from corpora to results."""
