"""Addresses on an S3 server: moto's, on this machine, to which files are put by plain HTTP.

Source of truth: the same files read from the disk.
"""

from __future__ import annotations

import re
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote
from urllib.request import Request, urlopen

import pyarrow.parquet as pq
import pytest
from tests.scale.engine_proofs import missing

import caesura as cs
from caesura import cli
from caesura.io.addresses import find_files
from caesura.scale.converting import convert

SERVER = Path(__file__).parents[2] / ".venv-s3" / "bin" / "moto_server"

HOW = {"references": ["reference"], "n_resamples": 20, "bootstrap": "poisson", "rng": 1}


@dataclass
class Server:
    """A server of objects, and what it holds."""

    url: str

    def put(self, key: str, data: bytes = b"") -> None:
        """Make a bucket, or an object in it."""
        kind = {"Content-Type": "application/octet-stream"}
        with urlopen(Request(f"{self.url}/{quote(key)}", data, kind, method="PUT"), timeout=30):
            pass

    def get(self, key: str) -> bytes:
        with urlopen(f"{self.url}/{quote(key)}", timeout=30) as answer:
            return answer.read()


@pytest.fixture(scope="module")
def process(tmp_path_factory) -> Iterator[str]:
    """The address of a server of its own, at whatever port is free."""
    if not SERVER.exists():
        missing("tests of S3 need a server: run tests/scale/install_s3_server.sh")
    command = [str(SERVER), "--host", "127.0.0.1", "--port", "0"]
    log = tmp_path_factory.mktemp("server") / "log"
    with log.open("w") as stream, subprocess.Popen(command, stdout=stream, stderr=stream) as running:
        try:
            yield _address(log)
        finally:
            running.kill()


def _address(log: Path) -> str:
    """Wait until the server says where it listens."""
    for _ in range(600):
        if found := re.search(r"Running on (\S+)", log.read_text()):
            return found[1]
        time.sleep(0.1)
    pytest.fail(f"the server does not start: {log.read_text()}")


@pytest.fixture
def server(process, monkeypatch) -> Server:
    for name, value in {
        "AWS_ENDPOINT_URL": process,
        "AWS_ACCESS_KEY_ID": "somebody",
        "AWS_SECRET_ACCESS_KEY": "something",
        "AWS_EC2_METADATA_DISABLED": "true",
    }.items():
        monkeypatch.setenv(name, value)
    with urlopen(Request(f"{process}/moto-api/reset", method="POST"), timeout=30):
        pass
    found = Server(process)
    found.put("bucket")
    return found


@pytest.fixture
def corpus() -> cs.Corpus:
    return cs.simulate(
        60, 2, n_units=54, mean_segment=10, near_miss=0.1, full_miss=0.2, reference=True, rng=1
    )


def run(capsys, *arguments: object) -> tuple[int, str, str]:
    code = cli.run([*map(str, arguments)])
    return code, *capsys.readouterr()


@pytest.mark.parametrize("extension", ["parquet", "jsonl"])
def test_a_file_a_folder_and_a_pattern_are_what_the_disk_has(server, corpus, extension, tmp_path):
    documents = corpus.documents
    for number, some in enumerate((documents[:20], documents[20:])):
        path = tmp_path / f"part-{number}.{extension}"
        cs.write(corpus.select(documents=some), path)
        server.put(f"bucket/data/{path.name}", path.read_bytes())
    server.put("bucket/data/_SUCCESS", b"no data")
    server.put(f"bucket/other.{extension}", b"nothing of the kind")
    here = cs.evaluate(cs.scan(tmp_path), **HOW)
    names = tuple(f"s3://bucket/data/part-{number}.{extension}" for number in (0, 1))
    for address in ("s3://bucket/data", "s3://bucket/data/", f"s3://bucket/d*/part-?.{extension}", names):
        assert cs.scan(address).sources == names
        assert cs.evaluate(cs.scan(address), **HOW).to_dict() == here.to_dict()
    assert cs.scan(names[1]).sources == names[1:]


