"""The page on security says what the code does: each bound, and tests that exist."""

from __future__ import annotations

import re

import pytest

from tests.environments import REPOSITORY
from trainlint import bounded
from trainlint.cache import values
from trainlint.installation import kept_texts

PAGE = (REPOSITORY / "docs/security.md").read_text(encoding="utf-8")
BOUNDS = {
    "Python source": bounded.SOURCE_BYTES,
    "settings of training": bounded.SETTINGS_BYTES,
    "configurations, launch scripts and pages": bounded.SHIPPED_BYTES,
    "notebooks": bounded.NOTEBOOK_BYTES,
    "the code of a notebook": bounded.SOURCE_BYTES,
    "baselines": bounded.BASELINE_BYTES,
    "a committed file": bounded.SOURCE_BYTES,
    "`pyproject.toml`": bounded.CONFIGURATION_BYTES,
    "requirements": bounded.REQUIREMENTS_BYTES,
    "ignore files": bounded.IGNORE_FILE_BYTES,
    "evidence of a run": bounded.EVIDENCE_BYTES,
    "a trace": bounded.TRACE_BYTES,
    "a result in a cache": values.MOST_BYTES,
    "the kept list of rules": kept_texts._MOST_BYTES,
}
"""How the row of a file begins → the bound on it."""


def test_each_bound_is_the_one_that_holds() -> None:
    rows = re.findall(r"^\| ([^|]*) \| ([\d,]+) \|$", PAGE, re.MULTILINE)
    assert len(rows) == len(BOUNDS)
    for (file, most), (begins, bound) in zip(rows, BOUNDS.items(), strict=True):
        assert file.startswith(begins)
        assert int(most.replace(",", "")) == bound, file


@pytest.mark.parametrize("test", sorted(set(re.findall(r"`(tests/[\w/]+\.py)`", PAGE))))
def test_each_test_that_is_named_exists(test: str) -> None:
    assert (REPOSITORY / test).is_file()
