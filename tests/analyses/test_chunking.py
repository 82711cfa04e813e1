"""evaluate_chunks, against loops over characters and published values of a speech; and bad input."""

import json
import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.real_data import REPOSITORY, data_path

import caesura as cs

TEXT = "The rain fell. The sun shone. The snow lay."
TEXTS = {"d": TEXT}
FILES = [
    "langchain_400_0.jsonl",
    "chonkie_recursive.jsonl",
    "strings_800_200.json",
    "llamaindex.json",
    "rust.json",
]


# ------------------------------------------------------------------------ the data


@pytest.fixture(scope="module")
def speech():
    folder = data_path("retrieval")
    texts = {"state_of_the_union": (folder / "state_of_the_union.md").read_text(encoding="utf-8")}
    chunks = {name: cs.read_chunks(folder / f"state_of_the_union.{name}", texts) for name in FILES}
    return texts, chunks, json.loads((folder / "values.json").read_text()), folder / "questions.csv"


def test_the_speech_has_the_values_that_were_computed_by_definition(speech):
    texts, chunks, values, questions = speech
    ranking = {name: values[name]["ranking"] for name in FILES}
    result = cs.evaluate_chunks(texts, chunks, questions=questions, ranking=ranking, n_resamples=0)
    names = {"recall": "recall_at_5", "precision": "precision_at_5", "iou": "iou_at_5"}
    for name, key in product(
        FILES, ["n_chunks", "precision_omega", "recall_omega", "redundancy", "coverage", *names]
    ):
        assert getattr(result[name], key) == pytest.approx(values[name][names.get(key, key)], abs=5.01e-7)


def test_the_speech_has_the_values_that_chromas_public_code_prints(speech):
    texts, chunks, values, questions = speech
    result = cs.evaluate_chunks(texts, chunks, questions=questions, as_in="chroma", n_resamples=0)
    for name in FILES:
        published = values[name]["precision_omega_as_in_chroma"]
        assert result[name].precision_omega == pytest.approx(published, abs=5.01e-7)


ROWS = {
    "LangChain, 400 characters": "langchain_400_0.jsonl",
    "Chonkie, recursive, 500": "chonkie_recursive.jsonl",
    "semantic-text-splitter": "rust.json",
    "LangChain, 800 with overlap 200": "strings_800_200.json",
    "LlamaIndex, sentences": "llamaindex.json",
}
"""The rows of the table in docs/how-to/chunking.md."""


def test_the_table_in_the_documentation_is_computed(speech):
    texts, chunks, _, questions = speech
    page = (REPOSITORY / "docs" / "how-to" / "chunking.md").read_text(encoding="utf-8")
    ours, theirs = (
        cs.evaluate_chunks(texts, chunks, questions=questions, as_in=as_in, n_resamples=0)
        for as_in in (None, "chroma")
    )
    for title, name in ROWS.items():
        values = ours[name].precision_omega, theirs[name].precision_omega
        row = f"| {title} | {ours[name].n_chunks} | {values[0]:.3f} | {values[1]:.3f} |"
        assert row in page


def test_the_best_of_the_speech_is_shown_to_be_better(speech):
    texts, chunks, _, questions = speech
    result = cs.evaluate_chunks(texts, chunks, questions=questions, rng=0)
    best = result["langchain_400_0.jsonl"]
    assert best.probability_best == 1
    low, high = best.intervals["precision_omega"]
    assert low < best.precision_omega < high
    assert "langchain_400_0.jsonl is better than chonkie_recursive.jsonl" in result.findings[0]
    assert "by question" in result.report.procedure


# ------------------------------------------------------------------------ loops over characters


def characters(spans):
    return {(document, i) for document, start, end in spans for i in range(start, end)}


def naive(evidence, chunks, given, *, touch, tokens):
    """SPEC §16, character by character; ``tokens`` are the first characters of tokens, or all characters."""
    wanted = characters(evidence) & tokens
    meets = [
        chunk
        for chunk in chunks
        if any(
            chunk[0] == piece[0] and (chunk[1] <= piece[2] and chunk[2] >= piece[1] if touch else
                                      chunk[1] < piece[2] and chunk[2] > piece[1])
            for piece in evidence
        )
    ]  # fmt: skip
    best = characters(meets) & tokens
    total = sum(len(characters([chunk]) & tokens) for chunk in given)
    union = characters(given) & tokens
    return {
        "precision_omega": len(wanted & best) / len(best | wanted),
        "recall_omega": len(wanted & best) / len(wanted),
        "recall": len(wanted & union) / len(wanted),
        "precision": len(wanted & union) / total if total else 0,
        "iou": len(wanted & union) / (total + len(wanted - union)),
    }


