"""evaluate(). Source of truth: the definitions of SPEC §4, §5 and §9, worked out by hand on small corpora."""

from __future__ import annotations

import csv
import io
import json
import math
from statistics import fmean, stdev

import numpy as np
import pytest

import caesura as cs
from caesura import Corpus, Hierarchy, Segmentation, TypeScheme, pairs
from caesura.analyses.evaluation import evaluate
from caesura.errors import ComparisonError, CorpusError, ParameterError, UnknownNameError

GOLD = Corpus.from_dict({"a": {"ann": [2, 3, 6], "bob": [5, 6]}, "b": {"ann": [4, 4]}})
MINE = Corpus.from_dict({"a": {"mine": [2, 2, 7]}, "b": {"mine": [4, 4]}})

# Document a, boundaries of ann at 2, 5, of bob at 5, mine at 2, 4; document b: both at 4.
B_NUMERATORS, B_PAIRS = (1.5, 0.5, 1.0), (2, 2, 1)
# ann: k = round(11 / 6) = 2, windows 2 and 4 of 9 differ. bob: k = round(11 / 4) = 3, windows 0, 1, 4 of 8.
WD_ERRORS, WD_WINDOWS = (2, 3, 0), (9, 8, 6)


def many(n_documents: int, seed: int) -> tuple[Corpus, Corpus]:
    generator = np.random.default_rng(seed)

    def draw() -> Segmentation:
        return Segmentation.from_positions((np.flatnonzero(generator.random(39) < 0.2) + 1).tolist(), 40)

    gold = Corpus.from_dict({f"d{i}": {"ann": draw(), "bob": draw()} for i in range(n_documents)})
    return gold, Corpus.from_dict({f"d{i}": {"mine": draw()} for i in range(n_documents)})


# -------------------------------------------------------------------- values


def test_boundary_similarity_by_hand():
    found = evaluate(GOLD, MINE, ["B"], rng=0)["B"]
    values = [n / d for n, d in zip(B_NUMERATORS, B_PAIRS, strict=True)]
    assert float(found.micro) == pytest.approx(3 / 5)
    assert (found.micro.numerator, found.micro.denominator) == (3, 5)
    assert found.macro == pytest.approx(fmean(values))
    assert found.se == pytest.approx(stdev(values) / math.sqrt(3))
    assert found.n == 3
    assert found.documents == pytest.approx((0.5, 1.0))
    assert found.interval.estimate == pytest.approx(0.6)


def test_window_diff_by_hand():
    found = evaluate(GOLD, MINE, ["WD"], rng=0)["WD"]
    values = [n / d for n, d in zip(WD_ERRORS, WD_WINDOWS, strict=True)]
    assert float(found.micro) == pytest.approx(5 / 23)
    assert found.macro == pytest.approx(fmean(values))
    assert found.se == pytest.approx(stdev(values) / math.sqrt(3))
    assert found.documents == pytest.approx((5 / 17, 0.0))


def test_mult_window_diff_takes_all_references_of_a_document_at_once():
    """k = round(4.4 / 2) = 2; of 2 × 9 comparisons 6 differ, 2 at best, 18 at worst; b: 0, 0, 6."""
    found = evaluate(GOLD, MINE, ["MultWD"], rng=0)["MultWD"]
    assert found.documents == pytest.approx(((6 - 2) / (18 - 2), 0.0))
    assert float(found.micro) == pytest.approx(4 / 22)
    assert found.macro == pytest.approx(0.125)
    assert found.n == 2
    assert found.se == pytest.approx(0.125)


def test_default_metrics_and_sizes():
    found = evaluate(GOLD, MINE, rng=0)
    assert [repr(summary.metric) for summary in found.summaries] == ["B", "F", "Pk", "WD"]
    assert found.documents == ("a", "b")
    assert found.n_units == (11, 8)
    assert found.n_references == (2, 1)
    # exact F: 1 of 2 + 2, 0 of 1 + 2, 1 of 1 + 1 boundaries pair up
    assert float(found["F"].micro) == pytest.approx(2 * 2 / (4 + 3 + 2))


