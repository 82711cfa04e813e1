"""The version, in one place for signatures and metadata."""

__version__ = "1.0.0"
