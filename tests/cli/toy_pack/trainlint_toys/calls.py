"""Rules that flag calls by their names, and rules that misbehave."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from trainlint.finding import Edit, Finding, Fix, Safety, Severity
from trainlint.rule import Rule, Triggers

if TYPE_CHECKING:
    from trainlint.analysis.site import Site


class Safe(Rule):
    """A call of safe()

    ## Why
    A test says so.

    ## Example
    None.

    ## Use instead
    None.

    ## Confirmed by
    A test.

    ## References
    None.
    """

    code = "TOY101"
    name = "toy-safe"
    severity = Severity.WARNING
    triggers = Triggers(calls=frozenset({"safe"}))
    fix_safety: ClassVar[Safety | None] = Safety.SAFE

    def check(self, site: Site) -> Iterator[Finding]:
        """Flag the call; its fix calls cured() instead."""
        span = site.span()
        start = site.source.line_starts[span.start_line - 1] + span.start_column - 1
        name = site.source.text[start:].partition("(")[0]
        fix = Fix("Call cured()", (Edit(start, start + len(name), "cured"),), self.fix_safety or Safety.SAFE)
        yield self.finding(site, f"`{name}()` can be cured", fix=fix)


class Numeric(Safe):
    """A call of numeric()

    ## Why
    A test says so.

    ## Example
    None.

    ## Use instead
    None.

    ## Fix safety
    Other rounding.

    ## Confirmed by
    A test.

    ## References
    None.
    """

    code = "TOY102"
    name = "toy-numeric"
    severity = Severity.ADVICE
    triggers = Triggers(calls=frozenset({"numeric"}))
    fix_safety = Safety.NUMERICS

    def check(self, site: Site) -> Iterator[Finding]:
        """Flag the call."""
        yield from super().check(site)


class Unsafe(Safe):
    """A call of unsafe()

    ## Why
    A test says so.

    ## Example
    None.

    ## Use instead
    None.

    ## Fix safety
    Another result.

    ## Confirmed by
    A test.

    ## References
    None.
    """

    code = "TOY103"
    name = "toy-unsafe"
    severity = Severity.ERROR
    triggers = Triggers(calls=frozenset({"unsafe"}))
    fix_safety = Safety.UNSAFE

    def check(self, site: Site) -> Iterator[Finding]:
        """Flag the call."""
        yield from super().check(site)


class Panic(BaseException):
    """What a native extension may raise: no Exception."""


class Misbehaving(Rule):
    """A call that makes this rule misbehave

    ## Why
    A rule is a guest, and guests break things.

    ## Example
    None.

    ## Use instead
    None.

    ## Confirmed by
    A test.

    ## References
    None.
    """

    code = "TOY201"
    name = "toy-misbehaving"
    severity = Severity.ERROR
    triggers = Triggers(calls=frozenset({"crash", "panic", "recurse", "die", "sleep", "spin", "sink"}))

    def check(self, site: Site) -> Iterator[Finding]:
        """Do what the name of the call says."""
        call = site.source.text.partition("(")[0].split()[-1]
        if call == "crash":
            raise ZeroDivisionError("no such luck")
        if call == "panic":
            raise Panic("native code gave up")
        if call == "recurse":
            raise RecursionError("too deep")
        if call == "die":
            os._exit(9)
        while call == "spin":
            with suppress(Exception):
                _ = [index**2 for index in range(1000)]
        if call == "sink":
            sum(range(10**10))  # until it has the sum, Python does not look at its signals
        Path(os.environ["TOY_ASLEEP"]).touch()
        time.sleep(600)
        yield self.finding(site, "slept well")
