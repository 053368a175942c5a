"""The pages that compare and cover: every rule that they name exists, under the page that they link to."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from trainlint.packs import load_rules

DOCS = Path(__file__).resolve().parent.parent / "docs"
LINK = re.compile(r"\[(?P<text>[^\]]+)\]\(rules/(?P<page>[a-z0-9-]+)\.md\)")
CODE = re.compile(r"TRN\d{3}")


@pytest.mark.parametrize("page", ["peers.md", "techniques.md", "torchfix.md"])
def test_every_link_to_a_rule_leads_to_it(page: str) -> None:
    names = {rule.name: rule.code for rule in load_rules()}
    links = list(LINK.finditer((DOCS / page).read_text(encoding="utf-8")))
    assert len(links) > 15
    wrong = [link["page"] for link in links if link["page"] not in names]
    assert wrong == []
    coded = [(link["text"], names[link["page"]]) for link in links if CODE.fullmatch(link["text"])]
    assert [pair for pair in coded if pair[0] != pair[1]] == []


def test_every_technique_has_a_home() -> None:
    text = (DOCS / "techniques.md").read_text(encoding="utf-8")
    rows = [
        line for line in text.splitlines() if line.startswith("| ") and not line.startswith(("| technique", "| ---"))
    ]
    assert len(rows) > 50
    assert [
        row for row in rows if not re.search(r"\]\([a-z/-]+\.md|`trainlint |\]\(\.\./", row.rsplit(" | ", 1)[1])
    ] == []
    assert [row for row in rows if re.search(r"\bopen\b", row.rsplit(" | ", 1)[1])] == []
    for page in set(re.findall(r"\]\(([a-z-]+\.md)", text)):
        assert (DOCS / page).is_file(), page


def test_the_page_on_peers_names_no_code_without_its_page() -> None:
    text = (DOCS / "peers.md").read_text(encoding="utf-8")
    linked = {link["text"] for link in LINK.finditer(text)}
    assert set(CODE.findall(text)) - linked == set()


ROW = re.compile(r"^\| (?P<codes>TOR\d{3}(?:, TOR\d{3})*) \|.*$", re.MULTILINE)


@pytest.mark.parametrize("page", ["peers.md", "torchfix.md"])
def test_the_rules_in_a_row_of_torchfix_are_silenced_by_its_codes(page: str) -> None:
    """`# noqa: TOR102` is what its users have written."""
    aliases = {rule.name: set(rule.aliases) for rule in load_rules()}
    rows = list(ROW.finditer((DOCS / page).read_text(encoding="utf-8")))
    assert len(rows) > 10
    for row in rows:
        for link in LINK.finditer(row[0]):
            assert aliases[link["page"]] & set(row["codes"].split(", ")), (row["codes"], link["page"])
