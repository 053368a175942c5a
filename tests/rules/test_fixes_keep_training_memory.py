"""A toy model, trained before and after a fix of memory, ends with the same bits and prints the same losses.

That of TRN303 is UNSAFE, as models may take gradients out of sight; this one takes none.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.rules.catalogue import STATED, source
from trainlint.engine.judge import judge
from trainlint.finding import Finding, Safety
from trainlint.fixing import FixResult, fix_to_fixpoint
from trainlint.rule import Rule
from trainlint.source import SourceFile
from trainlint_rules.memory.evaluation_without_no_grad import EvaluationWithoutNoGrad
from trainlint_rules.memory.graph_kept_in_accumulator import GraphKeptInAccumulator

torch = pytest.importorskip("torch")

SUMS = """
import torch
import torch.nn.functional as F


def main(show, watch, device="cuda"):
    torch.manual_seed(11)
    model = torch.nn.Sequential(torch.nn.Linear(6, 12), torch.nn.Dropout(0.3), torch.nn.Linear(12, 2))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    train_loader = [(torch.randn(5, 6), torch.randn(5, 2)) for _ in range(12)]
    for epoch in range(3):
        total, history, parts, window = 0.0, [], {"fit": 0.0}, torch.zeros(())
        for step, (inputs, targets) in enumerate(train_loader):
            fit = F.mse_loss(model(inputs), targets)
            size = sum(weight.square().sum() for weight in model.parameters())
            loss = fit + 1e-3 * size
            window += loss
            (loss / 3).backward()
            total = total + loss
            history.append(loss)
            parts["fit"] += fit * inputs.size(0)
            if (step + 1) % 3 == 0:
                torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
                optimizer.zero_grad()
                show(window.item())
                window = torch.zeros(())
        watch(total, history[-1], parts["fit"])
        show(total.item() / 12, torch.stack(history).mean().item(), parts["fit"].item())
    return model
"""

EVALUATION = """
import torch
import torch.nn.functional as F


def evaluate(model, val_loader, watch):
    model.eval()
    total = 0.0
    for inputs, targets in val_loader:
        outputs = model(inputs)
        seen = watch(outputs)  # a callback whose result nobody takes might train
        total += F.mse_loss(outputs, targets).item()
    model.train()
    return total


def batches(count):
    return [(torch.randn(5, 6), torch.randn(5, 2)) for _ in range(count)]


