"""Label Studio's JSON. Source of truth: facts of real files, counted without caesura; files by hand."""

from __future__ import annotations

import csv
import json
import time
import warnings

import pytest
from tests.real_data import data_path

from caesura import Corpus, CorpusError, Segmentation, Units
from caesura.io.reading import read
from caesura.io.registry import FORMATS
from caesura.io.writing import write

TEXT = "It rained all day. We stayed at home."


def span(start, end, label="topic", **value):
    return {"type": "labels", "value": {"start": start, "end": end, "labels": [label], **value}}


def annotation(*results, by=1, number=31, **more):
    return {"id": number, "completed_by": by, "result": list(results), **more}


def task(*annotations, number=7, text=TEXT, **data):
    return {"id": number, "data": {"text": text, **data}, "annotations": list(annotations)}


def put(tmp_path, *tasks):
    path = tmp_path / "export.json"
    path.write_text(json.dumps(tasks), encoding="utf-8")
    return path


def noticed(path, **options):
    """Return a corpus and its notices, without the path."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        corpus = read(path, **options)
    return corpus, [notice.removeprefix(f"{path}: ") for notice in corpus.metadata.get("notices", ())]


# -------------------------------------------------------------------- real files


def test_three_coders_of_four_tasks():
    corpus, notices = noticed(
        data_path("formats", "label_studio", "leoka_3coders_4tasks.json"), overlap="edges", gaps="segment"
    )
    assert corpus.metadata["format"] == "label-studio"
    assert set(corpus.coders) == {"19160", "19149", "19164"}
    assert (len(corpus.documents), len(corpus)) == (4, 12)
    first = corpus.documents[0]
    assert corpus.n_units(first) == 997
    assert corpus[first, "19160"].positions[:5] == (20, 24, 30, 34, 45)
    assert corpus[first, "19149"].positions[:5] == (14, 19, 24, 30, 34)
    assert corpus[first, "19164"].positions[:5] == (14, 20, 24, 30, 34)
    assert [corpus[first, c].n_boundaries for c in ("19160", "19149", "19164")] == [15, 16, 16]
    assert notices == ["left out, as they are not spans: taxonomy (12)"]


def test_lead_times_of_a_real_file_are_seconds():
    path = data_path("formats", "label_studio", "leoka_3coders_4tasks.json")
    corpus, _ = noticed(path, overlap="edges", gaps="segment")
    taken = {
        (str(each["id"]), str(made["completed_by"]["id"])): made["lead_time"]
        for each in json.loads(path.read_text(encoding="utf-8"))
        for made in each["annotations"]
    }
    assert corpus.details["seconds"] == tuple(taken[document, coder] for document, coder, _ in corpus)


def test_lead_times_of_tasks_and_tables(tmp_path):
    first = annotation(span(0, len(TEXT)), lead_time=12.5)
    corpus, _ = noticed(put(tmp_path, task(first, annotation(span(0, len(TEXT)), by=2, number=32))))
    assert corpus.details["seconds"] == (12.5, None)
    table = tmp_path / "export.csv"
    cells = json.dumps([{"start": 0, "end": len(TEXT), "labels": ["topic"]}])
    with table.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(
            [
                ["id", "annotation_id", "annotator", "text", "label", "lead_time"],
                [7, 31, 1, TEXT, cells, "12.5"],
            ]
        )
    corpus, _ = noticed(table)
    assert corpus.details["seconds"] == (12.5,)
    for wrong in ("soon", -1, "nan", []):
        fault = r"task 7: annotation 31: lead_time is .*: expected a (number|time from 0 on)"
        with pytest.raises(CorpusError, match=fault):
            read(put(tmp_path, task(annotation(span(0, len(TEXT)), lead_time=wrong))))


def test_tasks_without_coders_and_with_nested_spans():
    path = data_path("formats", "label_studio", "uie_first12.json")
    corpus, notices = noticed(path, overlap="edges", gaps="segment")
    assert corpus.coders == ("unknown",)
    assert (len(corpus.documents), len(corpus)) == (12, 12)
    assert corpus.n_units("2") == 125
    assert corpus["2", "unknown"].positions[:5] == (2, 12, 15, 16, 18)
    assert corpus["2", "unknown"].n_boundaries == 7
    assert notices == ["left out, as they are not spans: relation (36)"]
    with pytest.raises(CorpusError, match=r"coder unknown: .* in no span: gaps='segment'"):
        read(path)
    with pytest.raises(CorpusError, match=r"coder unknown: .* overlaps an earlier one.*overlap='start'"):
        read(path, gaps="join")


# -------------------------------------------------------------------- tasks, coders, texts


def test_the_example(tmp_path):
    path = tmp_path / "export.json"
    path.write_text(FORMATS["label-studio"].example)
    assert read(path).to_dict() == {"7": {"1": [19, 18], "2": [37]}}


def test_coders_are_numbers_or_objects(tmp_path):
    halves = (span(0, 18), span(19, 37))
    path = put(
        tmp_path,
        task(
            annotation(*halves, by=1),
            annotation(*halves, by={"id": 2, "email": "bob@example.org"}),
            annotation(span(0, 37), by={"email": "eve@example.org"}),
            annotation(span(0, 37), by=None),
        ),
    )
    corpus = read(path)
    assert corpus.to_dict() == {"7": {"1": [19, 18], "2": [19, 18], "eve@example.org": [37], "unknown": [37]}}
    assert corpus.spans["7"] == Units.from_text(TEXT, by="character")
    assert corpus.spans["7"].text == TEXT


def test_what_is_not_coded(tmp_path):
    path = put(
        tmp_path,
        task(number=1),
        task(annotation(), number=2),
        task(annotation(span(0, 37), was_cancelled=True), number=3),
        {"id": 4, "data": {"text": TEXT}},
        task(annotation(span(0, 37)), number=5),
    )
    corpus, notices = noticed(path)
    assert corpus.documents == ("1", "2", "3", "4", "5")
    assert list(corpus) == [("5", "1", Segmentation.from_masses([37]))]
    assert corpus.n_units("1") == 37
    assert notices == [
        "1 coding has no span: not coded",
        "left out, as they are not spans: canceled annotation (1)",
    ]


def test_labels_are_chosen_by_tiers(tmp_path):
    path = put(tmp_path, task(annotation(span(0, 37), span(3, 9, "verb"))))
    assert read(path, tiers=["topic"]).to_dict() == {"7": {"1": [37]}}
    corpus, notices = noticed(path, tiers=["topik"])
    assert len(corpus) == 0
    assert notices == [
        "none of its 2 labels was asked for: there are topic and verb",
        "1 coding has no span: not coded",
    ]


def test_names_of_documents(tmp_path):
    coded = annotation(span(0, 37))
    assert read(put(tmp_path, {"data": {"text": TEXT}, "annotations": [coded]})).documents == ("export",)
    assert read(put(tmp_path, {"data": {"id": "d", "text": TEXT}, "annotations": [coded]})).documents == (
        "d",
    )
    with pytest.raises(CorpusError, match="entry 1: the task has no id"):
        read(put(tmp_path, task(coded), {"data": {"text": TEXT}, "annotations": [coded]}))
    with pytest.raises(CorpusError, match="task 7: document 7 is there twice"):
        read(put(tmp_path, task(coded), task(coded)))


def test_the_text_is_the_only_one_or_named(tmp_path):
    coded = [annotation(span(0, 37))]
    assert (
        read(put(tmp_path, {"id": 1, "data": {"body": TEXT, "n": 3}, "annotations": coded})).n_units("1")
        == 37
    )
    path = put(tmp_path, {"id": 1, "data": {"body": TEXT, "title": "x"}, "annotations": coded})
    with pytest.raises(CorpusError, match=r"task 1: .*body and title: choose one by text="):
        read(path)
    assert read(path, text="body").n_units("1") == 37
    with pytest.raises(CorpusError, match="there is no 'boddy' in data"):
        read(path, text="boddy")


def test_quoted_text_that_differs(tmp_path):
    """Old versions counted an emoji as two: https://github.com/HumanSignal/label-studio/issues/1347."""
    text = "\N{PILE OF POO}This is an annotation."
    path = put(tmp_path, task(annotation(span(13, 23, text="annotation")), text=text))
    corpus, notices = noticed(path, gaps="segment")
    assert corpus["7", "1"].positions == (13,)
    assert notices == [
        "the quoted text of 1 span differs from the document's (task 7, 13 to 23: 'nnotation.', not "
        "'annotation'); the offsets count, in code points"
    ]


