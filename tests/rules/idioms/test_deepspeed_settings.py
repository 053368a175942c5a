"""Which settings of DeepSpeed are reported, row by row."""

from __future__ import annotations

import ast

import pytest

from trainlint.analysis.syntax.literal_dicts import Settings
from trainlint_rules.settings.idioms.deepspeed_settings import deepspeed_claims


def told(text: str) -> list[tuple[object, str]]:
    """For each setting that is reported, its key and what to do."""
    node = ast.parse(text, mode="eval").body
    assert isinstance(node, ast.Dict)
    return [(ast.literal_eval(claim.setting.key), claim.row.instead) for claim in deepspeed_claims(Settings(node))]


@pytest.mark.parametrize(
    ("section", "key", "instead"),
    [
        ('"cpu_offload": False', "cpu_offload", "leave it out"),
        ('"cpu_offload": flag', "cpu_offload", 'write `"offload_optimizer": {"device": "cpu"}`'),
        ('"cpu_offload_param": True', "cpu_offload_param", 'write `"offload_param": {"device": "cpu"}`'),
        (
            '"cpu_offload_use_pin_memory": True',
            "cpu_offload_use_pin_memory",
            "write `pin_memory` in the section of what is offloaded",
        ),
        (
            '"stage3_gather_fp16_weights_on_model_save": False',
            "stage3_gather_fp16_weights_on_model_save",
            "leave it out",
        ),
        ('"offload_param": {"device": "cpu", "pin_memory": False}', "pin_memory", "set `pin_memory`"),
    ],
)
def test_a_setting_is_reported_once_with_what_to_do(section: str, key: str, instead: str) -> None:
    assert told(f'{{"zero_optimization": {{"stage": 3, {section}}}}}') == [(key, instead)]


def test_what_the_text_does_not_show_is_not_reported() -> None:
    assert told('{"zero_optimization": {"stage": 2, **more}}') == []
    assert told('{"wall_clock_breakdown": 1, "zero_optimization": section}') == []