def spans_in(length):
    return st.tuples(st.integers(0, length - 1), st.integers(1, length)).map(
        lambda pair: (min(pair[0], pair[1] - 1), max(pair[0] + 1, pair[1]))
    )


DOCUMENTS = {"a": "ab cd ef gh", "b": "i jk l mno"}


@settings(max_examples=2 * settings.default.max_examples)
@given(st.data(), st.booleans(), st.booleans())
def test_values_are_those_of_loops_over_characters(data, touch, in_tokens):
    spans = {name: sorted(data.draw(st.lists(spans_in(len(text)), min_size=1, max_size=4)))
             for name, text in DOCUMENTS.items()}  # fmt: skip
    chunks = cs.Chunks.from_spans(spans, DOCUMENTS)
    every = [(name, *span) for name in DOCUMENTS for span in chunks[name]]
    evidence, ranking = [], []
    for _ in range(2):
        pieces = []
        for name in data.draw(st.lists(st.sampled_from(["a", "b"]), min_size=1, max_size=3)):
            start, end = data.draw(spans_in(len(DOCUMENTS[name])))
            pieces.append((name, start if in_tokens is False else 0, end))
        evidence.append(pieces)
        ranking.append(data.draw(st.lists(st.sampled_from(range(len(every))), max_size=3)))
    budget = data.draw(st.none() | st.integers(1, 12))
    words = cs.Units.from_text
    tokenizer = (lambda text: words(text, by="word").spans) if in_tokens else None
    tokens = {
        (name, int(start))
        for name, text in DOCUMENTS.items()
        for start in (cs.Units.from_text(text, by="word").starts if in_tokens else range(len(text)))
    }
    numbers = [(name, i) for name in DOCUMENTS for i in range(len(chunks[name]))]
    result = cs.evaluate_chunks(
        DOCUMENTS,
        {"x": chunks},
        questions=[{"question": "?", "evidence": [{"document": d, "start": a, "end": b} for d, a, b in own]}
                   for own in evidence],
        ranking={"x": [[numbers[i] for i in own] for own in ranking]},
        budget=budget,
        tokenizer=tokenizer,
        as_in="chroma" if touch else None,
        n_resamples=0,
    )  # fmt: skip
    expected = []
    for own, pieces in zip(ranking, evidence, strict=True):
        given_chunks, used = [], 0
        for number in own:
            used += len(characters([every[number]]) & tokens)
            if budget is not None and used > budget:
                break
            given_chunks.append(every[number])
        expected.append(naive(pieces, every, given_chunks, touch=touch, tokens=tokens))
    for key in expected[0]:
        assert getattr(result["x"], key) == pytest.approx(np.mean([values[key] for values in expected]))
    covered = characters(every) & tokens
    total = sum(len(characters([chunk]) & tokens) for chunk in every)
    assert result["x"].coverage == pytest.approx(len(covered) / len(tokens))
    if covered:
        assert result["x"].redundancy == pytest.approx(total / len(covered) - 1)


@settings(max_examples=2 * settings.default.max_examples)
@given(st.lists(spans_in(43), min_size=1, max_size=5), st.lists(spans_in(43), min_size=1, max_size=5),
       st.integers(0, 4))  # fmt: skip
def test_blocks_are_those_of_loops_over_cuts_and_characters(spans, blocks, tolerance):
    chunks = cs.Chunks.from_spans({"d": spans}, TEXTS)
    result = cs.evaluate_chunks(TEXTS, {"x": chunks}, blocks={"d": blocks}, tolerance=tolerance)["x"]
    cuts = [start for start, _ in sorted(spans)][1:]
    whole = [not any(start + tolerance < cut < end - tolerance for cut in cuts) for start, end in blocks]
    assert result.block_integrity == pytest.approx(np.mean(whole))
    covering = 0
    for start, end in blocks:
        own = set(range(start, end))
        covering += len(own) * max(
            len(own & set(range(*span))) / len(own | set(range(*span))) for span in spans
        )
    assert result.covering == pytest.approx(covering / sum(end - start for start, end in blocks))


# ------------------------------------------------------------------------ by hand


