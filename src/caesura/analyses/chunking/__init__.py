"""Chunkings of texts for retrieval, compared by evidence, blocks, sizes and vectors."""

from caesura.analyses.chunking import words  # noqa: F401  (it registers how an evaluation is shown)
from caesura.analyses.chunking.analysis import evaluate_chunks
from caesura.analyses.chunking.results import ChunkEvaluation, Chunking

__all__ = ["ChunkEvaluation", "Chunking", "evaluate_chunks"]
