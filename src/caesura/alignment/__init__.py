"""Boundary edit distance: the weights of edits, their counts, and the alignment that lists them."""

from caesura.alignment.alignment import Alignment, align
from caesura.alignment.edits import Addition, Match, Substitution, Transposition
from caesura.alignment.weights import Weights

__all__ = ["Addition", "Alignment", "Match", "Substitution", "Transposition", "Weights", "align"]
