"""What keys of the cache leave out of the configuration is what nothing that they name depends on."""

from __future__ import annotations

import ast
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from trainlint.config import Config
from trainlint.config.keys import Invalidates, Key
from trainlint.engine import cache_keys as module
from trainlint.engine.cache_keys import settings_text

ROOT = Path(module.__file__).parents[1]
IN_SUMMARIES = {key.field for key in Config.keys if key.invalidates is Invalidates.SUMMARIES}


def test_models_and_summaries_read_no_setting_that_their_keys_leave_out() -> None:
    read = {
        node.attr
        for path in (ROOT / "analysis").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) in ("config", "self.config", "file.config")
    } & set(Config.__dataclass_fields__)
    assert read
    assert read <= IN_SUMMARIES


@pytest.mark.parametrize("key", Config.keys, ids=lambda key: key.name)
def test_a_setting_is_part_of_the_keys_that_its_row_names(key: Key) -> None:
    different: Any = {key.field: ("another",)}
    other = replace(Config(), **different)
    in_findings = settings_text(other) != settings_text(Config())
    in_summaries = settings_text(other, verdicts=False) != settings_text(Config(), verdicts=False)
    assert (in_findings, in_summaries) == {
        Invalidates.NOTHING: (False, False),
        Invalidates.FINDINGS: (True, False),
        Invalidates.SUMMARIES: (True, True),
    }[key.invalidates]