FINE = cs.Chunks.from_spans({"d": [(0, 15), (15, 30), (30, 43)]}, TEXTS)
COARSE = cs.Chunks.from_spans({"d": [(0, 43)]}, TEXTS)
SHONE = [{"question": "What shone?", "evidence": [{"text": "The sun shone."}]}]


def test_sizes_are_in_characters_words_or_what_a_function_says():
    result = cs.evaluate_chunks(TEXTS, {"fine": FINE}, limits=(14, 15))["fine"]
    assert (result.n_chunks, result.sizes.mean, result.size_compliance) == (3, 43 / 3, 2 / 3)
    assert result.sizes.deviation == pytest.approx(np.std([15, 15, 13]))
    assert result.sizes.quantiles == {0: 13, 0.25: 14, 0.5: 15, 0.75: 15, 1: 15}
    in_words = cs.evaluate_chunks(TEXTS, {"fine": FINE}, limits=(3, 3), size="words")["fine"]
    assert in_words.size_compliance == 1
    in_vowels = cs.evaluate_chunks(TEXTS, {"fine": FINE}, size=lambda text: text.count("e"))["fine"]
    assert in_vowels.sizes.mean == pytest.approx((2 + 2 + 1) / 3)


def test_cohesion_and_coherence_of_vectors():
    """Of vectors that tell three words, by the definition of cosines."""

    def vectors(texts):
        return [[float(word in text) for word in ("rain", "sun", "snow")] for text in texts]

    chunks = cs.Chunks.from_spans({"d": [(0, 29), (30, 43)]}, TEXTS)
    result = cs.evaluate_chunks(TEXTS, {"x": chunks}, vectors=vectors)["x"]
    assert result.cohesion == pytest.approx(1 / math.sqrt(2))
    assert result.coherence == 0
    assert result.n_single_sentences == 1


def test_a_budget_gives_the_first_chunks_that_fit():
    ranking = {"fine": [[1, 0, 2]], "coarse": [[0]]}
    result = cs.evaluate_chunks(
        TEXTS, {"fine": FINE, "coarse": COARSE}, questions=SHONE, ranking=ranking, budget=40, n_resamples=0
    )
    assert (result["fine"].recall, result["fine"].precision) == (1, 14 / 30)
    assert (result["coarse"].recall, result["coarse"].precision, result["coarse"].iou) == (0, 0, 0)


def test_documents_are_resampled_where_there_are_ten():
    texts = {f"d{i}": TEXT for i in range(10)}
    chunks = cs.Chunks.from_spans({name: [(0, 43)] for name in texts}, texts)
    fine = cs.Chunks.from_spans({name: [(0, 20), (20, 43)] for name in texts}, texts)
    questions = [{"question": "?", "document": f"d{i}", "evidence": [[0, 4 + i]]} for i in range(10)] * 2
    many = cs.evaluate_chunks(texts, {"a": chunks, "b": fine}, questions=questions, rng=1)
    few = cs.evaluate_chunks(texts, {"a": chunks, "b": fine}, questions=questions[:5], rng=1)
    assert (many.resampled, few.resampled) == ("documents", "questions")
    low, high = many["a"].intervals["precision_omega"]
    assert low < np.mean([(4 + i) / 43 for i in range(10)]) < high
    assert len(many["a"].intervals) == 4
    assert many["b"].intervals["coverage"].low == 1
    assert many["b"].probability_best == 1


def test_a_seed_gives_the_same_and_data_is_plain():
    first, second = (
        cs.evaluate_chunks(TEXTS, {"a": FINE, "b": COARSE}, questions=SHONE * 3, rng=5) for _ in "ab"
    )
    assert json.dumps(first.to_dict()) == json.dumps(second.to_dict())
    assert first.to_dict()["chunkings"][0]["intervals"]["precision_omega"][0] == pytest.approx(14 / 15)


def test_all_tables_of_all_kinds_are_shown():
    with_questions = cs.evaluate_chunks(TEXTS, {"fine": FINE, "coarse": COARSE}, questions=SHONE, rng=0)
    without = cs.evaluate_chunks(TEXTS, {"fine": FINE}, limits=(1, 20), blocks={"d": [(0, 15)]})
    alone = cs.evaluate_chunks(TEXTS, {"fine": FINE}, questions=SHONE, rng=0)
    for result, part in product((with_questions, without, alone), ("main", "texts", "intervals", "tests")):
        assert "caesura" in str(result.to_table(part)) or part == "tests"
    assert "   fit   " in str(without)
    assert max(map(len, str(with_questions).splitlines()[:4])) <= 80


