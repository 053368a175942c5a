"""Reasons why a read of a device value is no defect, or is that of another rule."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainlint.contract.guard import Guard, guard
from trainlint_rules.sync.idioms.progress import shown_by_bar
from trainlint_rules.sync.idioms.read_purposes import Purpose, purpose

if TYPE_CHECKING:
    from trainlint.analysis.site import Site


def _serves(what: Purpose, sentence: str) -> Guard:
    def holds(site: Site) -> bool:
        return purpose(site.file, site.node, site.block, site.statement) is what

    return Guard(sentence, holds)


@guard
def in_progress_bar(site: Site) -> bool:
    """A progress bar shows the value (TRN212)."""
    return shown_by_bar(site.file, site.node, site.statement)


READ_FOR_A_PURPOSE = (
    _serves(Purpose.PER_PARAMETER, "the value is read for each parameter (TRN211)"),
    _serves(Purpose.NAN_GUARD, "the test asks for NaN or infinity (TRN214)"),
    _serves(Purpose.LOGGED_COLLECTIVE, "the value is the result of a collective that is only logged (TRN215)"),
    _serves(Purpose.TEXT, "tokens become text, which takes far longer"),
    _serves(Purpose.AGREEMENT, "the value is a flag that all ranks agree on by a collective"),
    _serves(Purpose.EVALUATION, "the function evaluates"),
    _serves(Purpose.DRIVER, "the class drives workers in other processes, whose tensors lie on the host"),
)
