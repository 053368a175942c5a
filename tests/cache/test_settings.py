"""What keys leave out of the configuration is what nothing that they name depends on."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest

from trainlint.config import Config
from trainlint.engine import unchosen as module
from trainlint.engine.unchosen import unchosen
from trainlint.finding import Severity
from trainlint.records import field_names, replace

ROOT = Path(module.__file__).parents[1]
LEFT_OUT = {*module._CHOICE, *module._VERDICTS}


def test_models_and_summaries_read_no_setting_that_their_keys_leave_out() -> None:
    read = {
        node.attr
        for path in (ROOT / "analysis").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) in ("config", "self.config", "file.config")
    } & set(field_names(Config))
    assert read
    assert not read & LEFT_OUT


@pytest.mark.parametrize("name", sorted(set(field_names(Config)) - LEFT_OUT))
def test_every_other_setting_is_part_of_every_key(name: str) -> None:
    different: Any = {name: ("another",)}
    other = replace(Config(), **different)
    for verdicts in (True, False):
        assert unchosen(other, verdicts=verdicts) != unchosen(Config(), verdicts=verdicts)


def test_what_only_verdicts_depend_on_is_part_of_their_keys() -> None:
    for other in (Config(severity=(("TRN201", Severity.ERROR),)), Config(min_confidence=0.1)):
        assert unchosen(other) != unchosen(Config())
        assert unchosen(other, verdicts=False) == unchosen(Config(), verdicts=False)
