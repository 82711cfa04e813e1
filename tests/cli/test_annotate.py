"""caesura annotate: what it writes, what it refuses, and that no page holds what others have coded."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import caesura as cs
from caesura.cli import run

SENTENCES = ["The sun rose.", "Birds sang.", "A train left.", "It was late."]


@pytest.fixture
def text(tmp_path) -> Path:
    path = tmp_path / "day.txt"
    path.write_text("\n".join(SENTENCES) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def coded(tmp_path) -> Path:
    """Texts that somebody has coded already."""
    codings = {
        f"d{i}": {"Zebedee": cs.Segmentation.from_positions([i], 4), "Yolanda": [2, 2]} for i in (1, 2, 3)
    }
    path = tmp_path / "coded.jsonl"
    cs.write(cs.Corpus.from_dict(codings, units=dict.fromkeys(codings, SENTENCES)), path)
    return path


def test_a_page_for_each_coder_or_one_for_all(text, tmp_path, capsys):
    out = tmp_path / "new" / "pages"
    assert run(["annotate", str(text), "-o", str(out), "--coders", "ann, bob"]) == 0
    assert sorted(path.name for path in out.iterdir()) == ["day.ann.html", "day.bob.html"]
    assert "1 document, 4 units" in capsys.readouterr().err
    assert run(["annotate", str(text), "-o", str(out)]) == 0
    assert (out / "day.html").exists()
    assert run(["annotate", str(text), "-o", str(tmp_path / "one.html"), "--coders", "ann"]) == 0
    assert (tmp_path / "one.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    assert (tmp_path / "one.html").read_bytes() == (out / "day.ann.html").read_bytes()


def test_the_same_seed_gives_the_same_bytes(coded, tmp_path):
    for name, seed in (("a", "1"), ("b", "1"), ("c", "2")):
        assert (
            run(["annotate", str(coded), "-o", str(tmp_path / name), "--coders", "ann", "--seed", seed]) == 0
        )
    one, two, three = ((tmp_path / name / "coded.ann.html").read_bytes() for name in "abc")
    assert one == two != three


def test_no_page_holds_what_others_have_coded(coded, tmp_path):
    assert run(["annotate", str(coded), "-o", str(tmp_path / "pages"), "--coders", "ann,bob"]) == 0
    for page in (tmp_path / "pages").iterdir():
        content = page.read_text(encoding="utf-8")
        assert not re.search("Zebedee|Yolanda|masses", content)
        data = re.search(r'<script type="application/json" id="data">(.*?)</script>', content, re.DOTALL)[1]
        assert "positions" not in data
        assert "The sun rose." in data
    ann, bob = (
        (tmp_path / "pages" / f"coded.{who}.html").read_text(encoding="utf-8") for who in ("ann", "bob")
    )
    assert "bob" not in ann
    assert '"coder":"bob"' in bob


def test_pages_that_are_there_stay_unless_forced(text, tmp_path, capsys):
    page = tmp_path / "pages" / "day.bob.html"
    page.parent.mkdir()
    page.write_text("mine", encoding="utf-8")
    assert run(["annotate", str(text), "-o", str(page.parent), "--coders", "ann,bob"]) == 2
    assert f"{page} already exists (use --force to overwrite)" in capsys.readouterr().err
    assert [path.name for path in page.parent.iterdir()] == ["day.bob.html"]
    assert page.read_text(encoding="utf-8") == "mine"
    assert run(["annotate", str(text), "-o", str(page.parent), "--coders", "ann,bob", "--force"]) == 0
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")


def test_units_come_from_any_reader(tmp_path):
    (tmp_path / "a.srt").write_text(
        "1\n00:00:00,000 --> 00:00:02,000\nGood morning.\n\n2\n00:00:02,000 --> 00:00:04,000\nGood night.\n",
        encoding="utf-8",
    )
    (tmp_path / "b.txt").write_text("One thing. Another thing. A third.", encoding="utf-8")
    for arguments, expected in (
        (["a.srt"], '"units":["Good morning.","Good night."]'),
        (["b.txt", "--units", "sentence"], '"units":["One thing.","Another thing.","A third."]'),
    ):
        page = tmp_path / "page.html"
        assert (
            run(["annotate", str(tmp_path / arguments[0]), *arguments[1:], "-o", str(page), "--force"]) == 0
        )
        assert expected in page.read_text(encoding="utf-8")


def test_the_policy_lets_in_this_script_and_this_style_alone(text, tmp_path):
    guide = tmp_path / "guide.md"
    guide.write_text("# Guide\n\n<script>alert(1)</script> ![x](http://x/y.png)\n\n* one\n", encoding="utf-8")
    page = tmp_path / "page.html"
    assert run(["annotate", str(text), "-o", str(page), "--instructions", str(guide)]) == 0
    content = page.read_text(encoding="utf-8")
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', content)[1]
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in policy
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in content
    assert content.count("<script") == 2
    markup = re.sub(r"<(script|style)\b.*?</\1>", "", content, flags=re.DOTALL)
    tags = "".join(re.findall("<[^>]*>", markup))
    assert not re.search(r"\s(on\w+|style|src)=|<img|<link", tags)


@pytest.mark.parametrize(
    ("arguments", "code", "expected"),
    [
        (["--coders", "ann,"], 2, "an empty name"),
        (["--coders", "ann,ann"], 2, "'ann' twice"),
        (["--coders", "a/b,a b"], 2, "would both be"),
        (["--coders", "ann,bob", "-o", "x.html"], 2, "one page for 2 coders; give a folder"),
        (["--types", "a,b", "--levels", "2"], 2, "types or levels, not both"),
        (["--types", "1,2,3,4,5,6,7,8,9,10"], 2, "at most 9 have a key each"),
        (["--levels", "12"], 2, "at most 9 have a key each"),
        (["--questions", "titel"], 2, "titel"),
        (["--instructions", "nowhere.md"], 2, "nowhere.md"),
        (["--practice", "nowhere.jsonl"], 1, "nowhere.jsonl"),
    ],
)
def test_bad_usage_is_one_line(text, tmp_path, monkeypatch, capsys, arguments, code, expected):
    monkeypatch.chdir(tmp_path)
    assert run(["annotate", str(text), "-o", "pages", *arguments]) == code
    said = capsys.readouterr().err
    assert expected in said
    assert said.count("\n") == 1
    assert not (tmp_path / "pages").exists()


def test_texts_without_text_and_keys_without_a_key_are_refused(text, coded, tmp_path, capsys):
    silent = tmp_path / "silent.json"
    cs.write(cs.Corpus.from_dict({"d": {"ann": [2, 2]}}), silent)
    assert run(["annotate", str(silent), "-o", str(tmp_path / "pages")]) == 1
    assert "document d has no text to annotate" in capsys.readouterr().err
    for practice, expected in ((coded, "codings by Zebedee and Yolanda"), (text, "no coding")):
        pages = str(tmp_path / "pages")
        assert run(["annotate", str(text), "-o", pages, "--practice", str(practice)]) == 1
        assert f"has {expected}; expected one coding" in capsys.readouterr().err
    assert not (tmp_path / "pages").exists()


def test_the_demo_writes_a_page_to_try(tmp_path, capsys):
    page = tmp_path / "ferry.html"
    assert run(["demo", "--annotate", str(page)]) == 0
    assert f"To place boundaries yourself, open {page}" in capsys.readouterr().out
    assert "The last ferry to the island" in page.read_text(encoding="utf-8")
    assert run(["demo", "--annotate", str(page)]) == 2
    assert f"{page} already exists (use --force to overwrite)" in capsys.readouterr().err
