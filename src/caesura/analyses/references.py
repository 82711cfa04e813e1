"""Who judges: which coders are references where nobody has named them, and when that has to be asked.

Coders that are not judged are references if they are named, or if nothing among them looks like a segmenter's
output. What looks like one is decided by names alone, so that the answer can be foretold:

- a name that holds that of a segmenter of the registry, perhaps with a number, or a word of systems
  ("C99(mask=9)", "c99_k10", "TextTiling2", "bert-base");
- a name that differs only in its number from that of a judged coder, beside others that do not ("cfg3" where
  "cfg1" is judged by "gold");
- any name beside one that holds a word of references ("gold", "consensus") and is itself without such a word.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from caesura.errors import CorpusError, ParameterError
from caesura.segmenters.registry import SEGMENTERS
from caesura.wording import listed

REFERENCE_WORDS = frozenset(
    (
        *("gold", "golden", "goldstandard", "standard", "reference", "references", "ref", "refs"),
        *("truth", "groundtruth", "gt", "consensus", "majority", "adjudicated", "adjudication", "curated"),
    )
)

SYSTEM_WORDS = frozenset(
    (
        *("system", "systems", "sys", "model", "models", "method", "algorithm", "segmenter", "chunker"),
        *("pred", "preds", "predicted", "prediction", "predictions", "hyp", "hypothesis", "output"),
        *("auto", "automatic", "machine", "baseline", "baselines", "random", "uniform"),
        *("tt", "topictiling", "graphseg", "lcseg", "bayes", "lda", "svm", "crf", "hmm", "lstm", "bilstm"),
        *("transformer", "bert", "roberta", "distilbert", "sbert", "longformer", "gpt", "chatgpt", "llm"),
        *("llama", "mistral", "gemini", "nltk", "spacy"),
    )
)

NAMED = 8
"""How many coders a message names."""


def choose_references(
    coders: Sequence[str], judged: Collection[str], references: Sequence[str] | None
) -> list[str]:
    """Return the coders to judge by: those that are named, or all that are not judged where that is safe.

    >>> choose_references(["ann", "bob", "mine"], ["mine"], None)
    ['ann', 'bob']
    >>> choose_references(["gold", "tt", "bert", "mine"], ["tt", "bert"], None)
    Traceback (most recent call last):
    caesura.errors.ParameterError: gold and mine are not judged, and mine may be a segmenter: name those to \
judge by as references (--reference gold)
    """
    if references is not None:
        return [*references]
    left = [coder for coder in coders if coder not in judged]
    if not left:
        raise CorpusError("there is no reference coder: all coders are segmenters")
    doubtful = _doubtful(left, judged)
    if not doubtful:
        return left
    likely = [coder for coder in left if coder not in doubtful] or left
    hint = " ".join(f"--reference {coder}" for coder in likely[:2])
    raise ParameterError(
        f"{listed(left, most=NAMED)} {'is' if len(left) == 1 else 'are'} not judged, and "
        f"{listed(doubtful, most=NAMED)} may be {'a segmenter' if len(doubtful) == 1 else 'segmenters'}: "
        f"name those to judge by as references ({hint})"
    )


def likely_segmenters(coders: Sequence[str]) -> list[str]:
    """Return those who look like segmenters where nobody is named, if others do not.

    >>> [likely_segmenters(names) for names in (["gold", "tt", "mine"], ["ann", "bob"], ["tt"])]
    [['tt', 'mine'], [], []]
    """
    found = _doubtful(coders, ())
    return found if len(found) < len(coders) else []


def _doubtful(left: Sequence[str], judged: Collection[str]) -> list[str]:
    """Return which of those who are left look like segmenters."""
    systems = [coder for coder in left if looks_automatic(coder)]
    numbered = _like_judged(left, judged)
    gold = [coder for coder in left if _words(coder) & REFERENCE_WORDS and coder not in systems]
    beside = [coder for coder in left if coder not in gold] if gold else []
    found = {*systems, *numbered, *beside}
    return [coder for coder in left if coder in found]


def looks_automatic(coder: str) -> bool:
    """Whether a name holds that of a segmenter of the registry, or a word of systems.

    >>> [name for name in ("ann", "C99(mask=9)", "bert-base", "TextTiling2", "1") if looks_automatic(name)]
    ['C99(mask=9)', 'bert-base', 'TextTiling2']
    >>> [name for name in ("c99_k10", "my u00", "bayesseg.tuned", "c9", "apse") if looks_automatic(name)]
    ['c99_k10', 'my u00', 'bayesseg.tuned']
    """
    parts = re.findall(r"[^\W_]+", coder.split("(")[0].lower())
    named = {*parts, *(part.rstrip("0123456789") for part in parts)}
    # Not the names that are words like others.
    registered = {name.lower() for name in SEGMENTERS if name not in ("None", "All")}
    return bool(named & registered or _words(coder) & SYSTEM_WORDS)


def _words(coder: str) -> set[str]:
    """Return the words of a name, and what they are together without signs and numbers."""
    words = re.findall(r"[^\W\d_]+", coder.split("(")[0].lower())
    return {*words, "".join(words)}


def _like_judged(left: Sequence[str], judged: Collection[str]) -> list[str]:
    """Return those whose names differ only in numbers from those of judged ones, unless all do."""
    stems = {stem for coder in judged if (stem := _stem(coder))}
    found = [coder for coder in left if _stem(coder) in stems]
    return found if len(found) < len(left) else []


def _stem(coder: str) -> str:
    stem = re.sub(r"\d+", "#", coder.lower())
    return stem if re.search(r"[^\W\d_]", stem) and "#" in stem else ""
