"""adjudicate() and its decisions. Source of truth: align() pair by pair, places left out, counts by hand."""

from __future__ import annotations

import csv
import io
import math
from itertools import combinations, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caesura import (
    Corpus,
    Hierarchy,
    Segmentation,
    TypeScheme,
    Units,
    adjudicate,
    agreement,
    align,
    load_stargazers,
)
from caesura.analyses.adjudication import Boundary
from caesura.errors import CorpusError, ParameterError, UnknownNameError
from caesura.io.decisions import read_decisions, write_places

N = 14

marks = st.lists(st.tuples(st.integers(1, N - 1), st.sampled_from([1, 2, 4])), unique=True, max_size=8)
documents = st.lists(st.lists(marks, min_size=1, max_size=4), min_size=1, max_size=3)


def corpus_of(documents: list[list[list[tuple[int, int]]]], plain: bool) -> Corpus:
    coded = {}
    for number, codings in enumerate(documents):
        coded[f"d{number}"] = {}
        for coder, boundaries in enumerate(codings):
            chosen = sorted({(p, 1) for p, _ in boundaries} if plain else boundaries)
            positions, types = [p for p, _ in chosen], [t for _, t in chosen]
            coded[f"d{number}"][f"c{coder}"] = Segmentation.from_positions(positions, N, types)
    return Corpus.from_dict(coded)


@given(documents, st.integers(1, 4), st.booleans())
def test_costs_are_the_edits_of_all_pairs_by_place(documents, n_t, plain):
    corpus = corpus_of(documents, plain)
    found = adjudicate(corpus, n_t=n_t)
    types = None if plain or not corpus.types else corpus.types
    lost: dict[tuple[str, int], float] = {}
    compared = 0
    for document in corpus.documents:
        for one, other in combinations(corpus[document].values(), 2):
            edits = align(one, other, n_t=n_t, types=types)
            compared += len(edits.correctness)
            for edit in [*edits.additions, *edits.substitutions, *edits.transpositions]:
                position = edit.start if hasattr(edit, "start") else edit.position
                place = next(
                    p for p in found.places if p.document == document and p.first <= position <= p.last
                )
                lost[place.key] = lost.get(place.key, 0) + float(edits.weight(edit))
    for place in found.places:
        assert place.cost == pytest.approx(lost.get(place.key, 0) / max(1, compared), abs=1e-12)
        assert (place.cost > 0) == (place in found.contested)
    if compared:
        assert found.observed == pytest.approx(1 - sum(lost.values()) / compared, abs=1e-12)
        assert sum(place.cost for place in found.places) == pytest.approx(1 - found.observed, abs=1e-12)


def without(corpus: Corpus, document: str, first: int, last: int) -> Corpus:
    """Leave a place out of all codings."""
    coded = {}
    for name in corpus.documents:
        coded[name] = {
            coder: Segmentation.from_positions(
                [p for p in one.positions if name != document or not first <= p <= last], N
            )
            for coder, one in corpus[name].items()
        }
    return Corpus.from_dict(coded)


@settings(max_examples=25)
@given(documents, st.integers(1, 3))
def test_leaving_a_place_out_leaves_the_others_as_they_are(documents, n_t):
    corpus = corpus_of(documents, plain=True)
    found = adjudicate(corpus, n_t=n_t)
    for place in found.places:
        rest = adjudicate(without(corpus, place.document, place.first, place.last), n_t=n_t)
        others = [one for one in found.places if one != place]
        assert [(p.key, p.votes, p.proposal) for p in rest.places] == [
            (p.key, p.votes, p.proposal) for p in others
        ]
        lost, was_lost = (sum(p.cost for p in places) or 1 for places in (rest.places, others))
        assert [p.cost / lost for p in rest.places] == pytest.approx([p.cost / was_lost for p in others])


def test_observed_is_that_of_agreement():
    corpus = load_stargazers()
    found = adjudicate(corpus)
    assert found.observed == pytest.approx(agreement(corpus, n_resamples=0).observed)
    assert found.pairs == 21


@given(documents, st.integers(1, 4), st.booleans())
def test_places_are_runs_of_near_marks_with_all_votes(documents, n_t, plain):
    corpus = corpus_of(documents, plain)
    found = adjudicate(corpus, n_t=n_t)
    for document in corpus.documents:
        places = [place for place in found.places if place.document == document]
        assert all(b.first - a.last >= n_t for a, b in pairwise(places))
        for place in places:
            assert all(after - before < n_t for before, after in pairwise(place.positions))
            assert set(place.votes) == set(corpus[document])
        for coder, coding in corpus[document].items():
            assert tuple(mark for place in places for mark in place.votes[coder]) == coding.boundaries
    costs = [place.cost for place in found.contested]
    assert costs == sorted(costs, reverse=True)
    assert {p.key for p in found.contested} | {p.key for p in found.unanimous} == {
        p.key for p in found.places
    }


