"""Changed texts aligned with their originals.

Sources of truth: every alignment of small texts with the fewest edits, listed by brute force, with the
definition written out beside it; texts corrupted at known places; RapidFuzz alone, for time.
"""

from __future__ import annotations

import random
import re
import sys
import time
import tracemalloc
from functools import cache

import numpy as np
import pytest
from rapidfuzz.distance import Levenshtein
from tests.loops import each

import caesura as cs

WORD = re.compile(r"[^\W_]+")


def alignments(changed: tuple[str, ...], original: tuple[str, ...]) -> tuple[int, set[tuple]]:
    """Return the fewest edits, and the kept words (with the numbers of edits) of every way to have them."""

    @cache
    def ways(i: int, j: int) -> tuple[int, frozenset]:
        if i == len(changed) and j == len(original):
            return 0, frozenset({((), 0, 0, 0)})
        options = []
        if i < len(changed) and j < len(original):
            is_same = changed[i] == original[j]
            n, rest = ways(i + 1, j + 1)
            pair = ((i, j),) if is_same else ()
            options.append(
                (n + (not is_same), {(pair + k, a + (not is_same), lo, ad) for k, a, lo, ad in rest})
            )
        if i < len(changed):
            n, rest = ways(i + 1, j)
            options.append((n + 1, {(k, a, lo, ad + 1) for k, a, lo, ad in rest}))
        if j < len(original):
            n, rest = ways(i, j + 1)
            options.append((n + 1, {(k, a, lo + 1, ad) for k, a, lo, ad in rest}))
        fewest = min(n for n, _ in options)
        return fewest, frozenset().union(*(every for n, every in options if n == fewest))

    fewest, every = ways(0, 0)
    return fewest, set(every)


def by_definition(changed: str, original: str, kept: tuple[tuple[int, int], ...]) -> tuple[list, list, list]:
    """Return where each offset of the changed text stands, how far it may be off, and whether in a loss."""
    ours, theirs = ([match.span() for match in WORD.finditer(text)] for text in (changed, original))
    anchors = [
        ((0, 0), (0, 0), -1, -1),
        *((ours[i], theirs[j], i, j) for i, j in kept),
        ((len(changed),) * 2, (len(original),) * 2, len(ours), len(theirs)),
    ]
    mapped, off, lost = [0], [0], [False]
    for offset in range(1, len(changed)):
        left = [anchor for anchor in anchors if anchor[0][0] < offset][-1]
        right = anchors[anchors.index(left) + 1]
        (start, end), (own_start, own_end), i, j = left
        if offset < end:  # inside a kept word
            mapped.append(own_start + (offset - start) / (end - start) * (own_end - own_start))
            off.append(0)
            lost.append(False)
            continue
        (next_start, _), (own_next, _), next_i, next_j = right
        share = (offset - end) / (next_start - end)
        mapped.append(own_end + share * (own_next - own_end))
        after = theirs[j + 1][0] if j + 1 < len(theirs) else len(original)
        off.append(own_next - after)
        lost.append(next_j - j > next_i - i)
    if changed:
        mapped, off, lost = [*mapped, len(original)], [*off, 0], [*lost, False]
    else:
        mapped = [len(original)]
    return [round(value) for value in mapped], off, lost


@each("seed", range(150))
def test_small_texts_are_aligned_as_one_of_the_best_ways_by_brute_force(seed):
    rng = random.Random(seed)
    separators = [" ", ". ", "\n\n", " - "]

    def text(n: int) -> str:
        return "".join(rng.choice("abc") + rng.choice(["", "x"]) + rng.choice(separators) for _ in range(n))

    changed, original = text(rng.randrange(6)), rng.choice(["", "“"]) + text(rng.randrange(1, 6))
    ours, theirs = (tuple(WORD.findall(every)) for every in (changed, original))
    alignment = cs.align_text(changed, original)
    fewest, every = alignments(ours, theirs)
    n, m = len(theirs), len(ours)
    own = (alignment.kept * n, alignment.altered * n, alignment.lost * n, alignment.added * m)
    assert round(sum(own[1:])) == fewest
    offsets = range(len(changed) + 1)
    numbers = tuple(round(number) for number in own)
    result = (
        alignment.map(offsets).tolist(),
        alignment.uncertainty(offsets).tolist(),
        alignment.is_in_lost(offsets).tolist(),
    )
    expected = [
        by_definition(changed, original, kept) for kept, *edits in every if (len(kept), *edits) == numbers
    ]
    assert result in expected


def corrupted(words: list[str], rate: float, rng: random.Random) -> tuple[list[str], list[int]]:
    """Lose, replace and insert words; return for each word of the result where it stands in the original."""
    changed, origin = [], []
    for index, word in enumerate(words):
        event = rng.random() / rate if rate else 1
        if event < 1 / 3:
            continue
        if event < 2 / 3:
            word = f"new{rng.randrange(5000)}"
        elif event < 1:
            changed.append(f"more{rng.randrange(5000)}")
            origin.append(index)
        changed.append(word)
        origin.append(index)
    return changed, origin


