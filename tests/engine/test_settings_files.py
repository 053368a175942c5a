"""Files with settings of training: which are read, and where findings stand in them."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.rules.catalogue import all_rules
from trainlint.config import Config
from trainlint.engine.discover import discover
from trainlint.engine.judge import judge
from trainlint.finding import Finding
from trainlint.source import source_from_text
from trainlint.training_settings.tree import settings_tree

DEEPSPEED = """\
{
\t"train_micro_batch_size_per_gpu": 4,
\t"zero_optimization": {"stage": 2, "cpu_offload": true},
}
"""
TRAINER = """\
model_name_or_path: Qwen/Qwen2.5-1.5B
per_device_train_batch_size: 4
full_determinism: true  # trainlint: ignore[TRN521] compared bit for bit on purpose
torch_empty_cache_steps: 1
"""


def found(path: str, text: str) -> list[Finding]:
    rules = [rule() for rule in all_rules()]
    return list(judge(source_from_text(path, text), rules, Config(), known=all_rules()).findings)


def lines(findings: list[Finding]) -> list[tuple[int, int, str]]:
    return [(item.span.start_line, item.span.start_column, item.code) for item in findings]


def test_findings_stand_at_the_setting_in_json() -> None:
    assert lines(found("ds_config.json", DEEPSPEED)) == [(3, 2, "TRN520"), (3, 36, "TRN520")]


def test_findings_stand_at_the_setting_in_yaml_and_a_comment_silences_them() -> None:
    assert lines(found("trainer.yaml", TRAINER)) == [(4, 1, "TRN521")]
    assert lines(found("trainer.yaml", TRAINER.replace("ignore[TRN521]", "leave it"))) == [
        (3, 1, "TRN521"),
        (4, 1, "TRN521"),
    ]


def test_a_comment_that_silences_nothing_is_found_in_yaml_as_in_python() -> None:
    text = TRAINER.replace("full_determinism: true", "full_determinism: false").replace("steps: 1", "steps: 500")
    assert [item.code for item in found("trainer.yaml", text)] == ["TRN002"]


@pytest.mark.parametrize(
    ("path", "text", "value"),
    [
        ("a.json", '  {"a": [1, -2.5, null, true]}', {"a": [1, -2.5, None, True]}),
        ("a.json", '{"a": {"ä": "on"}, # said so\n "b": 1e3,}', {"a": {"ä": "on"}, "b": 1000.0}),
        ("a.yaml", "a: yes\nb: [1, two]\nc: 'no'\nd:\n", {"a": True, "b": [1, "two"], "c": "no", "d": None}),
        ("a.yml", "base: &base {x: 1}\nb: *base\n", {"base": {"x": 1}, "b": {"x": 1}}),
    ],
)
def test_settings_are_read_as_their_own_readers_do(path: str, text: str, value: object) -> None:
    statement = settings_tree(source_from_text(path, text)).body[0]
    assert isinstance(statement, ast.Expr)
    assert ast.literal_eval(statement.value) == value


@pytest.mark.parametrize(("path", "text"), [("a.json", '{"a": {{ stage }}'), ("a.yaml", "a: [1"), ("a.yaml", "")])
def test_what_is_no_settings_says_so(path: str, text: str) -> None:
    with pytest.raises(ValueError, match=r"it (is no|holds not)"):
        settings_tree(source_from_text(path, text))


def test_only_files_that_hold_settings_are_found(tmp_path: Path) -> None:
    (tmp_path / "configs").mkdir()
    (tmp_path / "configs" / "ds_zero2.json").write_text(DEEPSPEED, encoding="utf-8")
    (tmp_path / "configs" / "sft.yaml").write_text(TRAINER, encoding="utf-8")
    (tmp_path / "configs" / "model_config.json").write_text('{"hidden_size": 8}', encoding="utf-8")
    (tmp_path / "annotations.json").write_text(DEEPSPEED, encoding="utf-8")
    (tmp_path / "train.py").write_text("import torch\n", encoding="utf-8")
    found = [target.path.relative_to(tmp_path).as_posix() for target in discover([tmp_path]).targets]
    assert found == ["configs/ds_zero2.json", "configs/sft.yaml", "train.py"]


def test_yaml_is_known_by_what_it_holds_and_json_by_its_name_as_well(tmp_path: Path) -> None:
    arguments = '{"per_device_train_batch_size": 4}'
    texts = {
        "qwen.yaml": TRAINER,
        "labels.yml": "a: 1\n",
        "cluster.yaml": "accelerator: tpu\n",
        "train_args.json": arguments,
        "000.json": arguments,
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert [target.path.name for target in discover([tmp_path]).targets] == ["qwen.yaml", "train_args.json"]


def test_arguments_of_the_trainer_of_hugging_face_are_judged() -> None:
    assert lines(found("qwen.yaml", TRAINER)) == [(4, 1, "TRN521")]
    assert lines(found("qwen.yaml", TRAINER + "max_steps: 10\n")) == [(3, 45, "TRN002")]
    assert lines(found("qwen.yaml", TRAINER + "use_cpu: true\n")) == [(3, 45, "TRN002")]


def test_a_file_that_is_named_is_judged_whatever_it_is_called(tmp_path: Path) -> None:
    path = tmp_path / "annotations.json"
    path.write_text(DEEPSPEED, encoding="utf-8")
    assert [target.path for target in discover([path]).targets] == [path]
