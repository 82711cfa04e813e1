"""The version, in one place for signatures and metadata."""

__version__ = "0.1.0"
