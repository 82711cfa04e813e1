"""WebAnno's TSV 3. Source of truth: the facts counted for the real files, and files by hand."""

from __future__ import annotations

import time
import warnings
from pathlib import Path

import pytest
from tests.real_data import data_path

from caesura import Corpus, CorpusError
from caesura.io.files import Source
from caesura.io.formats.webanno import _sheet, _spans, _stacked, _unescaped
from caesura.io.reading import read
from caesura.io.registry import FORMATS

BACKSLASHES = "\\" * 200_000
HEADER = "#FORMAT=WebAnno TSV 3.3\n#T_SP=webanno.custom.Topic|kind|note\n\n\n"


def put(path: Path, text: str) -> Path:
    path.write_bytes(text.encode())
    return path


def quietly(path: Path, **options: object) -> Corpus:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return read(path, **options)


def rows(*cells: str, sentence: int = 1, first: int = 0) -> str:
    """Lines of one-letter tokens with these values of kind."""
    return "".join(
        f"{sentence}-{place + 1}\t{first + 2 * place}-{first + 2 * place + 1}\tx\t{cell}\t_\n"
        for place, cell in enumerate(cells)
    )


def masses(path: Path, tier: str, **rules: str) -> list[int]:
    ((_, coder, coding),) = quietly(path, tiers=[tier], **rules)
    assert coder == tier
    return list(coding.masses)


# -------------------------------------------------------------------- real files


REAL = [
    ("neuged_test_input", [18, 21], 39, [0, 81], 205),
    ("neuged_test_input_multi_sentence_span", [4, 3], 7, None, 21),
    ("neuged_test_input_quotes", [6], 6, [0], 26),
    ("neuged_test_input_v3.3", [7, 42], 49, [0, 30], 280),
    ("webanno2csv_sample", [31, 14, 21, 19, 19], 332, [0, 168, 253, 373, 472], 1782),
]


@pytest.mark.parametrize(("name", "sentences", "n_tokens", "starts", "end"), REAL)
def test_sentences_of_real_files(name, sentences, n_tokens, starts, end):
    path = data_path("formats", "webanno", f"{name}.tsv")
    with pytest.warns(UserWarning, match="the layers .* are not: tiers=|offsets do not ascend"):
        corpus = read(path)
    assert corpus.metadata["format"] == "webanno"
    ((document, coder, coding),) = corpus
    assert (document, coder) == (name, "sentences")
    assert list(coding.masses)[:5] == sentences
    assert coding.n_units == n_tokens
    if starts is None:
        assert len(corpus.spans) == 0
        assert any("offsets do not ascend" in notice for notice in corpus.metadata["notices"])
    else:
        units = corpus.spans[document]
        assert [0, *units.offsets(coding).tolist()][:5] == starts
        assert units.end == end


LAYERS = {
    "neuged_test_input": {
        "POS|PosValue": (39, [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)]),
        "Lemma|value": (40, [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)]),
        "LetterEntity|entity_id": (10, [(2, 3), (3, 4), (5, 6), (6, 7), (8, 12)]),
        "LetterEntity|value": (10, [(2, 3), (3, 4), (5, 6), (6, 7), (8, 12)]),
    },
    "neuged_test_input_multi_sentence_span": {
        "POS|PosValue": (0, []),
        "Lemma|value": (1, [(0, 1)]),
        "LetterEntity|entity_id": (0, []),
        "LetterEntity|value": (1, [(3, 5)]),
    },
    "neuged_test_input_quotes": {
        "POS|PosValue": (0, []),
        "Lemma|value": (6, [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)]),
        "LetterEntity|entity_id": (0, []),
        "LetterEntity|value": (0, []),
    },
    "neuged_test_input_v3.3": {
        "LetterEntity|entity_id": (9, [(0, 1), (2, 3), (3, 4), (5, 9), (17, 18)]),
        "LetterEntity|value": (9, [(0, 1), (2, 3), (3, 4), (5, 9), (17, 18)]),
        "Tex|LayoutElement": (1, [(9, 16)]),
    },
    "webanno2csv_sample": {
        "Canonicalform|Canonical": (1, [(176, 178)]),
        "Category|Category": (42, [(0, 1), (9, 10), (13, 14), (31, 32), (33, 35)]),
        "Definitionelement|Def_element": (38, [(0, 1), (1, 2), (2, 5), (31, 32), (32, 33)]),
        "Relation|Relation": (35, [(2, 3), (7, 11), (11, 18), (20, 25), (37, 41)]),
        "Relation_definitor|Rel_verb_frame": (16, [(7, 9), (11, 12), (20, 22), (37, 39), (41, 42)]),
    },
}


