"""Which loops run over parameters, what they compute, and how often? A mark stands at the head of a loop."""

from __future__ import annotations

import ast

import pytest

from tests.analysis.facts import file_model, marked
from trainlint.analysis.effects.parameter_loops import parameter_loop
from trainlint_rules.optimizer.idioms.parameter_updates import update_of

LOOPS = {
    "lists of parameters": """
        def f(model, optimizer, inputs, target_params):
            for p in model.parameters():  #= yes
                pass
            for i, (name, p) in enumerate(model.named_parameters()):  #= yes
                pass
            for group in optimizer.param_groups:  #= no
                for p in group["params"]:  #= yes
                    pass
            trained = [p for p in model.parameters() if p.requires_grad]
            for p in trained:  #= yes
                pass
            gradients = [p.grad for p in trained]
            for p in gradients:  #= yes
                pass
            named = dict(model.named_parameters())
            for name in named.keys():  #= yes
                pass
            for name, value in model.state_dict().items():  #= states
                pass
            for a, b in zip(model.parameters(), inputs):  #= yes
                pass
            for x in inputs:  #= no
                pass
            for size in [p.numel() for p in trained]:  #= no
                pass
            for p in target_params:  #= named
                pass
    """,
    "what objects hold": """
        class Trainer:
            def step(self):
                for p in self.master_params:  #= named
                    pass
                for p, q in zip(list(self.ema_params), self.master_params):  #= named
                    pass
                for p in self.values:  #= no
                    pass
            def other(self):
                params = {"lr": 1}
                for p in params:  #= no
                    pass
    """,
}

UPDATES = {
    "averages": """
        def f(model, slow, tau):
            for s, p in zip(slow.parameters(), model.parameters()):  #= AVERAGE 2
                s.data.mul_(tau).add_(p.data, alpha=1 - tau)
            for s, p in zip(slow.parameters(), model.parameters()):  #= AVERAGE 1
                s.lerp_(p, tau)
            for s, p in zip(slow.parameters(), model.parameters()):  #= AVERAGE 3
                s.data.copy_(tau * p.data + (1 - tau) * s.data)
            current = model.state_dict()
            for name, s in slow.state_dict().items():  #= AVERAGE 3
                s *= tau
                s += (1 - tau) * current[name]
            for name, p in model.named_parameters():  #= AVERAGE 3
                mean = (1 - tau) * p.data + tau * slow.table[name]
                slow.table[name] = mean.clone()
    """,
    "descents and gradients": """
        def f(model, lr, n):
            for p in model.parameters():  #= DESCENT 2
                p.data -= lr * p.grad
            for p in model.parameters():  #= DESCENT 1
                p.add_(p.grad, alpha=-lr)
            for p in model.parameters():  #= GRADIENT 1
                p.grad /= n
            for p in model.parameters():  #= GRADIENT 1
                if p.grad is not None:
                    p.grad.data.mul_(n)
    """,
    "copies, scales, norms": """
        def f(model, slow, decay, lr):
            for s, p in zip(slow.parameters(), model.parameters()):  #= COPY 1
                s.data.copy_(p.data)
            for s, p in zip(slow.parameters(), model.parameters()):  #= COPY 2
                s.grad.copy_(p.grad)
                s.grad.mul_(0.5)
            for p in model.parameters():  #= none
                p.data.mul_(1 - decay * lr)
            for p in model.parameters():  #= none
                p *= 1 - decay * lr
            for p in model.parameters():  #= none
                p.grad = torch.nan_to_num(p.grad)
            total = 0
            for p in model.parameters():  #= NORM 1
                total += p.grad.norm()
    """,
    "neither": """
        def f(model, slow, flat):
            for p in model.parameters():  #= none
                p.requires_grad = False
            for p in model.parameters():  #= none
                p.grad = None
            for p in model.parameters():  #= none
                p.data.clamp_(-1, 1)
            for s, part in zip(slow.parameters(), flat.split(8)):  #= none
                s.data.copy_(part)
            total = 0
            for p in model.parameters():  #= none
                total += p.numel()
            for p in model.parameters():  #= none
                p.grad.data.copy_(flat[: p.numel()].view_as(p) / 8)
    """,
}


@pytest.mark.parametrize("snippet", LOOPS.values(), ids=LOOPS)
def test_loops_over_parameters_are_told_from_others(snippet: str) -> None:
    model = file_model(snippet)
    for statement, _, said in marked(model):
        block = model.outline.loop_blocks[statement]
        loop, named = parameter_loop(model.outline, block), parameter_loop(model.outline, block, by_name=True)
        found = "named" if loop is None else "states" if loop.of_states else "yes"
        assert (found if named is not None else "no") == said, ast.unparse(statement)
        assert named is None or named.by_name == (said == "named")


@pytest.mark.parametrize("snippet", UPDATES.values(), ids=UPDATES)
def test_what_is_computed_for_each_parameter(snippet: str) -> None:
    model = file_model(snippet)
    for statement, _, said in marked(model):
        loop = parameter_loop(model.outline, model.outline.loop_blocks[statement])
        assert loop is not None
        update = update_of(loop)
        found = "none" if update is None else f"{update.update.name} {update.kernels}"
        assert found == said, ast.unparse(statement)
