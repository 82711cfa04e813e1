"""File formats: one file per format, each reads, writes and recognizes; ``registry`` lists them once."""
