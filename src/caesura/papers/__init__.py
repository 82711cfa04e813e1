"""The papers: published facts and figures, recomputed, and the Stargazers codings."""

from caesura.papers.results import reproduce
from caesura.papers.stargazers import load_stargazers

__all__ = ["load_stargazers", "reproduce"]