def test_names_with_odd_characters_are_names(server, corpus, tmp_path):
    cs.write(corpus, tmp_path / "x.parquet")
    data = (tmp_path / "x.parquet").read_bytes()
    names = [
        "a b.parquet",
        "ä#1.parquet",
        "100%.parquet",
        "a+b%20c.parquet",
        "a[1].parquet",
        "year=2020.parquet",
    ]
    for name in names:
        server.put(f"bucket/odd/{name}", data)
        assert cs.scan(f"s3://bucket/odd/{name}").coders == corpus.coders
    assert sorted(find_files("s3://bucket/odd")) == sorted(f"s3://bucket/odd/{name}" for name in names)


def test_the_commands_read_and_write_addresses(server, corpus, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    cs.write(corpus, "x.jsonl")
    server.put("bucket/x.jsonl", Path("x.jsonl").read_bytes())
    assert run(capsys, "convert", "s3://bucket/x.jsonl", "from.parquet")[0] == 0
    convert("x.jsonl", "here.parquet")
    assert pq.read_table("from.parquet").equals(pq.read_table("here.parquet"))
    assert run(capsys, "convert", "x.jsonl", "s3://bucket/to/x.parquet")[0] == 0
    Path("to.parquet").write_bytes(server.get("bucket/to/x.parquet"))
    assert pq.read_table("to.parquet").equals(pq.read_table("here.parquet"))
    code, _, err = run(capsys, "convert", "x.jsonl", "s3://bucket/to/x.parquet")
    assert (code, "already exists (use --force" in err) == (2, True)
    assert run(capsys, "convert", "x.jsonl", "s3://bucket/to/x.parquet", "--force")[0] == 0
    options = ("-r", "reference", "-s", "c1", "--resamples", 0)
    here = run(capsys, "score", "here.parquet", "--stream", *options)
    assert run(capsys, "score", "s3://bucket/to/x.parquet", *options)[:2] == here[:2]
    agreed = run(capsys, "agree", "here.parquet", "--stream", "--resamples", 0)
    assert run(capsys, "agree", "s3://bucket/to", "--resamples", 0)[:2] == agreed[:2]


def test_parts_of_addresses_are_known_wherever_one_is(server, corpus, tmp_path, monkeypatch):
    cs.write(corpus, tmp_path / "x.parquet")
    server.put("bucket/x.parquet", (tmp_path / "x.parquet").read_bytes())
    found = []
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        monkeypatch.chdir(tmp_path / folder)
        found.append(
            cs.evaluate(cs.scan("s3://bucket/x.parquet"), resume=tmp_path / "parts", **HOW).to_dict()
        )
    assert found[0] == found[1]
    assert len([*(tmp_path / "parts").glob("part-*")]) == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("score", "s3://bucket/nothing.parquet", "-s", "c1"), "s3://bucket/nothing.parquet: No such file"),
        (("score", "s3://nowhere/x.parquet", "-s", "c1"), "s3://nowhere/x.parquet: No such file"),
        (("score", "s3://nowhere/*.parquet", "-s", "c1"), "s3://nowhere/*.parquet: No such file"),
        (("score", "s3://bucket/*.parquet", "-s", "c1"), "no file matches this pattern"),
        (("score", "s3://bucket", "-s", "c1"), "no data files"),
        (("score", "s3:///x.parquet", "-s", "c1"), "Missing bucket name"),
        (("score", "s3://b/x.parquet?scheme=http", "-s", "c1"), "AWS_ENDPOINT_URL"),
        (("agree", "s3://bucket/x.parquet", "--pairwise"), "is a URL: score, agree and describe stream it"),
        (("convert", "s3://nowhere/x.jsonl", "x.parquet"), "s3://nowhere/x.jsonl: No such file"),
        (("convert", "x.jsonl", "s3://nowhere/x.parquet"), "no bucket 'nowhere'"),
        (("convert", "x.jsonl", "s3://bucket/x.json"), "which takes only Parquet from"),
        (("score", "x.jsonl", "-s", "c1", "--resume", "s3://bucket/parts"), "a folder on this machine"),
        (("score", "x.jsonl", "-s", "c1", "--documents", "s3://b/x.parquet"), "a file on this machine"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_one_line(arguments, said, server, corpus, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    cs.write(corpus, "x.jsonl")
    if arguments[0] == "score":
        arguments = (*arguments, "-r", "reference")
    code, out, err = run(capsys, *arguments)
    assert (code > 0, out, err.count("\n")) == (True, "", 1)
    assert err.startswith("caesura: ")
    assert said in err
    assert [*tmp_path.iterdir()] == [tmp_path / "x.jsonl"]
