"""The torchmetrics Metric: batches and processes add up to the number over all documents at once.

Source of truth: the metric itself on the segmentations of all documents, without padding; two processes that
talk over gloo.
"""

import doctest
import json
import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import caesura as cs
from caesura.adapters.documents import pairs_of_batch


@pytest.fixture(scope="module", autouse=True)
def libraries():
    """Import PyTorch with the first test: every worker collects this file, one runs it."""
    global torch, tensor, MetricCollection, MetricTracker, SegmentationMetric
    import torch
    from torch import tensor
    from torchmetrics import MetricCollection
    from torchmetrics.wrappers import MetricTracker

    from caesura.adapters.torchmetrics import SegmentationMetric


PLAIN = [name for name in cs.METRICS if name not in ("EPk", "EWD")]


def documents(n, seed=0):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 25, size=n)
    return [[(rng.random(size) < 0.3).astype(int).tolist() for size in sizes] for _ in range(2)]


def padded(rows, fill, width=30):
    return tensor([[*row, *[fill] * (width - len(row))] for row in rows])


def expected(metric, references, hypotheses):
    sides = [[cs.Segmentation.from_starts(row) for row in side] for side in (references, hypotheses)]
    return cs.metric(metric).batch(*sides).micro


def test_the_example_runs():
    """The root's conftest.py leaves this file out of pytest's own collection of doctests."""
    import caesura.adapters.torchmetrics

    results = doctest.testmod(caesura.adapters.torchmetrics)
    assert results.attempted > 0
    assert results.failed == 0


@pytest.mark.parametrize(
    "metric", [*PLAIN, "B(n_t=3)", "S(n_t=5, transposition='equation')", "WD(k=3)", "Pk(k=9)"]
)
def test_batches_add_up_to_the_number_over_all_documents(metric):
    references, hypotheses = documents(20)
    k = cs.metric(metric).parameters.get("k") or 0  # a window needs more units than k
    references, hypotheses = ([row for row in side if len(row) > k] for side in (references, hypotheses))
    ours = SegmentationMetric(metric, ignore_index=-100)
    for start in range(0, len(references), 7):
        chosen = slice(start, start + 7)
        ours.update(padded(hypotheses[chosen], 1), padded(references[chosen], -100))
    wanted = expected(metric, references, hypotheses)
    assert ours.compute().item() == pytest.approx(float(wanted), rel=1e-15)
    assert ours.compute().dtype == torch.float64
    if ours.counts.dtype == torch.int64:
        assert (tuple(ours.counts.tolist()), ours.scale) == (wanted.counts, wanted.scale)
        assert ours.compute().item() == float(wanted)
    assert ours.score().signature == wanted.signature


@settings(max_examples=30)
@given(st.integers(0, 10_000), st.integers(1, 9))
def test_what_is_padding_in_the_target_is_no_unit_wherever_it_stands(seed, n):
    """Special tokens before, later pieces of words between, padding behind: what is left is the document."""
    references, hypotheses = documents(n, seed)
    rng = np.random.default_rng(seed)
    target = np.full((n, 60), -100)
    preds = rng.integers(0, 2, size=(n, 60))
    for row, (reference, hypothesis) in enumerate(zip(references, hypotheses, strict=True)):
        places = np.sort(rng.choice(60, size=len(reference), replace=False))
        target[row, places], preds[row, places] = reference, hypothesis
    ours = SegmentationMetric("B", ignore_index=-100)
    ours.update(torch.from_numpy(preds), torch.from_numpy(target))
    assert ours.compute().item() == float(expected("B", references, hypotheses))


def test_a_row_without_units_is_no_document():
    ours = SegmentationMetric("B", ignore_index=-100)
    ours.update(tensor([[1, 0, 1], [1, 1, 1]]), tensor([[1, 0, 1], [-100, -100, -100]]))
    ours.update(tensor([[1, 1]]), tensor([[-100, -100]]))
    assert int(ours.n_documents) == 1
    assert ours.compute() == 1


def test_scores_and_scores_of_classes():
    target = tensor([[1, 0, 1, 0, -100]])
    scores = tensor([[0.9, 0.4, 0.8, 0.1, 0.9]])
    by_threshold = SegmentationMetric("B", ignore_index=-100, threshold=0.5)
    by_threshold.update(scores, target)
    assert by_threshold.compute() == 1
    by_class = SegmentationMetric("B", ignore_index=-100)
    by_class.update(torch.stack([1 - scores, scores], dim=2).log(), target)
    assert by_class.compute() == 1
    by_class.update(torch.stack([scores, 1 - scores], dim=2).bfloat16(), target)
    # Now 0 1 0 1: boundaries before the second and fourth unit, one of them a near miss of the third's.
    assert by_class.compute() == (1 + 0.5) / (1 + 2)


def test_what_is_predicted_for_padding_is_not_looked_at():
    """Loops of training pad predictions, too: with −100, or with whatever the model says there."""
    for filler in (-100.0, float("nan"), 0.3):
        ours = SegmentationMetric("B", ignore_index=-100)
        ours.update(tensor([[1.0, 0.0, 1.0, filler]]), tensor([[1, 0, 1, -100]]))
        assert ours.compute() == 1


def test_rows_of_several_lengths_are_refused():
    with pytest.raises(cs.ComparisonError, match="labels form no array: pad all rows to one length"):
        pairs_of_batch([[1, 0], [1]], [[1, 0], [1, 0]])


def test_other_marks():
    target, preds = tensor([[5, 5, 7, 7, 7]]), tensor([[2, 2, 2, 9, 9]])
    labels = SegmentationMetric("B", marks="labels")
    labels.update(preds, target)
    assert labels.compute() == 0.5
    ends = SegmentationMetric("B", marks="ends")
    ends.update(tensor([[0, 1, 0, 0, 1]]), tensor([[0, 1, 0, 0, 0]]))
    assert ends.compute() == 1