# -------------------------------------------------------------------- faults


@pytest.mark.parametrize(
    ("results", "fault"),
    [
        ([span(0, 38)], "it ends at 38 and the text at 37; offsets count code points"),
        ([span(-1, 5)], "start is -1: characters are counted from 0"),
        ([span(9, 5)], "it ends at 5, before it starts at 9"),
        ([span(5, 5)], "it starts and ends at 5"),
        ([span(True, 5)], "start is True: expected a whole number"),
        ([span("0", 5)], "start is '0': expected a whole number"),
        ([span(0, 5.5)], "end is 5.5: expected a whole number"),
        ([span(0, None)], "end is None: expected a whole number"),
        ([span(0, 10**40)], "it ends at 1000"),
        ([{"type": "labels"}], "the value is None"),
        (
            [{"type": "labels", "value": {"start": 0, "end": 5, "labels": 3}}],
            "expected start, end and labels",
        ),
        (
            [{"type": "hypertextlabels", "value": {}}],
            r"type hypertextlabels, a span of HTML.*not read",
        ),
        ([{"type": "paragraphlabels", "value": {}}], "a span of a dialogue, and its task has none"),
        ([{"type": "timelinelabels", "value": {}}], "type timelinelabels, a span of a video"),
        ([span(0.5, 2.5, channel=0)], r"the length of its recording is missing; give end="),
        ([3], r"result\[0\] is 3: expected an object"),
    ],
)
def test_bad_spans_name_task_annotation_and_value(tmp_path, results, fault):
    path = put(tmp_path, task(annotation(*results)))
    with pytest.raises(CorpusError, match=rf"export\.json: task 7: annotation 31: .*{fault}") as error:
        read(path)
    assert len(str(error.value).splitlines()) == 1


