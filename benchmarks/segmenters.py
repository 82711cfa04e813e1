"""Segmenters beside each other and beside peers: time, memory, growth and quality, in one run.

Documents are Choi's where the data is at hand ($CAESURA_DATA or ../shared/data), and generated otherwise;
long texts are always generated. Every long run has a process of its own, so that its peak of memory is its
own. Times on short documents are with the stems of all words remembered, for all alike.
"""

from __future__ import annotations

import json
import math
import os
import re
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table

import caesura as cs
from caesura import kernel
from caesura.kernel import segmenting_python
from caesura.segmenters.text import CHOI_STOP_WORDS
from plain_c99 import counts, plain_c99

REPOSITORY = Path(__file__).resolve().parents[1]
DOCUMENTS = 40
BAR = 20
"""Least ratio of the plain C99's time to ours."""
LONG = (1_250, 2_500, 5_000)
LONG_SEGMENTS = 50
PATIENCE = 120
"""Seconds after which a run is stopped."""
ON_VECTORS = ("CVS", "KernelCPD", "SemanticChunker", "TreeSeg", "GraphSeg")
"""Segmenters that are measured on vectors, too: random ones of 256 numbers, as WordLlama's have."""

VECTOR_NUMBERS = 256
VECTORS = ", "
"""How the names of those end which are measured on them: 'CVS, vectors'."""

LIMITS = {"TextTiling": (5, 1.0), "U00": (5, 1.0), "BayesSeg": (5, 1.0)} | dict.fromkeys(ON_VECTORS, (5, 1.0))
"""Seconds and gigabytes within which 5,000 sentences are to be segmented."""
LIMITS_OF_ALL = (10, 2.0)
"""The same for every other segmenter."""


WORD = re.compile("[A-Za-z]+")
EMPTY = "empty"
"""What a unit without a word is for those who need one."""


class Document(NamedTuple):
    """A text and where its topics change."""

    units: list[str]
    reference: cs.Segmentation


# -------------------------------------------------------------------- texts


def word(number: int) -> str:
    """Return a made-up word of consonants and vowels."""
    found = ""
    for _ in range(3):
        number, consonant = divmod(number, 20)
        found += "bcdfghjklmnpqrstvwxz"[consonant] + "aeiou"[number % 5]
    return found + "n"


def generated(masses: Sequence[int], seed: int) -> Document:
    """Return a text whose segments each prefer forty words of their own to those that all share."""
    rng = np.random.default_rng(seed)
    units = []
    for mass in masses:
        own = rng.integers(0, 4_000, 40)
        for _ in range(mass):
            n_words = int(rng.integers(8, 25))
            common = rng.integers(0, 4_000, n_words)
            numbers = np.where(rng.random(n_words) < 0.3, rng.choice(own, n_words), common)
            units.append(" ".join(map(word, numbers.tolist())) + ".")
    return Document(units, cs.Segmentation.from_masses(list(masses)))


