"""Fuzzing: seeded mutations of examples of formats, of specifications and of command lines.

``make fuzz`` runs it for minutes, ``python tests/fuzz/fuzz.py --seed 5 --cases 1`` runs one case again. Cases
run in a process with limits of time and memory. A failure is a traceback, a signal, a timeout, or a message
that is not one line; it is printed with its seed.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from pathlib import Path

SECONDS = 20
"""What a case may take."""

MEMORY = 4 * 2**30

BATCH = 100
"""Cases of one process: starting one takes longer than a case."""

PIECES = ("\x1b[31m", "\0", "\x9b", "\n", "\r", "\u202e", "\ufeff", "-1", "1e308", "1e400", "nan", "9" * 30,
          "0", '"', "'", "(", ")", "[", "{", "}", "<", ">", "&", "=", ",", "\t", "\ud800", "日本",
          "a" * 300)  # fmt: skip


def mutated(text: str, chance: random.Random) -> str:
    """Return a text with some pieces cut out, put in, doubled or swapped."""
    for _ in range(chance.randint(1, 4)):
        start = chance.randint(0, len(text))
        end = min(len(text), start + chance.randint(0, 8))
        piece = chance.choice(("", text[start:end] * 2, text[start:end][::-1], chance.choice(PIECES)))
        text = text[:start] + piece + text[end:]
    return text


def file_case(chance: random.Random, folder: Path) -> list[str]:
    """Write a mutated example of a format, and return a command that reads it."""
    from caesura.io.registry import FORMATS

    format = chance.choice([one for one in FORMATS.values() if one.example])
    path = folder / f"x{format.extensions[0]}"
    path.write_bytes(mutated(format.example, chance).encode("utf-8", "surrogatepass"))
    if format.example_beside:
        beside = mutated(format.example_beside, chance) if chance.random() < 0.3 else format.example_beside
        path.with_suffix(".txt").write_bytes(beside.encode("utf-8", "surrogatepass"))
    told = ["--from", format.name] if chance.random() < 0.7 else []
    return [chance.choice(("describe", "agree")), str(path), *told]


def specification_case(chance: random.Random, folder: Path) -> list[str]:
    """Return a command with a mutated specification of a metric or a segmenter."""
    from caesura.metrics.registry import METRICS
    from caesura.segmenters.registry import SEGMENTERS

    (folder / "x.txt").write_text("One is here.\nTwo is there.\nThree goes.\n", encoding="utf-8")
    (folder / "lines.txt").write_text("2 3 6\n4 4\n", encoding="utf-8")
    registry = chance.choice((METRICS, SEGMENTERS))
    spec = mutated(repr(chance.choice([*registry.values()])()), chance)
    if registry is METRICS:
        return ["score", str(folder / "lines.txt"), str(folder / "lines.txt"), "-m", spec]
    return ["segment", str(folder / "x.txt"), "-s", spec, "-o", str(folder / "out.jsonl")]


def command_case(chance: random.Random, folder: Path) -> list[str]:
    """Return a command with options at random, some of them mutated."""
    import click

    from caesura.cli import COMMANDS, group

    (folder / "lines.txt").write_text("2 3 6\n4 4\n", encoding="utf-8")
    name = chance.choice([one for one in COMMANDS if one not in ("demo", "reproduce")])
    command = group.get_command(click.Context(group), name)
    values = ("1", "0.5", "3s", "B", "csv", "json", "C99", "words", str(folder / "lines.txt"), *PIECES)
    line = [name, *[str(folder / "lines.txt")] * chance.randint(0, 2)]
    for option in chance.sample(command.params, min(len(command.params), chance.randint(0, 4))):
        # Pages are not shown, and no cluster is looked for.
        if isinstance(option, click.Option) and option.name not in (
            "opens",
            "engine",
            "resamples",
            "n_coders",
        ):
            line += [option.opts[0], *([] if option.is_flag else [mutated(chance.choice(values), chance)])]
    # No shell can hand over a NUL or a surrogate.
    return [part.replace("\0", "").encode(errors="replace").decode() for part in line]


CASES = (file_case, specification_case, command_case)


def fault_of(seed: int) -> str | None:
    """Run the case of a seed, and return what is wrong with its end."""
    from caesura import cli

    chance = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        line = chance.choice(CASES)(chance, Path(folder))
        out, err = io.StringIO(), io.StringIO()
        try:
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                code = cli.run(line)
        except BaseException:
            return f"{line}: {traceback.format_exc()}"
    lines = err.getvalue().splitlines()
    if code not in (0, 1, 2) or any(not text.isprintable() for text in lines):
        return f"{line}: exit {code}: {err.getvalue()!r}"
    if code and sum(not text.startswith("caesura: note: ") for text in lines) != 1:
        return f"{line}: exit {code}, not one line: {err.getvalue()!r}"
    return None


def run_batch(first: int, cases: int) -> None:
    """Run cases in this process, each within its time, and print the number of each before it runs."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    for seed in range(first, first + cases):
        print(f"seed {seed}", flush=True)
        signal.alarm(SECONDS)
        fault = fault_of(seed)
        signal.alarm(0)
        if fault:
            print(f"fault {fault}".replace("\n", "\n  "), flush=True)


def faults(first: int, cases: int) -> list[str]:
    """Run cases in processes of their own, and return what went wrong, each with its seed."""
    found: list[str] = []
    seed, stop = first, first + cases
    while seed < stop:
        command = [
            sys.executable,
            __file__,
            "--batch",
            "--seed",
            str(seed),
            "--cases",
            str(min(BATCH, stop - seed)),
        ]
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
        blocks = done.stdout.split("seed ")[1:]
        found += [f"seed {block}" for block in blocks if "\nfault " in block]
        if done.returncode:  # a signal, SIGALRM among them, or a fault of this file
            last = blocks[-1].strip() if blocks else "?"
            found.append(f"seed {last}: the process ended with {done.returncode}: {done.stderr[-800:]}")
        seed += len(blocks) or BATCH
    return found


def main() -> int:
    """Fuzz for some cases or some minutes; return 1 where something failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--cases", type=int, default=BATCH)
    parser.add_argument("--minutes", type=float, default=0.0)
    parser.add_argument("--batch", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.batch:
        run_batch(given.seed, given.cases)
        return 0
    end, seed, failed = time.monotonic() + 60 * given.minutes, given.seed, False
    while True:
        for fault in faults(seed, given.cases):
            failed = True
            print(fault, flush=True)
        seed += given.cases
        if time.monotonic() >= end:
            print(f"seeds {given.seed} to {seed - 1}: {'failures' if failed else 'nothing'} found")
            return int(failed)


if __name__ == "__main__":
    sys.exit(main())
