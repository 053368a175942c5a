"""The comparison of what libraries do in each step with what trainlint names."""

from __future__ import annotations

import dataclasses
import json
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest

from benchmarks.truth.__main__ import main
from benchmarks.truth.compare import (
    IN_EACH_STEP,
    Comparison,
    Flag,
    Found,
    Outcome,
    TrueFact,
    compare,
    explained,
    missed,
)
from benchmarks.truth.compare_facts import with_facts
from benchmarks.truth.environments import environment_for
from benchmarks.truth.facts import growth
from benchmarks.truth.failures import NotRun
from benchmarks.truth.page import read_states, sentence, tables
from benchmarks.truth.reasons import NO_RULE, NOTHING_FOUND, UNKNOWN_FREQUENCY, UNKNOWN_VALUE, reason_of
from benchmarks.truth.record import (
    ENVIRONMENT_STEP,
    STEP,
    UNUSED_GRAPH,
    Event,
    Fact,
    Queued,
    Record,
    as_json,
    from_json,
)
from benchmarks.truth.recording import record, roots_of
from benchmarks.truth.results import Library, as_data, changes, from_data, without_places
from benchmarks.truth.scripts_of import BadScript, for_development, read_script, read_scripts
from benchmarks.truth.static import Judge, flags_of, judge_of, reasons_of
from benchmarks.truth.table import as_markdown
from trainlint.symptoms import Symptom

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


def ran(
    *events: Event,
    lines: range = range(1, 50),
    unit: str = STEP,
    steps: int = STEPS,
    queued: tuple[Queued, ...] | None = (),
) -> Record:
    executed = {"lib/a.py": tuple(lines)}
    return Record(steps, unit, events, executed, "", {"lib": "/site/lib"}, {"lib": "1.0"}, queued=queued)


def library(found: Comparison, *, is_development: bool = True, versions: Mapping[str, str] | None = None) -> Library:
    return Library("lib", versions or {"lib": "1.0"}, "vision", is_development, found)


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


def test_a_finding_is_refuted_only_where_the_table_of_waits_has_all_operators_of_its_statement() -> None:
    queued = (Queued("lib/a.py", 1, ("index", "masked_fill")), Queued("lib/a.py", 3, ("index", "add")))
    (known, unknown) = compare([ran(queued=queued)], [flag(1), flag(2, 4)], READS).judged
    assert (known.outcome, unknown.outcome) == (Outcome.REFUTED, Outcome.UNDECIDED)


def test_nothing_is_refuted_where_a_run_does_not_say_what_the_device_did() -> None:
    (judged,) = compare([ran(), ran(queued=None)], [flag(1)], READS).judged
    assert judged.outcome is Outcome.UNDECIDED


def test_the_run_in_which_a_line_waits_most_counts() -> None:
    (line,) = compare([ran(event(1)), ran(event(1, count=30))], [], READS).lines
    assert line.per_step == 3.0


def test_a_run_of_few_steps_says_nothing() -> None:
    found = compare([ran(event(1, steps=4), steps=4)], [flag(1)], READS)
    assert (found.lines, found.judged) == ((), ())


def test_a_line_counts_by_steps_and_by_steps_of_the_environment() -> None:
    """One that waits in each of the latter confirms a finding, although it does so in few steps of the optimizer."""
    rollout = ran(event(1), event(2), unit=ENVIRONMENT_STEP)
    found = compare([ran(event(1), event(2, steps=2)), rollout], [flag(2)], READS)
    assert [(line.line, line.unit) for line in found.lines] == [(1, ENVIRONMENT_STEP), (1, STEP), (2, ENVIRONMENT_STEP)]
    assert [item.outcome for item in found.judged] == [Outcome.CONFIRMED]


def test_a_record_survives_json() -> None:
    whole = dataclasses.replace(
        with_fact(EVALUATION, 1, 2),
        events=(event(1), event(2, in_backward=True)),
        queued=(Queued("lib/a.py", 1, ("add",)),),
    )
    assert from_json(json.loads(json.dumps(as_json([whole])))) == (whole,)


def test_the_table_names_no_missed_line_of_a_library_that_is_only_counted() -> None:
    found = compare([ran(event(1), event(2))], [flag(1)], READS)
    assert "lib/a.py:2" in as_markdown([library(found)])
    counted = as_markdown([library(found, is_development=False)])
    assert "lib/a.py" not in counted
    assert "| all | 2 | 1 (50%) | 1 (50%) | 2 | 50% | 50% |" in counted


