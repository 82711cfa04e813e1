"""Two datasets: the numbers of the same data in memory, in whatever order and parts.

Source of truth: the evaluation in memory.
"""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import caesura as cs
from caesura.errors import CaesuraError, CorpusError, ParameterError
from caesura.io.layout import GROUPED, SORTED, parquet_writer
from caesura.scale import grouping
from caesura.scale.scanning import Scan

METRICS = ["B", "WD", "GHD"]

HOW = {"metrics": METRICS, "n_resamples": 30, "rng": 3}

PEOPLE, MACHINE = ["ann", "bob", "cat"], ["mine", "yours"]

LETTERS = "aAzä€𝄞Ω0~"
"""Their bytes, one to four, order them otherwise than Python's code units would in UTF-16."""


@pytest.fixture(autouse=True)
def small_parts(monkeypatch):
    monkeypatch.setattr(grouping, "PART_ROWS", 20)


def random_corpus(n_documents: int, seed: int) -> cs.Corpus:
    """One to three people and two segmenters in documents of any names, sorted by their bytes."""
    generator = np.random.default_rng(seed)
    names: set[str] = set()
    while len(names) < n_documents:
        names.add("".join(generator.choice([*LETTERS], size=int(generator.integers(1, 6)))))
    documents = {}
    for number, name in enumerate(sorted(names, key=str.encode)):
        n_units = int(generator.integers(2, 40))
        coders = [*PEOPLE[: 1 + number % 3], *MACHINE]
        documents[name] = {
            coder: cs.Segmentation.from_positions(
                (np.flatnonzero(generator.random(n_units - 1) < 0.2) + 1).tolist(), n_units
            )
            for coder in coders
        }
    return cs.Corpus.from_dict(documents)


def table_of(corpus: cs.Corpus) -> pa.Table:
    """Return the rows with names written out, as ``caesura convert`` writes them."""
    table = corpus.to_arrow()
    for place, name in enumerate(("document", "coder")):
        table = table.set_column(place, name, table[name].cast(pa.string()))
    return table


