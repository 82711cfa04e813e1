"""Roles: the only module that divides coders into references and segmenters.

Coders other than the segmenters are references if they are named, or if none of them looks like a segmenter.
Only names decide what looks like one, so the answer is predictable:

- a name that contains the name of a registered segmenter, perhaps with a number, or a word for systems
  ("C99(mask=9)", "c99_k10", "TextTiling2", "bert-base");
- a name that differs only in its number from the name of a segmenter, if other names do not ("cfg3" if
  "cfg1" is compared with "gold");
- any name without a word of references ("gold", "consensus") beside one that has such a word.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Protocol, Self, TypeVar

from caesura.errors import CorpusError, ParameterError
from caesura.segmenters.registry import SEGMENTERS
from caesura.values.corpus import Corpus
from caesura.wording import counted, listed, without_types

REFERENCE_WORDS = {
    *("gold", "golden", "goldstandard", "standard", "reference", "references", "ref", "refs"),
    *("truth", "groundtruth", "gt", "consensus", "majority", "adjudicated", "adjudication", "curated"),
}

SYSTEM_WORDS = {
    *("system", "systems", "sys", "model", "models", "method", "algorithm", "segmenter", "chunker"),
    *("pred", "preds", "predicted", "prediction", "predictions", "hyp", "hypothesis", "output"),
    *("auto", "automatic", "machine", "baseline", "baselines", "random", "uniform"),
    *("tt", "topictiling", "graphseg", "lcseg", "bayes", "lda", "svm", "crf", "hmm", "lstm", "bilstm"),
    *("transformer", "bert", "roberta", "distilbert", "sbert", "longformer", "gpt", "chatgpt", "llm"),
    *("llama", "mistral", "gemini", "nltk", "spacy"),
}

NAMED = 8
"""How many coders a message names."""


class Coded(Protocol):
    """A corpus or a scan: the part of it that concerns coders."""

    @property
    def coders(self) -> tuple[str, ...]:
        """The names of the coders; for a scan this may read all files."""

    def select(self, *, coders: Sequence[str] | None = None) -> Self:
        """Return the codings of these coders."""


S = TypeVar("S", bound=Coded)


def cast(
    reference: S,
    hypothesis: S | None,
    segmenters: Sequence[str] | None,
    references: Sequence[str] | None,
    *,
    guard: bool = True,
) -> tuple[S, S]:
    """Return the codings of references and of segmenters, of one corpus or scan, or of two.

    ``guard`` refuses references that are not named and look like segmenters.
    """
    check_names(segmenters, references)
    if hypothesis is None:
        chosen = choose_roles(reference, segmenters, references, guard=guard)
        return reference.select(coders=chosen[0]), reference.select(coders=chosen[1])
    if references is None and guard and len(reference.coders) > 1:
        choose_references(reference.coders, (), None)
    people = reference if references is None else reference.select(coders=references)
    return people, hypothesis if segmenters is None else hypothesis.select(coders=segmenters)


def leave_out_uncoded(
    given: Corpus, people: Corpus, machines: Corpus, references: Sequence[str] | None
) -> tuple[Corpus, tuple[str, ...]]:
    """Return the segmentations without documents that only other coders of ``given`` annotated, and these.

    Named references need not have annotated everything (KS12 table 2). A document that ``given`` lacks stays,
    to be refused.
    """
    coded, known = set(people.documents), set(given.documents)
    uncoded = tuple(name for name in machines.documents if name in known and name not in coded)
    if references is None or not uncoded or not coded:
        return machines, ()
    left = [name for name in machines.documents if name in coded or name not in known]
    return machines.select(documents=left), uncoded


def role_caveats(coders: Sequence[str], uncoded: Sequence[str], types_lacking: Sequence[str]) -> list[str]:
    """Return sentences on documents that were left out, and on coders without types."""
    notes = [f"{uncoded_note(coders, uncoded)}."] if uncoded else []
    return notes + ([without_types(types_lacking)] if types_lacking else [])


def uncoded_note(coders: Sequence[str], documents: Sequence[str]) -> str:
    """Return a remark on the documents that these references did not annotate.

    >>> uncoded_note(["ann"], ["ch1", "ch2"])
    '2 documents that ann has not coded are left out: ch1 and ch2'
    >>> uncoded_note(["ann", "bob"], ["ch1"])
    '1 document that none of ann and bob has coded is left out: ch1'
    """
    who = f"{coders[0]} has not" if len(coders) == 1 else f"none of {listed(coders, most=NAMED)} has"
    are = "is" if len(documents) == 1 else "are"
    names = listed(documents, most=NAMED)
    return f"{counted(len(documents), 'document')} that {who} coded {are} left out: {names}"


def check_names(segmenters: Sequence[str] | None, references: Sequence[str] | None) -> None:
    """Refuse anything but lists of names, and repeated names."""
    for name, chosen in (("references", references), ("segmenters", segmenters)):
        if isinstance(chosen, str) or (name == "segmenters" and chosen is not None and not len(chosen)):
            raise ParameterError(f"{name} is {chosen!r}: give a list of at least one name")
    if references is not None and not len(references):
        raise CorpusError("no reference coder: references is []")
    if len(set(segmenters or ())) < len(segmenters or ()):
        raise ParameterError("a segmenter is named twice")
    if both := set(references or ()) & set(segmenters or ()):
        raise ParameterError(f"{min(both)} is a segmenter and a reference: name it once")


def choose_roles(
    given: Coded, segmenters: Sequence[str] | None, references: Sequence[str] | None, *, guard: bool = True
) -> tuple[list[str], list[str]]:
    """Return the names of references and of segmenters of one corpus or scan."""
    if segmenters is None:
        if references is None:
            raise ParameterError("give a hypothesis, or name the roles: references=[…] or segmenters=[…]")
        segmenters = [coder for coder in given.coders if coder not in set(references)]
        if not segmenters:
            raise CorpusError("no segmenter left: all coders are references")
    if references is None:
        references = choose_references(given.coders, segmenters, None, guard=guard)
    return [*references], [*segmenters]


def choose_references(
    coders: Sequence[str],
    segmenters: Collection[str],
    references: Sequence[str] | None,
    *,
    guard: bool = True,
) -> list[str]:
    """Return the reference coders: the named ones, or all coders but the segmenters if that is safe.

    >>> choose_references(["ann", "bob", "mine"], ["mine"], None)
    ['ann', 'bob']
    >>> choose_references(["gold", "tt", "bert", "mine"], ["tt", "bert"], None)
    Traceback (most recent call last):
    caesura.errors.ParameterError: gold and mine would be references, but mine may be a segmenter: name the \
