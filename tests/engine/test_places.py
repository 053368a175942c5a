"""Which places rules are asked about: those that run as often as they want, and no finding is lost by it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.chosen_cases import on_each_file
from tests.executed import frequencies
from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import Place
from trainlint.config import Config
from trainlint.engine.places import places_by_rule
from trainlint.finding import NOTHING_EXECUTED, Confidence, Heat
from trainlint.packs import load_rules
from trainlint.rule import IN_STEP, Rule
from trainlint.source import source_from_text

CHOOSY = [rule() for rule in load_rules() if rule.triggers.heats]
"""The rules that want code of some heats only."""

TRAINS = """\
import torch

def prepare(values):
    torch.distributed.all_gather_object(values, 1)

def train(model, loader, optimizer, found):
    for batch in loader:
        loss = model(batch).mean()
        loss.backward()
        optimizer.step()
        torch.distributed.all_gather_object(found, loss)
    torch.distributed.all_gather_object(found, 1)
"""
TRAINS_NOTHING = """\
import torch

def prepare(values):
    print(values)
    torch.distributed.all_gather_object(values, 1)
"""


def model_of(text: str) -> SemanticModel:
    source, config = source_from_text("train.py", text), Config(min_confidence=Confidence.UNLIKELY)
    return SemanticModel(
        source, ast.parse(text), config, frequencies=frequencies(source).get("train.py", NOTHING_EXECUTED)
    )


def seen(rule: Rule, model: SemanticModel, *, however_seldom: bool = False) -> list[Place]:
    return list(places_by_rule([rule], model, however_seldom=however_seldom)[0])


def lines(places: list[Place]) -> list[int]:
    return [place.statement.lineno for place in places]


def named(code: str) -> Rule:
    return next(rule for rule in CHOOSY if rule.code == code)


@on_each_file
def test_a_rule_finds_nothing_at_places_that_it_is_not_asked_about(path: Path) -> None:
    model = model_of(path.read_text(encoding="utf-8"))
    for rule in CHOOSY:
        asked = seen(rule, model)
        for place in seen(rule, model, however_seldom=True):
            if place not in asked:
                assert list(rule.check(Site(model, place))) == [], rule.code


def test_a_rule_is_asked_about_code_that_runs_often_enough() -> None:
    item = named("TRN502")
    assert item.triggers.heats == IN_STEP
    assert lines(seen(item, model_of(TRAINS))) == [11]
    assert lines(seen(item, model_of(TRAINS), however_seldom=True)) == [4, 11, 12]


def test_where_nothing_runs_in_a_step_no_block_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    model = model_of(TRAINS_NOTHING)
    in_step = [rule for rule in CHOOSY if rule.triggers.heats <= IN_STEP]
    assert not model.heats.any_in_step
    monkeypatch.setattr(type(model.heats), "of", None)  # to ask how hot a block is would fail
    assert [place for places in places_by_rule(in_step, model) for place in places] == []
    assert any(place for places in places_by_rule(in_step, model, however_seldom=True) for place in places)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (TRAINS, True),
        (TRAINS_NOTHING, False),
        ("import torch\nclass Net(torch.nn.Module):\n    def training_step(self, x):\n        return x\n", True),
    ],
)
def test_a_file_knows_whether_any_of_its_code_runs_in_a_step(text: str, expected: bool) -> None:
    model = model_of(text)
    assert model.heats.any_in_step is expected
    found = {model.heats.of(block).heat for block in model.outline.blocks}
    assert bool(found & {Heat.STEP, Heat.INNER}) is expected
