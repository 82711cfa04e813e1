"""Units, projection and segments: SPEC §12 by naive oracles, properties and printed examples."""

import math
import pickle
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import caesura as cs
from caesura.errors import CorpusError, ParameterError, SegmentationError
from caesura.values.common_units import on_common_units
from caesura.values.segments import boundaries_of_segments
from caesura.values.units import Units, project


@st.composite
def spans(draw, most: int = 12):
    """Units with gaps between some of them."""
    pieces = draw(st.lists(st.tuples(st.integers(0, 3), st.integers(1, 6)), min_size=1, max_size=most))
    found, cursor = [], 0
    for gap, length in pieces:
        found.append((cursor + gap, cursor + gap + length))
        cursor += gap + length
    return found


def place_by_definition(units: list[tuple[int, int]], offset: float, rule: str) -> tuple[int, float]:
    """SPEC §12: the position of an offset and how far it moved; 0 or N: no boundary."""
    n = len(units)
    for position in range(n - 1, 0, -1):
        if units[position - 1][1] <= offset <= units[position][0]:
            return position, 0.0
    if offset <= units[0][0]:
        return 0, 0.0
    if offset >= units[-1][1]:
        return n, 0.0
    (unit,) = [i for i, (start, end) in enumerate(units) if start < offset < end]
    start, end = units[unit]
    back = {"nearest": offset - start <= end - offset, "before": True, "after": False}[rule]
    return (unit, offset - start) if back else (unit + 1, end - offset)


@given(spans(), st.lists(st.integers(-2, 60)), st.sampled_from(["nearest", "before", "after"]))
def test_offsets_are_placed_as_defined(units, offsets, rule):
    placed = Units.from_spans(units).place(offsets, rule=rule)
    expected = [place_by_definition(units, offset, rule) for offset in offsets]
    inside = [(position, move) for position, move in expected if 0 < position < len(units)]
    assert placed.segmentation.positions == tuple(sorted({position for position, _ in inside}))
    assert placed.at_edge == len(offsets) - len(inside)
    assert placed.merged == len(inside) - len({position for position, _ in inside})
    moves = [move for _, move in inside if move]
    assert placed.moved == len(moves)
    assert placed.largest_move == max(moves, default=0)
    assert placed.mean_move == pytest.approx(sum(moves) / len(moves) if moves else 0)


@given(spans(), st.data())
def test_to_finer_units_and_back_is_the_identity(coarse, data):
    """Every unit divided further: boundaries stand in gaps of both, so nothing moves."""
    fine = []
    for start, end in coarse:
        cuts = sorted(
            data.draw(st.sets(st.integers(start + 1, end - 1), max_size=3)) if end - start > 1 else []
        )
        fine += list(zip([start, *cuts], [*cuts, end], strict=True))
    positions = sorted(data.draw(st.sets(st.integers(1, len(coarse) - 1))) if len(coarse) > 1 else [])
    coding = cs.Segmentation.from_positions(positions, len(coarse))
    source, target = Units.from_spans(coarse), Units.from_spans(fine)
    there = project(coding, source, target)
    assert (there.moved, there.merged, there.at_edge) == (0, 0, 0)
    assert project(there.segmentation, target, source).segmentation == coding


@given(spans(), spans(), st.data())
def test_order_is_kept_and_moves_are_bounded(one, other, data):
    source, target = Units.from_spans(one), Units.from_spans(other)
    positions = sorted(data.draw(st.sets(st.integers(1, len(one) - 1))) if len(one) > 1 else [])
    found = project(cs.Segmentation.from_positions(positions, len(one)), source, target)
    assert found.segmentation.n_boundaries + found.merged + found.at_edge == len(positions)
    assert found.largest_move <= max(end - start for start, end in other) / 2
    assert sum(found.segmentation.masses) == len(other)
    low, high = source.between(np.array(positions, dtype=np.int64))
    place, _ = target.find(low, high, "nearest")
    assert list(place) == sorted(place)


