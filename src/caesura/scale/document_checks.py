"""Whole documents: what must be so of all rows of one document, checked for many at a time."""

from __future__ import annotations

from typing import Any

import numpy as np

from caesura.errors import CorpusError
from caesura.scale.layout_writer import document_starts
from caesura.values.forms import coding_name, short_name


class DocumentFault(CorpusError):
    """What is wrong with the rows of one document."""

    def __init__(self, document: str, fault: str) -> None:
        super().__init__(f"document {short_name(document)}: {fault}")
        self.document, self.fault = document, fault


def check_documents(table: Any) -> int:
    """Return how many documents a table of whole documents has; each coder once, all of one length."""
    documents = table["document"].combine_chunks()
    starts = document_starts(documents)
    sizes = np.diff(np.append(starts, len(table)))
    n_units = table["n_units"].to_numpy()
    differs = np.flatnonzero(n_units != np.repeat(n_units[starts], sizes))
    if len(differs):
        row = int(differs[0])
        first = int(starts[np.searchsorted(starts, row, side="right") - 1])
        coders = [table["coder"][one].as_py() for one in (row, first)]
        raise DocumentFault(
            documents[row].as_py(),
            f"coder {short_name(coders[0])} has {n_units[row]} units where coder {short_name(coders[1])} has "
            f"{n_units[first]}: all must segment the same units",
        )
    codes = table["coder"].combine_chunks().dictionary_encode()
    number = codes.indices.to_numpy().astype(np.int64)
    keys = np.repeat(np.arange(len(starts)), sizes) * len(codes.dictionary) + number
    order = np.argsort(keys, kind="stable")
    twice = np.flatnonzero(np.diff(keys[order]) == 0)
    if len(twice):
        row = int(order[twice + 1].min())
        name = coding_name(documents[row].as_py(), codes[row].as_py()).partition(": ")[2]
        raise DocumentFault(documents[row].as_py(), f"{name} has two codings; remove or rename one")
    return len(starts)
