"""docs/probe.md names each rule that no run proves, and says why."""

import re
from pathlib import Path

from trainlint.catalogue import installed_rules

PAGE = Path(__file__).parents[2] / "docs" / "probe.md"
OF_THE_RUN_ITSELF = {"TRN001", "TRN002", "TRN003"}
"""What trainlint says of itself and of comments: no training shows it."""


def test_the_page_names_the_rules_that_no_run_proves() -> None:
    text = PAGE.read_text(encoding="utf-8")
    named = re.findall(r"TRN\d+", text.partition("unproved:start")[2].partition("unproved:end")[0].replace("TRNP", ""))
    unproved = {
        rule.code for rule in installed_rules() if not rule.code.startswith("TRNP") and not rule.loaded().confirmed_by
    }
    assert sorted(named) == sorted(unproved - OF_THE_RUN_ITSELF)
