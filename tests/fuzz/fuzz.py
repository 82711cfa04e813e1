"""Fuzzing: seeded mutations of files of every format, of parameters, and of command lines.

Cases run in processes with limits of time and memory. A failure is a traceback, a signal, a timeout, a
message of several lines, a metric outside its range, a file written that is refused or has a live formula.
With ``--atheris`` the lines that a case reaches choose the next one, instead of a seed.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import gzip
import io
import json
import math
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click
import pyarrow.parquet

SECONDS, MEMORY, BATCH = 20, 4 * 2**30, 100  # limits of a case; cases of one process, which is slow to start

NUMBERS = ("1e308", "-1", "1e400", "NaN", "9" * 30, "", "0", "0.5", "-0.0", "1e-320", "9007199254740993")
NAMES = ("\x1b[31m", "\0", "\x9b", "\n", "\u202e", "=cmd()", "@1", "'=1", "a" * 300, "A" * 5000, "", "..",
         "日本", "/", "a/b", "\ud800", "NaN", "XFD1048576")  # fmt: skip
PIECES = (*NUMBERS, *NAMES, *"\r\ufeff\"'()[{}<>&=,\t")
EXTREMES: tuple[Any, ...] = (
    0, 1, 2, 3, 0.5, 1.0, 1e308, 5e-324, 2**53, 0.1, "0.5 s", "3s", "corpus", None, True, -1,
    (1e308, 0), -0.0, math.inf, math.nan, 2**63, 10**400, "", "1" * 400 + "s", "\x1b[31m\n", (), [3], b"k",
)  # fmt: skip
CELLS = (None, -1, 2**53, -(2**63), 1e308, math.nan, b"\xff", "\x1b\n", "=1", "a" * 999, [-1], [[1]])
TEXTS = ("Cats purr and sleep.", "A cat sleeps.", "", "Ships sail far.", "The ship sails.", "\x1b[0m")
Step = list[str] | Callable[[], object]  # a command or a call


def mutated(text: str, chance: random.Random) -> str:
    """Return a text with some pieces cut out, put in, doubled or swapped."""
    for _ in range(chance.randint(1, 4)):
        start = chance.randint(0, len(text))
        end = min(len(text), start + chance.randint(0, 8))
        piece = chance.choice(("", text[start:end] * 2, text[start:end][::-1], chance.choice(PIECES)))
        text = text[:start] + piece + text[end:]
    return text


def with_extremes(text: str, chance: random.Random) -> str:
    """Return a text with a number or a name, or two, replaced by an extreme: most parsers still take it."""
    for _ in range(chance.randint(1, 2)):
        pattern, values = chance.choice(((r"-?\d+(\.\d+)?", NUMBERS), (r"[^\W\d]\w*", NAMES)))
        value = chance.choice(values)
        if values is NAMES and text.lstrip()[:1] in ("{", "["):
            value = json.dumps(value)[1:-1]
        matches = [*re.finditer(pattern, text)]
        if matches:
            match = chance.choice(matches)
            # Everywhere, too: a name that comes twice stays one name.
            start, end = chance.choice((match.span(), (0, len(text))))
            text = text[:start] + text[start:end].replace(match[0], value) + text[end:]
    return text


def packed(path: Path, chance: random.Random) -> Path:
    """Pack a file, or write a small table, as a binary format, with extremes in it and perhaps damaged."""
    import caesura as cs

    ending = chance.choice((f"{path.suffix}.gz", ".zip", ".xlsx", ".parquet"))
    target = path.with_name(f"packed{ending}")
    content = path.read_bytes()
    members = {path.name: content, f"a{chance.choice(NAMES)}/{path.name}": content}
    if ending.endswith(".gz"):
        target.write_bytes(gzip.compress(content))
    elif ending != ".zip":
        cs.write(cs.Corpus.from_dict({"ch1": {"ann": [2, 3], "bob": [5]}, "ch2": {"ann": [3, 2]}}), target)
    if ending == ".parquet":
        table = pyarrow.parquet.read_table(target)
        index = chance.randrange(table.num_columns)
        values = [chance.choice(CELLS)] * chance.randint(1, len(table))
        with contextlib.suppress(pyarrow.ArrowInvalid, pyarrow.ArrowTypeError):  # values of two types
            column = pyarrow.array(values + table.column(index).to_pylist()[len(values) :])
            pyarrow.parquet.write_table(table.set_column(index, table.column_names[index], column), target)
    elif ending == ".xlsx":
        with zipfile.ZipFile(target) as archive:
            members = {name: archive.read(name) for name in archive.namelist()}
        for name in [name for name in members if "sheet1" in name or "Strings" in name]:
            text = with_extremes(members[name].decode(), chance)
            far = r'r="XFD1048576"' if chance.random() < 0.3 else r"\g<0>"  # a cell far away: a large sheet
            members[name] = re.sub(r'r="[A-Z]+\d+"', far, text, count=1).encode(errors="replace")
    if ending in (".zip", ".xlsx"):
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in members.items():
                archive.writestr(name.encode(errors="replace").decode(), content)
    array = bytearray(target.read_bytes())
    for _ in range(max(0, chance.randint(-3, 3))):  # mostly near the end, where zip and Parquet have offsets
        start = max(0, len(array) - chance.randint(1, chance.choice((99, len(array) + 1))))
        array[start : start + chance.randint(0, 4)] = chance.choice((b"", b"\xff\xff", b"\0\0\0\0"))
    target.write_bytes(array)
    return target


def file_case(chance: random.Random, folder: Path) -> Iterator[Step]:
    """Yield commands that read a mutated example of a format; what is converted is read again."""
    import caesura as cs
    from caesura.io.registry import FORMATS

    format = chance.choice([format for format in FORMATS.values() if format.example])
    change = chance.choice((with_extremes, with_extremes, with_extremes, mutated))
    path = folder / f"x{format.extensions[0]}"
    path.write_bytes(change(format.example, chance).encode("utf-8", "surrogatepass"))
    if format.example_beside:
        beside = change(format.example_beside, chance) if chance.random() < 0.3 else format.example_beside
        path.with_suffix(".txt").write_bytes(beside.encode("utf-8", "surrogatepass"))
    options = [part for name, value in format.example_options.items() for part in (f"--{name}", value)]
    options += ["--from", format.name] if chance.random() < 0.7 else []
    if chance.random() < 0.3:
        path = packed(path, chance)
        options = [] if path.suffix in (".xlsx", ".parquet") else options
    yield [chance.choice(("describe", "agree", "consensus")), str(path), *options]
    out = folder / f"out.{chance.choice(('jsonl', 'csv', 'xlsx', 'parquet', 'json'))}"
    yield ["convert", str(path), str(out), *options]
    if out.suffix == ".csv" and out.exists():
        assert not re.search(r'(^|,)"?[=@]', out.read_text("utf-8"), re.MULTILINE), f"a formula: {options}"
    try:
        _ = out.exists() and cs.read(out)
    except cs.CaesuraError as error:
        raise AssertionError(f"{format.name} {options}: what was written is refused") from error


def call_case(chance: random.Random, folder: Path) -> Iterator[Step]:
    """Yield a call of a metric or a segmenter with extreme parameters on small data."""
    import caesura as cs

    cls: Any = chance.choice([*chance.choice((cs.METRICS, cs.SEGMENTERS)).values()])
    fields = dataclasses.fields(cls)
    texts = chance.choices(TEXTS, k=chance.randint(1, 9))
    n_segments = chance.choice((None, None, 1, 3, 2**53, -1, 0.5))
    corpus = cs.Corpus.from_dict({"d": {"ann": [len(texts)], "bob": [1] * len(texts)}}, units={"d": texts})
    given = {
        field.name: chance.choice(field.metadata["choices"] or EXTREMES[: chance.choice((10, 99))])
        for field in chance.sample(fields, min(len(fields), chance.randint(1, 3)))
    }

    def call() -> object:
        called = cls(**given)
        if cls in cs.SEGMENTERS.values():
            called = called.fit(corpus) if called.is_fitted else called
            return called(texts, n_segments, **{"rng": 1} if called.is_random else {})
        for pair in (([2, 3, 6], [2, 2, 7]), ([1], [1]), ([5], [1] * 5), ([10**15, 1], [10**15 + 1])):
            value = float(called(*pair))
            assert math.isnan(value) or called.low <= value <= called.high, f"{called}{pair} is {value}"
        return repr(cs.evaluate(corpus, references=["ann"], metrics=[called], n_resamples=20, rng=1))

    call.__doc__ = f"{cls.name} {given} {texts} {n_segments}"
    yield call


def command_case(chance: random.Random, folder: Path) -> Iterator[Step]:
    """Yield a command with options at random, some of them mutated."""
    import caesura as cs
    from caesura.cli import COMMANDS, group

    data = folder / "lines.txt"
    data.write_text("2 3 6\n4 4\n", encoding="utf-8")
    name = chance.choice([name for name in COMMANDS if name not in ("demo", "reproduce")])
    command = group.get_command(click.Context(group), name)
    spec = mutated(repr(chance.choice([*cs.METRICS.values(), *cs.SEGMENTERS.values()])()), chance)
    values = (*["1", "0.5", "3s", "B", "csv", "json", "C99", "words"], spec, str(data), *PIECES)
    line = [name, *[str(data)] * chance.randint(0, 2)]
    # No page, no cluster, no large number of draws.
    unasked = ("opens", "engine", "resamples", "n_resamples", "n_coders")
    for option in chance.sample(command.params, min(len(command.params), chance.randint(0, 4))):
        if isinstance(option, click.Option) and option.name not in unasked:
            value = chance.choice((str, lambda text: mutated(text, chance)))(chance.choice(values))
            line += [option.opts[0], *([] if option.is_flag else [value])]
    # No shell can hand over a NUL or a surrogate.
    yield [part.replace("\0", "").encode(errors="replace").decode() for part in line]


CASES = (file_case, file_case, call_case, command_case)


def fault_in(step: Step) -> str | None:
    """Run a command or a call, and return what is wrong with its end."""
    from caesura import CaesuraError, cli

    shown = step if isinstance(step, list) else step.__doc__
    err, code = io.StringIO(), 0
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(err):
            code = cli.run(step) if isinstance(step, list) else bool(step()) * 0
    except CaesuraError as error:
        code = 1
        err.write(f"{error}\n")
    except BaseException:
        return f"{shown}: {traceback.format_exc()}"
    lines = err.getvalue().split("\n")[:-1]
    n_errors = sum(not line.startswith("caesura: note: ") for line in lines) if code else 1
    is_right = code in (0, 1, 2) and n_errors == 1 and all(map(str.isprintable, lines))
    return None if is_right else f"{shown}: exit {code}: {err.getvalue()!r}"


def fault_of(chance: random.Random) -> str | None:
    """Run a case, and return the first fault in it."""
    with tempfile.TemporaryDirectory() as name, contextlib.chdir(name), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", RuntimeWarning)  # NumPy's, of overflows
        try:
            return next(filter(None, map(fault_in, chance.choice(CASES)(chance, Path(name)))), None)
        except Exception:
            return traceback.format_exc()


def run_batch(seeds: range) -> int:
    """Run cases in this process, each within its time, and print the number of each before it runs."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    for seed in seeds:
        print(f"seed {seed}", flush=True)
        signal.alarm(SECONDS)
        fault = fault_of(random.Random(seed)) or ""
        print(f"fault {fault}".replace("\n", "\n  ").encode(errors="replace").decode() if fault else "")
    return signal.alarm(0) * 0


