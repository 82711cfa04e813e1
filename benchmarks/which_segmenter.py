"""Writes docs/which-segmenter.md: all segmenters on real texts, compared with intervals and tests.

    python benchmarks/which_segmenter.py [--data FOLDER] [--resamples 9999]

The data may not be redistributed: FOLDER (or $CAESURA_DATA, or ../shared/data) holds choi_t3_11/ref,
segmenters/lectures and moonstone; what is missing there is left out, and the page says so.
"""

from __future__ import annotations

import argparse
import operator
import os
import time
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

import caesura as cs
from caesura.analyses.segmenting import numbers_like
from caesura.papers.recompute import load_facts
from caesura.results.table import Cell, Table

REPOSITORY = Path(__file__).resolve().parents[1]
PAGE = REPOSITORY / "docs" / "which-segmenter.md"
SEED = 0

HEAD = """\
# Which segmenter?

Results of every linear segmenter on texts from the literature, so that you can see which ones suit texts
like yours. `cs.compare` compared each with all coders. The tables show:

- B with its interval over documents, precision and recall by boundary edit distance;
- the means of WindowDiff and Pk over codings (errors: lower is better);
- the segmenters that each one beats at α = 0.05 (randomization test over documents, Holm correction).

Each text has two tables. In the first, each segmenter gets the mean number of segments of the document's
coders. In the second it decides itself. GraphSeg does not accept a number, so only the second table has
it. All parameters have their defaults; nothing is tuned, except where the text beside printed numbers
says so. Windows run over units, not over words, so Pk differs slightly from the papers ([recomputed
here](published-numbers.md#segmenters)). The last table compares hierarchical segmenters, with ranks.
Bisection and TreeSeg are also in the linear tables, without ranks (`flat=True`). Segmenters that need
training texts are left out, and so is LLM, which needs your own model.

Segmenters with `vectors='wordllama'` read static word embeddings of 256 numbers, which need no download
(`pip install 'caesura[vectors]'`); the others count words. Larger encoders may do better:
`cs.segmenter("CVS", vectors=model.encode)`.

One command writes this page with all numbers:

```sh
python benchmarks/which_segmenter.py --data FOLDER
```

The texts may not be redistributed, so you need your own copy in FOLDER: `choi_t3_11/ref` (Choi's
documents), `segmenters/lectures/ai` and `segmenters/lectures/physics` (Malioutov and Barzilay's),
`moonstone` and `hierarchy` (Kazantseva and Szpakowicz's). For your own texts run `caesura compare GOLD
--segment C99,BayesSeg,U00`; see [Run segmenters and choose](how-to/segment.md).

The [boards](how-to/gate.md#a-board-of-many-systems) show the same segmenters, with a test of every pair
and the values of every document.
"""


class Data(NamedTuple):
    """Texts that people have coded."""

    title: str
    said: str
    read: Callable[[Path], cs.Corpus]
    beside: tuple[Callable[[cs.Corpus], str], ...] = ()
    """What sets our numbers beside printed ones."""


def choi(folder: Path) -> cs.Corpus:
    """Return Choi's 400 documents of ten segments from 3 to 11 sentences."""
    return _refs(folder / "choi_t3_11" / "ref")


def lectures(course: str) -> Callable[[Path], cs.Corpus]:
    """Return what reads the lectures of a course; those for tuning have another extension."""
    return lambda folder: _refs(folder / "segmenters" / "lectures" / course)


def _refs(folder: Path) -> cs.Corpus:
    paths = sorted(folder.rglob("*.ref"))
    if not paths:
        raise FileNotFoundError(f"{folder.parent.name}/{folder.name} is not at hand")
    read = [cs.read(path, "choi") for path in paths]
    names = [path.relative_to(folder).with_suffix("").as_posix() for path in paths]
    named = [one.rename(documents={one.documents[0]: name}) for one, name in zip(read, names, strict=True)]
    return cs.Corpus.merge(*named)


def moonstone(folder: Path) -> cs.Corpus:
    """Return the chapters whose paragraphs are as many as those that were coded."""
    return _with_texts(cs.read(folder / "moonstone" / "moonstone_masses.json"), folder / "moonstone" / "text")


