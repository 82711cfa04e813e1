"""Boundary edit distance: the weights of edits, their counts, and the alignment that lists them."""

from caesura.alignment.alignment import Addition, Alignment, Match, Substitution, Transposition, align
from caesura.alignment.weights import Weights

__all__ = ["Addition", "Alignment", "Match", "Substitution", "Transposition", "Weights", "align"]
