"""The rule that CONTRIBUTING.md shows, as a plugin of the real command."""

from __future__ import annotations

import ast
import json
import re
from typing import TYPE_CHECKING

from tests.environments import REPOSITORY
from trainlint.rule import parse_manual

if TYPE_CHECKING:
    from tests.cli.conftest import Program, Write

FIX = ("--isolated", "--no-cache", "--fix")


def test_the_rule_in_contributing_works_as_it_stands_there(program: Program, write: Write) -> None:
    page = (REPOSITORY / "CONTRIBUTING.md").read_text(encoding="utf-8")
    code = re.findall(r"^````python\n(.*?)^````$", page, re.MULTILINE | re.DOTALL)[0]
    rule = next(node for node in ast.parse(code).body if isinstance(node, ast.ClassDef))
    manual = parse_manual(ast.get_docstring(rule) or "")
    select = ("--plugin", str(write("acme_rules.py", code)), "--select", "ACME101", "cat.py")
    judged = write("cat.py", manual.example)
    found = program("check", "--isolated", "--no-cache", "--output-format", "json", *select)
    assert [finding["code"] for finding in json.loads(found.out)["findings"]] == ["ACME101"]
    told = program("why", "--isolated", "--plugin", "acme_rules.py", "cat.py:3")
    assert "ACME101 cat-of-unsqueezed reports `torch.cat([image.unsqueeze(0), other.unsqueeze(0)])`" in told.out
    for _ in ("once", "again"):
        assert program("check", *FIX, *select).code == 0
        assert judged.read_text(encoding="utf-8") == manual.cure
