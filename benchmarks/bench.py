"""Speed side by side with segeval and NLTK: everything in one run, printed as ratios.

Peers get what their users give them (segeval masses, NLTK gap strings), caesura gets Segmentations. Peer and
caesura take turns and the best time of each counts, so that a busy machine disturbs both alike. Documents
have a boundary at each position with probability 1/10; the hypothesis moves a third of them by one position
and redraws a third.
"""

from __future__ import annotations

import importlib.util
import math
import random
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import timeit
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import segeval
from nltk.metrics.segmentation import pk as nltk_pk
from nltk.metrics.segmentation import windowdiff as nltk_windowdiff
from rich.console import Console
from rich.table import Table

import caesura as cs
from caesura import kernel
from caesura.alignment.packed import PackedPairs
from caesura.kernel import python

ROUNDS = 5
SECONDS_PER_ROUND = 0.05
LENGTHS = (54, 100, 1_000, 10_000, 1_000_000)
PAIRS = 100_000
PEER_PAIRS = 100
GATE_SECONDS = 0.5
LIMITED_API_COST, LIMITED_API_SECONDS, LIMITED_API_ROUNDS = 0.05, 0.01, 150
WORDS = [f"word{number}" for number in range(500)]
ROOT = Path(__file__).resolve().parent.parent


def race(*calls: Callable[[], object]) -> list[float]:
    """Return the best seconds per call of each, measured in turns."""
    best = [timeit.timeit(call, number=1) for call in calls]
    numbers = [max(1, int(SECONDS_PER_ROUND / seconds)) for seconds in best]
    for _ in range(ROUNDS if max(best) < 1 else 2):
        for i, (call, number) in enumerate(zip(calls, numbers, strict=True)):
            best[i] = min(best[i], timeit.timeit(call, number=number) / number)
    return best


