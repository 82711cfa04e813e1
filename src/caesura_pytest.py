"""The pytest fixture `caesura_gate`: a test fails where a system misses limits or is worse than before.

It is a module of its own because pytest imports it whether a test uses it or not, and the package takes time.
"""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import pytest

if TYPE_CHECKING:
    from caesura import Corpus
    from caesura.analyses.gating import Gate

    Data: TypeAlias = Corpus | str | PathLike[str]

LIMITS = ("fail_under", "fail_over", "max_drop", "no_document_worse", "significant")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that writes baselines."""
    parser.getgroup("caesura").addoption(
        "--caesura-update",
        action="store_true",
        help="Write the baselines of caesura_gate: drops pass, and what misses another limit is not written.",
    )


@pytest.fixture
def caesura_gate(request: pytest.FixtureRequest) -> Callable[..., Gate]:
    """Hold a system against limits and a baseline; paths start in the folder of the test's file.

    Call it with the references and the system, corpora or paths, and as the command ``caesura gate`` with
    ``fail_under={"B": 0.7}``, ``fail_over={"WD": 0.3}``, ``baseline="baseline.json"``,
    ``max_drop={"B": 0.02}``, ``no_document_worse=0.1``, ``significant=True`` and ``metrics=["F"]``.
    """
    from caesura import Corpus, read
    from caesura.analyses.gating import Limits
    from caesura.io.saved_files import gate_on

    folder = Path(str(request.path)).parent

    def read_from(data: Data) -> Corpus:
        return data if isinstance(data, Corpus) else read(folder / data)

    def check(gold: Data, system: Data, baseline: str | PathLike[str] | None = None, **settings: Any) -> Gate:
        limits = Limits(**{name: settings.pop(name) for name in LIMITS if name in settings})
        path = None if baseline is None else folder / baseline
        update = path is not None and bool(request.config.getoption("--caesura-update"))
        result = gate_on(read_from(gold), read_from(system), limits, path, update=update, **settings)
        if not result.holds:
            tables = [result.to_table(part).to_text() for part in result.parts]
            pytest.fail("\n\n".join(tables), pytrace=False)
        return result

    return check
