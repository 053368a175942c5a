"""A comment that gives a reason for a line keeps its finding from being shown by default, and from being fixed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.rules.catalogue import DEFAULT, all_rules, judged_source, source
from trainlint.finding import Confidence, Finding

STEP = """
import torch


def train(model, criterion, optimizer, train_loader):
    for inputs, targets in train_loader:
        loss = criterion(model(inputs.cuda()), targets.cuda())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
{lines}
"""
SHOW_ALL = replace(DEFAULT, min_confidence=Confidence.UNLIKELY)
RULES = [rule() for rule in all_rules() if rule.code in ("TRN204", "TRN801")]


def found(text: str) -> Finding:
    (finding,) = judged_source(source(text), RULES, SHOW_ALL).findings
    return finding


def in_step(lines: str) -> Finding:
    return found(STEP.format(lines="\n".join(f"        {line}" for line in lines.split("\n"))))


@pytest.mark.parametrize(
    "comment",
    [
        "crashes otherwise",
        "needed for the profiler",
        "required",
        "workaround",
        "work around a bug of the driver",
        "don't remove",
        "do not touch!",
        "because the side stream still reads",
        "NCCL hangs without it",
        "to avoid running out of memory",
        "the loader does not support streams",
        "must stay before the next copy",
        "otherwise the copy below could read old values",
        "https://github.com/pytorch/pytorch/issues/1234",
        "see #88",
        "pytorch/pytorch#4711",
        "intentional",
        "kept on purpose",
    ],
)
def test_a_reason_beside_the_line_or_above_it(comment: str) -> None:
    for lines in (f"torch.cuda.synchronize()  # {comment}", f"# {comment}\ntorch.cuda.synchronize()"):
        finding = in_step(lines)
        assert finding.confidence is Confidence.POSSIBLE
        assert finding.fix is None
        assert "a comment gives a reason" in finding.help


@pytest.mark.parametrize(
    "comment",
    [
        "wait for the GPU",
        "move to gpu",
        "compute loss",
        "synchronize if needed",
        "no longer needed",
        "update the needed statistics",
        "debug output",
        "use the cached value, otherwise compute it",
        "count failed samples",
        "step #1",
        "noqa: E501",
        "trainlint: ignore[TRN203] needed for the schedule",
        "https://docs.pytorch.org/docs/stable/cuda.html",
    ],
)
def test_a_comment_that_only_describes_is_no_reason(comment: str) -> None:
    finding = in_step(f"# {comment}\ntorch.cuda.synchronize()  # {comment}")
    assert finding.confidence is Confidence.CERTAIN
    assert finding.fix is not None


@pytest.mark.parametrize(
    ("lines", "explained"),
    [
        ("# The next step reads what this one wrote,\n# which must be complete.\ntorch.cuda.synchronize()", True),
        ("torch.cuda.synchronize(\n    # needed for the timer\n)", True),
        ("# needed for the timer\n\ntorch.cuda.synchronize()", False),
        ("# needed for the timer\nseen = inputs\ntorch.cuda.synchronize()", False),
        ("torch.cuda.synchronize()\n# needed for the timer", False),
        ("note = '''\n# needed for the timer'''\ntorch.cuda.synchronize()", False),
    ],
    ids=["two lines", "inside the call", "empty line between", "of another line", "behind it", "text"],
)
def test_which_comments_belong_to_a_line(lines: str, explained: bool) -> None:
    assert (in_step(lines).fix is None) is explained


def test_a_fix_rewrites_no_other_line_with_a_reason() -> None:
    code = "from torch.cuda.amp import autocast{}\n\nwith autocast():\n    pass\n"
    assert found(code.format("  # the new one")).fix is not None
    assert found(code.format("  # needed for PyTorch 1.10")).fix is None
