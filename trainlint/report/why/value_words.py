"""Heat and values in words that people use, as `trainlint why` prints them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainlint.analysis.types.values import Kind, Origin
from trainlint.finding import Heat
from trainlint.report.words import runs

if TYPE_CHECKING:
    from trainlint.analysis.types.values import Value
    from trainlint.finding import HeatFact

_KINDS = {
    Kind.ARRAY: "a NumPy array or number",
    Kind.NUMBER: "a Python number",
    Kind.STRING: "a text",
    Kind.NONE: "None",
    Kind.MODULE: "a module",
    Kind.OPTIMIZER: "an optimizer",
    Kind.SCHEDULER: "a scheduler",
    Kind.SCALER: "a gradient scaler",
    Kind.LOADER: "a data loader",
    Kind.DATASET: "a dataset",
    Kind.DEVICE: "a device",
    Kind.DTYPE: "a data type",
    Kind.SHAPE: "sizes, which are Python numbers",
    Kind.CONTAINER: "a list, tuple, set or dict",
    Kind.UNKNOWN: "unknown",
}
_ORIGINS = {
    Origin.BATCH: "from a loader's batch",
    Origin.OUTPUT: "returned by a module",
    Origin.LOSS: "a loss",
}
_UNSURE = 0.995
"""From here on a share rounds to 1, and says nothing that needs a number."""


def heat_words(fact: HeatFact, *, chain: bool = True) -> str:
    """As in "runs each training step (0.97): line 8: for batch in loader"."""
    if fact.heat is Heat.UNKNOWN:
        words = "nothing is known of how often it runs"
    else:
        words = runs(fact.heat) + share(fact.confidence)
    return f"{words}: {' → '.join(fact.chain)}" if chain and fact.chain else words


def value_words(value: Value) -> str:
    """As in "a tensor, a loss"; "by its name" where nothing else says so."""
    words = "a tensor" if value.kind is Kind.TENSOR else _KINDS.get(value.kind, value.kind.name.lower())
    if value.origin in _ORIGINS:
        words += f", {_ORIGINS[value.origin]}"
    return words if value.proved or value.kind is Kind.UNKNOWN else f"{words}, by its name"


def share(confidence: float) -> str:
    """As in " (0.9)"; empty for what is certain."""
    return f" ({confidence:.2g})" if confidence < _UNSURE else ""
