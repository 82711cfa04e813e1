"""Corpora of columns: evaluate() beside a bare C loop, and reading beside the bare parsers, in one run.

Each bar is a ratio of two times that are measured in turns, so that a busy machine disturbs both alike.
"""

from __future__ import annotations

import ctypes
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import orjson
import pyarrow.parquet
import segeval
from rich.console import Console
from rich.table import Table

import caesura as cs
from bench import human, race
from caesura.values.columns import Columns
from caesura.values.making import CorpusColumns
from caesura.values.strings import Strings

N_DOCUMENTS = 50_000
N_UNITS = 54
N_READ = 100_000
PEER_PAIRS = 100


def random_corpus(n_documents: int, coders: tuple[str, ...], rng: np.random.Generator) -> cs.Corpus:
    """Return codings of documents of 54 units with a boundary at each tenth position, as columns."""
    n = n_documents * len(coders)
    marked = rng.random((n, N_UNITS - 1)) < 0.1
    offsets = np.concatenate(([0], np.cumsum(marked.sum(axis=1)))).astype(np.int64)
    positions = (np.nonzero(marked)[1] + 1).astype(np.int64)
    columns = CorpusColumns(
        Columns(np.full(n, N_UNITS), offsets, positions),
        np.repeat(np.arange(n_documents), len(coders)),
        np.tile(np.arange(len(coders)), n_documents),
        Strings.of(f"d{i}" for i in range(n_documents)),
        Strings.of(coders),
    )
    return cs.Corpus.from_columns(columns)


def fresh(corpus: cs.Corpus) -> cs.Corpus:
    """Return the corpus without anything that was found and kept before."""
    return cs.Corpus(corpus.codings, corpus.document, corpus.coder, corpus.document_names, corpus.coder_names)


def compile_loop(folder: Path) -> ctypes.CDLL:
    """Compile bare.c."""
    library = folder / "bare.so"
    source = Path(__file__).with_name("bare.c")
    subprocess.run(["cc", "-O3", "-shared", "-fPIC", "-o", library, source], check=True)
    return ctypes.CDLL(str(library))


def add(table: Table, what: str, bar: str, ratio: float, ours: float, theirs: float) -> None:
    """Add one bar."""
    table.add_row(
        what, human(theirs), human(ours), f"{ratio:,.2f} ×" if ratio < 10 else f"{ratio:,.0f} ×", bar
    )


def evaluating(table: Table, folder: Path) -> None:
    """evaluate() against the bare loop and against segeval."""
    rng = np.random.default_rng(54)
    gold, mine = (random_corpus(N_DOCUMENTS, (name,), rng) for name in ("gold", "mine"))
    loop = compile_loop(folder).bare_b
    similar, compared = np.empty(N_DOCUMENTS, dtype=np.int64), np.empty(N_DOCUMENTS, dtype=np.int64)

    def pointer(array: np.ndarray) -> ctypes.c_void_p:
        return ctypes.c_void_p(array.ctypes.data)

    sides = [pointer(a) for c in (gold.codings, mine.codings) for a in (c.positions, c.offsets)]

    def bare() -> None:
        loop(*sides, ctypes.c_int64(N_DOCUMENTS), pointer(similar), pointer(compared))

    def ours(n_resamples: int) -> cs.Score:
        found = cs.evaluate(fresh(gold), fresh(mine), metrics=["B"], n_resamples=n_resamples, rng=1)
        return found["B"].micro

    bare()
    score = ours(0)
    assert float(score) == similar.sum() / compared.sum(), "the loop and evaluate() must agree"
    sample = [
        (gold.codings.segmentation(i).masses, mine.codings.segmentation(i).masses)
        for i in range(N_DOCUMENTS)
        if len(gold.codings.segmentation(i).positions) and len(mine.codings.segmentation(i).positions)
    ][:PEER_PAIRS]
    peer, least, plain, resampled = race(
        lambda: [segeval.boundary_similarity(*masses) for masses in sample],
        bare,
        lambda: ours(0),
        lambda: ours(999),
    )
    what = f"evaluate B, {N_DOCUMENTS:,} documents"
    add(table, f"{what}, against a bare C loop", "≤ 5", plain / least, plain, least)
    add(table, "  with 999 resamples", "≤ 100", resampled / least, resampled, least)
    per_pair = peer / len(sample)
    add(
        table,
        "  per pair, against segeval",
        "≥ 1,000",
        per_pair / (plain / N_DOCUMENTS),
        plain / N_DOCUMENTS,
        per_pair,
    )


def reading(table: Table, folder: Path) -> None:
    """cs.read against the bare parsers of the same files, and the memory of what was read."""
    corpus = random_corpus(N_READ, ("ann", "bob", "cy"), np.random.default_rng(3))
    parquet, lines = folder / "c.parquet", folder / "c.jsonl"
    cs.write(corpus, parquet)
    cs.write(corpus, lines)
    theirs, ours = race(lambda: pyarrow.parquet.read_table(parquet), lambda: cs.read(parquet))
    what = f"read {N_READ:,} documents × 3 coders"
    add(table, f"{what}: Parquet, against pyarrow", "≤ 3", ours / theirs, ours, theirs)

    def parse() -> list[object]:
        with lines.open("rb") as stream:
            return [orjson.loads(line) for line in stream]

    theirs, ours = race(parse, lambda: cs.read(lines))
    add(table, f"{what}: JSON Lines, against orjson", "≤ 3", ours / theirs, ours, theirs)
    read = cs.read(parquet)
    arrays = (read.document, read.coder, read.codings.n_units, read.codings.offsets, read.codings.positions)
    names = (read.document_names, read.coder_names)
    size = sum(a.nbytes for a in arrays) + sum(n.data.nbytes + n.offsets.nbytes for n in names)
    bytes_each = size / len(read)
    table.add_row("  bytes per coding, 5 boundaries", "", "", f"{bytes_each:.0f}", "≤ 200")


def main() -> None:
    """Print all bars."""
    console = Console(width=110, highlight=False)
    table = Table(title=f"caesura {cs.__version__}: corpora of columns")
    table.add_column("what")
    for column in ("peer", "caesura", "ratio", "bar"):
        table.add_column(column, justify="right")
    with tempfile.TemporaryDirectory() as name:
        evaluating(table, Path(name))
        reading(table, Path(name))
    console.print(table)


if __name__ == "__main__":
    main()
