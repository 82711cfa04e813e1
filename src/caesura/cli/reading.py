"""How every command reads DATA: coders' names, formats, columns, units, rules."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import click

from caesura.analyses.roles import Coded
from caesura.checks import is_duration
from caesura.cli.options import Names, Option, Parsed, bundle, option, selection_options, usage
from caesura.cli.remarks import READING, Advance, echo, progress_bar, say_understood, understood
from caesura.errors import CorpusError, naming, unknown
from caesura.io.addresses import is_url
from caesura.io.base import Format
from caesura.io.files import PathLike, Source
from caesura.io.options import OPTIONS, ReadOptions
from caesura.io.reading import find_files, merge_files, read_files
from caesura.io.registry import find_format
from caesura.io.writing import format_to_write
from caesura.values.common_units import on_common_units
from caesura.values.corpus import Corpus
from caesura.values.units import BY, RULES, Rule
from caesura.wording import counted, listed

T = TypeVar("T")

MAX_NOTICES = 3
"""The most notices of readers to show."""

REFERENCE = ("reference", "gold")
"""Names for the first of DATA in --units."""

INCOMPLETE = "caesura.incomplete"
"""The key in a command's context if some DATA was skipped, so that the exit code is 1."""

MANY_FILES = 3
"""More files are described in one line."""


class Input(NamedTuple):
    """One of DATA: a file or folder, and a new name for its coder."""

    coder: str | None
    path: str

    @property
    def stem(self) -> str:
        """Its default name."""
        return Path(self.path).stem


@dataclass(frozen=True)
class Reading:
    """The options for reading DATA."""

    format: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    units: str | None = None
    rule: Rule = "nearest"
    coders: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()
    """Names or patterns of documents to read; empty: all."""

    @property
    def where(self) -> str:
        """Where coders are looked up, for messages."""
        return " in the documents of --document" if self.documents else ""

    @property
    def is_plain(self) -> bool:
        """Whether only a format of rows affects reading."""
        has_options = self.units is not None or any(self.options.values())
        return not has_options and self.format in (None, "jsonl", "parquet")

    def corpus(self, data: Sequence[str]) -> Corpus:
        """Read files and folders as one corpus on common units, with the selected coders and documents."""
        return self.selected([self._whole([split_name(argument) for argument in data])])[0]

    def selected(self, corpora: Sequence[Corpus]) -> list[Corpus]:
        """Select the named coders and documents in the corpora of DATA."""
        return [
            corpus.select(coders=coders, documents=documents)
            for corpus, coders, documents in zip(
                corpora,
                _divided(self.coders, [corpus.coders for corpus in corpora], "coder"),
                _divided(self.documents, [corpus.documents for corpus in corpora], "document"),
                strict=True,
            )
        ]

    def _whole(self, inputs: Sequence[Input]) -> Corpus:
        paths = [path for _, path in inputs]
        if self.units is None and not any(coder for coder, _ in inputs):
            corpus = self._read(paths, self._format)
            self.read_options.check_used(paths, str(corpus.metadata["format"]))
            _say(corpus)
            return corpus
        named = _as_one_document(self.corpora(inputs), inputs)
        merged = merge_files(list(zip(paths, self.put_on_units(named, inputs), strict=True)))
        source = ", ".join(str(corpus.metadata["source"]) for corpus in named)
        return merged.with_metadata({**merged.metadata, "format": _formats(named), "source": source})

    def corpora(self, inputs: Sequence[Input]) -> list[Corpus]:
        """Read each DATA separately, and rename its coder."""
        corpora = []
        for coder, path in inputs:
            corpus = self._read([path], self._format)
            _say(corpus)
            corpora.append(corpus if coder is None else _renamed(corpus, coder, path))
        self.read_options.check_used([path for _, path in inputs], _formats(corpora))
        return corpora

    def put_on_units(self, corpora: Sequence[Corpus], inputs: Sequence[Input]) -> list[Corpus]:
        """Move the corpora to the units of --units, and report the moves."""
        if self.units is None:
            return list(corpora)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # it repeats the lines below
            moved = on_common_units(corpora, self._target(corpora, inputs), self.rule)
        for (_, path), before, after in zip(inputs, corpora, moved, strict=True):
            if before is not after and not after.metadata["moves"].is_exact:
                understood(f"{path} on units of {self.units}: {after.metadata['moves']}")
        return moved

    def _target(self, corpora: Sequence[Corpus], inputs: Sequence[Input]) -> Corpus | str:
        units = self.units or ""
        if is_duration(units) or units in BY:
            return units
        for (coder, path), corpus in zip(inputs, corpora, strict=True):
            if units in (coder, path, path.rstrip("/"), Path(path).name, Path(path).stem):
                return corpus
        if units in REFERENCE:
            return corpora[0]
        if not Path(units).exists():
            raise click.UsageError(f"--units {units}: not a file, duration, one of DATA or {', '.join(BY)}")
        target = self._read_units(units)
        alone = {corpus.documents for corpus in corpora}
        if len(target.documents) == 1 and len(alone) == 1 and len(next(iter(alone))) == 1:
            # A text is named after its file; one text and one document are the same.
            return target.rename(documents={target.documents[0]: next(iter(alone))[0]})
        return target

    def _read_units(self, path: str) -> Corpus:
        """Read the file with the units, whose format may differ from --from."""
        try:
            return self._read([path], None)
        except CorpusError:
            if self._format is not None:
                with suppress(CorpusError):
                    return self._read([path], self._format)
            raise

    def _read(self, paths: Sequence[str], format: Format | None) -> Corpus:
        for path in filter(is_url, paths):
            raise click.UsageError(f"{path} is a URL: score, agree and describe stream it, convert copies it")
        files = [file for path in paths for file in find_files(path)]
        with progress_bar("reading") as advance, warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # it repeats the notices
            return read_files(_stepping(files, advance), format, ", ".join(paths), self.read_options)

    @functools.cached_property
    def _format(self) -> Format | None:
        return None if self.format is None else find_format(self.format)

    @functools.cached_property
    def read_options(self) -> ReadOptions:
        """The options of readers: one object for all DATA, because each option must apply to some of it."""
        path = self.options.get("text_of")
        with usage():
            original = path and replace(self, options={})._read_units(path)
            return ReadOptions(**{**self.options, "text_of": original})


