"""Words of units as sparse counts: tokens, stop words and stems, which are part of a segmenter's signature.

Stems are those of Porter (1980), An algorithm for suffix stripping, Program 14(3); ``choi_stem`` departs from
it as Choi's program does. Short words are stemmed, too, so a lone "s" becomes empty.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial
from typing import Any, TypeAlias, TypeVar

import numpy as np

from caesura.arrays import FloatArray, IntArray, bincount, repeat
from caesura.declaration import parameter
from caesura.errors import ParameterError, did_you_mean, missing_extra, unknown
from caesura.values.units import Units
from caesura.wording import short

VOWELS = frozenset("aeiou")

Rules: TypeAlias = Mapping[str, str]  # the replacement of each suffix


def _rules(text: str) -> Rules:
    return {suffix: by for suffix, _, by in (rule.partition("→") for rule in text.split())}


STEP_2 = _rules("""
ational→ate tional→tion enci→ence anci→ance izer→ize abli→able alli→al entli→ent eli→e ousli→ous
ization→ize ation→ate ator→ate alism→al iveness→ive fulness→ful ousness→ous aliti→al iviti→ive
biliti→ble
""")
STEP_3 = _rules("""
icate→ic ative→ alize→al iciti→ic ical→ic ful→ ness→
""")
STEP_4 = _rules("""
al ance ence er ic able ible ant ement ment ent ion ou ism ate iti ous ive ize
""")
CHOI_STEP_4: Rules = {suffix: "" for suffix in (*STEP_4, "sion", "tion") if suffix != "ion"}


def porter_stem(word: str) -> str:
    """Return the stem of a word in lower case.

    >>> [porter_stem(word) for word in ("segmentations", "hopping", "relational", "happy", "s")]
    ['segment', 'hop', 'relat', 'happi', '']
    """
    return _stem(word, STEP_4)


def choi_stem(word: str) -> str:
    """Return the stem of the program C99, which removes -sion and -tion where Porter's rule keeps s and t.

    So production has the stem of produce, not of product. Boundaries and values of the programs C99 and U00
    for 400 documents show this: C99's ten segments match in 383 documents, with Porter's rule in 339. They
    also show that a dash has an empty stem.

    >>> [stem(word) for stem in (porter_stem, choi_stem) for word in ("product", "production", "produce")]
    ['product', 'product', 'produc', 'product', 'produc', 'produc']
    """
    return _stem(word, CHOI_STEP_4) if word.strip("-") else ""


def _stem(word: str, step_4: Rules) -> str:
    word = _without_plural(word)
    word = _without_past_or_participle(word)
    if word.endswith("y") and _has_vowel(word[:-1]):
        word = word[:-1] + "i"
    word = _replaced(word, STEP_2, lambda stem, suffix: _measure(stem) > 0)
    word = _replaced(word, STEP_3, lambda stem, suffix: _measure(stem) > 0)
    word = _replaced(word, step_4, _may_lose)
    return _tidied(word)


def _form(stem: str) -> str:
    """Return c for each consonant and v for each vowel; y is a vowel after a consonant."""
    form = ""
    for letter in stem:
        is_vowel = letter in VOWELS or (letter == "y" and form.endswith("c"))
        form += "v" if is_vowel else "c"
    return form


def _measure(stem: str) -> int:
    """Return m, the number of times consonants follow vowels: the stem is [C](VC)^m[V]."""
    return _form(stem).count("vc")


def _has_vowel(stem: str) -> bool:
    return "v" in _form(stem)


def _ends_short(stem: str) -> bool:
    """Whether the stem ends consonant, vowel, consonant that is not w, x or y (*o)."""
    return _form(stem).endswith("cvc") and stem[-1] not in "wxy"


def _without_plural(word: str) -> str:
    """Step 1a."""
    if word.endswith(("sses", "ies")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _without_past_or_participle(word: str) -> str:
    """Step 1b."""
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for suffix in ("ed", "ing"):
        stem = word.removesuffix(suffix)
        if stem != word:
            return _restored(stem) if _has_vowel(stem) else word
    return word


def _restored(stem: str) -> str:
    """Restore a stem after -ed or -ing: conflat(e), fil(e), hop without its second p."""
    if stem.endswith(("at", "bl", "iz")):
        return stem + "e"
    if stem[-1:] == stem[-2:-1] and _form(stem).endswith("c") and stem[-1] not in "lsz":  # *d
        return stem[:-1]
    return stem + "e" if _measure(stem) == 1 and _ends_short(stem) else stem


def _replaced(word: str, rules: Rules, may: Callable[[str, str], bool]) -> str:
    """Replace the longest suffix with a rule, if its stem allows it; shorter suffixes are not tried."""
    for length in range(min(len(word), 7), 1, -1):
        suffix = word[-length:]
        if suffix in rules:
            stem = word[:-length]
            return stem + rules[suffix] if may(stem, suffix) else word
    return word


def _may_lose(stem: str, suffix: str) -> bool:
    """Step 4's condition: m > 1, and -ion only after s or t."""
    return _measure(stem) > 1 and (suffix != "ion" or stem.endswith(("s", "t")))


