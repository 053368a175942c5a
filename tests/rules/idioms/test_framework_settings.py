"""The rows about settings of frameworks: each can be met, and what stands beside a setting counts."""

from __future__ import annotations

import ast

import pytest

from trainlint.analysis.syntax.literal_dicts import Settings
from trainlint_rules.settings.idioms import framework_settings
from trainlint_rules.settings.idioms.framework_settings import HUGGING_FACE, HUGGING_FACE_FILES
from trainlint_rules.settings.idioms.setting_rows import ABSENT, Path, SettingRow, claims

TABLES = {name: rows for name, rows in vars(framework_settings).items() if name.isupper() and isinstance(rows, tuple)}
ROWS = [
    pytest.param(rows, row, id=f"{name}-{'.'.join(row.path)}-{number}")
    for name, rows in TABLES.items()
    for number, row in enumerate(rows)
    if isinstance(row, SettingRow)
]


def written(values: dict[Path, object]) -> Settings:
    """Settings with these values, whose sections are dicts."""
    whole: dict[str, object] = {}
    for path, value in values.items():
        section = whole
        for key in path[:-1]:
            section = section.setdefault(key, {})  # type: ignore[assignment]  # sections hold sections
        section[path[-1]] = value
    node = ast.parse(repr(whole), mode="eval").body
    assert isinstance(node, ast.Dict)
    return Settings(node)


def as_the_row_says(row: SettingRow) -> dict[Path, object]:
    needed = {
        path: next(value for value in values if value is not ABSENT)
        for path, values in row.where
        if ABSENT not in values
    }
    return {row.path: next(iter(row.values)), **needed}


@pytest.mark.parametrize(("rows", "row"), ROWS)
def test_each_row_is_met_by_the_settings_that_it_names_and_by_no_other_value(
    rows: tuple[SettingRow, ...], row: SettingRow
) -> None:
    values = as_the_row_says(row)
    assert row in [claim.row for claim in claims(written(values), rows)]
    assert row not in [claim.row for claim in claims(written({**values, row.path: "something else"}), rows)]


def told(rows: tuple[SettingRow, ...], **values: object) -> list[str]:
    return [claim.row.path[-1] for claim in claims(written({(key,): value for key, value in values.items()}), rows)]


def test_evaluating_often_counts_only_where_steps_decide() -> None:
    assert told(HUGGING_FACE, eval_steps=5) == []
    assert told(HUGGING_FACE, eval_strategy="epoch", eval_steps=5) == []
    assert told(HUGGING_FACE, eval_strategy="steps", eval_steps=5) == ["eval_steps"]
    assert told(HUGGING_FACE, eval_strategy="steps", eval_steps=0.1) == []


def test_precision_is_judged_only_where_nothing_else_may_set_it() -> None:
    assert told(HUGGING_FACE_FILES, bf16=False) == ["bf16"]
    assert told(HUGGING_FACE_FILES, bf16=False, fp16=None) == ["bf16"]
    for other in ({"fp16": True}, {"float16": True}, {"torch_dtype": "bfloat16"}, {"load_in_4bit": True}):
        assert told(HUGGING_FACE_FILES, bf16=False, **other) == []


def test_one_is_not_true() -> None:
    assert told(HUGGING_FACE, full_determinism=1) == []