def test_shares_are_weighted_by_events() -> None:
    found = compare([ran(event(1), event(2, count=3 * STEPS))], [flag(1)], READS)
    assert "| all | 2 | 1 (50%) | 1 (50%) | 4 | 25% | 25% |" in as_markdown([library(found)])


def test_the_table_counts_the_reasons_of_misses() -> None:
    found = compare([ran(event(1), event(2), event(3))], [flag(1)], READS)
    told = explained(found, dict.fromkeys(missed(found), NO_RULE))
    assert f"| {NO_RULE} | 2 | 2 |" in as_markdown([library(told)])


def test_results_survive_json() -> None:
    whole = library(compare([ran(event(1), event(2))], [flag(1)], READS))
    whole = dataclasses.replace(
        whole, found=dataclasses.replace(whole.found, facts=(TrueFact("a", "b.py", 1, Found.NOT),))
    )
    assert from_data(json.loads(json.dumps(as_data([whole])))) == (whole,)


def test_what_is_published_has_the_figures_and_no_places_of_a_library_that_is_only_counted() -> None:
    found = compare([ran(event(1), event(2))], [flag(1)], READS)
    whole, hidden = library(found), library(found, is_development=False)
    assert without_places(whole) == whole
    assert "a.py" not in str(without_places(hidden))
    assert as_markdown([without_places(hidden)]) == as_markdown([hidden])


def test_the_page_has_a_row_for_each_state_and_the_tables_of_the_present_one(tmp_path: Path) -> None:
    states = {"now": [flag(1)], "b0219463": []}
    for name, flags in states.items():
        found = library(compare([ran(event(1), event(2))], flags, READS), versions={"lib": "1.0", "torch": "2.13.0"})
        (tmp_path / f"{name}.json").write_text(json.dumps(as_data([found])))
    page = tables(read_states(tmp_path))
    rows = ["| b0219463 | 2 | 0 (0%) | 0 (0%) | 0 |", "| now | 2 | 1 (50%) | 1 (50%) | 1 (100%) |"]
    assert "\n".join(rows) in page
    assert "lib/a.py:2" in page
    assert "not run with the present state" not in page
    assert "name 1 (50%) of them" in sentence(read_states(tmp_path)["now"])


def test_the_page_compares_states_on_the_same_libraries_and_names_those_left_out() -> None:
    found = compare([ran(event(1), event(2))], [], READS)
    both = library(found, versions={"torch": "2.13.0"})
    left = dataclasses.replace(both, name="left")
    page = tables({"b0219463": [both, left], "now": [both]})
    assert "| b0219463 | 2 | 0 (0%) | 0 (0%) | 0 |" in page
    assert "not run with the present state, and are in no figure of this section: left." in page


def test_two_results_are_compared_by_line() -> None:
    before, after = (as_data([library(compare([ran(event(1))], flags, READS))]) for flags in ([], [flag(1)]))
    assert changes(before, before) == []
    assert changes(before, after) == [
        "lib lib/a.py:1 step: not → by default",
        "lib lib/a.py:1 TRN201: absent → confirmed",
    ]


def told(heat: str = "step", *, unknown: Sequence[str] = (), looks: Sequence[object] = ()) -> dict[str, object]:
    """An answer of `trainlint why` about line 5."""
    value = {"text": "x", "words": "", "value": {"kind": "tensor"}}
    line = {"line": 5, "heat": {"heat": heat}, "values": [value], "unknown": unknown, "rules": looks}
    return {"lines": [line]}


def look(*, code: str = "TRN201", silence: str = "", hidden: str = "") -> dict[str, object]:
    findings = [{"hidden": [{"by": hidden}]}] if hidden else []
    return {"code": code, "span": {"start_line": 5, "end_line": 6}, "silence": silence, "findings": findings}


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (told("unknown", looks=[look()]), UNKNOWN_FREQUENCY),
        (told("once", looks=[look()]), "it is taken to run once"),
        (told(looks=[look(code="TRN999")]), NO_RULE),
        (told(looks=[look(silence="it is a test")]), "a rule is silent: it is a test"),
        (told(looks=[look()], unknown=["x"]), UNKNOWN_VALUE),
        (told(looks=[look()]), NOTHING_FOUND),
        (told(looks=[look(hidden="low-confidence")]), "found, too unsure to be shown"),
        (told("once", looks=[look(hidden="preview")]), "found by a rule that is off"),
        ({"lines": []}, UNKNOWN_FREQUENCY),
    ],
)
def test_why_a_line_is_missed(answer: dict[str, object], reason: str) -> None:
    assert reason_of(answer, 6, READS) == reason


