"""All formats of spans: they are told by their files, and no other format's file is taken for theirs."""

from __future__ import annotations

import pytest
from tests.real_data import data_path

from caesura import CorpusError
from caesura.io.files import Source
from caesura.io.registry import FORMATS, sniff

FOLDERS = {"label_studio": "label-studio", "doccano": "doccano", "brat": "brat", "llamaindex": "llamaindex"}
"""Where real files of these formats are."""

OWN = {*FOLDERS.values(), "langchain", "spans"}


def test_real_files_are_told_apart():
    root = data_path("formats")
    for path in sorted(root.rglob("*.*")):
        folder = path.relative_to(root).parts[0]
        source = Source(path, path.stem)
        try:
            taken = {name for name in OWN if FORMATS[name].sniff(source)}
        except CorpusError:
            continue  # no text
        expected = FOLDERS.get(folder)
        if expected is None or path.suffix == ".txt":
            assert taken == set(), path
        else:
            assert taken <= {expected}, path
            assert sniff(Source(path, path.stem)).name == expected


@pytest.mark.parametrize("name", sorted(OWN))
def test_examples_are_told_apart(tmp_path, name):
    format = FORMATS[name]
    for extension in format.extensions:
        path = tmp_path / f"d{extension}"
        path.write_text(format.example)
        (tmp_path / "d.txt").write_text("It rained all day. We stayed at home.")
        assert sniff(Source(path, "d")) is format
    assert format.notes