@pytest.mark.parametrize(
    "spec", ["B", "B(n_t=4)", "S", "BP", "BR", "BF", "F(tolerance=1)", "Pk", "WD", "GHD"]
)
def test_many_references_against_single_scores(spec):
    gold, mine = many(6, seed=1)
    metric = cs.metric(spec)
    scores = {
        document: [metric(reference, mine[document, "mine"]) for reference in gold[document].values()]
        for document in gold.documents
    }
    flat = [score for found in scores.values() for score in found]
    found = evaluate(gold, mine, [spec], rng=0, n_resamples=9)[spec]
    assert float(found.micro) == pytest.approx(float(sum(flat)))
    assert found.macro == pytest.approx(fmean(map(float, flat)))
    assert found.se == pytest.approx(stdev(map(float, flat)) / math.sqrt(len(flat)))
    assert found.n == 12
    assert found.documents == pytest.approx([float(sum(found)) for found in scores.values()])


def test_a_perfect_hypothesis():
    gold = GOLD.select(coders=["ann"])
    same = Corpus.from_dict({document: {"mine": gold[document, "ann"]} for document in gold.documents})
    found = evaluate(gold, same, ["B", "WD", "MultWD"], rng=0)
    assert [float(summary.micro) for summary in found.summaries] == [1.0, 0.0, 0.0]
    assert (found["B"].interval.low, found["B"].interval.high) == (1.0, 1.0)


def test_the_hypothesis_may_list_documents_in_another_order():
    turned = MINE.select(documents=["b", "a"])
    assert evaluate(GOLD, turned, rng=3).to_dict() == evaluate(GOLD, MINE, rng=3).to_dict()


def test_a_document_without_boundaries_has_no_pairs_and_is_right():
    gold = Corpus.from_dict({"a": {"ann": [5]}, "b": {"ann": [2, 2]}})
    mine = Corpus.from_dict({"a": {"mine": [5]}, "b": {"mine": [4]}})
    found = evaluate(gold, mine, ["B"], rng=0)["B"]
    assert found.documents == (1.0, 0.0)
    assert float(found.micro) == 0.0
    assert found.macro == 0.5


def test_nominal_types_cost_a_full_miss():
    """SPEC §3: nominal types always cost 1. One match and one wrong type: B = 1 / 2."""
    scheme = TypeScheme({1: "topic", 2: "scene", 3: "time"}, nominal=True)
    gold = Corpus.from_dict(
        {"d": {"ann": Segmentation.from_positions([2, 5], 9, [1, 1])}}, type_scheme=scheme
    )
    mine = Corpus.from_dict(
        {"d": {"mine": Segmentation.from_positions([2, 5], 9, [1, 2])}}, type_scheme=scheme
    )
    assert evaluate(gold, mine, ["B"], types=True, rng=0).summaries[0].documents == (0.5,)


# -------------------------------------------------------------------- intervals


def test_one_document_has_no_interval():
    found = evaluate(GOLD.select(documents=["a"]), MINE.select(documents=["a"]), ["B", "WD"], rng=0)
    for summary in found.summaries:
        assert math.isnan(summary.interval.low)
        assert math.isnan(summary.interval.high)
    assert float(found["B"].micro) == 0.5
    assert any("Only one document" in note.text for note in found.notes)
    assert "n/a" in str(found)


def test_infinite_values_have_no_standard_error():
    """Boundaries per reference boundary, where a reference has none."""
    reference = cs.Corpus.from_dict({"d1": {"a": [8]}, "d2": {"a": [4, 4]}})
    hypothesis = cs.Corpus.from_dict({"d1": {"m": [4, 4]}, "d2": {"m": [4, 4]}})
    found = cs.evaluate(reference, hypothesis, ["Density"], n_resamples=0)
    assert found["Density"].micro == 2
    assert math.isnan(found["Density"].se)


def test_one_coding_has_no_standard_error():
    found = evaluate(GOLD.select(documents=["b"]), MINE.select(documents=["b"]), ["B"], rng=0)
    assert math.isnan(found["B"].se)


def test_the_interval_holds_the_value_and_narrows_with_less_confidence():
    gold, mine = many(20, seed=2)
    wide = evaluate(gold, mine, ["B"], confidence=0.99, rng=0)["B"].interval
    narrow = evaluate(gold, mine, ["B"], confidence=0.5, rng=0)["B"].interval
    assert wide.low < narrow.low < narrow.estimate < narrow.high < wide.high


