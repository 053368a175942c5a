"""What is a loop, or a call, in units of training? Each snippet is a shape of code that people really write."""

from __future__ import annotations

import ast

import pytest

from tests.analysis.facts import file_model, marked

SNIPPETS = {
    "epochs of steps": """
        for epoch in range(epochs):  #= epoch
            for batch in train_loader:  #= step
                loss = model(batch)
                loss.backward()
                optimizer.step()
            for batch in val_loader:  #= eval
                score(model(batch))
            for row in table:  #= other
                print(row)
    """,
    "functions that hold the loops": """
        def train_epoch(model, loader, optimizer):
            for batch in loader:  #= step
                take_step(model, batch, optimizer)  #= step
        def take_step(model, batch, optimizer):
            model(batch).mean().backward()
            optimizer.step()
        for epoch in range(9):  #= epoch
            train_epoch(model, train_loader, optimizer)  #= epoch
    """,
    "parts of a batch": """
        for views in train_loader:  #= step
            for view in views.chunk(4):  #= micro
                model(view).mean().backward()
            optimizer.step()
    """,
    "an agent's updates": """
        def update(agent, buffer, optimizer):
            for epoch in range(4):  #= epoch
                for batch in DataLoader(buffer):  #= step
                    agent(batch).mean().backward()
                    optimizer.step()
        for episode in range(1000):  #= epoch
            for step in range(100):  #= step
                observation = env.step(agent.act(observation))
            update(agent, buffer, optimizer)
    """,
    "training that an option turns on": """
        import argparse
        parser = argparse.ArgumentParser()
        parser.add_argument("--finetune", action="store_true")
        args = parser.parse_args()
        if args.finetune:
            for epoch in range(9):  #= epoch
                for batch in train_loader:  #= step
                    model(batch).mean().backward()
                    optimizer.step()
    """,
    "one batch to look at, and one round": """
        for batch in train_loader:  #= other
            print(batch.shape)
            break
        for _ in range(1):  #= micro
            model(next(batches)).mean().backward()
    """,
}


@pytest.mark.parametrize("code", SNIPPETS.values(), ids=SNIPPETS)
def test_kinds(code: str) -> None:
    file = file_model(code)
    found = [(node.lineno, file.heats.kind(value_of(node)).value) for node, _, _ in marked(file)]
    assert found == [(node.lineno, said) for node, _, said in marked(file)]


def value_of(node: ast.stmt) -> ast.AST:
    """A call that is a statement, else the statement."""
    return node.value if isinstance(node, ast.Expr) else node


def test_what_is_not_executed_has_none() -> None:
    code = "if False:\n    for batch in train_loader:  #= other\n        model(batch).mean().backward()\n"
    [(node, _, said)] = marked(file_model(code))
    assert file_model(code).heats.kind(node).value == said