# ------------------------------------------------------------------------ questions


QUESTIONS = [{"question": "What shone?", "evidence": [{"start": 15, "end": 29, "text": "The sun shone."}]}]


def test_questions_are_read_from_json_and_csv(tmp_path):
    import csv

    pieces = json.dumps([{"content": "The sun shone.", "start_index": 15, "end_index": 29}])
    path = tmp_path / "q.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([["question", "references", "corpus_id"], ["What shone?", pieces, "d"]])
    (tmp_path / "q.json").write_text(json.dumps(QUESTIONS))
    (tmp_path / "q.jsonl").write_text(json.dumps({**QUESTIONS[0], "document": "d"}) + "\n")
    for questions in (path, str(tmp_path / "q.json"), tmp_path / "q.jsonl", QUESTIONS):
        result = cs.evaluate_chunks(TEXTS, {"fine": FINE}, questions=questions, n_resamples=0)
        assert result["fine"].precision_omega == pytest.approx(14 / 15)


DEEP = "question,references\n?," + "[" * 100_000


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("q.csv", "", "no questions given"),
        ("q.csv", "\n\n", "no questions given"),
        ("q.csv", "x,references\n?,[]\n", "no column 'question'; known: x and references"),
        ("q.csv", "question,references\n", "no questions given"),
        ("q.csv", "question,references\nWho?,nobody\n", "question 0: its references: not valid JSON"),
        ("q.csv", DEEP, "question 0: its references: not valid JSON: lists or objects are nested too deeply"),
        ("q.json", "", "not valid JSON"),
        (
            "q.json",
            '[{"question": "Who?", "evidence": [{"text": "rain"}, [3, 3]]}]',
            "question 0 (Who?): its",
        ),
    ],
)
def test_files_of_questions_are_refused_with_their_name(tmp_path, name, content, message):
    path = tmp_path / name
    path.write_text(content)
    with pytest.raises(cs.CorpusError) as refused:
        cs.evaluate_chunks(TEXTS, {"fine": FINE}, questions=path, n_resamples=0)
    assert str(refused.value).startswith(f"{path}: {message}")