def test_the_interval_resamples_documents():
    """Ten of equal size, half of them right: the share of right ones in a resample is binomial."""
    gold = Corpus.from_dict({str(i): {"ann": [2, 2]} for i in range(10)})
    mine = Corpus.from_dict({str(i): {"mine": [2, 2] if i % 2 else [4]} for i in range(10)})
    interval = evaluate(gold, mine, ["B"], n_resamples=5000, rng=0)["B"].interval
    assert interval.standard_error == pytest.approx(math.sqrt(0.25 / 10), rel=0.05)
    assert 0.0 <= interval.low <= 0.2
    assert 0.8 <= interval.high <= 1.0


def test_seeds():
    gold, mine = many(8, seed=3)
    one, same, other = (evaluate(gold, mine, rng=seed) for seed in (1, 1, 2))
    assert one.to_dict() == same.to_dict()
    assert one["B"].interval != other["B"].interval
    assert [float(s.micro) for s in one.summaries] == [float(s.micro) for s in other.summaries]
    assert [s.se for s in one.summaries] == [s.se for s in other.summaries]


# -------------------------------------------------------------------- errors


def test_a_missing_document_is_named_and_counted():
    with pytest.raises(CorpusError, match=r"mine lacks 1 \(b\) of the 2 reference documents"):
        evaluate(GOLD, MINE.select(documents=["a"]))


def test_many_missing_documents_are_cut_short():
    gold, mine = many(9, seed=4)
    with pytest.raises(CorpusError, match=r"lacks 8 \(d1, d2, d3 and 5 more\) of the 9"):
        evaluate(gold, mine.select(documents=["d0"]))


def test_an_extra_document_is_named():
    with pytest.raises(CorpusError, match=r"mine has 1 \(b\), which no reference coder has"):
        evaluate(GOLD.select(documents=["a"]), MINE)


def test_several_segmenters_are_judged_each_by_itself():
    """As if each were the only one, on the same draws."""
    gold, mine = many(12, seed=5)
    names = {"one": mine, "other": gold.select(coders=[gold.coders[0]])}
    renamed = [part.rename({part.coders[0]: name}) for name, part in names.items()]
    found = evaluate(gold, Corpus.merge(*renamed), ["B", "MultWD"], rng=3)
    assert found.segmenters == ("one", "other")
    for part, name in zip(renamed, names, strict=True):
        alone = evaluate(gold, part, ["B", "MultWD"], rng=3)
        for metric in ("B", "MultWD"):
            assert found[metric, name].micro == alone[metric].micro
            assert found[metric, name].interval == alone[metric].interval
            for average in ("macro", "se", "n"):
                assert getattr(found[metric, name], average) == getattr(alone[metric], average)
            assert found[metric, name].documents == alone[metric].documents
    with pytest.raises(CorpusError, match="2 segmenters; name one"):
        found["B"]
    with pytest.raises(UnknownNameError, match="did you mean 'other'"):
        found["B", "othr"]
    names = [column.name for column in found.to_table().columns]
    assert names[3:] == ["one B", "one MultWD", "other B", "other MultWD"]


def test_every_segmenter_needs_every_document():
    with pytest.raises(CorpusError, match=r"segmenter bob lacks 1 \(b\) of the 2"):
        evaluate(MINE, GOLD)


def test_no_hypothesis_coder():
    with pytest.raises(CorpusError, match="the hypothesis has no annotations"):
        evaluate(GOLD, Corpus.from_dict({}))


def test_means_say_what_they_are_over():
    """MultWD has a value for each document, B for each coding."""
    gold = Corpus.from_dict({f"d{i}": {c: [2, 3, 6] for c in ("ann", "bob", "cy")} for i in range(5)})
    mine = Corpus.from_dict({f"d{i}": {"mine": [2, 9]} for i in range(5)})
    (note, *_) = [n.text for n in evaluate(gold, mine, ["MultWD", "B"], rng=0).notes if n.kind == "reading"]
    assert "macro is the mean over 5 documents (MultWD) and 15 codings (B)" in note


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("rng", -1),
        ("rng", 1.5),
        ("n_resamples", 10.5),
        ("n_resamples", -1),
        ("confidence", 1.0),
        ("confidence", 0),
    ],
)
def test_wrong_numbers_are_refused_in_one_line(name, wrong):
    with pytest.raises(ParameterError, match=rf"^{name} is {wrong}: expected [^\n]*$"):
        evaluate(GOLD, MINE, **{name: wrong})