@given(st.integers(1, 40), st.lists(st.floats(-1, 45, allow_nan=False)))
def test_a_grid_is_its_spans(n, offsets):
    """A grid finds by arithmetic what the same spans find by search."""
    grid = Units.every(1, end=n, axis="count")
    assert grid == Units.from_spans([(i, i + 1) for i in range(n)], "count")
    assert (
        grid.place(offsets).segmentation == Units.from_spans(grid.spans, "count").place(offsets).segmentation
    )


def test_times_on_a_grid_do_not_suffer_from_rounding():
    """0.1 + 0.2 is not 0.3, and 1361.8925 − 1358.8925 is not 3."""
    tenth = Units.every(0.1, end=10)
    placed = tenth.place([i / 10 for i in range(1, 100)])
    assert placed.segmentation.positions == tuple(range(1, 100))
    assert placed.moved == 0
    fine = Units.of_time(1422.5525, start=1358.8925).place([1361.8925, 1362.0125])
    assert (fine.segmentation.positions, fine.moved) == ((30_000_000, 31_200_000), 0)


@pytest.mark.parametrize("after", [0.5, 1.25, 1e-6, 1.999999])
def test_times_since_1970_stay_where_they_are(after):
    """Rounding of such times is more than an instant; boundaries had moved by up to 3 microseconds."""
    start = 1_700_000_000.0
    units = Units.of_time(start + 2, start=start)
    (position,) = units.place([start + after]).segmentation.positions
    assert abs(position - after * 1e7) <= 2  # a float of this size is exact to 2.4 instants


@pytest.mark.parametrize("end", [1, 59.94, 3600, 1422.5525, 1e6])
def test_instants_are_counted_exactly(end):
    assert len(Units.of_time(end)) == round(end * 1e7)


def test_a_tie_goes_to_the_earlier_end():
    assert Units.from_spans([(0, 2), (2, 4), (4, 6)]).place([3]).segmentation.positions == (1,)


def test_strict_names_offset_and_unit():
    with pytest.raises(SegmentationError, match=r"offset 3 is inside unit 1 \(from 2 to 4\)"):
        Units.from_spans([(0, 2), (2, 4), (4, 6)]).place([2, 3], rule="strict")


@pytest.mark.parametrize(
    ("spans", "message"),
    [
        ([], "at least one"),
        ([(0, 2), (1, 3)], r"spans\[1\] is \(1, 3\): it starts before the unit before ends, at 2"),
        ([(0, 2), (3, 2)], "ends before it starts"),
        ([(4, 5), (0, 2)], "must ascend"),
        ([(0, math.nan)], "must be numbers"),
        ([(0, 1.5)], "whole numbers"),
        ([(-1, 2)], "from 0"),
        ([(1,)], r"expected a pair"),
    ],
)
def test_wrong_units_are_named(spans, message):
    with pytest.raises(SegmentationError, match=message):
        Units.from_spans(spans)


def test_a_text_is_divided_by_what_is_asked():
    text = "Dr. Ünal slept. 😀 She woke!\n \nA new\nparagraph.\r\n"
    assert Units.from_text(text, by="sentence").texts[:2] == ("Dr. Ünal slept.", "😀 She woke!")
    assert Units.from_text(text, by="line").texts == ("Dr. Ünal slept. 😀 She woke!", "A new", "paragraph.")
    assert Units.from_text(text, by="paragraph").texts == (
        "Dr. Ünal slept. 😀 She woke!",
        "A new\nparagraph.",
    )
    assert Units.from_text(text, by="word").texts[0] == "Dr."
    assert len(Units.from_text(text, by="character")) == len(text)
    with pytest.raises(SegmentationError, match="no word"):
        Units.from_text(" \n", by="word")


