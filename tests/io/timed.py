"""What the tests of formats with times share."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

from caesura import Corpus, CorpusError
from caesura.io.reading import read


def quietly(path: Path, **options) -> Corpus:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return read(path, **options)


def times(corpus: Corpus, coder: str, document: str | None = None) -> list[float]:
    """Return where a coder's boundaries stand, in seconds."""
    document = corpus.documents[0] if document is None else document
    return corpus.spans[document].offsets(corpus[document, coder]).tolist()


def put(path: Path, text: str | bytes) -> Path:
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def refusal(path: Path, **options) -> str:
    """Return what is wrong with the file, said in one line after its path."""
    with pytest.raises(CorpusError) as error:
        quietly(path, **options)
    message = str(error.value)
    assert message.startswith(f"{path}: ")
    assert len(message.splitlines()) == 1
    return message.removeprefix(f"{path}: ")
