"""Spreadsheets, zip archives and gzip files are read as the tables and folders that they hold."""

import gzip
import io
import sys
import zipfile
from dataclasses import replace
from pathlib import Path

import openpyxl
import pytest

import caesura as cs
from caesura.errors import CorpusError, MissingExtraError
from caesura.io import archives, reading
from caesura.io.formats import excel
from caesura.io.registry import FORMATS, sniff

WIDE = "unit,text,ann,bob\n1,It rained.,1,1\n2,We stayed.,0,0\n3,It cleared.,1,0\n4,We left.,0,1\n"
MASSES = {"ann": [2, 2], "bob": [3, 1]}


def put(path: Path, content: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def packed(path: Path, members: dict[str, str | bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def refusal(path: Path, **options: object) -> str:
    with pytest.raises(CorpusError) as error:
        cs.read(path, **options)
    assert len(str(error.value).splitlines()) == 1
    return str(error.value)


# -------------------------------------------------------------------- gzip and zip


def test_a_gzip_file_is_what_it_holds(tmp_path):
    corpus = cs.read(put(tmp_path / "t.csv.gz", gzip.compress(WIDE.encode())))
    assert corpus.to_dict() == {"t": MASSES}
    assert corpus.metadata["format"] == "labels"
    cut_off = put(tmp_path / "u.csv.gz", gzip.compress(WIDE.encode())[:-9])
    assert refusal(cut_off).startswith(f"{cut_off}: not a whole gzip file")


def test_a_zip_archive_is_a_folder(tmp_path):
    members = {
        "ch10.csv": WIDE,
        "ch2.csv": WIDE,
        "part/ch1.csv": WIDE,
        "__MACOSX/._ch2.csv": "x",
        "README.md": "#",
    }
    path = packed(tmp_path / "data.zip", members)
    corpus = cs.read(path)
    assert corpus.documents == ("ch2", "ch10", "part/ch1")
    assert corpus["part/ch1"]["bob"].masses == (3, 1)
    assert corpus.metadata["understood"][0].startswith(f"{path}/ch2.csv as a table of starts")
    (tmp_path / "in").mkdir()
    path.rename(tmp_path / "in" / "data.zip")
    put(tmp_path / "in" / "ch2.csv", WIDE)
    assert "data.zip/ch2" in cs.read(tmp_path / "in").documents


def test_files_in_archives_may_be_packed_or_spreadsheets_but_no_archives(tmp_path):
    path = packed(tmp_path / "a.zip", {"x.csv.gz": gzip.compress(WIDE.encode()), "y.xlsx": workbook_bytes()})
    assert cs.read(path).to_dict() == {"x": MASSES, "y": MASSES}
    inner = packed(tmp_path / "inner.zip", {"x.csv": WIDE}).read_bytes()
    assert "b.zip: inner.zip: it is an archive inside" in refusal(
        packed(tmp_path / "b.zip", {"inner.zip": inner})
    )


@pytest.mark.parametrize(
    ("members", "fault"),
    [
        ({}, "a.zip: the archive holds no data files"),
        ({"../x.csv": WIDE}, r"../x.csv: its name leads out of the archive"),
        ({"/etc/x.csv": WIDE}, "its name leads out of the archive"),
        ({"x.csv": "unit,ann\n1,1\n3,0\n"}, "a.zip/x.csv: line 3: unit is '3'"),
        ({"x.csv": b"\xff\xfe\x00"}, "a.zip/x.csv: "),
        ({"notes.txt": "1 2\n"}, "a.zip/notes.txt: no format fits"),
        ({"notes.txt": "Only prose.\n", "x.csv": WIDE}, "a.zip/notes.txt: it is plain text"),
    ],
)
def test_faulty_members_are_named(tmp_path, members, fault):
    assert fault in refusal(packed(tmp_path / "a.zip", members))


def test_what_is_no_archive(tmp_path):
    assert "not a whole zip archive" in refusal(put(tmp_path / "a.zip", b"PK\x03\x04 and so on"))
    assert "not a whole gzip file" in refusal(put(tmp_path / "a.csv.gz", WIDE))


@pytest.mark.exhaustive
def test_bombs_are_refused_before_they_are_unpacked(tmp_path, monkeypatch):
    bomb = b"0" * (archives.FREE_BYTES + 1)
    assert "d.zip: x.csv: it unpacks to more than" in refusal(packed(tmp_path / "d.zip", {"x.csv": bomb}))
    assert "it unpacks to more than" in refusal(put(tmp_path / "x.csv.gz", gzip.compress(bomb)))
    quarter = b"0" * (archives.FREE_BYTES // 4)
    many = {f"{i}.csv": quarter for i in range(5)}  # each of them is free
    path = tmp_path / "many.zip"
    assert refusal(packed(path, many)).startswith(f"{path}: it unpacks to more than 250 times ")
    packed_again = {f"{i}.csv.gz": gzip.compress(quarter) for i in range(5)}
    assert "it unpacks to more than 250" in refusal(packed(tmp_path / "again.zip", packed_again))
    monkeypatch.setattr(archives, "MAX_UNPACKED", 1000)
    many = {f"{i}.csv": WIDE * 4 for i in range(9)}
    assert "it holds more than 1,000 bytes" in refusal(packed(tmp_path / "e.zip", many))
    monkeypatch.setattr(archives, "MAX_MEMBERS", 5)
    assert "9 files, more than 5" in refusal(packed(tmp_path / "f.zip", many))


def test_a_damaged_directory_is_named(tmp_path):
    """The end of the archive says that its list of files begins before the file does."""
    path = packed(tmp_path / "a.zip", {"x.csv": WIDE})
    end = path.read_bytes().rindex(b"PK\x05\x06")
    data = bytearray(path.read_bytes())
    data[end + 16 : end + 20] = b"\xf0\xff\xff\x7f"
    assert "b.zip/x.csv: it cannot be unpacked" in refusal(put(tmp_path / "b.zip", bytes(data)))
    assert "c.xlsx: it cannot be unpacked" in refusal(put(tmp_path / "c.xlsx", bytes(data)))


def test_an_archive_that_lies_about_its_size(tmp_path):
    path = packed(tmp_path / "a.zip", {"x.csv": WIDE * 100})
    data = path.read_bytes()
    lie = data.replace((len(WIDE) * 100).to_bytes(4, "little"), (10).to_bytes(4, "little"))
    assert lie != data
    assert "a.zip/x.csv: it cannot be unpacked" in refusal(put(path, lie))


def test_a_folder_of_different_exports_is_refused_by_name(tmp_path, monkeypatch):
    """Units of one file are seconds, those of another, in another format, characters: no one corpus."""
    line = '{"document": "%s", "coder": "x", "masses": [1, 1], "places": {"axis": "%s", "grid": [0, 2, 1]}}\n'
    timed = put(tmp_path / "in" / "a.jsonl", line % ("a", "seconds"))
    put(tmp_path / "in" / "b.csv", WIDE)
    assert cs.read(tmp_path / "in").documents == ("a", "b")  # nothing is known of the other's axis
    other = replace(FORMATS["jsonl"], name="other", extensions=(".other",), sniff=lambda source: False)
    monkeypatch.setitem(FORMATS._members, "other", other)
    written = put(tmp_path / "in" / "c.other", line % ("c", "characters"))
    monkeypatch.setattr(reading, "sniff", lambda source: other if source.path == written else sniff(source))
    message = refusal(tmp_path / "in")
    assert message.startswith(
        f"{written}: its units are characters (other) where those of {timed} are seconds"
    )
    written.unlink()
    unknown = put(tmp_path / "in" / "c.json", '{"id": 1}')
    assert refusal(tmp_path / "in").startswith(f"{unknown}: no format fits")


def test_a_folder_of_two_tools_exports_is_refused_by_name(tmp_path):
    """One tool calls a document by its id, another by its text: what they export does not fit together."""
    units = cs.Units.from_text("It rained. We stayed.", by="character")
    corpus = cs.Corpus.from_dict({"rain": {"ann": [11, 10]}}).with_spans({"rain": units})
    (tmp_path / "in").mkdir()
    cs.write(corpus, tmp_path / "in" / "ls.json", "label-studio")
    cs.write(corpus.rename({"ann": "bob"}), tmp_path / "in" / "bob.jsonl", "doccano")
    fault = "it is label-studio where {} is doccano, and no other file has its documents"
    assert fault.format(tmp_path / "in" / "bob.jsonl") in refusal(tmp_path / "in")
    assert len(cs.read([tmp_path / "in" / "ls.json", tmp_path / "in" / "bob.jsonl"]).documents) == 2
    for name in ("ls.json", "bob.jsonl"):
        (tmp_path / "in" / name).unlink()
    put(tmp_path / "in" / "rain.csv", WIDE)
    put(tmp_path / "in" / "film.srt", "1\n00:00:01,000 --> 00:00:02,000\nHello\n")
    assert "film.srt: it" in refusal(tmp_path / "in")


# -------------------------------------------------------------------- spreadsheets


def workbook(sheets: dict[str, list[list[object]]]) -> openpyxl.Workbook:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    return book


ROWS: list[list[object]] = [
    ["unit", "text", "ann", "bob"],
    [1, "It rained.", 1, True],
    [2, "We stayed.", 0, False],
    [3, "It cleared.", 1, False],
    [4, "We left.", 0, True],
]


def workbook_bytes() -> bytes:
    stream = io.BytesIO()
    workbook({"codes": ROWS, "empty": []}).save(stream)
    return stream.getvalue()


def test_a_wide_sheet(tmp_path):
    corpus = cs.read(put(tmp_path / "t.xlsx", workbook_bytes()))
    assert corpus.to_dict() == {"t": MASSES}
    assert corpus.units["t"][1] == "We stayed."
    assert corpus.metadata["understood"] == (
        f"{tmp_path / 't.xlsx'} as a table of starts: ann 1 boundary, bob 1, text from 'text'",
    )


def sheet_with(folder: Path, cells: str) -> Path:
    """Return a workbook whose sheet has these rows and cells, as XML."""
    book = io.BytesIO(workbook_bytes())
    with zipfile.ZipFile(book) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    rows = f"<sheetData>{cells}</sheetData></worksheet>"
    name = "xl/worksheets/sheet1.xml"
    members[name] = members[name].split(b"<sheetData>")[0] + rows.encode()
    return packed(folder / "far.xlsx", members)


TEXT = "<is><t>x</t></is></c>"


@pytest.mark.parametrize(
    "cells",
    [
        f'<row r="1048576"><c r="XFD1048576" t="inlineStr">{TEXT}</row>',
        f'<row><c t=">" r="XFD1048576" t="inlineStr">{TEXT}</row>',
        f"<row><c r = 'XFD1048576'> />{TEXT}</row>",
        f'<row r="1048576">{"<c><v>1</v></c>" * 16384}</row>',
        f'<row r="1048576"><c {" " * 1_100_000}r="XFD1048576" t="inlineStr">{TEXT}</row>',
    ],
    ids=["far", "a sign in the tag", "a sign behind it", "no names", "a long tag"],
)
def test_a_sheet_of_far_cells_is_refused_before_it_is_opened(tmp_path, monkeypatch, cells):
    """Room for each of 2**34 cells would end the process, which no test can catch."""
    path = sheet_with(tmp_path, cells)
    monkeypatch.setattr("python_calamine.CalamineWorkbook.from_filelike", None)
    message = refusal(path)
    if "long" not in message and "tag" not in message:
        assert "spans 1,048,576 rows by 16,384 columns: delete what is far from the table" in message


def test_far_cells_that_are_only_colored_do_no_harm(tmp_path):
    rows = '<row r="1"><c r="A1" t="inlineStr"><is><t>ann</t></is></c></row>'
    rows += "".join(f'<row r="{i + 2}"><c r="A{i + 2}"><v>{(i + 1) % 2}</v></c></row>' for i in range(6))
    path = sheet_with(tmp_path, rows + '<row r="1048576"><c r="XFD1048576" s="1"/></row>')
    assert cs.read(path).to_dict() == {"far": {"ann": [2, 2, 2]}}


def test_blanks_and_x_in_a_sheet(tmp_path):
    rows = [
        ["sentence", "ann"],
        ["It rained.", "x"],
        ["We stayed.", None],
        ["It cleared.", "X"],
        ["We left.", None],
    ]
    workbook({"one": rows}).save(tmp_path / "t.xlsx")
    assert cs.read(tmp_path / "t.xlsx").to_dict() == {"t": {"ann": [2, 2]}}


def test_a_long_sheet(tmp_path):
    rows = [
        ["document", "coder", "unit", "label"],
        *(["d", "ann", i + 1, m] for i, m in enumerate([1, 0, 0, 1])),
    ]
    workbook({"one": rows}).save(tmp_path / "t.xlsx")
    message = refusal(tmp_path / "t.xlsx")
    assert "may be starts or ends" in message
    assert cs.read(tmp_path / "t.xlsx", marks="starts").to_dict() == {"d": {"ann": [3, 1]}}


def test_sheets_are_chosen_and_faults_name_rows(tmp_path):
    path = tmp_path / "t.xlsx"
    workbook({"a": ROWS, "b": [*ROWS[:2], [3, "x", 0, False]]}).save(path)
    assert "sheets 'a' and 'b' hold data: say which, sheet='a'" in refusal(path)
    assert cs.read(path, sheet="a").to_dict() == {"t": MASSES}
    assert "row 3: unit is '3', not 2" in refusal(path, sheet="b")
    assert "unknown sheet 'c'" in refusal(path, sheet="c")
    workbook({"a": [*ROWS[:2], [], *ROWS[2:]]}).save(path)
    assert "row 3 is empty" in refusal(path)


def test_hostile_workbooks(tmp_path, monkeypatch):
    monkeypatch.setattr(excel, "FREE_BYTES", 10_000)
    bomb = packed(
        tmp_path / "a.xlsx", {"xl/workbook.xml": "<x/>", "xl/worksheets/sheet1.xml": " " * 10_000_000}
    )
    assert "a.xlsx: it unpacks to 10,000,004 bytes" in refusal(bomb)
    assert "not a whole spreadsheet" in refusal(put(tmp_path / "b.xlsx", b"PK\x03\x04 and so on"))
    assert "not a whole spreadsheet" in refusal(put(tmp_path / "c.xls", b"no spreadsheet"))
    assert "not a whole spreadsheet" in refusal(packed(tmp_path / "d.ods", {"content.xml": "<a"}))


def test_spreadsheets_need_their_extra(tmp_path, monkeypatch):
    path = put(tmp_path / "t.xlsx", workbook_bytes())
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    with pytest.raises(MissingExtraError, match=r"python-calamine: .* -m pip install .*\[formats\]'"):
        cs.read(path)
