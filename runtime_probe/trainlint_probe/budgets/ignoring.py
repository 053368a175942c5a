"""Ignore comments at lines that a budget counts."""

from __future__ import annotations

from trainlint.evidence.places import Line
from trainlint.symptoms import Symptom
from trainlint_probe.budgets.account import ALLOCATIONS, DATA_WAIT, GRAPH_BREAKS, PAGEABLE, RECOMPILES, SYNCS

_SHOWN_BY = {
    SYNCS: (Symptom.HOST_SYNC, "TRNP201"),
    PAGEABLE: (Symptom.HOST_TO_DEVICE, "TRNP202"),
    GRAPH_BREAKS: (Symptom.GRAPH_BREAK, "TRNP403"),
    RECOMPILES: (Symptom.RECOMPILE, "TRNP404"),
    ALLOCATIONS: (Symptom.ALLOCATION, "TRNP305"),
    DATA_WAIT: (Symptom.DATA_WAIT, "TRNP101"),
}
"""What findings of the same defect are confirmed by, and the code of what the probe says of it."""


def is_ignored(at: Line, limit: str) -> bool:
    """Whether a comment at a line of a file, or for the whole file, silences a rule about what the limit counts."""
    from trainlint.catalogue import installed_rules  # only what is beyond a limit needs them
    from trainlint_probe.judgement.silenced import is_ignored as is_silenced

    symptom, own = _SHOWN_BY[limit]
    codes = [rule.code for rule in installed_rules() if symptom.value in rule.confirmed_by]
    return is_silenced(at, [own, *codes])