def random_pair(n_units: int, rng: random.Random) -> tuple[cs.Segmentation, cs.Segmentation]:
    """Return a reference and a hypothesis that resembles it."""
    reference = [p for p in range(1, n_units) if rng.random() < 0.1]
    reference = reference or [n_units // 2]  # segeval fails without any boundary
    hypothesis = set()
    for position in reference:
        fate = rng.random()
        moved = position + rng.choice((-1, 1)) if fate < 1 / 3 else position
        if fate > 2 / 3:
            moved = rng.randrange(1, n_units)
        hypothesis.add(min(max(1, moved), n_units - 1))
    return (
        cs.Segmentation.from_positions(reference, n_units),
        cs.Segmentation.from_positions(sorted(hypothesis), n_units),
    )


def human(seconds: float) -> str:
    """Return a time with a readable unit."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def add_row(table: Table, name: str, n_units: int, peer: str, theirs: float, ours: float) -> None:
    """Add one comparison."""
    table.add_row(name, f"{n_units:,}", peer, human(theirs), human(ours), f"{theirs / ours:,.0f} ×")


@contextmanager
def kernels(**modules: ModuleType) -> Iterator[None]:
    """Use these kernels in place of the compiled ones."""
    before = {name: getattr(kernel, name) for name in modules}
    vars(kernel).update(modules)
    try:
        yield
    finally:
        vars(kernel).update(before)


def compare_lengths(table: Table) -> None:
    """B against segeval, WD and Pk against NLTK, by document length."""
    for n_units in LENGTHS:
        ref, hyp = random_pair(n_units, random.Random(n_units))
        masses = (ref.masses, hyp.masses)
        theirs, ours = race(
            lambda masses=masses: segeval.boundary_similarity(*masses),
            lambda ref=ref, hyp=hyp: cs.boundary_similarity(ref, hyp),
        )
        add_row(table, "B", n_units, "segeval", theirs, ours)
        with kernels(active=python):
            (readable,) = race(lambda ref=ref, hyp=hyp: cs.boundary_similarity(ref, hyp))
        add_row(table, "B, Python kernel", n_units, "segeval", theirs, readable)
        gaps = (ref.to_gaps(), hyp.to_gaps())
        k = cs.window_size(ref)
        for name, peer, function in (("WD", nltk_windowdiff, cs.window_diff), ("Pk", nltk_pk, cs.pk)):
            theirs, ours = race(
                lambda peer=peer, gaps=gaps, k=k: peer(*gaps, k),
                lambda function=function, ref=ref, hyp=hyp: function(ref, hyp),
            )
            add_row(table, name, n_units, "nltk", theirs, ours)


def compare_batch(table: Table) -> None:
    """B of many short pairs, per pair: from Segmentations, and from arrays that were packed before."""
    rng = random.Random(54)
    pairs = [random_pair(54, rng) for _ in range(PAIRS)]
    references, hypotheses = [ref for ref, _ in pairs], [hyp for _, hyp in pairs]
    sample = [(ref.masses, hyp.masses) for ref, hyp in pairs[:PEER_PAIRS]]
    packed = PackedPairs.of(references, hypotheses)
    metric = cs.metric("B")
    theirs, whole, inner = race(
        lambda: [segeval.boundary_similarity(*masses) for masses in sample],
        lambda: metric.batch(references, hypotheses).values,
        lambda: metric.over(packed).values,
    )
    add_row(table, f"B, {PAIRS:,} pairs", 54, "segeval", theirs / PEER_PAIRS, whole / PAIRS)
    add_row(table, "  packed before", 54, "segeval", theirs / PEER_PAIRS, inner / PAIRS)


def random_corpus(n_documents: int, n_coders: int, lengths: Sequence[int], rng: random.Random) -> cs.Corpus:
    """Return codings of documents whose lengths repeat the given ones."""
    codings: dict[str, dict[str, cs.Segmentation]] = {}
    for number in range(n_documents):
        n_units = lengths[number % len(lengths)]
        codings[f"d{number}"] = {
            f"c{coder}": cs.Segmentation.from_positions(
                [p for p in range(1, n_units) if rng.random() < 0.1] or [n_units // 2], n_units
            )
            for coder in range(n_coders)
        }
    return cs.Corpus.from_dict(codings)


def compare_agreement(table: Table) -> None:
    """π*_B without intervals: of a corpus like Moonstone (five groups), and of many documents."""
    rng = random.Random(27)
    chapters = (13, 38, 46, 111)
    parts = [random_corpus(4, n_coders, chapters, rng) for n_coders in (4, 6, 6, 6, 5)]
    moonstone = cs.Corpus.from_dict(
        {
            f"{number} {document}": {f"{number} {coder}": coding for coder, coding in part[document].items()}
            for number, part in enumerate(parts)
            for document in part.documents
        }
    )
    for name, corpus in (
        ("π*_B, 27 coders, 20 chapters", moonstone),
        ("π*_B, 5 coders, 1,000 documents", random_corpus(1000, 5, (50,), rng)),
    ):
        masses = [group.to_dict() for group in corpus.groups()]
        theirs, ours = race(
            lambda masses=masses: [
                segeval.fleiss_pi_linear(group, fnc_compare=segeval.boundary_similarity) for group in masses
            ],
            lambda corpus=corpus: cs.agreement(corpus, n_resamples=0),
        )
        n_units = sum(corpus.n_units(document) for document in corpus.documents)
        add_row(table, name, n_units, "segeval", theirs, ours)


def many_documents(console: Console) -> None:
    """Read and describe 100,000 documents with three coders each."""
    corpus = random_corpus(100_000, 3, (20, 30, 40), random.Random(3))
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/corpus.jsonl"
        cs.write(corpus, path)
        start = time.perf_counter()
        read = cs.read(path)
        seconds_read = time.perf_counter() - start
    start = time.perf_counter()
    cs.describe(read)
    seconds = time.perf_counter() - start
    console.print(f"100,000 documents × 3 coders: read in {seconds_read:.1f} s, described in {seconds:.1f} s")


def resampling(console: Console) -> None:
    """10,000 resamples of 1,000 documents with five segmenters: intervals, and all pairs tested."""
    rng = random.Random(5)
    people = random_corpus(1000, 1, (50,), rng)
    codings = {
        document: {
            **people[document],
            **{f"s{i}": random_pair(50, rng)[0] for i in range(5)},
        }
        for document in people.documents
    }
    names = [f"s{i}" for i in range(5)]
    start = time.perf_counter()
    cs.compare(
        cs.Corpus.from_dict(codings),
        segmenters=names,
        metrics=(),
        bounds=(),
        human=False,
        n_resamples=10_000,
        rng=1,
    )
    compared = time.perf_counter() - start
    console.print(
        f"5 segmenters × 1,000 documents: compared in {compared:.2f} s, with 10,000 resamples for intervals "
        "and for the randomization of all pairs"
    )


def cost_by_length(console: Console) -> None:
    """Ten boundaries in documents of 10³ and of 10¹² units."""
    for name, function in (("B", cs.boundary_similarity), ("WD", cs.window_diff), ("Pk", cs.pk)):
        calls = []
        for n_units in (10**3, 10**12):
            step = n_units // 11
            ref = cs.Segmentation.from_positions([step * i for i in range(1, 11)], n_units)
            hyp = cs.Segmentation.from_positions([step * i + i % 3 for i in range(1, 11)], n_units)
            calls.append(lambda ref=ref, hyp=hyp, function=function: function(ref, hyp))
        short, long = race(*calls)
        ratio = f"{long / short:.2f} ×"
        console.print(f"{name}, 10 boundaries: {human(short)} at 10³ units, {human(long)} at 10¹²: {ratio}")


def hierarchies(console: Console) -> None:
    """10,000 units with 1,000 reference ranks, against hypotheses with more and more ties."""
    rng = random.Random(10)
    n_units = 10_000
    words = [rng.randint(1, 40) for _ in range(n_units)]
    positions, others = (rng.sample(range(1, n_units), 1_000) for _ in range(2))
    reference = cs.Hierarchy.from_ranks({p: i for i, p in enumerate(positions, 1)}, n_units)
    variants: dict[str, dict[str, Any]] = {
        "plain": {"edges": "plain"},
        "wrap": {"edges": "wrap"},
        "padded": {"edges": "padded"},
        "wrap, words": {"edges": "wrap", "unit_sizes": words},
    }
    table = Table(
        title="10,000 units, 1,000 reference ranks: time, and how much faster than the Python kernel"
    )
    for column in ("hypothesis", *variants):
        table.add_column(column)
    for n_ranks in (1_000, 5, 1, 0):
        ranks = {p: i % n_ranks + 1 for i, p in enumerate(others)} if n_ranks else {}
        hypothesis = cs.Hierarchy.from_ranks(ranks, n_units)
        for name, function in (("E_Pk", cs.hierarchical_pk), ("E_WD", cs.hierarchical_window_diff)):
            cells = []
            for keywords in variants.values():
                call = partial(function, reference, hypothesis, **keywords)
                ours = min(timeit.repeat(call, number=1, repeat=ROUNDS))
                with kernels(active=python):
                    readable = min(timeit.repeat(call, number=1, repeat=2))
                cells.append(f"{human(ours)}, {readable / ours:.1f} ×")
            table.add_row(f"{name}, ranks: {n_ranks:,}", *cells)
    console.print(table)


def import_time(console: Console) -> None:
    """Importing the package in a fresh interpreter, against importing NumPy alone."""

    def seconds(statement: str) -> float:
        code = f"import time; t = time.perf_counter(); {statement}; print(time.perf_counter() - t)"
        return min(float(subprocess.check_output([sys.executable, "-c", code])) for _ in range(ROUNDS))

    ours, numpy = seconds("import caesura"), seconds("import numpy")
    console.print(f"import caesura: {human(ours)}, of which NumPy {human(numpy)}")


def gate_overhead(console: Console) -> None:
    """CPU seconds of ``caesura gate`` over 400 documents beyond importing NumPy and the command line."""
    code = "from caesura import cli; import sys; sys.exit(cli.run(sys.argv[1:]))"

    def seconds(*command: str) -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-c", *command], capture_output=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    with tempfile.TemporaryDirectory() as folder:
        gold, base, now, baseline = (
            f"{folder}/{name}" for name in ("g.jsonl", "b.jsonl", "n.jsonl", "b.json")
        )
        for path, coder, last in ((gold, "ann", [4, 4]), (base, "system", [4, 4]), (now, "system", [3, 5])):
            codings = {f"d{i}": {coder: last if i % 2 else [4, 4]} for i in range(400)}
            cs.write(cs.Corpus.from_dict(codings), path)
        seconds(code, "gate", gold, base, "--baseline", baseline, "--update")
        command = code, "gate", gold, now, "--baseline", baseline, "--max-drop", "B=0.9"
        took = min(seconds(*command) - seconds("import numpy, caesura.cli") for _ in range(ROUNDS))
    is_met = "met" if took < GATE_SECONDS else "NOT MET"
    console.print(f"caesura gate, 400 documents: {human(took)} (bar: {human(GATE_SECONDS)}: {is_met})")


def built(folder: str, *, is_limited: bool) -> dict[str, ModuleType]:
    """Compile a copy of the kernels, with the limited API or without, and load them beside those in use."""
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, folder)
    no_builds = shutil.ignore_patterns("*.so", "*.c", "__pycache__")
    shutil.copytree(ROOT / "src", f"{folder}/src", ignore=no_builds)
    settings = Path(folder, "pyproject.toml")
    if not is_limited:
        lines = settings.read_text("utf-8").splitlines(keepends=True)
        rest = [line for line in lines if not line.startswith(("py-limited-api", "define-macros"))]
        assert len(lines) - len(rest) == 2 * len(kernel.COMPILED)
        settings.write_text("".join(rest), "utf-8")
    command = [sys.executable, "-c", "import setuptools; setuptools.setup()", "-q", "build_ext", "--inplace"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    modules = {}
    for active, name in zip(kernel.__all__, sorted(kernel.COMPILED), strict=True):
        (path,) = Path(folder, "src", "caesura", "kernel").glob(f"{name}.*.so")
        assert (".abi3." in path.name) == is_limited
        spec = importlib.util.spec_from_file_location(f"{Path(folder).name}.{name}", path)
        assert spec is not None
        assert spec.loader is not None
        modules[active] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(modules[active])
    return modules


def limited_api(console: Console) -> None:
    """The same calls, in CPU seconds, with kernels of the limited API and of the full one."""
    calls: dict[str, Callable[[], object]] = {}
    for n_units in (54, 1_000, 100_000):
        ref, hyp = random_pair(n_units, random.Random(n_units))
        for name, function in (("B", cs.boundary_similarity), ("WD", cs.window_diff)):
            calls[f"{name}, {n_units:,} units"] = partial(function, ref, hyp)
    rng = random.Random(1)
    pairs = PackedPairs.of(*zip(*(random_pair(54, rng) for _ in range(10_000)), strict=True))
    calls["B, 10,000 pairs of 54 units"] = lambda: cs.metric("B").over(pairs).values
    corpus = random_corpus(200, 5, (50,), rng)
    calls["π*_B, 5 coders, 200 documents"] = partial(cs.agreement, corpus, n_resamples=0)
    sentences = [" ".join(rng.choices(WORDS, k=12)) for _ in range(300)]
    calls["C99, 300 sentences"] = partial(cs.segmenter("C99"), sentences)
    table = Table(title=f"kernels of the limited API; bar: at most {LIMITED_API_COST:.0%} more time")
    for column in ("per call", "full API", "limited API", "ratio"):
        table.add_column(column, justify="left" if column == "per call" else "right")
    ratios = []
    with tempfile.TemporaryDirectory() as full, tempfile.TemporaryDirectory() as limited:
        ways = [built(full, is_limited=False), built(limited, is_limited=True)]
        for name, call in calls.items():
            times = dict.fromkeys((0, 1), math.inf)
            number = max(1, int(LIMITED_API_SECONDS / timeit.timeit(call, number=1)))
            for turn in range(2 * LIMITED_API_ROUNDS):
                with kernels(**ways[turn % 2]):
                    took = timeit.timeit(call, number=number, timer=time.process_time) / number
                    times[turn % 2] = min(times[turn % 2], took)
            ratios.append(times[1] / times[0])
            table.add_row(name, human(times[0]), human(times[1]), f"{ratios[-1]:.3f} ×")
    mean = statistics.geometric_mean(ratios)
    is_met = "met" if mean <= 1 + LIMITED_API_COST else "NOT MET"
    table.add_row("geometric mean", "", "", f"{mean:.3f} ×: {is_met}")
    console.print(table)


def main() -> None:
    """Run all comparisons."""
    console = Console(width=100, highlight=False)
    table = Table(title=f"caesura {cs.__version__} ({kernel.active.NAME} kernel) against segeval and NLTK")
    table.add_column("per call")
    table.add_column("units", justify="right")
    table.add_column("peer")
    for column in ("peer's time", "caesura", "ratio"):
        table.add_column(column, justify="right")
    compare_lengths(table)
    compare_batch(table)
    compare_agreement(table)
    console.print(table)
    cost_by_length(console)
    many_documents(console)
    resampling(console)
    hierarchies(console)
    import_time(console)
    gate_overhead(console)
    limited_api(console)


if __name__ == "__main__":
    main()
