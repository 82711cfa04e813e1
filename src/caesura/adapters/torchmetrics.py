"""torchmetrics: any metric as a Metric whose counts add up over batches and processes, exactly."""

from __future__ import annotations

from typing import Any

from caesura.adapters.documents import MARKS, Marks, pairs_of_batch
from caesura.checks import check_choice
from caesura.errors import ParameterError, missing_extra
from caesura.metrics.base import Metric, Score
from caesura.metrics.registry import get_metric

try:
    import torch
    import torchmetrics
except ImportError as error:
    raise missing_extra("this adapter needs torchmetrics", "torch") from error


class SegmentationMetric(torchmetrics.Metric):
    """A metric of segmentations for training loops: ``update`` with padded batches, ``compute`` the average.

    Its states are the metric's integer counts and the number of documents, which processes add up
    (``dist_reduce_fx="sum"``): the micro-average of all documents, the same for any batches and any number of
    processes. ``ignore_index`` is the target of columns without a unit: special tokens, later word pieces,
    padding (−100 in Hugging Face's and PyTorch's losses); without it every column is a unit.

    >>> metric = SegmentationMetric("B(n_t=2)", ignore_index=-100)
    >>> preds = torch.tensor([[1, 0, 1, 0, 0], [1, 0, 0, 1, 1]])
    >>> target = torch.tensor([[1, 0, 0, 1, 0], [1, 0, -100, -100, -100]])
    >>> metric.update(preds, target)
    >>> metric.compute()
    tensor(0.5000, dtype=torch.float64)
    """

    is_differentiable = False
    full_state_update = False
    counts: torch.Tensor
    n_documents: torch.Tensor

    def __init__(
        self,
        metric: Metric | str = "B",
        *,
        marks: Marks = "starts",
        threshold: float | None = None,
        ignore_index: int | None = None,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        check_choice("marks", marks, MARKS)
        self.metric = get_metric(metric)
        self.batch_options: dict[str, Any] = {"marks": marks, "threshold": threshold, "ignore": ignore_index}
        # The scale of counts, and whether they are whole numbers, is the same for all pairs; this pair is
        # long enough for the window, if the metric has one.
        half = self.metric.parameters.get("k") or 1
        like_all = self.metric.batch([[half, half]], [[half, half]])
        self.scale = like_all.scale
        dtype = torch.int64 if like_all.rows.dtype.kind == "i" else torch.float64
        empty = torch.zeros(len(self.metric.count_names), dtype=dtype)
        self.add_state("counts", default=empty, dist_reduce_fx="sum")
        self.add_state("n_documents", default=torch.zeros((), dtype=torch.int64), dist_reduce_fx="sum")

    @property
    def higher_is_better(self) -> bool | None:
        """Whether higher is better; None for a ratio that should be 1."""
        return {"higher": True, "lower": False, "closest": None}[self.metric.direction]

    def update(self, preds: torch.Tensor, target: torch.Tensor) -> None:
        """Add a batch, documents × units; predictions may be scores (``threshold``) or scores of classes."""
        given = (preds.detach().double() if preds.is_floating_point() else preds).cpu().numpy()
        references, hypotheses = pairs_of_batch(target.detach().cpu().numpy(), given, **self.batch_options)
        if references:
            added = self.metric.batch(references, hypotheses).micro
            if added.scale != self.scale:
                raise ParameterError(f"{self.metric} counts these documents in other units")
            self.counts += torch.tensor(added.counts, dtype=self.counts.dtype, device=self.counts.device)
            self.n_documents += len(references)

    def compute(self) -> torch.Tensor:
        """Return the micro-average over all documents of all processes."""
        return torch.tensor(float(self.score()), dtype=torch.float64)

    def score(self) -> Score:
        """Return the Score of this process's documents, with counts and signature."""
        if not int(self.n_documents):
            raise ParameterError(f"no document was added yet: {self.metric} has no value")
        return Score(self.metric, tuple(self.counts.tolist()), self.scale, int(self.n_documents))