def _with_texts(corpus: cs.Corpus, folder: Path) -> cs.Corpus:
    texts = {}
    for document in corpus.documents:
        # The files are Latin-1; the codings have no texts of their own.
        text = (folder / f"{document}.txt").read_text(encoding="latin-1")
        units = cs.Units.from_text(text, by="paragraph").texts
        if len(units) == corpus.n_units(document):
            texts[document] = units
    return corpus.select(documents=list(texts)).with_texts(texts)


# -------------------------------------------------------------------- beside printed numbers

GRIDS = {
    "BayesSeg": ("mean_length", (4.0, 6.0, 8.0, 10.0, 15.0, 20.0, 30.0)),
    "APS": ("preference", (-8.0, -5.0, -3.0, -2.0, -1.0, -0.7, -0.5, -0.3)),
    "MinCut": ("length", (4, 6, 8, 10, 15, 20, 30)),
}
"""The parameter that sets the number of segments, and what is tried for it."""


def tuned(gold: cs.Corpus) -> dict[str, str]:
    """Return each segmenter of GRIDS as it has the least mean WindowDiff on these chapters, by name."""
    found = {}
    for name, (parameter, values) in GRIDS.items():
        machines = cs.segment(gold, [f"{name}({parameter}={value})" for value in values])
        errors = cs.evaluate(gold, machines, ["WD"], n_resamples=0)
        found[name] = min(machines.coders, key=lambda coder: errors["WD", coder].macro)
    return found


def with_parameters(chosen: dict[str, str]) -> str:
    """Return the segmenters with the parameter that was tuned, also where it stays as it is by default."""
    said = []
    for name, spec in chosen.items():
        parameter, _ = GRIDS[name]
        said.append(f"{name}({parameter}={cs.segmenter(spec).parameters[parameter]})")
    return ", ".join(said)


def chapters(gold: cs.Corpus, numbers: Iterable[int]) -> cs.Corpus:
    """Return the chapters with these numbers, as far as their texts are at hand."""
    wanted = [f"ch{number}" for number in numbers]
    return gold.select(documents=[document for document in wanted if document in gold.documents])


PRINTED = "F13t table 5.8 "
PRINTED_CODINGS = 90
"""Codings of chapters 5 and 7 to 21. The table counts both ends of a chapter as matches in each of them."""
TUNED_IN_THE_THESIS, JUDGED_IN_THE_THESIS = range(1, 6), (5, *range(7, 22))


def printed_rows() -> dict[str, tuple[float, float, float]]:
    """Return B of table 5.8 as printed, B without both ends, and boundaries per coding without them."""
    ends = 2 * PRINTED_CODINGS
    found = {}
    for fact in load_facts():
        if fact.id.startswith(PRINTED):
            b, _, n, _, _, _, tp, _, fn, _ = fact.values
            made = (n - fn - ends) / PRINTED_CODINGS
            found[fact.id.removeprefix(PRINTED)] = b, (tp - ends) / (n - ends), made
    return found


