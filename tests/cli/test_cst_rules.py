"""Rules whose pattern is an expression of `libcst.matchers`, as a plugin of the real command."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

from tests.environments import REPOSITORY
from trainlint.rule import Manual, parse_manual

if TYPE_CHECKING:
    from tests.cli.conftest import Program, Write

PEERS = Path(__file__).parent / "peer_pack" / "peer_rules"
FIX = ("--isolated", "--no-cache", "--fix", "--unsafe-fixes")


def pages(*modules: Path) -> dict[str, Manual]:
    """The page of each rule, by its code; read and not imported, so that this process stays as it is."""
    found = {}
    for module in modules:
        for node in ast.parse(module.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef):
                (code,) = re.findall(r"^code = '(\w+)'$", "\n".join(map(ast.unparse, node.body)), re.MULTILINE)
                found[code] = parse_manual(ast.get_docstring(node) or "")
    return found


def assert_cured(manuals: dict[str, Manual], plugin: Path, program: Program, write: Write) -> None:
    """Each rule finds the example of its page, its fix gives what the page says, and then there is nothing to find."""
    files = {code: write(f"{code.lower()}.py", manual.example) for code, manual in manuals.items()}
    cures = {code: manual.cure for code, manual in manuals.items()}
    select = ("--plugin", str(plugin), "--select", ",".join(files))
    before = program("check", "--isolated", "--no-cache", "--output-format", "json", *select)
    found = [(finding["path"], finding["code"]) for finding in json.loads(before.out)["findings"]]
    assert found == sorted((f"{code.lower()}.py", code) for code in files)
    for _ in ("once", "again"):
        assert program("check", *FIX, *select).code == 0
        assert {code: path.read_text(encoding="utf-8") for code, path in files.items()} == cures


def test_rules_of_peers_are_a_pattern_and_a_node(program: Program, write: Write) -> None:
    manuals = pages(*PEERS.glob("of_*.py"))
    assert sorted(manuals) == ["PEER003", "PEER102", "PEER401", "PEER501", "PEER502"]
    assert_cured(manuals, PEERS, program, write)


def test_the_rule_in_contributing_works_as_it_stands_there(program: Program, write: Write) -> None:
    page = (REPOSITORY / "CONTRIBUTING.md").read_text(encoding="utf-8")
    plugin = write("acme_rules.py", re.findall(r"^````python\n(.*?)^````$", page, re.MULTILINE | re.DOTALL)[0])
    manuals = pages(plugin)
    assert_cured(manuals, plugin, program, write)
    write("cat.py", manuals["ACME101"].example)
    told = program("why", "--isolated", "--plugin", str(plugin), "cat.py:3")
    assert "ACME101 cat-of-unsqueezed reports `torch.cat([image.unsqueeze(0), other.unsqueeze(0)])`" in told.out
