"""A rule as data and one question: places, frequency, guards, confidence, words and the page."""

from __future__ import annotations

from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.analysis.facts import file_model
from tests.rules.catalogue import judged
from tests.toy_rules import PAGE
from trainlint.analysis.site import Site
from trainlint.contract.bases import CallRule
from trainlint.contract.confidence import doubted, level
from trainlint.contract.declared_rule import EACH_STEP, Match
from trainlint.contract.guard import early_guard, guard
from trainlint.engine.places import places_by_rule
from trainlint.finding import Confidence, Finding, Heat, Severity
from trainlint.rule import BadRule

TRAIN = """\
import torch

def train(model, loader, optimizer):
    for x in loader:
        loss = model(x).sum()
        loss.backward()
        optimizer.step()
        {}
"""


@guard
def quiet(site: Site) -> bool:
    """The receiver is called quiet."""
    return site.text().startswith("quiet.")


@early_guard
def legacy(site: Site) -> bool:
    """The file is called legacy."""
    return site.path.startswith("legacy")


class Toy(CallRule):
    __doc__ = PAGE
    code = "ACME201"
    name = "toy-in-step"
    severity = Severity.WARNING
    on = (".item", "torch.load", "torch.nn.*.Linear", "DataLoader")
    when = EACH_STEP | {Heat.UNKNOWN: Confidence.POSSIBLE}
    sure = Confidence.LIKELY
    unless = (legacy, quiet)
    message = "`{text}` costs{often} ({size} bytes)"
    help = "drop `{text}`"

    def found(self, site: Site) -> Match | None:
        """Everything but what is called broken."""
        assert not legacy.holds(site), "asked in spite of a guard that comes before"
        return None if "broken" in site.text() else Match(site, fields={"size": 8})


def found(code: str, path: str = "train.py") -> tuple[Finding, ...]:
    return judged(TRAIN.format(code), Toy, path=path).findings


@pytest.mark.parametrize(
    ("code", "seen"),
    [
        ("loss.item()", True),
        ("item()", False),
        ("torch.load(f)", True),
        ("json.load(f)", False),
        ("self.load(f)", False),
        ("torch.nn.Linear(2, 2)", True),
        ("torch.nn.modules.linear.Linear(2, 2)", True),
        ("Linear(2, 2)", False),
        ("data.DataLoader(x)", True),
        ("DataLoader(x)", True),
        ("from torch import load as read; read(f)", True),
        ("from json import load as read; read(f)", False),
        ("from torch.nn import Linear as Dense; Dense(2, 2)", True),
        ("from acme.data import DataLoader as Batches; Batches(x)", True),
        ("import torch.nn as layers; layers.Linear(2, 2)", True),
    ],
)
def test_the_engine_resolves_what_a_call_rule_names(code: str, *, seen: bool) -> None:
    assert bool(found(code)) == seen


def test_message_and_help_are_filled_from_the_place_and_the_match() -> None:
    (finding,) = found("loss.item()")
    assert finding.message == "`loss.item()` costs in every training step (8 bytes)"
    assert finding.help == "drop `loss.item()`"
    assert finding.sentence == f"{finding.message}; {finding.help}"


class InEvaluations(Toy):
    __doc__ = PAGE
    code = "ACME203"
    name = "toy-in-evaluation"
    when: ClassVar = {Heat.EVAL_STEP: Confidence.CERTAIN}


@pytest.mark.parametrize(("more", "shown"), [("", False), ("loss.backward(); sgd.step()", True)])
def test_programs_that_update_nothing_have_no_finding_about_frequency(more: str, *, shown: bool) -> None:
    score = """
import torch

def score(model, test_loader):
    model.eval()
    for x in test_loader:
        model(x).item()

def main(model, loaders):
    for x in loaders[0]:
        loss = model(x).sum()
        {}
    score(model, loaders[1])

if __name__ == "__main__":
    main()
"""
    assert bool(judged(score.format(more), InEvaluations, path="score.py").findings) is shown


class Seldom(Toy):
    __doc__ = PAGE
    code = "ACME202"
    name = "toy-anywhere"
    when: ClassVar = {}


@pytest.mark.parametrize(
    ("ending", "shown"),
    [
        ("net = Net()\n    net(torch.load('x'))", False),
        ("net = Net()\n    torch.load('x')\n    net.fit()", True),
        ("pass\nnet = torch.load('x')", True),
    ],
)
def test_what_tries_out_a_module_at_its_end_is_not_shown(ending: str, *, shown: bool) -> None:
    module = f"import torch\n\nclass Net(torch.nn.Module):\n    pass\n\nif __name__ == '__main__':\n    {ending}\n"
    assert bool(judged(module, Seldom).findings) is shown


