"""Which calls in a loop run a model with autograd on, and how long what they give lives."""

from __future__ import annotations

import ast

import pytest

from tests.analysis.facts import file_model
from trainlint.analysis.programs.evaluation import (
    forwards_with_graph,
    is_read_detached,
    results_of,
    wants_gradients,
)
from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.types.backward import LEAVES
from trainlint.analysis.types.values import Kind
from trainlint.finding import Heat
from trainlint_rules.memory.idioms.lifetimes import Lifetime, lifetime


def forwards(code: str) -> list[str]:
    """The forwards with a graph in the first loop of a snippet."""
    model = file_model(code)
    loop = model.outline.loop_blocks[model.outline.loops[0].node]
    return [ast.unparse(place.node) for place in forwards_with_graph(model, loop)]


def first_loop(code: str) -> tuple[SemanticModel, ast.AST]:
    model = file_model(code)
    return model, model.outline.loops[0].node


@pytest.mark.parametrize(
    "call",
    ["model(images)", "model.forward(images)", "self.net(images)", "model.module(images)", "self.encoder[0](images)"],
)
def test_a_model_is_run(call: str) -> None:
    setting = "class Trainer:\n    def run(self, model, loader):\n        for images in loader:\n            {}\n"
    assert forwards(setting.format(call)) == [call]


@pytest.mark.parametrize(
    "call",
    [
        "model.generate(images)",  # switches autograd off itself
        "criterion(images, labels)",
        "model_client(images)",
        "save_model(model)",
        "create_model('vit')",
        "model.to(device)",
        "metric(images, labels)",
        "pipe(images)",
    ],
)
def test_no_model_is_run(call: str) -> None:
    assert forwards(f"for images, labels in loader:\n    {call}\n") == []


@pytest.mark.parametrize("context", ["torch.no_grad()", "context", "torch.set_grad_enabled(False)"])
def test_a_context_switches_autograd_off(context: str) -> None:
    code = """
        import torch

        def evaluate(model, loader):
            context = torch.inference_mode()
            for images in loader:
                with {}:
                    model(images)
        """
    assert forwards(code.format(context)) == []
    assert forwards(code.format("torch.autocast('cuda')")) == ["model(images)"]


def test_a_method_of_the_file_counts_unless_it_switches_autograd_off() -> None:
    code = """
        import torch
        import torch.nn as nn

        class Actor(nn.Module):
            def __init__(self):
                self.body = nn.Linear(4, 2)

            def get_action(self, observation):
                {}

        actor = Actor()
        for observation in loader:
            actor.get_action(observation)
        """
    assert forwards(code.format("return self.body(observation)")) == ["actor.get_action(observation)"]
    assert forwards(code.format("with torch.no_grad(): return self.body(observation)")) == []


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("images.requires_grad_(); model(images)", True),
        ("images = pgd_attack(model, images); model(images)", True),
        ("adapt(model, optimizer); model(images)", True),
        ("model(F.adaptive_avg_pool2d(images, 1))", False),
        ("bar.update(1); model(images)", False),
        ("optimizer.zero_grad(); model(images)", False),
    ],
)
def test_who_wants_gradients(body: str, wanted: bool) -> None:
    model, node = first_loop(f"def evaluate(model, loader, optimizer):\n    for images in loader:\n        {body}\n")
    assert wants_gradients(model, model.outline.loop_blocks[node]) is wanted


def test_what_a_training_function_does_elsewhere_is_no_sign() -> None:
    model, node = first_loop(
        """
        def main(model, loader, val_loader):
            for images in val_loader:
                model(images)
            for images in loader:
                loss = model(images)
                loss.backward()
        """
    )
    assert not wants_gradients(model, model.outline.loop_blocks[node])


@pytest.mark.parametrize(
    ("statement", "names"),
    [
        ("a, (b, c) = model(x)", {"a", "b", "c"}),
        ("total += model(x)", {"total"}),
        ("kept.append(model(x))", {"kept"}),
        ("scores['x'] = model(x)", {"scores"}),
        ("print(model(x))", set()),
        ("total += model(x).sum().item()", set()),
        ("hits = model(x).argmax(1) == x", set()),
        ("return model(x)", {LEAVES}),
        ("for y in model(x): pass", {LEAVES}),
    ],
)
def test_where_results_go(statement: str, names: set[str]) -> None:
    model = file_model(f"def f(model, loader):\n    for x in loader:\n        {statement}\n")
    place = forwards_with_graph(model, model.outline.loop_blocks[model.outline.loops[0].node])[0]
    assert results_of(place) == names


def test_a_result_that_is_read_without_its_graph() -> None:
    model, node = first_loop("for x in loader:\n    y = model(x)\n    a = y.argmax(1).cpu()\n")
    loop = model.outline.loop_blocks[node]
    assert is_read_detached(loop, "y")
    assert not is_read_detached(loop, "a")


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("total += loss", Lifetime.LOOP),
        ("total = 0.0; total += loss", Lifetime.ROUND),
        ("total += loss\n        if i % 4 == 3: total = 0.0", Lifetime.WINDOW),
        ("with timer: total = 0.0\n        total += loss", Lifetime.ROUND),
        ("for total in parts: total += loss", Lifetime.ROUND),
    ],
)
def test_how_long_a_sum_lives(body: str, expected: Lifetime) -> None:
    model = file_model(f"def f(total, loader):\n    for i, loss in enumerate(loader):\n        {body}\n")
    place = model.outline.accumulations[0]
    assert isinstance(place.node, ast.AugAssign)
    loop = model.outline.loop_blocks[model.outline.loops[0].node]
    assert lifetime(model, place, place.node.target, loop) is expected


def heat_of_line(code: str, line: str) -> Heat:
    model = file_model(code)
    return next(
        model.heats.of(block).heat
        for statement, block in model.outline.block_of.items()
        if model.source.line(statement.lineno).strip() == line
    )


def test_several_epochs_on_one_batch_are_parts_of_its_step() -> None:
    code = """
        def train(policy, prompt_loader, optimizer):
            for prompts in prompt_loader:
                answers = policy.generate(prompts)
                for epoch in range(ppo_epochs):
                    for start in range(0, 64, 8):
                        policy(answers[start:]).mean().backward()
                        optimizer.step()
        """
    assert heat_of_line(code, "answers = policy.generate(prompts)") is Heat.STEP
    assert heat_of_line(code, "optimizer.step()") is Heat.INNER


def test_a_class_that_is_handed_over_gives_a_module_when_it_is_called() -> None:
    model = file_model("def evaluate(Model, device):\n    net = Model(4).to(device)\n    net(1)\n")
    statement = next(item for item in model.outline.block_of if ast.unparse(item) == "net(1)")
    assert isinstance(statement, ast.Expr)
    assert isinstance(statement.value, ast.Call)
    assert model.kinds.of(statement.value.func, model.outline.block_of[statement]).kind is Kind.MODULE
