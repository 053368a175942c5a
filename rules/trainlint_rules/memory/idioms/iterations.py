"""Guards about the loop around a place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainlint.finding import Confidence, Heat

if TYPE_CHECKING:
    pass

REPEATED = dict.fromkeys(
    (Heat.STEP, Heat.INNER, Heat.EVAL_STEP, Heat.EPOCH, Heat.RARE, Heat.UNKNOWN), Confidence.CERTAIN
)
"""For `when`: code of the main process that is not known to run only once."""
