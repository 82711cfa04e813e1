"""The coder's file: version 1 as a page saved it stays readable; what is changed, cut or newer is refused.

Source of truth: the file in this folder, saved by the page in a browser, and what its coder did there.
"""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

import caesura as cs
from caesura.cli import run
from caesura.io.page_files import checksum_of, digest
from caesura.io.registry import FORMATS
from caesura.io.writing import not_kept

VERSION_1 = Path(__file__).parent / "annotation_version_1.json"


@pytest.fixture
def content() -> dict[str, Any]:
    return json.loads(VERSION_1.read_text(encoding="utf-8"))


@pytest.fixture
def corpus() -> cs.Corpus:
    with pytest.warns(UserWarning, match="ann has not finished: hill"):
        return cs.read(VERSION_1)


def refusal(content: dict[str, Any], path: Path, *, resealed: bool = True) -> str:
    if resealed:
        content["checksum"] = checksum_of(content)
    path.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(cs.CaesuraError) as error:
        cs.read(path)
    message = str(error.value)
    assert message.startswith(f"{path}: ")
    assert "\n" not in message
    return message.removeprefix(f"{path}: ")


def test_version_1_is_read(corpus):
    assert sorted((name, who) for name, who, _ in corpus) == [("rain", "ann"), ("sea", "ann")]
    assert corpus["rain", "ann"].boundaries == ((2, 1), (2, 2))
    assert corpus["sea", "ann"].boundaries == ()
    assert corpus.type_scheme == cs.TypeScheme({1: "topic", 2: "place"}, nominal=True)
    assert corpus.units["rain"][3] == "We went out – «at last» ☀."
    assert corpus.metadata["unfinished"] == {"ann": ("hill",)}
    assert corpus.metadata["format"] == "annotation"


def test_what_the_coder_typed_are_columns(corpus):
    frame = corpus.to_frame().set_index("document")
    assert frame.loc["rain", "titles"] == ["A wet day", "Sun ☀"]
    assert frame.loc["rain", "comments"] == ["", "“dry” at last"]
    assert frame.loc["rain", "unsure"] == [2]
    assert frame.loc["sea", "titles"] == [""]
    assert list(frame["seconds"]) == [corpus.details["seconds"][i] for i in range(2)]


def test_columns_follow_their_codings(corpus):
    other = cs.Corpus.from_dict({"rain": {"bob": [1, 3]}, "moor": {"bob": [2, 2]}})
    merged = cs.Corpus.merge(other, corpus)
    by_coding = {(name, who): i for i, (name, who, _) in enumerate(merged)}
    titles = merged.details["titles"]
    assert titles[by_coding["rain", "ann"]] == ["A wet day", "Sun ☀"]
    assert titles[by_coding["rain", "bob"]] is titles[by_coding["moor", "bob"]] is None
    assert merged.select(coders=["ann"], documents=["rain"]).details["titles"] == (["A wet day", "Sun ☀"],)
    assert merged.select(coders=["bob"]).details["titles"] == (None, None)
    assert corpus != corpus.with_details({})
    assert corpus == copy.deepcopy(corpus)


def test_json_lines_keep_them_and_a_table_shows_them(corpus, tmp_path):
    cs.write(corpus, tmp_path / "codings.jsonl")
    again = cs.read(tmp_path / "codings.jsonl")
    assert again.details == corpus.details
    assert again.segmentations() == corpus.segmentations()
    cs.write(corpus, tmp_path / "codings.csv")
    header, first, *_ = (tmp_path / "codings.csv").read_text(encoding="utf-8").splitlines()
    assert header == "document,coder,n_units,positions,types,seconds,unsure,titles,comments"
    assert '"[""A wet day"", ""Sun ☀""]"' in first
    assert cs.read(tmp_path / "codings.csv").segmentations() == corpus.segmentations()
    assert "what else is known of codings (seconds, unsure, titles and comments)" in not_kept(
        corpus, FORMATS["parquet"], "x.parquet"
    )


def test_spaces_and_the_order_of_entries_do_not_matter(content, tmp_path, corpus):
    path = tmp_path / "again.json"
    path.write_text(json.dumps(dict(reversed(content.items())), indent=7), encoding="utf-8")
    with pytest.warns(UserWarning, match="ann has not finished: hill"):
        assert cs.read(path).segmentations() == corpus.segmentations()


