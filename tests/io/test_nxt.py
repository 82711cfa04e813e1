"""NXT's topics.

Source of truth: the facts that the README of the sample files states (computed without caesura), and a naive
reader of the same files (all words in one sorted list, every range walked word by word).
"""

from __future__ import annotations

import re
import time
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from tests.real_data import data_path

from caesura.io.reading import read
from caesura.io.registry import FORMATS

from .timed import put, quietly, refusal

EXAMPLE = FORMATS["nxt"].example
NITE = "{http://nite.sourceforge.net/}"


def sample(name: str) -> Path:
    return data_path("formats", "nxt", name)


def nxt(body: str) -> str:
    return f'<?xml version="1.0"?><nite:root xmlns:nite="http://nite.sourceforge.net/">{body}</nite:root>'


def child(file: str, first: str, last: str | None = None) -> str:
    return f'<nite:child href="{file}#id({first})' + (f'..id({last})"/>' if last else '"/>')


def word(key: str, start: object = "", end: object = "", text: str = "x") -> str:
    return f'<w nite:id="{key}" starttime="{start}" endtime="{end}">{text}</w>'


# -------------------------------------------------------------------- the sample files


def naive_words(folder: Path) -> list[tuple[float, str, int, str, str]]:
    words = []
    for path in sorted(folder.glob("ES2005a.*.words.xml")):
        for place, element in enumerate(ET.parse(path).getroot()):
            if element.tag == "w":
                start = float(element.get("starttime"))
                words.append((start, path.name, place, element.get(f"{NITE}id"), element.text))
    return sorted(words)


def naive_topic(element: ET.Element) -> set[str]:
    keys = set()
    for one in element.iter(f"{NITE}child"):
        match = re.fullmatch(r"(.+)#id\((.+?)(\d+)\)(?:\.\.id\(.+?(\d+)\))?", one.get("href"))
        first, last = int(match[3]), int(match[4] or match[3])
        keys |= {f"{match[2]}{number}" for number in range(first, last + 1)}
    return keys


def test_the_facts_of_es2005a():
    path = sample("ES2005a.topic.xml")
    corpus = quietly(path)
    assert corpus.metadata["format"] == "nxt"
    assert (corpus.documents, corpus.coders) == (("ES2005a",), ("reference",))
    assert corpus.n_units("ES2005a") == 891
    assert list(corpus.type_scheme.names) == [1, 2]
    words = naive_words(path.parent)
    assert list(corpus.units["ES2005a"]) == [text for *_, text in words]
    number = {key: index for index, (*_, key, _) in enumerate(words)}
    root = ET.parse(path).getroot()
    tops = root.findall("topic")
    spoken = [naive_topic(top) & number.keys() for top in tops]
    assert [len(keys) for keys in spoken] == [648, 243]
    firsts = [min(number[key] for key in keys) for keys in spoken]
    assert [words[first][0] for first in firsts] == [0.08, 170.44]
    assert len(list(root.iter("topic"))) == 4
    expected = {}
    for depth, level in ((2, root.findall("topic/topic")), (1, tops)):
        for topic in level:
            expected[min(number[key] for key in naive_topic(topic) & number.keys())] = depth
    del expected[0]
    assert dict(corpus["ES2005a", "reference"].boundaries) == expected


def test_times_of_words_that_overlap_are_not_kept():
    with pytest.warns(UserWarning, match="words of speakers overlap in time, so their times are not kept"):
        corpus = read(sample("ES2005a.topic.xml"))
    assert "ES2005a" not in corpus.spans


def test_a_missing_file_of_words_is_named():
    assert re.match(
        r"the file 'ES2002a\.[A-D]\.words\.xml', at which it points, is missing",
        refusal(sample("ES2002a.topic.xml")),
    )


@pytest.mark.parametrize("name", ["ES2005a.A.words.xml", "default-topics.xml"])
def test_other_files_of_the_corpus_are_refused(name):
    assert refusal(sample(name)).startswith("there is no topic element")


# -------------------------------------------------------------------- forms


