"""A stand-in for the parts of SciPy that agree and compare need, in Pyodide without SciPy's own build.

SciPy is part of Pyodide's distribution, which is not on npm. Matrices are dense here, and distributions are
integrated by Simpson's rule. `test_pure_wheel.py` demands the values that real SciPy gives in CPython.
"""

import math
import sys
from types import ModuleType

import numpy as np


class Matrix:
    """A dense array with the sparse arrays' names."""

    def __init__(self, content, shape=None):
        if isinstance(content, tuple):
            values, (rows, columns) = content
            self.array = np.zeros(shape)
            np.add.at(self.array, (np.asarray(rows), np.asarray(columns)), values)
        else:
            self.array = np.asarray(content.array if isinstance(content, Matrix) else content)
        self.shape = self.array.shape

    def __getitem__(self, index):
        return Matrix(self.array[index])

    def __matmul__(self, other):
        return Matrix(self.array @ other.array) if isinstance(other, Matrix) else self.array @ other

    def toarray(self):
        return self.array.copy()

    def tocsr(self):
        return self

    def sort_indices(self):
        """Leave the indices as they are: always sorted."""

    tocsc = tocsr
    T = property(lambda self: Matrix(self.array.T))
    # As a matrix by columns has them.
    data = property(lambda self: self.array.T[self.array.T != 0])
    indices = property(lambda self: np.nonzero(self.array.T)[1])
    indptr = property(lambda self: np.concatenate(([0], np.cumsum((self.array != 0).sum(axis=0)))))


def integral(density, low, high, n=4_000):
    """Integrate a density by Simpson's rule."""
    x = np.linspace(low, high, n + 1)
    weights = np.where(np.arange(n + 1) % 2 == 1, 4.0, 2.0)
    weights[[0, -1]] = 1
    return float((weights * density(x)).sum() * (high - low) / n / 3)


def stdtr(df, t):
    """Return the distribution function of Student's t."""
    scale = math.exp(math.lgamma((df + 1) / 2) - math.lgamma(df / 2)) / math.sqrt(df * math.pi)
    return 0.5 + integral(lambda x: scale * (1 + x * x / df) ** (-(df + 1) / 2), 0.0, t)


def stdtrit(df, p):
    """Return the quantile of Student's t by bisection."""
    low, high = -1e3, 1e3
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if stdtr(df, middle) < p else (low, middle)
    return low


def chdtrc(df, x):
    """Return the upper tail of χ², integrated over √x."""
    scale = 2 * math.exp(-(df / 2) * math.log(2) - math.lgamma(df / 2))
    low = math.sqrt(x)
    return integral(lambda u: scale * u ** (df - 1) * np.exp(-u * u / 2), low, low + math.sqrt(df) + 12)


class T:
    """Student's t: the distribution, or, called, that of some degrees of freedom."""

    def __init__(self, df=None):
        self.df = df

    def __call__(self, df):
        return T(df)

    def ppf(self, p):
        return stdtrit(self.df, p)

    def isf(self, p, df=None):
        return -stdtrit(df or self.df, p)


def install():
    """Put the stand-in where SciPy is looked for."""
    scipy, sparse, special = (ModuleType(name) for name in ("scipy", "scipy.sparse", "scipy.special"))
    stats = ModuleType("scipy.stats")
    stats.t = T()
    sparse.coo_array = sparse.csr_array = sparse.csc_array = Matrix
    special.ndtr = lambda x: math.erfc(-x / math.sqrt(2)) / 2
    special.stdtrit, special.chdtrc, special.stdtr = stdtrit, chdtrc, np.vectorize(stdtr)
    scipy.sparse, scipy.special, scipy.stats = sparse, special, stats
    sys.modules.update(
        {"scipy": scipy, "scipy.sparse": sparse, "scipy.special": special, "scipy.stats": stats}
    )
