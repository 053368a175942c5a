"""What runs in each run of a program, and what somebody chose."""

from __future__ import annotations

import pytest

from tests.analysis.facts import file_model
from trainlint.analysis.conditions.choices import is_chosen


def chosen(code: str) -> bool:
    file = file_model(code)
    return is_chosen(file, file.outline.calls["switch"][0].block)


@pytest.mark.parametrize(
    "code",
    [
        "switch()",
        "if torch.cuda.is_available() and rank == 0:\n    switch()",
        "def set_up():\n    switch()\nif args.slow:\n    set_up()\nset_up()",
        "def set_up():\n    switch()",
        "def train():\n    switch()\n    for x in loader:\n        loss.backward()\nif not args.search:\n    train()",
    ],
)
def test_in_each_run(code: str) -> None:
    assert not chosen(code)


@pytest.mark.parametrize(
    "code",
    [
        "if args.debug:\n    switch()",
        "if torch.cuda.is_available() and args.debug:\n    switch()",
        "try:\n    run()\nexcept RuntimeError:\n    switch()",
        "def set_up(seed):\n    if seed is None:\n        return\n    switch()",
        "def set_up():\n    switch()\nif args.seed:\n    set_up()",
        "def enable_debugging():\n    switch()",
    ],
)
def test_by_choice(code: str) -> None:
    assert chosen(code)
