"""Chunkings of texts for retrieval, compared by evidence, blocks, sizes and vectors."""

from caesura.analyses.chunking.analysis import evaluate_chunks
from caesura.analyses.chunking.results import ChunkEvaluation, Chunking

__all__ = ["ChunkEvaluation", "Chunking", "evaluate_chunks"]
