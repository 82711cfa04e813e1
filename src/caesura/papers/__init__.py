"""The papers: published facts and figures, recomputed."""

from caesura.papers.reproduction import reproduce

__all__ = ["reproduce"]
