"""Which lines ran, by what was seen at others."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.probe import samples
from trainlint.evidence import Environment, Line, Run, Seen, State
from trainlint.finding import Finding, Severity, Span
from trainlint.symptoms import Symptom
from trainlint_probe.judgement.ran import lines_that_ran
from trainlint_probe.judgement.verdicts import verdict

SCRIPT = """\
import torch                         # 1 once
def build():                         # 2 once
    return torch.nn.Linear(2, 2)     # 3
def evaluate():                      # 4 once
    pass                             # 5
if torch.cuda.is_available():        # 6 once
    torch.cuda.empty_cache()         # 7
else:                                # 8
    torch.manual_seed(0)             # 9
model = build()                      # 10 once
for epoch in range(3):               # 11 once
    model.train()                    # 12 once
    for batch in loader:             # 13 once
        with torch.autocast("cpu"):  # 14 step
            first = model(batch)     # 15 step
            loss = first.sum()       # 16 seen
            other = loss             # 17
        loss.backward()              # 18
    evaluate()                       # 19
"""


@pytest.fixture
def seen_at_16(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(tmp_path)
    Path("train.py").write_text(SCRIPT)
    seen = (Seen(Line("train.py", 16), Symptom.HOST_SYNC, "Tensor.item", 30),)
    return Run((), Environment({}), "window closed", steps=samples.run().steps, seen=seen)


def finding(line: int) -> Finding:
    return Finding("TRN705", "a-pattern", "train.py", Span(line, 1, line, 9), "It costs.", Severity.WARNING)


def test_what_stands_on_the_way_to_a_line_has_run(seen_at_16: Run) -> None:
    ran = lines_that_ran(seen_at_16)
    lines = range(1, len(SCRIPT.splitlines()) + 1)
    assert [line for line in lines if ran.has_run(finding(line))] == [1, 2, 4, 6, 10, 11, 12, 13, 14, 15, 16]


def test_in_the_steps_only_what_stands_in_the_same_round_of_the_loop(seen_at_16: Run) -> None:
    ran = lines_that_ran(seen_at_16)
    lines = range(1, len(SCRIPT.splitlines()) + 1)
    assert [line for line in lines if ran.has_run_in_steps(finding(line))] == [14, 15, 16]


def test_a_file_that_is_no_python_has_only_the_lines_that_were_seen(seen_at_16: Run) -> None:
    Path("train.py").write_text("def (")
    ran = lines_that_ran(seen_at_16)
    assert ran.has_run(finding(16))
    assert not ran.has_run(finding(1))


@pytest.mark.parametrize(
    ("line", "state"),
    [(10, State.UNMEASURED), (15, State.UNMEASURED), (7, State.NOT_OBSERVED), (18, State.NOT_OBSERVED)],
)
def test_what_nothing_measures_is_observed_where_it_ran(seen_at_16: Run, line: int, state: State) -> None:
    ran = lines_that_ran(seen_at_16)
    said = verdict(finding(line), (), seen_at_16, ran=ran.has_run(finding(line)))
    assert (said.state, said.sentence) == (state, "the probe has no way to measure this")


@pytest.mark.parametrize(
    ("line", "state"), [(10, State.NOT_OBSERVED), (15, State.UNMEASURED), (18, State.NOT_OBSERVED)]
)
def test_what_shows_itself_otherwise_is_observed_where_it_ran_in_the_steps(
    seen_at_16: Run, line: int, state: State
) -> None:
    ran = lines_that_ran(seen_at_16)
    said = verdict(
        finding(line),
        {Symptom.CHECKPOINT},
        seen_at_16,
        ran=ran.has_run(finding(line)),
        ran_in_steps=ran.has_run_in_steps(finding(line)),
    )
    assert said.state is state
    assert said.sentence.startswith("the line ran") == (state is State.UNMEASURED)
