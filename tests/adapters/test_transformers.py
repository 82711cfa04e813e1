"""The page's compute_metrics, on what a small model with random weights says; nothing is downloaded.

Source of truth: the model's own highest scores, word by word, and the metrics on them.
"""

import doctest
import re
from pathlib import Path

import numpy as np
import pytest

import caesura as cs

PAGE = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "use-with-other-libraries.md"


@pytest.fixture
def compute_metrics():
    """Return the function that the page shows."""
    blocks = re.findall(r"^```pycon\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    (block,) = [block for block in blocks if "def compute_metrics" in block]
    session = doctest.DocTestParser().get_doctest(block, {}, "page", None, None)
    assert doctest.DocTestRunner(verbose=False).run(session, clear_globs=False).failed == 0
    return session.globs["compute_metrics"]


@pytest.fixture
def batch():
    """Sentences of subwords: first pieces have labels, special tokens, later pieces and padding −100."""
    rng = np.random.default_rng(0)
    ids, labels = np.zeros((6, 24), dtype=np.int64), np.full((6, 24), -100)
    for row, size in enumerate((24, 20, 9, 15, 3, 22)):
        ids[row, :size] = rng.integers(1, 50, size)
        first = np.flatnonzero(rng.random(size - 2) < 0.7) + 1
        labels[row, first] = rng.random(len(first)) < 0.3
    return ids, labels


def test_a_model_is_judged_by_its_boundaries_of_words(compute_metrics, batch):
    # Here, since every worker would load them to collect this file.
    import torch
    from transformers import BertConfig, BertForTokenClassification, EvalPrediction, set_seed

    set_seed(0)
    ids, labels = batch
    config = BertConfig(
        vocab_size=50,
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        num_labels=2,
    )
    model = BertForTokenClassification(config)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    inputs = {"input_ids": torch.from_numpy(ids), "attention_mask": torch.from_numpy((ids > 0).astype(int))}
    for _ in range(3):
        optimizer.zero_grad()
        model(**inputs, labels=torch.from_numpy(labels)).loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        logits = model(**inputs).logits.numpy()
    found = compute_metrics(EvalPrediction(predictions=logits, label_ids=labels))
    total = {name: cs.Accumulator(name) for name in ("B", "WD", "F")}
    for row in range(6):
        words = [place for place in range(24) if labels[row, place] != -100]
        reference = [int(labels[row, place]) for place in words]
        hypothesis = [int(logits[row, place, 1] > logits[row, place, 0]) for place in words]
        for one in total.values():
            one.update(cs.Segmentation.from_starts(reference), cs.Segmentation.from_starts(hypothesis))
    assert found == {name: float(one.value) for name, one in total.items()}
