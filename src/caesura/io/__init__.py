"""File formats: one file per format, each reads, writes and recognises; ``registry`` lists them once."""