@pytest.mark.parametrize(
    "change",
    [
        lambda content: content.update(coder="bob"),
        lambda content: content["documents"][0].update(seconds=1_000),
        lambda content: content["documents"][1]["positions"].append(1),
        lambda content: content["documents"][2].update(done=not content["documents"][2]["done"]),
        lambda content: content.pop("checksum"),
        lambda content: content.update(checksum=0),
    ],
)
def test_a_changed_file_is_refused_with_what_to_do(content, tmp_path, change):
    change(content)
    message = refusal(content, tmp_path / "a.json", resealed=False)
    assert "its checksum does not fit" in message
    assert "press Save file again" in message


def test_a_number_beyond_all_floats_is_refused(content, tmp_path):
    path = tmp_path / "ann.json"
    path.write_text(
        json.dumps({**content, "version": 1, "seconds": 0}).replace('"seconds": 0', '"seconds": 1e400')
    )
    with pytest.raises(cs.CorpusError, match=r"ann.json: its checksum does not fit"):
        cs.read(path)


def test_a_cut_file_is_refused(tmp_path):
    text = VERSION_1.read_text(encoding="utf-8")
    path = tmp_path / "a.json"
    path.write_text(text[: len(text) // 2], encoding="utf-8")
    with pytest.raises(cs.CaesuraError, match=r"not valid JSON: .* is it cut off"):
        cs.read(path, "annotation")


def of(content: dict[str, Any], name: str) -> dict[str, Any]:
    (found,) = (one for one in content["documents"] if one["document"] == name)
    return found


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (
            lambda c: c.update(version=2),
            "caesura (file version 2, supported: 1); upgrade caesura",
        ),
        (lambda c: c.update(version="1"), "its version is '1': expected a number from 1 to 1"),
        (lambda c: c.update(coder=5), "coder is 5: expected text"),
        (lambda c: c.update(documents={}), "documents is {}: expected a list"),
        (lambda c: c.update(documents=[3]), "documents[0] is 3: expected an object"),
        (lambda c: c["documents"][0].pop("document"), "documents[0]: document is None: expected text"),
        (lambda c: of(c, "rain").update(done=1), "document rain: done is 1: expected true or false"),
        (lambda c: of(c, "rain").update(positions=[9, 9]), "document rain: coder ann: "),
        (lambda c: of(c, "rain").update(types=[1]), "document rain: coder ann: "),
        (lambda c: of(c, "rain").update(types=[1, 3]), "type"),
        (lambda c: of(c, "rain").update(seconds=True), "document rain: seconds is True: expected a number"),
        (lambda c: of(c, "rain").update(titles=["x"]), "document rain: titles is ['x']: expected 2 texts"),
        (lambda c: of(c, "rain")["units"].pop(), "document rain: "),
        (lambda c: of(c, "rain").update(units=[]), "document rain: "),
        (lambda c: c.update(scheme={"kind": "colors", "names": ["a"]}), "scheme is "),
        (lambda c: c.update(scheme={"kind": "types", "names": []}), "scheme is "),
    ],
)
def test_what_a_page_never_saves_is_named(content, tmp_path, change, expected):
    change(content)
    assert expected in refusal(content, tmp_path / "a.json")


def test_levels_are_a_hierarchy(content, tmp_path):
    content["scheme"] = {"kind": "levels", "names": ["part", "chapter"]}
    of(content, "rain").update(positions=[1, 3], types=[2, 1], titles=[], comments=[], unsure=[])
    content["checksum"] = checksum_of(content)
    (tmp_path / "a.json").write_text(json.dumps(content), encoding="utf-8")
    with pytest.warns(UserWarning, match="hill"):
        corpus = cs.read(tmp_path / "a.json")
    assert corpus.is_hierarchical
    assert corpus["rain", "ann"].boundaries == ((1, 2), (3, 1))
    assert corpus.level(1)["rain", "ann"].masses == (3, 1)


