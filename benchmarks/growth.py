"""Growth: seconds for 1, 4 and 16 times the work of every operation, and the exponent; linear is 1.

Work grows in documents, in coders × documents (a crowd in which each document has three of many coders), or
in boundaries (of one document). CPU seconds of one process; the best of several runs counts.
"""

from __future__ import annotations

import argparse
import gc
import json
import math
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table

import caesura as cs
from caesura.analyses.reporting import report
from caesura.simulation import sample_positions_many
from caesura.values.columns import Columns
from caesura.values.making import CorpusColumns
from caesura.values.strings import Strings
from caesura.values.units import Units

FACTORS = (1, 4, 16)
LIMIT = 1.15
"""Greatest exponent that counts as linear: sorting adds a logarithm, caches end."""
ENOUGH = 0.5
"""Runs shorter than this many seconds are repeated."""


def corpus(n_documents: int, n_coders: int, n_units: int, rate: float, *, pool: int = 0) -> cs.Corpus:
    """Return random codings; with a pool, each document has its own n_coders of that many coders."""
    rng = np.random.default_rng(n_documents + n_coders + n_units)
    n = n_documents * n_coders
    number = np.maximum(1, rng.binomial(n_units - 1, rate, size=n))
    owner, positions = sample_positions_many(np.full(n, n_units - 1), number, rng)
    offsets = np.searchsorted(owner, np.arange(n + 1))
    coder = np.tile(np.arange(n_coders), n_documents)
    if pool:
        first = rng.integers(pool, size=n_documents)
        coder = (np.repeat(first, n_coders) + coder * (pool // n_coders)) % pool
    columns = CorpusColumns(
        Columns(np.full(n, n_units), offsets, positions),
        np.repeat(np.arange(n_documents), n_coders),
        coder,
        Strings.of(f"d{i}" for i in range(n_documents)),
        Strings.of(f"c{i}" for i in range(max(pool, n_coders))),
    )
    return cs.Corpus.from_columns(columns)


def fresh(data: cs.Corpus) -> cs.Corpus:
    """Return the corpus without anything that was found and kept before."""
    return cs.Corpus(data.codings, data.document, data.coder, data.document_names, data.coder_names)


def with_texts(data: cs.Corpus) -> cs.Corpus:
    """Return the corpus with a text for every unit."""
    texts = {name: [f"unit {i}" for i in range(data.n_units(name))] for name in data.documents}
    return data.with_texts(texts)


def split(data: cs.Corpus) -> tuple[cs.Corpus, cs.Corpus]:
    """Return the codings of the first coder, and of the others."""
    first, *others = data.coders
    return data.select(coders=[first]), data.select(coders=others)


class Operation(NamedTuple):
    """What is measured: something made of so much work, and what is done with it."""

    name: str
    grows: str
    base: int
    make: Callable[[int], object]
    run: Callable[[object, Path], object]


def documents(n: int) -> cs.Corpus:
    """Three coders."""
    return corpus(n, 3, 54, 0.1)


def crowd(n: int) -> cs.Corpus:
    """Three of many coders for each document."""
    return corpus(n, 3, 54, 0.1, pool=max(6, n // 10))


def boundaries(n: int) -> cs.Corpus:
    """One document with n boundaries, three coders."""
    return corpus(1, 3, 10 * n, 0.1)


def scored(n: int) -> tuple[cs.Corpus, dict[str, list[float]]]:
    """Three coders, and a model's scores of every gap."""
    data, rng = documents(n), np.random.default_rng(n)
    return data, {name: rng.random(53).tolist() for name in data.documents}


def write_to(name: str, **options: str) -> Callable[[object, Path], object]:
    """Write a corpus to a new place."""

    def run(data: object, folder: Path) -> None:
        target = folder / f"{time.perf_counter_ns()}{name}"
        cs.write(data, target, **options)  # type: ignore[arg-type]

    return run


def read_from(extension: str) -> tuple[Callable[[int], object], Callable[[object, Path], object]]:
    """Return what writes a file of so many documents, and what reads it."""
    folder = Path(tempfile.mkdtemp(prefix="caesura-growth-"))

    def make(n: int) -> Path:
        path = folder / f"{n}{extension}"
        cs.write(documents(n), path)
        return path

    return make, lambda path, _: cs.read(path)  # type: ignore[arg-type]


def read_text(
    extension: str, content: Callable[[int], str]
) -> tuple[Callable[[int], object], Callable[[object, Path], object]]:
    """Return what writes a file that tools of others would, and what reads it."""
    folder = Path(tempfile.mkdtemp(prefix="caesura-growth-"))

    def make(n: int) -> Path:
        path = folder / f"{n}{extension}"
        path.write_text(content(n), encoding="utf-8")
        return path

    return make, lambda path, _: cs.read(path)  # type: ignore[arg-type]


def clock(seconds: int) -> str:
    """Return a time as subtitles show it."""
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02},000"


def subtitles(n: int) -> str:
    """Return n cues of two seconds."""
    return "".join(f"{i + 1}\n{clock(2 * i)} --> {clock(2 * i + 2)}\nLine {i}\n\n" for i in range(n))


def label_studio(n: int) -> str:
    """Return n tasks of ten sentences, two to a span."""
    text = "It rained all day. " * 10
    spans = [{"type": "labels", "value": {"start": 38 * i, "end": 38 * i + 38}} for i in range(5)]
    return json.dumps(
        [
            {"id": i, "data": {"text": text}, "annotations": [{"id": i, "completed_by": 1, "result": spans}]}
            for i in range(n)
        ]
    )


def marks(n: int) -> str:
    """Return a table of n sentences with the start marks of three coders."""
    rows = (
        f"{i + 1},Sentence number {i},{int(i % 7 == 0)},{int(i % 9 == 0)},{int(i % 8 == 0)}" for i in range(n)
    )
    return "\n".join(["unit,sentence,ann,bob,cat", *rows]) + "\n"


def in_characters(n: int) -> cs.Corpus:
    """Return 20 documents of n boundaries in all, whose units are characters."""
    data = corpus(20, 3, max(200, n // 6), 0.1)
    return data.with_spans(
        {name: Units.every(1, data.n_units(name), "characters") for name in data.documents}
    )


def project(data: object, _: Path) -> object:
    """Put characters on units of ten."""
    found: cs.Corpus = data  # type: ignore[assignment]
    target = {name: Units.every(10, units.end, "characters") for name, units in found.spans.items()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # it says what moved
        return found.onto(target)


def evaluate(data: object, _: Path) -> object:
    """One coder against two."""
    machine, people = split(fresh(data))  # type: ignore[arg-type]
    return cs.evaluate(people, machine, ["B", "WD"], n_resamples=99, rng=0)


def compare(data: object, _: Path) -> object:
    """One coder against two, with bounds and tests."""
    found = fresh(data)  # type: ignore[arg-type]
    return str(cs.compare(found, segmenters=[found.coders[0]], n_draws=5, n_resamples=99, rng=0))


def agreement(data: object, _: Path) -> object:
    """All coders, as a table."""
    return str(cs.agreement(fresh(data), n_resamples=99, rng=0))  # type: ignore[arg-type]


def compare_agreement(data: object, _: Path) -> object:
    """All coders with themselves, as a table."""
    return str(cs.compare_agreement(fresh(data), fresh(data), n_resamples=99, rng=0))  # type: ignore[arg-type]


OPERATIONS = (
    Operation("read JSON Lines", "documents", 8_000, *read_from(".jsonl")),
    Operation("read Parquet", "documents", 4_000, *read_from(".parquet")),
    Operation("read long table", "documents", 1_000, *read_from(".csv")),
    Operation("read segeval JSON", "documents", 1_000, *read_from(".json")),
    Operation("write JSON Lines", "documents", 2_000, documents, write_to(".jsonl")),
    Operation("read a table of marks", "units", 5_000, *read_text(".csv", marks)),
    Operation("read subtitles", "cues", 6_000, *read_text(".srt", subtitles)),
    Operation("read Label Studio", "documents", 500, *read_text(".json", label_studio)),
    Operation("project onto other units", "boundaries", 60_000, in_characters, project),
    Operation("write Parquet", "documents", 4_000, documents, write_to(".parquet")),
    Operation(
        "write a folder of texts",
        "documents",
        400,
        lambda n: with_texts(corpus(n, 1, 20, 0.1)),
        write_to("/", format="choi"),
    ),
    Operation(
        "convert JSON Lines to Parquet",
        "documents",
        8_000,
        read_from(".jsonl")[0],
        lambda path, folder: write_to(".parquet")(cs.read(path), folder),  # type: ignore[arg-type]
    ),
    Operation(
        "select documents one by one",
        "documents",
        500,
        documents,
        lambda data, _: [fresh_part(data, name) for name in data.documents],  # type: ignore[attr-defined]
    ),
    Operation("groups", "documents", 5_000, documents, lambda data, _: fresh(data).groups()),  # type: ignore[arg-type]
    Operation("groups of a crowd", "coders × documents", 500, crowd, lambda data, _: fresh(data).groups()),  # type: ignore[arg-type]
    Operation(
        "merge",
        "documents",
        5_000,
        documents,
        lambda data, _: cs.Corpus.merge(*split(fresh(data))),  # type: ignore[arg-type]
    ),
    Operation("evaluate", "documents", 5_000, documents, evaluate),
    Operation("evaluate", "boundaries", 20_000, boundaries, evaluate),
    Operation("compare", "documents", 1_000, documents, compare),
    Operation("compare", "boundaries", 5_000, boundaries, compare),
    Operation("agreement", "documents", 2_000, documents, agreement),
    Operation("agreement of a crowd", "coders × documents", 100, crowd, agreement),
    Operation("agreement of one document", "boundaries", 1_000, boundaries, agreement),
    Operation("agreements compared", "documents", 1_000, documents, compare_agreement),
    Operation(
        "plan",
        "documents",
        1_000,
        documents,
        lambda data, _: str(cs.plan(fresh(data), n_resamples=99, rng=0)),
    ),  # type: ignore[arg-type]
    Operation(
        "agreement by coders",
        "coders × coders",
        20,
        lambda n: corpus(4, int(math.sqrt(n) * 10), 54, 0.1),
        lambda data, _: cs.agreement(fresh(data), n_resamples=0).to_dict(),  # type: ignore[arg-type]
    ),
    Operation("describe", "documents", 1_000, documents, lambda data, _: str(cs.describe(fresh(data)))),  # type: ignore[arg-type]
    Operation("describe", "boundaries", 5_000, boundaries, lambda data, _: str(cs.describe(fresh(data)))),  # type: ignore[arg-type]
    Operation("consensus", "documents", 1_000, documents, lambda data, _: cs.consensus(fresh(data))),  # type: ignore[arg-type]
    Operation("consensus", "boundaries", 5_000, boundaries, lambda data, _: cs.consensus(fresh(data))),  # type: ignore[arg-type]
    Operation(
        "near consensus", "boundaries", 5_000, boundaries, lambda data, _: cs.consensus(fresh(data), n_t=2)
    ),  # type: ignore[arg-type]
    Operation("adjudicate", "documents", 1_000, documents, lambda data, _: cs.adjudicate(fresh(data))),  # type: ignore[arg-type]
    Operation("adjudicate", "boundaries", 5_000, boundaries, lambda data, _: cs.adjudicate(fresh(data))),  # type: ignore[arg-type]
    Operation("sweep", "documents", 500, scored, lambda data, _: cs.sweep(*data, rng=0)),  # type: ignore[misc]
    Operation(
        "report",
        "documents",
        2_000,
        documents,
        lambda data, _: report(fresh(data), n_resamples=99).to_html(),  # type: ignore[arg-type]
    ),
    Operation(
        "align, optimal, n_t = 1000",
        "boundaries",
        2_000,
        boundaries,
        lambda data, _: cs.align(*list(data["d0"].values())[:2], n_t=1000, method="optimal"),  # type: ignore[index]
    ),
    Operation(
        "draw an alignment",
        "boundaries",
        1_000,
        boundaries,
        lambda data, _: str(cs.align(*list(data["d0"].values())[:2])),  # type: ignore[index]
    ),
)


def fresh_part(data: object, name: str) -> cs.Corpus:
    """Select one document."""
    return data.select(documents=[name])  # type: ignore[attr-defined, no-any-return]


def measure(operation: Operation, size: int, folder: Path) -> float:
    """Return the best CPU seconds of the operation on so much work."""
    work = operation.make(size)
    best, spent = math.inf, 0.0
    gc.disable()  # as timeit does: what is measured is the work, not when it is interrupted
    for _ in range(5):
        start = time.process_time()
        operation.run(work, folder)
        seconds = time.process_time() - start
        best, spent = min(best, seconds), spent + seconds
        gc.collect()
        if spent > ENOUGH:
            break
    gc.enable()
    return best


def main() -> None:
    """Print seconds and exponents of all operations, or of those named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="parts of the names of operations; all if none is given")
    wanted = parser.parse_args().names
    table = Table(title=f"caesura {cs.__version__}: growth")
    for column in ("operation", "grows in", "from", *(f"{factor} ×" for factor in FACTORS), "exponent"):
        table.add_column(column, justify="left" if column in ("operation", "grows in") else "right")
    worst = 0.0
    with tempfile.TemporaryDirectory() as name:
        for operation in OPERATIONS:
            if wanted and not any(part in operation.name for part in wanted):
                continue
            measure(operation, operation.base, Path(name))  # imports what it needs
            seconds = [measure(operation, operation.base * factor, Path(name)) for factor in FACTORS]
            # The slope through all three, on logarithmic scales.
            exponent = float(np.polyfit(np.log(FACTORS), np.log(seconds), 1)[0])
            worst = max(worst, exponent)
            mark = "" if exponent <= LIMIT else " !"
            table.add_row(
                operation.name,
                operation.grows,
                f"{operation.base:,}",
                *(f"{second:.3f} s" for second in seconds),
                f"{exponent:.2f}{mark}",
            )
    Console(width=110, highlight=False).print(table)
    print(f"greatest exponent {worst:.2f}; linear is up to {LIMIT}")


if __name__ == "__main__":
    main()