def test_many_documents_are_checked_once(monkeypatch):
    """The check of documents was made anew for each document: 50,000 of them took two minutes."""
    calls = []
    find = pairs._rows_of
    monkeypatch.setattr(pairs, "_rows_of", lambda *a: calls.append(1) or find(*a))
    evaluate(*many(30, seed=1), ["B"], n_resamples=0)
    assert len(calls) == 1


def test_no_reference_documents():
    with pytest.raises(CorpusError, match="no annotations"):
        evaluate(Corpus.from_dict({}), MINE)


def test_other_lengths_say_both():
    other = Corpus.from_dict({"a": {"mine": [2, 2, 8]}, "b": {"mine": [4, 4]}})
    with pytest.raises(ComparisonError, match=r"document a.*mine.*12 units.*11"):
        evaluate(GOLD, other)


@pytest.mark.parametrize("metrics", ["B", "WD", [], ()])
def test_metrics_must_be_a_list(metrics):
    with pytest.raises(ParameterError, match="list of at least one"):
        evaluate(GOLD, MINE, metrics)


def test_unknown_metric():
    with pytest.raises(UnknownNameError, match="WE"):
        evaluate(GOLD, MINE, ["WE"])


def test_bad_numbers():
    with pytest.raises(ParameterError, match="confidence"):
        evaluate(GOLD, MINE, confidence=1.5)
    with pytest.raises(ParameterError, match="n_resamples"):
        evaluate(GOLD, MINE, n_resamples=-1)


def test_a_metric_that_was_not_asked_for():
    with pytest.raises(UnknownNameError, match="unknown metric 'WD'; known: B"):
        evaluate(GOLD, MINE, ["B"], rng=0)["WD"]


# -------------------------------------------------------------------- tables


def test_rows_and_totals_of_the_table():
    table = evaluate(GOLD, MINE, ["B", "WD"], rng=0).to_table()
    assert [column.name for column in table.columns] == ["document", "units", "references", "B", "WD"]
    assert table.rows[0] == ["a", 11, 2, pytest.approx(0.5), pytest.approx(5 / 17)]
    assert table.rows[1] == ["b", 8, 1, 1.0, 0.0]
    totals = {str(row[0]).strip(): row[1:] for row in table.totals}
    assert totals["micro"] == [19, 3, pytest.approx(0.6), pytest.approx(5 / 23)]
    assert totals["macro"] == [19, 3, pytest.approx(2 / 3), pytest.approx((2 / 9 + 3 / 8) / 3)]
    assert {"SE", "low 95 %", "high 95 %"} <= set(totals)


def test_notes_name_the_signature():
    verdict, means, *notes = [note.text for note in evaluate(GOLD, MINE, ["B", "WD"], rng=0).notes]
    assert verdict.startswith("mine scores B 0.60")
    assert notes[-2].startswith("B|n_t=2|")
    assert notes[-1].startswith("WD|k=")
    assert "3 codings" in means


def test_the_note_on_a_mean_over_documents_does_not_speak_of_codings():
    assert "2 codings" not in evaluate(GOLD, MINE, ["MultWD"], rng=0).notes[1].text


@pytest.mark.parametrize("format", ["text", "json", "csv", "markdown", "latex"])
def test_every_format(format):
    name = "a_b & <script>"
    gold = Corpus.from_dict({name: {"ann": [2, 2]}, "two": {"ann": [3, 3]}})
    mine = Corpus.from_dict({name: {"mine": [2, 2]}, "two": {"mine": [6]}})
    text = evaluate(gold, mine, rng=0).to_table().render(format)
    assert "micro" in text
    if format == "latex":
        assert r"a\_b \& \textless{}script\textgreater{}" in text
    if format in ("latex", "markdown"):
        assert "<script>" not in text
    if format == "json":
        assert json.loads(text)["rows"][0]["document"] == name
    if format == "csv":
        assert next(csv.DictReader(io.StringIO(text)))["document"] == name


