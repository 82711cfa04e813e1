import numpy as np
from numpy.typing import NDArray

from caesura.arrays import IntArray
from caesura.kernel.rows_python import Runs

NAME: str

def name_runs(data: NDArray[np.uint8], offsets: IntArray) -> Runs: ...
def codings_fit(
    starts: IntArray,
    coder: IntArray,
    n_coders: int,
    n_units: IntArray,
    offsets: IntArray,
    positions: IntArray,
    most: int,
) -> bool: ...
def divided(numbers: NDArray[np.uint64]) -> tuple[NDArray[np.uint64], IntArray]: ...
def repeated(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]: ...