def test_trainlint_is_asked_for_findings_and_for_what_it_knows_of_missed_lines(tmp_path: Path) -> None:
    package = tmp_path / "lib"
    package.mkdir()
    (package / "__init__.py").write_text(
        "import torch\n\n"
        "def train(model, loader, optimizer):\n"
        "    for batch in loader:\n"
        "        loss = model(batch.cuda())\n"
        "        loss.backward()\n"
        "        optimizer.step()\n"
        "        print(loss.item())\n\n"
        "def other(x):\n"
        "    return x.item()\n"
    )
    with judge_of({"lib": str(package)}) as judge:
        reads = {found.first for found in flags_of(judge) if found.code in READS and found.is_default}
        assert reads == {8}
        place = ("lib/__init__.py", 11)
        assert reasons_of(judge, [place], READS) == {place: UNKNOWN_FREQUENCY}


def test_a_trainlint_that_gives_no_report_is_named() -> None:
    with pytest.raises(NotRun, match="no report: I am broken"):
        flags_of(Judge([sys.executable, "-c", "import sys; sys.exit('I am broken')"], "."))


def test_an_environment_is_made_once_above_the_one_that_has_pytorch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed = []

    def pip(command: Sequence[str], **_: object) -> SimpleNamespace:
        installed.append(command[command.index("--quiet") + 1 :])
        return SimpleNamespace(returncode=0)

    monkeypatch.setattr("benchmarks.truth.environments.subprocess.run", pip)
    monkeypatch.setattr("benchmarks.truth.environments.venv.create", lambda home, **_: fake_environment(home))
    pythons = [environment_for([name], tmp_path) for name in ("lib==1", "other==2", "lib==1")]
    assert [words[-1] for words in installed] == ["numpy", "lib==1", "other==2"]
    assert pythons[0] == pythons[2] != pythons[1]
    (base,) = {*tmp_path.iterdir()} - {python.parents[1] for python in pythons}
    below = next(pythons[0].parents[1].rglob("below.pth")).read_text("utf-8").strip()
    assert Path(below).is_relative_to(base)


def fake_environment(home: Path) -> None:
    (home / "lib" / "python3.12" / "site-packages").mkdir(parents=True)


EVALUATION = Symptom.EVALUATION_WITH_GRADIENTS.value
COLLECTION = Symptom.GARBAGE_COLLECTION.value
COLLECTIVE = Symptom.COLLECTIVE.value
OF_FACTS = {
    EVALUATION: frozenset({"TRN303"}),
    COLLECTION: frozenset({"TRN302"}),
    COLLECTIVE: frozenset({"TRN505"}),
}


def with_fact(symptom: str, *lines: int, steps: int = STEPS) -> Record:
    fact = Fact(symptom, tuple(("lib/a.py", line) for line in lines), 1, tuple(range(steps)))
    return dataclasses.replace(ran(), facts=(fact,))


def test_a_fact_is_named_by_a_finding_at_any_line_that_leads_there() -> None:
    records = [with_fact(EVALUATION, 1, 20, steps=0), with_fact(EVALUATION, 2, 21, steps=0)]
    found = with_facts(Comparison((), ()), records, [flag(20, code="TRN303")], OF_FACTS)
    assert [(fact.line, fact.found) for fact in found.facts] == [(1, Found.BY_DEFAULT), (2, Found.NOT)]


def test_a_forward_in_training_mode_that_nothing_trains_confirms_a_finding_and_counts_as_no_evaluation() -> None:
    found = with_facts(Comparison((), ()), [with_fact(UNUSED_GRAPH, 1)], [flag(1, code="TRN303")], OF_FACTS)
    assert ([item.outcome for item in found.judged], found.facts) == ([Outcome.CONFIRMED], ())


def test_what_is_to_happen_in_each_step_is_judged_by_its_share_of_steps() -> None:
    records = [with_fact(COLLECTION, 1), with_fact(COLLECTION, 2, steps=3)]
    flags = [flag(line, code="TRN302") for line in (1, 2, 3, 60)]
    found = with_facts(Comparison((), ()), records, flags, OF_FACTS)
    assert [fact.line for fact in found.facts] == [1]
    assert [item.outcome for item in found.judged] == [Outcome.CONFIRMED, Outcome.RARER, Outcome.REFUTED]