def test_dividing_a_hostile_text_is_linear():
    assert len(Units.from_text(" " * 500_000 + "a", by="paragraph")) == 1
    assert len(Units.from_text(" " * 500_000 + "a", by="line")) == 1


def test_tokens_of_a_fast_tokenizer_become_words():
    """offset_mapping and word_ids as Hugging Face's fast tokenizers give them, with special tokens."""
    offsets, words = [(0, 0), (0, 4), (4, 8), (9, 12), (12, 13), (0, 0)], [None, 0, 0, 1, 2, None]
    units = Units.from_tokens(offsets, words)
    assert units.spans == ((0, 8), (9, 12), (12, 13))
    assert units.of_tokens([-100, 1, -100, 0, 0, -100]) == [1, 0, 0]
    assert Units.from_tokens(offsets).spans == ((0, 4), (4, 8), (9, 12), (12, 13))


# -------------------------------------------------------------------- segments


TEXT = Units.from_text("One two. Three four.", by="character")


@pytest.mark.parametrize(
    ("overlap", "places"), [("start", [6]), ("end", [11]), ("middle", [8]), ("edges", [6, 11])]
)
def test_overlapping_chunks_need_a_rule(overlap, places):
    with pytest.raises(SegmentationError, match="overlaps an earlier one, which ends at 11"):
        boundaries_of_segments([0, 6], [11, 20], TEXT)
    assert boundaries_of_segments([0, 6], [11, 20], TEXT, overlap=overlap).tolist() == places


def test_uncovered_text_needs_a_rule_and_white_space_does_not():
    assert boundaries_of_segments([0, 9], [8, 20], TEXT).tolist() == [9]
    with pytest.raises(SegmentationError, match=r"characters 8 to 15 .* \(2 boundaries\).* \(1 boundary\)"):
        boundaries_of_segments([0, 15], [8, 20], TEXT)
    assert boundaries_of_segments([0, 15], [8, 20], TEXT, gaps="segment").tolist() == [8, 15]
    assert boundaries_of_segments([0, 15], [8, 20], TEXT, gaps="join").tolist() == [15]


def test_uncovered_ends_are_segments_or_join():
    assert boundaries_of_segments([4], [8], TEXT, gaps="segment").tolist() == [4, 8]
    assert boundaries_of_segments([4], [8], TEXT, gaps="join").tolist() == []


@given(spans(), st.sampled_from(["segment", "join"]))
def test_segments_with_gaps_by_definition(units, gaps):
    """segment: every inner edge; join: every start but the first."""
    document = Units.every(1, end=units[-1][1] + 2, axis="count")
    edges = {start for start, _ in units[1:]}
    if gaps == "segment":
        edges = {edge for span in units for edge in span}
    expected = sorted(edge for edge in edges if 0 < edge < document.end)
    found = boundaries_of_segments([s for s, _ in units], [e for _, e in units], document, gaps=gaps)
    assert found.tolist() == expected


# -------------------------------------------------------------------- corpora


def words_corpus() -> cs.Corpus:
    text = "One two. Three four five. Six."
    units = Units.from_text(text, by="word")
    return cs.Corpus.from_dict({"d": {"ann": [2, 4], "bob": [3, 3]}}).with_spans({"d": units})


def test_a_corpus_goes_onto_sentences():
    with pytest.warns(UserWarning, match="1 of 2 boundaries moved"):
        found = words_corpus().onto("sentence")
    assert found["d", "ann"].masses == (1, 2)
    assert found["d", "bob"].masses == (1, 2)  # after "Three": its sentence begins nearer than it ends
    assert found.units["d"] == ("One two.", "Three four five.", "Six.")
    assert found.metadata["moves"].largest_move.tolist() == [6]


