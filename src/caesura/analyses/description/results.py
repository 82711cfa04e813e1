"""Description: what describe() found, as numbers, sentences and tables.

F13t is Fournier (2013), Evaluating text segmentation, the thesis; KS12 is Kazantseva & Szpakowicz (2012),
Topical segmentation: a study of human performance and a new measure of quality.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple

from caesura.analyses.prominence import Prominence, Support, prominence_table, support
from caesura.results.notes import finding, reading, recipe
from caesura.results.result import Result
from caesura.results.table import Cell, Column, Table
from caesura.values.corpus import Corpus
from caesura.version import __version__
from caesura.wording import counted, listed

MIN_CODERS_FOR_FENCES = 4
"""Among fewer coders no rate can lie outside Tukey's fences."""


class MeanSD(NamedTuple):
    """A mean with its population standard deviation, as F13t prints them, and the number of values."""

    mean: float
    sd: float
    n: int


class CoderRate(NamedTuple):
    """How many boundaries a coder places, beside what is typical of the same documents."""

    coder: str
    documents: int
    potential_boundaries: int
    boundaries: int
    rate: float
    """Boundaries per potential boundary."""
    typical_rate: float
    """The rate that the median number of boundaries of each document would give."""
    outlier: str
    """``more`` or ``fewer`` than Tukey's fences allow, or nothing."""


class TypeCount(NamedTuple):
    """How often a boundary type is used; of a hierarchy, a rank."""

    type: int
    name: str
    boundaries: int
    share: float
    """Of all boundaries."""
    coders: int
    """Coders who use it."""
    segment_size: MeanSD | None
    """Segments between boundaries of this rank and above; None where types are no ranks."""


class EditTotals(NamedTuple):
    """Matches and edits over all pairs at one n_t."""

    n_t: int
    matches: int
    additions: int
    substitutions: int
    transpositions: int

    @property
    def edits(self) -> int:
        """Boundary edit distance, summed over the pairs."""
        return self.additions + self.substitutions + self.transpositions


class EventProbabilities(NamedTuple):
    """Counts over pairs as F13t tables 5.3c and 5.4c divide them; NaN where there is nothing to divide by.

    P(b) is the boundaries of both coders per position that they share, so two coders who mark each tenth
    position have P(b) = 0.2. Given a boundary, an event counts once per pair of boundaries: P(m | b) + ...
    is less than 1. ``Description.shares`` counts boundaries and sums to 1.
    """

    boundary: float
    addition: float
    substitution: float
    transposition: float
    match: float


class BoundaryShares(NamedTuple):
    """What becomes of a boundary when its coding is compared with another; the shares sum to 1."""

    missed: float
    substituted: float
    near_missed: float
    matched: float