def silence(code: str, path: str = "train.py") -> str | None:
    model = file_model(TRAIN.format(code), path)
    rule = Toy()
    (places,) = places_by_rule([rule], model, however_seldom=True)
    return rule.silence(Site(model, next(places)))


@pytest.mark.parametrize(
    ("code", "path", "why"),
    [
        ("quiet.item()", "train.py", "the receiver is called quiet"),
        ("loss.item()", "legacy.py", "the file is called legacy"),
        (
            "if step % 50 == 0: loss.item()",
            "train.py",
            "this code runs only in some steps (an interval, a first step, a failure, an option)",
        ),
        ("broken.item()", "train.py", None),
    ],
)
def test_a_silent_rule_says_why(code: str, path: str, why: str | None) -> None:
    assert found(code, path) == ()
    assert silence(code, path) == why


def test_the_page_lists_what_keeps_the_rule_silent() -> None:
    assert Toy.manual.section("Stays silent").splitlines() == [
        "- trainlint sees that it does not run in every training step;",
        "- the file is called legacy;",
        "- the receiver is called quiet;",
        "- the file is a test or a benchmark (its findings are hidden by default).",
    ]


def test_a_page_that_writes_the_list_by_hand_is_refused() -> None:
    with pytest.raises(BadRule, match="Stays silent"):

        class ByHand(Toy):
            __doc__ = PAGE + "\n## Stays silent\nSometimes.\n"


@pytest.mark.parametrize(
    ("text", "path", "sure"),
    [
        (TRAIN.format("loss.item()"), "train.py", Confidence.LIKELY),
        (TRAIN.format("loss.item()"), "tests/test_train.py", Confidence.POSSIBLE),
        ("def report(loss):\n    loss.item()\n", "train.py", Confidence.POSSIBLE),
    ],
)
def test_a_finding_is_as_sure_as_its_weakest_premise(text: str, path: str, sure: Confidence) -> None:
    model = file_model(text, path)
    rule = Toy()
    (places,) = places_by_rule([rule], model)
    assert [finding.confidence for place in places for finding in rule.check(Site(model, place))] == [sure]


class Anywhere(Toy):
    __doc__ = PAGE
    code = "ACME202"
    name = "toy-anywhere"
    when: ClassVar[dict[Heat, Confidence]] = {}


class AlsoInTests(Anywhere):
    __doc__ = PAGE
    code = "ACME203"
    name = "toy-in-tests"
    in_tests = True


@pytest.mark.parametrize(
    ("rule", "path", "sure"),
    [
        (Anywhere, "train.py", Confidence.LIKELY),
        (Anywhere, "tests/test_train.py", Confidence.POSSIBLE),
        (AlsoInTests, "tests/test_train.py", Confidence.LIKELY),
    ],
)
def test_findings_in_tests_are_possible_at_most_unless_the_rule_matters_there(
    rule: type[Toy], path: str, sure: Confidence
) -> None:
    model = file_model(TRAIN.format("loss.item()"), path)
    (places,) = places_by_rule([rule()], model)
    assert [finding.confidence for place in places for finding in rule().check(Site(model, place))] == [sure]


class SureOfItself(Anywhere):
    __doc__ = PAGE
    code = "ACME204"
    name = "toy-that-is-sure"

    def confidence(self, match: Match) -> Confidence:
        """The rule's own."""
        return Confidence.LIKELY


@pytest.mark.parametrize(
    ("rule", "best"),
    [(Anywhere, Confidence.POSSIBLE), (AlsoInTests, Confidence.CERTAIN), (SureOfItself, Confidence.CERTAIN)],
)
def test_the_engine_is_told_what_a_rule_can_reach_in_tests(rule: type[Toy], best: Confidence) -> None:
    assert rule.best_in_tests is best


@given(st.floats(0, 1), st.floats(0, 1))
def test_levels_keep_the_order_of_numbers_and_the_default_threshold(one: float, other: float) -> None:
    assert (level(one) <= level(other)) or one > other
    assert (level(one) >= Confidence.LIKELY) == (round(one, 2) >= 0.7)


def test_two_doubts_hide_a_finding() -> None:
    assert [doubted(), doubted(True), doubted(False, True, True), doubted(2)] == [
        Confidence.CERTAIN,
        Confidence.LIKELY,
        Confidence.POSSIBLE,
        Confidence.POSSIBLE,
    ]
