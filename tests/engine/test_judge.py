"""One file, all rules: what the engine promises whatever the rules are."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tests.chosen_cases import on_each_file
from tests.executed import executed
from trainlint.analysis.site import Site
from trainlint.config import Config
from trainlint.engine.judge import Verdicts, judge
from trainlint.finding import Confidence, Finding, Severity
from trainlint.packs import load_rules
from trainlint.rule import Rule, Triggers
from trainlint.source import SourceFile, source_from_text

ALL = Config(min_confidence=Confidence.UNLIKELY)


def rules() -> list[Rule]:
    return [rule() for rule in load_rules()]


def judged(source: SourceFile, asked: Sequence[Rule], config: Config = ALL) -> Verdicts:
    """What rules say of a file alone."""
    return judge(source, asked, config, operations=tuple(executed(source).operations))


@on_each_file
def test_rules_find_the_same_in_any_order(path: Path) -> None:
    # The model answers questions when asked: no answer may depend on who asked before.
    source = source_from_text("train.py", path.read_text(encoding="utf-8"))
    assert judged(source, rules()[::-1]).findings == judged(source, rules()).findings


@pytest.mark.nightly
@on_each_file
def test_a_rule_finds_alone_what_it_finds_among_others(path: Path) -> None:
    source = source_from_text("train.py", path.read_text(encoding="utf-8"))
    together = judged(source, rules()).findings
    alone = [finding for rule in rules() for finding in judged(source, [rule]).findings]
    assert sorted(alone, key=lambda item: item.order) == list(together)


class Crash(Rule):
    """A rule that fails.

    ## Why
    To show that nothing else is lost.

    ## Example
    ```python
    x
    ```

    ## Use instead
    ```python
    y
    ```

    ## Confirmed by
    Nothing.

    ## References
    None.
    """

    code = "BAD001"
    name = "always-crash"
    severity = Severity.WARNING
    triggers = Triggers(calls=frozenset({"item"}))

    def check(self, site: Site) -> Iterator[Finding]:
        if site.call.lineno:
            raise RuntimeError(f"no luck at line {site.call.lineno}")
        yield self.finding(site, "never reached")


LOOP = """
for x in train_loader:
    loss = model(x.cuda(non_blocking=True)).sum()
    loss.backward()
    print(loss.item())
"""


def test_a_rule_that_crashes_costs_only_itself() -> None:
    verdicts = judged(source_from_text("train.py", LOOP), [Crash(), *rules()], Config())
    assert "TRN201" in {finding.code for finding in verdicts.findings}
    [failure] = verdicts.failures
    assert failure.rule == "BAD001"
    assert "no luck at line 5" in failure.reason


class HiddenCrash(Crash):
    __doc__ = Crash.__doc__
    code = "BAD002"
    name = "crash-in-tests"
    best_in_tests = Confidence.POSSIBLE


@pytest.mark.parametrize(
    ("path", "text", "least", "is_asked"),
    [
        ("train.py", LOOP, Confidence.LIKELY, True),
        ("tests/test_train.py", LOOP, Confidence.LIKELY, False),
        ("tests/test_train.py", LOOP, Confidence.POSSIBLE, True),
        # The comment may silence a finding that is not shown: whether it is unused, only the rule can tell.
        ("tests/test_train.py", f"{LOOP}  # trainlint: ignore\n", Confidence.LIKELY, True),
    ],
)
def test_a_rule_is_not_asked_in_a_test_what_would_not_be_shown(
    path: str, text: str, least: Confidence, is_asked: bool
) -> None:
    verdicts = judge(source_from_text(path, text), [HiddenCrash()], Config(min_confidence=least))
    assert [failure.rule for failure in verdicts.failures] == ["BAD002"] * is_asked


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("def f(:\n", "line 1"),
        ('print "hello"\n', "Python 2"),
        ("x = (" * 300 + ")" * 300, "nested"),
        ("if x:\n" + "".join("    " * n + "if x:\n" for n in range(1, 101)) + "    " * 101 + "pass\n", "indentation"),
    ],
)
def test_what_cannot_be_parsed_is_a_failure_that_says_why(text: str, words: str) -> None:
    verdicts = judge(source_from_text("train.py", text), rules(), Config())
    [failure] = verdicts.failures
    assert failure.rule == "TRN001"
    assert words in failure.reason


def test_deep_but_legal_code_is_judged() -> None:
    deep = "".join("    " * n + "if x:\n" for n in range(95)) + "    " * 95 + "pass\n"
    wide = "y = " + " + ".join(["x"] * 900) + "\n"
    verdicts = judged(source_from_text("train.py", deep + wide + LOOP), rules(), Config())
    assert verdicts.failures == ()
    assert "TRN201" in {finding.code for finding in verdicts.findings}


def test_findings_below_the_wanted_confidence_are_left_out() -> None:
    net = "class Net(torch.nn.Module):\n    def forward(self, x):\n        return x + torch.arange(8).to(x.device)\n"
    source = source_from_text("train.py", f"import torch\n{LOOP}{net}")
    sure = judged(source, rules(), Config(min_confidence=Confidence.CERTAIN, preview=True)).findings
    likely = judged(source, rules(), Config(min_confidence=Confidence.UNLIKELY, preview=True)).findings
    assert all(finding.confidence is Confidence.CERTAIN for finding in sure)
    assert set(sure) < set(likely)


def test_spans_are_those_of_the_tree_also_behind_wide_characters() -> None:
    text = LOOP.replace("print(loss.item())", 'print("größe 大", loss.item())')
    findings = judged(source_from_text("t.py", text), rules(), Config()).findings
    [finding] = [item for item in findings if item.code == "TRN201"]
    line = text.split("\n")[finding.span.start_line - 1]
    assert line[finding.span.start_column - 1 : finding.span.end_column - 1] == "loss.item()"
    ast.parse(text)
