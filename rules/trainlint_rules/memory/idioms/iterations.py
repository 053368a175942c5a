"""Guards about the loop around a place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainlint.contract.guard import Guard
from trainlint.finding import Confidence, Heat, LoopKind

if TYPE_CHECKING:
    from trainlint.analysis.site import Site

REPEATED = dict.fromkeys(
    (Heat.STEP, Heat.INNER, Heat.EVAL_STEP, Heat.EPOCH, Heat.RARE, Heat.UNKNOWN), Confidence.CERTAIN
)
"""For `when`: code of the main process that is not known to run only once."""


def _innermost_is(site: Site, kind: LoopKind) -> bool:
    loop = site.block.innermost_loop()
    return loop is not None and site.file.heats.kind(loop) is kind


def _not_in(kind: LoopKind, sentence: str) -> Guard:
    def holds(site: Site) -> bool:
        return not _innermost_is(site, kind)

    return Guard(sentence, holds, before_found=True)


outside_training_loop = _not_in(LoopKind.STEP, "trainlint sees no training loop around it")