def test_texts_of_the_target_come_along_and_are_kept_once():
    texts = {"c": ("Sea.",), "a": ("Rain.", "Sun."), "b": ("Wind.", "Snow.", "Fog.")}
    units = {name: Units.every(1, end=len(own)) for name, own in texts.items()}
    gold = cs.Corpus.from_dict({name: {"gold": [len(own)]} for name, own in texts.items()}, units=texts)
    gold = gold.with_spans(units)

    def halves(*names: str) -> cs.Corpus:
        corpus = cs.Corpus.from_dict({name: {"mine": [2 * len(texts[name])]} for name in names})
        return corpus.with_spans({name: Units.every(0.5, end=len(texts[name])) for name in names})

    found = halves("c", "a", "b").onto(gold)
    assert dict(found.units) == texts
    assert found.texts is gold.texts
    assert dict(halves("b", "c").onto(gold).units) == {"b": texts["b"], "c": texts["c"]}
    partly = gold.with_texts({"a": texts["a"]})
    assert dict(halves("b", "a").onto(partly).units) == {"a": texts["a"]}
    assert dict(halves("b").onto(partly).units) == {}


PARAGRAPHS = ("It rained. We stayed in", "", "The sun came out! We left.", "Home again.")


def test_paragraphs_are_divided_further_and_keep_their_boundaries():
    """Two sentences, none, two and one, by hand; a blank paragraph stays a unit."""
    corpus = cs.Corpus.from_dict(
        {"d": {"ann": cs.Segmentation.from_positions([1, 2, 3], 4, types=[1, 2, 1])}}, units={"d": PARAGRAPHS}
    )
    found = corpus.onto("sentence")
    assert found["d", "ann"].boundaries == ((2, 1), (3, 2), (5, 1))
    sentences = ("It rained.", "We stayed in", " ", "The sun came out!", "We left.", "Home again.")
    assert found.units["d"] == sentences
    assert "d" not in found.spans  # there is no running text that anyone else would know
    words = corpus.onto("word")
    assert words["d", "ann"].boundaries == ((5, 1), (6, 2), (12, 1))
    assert found.metadata["moves"].is_exact
    assert on_common_units([found], "sentence")[0].to_dict() == found.to_dict()


def test_units_of_different_size_meet_in_the_running_text_of_one():
    """Paragraphs of gold, lines of a model that end inside a sentence, and chunks in characters."""
    text = "It rained. We stayed in.\n\nThe sun came out! We left."
    gold = cs.Corpus.from_dict({"d": {"gold": [1, 1]}}, units={"d": text.split("\n\n")})
    lines = ("It rained. We", "stayed in.", "The sun came out!", "We left.")
    model = cs.Corpus.from_dict({"d": {"model": [1, 2, 1]}}, units={"d": lines})
    one, other = on_common_units([gold, model], "sentence")
    assert one.units["d"] == other.units["d"]
    assert one.units["d"] == ("It rained.", "We", "stayed in.", "The sun came out!", "We left.")
    assert (one["d", "gold"].positions, other["d", "model"].positions) == ((3,), (2, 4))
    characters = Units.from_text(text, by="character")
    coding = cs.Segmentation.from_positions([text.index("We left")], len(text))
    chunks = cs.Corpus.from_dict({"d": {"chunks": coding}}).with_spans({"d": characters})
    one, other = on_common_units([gold, chunks], "word")
    assert (one["d", "gold"].positions, other["d", "chunks"].positions) == ((5,), (9,))
    with pytest.raises(cs.CorpusError, match=r"document d: unit 0 \('It snowed.'\) is not in the text"):
        on_common_units([gold, cs.Corpus.from_dict({"d": {"x": [1]}}, units={"d": ["It snowed."]})], "word")


def test_a_corpus_goes_onto_the_units_of_another():
    gold = cs.Corpus.from_dict(
        {"d": {"gold": [1, 2]}}, units={"d": ["One two.", "Three  four five.", "Six."]}
    )
    with pytest.warns(UserWarning, match="moved"):
        found = words_corpus().onto(gold)  # located in the running text
    assert found["d", "ann"] == gold["d", "gold"]


