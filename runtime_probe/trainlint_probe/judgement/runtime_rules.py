"""What only a run shows, as verdicts with the codes and names of rules: their pages stand beside the static ones."""

from __future__ import annotations

from collections.abc import Iterable

from trainlint.catalogue import installed_rules
from trainlint.evidence.places import Line
from trainlint.evidence.verdicts import State, Verdict
from trainlint_probe.judgement.verdicts import THRESHOLD
from trainlint_probe.traces.judge import RuntimeFinding


def as_verdicts(found: Iterable[RuntimeFinding], *, where: str, basis: str = "trace") -> tuple[Verdict, ...]:
    """Verdicts on what was found. `where` names the trace or the script, for what has no line of its own; `basis` is
    what the numbers rest on.

    Raises KeyError for a name that no installed rule has.
    """
    rules = {rule.name: rule for rule in installed_rules()}
    return tuple(_verdict(rules[item.name].code, item, where, basis) for item in found)


def _verdict(code: str, item: RuntimeFinding, where: str, basis: str) -> Verdict:
    at = Line(item.source.path, item.source.line) if item.source is not None else Line(where, 0)
    sure = item.share is None or item.share.low >= THRESHOLD
    return Verdict(
        code=code,
        name=item.name,
        at=at,
        state=State.CONFIRMED if sure else State.INCONCLUSIVE,
        sentence=item.sentence.rstrip("."),
        cost=item.cost,
        share=item.share,
        basis=basis,
        message=item.sentence,
        new=True,
    )
