"""The conditions from a block out to its function or loop, early exits included, and how `and` and `or` add up."""

from __future__ import annotations

import pytest

from tests.analysis.conditions.reading import condition
from tests.analysis.facts import file_model, marked
from trainlint.analysis.conditions.condition import ConditionKind

AROUND = """
    class Model:
        def step(self, loader, rank, timer):
            if self.off:
                return
            for batch in loader:
                if rank == 0:
                    with self.lock:
                        if timer.due():
                            act()  #= UNKNOWN RANK UNKNOWN
                try:
                    act()  #= UNKNOWN
                except ValueError:
                    act()  #= FAILURE UNKNOWN
                if batch is None:
                    raise ValueError
                if batch.empty:
                    continue
                act()  #= UNKNOWN UNKNOWN
                if batch.last:
                    self.end()
                    break
                match batch:
                    case 1:
                        act()  #= UNKNOWN UNKNOWN UNKNOWN
            def inner():
                act()  #= none

        def table(self, key):
            if key in self.tables:
                return self.tables[key]
            self.tables[key] = self.make()  #= FIRST_TIME
            if True:
                act()  #= FIRST_TIME
"""


def test_conditions_are_read_innermost_first() -> None:
    model = file_model(AROUND)
    for statement, block, expected in marked(model):
        found = [item.kind.name for item in model.conditions.around(block)]
        assert (" ".join(found) or "none") == expected, statement.lineno


def test_conditions_end_at_a_loop_and_may_leave_out_early_exits() -> None:
    model = file_model(AROUND)
    _, block, _ = marked(model)[3]
    loop = next(outer for outer in block.outwards() if outer.kind.name == "LOOP")
    assert len(model.conditions.around(block, loop)) == 1
    assert model.conditions.around(block, early_exits=False) == ()


@pytest.mark.parametrize(
    ("test", "kind", "rare"),
    [
        ("True", ConditionKind.ALWAYS, False),
        ("1", ConditionKind.ALWAYS, False),
        ("False", ConditionKind.NEVER, True),
        ("None or 0", ConditionKind.NEVER, True),
        ("timer.due()", ConditionKind.UNKNOWN, False),
        ("timer.due() or True", ConditionKind.ALWAYS, False),
        ("timer.due() and False", ConditionKind.NEVER, True),
        ("timer.due() and step % 100 == 0", ConditionKind.INTERVAL, True),
        ("timer.due() or step % 100 == 0", ConditionKind.UNKNOWN, False),
        ("step == 1 or step % 100 == 0", ConditionKind.INTERVAL, True),
        ("not (step == 1 or timer.due())", ConditionKind.UNKNOWN, False),
        ("rank == 0 or timer.due()", ConditionKind.RANK, False),
        ("rank == 0 and timer.due()", ConditionKind.UNKNOWN, False),
        ("step % 4 == 0 or step == last", ConditionKind.INTERVAL, False),
        ("(step % 100 == 0) == True", ConditionKind.INTERVAL, True),
        ("0 <= step % 50 < 3", ConditionKind.INTERVAL, True),
        ("step % 50 == 0 if args.on else False", ConditionKind.INTERVAL, True),
    ],
)
def test_parts_add_up(test: str, kind: ConditionKind, rare: bool) -> None:
    found = condition(test)
    assert (found.kind, found.rare) == (kind, rare)


def test_the_parts_of_and_are_kept() -> None:
    found = condition("rank == 0 and step % 100 == 0 and args.mixup")
    assert [part.kind.name for part in found.all] == ["RANK", "INTERVAL", "OPTION"]


def test_a_condition_speaks_to_people() -> None:
    assert condition("rank == 0 and step % 100 == 0").words == "on some ranks and every 100 steps"
