"""Guards about the loop around a place."""

from __future__ import annotations

from trainlint.finding import Confidence, Heat

REPEATED = dict.fromkeys(
    (Heat.STEP, Heat.INNER, Heat.EVAL_STEP, Heat.EPOCH, Heat.RARE, Heat.UNKNOWN), Confidence.CERTAIN
)
"""For `when`: code of the main process that is not known to run only once."""