@pytest.mark.parametrize(
    ("tasks", "fault"),
    [
        ([], "expected a list of tasks"),
        ([3], "entry 0 is 3"),
        ([{"id": 1}], "entry 0 is .*: expected a task with data"),
        ([task(text="")], "task 7: the text is empty"),
        ([task(text=None)], "task 7: the text is None"),
        ([task(3)], r"task 7: annotations\[0\] is 3"),
        ([{"id": 1, "data": {"text": "x"}, "annotations": 3}], "task 1: annotations is 3: expected a list"),
        ([{"id": [1], "data": {"text": "x"}}], "the id of entry 0 is"),
        ([task(annotation(by=[1]))], "task 7: annotation 31: the completed_by is"),
        (
            [task(annotation(span(0, 37)), annotation(span(0, 37), number=32))],
            "task 7: annotation 32: coder 1 made annotation 31, too",
        ),
    ],
)
def test_bad_tasks(tmp_path, tasks, fault):
    path = put(tmp_path, *tasks)
    with pytest.raises(CorpusError, match=fault):
        read(path, "label-studio")


def test_nan_is_no_json(tmp_path):
    path = tmp_path / "export.json"
    path.write_text(json.dumps([task(annotation(span(float("nan"), 5)))]))
    with pytest.raises(CorpusError, match="NaN is not a JSON number"):
        read(path)


# -------------------------------------------------------------------- writing


def test_what_is_written_is_read_back(tmp_path):
    codings = {"7": {"1": [19, 18], "ann": [5, 32], "unknown": [37]}, "other": {"1": [1]}}
    corpus = Corpus.from_dict(codings).with_spans(
        {"7": Units.from_text(TEXT, by="character"), "other": Units.from_text("x", by="character")}
    )
    write(corpus, tmp_path / "out.json", "label-studio")
    found = read(tmp_path / "out.json")
    assert found.metadata["format"] == "label-studio"
    assert found.to_dict() == codings
    assert dict(found.spans) == dict(corpus.spans)
    assert found.spans["7"].text == TEXT
    written = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    assert written[0]["id"] == 7
    assert [one.get("completed_by") for one in written[0]["annotations"]] == [1, {"email": "ann"}, None]


def test_words_are_written_as_characters(tmp_path):
    corpus = Corpus.from_dict({"d": {"ann": Segmentation.from_masses([4, 4])}}).with_spans(
        {"d": Units.from_text(TEXT, by="word")}
    )
    write(corpus, tmp_path / "out.json", "label-studio")
    assert read(tmp_path / "out.json").to_dict() == {"d": {"ann": [19, 18]}}