@pytest.mark.parametrize("name", LAYERS)
def test_layers_of_real_files(name):
    path = data_path("formats", "webanno", f"{name}.tsv")
    sheet = _sheet(Source(path, name))
    columns = {
        f"{layer.name}|{feature}": column
        for layer in sheet.layers
        for feature, column in layer.features.items()
    }
    assert list(columns) == list(LAYERS[name])
    for tier, (n_spans, first) in LAYERS[name].items():
        spans = sorted(_spans(sheet, [columns[tier]]))
        assert (len(spans), spans[:5]) == (n_spans, first)
        corpus = quietly(path, tiers=[tier], gaps="segment", overlap="edges")
        if not spans:
            assert len(corpus) == 0
            continue
        ((_, coder, coding),) = corpus
        assert coder == tier
        edges = {edge for span in spans for edge in span} - {0, coding.n_units}
        assert set(coding.positions) == edges


def test_the_quotes_are_tokens():
    corpus = quietly(data_path("formats", "webanno", "neuged_test_input_quotes.tsv"))
    assert corpus.units["neuged_test_input_quotes"] == ("a", "sentence", "with", '"', "quotes", '"')


# -------------------------------------------------------------------- by hand


def test_the_example_is_read(tmp_path):
    path = put(tmp_path / "x.tsv", FORMATS["webanno"].example)
    with pytest.warns(UserWarning, match=r"the layers Clause\|kind are not: tiers="):
        corpus = read(path)
    assert corpus.to_dict() == {"x": {"sentences": [6, 2]}}
    assert corpus.units["x"] == ("When", "it", "rained", "we", "stayed", ".", "Good", ".")
    both = read(path, tiers=["sentences", "Clause"])
    assert both.to_dict() == {"x": {"sentences": [6, 2], "Clause": [3, 3, 2]}}
    assert masses(path, "webanno.custom.Clause|kind") == [3, 3, 2]


@pytest.mark.parametrize(
    ("cells", "rules", "expected"),
    [
        (["a", "b[1]", "b[1]", "c"], {}, [1, 2, 1]),
        (["*", "*", "*"], {}, [1, 1, 1]),
        (["a[1]", "a[1]", "_", "b"], {"gaps": "segment"}, [2, 1, 1]),
        (["a[1]", "a[1]", "_", "b"], {"gaps": "join"}, [3, 1]),
        (["a[1]", "a[1]|b[2]", "b[2]"], {"overlap": "start"}, [1, 2]),
        (["a[1]", "a[1]|b[2]", "b[2]"], {"overlap": "end"}, [2, 1]),
        (["a[1]|c[3]", "a[1]|c[3]"], {}, [2]),  # the same span twice
        ([r"a\[1\]", r"a\[1\]"], {}, [1, 1]),  # brackets of the value
        ([r"a\|b[7]", r"a\|b[7]", r"\_"], {}, [2, 1]),
    ],
)
def test_values(tmp_path, cells, rules, expected):
    path = put(tmp_path / "d.tsv", HEADER + rows(*cells))
    assert masses(path, "Topic|kind", **rules) == expected
    assert masses(path, "Topic", **rules) == expected


