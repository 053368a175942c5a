"""Why a rule reports something or is silent: the answers agree with what a run finds, and name the guard that holds."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import ClassVar

import pytest

from tests.chosen_cases import on_each_file
from tests.executed import executed
from tests.toy_rules import PAGE, ToyRule
from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.site import Site
from trainlint.analysis.types.values import Kind, Origin, Value
from trainlint.config import Config
from trainlint.contract.bases import CallRule
from trainlint.contract.declared_rule import Match
from trainlint.contract.guard import early_guard, guard
from trainlint.engine.judge import judge
from trainlint.engine.why.explain import NO_REASON, ExplainedRule, explain
from trainlint.explanation import Explanation, Hiding, Line, Look
from trainlint.finding import Confidence, Finding, Heat, Severity
from trainlint.packs import load_rules
from trainlint.rule import Rule, Triggers
from trainlint.source import SourceFile, source_from_text
from trainlint_rules.itself.unused_ignore import UnusedIgnore

INSTALLED = tuple(ExplainedRule(rule()) for rule in load_rules())


def told(
    source: SourceFile,
    *rules: ExplainedRule,
    lines: tuple[int, int] | None = None,
    config: Config | None = None,
) -> Explanation:
    ran = executed(source)
    model = SemanticModel(source, ast.parse(source.text), config or Config(), frequencies=ran.frequencies)
    first, last = lines or (1, len(source.line_starts))
    whole = lines is None
    return explain(model, rules or INSTALLED, first, last, whole_file=whole, executed=ran)


@on_each_file
def test_what_it_calls_shown_is_what_a_run_finds(path: Path) -> None:
    source = source_from_text("train.py", path.read_text(encoding="utf-8"))
    # The files of a rule are asked about that rule, the examples about all.
    asked_about = [asked for asked in INSTALLED if asked.rule.code == path.parent.name] or INSTALLED
    looks = [look for line in told(source, *asked_about).lines for look in line.looks]
    shown = {verdict.finding for look in looks for verdict in look.verdicts if not verdict.hidden}
    rules = [asked.rule for asked in asked_about]
    ran = executed(source)
    judged = judge(source, rules, Config(), load_rules(), operations=tuple(ran.operations), frequencies=ran.frequencies)
    assert shown == set(judged.findings)
    for look in looks:
        assert look.failure is None
        assert not (look.verdicts and look.silence), "a rule that reports is not silent"


TRAIN = source_from_text(
    "train.py",
    """\
import torch


@torch.no_grad()
def evaluate(model, loader, device):
    for batch in loader:
        print(model(batch.to(device)))


def train(model, criterion, optimizer, train_loader, device):
    for step, (inputs, targets) in enumerate(train_loader):
        loss = criterion(model(inputs.to(device)), targets.to(device))
        loss.backward()
        optimizer.step()
        if step % 100 == 0:
            print(loss.item())
        total = loss.item()  # trainlint: ignore[TRN201] it is shown
    return total