@given(documents, st.booleans())
def test_accepting_everything_gives_proposals_and_what_all_mark(documents, plain):
    corpus = corpus_of(documents, plain)
    found = adjudicate(corpus)
    gold = found.decide({place.key: "accept" for place in found.contested})
    assert gold.corpus.documents == corpus.documents
    assert gold.corpus.coders == ("gold",)
    for document in corpus.documents:
        expected = set()
        for place in found.places:
            if place.document == document:
                same = len(set(place.votes.values())) == 1
                expected |= set(next(iter(place.votes.values())) if same else place.proposal)
        assert set(gold.corpus[document, "gold"].boundaries) == expected
    assert [record.document for record in gold.records] == [place.document for place in found.places]


@pytest.fixture
def three() -> Corpus:
    """Near misses at 5 to 7, one coder alone at 12, and all at 16."""
    coded = {"ann": (5, 12, 16), "bob": (6, 16), "cy": (7, 16)}
    codings = {coder: Segmentation.from_positions(p, 20) for coder, p in coded.items()}
    text = [f"Sentence {i}." for i in range(20)]
    return Corpus.from_dict({"=d": codings, "007": {"ann": [5], "bob": [2, 3]}}, units={"=d": text})


def test_votes_proposals_and_decisions_by_hand(three):
    found = adjudicate(three)
    assert [(p.document, p.positions) for p in found.contested] == [
        ("=d", (5, 6, 7)), ("=d", (12,)), ("007", (2,))
    ]  # fmt: skip
    first, alone, single = found.contested
    # Pairs of 5, 6, 7: 5–6 and 6–7 near misses of 1/2 each, 5–7 two full misses; 12: two full misses. There
    # are 3 matches at 16, and 1 full miss in 007: 4 + 2 + 3 + 1 compared.
    assert (first.cost, alone.cost, single.cost) == pytest.approx((0.3, 0.2, 0.1))
    assert found.observed == pytest.approx(0.4)
    assert (first.proposal, first.support) == ((Boundary(6, 1),), (3,))
    assert (alone.proposal, alone.supporters) == ((), 2)
    assert (single.proposal, single.supporters) == ((Boundary(2, 1),), 1)  # one of two is half of them
    assert [place.positions for place in found.unanimous] == [(16,)]
    gold = found.decide({("=d", 5): [5, 7], ("=d", 12): "none", ("007", 2): 2}, name="adjudicator")
    assert gold.corpus["=d", "adjudicator"].positions == (5, 7, 16)
    assert gold.corpus["007", "adjudicator"].positions == (2,)
    assert [record.decision for record in gold.records] == ["chosen", "accepted", "unanimous", "accepted"]
    assert [record.supporters for record in gold.records] == [0, 2, 3, 1]
    assert gold.corpus.units["=d"] == three.units["=d"]


@pytest.mark.parametrize(
    ("decision", "message"),
    [
        ("maybe", "document 007: place 2: the decision is 'maybe': expected 'accept', 'none' or positions"),
        (4, "document 007: place 2: position 4 is outside it: expected 1 to 3"),
        ([0], "position 0 is outside it"),
        ([(2, 9)], "unknown type 9; known: 1"),
        ([2.5], "2.5 is not a position or a pair"),
        ([True], "True is not a position or a pair"),
        (2.5, "the decision is 2.5"),
        (None, "the decision is None"),
    ],
)
def test_decisions_that_are_none(three, decision, message):
    found = adjudicate(three)
    with pytest.raises(CorpusError) as error:
        found.decide({("=d", 5): "accept", ("=d", 12): "none", ("007", 2): decision})
    assert message in str(error.value)


def test_every_contested_place_needs_a_decision(three):
    found = adjudicate(three)
    with pytest.raises(CorpusError, match=r"document =d: place 5 to 7 is undecided and 2 more"):
        found.decide({})
    with pytest.raises(UnknownNameError, match=r"document =d: position 16: no contested place begins there"):
        found.decide({("=d", 16): "accept"})