def test_it_behaves_as_a_metric_of_torchmetrics():
    ours = SegmentationMetric("WD")
    assert ours.higher_is_better is False
    assert SegmentationMetric("B").higher_is_better is True
    assert SegmentationMetric("Density").higher_is_better is None
    assert ours(tensor([[1, 0, 0, 1, 0, 0]]), tensor([[1, 0, 0, 1, 0, 0]])) == 0  # forward: of this batch
    assert ours(tensor([[1, 0, 0, 0, 0, 0]]), tensor([[1, 0, 0, 1, 0, 0]])) > 0
    pooled = ours.compute()
    assert pickle.loads(pickle.dumps(ours)).compute() == pooled
    assert int(ours.clone().n_documents) == 2
    ours.reset()
    with (
        pytest.raises(cs.ParameterError, match="no document was added yet"),
        pytest.warns(UserWarning, match="before"),
    ):
        ours.compute()


def test_collections_and_trackers_take_it():
    collection = MetricCollection({"B": SegmentationMetric("B"), "WD": SegmentationMetric("WD")})
    collection.update(tensor([[1, 0, 1, 0]]), tensor([[1, 0, 0, 1]]))
    found = collection.compute()
    assert found["B"] == 0.5
    assert found["WD"] == float(cs.window_diff([3, 1], [2, 2]))
    tracker = MetricTracker(SegmentationMetric("WD"), maximize=None)
    for preds in ([[1, 0, 1, 0]], [[1, 0, 0, 1]], [[1, 1, 1, 1]]):
        tracker.increment()
        tracker.update(tensor(preds), tensor([[1, 0, 0, 1]]))
    assert tracker.best_metric(return_step=True) == (0.0, 1)


@pytest.mark.parametrize(
    ("options", "preds", "target", "message"),
    [
        ({}, [[1, 0]], [[1, -100]], r"document row 0: labels: starts\[1\] is -100"),
        ({}, [[1, 0, 1]], [[1, 0]], "labels have the shape"),
        ({}, [1, 0], [1, 0], "labels have the shape"),
        ({}, [[0.7, 0.2]], [[1, 0]], "give threshold where they are scores"),
        ({}, [[float("nan"), 0.0]], [[1, 0]], "predictions have nan"),
        ({}, [[[0.1, 0.2], [0.1, float("nan")]]], [[1, 0]], "predictions have nan"),
        ({"threshold": 0.5}, [[[0.7, 0.2]]], [[1]], "leave threshold out: of scores of classes"),
        ({"threshold": 0.5, "marks": "labels"}, [[0.7]], [[1]], "not labels"),
    ],
)
def test_what_cannot_be_read_is_refused(options, preds, target, message):
    with pytest.raises(cs.CaesuraError, match=message):
        SegmentationMetric("B", **options).update(tensor(preds), tensor(target))


def test_wrong_options_are_refused():
    with pytest.raises(cs.UnknownNameError, match="did you mean 'WD'"):
        SegmentationMetric("windowdiff")
    with pytest.raises(cs.ParameterError, match="did you mean 'starts'"):
        SegmentationMetric("B", marks="start")
    with pytest.raises(cs.ParameterError, match="a duration needs a uniform grid"):
        SegmentationMetric("B(n_t='3s')")


PROCESS = """
import json, sys
import torch, torch.distributed as dist
from caesura.adapters.torchmetrics import SegmentationMetric
rank, store, data = int(sys.argv[1]), sys.argv[2], json.load(open(sys.argv[3]))
dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=2)
found = {}
for spec in data["metrics"]:
    metric = SegmentationMetric(spec, ignore_index=-100)
    for target, preds in data["batches"][rank]:
        metric.update(torch.tensor(preds), torch.tensor(target))
    found[spec] = metric.compute().item()
    assert int(metric.n_documents) == sum(len(target) for target, _ in data["batches"][rank])  # its own again
print(json.dumps(found))
dist.destroy_process_group()
"""


@pytest.mark.exhaustive
def test_two_processes_add_up_over_gloo(tmp_path):
    """One process has 13 documents in two batches, the other 4 in one; both get the number over all 17."""
    references, hypotheses = documents(17, seed=5)
    metrics = ["B(n_t=2)", "WD", "Pk", "BF", "GHD"]
    cuts = [(0, 6), (6, 13), (13, 17)]
    batches = [(padded(references[a:b], -100).tolist(), padded(hypotheses[a:b], 0).tolist()) for a, b in cuts]
    data = tmp_path / "data.json"
    data.write_text(json.dumps({"metrics": metrics, "batches": [batches[:2], batches[2:]]}), encoding="utf-8")
    environment = {
        **os.environ,
        "GLOO_SOCKET_IFNAME": "lo",
        "OMP_NUM_THREADS": "1",
        "PYTHONPATH": str(Path(cs.__file__).parents[1]),
    }
    started = [
        subprocess.Popen(
            [sys.executable, "-c", PROCESS, str(rank), str(tmp_path / "store"), str(data)],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for rank in range(2)
    ]
    try:
        printed = [process.communicate(timeout=300) for process in started]
    finally:
        for process in started:
            process.kill()
    assert [process.returncode for process in started] == [0, 0], printed
    first, second = (json.loads(out.splitlines()[-1]) for out, _ in printed)
    assert first == second
    for spec in metrics:
        assert first[spec] == pytest.approx(float(expected(spec, references, hypotheses)), rel=1e-15)
    assert first["B(n_t=2)"] == float(expected("B(n_t=2)", references, hypotheses))
