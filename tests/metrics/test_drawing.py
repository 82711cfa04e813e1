"""The drawing of an alignment in plain text.

Source of truth: the rules in drawing.py's docstrings, applied by hand. A position p stands in column
(p - start) × unit of its row, where unit is 4 columns for short documents and 1 for long ones; signs that
would overlap go to further lines; rows without any boundary are left out with a note; 80 columns.
"""

import collections

import numpy as np
import pytest

import caesura as cs
from caesura import Segmentation
from caesura.alignment.alignment import draw_alignment

LEGEND = "  = match  ╰~╯ near miss  − missed  + spurious  ≠ wrong type"


def drawn(*lines: str) -> str:
    return "\n".join([*lines, LEGEND])


# -------------------------------------------------------------------- whole drawings


def test_a_match_and_a_near_miss():
    assert str(cs.align([2, 3, 6], [2, 2, 7])) == drawn(
        "11 units · n_t=2",
        "  ref  ───────┃───────────┃────────────────────────",
        "  hyp  ───────┃───────┃────────────────────────────",
        "              =       ╰~~~╯",
        "  1 match · 1 near miss (span 1) · 0 missed · 0 spurious",
    )


def test_the_near_miss_in_the_other_direction():
    assert str(cs.align([2, 2, 7], [2, 3, 6])) == drawn(
        "11 units · n_t=2",
        "  ref  ───────┃───────┃────────────────────────────",
        "  hyp  ───────┃───────────┃────────────────────────",
        "              =       ╰~~~╯",
        "  1 match · 1 near miss (span 1) · 0 missed · 0 spurious",
    )


def test_missed_and_spurious():
    assert str(cs.align([3, 3], [1, 5])) == drawn(
        "6 units · n_t=2",
        "  ref  ───────────┃────────────",
        "  hyp  ───┃────────────────────",
        "          +       −",
        "  0 matches · 0 near misses · 1 missed · 1 spurious",
    )


def test_one_unit():
    assert str(cs.align([1], [1])) == drawn(
        "1 unit · n_t=2",
        "  ref  ────",
        "  hyp  ────",
        "  0 matches · 0 near misses · 0 missed · 0 spurious",
    )


def test_no_boundaries():
    assert str(cs.align([3], [3], n_t=5)) == drawn(
        "3 units · n_t=5",
        "  ref  ────────────",
        "  hyp  ────────────",
        "  0 matches · 0 near misses · 0 missed · 0 spurious",
    )


def test_nested_near_misses_go_to_two_lines():
    """Boundaries 3 and 4 against 5 and 6: the inner two are nearest, the outer two are left."""
    assert str(cs.align([3, 1, 4], [5, 1, 2], n_t=4)) == drawn(
        "8 units · n_t=4",
        "  ref  ───────────┃───┃────────────────",
        "  hyp  ───────────────────┃───┃────────",
        "                  ╰~~~~~~~~~~~╯",
        "                      ╰~~~╯",
        "  0 matches · 2 near misses (span 1, 3) · 0 missed · 0 spurious",
    )


def test_a_match_inside_a_near_miss_goes_to_a_second_line():
    """2 against 4 with a match at 3."""
    assert str(cs.align([2, 1, 3], [3, 1, 2], n_t=3)) == drawn(
        "6 units · n_t=3",
        "  ref  ───────┃───┃────────────",
        "  hyp  ───────────┃───┃────────",
        "              ╰~~~~~~~╯",
        "                  =",
        "  1 match · 1 near miss (span 2) · 0 missed · 0 spurious",
    )


def test_neighbours_share_a_line():
    """1 against 2, then 3 against 4."""
    assert str(cs.align([1, 2, 2], [2, 2, 1])) == drawn(
        "5 units · n_t=2",
        "  ref  ───┃───────┃────────",
        "  hyp  ───────┃───────┃────",
        "          ╰~~~╯   ╰~~~╯",
        "  0 matches · 2 near misses (span 1) · 0 missed · 0 spurious",
    )