def test_html_is_escaped():
    gold = Corpus.from_dict({"<script>": {"ann": [2, 2]}})
    mine = Corpus.from_dict({"<script>": {"mine": [2, 2]}})
    assert "<script>" not in evaluate(gold, mine, rng=0)._repr_html_()


def test_plain_data_and_frame():
    found = evaluate(GOLD, MINE, ["B"], rng=0)
    data = found.to_dict()
    assert data["documents"][0] == {"document": "a", "units": 11, "references": 2, "B": pytest.approx(0.5)}
    assert data["metrics"]["B"]["micro"] == pytest.approx(0.6)
    assert data["metrics"]["B"]["n"] == 3
    json.dumps(data)
    assert found.to_frame()["B"].tolist() == pytest.approx([0.5, 1.0])
    assert repr(found) == "<Evaluation on 2 documents: B 0.6000>"


# -------------------------------------------------------------------- windows over words

SENTENCES = {
    "d": [
        "one two three",
        "four",
        "five six",
        "seven",
        "eight nine ten eleven",
        "twelve",
        "on and on",
        "end",
    ],
    "e": ["a b", "c", "d e f", "g"],
}
RANKED = {
    "d": {"ann": Hierarchy.from_ranks({3: 1, 5: 2}, 8)},
    "e": {"ann": Hierarchy.from_ranks({2: 1}, 4)},
}
TRIED = {
    "d": {"x": Hierarchy.from_ranks({2: 1, 6: 2}, 8)},
    "e": {"x": Hierarchy.from_ranks({1: 1}, 4)},
}


@pytest.mark.parametrize("kind", ["EPk", "EWD"])
def test_unit_sizes_of_a_corpus_are_those_of_its_documents(kind):
    """As hierarchical_pk and hierarchical_window_diff of each document with its own sizes, pooled."""
    words = {name: [len(text.split()) for text in texts] for name, texts in SENTENCES.items()}
    gold, tried = Corpus.from_dict(RANKED, units=SENTENCES), Corpus.from_dict(TRIED)
    function = {"EPk": cs.hierarchical_pk, "EWD": cs.hierarchical_window_diff}[kind]
    singles = [
        function(RANKED[name]["ann"], TRIED[name]["x"], unit_sizes=words[name]).score.counts for name in words
    ]
    expected = sum(errors for errors, _ in singles) / sum(n for _, n in singles)
    for sizes in (words, "words"):
        found = evaluate(gold, tried, [kind], unit_sizes=sizes, n_resamples=0)
        assert float(found.summaries[0].micro) == pytest.approx(expected, abs=1e-12)
    plain = evaluate(gold, tried, [kind], n_resamples=0).summaries[0].micro
    sized = found.summaries[0].micro
    assert plain.signature != sized.signature
    assert "unit_sizes=2 documents, 12 units, 23 in all" in sized.signature
    with pytest.raises(ParameterError, match="signatures differ"):
        plain + sized


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ({"d": [1] * 8}, "lacks 1 of the documents, such as 'e'"),
        ({"d": [1] * 8, "e": [1, 2]}, r"unit_sizes\['e'\] has 2 sizes where the document has 4 units"),
        ({"d": [1] * 8, "e": [1, 0, 1, 1]}, r"unit_sizes.*is 0"),
        ("letters", "expected 'words'"),
        ([1, 2], "expected 'words', 'characters', or lists"),
    ],
)
def test_wrong_unit_sizes_are_refused(sizes, message):
    gold, tried = Corpus.from_dict(RANKED), Corpus.from_dict(TRIED)
    with pytest.raises(ParameterError, match=message):
        evaluate(gold, tried, ["EWD"], unit_sizes=sizes, n_resamples=0)
    with pytest.raises(ParameterError, match="no texts"):
        evaluate(gold, tried, ["EWD"], unit_sizes="words", n_resamples=0)
    with pytest.raises(ParameterError, match="with a window: Pk, WD, MultWD, EPk or EWD"):
        evaluate(gold, tried, ["B"], unit_sizes={"d": [1] * 8, "e": [1] * 4}, n_resamples=0)