def _tidied(word: str) -> str:
    """Step 5: a final e goes, and a final double l becomes one."""
    stem = word.removesuffix("e")
    if stem != word:
        m = _measure(stem)
        if m > 1 or (m == 1 and not _ends_short(stem)):
            word = stem
    if word.endswith("ll") and _measure(word) > 1:
        word = word[:-1]
    return word


_CHOI = """
'm 's a about above across after afterwards again against all almost alone along already also although
always am among amongst amoungst amount an and another any anyhow anyone anything anyway anywhere are around
as at back be became because become becomes becoming been before beforehand behind being below beside
besides between beyond bill both bottom but by call can cannot cant co computer con could couldnt cry de
describe detail do done down due during each eg eight either eleven else elsewhere empty enough etc even
ever every everyone everything everywhere except few fifteen fify fill find fire first five for former
formerly forty found four from front full further get give go had has hasnt have he hence her here hereafter
hereby herein hereupon hers herself him himself his how however hundred i ie if in inc indeed interest into
is it its itself keep last latter latterly least less ltd made many may me meanwhile might mill mine more
moreover most mostly move much must my myself n't name namely neither never nevertheless next nine no nobody
none noone nor not nothing now nowhere of off often on once one only onto or other others otherwise our ours
ourselves out over own part per perhaps please put rather re said same see seem seemed seeming seems serious
several she should show side since sincere six sixty so some somehow someone something sometime sometimes
somewhere still such system take ten than that the their them themselves then thence there thereafter
thereby therefore therein thereupon these they thick thin third this those though three through throughout
thru thus to together too top toward towards twelve twenty two un under until up upon us versa very via vice
was we well were what whatever when whence whenever where whereafter whereas whereby wherein whereupon
wherever whether which while whither who whoever whole whom whose why will with within without would yes yet
you your yours yourself yourselves
"""

CHOI_STOP_WORDS = frozenset(_CHOI.split())
"""The stop list of Choi's program (Choi 2000, NAACL), for C99 and U00; stemmed for BayesSeg and MinCut.

It is scikit-learn's ``ENGLISH_STOP_WORDS`` with a misspelled word and a few more words. Do not correct it:
other words would give other boundaries.
"""

T = TypeVar("T")

MOST_KNOWN = 2**17  # pieces whose terms are cached across texts

UnitsLike: TypeAlias = Sequence[str] | Units
"""The input of segmenters: the text of each unit, or units with a text."""

Terms: TypeAlias = Callable[[str], Iterable[str]]  # from the text of a unit to the terms that are counted