@pytest.mark.parametrize("vocabulary", [60, 3000])
@pytest.mark.parametrize(("rate", "least"), [(0.0, 1.0), (0.05, 0.99), (0.1, 0.99), (0.2, 0.99), (0.4, 0.95)])
def test_boundaries_of_corrupted_texts_come_back_within_one_word(rate, least, vocabulary):
    """The texts are corrupted here, so that it is known where each word came from."""
    n_right = n_all = 0
    for seed in range(20):
        rng = random.Random(seed)
        # Frequent words are many, as in language.
        words = [f"w{int(vocabulary ** rng.random())}" for _ in range(1500)]
        changed, origin = corrupted(words, rate, rng)
        starts = np.cumsum([0, *(len(word) + 1 for word in words)])
        own_starts = np.cumsum([0, *(len(word) + 1 for word in changed)])
        alignment = cs.align_text("\n".join(changed), " ".join(words))
        chosen = sorted(rng.sample(range(1, len(changed)), 60))
        mapped = alignment.map(own_starts[chosen])
        true = [origin[index] for index in chosen]
        word = np.searchsorted(starts, mapped + 0.5) - 1  # the word that starts there, or in which it stands
        off = np.abs(word - true)
        if not rate:
            assert mapped.tolist() == starts[true].tolist()
            assert not alignment.uncertainty(own_starts[chosen]).any()
        n_right += int((off <= 1).sum())
        n_all += len(chosen)
    assert n_right / n_all >= least


def test_it_maps_in_order_and_knows_how_far_it_may_be_off():
    rng = random.Random(7)
    words = [f"w{rng.randrange(500)}" for _ in range(2000)]
    changed, origin = corrupted(words, 0.3, rng)
    starts = np.cumsum([0, *(len(word) + 1 for word in words)])
    own_starts = np.cumsum([0, *(len(word) + 1 for word in changed)])
    alignment = cs.align_text(" ".join(changed), " ".join(words))
    every = alignment.map(range(len(" ".join(changed)) + 1))
    assert (np.diff(every) >= 0).all()
    where = own_starts[1:-1]
    off = np.abs(alignment.map(where) - starts[np.array(origin)[1:]])
    within = off <= alignment.uncertainty(where) + 1  # the space between words
    assert within.mean() > 0.99  # a repeated word may be kept at another place


def test_case_and_what_is_between_words_are_free():
    original = "It rained.  “WE” stayed —\tin."
    alignment = cs.align_text("it RAINED\n---\nwe stayed (in)", original)
    assert (alignment.kept, alignment.altered, alignment.lost, alignment.added) == (1, 0, 0, 0)
    assert alignment.map([14]) == original.index("WE")
    assert alignment.uncertainty([14]) == 0


def test_a_place_in_a_lost_stretch_says_so():
    original = "one two " + "lost " * 10 + "three four"
    alignment = cs.align_text("one two three four", original)
    assert alignment.lost == pytest.approx(10 / 14)
    assert alignment.is_in_lost([4, 8, 14]).tolist() == [False, True, False]
    assert alignment.map([7, 8]).tolist() == [7, 58]
    assert alignment.uncertainty([4, 8]).tolist() == [0, len("lost " * 10)]


@pytest.mark.parametrize("changed", ["", "…", "---\n\n"])
def test_a_text_without_words_keeps_none(changed):
    alignment = cs.align_text(changed, "one two")
    assert (alignment.kept, alignment.lost, alignment.added) == (0, 1, 0)
    assert alignment.map([len(changed)]) == 7


@pytest.mark.parametrize(("changed", "original", "message"), [
    ("a", "", "no words"), ("a", "— … _", "no words"),
    (3, "a", "changed is 3"), ("a", None, "original is None"),
])  # fmt: skip
def test_what_cannot_be_aligned_is_refused_in_one_line(changed, original, message):
    with pytest.raises(cs.CaesuraError, match=message) as error:
        cs.align_text(changed, original)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("offset", [-1, 8, float("nan")])
def test_an_offset_outside_the_text_is_refused(offset):
    with pytest.raises(cs.SegmentationError, match="the changed text has 7 characters"):
        cs.align_text("one two", "one two").map([offset])


def test_one_offset_may_stand_alone():
    alignment = cs.align_text("One two. Four five", "One two. Three, four five.")
    assert (alignment.map(3), alignment.uncertainty(9), alignment.is_in_lost(9)) == (3, 7, True)
    assert alignment.map(0) == 0
    with pytest.raises(cs.SegmentationError, match="offsets are 'x': expected numbers"):
        alignment.map("x")


def test_a_missing_extra_is_one_line(monkeypatch):
    monkeypatch.setitem(sys.modules, "rapidfuzz", None)
    monkeypatch.setitem(sys.modules, "rapidfuzz.distance", None)
    with pytest.raises(cs.MissingExtraError, match=r"rapidfuzz: .*chunks"):
        cs.align_text("a", "a")


HOSTILE = {
    "the the": lambda n: (["the"] * n, ["the"] * (n - 1000)),
    "a b a b": lambda n: (["a", "b"] * (n // 2), ["b", "b", "a"] * (n // 3)),
    "unrelated": lambda n: (
        [f"v{i * i % 20_011}" for i in range(n)],
        [f"w{i * i % 20_011}" for i in range(n)],
    ),
}


@pytest.mark.parametrize(
    ("kind", "n"),
    [*((kind, 20_000) for kind in HOSTILE), pytest.param("40 %", 100_000, marks=pytest.mark.exhaustive)],
)
def test_long_and_hostile_texts_take_little_more_than_rapidfuzz_alone(kind, n):
    rng = random.Random(1)
    words = [f"w{rng.randrange(20_000)}" for _ in range(n)]
    changed, original = HOSTILE[kind](n) if kind in HOSTILE else (corrupted(words, 0.4, rng)[0], words)
    texts = " ".join(changed), " ".join(original)
    start = time.process_time()
    list(Levenshtein.opcodes(changed, original))
    alone = time.process_time() - start
    start = time.process_time()
    alignment = cs.align_text(*texts)
    alignment.map(range(0, len(texts[0]), 10))
    assert time.process_time() - start < 1.5 * alone + 1.2


@pytest.mark.parametrize("kind", HOSTILE)
def test_memory_grows_as_the_texts(kind):
    texts = [" ".join(words) for words in HOSTILE[kind](10_000)]
    tracemalloc.start()
    cs.align_text(*texts)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 10_000 * 1_000
