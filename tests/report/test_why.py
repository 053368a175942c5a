"""`trainlint why` as people read it, whatever the model knows."""

from __future__ import annotations

from dataclasses import replace

import pytest

from trainlint.analysis.types.values import Kind, Origin, Value
from trainlint.explanation import Explanation, Fact, Hidden, Hiding, Line, Look, Verdict
from trainlint.finding import Confidence, Finding, Heat, HeatFact, Severity, Span
from trainlint.report.settings import Style
from trainlint.report.why.text import render
from trainlint.report.why.value_words import heat_words, value_words

STEP = HeatFact(Heat.STEP, 0.97, ("line 3: for batch in loader",))
LOSS = Value(Kind.TENSOR, Origin.LOSS)
SILENT = Look("ACME002", "slow-call", Span(8, 5, 8, 16), "loss.item()", silence="the file compiles nothing")
ELSEWHERE = replace(SILENT, code="ACME003", silence=None)
FINDING = Finding(
    "ACME001", "slower-call", "t.py", Span(8, 5, 8, 16), "This waits.", Severity.WARNING, confidence=Confidence.LIKELY
)
SPOKEN = Look("ACME001", "slower-call", Span(8, 5, 8, 16), "loss.item()", verdicts=(Verdict(FINDING),))
LINE = Line(
    8,
    "    loss.item()",
    function="train",
    heat=STEP,
    values=(Fact("loss", LOSS),),
    unknown=("args", "step"),
    looks=(SPOKEN, SILENT, ELSEWHERE),
)
EXPLANATION = Explanation("t.py", 8, 8, False, Confidence.LIKELY, (LINE,))


def text(explanation: Explanation, style: Style | None = None) -> str:
    return render(explanation, "text", sources=lambda path: None, style=style or Style())


def test_a_line_and_its_rules() -> None:
    assert text(EXPLANATION) == (
        "  8 │     loss.item()\n"
        "  when:     in train: runs each training step (0.97): line 3: for batch in loader\n"
        "  values:   loss is a tensor, a loss\n"
        "            nothing is known of args, step\n"
        "\n"
        "  ACME001 slower-call reports `loss.item()`\n"
        "    This waits.\n"
        "    warning, likely; shown by `trainlint check`\n"
        "\n"
        "  ACME002 slow-call is silent: the file compiles nothing\n"
        "  1 other rule looks for something else here: ACME003\n"
    )


def test_heat_that_was_told_is_not_told_again() -> None:
    second = replace(LINE, number=9, values=(), unknown=(), looks=())
    told = text(replace(EXPLANATION, last=9, lines=(replace(LINE, looks=()), second)))
    assert "  9 │     loss.item()\n  when:     runs each training step (0.97), as line 8\n" in told


def test_a_loop_tells_of_its_body_and_autograd_of_what_switches_it_off() -> None:
    line = replace(LINE, body=replace(STEP, heat=Heat.INNER), gradients_off=True, gradients_reason="line 2: with x")
    told = text(replace(EXPLANATION, lines=(line,)))
    assert "  body:     runs several times in each training step (0.97): line 3" in told
    assert "  autograd: off (line 2: with x)\n" in told


@pytest.mark.parametrize(
    ("hidden", "words"),
    [
        (Hidden(Hiding.COMMENT, 7), "not shown: the comment at line 7 silences it"),
        (Hidden(Hiding.LOW_CONFIDENCE), "not shown: that is below min-confidence, likely"),
        (Hidden(Hiding.PREVIEW), "not shown: the rule does not run here"),
    ],
)
def test_what_hides_a_finding(hidden: Hidden, words: str) -> None:
    off = hidden.by if hidden.by is Hiding.PREVIEW else None
    look = replace(SPOKEN, off=off, verdicts=(Verdict(FINDING, (hidden,)),))
    told = text(replace(EXPLANATION, lines=(replace(LINE, looks=(look,)),)))
    assert "ACME001 slower-call would report `loss.item()`" in told
    assert words in told
    assert ("It does not run here: it is a preview rule" in told) == (off is not None)


def silent_part(*looks: Look) -> list[str]:
    """What is printed below the facts of the line."""
    return text(replace(EXPLANATION, lines=(Line(8, "", looks=looks),))).splitlines()[2:]


