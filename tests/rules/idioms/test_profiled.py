"""Which training loop a profiler records, and which loops end soon by themselves."""

from __future__ import annotations

import pytest

from tests.analysis.facts import file_model
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import Place
from trainlint_rules.measuring.idioms.profiled import recorded_briefly, recorded_loop, switched

STEP = "loss = model(batch); optimizer.zero_grad(); loss.backward(); optimizer.step()"


def site_of(body: str) -> Site:
    lines = "\n".join(f"        {line}" for line in body.split("\n"))
    text = f"def train(model, optimizer, loader, rounds, args):\n    with profile() as prof:\n{lines}\n"
    model = file_model(text)
    place: Place = model.outline.calls["profile"][0]
    return Site(model, place)


@pytest.mark.parametrize(
    ("body", "is_recorded"),
    [
        (f"for batch in loader:\n    {STEP}", True),
        (f"for epoch in range(rounds):\n    for batch in loader:\n        {STEP}", True),
        (f"for batch in loader:\n    {STEP}\n    if done:\n        break", False),
        (f"for batch in itertools.islice(loader, 10):\n    {STEP}", False),
        (f"for _ in range(20):\n    {STEP}", False),
        (f"few = 5\nfor _ in range(few):\n    {STEP}", False),
        ("for batch in loader:\n    model(batch)", False),
        ("model(loader)", False),
    ],
)
def test_loops_under_a_profiler(body: str, is_recorded: bool) -> None:
    site = site_of(body)
    assert (recorded_loop(site) is not None and not recorded_briefly.holds(site)) is is_recorded


@pytest.mark.parametrize(
    ("text", "is_switched"),
    [
        ("emit()", False),
        ("emit(True)", False),
        ("emit(enabled=True)", False),
        ("emit(args.on)", True),
        ("emit(enabled=args.on)", True),
        ("if args.on:\n    emit()", True),
    ],
)
def test_switches(text: str, is_switched: bool) -> None:
    model = file_model(text)
    place = model.outline.calls["emit"][0]
    assert switched.holds(Site(model, place)) is is_switched
