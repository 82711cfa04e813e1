"""The module for Hugging Face's evaluate; evaluate copies this file into its cache and imports the copy."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import datasets
import evaluate

from caesura.adapters.documents import READERS, check_document
from caesura.checks import check_choice
from caesura.errors import CaesuraError
from caesura.metrics.registry import metric
from caesura.values.segmentation import Segmentation

DEFAULT = "B"
"""The metric that is calculated if no configuration names one."""

FORMS: Mapping[str, Callable[[Any], Segmentation]] = {"masses": Segmentation.from_masses, **READERS}
"""What the numbers of a document may mean."""

DESCRIPTION = """Compares segmentations: boundary similarity, WindowDiff, Pk and the other metrics of caesura.
The configuration is the metric, such as "B", "B(n_t=3)" or "WD(edges='wrap')"."""

INPUTS = """
Args:
    predictions: for each document its segmentation by the model.
    references: for each document the true one, in the same form.
    form: "masses" (lengths of segments), "labels" (a label for each unit, which changes at boundaries),
        "starts" or "ends" (0 or 1 for each unit), "gaps" (0 or 1 for each gap between two units, a list or a
        string). Default: lists are masses, strings are gaps.
Returns:
    the metric's micro-average over all documents, under its name; how many documents there were, and the
    signature, which reproduces the number.
"""


class SegmentationMetric(evaluate.Metric):
    """The metric that the configuration names, over all documents that were added."""

    config_name: str

    def _info(self) -> Any:
        if self.config_name == "default":
            self.config_name = DEFAULT
        self.metric = metric(self.config_name)
        self.metric.check_units()
        text, number = datasets.Value("string"), datasets.Value("int64")
        forms = [text, datasets.Sequence(text), datasets.Sequence(number)]
        return evaluate.MetricInfo(
            description=DESCRIPTION,
            citation=self.metric.citation,
            inputs_description=INPUTS,
            features=[datasets.Features({"predictions": form, "references": form}) for form in forms],
        )

    def _compute(
        self, predictions: Sequence[Any], references: Sequence[Any], form: str | None = None
    ) -> dict[str, Any]:
        """Compare the documents that were added."""
        if form is not None:
            check_choice("form", form, list(FORMS))
        true, predicted = _read(references, form, "references"), _read(predictions, form, "predictions")
        for number, (reference, prediction) in enumerate(zip(true, predicted, strict=True)):
            check_document(str(number), reference, prediction)
        score = self.metric.batch(true, predicted).micro
        return {self.metric.name: float(score), "n_documents": score.n_pairs, "signature": score.signature}


def _read(documents: Sequence[Any], form: str | None, side: str) -> list[Segmentation]:
    """Return the segmentation of each document; errors name its number."""
    segmentations = []
    for number, document in enumerate(documents):
        chosen = form or ("gaps" if isinstance(document, str) else "masses")
        try:
            segmentations.append(FORMS[chosen](document))
        except CaesuraError as error:
            raise type(error)(f"{side}[{number}]: {error}") from None
    return segmentations
