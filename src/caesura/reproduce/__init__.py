"""The papers' published numbers, recomputed and set beside what was printed."""
