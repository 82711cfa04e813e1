"""sweep(). Source of truth: from_scores and evaluate one threshold after the other, and loops over folds."""

from __future__ import annotations

import json
import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caesura import Corpus, Segmentation, Units, evaluate, segmenter, sweep
from caesura.analyses.thresholds import MOST_CUTS
from caesura.errors import CorpusError, ParameterError
from caesura.io.saved_files import read_scores


def made(
    n_documents: int, seed: int, *, noise: float = 0.3, coders: int = 2
) -> tuple[Corpus, dict[str, list[float]]]:
    """Documents in which scores are higher at boundaries, by coders who agree but for a few."""
    rng = np.random.default_rng(seed)
    codings, scores = {}, {}
    for number in range(n_documents):
        n = int(rng.integers(8, 30))
        truth = rng.random(n - 1) < 0.25
        scores[f"d{number}"] = (truth * 0.5 + noise * rng.normal(size=n - 1)).round(3).tolist()
        codings[f"d{number}"] = {
            f"c{coder}": Segmentation.from_positions(
                (np.flatnonzero(truth ^ (rng.random(n - 1) < 0.05)) + 1).tolist(), n
            )
            for coder in range(coders)
        }
    return Corpus.from_dict(codings), scores


def value_at(gold: Corpus, scores: dict[str, list[float]], metric: str, **cut: float) -> float:
    """Cut each document by itself, and pool them."""
    parts = {
        name: {"model": Segmentation.from_scores(own, **_within(cut, len(own) + 1))}
        for name, own in scores.items()
    }
    return float(evaluate(gold, Corpus.from_dict(parts), [metric], n_resamples=0)[metric].micro)


def _within(cut: dict[str, float], n_units: int) -> dict[str, float]:
    return {"n_segments": min(cut["n_segments"], n_units)} if "n_segments" in cut else cut


@pytest.mark.parametrize("metric", ["B", "F", "WD", "Pk", "MultWD", "BF(n_t=3)", "Density"])
def test_the_curve_is_what_evaluate_says_of_each_threshold(metric):
    gold, scores = made(4, 1)
    found = sweep(gold, scores, metric, rng=1)
    assert [point.cut for point in found.curve] == sorted(
        {s for own in scores.values() for s in own}, reverse=True
    )
    for point in found.curve[::7]:
        assert point.value == pytest.approx(value_at(gold, scores, metric, threshold=point.cut))
        assert point.boundaries == sum(sum(s >= point.cut for s in own) for own in scores.values())
    values = [point.value for point in found.curve]
    ideal = 0 if metric in ("WD", "Pk", "MultWD") else 1  # of Density: as many boundaries as in references
    best = min(values, key=lambda value: abs(value - ideal))
    assert found.best.value == pytest.approx(best)
    assert value_at(gold, scores, metric, threshold=found.best.threshold) == pytest.approx(best)


def test_numbers_of_segments():
    gold, scores = made(4, 2)
    found = sweep(gold, scores, "B", over="segments", rng=1)
    assert [point.cut for point in found.curve] == list(range(1, max(len(s) for s in scores.values()) + 2))
    for point in found.curve:
        assert point.value == pytest.approx(value_at(gold, scores, "B", n_segments=int(point.cut)))
    assert found.best.threshold is None
    assert found.best.value == max(point.value for point in found.curve)