def test_several_types():
    """A wrong type at 1, a match of type 2 at 2, a missed type above 9 at 3, two types at 4."""
    reference = Segmentation.from_sets([{1}, {2}, {12}, {1, 3}])
    hypothesis = Segmentation.from_sets([{3}, {2}, set(), {1, 3}])
    lines = str(cs.align(reference, hypothesis, n_t=1)).split("\n")
    assert lines[:4] == [
        "5 units · n_t=1 · types 1, 2, 3, 12 (& several, # above 9)",
        "  ref  ───1───2───#───&────",
        "  hyp  ───3───2───────&────",
        "          ≠   =   −   =",
    ]
    assert lines[4:] == [
        " " * 22 + "=",
        "  3 matches · 0 near misses · 1 missed · 0 spurious · 1 wrong type",
        LEGEND,
    ]


def test_different_signs_at_one_position_go_to_different_lines():
    reference, hypothesis = Segmentation.from_sets([{1, 2}]), Segmentation.from_sets([{1}])
    lines = str(cs.align(reference, hypothesis)).split("\n")
    assert lines[1:3] == ["  ref  ───&────", "  hyp  ───1────"]
    assert sorted(lines[3:5]) == [" " * 10 + "=", " " * 10 + "−"]
    assert lines[5] == "  1 match · 0 near misses · 1 missed · 0 spurious"


def test_a_plain_side_shows_its_type_beside_a_typed_one():
    lines = str(cs.align([1, 1], Segmentation.from_sets([{2}]))).split("\n")
    assert lines[1:4] == ["  ref  ───1────", "  hyp  ───2────", "          ≠"]


def test_a_near_miss_across_a_row_break():
    """100 units: one column each, 72 positions in the first row, 27 in the second."""
    assert str(cs.align([72, 28], [73, 27])) == drawn(
        "100 units · n_t=2",
        "  1",
        "  ref  " + "─" * 71 + "┃─",
        "  hyp  " + "─" * 73,
        "       " + " " * 71 + "╰~",
        "  73",
        "  ref  " + "─" * 28,
        "  hyp  ┃" + "─" * 27,
        "       ╯",
        "  0 matches · 1 near miss (span 1) · 0 missed · 0 spurious",
    )


def test_a_wide_near_miss_across_a_row_break():
    assert str(cs.align([75, 25], [70, 30], n_t=6)) == drawn(
        "100 units · n_t=6",
        "  1",
        "  ref  " + "─" * 73,
        "  hyp  " + "─" * 69 + "┃" + "─" * 3,
        "       " + " " * 69 + "╰~~~",
        "  73",
        "  ref  ──┃" + "─" * 25,
        "  hyp  " + "─" * 28,
        "       ~~╯",
        "  0 matches · 1 near miss (span 5) · 0 missed · 0 spurious",
    )


def test_rows_without_boundaries_are_left_out_with_a_note():
    """Position 500 is in the row of positions 433 to 504, at its 68th column."""
    assert str(cs.align([500, 500], [500, 500])) == drawn(
        "1,000 units · n_t=2",
        "  ⋮ positions 1 to 432: no boundaries",
        "  433",
        "  ref  " + "─" * 67 + "┃" + "─" * 5,
        "  hyp  " + "─" * 67 + "┃" + "─" * 5,
        "       " + " " * 67 + "=",
        "  ⋮ positions 505 to 999: no boundaries",
        "  1 match · 0 near misses · 0 missed · 0 spurious",
    )


def test_a_huge_document():
    n_units = 10**15
    assert str(cs.align([1, n_units - 1], [1, n_units - 1])) == drawn(
        "1,000,000,000,000,000 units · n_t=2",
        "  1",
        "  ref  ┃" + "─" * 72,
        "  hyp  ┃" + "─" * 72,
        "       =",
        "  ⋮ positions 73 to 999,999,999,999,999: no boundaries",
        "  1 match · 0 near misses · 0 missed · 0 spurious",
    )


# -------------------------------------------------------------------- 80 columns, whatever the input


def random_pair(n_units: int, n_boundaries: int) -> tuple[Segmentation, Segmentation]:
    rng = np.random.default_rng(7)
    sides = (np.unique(rng.integers(1, n_units, n_boundaries)) for _ in range(2))
    one, other = (Segmentation.from_positions(side, n_units) for side in sides)
    return one, other


FORTY_TYPES = (
    Segmentation.from_sets([set(range(1, 41)), set()]),
    Segmentation.from_sets([set(range(1, 41, 2)), {1}]),
)
FAR = 10**12
WIDE = (
    Segmentation.from_positions([10 * i * FAR for i in range(1, 8)], 10**15),
    Segmentation.from_positions([10 * i * FAR + FAR + i for i in range(1, 8)], 10**15),
)