def written(corpus: cs.Corpus, folder: Path, n_files: int, group_rows: int, order: bytes = SORTED) -> Path:
    """Write row groups of so many rows, whatever documents they divide."""
    folder.mkdir(parents=True)
    table = table_of(corpus)
    size = -(-len(table) // n_files)
    for number in range(n_files):
        with parquet_writer(str(folder / f"{number}.parquet"), table.schema, order) as writer:
            writer.write_table(table.slice(number * size, size), row_group_size=group_rows)
    return folder


def sides(corpus: cs.Corpus, folder: Path, ours=(2, 7), theirs=(3, 11), **options) -> tuple[Scan, Scan]:
    people = written(corpus.select(coders=PEOPLE), folder / "people", *ours, **options)
    machine = written(corpus.select(coders=MACHINE), folder / "machine", *theirs, **options)
    return cs.scan(people), cs.scan(machine)


def numbers(found) -> str:
    """All that was counted, to the last bit."""
    return json.dumps(found.to_dict())


def in_parts(people: Scan, machine: Scan, **options):
    """Evaluate two scans as those are whose parts are kept."""
    with TemporaryDirectory() as folder:
        return cs.evaluate(people, machine, engine=2, resume=folder, **HOW, **options)


def in_memory(corpus: cs.Corpus):
    return cs.evaluate(
        corpus.select(coders=PEOPLE), corpus.select(coders=MACHINE), bootstrap="poisson", **HOW
    )


def same(one, other) -> None:
    assert one.size == other.size
    for mine, yours in zip(one.summaries, other.summaries, strict=True):
        assert (mine.segmenter, mine.metric, mine.n) == (yours.segmenter, yours.metric, yours.n)
        assert mine.micro.counts == yours.micro.counts
        assert repr((mine.macro, mine.se, mine.interval)) == repr((yours.macro, yours.se, yours.interval))


# -------------------------------------------------------------------- the same numbers


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("ours", "theirs"),
    [((1, 7), (1, 11)), ((3, 1), (2, 5)), ((2, 1000), (4, 3)), ((4, 2), (1, 1000)), ((5, 6), (5, 6))],
    ids=["groups", "one row", "one group", "one group of theirs", "files"],
)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_parts_are_the_corpus_in_memory(seed, ours, theirs, tmp_path):
    corpus = random_corpus(60, seed)
    people, machine = sides(corpus, tmp_path, ours, theirs)
    expected = in_memory(corpus)
    values = [tmp_path / f"{name}.parquet" for name in ("parts", "alone")]
    found = in_parts(people, machine, documents=values[0])
    alone = cs.evaluate(people, machine, engine=1, documents=values[1], **HOW)
    resumed = cs.evaluate(people, machine, engine=1, resume=tmp_path / "parts", **HOW)
    same(found, expected)
    assert numbers(found) == numbers(alone) == numbers(resumed)
    assert pq.read_table(values[0]).equals(pq.read_table(values[1]))
    assert len([*(tmp_path / "parts").iterdir()]) == -(-(people.n_rows + machine.n_rows) // 20)


@pytest.mark.parametrize("rows", [1, 7, 10_000])
def test_batches_change_nothing(rows, tmp_path):
    corpus = random_corpus(40, 4)
    both = (replace(one, batch_rows=rows) for one in sides(corpus, tmp_path))
    same(in_parts(*both), in_memory(corpus))


def test_strata_and_progress_are_those_of_the_references(tmp_path):
    corpus = random_corpus(40, 6)
    people, machine = (table_of(corpus.select(coders=coders)) for coders in (PEOPLE, MACHINE))
    genres = [name[0] for name in people["document"].to_pylist()]
    people = people.append_column("genre", pa.array(genres))
    for side, table in (("people", people), ("machine", machine)):
        with parquet_writer(str(tmp_path / f"{side}.parquet"), table.schema, SORTED) as writer:
            writer.write_table(table, row_group_size=9)
    both = [cs.scan(tmp_path / f"{side}.parquet") for side in ("people", "machine")]
    seen = []
    found = in_parts(*both, by="genre", progress=seen.append)
    assert numbers(found) == numbers(cs.evaluate(*both, by="genre", engine=1, **HOW))
    n_rows = len(people) + len(machine)
    assert (seen[-1].documents, seen[-1].rows, seen[-1].all_rows) == (40, n_rows, n_rows)
    assert [one.share for one in seen] == sorted(one.share for one in seen)
    assert seen[-1].share == 1
    assert len(seen) > 5


@pytest.mark.exhaustive
@pytest.mark.parametrize("ending", ["parquet", "jsonl", "jsonl.gz", "jsonl.zst", "csv"])
def test_rows_of_both_sides_may_stand_anywhere(ending, tmp_path):
    corpus = random_corpus(50, 21)
    scans = []
    for number, coders in enumerate((PEOPLE, MACHINE)):
        table = table_of(corpus.select(coders=coders))
        rows = table.take(pa.array(np.random.default_rng(number).permutation(len(table)))).to_pylist()
        path = tmp_path / f"{number}.{ending}"
        if ending == "parquet":
            pq.write_table(pa.Table.from_pylist(rows, schema=table.schema), path, row_group_size=7)
        elif ending == "csv":
            lines = [f"{row['document']},{row['coder']},{row['n_units']},{listed(row)}" for row in rows]
            path.write_text("\n".join(["document,coder,n_units,positions", *lines]), encoding="utf-8")
        else:
            with pa.output_stream(str(path)) as stream:  # packed by its name
                stream.write("".join(json.dumps(row) + "\n" for row in rows).encode())
        scans.append(cs.scan(path))
    for threads in (1, 2):
        same(cs.evaluate(*scans, engine=threads, **HOW), in_memory(corpus))
    same(in_parts(*scans), in_memory(corpus))


def listed(row: dict) -> str:
    return " ".join(map(str, row["positions"]))


@pytest.mark.exhaustive
def test_a_part_that_is_far_too_large_is_divided_again(tmp_path, monkeypatch):
    levels = set()
    divide = grouping.Job.divide
    monkeypatch.setattr(grouping.Job, "divide", lambda *given: (levels.add(given[5:]), divide(*given))[1])
    monkeypatch.setattr(grouping, "PART_ROWS", 2)
    monkeypatch.setattr(grouping, "MOST_PARTS", 2)
    corpus = random_corpus(60, 31)
    same(cs.evaluate(*sides(corpus, tmp_path), **HOW), in_memory(corpus))
    assert levels >= {(1,), (2,)}


# -------------------------------------------------------------------- what is refused


@pytest.mark.exhaustive
@pytest.mark.parametrize("groups", [(2, 3), (1, 1000)], ids=["many", "one"])
@pytest.mark.parametrize("place", [0, 1, 13, 20, 38, 39])
def test_documents_that_one_side_lacks_are_named(place, groups, tmp_path):
    corpus = random_corpus(40, 8)
    name = corpus.documents[place]
    rest = [one for one in corpus.documents if one != name]
    for side, words in (
        (PEOPLE, "no reference coder has document"),
        (MACHINE, "the segmenters lack document"),
    ):
        folder = tmp_path / side[0]
        for coders, where in ((PEOPLE, "people"), (MACHINE, "machine")):
            chosen = corpus.select(coders=coders)
            written(chosen.select(documents=rest) if coders is side else chosen, folder / where, *groups)
        for evaluate in (in_parts, partial(cs.evaluate, **HOW)):
            with pytest.raises(CorpusError) as caught:
                evaluate(cs.scan(folder / "people"), cs.scan(folder / "machine"))
            assert f"{words} {name} of the" in str(caught.value)
            assert ".parquet: row group" in str(caught.value)


@pytest.mark.parametrize("row", [0, 1])
def test_a_file_that_is_not_sorted_as_it_says_gives_no_wrong_sum(row, tmp_path):
    corpus = random_corpus(12, 9)
    people, machine = sides(corpus, tmp_path, (1, 1000), (1, 1000))
    names = [*corpus.documents]
    names[4], names[5] = names[5], names[4]
    shuffled = corpus.select(coders=[PEOPLE, MACHINE][row])
    table = pa.concat_tables([table_of(shuffled.select(documents=[name])) for name in names])
    path = tmp_path / ("people", "machine")[row] / "0.parquet"
    with parquet_writer(str(path), table.schema, SORTED) as writer:
        writer.write_table(table)
    same(in_parts(people, machine), in_memory(corpus))


def test_bad_rows_of_either_side_are_named(tmp_path):
    corpus = random_corpus(30, 10)
    for side, coders in (("people", PEOPLE), ("machine", MACHINE)):
        folder = tmp_path / side
        sides(corpus, folder)
        table = table_of(corpus.select(coders=coders))
        rows = table.to_pylist()
        rows[17]["positions"] = [99]
        with parquet_writer(str(folder / side / "bad.parquet"), table.schema, SORTED) as writer:
            writer.write_table(pa.Table.from_pylist(rows, schema=table.schema), row_group_size=5)
        for path in (folder / side).glob("[0-9]*"):
            path.unlink()
        with pytest.raises(CaesuraError, match=r"bad\.parquet: row group [0-9].*99"):
            in_parts(cs.scan(folder / "people"), cs.scan(folder / "machine"))


@pytest.mark.exhaustive
def test_grouped_files_and_lines_are_resumed_as_well(tmp_path):
    corpus = random_corpus(40, 11)
    expected = in_memory(corpus)
    grouped = sides(corpus, tmp_path / "grouped", order=GROUPED)
    lines = []
    for side, coders in (("people", PEOPLE), ("machine", MACHINE)):
        cs.write(corpus.select(coders=coders), tmp_path / f"{side}.jsonl")
        lines.append(cs.scan(tmp_path / f"{side}.jsonl"))
    swapped = sides(corpus, tmp_path / "files")
    swapped = [replace(one, sources=one.sources[::-1]) for one in swapped]
    for both in (grouped, lines, swapped, (grouped[0], sides(corpus, tmp_path / "half")[1])):
        same(cs.evaluate(*both, engine=2, **HOW), expected)
        same(in_parts(*both), expected)


def test_bad_files_of_two_scans_are_not_left_out(tmp_path):
    people, machine = sides(random_corpus(20, 13), tmp_path)
    for both in ((replace(people, skip_bad=True), machine), (people, replace(machine, skip_bad=True))):
        with pytest.raises(ParameterError, match="skip_bad is for one scan"):
            cs.evaluate(*both, **HOW)


# -------------------------------------------------------------------- what was kept


@pytest.mark.exhaustive
@pytest.mark.parametrize("side", ["people", "machine"])
def test_a_changed_file_of_either_side_is_noticed(side, tmp_path):
    corpus = random_corpus(60, 14)
    people, machine = sides(corpus, tmp_path, (3, 4), (3, 4))
    parts = tmp_path / "parts"
    first = cs.evaluate(people, machine, resume=parts, **HOW)
    path = tmp_path / side / "1.parquet"
    table = pq.read_table(path)
    positions = [[] for _ in range(len(table))]
    table = table.set_column(
        table.column_names.index("positions"), "positions", pa.array(positions, table["positions"].type)
    )
    with parquet_writer(str(path), table.schema, SORTED) as writer:
        writer.write_table(table, row_group_size=4)
    both = cs.scan(tmp_path / "people"), cs.scan(tmp_path / "machine")
    with pytest.warns(UserWarning, match=rf"counted again: .*{side}.1\.parquet has changed since"):
        again = cs.evaluate(*both, resume=parts, **HOW)
    assert numbers(again) == numbers(cs.evaluate(*both, engine=1, **HOW)) != numbers(first)


def test_roles_that_are_exchanged_are_another_question(tmp_path):
    corpus = random_corpus(30, 15)
    for coder in ("ann", "mine"):
        cs.write(corpus.select(coders=[coder]), tmp_path / f"{coder}.parquet")
    one, other = cs.scan(tmp_path / "ann.parquet"), cs.scan(tmp_path / "mine.parquet")
    cs.evaluate(one, other, resume=tmp_path / "parts", **HOW)
    with pytest.warns(UserWarning, match="left alone"):
        found = cs.evaluate(other, one, resume=tmp_path / "parts", **HOW)
    assert numbers(found) == numbers(cs.evaluate(other, one, engine=1, **HOW))