def test_nominal_types_are_no_ranks():
    """As Corpus.as_hierarchies says, too; once E_WD read them as ranks."""
    scheme = TypeScheme({1: "topic", 2: "aside"}, nominal=True)
    coding = Segmentation.from_positions([2, 5], 8, [1, 2])
    gold = Corpus.from_dict({"d": {"ann": coding}}, type_scheme=scheme)
    mine = Corpus.from_dict({"d": {"x": coding}}, type_scheme=scheme)
    for metric in ("EPk", "EWD"):
        with pytest.raises(ParameterError, match="declares them as nominal"):
            evaluate(gold, mine, [metric], n_resamples=0)


def test_many_segmenters_have_a_row_each_and_the_best_stands_first():
    gold = cs.Corpus.from_dict({"a": {"gold": [2, 3, 6]}, "b": {"gold": [4, 4]}})
    near = cs.Corpus.from_dict(
        {
            "a": {"near": [2, 2, 7], "same": [2, 3, 6], "none": [11]},
            "b": {"near": [4, 4], "same": [4, 4], "none": [8]},
        }
    )
    table = cs.evaluate(gold, near, ["WD", "B"], n_resamples=0).to_table("segmenters")
    assert [row[0] for row in table.rows] == ["same", "near", "none"]
    # By hand: near has 2 of 9 and 0 of 6 windows wrong, and 1 + 1/2 + 1 of 3 pairs right.
    assert table.rows[1][1] == pytest.approx(2 / 15)
    assert table.rows[1][4] == pytest.approx(2.5 / 3)
    assert [column.name for column in table.columns][:2] == ["segmenter", "WD"]


RANKS_OF_GOLD = {2: 1, 4: 2, 7: 3, 9: 2}


def gold_with_ranks() -> tuple[Corpus, Corpus]:
    """Gold with ranks, and a segmenter without that cuts at every boundary of gold."""
    documents = ["a", "b", "c"]
    gold = {name: {"gold": cs.Hierarchy.from_ranks(RANKS_OF_GOLD, n_units=12)} for name in documents}
    flat = Segmentation.from_positions(list(RANKS_OF_GOLD), n_units=12)
    return Corpus.from_dict(gold), Corpus.from_dict({name: {"mine": flat} for name in documents})


NOTE = "Compared without boundary types and ranks, because {} has none; types=True keeps them."


@pytest.mark.parametrize("turned", [False, True])
def test_ranks_of_one_side_alone_are_not_compared(turned: bool) -> None:
    gold, mine = gold_with_ranks()
    sides = (mine, gold) if turned else (gold, mine)
    evaluation = evaluate(*sides, ["B", "BP", "BR", "S", "WD"], n_resamples=9, rng=0)
    values = {repr(one.requested): float(one.micro) for one in evaluation.summaries}
    assert values == {"B": 1.0, "BP": 1.0, "BR": 1.0, "S": 1.0, "WD": 0.0}
    assert NOTE.format("mine") in evaluation.caveats
    assert "|types=none|" in evaluation["B"].micro.signature
    # By hand: of 4 boundaries one has the right rank, two are off by 1 of 3 ranks, one by 2.
    kept = evaluate(*sides, ["B", "BP"], types=True, n_resamples=9, rng=0)
    assert float(kept["B"].micro) == pytest.approx((1 + 2 * 2 / 3 + 1 / 3) / 4)
    assert float(kept["BP"].micro) == 0.25
    assert not [text for text in kept.caveats if "types" in text]
    # Both sides with ranks: compared with them, unless somebody says otherwise.
    both = evaluate(gold, gold.rename(coders={"gold": "own"}), ["B"], n_resamples=9, rng=0)
    assert "types=1,2,3" in both["B"].micro.signature
    without = evaluate(gold, gold.rename(coders={"gold": "own"}), ["B"], types=False, n_resamples=9, rng=0)
    assert "types=none" in without["B"].micro.signature


def test_one_flat_segmenter_among_ranked_ones_has_all_judged_without_ranks() -> None:
    gold, mine = gold_with_ranks()
    both = mine.merge(gold.rename(coders={"gold": "ranked"}))
    evaluation = evaluate(gold, both, ["B", "EPk"], n_resamples=9, rng=0)
    assert [float(one.micro) for one in evaluation.summaries if one.requested.name == "B"] == [1.0, 1.0]
    assert NOTE.format("mine") in evaluation.caveats
    errors = [float(one.micro) for one in evaluation.summaries if one.requested.name == "EPk"]
    assert errors[0] > errors[1] == 0  # E_Pk looks at ranks in any case
