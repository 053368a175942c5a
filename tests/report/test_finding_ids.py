"""Each format with a place for the id of a finding has the same one."""

from __future__ import annotations

import pytest

from tests.report.toys import COPY, ITEM, RULES, settings, sources
from trainlint.baseline.identity import Identities
from trainlint.finding import Report
from trainlint.report import FORMATS, render

WITHOUT = {"full", "concise", "github"}
"""Those that people read line by line, and those of services that know no ids."""


@pytest.mark.parametrize("name", sorted(FORMATS.keys() - WITHOUT))
def test_a_format_has_the_ids_of_findings(name: str) -> None:
    identities = Identities(sources, settings().directory)
    text = render(Report((COPY, ITEM), (), 1), name, sources=sources, rules=RULES, settings=settings())
    for finding in (COPY, ITEM):
        assert text.count(identities.id_of(finding)) == 1