def test_one_coder_and_nothing_to_compare():
    found = adjudicate(Corpus.from_dict({"d": {"ann": [2, 3]}}))
    assert (found.contested, math.isnan(found.observed)) == ((), True)
    gold = found.decide({})
    assert gold.corpus["d", "gold"].positions == (2,)
    assert gold.counts == {"one coder": 1}
    assert "gold includes them unchecked" in found.caveats[0]
    assert adjudicate(Corpus.from_dict({"d": {"ann": [5], "bob": [5]}})).observed == 1.0
    with pytest.raises(CorpusError, match="no annotations"):
        adjudicate(Corpus.from_dict({}))
    with pytest.raises(ParameterError):
        adjudicate(load_stargazers(), n_t=0)


def test_durations_on_a_grid():
    codings = {"a": Segmentation.from_positions([5], 20), "b": Segmentation.from_positions([7], 20)}
    corpus = Corpus.from_dict({"d": codings}).with_spans({"d": Units.every(0.5, end=10, axis="seconds")})
    assert [place.positions for place in adjudicate(corpus, n_t="1500ms").places] == [(5, 7)]
    assert [place.positions for place in adjudicate(corpus, n_t="500ms").places] == [(5,), (7,)]


def test_levels_are_decided_too():
    ranks = {"a": {5: 1, 2: 2}, "b": {5: 2, 2: 2}, "c": {5: 2}}
    corpus = Corpus.from_dict({"d": {c: Hierarchy.from_ranks(r, n_units=9) for c, r in ranks.items()}})
    found = adjudicate(corpus)
    assert found.contested[0].votes["a"] == (Boundary(2, 2),) or found.contested[0].first == 5
    gold = found.decide({("d", 5): [(5, 1)], ("d", 2): 2})
    assert gold.corpus["d", "gold"].boundaries == ((2, 2), (5, 1))
    assert gold.corpus.is_hierarchical
    with pytest.raises(CorpusError, match="position 5 has two levels"):
        found.decide({("d", 5): [(5, 1), (5, 2)], ("d", 2): 2})


# -------------------------------------------------------------------- the file of decisions


def test_the_file_shows_votes_and_texts_and_runs_no_formula(three, tmp_path):
    write_places(adjudicate(three), tmp_path / "places.csv")
    content = (tmp_path / "places.csv").read_bytes()
    assert content.startswith(b"\xef\xbb\xbf")
    rows = list(csv.DictReader(io.StringIO(content.decode("utf-8-sig"))))
    assert rows[0]["document"] == "'=d"
    assert {name: rows[0][name] for name in ("first", "last", "decision", "proposal", "support")} == {
        "first": "5", "last": "7", "decision": "", "proposal": "6", "support": "3 of 3"
    }  # fmt: skip
    assert [rows[0][name] for name in ("ann", "bob", "cy")] == ["5", "6", "7"]
    assert (rows[0]["before"], rows[0]["after"]) == ("Sentence 4.", "Sentence 7.")
    assert rows[0]["between"] == "Sentence 5. |6| Sentence 6."
    assert [rows[1][name] for name in ("ann", "bob", "cy")] == ["12", "", ""]
    assert [rows[2][name] for name in ("ann", "bob", "cy", "before")] == ["", "2", "not coded", ""]


HEADER = "document,first,last,decision"
GOOD = ["'=d,5,7,accept", "'=d,12,12,none", "007,2,2,2"]


@pytest.mark.parametrize(
    ("content", "positions"),
    [
        ("\n".join([HEADER, *GOOD]), (6, 16)),
        ("\r\n".join(["\ufeff" + HEADER, *GOOD, "", ""]), (6, 16)),
        ("\n".join([HEADER, *reversed(GOOD)]).replace(",", ";"), (6, 16)),
        ("\n".join([HEADER, *GOOD]).replace(",", "\t"), (6, 16)),
        ("note,Decision,LAST,first,document\nx,ACCEPT,7,5,=d\n,None,12,12,=d\n,2.0,2,2.0,7\n", (6, 16)),
        ("\n".join([HEADER, '=d,5,7,"5, 7"', *GOOD[1:]]), (5, 7, 16)),
        ("\n".join([HEADER, "=d,5,7,5 and 7", *GOOD[1:]]), (5, 7, 16)),
        ("\n".join([HEADER, "=d,5,7,5 7", *GOOD[1:]]), (5, 7, 16)),
        ("\n".join([HEADER, "=d,5,7,8", *GOOD[1:]]), (8, 16)),  # nobody marks it, and it is near
    ],
)  # fmt: skip
def test_what_spreadsheets_make_of_it_is_read(three, tmp_path, content, positions):
    (tmp_path / "places.csv").write_text(content, encoding="utf-8", newline="")
    found = adjudicate(three)
    gold = found.decide(read_decisions(tmp_path / "places.csv", found))
    assert gold.corpus["=d", "gold"].positions == positions
    assert gold.corpus["007", "gold"].positions == (2,)