def beside_the_thesis(gold: cs.Corpus) -> str:
    """Return our B beside that of Fournier (2013), thesis, table 5.8, for the segmenters that both have."""
    chosen = tuned(chapters(gold, TUNED_IN_THE_THESIS))
    judged = chapters(gold, JUDGED_IN_THE_THESIS)
    machines = [cs.segment(judged, list(chosen.values())), cs.segment(judged, list(chosen), "like")]
    machines[0] = machines[0].rename(coders={spec: f"{name}, tuned" for name, spec in chosen.items()})
    compared = cs.compare(
        cs.Corpus.merge(judged, *machines),
        segmenters=[coder for one in machines for coder in one.coders],
        references=judged.coders,
        human="central",
        n_resamples=99,  # for the values alone
        rng=SEED,
    )
    ours = {row.name: row.value for row in compared.rows}
    lines = [
        "| segmenter | printed B | without ends | boundaries | B here, tuned | boundaries | B here, told |",
        "| :-- | --: | --: | --: | --: | --: | --: |",
    ]
    for name, (b, without_ends, n_made) in printed_rows().items():
        cells = [f"{b:.3f}", f"{without_ends:.3f}", f"{n_made:.1f}"]
        if name in chosen:
            n_here = per_coding(machines[0], f"{name}, tuned", judged)
            cells += [show(ours[f"{name}, tuned"]), f"{n_here:.1f}", show(ours[name])]
        else:
            cells += ["", "", show(ours[name.lower()])]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    said = (
        "Beside table 5.8 of Fournier's thesis, which judged segmenters on chapters 5 and 7 to 21. Its "
        "counts have both ends of a chapter as boundaries that match, [in each of 90 "
        "codings](published-numbers.md#numbers); without them B is what the third column has, near the means "
        "over codings of its table 5.7 (0.112, 0.421, 0.240, 0.056 and 0.051). Ours are tuned as its were, "
        f"on chapters 1 to 5 and for WindowDiff: {with_parameters(chosen)}; or told how many segments "
        "readers made in the mean, with all else by default. Boundaries are means over codings; readers made "
        f"{per_reading(judged):.1f}. It is not reproduced: the outputs of its segmenters were never "
        "published, which parameters were tuned is not printed, chapter 11 is missing here, its human is a "
        "reader drawn at random, ours the reader of each group who is closest to the others, and ours of "
        "chance is the mean of 100 draws. Its APS and MinCut made far fewer boundaries than readers did, "
        "which suits WindowDiff, and few of them were right."
    )
    return f"{said}\n\n" + "\n".join(lines)


def per_coding(machines: cs.Corpus, coder: str, people: cs.Corpus) -> float:
    """Return the mean number of a segmenter's boundaries over people's codings of the same documents."""
    made = [machines[document, coder].n_boundaries for document in people.documents]
    readers = [len(people[document]) for document in people.documents]
    return sum(map(operator.mul, made, readers)) / sum(readers)


def per_reading(people: cs.Corpus) -> float:
    """Return the mean number of boundaries of a coding."""
    return fmean(one.n_boundaries for document in people.documents for one in people[document].values())


REFERENCES = {
    "WD, ≥ 50 % of readers": ("WD", 0.5, (0.66, 0.60, 0.73, 0.73)),
    "WD, ≥ 30 % of readers": ("WD", 0.3, (0.52, 0.61, 0.69, 0.61)),
    "WD, union": ("WD", 0.0, (0.53, 0.60, 0.63, 0.65)),
    "multWinDiff": ("MultWD", None, (0.28, 0.23, 0.31, 0.41)),
}
"""Table 2 of Kazantseva & Szpakowicz (2012): the metric, the share of readers behind its reference, and the
printed values of BayesSeg, APS, MinCut and chance; its rows of single readers do not say which they were."""

TUNED_BY_KAZANTSEVA, JUDGED_BY_KAZANTSEVA = range(1, 5), (5, *range(7, 22))


def beside_kazantseva(gold: cs.Corpus) -> str:
    """Return our errors beside those of Kazantseva & Szpakowicz (2012), table 2."""
    chosen = tuned(chapters(gold, TUNED_BY_KAZANTSEVA))
    judged = chapters(gold, JUDGED_BY_KAZANTSEVA)
    names = [*chosen, "Random"]
    told = cs.segment(judged, names, "like", rng=SEED)
    by_itself = cs.segment(judged, list(chosen.values()))
    lines = [
        f"| | {' | '.join(f'{name}, printed | tuned | told' for name in chosen)} | Random, printed | here |",
        f"| :-- | {' | '.join(['--:'] * 11)} |",
    ]
    for title, (metric, share, printed) in REFERENCES.items():
        people = judged if share is None else cs.consensus(judged, share)
        found = [cs.evaluate(people, one, [metric], n_resamples=0) for one in (by_itself, told)]
        cells = []
        for name, value in zip(names, printed, strict=True):
            cells.append(f"{value:.2f}")
            if name in chosen:
                cells.append(f"{found[0][metric, chosen[name]].macro:.2f}")
            cells.append(f"{found[1][metric, name].macro:.2f}")
        lines.append(f"| {title} | {' | '.join(cells)} |")
    said = (
        "Beside table 2 of Kazantseva and Szpakowicz (2012), on the chapters after the first four, on which "
        f"they chose parameters, and so do we here, for WindowDiff ({with_parameters(chosen)}); or the "
        "segmenter is told how many segments readers made. Errors, so lower is better. Not reproduced "
        "either: which parameters were chosen and how many segments were made is not printed (their BayesSeg "
        "has none to choose), chance is one draw there and here, and we take means over chapters."
    )
    return f"{said}\n\n" + "\n".join(lines)