def test_the_example_of_the_documentation(tmp_path):
    corpus = read(put(tmp_path / "news.topic.xml", EXAMPLE))
    assert corpus.documents == ("news",)
    assert corpus.units["news"] == ("It", "rained", "Stormed", "hard", "We", "won")
    assert corpus["news", "reference"].boundaries == ((2, 2), (4, 1))
    assert corpus.spans["news"].spans[2] == (1.0, 1.4)


def meeting(folder: Path) -> Path:
    """Write a meeting as the release of AMI lays it out, with a speaker that nothing points at."""
    for name in ("topics", "words", "segments"):
        (folder / name).mkdir(parents=True)
    put(folder / "words" / "m.A.words.xml", nxt(word("A0", 1, 2, "one") + word("A1", 3, 4, "three")))
    put(folder / "words" / "m.B.words.xml", nxt(word("B0", 2, 3, "two") + '<gap nite:id="B1"/>'))
    put(folder / "words" / "m.C.words.xml", nxt(word("C0", 5, 6, "four")))
    segments = "".join(f'<segment nite:id="s{i}">{child("m.A.words.xml", f"A{i}")}</segment>' for i in (0, 1))
    put(folder / "segments" / "m.A.segments.xml", nxt(segments))
    topics = (
        f"<topic>{child('m.A.segments.xml', 's0')}</topic><topic>{child('m.A.segments.xml', 's1')}</topic>"
    )
    return put(
        folder / "topics" / "m.topic.xml",
        nxt(topics.replace("</topic>", child("m.B.words.xml", "B1") + "</topic>", 1)),
    )


def test_folders_of_the_release_and_segments_between(tmp_path):
    path = meeting(tmp_path / "ami")
    corpus = read(path)
    assert corpus.units["m"] == ("one", "two", "three", "four")
    assert corpus["m", "reference"].boundaries == ((2, 1),)
    assert read(tmp_path / "ami" / "topics").documents == ("m",)
    assert read(tmp_path / "ami").documents == ("topics/m",)


def test_speakers_that_overlap_marks_and_sounds_by_hand(tmp_path):
    """By their starts: Okay (0), Yeah (0.2), . (0.5), Budget (2), Costs (3), Launch (4), Mm (5), Bye (6).

    The second topic begins at Budget, its subtopic at Costs, the third topic at Launch, which is spoken
    before Bye; the fourth is a laugh alone. A mark of punctuation is a w, as in AMI, and a unit.
    """
    a = word("A0", 0, 0.5, "Okay") + '<w nite:id="A1" starttime="0.5" endtime="0.5" punc="true">.</w>'
    a += '<vocalsound nite:id="A2" starttime="1" endtime="1.5" type="laugh"/>'
    a += word("A3", 2, 2.4, "Budget") + word("A4", 6, 6.4, "Bye")
    b = word("B0", 0.2, 0.8, "Yeah") + word("B1", 3, 3.3, "Costs") + word("B2", 4, 4.5, "Launch")
    for name, words in {"A": a, "B": b, "C": word("C0", 5, 5.2, "Mm")}.items():
        put(tmp_path / f"m.{name}.words.xml", nxt(words))
    a_file, b_file = "m.A.words.xml", "m.B.words.xml"
    topics = (
        f"<topic>{child(a_file, 'A0', 'A2')}{child(b_file, 'B0')}</topic>"
        f"<topic>{child(a_file, 'A3')}<topic>{child(b_file, 'B1')}</topic></topic>"
        f"<topic>{child(a_file, 'A4')}{child(b_file, 'B2')}</topic>"
        f'<topic nite:id="laugh">{child(a_file, "A2")}</topic>'
    )
    path = put(tmp_path / "m.topic.xml", nxt(topics))
    corpus = quietly(path)
    assert corpus.units["m"] == ("Okay", "Yeah", ".", "Budget", "Costs", "Launch", "Mm", "Bye")
    assert corpus["m", "reference"].boundaries == ((3, 1), (4, 2), (5, 1))
    assert corpus.metadata["notices"] == (
        f"{path}: topic 'laugh' has no words and makes no segment",
        f"{path}: words of speakers overlap in time, so their times are not kept",
    )
    (tmp_path / b_file).unlink()
    assert refusal(path).startswith("the file 'm.B.words.xml', at which it points, is missing")


