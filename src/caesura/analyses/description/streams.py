"""A description as sums over documents: what describe() of a stream adds up, and what follows from it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from caesura.analyses.description.coders import median_boundaries
from caesura.analyses.description.edits import edits_by_n_t, pair_positions
from caesura.analyses.description.exact import exact, exact_sum
from caesura.analyses.description.results import (
    CoderTotals,
    EditTotals,
    StreamedDescription,
    TypeCount,
    ratio,
)
from caesura.analyses.description.sizes import level_sizes, mean_sd, mean_sd_of, segment_sizes
from caesura.analyses.evaluation.counting import Sums
from caesura.analyses.named_sums import name_of, parts_of, sum_of
from caesura.arrays import IntArray
from caesura.errors import CorpusError
from caesura.pairs import every_two
from caesura.stats.exact import Tally
from caesura.values.corpus import Corpus
from caesura.values.type_scheme import TypeScheme, name_of_type

MOST_NAMES = 1_000_000
"""Sums that are kept: of coders, and of coders and types."""


@dataclass(frozen=True)
class DescriptionQuestion:
    """What is counted of the codings of documents."""

    n_t: int
    sweep: tuple[int, ...]

    @property
    def about(self) -> tuple[Any, ...]:
        """What tells the question from others of its kind."""
        return self.n_t, self.sweep

    @property
    def all_n_t(self) -> list[int]:
        """Every n_t of which edits are counted."""
        return sorted({self.n_t, *range(1, max(self.sweep, default=0) + 1)})

    def check(self, names: Mapping[str, Any]) -> None:
        """Refuse more sums than memory should hold."""
        if len(names) > MOST_NAMES:
            raise CorpusError(
                f"there are {len(names):,} coders, or coders and types, more than a stream keeps: read the "
                "data into memory"
            )

    def sums(self, corpus: Corpus) -> dict[str, Sums]:
        """Return the sums over all documents."""
        found = {name_of(*parts): number for parts, number in self._numbers(corpus.coded).items()}
        self.check(found)
        return {name: sum_of(Tally((number,))) for name, number in found.items()}

    def _numbers(self, corpus: Corpus) -> dict[tuple[str | int, ...], int]:
        codings, pairs = corpus.codings, every_two(corpus)
        n_segments, n_boundaries = codings.n_positions + 1, codings.n_boundaries
        sizes = segment_sizes(codings.marked)
        found: dict[tuple[str | int, ...], int] = {
            ("documents",): len(corpus.document_names),
            ("codings",): len(corpus),
            ("units",): exact_sum(corpus.document_units),
            ("units", "squares"): _squares(corpus.document_units),
            ("boundaries",): int(n_boundaries.sum()),
            ("segments",): int(n_segments.sum()),
            ("segments", "squares"): _squares(n_segments),
            ("sizes",): exact_sum(sizes),
            ("sizes", "squares"): _squares(sizes),
            ("pairs",): len(pairs),
            ("pair_positions",): pair_positions(corpus),
            ("pair_boundaries",): int((n_boundaries[pairs.first] + n_boundaries[pairs.second]).sum()),
        }
        for n_t, edits in edits_by_n_t(pairs, self.all_n_t).items():
            found |= {("edits", n_t, kind): number for kind, number in enumerate(edits[1:])}
        coders = corpus.coders
        typical = (2 * median_boundaries(corpus)).astype(np.int64)[corpus.document]
        columns = {
            "coded": np.ones(len(corpus), dtype=np.int64),
            "positions": codings.n_units - 1,
            "marks": n_boundaries,
            "typical": typical,
        }
        for what, values in columns.items():
            for coder, number in zip(coders, _by_coder(corpus, values), strict=True):
                found[what, coder] = number
        kind = codings.all_types
        of_coder = corpus.coder[codings.coding]
        for (coder, one), number in Counter(zip(of_coder.tolist(), kind.tolist(), strict=True)).items():
            found["type", one, coders[coder]] = number
        if corpus.is_hierarchical:
            for rank, numbers in level_sizes(codings, corpus.types).items():
                found |= {("level", rank, place): number for place, number in enumerate(numbers)}
        return found


def _squares(values: IntArray) -> int:
    return int((exact(values, int(values.max(initial=0)) ** 2 * len(values)) ** 2).sum())


def _by_coder(corpus: Corpus, values: IntArray) -> list[int]:
    whole = exact(values, int(values.max(initial=0)) * len(values))
    sums = np.zeros(len(corpus.coder_names), dtype=whole.dtype)
    np.add.at(sums, corpus.coder, whole)
    return [int(number) for number in sums]


def streamed_description(
    question: DescriptionQuestion,
    scheme: TypeScheme | None,
    sums: Mapping[str, Sums],
    left_out: tuple[str, ...],
) -> StreamedDescription:
    """Return what follows from the sums."""
    total = {parts_of(name): one.tallies[0].counts[0] for name, one in sums.items()}
    documents, units, codings = (total["documents",], total["units",], total["codings",])
    edits = {
        n_t: EditTotals(n_t, *(total["edits", n_t, kind] for kind in range(4))) for n_t in question.all_n_t
    }
    own = edits[question.n_t]
    coders = _coders(total)
    rates = [one.rate for one in coders if one.potential_boundaries]
    largest = max(question.sweep, default=0)
    return StreamedDescription(
        n_t=question.n_t,
        documents=documents,
        coders=len(coders),
        codings=codings,
        units=units,
        potential_boundaries=units - documents,
        boundaries=total["boundaries",],
        segments=total["segments",],
        document_size=mean_sd_of(documents, units, total["units", "squares"]),
        segment_size=mean_sd_of(total["segments",], total["sizes",], total["sizes", "squares"]),
        segments_per_coding=mean_sd_of(codings, total["segments",], total["segments", "squares"]),
        boundaries_per_coder=mean_sd([one.boundaries for one in coders]),
        boundaries_per_position_per_coder=mean_sd(rates),
        pairs=total["pairs",],
        pair_potential_boundaries=total["pair_positions",],
        pair_boundaries=total["pair_boundaries",],
        pair_matches=own.matches,
        pair_additions=own.additions,
        pair_substitutions=own.substitutions,
        pair_transpositions=own.transpositions,
        types=_types(total, scheme),
        sweep=tuple(edits[wide] for wide in question.sweep),
        spans={
            wide - 1: edits[wide].transpositions - edits[wide - 1].transpositions
            for wide in range(2, largest + 1)
        },
        coder_totals=coders,
        has_ranks=scheme is not None and scheme.ranks,
        left_out=left_out,
    )


def _coders(total: Mapping[tuple[Any, ...], int]) -> tuple[CoderTotals, ...]:
    found = []
    for coder in sorted(name[1] for name in total if name[0] == "coded"):
        positions, boundaries = total["positions", coder], total["marks", coder]
        divisor = float(max(1, positions))
        typical = total["typical", coder] / 2
        numbers = (total["coded", coder], positions, boundaries)
        found.append(CoderTotals(coder, *numbers, boundaries / divisor, typical / divisor))
    return tuple(found)


def _types(total: Mapping[tuple[Any, ...], int], scheme: TypeScheme | None) -> tuple[TypeCount, ...]:
    number: Counter[int] = Counter()
    users: Counter[int] = Counter()
    for parts, n in total.items():
        if parts[0] == "type":
            number[parts[1]] += n
            users[parts[1]] += 1
    of_all = sum(number.values())
    found = []
    for one in sorted(number) if scheme is None else scheme.types:
        level = [total["level", one, place] for place in range(3)] if ("level", one, 0) in total else None
        size = None if level is None else mean_sd_of(*level)
        called = name_of_type(scheme, one)
        found.append(TypeCount(one, called, number[one], ratio(number[one], of_all), users[one], size))
    return tuple(found)