DATA = (
    Data(
        "Choi's documents",
        "Each document joins the first 3 to 11 sentences of ten articles: easy and artificial.",
        choi,
    ),
    Data(
        "Lectures on artificial intelligence",
        "Speech, in utterances, segmented by one person.",
        lectures("ai"),
    ),
    Data("Lectures on physics", "Speech, in utterances, segmented by one person.", lectures("physics")),
    Data(
        "The Moonstone",
        "Chapters of a novel, in paragraphs, with several readers each, who agree little among themselves. "
        "Chapter 11 is left out: its text has one paragraph more than its codings.",
        moonstone,
        (beside_the_thesis, beside_kazantseva),
    ),
)


HIERARCHICAL = ("HC99", "HBT", "HAPS", "TreeSeg(vectors='wordllama')", "Bisection", "None")
HIERARCHICAL_ERRORS = {"E_Pk": "EPk(edges='wrap')", "E_WD": "EWD(edges='wrap')"}


def hierarchies(folder: Path, resamples: int) -> str:
    """Return the errors of the segmenters that rank their boundaries, on codings that do."""
    title = "## Hierarchies of the Moonstone"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that levels which do not nest were united
            gold = _with_texts(cs.read(folder / "hierarchy" / "annots"), folder / "hierarchy" / "text")
    except (OSError, cs.CaesuraError) as error:
        return f"{title}\n\nNot computed: {error}.\n"
    machines = cs.segment(gold, HIERARCHICAL)
    found = cs.evaluate(gold, machines, list(HIERARCHICAL_ERRORS.values()), n_resamples=resamples, rng=SEED)
    lines = ["| segmenter | E_Pk | 95 % | E_WD | 95 % |", "| :-- | --: | :-- | --: | :-- |"]
    for name in HIERARCHICAL:
        cells = []
        for metric in HIERARCHICAL_ERRORS.values():
            one = found[metric, name]
            cells += [f"{float(one.micro):.3f}", f"{one.interval.low:.3f} to {one.interval.high:.3f}"]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    said = (
        f"Chapters whose readers ranked their boundaries on up to six levels: {len(gold.documents)} "
        f"documents, {len(gold)} codings, {int(gold.document_units.sum()):,} units. Errors with the window "
        "wrapped around the text, pooled over codings: lower is better. The interval resamples documents; "
        "with so few and so short ones, look at it before you choose. Every segmenter has as many levels and "
        "segments as it has by default, and its boundaries their ranks: of HC99 and Bisection all gaps are "
        "ranked. No printed numbers on these codings are at hand."
    )
    return f"{title}\n\n{said}\n\n" + "\n".join(lines) + "\n"


ON_VECTORS = ("C99", "CVS", "KernelCPD", "SemanticChunker", "TreeSeg", "GraphSeg")
"""The segmenters that read vectors here; all but C99 are not shown on words."""


def linear_segmenters(*, are_told: bool) -> list[str]:
    """Return the segmenters, of which all or some can be told how many segments to make.

    Chance is among the bounds. Bisection reads no text and is a baseline of both kinds.
    """
    classics = [
        name
        for name, cls in cs.SEGMENTERS.items()
        if not (cls.is_fitted or cls.is_random or cls.asks_a_model)
        and cls.takes_n_segments
        and (not cls.is_hierarchical or name == "Bisection")
        and (name not in ON_VECTORS or name == "C99")
    ]
    takes = [name for name in ON_VECTORS if cs.SEGMENTERS[name].takes_n_segments or not are_told]
    return classics + [f"{name}(vectors='wordllama')" for name in takes]


