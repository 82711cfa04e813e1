"""Hugging Face's evaluate loads the module from the installed package, without network, into a fresh cache.

Source of truth: the same metric on the same documents, and boundary similarity of (2, 3, 6) and (2, 2, 7),
0.75 (Fournier 2013).
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import caesura as cs
from caesura import adapters

REFERENCES, HYPOTHESES = [[2, 3, 6], [5, 6], [1, 1, 1]], [[2, 2, 7], [5, 6], [3]]
FORMS = {
    "masses": "masses",
    "labels": "to_labels",
    "starts": "to_starts",
    "ends": "to_ends",
    "gaps": "to_gaps",
}


@pytest.fixture
def load(tmp_path, monkeypatch):
    """Return what loads the module; nothing else may be asked of the network, or be in the cache."""
    evaluate = pytest.importorskip("evaluate")
    monkeypatch.setattr("evaluate.config.HF_EVALUATE_OFFLINE", True)
    monkeypatch.setattr("evaluate.config.HF_MODULES_CACHE", tmp_path / "modules")
    monkeypatch.setattr("socket.socket.connect", lambda *_: pytest.fail("the network was asked"))
    monkeypatch.setattr(sys, "path", [*sys.path])

    def load(*config, **options):
        return evaluate.load(adapters.huggingface_module_path(), *config, cache_dir=str(tmp_path), **options)

    return load


@pytest.mark.parametrize("spec", ["B(n_t=2)", "B(n_t=3)", "WD(edges='wrap')", "Pk", "BF", "GHD"])
def test_the_configuration_is_the_metric(load, spec):
    found = load(spec).compute(references=REFERENCES, predictions=HYPOTHESES)
    expected = cs.metric(spec).batch(REFERENCES, HYPOTHESES).micro
    assert found[cs.metric(spec).name] == float(expected)
    assert found["signature"] == expected.signature
    assert found["n_documents"] == 3


def test_boundary_similarity_is_what_is_calculated_by_default(load):
    assert load().compute(references=[[2, 3, 6]], predictions=[[2, 2, 7]])["B"] == 0.75


@pytest.mark.parametrize(("form", "write"), FORMS.items())
def test_documents_of_every_form(load, form, write):
    def written(codings):
        found = [getattr(cs.Segmentation.from_masses(masses), write) for masses in codings]
        return [one() if callable(one) else one for one in found]

    module = load()
    expected = float(cs.metric("B").batch(REFERENCES, HYPOTHESES).micro)
    found = module.compute(references=written(REFERENCES), predictions=written(HYPOTHESES), form=form)
    assert found["B"] == expected
    if form == "gaps":  # a string needs no form
        assert (
            module.compute(references=written(REFERENCES), predictions=written(HYPOTHESES))["B"] == expected
        )
    if form in ("labels", "starts", "ends"):  # arrays, as models give them
        arrays = [[np.array(one) for one in written(side)] for side in (REFERENCES, HYPOTHESES)]
        assert module.compute(references=arrays[0], predictions=arrays[1], form=form)["B"] == expected


def test_labels_may_be_words(load):
    found = load().compute(
        references=[["a", "a", "b", "b", "a"], ["01", "1"]],
        predictions=[["x", "x", "x", "y", "z"], ["1", "1"]],
        form="labels",
    )
    # By hand: {2, 4} and {3, 4} are one match and one near miss, {1} and none one miss: (1 + 1/2) of 3.
    assert found["B"] == 1.5 / 3


def test_batches_and_single_documents_are_added_up(load):
    module = load("WD")
    module.add_batch(references=REFERENCES[:2], predictions=HYPOTHESES[:2])
    module.add(reference=REFERENCES[2], prediction=HYPOTHESES[2])
    found = module.compute()
    assert found["WD"] == float(cs.metric("WD").batch(REFERENCES, HYPOTHESES).micro)
    module.add_batch(references=[[5, 6]], predictions=[[5, 6]])  # it starts again after compute
    assert module.compute()["WD"] == 0


@pytest.mark.parametrize(
    ("options", "references", "message"),
    [
        ({}, [[2, 3], [2, 0]], r"references\[1\]: masses\[1\] is 0"),
        ({"form": "labls"}, [[1, 1], [1, 2]], "form is 'labls': did you mean 'labels'"),
        ({"form": "starts"}, [[1, 0], [1, -100]], r"references\[1\]: starts\[1\] is -100"),
        ({}, [[2, 3], [2, 2]], "document 1: the reference has 4 units and the hypothesis 2"),
    ],
)
def test_wrong_documents_are_refused_in_one_line(load, options, references, message):
    with pytest.raises(cs.CaesuraError, match=message) as caught:
        load().compute(references=references, predictions=[[4, 1], [1, 1]], **options)
    assert "\n" not in str(caught.value)


def test_an_unknown_metric_is_refused_when_it_is_loaded(load):
    with pytest.raises(cs.UnknownNameError, match="did you mean 'WD'"):
        load("windowdiff")


ALONE = """
import json, socket, sys
def refuse(*arguments): raise AssertionError("the network was asked")
socket.socket.connect = socket.getaddrinfo = refuse
import evaluate
from caesura.adapters import huggingface_module_path
module = evaluate.load(huggingface_module_path(), "B(n_t=2)")
print(json.dumps(module.compute(references=[[2, 3, 6]], predictions=[[2, 2, 7]])))
"""


@pytest.mark.exhaustive
def test_a_fresh_process_without_network_loads_it(tmp_path):
    environment = {
        **os.environ,
        "HF_HOME": str(tmp_path / "hub"),
        "HF_HUB_OFFLINE": "1",
        "HF_EVALUATE_OFFLINE": "1",
        "PYTHONPATH": str(Path(cs.__file__).parents[1]),
    }
    command = [sys.executable, "-c", ALONE]
    done = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["B"] == 0.75


def test_without_evaluate_one_line_says_what_to_install(monkeypatch):
    monkeypatch.setattr(adapters, "find_spec", lambda name: None)
    with pytest.raises(cs.MissingExtraError, match=r"needs Hugging Face's evaluate: .*\[huggingface\]'$"):
        adapters.huggingface_module_path()