def texts_of(units: UnitsLike) -> Sequence[str]:
    """Return the text of each unit.

    >>> texts_of(["It rained.", "We stayed."])
    ['It rained.', 'We stayed.']
    >>> texts_of("It rained. We stayed.")
    Traceback (most recent call last):
    caesura.errors.ParameterError: units is one string: give a list of them, or make Units.from_text(text)
    """
    if isinstance(units, str):
        raise ParameterError("units is one string: give a list of them, or make Units.from_text(text)")
    if isinstance(units, Units):
        if units.text is None:
            raise ParameterError("units has no text: use Units.from_text, or give a list of strings")
        return units.texts
    if isinstance(units, Iterator):
        raise ParameterError("units can be read only once: give a list")
    texts = list(units)
    if not texts:
        raise ParameterError("units is empty; a document needs at least one unit")
    for index, text in enumerate(texts):
        if not isinstance(text, str):
            raise ParameterError(f"units[{index}] is {short(text)}: expected a string")
    return texts


def joined(texts: Sequence[str], n_before: int, n_after: int) -> list[str]:
    """Return each text joined with texts before and after it, with spaces between.

    >>> joined(["a", "b", "c"], 1, 0)
    ['a', 'a b', 'b c']
    """
    return [" ".join(texts[max(0, i - n_before) : i + n_after + 1]) for i in range(len(texts))]


# -------------------------------------------------------------------- tokens

CLITIC = re.compile(r"(?:n't|'(?:s|m|re|ve|ll|d)?)\Z")
EDGES = "`'\"“”‘«»()[]{}<>,;:!?…*"  # signs that may surround a word

SHORTEST_BEFORE_STOP = 4
"""Letters of a word before a full stop inside a unit; shorter words are abbreviations."""


def chunks(text: str) -> list[str]:
    """Split a text by white space, in lower case, without the full stops that end sentences.

    As in the Penn Treebank, a full stop inside a unit belongs to its word (Mr.), unless the word is longer
    and a capital follows.

    >>> chunks("Mr. Sprinkel told conferees. They left.")
    ['mr.', 'sprinkel', 'told', 'conferees', 'they', 'left']
    """
    lowered = text.lower().split()
    if lowered and lowered[-1][-1] == ".":
        lowered[-1] = lowered[-1][:-1]
    if "." in text.rstrip()[:-1]:
        as_written = text.split()
        for index, chunk in enumerate(as_written[:-1]):
            is_end = len(chunk) > SHORTEST_BEFORE_STOP and as_written[index + 1][0].isupper()
            if is_end and chunk[-1] == ".":
                lowered[index] = lowered[index][:-1]
    return lowered


def letters_and_hyphens(chunk: str) -> str:
    """Return the word of letters and hyphens in a chunk, or an empty string.

    >>> [letters_and_hyphens(chunk) for chunk in ("(home-made)", "dog's", "don't", "'s", "u.s.", "--")]
    ['home-made', 'dog', 'do', '', '', '--']
    """
    if chunk.isalpha():
        return chunk
    chunk = chunk.replace("’", "'")
    if CLITIC.fullmatch(chunk):
        return ""
    word = CLITIC.sub("", chunk.strip(EDGES))
    return word if word and word.replace("-", "a").isalpha() else ""


ALPHANUMERICS = re.compile(r"\w+")


def alphanumerics(text: str) -> list[str]:
    """Return runs of letters, digits and underscores, in lower case.

    >>> alphanumerics("It's 7.30 p.m.")
    ['it', 's', '7', '30', 'p', 'm']
    """
    return ALPHANUMERICS.findall(text.lower())


WITH_APOSTROPHES = re.compile(r"\w+(?:'\w+)*")


def alphanumerics_and_apostrophes(text: str) -> list[str]:
    """Return runs of letters, digits, underscores and inner apostrophes, in lower case.

    >>> alphanumerics_and_apostrophes("It's 'the boys' own'.")
    ["it's", 'the', 'boys', 'own']
    """
    return WITH_APOSTROPHES.findall(text.lower().replace("’", "'"))


def stem_of_longer(word: str) -> str:
    """Return Porter's stem of a word of three or more letters; shorter words are not stemmed in his programs.

    >>> [stem_of_longer(word) for word in ("s", "is", "his")]
    ['s', 'is', 'hi']
    """
    return porter_stem(word) if len(word) > 2 else word


