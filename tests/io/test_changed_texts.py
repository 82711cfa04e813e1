"""Files with changed copies of texts: boundaries go onto the units of the originals.

Source of truth: texts that are changed here at known places.
"""

from __future__ import annotations

import json
import random
import warnings

import pytest
from tests.real_data import data_path

import caesura as cs
from caesura import cli

GOLD = """It rained all day.
We stayed in.
=====
Then the sun came out,
and all was dry again.
=====
We went for a walk.
"""

COPY = """It rained all day. We stayed in.
---
Then the sun came out,
and everything was dry again.
---
We went out for a walk.
"""


@pytest.fixture
def gold(tmp_path):
    path = tmp_path / "gold.txt"
    path.write_text(GOLD)
    return cs.read(path)


def put(folder, name, text):
    path = folder / name
    path.write_text(text)
    return path


def test_boundaries_go_onto_the_units_of_the_original(tmp_path, gold):
    copy = cs.read(put(tmp_path, "gpt.txt", COPY), text_of=gold)
    assert copy.documents == gold.documents  # one document each
    assert copy["gold", "reference"].masses == (2, 2, 1)
    assert copy.units["gold"] == gold.units["gold"]
    (line,) = copy.metadata["understood"]
    words = "95.5 % kept, 4.5 % altered, 0 % lost of 22 words; 4.3 % added of 23 words"
    assert line.endswith(f"gpt.txt as marked: 1 document, 1 coder; {words}")


PARTS = [
    "It rained all day. We stayed in.",
    "Then the sun came out,\nand all was dry again.",
    "We went for a walk.",
]
FILES = {
    "strings": PARTS,
    "strings by document": {"gold": PARTS},
    "an object without a name": {"chunks": PARTS},
    "langchain": [{"page_content": part, "metadata": {}} for part in PARTS],
    "langchain, not found": [{"page_content": part, "metadata": {"start_index": -1}} for part in PARTS],
    "llamaindex": [{"text": part, "start_char_idx": None, "relationships": {}} for part in PARTS],
    "llamaindex, made by hand": [{"id_": part, "text": part, "relationships": {}} for part in PARTS],
}


@pytest.mark.parametrize("content", FILES.values(), ids=list(FILES))
@pytest.mark.parametrize("changed", [False, True])
def test_chunks_without_offsets_are_found_or_aligned(tmp_path, gold, content, changed):
    """Where words differ, nothing is found as it is; the boundaries are those of the parts all the same."""
    text = json.dumps(content)
    path = put(tmp_path, "gpt.json", text.replace("dry", "wet") if changed else text)
    with pytest.raises(cs.CorpusError, match=r"text_of=|no format fits"):
        cs.read(path)
    copy = cs.read(path, "chunks" if content == FILES["strings by document"] else None, text_of=gold)
    assert copy["gold", "gpt"].masses == (2, 2, 1)
    assert ("4.5 % altered" in copy.metadata["understood"][0]) is changed


def test_spans_without_a_text_are_those_of_the_original(tmp_path, gold):
    text = "\n".join(gold.units["gold"])
    cut = text.index("We went")
    path = put(tmp_path, "gpt.json", json.dumps([[0, cut], [cut, len(text)]]))
    assert cs.read(path, "chunks", text_of=gold)["gold", "gpt"].masses == (4, 1)
    put(tmp_path, "gpt.json", json.dumps([[0, cut], [cut, len(text) + 1]]))
    with pytest.raises(cs.CorpusError, match=r"chunk 1: \(79, 99\) is not a span of a text of 98"):
        cs.read(path, "chunks", text_of=gold)


@pytest.mark.parametrize("name", ["strings_800_200.json", "rust.json", "llamaindex.json"])
def test_chunks_of_a_speech_have_the_cuts_that_read_chunks_finds(name):
    folder = data_path("retrieval")
    text = (folder / "state_of_the_union.md").read_text(encoding="utf-8")
    units = {"state_of_the_union": cs.Units.from_text(text, by="sentence")}
    speech = cs.Corpus.from_dict({name: {"ann": [len(own)]} for name, own in units.items()}).with_spans(units)
    path = folder / f"state_of_the_union.{name}"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that cuts inside of sentences move
        moved = cs.read(path, text_of=speech, overlap=None if name == "rust.json" else "middle")
        chunks = cs.read_chunks(path, {"state_of_the_union": text})
        expected = chunks.corpus(speech, overlap="middle", gaps="join")
    assert next(iter(moved))[2] == next(iter(expected))[2]


def test_a_boundary_in_lost_text_says_so_and_how_far_it_may_be_off(tmp_path, gold):
    copy = COPY.replace("Then the sun came out,\n", "")
    path = put(tmp_path, "gpt.txt", copy)
    with pytest.warns(UserWarning, match="1 boundary is in the middle of text that was lost") as warned:
        moved = cs.read(path, text_of=gold, least_kept=0.7)
    lost = len("Then the sun came out,\n")
    assert f"off by up to {lost} characters" in str(warned[0].message)
    assert f"1 of 2 boundaries may be off, by up to {lost} characters" in moved.metadata["understood"][0]


def test_another_text_is_refused_with_the_figures(tmp_path, gold):
    path = put(tmp_path, "gpt.txt", COPY.replace("a", "o"))
    with pytest.raises(cs.CorpusError, match=r"document gold: .* kept, .* altered, .* least_kept= accepts"):
        cs.read(path, text_of=gold)


def test_an_unchanged_text_stays_as_it_is(tmp_path, gold):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        again = cs.read(tmp_path / "gold.txt", text_of=gold)
    assert again == gold
    assert again.metadata["understood"][0].endswith("1 document, 1 coder")


