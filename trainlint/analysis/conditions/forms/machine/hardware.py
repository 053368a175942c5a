"""Tests of the machine and of the size of the job: `torch.cuda.is_available()`, `world_size > 1`."""

from __future__ import annotations

import ast
import re
from functools import lru_cache

from trainlint.analysis.conditions.condition import Condition, ConditionKind
from trainlint.analysis.conditions.forms.counters import words
from trainlint.analysis.conditions.question import Question
from trainlint.analysis.syntax.names import NAMES
from trainlint.patterns import lazy

_HARDWARE = lazy(
    r"cuda|(^|_)(mps|xpu|npu|xla|tpu)($|_)|gpu|(^|_)devices?($|_)|device_count|is_available|distributed|"
    r"(^|_)(ddp|fsdp|multi_?process|multi_?node)($|_)|world_size|num_processes|(^|_)is_initialized$|multi_?gpu",
    re.IGNORECASE,
)
"""What a run that is worth tuning has, or has not, in all of its steps."""


def compared(question: Question) -> Condition | None:
    """`device.type == "cuda"`, `world_size > 1`."""
    return _of_machine(question)


def called(question: Question) -> Condition | None:
    """`torch.cuda.is_available()`, `dist.is_initialized()`."""
    return _of_machine(question)


def named(question: Question) -> Condition | None:
    """`args.distributed`, `use_cuda`."""
    return _of_machine(question)


def _of_machine(question: Question) -> Condition | None:
    test = question.test
    if isinstance(test, ast.Call):
        found = any(map(speaks_of_hardware, words(test.func)))
    else:
        found = any(map(speaks_of_hardware, question.names)) or any(map(speaks_of_hardware, _strings(question)))
    return Condition(ConditionKind.HARDWARE, test.lineno, "depending on the machine") if found else None


def _strings(question: Question) -> list[str]:
    return [part.value for part in question.nodes if type(part) is ast.Constant and type(part.value) is str]


@lru_cache(NAMES)
def speaks_of_hardware(name: str) -> bool:
    """Whether a name or a string in a test is about devices or the number of processes."""
    return bool(_HARDWARE.search(name))