def faults(seed: int, stop: int) -> Iterator[str]:
    """Run cases in processes of their own, and yield what went wrong, each with its seed."""
    while seed < stop:
        numbers = (f"--seed={seed}", f"--cases={min(BATCH, stop - seed)}")
        command = (sys.executable, __file__, "--batch", *numbers)
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
        blocks = re.split(r"^seed ", done.stdout, flags=re.MULTILINE)[1:]
        yield from (f"seed {block}" for block in blocks if "\nfault " in block)
        if done.returncode:  # a signal, SIGALRM among them, or a fault of this file
            yield f"seed {''.join(blocks[-1:])}: the process ended with {done.returncode}: {done.stderr}"
        seed += len(blocks) or BATCH


def run_atheris(arguments: list[str]) -> None:
    """Let atheris write cases that reach new lines; it ends with the first fault, and prints it."""
    import atheris

    def attempt(content: bytes) -> None:
        chance, stream = random.Random(), io.BytesIO(content)
        bits = lambda k: int.from_bytes(stream.read((k + 7) // 8), "little") % 2**k  # noqa: E731
        vars(chance).update(getrandbits=bits, random=lambda: bits(16) / 2**16)  # the bytes are the chance
        assert not (fault := fault_of(chance)), fault

    with atheris.instrument_imports(include=["caesura"]):
        from caesura import cli, metrics, segmenters  # noqa: F401
        from caesura.io import registry  # noqa: F401
    atheris.Setup([__file__, f"-timeout={SECONDS}", f"-rss_limit_mb={MEMORY >> 20}", *arguments], attempt)
    atheris.Fuzz()


def main() -> int:
    """Fuzz for some cases or some minutes; return 1 where something failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name, default in {"--seed": 0, "--cases": BATCH, "--minutes": 0.0}.items():
        parser.add_argument(name, type=type(default), default=default)
    parser.add_argument("--batch", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--atheris", action="store_true", help="the options after it are libFuzzer's")
    given, rest = parser.parse_known_args()
    if given.atheris:
        run_atheris(rest)
    if given.batch:
        return run_batch(range(given.seed, given.seed + given.cases))
    end, seed, n_faults = time.monotonic() + 60 * given.minutes, given.seed, 0
    while seed == given.seed or time.monotonic() < end:
        for fault in faults(seed, seed + given.cases):
            n_faults += 1
            print(fault, flush=True)
        seed += given.cases
    print(f"seeds {given.seed} to {seed - 1}: {n_faults} failures")
    return int(n_faults > 0)


if __name__ == "__main__":
    sys.exit(main())