# -------------------------------------------------------------------- terms


class Memory(dict[str, T]):
    """The values of a function of strings, each computed once; faster than ``functools.cache``."""

    def __init__(self, function: Callable[[str], T]) -> None:
        self.function = function

    def __missing__(self, key: str) -> T:
        value = self[key] = self.function(key)
        return value


@dataclass(repr=False, eq=False)
class Words:
    """A rule from text to terms: the pieces of a text, the word in a piece, stop words, and stems.

    The stem of a dash is empty; with ``counts_empty_stems`` the empty stem is a term, too.

    >>> WORDS["choi"]("The recent improvements were not a flash in the pan.")
    ['recent', 'improv', 'flash', 'pan']
    """

    title: str
    divide: Callable[[str], list[str]]
    word: Callable[[str], str] = str
    stop_words: Collection[str] = ()
    stop_stems: Collection[str] = ()
    stem: Callable[[str], str] = str
    counts_empty_stems: bool = False

    def __post_init__(self) -> None:
        self._known, self._stems = Memory(self._term), Memory(self._stem)

    def __call__(self, text: str) -> list[str]:
        """Return the terms of a text."""
        if len(self._known) > MOST_KNOWN:
            self._known.clear()
            self._stems.clear()
        return [term for term in map(self._known.__getitem__, self.divide(text)) if term is not None]

    def n_types(self, texts: Iterable[str]) -> int:
        """Return the number of distinct stems, including those of stop words."""
        pieces = {piece for text in texts for piece in self.divide(text)}
        return len(set(map(self._stems.__getitem__, pieces)) - {""})

    def _stem(self, piece: str) -> str:
        """Return the stem of a piece; empty if it is not a word."""
        word = self.word(piece)
        return self.stem(word) if word else ""

    def _term(self, piece: str) -> str | None:
        """Return the term of a piece; None if it is not counted."""
        word = self.word(piece)
        if not word or word in self.stop_words:
            return None
        stem = self._stems[piece]
        is_out = stem in self.stop_stems or not (stem or self.counts_empty_stems)
        return None if is_out else stem


WORDS: dict[str, Words] = {
    "choi": Words(
        "words of letters and hyphens, without Choi's stop words, his program's stems (of dashes: empty)",
        chunks,
        letters_and_hyphens,
        stop_words=CHOI_STOP_WORDS,
        stem=choi_stem,
        counts_empty_stems=True,
    ),
    "utiyama": Words(
        "words of letters and hyphens, without Choi's stop words, his program's stems (but for empty ones)",
        chunks,
        letters_and_hyphens,
        stop_words=CHOI_STOP_WORDS,
        stem=choi_stem,
    ),
    "mit": Words(
        "runs of letters, digits and inner apostrophes, Porter's stems, without those of Choi's stop words",
        alphanumerics_and_apostrophes,
        stop_stems=frozenset(map(stem_of_longer, CHOI_STOP_WORDS)),
        stem=stem_of_longer,
    ),
    "plain": Words("runs of letters and digits, as they are: for any language", alphanumerics),
}
"""The rules by name."""


SNOWBALL = "snowball:"  # prefix of the rules of other languages: ``snowball:german``

WORDS_HELP = (
    f"the rule from text to terms: {', '.join(WORDS)}, {SNOWBALL}LANGUAGE, or a function from text to terms"
)


def check_words(name: str, value: Any) -> str | Terms:
    """Return the name of a rule, or a function from the text of a unit to its terms."""
    if isinstance(value, str) and value.startswith(SNOWBALL):
        try:
            snowball(value.removeprefix(SNOWBALL))
        except ParameterError as error:
            raise ParameterError(f"{name} is {short(value)}: {error}") from None
    elif not (callable(value) or (isinstance(value, str) and value in WORDS)):
        known = [*WORDS, f"{SNOWBALL}german"]
        hint = did_you_mean(value[:60], known) if isinstance(value, str) else "expected a name or a function"
        raise ParameterError(f"{name} is {short(value)}: {hint}")
    return value  # type: ignore[no-any-return]