def test_without_other_ranks_nothing_is_said_of_collectives() -> None:
    flags = [flag(1, code="TRN505")]
    assert with_facts(Comparison((), ()), [ran()], flags, OF_FACTS).judged == ()
    (judged,) = with_facts(Comparison((), ()), [with_fact(COLLECTIVE, 2)], flags, OF_FACTS).judged
    assert judged.outcome is Outcome.REFUTED


def test_memory_grows_where_most_steps_leave_more_of_it() -> None:
    assert growth([0, 9000, *range(9000, 19000, 1000)], IN_EACH_STEP) == 1000
    assert growth([0, 9000, 9500, *[9000, 9500] * 5], IN_EACH_STEP) == 0
    assert growth([], IN_EACH_STEP) == 0


def test_a_script_that_failed_at_once_runs_again_and_gives_no_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    failed = Record(0, STEP, (), {}, "ImportError: no such name", {"accelerate": "/site"}, {"accelerate": "1.0"})
    pythons: list[Path] = []

    def fail(_: object, python: Path, __: object) -> tuple[Record, ...]:
        pythons.append(python)
        return (failed,)

    monkeypatch.setattr("benchmarks.truth.__main__.record_of", fail)
    words = ["accelerate_loop", "--keep", "--python", "env/bin/python", "--results", str(tmp_path)]
    assert [main(words), main(words)] == [2, 2]
    assert pythons == [Path.cwd() / "env/bin/python"] * 2
    told = capsys.readouterr().out
    assert "- accelerate_loop: ImportError: no such name" in told
    assert "| accelerate 1.0 |" not in told


def test_with_names_the_published_rows_of_other_libraries_stay(tmp_path: Path) -> None:
    package = tmp_path / "accelerate"
    package.mkdir()
    record = dataclasses.replace(ran(), packages={"accelerate": str(package)})
    (tmp_path / "accelerate_loop.json").write_text(json.dumps(as_json([record])))
    trainlint = tmp_path / "trainlint"
    trainlint.write_text("#!/bin/sh\necho '{\"findings\": []}'\n")
    trainlint.chmod(0o755)
    published = tmp_path / "now.json"
    published.write_text(json.dumps(as_data([library(Comparison((), ()))])))
    words = ["--keep", "--results", str(tmp_path), "--trainlint", str(trainlint), "--publish", str(published)]
    assert main(["accelerate_loop", *words]) == 0
    assert [*json.loads(published.read_text())] == ["accelerate", "lib"]


def test_each_script_says_what_it_needs_and_pins_its_library() -> None:
    scripts = read_scripts()
    assert scripts
    for script in scripts:
        assert "==" in script.requires[0] or re.search("@[0-9a-f]{40}$", script.repository), script.name


def test_a_script_that_does_not_say_what_it_needs_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("# requires: lib==1\nimport lib\n")
    with pytest.raises(BadScript, match="# packages"):
        read_script(tmp_path / "a.py")


def test_the_lot_splits_in_about_halves_and_gives_back_what_is_spent() -> None:
    names = [f"lib{number}" for number in range(100)]
    half = for_development(names, [])
    assert 35 < len(half) < 65
    spent = next(name for name in names if name not in half)
    assert for_development(names, [spent]) == half | {spent}


def test_a_new_library_leaves_the_lot_of_the_others_as_it_was() -> None:
    assert for_development(["a", "b", "c", "d"], []) - {"a"} == for_development(["b", "c", "d"], [])


def trained(directory: Path, package: str, code: str, script: str, per: str = "") -> tuple[Record, ...]:
    """What is recorded of a training with a package of one file."""
    (directory / package).mkdir()
    (directory / package / "__init__.py").write_text(code)
    (directory / "train.py").write_text(script)
    return record(str(directory / "train.py"), {f"{directory / package}/": package}, per)