def test_units_are_kept_by_pickling_selecting_and_merging():
    corpus = words_corpus()
    assert pickle.loads(pickle.dumps(corpus)) == corpus
    assert corpus.select(coders=["bob"]).spans["d"] == corpus.spans["d"]
    other = cs.Corpus.from_dict({"e": {"ann": [1, 1]}})
    assert cs.Corpus.merge(other, corpus).spans["d"] == corpus.spans["d"]
    elsewhere = cs.Corpus.from_dict({"d": {"cy": [6]}}).with_spans({"d": Units.every(1, end=6)})
    with pytest.raises(CorpusError, match="other offsets"):
        cs.Corpus.merge(corpus, elsewhere)


def test_many_documents_are_projected_block_by_block(monkeypatch):
    """Blocks of few boundaries give what one block gives, document by document."""
    from caesura.values import projecting

    rng = np.random.default_rng(5)
    codings, spans, target = {}, {}, {}
    for number in range(30):
        n = int(rng.integers(1, 40))
        name = f"d{number}"
        codings[name] = {
            coder: cs.Segmentation.from_positions((np.flatnonzero(rng.random(n - 1) < 0.3) + 1).tolist(), n)
            for coder in ("ann", "bob")
        }
        spans[name], target[name] = Units.every(1, n, "count"), Units.every(3, n, "count")
    corpus = cs.Corpus.from_dict(codings).with_spans(spans)
    with pytest.warns(UserWarning, match="moved"):
        whole = corpus.onto(target)
    monkeypatch.setattr(projecting, "BLOCK", 5)
    with pytest.warns(UserWarning, match="moved"):
        parts = corpus.onto(target)
    assert parts.segmentations() == whole.segmentations()
    assert str(parts.metadata["moves"]) == str(whole.metadata["moves"])
    for name, coded in codings.items():
        for coder, coding in coded.items():
            assert whole[name, coder] == project(coding, spans[name], target[name]).segmentation


def test_a_document_may_wait_for_its_coders():
    from caesura.values.making import CorpusBuilder

    builder = CorpusBuilder()
    builder.add_text("new", ["One.", "Two."])
    builder.add("old", "ann", [2, 3])
    corpus = cs.Corpus.build(builder)
    assert corpus.documents == ("new", "old")
    assert (corpus.n_units("new"), corpus.n_units("old"), corpus["new"]) == (2, 5, {})
    assert corpus.coded.documents == ("old",)
    coded = cs.Corpus.merge(corpus, cs.Corpus.from_dict({"new": {"bob": [1, 1]}}))
    assert coded["new", "bob"].masses == (1, 1)
    assert coded.units["new"] == ("One.", "Two.")
    with pytest.raises(CorpusError, match="the text has 2 units where coder bob has 3"):
        cs.Corpus.merge(corpus, cs.Corpus.from_dict({"new": {"bob": [1, 2]}}))


def test_times_and_other_units_are_not_compared_at_once():
    """Off by two words is near at n_t=3, and off by 0.2 microseconds would be as well."""
    words, times = Units.from_text("one two three four", by="word"), Units.of_time(120.5)
    codings = {
        "rain": {"ann": [2, 2], "bob": [1, 3]},
        "interview": {name: times.place([at]).segmentation for name, at in (("ann", 40), ("bob", 41.5))},
    }
    corpus = cs.Corpus.from_dict(codings).with_spans({"rain": words, "interview": times})
    for ask in (cs.agreement, cs.describe):
        with pytest.raises(CorpusError, match=r"document interview has times, rain has none"):
            ask(corpus)
    assert cs.agreement(corpus.select(documents=["rain"]), n_resamples=0).observed == 0.5


def test_a_time_beyond_all_instants_is_refused() -> None:
    for end in (1e10, 1e308):
        with pytest.raises(ParameterError, match=re.escape(f"units up to {end:g} are not supported")):
            Units.of_time(end)
