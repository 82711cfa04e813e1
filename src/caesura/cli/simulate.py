"""caesura simulate: an artificial corpus, written to a file; Parquet in blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from secrets import randbits
from typing import Any

import click
import numpy as np

from caesura.arrays import IntArray, repeat
from caesura.checks import N_T, Seed
from caesura.cli.options import flag, option, output_option, seed_option, usage
from caesura.cli.output import write_corpus
from caesura.cli.reading import format_of, to_option
from caesura.cli.remarks import progress_bar, say_written
from caesura.errors import CorpusError, ParameterError
from caesura.io.files import PathLike
from caesura.io.formats import parquet
from caesura.io.layout import GROUPED, long_fields, write_layout
from caesura.simulation import Simulation
from caesura.values.arrow import coding_arrays, load_compute, load_pyarrow
from caesura.values.columns import Columns
from caesura.wording import counted

PROBABILITY, COUNT = click.FloatRange(0.0, 1.0), click.IntRange(min=1)


@click.command("simulate")
@output_option(required=True, help="File or new folder to write.", type=click.Path())
@option("--documents n_documents", COUNT, "Documents.", 10)
@option("--coders n_coders", COUNT, "Coders of each document.", 3)
@option("--units n_units", COUNT, "Units of each document.", 100)
@option("--mean-segment", click.FLOAT, "Mean segment size in units.", 6.0)
@option("--near-miss", PROBABILITY, "Probability that a coder moves a boundary.", 0.1)
@option("--full-miss", PROBABILITY, "Probability that a coder omits a boundary.", 0.2)
@option("-n --n-t", click.IntRange(min=2), "Near misses span fewer than this many positions.", N_T)
@option("--type types", "NAME", "A boundary type; repeatable.", multiple=True)
@option("--levels", COUNT, "Simulate hierarchies of this many levels.")
@option("--wrong-type", PROBABILITY, "Probability of a wrong type, or of a neighboring level.", 0.0)
@flag("--reference", help="Also write the true boundaries, as the coder reference.")
@seed_option(None, "Same seed, same corpus; default: a new one.")
@to_option
def command(
    output: str, types: tuple[str, ...], rng: int | None, target_format: str | None, **settings: Any
) -> None:
    """Simulate coders who miss some boundaries of random references.

    The model is that of Fournier (2013). Parquet output may be larger than memory.
    """
    seed = randbits(32) if rng is None else rng
    into = format_of(output, target_format)
    with usage((CorpusError, ParameterError)):
        plan = Simulation(types=types or None, **settings)
        corpus = None if into is parquet.FORMAT else plan.corpus(seed)
    if corpus is None:  # of any size
        with progress_bar("simulating") as advance:
            write_simulated(plan, output, rng=seed, advance=advance)
    else:
        write_corpus(corpus, output, target_format)
    documents, coders = plan.n_documents, len(plan.coders)
    counts = [counted(documents, "document"), counted(coders, "coder"), counted(documents * coders, "coding")]
    say_written(f"simulated with seed {seed}: {', '.join(counts)}", f"{output} ({into.name})")


def write_simulated(
    plan: Simulation, path: PathLike, *, rng: Seed = None, advance: Callable[[int, int], None] | None = None
) -> None:
    """Write the corpus of ``simulate`` with the same parameters and seed as a Parquet file.

    The file appears whole or not at all. Memory does not grow with the number of documents. ``advance`` is
    called with the numbers of documents written and in all.

    >>> import caesura as cs
    >>> from tempfile import TemporaryDirectory
    >>> parameters = dict(n_units=9, mean_segment=3, near_miss=0.1, full_miss=0.1)
    >>> with TemporaryDirectory() as folder:
    ...     write_simulated(Simulation(100, 2, **parameters), f"{folder}/x.parquet", rng=1)
    ...     corpus = cs.read(f"{folder}/x.parquet")
    >>> corpus["d100", "c2"] == cs.simulate(100, 2, **parameters, rng=1)["d100", "c2"]
    True
    """
    pyarrow = load_pyarrow("Parquet needs")
    fields = long_fields()
    if plan.type_scheme is None:
        del fields["types"]
    schema = pyarrow.schema(fields)

    def tables() -> Iterator[Any]:
        n_documents = 0
        for codings in plan.blocks(rng):
            n = len(codings) // len(plan.coders)
            names = _names(pyarrow, n_documents, n)
            yield _table(pyarrow, names, plan.coders, codings).select(schema.names)
            n_documents += n
            if advance is not None:
                advance(n_documents, plan.n_documents)

    write_layout(Path(path), tables(), schema, GROUPED, plan.type_scheme)


def _table(pyarrow: Any, names: Any, coders: tuple[str, ...], codings: Columns) -> Any:
    """Return the rows of a block."""

    def taken(array: Any, which: IntArray) -> Any:
        return array.take(pyarrow.array(which))

    columns = {
        "document": taken(names, repeat(np.arange(len(names)), len(coders))),
        "coder": taken(pyarrow.array(coders), np.tile(np.arange(len(coders)), len(names))),
    }
    # A block of plain types needs the columns of the others.
    with_types = Columns(codings.n_units, codings.offsets, codings.positions, codings.all_types)
    return pyarrow.table(columns | coding_arrays(with_types))


def _names(pyarrow: Any, before: int, n: int) -> Any:
    """Return the names of the next documents: d1, d2 ..."""
    numbers = pyarrow.array(np.arange(before + 1, before + n + 1)).cast(pyarrow.string())
    return load_compute().binary_join_element_wise("d", numbers, "")
