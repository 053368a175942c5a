"""Which training loop a profiler records, and which loops end soon by themselves."""

from __future__ import annotations

import pytest

from tests.analysis.facts import file_model
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import Place
from trainlint_rules.measuring.idioms.profiled import is_switched, recorded_loop

STEP = "loss = model(batch); optimizer.zero_grad(); loss.backward(); optimizer.step()"


def site_of(body: str, path: str = "train.py") -> Site:
    lines = "\n".join(f"        {line}" for line in body.split("\n"))
    text = f"def train(model, optimizer, loader, rounds, args):\n    with profile() as prof:\n{lines}\n"
    model = file_model(text, path)
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
    assert (recorded_loop(site_of(body)) is not None) is is_recorded


def test_tests_record_what_they_are_there_for() -> None:
    assert recorded_loop(site_of(f"for batch in loader:\n    {STEP}", "tests/test_train.py")) is None


@pytest.mark.parametrize(
    ("text", "switched"),
    [
        ("emit()", False),
        ("emit(True)", False),
        ("emit(enabled=True)", False),
        ("emit(args.on)", True),
        ("emit(enabled=args.on)", True),
        ("if args.on:\n    emit()", True),
    ],
)
def test_switches(text: str, switched: bool) -> None:
    model = file_model(text)
    place = model.outline.calls["emit"][0]
    site = Site(model, place)
    assert is_switched(model, site.call, site.block, "enabled") is switched
