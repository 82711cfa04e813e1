"""The papers: published facts and figures, recomputed, and the Stargazers codings."""

from caesura.papers.reproduction import reproduce
from caesura.papers.stargazers import load_stargazers

__all__ = ["load_stargazers", "reproduce"]