@dataclass(frozen=True, repr=False)
class Description(Result):
    """What a coded corpus looks like; ``print`` it to see the main table.

    Units and potential boundaries count each document once; boundaries and segments count every coding.
    What begins with ``pair_`` is summed over every two codings of each document.
    """

    corpus: Corpus = field(compare=False)
    n_t: int
    documents: int
    coders: int
    codings: int
    units: int
    potential_boundaries: int
    boundaries: int
    segments: int
    document_size: MeanSD
    segment_size: MeanSD
    segments_per_coding: MeanSD
    boundaries_per_coder: MeanSD
    boundaries_per_position_per_coder: MeanSD
    pairs: int
    pair_potential_boundaries: int
    pair_boundaries: int
    pair_matches: int
    """True matches; F13t tables 5.3 and 5.4 print two more for each pair."""
    pair_additions: int
    pair_substitutions: int
    pair_transpositions: int
    coder_rates: tuple[CoderRate, ...]
    types: tuple[TypeCount, ...]
    """One entry for each boundary type that is declared or occurs."""
    sweep: tuple[EditTotals, ...]
    """Edits for each n_t that was asked for (F13t figure 5.14)."""
    spans: dict[int, int]
    """Number of transpositions by distance, at the largest n_t of the sweep (F13t figure 5.15)."""
    prominence: tuple[Prominence, ...]
    """Support of the marked positions at tolerance 0, k/2 and k (KS12 figure 3)."""

    @property
    def probabilities(self) -> EventProbabilities:
        """Probabilities of events as F13t defines them."""
        events = (self.pair_additions, self.pair_substitutions, self.pair_transpositions, self.pair_matches)
        return EventProbabilities(
            _ratio(self.pair_boundaries, self.pair_potential_boundaries),
            *(_ratio(count, self.pair_boundaries) for count in events),
        )

    @property
    def shares(self) -> BoundaryShares:
        """Shares of the compared boundaries that are missed, substituted, near-missed and matched."""
        twice = (2 * self.pair_substitutions, 2 * self.pair_transpositions, 2 * self.pair_matches)
        return BoundaryShares(*(_ratio(n, self.pair_boundaries) for n in (self.pair_additions, *twice)))

    @property
    def outliers(self) -> tuple[CoderRate, ...]:
        """Coders who mark far more or fewer boundaries than is typical of the documents they coded."""
        return tuple(rate for rate in self.coder_rates if rate.outlier)

    def support(self, document: str | None = None) -> Support:
        """Return how many coders support each marked position, of one document or of all."""
        return support(self.corpus if document is None else self.corpus.select(documents=[document]))

    # ---------------------------------------------------------------- presentation

    def __repr__(self) -> str:
        return (
            f"<Description of {counted(self.documents, 'document')}, {counted(self.coders, 'coder')}: "
            f"{counted(self.boundaries, 'boundary', 'boundaries')}, {counted(self.pairs, 'pair')}>"
        )

    @property
    def signature(self) -> str:
        """The recipe behind the numbers."""
        return f"describe|n_t={self.n_t}|method=greedy|SD=population|k=auto|caesura {__version__}"

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the support of single positions as plain data."""
        data = {name: _plain(getattr(self, name)) for name in self.__dataclass_fields__ if name != "corpus"}
        data["probabilities"] = self.probabilities._asdict()
        data["shares"] = self.shares._asdict()
        data["signature"] = self.signature
        return data

    def to_table(self) -> Table:
        """Return the main table: one quantity a row, as F13t tables 5.3 and 5.4."""

        return Table(
            "",
            [Column("quantity"), Column("value"), Column("SD"), Column("n")],
            [*self._coding_rows(), *(self._pair_rows() if self.pairs else ())],
            notes=[*map(finding, self.findings()), recipe(self.signature)],
        )

    def _coding_rows(self) -> list[list[Cell]]:
        totals: dict[str, int] = {
            "documents": self.documents,
            "coders": self.coders,
            "codings": self.codings,
            "units": self.units,
            "potential boundaries": self.potential_boundaries,
            "boundaries": self.boundaries,
            "segments": self.segments,
        }
        means = {
            "units per document": self.document_size,
            "segment size": self.segment_size,
            "segments per coding": self.segments_per_coding,
            "boundaries per coder": self.boundaries_per_coder,
            "boundaries per position per coder": self.boundaries_per_position_per_coder,
        }
        rows: list[list[Cell]] = [[name, total, None, None] for name, total in totals.items()]
        return rows + [[name, mean.mean, mean.sd, mean.n] for name, mean in means.items()]

    def _pair_rows(self) -> list[list[Cell]]:
        counts: dict[str, int] = {
            "pairs": self.pairs,
            "pair potential boundaries": self.pair_potential_boundaries,
            "pair boundaries": self.pair_boundaries,
            "pair matches": self.pair_matches,
            "pair transpositions": self.pair_transpositions,
            "pair substitutions": self.pair_substitutions,
            "pair additions": self.pair_additions,
        }
        rows: list[list[Cell]] = [[name, count, None, None] for name, count in counts.items()]
        likely, n = self.probabilities, self.pair_boundaries
        rows.append(["P(boundary)", likely.boundary, None, self.pair_potential_boundaries])
        for name, value in zip(likely._fields[1:], likely[1:], strict=True):
            rows.append([f"P({name} | boundary)", value, None, n])
        for name, value in self.shares._asdict().items():
            rows.append([f"share {name.replace('_', '-')}", value, None, n])
        return rows

    def findings(self) -> list[str]:
        """Return one or two sentences that say what the numbers mean."""
        return [self._pair_finding(), self._coder_finding()]

    def _pair_finding(self) -> str:
        if not self.pairs:
            return "No document has two coders, so there is nothing to compare."
        if not self.pair_boundaries:
            return "No coder marks any boundary in the documents with two coders or more."
        shares = self.shares
        sentence = (
            f"When two coders are compared, {shares.matched:.0%} of their boundaries match, "
            f"{shares.near_missed:.0%} are near misses and {shares.missed:.0%} are full misses"
        )
        if shares.substituted:
            sentence += f" ({shares.substituted:.0%} have another type)"
        wider = next((edits for edits in self.sweep if edits.n_t == self.n_t + 1), None)
        if wider is not None:
            now = sum((self.pair_additions, self.pair_substitutions, self.pair_transpositions))
            fewer = now - wider.edits
            sentence += f"; n_t={wider.n_t} would need {_ratio(fewer, now):.0%} fewer edits" if fewer else ""
        return sentence + "."

    def _coder_finding(self) -> str:
        if self.coders < MIN_CODERS_FOR_FENCES:
            return f"Fewer than {MIN_CODERS_FOR_FENCES} coders: too few to point out outliers."
        parts = []
        for which in ("more", "fewer"):
            names = [rate.coder for rate in self.outliers if rate.outlier == which]
            if names:
                verb = "marks" if len(names) == 1 else "mark"
                parts.append(f"{listed(names, most=5)} {verb} far {which} boundaries")
        if not parts:
            return "No coder's boundary rate is far from that of the others on the same documents."
        return f"{' and '.join(parts)} than the other coders of the same documents (Tukey's fences)."

    @property
    def coders_table(self) -> Table:
        """One row per coder: boundary rates, with outliers pointed out."""
        return self._rates_table("Coders", self.coder_rates)

    @property
    def outliers_table(self) -> Table:
        """The rows of ``coders_table`` that are outliers."""
        return self._rates_table(f"Outliers among {self.coders:,} coders", self.outliers)

    def _rates_table(self, title: str, rates: tuple[CoderRate, ...]) -> Table:

        names = ["coder", "documents", "positions", "boundaries", "rate", "typical rate", "outlier"]
        note = (
            "rate: boundaries per position; typical: of the median coder of the same documents; outlier: the "
            "difference is outside Tukey's fences of all coders (1.5 interquartile ranges off the quartiles)"
        )
        rows: list[list[Cell]] = [[*rate] for rate in rates]
        notes = [reading(note), finding(self._coder_finding()), recipe(self.signature)]
        return Table(title, [*map(Column, names)], rows, notes=notes)

    @property
    def types_table(self) -> Table:
        """One row per boundary type, or per level of hierarchies."""

        is_ranked = self.corpus.is_hierarchical
        names = ["level" if is_ranked else "type", "boundaries", "share", "coders"]
        names += ["segment size", "SD"] if is_ranked else []
        rows: list[list[Cell]] = [
            [kind.name, kind.boundaries, kind.share, kind.coders, *(kind.segment_size or ())[:2]]
            for kind in self.types
        ]
        note = "share: of all boundaries; coders: how many use it"
        note += "; segments lie between boundaries of the level and those above" if is_ranked else ""
        title = "Levels" if is_ranked else "Boundary types"
        return Table(title, [*map(Column, names)], rows, notes=[reading(note), recipe(self.signature)])

    @property
    def sweep_table(self) -> Table:
        """One row per n_t: the edits by kind, and how many transpositions just fit."""

        names = ["n_t", "matches", "additions", "substitutions", "transpositions", "edits", "of span n_t − 1"]
        rows: list[list[Cell]] = [
            [*edits, edits.edits, self.spans.get(edits.n_t - 1)] for edits in self.sweep
        ]
        notes = [
            reading(
                f"edits between every two coders, {counted(self.pairs, 'pair')}; additions are full misses, "
                "transpositions near misses"
            ),
            *map(finding, self._sweep_finding()),
            recipe(self.signature),
        ]
        return Table("Edits by n_t", [*map(Column, names)], rows, notes=notes)

    def _sweep_finding(self) -> list[str]:
        drops = [
            (_ratio(narrow.edits - wide.edits, narrow.edits), narrow.n_t, wide.n_t)
            for narrow, wide in pairwise(self.sweep)
            if narrow.edits
        ]
        if not drops:
            return []
        drop, narrow_n_t, wide_n_t = max(drops, key=lambda found: found[0])
        if drop <= 0:
            return ["The number of edits does not depend on n_t here."]
        return [
            f"The steepest drop of edits is {drop:.0%}, from n_t={narrow_n_t} to n_t={wide_n_t}; Fournier "
            "(2013, §5.2.1.1) reads it as a sign that the larger of the two may be supportable."
        ]

    @property
    def prominence_table(self) -> Table:
        """One row per tolerance: how well supported the marked positions are."""
        return prominence_table(self.prominence, self.signature)


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else math.nan


def _plain(value: Any) -> Any:
    """Return named tuples as dictionaries, all the way down."""
    if hasattr(value, "_asdict"):
        return {name: _plain(part) for name, part in value._asdict().items()}
    return [_plain(item) for item in value] if isinstance(value, tuple) else value
