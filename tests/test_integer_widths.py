"""The numbers are the same where NumPy's default integers have 32 bits, as they have in a browser.

Source of truth: NumPy casts indices and counts "safely" to the machine's width, so that `np.bincount` and
`np.repeat` refuse 64 bits where it is 32; here they are made to, and must give what they give without.
"""

import re
from pathlib import Path

import numpy as np
import pytest

import caesura as cs
from caesura import arrays, kernel
from caesura.kernel import python
from caesura.stargazers import STARGAZERS

PACKAGE = Path(cs.__file__).parent

CALLS = {
    "score": lambda: cs.evaluate(several(), references=["1"], n_resamples=99, rng=1),
    "agree": lambda: cs.agreement(several(), n_resamples=99, rng=1),
    "kappa": lambda: cs.agreement(several(), metric="S", coefficient="kappa", n_resamples=99, rng=1),
    "compare": lambda: cs.compare(
        several(), segmenters=["2", "3"], references=["1"], n_draws=9, n_resamples=99, rng=1
    ),
    "describe": lambda: cs.describe(several()),
    "consensus": lambda: cs.consensus(several())["d1", "consensus"].masses,
    "adjudicate": lambda: cs.adjudicate(several()),
    "boundary_similarity": lambda: cs.boundary_similarity([2, 3, 6], [2, 2, 7], n_t=2),
    "window_diff": lambda: cs.window_diff([2, 3, 6], [2, 2, 7]),
    "pk": lambda: cs.pk([2, 3, 6], [2, 2, 7]),
}


def several():
    """Return eight documents, in each of which some of the seven readers mark nothing."""
    return cs.Corpus.from_dict(
        {
            f"d{i}": {
                coder: masses if (i + int(coder)) % 3 else (21,) for coder, masses in STARGAZERS.items()
            }
            for i in range(8)
        }
    )


@pytest.fixture
def narrow(monkeypatch):
    """Make NumPy do as it does where integers have 32 bits."""
    bincount, repeat, arange = np.bincount, np.repeat, np.arange

    def checked(index):
        if not np.can_cast(np.asarray(index).dtype, np.int32, "safe"):
            raise TypeError("Cannot cast array data from dtype('int64') to dtype('int32')")
        return index

    def narrow_bincount(index, weights=None, minlength=0):
        counts = bincount(checked(index), weights, minlength)
        return counts if weights is not None else counts.astype(np.int32)

    def narrow_arange(*arguments, dtype=None, **options):
        values = arange(*arguments, dtype=dtype, **options)
        return values.astype(np.int32) if dtype is None and values.dtype == np.int64 else values

    def narrow_repeat(values, counts, axis=None):
        counts = counts if isinstance(counts, int) else checked(counts)
        return repeat(values, counts, axis)

    monkeypatch.setattr(np, "intp", np.int32)
    monkeypatch.setattr(np, "bincount", narrow_bincount)
    monkeypatch.setattr(np, "repeat", narrow_repeat)
    monkeypatch.setattr(np, "arange", narrow_arange)


@pytest.mark.parametrize("name", CALLS)
def test_the_numbers_are_those_of_64_bits(name, monkeypatch, request):
    monkeypatch.setattr(kernel, "active", python)
    wide = CALLS[name]()
    request.getfixturevalue("narrow")
    assert str(CALLS[name]()) == str(wide)


def test_narrow_integers_refuse_wide_counts(narrow):
    with pytest.raises(TypeError, match="Cannot cast"):
        np.repeat([1, 2], np.array([1, 2], dtype=np.int64))
    assert arrays.repeat([1, 2], np.array([1, 2], dtype=np.int64)).tolist() == [1, 2, 2]
    assert arrays.bincount(np.array([1, 2], dtype=np.int64)).dtype == np.int64


def test_wide_counts_reach_numpy_through_one_module():
    named = re.compile(r"^(?!.*>>>).*(np\.(bincount|repeat)\(|[\w)\]]\.repeat\()", re.MULTILINE)
    direct = [
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        if any("pyarrow.repeat" not in match[0] for match in named.finditer(path.read_text(encoding="utf-8")))
    ]
    assert direct == ["arrays.py"]