def documents() -> tuple[str, list[Document]]:
    """Return Choi's documents, every tenth of them, or ones like them."""
    folder = Path(os.environ.get("CAESURA_DATA") or REPOSITORY.parent / "shared" / "data")
    paths = sorted((folder / "choi_t3_11" / "ref").rglob("*.ref"))
    if paths:
        corpora = [cs.read(path, "choi") for path in paths[:: max(1, len(paths) // DOCUMENTS)]]
        found = [
            Document(list(corpus.units[name]), corpus[name, "reference"])
            for corpus in corpora
            for name in corpus.documents
        ]
        return "Choi's documents (3 to 11 sentences)", found
    rng = np.random.default_rng(0)
    found = [generated(rng.integers(3, 12, 10).tolist(), seed) for seed in range(DOCUMENTS)]
    return "generated documents of ten segments of 3 to 11 sentences", found


# -------------------------------------------------------------------- C99 beside itself


def best_seconds(call: Callable[[], object], rounds: int = 3) -> float:
    """Return the best CPU seconds of several runs."""
    times = []
    for _ in range(rounds):
        started = time.process_time()
        call()
        times.append(time.process_time() - started)
    return min(times)


def beside_itself(console: Console, title: str, found: Sequence[Document]) -> None:
    """Print C99 beside its plain version, which must give the same boundaries."""
    c99 = cs.segmenter("C99")
    wanted = [one.reference.n_segments for one in found]
    pairs = list(zip(found, wanted, strict=True))
    for one, k in pairs:
        ours, plain = list(c99(one.units, k).positions), plain_c99(one.units, k)
        if ours != plain:
            raise SystemExit(f"C99 has boundaries after {ours}, the plain version after {plain}")

    def with_kernel() -> None:
        for one, k in pairs:
            c99(one.units, k)

    def readable() -> None:
        compiled, kernel.active_segmenting = kernel.active_segmenting, segmenting_python
        try:
            with_kernel()
        finally:
            kernel.active_segmenting = compiled

    ours = best_seconds(with_kernel) / len(found)
    table = Table(title=f"C99, {len(found)} of {title}: the same boundaries in all", title_justify="left")
    for column in ("version", "ms a document", "ratio"):
        table.add_column(column, justify="left" if column == "version" else "right")
    table.add_row(f"caesura ({kernel.active_segmenting.NAME})", f"{1e3 * ours:.2f}", "1")
    rows = {
        "plain NumPy, cell by cell": best_seconds(lambda: [plain_c99(one.units, k) for one, k in pairs], 2),
        "caesura's readable kernel": best_seconds(readable, 2),
    }
    for name, seconds in rows.items():
        each = seconds / len(found)
        bar = f" (bar {BAR})" if name.startswith("plain") else ""
        table.add_row(name, f"{1e3 * each:.2f}", f"{each / ours:.1f} ×{bar}")
    console.print(table)


# -------------------------------------------------------------------- quality beside peers


def textsplit(one: Document, n_segments: int) -> cs.Segmentation:
    """Return what textsplit's greedy algorithm finds in the counts of terms."""
    from textsplit.algorithm import split_greedy

    splits = split_greedy(counts(one.units), max_splits=n_segments - 1).splits
    return cs.Segmentation.from_positions([int(split) for split in splits], len(one.units))


def nltk_texttiling(one: Document, n_segments: int) -> cs.Segmentation:
    """Return what NLTK's TextTiling finds, each unit a paragraph; it cannot be told a number of segments.

    It is given words alone: where it puts gaps back into the text it counts punctuation that stands by
    itself, as in Choi's files, as words, and would drift away from its own boundaries.
    """
    from nltk.tokenize.texttiling import TextTilingTokenizer

    tokenizer = TextTilingTokenizer(w=20, k=4, stopwords=sorted(CHOI_STOP_WORDS))
    words = [" ".join(WORD.findall(unit)).lower() or EMPTY for unit in one.units]
    tiles = tokenizer.tokenize("\n\n".join(words))
    n_units = [sum(1 for unit in tile.split("\n\n") if unit.strip()) for tile in tiles]
    return cs.Segmentation.from_masses([n for n in n_units if n])


def beside_peers(console: Console, title: str, found: Sequence[Document]) -> None:
    """Print quality and time of all on the same documents."""
    table = Table(title=f"{len(found)} of {title}: the number of segments is told", title_justify="left")
    for column in ("segmenter", "Pk", "B", "ms a document"):
        table.add_column(column, justify="left" if column == "segmenter" else "right")
    runs: dict[str, Callable[[Document, int], cs.Segmentation]] = {
        name: _ours(name) for name, cls in cs.SEGMENTERS.items() if not (cls.is_fitted or cls.asks_a_model)
    }
    runs |= {"textsplit (greedy)": textsplit, "NLTK TextTiling (chooses)": nltk_texttiling}
    for name, run in runs.items():
        try:
            hypotheses = [run(one, one.reference.n_segments) for one in found]
        except ImportError as error:
            table.add_row(name, f"not installed: {error}", "", "")
            continue
        started = time.process_time()
        for one in found:
            run(one, one.reference.n_segments)
        seconds = (time.process_time() - started) / len(found)
        pairs = list(zip(found, hypotheses, strict=True))
        pk = fmean(float(cs.pk(one.reference, hypothesis)) for one, hypothesis in pairs)
        b = fmean(float(cs.boundary_similarity(one.reference, hypothesis)) for one, hypothesis in pairs)
        table.add_row(name, f"{pk:.3f}", f"{b:.3f}", f"{1e3 * seconds:.2f}")
    console.print(table)


def _ours(name: str) -> Callable[[Document, int], cs.Segmentation]:
    segmenter = cs.segmenter(name)
    chance = {"rng": 0} if segmenter.is_random else {}
    return lambda one, n_segments: segmenter(one.units, n_segments, **chance)


# -------------------------------------------------------------------- long texts


class Run(NamedTuple):
    """What one run on a long text took."""

    seconds: float
    gigabytes: float


def long_text(n_units: int) -> Document:
    """Return a generated text of segments of about 25 sentences."""
    return generated([25] * (n_units // 25), seed=n_units)


def measure(name: str, n_units: int, n_segments: int | None) -> None:
    """Print the seconds and the peak of memory of one run in this process, as JSON."""
    units = long_text(n_units).units
    name, _, vectors = name.partition(VECTORS)
    segmenter = cs.segmenter(name)
    if vectors:
        rows = np.random.default_rng(0).normal(size=(n_units, VECTOR_NUMBERS))
        segmenter = cs.segmenter(name, vectors=rows)
    chance = {"rng": 0} if segmenter.is_random else {}
    started = time.process_time()
    segmenter(units, n_segments, **chance)
    seconds = time.process_time() - started
    print(json.dumps([seconds, peak_bytes() / 1e9]))


def peak_bytes() -> int:
    """Return the most memory that this process has had.

    On Linux from its own record: getrusage also has what its parent had when it started.
    """
    status = Path("/proc/self/status")
    if status.exists():
        return 1024 * int(re.search(r"VmHWM:\s+(\d+)", status.read_text())[1])  # type: ignore[index]
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # in bytes where there is no /proc


def in_its_own_process(name: str, n_units: int, n_segments: int | None) -> Run | str:
    """Return what a run takes, or why there is no such number."""
    command = [sys.executable, __file__, "--measure", name, str(n_units), str(n_segments or 0)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        return f"> {PATIENCE}"
    if done.returncode:
        print(done.stderr.strip().splitlines()[-1])  # such as the memory that it would take
        return "refused"
    return Run(*json.loads(done.stdout.splitlines()[-1]))


def long_texts(console: Console) -> None:
    """Print time, memory and growth of every segmenter on long texts."""
    for n_segments, said in ((LONG_SEGMENTS, f"{LONG_SEGMENTS} segments"), (None, "as many as it chooses")):
        title = f"generated texts of {', '.join(f'{n:,}' for n in LONG)} sentences, {said}"
        table = Table(title=title, title_justify="left")
        for column in ("segmenter", *(f"s, {n:,}" for n in LONG), "exponent", "peak GB", "bar"):
            table.add_column(column, justify="left" if column in ("segmenter", "bar") else "right")
        plain = [name for name, cls in cs.SEGMENTERS.items() if not (cls.is_fitted or cls.asks_a_model)]
        for name in (*plain, *(f"{name}{VECTORS}vectors" for name in ON_VECTORS)):
            runs = [in_its_own_process(name, n, n_segments) for n in LONG]
            table.add_row(name, *(_seconds(run) for run in runs), *_summary(name, runs))
        console.print(table)


def _seconds(run: Run | str) -> str:
    return run if isinstance(run, str) else f"{run.seconds:.2f}"


def _summary(name: str, runs: Sequence[Run | str]) -> tuple[str, str, str]:
    """Return the exponent of growth, the peak of memory, and whether the last run is within its limits."""
    before, last = runs[-2:]
    if isinstance(before, str) or isinstance(last, str):
        return "", "", "OVER"
    exponent = math.log2(max(last.seconds, 1e-9) / max(before.seconds, 1e-9))
    grows = f"{exponent:.1f}" if last.seconds > 0.05 else ""
    seconds, gigabytes = LIMITS.get(name.partition(VECTORS)[0], LIMITS_OF_ALL)
    is_within = last.seconds <= seconds and last.gigabytes <= gigabytes
    return (
        grows,
        f"{last.gigabytes:.2f}",
        f"{'within' if is_within else 'OVER'} {seconds} s, {gigabytes:g} GB",
    )


def main() -> None:
    """Print everything, or run the one measurement that is asked for."""
    if sys.argv[1:2] == ["--measure"]:
        name, n_units, n_segments = sys.argv[2:]
        measure(name, int(n_units), int(n_segments) or None)
        return
    console = Console(width=120)
    title, found = documents()
    beside_itself(console, title, found)
    beside_peers(console, title, found)
    long_texts(console)


if __name__ == "__main__":
    main()