def json_file(path: Path) -> Any:
    """Return the content of a JSON file that an option names."""
    with naming(path):
        return Source(path, path.stem).json


def split_name(argument: str) -> Input:
    """Split NAME=PATH; the path of an existing file is never split.

    >>> split_name("bayes=out/bayes"), split_name("out/a=b.json")
    (Input(coder='bayes', path='out/bayes'), Input(coder=None, path='out/a=b.json'))
    """
    name, sign, path = argument.partition("=")
    if not sign or not name or not path or "/" in name or Path(argument).exists():
        return Input(None, argument)
    return Input(name, path)


def chosen_coders(names: Sequence[str], coded: Coded, where: str = "") -> list[str]:
    """Return the coders that match names or patterns ('cfg*').

    A scan reads all its files only for patterns or unknown names. ``where`` ends the message.
    """
    has = getattr(coded, "has", None)  # scans alone
    if not names or (has is not None and has(names)):
        return list(dict.fromkeys(names))
    return _chosen(names, coded.coders, "coder", where)


def chosen_roles(names: Names, coded: Coded, reading: Reading) -> tuple[list[str], list[str]]:
    """Return the segmenters and the references that match names or patterns."""
    chosen = functools.partial(chosen_coders, coded=coded, where=reading.where)
    return chosen(names.segmenters), chosen(names.references)


def _divided(names: Sequence[str], known: Sequence[Sequence[str]], noun: str) -> list[list[str]] | list[None]:
    """Return the matches in each of several lists; each name must match in at least one."""
    if not names:
        return [None] * len(known)
    chosen = _chosen(names, list(dict.fromkeys(name for every in known for name in every)), noun)
    return [[name for name in chosen if name in every] for every in map(set, known)]


def _chosen(names: Sequence[str], known: Sequence[str], noun: str, where: str = "") -> list[str]:
    """Return the known names that match names or patterns."""
    is_known = set(known)
    chosen: dict[str, None] = {}
    for name in names:
        matching = [name] if name in is_known else []
        if not matching and any(sign in name for sign in "*?["):
            matching = [candidate for candidate in known if fnmatchcase(candidate, name)]
        if not matching:
            raise unknown(noun, name, known, where=where)
        chosen.update(dict.fromkeys(matching))
    return list(chosen)


def _formats(corpora: Sequence[Corpus]) -> str:
    return ", ".join(dict.fromkeys(str(corpus.metadata["format"]) for corpus in corpora))


def _as_one_document(corpora: Sequence[Corpus], inputs: Sequence[Input]) -> list[Corpus]:
    """Treat files of one text each, all with a coder's name, as codings of one document.

    A text is named after its file, but ann=a.srt bob=b.srt are two codings of one text.
    """
    names = {corpus.documents for corpus in corpora}
    alone = all(corpus.documents == (each.stem,) for corpus, each in zip(corpora, inputs, strict=True))
    if len(names) == 1 or not alone or not all(coder for coder, _ in inputs):
        return list(corpora)
    first = corpora[0].documents[0]
    echo(f"note: {listed([path for _, path in inputs])} are read as codings of one document, {first}")
    return [corpus.rename(documents={corpus.documents[0]: first}) for corpus in corpora]


def _renamed(corpus: Corpus, coder: str, path: str) -> Corpus:
    """Rename the coder of a corpus that has one coding per document."""
    if not corpus.n_codings:
        return corpus
    if len(corpus) > len(corpus.document_names):
        raise CorpusError(f"{path}: {coder}= names one coder; the file has {listed(corpus.coders, 4)}")
    return corpus.with_one_coder(coder)


