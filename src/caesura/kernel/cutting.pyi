from caesura.arrays import FloatArray, IntArray

NAME: str

def normalised_cut(
    band: FloatArray, n_segments: int, longest: int, far_only: bool
) -> tuple[IntArray, float]: ...
def propagate(
    similarities: FloatArray,
    responsibilities: FloatArray,
    availabilities: FloatArray,
    damping: float,
    most_rounds: int,
    patience: int,
) -> tuple[FloatArray, int]: ...
def tilings(values: FloatArray, width: int, most: int) -> FloatArray: ...
def tiling(values: FloatArray, start: int, end: int, count: int) -> tuple[IntArray, IntArray]: ...
