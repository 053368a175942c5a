"""The same loop body with two defects, behind each form of guard: both rules about places give the same answer.

A guard whose test proves that the body runs seldom silences all of them. Behind one that proves the opposite, or of
which nothing is known, all report. The reader of tests is that of the abstract run (`tests/interpreter/branches`).
"""

from __future__ import annotations

import textwrap

import pytest

from tests.rules.catalogue import all_rules, judged
from trainlint.finding import Confidence

PROGRAM = """
import gc, math, random, time
import torch
import torch.distributed as dist

def train(model, loader, optimizer, args, timer, rank, writer, tracing=False):
    model.cuda()
    last = started = time.time()
    for step, batch in enumerate(loader):
        loss = model(batch.cuda()).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
"""
DEFECTS = {
    "TRN313": 'torch.save({"model": model.state_dict()}, "last.pt")',
    "TRN505": "dist.barrier()",
}
RULES = [rule for rule in all_rules() if rule.code in DEFECTS]

EACH_STEP = [
    "if True:",
    "if 1:",
    "if not False:",
    "if rank == 0:",
    "if dist.get_rank() == 0 and args.distributed:",
    "if not args.distributed or rank == 0:",
    "if torch.cuda.is_available():",
    "if dist.is_initialized():",
    'if torch.__version__ >= "2.0":',
    "if model.training:",
    "if not torch.isnan(loss):",
    "if timer.due() or True:",
    "if rank == 0 or timer.due():",
    "if step % 2 == 0:",
    "if step % 100:",
    "if random.random() < 0.5:",
    "if args.use_mixup:",
    "if timer.due():\n    break",
]
SELDOM = [
    "if False:",
    "if not 1:",
    "if step % 100 == 0:",
    "if not step % args.every:",
    "if (step & 63) == 0:",
    "if (rest := step % 100) == 0:",
    "due = step % 100 == 0\nif due and rank == 0:",
    "if step % 100:\n    continue",
    "if step == 10:",
    "if step in args.save_steps:",
    "if time.time() - last > 60:",
    "if random.random() < 0.01:",
    "if random.random() > 0.99:",
    "if not model.training:",
    'if args.phase == "val":',
    "if args.debug:",
    "if tracing:",
    "if timer.due() and step % 100 == 0:",
    "if torch.isnan(loss):",
    "if is_best:",
    "if model.first is None:\n    model.first = step",
    "if loss < model.best:\n    model.best = loss.detach()",
]
UNKNOWN = [
    "if timer.due():",
    "if not timer.due():",
    "due = timer.due()\nif due:",
    "if (due := timer.due()):",
    "if timer.due() and rank == 0:",
    "if timer.due() or step % 100 == 0:",
    "if writer is not None:",
    "if len(batch) > 3:",
]


def _confidences(guard: str) -> dict[str, Confidence | None]:
    """For each rule, how sure it is of its defect behind a guard; None where it reports none.

    What stands behind an early exit, or at the end of a branch that does something else first, is indented like it.
    """
    last = guard.split("\n")[-1]
    indent = len(last) - len(last.lstrip())
    if last.endswith(":"):
        indent += 4
    elif last.strip() in ("continue", "break"):
        indent = 0
    body = "\n".join([guard, *(" " * indent + line for line in DEFECTS.values())])
    verdicts = judged(PROGRAM + textwrap.indent(body, " " * 8), *RULES)
    assert not verdicts.failures
    found = {item.code: item.confidence for item in verdicts.findings}
    return {code: found.get(code) for code in DEFECTS}


@pytest.mark.parametrize("guard", [*EACH_STEP, *UNKNOWN])
def test_what_runs_in_each_step_is_reported_by_all(guard: str) -> None:
    plain, behind = _confidences(""), _confidences(guard)
    assert None not in plain.values()
    assert behind == plain


@pytest.mark.parametrize("guard", SELDOM)
def test_what_runs_seldom_is_reported_by_none(guard: str) -> None:
    found = {code for code, confidence in _confidences(guard).items() if confidence is not None}
    assert not found