def test_places_that_a_rule_is_silent_about_for_one_reason_are_one_line() -> None:
    assert silent_part(SILENT, replace(SILENT, text="b.item()")) == [
        "  ACME002 slow-call is silent: the file compiles nothing"
    ]


def test_rules_that_are_silent_for_one_reason_are_one_line() -> None:
    other = replace(SILENT, code="ACME004", name="late-call", off=Hiding.PREVIEW)
    third = replace(SILENT, code="ACME005", name="lost-call", off=Hiding.NOT_SELECTED)
    assert silent_part(SILENT, other, third) == [
        "  ACME002 slow-call, ACME004 late-call (preview) and ACME005 lost-call (not selected) are silent:",
        "    the file compiles nothing",
    ]


def test_places_are_named_where_a_rule_answers_differently_about_them() -> None:
    rare = replace(SILENT, text="b.item()", silence="this code runs once")
    assert silent_part(SILENT, rare, replace(SILENT, text="c.item()"), replace(ELSEWHERE, code="ACME002")) == [
        "  ACME002 slow-call is silent about `loss.item()` and `c.item()`: the file compiles nothing",
        "  ACME002 slow-call is silent about `b.item()`: this code runs once",
    ]
    assert "  ACME001 slower-call is silent about `b.item()`: this code runs once" in silent_part(
        SPOKEN, replace(rare, code=SPOKEN.code, name=SPOKEN.name)
    )


def test_rules_that_look_for_something_else_are_counted_and_named_once() -> None:
    assert silent_part(ELSEWHERE, replace(ELSEWHERE, text="b"), replace(ELSEWHERE, code="ACME004")) == [
        "  2 rules look for something else here: ACME003, ACME004"
    ]
    assert "something else" not in "".join(silent_part(SPOKEN, replace(ELSEWHERE, code=SPOKEN.code)))


def test_a_rule_that_crashed() -> None:
    told = silent_part(replace(SILENT, silence=None, failure="KeyError: 'x'"))
    assert told == ["  ACME002 slow-call crashed on `loss.item()`", "    KeyError: 'x'"]


def test_nothing_to_look_at() -> None:
    empty = replace(EXPLANATION, lines=(Line(8, ""),), nearby=(FINDING,))
    assert "No rule looks at this line.\nNearest findings:\n  t.py:8  ACME001 slower-call\n" in text(empty)
    assert "No rule looks at these lines." in text(replace(empty, last=9))
    assert text(replace(empty, lines=(), whole_file=True, nearby=())) == "No rule looks at the file.\n"
    gate = replace(empty, lines=(), missing_words=("torch", "lightning"))
    assert " ".join(text(gate).split()) == (
        'No rule looks at t.py: it holds neither "torch" nor "lightning", and imports no package built on PyTorch.'
    )


def test_what_steers_a_terminal_is_shown_not_sent() -> None:
    line = replace(LINE, text='x = "\x1b[31m"', values=(Fact('"\x1b[31m"', LOSS),), unknown=("\u202e",))
    look = replace(SILENT, text="\x1b[0m")
    assert "\x1b" not in text(replace(EXPLANATION, lines=(replace(line, looks=(look,)),)))
    assert text(EXPLANATION, Style(unicode=False)).isascii()
    assert "\x1b[" in text(EXPLANATION, Style(color=True))


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (Value(Kind.TENSOR, Origin.BATCH), "a tensor, from a loader's batch"),
        (Value(Kind.TENSOR, proved=False), "a tensor, by its name"),
        (Value(Kind.UNKNOWN, proved=False), "unknown"),
    ],
)
def test_values_in_words(value: Value, words: str) -> None:
    assert value_words(value) == words


def test_heat_in_words() -> None:
    assert heat_words(HeatFact(Heat.UNKNOWN, 1.0)) == "nothing is known of how often it runs"
    assert heat_words(HeatFact(Heat.ONCE, 1.0)) == "runs once"
    assert heat_words(STEP, chain=False) == "runs each training step (0.97)"


def test_an_unknown_format_is_refused() -> None:
    with pytest.raises(ValueError, match="choose one of text, json"):
        render(EXPLANATION, "yaml", sources=lambda path: None, style=Style())
