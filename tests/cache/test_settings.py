"""What keys leave out of the configuration is what nothing that they name depends on."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest

from trainlint.config import Config
from trainlint.engine import cache_keys
from trainlint.engine.cache_keys import settings_text
from trainlint.finding import Severity
from trainlint.records import field_names, replace

ROOT = Path(cache_keys.__file__).parents[1]
LEFT_OUT = {*cache_keys._SELECTION, *cache_keys._VERDICTS}


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
        assert settings_text(other, verdicts=verdicts) != settings_text(Config(), verdicts=verdicts)


def test_what_only_verdicts_depend_on_is_part_of_their_keys() -> None:
    for other in (
        Config(severity=(("TRN201", Severity.ERROR),)),
        Config(min_confidence=0.1),
        Config(options=(("TRN201", (("x", 1),)),)),
    ):
        assert settings_text(other) != settings_text(Config())
        assert settings_text(other, verdicts=False) == settings_text(Config(), verdicts=False)