def test_folders_of_the_release_of_icsi(tmp_path):
    """Topics point at segments two folders away, segments at words; marks have no times there.

    Words by their starts: so . (0), yes (1), next (2), done (4); the second topic begins at next.
    """
    icsi = tmp_path / "ICSIplus"
    topics = icsi / "Contributions" / "TopicSegmentation"
    for folder in (topics, icsi / "Words", icsi / "Segments"):
        folder.mkdir(parents=True)
    words = {
        "A": word("w.1", 0, 0.5, "so") + word("w.2", text=".") + word("w.1,053", 2, 2.5, "next"),
        "B": word("v.1", 1, 1.5, "yes") + word("v.2", 4, 4.5, "done"),
    }
    ranges = {"A": [("w.1", "w.2"), ("w.1,053", None)], "B": [("v.1", None), ("v.2", None)]}
    for name, own in words.items():
        put(icsi / "Words" / f"m.{name}.words.xml", nxt(own))
        segments = (
            f'<segment nite:id="{name}{i}">{child(f"m.{name}.words.xml", *one)}</segment>'
            for i, one in enumerate(ranges[name])
        )
        put(icsi / "Segments" / f"m.{name}.segs.xml", nxt("".join(segments)))
    topic = [child("m.A.segs.xml", f"A{i}") + child("m.B.segs.xml", f"B{i}") for i in (0, 1)]
    path = put(topics / "m.topic.xml", nxt("".join(f"<topic>{own}</topic>" for own in topic)))
    for one, document in ((path, "m"), (topics, "m"), (icsi, "Contributions/TopicSegmentation/m")):
        corpus = quietly(one)
        assert corpus.units[document] == ("so", ".", "yes", "next", "done")
        assert corpus[document, "reference"].boundaries == ((3, 1),)


def test_a_folder_of_a_meeting(tmp_path):
    data = sample("ES2005a.topic.xml").parent
    for path in data.glob("*"):
        if not path.name.startswith("ES2002a"):
            put(tmp_path / path.name, path.read_bytes())
    assert quietly(tmp_path).documents == ("ES2005a",)


def test_words_in_latin_1_and_without_times(tmp_path):
    text = nxt(word("A0", 1, 2, "naïve") + word("A1", text="mid") + word("A2", 4, 5, "end"))
    text = text.replace('version="1.0"', 'version="1.0" encoding="ISO-8859-1"')
    put(tmp_path / "m.A.words.xml", text.encode("latin-1"))
    topics = (
        f"<topic>{child('m.A.words.xml', 'A0')}</topic><topic>{child('m.A.words.xml', 'A1', 'A2')}</topic>"
    )
    corpus = quietly(put(tmp_path / "m.topic.xml", nxt(topics)))
    assert corpus.units["m"] == ("naïve", "mid", "end")
    assert corpus["m", "reference"].boundaries == ((1, 1),)
    assert "1 word without a time: taken to follow the word before" in corpus.metadata["notices"][0]


def test_a_topic_without_words_is_told(tmp_path):
    body = f'<topic>{child("", "a")}</topic><topic nite:id="t2"/>{word("a", 0, 1)}{word("b", 1, 2)}'
    with pytest.warns(UserWarning, match="topic 't2' has no words and makes no segment"):
        corpus = read(put(tmp_path / "d.xml", nxt(body)))
    assert corpus["d", "reference"].masses == (2,)


# -------------------------------------------------------------------- faults


