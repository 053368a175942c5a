"""Things to do from the findings of a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from trainlint.advising.item import Basis, Gain, Item
from trainlint.advising.published import PUBLISHED, prerequisites
from trainlint.costs import dearness
from trainlint.evidence.verdicts import State, Verdict
from trainlint.finding import Finding, Safety, Severity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from trainlint.catalogue import InstalledRule

_COMMANDS = {Safety.SAFE: "--fix", Safety.NUMERICS: "--fix --numeric-fixes", Safety.UNSAFE: "--fix --unsafe-fixes"}
_CHANGES = {
    Safety.SAFE: "nothing: training stays the same bit for bit",
    Safety.NUMERICS: "rounding, or the order of random numbers",
    Safety.UNSAFE: "what is computed, or how processes are laid out: `--diff` in place of `--fix` shows it first",
}


def items_of_findings(
    findings: Iterable[Finding], rules: Sequence[InstalledRule], verdicts: Mapping[Finding, Verdict]
) -> tuple[Item, ...]:
    """An item for each rule that found something, the dearest first, and so the places of each."""
    by_code: dict[str, list[Finding]] = {}
    for finding in sorted(findings, key=lambda finding: dearness(finding, verdicts.get(finding))):
        by_code.setdefault(finding.code, []).append(finding)
    known = {rule.code: rule for rule in rules}
    listed = frozenset(by_code)
    return tuple(_item(known[code], found, verdicts, listed) for code, found in by_code.items() if code in known)


def _item(
    rule: InstalledRule, found: Sequence[Finding], verdicts: Mapping[Finding, Verdict], listed: frozenset[str]
) -> Item:
    levels = {finding.fix.safety for finding in found if finding.fix is not None}
    level = max(levels, default=None)
    fixed = sum(finding.fix is not None for finding in found)
    places = tuple(
        f"{finding.path}:{'' if finding.cell is None else f'cell {finding.cell}:'}{finding.span.start_line}"
        for finding in found
    )
    helps = Counter(finding.help or finding.message for finding in found)
    command = None if level is None else f"trainlint check --select {rule.code} {_COMMANDS[level]} {_paths(found)}"
    return Item(
        rule.code,
        rule.summary,
        helps.most_common(1)[0][0],
        places,
        _gain(rule.code, found, verdicts),
        any(finding.severity is Severity.ERROR for finding in found),
        _effort(fixed, len(found)),
        command,
        _CHANGES[level] if level is not None else f"`trainlint explain {rule.code}` says what",
        _check(rule, fixed=fixed),
        prerequisites(rule.code, listed),
    )


def _paths(found: Sequence[Finding]) -> str:
    """The files to name, or nothing where they are many: the working directory is the default."""
    import shlex

    paths = list(dict.fromkeys(finding.path for finding in found))
    return " ".join(map(shlex.quote, paths)) if len(paths) <= 3 else "."


def _effort(fixed: int, places: int) -> str:
    if fixed == places:
        return "a command"
    lines = "one place" if places - fixed == 1 else f"{places - fixed} places"
    return f"{lines} by hand" + (f", {fixed} by command" if fixed else "")


def _check(rule: InstalledRule, *, fixed: int) -> str:
    """How to see what the change does: without a fix of its own, the change must be made first."""
    if not rule.confirmed_by:
        return "the loss of the first steps, and the time of a step"
    what = f"--fixes {rule.code}" if fixed else "--against HEAD"
    return f"`trainlint prove {what} SCRIPT`{'' if fixed else ' after the change'}, or the time of a step"


def _gain(code: str, found: Sequence[Finding], verdicts: Mapping[Finding, Verdict]) -> Gain:
    """What a run measured, or why it could not; else what others measured; else that nobody did."""
    seen = [verdicts[finding] for finding in found if finding in verdicts]
    known = _of_run(seen)
    return known or PUBLISHED.get(code, Gain(Basis.UNKNOWN, "unknown until you run `trainlint probe`"))


def _of_run(seen: Sequence[Verdict]) -> Gain | None:
    """What the verdicts of a run say of a rule's findings; None where they say nothing of the gain."""
    confirmed = [item for item in seen if item.state is State.CONFIRMED]
    shares = [item.share for item in confirmed if item.share is not None]
    if shares:
        # Two waits of one step may hide each other, so what all bring together is at least what the largest does.
        low, high = max(share.low for share in shares), min(1.0, sum(share.high for share in shares))
        return Gain(Basis.MEASURED, f"{low:.1%} to {high:.1%} of a step at most", low, high)
    if confirmed:
        return Gain(Basis.MEASURED, "it happens in each step that was measured; its cost was not timed")
    if seen and all(item.state is State.REFUTED for item in seen):
        return Gain(Basis.MEASURED, "less than the threshold of the probe: leave it", 0.0, 0.0)
    unmeasured = next((item for item in seen if item.state is State.UNMEASURED), None)
    return Gain(Basis.UNKNOWN, unmeasured.sentence) if unmeasured else None