CASES = {
    **{
        f"{n} units": (random_pair(n, max(1, n // 4)), {})
        for n in (2, 17, 18, 19, 24, 25, 36, 37, 72, 73, 74)
    },
    "145 units": (random_pair(145, 30), {"n_t": 9}),
    "1000 units": (random_pair(1000, 200), {}),
    "1000 units, n_t=100": (random_pair(1000, 20), {"n_t": 100}),
    "100,000 units": (random_pair(10**5, 30_000), {"n_t": 3}),
    "10**15 units": (random_pair(10**15, 30), {}),
    "forty types": (FORTY_TYPES, {}),
    "wide near misses": (WIDE, {"n_t": 2 * FAR}),
}


@pytest.mark.parametrize("case", CASES)
def test_no_line_is_longer_than_80_columns(case):
    pair, keywords = CASES[case]
    lines = str(cs.align(*pair, **keywords)).split("\n")
    assert max(map(len, lines)) <= 80
    assert all(line == line.rstrip() for line in lines)


def test_a_drawing_stops_after_forty_rows():
    """99,999 positions are 1,389 rows of 72."""
    text = str(cs.align([1] * 10**5, [1] * 10**5))
    assert text.count("  ref  ") == text.count("  hyp  ") == 40
    assert "  ⋮ 1,349 more rows with boundaries\n" in text
    assert "99,999 matches" in text


# -------------------------------------------------------------------- many rows


def naive_rows(alignment, unit, positions_per_row):
    """Draw every row by looking at all boundaries and edits, as the rules in drawing.py say."""
    n_positions = alignment.reference.n_units - 1
    is_plain = alignment.reference.is_plain and alignment.hypothesis.is_plain
    for start in range(0, n_positions, positions_per_row):
        end = min(start + positions_per_row, n_positions)
        length = (end - start) * unit + (unit if end == n_positions else 1)
        sides = []
        for segmentation in (alignment.reference, alignment.hypothesis):
            line = ["─"] * length
            for position in range(start + 1, end + 1):
                types = [kind for place, kind in segmentation.boundaries if place == position]
                if types:
                    single = str(types[0]) if 0 <= types[0] <= 9 else "#"
                    mark = "┃" if is_plain else single if len(types) == 1 else "&"
                    line[(position - start) * unit - 1] = mark
            sides.append("".join(line))
        signs = []
        for sign, places in (
            ("=", alignment.matches),
            ("−", [edit for edit in alignment.additions if edit.side == "reference"]),
            ("+", [edit for edit in alignment.additions if edit.side == "hypothesis"]),
            ("≠", alignment.substitutions),
        ):
            columns = [(edit.position - start) * unit - 1 for edit in places if start < edit.position <= end]
            signs += [(column, column, sign) for column in columns]
        for edit in alignment.transpositions:
            left, right = sorted((edit.reference_position, edit.hypothesis_position))
            if left <= end and right > start:
                first = max(0, (left - start) * unit - 1)
                last = min(length - 1, (right - start) * unit - 1)
                arc = ["~"] * (last - first + 1)
                if left > start:
                    arc[0] = "╰"
                if right <= end:
                    arc[-1] = "╯"
                signs.append((first, last, "".join(arc)))
        lines = []
        for first, last, text in sorted(signs):
            for line in lines:
                if set(line[first:]) <= {" "}:
                    break
            else:
                lines.append(line := [" "] * length)
            line[first : last + 1] = text
        if any(mark not in "─" for side in sides for mark in side):
            number = [f"  {start + 1:,}"] if start or end < n_positions else []
            yield [
                *number,
                f"  ref  {sides[0]}",
                f"  hyp  {sides[1]}",
                *(" " * 7 + "".join(x) for x in lines),
            ]


@pytest.mark.parametrize("seed", range(30))
def test_rows_are_those_of_a_drawing_that_looks_at_everything_for_each_row(seed):
    rng = np.random.default_rng(seed)
    n_units = int(rng.integers(2, 600))
    n_boundaries = int(rng.integers(0, max(2, n_units // 3)))

    def segmentation():
        positions = np.sort(rng.integers(1, n_units, n_boundaries))
        types = rng.integers(1, 1 if seed % 3 else 13, n_boundaries, endpoint=True)
        boundaries = sorted(set(zip(positions.tolist(), types.tolist(), strict=True)))
        places, kinds = [list(column) for column in zip(*boundaries, strict=True)] if boundaries else ([], [])
        return Segmentation.from_positions(places, n_units, kinds)

    alignment = cs.align(segmentation(), segmentation(), n_t=int(rng.choice([1, 2, 5, 40, 200])))
    columns = 73
    unit = max(1, min(4, columns // n_units))
    rows = [line.rstrip() for row in naive_rows(alignment, unit, (columns - 1) // unit) for line in row]
    _, *picture, _, _ = draw_alignment(alignment, max_rows=None).split("\n")
    drawn = [line for line in picture if not line.startswith("  ⋮")]
    assert drawn == rows or not rows


class Watched:
    """An alignment, and its segmentations, that count how often they are asked for something."""

    def __init__(self, value, asked):
        self.value = value
        self.asked = asked

    def __getattr__(self, name):
        found = getattr(self.value, name)
        self.asked[name] += 1
        return Watched(found, self.asked) if isinstance(found, Segmentation) else found


@pytest.mark.parametrize("n_t", [2, 200])
def test_no_row_looks_at_all_boundaries_and_edits(n_t):
    """What is asked of an alignment of 1,000 boundaries is the same for 14 rows and for 56."""
    asked = []
    for n_units in (1100, 5000):
        positions = [np.arange(1 + side, 1001 + side) * (n_units // 1100) for side in (0, 1)]
        sides = [Segmentation.from_positions(side, n_units) for side in positions]
        counter = collections.Counter()
        draw_alignment(Watched(cs.align(*sides, n_t=n_t), counter), max_rows=None)
        asked.append(counter)
    assert asked[0] == asked[1]
    assert max(asked[0][name] for name in ("matches", "missed", "transpositions", "positions")) <= 4


def test_edits_that_overlap_too_many_others_are_counted():
    """1,000 boundaries against 1,000 that are all to their right: most near misses cross the rows between."""
    reference = Segmentation.from_positions(range(1, 1001), 5000)
    hypothesis = Segmentation.from_positions(range(2001, 3001), 5000)
    alignment = cs.align(reference, hypothesis, n_t=3000)
    assert len(alignment.transpositions) == 1000
    text = draw_alignment(alignment, max_rows=None)
    assert text.count("\n") < 70 * 64
    # The first row begins 72 near misses that all go on: 60 lines, and 12 are left.
    assert text.split("\n")[64] == " " * 7 + "⋮ 12 more edits"


# -------------------------------------------------------------------- the numbers in words


@pytest.mark.parametrize("n_t", [1, 2, 6])
def test_the_signs_and_the_summary_have_the_right_numbers(n_t):
    pair = random_pair(400, 90)
    alignment = cs.align(*pair, n_t=n_t)
    reference, hypothesis = (set(segmentation.positions) for segmentation in pair)
    n_matches, n_near = len(reference & hypothesis), len(alignment.transpositions)
    missed, spurious = len(reference) - n_matches - n_near, len(hypothesis) - n_matches - n_near
    spans = sorted({abs(e.reference_position - e.hypothesis_position) for e in alignment.transpositions})
    span = f" (span {', '.join(map(str, spans))})" if spans else ""
    *picture, summary, legend = str(alignment).split("\n")
    assert summary == (
        f"  {n_matches} matches · {n_near} near misses{span} · {missed} missed · {spurious} spurious"
    )
    assert legend == LEGEND
    signs = "\n".join(picture)
    assert (signs.count("="), signs.count("−"), signs.count("+")) == (n_matches + 1, missed, spurious)  # n_t=
    assert signs.count("╰") == signs.count("╯") == n_near
    assert signs.count("┃") == len(reference) + len(hypothesis)


def test_many_spans_are_cut_short():
    reference = Segmentation.from_positions([100 * i for i in range(1, 9)], 1000)
    hypothesis = Segmentation.from_positions([101 * i for i in range(1, 9)], 1000)
    assert "8 near misses (span 1, 2, 3, 4, 5, …)" in str(cs.align(reference, hypothesis, n_t=9))


def test_a_notebook_shows_the_drawing():
    edits = cs.align([2, 3, 6], [2, 2, 7])
    assert edits._repr_html_() == f"<pre>{edits}</pre>"  # nothing in it needs to be escaped