WORDS = word("a", 0, 1) + word("b", 1, 2)


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        (f"<topic>{child('', 'c')}</topic>{WORDS}", "has no element 'c', which is pointed at"),
        (
            f"<topic>{child('', 'b', 'a')}</topic>{WORDS}",
            "the end of a pointer is 'a': expected one from b on",
        ),
        (f"<topic><nite:child/></topic>{WORDS}", "href is '': expected file#id(first)..id(last)"),
        (f"<topic>{child('../x.xml', 'a')}</topic>", "it points at '../x.xml': expected the name of a file"),
        (f"<topic>{child('/etc/passwd', 'a')}</topic>", "expected the name of a file, without a folder"),
        (
            f"<topic>{child('', 'a')}</topic>{word('a', -1, 1)}",
            "starttime of 'a' is -1: expected a time from 0",
        ),
        (
            f"<topic>{child('', 'a')}</topic>{word('a', 'nan', 1)}",
            "starttime of 'a' is 'nan': expected a number",
        ),
        (
            f"<topic>{child('', 'a')}</topic>{word('a', 5, 1)}",
            "'a' starts at 5 and ends at 1: it ends before",
        ),
        ("<topic/>", "there are no words in the files at which the topics point"),
        (f"{'<topic>' * 2000}{'</topic>' * 2000}", "topics are more than 1000 deep"),
    ],
)
def test_faults_name_their_element(tmp_path, body, fault):
    assert fault in refusal(put(tmp_path / "d.topic.xml", nxt(body)))


def test_a_name_that_is_too_long_is_that_of_no_file(tmp_path):
    body = f'<topic nite:id="t">{child("a" * 300 + ".xml", "w1")}</topic>'
    assert "at which it points, is missing" in refusal(put(tmp_path / "m.topic.xml", nxt(body)))


def test_faults_of_other_files_name_them(tmp_path):
    path = put(tmp_path / "m.topic.xml", nxt(f"<topic>{child('m.A.words.xml', 'a')}</topic>"))
    put(tmp_path / "m.A.words.xml", nxt(WORDS)[:-5])
    assert refusal(path).startswith("m.A.words.xml: not well-formed XML: ")
    put(tmp_path / "m.A.words.xml", '<!DOCTYPE x [<!ENTITY x "y">]><x>&x;</x>')
    assert refusal(path).startswith("m.A.words.xml: it has a DOCTYPE")
    loop = f'<segment nite:id="a">{child("m.A.words.xml", "a")}</segment>'
    put(tmp_path / "m.A.words.xml", nxt(loop))
    assert "there are no words" in refusal(path)
    put(
        tmp_path / "m.A.words.xml",
        nxt(loop + f'<segment nite:id="b">{child("m.B.words.xml", "a")}</segment>'),
    )
    put(tmp_path / "m.B.words.xml", nxt(WORDS))
    assert "files point at each other, and never at words" in refusal(path)


def test_a_cut_off_file_and_entities_are_refused(tmp_path):
    assert refusal(put(tmp_path / "d.xml", EXAMPLE[:500])).startswith("not well-formed XML")
    bomb = EXAMPLE.replace("<nite:root", '<!DOCTYPE x [<!ENTITY x "y">]><nite:root', 1)
    assert refusal(put(tmp_path / "d.xml", bomb)).startswith("it has a DOCTYPE")


@pytest.mark.exhaustive
def test_many_words_under_many_ranges_take_seconds(tmp_path):
    n = 100_000
    words = "".join(word(f"w{i}", i, i + 1) for i in range(n))
    topics = "".join(f"<topic>{child('', f'w{i}', f'w{n - 1}')}</topic>" for i in range(0, n, 5))
    path = put(tmp_path / "d.xml", nxt(topics + words))
    start = time.process_time()
    corpus = read(path)
    assert time.process_time() - start < 60  # no bar of speed: what is quadratic takes minutes
    assert corpus["d", "reference"].n_boundaries == n / 5 - 1


@pytest.mark.exhaustive
def test_long_attributes_take_linear_time(tmp_path):
    href = "#id(" + "a..id(" * 200_000
    start = time.process_time()
    assert "expected file#id(first)..id(last)" in refusal(
        put(tmp_path / "d.xml", nxt(f'<topic><nite:child href="{href}"/></topic>{WORDS}'))
    )
    assert time.process_time() - start < 60  # no bar of speed: what is quadratic takes minutes
