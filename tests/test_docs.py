"""The documentation is true: its examples give the printed output, and its tables hold.

Source of truth: what a page prints is compared with what the program does; the migration tables with segeval
2.0.11 and NLTK.
"""

import doctest
import importlib.util
import re
import shlex
import warnings
from pathlib import Path

import pytest
from nltk.metrics.segmentation import ghd, pk, windowdiff

import caesura as cs
from caesura.cli import run

with warnings.catch_warnings():
    warnings.simplefilter("ignore", SyntaxWarning)  # its `is 0`, whenever Python compiles it
    import segeval
    import segeval.data  # its metrics import this when first called

REPOSITORY = Path(__file__).resolve().parents[1]
DOCS = REPOSITORY / "docs"
BLOCK = re.compile(r'^```(\w+)(?: title="([^"]+)")?\n(.*?)^```$', re.DOTALL | re.MULTILINE)


# -------------------------------------------------------------------- examples


LONG = {"how-to/see.md", "how-to/use-with-other-libraries.md"}
"""Pages that draw many charts or import large libraries."""


def pages_with_examples():
    found = []
    for page in sorted(DOCS.rglob("*.md")):
        blocks = BLOCK.findall(page.read_text(encoding="utf-8"))
        if any(language in ("pycon", "console") for language, _, _ in blocks):
            name = page.relative_to(DOCS).as_posix()
            marks = pytest.mark.exhaustive if name in LONG else ()
            found.append(pytest.param(blocks, id=name, marks=marks))
    return found


@pytest.mark.parametrize("blocks", pages_with_examples())
def test_examples_print_what_the_page_says(blocks, tmp_path, monkeypatch, capsys):
    """Run a page's blocks from top to bottom in one empty folder: files, Python sessions, commands."""
    monkeypatch.chdir(tmp_path)
    names = {}
    for language, file, text in blocks:
        if file:
            Path(file).parent.mkdir(exist_ok=True)
            Path(file).write_text(text, encoding="utf-8")
        elif language == "pycon":
            check_session(text, names)
        elif language == "console":
            for command, printed in commands_in(text):
                capsys.readouterr()
                assert run(shlex.split(command)[1:]) == 0, command
                assert capsys.readouterr().out == printed, command


def check_session(text, names):
    """Run a Python session with the names of those before it."""
    session = doctest.DocTestParser().get_doctest(text, names, "session", None, None)
    differences = []
    doctest.DocTestRunner(verbose=False).run(session, out=differences.append, clear_globs=False)
    assert differences == [], "".join(differences)
    names.update(session.globs)


def commands_in(text):
    """Return each `$ caesura ...` with what the page says that it prints."""
    parts = re.split(r"^\$ (caesura .*)\n", text, flags=re.MULTILINE)
    return list(zip(parts[1::2], parts[2::2], strict=True))


def test_the_page_of_formats_is_what_they_declare():
    """docs/formats_page.py writes it; the page stands in the repository, where it is read as well."""
    spec = importlib.util.spec_from_file_location("formats_page", DOCS / "formats_page.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.PAGE.read_text(encoding="utf-8") == module.page(), "run python docs/formats_page.py"


# -------------------------------------------------------------------- the migration tables

MIGRATION = (DOCS / "how-to" / "migrate.md").read_text(encoding="utf-8")
TYPED = {"a": {"1": [{1}, set(), {2}, set()], "2": [{1}, set(), {1}, set()]}}
TWO = {"a": {"1": [5, 6], "2": [4, 7]}, "b": {"1": [2] * 10, "2": [2] * 9 + [1, 1]}}
PARTLY = {"a": {"1": [5, 6], "2": [5, 6]}, "b": {"1": [5, 6]}}
NAMES = {
    "segeval": segeval,
    "cs": cs,
    "ghd": ghd,
    "pk": pk,
    "windowdiff": windowdiff,
    "ref": [2, 3, 6],
    "hyp": [2, 2, 7],
    "gaps": "0100100000",
    "mass": segeval.BoundaryFormat.mass,
    "position": segeval.BoundaryFormat.position,
    "sets": segeval.BoundaryFormat.sets,
    "gaps_hyp": "0101000000",
    "dataset": segeval.HEARST_1997_STARGAZER,
    "corpus": cs.load_stargazers(),
    "typed": TYPED,
    "typed_corpus": cs.Corpus.from_dict(
        {"a": {coder: cs.Segmentation.from_sets(coding) for coder, coding in TYPED["a"].items()}}
    ),
    "two": TWO,
    "two_corpus": cs.Corpus.from_dict(TWO),
    "partly": PARTLY,
    "partly_corpus": cs.Corpus.from_dict(PARTLY),
}
SAME = re.compile(r"^\| `(.+)` \| `(.+)` \| (.+) \|$", re.MULTILINE)
DIFFERENT = re.compile(r"^\| `(.+)` or `(.+)` \| (\S+) \| (\S+) \| .+ \|$", re.MULTILINE)


def test_every_row_of_the_migration_tables_is_checked():
    rows = [line for line in MIGRATION.splitlines() if line.startswith("| `")]
    assert len(rows) == len(SAME.findall(MIGRATION)) + len(DIFFERENT.findall(MIGRATION)) > 30


def outcome(expression):
    """Return what a call gives as the page shows it: numbers with four digits, errors by name."""
    try:
        value = eval(expression, dict(NAMES))
    except Exception as error:
        return type(error).__name__
    return value if isinstance(value, tuple) else round(float(value), 4)


def printed(cell):
    return eval(cell) if cell[0] in "(0123456789" else cell


@pytest.mark.parametrize(("old", "new", "value"), SAME.findall(MIGRATION))
def test_old_and_new_call_give_the_printed_value(old, new, value):
    assert outcome(old) == printed(value)
    assert outcome(new) == printed(value)


@pytest.mark.parametrize(("old", "new", "old_value", "new_value"), DIFFERENT.findall(MIGRATION))
def test_old_and_new_call_differ_as_printed(old, new, old_value, new_value):
    assert outcome(old) == printed(old_value)
    assert outcome(new) == printed(new_value)
    assert old_value != new_value
