"""One cause is one finding: further copies of a batch, and calls of what loops, are related places of it."""

from __future__ import annotations

import textwrap

import pytest

from tests.rules.catalogue import judged
from trainlint.finding import Finding

AVERAGE = """
import torch


@torch.no_grad()
def averaged(average, model):
    for mean, parameter in zip(average.parameters(), model.parameters()):
        mean.mul_(0.9).add_(parameter, alpha=0.1)


def train(model, average, criterion, optimizer, train_loader):
    for inputs, targets in train_loader:
        criterion(model(inputs), targets).backward()
        optimizer.step()
        optimizer.zero_grad()
        averaged(average, model)
"""
HEAD = """
import torch
from torch.utils.data import DataLoader


def train(dataset, model, optimizer, use_mask):
    loader = DataLoader(dataset, 32, num_workers=4, pin_memory=True)
    model = model.cuda()
    for batch in loader:
{0}
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
"""
UNPACKED = """
inputs, targets = batch
inputs = inputs.cuda()
targets = targets.cuda()
loss = model(inputs, targets)
"""
KEYED = """
inputs = batch["inputs"].to("cuda")
if "targets" in batch:
    targets = batch["targets"].to("cuda")
lengths = batch["lengths"].cuda()
loss = model(inputs, targets, lengths)
"""
MASKED = """
inputs, targets = batch
inputs, targets = inputs.cuda(non_blocking=True), targets.cuda(non_blocking=True)
known = targets > 0
left = inputs[known]
right = targets[known]
if use_mask:
    right = right + inputs[known]
loss = model(left, right)
"""


def found(body: str) -> list[Finding]:
    text = HEAD.format(textwrap.indent(body.strip("\n"), " " * 8))
    return [item for item in judged(text).findings if item.code in ("TRN205", "TRN209")]


@pytest.mark.parametrize(("body", "further"), [(UNPACKED, [1]), (KEYED, [2, 3])], ids=["unpacked", "by keys"])
def test_copies_of_one_batch_are_one_finding(body: str, further: list[int]) -> None:
    (finding,) = found(body)
    assert sorted(place.line - finding.span.start_line for place in finding.related) == further


def test_the_fix_changes_all_copies_of_a_batch() -> None:
    (finding,) = found(UNPACKED)
    assert finding.fix is not None
    assert [edit.text for edit in finding.fix.edits] == ["non_blocking=True"] * 2


def test_each_index_by_a_mask_says_how_to_wait_once() -> None:
    findings = found(MASKED)
    assert [item.span.start_line - findings[0].span.start_line for item in findings] == [0, 1, 3]
    assert all("mask.nonzero()" in item.help for item in findings)


def test_the_call_of_a_loop_over_parameters_is_a_related_place() -> None:
    (finding,) = [item for item in judged(AVERAGE).findings if item.code == "TRN607"]
    assert [place.line - finding.span.start_line for place in finding.related] == [9]