def test_a_workbook_and_windows_1252_are_read(three, tmp_path):
    from openpyxl import Workbook

    book = Workbook()
    for row in [HEADER.split(","), ["=d", 5, 7, 6], ["=d", 12, 12, "none"], ["007", 2, 2, "accept"]]:
        book.active.append(["'=d" if cell == "=d" else cell for cell in row])
    book.save(tmp_path / "places.xlsx")
    found = adjudicate(three)
    assert found.decide(read_decisions(tmp_path / "places.xlsx", found)).corpus["=d", "gold"].positions == (
        6,
        16,
    )
    text = "\n".join([HEADER + ",after", *(row + ",“é”" for row in GOOD)])
    (tmp_path / "places.csv").write_bytes(text.encode("cp1252"))
    assert len(read_decisions(tmp_path / "places.csv", found)) == 3


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "places.csv: the file is empty"),
        (["document,first,last"], "line 1: no column decision among document, first and last"),
        ([HEADER + ",decision"], "line 1: two columns are called 'decision'"),
        (
            [HEADER, "'=d,5,7,"],
            "line 2: document =d: place 5 to 7 is undecided: write accept, none or positions",
        ),
        ([HEADER, "=e,5,7,accept"], "line 2: unknown document '=e'; did you mean '=d'?"),
        (
            [HEADER, "=d,5,6,accept"],
            "line 2: document =d has no contested place from 5 to 6; are DATA and n_t",
        ),
        ([HEADER, "=d,16,16,accept"], "line 2: document =d has no contested place from 16 to 16"),
        ([HEADER, "=d,x,7,accept"], "line 2: first is 'x': expected a position"),
        (
            [HEADER, "=d,5,7,9"],
            "line 2: document =d: place 5 to 7: position 9 is outside it: expected 4 to 8",
        ),
        (
            [HEADER, "=d,5,7,maybe"],
            "line 2: document =d: place 5 to 7: the decision is 'maybe': expected accept",
        ),
        ([HEADER, "=d,5,7,6 (topic)"], "the decision is '6 (topic)'"),
        ([HEADER, "=d,5,7,6", "=d,5,7,6"], "line 3: document =d: place 5 to 7 was decided in line 2 already"),
        ([HEADER, "=d,5,7,6"], "no row for document =d: place 12, nor for 1 more"),
        ([HEADER, "=d,5,7"], "line 2 has 3 cells, not 4"),
    ],
)
def test_what_is_wrong_is_named_with_its_row(three, tmp_path, rows, message):
    (tmp_path / "places.csv").write_text("\n".join(rows), encoding="utf-8")
    with pytest.raises(CorpusError) as error:
        read_decisions(tmp_path / "places.csv", adjudicate(three))
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_types_are_written_and_read_by_name(tmp_path):
    scheme = TypeScheme({1: "topic", 2: "topic (minor)"}, nominal=True)
    codings = {
        "ann": Segmentation.from_positions([5], 9, [1]),
        "bob": Segmentation.from_positions([5], 9, [2]),
        "cy": Segmentation.from_positions([5, 7], 9, [2, 1]),
    }
    found = adjudicate(Corpus.from_dict({"d": codings}, type_scheme=scheme))
    assert [place.proposal for place in found.contested] == [(Boundary(5, 2),), ()]
    write_places(found, tmp_path / "places.csv")
    rows = list(csv.DictReader(io.StringIO((tmp_path / "places.csv").read_text(encoding="utf-8-sig"))))
    assert rows[0]["cy"] == "5 (topic (minor))"
    assert rows[0]["proposal"] == "5 (topic (minor))"
    for decision, expected in {
        "5 (Topic (minor)) and 5 (topic)": ((5, 1), (5, 2)),
        "5": ((5, 2),),
        "6 (1)": ((6, 1),),
    }.items():
        (tmp_path / "places.csv").write_text(f"{HEADER}\nd,5,5,{decision}\nd,7,7,none\n", encoding="utf-8")
        gold = found.decide(read_decisions(tmp_path / "places.csv", found))
        assert gold.corpus["d", "gold"].boundaries == expected