def one(**changes):
    piece = {"start": 15, "end": 29, **changes.pop("piece", {})}
    return [*QUESTIONS, {"question": "And then?", "evidence": [piece], **changes}]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"questions": one(evidence=[])}, r"question 1 \(And then\?\): it has no evidence"),
        ({"questions": one(piece={"end": 15})}, r"question 1 \(And then\?\): its evidence is empty"),
        (
            {"questions": one(piece={"end": 99})},
            r"question 1 .*its evidence is not in the text: from 15",
        ),
        (
            {"questions": one(piece={"text": "The moon"})},
            r"'The moon' is not in the text there: 15 to 29",
        ),
        (
            {"questions": one(evidence=[{"text": "The moon"}])},
            r"'The moon' is not in the text; give",
        ),
        ({"questions": one(evidence=[{"text": "The"}])}, r"question 1 .*'The' is more than once in the text"),
        ({"questions": one(evidence=[{"start": "a", "end": 3}])}, r"question 1 .*expected start and end"),
        ({"questions": one(document="e")}, r"question 1 .*in document 'e', which has no text"),
        ({"questions": one(question=" ")}, r"question 1: it has no text"),
        ({"questions": [3]}, r"question 0: it has no evidence"),
        ({"questions": []}, r"no questions given"),
        ({"limits": 5}, r"limits are 5: expected \(least, greatest\)"),
        ({"limits": (1,)}, r"limits are \(1,\): expected \(least, greatest\)"),
        ({"blocks": 5}, r"blocks are 5: expected Chunks, a corpus, or spans by document"),
        (
            {"questions": SHONE, "ranking": {"fine": [[0]]}, "budget": "x"},
            r"budget is 'x': expected a number",
        ),
        ({"questions": 3}, r"questions is 3: expected a file, or a list of questions"),
        ({"questions": SHONE, "tokenizer": lambda text: []}, r"question 0 .*its evidence has no token"),
        ({"questions": SHONE, "tokenizer": lambda text: [3]}, r"tokenizer: expected a function"),
        (
            {"questions": SHONE, "tokenizer": lambda text: [(0, 3), (99, 100)]},
            r"a token starts outside",
        ),
        ({"questions": SHONE, "ranking": {"x": [[0]]}}, r"unknown chunking of the ranking 'x'"),
        ({"questions": SHONE, "ranking": [[0]]}, r"ranking is \[\[0\]\]: expected lists by the name"),
        ({"questions": SHONE, "ranking": "fine"}, r"ranking is 'fine': expected lists by the name"),
        ({"questions": SHONE, "ranking": {"fine": 3}}, r"ranking of fine is 3: expected a list for each"),
        ({"questions": SHONE, "ranking": {"fine": []}}, r"ranking of fine: 0 lists for 1 question"),
        ({"questions": SHONE, "ranking": {"fine": [[3]]}}, r"question 0 has \[3\]: expected chunks 0 to 2"),
        ({"questions": SHONE, "ranking": {"fine": [[-1]]}}, r"question 0 has \[-1\]: expected chunks 0 to 2"),
        ({"questions": SHONE, "ranking": {"fine": ["a"]}}, r"question 0 has 'a': expected chunks"),
        ({"questions": SHONE, "ranking": {"fine": [3]}}, r"question 0 has 3: expected chunks"),
        ({"questions": SHONE, "budget": 3}, r"budget needs ranking"),
        ({"budget": 3}, r"budget needs ranking"),
        ({"ranking": {}}, r"ranking needs questions"),
        ({"as_in": "chroma"}, r"as_in needs questions"),
        ({"questions": SHONE, "as_in": "chrome"}, r"as_in is 'chrome': did you mean 'chroma'"),
        ({"questions": SHONE, "metric": "iou"}, r"metric is 'iou', which needs ranking"),
        ({"questions": SHONE, "metric": "B"}, r"metric is 'B'"),
        ({"limits": (5, 3)}, r"limits are 5 and 3"),
        ({"size": "bytes"}, r"size is 'bytes'"),
        ({"blocks": {"d": [(0, 99)]}}, r"document d: chunk 0: \(0, 99\) is not a span"),
    ],
)
def test_what_is_wrong_is_named(options, message):
    with pytest.raises(cs.CaesuraError, match=message) as caught:
        cs.evaluate_chunks(TEXTS, {"fine": FINE}, **options)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("texts", "chunkings", "message"),
    [
        (TEXTS, {}, r"expected Chunks by name"),
        (TEXTS, {"x": [(0, 3)]}, r"chunking x is \[\(0, 3\)\]: expected Chunks"),
        ({"d": TEXT, "e": "More."}, {"fine": FINE}, r"chunking fine has no chunks of document e"),
        ({"d": TEXT + " "}, {"fine": FINE}, r"chunking fine is of another text of document d"),
    ],
)
def test_chunkings_are_of_all_the_texts(texts, chunkings, message):
    with pytest.raises(cs.CaesuraError, match=message):
        cs.evaluate_chunks(texts, chunkings)


def test_a_ranking_of_chunks_that_were_put_in_order_is_refused():
    chunks = cs.Chunks.from_spans({"d": [(15, 30), (0, 15)]}, TEXTS)
    with pytest.raises(cs.ParameterError, match="not given in order of start"):
        cs.evaluate_chunks(TEXTS, {"x": chunks}, questions=SHONE, ranking={"x": [[0]]})


def test_blocks_may_be_a_corpus_of_one_coder():
    units = cs.Units.from_text(TEXT, by="sentence")
    gold = cs.Corpus.from_dict({"d": {"gold": [2, 1]}}).with_spans({"d": units})
    result = cs.evaluate_chunks(TEXTS, {"fine": FINE, "coarse": COARSE}, blocks=gold)
    assert (result["fine"].block_integrity, result["coarse"].block_integrity) == (0.5, 1)
    two = cs.Corpus.from_dict({"d": {"gold": [2, 1], "ann": [3]}})
    with pytest.raises(cs.CorpusError, match=r"blocks: document d: ann is a second coder; select one"):
        cs.evaluate_chunks(TEXTS, {"fine": FINE}, blocks=two.with_spans({"d": units}))
    with pytest.raises(cs.CorpusError, match=r"blocks: document d: its segments have no offsets in a text"):
        cs.evaluate_chunks(TEXTS, {"fine": FINE}, blocks=two)


def test_blocks_of_other_texts_leave_their_values_open():
    other = cs.Chunks.from_spans({"e": [(0, 3)]}, {"e": "More."})
    result = cs.evaluate_chunks(TEXTS, {"fine": FINE}, blocks=other)["fine"]
    assert (result.block_integrity, result.covering) == (None, None)


