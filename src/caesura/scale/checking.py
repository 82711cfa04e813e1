"""What is wrong, and where: files are read again once something was, so that a message has file and row."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from caesura.errors import CaesuraError, CorpusError
from caesura.scale.data_files import BadFileError, DataFile, PlacedRows, Wanted
from caesura.scale.documents import DocumentFault
from caesura.scale.readers import placed_rows
from caesura.values.arrow import read_codings
from caesura.values.columns import check_columns
from caesura.values.forms import coding_name
from caesura.values.type_scheme import TypeScheme


def check_values(rows: PlacedRows, scheme: TypeScheme | None) -> None:
    """Refuse a segmentation that is none, or has types that nobody declared."""
    table = rows.table

    def name(row: int) -> str:
        document, coder = (table[column][row].as_py() for column in ("document", "coder"))
        return f"{rows.place(row)}: {coding_name(document, coder)}"

    try:
        codings = read_codings(table, mixed=True)
        assert codings is not None  # rows are plain
        checked = check_columns(codings, name)
    except CorpusError as error:
        raise BadFileError(str(error), rows.file) from None
    if scheme is not None:
        wrong = np.flatnonzero(~np.isin(checked.all_types, scheme.types))
        if len(wrong):
            row = int(checked.coding[wrong[0]])
            raise BadFileError(
                f"{name(row)}: type {checked.all_types[wrong[0]]} is not among the declared types "
                f"{', '.join(map(str, scheme.types))}",
                rows.file,
            )


def check_file(wanted: Wanted, scheme: TypeScheme | None, file: DataFile) -> BadFileError | None:
    """Return what is wrong with a file by itself, if anything is."""
    try:
        for rows in placed_rows(file, wanted):
            check_values(rows, scheme)
    except BadFileError as error:
        return error
    return None


def located(
    fault: DocumentFault, files: Iterable[tuple[DataFile, Wanted]], scheme: TypeScheme | None
) -> CaesuraError:
    """Return what is wrong with a document as an error that says where its rows stand."""
    places: list[tuple[str, str]] = []
    for file, wanted in files:
        try:
            for rows in placed_rows(file, wanted):
                check_values(rows, scheme)
                is_it = np.array([name == fault.document for name in rows.table["document"].to_pylist()])
                places += [(rows.place(row), file.path) for row in np.flatnonzero(is_it).tolist()]
        except BadFileError as error:
            return error
    if not places:
        return BadFileError(fault.fault)
    others = f" (its rows begin at {places[0][0]})" if len(places) > 1 else ""
    message = f"{places[-1][0]}: {fault.fault}{others}"
    if fault.kind is BadFileError:
        return BadFileError(message, places[-1][1])
    return fault.kind(message) if issubclass(fault.kind, CaesuraError) else CorpusError(message)