def words_parameter(default: str) -> str | Terms:
    """Declare the rule of terms."""
    return parameter(default, WORDS_HELP, check_words)


def words_of(words: str | Terms) -> Terms:
    """Return the rule of a name, or the function itself."""
    if not isinstance(words, str):
        return words
    return snowball(words.removeprefix(SNOWBALL)) if words.startswith(SNOWBALL) else WORDS[words]


@cache
def snowball(language: str) -> Words:
    """Return the rule of a language: runs of letters and digits with Snowball's stems, without stop words.

    >>> snowball("german")("Zwei Katzen, eine Katze")
    ['zwei', 'katz', 'ein', 'katz']
    """
    try:
        import snowballstemmer  # type: ignore[import-untyped]
    except ModuleNotFoundError:
        need = "stems of other languages need the package snowballstemmer"
        raise missing_extra(need, "languages") from None
    known = snowballstemmer.algorithms()
    if language not in known:
        raise ParameterError(str(unknown("stemming language", language, known)))
    stem: Callable[[str], str] = snowballstemmer.stemmer(language).stemWord
    return Words(f"runs of letters and digits, Snowball's stems of {language}", alphanumerics, stem=stem)


# -------------------------------------------------------------------- counts


@dataclass(frozen=True)
class TermRows:
    """The terms of each unit: the rows of a sparse matrix, end to end."""

    offsets: IntArray  # where the entries of each unit start, and where the last end
    terms: IntArray  # the number of each entry's term, ascending in each unit

    @property
    def n_units(self) -> int:
        """The number of units."""
        return len(self.offsets) - 1

    @property
    def units(self) -> IntArray:
        """The unit of each entry."""
        return repeat(np.arange(self.n_units), np.diff(self.offsets))


@dataclass(frozen=True)
class TermCounts(TermRows):
    """The frequency of each term in each unit."""

    counts: IntArray  # the frequency of the term in the unit
    vocabulary: tuple[str, ...]
    """The terms by number, in order of first occurrence."""

    @property
    def n_terms(self) -> int:
        """The number of different terms, V."""
        return len(self.vocabulary)

    @property
    def matrix(self) -> tuple[IntArray, IntArray, IntArray, int]:
        """The entries as kernels take them."""
        return self.offsets, self.terms, self.counts, self.n_terms

    @property
    def n_tokens(self) -> int:
        """The number of all occurrences, N."""
        return int(self.counts.sum())

    @cached_property
    def most_frequent(self) -> int:
        """The frequency of the most frequent term in the document."""
        return int(bincount(self.terms, self.counts, minlength=1).max())

    @cached_property
    def weights(self) -> FloatArray:
        """The counts as floats."""
        return self.counts.astype(np.float64)


def count_terms(texts: Iterable[str], words: str | Terms) -> TermCounts:
    """Count the terms of each unit.

    >>> found = count_terms(["a dog, a dog", "", "cats and dogs"], "choi")
    >>> found.vocabulary, found.offsets.tolist(), found.terms.tolist(), found.counts.tolist()
    (('dog', 'cat'), [0, 1, 1, 3], [0, 0, 1], [2, 1, 1])
    """
    terms_of = words_of(words)
    numbers: defaultdict[str, int] = defaultdict()
    numbers.default_factory = numbers.__len__  # a new term has the next number
    tokens: list[int] = []
    ends: list[int] = [0]
    for text in texts:
        tokens.extend(map(numbers.__getitem__, terms_of(text)))
        ends.append(len(tokens))
    n_terms = max(len(numbers), 1)
    unit = repeat(np.arange(len(ends) - 1), np.diff(ends))
    entries, counts = np.unique(unit * n_terms + np.array(tokens, dtype=np.int64), return_counts=True)
    offsets = np.searchsorted(entries, n_terms * np.arange(len(ends)))
    as_array = partial(np.asarray, dtype=np.int64)
    return TermCounts(as_array(offsets), as_array(entries % n_terms), as_array(counts), tuple(numbers))
