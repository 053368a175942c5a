"""Why a rule spoke or stayed silent: the answers agree with what a run finds, and with the rule's own source."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.chosen_cases import ROOT, on_each_file
from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.site import Site
from trainlint.analysis.types.values import Home, Kind, Value
from trainlint.config import Config
from trainlint.engine.judge import judge
from trainlint.engine.why.explain import Asked, explain
from trainlint.explanation import Answer, Explanation, Fact, Hiding, Line, Look
from trainlint.finding import Confidence, Finding, Heat, Severity
from trainlint.packs import load_rules
from trainlint.rule import Rule, Triggers
from trainlint.source import SourceFile, source_from_text

INSTALLED = tuple(Asked(rule()) for rule in load_rules())


def told(
    source: SourceFile,
    *rules: Asked,
    lines: tuple[int, int] | None = None,
    config: Config | None = None,
) -> Explanation:
    model = SemanticModel(source, ast.parse(source.text), config or Config())
    first, last = lines or (1, len(source.line_starts))
    return explain(model, rules or INSTALLED, first, last, whole_file=lines is None)


@on_each_file()
def test_what_it_calls_shown_is_what_a_run_finds(path: Path) -> None:
    source = source_from_text("train.py", path.read_text(encoding="utf-8"))
    # The files of a rule are asked about that rule, the examples about all.
    asked_about = [asked for asked in INSTALLED if asked.rule.code == path.parent.name] or INSTALLED
    looks = [look for line in told(source, *asked_about).lines for look in line.looks]
    shown = {verdict.finding for look in looks for verdict in look.verdicts if not verdict.hidden}
    rules = [asked.rule for asked in asked_about]
    assert shown == set(judge(source, rules, Config(), load_rules()).findings)
    for look in looks:
        assert look.failure is None
        assert bool(look.stops or look.silence) != bool(look.verdicts), "silence has a reason, and a finding is one"


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
    assert (loss.kind, loss.home, loss.attached) == (Kind.TENSOR, Home.DEVICE, True)


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


def answers(found: Look) -> list[tuple[str, str, str]]:
    return [(answer.part, answer.question, answer.value) for stop in found.stops for answer in stop.answers]


def test_a_silent_rule_names_the_question_in_the_words_of_the_model() -> None:
    silent = look(told(TRAIN, lines=(11, 11)), "TRN417")
    assert answers(silent) == [
        ("site.file.loops.kind(loop) is not LoopKind.EVAL", "What one iteration of this loop is", "step")
    ]
    (stop,) = silent.stops
    assert (stop.function, stop.path) == ("check", "trainlint_rules/compute/evaluation_in_train_mode.py")
    assert "LoopKind.EVAL" in (ROOT / "rules" / stop.path).read_text().splitlines()[stop.line - 1]


def test_a_rule_that_declares_when_it_looks_says_how_often_the_line_runs() -> None:
    found = [each for each in the_line(told(TRAIN, lines=(16, 16))).looks if each.code == "TRN211"]
    assert {each.silence for each in found} == {"it runs now and then (an interval, a first step, a failure)"}


def test_a_rule_that_declares_its_guards_names_the_one_that_holds() -> None:
    assert look(told(TRAIN, lines=(16, 16)), "TRN201").silence == (
        "it runs now and then (an interval, a first step, a failure)"
    )


def test_what_keeps_a_finding_from_being_shown_is_named() -> None:
    rules = [Asked(asked.rule, Hiding.PREVIEW if asked.rule.code == "TRN201" else None) for asked in INSTALLED]
    (verdict,) = look(
        told(TRAIN, *rules, lines=(17, 17), config=Config(min_confidence=Confidence.CERTAIN)), "TRN201"
    ).verdicts
    assert [hidden.by for hidden in verdict.hidden] == [Hiding.PREVIEW, Hiding.COMMENT, Hiding.LOW_CONFIDENCE]
    assert verdict.hidden[1].line == 17


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


class Toy(Rule, base=True):
    """A toy.

    ## Why
    To be looked at.

    ## Example
    None.

    ## Use instead
    None.

    ## Confirmed by
    A test.

    ## References
    None.
    """

    code = "TOY900"
    name = "toy-toy"
    severity = Severity.WARNING
    triggers = Triggers(calls=frozenset({"look"}))


def silent(rule: type[Rule], code: str = "import torch\nlook(3, here)\n") -> Look:
    return look(told(source_from_text("t.py", code), Asked(rule())), "TOY900")


def _argument(site: Site, number: int) -> ast.expr | None:
    """The argument of a call; None where there are fewer."""
    return site.call.args[number] if number < len(site.call.args) else None


def test_of_a_condition_the_part_that_decided_is_told() -> None:
    class Parts(Toy):
        __doc__ = Toy.__doc__

        def check(self, site: Site) -> Iterator[Finding]:
            if len(site.call.args) == 2 and not (site.call.keywords or site.call.args):
                yield self.finding(site, "never")

    assert answers(silent(Parts)) == [("site.call.args", "", "2")]


def test_a_function_of_the_rule_is_followed() -> None:
    class Asking(Toy):
        __doc__ = Toy.__doc__

        def check(self, site: Site) -> Iterator[Finding]:
            third = _argument(site, 2)
            if third is None:
                return
            yield self.finding(site, "never")

    found = silent(Asking)
    assert answers(found)[0] == ("third is None", "The argument of a call", "none")
    assert [stop.function for stop in found.stops] == ["check", "_argument"]
    assert answers(found)[1] == ("number < len(site.call.args)", "", "no")


def test_where_no_test_of_several_holds_all_are_told() -> None:
    class Chain(Toy):
        __doc__ = Toy.__doc__

        def check(self, site: Site) -> Iterator[Finding]:
            if site.call.keywords:
                yield self.finding(site, "never")
            elif len(site.call.args) > 2:
                yield self.finding(site, "never, either")

    found = silent(Chain)
    assert [(stop.condition, stop.holds) for stop in found.stops] == [
        ("site.call.keywords", False),
        ("len(site.call.args) > 2", False),
    ]


def test_a_loop_over_nothing_is_a_reason() -> None:
    class Over(Toy):
        __doc__ = Toy.__doc__

        def check(self, site: Site) -> Iterator[Finding]:
            for keyword in site.call.keywords:
                yield self.finding(site, "never", at=keyword.value)

    assert answers(silent(Over)) == [("site.call.keywords", "", "none")]


def test_the_last_turn_of_a_loop_decides() -> None:
    class Turns(Toy):
        __doc__ = Toy.__doc__

        def check(self, site: Site) -> Iterator[Finding]:
            for item in site.call.args:
                if isinstance(item, ast.Lambda):
                    yield self.finding(site, "never")

    (stop,) = silent(Turns).stops
    assert stop.answers == (Answer("isinstance(item, ast.Lambda)", "", "no", (Fact("item", "`here`"),)),)


def test_a_value_is_named_as_the_user_wrote_it() -> None:
    class Valued(Toy):
        __doc__ = Toy.__doc__

        def check(self, site: Site) -> Iterator[Finding]:
            value = site.value(site.call.args[0])
            if value.is_tensor:
                yield self.finding(site, "never")

    (stop,) = silent(Valued).stops
    (fact,) = stop.answers[0].facts
    assert fact.text == "3"
    assert isinstance(fact.value, Value)
    assert fact.value.kind is Kind.NUMBER


def test_what_hands_out_its_items_once_is_not_asked_again() -> None:
    class Once(Toy):
        __doc__ = Toy.__doc__

        def check(self, site: Site) -> Iterator[Finding]:
            items = iter(site.call.args)
            if sum(1 for _ in items) > 2:
                yield self.finding(site, "never")

    (stop,) = silent(Once).stops
    assert stop.holds is None


def test_a_rule_that_crashes_is_told_of() -> None:
    class Crash(Toy):
        __doc__ = Toy.__doc__

        def check(self, site: Site) -> Iterator[Finding]:
            if site.call.args:
                raise RuntimeError("no luck")
            yield self.finding(site, "never")

    assert silent(Crash).failure == "RuntimeError: no luck"


def test_who_traced_before_traces_again() -> None:
    def trace(*_: object) -> None:
        return None

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        told(TRAIN, lines=(16, 16))
        assert sys.gettrace() is trace
    finally:
        sys.settrace(before)
