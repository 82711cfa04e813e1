import numpy as np
from numpy.typing import NDArray

from caesura.arrays import IntArray

NAME: str

def hash_names(data: NDArray[np.uint8], offsets: IntArray) -> NDArray[np.uint64]: ...
def poisson_weights(seed: int, hashes: NDArray[np.uint64], n_resamples: int) -> NDArray[np.int16]: ...
def poisson_sums(
    seed: int, hashes: NDArray[np.uint64], counts: NDArray[np.int16], n_resamples: int
) -> IntArray: ...