@pytest.mark.exhaustive
@pytest.mark.parametrize("metric", ["B", "WD", "Density"])
@pytest.mark.parametrize("n_documents", [2, 5, 23])
def test_held_out_documents_are_cut_as_the_others_say(metric, n_documents):
    gold, scores = made(n_documents, 3)
    found = sweep(gold, scores, metric, rng=5)
    cuts = [point.cut for point in found.curve]
    n_folds = min(10, n_documents)
    folds = np.array_split(np.random.default_rng(5).permutation(n_documents), n_folds)
    names = list(scores)
    parts, chosen = {}, []
    for fold in folds:
        train = [name for i, name in enumerate(names) if i not in fold]
        ours = {name: scores[name] for name in train}
        values = [value_at(gold.select(documents=train), ours, metric, threshold=cut) for cut in cuts]
        distances = [abs(value - (0 if metric == "WD" else 1)) for value in values]
        best = min(distances)
        first = next(i for i, distance in enumerate(distances) if distance - best < 1e-9)
        run = first
        while run + 1 < len(values) and distances[run + 1] - best < 1e-9:
            run += 1
        chosen.append(cuts[(first + run) // 2])
        for i in fold:
            parts[names[i]] = {"m": Segmentation.from_scores(scores[names[i]], threshold=chosen[-1])}
    assert list(found.chosen) == chosen
    expected = evaluate(
        gold, Corpus.from_dict({name: parts[name] for name in names}), [metric], n_resamples=0
    )
    assert found.best.held_out == pytest.approx(float(expected[metric].micro))


@settings(max_examples=20)
@given(st.integers(0, 1000))
def test_same_seed_same_result(seed):
    gold, scores = made(6, seed)
    one, other = (sweep(gold, scores, "B", rng=seed) for _ in range(2))
    assert one.to_dict() == other.to_dict()


@pytest.mark.exhaustive
def test_held_out_values_are_honest_and_chosen_ones_too_good():
    """On many new documents the chosen threshold gets what held-out documents said, less than it seemed."""
    seemed, held, real = [], [], []
    for seed in range(60):
        gold, scores = made(8, seed, noise=0.6, coders=1)
        found = sweep(gold, scores, "B", rng=seed)
        new, new_scores = made(60, 10_000 + seed, noise=0.6, coders=1)
        seemed.append(found.best.value)
        held.append(found.best.held_out)
        real.append(value_at(new, new_scores, "B", threshold=found.best.threshold))
    assert np.mean(seemed) > np.mean(real) + 0.01
    assert abs(np.mean(held) - np.mean(real)) < 0.02


def test_scores_of_unit_starts_and_ends():
    gold = Corpus.from_dict({"d": {"ann": [2, 3]}, "e": {"ann": [1, 2]}})
    gaps = {"d": [0.1, 0.9, 0.2, 0.3], "e": [0.8, 0.1]}
    plain = sweep(gold, gaps, rng=0)
    starts = {name: [1.0, *own] for name, own in gaps.items()}
    ends = {name: [*own, 1.0] for name, own in gaps.items()}
    assert sweep(gold, starts, rng=0).curve == plain.curve
    assert sweep(gold, starts, at="starts", rng=0).curve == plain.curve
    assert sweep(gold, ends, at="ends", rng=0).curve == plain.curve
    assert (
        sweep(gold, {name: np.array(own, dtype=np.float32) for name, own in starts.items()}, rng=0).best.value
        == 1
    )


def test_many_thresholds_are_thinned_where_boundaries_are_many():
    rng = np.random.default_rng(0)
    scores = {"d": rng.random(5000).tolist(), "e": rng.random(3000).tolist()}
    gold = Corpus.from_dict({name: {"ann": [10] * ((len(own) + 1) // 10) + [1] * ((len(own) + 1) % 10)}
                             for name, own in scores.items()})  # fmt: skip
    found = sweep(gold, scores, rng=0)
    assert found.n_cuts == 8000
    assert len(found.curve) <= MOST_CUTS
    assert [point.boundaries for point in found.curve[:8]] == list(range(1, 9))
    assert max(b.boundaries - a.boundaries for a, b in pairwise(found.curve)) <= 8000 / 99 + 1
    assert found.curve[-1].boundaries == 8000


def test_one_document_has_nothing_to_hold_out():
    found = sweep(Corpus.from_dict({"d": {"ann": [2, 3]}}), {"d": [0, 1, 0, 0]})
    assert (found.best.threshold, found.best.value) == (1.0, 1.0)
    assert math.isnan(found.best.held_out)
    assert "nothing is held out" in found.caveats[0]


def test_scores_of_segmenters_plug_in():
    texts = {"d": ["cats purr", "cats nap", "cats eat", "ships sail", "ships sink", "ships dock"]}
    gold = Corpus.from_dict({"d": {"ann": [3, 3]}}, units=texts)
    tiling = segmenter("TextTiling(w=2, k=2)")
    found = sweep(gold, {name: tiling.scores(units) for name, units in gold.units.items()})
    assert found.gaps == 5


def test_durations_and_words():
    gold = Corpus.from_dict({"d": {"ann": [5, 15]}, "e": {"ann": [10, 10]}})
    grid = gold.with_spans({name: Units.every(0.5, end=10, axis="seconds") for name in ("d", "e")})
    scores = {"d": [0.0] * 6 + [1.0] + [0.0] * 12, "e": [0.0] * 9 + [1.0] + [0.0] * 9}
    assert sweep(grid, scores, "B(n_t='2s')").best.value == pytest.approx((0.5 + 1) / 2)
    found = sweep(gold, scores, "B(n_t=4)")
    assert found.findings == (
        "The best threshold is 1: B 0.750 where it was chosen, 0.750 by cross-validation (2 folds of 2 "
        "documents).",
    )
    assert found.to_frame(part="curve").columns.tolist() == ["threshold", "B", "boundaries"]


GOLD = Corpus.from_dict({"d": {"ann": [2, 3]}, "e": {"ann": [1, 2]}})


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        ({"d": [0.1] * 4}, "no scores for e of 2 documents"),
        ({"d": [0.1] * 4, "e": [0.1] * 2, "f": []}, "scores: unknown document 'f'"),
        ({"d": [0.1] * 3, "e": [0.1] * 2},
         "document d: 3 scores for 5 units: expected 4 (gaps) or 5 (units)"),
        ({"d": [0.1, math.nan, 1, 1], "e": [0.1] * 2}, "document d: scores[1] is nan: expected a number"),
        ({"d": [0.1, 0, math.inf, 1], "e": [0.1] * 2}, "document d: scores[2] is inf"),
        ({"d": [-100, 0, 1, 1, 0], "e": [0.1] * 2}, "document d: scores[0] is -100 (ignored"),
        ({"d": [[0.1, 0.9]] * 4, "e": [0.1] * 2}, "document d: the scores have 2 dimensions"),
        ({"d": ["x"] * 4, "e": [0.1] * 2}, "document d: the scores are not a list of numbers"),
        ({"d": None, "e": [0.1] * 2}, "document d:"),
        ([0.1], "scores are list: expected {document: scores}"),
    ],
)  # fmt: skip
def test_wrong_scores_are_named(scores, message):
    with pytest.raises(CorpusError) as error:
        sweep(GOLD, scores)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_wrong_choices_are_named():
    scores = {"d": [0.1] * 4, "e": [0.1] * 2}
    with pytest.raises(ParameterError, match="over"):
        sweep(GOLD, scores, over="cuts")
    with pytest.raises(CorpusError, match=r"4 scores for 5 units: expected 5 \(starts\)"):
        sweep(GOLD, scores, at="starts")
    with pytest.raises(CorpusError, match="one unit long"):
        sweep(Corpus.from_dict({"d": {"ann": [1]}}), {"d": []})
    with pytest.raises(CorpusError, match="no annotations"):
        sweep(Corpus.from_dict({}), {})


# -------------------------------------------------------------------- files of scores


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("s.json", '{"d": [0.1, 1], "e": []}'),
        (
            "s.jsonl",
            '{"document": "d", "scores": [0.1, 1], "model": "x"}\n\n{"document": "e", "scores": []}\n',
        ),
    ],
)
def test_files_of_scores(tmp_path, name, content):
    (tmp_path / name).write_text(content, encoding="utf-8-sig")
    assert read_scores(tmp_path / name) == {"d": [0.1, 1], "e": []}


