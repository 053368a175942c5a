"""`trainlint check --interactive`: each finding with a fix is shown, and the user says what becomes of it."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING

from trainlint.cli import console
from trainlint.cli.console import UsageError
from trainlint.engine.rewriting import Chosen, PlaceShown, place_shown
from trainlint.finding import Report
from trainlint.report import Settings, render
from trainlint.report.settings import style_for

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Sequence

    from trainlint.catalogue import InstalledRule
    from trainlint.engine.rewriting import Fixing
    from trainlint.finding import Finding
    from trainlint.report import Sources

_ANSWERS = "[y]es, [n]o, [a]ll of {code}, [q]uit"


def require_terminal() -> None:
    """Raise UsageError where nobody can answer."""
    if sys.stdin is None or not sys.stdin.isatty():
        raise UsageError("--interactive asks questions, and standard input is no terminal; use --fix")


def choose(
    findings: Sequence[Finding], fixing: Fixing, sources: Sources, rules: Sequence[InstalledRule], options: Namespace
) -> Fixing:
    """Ask about each finding that could be fixed. What follows after `quit` or the end of input stays."""
    fixable = [finding for finding in findings if fixing.fixes(finding)]
    settings = Settings(style=style_for(sys.stdout, options.color), summary=False, verbose=True)
    if findings and not fixable:
        console.note("There is no fix to ask about.")
    places, codes = set[PlaceShown](), set[str]()
    for number, finding in enumerate(fixable, 1):
        if finding.code in codes:
            continue
        shown = Report((finding,), (), 1)
        console.write(sys.stdout, render(shown, "full", sources=sources, rules=rules, settings=settings))
        answer = _ask_user(f"{number} of {len(fixable)}: apply this fix? {_ANSWERS.format(code=finding.code)}: ")
        if answer == "q":
            break
        if answer == "a":
            codes.add(finding.code)
        elif answer == "y":
            places.add(place_shown(finding))
    return replace(fixing, chosen=Chosen(frozenset(places), frozenset(codes)))


def _ask_user(question: str) -> str:
    """The first letter of the answer: y, n, a or q. The question is repeated until it is one of these."""
    while True:
        console.write(sys.stdout, question)
        line = sys.stdin.readline()
        if not line:
            console.write(sys.stdout, "\n")
            return "q"
        if (letter := line.strip().lower()[:1]) and letter in "ynaq":
            return letter
