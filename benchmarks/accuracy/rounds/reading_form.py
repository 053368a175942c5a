"""Draws findings for people to read, and makes the form on which a reader says what is right."""

from __future__ import annotations

import difflib
import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

from benchmarks.accuracy.rounds.record import VERDICTS
from benchmarks.accuracy.run import UNREADABLE, CannotScore, clone_of
from trainlint.source import decode_source

if TYPE_CHECKING:
    from pathlib import Path

    from benchmarks.accuracy.rounds.runs import Reported

_T = TypeVar("_T")
LINES_AROUND = 12
"""How much code a form shows above and below a finding; the file is there for the rest."""
NOT_ASKED = "none"
"""Stands for the verdict on a fix where the finding has neither help nor fix."""


def drawn(findings: Iterable[Reported], *, count: int, seed: int) -> tuple[Reported, ...]:
    """At most `count` findings at random: one of each rule in turn, and of a rule one of each repository in turn.

    The same ones for the same seed and findings, in whatever order these come.
    """
    chance = random.Random(seed)  # noqa: S311 - a draw that can be repeated, and no secret
    ordered = sorted((each for each in findings if each.flag.code != UNREADABLE), key=_identity)
    by_rule: defaultdict[str, dict[str, list[Reported]]] = defaultdict(dict)
    for each in ordered:
        by_rule[each.flag.code].setdefault(each.flag.repo, []).append(each)
    rules = []
    for of_rule in by_rule.values():
        by_repository = [_shuffled(part, chance) for part in of_rule.values()]
        rules.append(_in_turn(_shuffled(by_repository, chance)))
    return tuple(_in_turn(_shuffled(rules, chance))[:count])


def form(findings: Sequence[Reported], chosen: Sequence[Reported], clones: Path, *, seed: int) -> dict[str, object]:
    """The form for one reader. `found` says how many findings each rule has in all."""
    found = Counter(each.flag.code for each in findings if each.flag.code != UNREADABLE)
    return {
        "how": "Fill in message_verdict and fix_verdict with one of: " + ", ".join(VERDICTS),
        "seed": seed,
        "found": dict(sorted(found.items())),
        "findings": [_entry(number, each, clones) for number, each in enumerate(chosen, 1)],
    }


def fix_as_diff(source: str, fix: Mapping[str, object]) -> list[str]:
    """What the edits of a fix change, as lines of a unified diff; empty where there are none.

    Raises CannotScore where the edits do not have the shape that docs/json-schema.md states.
    """
    fixed, edits = source, fix.get("edits", [])
    try:
        assert isinstance(edits, list)
        for edit in reversed(edits):
            start, stop, text = edit["start"], edit["stop"], edit["text"]
            assert 0 <= start <= stop <= len(source)
            fixed = fixed[:start] + text + fixed[stop:]
    except (AssertionError, KeyError, TypeError) as error:
        raise CannotScore(f'the fix "{fix.get("title")}" has edits of an unknown shape ({error!r})') from error
    return list(difflib.unified_diff(source.splitlines(), fixed.splitlines(), "before", "after", n=1, lineterm=""))


def _entry(number: int, of: Reported, clones: Path) -> dict[str, object]:
    flag = of.flag
    source = _source(clone_of(clones, flag.repo) / flag.path, flag.cell)
    # Line feeds alone part lines in trainlint.
    lines = source.split("\n")
    first = max(flag.line - LINES_AROUND, 1)
    shown = enumerate(lines[first - 1 : flag.line + LINES_AROUND], first)
    return {
        "number": number,
        "repo": flag.repo,
        "path": flag.path,
        "cell": flag.cell,
        "line": flag.line,
        "code": flag.code,
        "confidence": flag.confidence.label,
        "message": flag.message,
        "help": of.help,
        "chain": list(of.chain),
        "fix": of.fix.get("title", ""),
        "fix_safety": of.fix.get("safety", ""),
        # Edits of a notebook count in its cells, of which a fix may change several.
        "diff": fix_as_diff(source, of.fix) if flag.path.endswith(".py") else [],
        "code_around": [f"{'>' if at == flag.line else ' '}{at:5} {line.rstrip()}" for at, line in shown],
        "message_verdict": "",
        "fix_verdict": "" if of.help or of.fix else NOT_ASKED,
        "note": "",
    }


def _source(path: Path, cell: int | None) -> str:
    """The text that a finding's line is counted in: of the file, or of a notebook's cell. No byte order mark counts."""
    data = path.read_bytes()
    if cell is None:
        return data.decode("utf-8-sig", "replace")
    source = decode_source(path.name, data).cell(cell)
    if source is None:
        raise CannotScore(f"{path} has no code cell {cell}")
    return source.text


def _identity(of: Reported) -> tuple[str, str, str, int, int, str]:
    flag = of.flag
    return (flag.code, flag.repo, flag.path, flag.cell or 0, flag.line, flag.message)


def _shuffled(items: Sequence[_T], chance: random.Random) -> list[_T]:
    return chance.sample(list(items), len(items))


def _in_turn(parts: Sequence[Sequence[_T]]) -> list[_T]:
    """The first of each part, then the second of each that has one, and so on."""
    longest = max(map(len, parts), default=0)
    return [part[at] for at in range(longest) for part in parts if at < len(part)]