def study(coders: dict[str, dict[str, list[int] | None]], folder: Path, units: int = 6) -> list[str]:
    """Write files as pages save them: positions by document; None is not finished."""
    paths = []
    for coder, codings in coders.items():
        texts = {name: [f"{name} {i}" for i in range(units)] for name in codings}
        documents = [
            {
                "document": name, "digest": digest(texts[name]), "n_units": units, "units": texts[name],
                "done": positions is not None, "said": None, "read": True, "seconds": 5,
                "positions": positions or [], "types": [], "unsure": [], "titles": [], "comments": [],
            }
            for name, positions in codings.items()
        ]  # fmt: skip
        made: dict[str, Any] = {
            "format": "caesura annotation", "version": 1, "study": "x", "coder": coder, "scheme": None,
            "questions": [], "documents": documents,
        }  # fmt: skip
        path = folder / f"{coder}.json"
        path.write_text(json.dumps({**made, "checksum": checksum_of(made)}), encoding="utf-8")
        paths.append(str(path))
    return paths


def test_agree_and_report_name_everybody_who_is_missing_something(tmp_path, capsys):
    """Five coders have not finished: all of them are named, although few notices of files are shown."""
    done: dict[str, list[int] | None] = {"d1": [2, 4], "d2": [3]}
    coders = {f"c{i}": done | ({"d2": None} if i < 6 else {}) for i in range(1, 9)}
    paths = study(coders, tmp_path)
    expected = "; ".join(f"c{i} has not finished: d2" for i in range(1, 6))
    assert run(["agree", *paths]) == 0
    assert expected in capsys.readouterr().err
    assert run(["report", *paths, "-o", str(tmp_path / "r.html"), "--resamples", "0"]) == 0
    assert expected in capsys.readouterr().err


def test_a_coder_who_has_finished_nothing_is_named_and_the_others_count(tmp_path, capsys):
    paths = study({"ann": {"d1": [2]}, "bob": {"d1": [3]}, "cy": {"d1": None}}, tmp_path)
    assert run(["agree", *paths]) == 0
    said = capsys.readouterr()
    assert "cy has not finished: d1" in said.err
    assert "Traceback" not in said.err
    with pytest.warns(UserWarning, match="cy has not finished: d1"):
        assert cs.read(paths).coders == ("ann", "bob")


def test_nobody_has_finished_anything(tmp_path, capsys):
    assert run(["agree", *study({"cy": {"d1": None}}, tmp_path)]) == 1
    said = capsys.readouterr().err
    assert "cy has not finished: d1" in said
    assert said.count("\n") <= 2


def test_an_end_that_was_never_on_the_screen_is_noted(tmp_path):
    (path,) = study({"ann": {"d1": [2]}}, tmp_path)
    content = json.loads(Path(path).read_text(encoding="utf-8"))
    content["documents"][0]["read"] = False
    content["checksum"] = checksum_of(content)
    Path(path).write_text(json.dumps(content), encoding="utf-8")
    corpus = cs.read(path)
    assert corpus["d1", "ann"].positions == (2,)
    (said,) = corpus.metadata["understood"]
    assert said.endswith("1 boundary (not said to be all, and the end never on the screen: d1)")


def test_texts_that_differ_between_coders_are_refused(tmp_path):
    first, second = tmp_path / "1", tmp_path / "2"
    for folder in (first, second):
        folder.mkdir()
    one = study({"ann": {"d1": [2]}}, first)
    other = study({"bob": {"d1": [2]}}, second, units=7)
    with pytest.raises(cs.CaesuraError, match="d1"):
        cs.read([*one, *other])


def test_what_is_written_is_read_and_opened_again(tmp_path):
    """Titles, comments, doubts and times go with it; several coders, or no texts, are refused."""
    path = Path(__file__).with_name("annotation_version_1.json")
    with pytest.warns(UserWarning, match="has not finished"):
        corpus = cs.read(path)
    cs.write(corpus, tmp_path / "again.json", "annotation")
    again = cs.read(tmp_path / "again.json")
    assert again.to_records() == corpus.to_records()  # with titles, comments, doubts and seconds
    assert (again.units, again.type_scheme) == (corpus.units, corpus.type_scheme)
    two = cs.Corpus.from_dict({"d": {"ann": [1, 1], "bob": [2]}}, units={"d": ["One.", "Two."]})
    with pytest.raises(cs.CorpusError, match="one coder's, and there are ann and bob"):
        cs.write(two, tmp_path / "two.json", "annotation")
    with pytest.raises(cs.CorpusError, match="text"):
        cs.write(cs.Corpus.from_dict({"d": {"ann": [1, 1]}}), tmp_path / "bare.json", "annotation")
