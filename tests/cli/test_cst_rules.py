"""Rules whose pattern is an expression of `libcst.matchers`, as a plugin of the real command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from trainlint.packs import load_plugin
from trainlint.rule import Rule

if TYPE_CHECKING:
    from tests.cli.conftest import Program, Write

PEERS = Path(__file__).parent / "peer_pack" / "peer_rules"
FIX = ("--isolated", "--no-cache", "--fix", "--unsafe-fixes")


def cured(rules: tuple[type[Rule], ...], plugin: Path, program: Program, write: Write) -> None:
    """Each rule finds the example of its page, its fix gives what the page says, and then there is nothing to find."""
    files = {rule.code: write(f"{rule.code.lower()}.py", rule.manual.example) for rule in rules}
    select = ("--plugin", str(plugin), "--select", ",".join(files))
    before = program("check", "--isolated", "--no-cache", "--output-format", "json", *select)
    found = [(finding["path"], finding["code"]) for finding in json.loads(before.out)["findings"]]
    assert found == sorted((f"{code.lower()}.py", code) for code in files)
    assert program("check", *FIX, *select).code == 0
    assert {code: path.read_text() for code, path in files.items()} == {rule.code: rule.manual.cure for rule in rules}
    again = program("check", *FIX, *select)
    assert (again.code, [path.read_text() for path in files.values()]) == (0, [rule.manual.cure for rule in rules])


def test_rules_of_peers_are_a_pattern_and_a_node(program: Program, write: Write) -> None:
    _, rules = load_plugin(str(PEERS))
    assert sorted(rule.code for rule in rules) == ["PEER003", "PEER102", "PEER401", "PEER501", "PEER502"]
    cured(rules, PEERS, program, write)
