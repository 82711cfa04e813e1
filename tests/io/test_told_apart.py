"""Formats of tokens and meetings are told apart from each other and from all other real files."""

from __future__ import annotations

import pytest
from tests.real_data import data_path

from caesura import CorpusError
from caesura.io.files import Source
from caesura.io.registry import FORMATS, sniff

OWN = ("conllu", "disrpt", "bio", "webanno", "qmsum", "tinyrec")


@pytest.mark.parametrize("name", OWN)
def test_examples_are_told_by_their_content_alone(tmp_path, name):
    for extension in (FORMATS[name].extensions[0], ".x", ""):
        path = tmp_path / f"d{extension}"
        path.write_text(FORMATS[name].example, encoding="utf-8")
        assert sniff(Source(path, "d")).name == name


def test_no_file_of_another_format_is_taken_for_one_of_these():
    seen = 0
    for path in sorted(data_path("formats").rglob("*")):
        if not path.is_file() or "LICENSE" in path.name:
            continue
        expected = [path.parent.name] if path.parent.name in OWN else []
        try:
            found = [name for name in OWN if FORMATS[name].sniff(Source(path, path.stem))]
        except CorpusError:  # no text
            found = []
        assert found == expected, path
        seen += 1
    assert seen > 80
