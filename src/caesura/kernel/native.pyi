from collections.abc import Sequence

from caesura.arrays import FloatArray, IntArray

NAME: str

def edit_counts(a: IntArray, b: IntArray, n_t: int, optimal: bool) -> tuple[int, int, int, int, int]: ...
def edit_counts_many(
    a_positions: IntArray,
    a_offsets: IntArray,
    first: IntArray,
    b_positions: IntArray,
    b_offsets: IntArray,
    second: IntArray,
    n_t: int,
    optimal: bool,
) -> IntArray: ...
def transposition_spans_many(
    a_positions: IntArray,
    a_offsets: IntArray,
    first: IntArray,
    b_positions: IntArray,
    b_offsets: IntArray,
    second: IntArray,
    n_t: int,
    optimal: bool,
) -> tuple[IntArray, IntArray]: ...
def typed_edit_counts_many(
    a_positions: IntArray,
    a_types: IntArray,
    a_offsets: IntArray,
    first: IntArray,
    b_positions: IntArray,
    b_types: IntArray,
    b_offsets: IntArray,
    second: IntArray,
    n_t: int,
) -> IntArray: ...
def typed_edit_sweep_many(
    a_positions: IntArray,
    a_types: IntArray,
    a_offsets: IntArray,
    first: IntArray,
    b_positions: IntArray,
    b_types: IntArray,
    b_offsets: IntArray,
    second: IntArray,
    n_t_max: int,
) -> IntArray: ...
def window_counts(
    reference: IntArray, hypothesis: IntArray, n_units: int, k: int, edges: int
) -> tuple[int, int, int, int, int, int]: ...
def window_kinds(
    reference: IntArray, certain: IntArray, tied: IntArray, n_units: int, k: int, edges: int
) -> IntArray: ...
def window_counts_many(
    a_positions: IntArray,
    a_offsets: IntArray,
    first: IntArray,
    b_positions: IntArray,
    b_offsets: IntArray,
    second: IntArray,
    n_units: IntArray,
    k: IntArray,
    edges: int,
) -> IntArray: ...
def level_kinds_many(
    a_positions: IntArray,
    a_ranks: IntArray,
    a_offsets: IntArray,
    first: IntArray,
    b_positions: IntArray,
    b_ranks: IntArray,
    b_offsets: IntArray,
    second: IntArray,
    n_units: IntArray,
    ends: IntArray | None,
    end_starts: IntArray | None,
    pair: IntArray,
    rank: IntArray,
    k: IntArray,
    start: int,
    most_kinds: int,
    edges: int,
) -> tuple[IntArray, IntArray]: ...
def mult_window_counts(
    references: Sequence[IntArray], hypothesis: IntArray, n_units: int, k: int
) -> tuple[int, int, int]: ...
def mult_window_counts_many(
    a_positions: IntArray,
    a_offsets: IntArray,
    references: IntArray,
    reference_offsets: IntArray,
    b_positions: IntArray,
    b_offsets: IntArray,
    second: IntArray,
    n_units: IntArray,
    k: IntArray,
) -> IntArray: ...
def matched_within(a: IntArray, b: IntArray, tolerance: int) -> int: ...
def matched_within_many(
    a_positions: IntArray,
    a_offsets: IntArray,
    first: IntArray,
    b_positions: IntArray,
    b_offsets: IntArray,
    second: IntArray,
    tolerance: int,
) -> IntArray: ...
def largest_overlaps(a: IntArray, b: IntArray, n_units: int) -> int: ...
def largest_overlaps_many(
    a_positions: IntArray,
    a_offsets: IntArray,
    first: IntArray,
    b_positions: IntArray,
    b_offsets: IntArray,
    second: IntArray,
    n_units: IntArray,
) -> IntArray: ...
def nearest_distances(reference: IntArray, hypothesis: IntArray) -> int: ...
def nearest_distances_many(
    a_positions: IntArray,
    a_offsets: IntArray,
    first: IntArray,
    b_positions: IntArray,
    b_offsets: IntArray,
    second: IntArray,
) -> IntArray: ...
def generalized_hamming(
    reference: IntArray, hypothesis: IntArray, insertion: float, deletion: float, shift: float
) -> float: ...
def generalized_hamming_many(
    a_positions: IntArray,
    a_offsets: IntArray,
    first: IntArray,
    b_positions: IntArray,
    b_offsets: IntArray,
    second: IntArray,
    insertion: float,
    deletion: float,
    shift: float,
) -> FloatArray: ...
def p_mu(reference: IntArray, hypothesis: IntArray, n_units: int, mu: float) -> float: ...
def p_mu_many(
    a_positions: IntArray,
    a_offsets: IntArray,
    first: IntArray,
    b_positions: IntArray,
    b_offsets: IntArray,
    second: IntArray,
    n_units: IntArray,
    mu: FloatArray,
) -> FloatArray: ...