def test_tasks_that_nobody_has_coded_are_written(tmp_path):
    path = put(tmp_path, task(number=1), task(annotation(span(0, 37)), number=2))
    write(read(path), tmp_path / "out.json", "label-studio")
    assert read(tmp_path / "out.json").documents == ("1", "2")


def test_what_cannot_be_written(tmp_path):
    plain = Corpus.from_dict({"d": {"ann": [2, 3]}}, units={"d": list("abcde")})
    with pytest.raises(CorpusError, match="document d: label-studio needs units in characters"):
        write(plain, tmp_path / "out.json", "label-studio")
    timed = Corpus.from_dict({"d": {"ann": [2, 3]}}).with_spans({"d": Units.every(1, end=5)})
    with pytest.raises(CorpusError, match="label-studio needs units in characters"):
        write(timed, tmp_path / "out.json", "label-studio")
    assert list(tmp_path.iterdir()) == []


# -------------------------------------------------------------------- size


@pytest.mark.exhaustive
def test_ten_megabytes_take_seconds(tmp_path):
    text = "A word here. " * 1000
    results = [span(i * 13, (i + 1) * 13, text=text[:13]) for i in range(1000)]
    tasks = [task(annotation(*results), number=i, text=text) for i in range(90)]
    path = put(tmp_path, *tasks)
    assert path.stat().st_size > 10_000_000
    begin = time.process_time()
    corpus = read(path)
    assert time.process_time() - begin < 60  # no bar of speed: what is quadratic takes minutes
    assert len(corpus) == 90
    assert corpus["3", "1"].masses == (13,) * 1000


@pytest.mark.exhaustive
def test_many_spans_of_a_whole_text_take_linear_time(tmp_path):
    text = "x" * 100_000
    results = [span(0, 100_000, text="x") for _ in range(20_000)]
    path = put(tmp_path, task(annotation(*results), text=text))
    begin = time.process_time()
    corpus, notices = noticed(path)
    assert time.process_time() - begin < 60  # no bar of speed: what is quadratic takes minutes
    assert corpus["7", "1"].masses == (100_000,)
    assert "20,000 spans" in notices[0]


# -------------------------------------------------------------------- other exports


def row(number, start, by, **more):
    """Return a row of JSON-MIN whose two spans meet at ``start``."""
    spans = [{"start": 0, "end": start - 1, "labels": ["a"]}, {"start": start, "end": 37, "labels": ["a"]}]
    times = {"created_at": "2024-05-01T12:00:00Z", "updated_at": "2024-05-01T12:00:00Z", "lead_time": 3.5}
    return {"id": number, "text": TEXT, "label": spans, "annotator": by, "annotation_id": 3, **times, **more}


def test_json_min_has_a_row_per_annotation(tmp_path):
    empty = {key: value for key, value in row(8, 19, 1).items() if key != "label"}
    corpus, notices = noticed(
        put(tmp_path, row(7, 19, 1, mood="glad"), row(7, 10, 2, mood="sad"), empty), gaps="join"
    )
    assert corpus.metadata["format"] == "label-studio"
    assert corpus.to_dict() == {"7": {"1": [19, 18], "2": [10, 27]}, "8": {}}
    assert corpus.n_units("8") == 37
    assert notices == ["1 coding has no span: not coded"]


def test_json_min_of_one_row_of_html_is_refused(tmp_path):
    html = {"start": "/p[1]", "startOffset": 0, "end": "/p[1]", "endOffset": 5, "hypertextlabels": ["a"]}
    with pytest.raises(CorpusError, match="of the type hypertextlabels"):
        read(put(tmp_path, row(7, 19, 1) | {"label": [html]}))


@pytest.mark.parametrize("form", ["task", "annotation", "completions"])
def test_tasks_that_stand_otherwise(tmp_path, form):
    whole = task(annotation(span(0, 18), span(19, 37), by={"id": 4}))
    by = whole["annotations"]
    forms = {
        "task": whole,
        "annotation": {**by[0], "task": {"id": 7, "data": whole["data"]}},
        "completions": [{"id": 7, "data": whole["data"], "completions": by}],
    }
    path = tmp_path / "export.json"
    path.write_text(json.dumps(forms[form]), encoding="utf-8")
    assert read(path).to_dict() == {"7": {"4": [19, 18]}}


# -------------------------------------------------------------------- other exports


