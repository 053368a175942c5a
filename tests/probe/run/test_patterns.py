"""Patterns of static rules at work: each is confirmed where it happens or costs, and refuted or not observed in a twin.

pytest tests/probe/run/test_patterns.py
"""

from __future__ import annotations

import pytest

from tests.probe.run.running import SCRIPTS, Runner, line_of, only
from tests.rules.catalogue import all_rules
from trainlint.evidence.run import Run
from trainlint.evidence.verdicts import State, Verdict
from trainlint.finding import Finding, Severity, Span
from trainlint_probe.judgement.across_ranks import with_others
from trainlint_probe.judgement.verdicts import verdict

RULES = {rule.code: rule for rule in all_rules()}

COSTS = {
    "TRN302": "gc.collect()",
}
MISTAKES = {
    "TRN405": "loss.backward()",
    "TRN414": "model.eval()",
}


def said_of(run: Run, code: str, line: int, path: str) -> Verdict:
    """What a run says of a finding of a rule at a line."""
    rule = RULES[code]
    finding = Finding(code, rule.name, path, Span(line, 1, line, 2), "It costs.", Severity.WARNING)
    return verdict(finding, rule.confirmed_by, run, warned_as=rule.warned_as, in_part=rule.confirmed_in_part)


def states(run: Run, script: str, lines: dict[str, str]) -> dict[str, State]:
    """What a run says of each line of a script of ours, by the rule."""
    path = str(SCRIPTS / f"{script}.py")
    return {code: said_of(run, code, line_of(script, text), path).state for code, text in lines.items()}


def test_what_costs_on_the_host_is_confirmed_by_its_share_of_a_step(runner: Runner) -> None:
    run = only(runner.run("habits", "0"))
    assert states(run, "habits", COSTS) == dict.fromkeys(COSTS, State.CONFIRMED)


@pytest.mark.nightly
def test_the_same_lines_are_refuted_in_a_long_step(runner: Runner) -> None:
    run = only(runner.run("habits", "1000", steps=5))
    assert states(run, "habits", COSTS | {"TRN306": "set_to_none=False"}) == dict.fromkeys(
        (*COSTS, "TRN306"), State.REFUTED
    )


@pytest.mark.nightly
def test_what_is_wrong_by_its_order_or_mode_is_confirmed_where_it_happens(runner: Runner) -> None:
    run = only(runner.run("mistakes", "wrong", steps=20))
    assert states(run, "mistakes", MISTAKES) == dict.fromkeys(MISTAKES, State.CONFIRMED)


@pytest.mark.nightly
def test_the_same_lines_are_cleared_where_it_does_not(runner: Runner) -> None:
    run = only(runner.run("mistakes", "right", steps=20))
    assert states(run, "mistakes", MISTAKES) == {"TRN405": State.REFUTED, "TRN414": State.NOT_OBSERVED}


@pytest.mark.nightly
def test_what_ranks_exchange(runner: Runner) -> None:
    launched = runner.run("exchanges", "0", "both", processes=2, warmup=12)
    run = with_others(launched.runs[0], launched.runs)
    lines = {
        "TRN215": "all_reduce(",
        "TRN504": "all_reduce(",
        "TRN508": "DistributedDataParallel(Halves",
        "TRN510": ".backward()",
        "TRN530": "DistributedDataParallel(Halves",
    }
    assert states(run, "exchanges", lines) == dict.fromkeys(lines, State.CONFIRMED)
    (whole,) = [item for item in run.seen if item.what == "torch.distributed.all_reduce"]
    assert whole.recoverable is not None
    assert 0 < whole.recoverable.low <= whole.recoverable.high
    # What could run beside other work is gained at most.
    part = said_of(run, "TRN501", whole.at.line, whole.at.path)
    assert part.cost is not None
    assert (part.state, part.cost.low) == (State.INCONCLUSIVE, 0.0)


@pytest.mark.nightly
def test_ranks_that_have_no_need_of_it(runner: Runner) -> None:
    launched = runner.run("exchanges", "2500", "first", processes=2, steps=3)
    run = with_others(launched.runs[0], launched.runs)
    lines = {
        "TRN215": "all_reduce(",
        "TRN501": "all_reduce(",
        "TRN508": "DistributedDataParallel(Halves",
        "TRN510": ".backward()",
    }
    assert states(run, "exchanges", lines) == dict.fromkeys(lines, State.REFUTED)
    absent = {"TRN530": "DistributedDataParallel(Halves"}
    assert states(run, "exchanges", absent) == dict.fromkeys(absent, State.NOT_OBSERVED)


def test_what_pytorch_warns_of_confirms_the_rule_that_speaks_of_it(runner: Runner) -> None:
    """Also where a decorator of PyTorch's stands between, so that the warning names a line of its own."""
    run = only(runner.run("outdated"))
    path = SCRIPTS / "outdated.py"
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        code, *about = line.partition("  # ")[2].split()[:2] or [""]
        if code in RULES:
            is_confirmed = said_of(run, code, number, str(path)).state is State.CONFIRMED
            assert is_confirmed is not bool(about), line


@pytest.mark.nightly
@pytest.mark.parametrize(("processes", "state"), [("1", State.REFUTED), ("500", State.CONFIRMED)])
def test_workers_of_all_processes_are_counted_against_the_cores(
    runner: Runner, monkeypatch: pytest.MonkeyPatch, processes: str, state: State
) -> None:
    monkeypatch.setenv("LOCAL_WORLD_SIZE", processes)
    run = only(runner.run("iterable"))
    (loader,) = run.loaders
    assert loader.made_at is not None
    assert said_of(run, "TRN105", loader.made_at.line, loader.made_at.path).state is state


@pytest.mark.nightly
@pytest.mark.parametrize(("pause", "state"), [("0", State.CONFIRMED), ("2500", State.REFUTED)])
def test_zeros_in_all_gradients_cost_what_they_take(runner: Runner, pause: str, state: State) -> None:
    run = only(runner.run("zeroed", pause, warmup=1, warmup_limit=2, steps=5))
    assert states(run, "zeroed", {"TRN306": "set_to_none=False"}) == {"TRN306": state}
