from caesura.arrays import FloatArray, IntArray

NAME: str

def gram(
    offsets: IntArray,
    terms: IntArray,
    weights: FloatArray,
    n_terms: int,
    rows: tuple[int, int],
    columns: tuple[int, int],
) -> FloatArray: ...
def ranks(similarities: FloatArray, mask: int) -> FloatArray: ...
def divide(sums: FloatArray, starts: IntArray, window: int, n_splits: int) -> tuple[IntArray, FloatArray]: ...
def least_cost(
    offsets: IntArray,
    terms: IntArray,
    counts: IntArray,
    n_terms: int,
    by_tokens: FloatArray,
    by_count: FloatArray,
    by_length: FloatArray,
    n_segments: int,
) -> tuple[IntArray, float]: ...
def boundary_gains(
    offsets: IntArray,
    terms: IntArray,
    counts: IntArray,
    n_terms: int,
    by_tokens: FloatArray,
    by_count: FloatArray,
    by_length: FloatArray,
) -> FloatArray: ...
