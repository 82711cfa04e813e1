"""What every engine must do: give the numbers of memory, join two datasets, and name the file that is wrong.

Source of truth: the evaluation in memory with the same bootstrap, whose own sources are in
tests/analyses/test_evaluate.py, and the threads of one machine for what only scans have.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.real_data import data_path

import caesura as cs
from caesura.analyses.coder_agreement.coefficients import Totals
from caesura.errors import CaesuraError, CorpusError
from caesura.io.layout import GROUPED, ORDER_KEY
from caesura.scale import grouping

METRICS = ("B", "F", "Pk", "WD", "S", "MultWD")
HOW = {"n_resamples": 60, "rng": 5}


def missing(reason: str) -> None:
    """Fail where tests must run; say visibly that they did not where they need not."""
    if os.environ.get("CI"):
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)


# -------------------------------------------------------------------- corpora


def stargazers() -> tuple[cs.Corpus, cs.Corpus]:
    corpus = cs.load_stargazers()
    return corpus.select(coders=corpus.coders[2:]), corpus.select(coders=corpus.coders[:2])


def moonstone() -> tuple[cs.Corpus, cs.Corpus]:
    """The first coder against the others, in the documents that both have coded."""
    corpus = cs.read(data_path("moonstone", "segmentations"))
    machine = corpus.select(coders=corpus.coders[:1])
    people = corpus.select(coders=corpus.coders[1:], documents=machine.documents)
    return people, machine.select(documents=people.documents)


def simulated(n_documents: int = 100, *, types: list[str] | None = None) -> tuple[cs.Corpus, cs.Corpus]:
    corpus = cs.simulate(
        n_documents,
        4,
        n_units=50,
        mean_segment=6,
        near_miss=0.2,
        full_miss=0.1,
        types=types,
        wrong_type=0.1 if types else 0.0,
        rng=4,
    )
    people = corpus.select(coders=["c1", "c2"])
    strata = [f"stratum {int(name[1:]) % 3}" for name in people.documents for _ in range(2)]
    return people.with_details({"genre": strata}), corpus.select(coders=["c3", "c4"])


CORPORA: dict[str, Callable[[], tuple[cs.Corpus, cs.Corpus]]] = {
    "stargazers": stargazers,
    "moonstone": moonstone,
    "simulated": simulated,
    "typed": lambda: simulated(40, types=["topic", "aside"]),
}


def table_of(*corpora: cs.Corpus) -> pa.Table:
    """The long table with the rows of each document together, and the details that corpora have."""
    tables = []
    for corpus in corpora:
        table = corpus.to_arrow()
        names = {"document": pa.string(), "coder": pa.string()}
        for place, (name, kind) in enumerate(names.items()):
            table = table.set_column(place, name, table[name].cast(kind))
        for name, values in corpus.details.items():
            table = table.append_column(name, pa.array([*values], pa.string()))
        tables.append(table)
    return pa.concat_tables(tables, promote_options="default")


def sorted_table(*corpora: cs.Corpus) -> pa.Table:
    """The same, with the genre of a document on each of its rows."""
    table = table_of(*corpora).sort_by("document")
    if "genre" in table.column_names:
        genre = {row["document"]: row["genre"] for row in table.to_pylist() if row["genre"] is not None}
        column = pa.array([genre[name] for name in table["document"].to_pylist()], pa.string())
        table = table.set_column(table.column_names.index("genre"), "genre", column)
    return table


def spread(table: pa.Table, folder: Path, n_files: int = 3, rows: int = 31) -> Path:
    """Write a table to several files with several row groups; documents lie across the ends of both."""
    folder.mkdir()
    cuts = np.linspace(0, len(table), n_files + 1).astype(int).tolist()
    for number in range(n_files):
        part = table.slice(cuts[number], cuts[number + 1] - cuts[number])
        if len(part):
            pq.write_table(part, folder / f"part-{number}.parquet", row_group_size=rows)
    return folder


def same(one: Any, other: Any) -> None:
    """Integers, means, standard errors and intervals are equal to the last bit, over all and by stratum."""
    assert (one.size, one.segmenters) == (other.size, other.segmenters)
    assert [(stratum.name, stratum.size) for stratum in one.strata] == [
        (stratum.name, stratum.size) for stratum in other.strata
    ]
    pairs = [(one.summaries, other.summaries)]
    pairs += [(a.summaries, b.summaries) for a, b in zip(one.strata, other.strata, strict=True)]
    for ours, theirs in pairs:
        for a, b in zip(ours, theirs, strict=True):
            assert (a.segmenter, a.metric, a.n) == (b.segmenter, b.metric, b.n)
            counts = [(one.micro.counts, one.micro.scale, one.micro.n_pairs) for one in (a, b)]
            assert counts[0] == counts[1]
            assert repr((a.macro, a.se, a.interval)) == repr((b.macro, b.se, b.interval))


# -------------------------------------------------------------------- proofs


class EngineProofs:
    """Tests that need the fixture ``engine``."""

    @pytest.fixture(autouse=True)
    def small_parts(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """So that small files have several pieces and parts, and documents lie across the ends of pieces."""
        monkeypatch.setattr(grouping, "PIECE_ROWS", 60)
        monkeypatch.setattr(grouping, "PART_ROWS", 100)

    @pytest.mark.parametrize("name", list(CORPORA))
    def test_one_dataset_gives_the_numbers_of_memory(self, engine, name, tmp_path):
        people, machine = CORPORA[name]()
        by = "genre" if people.details else None
        expected = cs.evaluate(people, machine, METRICS, by=by, bootstrap="poisson", **HOW)
        scan = cs.scan(spread(sorted_table(people, machine), tmp_path / "all"))
        scan = scan.with_type_scheme(people.type_scheme)
        roles = {"references": people.coders, "segmenters": machine.coders}
        found = cs.evaluate(
            scan, metrics=METRICS, by=by, engine=engine, documents=tmp_path / "found.parquet", **roles, **HOW
        )
        same(found, expected)
        cs.evaluate(
            scan, metrics=METRICS, by=by, engine=2, documents=tmp_path / "threads.parquet", **roles, **HOW
        )
        values = [pq.read_table(tmp_path / f"{name}.parquet") for name in ("found", "threads")]
        assert values[0].sort_by("document").equals(values[1].sort_by("document"))

    @pytest.mark.parametrize("n_rows", [20, 31])
    def test_files_that_say_they_are_grouped_are_counted_where_they_lie_if_that_is_true(
        self, engine, n_rows, tmp_path
    ):
        """Row groups of 20 rows divide no document of four codings, those of 31 do."""
        people, machine = simulated()
        table = table_of(people, machine).sort_by("document")
        table = table.replace_schema_metadata({ORDER_KEY: GROUPED})
        scan = cs.scan(spread(table, tmp_path / "all", rows=n_rows))
        expected = cs.evaluate(people, machine, METRICS, bootstrap="poisson", **HOW)
        same(cs.evaluate(scan, metrics=METRICS, references=people.coders, engine=engine, **HOW), expected)

    @pytest.mark.parametrize("ending", ["jsonl", "jsonl.gz", "csv"])
    def test_lines_and_tables_in_any_order_give_the_numbers_of_memory(self, engine, ending, tmp_path):
        people, machine = simulated(40)
        expected = cs.evaluate(people, machine, METRICS, bootstrap="poisson", **HOW)
        table = table_of(people, machine)
        rows = table.take(pa.array(np.random.default_rng(3).permutation(len(table)))).to_pylist()
        for number in range(2):
            with pa.output_stream(str(tmp_path / f"{number}.{ending}")) as stream:
                if ending == "csv":
                    stream.write(b"document,coder,n_units,positions\n")
                for row in rows[number::2]:
                    stream.write(as_line(row, ending).encode())
        roles = {"references": people.coders, "segmenters": machine.coders}
        found = cs.evaluate(cs.scan(tmp_path), metrics=METRICS, engine=engine, **roles, **HOW)
        same(found, expected)

    @pytest.mark.parametrize("name", list(CORPORA))
    def test_two_datasets_in_any_order_are_joined(self, engine, name, tmp_path):
        people, machine = CORPORA[name]()
        by = "genre" if people.details else None
        expected = cs.evaluate(people, machine, METRICS, by=by, bootstrap="poisson", **HOW)
        generator = np.random.default_rng(1)
        scans = []
        for side, corpus in (("people", people), ("machine", machine)):
            table = table_of(corpus)
            shuffled = table.take(pa.array(generator.permutation(len(table))))
            scans.append(cs.scan(spread(shuffled, tmp_path / side)).with_type_scheme(people.type_scheme))
        documents = tmp_path / "documents.parquet"
        scans[1] = scans[1].select(coders=machine.coders)
        found = cs.evaluate(*scans, METRICS, by=by, engine=engine, documents=documents, **HOW)
        same(found, expected)
        values = pq.read_table(documents).sort_by("document").to_pydict()
        own = sorted(people.documents, key=str.encode)
        assert values["document"] == own
        for summary in expected.summaries:
            name = repr(summary.metric)
            column = f"{summary.segmenter} {name}" if len(found.segmenters) > 1 else name
            by_name = dict(zip(people.documents, summary.documents, strict=True))
            assert values[column] == [by_name[name] for name in own]

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            (lambda rows: rows[:20] + rows[21:], "segmenters lack document d21 of the references"),
            (lambda rows: [*rows, {**rows[0], "document": "zz"}], "no reference coder has document zz"),
            (lambda rows: [*rows, rows[3]], "document d4: coder c4 is there twice.*its rows begin at"),
            (
                lambda rows: [{**rows[0], "n_units": 51}, *rows[1:]],
                "document d1: segmenter c4 has 51 units where the references have 50",
            ),
            (lambda rows: [{**rows[0], "positions": [60]}, *rows[1:]], "document d1.*60"),
        ],
        ids=["lacking", "unknown", "twice", "length", "position"],
    )
    def test_joined_data_are_checked(self, engine, change, message, tmp_path):
        people = table_of(simulated(30)[0])
        machine = table_of(simulated(30)[1].select(coders=["c4"]))
        rows = change(machine.to_pylist())
        left = spread(people, tmp_path / "people", 2, 20)
        right = spread(pa.Table.from_pylist(rows, schema=machine.schema), tmp_path / "machine", 2, 20)
        with pytest.raises(CaesuraError, match=message) as caught:
            cs.evaluate(cs.scan(left), cs.scan(right), ["B"], engine=engine, **HOW)
        assert ".parquet" in str(caught.value)
        assert "\n" not in str(caught.value)

    def test_a_corrupt_file_among_many_is_named(self, engine, tmp_path, capfd):
        people, machine = simulated(60)
        folder = spread(sorted_table(people, machine), tmp_path / "all", 6)  # of whole documents
        bad = folder / "part-4.parquet"
        damage(bad)
        roles = {"references": people.coders, "segmenters": machine.coders}
        capfd.readouterr()
        with pytest.raises(CorpusError, match=r"part-4\.parquet: row group \d+: ") as caught:
            cs.evaluate(cs.scan(folder), metrics=["B"], engine=engine, **roles, **HOW)
        assert caught.value.__cause__ is None
        assert "Traceback" not in capfd.readouterr().err
        rest = [str(path) for path in sorted(folder.iterdir()) if path != bad]
        kept = cs.evaluate(cs.scan(folder, skip_bad=True), metrics=["B"], engine=engine, **roles, **HOW)
        assert [line.partition(":")[0] for line in kept.left_out] == [str(bad)]
        same(kept, cs.evaluate(cs.scan(rest), metrics=["B"], engine=1, **roles, **HOW))

    def test_a_corrupt_file_of_one_side_is_named(self, engine, tmp_path, capfd):
        people, machine = simulated(60)
        left = spread(table_of(people), tmp_path / "people")
        right = spread(table_of(machine), tmp_path / "machine")
        damage(right / "part-1.parquet")
        capfd.readouterr()
        with pytest.raises(CorpusError, match=r"part-1\.parquet: row group \d+: "):
            cs.evaluate(
                cs.scan(left), cs.scan(right).select(coders=machine.coders), ["B"], engine=engine, **HOW
            )
        assert "Traceback" not in capfd.readouterr().err

    def test_what_was_counted_is_kept(self, engine, tmp_path):
        people, machine = simulated(60)
        scan = cs.scan(spread(sorted_table(people, machine), tmp_path / "all"))
        roles = {"references": people.coders, "segmenters": machine.coders}
        expected = cs.evaluate(people, machine, ["B"], bootstrap="poisson", **HOW)
        for _ in range(2):
            found = cs.evaluate(scan, metrics=["B"], engine=engine, resume=tmp_path / "parts", **roles, **HOW)
            same(found, expected)
        assert len([*(tmp_path / "parts").iterdir()]) == -(-scan.n_rows // 100)

    def test_agreement_and_description_are_those_of_memory(self, engine, tmp_path):
        people, machine = simulated()
        everybody = cs.Corpus.merge(people, machine)
        scan = cs.scan(spread(sorted_table(people, machine), tmp_path / "all"))
        found = cs.agreement(scan, coefficient="kappa", n_resamples=30, rng=5, engine=engine)
        in_memory = cs.agreement(everybody, coefficient="kappa", n_resamples=0)
        for field in ("value", "strict", *Totals.__dataclass_fields__):
            assert repr(getattr(found, field)) == repr(getattr(in_memory, field)), field
        threads = cs.agreement(scan, coefficient="kappa", n_resamples=30, rng=5)
        assert repr(found.numbers()) == repr(threads.numbers())
        described, expected = cs.describe(scan, engine=engine), cs.describe(everybody)
        for name in ("units", "segment_size", "boundaries_per_position_per_coder", "sweep", "types"):
            assert repr(getattr(described, name)) == repr(getattr(expected, name))


def as_line(row: dict[str, Any], ending: str) -> str:
    if ending != "csv":
        row = {name: row[name] for name in ("document", "coder", "n_units", "positions")}
        return json.dumps(row) + "\n"
    positions = " ".join(map(str, row["positions"]))
    return f"{row['document']},{row['coder']},{row['n_units']},{positions}\n"


def damage(path: Path) -> None:
    """Overwrite the first pages of a file, whose end still says what should be in it."""
    data = bytearray(path.read_bytes())
    data[4:400] = bytes(range(198)) * 2
    path.write_bytes(data)
