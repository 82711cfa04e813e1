"""JSON: the records of a file, the shapes that formats declare for them, and writing.

A shape is a type: a ``TypedDict`` for an object, or a list or dict of shapes. ``Annotated`` adds words for
messages. Values are never coerced.
"""

from __future__ import annotations

import json
import re
import typing
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count
from types import NoneType, UnionType
from typing import Annotated, Any, Generic, NamedTuple, NotRequired, TypeAlias, TypeVar, Union

from caesura.errors import CorpusError, did_you_mean, within
from caesura.io.files import MAX_LINE, Source, check_length, misfit, parse_json, shortened

T = TypeVar("T")

Name: TypeAlias = Annotated[str | int, "a name"]
"""The name of a document or coder: text, or a whole number."""

WholeKey: TypeAlias = Annotated[None, "a key of whole characters"]
HALF = re.compile("[\ud800-\udfff]")

WORDS = {str: "text", int: "a whole number", float: "a number", bool: "true or false", list: "a list"}


def shaped(value: Any, shape: type[T], where: str = "", *, each: str = "") -> T:
    """Return a value of this shape; CorpusError names the path of the fault, the value and the shape.

    ``where`` precedes the path. With ``each``, the value is a list of these, and not empty.

    >>> shaped([[1, 2], [3, "4"]], list[list[int]], "document d", each="line")
    Traceback (most recent call last):
    caesura.errors.CorpusError: document d: line 1[1] is '4': expected a whole number
    """
    import msgspec  # only JSON needs it

    path, inner, kind = "", value, shape
    try:
        converted = msgspec.convert(value, shape)
        if converted or not each:
            return converted
    # The second is for lone surrogates; msgspec before 0.22 raises the third for numbers beyond all floats.
    except (msgspec.ValidationError, UnicodeEncodeError, SystemError):
        path, inner, kind = _first_fault(value, shape, "")
    expected = _expected(kind)
    if path:
        path = f"{each} {path[1:].replace(']', '', 1)}" if each else path
        raise misfit(f"{where and f'{where}: '}{path}", inner, expected)
    if each:
        (item,) = typing.get_args(shape)
        expected += f" of {_expected(item) if typing.get_origin(item) is Annotated else f'{each}s'}"
    if where:
        raise misfit(where, inner, expected)
    raise CorpusError(f"expected {expected}, not {shortened(inner)}")


def shaped_entry(record: Mapping[str, Any], key: str, shape: Any, where: str = "") -> Any:
    """Return the entry of a record under a key, if it has this shape; a missing entry is None.

    >>> shaped_entry({"done": True}, "done", bool)
    True
    """
    return shaped({key: record.get(key)}, dict[str, shape], where)[key]


def fits(value: Any, shape: Any) -> bool:
    """Return whether a value has this shape."""
    import msgspec

    try:
        msgspec.convert(value, shape)
    except (msgspec.ValidationError, UnicodeEncodeError, SystemError):
        return False
    return True


def _first_fault(value: Any, shape: Any, path: str) -> tuple[str, Any, Any]:
    """Return the innermost part with a wrong shape: its path, the part, and the expected shape."""
    for key, inner, kind in _parts(value, shape):
        if not fits(inner, kind):
            between = "" if not path or isinstance(key, int) else ": " if path.endswith("]") else "."
            return _first_fault(inner, kind, f"{path}{between}{f'[{key}]' if isinstance(key, int) else key}")
    return path, value, shape


def _parts(value: Any, shape: Any) -> Iterator[tuple[str | int, Any, Any]]:
    """Yield the parts of a value with their keys and shapes; a missing key has None."""
    kind, arguments = typing.get_origin(shape), typing.get_args(shape)
    if kind is Annotated:
        yield from _parts(value, arguments[0])
    elif kind in (Union, UnionType):
        for alternative in arguments:
            yield from _parts(value, alternative)
    elif kind is list and isinstance(value, list):
        yield from ((index, inner, arguments[0]) for index, inner in enumerate(value))
    elif kind is tuple and isinstance(value, list) and len(value) == len(arguments):
        yield from zip(count(), value, arguments, strict=False)
    elif kind is dict and isinstance(value, dict):
        yield from ((key, inner, arguments[1]) for key, inner in value.items())
    elif typing.is_typeddict(shape) and isinstance(value, dict):
        yield from ((shortened(key), key, WholeKey) for key in value if HALF.search(key))
        for key, hint in typing.get_type_hints(shape, include_extras=True).items():
            is_optional = typing.get_origin(hint) is NotRequired
            if key in value or (key in shape.__required_keys__ and not is_optional):
                yield key, value.get(key), typing.get_args(hint)[0] if is_optional else hint


def _expected(shape: Any) -> str:
    """Return a shape in words.

    >>> _expected(list[int] | None), _expected(dict[str, int]), _expected(Name)
    ('a list', 'an object', 'a name')
    """
    if typing.get_origin(shape) is Annotated:
        return str(shape.__metadata__[0])
    if typing.get_origin(shape) in (Union, UnionType):
        return " or ".join(_expected(kind) for kind in typing.get_args(shape) if kind is not NoneType)
    return WORDS.get(typing.get_origin(shape) or shape, "an object")


