"""A fix is SAFE only where each name that it touches surely is the library's, and nobody else uses the old one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rules.safe.offered import fixed, fixes, safe
from trainlint.cli import main

INIT = "from torch.nn.init import normal\n\n\ndef reset(weight):\n    normal(weight)\n{more}\n"


@pytest.mark.parametrize(
    "more",
    [
        "    exec('normal(weight)')",
        "    globals()['normal'](weight)",
        "\n\ndel normal",
        "\n\ndef change(other):\n    global normal\n    normal = other",
        "\n\nglobals()['normal'] = print",
    ],
)
def test_an_import_is_not_renamed_where_code_may_use_its_name(more: str) -> None:
    assert "normal_(weight)" in fixed(INIT.format(more=""), "TRN812")
    assert not safe(INIT.format(more=more), "TRN812")


@pytest.mark.parametrize(
    ("code", "is_safe"),
    [
        ("init.normal(weight)", True),
        ("TABLE = {'normal': init.normal}", False),
        ("print(init.normal.__name__)", False),
        ("chosen is init.normal", False),
        ("reset = lambda weight, start=init.normal: start(weight)", False),
        ("[init.normal(item) for item in weights]", True),
    ],
)
def test_what_is_handed_on_may_be_compared_or_asked_for_its_name(code: str, is_safe: bool) -> None:
    code = f"from torch.nn import init\n\n{code}\n"
    assert fixes(code, "TRN812")
    assert safe(code, "TRN812") == ({"TRN812"} if is_safe else set())


def test_the_same_object_may_be_handed_on() -> None:
    code = "import torch.utils.data._utils.collate as collate\n\nmake = collate.default_collate\n"
    assert safe(code, "TRN809") == {"TRN809"}


@pytest.mark.parametrize(
    ("other", "is_fixed"),
    [
        ("from layers import normal\n\nnormal(1)\n", False),
        ("import layers\n\nlayers.normal(1)\n", False),
        ("from layers import *\n\nnormal(1)\n", False),
        ("from unittest import mock\nimport layers\n\nmock.patch('layers.normal')\n", False),
        ("from unittest import mock\nimport layers\n\nmock.patch('layers.reset')\n", True),
        ("from layers import reset\nfrom torch.nn.init import constant_ as normal\n\nnormal(reset)\n", True),
    ],
)
def test_a_name_that_other_files_import_stays(
    other: str, is_fixed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code = INIT.format(more="")
    (tmp_path / "requirements.txt").write_text("torch>=2.5\n")
    (tmp_path / "layers.py").write_text(code)
    (tmp_path / "train.py").write_text(f"import torch\n{other}")
    main("check . --fix --no-cache -q -j1 --exit-zero --select TRN812".split())
    assert ((tmp_path / "layers.py").read_text() != code) is is_fixed


def test_the_class_of_a_scaler_may_be_compared() -> None:
    code = "import torch\n\nscaler = torch.cuda.amp.GradScaler()\n{}\n"
    assert safe(code.format(""), "TRN801") == {"TRN801"}
    assert not fixes(code.format("assert type(scaler) is torch.cuda.amp.GradScaler"), "TRN801")


def test_unpacked_arguments_may_give_the_type_of_an_autocast() -> None:
    code = "import torch\n\n\ndef run(model, batch, options):\n"
    code += "    with torch.cuda.amp.autocast({}):\n        model(batch)\n"
    assert "dtype=torch.float16" in fixed(code.format(""), "TRN801")
    assert not fixes(code.format("**options"), "TRN801")


@pytest.mark.parametrize(
    ("other", "is_fixed"),
    [
        ("import layers\nlayers.build()", True),
        ("import layers\nlayers.autocast()", False),
        ("import layers\ngetattr(layers, name)()", False),
        ("import layers\nfor module in [layers]:\n    module.autocast()", False),
        ("import layers\nlayers.__dict__[name]()", False),
    ],
)
def test_a_module_that_is_handed_around_may_be_asked_for_any_name(
    other: str, is_fixed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code = "from torch.cuda.amp import autocast\n\n\ndef build(model, x):\n    with autocast(enabled=False):\n"
    code += "        return model(x)\n"
    (tmp_path / "layers.py").write_text(code)
    (tmp_path / "requirements.txt").write_text("torch>=2.5\n")
    (tmp_path / "train.py").write_text(f"import torch\n{other}\n")
    main("check . --fix --no-cache -q -j1 --exit-zero --select TRN801 --min-confidence unlikely".split())
    assert ((tmp_path / "layers.py").read_text() != code) is is_fixed