""",
)


def the_line(explanation: Explanation) -> Line:
    (line,) = explanation.lines
    return line


def test_a_line_has_heat_and_values() -> None:
    line = the_line(told(TRAIN, lines=(16, 16)))
    assert line.function == "train"
    assert line.heat is not None
    assert line.heat.heat is Heat.RARE
    assert line.heat.chain[0].startswith("line 11: for step, (inputs, targets)")
    assert not line.gradients_off
    values = {fact.text: fact.value for fact in line.values}
    loss = values["loss"]
    assert isinstance(loss, Value)
    assert (loss.kind, loss.origin) == (Kind.TENSOR, Origin.LOSS)


def test_a_loop_has_the_heat_of_its_body() -> None:
    line = the_line(told(TRAIN, lines=(11, 11)))
    assert line.body is not None
    assert line.body.heat is Heat.STEP


def test_autograd_is_off_for_a_reason() -> None:
    line = the_line(told(TRAIN, lines=(7, 7)))
    assert line.gradients_off
    assert line.gradients_reason == "evaluate: by its decorator"


@pytest.mark.parametrize(
    ("block", "reason"),
    [
        ("with torch.no_grad():", "line 4: with torch.no_grad()"),
        ("with open(path) as file, torch.inference_mode():", "line 4: with open(path) as file, torch.inference_mode()"),
    ],
)
def test_a_with_block_that_switches_autograd_off_is_named(block: str, reason: str) -> None:
    text = f"import torch\n\ndef f(model, x, path):\n    {block}\n        if x:\n            return model(x)\n"
    assert the_line(told(source_from_text("t.py", text), lines=(6, 6))).gradients_reason == reason


def look(explanation: Explanation, code: str) -> Look:
    (found,) = [each for line in explanation.lines for each in line.looks if each.code == code]
    return found


def test_a_rule_is_silent_about_code_that_runs_too_seldom() -> None:
    assert look(told(TRAIN, lines=(16, 16)), "TRN201").silence == (
        "this code runs only in some steps (an interval, a first step, a failure, an option)"
    )


@pytest.mark.parametrize(
    ("code", "use"),
    [("TRN203", "print(model.seen)"), ("TRN203", "float(model.seen)"), ("TRN202", "model.seen.numpy()")],
)
def test_a_rule_is_silent_about_a_value_of_which_nothing_is_known(code: str, use: str) -> None:
    text = TRAIN.text.replace("total = loss.item()  # trainlint: ignore[TRN201] it is shown", use)
    silence = look(told(source_from_text("t.py", text), lines=(17, 17)), code).silence
    assert silence == "trainlint does not know whether it reads a tensor"


def test_a_comment_that_silences_nothing_is_a_finding_of_its_line() -> None:
    text = TRAIN.text.replace("print(loss.item())", "print(step)  # trainlint: ignore[TRN201]")
    (verdict,) = look(told(source_from_text("t.py", text), lines=(16, 16)), "TRN002").verdicts
    assert verdict.hidden == ()


def test_the_nearest_findings_stand_in_for_a_line_without_any() -> None:
    text = TRAIN.text.replace("  # trainlint: ignore[TRN201] it is shown", "")
    explanation = told(source_from_text("t.py", text), lines=(18, 18))
    assert not the_line(explanation).looks
    assert 17 in {finding.span.start_line for finding in explanation.nearby}
    assert len(explanation.nearby) <= 3


def test_a_line_without_code_is_answered_when_it_is_asked_for_alone() -> None:
    assert the_line(told(TRAIN, lines=(2, 2))).heat is None
    assert told(TRAIN, lines=(2, 3)).lines == ()


def test_a_place_of_several_lines_is_seen_from_each() -> None:
    text = TRAIN.text.replace(
        "print(loss.item())", "print(\n                loss\n                .item()\n            )"
    )
    for line in (17, 18):
        found = look(told(source_from_text("t.py", text), lines=(line, line)), "TRN201")
        assert found.span.start_line == 17


@guard
def is_quiet(site: Site) -> bool:
    """The argument is called quiet."""
    return site.text() == "quiet"


@early_guard
def is_legacy(site: Site) -> bool:
    """The file is called legacy."""
    return site.path == "legacy.py"


class Looks(CallRule):
    __doc__ = PAGE
    code = "TOY900"
    name = "toy-look"
    on = ("look",)
    when: ClassVar[Mapping[Heat, Confidence]] = {Heat.ONCE: Confidence.LIKELY}
    unless = (is_legacy, is_quiet)
    message = "`{text}` looks"
    help = "look away"

    def found(self, site: Site) -> Match | None:
        """Calls with an argument. Crashes on 0."""
        if not site.call.args:
            return None
        if site.text() == "look(0)":
            raise RuntimeError("no luck")
        return Match(site.at(site.call.args[0]))


class GivesNoReason(ToyRule):
    __doc__ = PAGE
    code = "TOY901"
    name = "toy-plain"
    severity = Severity.WARNING
    triggers = Triggers(calls=frozenset({"look"}))

    def check(self, site: Site) -> Iterator[Finding]:
        """Calls with two arguments."""
        if len(site.call.args) > 1:
            yield self.finding(site, "never")


def seen(code: str, rule: type[Rule] = Looks, path: str = "t.py", line: int = 2) -> Look:
    return look(
        told(source_from_text(path, f"import torch\n{code}\n"), ExplainedRule(rule()), lines=(line, line)), rule.code
    )


@pytest.mark.parametrize(
    ("code", "path", "why"),
    [
        ("look(quiet)", "t.py", "the argument is called quiet"),
        ("look(here)", "legacy.py", "the file is called legacy"),
        ("def f(): look(here)", "t.py", "this code runs at an unknown frequency"),
        ("look()", "t.py", None),
    ],
)
def test_the_guard_that_holds_is_the_answer(code: str, path: str, why: str | None) -> None:
    silent = seen(code, path=path)
    assert (silent.verdicts, silent.silence) == ((), why)


def test_a_rule_that_reports_has_no_reason_for_silence() -> None:
    found = seen("look(here)")
    assert (len(found.verdicts), found.silence) == (1, None)


def test_what_keeps_a_finding_from_being_shown_is_named() -> None:
    source = source_from_text("t.py", "import torch\nlook(here)  # trainlint: ignore[TOY900] it may\n")
    config = Config(min_confidence=Confidence.CERTAIN)
    (verdict,) = look(
        told(source, ExplainedRule(Looks(), Hiding.PREVIEW), lines=(2, 2), config=config), "TOY900"
    ).verdicts
    assert [hidden.by for hidden in verdict.hidden] == [Hiding.PREVIEW, Hiding.COMMENT, Hiding.LOW_CONFIDENCE]
    assert verdict.hidden[1].line == 2


def test_a_rule_without_guards_gives_no_reason() -> None:
    assert seen("look(here)", GivesNoReason).silence == NO_REASON


def test_a_rule_that_crashes_is_told_of() -> None:
    found = seen("look(0)")
    assert (found.failure, found.silence) == ("RuntimeError: no luck", None)


@pytest.mark.parametrize(("elsewhere", "unused"), [("look(0)", 0), ("look(quiet)", 1)])
def test_a_comment_for_a_rule_that_crashed_elsewhere_is_not_called_unused(elsewhere: str, unused: int) -> None:
    text = f"import torch\n{elsewhere}\nlook()  # trainlint: ignore[TOY900] it may\n"
    asked = [ExplainedRule(rule()) for rule in (Looks, UnusedIgnore)]
    line = the_line(told(source_from_text("t.py", text), *asked, lines=(3, 3)))
    assert len([found for found in line.looks if found.verdicts]) == unused


def test_a_finding_is_shown_at_its_own_line() -> None:
    text = "import torch\nlook(\n    here,\n)\n"
    explanation = told(source_from_text("t.py", text), ExplainedRule(Looks()))
    assert [(line.number, len(line.looks)) for line in explanation.lines] == [(3, 1)]


def test_a_finding_of_a_rule_that_looked_elsewhere_is_shown() -> None:
    class ReportsTheLoop(GivesNoReason):
        __doc__ = PAGE
        code = "TOY902"
        name = "toy-loop"

        def check(self, site: Site) -> Iterator[Finding]:
            """The loop around a call."""
            yield self.finding(site, "see below", at=site.block.node)

    found = seen("for x in y:\n    look(x)", ReportsTheLoop, line=2)
    assert (found.text[:10], found.verdicts[0].finding.message) == ("for x in y", "see below")