def test_a_coding_without_text_must_have_as_many_units(tmp_path, gold):
    right, wrong = (put(tmp_path, f"{n}.gaps", "0" * n) for n in (4, 5))
    assert cs.read(right, text_of=gold).units["gold"] == gold.units["gold"]
    with pytest.raises(cs.CorpusError, match="no text to align, but 6 units"):
        cs.read(wrong, text_of=gold)


def test_documents_go_by_their_names(tmp_path, gold):
    originals = cs.Corpus.merge(gold, gold.rename(documents={"gold": "e"}))
    put(tmp_path, "e.txt", COPY)
    assert cs.read(tmp_path / "e.txt", text_of=originals)["e", "reference"].masses == (2, 2, 1)
    with pytest.raises(cs.CorpusError, match="document f is not among"):
        cs.read(put(tmp_path, "f.txt", COPY), text_of=originals)


def test_an_original_without_text_is_refused(tmp_path):
    with pytest.raises(cs.CorpusError, match="the original has no text"):
        cs.read(put(tmp_path, "gpt.txt", COPY), text_of=cs.Corpus.from_dict({"gpt": {"ann": [5]}}))


@pytest.mark.parametrize("options", [{"text_of": "gold.txt"}, {"least_kept": 2}, {"least_kept": "most"}])
def test_bad_options_are_refused(tmp_path, options):
    with pytest.raises(cs.ParameterError, match=next(iter(options))):
        cs.read(put(tmp_path, "gpt.txt", COPY), **options)


def test_least_kept_alone_is_refused(tmp_path):
    with pytest.raises(cs.ParameterError, match=r"least_kept= is 0\.5 and fits none"):
        cs.read(put(tmp_path, "gpt.txt", COPY), least_kept=0.5)


def test_ranks_and_types_stay(tmp_path):
    texts = ["One two three.", "Four five six.", "Seven eight nine.", "Ten."]
    gold = cs.Corpus.from_dict({"d": {"ann": [4]}}).with_texts({"d": texts})
    path = put(
        tmp_path, "d.md", "# a\n\nOne two\nthree\n\n## b\n\nFour 5 six Seven eight nine\n\n# c\n\nTen\n"
    )
    assert cs.read(path, text_of=gold)["d", "reference"].boundaries == ((1, 2), (3, 1))


@pytest.mark.parametrize(("rate", "least"), [(0.0, 1.0), (0.1, 0.99), (0.2, 0.98)])
def test_sentences_of_corrupted_texts_come_back(tmp_path, rate, least):
    n_same = n_all = 0
    for seed in range(6):
        rng = random.Random(seed)
        sentences = [
            [f"w{int(2000 ** rng.random())}" for _ in range(rng.randrange(5, 25))] for _ in range(80)
        ]
        starts = sorted(rng.sample(range(1, 80), 12))
        gold = cs.Corpus.from_dict({"d": {"ann": cs.Segmentation.from_positions(starts, n_units=80)}})
        gold = gold.with_texts({"d": [" ".join(words) + "." for words in sentences]})
        lines = []
        for index, words in enumerate(sentences):
            lines += ["[CUT]"] if index in starts else []
            copied = [word for word in words if rng.random() > rate / 3]
            copied = [word if rng.random() > rate / 3 else f"new{rng.randrange(999)}" for word in copied]
            lines += [word + " more" * (rng.random() < rate / 3) for word in copied] or ["…"]
        path = put(tmp_path, f"{seed}.txt", "\n".join(lines))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            copy = cs.read(path, marker="[CUT]", text_of=gold)
        n_same += len(set(copy["d", "reference"].positions) & set(starts))
        n_all += len(starts)
    assert n_same / n_all >= least


def run(capsys, *arguments):
    code = cli.run([*map(str, arguments)])
    return code, *capsys.readouterr()


@pytest.mark.parametrize(
    "command",
    ["score {gold} gpt={copy}", "describe {copy}", "compare {gold} gpt={copy} -s gpt", "diff {gold} {copy}"],
)
def test_every_command_takes_the_original(tmp_path, capsys, gold, command):
    files = {"gold": tmp_path / "gold.txt", "copy": put(tmp_path, "gpt.txt", COPY)}
    words = [word.format(**files) for word in command.split()]
    code, out, err = run(capsys, *words, "--text", files["gold"])
    assert code == 0, err
    assert "95.5 % kept" in err
    assert "95.5 % kept" not in out


def test_the_command_line_refuses_in_its_own_words(tmp_path, capsys, gold):
    copy, text = put(tmp_path, "gpt.txt", COPY), tmp_path / "gold.txt"
    code, _, err = run(capsys, "describe", copy, "--text", text, "--least-kept", "0.99")
    assert code == 1
    assert err.strip().endswith("is it the same text? --least-kept accepts less")
    assert run(capsys, "describe", copy, "--text", tmp_path / "none.txt")[0] == 2
    assert run(capsys, "describe", copy, "--text", text, "--least-kept", "x")[0] == 2
    assert run(capsys, "describe", copy, "--text", text, "--least-kept", "2")[0] == 2
    assert run(capsys, "describe", copy, "--least-kept", "0.5")[0] == 1


def test_the_original_may_be_of_another_format_than_data(tmp_path, capsys, gold):
    cs.write(gold, tmp_path / "gold.jsonl")
    copy = put(tmp_path, "gpt.txt", COPY)
    assert run(capsys, "describe", copy, "--from", "marked", "--text", tmp_path / "gold.jsonl")[0] == 0
