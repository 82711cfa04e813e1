"""Which segmenters are to run: specifications, repeatable or with commas between; what they learn from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from caesura.cli.reading import Reading
from caesura.cli.remarks import understood
from caesura.errors import CaesuraError
from caesura.segmenters.base import Segmenter
from caesura.segmenters.registry import segmenter
from caesura.values.corpus import Corpus
from caesura.wording import counted, listed

C = TypeVar("C", bound=Callable[..., Any])

OPENING, CLOSING, QUOTES = "([{", ")]}", "'\""


class SegmentersType(click.ParamType):  # type: ignore[type-arg]  # generic in newer click only
    """Specifications of segmenters, such as ``C99,U00`` or ``BayesSeg(prior=0.1)``."""

    name = "segmenters"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[Segmenter, ...]:
        """Parse the specifications; what is wrong with one is a usage error."""
        if isinstance(value, tuple):
            return value
        try:
            return tuple(segmenter(spec) for spec in split_specs(value))
        except CaesuraError as error:
            self.fail(str(error), param, ctx)


def split_specs(text: str) -> list[str]:
    """Divide specifications at their commas, not at those of their parameters.

    >>> split_specs("C99(mask=9, window=50), U00(words='a,b'),None")
    ['C99(mask=9, window=50)', "U00(words='a,b')", 'None']
    """
    specs, depth, quote = [""], 0, ""
    for sign in text:
        if quote:
            quote = "" if sign == quote else quote
        elif sign in QUOTES:
            quote = sign
        elif sign in OPENING:
            depth += 1
        elif sign in CLOSING:
            depth -= 1
        if sign == "," and not depth and not quote:
            specs.append("")
        else:
            specs[-1] += sign
    return [spec.strip() for spec in specs]


def segmenters_option(*names: str, required: bool, help: str) -> Callable[[C], C]:
    """Add an option that takes segmenters; the command gets them as tuples, which ``distinct`` makes one."""
    return click.option(
        *names, type=SegmentersType(), multiple=True, required=required, metavar="SPEC", help=help
    )


def distinct(given: Iterable[tuple[Segmenter, ...]]) -> list[Segmenter]:
    """Return all segmenters; one that is named twice is a usage error."""
    found = [one for several in given for one in several]
    for place, one in enumerate(found):
        if one in found[:place]:
            raise click.UsageError(f"the segmenter {one} is named twice")
    return found


fit_option = click.option(
    "--fit",
    "learnt_from",
    metavar="CORPUS",
    help="Texts that segmenters such as CWM learn from first; take others than those that are segmented.",
)


def fitted(segmenters: Sequence[Segmenter], learnt_from: str | None, corpus: Corpus) -> list[Segmenter]:
    """Return the segmenters, those that learn first with what they learn from the texts of another corpus."""
    learning = [one for one in segmenters if one.is_fitted]
    if learnt_from is None:
        if learning:
            raise click.UsageError(f"{listed(learning)} learns from texts first: --fit CORPUS names them")
        return list(segmenters)
    if not learning:
        none = f", which {listed(segmenters)} does not" if segmenters else ", such as CWM"
        raise click.UsageError(f"--fit is for automatic segmenters that learn first{none}")
    texts = Reading(None, {}, None, "nearest").corpus([learnt_from])
    _say_shared(corpus, texts)
    name = Path(learnt_from).name or learnt_from
    return [one.fit(texts, name) if one.is_fitted else one for one in segmenters]


def _say_shared(corpus: Corpus, texts: Corpus) -> None:
    """Say where texts that are segmented are among those that were learnt from."""
    known = set(texts.texts.strings if texts.texts else ())
    units = corpus.texts.strings if corpus.texts else ()
    shared = sum(unit in known for unit in units)
    if shared:
        understood(
            f"of {counted(len(units), 'unit')} to segment, {shared:,} stand in the texts of "
            "--fit, too: what is learnt from them flatters the result"
        )
