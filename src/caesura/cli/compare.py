"""caesura compare: segmenters ranked and tested against each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import click

from caesura.analyses.comparison.analysis import UPPER_BOUNDS, Upper, compare
from caesura.analyses.comparison.bounds import LOWER_BOUNDS
from caesura.analyses.comparison.results import FACTORS, OBSERVED, SUBJECTS, Observed
from caesura.analyses.roles import choose_references
from caesura.analyses.segmenting import numbers_like, segment
from caesura.checks import ALPHA, TEST_RESAMPLES
from caesura.cli import options
from caesura.cli.output import Output
from caesura.cli.reading import Reading, chosen_roles, data_command, reading_options
from caesura.cli.remarks import progress_bar, understood
from caesura.cli.segment import but_choosing, distinct, fit_option, fitted, segmenters_option
from caesura.errors import CorpusError
from caesura.metrics.base import Metric
from caesura.results.notes import signature
from caesura.segmenters.base import Segmenter
from caesura.stats.factors import FactorReport
from caesura.stats.outcome import TestReport
from caesura.values.corpus import Corpus
from caesura.wording import counted, listed

PARTS = ("edits", "macro", "documents", "coders", "tests", "human", "drop")


@data_command("compare")
@options.role_options
@segmenters_option(
    "--segment automatic",
    help="Automatic segmenter to run on the texts and compare, such as C99 or C99,U00; repeatable. It makes "
    "as many segments as the references have. `caesura segmenters` lists all.",
)
@fit_option
@options.metric_options("B", "S", "WD")
@options.option(
    "--decide",
    options.METRIC,
    "Metric that decides; repeatable. Default: the first --metric.",
    multiple=True,
    metavar="SPEC",
)
@options.types_option
@options.choice(
    "--bound",
    LOWER_BOUNDS,
    "Add a lower bound; tables call random boundaries chance.",
    ["random"],
    name="bounds",
    multiple=True,
)
@options.choice("--human", UPPER_BOUNDS, "Upper bound: all pairs of coders, or the most central one.", "all")
@options.flag("--no-human", help="Do not add an upper bound.")
@options.flag("--no-bounds", help="Add neither lower nor upper bounds.")
@options.choice(
    "--test",
    (*SUBJECTS, "factors"),
    "Also show this test: over documents, over codings or boundary pairs as in the thesis, or of factors.",
)
@options.choice(
    "--factor", FACTORS, "A factor of --test factors; default: all.", name="factors", multiple=True
)
@options.choice("--subject", OBSERVED, "With --test factors: values per coding or boundary pair.", "coding")
@options.choice("--within", FACTORS, "With --test factors: rank the others within each of its levels.")
@options.choice("--show", PARTS, "Also show this table; repeatable.", name="parts", multiple=True)
@click.option("--alpha", default=ALPHA, help="Significance level.")
@options.resamples_option(TEST_RESAMPLES, "Resamples for intervals; tests draw more if needed.", minimum=99)
@options.seed_option()
@reading_options
@options.output_options
def command(
    reading: Reading,
    data: tuple[str, ...],
    names: options.Names,
    automatic: tuple[tuple[Segmenter, ...], ...],
    learnt_from: str | None,
    chosen: options.Chosen,
    decide: tuple[Metric, ...],
    bounds: tuple[str, ...],
    human: Upper,
    no_human: bool,
    no_bounds: bool,
    test: str | None,
    factors: tuple[str, ...],
    subject: Observed,
    within: str | None,
    parts: tuple[str, ...],
    rng: int,
    out: Output,
    **settings: Any,
) -> None:
    """Rank segmenters and test which differences are significant.

    DATA are files or folders in which people and segmenters are coders. The first metric decides, or each of
    --decide in turn; the others are shown beside it. --segment segments the texts of DATA first.
    """
    if test != "factors" and (factors or within or subject != "coding"):
        raise click.UsageError("--factor, --subject and --within need --test factors")
    run = distinct(automatic)
    if not names.segmenters and not run:
        raise click.UsageError("no segmenter given: name a coder with --segmenter, or run one with --segment")
    corpus = reading.corpus(data)
    segmenters, references = chosen_roles(names, corpus, reading)
    if run or learnt_from is not None:
        run = fitted(run, learnt_from, corpus)
        if not corpus.coders:
            raise CorpusError("DATA has no reference coder; name one with --reference")
        references = choose_references(corpus.coders, segmenters, references or None)
        corpus = _with_segmenters(corpus, run, references, rng)
        segmenters += map(repr, run)
    settings |= {"bounds": () if no_bounds else bounds, "human": False if no_bounds or no_human else human}
    settings |= {"segmenters": segmenters, "references": references or None, "rng": rng}
    shown = []
    for deciding in decide or chosen.metrics[:1]:
        beside = [metric for metric in chosen.metrics if metric != deciding]
        with progress_bar("comparing") as progress:
            comparison = compare(corpus, metric=deciding, metrics=beside, progress=progress, **settings)
            comparison.to_table()  # while the bar is shown
            report: FactorReport | TestReport | None = None
            if test == "factors":
                with options.usage():
                    report = comparison.test(
                        "factors", factors=factors or None, subject=subject, within=within
                    )
            elif test is not None:
                report = comparison.test(test)  # type: ignore[call-overload]  # one of the choices
        shown.append((comparison, report))
    if test is None and len(shown) == 1:
        out.emit(shown[0][0], "main", *parts)
        return
    tables, numbers = [], {}
    for comparison, report in shown:
        tables += [comparison.to_table(part) for part in ("main", *parts)]
        numbers[repr(comparison.requested[0])] = plain = comparison.to_dict()
        if report is not None:
            result = report.named(comparison.labels) if isinstance(report, TestReport) else report
            main, *others = map(result.to_table, result.parts)
            if isinstance(report, TestReport):
                made = signature(comparison.signature_of_test(report))
                main = replace(main, notes=[*main.notes, made])
            tables += [main, *(table for table in others if table.rows)]
            plain[f"test of {test}"] = report.to_dict()
    out.emit(tables, data=lambda: numbers if len(shown) > 1 else next(iter(numbers.values())))


def _with_segmenters(corpus: Corpus, segmenters: list[Segmenter], people: Sequence[str], seed: int) -> Corpus:
    """Return the corpus with segmenters as coders, which make as many segments as people do.

    Hierarchical segmenters are flat unless people ranked their boundaries.
    """
    gold = corpus.select(coders=people)
    flat, wanted = not corpus.is_hierarchical, numbers_like(gold)
    with progress_bar("segmenting") as progress:
        segmented = segment(gold, segmenters, wanted, flat=flat, rng=seed, progress=progress)
    understood(
        f"segmented {counted(len(segmented.documents), 'document')} by {listed(segmenters)}, "
        + but_choosing(f"as many segments as the codings of {listed(people, most=3)} have", segmenters)
    )
    return Corpus.merge(corpus, segmented).with_metadata(corpus.metadata)