def _say(corpus: Corpus) -> None:
    """Report on stderr how the files were read, and the notices of readers."""
    notices = corpus.metadata.get("notices", ())
    for notice in notices[:MAX_NOTICES]:
        echo(f"note: {notice}")
    if len(notices) > MAX_NOTICES:
        echo(f"note: and {len(notices) - MAX_NOTICES} more like these")
    lines = corpus.metadata.get("understood", ())
    if len(lines) > MANY_FILES or not lines:
        files = f" ({counted(len(lines), 'file')})" if lines else ""
        lines = (f"{corpus.metadata['source']}{files} as {corpus.metadata['format']}: {size_of(corpus)}",)
    for line in lines:
        understood(f"read {line}")


def size_of(corpus: Corpus) -> str:
    """Return the numbers of documents, coders and codings in words."""
    return repr(corpus).removeprefix("<Corpus of ").removesuffix(">")


def _stepping(items: Sequence[T], advance: Advance | None) -> Iterator[T]:
    for done, item in enumerate(items):
        if advance is not None:
            advance(done, len(items))
        yield item


# -------------------------------------------------------------------- options


FORMAT = Parsed("format", lambda name: find_format(name).name)
"""The name of a file format."""

to_option = option("--to target_format", FORMAT, "Format of OUT; default: from its extension.")


def format_of(target: PathLike, name: str | None = None) -> Format:
    """Return the format of the file to write; an unknown one is a usage error."""
    try:
        return format_to_write(target, name)
    except CorpusError as error:
        raise click.UsageError(str(error).replace("format=", "--to")) from None


def data_command(
    name: str, argument: str = "data", *, metavar: str | None = None
) -> Callable[[Callable[..., Any]], DataCommand]:
    """Make a function a command whose first argument is DATA."""
    data = click.argument(argument, nargs=-1, required=True, metavar=metavar)
    return lambda function: click.command(name, cls=DataCommand)(data(function))


class ReadingParameter(click.Option):
    """An option for reading DATA, which `caesura help reading` lists for all commands."""


class DataCommand(click.Command):
    """A command that reads DATA; its help lists its own options and refers to those of reading.

    ``listed`` is another list in help, such as formats: a heading, and names with meanings.
    """

    def __init__(
        self, *args: Any, listed: tuple[str, Sequence[tuple[str, str]]] | None = None, **settings: Any
    ) -> None:
        super().__init__(*args, **settings)
        self.listed = listed

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Add the list."""
        if self.listed is not None:
            with formatter.section(self.listed[0]):
                formatter.write_dl(self.listed[1])

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; report how DATA was read, at the latest at the end."""
        super().invoke(ctx)
        say_understood()
        if ctx.meta.get(INCOMPLETE):
            ctx.exit(1)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the command's own options and refer to those of reading."""
        given = [each for each in self.get_params(ctx) if isinstance(each, click.Option)]
        options = [each for each in given if not isinstance(each, ReadingParameter)]
        records = [record for each in options if (record := each.get_help_record(ctx)) is not None]
        with formatter.section("Options"):
            formatter.write_dl(records)
        if len(options) < len(given):
            with formatter.section("Reading DATA"):
                formatter.write_text("`caesura help reading` lists --from, --marks, --units and others.")


def _reading(only_coders: tuple[str, ...], only_documents: tuple[str, ...], **given: Any) -> Reading:
    options = {name.removeprefix("read_"): value for name, value in given.items()}
    own = {name: options.pop(name) for name in ("format", "units", "rule")}
    return Reading(**own, options=options, coders=only_coders, documents=only_documents)


def _option(flag: str, name: str, kind: Any, help: str, **settings: Any) -> Option:
    return option(f"{flag} read_{name}", kind, help, cls=ReadingParameter, **settings)


TYPES: dict[type, click.ParamType[Any]] = {float: click.FLOAT, object: click.Path(exists=True)}
"""The types of readers' options other than text."""

reading_options = bundle(
    "reading",
    _reading,
    *selection_options,
    _option("--from", "format", FORMAT, "Format of DATA; default: detected from the files."),
    *(
        _option(
            READING[each.name],
            each.name,
            click.Choice(each.choices) if each.choices else TYPES.get(each.kind),
            each.help,
            multiple=each.is_list,
            is_flag=each.kind is bool,
        )
        for each in OPTIONS.values()
    ),
    _option(
        "--units",
        "units",
        "UNITS",
        "Move all codings to these units first: a time grid (1s, 200ms), parts of the text "
        f"({', '.join(BY)}; units with text are split further), or the units of a file or of one DATA.",
    ),
    _option(
        "--rule",
        "rule",
        click.Choice(RULES),
        "Where a boundary inside a unit of --units moves.",
        default="nearest",
    ),
)
"""Add -c, -d, --from, --units and the options of readers; commands get them as ``reading``."""
