"""Where no fix can be made, a finding has none; a fault of the fix's own code is not hidden."""

from __future__ import annotations

from collections.abc import Callable

import libcst as cst
import pytest

from trainlint.finding import Fix
from trainlint.fixing.layout import Unfixable
from trainlint.fixing.rewrite import attempt


def unfixable() -> Fix:
    raise Unfixable("it stands inside an f-string")


def walrus_without_parentheses() -> Fix:
    cst.parse_expression("total := loss + 1")
    raise AssertionError("LibCST was to refuse this")


def name_without_characters() -> Fix:
    cst.Name("")
    raise AssertionError("LibCST was to refuse this")


def fault() -> Fix:
    raise KeyError("a name that the fix forgot")


@pytest.mark.parametrize("make", [unfixable, walrus_without_parentheses, name_without_characters])
def test_what_cannot_be_rewritten_has_no_fix(make: Callable[[], Fix]) -> None:
    assert attempt(make) is None


def test_a_fault_of_the_fix_is_raised() -> None:
    with pytest.raises(KeyError):
        attempt(fault)
