"""Code of another framework never gets a fix of PyTorch's, however much it looks like PyTorch's."""

from __future__ import annotations

import re

import pytest

from tests.rules.catalogue import all_rules
from tests.rules.safe.offered import fixes
from trainlint.rule import EngineRule, Rule

FRAMEWORKS = (
    "mxnet", "jax", "flax.linen", "tensorflow", "keras", "onnxruntime", "paddle", "mindspore"
)  # fmt: skip
_IMPORTED = re.compile(r"(?m)^(\s*)(from|import) (?!os\b|time\b|math\b|random\b)\w+((?:\.\w+)*)(?: as (\w+))?")
FIXING = [rule for rule in all_rules() if rule.fix_safety is not None and not issubclass(rule, EngineRule)]


def of_framework(text: str, package: str) -> str:
    """A text of PyTorch's as one of another framework, which has modules and names like PyTorch's."""

    def imported(found: re.Match[str]) -> str:
        indent, word, module, alias = found.groups()
        if word == "from":
            return f"{indent}from {package}{module}"
        return f"{indent}import {package}{module} as {alias or (module.rpartition('.')[2] or 'torch')}"

    made = _IMPORTED.sub(imported, text)
    return made if f" {package}" in made else f"import {package}\n\n\n{made}"


@pytest.mark.parametrize("rule", FIXING, ids=lambda rule: rule.code)
def test_the_example_of_a_rule_in_another_framework_is_left_alone(rule: type[Rule]) -> None:
    for package in FRAMEWORKS:
        text = of_framework(rule.manual.example, package)
        assert "import torch" not in text
        assert fixes(text) == {}, text
