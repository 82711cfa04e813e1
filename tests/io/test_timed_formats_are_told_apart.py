"""No sample file of any format is taken for a TextGrid, ELAN, RTTM or NXT file but those that are."""

from __future__ import annotations

import pytest
from tests.real_data import data_path

from caesura import CorpusError
from caesura.io.files import Source
from caesura.io.registry import FORMATS, sniff

from .timed import put

FOLDERS = {"textgrid": "textgrid", "elan": "elan", "rttm": "rttm", "nxt": "nxt"}


@pytest.mark.parametrize("name", FOLDERS)
def test_only_its_own_samples_are_recognised(name):
    folder = data_path("formats")
    taken = set()
    for path in sorted(folder.parent.rglob("*")):
        if path.is_file() and path.stat().st_size < 2_000_000:
            source = Source(path, path.stem)
            try:
                _ = source.text
            except CorpusError:
                continue
            if FORMATS[name].sniff(source):
                taken.add(path)
    own = {
        path for path in (folder / FOLDERS[name]).iterdir() if path.suffix.lower() in FORMATS[name].extensions
    }
    if name == "nxt":
        own = {path for path in own if path.name.endswith(".topic.xml")}
    assert taken == own


@pytest.mark.parametrize("name", FOLDERS)
def test_the_content_tells_it_whatever_the_extension(tmp_path, name):
    for extension in (*FORMATS[name].extensions, ".other", ".txt", ""):
        path = put(tmp_path / f"d{extension}", FORMATS[name].example)
        assert sniff(Source(path, "d")).name == name
