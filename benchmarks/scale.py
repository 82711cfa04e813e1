"""Streaming evaluate() beside a bare C loop and reader: its threads, its memory, and Dask.

Every measurement is a process of its own, which does one thing and says what it took. Those that are divided
by each other are run in turns, and the best of each counts, so that a busy machine disturbs both alike. On
one core CPU seconds count, of two threads or two workers the time on the clock. Corpora are simulated,
references and one segmenter, straight to Parquet; the same rows are also written in random order, as two
files and as JSON Lines. ``--old`` names the sources of another version, which is measured on the same files.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow.compute
import pyarrow.parquet
from rich.console import Console
from rich.table import Table

import caesura as cs
from caesura.cli.simulate import write_simulated
from caesura.simulation import Simulation

N_UNITS = 54
REFERENCE, SEGMENTER = "reference", "c1"
COLUMNS = ["document", "coder", "n_units", "positions"]
LIMIT_MB = 600
ANY_ORDER_MB = 700
ROUNDS = 3
LIBRARY = "bare.so"
WARM = 200_000
"""Documents of a file that is read before anything is measured: a whole piece, so that memory is there."""


class Took(NamedTuple):
    """What a measurement took."""

    seconds: float
    cpu: float
    peak_mb: float
    score: float


# -------------------------------------------------------------------- what children do


def bare(path: str, folder: str) -> tuple[float, float, float]:
    """Read the columns with pyarrow, and run the C loop over packed arrays; packing itself is not counted."""
    loop = ctypes.CDLL(f"{folder}/{LIBRARY}")
    file = pyarrow.parquet.ParquetFile(path, read_dictionary=["coder"])
    seconds = cpu = 0.0
    totals = np.zeros(2, dtype=np.int64)
    for group in range(file.num_row_groups):
        start, cpu_start = time.perf_counter(), time.process_time()
        table = file.read_row_group(group, COLUMNS, use_threads=False)
        seconds, cpu = seconds + time.perf_counter() - start, cpu + time.process_time() - cpu_start
        for batch in table.to_batches():
            run, counts = packed(batch.column("positions"), loop)
            start, cpu_start = time.perf_counter(), time.process_time()
            run()
            seconds, cpu = seconds + time.perf_counter() - start, cpu + time.process_time() - cpu_start
            totals += counts.sum(axis=1)
    return seconds, cpu, float(totals[0] / totals[1])


def packed(positions: Any, loop: ctypes.CDLL) -> tuple[Callable[[], None], np.ndarray]:
    """Return the loop over the pairs of a batch, whose rows are in turns, and the counts that it fills."""
    numbers = positions.values.to_numpy()
    offsets = np.asarray(positions.offsets).astype(np.int64)
    n_pairs = len(positions) // 2
    arrays = []
    for side in (0, 1):
        starts, ends = offsets[side:-1:2], offsets[side + 1 :: 2]
        own = np.concatenate(([0], np.cumsum(ends - starts)))
        where = np.arange(own[-1]) + np.repeat(starts - own[:-1], ends - starts)
        arrays += [numbers[where], own]
    counts = np.empty((2, n_pairs), dtype=np.int64)

    def pointer(array: np.ndarray) -> ctypes.c_void_p:
        return ctypes.c_void_p(array.ctypes.data)

    def run() -> None:
        loop.bare_b(*map(pointer, arrays), ctypes.c_int64(n_pairs), pointer(counts[0]), pointer(counts[1]))

    return run, counts


def stream(path: str, engine: Any, n_resamples: int) -> float:
    """Evaluate a scan, or two in a folder, and return the micro-average."""
    people = machine = cs.scan(path)
    if Path(path).is_dir():
        people, machine = (cs.scan(f"{path}/{name}.parquet") for name in (REFERENCE, SEGMENTER))
    result = cs.evaluate(
        people.select(coders=[REFERENCE]),
        machine.select(coders=[SEGMENTER]),
        metrics=["B"],
        n_resamples=n_resamples,
        engine=engine,
        **({"bootstrap": "poisson", "rng": 1} if n_resamples else {}),
    )
    return float(result["B"].micro)


def child(what: str, path: str, folder: str, n_resamples: int) -> Took:
    """Do one thing and measure it, once everything is imported."""
    warm = f"{folder}/{WARM}.parquet"
    if what == "bare":
        bare(warm, folder)
        seconds, cpu, score = bare(path, folder)
        return Took(seconds, cpu, peak_mb(), score)
    if what == "dask":
        from distributed import Client, LocalCluster

        cluster = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)
        with cluster, Client(cluster) as client:
            client.run(stream, warm, 1, 0)
            stream(warm, client, 0)
            return timed(lambda: stream(path, client, n_resamples))
    if what == "convert":
        from caesura.scale.converting import convert

        return timed(lambda: float(convert(path, f"{folder}/converted.parquet").n_codings) * 0)
    stream(warm, int(what), 0)
    return timed(lambda: stream(path, int(what), n_resamples))


def timed(call: Callable[[], float]) -> Took:
    """Measure a call."""
    start, cpu_start = time.perf_counter(), time.process_time()
    score = call()
    return Took(time.perf_counter() - start, time.process_time() - cpu_start, peak_mb(), score)


def peak_mb() -> float:
    """Return the most memory that this process has held, in millions of bytes."""
    with open("/proc/self/status") as status:
        line = next(line for line in status if line.startswith("VmHWM"))
    return int(line.split()[1]) * 1024 / 1e6


# -------------------------------------------------------------------- measuring


class Bench:
    """Runs children and keeps the best of each."""

    def __init__(self, folder: Path, n_resamples: int, old: str | None) -> None:
        self._folder, self._n_resamples, self.old = folder, n_resamples, old
        source = Path(__file__).with_name("bare.c")
        subprocess.run(["cc", "-O3", "-shared", "-fPIC", "-o", folder / LIBRARY, source], check=True)
        self.simulate(WARM)

    def simulate(self, n_documents: int) -> tuple[Path, float]:
        """Write a corpus, and return how many documents a second that was."""
        path = self._folder / f"{n_documents}.parquet"
        start = time.perf_counter()
        plan = Simulation(
            n_documents, 1, n_units=N_UNITS, mean_segment=10, near_miss=0.1, full_miss=0.2, reference=True
        )
        write_simulated(plan, path, rng=1)
        return path, n_documents / (time.perf_counter() - start)

    def in_other_ways(self, path: Path) -> dict[str, Path]:
        """Write the rows of a corpus in random order, as two files, and as JSON Lines."""
        table = pyarrow.parquet.read_table(path)
        table = table.take(pyarrow.array(np.random.default_rng(1).permutation(len(table))))
        paths = {name: self._folder / name for name in ("random.parquet", "two", "random.jsonl")}
        paths["two"].mkdir()
        options = {"row_group_size": 2**18, "compression": "zstd"}
        pyarrow.parquet.write_table(table, paths["random.parquet"], **options)
        for coder in (REFERENCE, SEGMENTER):
            side = table.filter(pyarrow.compute.equal(table["coder"], coder))
            pyarrow.parquet.write_table(side, paths["two"] / f"{coder}.parquet", **options)
        with paths["random.jsonl"].open("w") as stream:
            for batch in table.to_batches():
                stream.writelines(f"{json.dumps(row)}\n" for row in batch.to_pylist())
        return paths

    def race(self, path: Path, *whats: str, rounds: int = ROUNDS) -> list[Took]:
        """Run children in turns; the least of each number counts, and all scores must be one."""
        best: dict[str, Took] = {}
        for _ in range(rounds):
            for what in whats:
                took = self._run(path, what)
                before = best.get(what, took)
                assert before.score == took.score
                best[what] = Took(
                    min(before.seconds, took.seconds),
                    min(before.cpu, took.cpu),
                    max(before.peak_mb, took.peak_mb),
                    took.score,
                )
        assert len({took.score for took in best.values()}) == 1, "all must give the same number"
        return [best[what] for what in whats]

    def _run(self, path: Path, what: str) -> Took:
        version, _, kind = what.rpartition(":")
        sources = {"PYTHONPATH": self.old} if version and self.old else {}
        command = [
            sys.executable,
            __file__,
            "--child",
            kind,
            str(path),
            str(self._folder),
            str(self._n_resamples),
        ]
        environment = {**os.environ, **sources}
        result = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env=environment)
        return Took(**json.loads(result.stdout.splitlines()[-1]))


def add(table: Table, what: str, value: str, bar: str, met: bool | None) -> None:
    """Add one bar."""
    table.add_row(what, value, bar, "" if met is None else "met" if met else "NOT MET")


def measure(bench: Bench, table: Table, sizes: list[int], rounds: int) -> None:
    """Print all bars."""
    middle = sizes[min(1, len(sizes) - 1)]
    paths = {}
    for size in sizes:
        paths[size], rate = bench.simulate(size)
        add(table, f"simulated to Parquet, {size:,} documents", f"{rate:,.0f} / s", "", None)
    least, one, two = bench.race(paths[sizes[-1]], "bare", "1", "2", rounds=rounds)
    share = least.cpu / one.cpu
    add(table, "one core, against bare loop and bare reading", f"{share:.0%}", "≥ 60 %", share >= 0.6)
    add(
        table,
        "two threads, against one",
        f"{one.seconds / two.seconds:.2f} ×",
        "≥ 1.7 ×",
        one.seconds >= 1.7 * two.seconds,
    )
    streams = {size: bench.race(paths[size], "1", rounds=1 if size > middle else 2)[0] for size in sizes}
    peaks = [took.peak_mb for took in streams.values()]
    costs = [took.cpu / size * 1e6 for size, took in streams.items()]
    for size, took in streams.items():
        hour = size / took.seconds * 3600
        add(
            table,
            f"  {size:,} documents: CPU per document, memory, documents per hour on one core",
            f"{took.cpu / size * 1e6:.2f} µs, {took.peak_mb:.0f} MB, {hour:.2g}",
            "",
            None,
        )
    add(table, "most memory", f"{max(peaks):.0f} MB", f"< {LIMIT_MB} MB", max(peaks) < LIMIT_MB)
    growth = max(peaks) / min(peaks)
    add(table, "most memory, largest against smallest", f"{growth:.2f} ×", "≤ 1.15 ×", growth <= 1.15)
    growth = max(costs) / min(costs)
    add(table, "CPU per document, largest against smallest", f"{growth:.2f} ×", "≤ 1.10 ×", growth <= 1.1)
    _measure_orders(bench, table, paths[sizes[0]], rounds)
    try:
        one, workers = bench.race(paths[middle], "1", "dask", rounds=min(2, rounds))
    except subprocess.CalledProcessError:
        add(table, "Dask, two workers", "did not run", "≥ 1.2 ×", False)
        return
    ratio = one.seconds / workers.seconds
    add(
        table,
        f"Dask, two workers, against one core, {middle:,} documents",
        f"{ratio:.2f} ×",
        "≥ 1.2 ×",
        ratio >= 1.2,
    )


def _measure_orders(bench: Bench, table: Table, path: Path, rounds: int) -> None:
    """Compare rows in other orders and files with grouped Parquet, and with another version."""
    grouped = bench.race(path, "2", rounds=rounds)[0]
    if bench.old:
        ours, old = bench.race(path, "2", "old:2", rounds=rounds)
        ratio = ours.seconds / old.seconds
        add(table, "grouped Parquet, against the other version", f"{ratio:.2f} ×", "≤ 1.10 ×", ratio <= 1.1)
    others = bench.in_other_ways(path)
    for name, other in others.items():
        took = bench.race(other, "2", rounds=rounds)[0]
        ratio = took.seconds / grouped.seconds
        limit = 6 if name.endswith("jsonl") else 4
        value = f"{ratio:.2f} ×, {took.peak_mb:.0f} MB"
        is_met = ratio <= limit and took.peak_mb < ANY_ORDER_MB
        add(table, f"{name}, against grouped", value, f"≤ {limit} ×, < {ANY_ORDER_MB} MB", is_met)
        if bench.old and name == "random.parquet":
            convert = bench.race(other, "old:convert", rounds=rounds)[0]
            ratio = took.seconds / (convert.seconds + grouped.seconds)
            add(table, "random order, against convert and score there", f"{ratio:.2f} ×", "< 1 ×", ratio < 1)


def main() -> None:
    """Measure, or be one of the processes that are measured."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--child", nargs=4, help=argparse.SUPPRESS)
    parser.add_argument(
        "--millions",
        nargs="+",
        type=float,
        default=[1, 4, 16],
        help="millions of documents (default: 1 4 16)",
    )
    parser.add_argument(
        "--resamples", type=int, default=0, help="resamples of the Poisson bootstrap (default: 0)"
    )
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="how often times are taken")
    parser.add_argument("--old", help="the sources of another version (its folder src) to compare with")
    parser.add_argument("--folder", help="where to put the files (default: a temporary folder)")
    options = parser.parse_args()
    if options.child:
        what, path, folder, n_resamples = options.child
        print(json.dumps(child(what, path, folder, int(n_resamples))._asdict()))
        return
    console = Console(width=120, highlight=False)
    cores = len(os.sched_getaffinity(0))
    table = Table(title=f"caesura {cs.__version__}: more than memory, on {cores} cores")
    table.add_column("what")
    for column in ("measured", "bar", ""):
        table.add_column(column, justify="right")
    sizes = [int(millions * 1e6) for millions in options.millions]
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        measure(Bench(Path(name), options.resamples, options.old), table, sizes, options.rounds)
    console.print(table)


if __name__ == "__main__":
    main()