def test_a_step_of_several_optimizers_is_one_step(tmp_path: Path) -> None:
    """Otherwise each line would run in half of the steps only."""
    code = "def read(loss):\n    return loss.item()\n"
    script = (
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
    (found,) = trained(tmp_path, "lib_of_two", code, script)
    assert found.steps == 6
    assert [len(event.steps) for event in found.events] == [6]


def test_a_run_records_what_lines_of_the_package_do_in_each_step_but_the_first(tmp_path: Path) -> None:
    code = "def read(loss):\n    return loss.item()\n"
    script = (
        "import torch\nimport lib\n\n"
        "model = torch.nn.Linear(2, 1).cuda()\n"
        "optimizer = torch.optim.SGD(model.parameters(), lr=0.1)\n"
        "for step in range(7):\n"
        "    loss = model(torch.ones(3, 2, device='cuda')).mean()\n"
        "    loss.backward()\n"
        "    optimizer.step()\n"
        "    lib.read(loss)\n"
    )
    (found,) = trained(tmp_path, "lib", code, script)
    assert (found.error, found.steps) == ("", 6)
    (only,) = found.events
    assert (only.path, only.line, only.kind, only.count, len(only.steps)) == ("lib/__init__.py", 2, "wait", 6, 6)
    assert 2 in found.executed["lib/__init__.py"]


def test_a_package_without_init_file_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "lib_of_parts").mkdir()
    (tmp_path / "lib_of_parts" / "part.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    assert roots_of(["lib_of_parts"]) == {f"{tmp_path}/lib_of_parts/": "lib_of_parts"}
    with pytest.raises(ModuleNotFoundError, match="no package lib_of_nothing"):
        roots_of(["lib_of_nothing"])


def test_a_rollout_is_counted_by_steps_of_the_environment(tmp_path: Path) -> None:
    code = (
        "class World:\n    def step(self, action):\n        return 1.0\n\n\n"
        "def act(world, policy):\n    world.step(policy.argmax().item())\n"
    )
    script = (
        "import torch\nimport lib_of_worlds\n\n"
        "model = torch.nn.Linear(2, 1).cuda()\n"
        "optimizer = torch.optim.SGD(model.parameters(), lr=0.1)\n"
        "for step in range(3):\n"
        "    loss = model(torch.ones(3, 2, device='cuda')).mean()\n"
        "    loss.backward()\n"
        "    optimizer.step()\n"
        "    for _ in range(5):\n"
        "        lib_of_worlds.act(lib_of_worlds.World(), model.weight[0])\n"
    )
    sys.path.insert(0, str(tmp_path))
    by_step, by_world = trained(tmp_path, "lib_of_worlds", code, script, "lib_of_worlds.World.step")
    assert (by_step.error, by_step.steps, by_world.steps) == ("", 2, 15)
    (read,) = by_world.events
    assert (read.line, read.count, len(read.steps)) == (7, 15, 15)


def test_a_function_that_no_rollout_calls_is_told(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("")
    _, by_world = record(str(tmp_path / "train.py"), {f"{tmp_path}/": "lib"}, "fractions.Fraction.limit_denominator")
    assert by_world.error == "after the first step fractions.Fraction.limit_denominator was not called"


def test_a_run_records_facts_besides_waits_what_the_device_did_and_memory_that_grows(tmp_path: Path) -> None:
    code = (
        "import gc\nimport torch\n\n\n"
        "def evaluate(model, inputs):\n"
        "    model.eval()\n"
        "    model(inputs)\n"
        "    with torch.no_grad():\n"
        "        model(inputs)\n"
        "    model(inputs).sum().backward()\n"
        "    model.train()\n"
        "    model(inputs)\n\n\n"
        "def act(model, inputs):\n"
        "    gc.collect()\n"
        "    model(inputs)\n"
    )
    script = (
        "import torch\nimport lib_of_facts\n\n"
        "model = torch.nn.Linear(2, 1).cuda()\n"
        "optimizer = torch.optim.SGD(model.parameters(), lr=0.1)\n"
        "kept = []\n"
        "for step in range(9):\n"
        "    loss = model(torch.ones(3, 2, device='cuda')).mean()\n"
        "    loss.backward()\n"
        "    optimizer.step()\n"
        "    kept.append(loss)\n"
        "    lib_of_facts.act(model, torch.ones(3, 2, device='cuda'))\n"
        "lib_of_facts.evaluate(model, torch.ones(3, 2, device='cuda'))\n"
    )
    (found,) = trained(tmp_path, "lib_of_facts", code, script)
    seen = {(fact.symptom, fact.lines, len(fact.steps)) for fact in found.facts}
    path = "lib_of_facts/__init__.py"
    assert seen == {
        (EVALUATION, ((path, 7),), 0),
        (COLLECTION, ((path, 16),), 8),
        (UNUSED_GRAPH, ((path, 17),), 8),
    }
    assert {each.line for each in found.queued or ()} == {7, 9, 10, 12, 17}
    assert found.growth == 512