def test_spans_that_overlap_or_leave_tokens_out_need_a_rule(tmp_path):
    path = put(tmp_path / "d.tsv", HEADER + rows("a", "_"))
    with pytest.raises(CorpusError, match=r"document d: coder Topic\|kind: .*gaps='segment'"):
        quietly(path, tiers=["Topic|kind"])
    path = put(tmp_path / "d.tsv", HEADER + rows("a[1]", "a[1]|b[2]", "b[2]"))
    with pytest.raises(CorpusError, match="overlap='start'"):
        quietly(path, tiers=["Topic|kind"])


def test_a_layer_without_spans_is_not_coded(tmp_path):
    path = put(tmp_path / "d.tsv", HEADER + rows("_", "_"))
    with pytest.warns(UserWarning, match="the layer Topic has no span here: it has no annotations"):
        corpus = read(path, tiers=["Topic", "sentences"])
    assert corpus.to_dict() == {"d": {"sentences": [2]}}


def test_parts_of_tokens_count_for_the_whole(tmp_path):
    text = HEADER + rows("_", "_", "_") + "1-3.1\t4-4\tx\ta\t_\n"
    assert masses(put(tmp_path / "d.tsv", text), "Topic", gaps="segment") == [2, 1]


def test_other_layers_have_columns_too(tmp_path):
    header = (
        "#FORMAT=WebAnno TSV 3.2\n#T_SP=a.One|\n#T_CH=a.Chain|type|relation\n"
        "#T_RL=a.Link|kind|BT_a.One\n#T_SP=a.Two|x\n\n"
    )
    body = "".join(f"1-{i}\t{i}-{i + 1}\tx\t*\t_\t_\t_\t_\t{v}\n" for i, v in enumerate("pq", start=1))
    corpus = read(put(tmp_path / "d.tsv", header + body), tiers=["One", "Two|x"])
    assert corpus.to_dict() == {"d": {"One": [1, 1], "Two|x": [1, 1]}}


def test_offsets_of_java_become_code_points(tmp_path):
    text = "#FORMAT=WebAnno TSV 3.3\n\n#Text=a 🙂🙂 b\n1-1\t0-1\ta\n1-2\t2-6\t🙂🙂\n1-3\t7-8\tb\n"
    assert read(put(tmp_path / "d.tsv", text)).spans["d"].spans == ((0, 1), (2, 4), (5, 6))
    counted = text.replace("2-6", "2-4").replace("7-8", "5-6")
    assert read(put(tmp_path / "e.tsv", counted)).spans["e"].spans == ((0, 1), (2, 4), (5, 6))


def test_escapes():
    assert _unescaped(r"a\_b\\c\|d\te\->f") == "a_b\\c|d\te->f"
    assert _unescaped("end\\") == "end\\"
    assert _stacked(r"a\|b|c\\|d") == [r"a\|b", r"c\\", "d"]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (HEADER + rows("a") + "1-2\t2-3\tx\ta", r"line 6 .* expected 5 columns, not 4; .*cut off"),
        (HEADER + "1-1\t0-1\tx\n" + rows("a"), "line 5 .* expected 5 columns, not 3; .*declare all layers"),
        (HEADER + "1\t0-1\tx\t_\t_\n", "line 5: the token's number is '1': expected two numbers such as 2-1"),
        (HEADER + "1-1\t0\tx\t_\t_\n", "line 5: the token's place is '0': expected two numbers such as 0-5"),
        (HEADER + "1-1\t0--1\tx\t_\t_\n", "line 5: the token's place is"),
        (HEADER + "1-1\t5-1\tx\t_\t_\n", "line 5: the token ends at 1, before it begins at 5"),
        (HEADER + "1-1.1\t0-1\tx\t_\t_\n", "line 5: '1-1.1' is not a part of the token before it"),
        (HEADER + f"1-1\t0-{'9' * 5000}\tx\t_\t_\n", "line 5: the token's place is"),
        (HEADER + rows("a") + "#T_SP=a.B|c\n", "line 6: a layer is declared below the first token"),
        (HEADER + rows("a") + "1-3\t2-3\tx\t_\t_\n", "line 6: token '1-3' follows 1-1: is a line missing"),
        (HEADER + rows("a") + "2-2\t2-3\tx\t_\t_\n", "line 6: token '2-2' follows 1-1: is a line missing"),
        (HEADER, "there are no tokens"),
        (HEADER + rows("a") + "\0", "is a NUL"),
    ],
)  # fmt: skip
def test_faults_name_the_line(tmp_path, text, fault):
    path = put(tmp_path / "d.tsv", text)
    with pytest.raises(CorpusError, match=fault) as error:
        quietly(path)
    assert str(error.value).startswith(f"{path}: ")
    assert len(str(error.value).splitlines()) == 1