def main(show, watch, device="cuda"):
    torch.manual_seed(13)
    model = torch.nn.Sequential(
        torch.nn.Linear(6, 12), torch.nn.BatchNorm1d(12), torch.nn.Dropout(0.3), torch.nn.Linear(12, 2)
    )
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    train_loader, val_loader = batches(8), batches(4)
    for epoch in range(3):
        for inputs, targets in train_loader:
            loss = F.mse_loss(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        show(evaluate(model, val_loader, watch))
        drawn = 0.0
        for inputs, targets in val_loader:
            outputs = model(inputs)  # with dropout and the statistics of the batch: both go on as they would
            seen = watch(outputs)
            drawn += F.mse_loss(outputs, targets).item()
        show(drawn)
        model.eval()
        model.train()
    return model
"""

ACTING = """
import torch
import torch.nn.functional as F


def main(show, watch, device="cuda"):
    torch.manual_seed(17)
    critic = torch.nn.Sequential(torch.nn.Linear(4, 16), torch.nn.ReLU(), torch.nn.Linear(16, 3))
    optimizer = torch.optim.Adam(critic.parameters())
    env, memory = Pendulum(), []
    state = env.reset()
    for step in range(60):
        scores = critic(state)
        watch(scores)
        action = torch.argmax(scores).item()
        following, reward = env.step(action)
        memory.append((state, action, reward, following))
        state = following
        if step > 20:
            rows = [memory[i] for i in torch.randint(len(memory), (8,)).tolist()]
            states = torch.stack([row[0] for row in rows])
            actions = torch.tensor([[row[1]] for row in rows])
            with torch.no_grad():
                best = critic(torch.stack([row[3] for row in rows])).max(1).values
                target = torch.tensor([row[2] for row in rows]) + 0.9 * best
            loss = F.mse_loss(critic(states).gather(1, actions).squeeze(1), target)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            show(loss.item())
    return critic


class Pendulum:
    def reset(self):
        self.state = torch.ones(4)
        return self.state

    def step(self, action):
        self.state = 0.9 * self.state.roll(1) + 0.1 * (action - 1)
        return self.state, float(self.state.sum())
"""

FIXES: list[tuple[type[Rule], str, tuple[str, ...]]] = [
    (
        GraphKeptInAccumulator,
        SUMS,
        (
            "window += loss.detach()",
            "total = total + loss.detach()",
            "history.append(loss.detach())",
            "+= (fit * inputs.size(0)).detach()",
        ),
    ),
    (
        EvaluationWithoutNoGrad,
        EVALUATION,
        (
            "@torch.no_grad()\ndef evaluate(",
            "        with torch.no_grad():\n            for inputs, targets in val_loader:\n                outputs = ",
        ),
    ),
    (EvaluationWithoutNoGrad, ACTING, ("        with torch.no_grad():\n            scores = critic(state)\n",)),
]


@dataclass
class Run:
    """What one training left behind."""

    parameters: dict[str, Any]
    shown: list[tuple[float, ...]] = field(default_factory=list)
    graphs: int = 0
    """How many of the watched tensors carried a graph."""


def fixed(rule: type[Rule], program: str, limit: Safety = Safety.SAFE) -> FixResult:
    judges = (rule(),)

    def judged(text: SourceFile) -> list[Finding]:
        return list(judge(text, judges, STATED).findings)

    return fix_to_fixpoint(source(program), judged, limit)


def trained(program: str) -> Run:
    """Run the program's `main`. It shows its losses and lets its tensors be watched."""
    names: dict[str, Any] = {}
    exec(compile(program, "toy.py", "exec"), names)
    run = Run({})

    def watch(*tensors: Any) -> None:
        run.graphs += sum(tensor.grad_fn is not None for tensor in tensors)

    model = names["main"](lambda *losses: run.shown.append(losses), watch)
    run.parameters = dict(model.state_dict())
    return run


@pytest.mark.parametrize(
    ("rule", "program", "written"), FIXES, ids=["TRN304 sums", "TRN303 evaluation", "TRN303 acting"]
)
def test_a_fix_changes_no_bit_of_the_training(rule: type[Rule], program: str, written: tuple[str, ...]) -> None:
    result = fixed(rule, program, rule.fix_safety or Safety.SAFE)
    assert result.unapplied == ()
    for piece in written:
        assert piece in result.source.text

    before, after = trained(program), trained(result.source.text)
    assert before.shown == after.shown
    assert len(before.shown) > 2
    assert all(torch.equal(before.parameters[name], after.parameters[name]) for name in before.parameters)
    assert before.graphs > 0
    assert after.graphs == 0


@pytest.mark.parametrize("result", ["outputs", "sum(kept)", "total / len(val_loader)"])
def test_what_may_still_be_trained_is_not_cut_off_by_a_safe_fix(result: str) -> None:
    program = f"""
import torch


def evaluate(model, val_loader, device="cuda"):
    model.eval()
    total, kept = 0.0, []
    for inputs in val_loader:
        outputs = model(inputs)
        total += outputs.mean()
        kept.append(outputs.mean())
    return {result}
"""
    assert fixed(EvaluationWithoutNoGrad, program).applied == ()
    findings = judge(source(program), (EvaluationWithoutNoGrad(),), STATED).findings
    assert [item.fix.safety for item in findings if item.fix] == [Safety.UNSAFE]
