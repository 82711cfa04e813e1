"""The page's own alignment, in a real browser. Source of truth: caesura.align and boundary_similarity, which
other tests hold to the papers and to brute force."""

from __future__ import annotations

import random

import pytest

import caesura as cs

ALIGN = """(pairs) => pairs.map(([a, b, nT, weights]) => {
    const found = caesuraReport.align(a, b, nT, weights);
    return [found.matches, found.missed, found.spurious, found.substitutions, found.transpositions,
            found.similarity.value];
})"""


def random_coding(generator: random.Random, n_units: int, types: list[int] | None) -> cs.Segmentation:
    density = generator.choice([0.1, 0.3, 0.7])
    slots = [
        (p, t)
        for p in range(1, n_units)
        for t in types or [1]
        if generator.random() < density / len(types or [1])
    ]
    return cs.Segmentation.from_positions(
        [p for p, _ in slots], n_units, [t for _, t in slots] if types else None
    )


def as_page_coding(segmentation: cs.Segmentation) -> dict[str, object]:
    positions, types = zip(*segmentation.boundaries, strict=True) if segmentation.boundaries else ((), ())
    return {"p": positions, "t": None if segmentation.is_plain else types}


def in_page(page, cases):
    given = [
        [
            as_page_coding(a),
            as_page_coding(b),
            n_t,
            {"transposition": "scaled", "substitution": "scaled", "w0": 0.0, "types": None, **weights},
        ]
        for a, b, n_t, weights in cases
    ]
    return page.evaluate(ALIGN, given)


def in_library(a, b, n_t, weights):
    found = cs.align(a, b, n_t=n_t, **weights)
    return [
        sorted(map(list, found.matches)),
        sorted([edit.position, edit.type] for edit in found.missed),
        sorted([edit.position, edit.type] for edit in found.spurious),
        sorted(map(list, found.substitutions)),
        sorted(map(list, found.transpositions)),
        pytest.approx(float(cs.boundary_similarity(a, b, n_t=n_t, **weights)), abs=1e-12),
    ]


WEIGHTED = [
    (None, {}),
    (None, {"transposition": "constant"}),
    (None, {"transposition": "equation", "w0": 0.25}),
    ([1, 2], {}),
    ([1, 2, 3], {"substitution": "constant", "types": (1, 2, 3)}),
    ([1, 2, 3, 7], {"types": (1, 2, 3, 7, 12)}),
    ([-4, 0, 5], {"substitution": "equation", "types": (-4, 0, 5)}),
    (None, {"transposition": 0.25}),
    ([1, 2, 3], {"transposition": 0.0, "substitution": 0.3}),
    (
        [1, 2, 5],
        {
            "transposition": "equation",
            "substitution": "equation",
            "w0": {"transposition": 0.25, "substitution": 0.5},
        },
    ),
]

OPTIMAL = [(types, {**weights, "method": "optimal"}) for types, weights in WEIGHTED]


def test_random_pairs_align_as_in_the_library(open_page, stargazers):
    generator = random.Random(0)
    page = open_page(stargazers)
    cases = []
    for types, weights in WEIGHTED * 60:
        n_units = generator.choice([1, 2, 5, 12, 40, 200])
        a, b = (random_coding(generator, n_units, types) for _ in range(2))
        cases += [(a, b, n_t, weights) for n_t in generator.sample(range(1, 11), 3)]
    for case, (*edits, value) in zip(cases, in_page(page, cases), strict=True):
        assert [*map(sorted, edits), value] == in_library(*case), case


def test_optimal_alignment_is_the_librarys(open_page, stargazers):
    """Of one type the same pairs; of several, where sets of edits may be equally good, as many of a kind."""
    generator = random.Random(1)
    page = open_page(stargazers)
    cases = []
    for types, weights in OPTIMAL * 60:
        n_units = generator.choice([1, 2, 5, 12, 40, 200])
        a, b = (random_coding(generator, n_units, types) for _ in range(2))
        cases += [(a, b, n_t, weights) for n_t in generator.sample(range(1, 11), 3)]
    for case, (*edits, value) in zip(cases, in_page(page, cases), strict=True):
        *expected, similarity = in_library(*case)
        assert value == similarity, case
        assert [len(kind) for kind in edits] == [len(kind) for kind in expected], case
        if case[0].is_plain and case[1].is_plain:
            assert [*map(sorted, edits)] == expected, case


def test_very_long_documents_align(open_page, stargazers):
    n_units = 10**12
    a = cs.Segmentation.from_positions([5, 10**6, 10**12 - 9], n_units)
    b = cs.Segmentation.from_positions([5, 10**6 + 3, 10**12 - 8], n_units)
    page = open_page(stargazers)
    for n_t in (1, 2, 4):
        ((*edits, value),) = in_page(page, [(a, b, n_t, {})])
        assert [*map(sorted, edits), value] == in_library(a, b, n_t, {})


@pytest.mark.parametrize("made", ["stargazers", "typed", "hierarchy"])
def test_what_the_page_holds_is_the_corpus(open_page, request, made):
    """Positions, types and weights that come out of the file give the library's B for every pair."""
    found = request.getfixturevalue(made)
    page = open_page(found)
    values = page.evaluate(
        """() => caesuraReport.data.documents.flatMap((stored, index) => {
            const doc = caesuraReport.openDocument(index);
            const coders = [...doc.codings.keys()];
            return coders.flatMap((a) => coders.map((b) => [stored.name, a, b, caesuraReport.align(
                doc.codings.get(a), doc.codings.get(b), caesuraReport.data.n_t, caesuraReport.data.weights
            ).similarity.value]));
        })"""
    )
    coders = found.corpus.coders
    assert len(values) == sum(len(coded) ** 2 for coded in found.corpus.segmentations().values())
    matrix = cs.coder_matrix(found.corpus)
    for document, a, b, value in values:
        if a != b:
            one = matrix.document(document)
            expected = one.values[one.coders.index(coders[a]), one.coders.index(coders[b])]
            assert value == pytest.approx(expected, abs=1e-12)
        else:
            assert value == 1.0