def test_files_of_other_versions(tmp_path):
    path = put(tmp_path / "d.tsv", "#id=1\n1-1\tx\n")
    with pytest.raises(CorpusError, match="line 1 is '#id=1': expected #FORMAT=WebAnno TSV 3"):
        read(path, "webanno")


def test_layers_that_are_not_there(tmp_path):
    path = put(tmp_path / "d.tsv", HEADER + rows("a"))
    with pytest.raises(CorpusError, match="unknown layer 'Topics'; did you mean 'Topic'"):
        read(path, tiers=["Topics"])


def test_layers_of_one_short_name_need_their_full_one(tmp_path):
    header = "#FORMAT=WebAnno TSV 3.3\n#T_SP=a.One|x\n#T_SP=b.One|x\n\n"
    path = put(tmp_path / "d.tsv", header + "1-1\t0-1\tx\tp[1]\tp\n1-2\t2-3\tx\tp[1]\tp\n")
    assert masses(path, "a.One") == [2]
    assert masses(path, "b.One|x") == [1, 1]
    with pytest.raises(CorpusError, match="unknown layer 'One'"):
        read(path, tiers=["One"])


@pytest.mark.exhaustive
def test_hostile_files_take_linear_time(tmp_path):
    start = time.process_time()
    path = put(tmp_path / "long.tsv", HEADER + rows(*(f"a[{place // 4 + 1}]" for place in range(100_000))))
    assert masses(path, "Topic") == [4] * 25_000
    for number, cell in enumerate(
        ["a|" * 100_000, "a\\|" * 66_000, BACKSLASHES, "[" * 200_000, "a[1]|" * 40_000]
    ):
        assert masses(put(tmp_path / f"{number}.tsv", HEADER + rows(cell)), "Topic") == [1]
    form = put(tmp_path / "form.tsv", HEADER + f"1-1\t0-1\t{BACKSLASHES}\t_\t_\n")
    assert quietly(form).to_dict() == {"form": {"sentences": [1]}}
    assert time.process_time() - start < 60  # no bar of speed: what is quadratic takes minutes


def test_files_of_an_exported_project_are_of_their_users(tmp_path):
    for user, cells in {
        "ann": ["a[1]", "a[1]", "b[2]", "b[2]"],
        "bob": ["a[1]", "b[2]", "b[2]", "b[2]"],
    }.items():
        folder = tmp_path / "annotation" / "d1.txt"
        folder.mkdir(parents=True, exist_ok=True)
        put(folder / f"{user}.tsv", HEADER + "#Text=x x x x\n" + rows(*cells))
    for path in (tmp_path, tmp_path / "annotation", tmp_path / "annotation" / "d1.txt"):
        assert read(path, tiers=["Topic"]).to_dict() == {"d1.txt": {"ann": [2, 2], "bob": [1, 3]}}
    assert set(read(tmp_path, tiers=["Topic", "sentences"]).coders) == {
        *("ann Topic", "ann sentences"),
        *("bob Topic", "bob sentences"),
    }
    with pytest.raises(CorpusError, match=r"choose a layer by tiers=, Topic\|kind and Topic\|note"):
        read(tmp_path)
