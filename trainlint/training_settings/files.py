"""Settings of training that stand in files of their own, in JSON or YAML: how they are told from other files.

`tree` reads them.
"""

from __future__ import annotations

import re

from trainlint.patterns import lazy

JSON = ".json"
_NAME = lazy(
    r"deepspeed|fsdp|zero|config|(^|[_-])ds([_-]|\d|\.)|default|stage_?\d|arg(ument)?s|hparams|finetun|sft",
    re.IGNORECASE,
)
"""What such files of JSON are called. Others are not opened: a project may hold thousands of JSON files of data."""
_IN_YAML = (
    (b"per_device_train_batch_size:",),  # the Trainer of Hugging Face, LLaMA-Factory, TRL, ms-swift
    (b"micro_batch_size:", b"base_model:"),  # axolotl
    (b"accelerator:", b"devices:"),  # Lightning
)
_MARKS = {
    JSON: ((b'"zero_optimization"',), (b'"train_micro_batch_size_per_gpu"',), (b'"per_device_train_batch_size"',)),
    ".yaml": _IN_YAML,
    ".yml": _IN_YAML,
}
"""What stands in them and in few others: all of a row."""


def is_settings(path: str) -> bool:
    """Whether a path is that of a JSON or YAML file."""
    return path.endswith(tuple(_MARKS))


def may_be_settings(name: str) -> bool:
    """Whether a file is called as files with settings of training are."""
    return is_settings(name) and (not name.endswith(JSON) or _NAME.search(name) is not None)


def holds_settings(path: str, data: bytes) -> bool:
    """Whether a JSON or YAML file holds settings that rules know of."""
    rows = next((rows for suffix, rows in _MARKS.items() if path.endswith(suffix)), ())
    return any(all(mark in data for mark in row) for row in rows)
