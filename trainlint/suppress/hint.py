"""Whether a text may hold ignore comments: a search that spares most files the tokenizer."""

from __future__ import annotations

import re

from trainlint.patterns import lazy

HINT = lazy(r"#\s*(?:trainlint\s*:|(?:(?:flake8|ruff)\s*[:=]\s*)?noqa)", re.IGNORECASE)
"""The beginning of an ignore comment."""


def may_hold_directives(text: str) -> bool:
    """Whether a text is worth tokenizing. Strings may make it look so."""
    return HINT.search(text) is not None