MANY = {f"d{i}": f"{TEXT} {'Rain. ' * (i % 3 + 1)}The sun set." for i in range(12)}


@pytest.mark.parametrize(
    "metric", ["coverage", "block_integrity", "size_compliance", "covering", "coherence"]
)
def test_what_texts_say_decides_over_documents(metric):
    """Values and intervals against sums over documents and a bootstrap that are written out here."""
    spans = {
        "halves": {name: [(0, 29), (30, len(text))] for name, text in MANY.items()},
        "thirds": {name: [(0, 15), (15, 30 + i % 2), (32, len(text))]
                   for i, (name, text) in enumerate(MANY.items())},
    }  # fmt: skip
    chunks = {name: cs.Chunks.from_spans(own, MANY) for name, own in spans.items()}
    blocks = {name: [(0, 14), (20, 35)] for name in MANY}

    def vectors(texts):
        return [[float(text.count(word)) for word in ("rain", "sun", "snow", "R")] for text in texts]

    def cosine(a, b):
        lengths = np.linalg.norm(a) * np.linalg.norm(b)
        return 0.0 if lengths == 0 else float(np.dot(a, b) / lengths)

    def sums(own, text, name):
        rows = np.array(vectors([text[start:end] for start, end in own]))
        rows = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-300)
        beside = [sum((rows[j] for j in (i - 1, i + 1) if 0 <= j < len(rows)), 0 * rows[0])
                  for i in range(len(rows))]  # fmt: skip
        overlaps = [
            max(len({*range(*block)} & {*range(*c)}) / len({*range(*block)} | {*range(*c)}) for c in own)
            for block in blocks[name]
        ]
        return {
            "coverage": (len(set().union(*(range(*c) for c in own))), len(text)),
            "block_integrity": (sum(not any(a < c[0] < b for c in own[1:]) for a, b in blocks[name]), 2),
            "size_compliance": (sum(14 <= end - start <= 29 for start, end in own), len(own)),
            "covering": (sum((b - a) * best for (a, b), best in zip(blocks[name], overlaps, strict=True)),
                         sum(b - a for a, b in blocks[name])),
            "coherence": (sum(cosine(a, b) for a, b in zip(rows, beside, strict=True)), len(own)),
        }[metric]  # fmt: skip

    result = cs.evaluate_chunks(
        MANY, chunks, blocks=blocks, limits=(14, 29), vectors=vectors, metric=metric, n_resamples=4999, rng=0
    )
    table = np.array([[sums(own[name], text, name) for own in spans.values()] for name, text in MANY.items()])
    expected = table[..., 0].sum(axis=0) / table[..., 1].sum(axis=0)
    drawn = table[np.random.default_rng(9).integers(0, 12, (4999, 12))].sum(axis=1)
    values = drawn[..., 0] / drawn[..., 1]
    assert [getattr(row, metric) for row in result.chunkings.values()] == pytest.approx(expected)
    for column, row in enumerate(result.chunkings.values()):
        interval = row.intervals[metric]
        assert interval.standard_error == pytest.approx(values[:, column].std(), rel=0.1, abs=1e-9)
        assert interval.low - 1e-9 <= expected[column] <= interval.high + 1e-9
    shares = [row.probability_best for row in result.chunkings.values()]
    is_tie = np.isclose(values[:, 0], values[:, 1])
    wins = (values[:, 0] > values[:, 1]) & ~is_tie
    assert shares[0] == pytest.approx(wins.mean() + is_tie.mean() / 2, abs=0.03)
    assert sum(shares) == pytest.approx(1)
    (contrast,) = result.report.contrasts
    assert abs(contrast.difference) == pytest.approx(abs(expected[0] - expected[1]))
    assert "resample documents" in str(result)


def test_one_text_shows_no_difference_of_what_texts_say():
    result = cs.evaluate_chunks(TEXTS, {"fine": FINE, "coarse": COARSE}, metric="coverage")
    assert result.report is None
    assert str(result).startswith("fine has coverage 1.000; no difference can be significant with one text.")
    with pytest.raises(cs.ParameterError, match="metric is 'covering', which needs blocks"):
        cs.evaluate_chunks(TEXTS, {"fine": FINE}, metric="covering")
    with pytest.raises(cs.ParameterError, match="metric is 'recall_omega', which needs questions"):
        cs.evaluate_chunks(TEXTS, {"fine": FINE}, metric="recall_omega")
