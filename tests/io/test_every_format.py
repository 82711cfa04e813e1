"""Every registered format is checked: its example, its notes, and that no other format takes its files."""

import warnings
from pathlib import Path

import pytest
from tests.loops import each

import caesura as cs
from caesura.io.files import Source
from caesura.io.registry import FORMATS, sniff

WITH_EXAMPLE = [name for name, format in FORMATS.items() if not format.is_binary]


def put_example(folder: Path, name: str) -> Path:
    format = FORMATS[name]
    path = folder / f"ch1{format.extensions[0]}"
    path.write_text(format.example, encoding="utf-8")
    if format.example_beside:
        path.with_suffix(".txt").write_text(format.example_beside, encoding="utf-8")
    return path


@each("name", FORMATS)
def test_it_says_what_becomes_of_what(name):
    assert FORMATS[name].notes.endswith(".")
    assert FORMATS[name].title
    assert all(extension == extension.lower() for extension in FORMATS[name].extensions)


@each("name", FORMATS)
def test_it_keeps_what_it_needs(name):
    format = FORMATS[name]
    assert "units" in format.keeps or not format.needs_units
    assert "places" in format.keeps or format.needs_axis is None


@pytest.mark.parametrize("name", WITH_EXAMPLE)
def test_its_example_is_read_without_a_notice(tmp_path, name):
    path = put_example(tmp_path, name)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        corpus = cs.read(path, **FORMATS[name].example_options)
    assert corpus.metadata["format"] == name
    assert corpus.documents


@pytest.mark.parametrize("name", WITH_EXAMPLE)
def test_its_example_is_told_from_all_others(tmp_path, name):
    path = put_example(tmp_path, name)
    assert sniff(Source(path, "ch1")).name == name
    source = Source(path, "ch1")
    others = [
        other.name
        for other in FORMATS.values()
        if other.name != name
        and not other.is_binary
        and set(other.extensions) & set(FORMATS[name].extensions)
        and other.sniff(source)
    ]
    assert others == []


@pytest.mark.parametrize("name", WITH_EXAMPLE)
def test_its_example_survives_writing(tmp_path, name):
    """What is read of the example, written and read again, has the same boundaries."""
    read = cs.read(put_example(tmp_path, name), **FORMATS[name].example_options)
    target = tmp_path / "again" if "documents" not in FORMATS[name].keeps else tmp_path / "again.x"
    if "documents" not in FORMATS[name].keeps and FORMATS[name].file_name is None:
        target = tmp_path / f"ch1.again{FORMATS[name].extensions[0]}"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        cs.write(read, target, name)
        again = cs.read(target, name, **FORMATS[name].example_options)
    # Not the whole: a list of chapters does not say where the recording ends.
    mine, theirs = ([coding.boundaries for _, _, coding in corpus] for corpus in (read, again))
    assert mine == theirs


@each("content", ["", " ", "\n\n", "\0", "\ufeff", "{", "[]", "{}", "a", "1", '"', "<a>"])
@each("name", WITH_EXAMPLE)
def test_what_is_nothing_is_refused_in_one_line(tmp_path, name, content):
    path = tmp_path / f"ch1{FORMATS[name].extensions[0]}"
    path.write_text(content, encoding="utf-8")
    message = refusal(path, name)
    assert "\n" not in message
    assert message.startswith(str(path)) or not message  # some content is a document of one unit


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", WITH_EXAMPLE)
def test_a_file_that_is_cut_off_anywhere_is_read_or_refused_in_one_line(tmp_path, name):
    format = FORMATS[name]
    path = put_example(tmp_path, name)
    for end in range(0, len(format.example), max(1, len(format.example) // 40)):
        path.write_text(format.example[:end], encoding="utf-8")
        assert "\n" not in refusal(path, name, **format.example_options)


def refusal(path: Path, name: str, **options: str) -> str:
    """Why a file is not read; nothing where it is."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        try:
            cs.read(path, name, **options)
        except cs.CaesuraError as error:
            return str(error)
    return ""
