"""Which reads of the clock come before the device is done? A mark stands at the read that ends an interval."""

from __future__ import annotations

import ast

from tests.analysis.facts import file_model, marked
from trainlint.analysis.syntax.blocks import Place
from trainlint.analysis.syntax.uses import own_nodes
from trainlint_rules.measuring.idioms.timing import is_clock, timed_interval

CODE = """
    import time
    from time import perf_counter
    import torch
    from torch import nn

    def times(optimizer, batch, batches, meter, own_time, scheduler):
        model = nn.Linear(8, 8).cuda()
        start = time.time()
        loss = model(batch).mean()
        a = time.time() - start  #= model
        loss.backward()
        scheduler.step()
        b = perf_counter() - start  #= loss.backward
        value = loss.item()
        c = perf_counter() - start  #= none
        optimizer.step()
        d = perf_counter() - start  #= none
        start = perf_counter()
        meter.add(model(batch))
        e = perf_counter() - start  #= none
        start = perf_counter()
        model(batch)
        own_time.log()
        f = perf_counter() - start  #= none
        start = perf_counter()
        for _ in range(10):
            model(batch)
        stop = perf_counter()  #= model repeated divides
        rate = 10 / (stop - start)
        start = perf_counter()
        for item in batches:
            model(item)
        g = perf_counter() - start  #= none
        start = perf_counter()
        model(batch)
        nobody = perf_counter() - start  #= none
        start = perf_counter()
        print(start)
        h = perf_counter() - start  #= none
        return a, b, c, d, e, f, g, h, value, rate
"""


def test_intervals_that_end_before_the_device_is_done() -> None:
    model = file_model(CODE)
    for statement, block, said in marked(model):
        clock = next(node for node in own_nodes(statement) if is_clock(model, node, block))
        assert isinstance(clock, ast.Call)
        found = timed_interval(model, clock, Place(clock, block, statement))
        words = "none"
        if found is not None and not found.is_waited_for:
            parts = (ast.unparse(found.work.func), "repeated" * (found.repeated is not None), "divides" * found.divides)
            words = " ".join(part for part in parts if part)
        assert words == said, statement.lineno