def section(data: Data, folder: Path, resamples: int) -> str:
    """Return the results on one corpus."""
    try:
        gold = data.read(folder)
    except (OSError, cs.CaesuraError) as error:
        return f"## {data.title}\n\nNot computed: {error}.\n"
    n_units = int(gold.document_units.sum())
    codings = f"{len(gold.documents)} documents, {len(gold)} codings, {n_units:,} units"
    print(f"{data.title}: {codings}")
    said = [
        f"## {data.title}",
        f"{data.said} {codings}.",
        "### With a given number of segments",
        *compared(gold, resamples, are_told=True),
        *(beside(gold) for beside in data.beside),
        "### With the segmenter's own number of segments",
        *compared(gold, resamples, are_told=False),
    ]
    return "\n\n".join(said) + "\n"


def compared(gold: cs.Corpus, resamples: int, *, are_told: bool) -> list[str]:
    """Return the table of all segmenters and what it shows."""
    started = time.perf_counter()
    machines = cs.segment(gold, linear_segmenters(are_told=are_told), "like" if are_told else None, flat=True)
    print(f"  segmented in {time.perf_counter() - started:.1f} s")
    comparison = cs.compare(
        cs.Corpus.merge(gold, machines),
        segmenters=machines.coders,
        references=gold.coders,
        metrics=["WD", "Pk"],
        n_resamples=resamples,
        rng=SEED,
    )
    wanted = fmean(numbers_like(gold).values())
    made = {
        coder: fmean(machines[document, coder].n_segments for document in machines.documents) / wanted
        for coder in machines.coders
    }
    table = results(comparison.to_table(), comparison.to_table("macro"), {} if are_told else made)
    return [table, *comparison.findings]


def results(main: Table, macro: Table, made: dict[str, float]) -> str:
    """Return the main table and the means beside it, as Markdown; ``made``: segments by those of coders."""
    means = {row["segmenter"]: row for row in by_column(macro)}
    header = ["", "segmenter", "B", "95 %", "B-P", "B-R", "WD", "Pk", "beats"]
    lines = [header, [":--", ":--", "--:", ":--", "--:", "--:", "--:", "--:", ":--"]]
    if made:
        header.insert(2, "segments / coders'")
        lines[1].insert(2, "--:")
    for row in by_column(main):
        mean = means.get(str(row["segmenter"]).removesuffix(" (lower bound)"), {})
        low, high = row["low 95 %"], row["high 95 %"]
        interval = f"{show(low)} to {show(high)}" if low is not None else ""
        lines.append(
            [
                str(row[""] or ""),
                str(row["segmenter"]),
                show(row["B"]),
                interval,
                show(row["B-P"]),
                show(row["B-R"]),
                show(mean.get("WD")),
                show(mean.get("Pk")),
                str(row["beats"] or ""),
            ]
        )
        if made:
            lines[-1].insert(2, show(made.get(str(row["segmenter"]))))
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def by_column(table: Table) -> list[dict[str, Cell]]:
    """Return the rows of a table by the names of its columns."""
    names = [column.name for column in table.columns]
    return [dict(zip(names, row, strict=True)) for row in table.rows]


def show(value: Cell) -> str:
    """Return a value with three digits; nothing where there is none."""
    return f"{value:.3f}" if isinstance(value, float) else ""


def main() -> None:
    """Write the page."""
    parser = argparse.ArgumentParser(description="Write docs/which-segmenter.md.")
    default = Path(os.environ.get("CAESURA_DATA") or REPOSITORY.parent / "shared" / "data")
    parser.add_argument("--data", type=Path, default=default)
    parser.add_argument("--resamples", type=int, default=9999)
    parser.add_argument("--only", default="", help="part of the title of the texts that are done; no page")
    given = parser.parse_args()
    chosen = [data for data in DATA if given.only in data.title]
    sections = [section(data, given.data, given.resamples) for data in chosen]
    if given.only:
        print("\n".join(sections))
        return
    sections.append(hierarchies(given.data, given.resamples))
    foot = f"caesura {cs.__version__}, {given.resamples:,} resamples, seed {SEED}.\n"
    PAGE.write_text("\n".join([HEAD, *sections, foot]), encoding="utf-8")


if __name__ == "__main__":
    main()