def min_row(number, by, *spans):
    """A row of JSON-MIN."""
    return {
        "id": 7,
        "text": TEXT,
        "label": list(spans),
        "annotator": by,
        "annotation_id": number,
        "lead_time": 2.5,
    }


def test_a_table_is_read_as_json_min_is(tmp_path):
    parts = [{"start": start, "end": end, "labels": ["topic"]} for start, end in ((0, 18), (19, 37), (0, 37))]
    rows = [min_row(1, 1, *parts[:2]), min_row(2, 2, parts[2])]
    for extension, delimiter in ((".csv", ","), (".tsv", "\t")):
        path = tmp_path / f"export{extension}"
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, delimiter=delimiter)
            writer.writerow(rows[0])
            writer.writerows(
                [json.dumps(value) if isinstance(value, list) else value for value in one.values()]
                for one in rows
            )
        corpus = read(path)
        assert corpus.metadata["format"] == "label-studio"
        assert corpus.to_dict() == {"7": {"1": [19, 18], "2": [37]}}
    broken = tmp_path / "broken.csv"
    broken.write_text('id,text,label,annotator,annotation_id\n7,ab,"[{""start"": 0",1,1\n', encoding="utf-8")
    with pytest.raises(CorpusError, match=r"broken\.csv: line 2: not valid JSON"):
        read(broken)


def test_drafts_are_told(tmp_path):
    path = put(tmp_path, {**task(annotation(span(0, 37))), "drafts": [{"id": 1, "result": [span(0, 18)]}]})
    corpus, notices = noticed(path)
    assert corpus.to_dict() == {"7": {"1": [37]}}
    assert notices == ["left out, as they are not spans: draft (1)"]


def region(start, end, length=None):
    more = {} if length is None else {"original_length": length}
    return {**span(start, end, channel=0), **more}


def recording(*annotations, number=7):
    return {"id": number, "data": {"audio": "/data/a.mp3"}, "annotations": list(annotations)}


def test_regions_of_a_recording_are_spans_in_seconds(tmp_path):
    whole = annotation(region(0, 40.5, 100), region(40.5, 100, 100))
    parts = annotation(region(0, 30, 100), region(32, 100, 100), by=2)
    path = put(tmp_path, recording(whole, parts))
    with pytest.raises(CorpusError, match="coder 2: seconds 30 to 32 are in no span"):
        read(path)
    corpus = read(path, gaps="join")
    units = corpus.spans["7"]
    assert (units.axis, units.end) == ("seconds", 100)
    assert units.offsets(corpus["7", "1"]).tolist() == [40.5]
    assert units.offsets(corpus["7", "2"]).tolist() == [32]
    unsaid = put(tmp_path, recording(annotation(region(0, 40.5), region(40.5, 60))))
    assert read(unsaid, end="1:00").spans["7"].end == 60
    with pytest.raises(CorpusError, match="task 7: its recording has several lengths, 100 and 90 s"):
        read(put(tmp_path, recording(annotation(region(0, 10, 100), region(10, 90, 90)))))


def turns(first, last, **offsets):
    return {"type": "paragraphlabels", "value": {"start": str(first), "end": str(last), **offsets}}


def test_regions_of_a_dialogue_are_spans_of_turns(tmp_path):
    said = [("Ann", "It rains."), ("Bob", "Again?"), ("Ann", "Tea? "), ("Bob", "Yes.")]
    data = {"dialogue": [{"author": author, "text": text} for author, text in said]}

    def file(*results):
        return put(tmp_path, {"id": 7, "data": data, "annotations": [annotation(*results)]})

    path = file(turns(0, 1, startOffset=0, endOffset=6), turns(2, 3, startOffset=0, endOffset=4))
    corpus = read(path)
    assert corpus.to_dict() == {"7": {"1": [2, 2]}}
    assert corpus.units["7"] == ("Ann: It rains.", "Bob: Again?", "Ann: Tea? ", "Bob: Yes.")
    # The space after "Tea?" may be left out, a word may not.
    assert read(file(turns(0, 2, endOffset=4), turns(3, 3))).to_dict() == {"7": {"1": [3, 1]}}
    with pytest.raises(CorpusError, match=r"result\[0\]: it starts at character 3 of turn 0"):
        read(file(turns(0, 3, startOffset=3)))
    with pytest.raises(CorpusError, match=r"result\[0\]: the region has '4': expected a turn from 0 to 3"):
        read(file(turns(0, 4)))