def test_nan_in_a_file_is_named_by_what_takes_it(tmp_path):
    (tmp_path / "s.json").write_text(json.dumps({"d": [0.1, math.nan, 0, 0], "e": [0, 0]}), encoding="utf-8")
    with pytest.raises(CorpusError, match=r"document d: scores\[1\] is nan"):
        sweep(GOLD, read_scores(tmp_path / "s.json"))


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("s.json", "[0.1]", "s.json: there is [0.1]: expected {document: [scores]}"),
        ("s.json", '{"d": [0.1', "s.json: not valid JSON"),
        ("s.json", '{"d": 0.1}', "document d: scores is 0.1: expected a list of numbers"),
        ("s.json", '{"d": [0.1, "x"]}', "document d: scores[1] is 'x': expected a number"),
        ("s.json", '{"d": [0.1, true]}', "document d: scores[1] is True"),
        ("s.jsonl", "{", "line 1: not valid JSON: '{'"),
        ("s.jsonl", '{"scores": []}', 'line 1: expected {"document": …, "scores": […]}'),
        ("s.jsonl", '{"document": "d", "scores": []}\n' * 2, "line 2: document d has scores already"),
    ],
)
def test_files_that_hold_no_scores(tmp_path, name, content, message):
    (tmp_path / name).write_text(content, encoding="utf-8")
    with pytest.raises(CorpusError) as error:
        read_scores(tmp_path / name)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("over", ["threshold", "segments"])
def test_pevzner_hearst_2002_precision_and_recall_at_each_cut(over):
    """By a loop over the gaps; the area is that of scikit-learn for thresholds: each gap is an example."""
    from sklearn.metrics import average_precision_score

    rng = np.random.default_rng(3)
    gold = Corpus.from_dict(
        {
            name: {"ann": Segmentation.from_gaps((rng.random(14) < 0.3).astype(int).tolist())}
            for name in "abcd"
        }
    )
    scores = {name: rng.random(14).round(1).tolist() for name in "abcd"}
    result = sweep(gold, scores, "B", over=over, rng=0)
    assert [point.cut for point in result.precision_recall] == [point.cut for point in result.curve]
    for point in result.precision_recall:
        hits = marked = true = 0
        for name in "abcd":
            order = sorted(range(14), key=lambda gap: (-scores[name][gap], gap))
            chosen = {
                gap + 1
                for rank, gap in enumerate(order)
                if (scores[name][gap] >= point.cut if over == "threshold" else rank < point.cut - 1)
            }
            places = set(gold[name, "ann"].positions)
            hits, marked, true = hits + len(chosen & places), marked + len(chosen), true + len(places)
        assert point.recall == pytest.approx(hits / true)
        assert point.precision == pytest.approx(hits / marked if marked else 0.0)
    if over == "threshold":
        labels = [gap + 1 in gold[name, "ann"].positions for name in "abcd" for gap in range(14)]
        every = [score for name in "abcd" for score in scores[name]]
        assert result.average_precision == pytest.approx(average_precision_score(labels, every))
    assert len(result.to_table("precision_recall").rows) == len(result.curve)
    assert result.to_dict()["precision_recall"][0]["cut"] == result.curve[0].cut