def named_only(name: object, called: str) -> str:
    """Return a name from JSON, text or a whole number, as text."""
    if isinstance(name, str) or (isinstance(name, int) and not isinstance(name, bool)):
        return str(name)
    raise misfit(f"the {called}", name, "a name")


def number_or(name: str, otherwise: Any) -> Any:
    """Return a name as a number if it reads back as the same name.

    >>> number_or("7", "7"), number_or("07", "07")
    (7, '07')
    """
    is_number = name.isascii() and name.isdigit() and len(name) < 16 and str(int(name)) == name
    return int(name) if is_number else otherwise


def entry_in(record: Mapping[str, Any], keys: Sequence[str], purpose: str = "") -> Any:
    """Return the entry of the first of these keys in the record; messages name the first key."""
    if (key := next((key for key in keys if key in record), None)) is None:
        raise CorpusError(f"there is no {keys[0]!r}{purpose}; {did_you_mean(keys[0], record)}")
    return record[key]


# -------------------------------------------------------------------- records


class Record(NamedTuple, Generic[T]):
    """A record of a file."""

    where: str
    """Its position, for messages."""
    key: str
    """Its line number or key."""
    value: T


def name_in(record: Record[dict[str, Any]], *keys: str) -> str:
    """Return the name under the first of these keys in the record, or the record's key."""
    key = next((key for key in keys if key in record.value), None)
    return record.key if key is None else named_only(record.value[key], key)


def records_of(source: Source) -> Iterator[Record[dict[str, Any]]]:
    """Yield the objects of a file: one per line, a list, or a single one."""
    if _has_record_per_line(source):
        for number, line in enumerate(source.each_line(), start=1):
            if line.strip():
                with within(f"line {number}"):
                    value = parse_json(line)
                yield _object(f"line {number}", number, value)
        return
    values = source.json
    for number, value in enumerate(values if isinstance(values, list) else [values], start=1):
        yield _object(f"record {number}", number, value)


def _object(where: str, number: int, value: Any) -> Record[dict[str, Any]]:
    return Record(where, str(number), shaped(value, dict[str, Any], where))


def listed_records(source: Source, shape: type[T], each: str) -> Iterator[Record[T]]:
    """Yield the items of a file that is a list of this shape."""
    for index, value in enumerate(shaped(source.json, list[shape], each=each)):  # type: ignore[valid-type]
        yield Record(f"{each} {index}", str(index), value)


def entries_of(source: Source, entries: str, shape: type[T], *, each: str = "") -> Iterator[Record[T]]:
    """Yield the entries of an object by document; there must be one."""
    values = source.json
    if not isinstance(values, dict) or not values:
        raise CorpusError(f"expected an object of {entries}, not {shortened(values)}")
    for document, value in values.items():
        where = f"document {document}"
        yield Record(where, document, shaped(value, shape, where, each=each))


def first_record(source: Source) -> dict[str, Any]:
    """Return the first record, or an empty one; for detection."""
    if _has_record_per_line(source):
        record = source.first_json
    else:
        values = source.json_or_none
        record = values[0] if isinstance(values, list) and values else values
    return record if isinstance(record, dict) else {}


def first_listed(source: Source) -> dict[str, Any]:
    """Return the first object of a file that is a list, or an empty one; for detection."""
    values = source.json_or_none
    return values[0] if isinstance(values, list) and values and isinstance(values[0], dict) else {}


def the_object(source: Source) -> dict[str, Any]:
    """Return the object in a file, or an empty one; for detection."""
    value = source.json_or_none
    return value if isinstance(value, dict) else {}


def first_entry(source: Source) -> Any:
    """Return the first entry of the object in a file, or None; for detection."""
    return next(iter(the_object(source).values()), None)


def _has_record_per_line(source: Source) -> bool:
    """Return whether the first line holds a whole record."""
    line = source.first_line.strip()
    return line.startswith("{") and (line.endswith("}") or len(line) >= MAX_LINE)


# -------------------------------------------------------------------- writing


ENCODER = json.JSONEncoder(ensure_ascii=False)


def json_of(value: Any) -> str:
    """Return JSON on one line, without escapes for letters."""
    return ENCODER.encode(value)


def json_list(values: Iterable[Any]) -> str:
    """Return a list with a value per line, for readable diffs."""
    return "[\n" + ",\n".join(map(json_of, values)) + "\n]\n"


def json_records(values: Iterable[Any], extension: str) -> str:
    """Return a list, or for .jsonl a value per line."""
    return json_lines(values) if extension == ".jsonl" else json_list(values)


def json_object(values: Mapping[str, Any]) -> str:
    """Return an object with an entry per line.

    >>> json_object({"d": [1, 2]})
    '{\\n"d": [1, 2]\\n}\\n'
    """
    return "{\n" + ",\n".join(f"{json_of(key)}: {json_of(value)}" for key, value in values.items()) + "\n}\n"


def json_lines(values: Iterable[Any]) -> str:
    """Return a value per line; refuse lines too long to be read back."""
    return text_of_lines([json_of(value) for value in values])


def text_of_lines(lines: Sequence[str]) -> str:
    """Join lines; refuse one that is too long to be read back."""
    for number, line in enumerate(lines, start=1):
        check_length(len(line), number)
    return "\n".join(lines) + "\n"
