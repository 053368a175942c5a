"""Which calls tell a progress bar something, and what they make it read."""

from __future__ import annotations

import ast

from tests.analysis.facts import file_model
from trainlint_rules.sync.idioms.progress import UPDATES, bar_reads, is_bar_update, shown_by_bar

CODE = """
import torch
from tqdm import tqdm

def train(model, loader, optimizer, file):
    bar = tqdm(loader)
    for batch in bar:
        loss = model(batch.cuda()).mean()
        loss.backward()
        optimizer.step()
        bar.set_postfix(loss=loss, lr=0.1)
        bar.set_postfix(dict(loss=float(loss)), refresh=False)
        bar.set_description(f"{len(loader)} {loss.shape} {batch.size(0)}")
        bar.write("%s %.3f" % ("loss", loss))
        file.write(str(loss))
        print(loss.item())
"""


def test_what_updates_a_bar_and_what_it_reads() -> None:
    model = file_model(CODE)
    places = [place for name in UPDATES for place in model.outline.calls.get(name, [])]
    found = {}
    for place in places:
        assert isinstance(place.node, ast.Call)
        if is_bar_update(model, place):
            found[place.node.lineno] = [ast.unparse(node) for node, _ in bar_reads(model, place.node, place.block)]
    assert found == {11: ["loss"], 12: ["loss"], 13: [], 14: ["loss"]}


def test_a_read_is_the_bars_where_it_stands_in_its_update() -> None:
    model = file_model("bar.set_postfix(loss=loss.item()); other = loss.item()\nprint(loss.item())")
    shown = [shown_by_bar(model, place.node, place.statement) for place in model.outline.calls["item"]]
    assert shown == [True, False, False]