references, such as references=['gold']
    """
    if references is not None:
        return [*references]
    left = [coder for coder in coders if coder not in segmenters]
    if not left:
        raise CorpusError("no reference coder left: all coders are segmenters")
    doubtful = _doubtful(left, segmenters) if guard else []
    if not doubtful:
        return left
    likely = [coder for coder in left if coder not in doubtful] or left
    kind = "a segmenter" if len(doubtful) == 1 else "segmenters"
    here, doubt = listed(left, most=NAMED), f"{listed(doubtful, most=NAMED)} may be {kind}"
    fix = f"name the references, such as references={likely[:2]}"
    raise ParameterError(f"{here} would be references, but {doubt}: {fix}")


def likely_segmenters(coders: Sequence[str]) -> list[str]:
    """Return the coders that look like segmenters, unless all do.

    >>> [likely_segmenters(names) for names in (["gold", "tt", "mine"], ["ann", "bob"], ["tt"])]
    [['tt', 'mine'], [], []]
    """
    likely = _doubtful(coders, ())
    return likely if len(likely) < len(coders) else []


def _doubtful(left: Sequence[str], segmenters: Collection[str]) -> list[str]:
    """Return which of the remaining coders look like segmenters."""
    systems = [coder for coder in left if looks_automatic(coder)]
    gold = [coder for coder in left if _words(coder) & REFERENCE_WORDS and coder not in systems]
    beside = [coder for coder in left if coder not in gold] if gold else []
    # Names that differ only in numbers from those of segmenters, unless all do.
    stems = {stem for coder in segmenters if (stem := _stem(coder))}
    numbered = [coder for coder in left if _stem(coder) in stems]
    doubtful = {*systems, *beside, *(numbered if len(numbered) < len(left) else ())}
    return [coder for coder in left if coder in doubtful]


def looks_automatic(coder: str) -> bool:
    """Whether a name contains the name of a registered segmenter, or a word for systems.

    >>> [name for name in ("ann", "C99(mask=9)", "bert-base", "TextTiling2", "1") if looks_automatic(name)]
    ['C99(mask=9)', 'bert-base', 'TextTiling2']
    >>> [name for name in ("c99_k10", "my u00", "bayesseg.tuned", "c9", "apse") if looks_automatic(name)]
    ['c99_k10', 'my u00', 'bayesseg.tuned']
    """
    parts = re.findall(r"[^\W_]+", coder.split("(")[0].lower())
    named = {*parts, *(part.rstrip("0123456789") for part in parts)}
    # Without the names that are common words.
    registered = {name.lower() for name in SEGMENTERS if name not in ("None", "All")}
    return bool(named & registered or _words(coder) & SYSTEM_WORDS)


def _words(coder: str) -> set[str]:
    """Return the words of a name, and the name without signs and numbers."""
    words = re.findall(r"[^\W\d_]+", coder.split("(")[0].lower())
    return {*words, "".join(words)}


def _stem(coder: str) -> str:
    stem = re.sub(r"\d+", "#", coder.lower())
    return stem if re.search(r"[^\W\d_]", stem) and "#" in stem else ""
