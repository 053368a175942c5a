"""What do loops draw their batches from? Each snippet is a loop as people write it."""

from __future__ import annotations

import ast

import pytest

from tests.analysis.facts import file_model, marked
from trainlint.analysis.syntax.blocks import Block, BlockKind
from trainlint.analysis.types.batch_sources import is_batch_source
from trainlint.analysis.types.values import Kind, Origin

ITERATED = {
    "names and wrappers": """
        for batch in train_loader:
            use(batch)  #= batches
        for i, batch in enumerate(tqdm(loaders["train"], desc="train")):
            use(batch)  #= batches
        for batch in tqdm(iterable=train_loader):
            use(batch)  #= batches
        for a, b in zip(train_loader, itertools.cycle(other_loader)):
            use(a)  #= batches
        for batch in islice(self.train_dataloader(), 10):
            use(batch)  #= batches
        for batch in metric_logger.log_every(train_loader, 10, header):
            use(batch)  #= batches
        for batch in repeat_forever(train_loader):
            use(batch)  #= batches
        for i in range(len(train_loader)):
            use(i)  #= no
        for item in train_loader.dataset:
            use(item)  #= no
        for i in trange(len(train_loader)):
            use(i)  #= no
    """,
    "results of an evaluation are no batches": """
        for metric in evaluate(model, val_loader):
            use(metric)  #= no
        for row in summarize(val_loader):
            use(row)  #= no
    """,
    "names that hold a loader": """
        data = DataLoader(dataset)
        for batch in data:
            use(batch)  #= batches
        feed = tqdm(enumerate(data), total=len(data))
        for i, batch in feed:
            use(batch)  #= batches
        rows = [1, 2]
        for row in rows:
            use(row)  #= no
    """,
    "what a framework prepares": """
        stream = DataLoader(dataset)
        model, stream, optimizer = accelerator.prepare(model, stream, optimizer)
        for batch in stream:
            use(batch)  #= batches
        for layer in model:
            use(layer)  #= no
        feed = fabric.setup_dataloaders(stream)
        for batch in feed:
            use(batch)  #= batches
    """,
    "generators and functions of the file": """
        def infinite(source):
            while True:
                for batch in source:
                    yield batch

        def rounds():
            yield from train_loader

        def numbers(source):
            for number in range(len(source)):
                yield number

        def build():
            return DataLoader(train), DataLoader(test), vocabulary

        for batch in infinite(train_loader):
            use(batch)  #= batches
        for item in infinite(words):
            use(item)  #= no
        for batch in rounds():
            use(batch)  #= batches
        for number in numbers(train_loader):
            use(number)  #= no
        first, second, words = build()
        for batch in first:
            use(batch)  #= batches
        for word in words:
            use(word)  #= no
    """,
    "a generator that calls itself ends": """
        def endless(source):
            for batch in endless(source):
                yield batch

        for batch in endless(things):
            use(batch)  #= no
    """,
}


@pytest.mark.parametrize("code", ITERATED.values(), ids=ITERATED.keys())
def test_what_loops_draw(code: str) -> None:
    model = file_model(code)
    found = [(statement.lineno, "batches" if _draws(_loop(block)) else "no") for statement, block, _ in marked(model)]
    assert found == [(statement.lineno, said) for statement, _, said in marked(model)]


def _loop(block: Block) -> Block:
    return next(outer for outer in block.outwards() if outer.kind is BlockKind.LOOP)


def _draws(loop: Block) -> bool:
    return isinstance(loop.node, ast.For) and loop.parent is not None and is_batch_source(loop.node.iter, loop.parent)


BOUND = {
    "wrappers by keyword and in a row": """
        for i, batch in enumerate(tqdm(iterable=train_loader), start=1):
            seen = i  #= number
            data = batch  #= batch
    """,
    "counting": """
        for step in trange(10):
            seen = step  #= number
        steps = tqdm(range(10))
        for step in steps:
            seen = step  #= number
    """,
    "a bar around itself ends": """
        for epoch in range(epochs):
            bar = tqdm(bar)
            for item in bar:
                seen = item  #= neither
    """,
}


@pytest.mark.parametrize("code", BOUND.values(), ids=BOUND.keys())
def test_what_loops_bind(code: str) -> None:
    model = file_model(code)
    found = []
    for statement, block, _ in marked(model):
        assert isinstance(statement, ast.Assign)
        value = model.kinds.of(statement.value, block)
        said = "batch" if value.origin is Origin.BATCH else "number" if value.kind is Kind.NUMBER else "neither"
        found.append((statement.lineno, said))
    assert found == [(statement.lineno, said) for statement, _, said in marked(model)]
