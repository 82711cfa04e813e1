"""Build what is published into dist/: sdist, compiled and pure wheel; build them twice, check and try them.

``make dist`` runs it with build, twine and uv at hand. ``SOURCE_DATE_EPOCH`` dates every file; without it,
the last commit does. A wheel is built from the unpacked sdist, as an installer would build it. ``dist.py
test`` runs only the tests that need no extras, on the caesura that is installed where it runs.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parent.parent
BUILT_FROM = ("pyproject.toml", "MANIFEST.in", "README.md", "LICENSE", "src")
NOT_SOURCES = shutil.ignore_patterns("__pycache__", "*.so", "*.pyd", "*.c", "*.egg-info")
COMPILED = {"native", "resampling", "rows", "segmenting"}

# Tests that need pytest, Hypothesis and what the package declares, and nothing else.
TESTS = (
    "tests/kernel",
    "tests/metrics",
    "tests/stats",
    "tests/analyses/test_consensus.py",
    "tests/test_checks.py",
)
NEED_EXTRAS = (
    "tests/metrics/test_own_weights.py",
    "tests/stats/test_factors.py",
    "tests/stats/test_false_positives.py",
    "tests/stats/test_resample.py",
    "tests/stats/test_statistics.py",
)
NEED_COMPILED = ("tests/kernel", "tests/stats/test_poisson_weights.py")
SMOKE = """
import caesura as cs
from caesura import kernel
assert kernel.active.__name__ == "caesura.kernel.{kernel}", kernel.active.__name__
assert float(cs.boundary_similarity([2, 3, 6], [2, 2, 7])) == 0.75
assert str(cs.window_diff([2, 3, 6], [2, 2, 7])) == "<WD 0.222222 = 2/9>"
readers = cs.load_stargazers()
assert len(readers.coders) == 7
assert 0 < cs.agreement(readers, n_resamples=99, rng=1).value < 1
"""


def without_compiled(pyproject: str) -> str:
    """Return pyproject.toml without the modules to compile."""
    return re.sub(
        r"(?ms)^\[\[tool\.setuptools\.ext-modules\]\]\n.*?(?=^\[(?!\[tool\.setuptools\.ext))", "", pyproject
    )


def copy_sources(folder: Path) -> Path:
    """Copy what an sdist is made of, so that nothing lying about gets into it."""
    folder.mkdir()
    for name in BUILT_FROM:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=NOT_SOURCES)
        else:
            shutil.copy2(source, folder / name)
    return folder


def dated_alike(sdist: Path, epoch: int) -> None:
    """Write an sdist again with equal dates and owners, in the order of names."""
    with tarfile.open(sdist) as archive:
        members = [(each, archive.extractfile(each)) for each in archive if each.isfile()]
        files = {each.name: content.read() for each, content in members if content is not None}
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, content in sorted(files.items()):
            entry = tarfile.TarInfo(name)
            entry.size, entry.mtime, entry.mode = len(content), epoch, 0o644
            archive.addfile(entry, io.BytesIO(content))
    sdist.write_bytes(gzip.compress(packed.getvalue(), mtime=epoch))


def run(*command: str | Path, cwd: Path = ROOT, env: Mapping[str, str] | None = None) -> None:
    """Run a command; where it fails, show what it wrote, and stop."""
    texts = [str(part) for part in command]
    done = subprocess.run(
        texts, cwd=cwd, env=None if env is None else dict(env), capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise SystemExit(f"{done.stdout}{done.stderr}\nfailed: {' '.join(texts)}")


def build(sources: Path, folder: Path, epoch: int, *options: str, compiled: bool = True) -> list[Path]:
    """Build sdist and wheels into a folder; ``options`` are those of build, such as --no-isolation."""
    shutil.copytree(sources, folder / "source")
    env = {**os.environ, "SOURCE_DATE_EPOCH": str(epoch)}
    builder = (sys.executable, "-m", "build", *options, "--outdir", folder)
    run(*builder, "--sdist", folder / "source", env=env)
    (sdist,) = folder.glob("*.tar.gz")
    dated_alike(sdist, epoch)
    with tarfile.open(sdist) as archive:
        archive.extractall(folder, filter="data")
    source = folder / sdist.name.removesuffix(".tar.gz")
    if compiled:
        run(*builder, "--wheel", "-C--build-option=--py-limited-api=cp311", source, env=env)
        shutil.rmtree(source / "build")
    (source / "pyproject.toml").write_text(without_compiled((source / "pyproject.toml").read_text()))
    run(*builder, "--wheel", source, env=env)
    return sorted(each for each in folder.iterdir() if each.is_file())


def check_sdist(names: Iterable[str], sources: set[str]) -> None:
    """Refuse an sdist that lacks a source or has a file more than it needs."""
    inside = {str(PurePosixPath(*PurePosixPath(name).parts[1:])) for name in names}
    top = {"LICENSE", "MANIFEST.in", "PKG-INFO", "README.md", "pyproject.toml", "setup.cfg"}
    wanted = top | {f"src/{name}" for name in sources}
    expect({name for name in inside if ".egg-info/" not in name}, wanted, "the sdist")


def check_wheel(names: Iterable[str], sources: set[str], compiled: bool) -> None:
    """Refuse a wheel that lacks a module or its license, or has a file more than it needs."""
    inside = {name for name in names if ".dist-info/" not in name}
    about = {PurePosixPath(name).name for name in names if ".dist-info/" in name}
    expect(
        about,
        {"LICENSE", "METADATA", "RECORD", "WHEEL", "entry_points.txt", "top_level.txt"},
        "the wheel's metadata",
    )
    wanted = {name for name in sources if not name.endswith(".pyx")}
    modules = {name for name in inside if name.endswith((".so", ".pyd"))}
    expect(inside - modules, wanted, "the wheel")
    expect(
        {PurePosixPath(name).name.split(".")[0] for name in modules},
        COMPILED if compiled else set(),
        "the wheel",
    )


def expect(names: set[str], wanted: set[str], where: str) -> None:
    """Stop where two sets of names differ."""
    if names != wanted:
        raise SystemExit(f"{where}: missing {sorted(wanted - names)}, not needed {sorted(names - wanted)}")


def check(artifacts: Iterable[Path], source: Path) -> None:
    """Refuse artifacts whose contents are not what they are to be."""
    sources = {
        each.relative_to(source / "src").as_posix() for each in source.rglob("src/**/*") if each.is_file()
    }
    for artifact in artifacts:
        if artifact.suffix == ".whl":
            with zipfile.ZipFile(artifact) as archive:
                check_wheel(archive.namelist(), sources, "none-any" not in artifact.name)
        else:
            with tarfile.open(artifact) as archive:
                check_sdist(archive.getnames(), sources)


def try_out(artifact: Path, folder: Path) -> None:
    """Install an artifact where no compiler is; run a smoke test and the tests that need no extras."""
    environment = folder / "environment"
    python = environment / "bin" / "python"
    uv = Path(sys.executable).parent / "uv"
    bare = {
        **os.environ,
        "PATH": str(environment / "bin"),
        "PYTHONPATH": "",
        "CAESURA_KERNEL": "",
        "CC": "no-compiler",
    }
    run(uv, "venv", "--quiet", "--python", sys.executable, environment)
    run(uv, "pip", "install", "--python", python, artifact, env=bare)
    kernel = "native" if "abi3" in artifact.name else "python"
    run(python, "-c", SMOKE.format(kernel=kernel), cwd=folder, env=bare)
    run(environment / "bin" / "caesura", "demo", cwd=folder, env=bare)
    run(uv, "pip", "install", "--python", python, "pytest>=8", "hypothesis>=6.100", env=bare)
    test_installed(python, folder, bare, kernel)
    print(f"{artifact.name}: installed, tried, tested", flush=True)


def test_installed(python: Path, folder: Path, env: Mapping[str, str], kernel: str) -> None:
    """Run the tests that need no extras on what is installed, away from the sources."""
    for name in ("pyproject.toml", "conftest.py"):
        shutil.copy2(ROOT / name, folder)
    shutil.copytree(ROOT / "tests", folder / "tests", ignore=NOT_SOURCES)
    left_out, chosen = [*NEED_EXTRAS], [*TESTS]
    if kernel == "python":
        left_out += NEED_COMPILED
        chosen += ["-k", "not native"]
    chosen = [name for name in chosen if name not in left_out] + [f"--ignore={name}" for name in left_out]
    quick = ["-q", "-m", "not exhaustive", "--hypothesis-profile", "quick", "-p", "no:cacheprovider"]
    run(python, "-m", "pytest", *quick, *chosen, cwd=folder, env={**env, "CAESURA_KERNEL": kernel})


def main() -> None:
    """Build twice, compare, check, try out, and put everything into dist/; or only test what is installed."""
    if sys.argv[1:] == ["test"]:
        with tempfile.TemporaryDirectory() as folder:
            test_installed(
                Path(sys.executable), Path(folder), os.environ, os.environ.get("CAESURA_KERNEL", "native")
            )
        return
    committed = subprocess.run(
        ["git", "log", "-1", "--format=%ct"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    epoch = int(os.environ.get("SOURCE_DATE_EPOCH") or committed.stdout or 0)
    if epoch == 0:
        raise SystemExit("nothing dates the files: set SOURCE_DATE_EPOCH to seconds since 1970")
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        source = copy_sources(work / "source")
        artifacts, again = (build(source, work / name, epoch) for name in ("first", "second"))
        for first, second in zip(artifacts, again, strict=True):
            if first.read_bytes() != second.read_bytes():
                raise SystemExit(f"{first.name} has other bytes when it is built again")
        check(artifacts, source)
        run(sys.executable, "-m", "twine", "check", "--strict", *artifacts)
        for artifact in artifacts:
            (work / f"try-{artifact.name}").mkdir()
            try_out(artifact, work / f"try-{artifact.name}")
        shutil.rmtree(ROOT / "dist", ignore_errors=True)
        (ROOT / "dist").mkdir()
        for artifact in artifacts:
            shutil.copy2(artifact, ROOT / "dist")
            digest = hashlib.sha256(artifact.read_bytes()).hexdigest()
            print(f"{digest}  dist/{artifact.name}")


if __name__ == "__main__":
    main()
