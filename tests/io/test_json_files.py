"""Shapes of JSON: what does not fit is named by path, expectation and value; nothing is coerced."""

from typing import Annotated, Any, TypedDict

import pytest

from caesura.errors import CorpusError
from caesura.io.json_files import Name, shaped


class Span(TypedDict):
    start: int
    end: float


class _Record(TypedDict):
    name: Name
    spans: list[Span]


class Record(_Record, total=False):
    done: bool
    notes: dict[str, list[str]] | None
    pair: Annotated[tuple[int, int], "[first, last]"]


def record(**changes: Any) -> dict[str, Any]:
    return {"name": "d", "spans": [{"start": 0, "end": 5}], **changes}


@pytest.mark.parametrize(
    ("value", "fault"),
    [
        (5, "expected an object, not 5"),
        (record(name=True), "name is True: expected a name"),
        (record(name=1.0), "name is 1.0: expected a name"),
        ({"name": "d"}, "spans is None: expected a list"),
        (record(spans=[{"start": "0", "end": 1}]), "spans[0]: start is '0': expected a whole number"),
        (record(spans=[{"start": 0.0, "end": 1}]), "spans[0]: start is 0.0: expected a whole number"),
        (record(spans=[{"start": 0, "end": True}]), "spans[0]: end is True: expected a number"),
        (record(spans=[{"start": 0, "end": 10**400}]), "spans[0]: end is 1000000"),
        (record(done=1), "done is 1: expected true or false"),
        (record(done=None), "done is None: expected true or false"),
        (record(notes={"a": ["x"], "b": [3]}), "notes.b[0] is 3: expected text"),
        (record(pair=[1, "2"]), "pair[1] is '2': expected a whole number"),
        (record(pair=[1, 2, 3]), "pair is [1, 2, 3]: expected [first, last]"),
        (record(name={"\ud800": "\ud800"}), "name is {'\\ud800': '\\ud800'}: expected a name"),
        (record(**{"\ud800": 1}), "'\\ud800' is '\\ud800': expected a key of whole characters"),
    ],
)
def test_what_does_not_fit_is_named(value, fault):
    with pytest.raises(CorpusError) as error:
        shaped(value, Record)
    assert str(error.value).startswith(fault)
    with pytest.raises(CorpusError) as error:
        shaped([record(), value], list[Record], "document d", each="record")
    where = "document d: record 1"
    expected = f"{where} is 5: expected an object" if value == 5 else f"{where}: {fault}"
    assert str(error.value).startswith(expected)


def test_numbers_and_texts_stay_what_they_are():
    """Whole numbers of any size, half a character in a text, and what nobody has declared is left out."""
    found = shaped(record(name=10**30, spans=[{"start": 2**70, "end": 3}], notes=None, else_=[1]), Record)
    assert found == {"name": 10**30, "spans": [{"start": 2**70, "end": 3.0}], "notes": None}
    assert shaped(record(name="\ud800"), Record)["name"] == "\ud800"


@pytest.mark.parametrize("value", [[], {}, None, "text"])
def test_a_list_of_things_has_one(value):
    with pytest.raises(CorpusError, match=r"expected a list of dialogues, not "):
        shaped(value, list[Record], each="dialogue")
