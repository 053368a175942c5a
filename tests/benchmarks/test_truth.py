"""The comparison of what libraries do in each step with what trainlint names."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.truth.compare import Flag, Found, Outcome, compare
from benchmarks.truth.record import Event, Record, as_json, from_json
from benchmarks.truth.recording import record
from benchmarks.truth.scripts_of import BadScript, for_development, read_script, read_scripts
from benchmarks.truth.table import as_data, as_markdown, changes

STEPS = 10
READS = frozenset({"TRN201"})


def event(
    line: int, steps: int = STEPS, *, kind: str = "wait", count: int | None = None, in_backward: bool = False
) -> Event:
    return Event(
        "lib/a.py",
        line,
        kind,
        "Tensor.item",
        steps if count is None else count,
        tuple(range(steps)),
        in_backward=in_backward,
    )


def ran(*events: Event, lines: range = range(1, 50)) -> Record:
    return Record(STEPS, events, {"lib/a.py": tuple(lines)}, "", {"lib": "/site/lib"})


def flag(first: int, last: int | None = None, *, code: str = "TRN201", is_default: bool = True) -> Flag:
    return Flag("lib/a.py", first, last or first, code, is_default)


def test_a_line_counts_that_waits_in_most_steps_outside_of_the_backward_pass() -> None:
    record = ran(
        event(1), event(2, steps=8), event(3, steps=7), event(4, in_backward=True), event(5, kind="collective")
    )
    assert [line.line for line in compare([record], [], READS).lines] == [1, 2]


def test_a_line_is_named_by_a_finding_of_its_statement_and_of_a_rule_about_waits() -> None:
    flags = [flag(1), flag(4, 6), flag(8, is_default=False), flag(9, code="TRN303")]
    lines = compare([ran(*map(event, (1, 5, 8, 9)))], flags, READS).lines
    assert [line.found for line in lines] == [Found.BY_DEFAULT, Found.BY_DEFAULT, Found.AT_ANY_LEVEL, Found.NOT]


def test_a_default_finding_is_judged_where_its_line_ran() -> None:
    flags = [flag(1), flag(2), flag(3), flag(60), flag(4, is_default=False)]
    judged = compare([ran(event(1), event(2, steps=3), event(4))], flags, READS).judged
    assert [(item.flag.first, item.outcome) for item in judged] == [
        (1, Outcome.CONFIRMED),
        (2, Outcome.RARER),
        (3, Outcome.REFUTED),
    ]


def test_the_run_in_which_a_line_waits_most_counts() -> None:
    (line,) = compare([ran(event(1)), ran(event(1, count=30))], [], READS).lines
    assert line.per_step == 3.0


def test_a_run_of_few_steps_says_nothing() -> None:
    short = Record(4, (event(1, steps=4),), {"lib/a.py": (1,)}, "", {})
    found = compare([short], [flag(1)], READS)
    assert (found.lines, found.judged) == ((), ())


def test_a_record_survives_json() -> None:
    whole = ran(event(1), event(2, in_backward=True))
    assert from_json(as_json(whole)) == whole


def test_the_table_names_no_missed_line_of_the_half_that_is_only_counted() -> None:
    found = {"lib": compare([ran(event(1), event(2))], [flag(1)], READS)}
    kinds = {"lib": "vision"}
    assert "lib/a.py:2" in as_markdown(found, kinds, frozenset({"lib"}), {})
    counted = as_markdown(found, kinds, frozenset(), {})
    assert "lib/a.py" not in counted
    assert "| all | 2 | 1 (50%) | 1 (50%) | 1 (50%) |" in counted


def test_two_results_are_compared_by_line() -> None:
    before, after = (as_data({"lib": compare([ran(event(1))], flags, READS)}) for flags in ([], [flag(1)]))
    assert changes(before, before) == []
    assert changes(before, after) == ["lib lib/a.py:1 : not → by default", "lib lib/a.py:1 TRN201: absent → confirmed"]


def test_each_script_says_what_it_needs_and_pins_its_library() -> None:
    scripts = read_scripts()
    assert scripts
    for script in scripts:
        assert "==" in script.requires[0], script.name


def test_a_script_that_does_not_say_what_it_needs_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("# requires: lib==1\nimport lib\n")
    with pytest.raises(BadScript, match="# packages"):
        read_script(tmp_path / "a.py")


def test_the_lot_splits_in_halves_and_gives_back_what_is_spent() -> None:
    names = [f"lib{number}" for number in range(20)]
    half = for_development(names)
    assert len(half) == 10
    assert for_development(names[::-1]) == half
    spent = next(name for name in names if name not in half)
    assert for_development(names, [spent]) == half | {spent}


def test_a_step_of_several_optimizers_is_one_step(tmp_path: Path) -> None:
    """Otherwise each line would run in half of the steps only."""
    package = tmp_path / "lib_of_two"
    package.mkdir()
    (package / "__init__.py").write_text("def read(loss):\n    return loss.item()\n")
    (tmp_path / "train.py").write_text(
        "import torch\nimport lib_of_two\n\n"
        "models = [torch.nn.Linear(2, 1).cuda() for _ in range(2)]\n"
        "optimizers = [torch.optim.SGD(model.parameters(), lr=0.1) for model in models]\n"
        "for step in range(7):\n"
        "    for model, optimizer in zip(models, optimizers):\n"
        "        loss = model(torch.ones(3, 2, device='cuda')).mean()\n"
        "        loss.backward()\n"
        "        optimizer.step()\n"
        "    lib_of_two.read(loss)\n"
    )
    found = record(str(tmp_path / "train.py"), {f"{package}/": "lib_of_two"})
    assert found.steps == 6
    assert [len(event.steps) for event in found.events] == [6]


def test_a_run_records_what_lines_of_the_package_do_in_each_step_but_the_first(tmp_path: Path) -> None:
    package = tmp_path / "lib"
    package.mkdir()
    (package / "__init__.py").write_text("def read(loss):\n    return loss.item()\n")
    (tmp_path / "train.py").write_text(
        "import torch\nimport lib\n\n"
        "model = torch.nn.Linear(2, 1).cuda()\n"
        "optimizer = torch.optim.SGD(model.parameters(), lr=0.1)\n"
        "for step in range(7):\n"
        "    loss = model(torch.ones(3, 2, device='cuda')).mean()\n"
        "    loss.backward()\n"
        "    optimizer.step()\n"
        "    lib.read(loss)\n"
    )
    found = record(str(tmp_path / "train.py"), {f"{package}/": "lib"})
    assert (found.error, found.steps) == ("", 6)
    (only,) = found.events
    assert (only.path, only.line, only.kind, only.count, len(only.steps)) == ("lib/__init__.py", 2, "wait", 6, 6)
    assert 2 in found.executed["lib/__init__.py"]
